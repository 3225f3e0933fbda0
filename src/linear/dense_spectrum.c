/* dense_spectrum.c -- eigenvalues and the exponential of dense matrices of any size, row-major.
 *
 *   e^A = D (r(2^-s D^-1 A D))^(2^s) D^-1,   r the (6,6) Pade approximant
 *
 * with powers of two in D that make rows and columns of one length, and s such that the norm is below
 * 1/2 [Moler & Van Loan, SIAM Review 45 (2003) 3, method 3].
 */
#include "linear/linear.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

int dense_eigenvalues(int n, double *a, double *re, double *im, double *work)
{
    double none;
    if (n == 0) return 0;
    if (first_not_finite(n * n, a) >= 0) return -1;
    /* The transposed matrix has the same ones. */
    return LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, re, im, &none, 1, &none, 1, work,
                              4 * n);
}

/* ---- the exponential ------------------------------------------------------------------------- */

static void product(int n, const double *A, const double *B, double *C)
{
    memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
    for (int i = 0; i < n; i++)
        for (int l = 0; l < n; l++) {
            double factor = A[(ptrdiff_t)i * n + l];
            for (int j = 0; j < n; j++) C[(ptrdiff_t)i * n + j] += factor * B[(ptrdiff_t)l * n + j];
        }
}

/* a := D^-1 a D, d: the diagonal of D */
static void balance(int n, double *a, double *d)
{
    enum { ROUNDS = 20 };
    for (int i = 0; i < n; i++) d[i] = 1;
    for (int round = 0, changed = 1; round < ROUNDS && changed; round++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, factor;
            for (int j = 0; j < n; j++) {
                if (j == i) continue;
                row += fabs(a[(ptrdiff_t)i * n + j]);
                column += fabs(a[(ptrdiff_t)j * n + i]);
            }
            if (!(row > 0) || !(column > 0)) continue;
            factor = exp2(rint(0.5 * log2(row / column)));
            if (factor == 1) continue;
            changed = 1;
            d[i] *= factor;
            for (int j = 0; j < n; j++) a[(ptrdiff_t)i * n + j] /= factor;
            for (int j = 0; j < n; j++) a[(ptrdiff_t)j * n + i] *= factor;
        }
    }
}

static double row_sum(int n, const double *a)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(a[(ptrdiff_t)i * n + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* e := r(a); power, next, below: n x n scratch */
static int pade(int n, const double *a, double *e, double *power, double *next, double *below,
                int *pivot)
{
    enum { DEGREE = 6 };
    ptrdiff_t all = (ptrdiff_t)n * n;
    double c = 1;
    memset(e, 0, (size_t)all * sizeof *e);
    for (int i = 0; i < n; i++) e[(ptrdiff_t)i * n + i] = 1;
    memcpy(power, e, (size_t)all * sizeof *e);
    memcpy(below, e, (size_t)all * sizeof *e);
    for (int k = 1; k <= DEGREE; k++) {
        c *= (double)(DEGREE - k + 1) / (k * (2 * DEGREE - k + 1));
        product(n, a, power, next);
        memcpy(power, next, (size_t)all * sizeof *e);
        for (ptrdiff_t i = 0; i < all; i++) {
            e[i] += c * power[i];
            below[i] += (k % 2 ? -c : c) * power[i];
        }
    }
    if (dense_factor(n, below, pivot)) return 1;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) next[i] = e[(ptrdiff_t)i * n + j];
        dense_solve(n, below, pivot, next);
        for (int i = 0; i < n; i++) e[(ptrdiff_t)i * n + j] = next[i];
    }
    return 0;
}

int dense_exponential(int n, double *a, double *e, double *work, int *pivot)
{
    ptrdiff_t all = (ptrdiff_t)n * n;
    double *power = work, *next = power + all, *below = next + all, *d = below + all;
    int squarings = 0;
    if (n == 0) return 0;
    if (first_not_finite(n * n, a) >= 0) return 1;
    balance(n, a, d);
    for (double size = row_sum(n, a); size > 0.5; size /= 2) squarings++;
    for (ptrdiff_t i = 0; i < all; i++) a[i] = ldexp(a[i], -squarings);
    if (pade(n, a, e, power, next, below, pivot)) return 1;
    for (int s = 0; s < squarings; s++) {
        product(n, e, e, next);
        memcpy(e, next, (size_t)all * sizeof *e);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) e[(ptrdiff_t)i * n + j] *= d[i] / d[j];
    return first_not_finite(n * n, e) >= 0;
}
