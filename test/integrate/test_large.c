/* test_large.c -- consistent start and integration of large sparse systems of index 1.
 *
 * The heat equation u_t = u_xx + u_yy on the unit square by five-point differences, with u = 0 on the
 * boundary as algebraic equations.  The discrete solution with the first sine mode as initial value
 * is known: it decays with rate 2 * 4 (N-1)^2 sin^2(pi / (2 (N-1))).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/keel.h"

typedef struct grid { int side; int blank; } grid;    /* blank: an equation that says nothing */

static const double pi = 3.14159265358979323846;

static int inside(const grid *g, int k)
{
    int i = k / g->side, j = k % g->side;
    return i > 0 && j > 0 && i < g->side - 1 && j < g->side - 1;
}

static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    const grid *g = context;
    (void)t, (void)y;
    for (int k = 0; k < g->side * g->side; k++)
        if (inside(g, k)) keel_put(M, k, k, 1);
    return 0;
}

static int rhs(double t, const double *y, double *f, void *context)
{
    const grid *g = context;
    int N = g->side;
    double scale = (N - 1.0) * (N - 1.0);
    (void)t;
    for (int k = 0; k < N * N; k++)
        f[k] = !inside(g, k) ? y[k]
             : scale * (y[k - 1] + y[k + 1] + y[k - N] + y[k + N] - 4 * y[k]);
    if (g->blank >= 0) f[g->blank] = 0;
    return 0;
}

static keel_problem *heat(grid *g)
{
    int N = g->side, n = N * N, count = 0;
    int *start = malloc((size_t)(n + 1) * sizeof *start), *row = malloc((size_t)n * 5 * sizeof *row);
    for (int k = 0; k < n; k++) {
        const int near[5] = {k - N, k - 1, k, k + 1, k + N};
        const int there[5] = {k >= N, k % N > 0, 1, k % N < N - 1, k < n - N};
        start[k] = count;
        for (int b = 0; b < 5; b++)
            if (there[b]) row[count++] = near[b];
    }
    start[n] = count;
    keel_problem *p = NULL;
    assert_int_equal(keel_quasilinear(&p, &(keel_quasilinear_spec){
        .size = n, .mass = mass, .constant_mass = 1, .rhs = rhs, .context = g,
        .pattern = {.storage = KEEL_SPARSE, .column_start = start, .row_index = row}}), KEEL_OK);
    free(start);
    free(row);
    return p;
}

/* The first mode inside, and something wrong on the boundary, which the start has to mend. */
static double *initial(const grid *g)
{
    int N = g->side;
    double *y = malloc((size_t)(N * N) * sizeof *y);
    for (int k = 0; k < N * N; k++)
        y[k] = inside(g, k) ? sin(pi * (k / N) / (N - 1)) * sin(pi * (k % N) / (N - 1)) : 0.25;
    return y;
}

static void boundary_is_mended_and_mode_decays(void **state)
{
    static const int sides[] = {12, 36, 70};          /* dense start, sparse start, 4900 unknowns */
    (void)state;
    for (int c = 0; c < 3; c++) {
        grid g = {.side = sides[c], .blank = -1};
        int N = g.side;
        keel_problem *p = heat(&g);
        keel_solver *s = NULL;
        double *y = initial(&g), t = 0.05;
        assert_int_equal(keel_solver_create(&s, p, &(keel_options){.rtol = 1e-7}), KEEL_OK);
        assert_int_equal(keel_start(s, 0, y), KEEL_OK);
        for (int k = 0; k < N * N; k++)
            assert_true(fabs(keel_state(s)[k] - (inside(&g, k) ? y[k] : 0)) < 1e-8);
        assert_int_equal(keel_advance_to(s, t), KEEL_OK);
        double rate = 8 * (N - 1.0) * (N - 1.0) * pow(sin(pi / (2 * (N - 1.0))), 2);
        for (int k = 0; k < N * N; k++) {
            double exact = inside(&g, k) ? y[k] * exp(-rate * t) : 0;
            assert_true(fabs(keel_state(s)[k] - exact) < 1e-6);
        }
        assert_true(keel_solver_stats(s)->rhs_for_jacobian <= 10 * keel_solver_stats(s)->jacobian);
        keel_solver_free(s);
        keel_problem_free(p);
        free(y);
    }
}

static void conflicts_are_named(void **state)
{
    grid g = {.side = 36, .blank = -1};
    int n = g.side * g.side;
    (void)state;
    keel_problem *p = heat(&g);
    keel_solver *s = NULL;
    double *y = initial(&g);
    keel_mark *marks = calloc((size_t)n, sizeof *marks);
    marks[3] = KEEL_FIXED;                            /* y4 = 0.25 contradicts y4 = 0 */
    assert_int_equal(keel_solver_create(&s, p, NULL), KEEL_OK);
    assert_int_equal(keel_start_marked(s, 0, y, NULL, marks), KEEL_INCONSISTENT);
    assert_non_null(strstr(keel_message(s), "y[3]"));
    keel_solver_free(s);
    keel_problem_free(p);

    g.blank = 5;                                      /* nothing determines y6 */
    p = heat(&g);
    assert_int_equal(keel_solver_create(&s, p, NULL), KEEL_OK);
    assert_int_equal(keel_start(s, 0, y), KEEL_WRONG_INDEX);
    assert_non_null(strstr(keel_message(s), "index"));
    keel_solver_free(s);
    keel_problem_free(p);
    free(marks);
    free(y);
}

/* ---- fast differential unknowns must not hinder the algebraic ones ----------------------------- */

enum { MANY = 300 };                                  /* of each kind: 600 unknowns */

static int charge(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < MANY; i++) f[i] = 1e6 - y[i] + z[i];
    return 0;
}

static int balance(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < MANY; i++) g[i] = z[i] + z[i] * z[i] * z[i] - y[i];
    return 0;
}

static void large_rates_at_the_start(void **state)
{
    int start[2 * MANY + 1], row[4 * MANY];
    double y[2 * MANY];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    for (int j = 0; j < 2 * MANY; j++) {
        start[j] = 2 * j;
        row[2 * j] = j % MANY;
        row[2 * j + 1] = MANY + j % MANY;
        y[j] = j < MANY ? 2 : 0.3;
    }
    start[2 * MANY] = 4 * MANY;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = MANY, .algebraic = MANY, .rhs = charge, .constraint = balance,
        .pattern = {.storage = KEEL_SPARSE, .column_start = start, .row_index = row}}), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, NULL), KEEL_OK);
    assert_int_equal(keel_start(s, 0, y), KEEL_OK);
    for (int i = 0; i < MANY; i++) {
        assert_true(keel_state(s)[i] == 2);           /* not moved */
        assert_true(fabs(keel_state(s)[MANY + i] - 1) < 1e-12);
    }
    assert_int_equal(keel_advance_to(s, 1e-3), KEEL_OK);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boundary_is_mended_and_mode_decays),
        cmocka_unit_test(conflicts_are_named),
        cmocka_unit_test(large_rates_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
