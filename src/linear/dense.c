/* dense.c -- P A = L U of small dense matrices, row-major, with partial pivoting.
 *
 * Below LAPACK_FROM unknowns by row operations in place, with 1 / u(k,k) kept on the diagonal;
 * from there on by LAPACK, on the transposed array, because LAPACK wants columns.  A missing
 * pivot is decided by pivot_is_significant (dense.h).
 */
#include "linear/linear.h"
#include "linear/dense.h"
#include "linear/kernels.h"

#include <lapacke.h>
#include <math.h>

/* Measured instructions, rows against LAPACK (OpenBLAS 0.3.21, AVX2) with transposition, for
 * one factorization and eight solves: 114e3/167e3 at n = 30, 224e3/217e3 at n = 40. */
enum { LAPACK_FROM = 40 };

static void swap_entries(double *restrict x, double *restrict y, int count)
{
    for (int j = 0; j < count; j++) {
        double t = x[j];
        x[j] = y[j];
        y[j] = t;
    }
}

/* ---- real ----------------------------------------------------------------------------- */

/* a(i,k) after k steps: sum of |l(i,j)| s(j), j < k; strides: to the next row, next column. */
static double cancelled_terms(const double *a, ptrdiff_t down, ptrdiff_t right, int i, int k,
                              int count, const double *s)
{
    double sum = 0;
    for (int j = 0; j < count; j++) {
        double size = j < TERM_ROWS ? s[j] : fabs(a[j * down + k * right]);
        sum += fabs(a[i * down + j * right]) * size;
    }
    return sum;
}

/* s(j), j < k, of column k (see dense.h). */
static void term_sizes(int n, const double *a, ptrdiff_t down, ptrdiff_t right, int k, double *s)
{
    for (int j = 0; j < k && j < TERM_ROWS; j++) {
        double size = fabs(a[j * down + k * right]);
        double cancelled = cancelled_terms(a, down, right, j, k, j, s);
        s[j] = pivot_is_significant(pivot_tolerance(n), size, cancelled) ? size : cancelled;
    }
}

static int is_suspicious(const double *a, ptrdiff_t down, ptrdiff_t right, int i, int k)
{
    double largest = 0, size = fabs(a[i * down + k * right]);
    for (int j = 0; j < k; j++) {
        double u = fabs(a[j * down + k * right]);
        if (u > largest) largest = u;
    }
    return !(size > PIVOT_SUSPICIOUS * largest && size <= DBL_MAX);
}

/* The largest entry of column k that is not noise; -1 without any. */
static int significant_row(int n, const double *a, int k)
{
    double s[TERM_ROWS];
    int best = -1;
    term_sizes(n, a, n, 1, k, s);
    for (int i = k; i < n; i++) {
        double size = fabs(a[i * n + k]);
        if ((best < 0 || size > fabs(a[best * n + k])) &&
            pivot_is_significant(pivot_tolerance(n), size,
                                 cancelled_terms(a, n, 1, i, k, k, s)))
            best = i;
    }
    return best;
}

/* The row of the largest entry of column k, unless that may be noise of a row of large entries. */
static int pivot_row(int n, const double *a, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    return is_suspicious(a, n, 1, best, k) ? significant_row(n, a, k) : best;
}

static int factor_rows(int n, double *a, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = pivot_row(n, a, k);
        if (p < 0) return k + 1;
        pivot[k] = p;
        double *top = a + k * n;
        if (p != k) swap_entries(top, a + p * n, n);
        double inverse = top[k] = 1 / top[k];
        for (int i = k + 1; i < n; i++) {
            double *row = a + i * n;
            if (row[k] == 0) continue;
            row[k] *= inverse;
            subtract_multiple(n - 1 - k, row + k + 1, row[k], top + k + 1);
        }
    }
    return 0;
}

static void transpose(int n, double *a)
{
    size_t size = (size_t)n;
    for (size_t i = 1; i < size; i++)
        for (size_t j = 0; j < i; j++) {
            double t = a[i * size + j];
            a[i * size + j] = a[j * size + i];
            a[j * size + i] = t;
        }
}

static int factor_lapack(int n, double *a, int *pivot)
{
    double s[TERM_ROWS];
    transpose(n, a);
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    for (int k = 0; k < n; k++) {
        if (!is_suspicious(a, 1, n, k, k)) continue;
        term_sizes(n, a, 1, n, k, s);
        double size = fabs(a[(ptrdiff_t)k * n + k]);
        if (!pivot_is_significant(pivot_tolerance(n), size,
                                  cancelled_terms(a, 1, n, k, k, k, s)))
            return k + 1;
    }
    return 0;
}

int dense_factor(int n, double *a, int *pivot)
{
    return n < LAPACK_FROM ? factor_rows(n, a, pivot) : factor_lapack(n, a, pivot);
}

static void exchange(int n, const int *pivot, double *b)
{
    for (int k = 0; k < n; k++) {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }
}

void dense_solve(int n, const double *lu, const int *pivot, double *b)
{
    if (n >= LAPACK_FROM) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, lu, n, pivot, b, n);
        return;
    }
    exchange(n, pivot, b);
    for (int i = 1; i < n; i++) b[i] = subtract_products(b[i], i, lu + i * n, b);
    for (int i = n - 1; i >= 0; i--) {
        const double *diagonal = lu + i * n + i;
        b[i] = subtract_products(b[i], n - 1 - i, diagonal + 1, b + i + 1) * diagonal[0];
    }
}

void dense_solve_transposed(int n, const double *lu, const int *pivot, double *b)
{
    if (n >= LAPACK_FROM) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, lu, n, pivot, b, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        const double *diagonal = lu + i * n + i;
        b[i] *= diagonal[0];
        subtract_multiple(n - 1 - i, b + i + 1, b[i], diagonal + 1);
    }
    for (int i = n - 1; i > 0; i--) subtract_multiple(i, b, b[i], lu + i * n);
    for (int k = n - 1; k >= 0; k--) {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }
}
