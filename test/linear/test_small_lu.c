/* test_small_lu.c -- small dense systems by columns: every size, pattern and kind of mass matrix, real
 * and complex, by their residuals; pivots that are noise are left to dense.c. */
#include "linear/linear.h"
#include "linear/small_lu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/linear/dense_saddle.h"

enum { N = SMALL_LU_MOST + 1 };          /* the first that is not small, too */

typedef struct sample {
    int n, diagonal;
    int start[N + 1], row[N * N];
    double j_values[N * N], m_values[N * N], d[N];
    keel_pattern pattern;
    keel_matrix J, M;
} sample;

static double number(void) { return 2.0 * rand() / RAND_MAX - 1; }

static void fill(sample *s, int n, keel_storage storage, int diagonal)
{
    int count = 0;
    *s = (sample){.n = n, .diagonal = diagonal, .pattern = {.storage = storage}};
    if (storage == KEEL_BAND) s->pattern.lower = n > 2 ? 2 : n - 1, s->pattern.upper = n > 1;
    for (int j = 0; j < n && storage == KEEL_SPARSE; j++) {
        for (int i = 0; i < n; i++)
            if (i == j || rand() % 3 == 0) s->row[count++] = i;
        s->start[j + 1] = count;
    }
    if (storage == KEEL_SPARSE) s->pattern.column_start = s->start, s->pattern.row_index = s->row;
    for (int k = 0; k < n * n; k++) s->j_values[k] = number(), s->m_values[k] = number();
    for (int i = 0; i < n; i++) s->d[i] = number();
    s->J = (keel_matrix){n, n, s->pattern, s->j_values, -1, -1};
    s->M = (keel_matrix){n, n, s->pattern, s->m_values, -1, -1};
}

static double mass(const sample *s, int i, int j)
{
    return !s->diagonal ? matrix_get(&s->M, i, j) : i == j ? s->d[i] : 0;
}

/* |b - ((re + i im) M - J) x| beside |x| */
static double residual(const sample *s, double re, double im, const double *b_re, const double *b_im,
                       const double *x_re, const double *x_im)
{
    double worst = 0, size = 1;
    for (int i = 0; i < s->n; i++) {
        double r = b_re[i], q = b_im[i];
        for (int j = 0; j < s->n; j++) {
            double a = re * mass(s, i, j) - matrix_get(&s->J, i, j), b = im * mass(s, i, j);
            r -= a * x_re[j] - b * x_im[j];
            q -= a * x_im[j] + b * x_re[j];
        }
        worst = fmax(worst, fabs(r) + fabs(q));
        size = fmax(size, fabs(x_re[i]) + fabs(x_im[i]));
    }
    return worst / size;
}

static void check(const sample *s)
{
    linear_system *system = NULL;
    const linear_spec spec = {s->n, s->pattern, KEEL_DENSE, 1, 1, s->diagonal ? s->d : NULL, LINEAR_BY_SIZE};
    const linear_mass m = {.diagonal = s->diagonal ? s->d : NULL, .matrix = &s->M};
    double b[N], c[N], x[N], y[N], zero[N] = {0}, none[N] = {0};
    assert_int_equal(linear_create(&system, &spec), 0);
    assert_int_equal(linear_factor(system, 0, 1.7, m, &s->J), 0);
    assert_int_equal(linear_factor_complex(system, 0, 0.6, 2.3, m, &s->J), 0);
    for (int i = 0; i < s->n; i++) b[i] = x[i] = number();
    linear_solve(system, 0, x);
    assert_true(residual(s, 1.7, 0, b, zero, x, none) < 30 * s->n * DBL_EPSILON * s->n);
    for (int i = 0; i < s->n; i++) b[i] = x[i] = number(), c[i] = y[i] = number();
    linear_solve_complex(system, 0, x, y);
    assert_true(residual(s, 0.6, 2.3, b, c, x, y) < 30 * s->n * DBL_EPSILON * s->n);
    linear_free(system);
}

static void systems_are_solved(void **state)
{
    sample *s = malloc(sizeof *s);
    (void)state;
    assert_non_null(s);
    srand(1);
    for (int n = 1; n <= N; n++)
        for (int storage = KEEL_DENSE; storage <= KEEL_SPARSE; storage++)
            for (int diagonal = 0; diagonal < 2; diagonal++) {
                fill(s, n, (keel_storage)storage, diagonal);
                check(s);
            }
    free(s);
}

/* A singular matrix whose last pivot is rounding: no solution of noise, but the unknown. */
static void noise_is_no_pivot(void **state)
{
    static const double third[] = {1. / 3, 2. / 3, 1, 0.1, 0.2, 0.3, 0.7, 1.4, 2.1};
    double J[9], zeros[3] = {0};
    (void)state;
    for (int k = 0; k < 9; k++) J[k % 3 * 3 + k / 3] = -third[k];
    J[8] += 1e-3;                                /* of the last row alone: rank 2 */
    linear_system *system = NULL;
    const linear_spec spec = {3, {0}, KEEL_DENSE, 1, 1, zeros, LINEAR_BY_SIZE};
    const keel_matrix jacobian = {3, 3, {0}, J, -1, -1};
    assert_int_equal(linear_create(&system, &spec), 0);
    assert_true(linear_factor(system, 0, 1, (linear_mass){.diagonal = zeros}, &jacobian) > 0);
    assert_true(linear_factor_complex(system, 0, 1, 1, (linear_mass){.diagonal = zeros}, &jacobian) > 0);
    linear_free(system);
}

static void not_finite(void **state)
{
    double J[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, NAN, 1, 2, 3, 4, 5, 7}, zeros[4] = {0};
    linear_system *system = NULL;
    const linear_spec spec = {4, {0}, KEEL_DENSE, 1, 1, zeros, LINEAR_BY_SIZE};
    const keel_matrix jacobian = {4, 4, {0}, J, -1, -1};
    (void)state;
    assert_int_equal(linear_create(&system, &spec), 0);
    assert_true(linear_factor(system, 0, 1, (linear_mass){.diagonal = zeros}, &jacobian) > 0);
    assert_true(linear_factor_complex(system, 0, 1, 1, (linear_mass){.diagonal = zeros}, &jacobian) > 0);
    linear_free(system);
}

/* ---- saddle matrices with a constant diagonal M ------------------------------------------------ */

/* (x, l) with M told to be constant, against the same without. */
static void diagonal_mass(void **state)
{
    (void)state;
    srand(2);
    for (int n = 1; n <= 40; n += n < 8 ? 1 : 8)
        for (int m = 1; m <= n; m += m < 4 ? 1 : 5) {
            double M[40 * 40] = {0}, G[40 * 40], x[2][120], l[2][120], once[40], other[40];
            saddle *s[2];
            for (int k = 0; k < m * n; k++) G[k] = rand() % 3 ? number() : 0;
            for (int k = 0; k < m; k++) G[k * n + k] += 3;
            for (int i = 0; i < n; i++) M[i * n + i] = 1.5 + number();
            for (int i = 0; i < 3 * n; i++) x[0][i] = x[1][i] = number();
            for (int k = 0; k < 3 * m; k++) l[0][k] = l[1][k] = number();
            for (int k = 0; k < 2; k++) {
                assert_int_equal(saddle_create(&s[k], n, m), 0);
                if (k) saddle_keep_mass(s[k], M);
                assert_int_equal(saddle_factor(s[k], M, G), 0);
                saddle_solve(s[k], 3, x[k], l[k]);
            }
            for (int i = 0; i < 3 * n; i++) assert_true(fabs(x[0][i] - x[1][i]) < 1e-10);
            for (int k = 0; k < 3 * m; k++) assert_true(fabs(l[0][k] - l[1][k]) < 1e-10);
            for (int i = 0; i < n; i++) once[i] = x[0][i];
            for (int k = 0; k < m; k++) other[k] = l[0][k];
            memcpy(x[1], once, (size_t)n * sizeof *once), memcpy(l[1], other, (size_t)m * sizeof *other);
            assert_int_equal(saddle_solve_once(s[1], M, G, once, other), 0);
            saddle_solve(s[0], 1, x[1], l[1]);
            for (int i = 0; i < n; i++) assert_true(fabs(x[1][i] - once[i]) < 1e-10);
            saddle_free(s[0]);
            saddle_free(s[1]);
        }
}

/* Rows nearly parallel: S has lost what G still has; saddle.c takes over, and finds the dependence of
 * rows that are. */
static void rows_that_are_close(void **state)
{
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, angle = 1e-6;
    const double G[6] = {1, 0, 0, 1, angle, 0}, same[6] = {1, 2, 3, 2, 4, 6};
    double x[3] = {0, 0, 0}, l[2] = {1, 1 + angle};
    saddle *s = NULL;
    (void)state;
    assert_int_equal(saddle_create(&s, 3, 2), 0);
    saddle_keep_mass(s, M);
    assert_int_equal(saddle_factor(s, M, G), 0);
    saddle_solve(s, 1, x, l);
    assert_true(fabs(x[0] - 1) < 1e-9 && fabs(x[1] - 1) < 1e-9);
    assert_true(saddle_factor(s, M, same) > 0);
    saddle_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_solved), cmocka_unit_test(noise_is_no_pivot),
        cmocka_unit_test(not_finite), cmocka_unit_test(diagonal_mass),
        cmocka_unit_test(rows_that_are_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
