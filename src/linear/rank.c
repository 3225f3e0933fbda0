/* rank.c -- rows of G that depend on each other: N with N^T G = 0 and N^T N = I.
 *
 * With the rows scaled to length 1, D^-1 G, and column pivoting [Golub & Van Loan, Matrix
 * Computations, 4th ed. 2013, 5.4.2]
 *     (D^-1 G)^T P = Q [R11 R12; 0 ~0],
 * the columns of X = D^-1 P [-R11^-1 R12; I] span the left null space of G.  The pivots, the
 * diagonal of R, compare directions and not units.
 * X is made orthonormal by Gram-Schmidt, repeated until little is taken away [Daniel, Gragg,
 * Kaufman & Stewart, Math. Comp. 30 (1976)].  That combines columns only: the errors of a row stay
 * in proportion to the row, where reflections would carry those of small rows of G, with large
 * entries of X, to large rows.
 */
#include "linear/kernels.h"
#include "linear/linear.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Of dgeqp3, which takes so many columns at a time. */
enum { BLOCK = 32 };
#define WORK(m) (2 * (m) + ((m) + 1) * BLOCK)
/* Gram-Schmidt again where less than this part is left; after two rounds more is rounding. */
#define LEFT 0.5
enum { ROUNDS_MOST = 4 };

struct rank_work {
    double *a;                   /* [m n] rows of G of length 1; Q and R                */
    double *length;              /* [m] D, 1 for rows of zeros                          */
    double *tau;                 /* [m] of the reflections; then a column of R11^-1 R12 */
    double *work;                /* [WORK(m)]                                           */
    int *order;                  /* [m] P: rows from 1, those with a pivot first        */
};

rank_work *rank_layout(arena *a, int m, int n)
{
    rank_work *w = ARENA_OBJECT(a, rank_work, 1);
    rank_work shape = { .a = ARENA(a, double, (size_t)m * (size_t)n),
                        .length = ARENA(a, double, m),
                        .tau = ARENA(a, double, m),
                        .work = ARENA(a, double, WORK(m)),
                        .order = ARENA(a, int, m) };
    if (w) *w = shape;
    return w;
}

/* Without overflow; NaN and infinity come out as such. */
static double row_length(int n, const double *row)
{
    double largest = 0, sum = 0;
    for (int j = 0; j < n; j++)
        if (!(fabs(row[j]) <= largest)) largest = fabs(row[j]);
    if (largest == 0 || !(largest <= DBL_MAX)) return largest;
    for (int j = 0; j < n; j++) sum += (row[j] / largest) * (row[j] / largest);
    return largest * sqrt(sum);
}

/* 0, or -1: an entry is not finite. */
static int scale_rows(rank_work *w, int m, int n, const double *G)
{
    for (int k = 0; k < m; k++) {
        const double *row = G + row_start(k, n);
        double length = row_length(n, row);
        if (!(length <= DBL_MAX)) return -1;
        w->length[k] = length > 0 ? length : 1;
        for (int j = 0; j < n; j++) w->a[row_start(k, n) + j] = row[j] / w->length[k];
    }
    return 0;
}

/* Rows of G are columns for LAPACK.  Returns the number of pivots above the tolerance. */
static int factor(rank_work *w, int m, int n, double tolerance)
{
    int rank = 0, most = m < n ? m : n;
    if (most == 0) {
        for (int k = 0; k < m; k++) w->order[k] = k + 1;
        return 0;
    }
    memset(w->order, 0, (size_t)m * sizeof *w->order);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, w->a, n, w->order, w->tau, w->work, WORK(m));
    while (rank < most && fabs(w->a[row_start(rank, n) + rank]) > tolerance * fabs(w->a[0])) rank++;
    return rank;
}

/* X, m x count */
static void null_space(rank_work *w, int m, int n, int rank, double *X)
{
    int count = m - rank;
    double *x = w->tau;
    memset(X, 0, (size_t)m * (size_t)count * sizeof *X);
    for (int c = 0; c < count; c++) {
        memcpy(x, w->a + row_start(rank + c, n), (size_t)rank * sizeof *x);
        for (int k = rank - 1; k >= 0; k--) {
            const double *column = w->a + row_start(k, n);
            int row = w->order[k] - 1;
            x[k] /= column[k];
            subtract_multiple(k, x, x[k], column);
            X[row_start(row, count) + c] = -x[k] / w->length[row];
        }
        int row = w->order[rank + c] - 1;
        X[row_start(row, count) + c] = 1 / w->length[row];
    }
}

/* ---- Gram-Schmidt: columns of the row-major m x count matrix X -------------------------- */

static double column_product(int m, int count, const double *X, int c, int d)
{
    double sum = 0;
    for (int k = 0; k < m; k++, X += count) sum += X[c] * X[d];
    return sum;
}

/* Returns the length that the column had. */
static double normalize(int m, int count, double *X, int c)
{
    double largest = 0;
    for (int k = 0; k < m; k++) largest = fmax(largest, fabs(X[row_start(k, count) + c]));
    if (largest == 0) return 0;
    for (int k = 0; k < m; k++) X[row_start(k, count) + c] /= largest;
    double length = sqrt(column_product(m, count, X, c, c));
    for (int k = 0; k < m; k++) X[row_start(k, count) + c] /= length;
    return largest * length;
}

static void orthonormalize(int m, int count, double *X)
{
    for (int c = 0; c < count; c++) {
        double left = 0;
        normalize(m, count, X, c);
        for (int round = 0; round < ROUNDS_MOST && left < LEFT; round++) {
            for (int d = 0; d < c; d++) {
                double part = column_product(m, count, X, c, d);
                for (int k = 0; k < m; k++)
                    X[row_start(k, count) + c] -= part * X[row_start(k, count) + d];
            }
            left = normalize(m, count, X, c);
        }
    }
}

int null_rows(rank_work *w, int m, int n, const double *G, double tolerance, int count, double *N)
{
    if (scale_rows(w, m, n, G)) return RANK_NOT_FINITE;
    int rank = factor(w, m, n, tolerance);
    if (count >= 0 && m - count > rank) return RANK_LOST;
    if (count >= 0) rank = m - count;
    null_space(w, m, n, rank, N);
    orthonormalize(m, m - rank, N);
    return m - rank;
}

int dependent_set(int m, int count, const double *N, double threshold, int *rows)
{
    int found = 0;
    for (int k = 0; k < m; k++) {
        double length = row_length(count, N + row_start(k, count));
        if (!(length > threshold)) continue;
        int at = found++;
        for (; at > 0 && row_length(count, N + row_start(rows[at - 1], count)) < length; at--)
            rows[at] = rows[at - 1];
        rows[at] = k;
    }
    return found;
}
