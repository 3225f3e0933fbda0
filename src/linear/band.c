/* band.c -- P A = L U of band matrices, with the pivot test of pivots.h.
 *
 * Column k of a narrow band has a few multipliers for a few columns: loops beside each other, where
 * LAPACK calls four functions for each column.  Both keep L, U and interchanges in the same places.
 *
 * Such a band factorization does not apply later interchanges to earlier columns of L, so the
 * multipliers of a pivot row are found by following the row back through the interchanges.
 */
#include "linear/shifted.h"
#include "linear/pivots.h"

#include "core/norm.h"
#include "linear/kernels.h"

#include <lapacke.h>

/* Rows of L up to which the loops take fewer instructions than LAPACK (OpenBLAS 0.3.21, AVX2). */
enum { NARROW = 12 };

static const double *entry(const band_shape *b, const double *values, int width, int i, int j)
{
    return values + width * ((ptrdiff_t)j * b->ld + b->lower + b->upper + i - j);
}

/* First row of column k of U. */
static int first_row(const band_shape *b, int k)
{
    int reach = b->lower + b->upper;
    return k > reach ? k - reach : 0;
}

/* sum of |l(i,j)| s(j), `first` <= j < i, of the pivot row i; s(j) is at s[j - first]. */
static double cancelled_terms(const band_shape *b, const double *values, const int *pivot,
                              int width, int i, int k, const double *s)
{
    int first = first_row(b, k), row = pivot[i] - 1;
    double sum = 0;
    for (int j = i - 1; j >= first; j--) {
        if (row - j <= b->lower) {
            double u = j - first < TERM_ROWS ? s[j - first]
                                             : modulus(entry(b, values, width, j, k), width);
            sum += modulus(entry(b, values, width, row, j), width) * u;
        }
        if (row == pivot[j] - 1) row = j;
    }
    return sum;
}

static int is_missing(const band_shape *b, const double *values, const int *pivot, int width,
                      int k)
{
    double s[TERM_ROWS], largest = 0, tolerance = pivot_tolerance(b->n);
    double size = modulus(entry(b, values, width, k, k), width);
    int first = first_row(b, k);
    for (int j = first; j < k; j++) {
        double u = modulus(entry(b, values, width, j, k), width);
        if (u > largest) largest = u;
    }
    if (!pivot_is_suspicious(size, largest)) return 0;
    for (int j = first; j < k && j - first < TERM_ROWS; j++) {
        double u = modulus(entry(b, values, width, j, k), width);
        double cancelled = cancelled_terms(b, values, pivot, width, j, k, s);
        s[j - first] = pivot_is_significant(tolerance, u, cancelled) ? u : cancelled;
    }
    return !pivot_is_significant(tolerance, size,
                                 cancelled_terms(b, values, pivot, width, k, k, s));
}

/* ---- narrow bands --------------------------------------------------------------------------- */

/* Rows of U and L of column k from the diagonal on; a column without pivot is left to is_missing. */
KERNEL void factor_narrow(const int width, const band_shape *b, double *values, int *pivot)
{
    int n = b->n, last = 0, next = width * (b->ld - 1);      /* to the same row of the next column */
    for (int k = 0; k < n; k++) {
        double *top = values + width * ((ptrdiff_t)k * b->ld + b->lower + b->upper), inverse[2];
        int rows = least(b->lower, n - 1 - k), best = 0;
        double most = modulus(top, width);
        for (int i = 1; i <= rows; i++) {
            double size = modulus(top + width * i, width);
            if (size > most) most = size, best = i;
        }
        pivot[k] = k + best + 1;
        if (most == 0) continue;
        if (least(n - 1, k + b->upper + best) > last) last = least(n - 1, k + b->upper + best);
        double *row = top + width * best;
        for (int j = k; j <= last && best > 0; j++)
            swap_entries(top + (j - k) * next, row + (j - k) * next, width);
        invert_entry(width, top, inverse);
        for (int i = 1; i <= rows; i++) multiply_entry(width, top + width * i, inverse);
        for (int j = k + 1; j <= last; j++) {
            double *u = top + (j - k) * next;
            subtract_entries(width, rows, u + width, u, top + width);
        }
    }
}

KERNEL void solve_narrow(const int width, const band_shape *b, const double *values, const int *pivot,
                         double *x)
{
    int n = b->n, reach = b->lower + b->upper;
    const double *top = values + width * reach;
    for (int k = 0; k < n; k++, top += width * b->ld) {
        double *to = x + width * k;
        if (pivot[k] != k + 1) swap_entries(to, x + width * (pivot[k] - 1), width);
        subtract_entries(width, least(b->lower, n - 1 - k), to + width, to, top + width);
    }
    for (int k = n - 1; k >= 0; k--) {
        double *to = x + width * k, inverse[2];
        int rows = least(reach, k);
        top -= width * b->ld;
        invert_entry(width, top, inverse);
        multiply_entry(width, to, inverse);
        subtract_entries(width, rows, to - width * rows, to, top - width * rows);
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

int band_factor(const band_shape *b, int width, double *values, int *pivot)
{
    int bad = first_not_finite(width * b->ld * b->n, values);
    if (bad >= 0) return bad / (width * b->ld) + 1;
    if (b->lower <= NARROW && width == 1) factor_narrow(1, b, values, pivot);
    else if (b->lower <= NARROW) factor_narrow(2, b, values, pivot);
    else if (width == 1)
        LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, b->n, b->n, b->lower, b->upper, values, b->ld, pivot);
    else
        LAPACKE_zgbtrf_work(LAPACK_COL_MAJOR, b->n, b->n, b->lower, b->upper,
                            (lapack_complex_double *)values, b->ld, pivot);
    for (int k = 0; k < b->n; k++)
        if (is_missing(b, values, pivot, width, k)) return k + 1;
    return 0;
}

void band_solve(const band_shape *b, int width, const double *values, const int *pivot, double *x)
{
    if (b->lower <= NARROW && width == 1) solve_narrow(1, b, values, pivot, x);
    else if (b->lower <= NARROW) solve_narrow(2, b, values, pivot, x);
    else if (width == 1)
        LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', b->n, b->lower, b->upper, 1, values, b->ld,
                            pivot, x, b->n);
    else LAPACKE_zgbtrs_work(LAPACK_COL_MAJOR, 'N', b->n, b->lower, b->upper, 1,
                             (const lapack_complex_double *)values, b->ld, pivot,
                             (lapack_complex_double *)x, b->n);
}
