/* test_difference.c -- difference quotients against derivatives known in closed form.
 *
 * An order p is right if halving the increment divides the error by 2^p; coloured columns must not
 * need more evaluations than there are colors.
 */
#include "test/problem/evaluators.h"

#include <float.h>

#include "problem/difference.h"

/* ---- stencils -------------------------------------------------------------------------------- */

static double error_of_stencil(const stencil *s, int derivative, double x)
{
    double sum = 0;
    for (int k = 0; k < s->points; k++) sum += s->weight[k] * sin(x + s->shift[k]);
    return fabs(sum - (derivative == 1 ? cos(x) : -sin(x)));
}

static void orders_of_stencils(void **state)
{
    (void)state;
    for (int derivative = 1; derivative <= 2; derivative++)
        for (int order = 2; order <= 8; order += 2) {
            double h = order <= 4 ? 0.05 : 0.4;
            stencil wide = central_stencil(derivative, order, h);
            stencil narrow = central_stencil(derivative, order, h / 2);
            double measured = log2(error_of_stencil(&wide, derivative, 0.7) /
                                   error_of_stencil(&narrow, derivative, 0.7));
            if (!(fabs(measured - order) < 0.1))
                fail_msg("derivative %d: order %g instead of %d", derivative, measured, order);
        }
}

/* At the stop time and near it no point lies beyond, whichever way time goes. */
static void stop_time(void **state)
{
    (void)state;
    for (int direction = -1; direction <= 1; direction += 2)
        for (int derivative = 1; derivative <= 2; derivative++)
            for (int distance_in_steps = 0; distance_in_steps < 6; distance_in_steps++) {
                double h = 0.01, t = 2 - direction * distance_in_steps * h;
                evaluator e = {.limited = 1, .t_limit = 2, .limit_direction = direction};
                stencil s = time_stencil(&e, t, derivative, 4, h);
                for (int k = 0; k < s.points; k++)
                    assert_true((t + s.shift[k] - 2) * direction <= 4 * DBL_EPSILON);
                assert_true(error_of_stencil(&s, derivative, t) < 20 * h * h * h * h);
            }
}

/* ---- columns --------------------------------------------------------------------------------- */

enum { SIZE = 6, ROWS = 6 };

/* r_i = sin(x_i) + t x_(i-1)^2: two diagonals */
static int chain(void *context, double t, const double *x, double *value)
{
    ++*(int *)context;
    for (int i = 0; i < ROWS; i++) value[i] = sin(x[i]) + (i > 0 ? t * x[i - 1] * x[i - 1] : 0);
    return 0;
}

static double exact_entry(double t, const double *x, int i, int j)
{
    return i == j ? cos(x[j]) : i == j + 1 ? 2 * t * x[j] : 0;
}

static const double point[SIZE] = {0.3, -1.2, 40, 1e-7, 0, 2.5};

/* Errors of (p/2)!^2 d^p and of rounding in values of the size of the largest x, over d. */
static void central_columns(void **state)
{
    static const double bound[] = {1e-9, 1e-10, 1e-11, 1e-11};
    (void)state;
    for (int order = 2; order <= 8; order += 2) {
        int calls = 0;
        double J[ROWS * SIZE] = {0}, moved[SIZE], one[ROWS], sum[ROWS], delta[SIZE], largest = 0;
        difference d = {.value = chain, .context = &calls, .rows = ROWS, .size = SIZE, .t = 0.5,
                        .x = point, .moved = moved, .one = one};
        assert_int_equal(difference_matrix(&d, &(difference_columns){
            .order = order, .sum = sum, .delta = delta, .dense = J}), 0);
        assert_int_equal(calls, order * SIZE);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < SIZE; j++)
                if (j != 2)                      /* 1 + |x| is long for sin at 40 */
                    largest = fmax(largest, fabs(J[i * SIZE + j] - exact_entry(0.5, point, i, j)));
        if (!(largest < bound[order / 2 - 1])) fail_msg("order %d: error %g", order, largest);
    }
}

/* Two colors, into a band matrix, with a factor; and what dense columns are added to. */
static void one_sided_columns(void **state)
{
    int calls = 0, color[SIZE] = {0, 1, 0, 1, 0, 1};
    coloring colors = {.count = 2, .color = color};
    double values[2 * SIZE] = {0}, dense[ROWS * SIZE], moved[SIZE], base[ROWS], sum[ROWS];
    double delta[SIZE];
    keel_matrix band = {.rows = ROWS, .columns = SIZE, .values = values, .stray_row = -1,
                        .stray_column = -1,
                        .pattern = {.storage = KEEL_BAND, .lower = 1, .upper = 0}};
    difference d = {.value = chain, .context = &calls, .rows = ROWS, .size = SIZE, .t = 0.5,
                    .x = point, .moved = moved};
    (void)state;
    chain(&calls, 0.5, point, base);
    difference_columns c = {.order = 1, .colors = &colors, .base = base, .sum = sum, .delta = delta,
                            .factor = -1, .matrix = &band};
    assert_int_equal(difference_matrix(&d, &c), 0);
    assert_int_equal(calls, 3);
    for (int k = 0; k < ROWS * SIZE; k++) dense[k] = 7;
    c = (difference_columns){.order = 1, .base = base, .sum = sum, .delta = delta, .dense = dense};
    assert_int_equal(difference_matrix(&d, &c), 0);
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < ROWS; i++) {
            double exact = exact_entry(0.5, point, i, j);
            /* rounding of values up to 800 over the increment */
            double bound = 1e-6 + 4 * DBL_EPSILON * 800 / delta[j] * (i > 2) * (i < 4) +
                           4 * DBL_EPSILON / delta[j];
            assert_true(fabs(matrix_get(&band, i, j) + exact) < bound);
            assert_true(fabs(dense[i * SIZE + j] - 7 - exact) < bound);
        }
}

/* A failure ends the differences at once and is handed on. */
static int refuses(void *context, double t, const double *x, double *value)
{
    (void)t, (void)x, (void)value;
    return ++*(int *)context == 3 ? 1 : 0;
}

static void failures(void **state)
{
    double J[SIZE] = {0}, moved[SIZE], one[1] = {0}, sum[1], delta[SIZE], base[1] = {0};
    (void)state;
    for (int order = 1; order <= 4; order += order == 1 ? 1 : 2) {
        int calls = 0;
        difference d = {.value = refuses, .context = &calls, .rows = 1, .size = SIZE, .x = point,
                        .moved = moved, .one = one};
        assert_int_equal(difference_matrix(&d, &(difference_columns){
            .order = order, .base = base, .sum = sum, .delta = delta, .dense = J}), 1);
        assert_int_equal(calls, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_stencils),
        cmocka_unit_test(stop_time),
        cmocka_unit_test(central_columns),
        cmocka_unit_test(one_sided_columns),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
