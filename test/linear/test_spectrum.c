/* test_spectrum.c -- eigenvalues and exponentials of dense matrices, against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "linear/linear.h"

static void expect_exponential(int n, const double *A, const double *exact, double error)
{
    double a[16], e[16], work[3 * 16 + 4];
    int pivot[4];
    memcpy(a, A, (size_t)(n * n) * sizeof *a);
    assert_int_equal(dense_exponential(n, a, e, work, pivot), 0);
    for (int i = 0; i < n * n; i++)
        if (!(fabs(e[i] - exact[i]) <= error * fabs(exact[i]) + 1e-300))
            fail_msg("entry %d: %.17g instead of %.17g", i, e[i], exact[i]);
}

static void exponentials(void **state)
{
    const double w = 3, big = 1e8, root = 1e-3 * 1e4;            /* h sqrt(1e8) */
    (void)state;
    expect_exponential(1, (double[]){-30}, (double[]){exp(-30)}, 1e-12);
    expect_exponential(2, (double[]){0, 5, 0, 0}, (double[]){1, 5, 0, 1}, 1e-15);
    expect_exponential(2, (double[]){0, -w, w, 0},
                       (double[]){cos(w), -sin(w), sin(w), cos(w)}, 1e-14);
    /* Of units that differ by 1e8: h [0 1e8; 1 0], cosh and sinh of h 1e4. */
    expect_exponential(2, (double[]){0, 1e-3 * big, 1e-3, 0},
                       (double[]){cosh(root), 1e4 * sinh(root), 1e-4 * sinh(root), cosh(root)}, 1e-13);
    expect_exponential(3, (double[]){1, 0, 0, 0, 2, 0, 0, 0, -3},
                       (double[]){exp(1), 0, 0, 0, exp(2), 0, 0, 0, exp(-3)}, 1e-14);
}

static void what_has_none(void **state)
{
    double work[20], e[4];
    int pivot[2];
    (void)state;
    assert_int_not_equal(dense_exponential(2, (double[]){1, NAN, 0, 1}, e, work, pivot), 0);
    assert_int_not_equal(dense_exponential(1, (double[]){1000}, e, work, pivot), 0);
    assert_int_equal(dense_exponential(0, e, e, work, pivot), 0);
    assert_int_not_equal(dense_eigenvalues(1, (double[]){INFINITY}, e, e + 1, work), 0);
    assert_int_equal(dense_eigenvalues(0, e, e, e, work), 0);
}

/* The graded matrix has its small eigenvalue to its own size. */
static void eigenvalues(void **state)
{
    double re[2], im[2], work[8];
    (void)state;
    assert_int_equal(dense_eigenvalues(2, (double[]){1, -2, 2, 1}, re, im, work), 0);
    assert_true(fabs(re[0] - 1) < 1e-15 && fabs(re[1] - 1) < 1e-15);
    assert_true(fabs(fabs(im[0]) - 2) < 1e-15 && im[0] == -im[1]);
    assert_int_equal(dense_eigenvalues(2, (double[]){1, 3, 0, 1e-20}, re, im, work), 0);
    assert_true(fabs(fmax(re[0], re[1]) - 1) < 1e-15);
    assert_true(fabs(fmin(re[0], re[1]) / 1e-20 - 1) < 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exponentials), cmocka_unit_test(what_has_none),
                                       cmocka_unit_test(eigenvalues)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
