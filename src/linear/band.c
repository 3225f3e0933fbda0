/* band.c -- P A = L U of band matrices by LAPACK, with the pivot test of pivots.h.
 *
 * LAPACK's band factorization does not apply later interchanges to earlier columns of L, so the
 * multipliers of a pivot row are found by following the row back through the interchanges.
 */
#include "linear/shifted.h"
#include "linear/pivots.h"

#include "core/norm.h"

#include <lapacke.h>

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

/* 0, or k > 0: the first pivot that is noise is that of column k - 1. */
static int missing_pivot(const band_shape *b, const double *values, const int *pivot, int width)
{
    for (int k = 0; k < b->n; k++)
        if (is_missing(b, values, pivot, width, k)) return k + 1;
    return 0;
}

/* As missing_pivot: the first column with an entry that is not finite. */
static int not_finite(const band_shape *b, const double *values, int width)
{
    int bad = first_not_finite(width * b->ld * b->n, values);
    return bad < 0 ? 0 : bad / (width * b->ld) + 1;
}

int band_factor(const band_shape *b, double *values, int *pivot)
{
    int bad = not_finite(b, values, 1);
    if (bad) return bad;
    LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, b->n, b->n, b->lower, b->upper, values, b->ld, pivot);
    return missing_pivot(b, values, pivot, 1);
}

int band_factor_complex(const band_shape *b, double *values, int *pivot)
{
    int bad = not_finite(b, values, 2);
    if (bad) return bad;
    LAPACKE_zgbtrf_work(LAPACK_COL_MAJOR, b->n, b->n, b->lower, b->upper,
                        (lapack_complex_double *)values, b->ld, pivot);
    return missing_pivot(b, values, pivot, 2);
}

void band_solve(const band_shape *b, const double *values, const int *pivot, double *x)
{
    LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', b->n, b->lower, b->upper, 1, values, b->ld,
                        pivot, x, b->n);
}

void band_solve_complex(const band_shape *b, const double *values, const int *pivot, double *x)
{
    LAPACKE_zgbtrs_work(LAPACK_COL_MAJOR, 'N', b->n, b->lower, b->upper, 1,
                        (const lapack_complex_double *)values, b->ld, pivot,
                        (lapack_complex_double *)x, b->n);
}
