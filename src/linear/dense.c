/* dense.c -- P A = L U of small dense matrices, row-major, with partial pivoting.
 *
 * Below LAPACK_FROM unknowns by row operations in place, with 1 / u(k,k) kept on the diagonal;
 * from there on by LAPACK, on the transposed array, because LAPACK wants columns.  A missing
 * pivot is decided by pivot_is_significant (pivots.h).
 */
#include "linear/linear.h"
#include "linear/dense.h"

#include "core/norm.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

/* Measured instructions, rows against LAPACK (OpenBLAS 0.3.21, AVX2) with transposition, for
 * one factorization and eight solves: 114e3/167e3 at n = 30, 224e3/217e3 at n = 40. */
enum { LAPACK_FROM = 40 };

static int factor_rows(int n, double *a, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = pivot_row(1, n, a, k);
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

static int factor_lapack(int n, double *a, int *pivot)
{
    int bad = first_not_finite(n * n, a);
    if (bad >= 0) return bad % n + 1;
    transpose(1, n, a);
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    return dense_missing_pivot(1, n, a);
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

int dense_sign(int n, const double *lu, const int *pivot)
{
    int from = n < LAPACK_FROM ? 0 : 1, sign = 1;        /* LAPACK counts rows from 1 */
    for (int k = 0; k < n; k++)
        if ((lu[row_start(k, n) + k] < 0) != (pivot[k] - from != k)) sign = -sign;
    return sign;
}

double dense_logarithm(int n, const double *lu)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += log(fabs(lu[row_start(k, n) + k]));
    return n < LAPACK_FROM ? -sum : sum;
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

/* row -= sum of l(j) B(j,.), rows of B one below the other. */
KERNEL void subtract_rows(int count, int columns, const double *l, const double *B, double *row)
{
    int c = 0;
    for (; c + 1 < columns; c += 2) {
        double sum[2] = {row[c], row[c + 1]};
        const double *b = B + c;
        for (int j = 0; j < count; j++, b += columns)
            for (int q = 0; q < 2; q++) sum[q] -= l[j] * b[q];
        row[c] = sum[0];
        row[c + 1] = sum[1];
    }
    for (; c < columns; c++) {
        double sum = row[c];
        const double *b = B + c;
        for (int j = 0; j < count; j++, b += columns) sum -= l[j] * *b;
        row[c] = sum;
    }
}

void dense_solve_rows(int n, const double *lu, const int *pivot, int columns, double *B)
{
    int from = n < LAPACK_FROM ? 0 : 1;
    if (!columns) return;
    for (int k = 0; k < n; k++)
        if (pivot[k] - from != k)
            swap_entries(B + row_start(k, columns), B + row_start(pivot[k] - from, columns), columns);
    if (n >= LAPACK_FROM) {                      /* by columns, which are rows of the transposed */
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasUnit, n, columns, 1, lu, n,
                    B, columns);
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, columns, 1, lu,
                    n, B, columns);
        return;
    }
    for (int i = 1; i < n; i++)
        subtract_rows(i, columns, lu + i * n, B, B + row_start(i, columns));
    for (int i = n - 1; i >= 0; i--) {
        double *row = B + row_start(i, columns);
        const double *diagonal = lu + i * n + i;
        subtract_rows(n - 1 - i, columns, diagonal + 1, row + columns, row);
        for (int c = 0; c < columns; c++) row[c] *= diagonal[0];
    }
}
