/* test_small.c -- the small matrices of methods: known results, singular matrices, NaN. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linear/small.h"

static void near(double x, double expected)
{
    if (!(fabs(x - expected) <= 1e-14)) fail_msg("%.17g, not %.17g", x, expected);
}

/* A rotation and the factor 3: eigenvalues +-i and 3. */
static const double turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 3};

static void eigenvalues(void **state)
{
    double re[3], im[3], v[9], T[9], Q[9], again = 0;
    (void)state;
    for (int with = 0; with < 2; with++) {
        assert_int_equal(small_eigenvalues(3, turn, re, im, with ? v : NULL), 0);
        near(re[0], 0), near(im[0], 1), near(re[1], 0), near(im[1], -1), near(re[2], 3);
    }
    near(fabs(v[8]), 1);                         /* of 3: the last unit vector */
    near(v[2], 0), near(v[5], 0);
    const double S[4] = {2, 1, 1, 2};
    double value[2];
    assert_int_equal(small_symmetric_eigenvalues(2, S, value), 0);
    near(value[0], 1), near(value[1], 3);
    for (int k = 0; k < 9; k++) T[k] = turn[k];
    assert_int_equal(small_schur(3, T, Q, re, im), 0);
    for (int k = 0; k < 3; k++)                  /* (Q T Q^T)(1,0) */
        for (int l = 0; l < 3; l++) again += Q[3 + k] * T[3 * k + l] * Q[l];
    near(again, turn[3]);
}

static void solutions(void **state)
{
    const double A[4] = {2, 1, 0, 4}, flat[4] = {1, 2, 2, 4};
    double x[2] = {4, 8}, inverse[4];
    (void)state;
    assert_int_equal(small_solve(2, A, x), 0);
    near(x[0], 1), near(x[1], 2);
    assert_int_equal(small_inverse(2, A, inverse), 0);
    near(inverse[0], 0.5), near(inverse[1], -0.125), near(inverse[2], 0), near(inverse[3], 0.25);
    assert_int_not_equal(small_solve(2, flat, x), 0);
    assert_int_not_equal(small_inverse(2, flat, inverse), 0);
    const double b[2] = {5, 10};
    assert_int_equal(small_least_squares(2, 2, flat, b, 1e-10, x), 0);
    near(x[0], 1), near(x[1], 2);                /* of x1 + 2 x2 = 5, the shortest */
}

static void nan_is_refused(void **state)
{
    double A[4] = {1, 0, NAN, 1}, x[2] = {1, 1}, re[2], im[2], Q[4];
    (void)state;
    assert_int_not_equal(small_eigenvalues(2, A, re, im, NULL), 0);
    assert_int_not_equal(small_symmetric_eigenvalues(2, A, re), 0);
    assert_int_not_equal(small_solve(2, A, x), 0);
    assert_int_not_equal(small_inverse(2, A, Q), 0);
    assert_int_not_equal(small_schur(2, A, Q, re, im), 0);
    assert_int_not_equal(small_least_squares(2, 2, A, x, 1e-10, re), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues), cmocka_unit_test(solutions),
        cmocka_unit_test(nan_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
