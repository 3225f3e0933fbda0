/* test_hessenberg.c -- Hessenberg and Schur forms: products give the matrix back, shifted systems have small
 * residuals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "linear/hessenberg.h"

enum { MOST = 24 };

/* Entries without a pattern, between -1 and 1. */
static void fill(int n, double seed, double *a)
{
    for (int i = 0; i < n * n; i++) a[i] = sin(seed + 12.9898 * i * i + 0.7 * i);
}

/* Largest entry of A - Q B Q^T. */
static double difference(int n, const double *A, const double *B, const double *Qt)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = A[i * n + j];
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) sum -= Qt[k * n + i] * B[k * n + l] * Qt[l * n + j];
            largest = fmax(largest, fabs(sum));
        }
    return largest;
}

static void expect_orthogonal(int n, const double *Q)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? -1 : 0;
            for (int l = 0; l < n; l++) sum += Q[i * n + l] * Q[j * n + l];
            assert_true(fabs(sum) < 1e-13);
        }
}

static void hessenberg_form(void **state)
{
    double A[MOST * MOST], H[MOST * MOST], Qt[MOST * MOST], work[2 * MOST];
    (void)state;
    for (int n = 1; n <= MOST; n += n < 4 ? 1 : 5) {
        fill(n, n, A);
        memcpy(H, A, sizeof H);
        assert_int_equal(hessenberg_make(n, H, Qt, work), 0);
        for (int i = 0; i < n; i++)
            for (int j = i + 2; j < n; j++) H[i * n + j] = 0;    /* not of it */
        expect_orthogonal(n, Qt);
        assert_true(difference(n, A, H, Qt) < 1e-13 * n);
    }
    H[0] = NAN;
    assert_int_not_equal(hessenberg_make(2, H, Qt, work), 0);
}

static void shifted(void **state)
{
    double A[MOST * MOST], H[MOST * MOST], Qt[MOST * MOST], work[2 * MOST * (MOST + 2)];
    const double h = 0.3, alpha = 0.7, betas[] = {0, 1.3};
    (void)state;
    for (int n = 1; n <= MOST; n += n < 4 ? 1 : 5)
        for (int b = 0; b < 2; b++) {
            double re[MOST], im[MOST], x[MOST], y[MOST], beta = betas[b];
            fill(n, 2 * n, A);
            memcpy(H, A, sizeof H);
            assert_int_equal(hessenberg_make(n, H, Qt, work), 0);
            for (int i = 0; i < n; i++) x[i] = re[i] = cos(3 * i), y[i] = im[i] = b * sin(5 * i);
            assert_int_equal(hessenberg_solve(n, H, h, alpha, beta, re, im, work), 0);
            for (int i = 0; i < n; i++) {
                double u = alpha * re[i] - beta * im[i] - x[i], v = alpha * im[i] + beta * re[i] - y[i];
                for (int j = 0; j < n && j < i + 2; j++) {
                    u -= h * H[i * n + j] * re[j];
                    v -= h * H[i * n + j] * im[j];
                }
                assert_true(fabs(u) < 1e-12 && fabs(v) < 1e-12);
            }
        }
    double zero = 0, one = 1;                  /* 2 - 1 * 2 */
    assert_int_equal(hessenberg_solve(1, &(double){2}, 1, 2, 0, &one, &zero, work), 1);
}

static void schur_form(void **state)
{
    double A[64], L[64], Vt[64], work[40];
    (void)state;
    for (int n = 1; n <= 8; n++) {
        int pairs = 0;
        fill(n, 5 * n, A);
        memcpy(L, A, sizeof L);
        assert_int_equal(schur_make(n, L, Vt, work), 0);
        for (int i = 0; i < n; i++)
            for (int j = i + 2; j < n; j++) assert_true(L[i * n + j] == 0);
        for (int i = 0; i + 1 < n; i++) {
            if (L[i * n + i + 1] == 0) continue;
            pairs++;
            assert_true(L[i * n + i] == L[(i + 1) * n + i + 1]);
            assert_true(L[i * n + i + 1] * L[(i + 1) * n + i] < 0);
        }
        expect_orthogonal(n, Vt);
        assert_true(difference(n, A, L, Vt) < 1e-13 * n);
        assert_true(n < 4 || pairs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hessenberg_form), cmocka_unit_test(shifted), cmocka_unit_test(schur_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
