/* test_starting.c -- starting procedures [Weiss 2007, 4.1]: the published ones to the last digit,
 * the order conditions (4.3), and the transformation to bidiagonal form. */
#include "method/starting.h"
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = STAGES_MAX };

/* ---- published coefficients ------------------------------------------------------------------ */

static void equal(int count, const double *x, const double *y)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i] - y[i]) <= DBL_EPSILON * fabs(y[i])))
            fail_msg("number %d is %.17g instead of %.17g", i, x[i], y[i]);
}

/* Examples 4.2 (i), (ii) and 4.3; nodes of thirds are not exact in double, nor is then C. */
static void published(void **state)
{
    static const double A1[] = {1, -1, 0, 1}, B1[] = {0, 0, 1, 0};
    static const double A2[] = {4, -8, 4, -3. / 8, 3. / 2, -5. / 8, -5. / 2, 6, -5. / 2};
    static const double B2[] = {0, 0, 0, 1, 0, 0, -3, 4, -1};
    static const double A3[] = {27, -81, 81, -27, -19. / 36, 20. / 9, -73. / 36, 2. / 3,
                                -14, 385. / 9, -380. / 9, 127. / 9, -67. / 4, 51, -201. / 4, 17};
    static const double B3[] = {0, 0, 0, 0, 1, 0, 0, 0, -11. / 2, 9, -9. / 2, 1, 18, -45, 36, -9};
    double A[16], B[16];
    (void)state;
    assert_int_equal(keel_starting_procedure(1, (double[]){0, 1}, 1, A, B), KEEL_OK);
    equal(4, A, A1), equal(4, B, B1);
    assert_int_equal(keel_starting_procedure(2, (double[]){0, 0.5, 1}, 1, A, B), KEEL_OK);
    equal(9, A, A2), equal(9, B, B2);
    assert_int_equal(keel_starting_procedure(3, (double[]){0, 1. / 3, 2. / 3, 1}, 1, A, B),
                     KEEL_OK);
    for (int i = 0; i < 16; i++) {
        assert_true(fabs(A[i] - A3[i]) <= 100 * DBL_EPSILON * 81);
        assert_true(fabs(B[i] - B3[i]) <= 100 * DBL_EPSILON * 45);
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

static long double scaled_power(long double x, int k)
{
    long double power = 1;
    for (int i = 1; i <= k; i++) power *= x / i;
    return power;
}

/* (4.3): C_ik = delta_k0 + (A C K)_ik, delta_ik = delta_i0 delta_k0 + (B C K)_ik, k = 0..p. */
static void conditions(int s, const double *c, const double *A, const double *B)
{
    for (int i = 0; i < s; i++)
        for (int k = 0; k < s; k++) {
            long double a = k == 0, b = i == 0 && k == 0, size_a = 1, size_b = 1;
            for (int j = 0; k > 0 && j < s; j++) {
                long double slope = scaled_power(c[j], k - 1);
                a += A[i * s + j] * slope, size_a += fabsl(A[i * s + j] * slope);
                b += B[i * s + j] * slope, size_b += fabsl(B[i * s + j] * slope);
            }
            /* coefficients and nodes are rounded: at most one rounding for each factor */
            if (fabsl(a - scaled_power(c[i], k)) > (k + 1) * DBL_EPSILON * size_a)
                fail_msg("stage %d of %d, h^%d: %Lg", i, s, k, a - scaled_power(c[i], k));
            if (fabsl(b - (i == k)) > (k + 1) * DBL_EPSILON * size_b)
                fail_msg("value %d of %d, h^%d: %Lg", i, s, k, b - (i == k));
        }
}

static void order_conditions(void **state)
{
    (void)state;
    for (int s = 2; s <= 12; s++) {
        double c[MOST], A[MOST * MOST], B[MOST * MOST];
        for (int i = 0; i < s; i++) c[i] = (2.0 * i + 1) / 8 - 0.5;
        assert_int_equal(keel_starting_procedure(s - 1, c, 0.375, A, B), KEEL_OK);
        conditions(s, c, A, B);
    }
}

static void bad_arguments(void **state)
{
    double c[2] = {0, 1}, A[4], B[4];
    (void)state;
    assert_int_equal(keel_starting_procedure(0, c, 1, A, B), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_starting_procedure(20, c, 1, A, B), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_starting_procedure(1, NULL, 1, A, B), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_starting_procedure(1, c, 1, NULL, B), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_starting_procedure(1, c, 1, A, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_starting_procedure(1, c, 0, A, B), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_starting_procedure(1, c, NAN, A, B), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_starting_procedure(1, c, INFINITY, A, B), KEEL_BAD_ARGUMENT);
    c[1] = 0;
    assert_int_equal(keel_starting_procedure(1, c, 1, A, B), KEEL_BAD_ARGUMENT);
    c[1] = NAN;
    assert_int_equal(keel_starting_procedure(1, c, 1, A, B), KEEL_BAD_ARGUMENT);
}

/* ---- for integrators ------------------------------------------------------------------------- */

/* |X Y - Z| <= n eps |X| |Y|, element by element. */
static void product(int n, const double *X, const double *Y, const double *Z, const char *what)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long double sum = 0, size = 0;
            for (int k = 0; k < n; k++) {
                sum += (long double)X[i * n + k] * Y[k * n + j];
                size += fabsl((long double)X[i * n + k] * Y[k * n + j]);
            }
            if (fabsl(sum - Z[i * n + j]) > 2 * DBL_EPSILON * (size + fabs(Z[i * n + j])))
                fail_msg("%s, order %d: %Lg", what, n - 1, sum - Z[i * n + j]);
        }
}

static void benign_method(int order)
{
    arena a = {0};
    starting_data d;
    double identity[81] = {0}, lambda[81] = {0}, TL[81] = {0};
    assert_int_equal(starting_method(&a, order, &d), 0);
    void *block = arena_block(a.used);
    assert_non_null(block);
    a = (arena){.base = block};
    assert_int_equal(starting_method(&a, order, &d), 0);
    int s = d.s;
    assert_int_equal(s, order + 1);
    assert_true(d.c[0] == 0 && d.c[s - 1] == 1);
    for (int i = 0; i < s; i++) identity[i * s + i] = 1, lambda[i * s + i] = 1 / d.mu;
    for (int i = 1; i < s; i++) lambda[i * s + i - 1] = d.lower[i - 1];
    conditions(s, d.c, d.A, d.B);
    product(s, d.A, d.A_inv, identity, "A A^-1");
    product(s, d.T, d.T_inv, identity, "T T^-1");
    product(s, d.B_A_inv, d.A, d.B, "(B A^-1) A = B");
    for (int i = 0; i < s; i++)                              /* A^-1 T = T Lambda */
        for (int j = 0; j < s; j++)
            for (int k = 0; k < s; k++) TL[i * s + j] += d.T[i * s + k] * lambda[k * s + j];
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            double sum = -TL[i * s + j], size = 0, row = d.at_start[i] - (i == 0);
            for (int k = 0; k < s; k++) {
                sum += d.A_inv[i * s + k] * d.T[k * s + j];
                size += fabs(d.A_inv[i * s + k] * d.T[k * s + j])
                      + fabs(d.T[i * s + k] * lambda[k * s + j]);
                row += d.B_A_inv[i * s + k];
            }
            assert_true(fabs(sum) <= 4 * s * DBL_EPSILON * size);
            double largest = 1;
            for (int k = 0; k < s; k++) largest = fmax(largest, fabs(d.B_A_inv[i * s + k]));
            assert_true(fabs(row) <= 2 * s * DBL_EPSILON * largest);
        }
    arena_block_free(block);
}

static void for_integrators(void **state)
{
    arena a = {0};
    starting_data d;
    (void)state;
    for (int order = 1; order <= STARTING_ORDER_MOST; order++) benign_method(order);
    assert_int_equal(starting_method(&a, 0, &d), KEEL_UNSUPPORTED);
    assert_int_equal(starting_method(&a, STARTING_ORDER_MOST + 1, &d), KEEL_UNSUPPORTED);
}

/* ---- the choice of mu ------------------------------------------------------------------------ */

typedef long double square[6][6];

static long double norm(int s, square a)
{
    long double largest = 0;
    for (int i = 0; i < s; i++) {
        long double row = 0;
        for (int j = 0; j < s; j++) row += fabsl(a[i][j]);
        largest = fmaxl(largest, row);
    }
    return largest;
}

/* inv := a^-1 by Gauss-Jordan with row interchanges; a is lost. */
static void invert(int s, square a, square inv)
{
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) inv[i][j] = i == j;
    for (int k = 0; k < s; k++) {
        int pivot = k;
        for (int i = k + 1; i < s; i++)
            if (fabsl(a[i][k]) > fabsl(a[pivot][k])) pivot = i;
        for (int j = 0; j < s; j++) {
            long double x = a[k][j], y = inv[k][j];
            a[k][j] = a[pivot][j], a[pivot][j] = x;
            inv[k][j] = inv[pivot][j], inv[pivot][j] = y;
        }
        long double diagonal = a[k][k];
        for (int j = 0; j < s; j++) a[k][j] /= diagonal, inv[k][j] /= diagonal;
        for (int i = 0; i < s; i++) {
            long double factor = a[i][k];
            for (int j = 0; j < s && i != k; j++)
                a[i][j] -= factor * a[k][j], inv[i][j] -= factor * inv[k][j];
        }
    }
}

/* |A| |A^-1| |T| |T^-1| for equidistant nodes, t_1 = (c_i^p / p!), t_(k+1) = (A^-1 - 1/mu) t_k. */
static long double condition(int s, double mu)
{
    double c[6] = {0}, A[36], B[36];
    square a, inverse, T, T_inverse;
    for (int i = 0; i < s; i++) c[i] = i / (s - 1.0);
    assert_int_equal(keel_starting_procedure(s - 1, c, mu, A, B), KEEL_OK);
    for (int i = 0; i < s * s; i++) a[i / s][i % s] = A[i];
    long double product = norm(s, a);
    invert(s, a, inverse);
    for (int k = 0; k < s; k++) {
        long double length = 0;
        for (int i = 0; i < s; i++) {
            T[i][k] = k ? -T[i][k - 1] / mu : scaled_power(c[i], s - 1);
            for (int j = 0; k && j < s; j++) T[i][k] += inverse[i][j] * T[j][k - 1];
            length += T[i][k] * T[i][k];
        }
        for (int i = 0; i < s; i++) T[i][k] /= sqrtl(length);
    }
    product *= norm(s, inverse) * norm(s, T);
    invert(s, T, T_inverse);
    return product * norm(s, T_inverse);
}

/* No other multiple of 1/100 is better than that of the integrator, as far as double tells. */
static void best_mu(void **state)
{
    (void)state;
    for (int p = 1; p <= 5; p++) {
        starting_data d;
        assert_int_equal(starting_method(&(arena){0}, p, &d), KEEL_OK);
        long double chosen = condition(p + 1, d.mu);
        for (int k = 5; k <= 120; k++)
            if (!(condition(p + 1, k / 100.0) > chosen * (1 - 1e-6L)))
                fail_msg("order %d: mu = %.2f is better than %.2f", p, k / 100.0, d.mu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published), cmocka_unit_test(best_mu), cmocka_unit_test(order_conditions),
        cmocka_unit_test(bad_arguments), cmocka_unit_test(for_integrators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
