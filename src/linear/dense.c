/* dense.c -- P A = L U of small dense matrices, real and complex, row-major, with partial pivoting.
 *
 * Below LAPACK_FROM unknowns by row operations in place, with 1 / u(k,k) kept on the diagonal;
 * from there on by LAPACK, on the transposed array, because LAPACK wants columns.
 *
 * Entries are `width` doubles, 1 real and 2 complex, where |re| + |im| stands for the modulus; loops are
 * compiled for each.  Which pivots are noise is decided by pivot_is_significant (pivots.h), for which a(i,j)
 * is at a + width * (i * down + j * right).
 */
#include "linear/linear.h"

#include "core/norm.h"
#include "linear/kernels.h"
#include "linear/pivots.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

/* Measured instructions, rows against LAPACK (OpenBLAS 0.3.21, AVX2) with transposition, for
 * one factorization and eight solves: 114e3/167e3 at n = 30, 224e3/217e3 at n = 40; complex
 * 96e3/122e3 at n = 20, 244e3/230e3 at n = 30. */
enum { LAPACK_FROM = 40, LAPACK_FROM_COMPLEX = 28 };

/* ---- pivots --------------------------------------------------------------------------------- */

/* a(i,k) after `count` steps: sum of |l(i,j)| s(j), j < count. */
static double cancelled_terms(int width, const double *a, ptrdiff_t down, ptrdiff_t right, int i,
                              int k, int count, const double *s)
{
    double sum = 0;
    for (int j = 0; j < count; j++) {
        double size = j < TERM_ROWS ? s[j] : modulus(a + width * (j * down + k * right), width);
        sum += modulus(a + width * (i * down + j * right), width) * size;
    }
    return sum;
}

/* s(j), j < k, of column k. */
static void term_sizes(int width, int n, const double *a, ptrdiff_t down, ptrdiff_t right, int k,
                       double *s)
{
    for (int j = 0; j < k && j < TERM_ROWS; j++) {
        double size = modulus(a + width * (j * down + k * right), width);
        double cancelled = cancelled_terms(width, a, down, right, j, k, j, s);
        s[j] = pivot_is_significant(pivot_tolerance(n), size, cancelled) ? size : cancelled;
    }
}

KERNEL int is_suspicious(const int width, const double *a, ptrdiff_t down, ptrdiff_t right, int i,
                         int k)
{
    double largest = 0;
    for (int j = 0; j < k; j++) {
        double u = modulus(a + width * (j * down + k * right), width);
        if (u > largest) largest = u;
    }
    return pivot_is_suspicious(modulus(a + width * (i * down + k * right), width), largest);
}

/* The largest entry of column k, stored by rows, that is not noise; -1 without any. */
static int significant_row(int width, int n, const double *a, int k)
{
    double s[TERM_ROWS], most = 0;
    int best = -1;
    term_sizes(width, n, a, n, 1, k, s);
    for (int i = k; i < n; i++) {
        double size = modulus(a + width * ((ptrdiff_t)i * n + k), width);
        if ((best < 0 || size > most) &&
            pivot_is_significant(pivot_tolerance(n), size,
                                 cancelled_terms(width, a, n, 1, i, k, k, s))) {
            best = i;
            most = size;
        }
    }
    return best;
}

/* The row of the largest entry of column k, unless that may be noise of a row of large entries. */
KERNEL int pivot_row(const int width, int n, const double *a, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (modulus(a + width * (i * n + k), width) > modulus(a + width * (best * n + k), width))
            best = i;
    return is_suspicious(width, a, n, 1, best, k) ? significant_row(width, n, a, k) : best;
}

/* Factors stored by columns: 0, or k > 0: the first pivot that is noise is in column k - 1. */
KERNEL int missing_pivot(const int width, int n, const double *a)
{
    double s[TERM_ROWS];
    for (int k = 0; k < n; k++) {
        if (!is_suspicious(width, a, 1, n, k, k)) continue;
        term_sizes(width, n, a, 1, n, k, s);
        double size = modulus(a + width * ((ptrdiff_t)k * n + k), width);
        if (!pivot_is_significant(pivot_tolerance(n), size,
                                  cancelled_terms(width, a, 1, n, k, k, k, s)))
            return k + 1;
    }
    return 0;
}

/* ---- factor --------------------------------------------------------------------------------- */

KERNEL int factor_rows(const int width, int n, double *a, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = pivot_row(width, n, a, k);
        if (p < 0) return k + 1;
        pivot[k] = p;
        double *top = a + width * k * n, *diagonal = top + width * k, inverse[2];
        if (p != k) swap_entries(top, a + width * p * n, width * n);
        invert_entry(width, diagonal, inverse);
        for (int c = 0; c < width; c++) diagonal[c] = inverse[c];
        for (int i = k + 1; i < n; i++) {
            double *row = a + width * (i * n + k);
            if (row[0] == 0 && row[width - 1] == 0) continue;
            multiply_entry(width, row, inverse);
            subtract_entries(width, n - 1 - k, row + width, row, diagonal + width);
        }
    }
    return 0;
}

KERNEL int factor_lapack(const int width, int n, double *a, int *pivot)
{
    int bad = first_not_finite(width * n * n, a);
    if (bad >= 0) return bad / width % n + 1;
    for (ptrdiff_t i = 1; i < n; i++)
        for (ptrdiff_t j = 0; j < i; j++)
            swap_entries(a + width * (i * n + j), a + width * (j * n + i), width);
    if (width == 1) LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    else LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, (lapack_complex_double *)a, n, pivot);
    return missing_pivot(width, n, a);
}

int dense_factor(int n, double *a, int *pivot)
{
    return n < LAPACK_FROM ? factor_rows(1, n, a, pivot) : factor_lapack(1, n, a, pivot);
}

int dense_factor_complex(int n, double *a, int *pivot)
{
    return n < LAPACK_FROM_COMPLEX ? factor_rows(2, n, a, pivot) : factor_lapack(2, n, a, pivot);
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

/* ---- solve ---------------------------------------------------------------------------------- */

/* target -= sum of x(j) y(j) */
KERNEL void subtract_sum(const int width, int count, double *target, const double *x, const double *y)
{
    if (width == 1) *target = subtract_products(*target, count, x, y);
    else subtract_products_complex(count, target, x, y);
}

KERNEL void solve_rows(const int width, int n, const double *lu, const int *pivot, double *b)
{
    for (int k = 0; k < n; k++)
        if (pivot[k] != k) swap_entries(b + width * k, b + width * pivot[k], width);
    for (int i = 1; i < n; i++) subtract_sum(width, i, b + width * i, lu + width * i * n, b);
    for (int i = n - 1; i >= 0; i--) {
        const double *inverse = lu + width * (i * n + i);
        double *x = b + width * i;
        subtract_sum(width, n - 1 - i, x, inverse + width, x + width);
        multiply_entry(width, x, inverse);
    }
}

void dense_solve(int n, const double *lu, const int *pivot, double *b)
{
    if (n < LAPACK_FROM) solve_rows(1, n, lu, pivot, b);
    else LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, lu, n, pivot, b, n);
}

void dense_solve_complex(int n, const double *lu, const int *pivot, double *b)
{
    if (n < LAPACK_FROM_COMPLEX) solve_rows(2, n, lu, pivot, b);
    else LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, (const lapack_complex_double *)lu, n, pivot,
                             (lapack_complex_double *)b, n);
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
