/* test_dense.c -- dense factorizations against residual bounds.
 *
 * A solve with P A = L U leaves |b - A x| <= 3 n eps |L| |U| |x|; with partial pivoting
 * |L| |U| |x| stays close to |A| |x| in practice, hence about 2 n eps (|A| |x|)_i in row i.
 */
#include "linear/linear.h"
#include "numbers.h"

#include <complex.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const int sizes[] = { 1, 2, 3, 4, 5, 7, 10, 13, 20, 27, 28, 33, 39, 40, 41, 77, 130, 200 };
#define EACH_SIZE(n) \
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) \
        for (int n = sizes[at], once = 1; once; once = 0)

/* max_i |b - A x|_i / sum_j |a_ij x_j| in units of eps; w = 1 real, 2 complex. */
static double backward_error(int n, int w, const double *a, const double *x, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double complex rest = w == 1 ? b[i] : b[2 * i] + I * b[2 * i + 1];
        double size = cabs(rest);
        for (int j = 0; j < n; j++) {
            const double *p = a + w * (i * n + j), *q = x + w * j;
            double complex product = w == 1 ? p[0] * q[0] : (p[0] + I * p[1]) * (q[0] + I * q[1]);
            rest -= product;
            size += cabs(product);
        }
        double error = cabs(rest) / (size * DBL_EPSILON);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static int factor(int w, int n, double *a, int *pivot)
{
    return w == 1 ? dense_factor(n, a, pivot) : dense_factor_complex(n, a, pivot);
}

static void solve(int w, int n, const double *lu, const int *pivot, double *b)
{
    if (w == 1) dense_solve(n, lu, pivot, b);
    else dense_solve_complex(n, lu, pivot, b);
}

/* Rows and columns multiplied by powers of ten from 10^-range to 10^range. */
static void check_random(int w, double range)
{
    uint64_t seed = 7;
    EACH_SIZE(n) {
        size_t count = (size_t)(w * n * n), length = (size_t)(w * n);
        double *a = vector(count), *lu = vector(count), *b = vector(length), *x = vector(length);
        int *pivot = calloc((size_t)n, sizeof *pivot);
        numbers(&seed, a, count);
        numbers(&seed, b, length);
        for (int i = 0; i < n; i++) {
            double row = pow(10, range * number(&seed)), column = pow(10, range * number(&seed));
            for (int j = 0; j < w * n; j++) a[w * i * n + j] *= row;
            for (int c = 0; c < w; c++) b[w * i + c] *= row;
            for (int j = 0; j < n; j++)
                for (int c = 0; c < w; c++) a[w * (j * n + i) + c] *= column;
        }
        memcpy(lu, a, count * sizeof *a);
        memcpy(x, b, length * sizeof *b);
        assert_int_equal(factor(w, n, lu, pivot), 0);
        solve(w, n, lu, pivot, x);
        if (range == 0) assert_true(backward_error(n, w, a, x, b) <= 4 + 2 * n);
        else assert_true(isfinite(largest_entry(x, length)));
        free(a), free(lu), free(b), free(x), free(pivot);
    }
}

static void random_real(void **state) { (void)state; check_random(1, 0); }
static void random_complex(void **state) { (void)state; check_random(2, 0); }
static void badly_scaled_is_not_singular(void **state)
{
    (void)state;
    check_random(1, 10);
    check_random(2, 10);
}

/* [u I, -I, 0; K, u I, G^T; G, 0, 0] is what index 3 gives at step 1/u; its last pivot is
 * about u^-2, yet it has full accuracy. */
static void index_3_newton_matrix(void **state)
{
    (void)state;
    for (double u = 1; u < 1e13; u *= 10) {
        double a[25] = { u, 0, -1, 0, 0, 0, u, 0, -1, 0, 3, 1, u, 0, 0.6, 1, 2, 0, u, 0.8,
                         0.6, 0.8, 0, 0, 0 };
        double lu[25], b[5] = { 0 }, x[5];
        int pivot[5];
        const double exact[5] = { 1, 2, -1, 3, -2 };
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) b[i] += a[i * 5 + j] * exact[j];
        memcpy(lu, a, sizeof a);
        memcpy(x, b, sizeof b);
        assert_int_equal(dense_factor(5, lu, pivot), 0);
        dense_solve(5, lu, pivot, x);
        assert_true(backward_error(5, 1, a, x, b) <= 20);
    }
}

/* Column k := a combination of the columns before it, or of zero: named by its number. */
static void check_dependent_column(int w)
{
    uint64_t seed = 99;
    EACH_SIZE(n) {
        size_t count = (size_t)(w * n * n);
        double *a = vector(count);
        int *pivot = calloc((size_t)n, sizeof *pivot);
        for (int k = 0; k < n; k += 1 + n / 7) {
            numbers(&seed, a, count);
            double p = number(&seed), q = number(&seed);
            for (int i = 0; i < n; i++)
                for (int c = 0; c < w; c++) {
                    double *row = a + w * i * n + c;
                    row[w * k] = k == 0 ? 0 : p * row[0] + (k > 1 ? q * row[w * (k - 1)] : 0);
                }
            assert_int_equal(factor(w, n, a, pivot), k + 1);
        }
        free(a), free(pivot);
    }
}

static void dependent_column_is_named(void **state)
{
    (void)state;
    check_dependent_column(1);
    check_dependent_column(2);
}

/* Row n-1 := the sum of the others; only the last pivot is missing. */
static void dependent_row_is_found(void **state)
{
    (void)state;
    uint64_t seed = 5;
    EACH_SIZE(n) {
        double *a = vector((size_t)(n * n));
        int *pivot = calloc((size_t)n, sizeof *pivot);
        numbers(&seed, a, (size_t)(n * n));
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < n - 1; i++) sum += a[i * n + j];
            a[(n - 1) * n + j] = sum;
        }
        assert_int_equal(dense_factor(n, a, pivot), n);
        free(a), free(pivot);
    }
}

static void not_finite_is_refused(void **state)
{
    (void)state;
    EACH_SIZE(n) {
        const double bad[] = { NAN, INFINITY };
        for (int kind = 0; kind < 2; kind++)
            for (int w = 1; w <= 2; w++) {
                double *a = vector((size_t)(w * n * n));
                int *pivot = calloc((size_t)n, sizeof *pivot);
                for (int i = 0; i < n; i++) a[w * (i * n + i)] = 1;
                a[w * (n / 2 * n + n / 2)] = bad[kind];
                assert_true(factor(w, n, a, pivot) > 0);
                free(a), free(pivot);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_real),
        cmocka_unit_test(random_complex),
        cmocka_unit_test(badly_scaled_is_not_singular),
        cmocka_unit_test(index_3_newton_matrix),
        cmocka_unit_test(dependent_column_is_named),
        cmocka_unit_test(dependent_row_is_found),
        cmocka_unit_test(not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
