/* small_lu.c -- P A = L U of small dense matrices, real and complex, by columns.
 *
 * Column k is final when its turn comes; its multipliers l are kept as whole vectors with zeros down
 * to row k, so that column j > k becomes itself minus l u(k,j) without a look at where rows begin.
 * Solves subtract whole columns of L from the right-hand side: rows that are finished are saved before
 * and spoiled thereby.  Those of U are added up before they are subtracted, which rounds less where the
 * right-hand side is large.  1 / u(k,k) is kept on the diagonal.
 * As in LAPACK's band factorization, interchanges do not reach the columns of L before: then those
 * of a band have no more than `lower` rows, and U has `lower` + `upper` diagonals above its own.
 *
 * The largest entry of a column is the pivot; where it is below PIVOT_SUSPICIOUS of the sum of the
 * whole column, no less than the largest |u(j,k)|, dense.c decides (pivots.h).
 */
#include "linear/small_lu.h"
#include "linear/columns.h"
#include "linear/pivots.h"

#include <string.h>

enum { P = SMALL_LU_MOST };
_Static_assert(P % 4 == 0, "whole vectors");

/* All bits from the middle on: &below[P - 1 - k] has them for rows > k. */
static const unsigned long long below[2 * P] = {
#define FOUR ~0ull, ~0ull, ~0ull, ~0ull
    [P] = FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR
#undef FOUR
};

/* A macro, for a function would have to return a vector that not every processor has. */
#define MASKED(x, mask) ((lane4)((bits4)(x) & (mask)))

KERNEL int least(int x, int y) { return x < y ? x : y; }

/* ---- assembly ------------------------------------------------------------------------------- */

KERNEL void assemble_column(const int width, int n, int p, const double *J, const double *M, double re,
                            double im, double *a)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        lane4 m = {0};
        if (M) m = LOOSE(M + i);
        LANE(a + i) = m * re - LOOSE(J + i);
        if (width == 2) LANE(a + p + i) = m * im;
    }
    for (; i < p; i++) {
        double m = M && i < n ? M[i] : 0;
        a[i] = i < n ? m * re - J[i] : 0;
        if (width == 2) a[p + i] = m * im;
    }
}

/* Of a band or sparse pattern; M of the same. */
KERNEL void assemble_sparse(const int width, int p, const column *c, const double *M, double re,
                            double im, double *a)
{
    for (int i = 0; i < width * p; i += 4) LANE(a + i) = (lane4){0};
    if (!c->rows && M)
        for (int k = 0; k < c->count; k++) {
            a[c->first + k] = M[k] * re - c->values[k];
            if (width == 2) a[p + c->first + k] = M[k] * im;
        }
    for (int k = 0; k < c->count && (c->rows || !M); k++) {
        int i = column_row(c, k);
        a[i] = (M ? M[k] : 0) * re - c->values[k];
        if (width == 2) a[p + i] = (M ? M[k] : 0) * im;
    }
}

/* A band has no rows of its own to look up. */
KERNEL column column_of(const keel_matrix *J, int n, int j)
{
    int lower = J->pattern.lower, upper = J->pattern.upper;
    if (J->pattern.storage != KEEL_BAND) return matrix_column(J, j);
    int first = j > upper ? j - upper : 0, end = least(n, j + lower + 1);
    return (column){J->values + row_start(j, lower + upper) + upper + first, NULL, first, end - first};
}

KERNEL void assemble(const int width, int n, const shifted *matrix, double *a)
{
    const keel_matrix *J = matrix->jacobian;
    int p = lanes(n), whole = J->pattern.storage == KEEL_DENSE;
    const double *diagonal = matrix->mass.diagonal;
    const double *M = diagonal ? NULL : matrix->mass.matrix->values;
    for (int j = 0; j < n; j++, a += width * p) {
        column c = whole ? (column){J->values + row_start(j, n), NULL, 0, n} : column_of(J, n, j);
        const double *mass = M ? M + (c.values - J->values) : NULL;
        if (whole) assemble_column(width, n, p, c.values, mass, matrix->re, matrix->im, a);
        else assemble_sparse(width, p, &c, mass, matrix->re, matrix->im, a);
        if (!diagonal) continue;
        a[j] += matrix->re * diagonal[j];
        if (width == 2) a[p + j] += matrix->im * diagonal[j];
    }
}

VECTOR_CLONES
void small_assemble(int width, int n, const shifted *matrix, double *a)
{
    if (width == 1) assemble(1, n, matrix, a);
    else assemble(2, n, matrix, a);
}

/* ---- factor --------------------------------------------------------------------------------- */

/* |re| + |im| of column x into `size`; returns their sum. */
KERNEL double sizes(const int width, const int p, const double *x, double *size)
{
    const unsigned long long all = ~0ull >> 1;
    const bits4 magnitude = {all, all, all, all};
    lane4 sum = {0};
    for (int i = 0; i < p; i += 4) {
        lane4 s = MASKED(LANE_OF(x + i), magnitude);
        if (width == 2) s += MASKED(LANE_OF(x + p + i), magnitude);
        LANE(size + i) = s;
        sum += s;
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* The pivot of column k into row k of the columns up to `last`; 0, or -1: it may be noise. */
KERNEL int choose_pivot(const int width, const int p, double *a, int k, int below_k, int last,
                        int *pivot)
{
    _Alignas(32) double size[P];
    double sum = sizes(width, p, a + k * width * p, size), most = size[k];
    int best = k;
    for (int i = k + 1; i < below_k; i++)
        if (size[i] > most) most = size[i], best = i;
    if (pivot_is_suspicious(most, sum)) return -1;
    pivot[k] = best;
    if (best == k) return 0;
    for (double *x = a + k * width * p, *end = a + last * width * p; x < end; x += p) {
        double t = x[k];
        x[k] = x[best];
        x[best] = t;
    }
    return 0;
}

KERNEL int factor(const int p, int n, small_band band, double *a, int *pivot)
{
    _Alignas(32) double l[P];
    for (int k = 0; k < n; k++) {
        int end = least(n, k + 1 + band.lower), last = least(n, k + 1 + band.reach), first = k / 4 * 4;
        if (choose_pivot(1, p, a, k, end, last, pivot)) return -1;
        double *top = a + k * p, inverse = 1 / top[k];
        for (int i = first; i < end; i += 4) {
            bits4 mask = BITS(&below[P - 1 - k + i]);
            lane4 x = LANE_OF(top + i);
            LANE(l + i) = MASKED(x * inverse, mask);
            LANE(top + i) = LANE_OF(l + i) + MASKED(x, ~mask);
        }
        top[k] = inverse;
        for (double *next = top + p; next < a + last * p; next += p) {
            double u = next[k];
            if (u == 0) continue;
            for (int i = first; i < end; i += 4) LANE(next + i) -= LANE_OF(l + i) * u;
        }
    }
    return 0;
}

/* 1 / z, scaled so that no square overflows. */
KERNEL void invert(double re, double im, double *inverse)
{
    double size = fabs(re) + fabs(im), x = re / size, y = im / size;
    double square = (x * x + y * y) * size;
    inverse[0] = x / square;
    inverse[1] = -y / square;
}

KERNEL int factor_complex(const int p, int n, small_band band, double *a, int *pivot)
{
    _Alignas(32) double l[P], m[P];              /* re and im of the multipliers */
    for (int k = 0; k < n; k++) {
        int end = least(n, k + 1 + band.lower), last = least(n, k + 1 + band.reach), first = k / 4 * 4;
        if (choose_pivot(2, p, a, k, end, last, pivot)) return -1;
        double *top = a + k * 2 * p, inverse[2];
        invert(top[k], top[p + k], inverse);
        for (int i = first; i < end; i += 4) {
            bits4 mask = BITS(&below[P - 1 - k + i]);
            lane4 x = LANE_OF(top + i), y = LANE_OF(top + p + i);
            LANE(l + i) = MASKED(x * inverse[0] - y * inverse[1], mask);
            LANE(m + i) = MASKED(x * inverse[1] + y * inverse[0], mask);
            LANE(top + i) = LANE_OF(l + i) + MASKED(x, ~mask);
            LANE(top + p + i) = LANE_OF(m + i) + MASKED(y, ~mask);
        }
        top[k] = inverse[0];
        top[p + k] = inverse[1];
        for (double *next = top + 2 * p; next < a + last * 2 * p; next += 2 * p) {
            double u = next[k], v = next[p + k];
            if (u == 0 && v == 0) continue;
            for (int i = first; i < end; i += 4) {
                lane4 x = LANE_OF(l + i), y = LANE_OF(m + i);
                LANE(next + i) -= x * u - y * v;
                LANE(next + p + i) -= x * v + y * u;
            }
        }
    }
    return 0;
}

/* ---- solve ---------------------------------------------------------------------------------- */

/* b, of n entries, padded */
KERNEL void fill(const int p, int n, const double *b, double *x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) LANE(x + i) = LOOSE(b + i);
    for (; i < p; i++) x[i] = i < n ? b[i] : 0;
}

KERNEL void solve(const int p, int n, small_band band, const double *a, const int *pivot, double *b)
{
    _Alignas(32) double x[P], y[P], sum[P];
    const double *from = a;
    fill(p, n, b, x);
    for (int i = 0; i < p; i += 4) LANE(sum + i) = (lane4){0};
    for (int k = 0; k < n; k++, from += p) {
        int end = least(n, k + 1 + band.lower);
        y[k] = x[pivot[k]];
        x[pivot[k]] = x[k];
        for (int i = k / 4 * 4; i < end; i += 4) LANE(x + i) -= LANE_OF(from + i) * y[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        from -= p;
        double t = b[k] = (y[k] - sum[k]) * from[k];
        for (int i = k / 4 * 4, low = k - band.reach; i >= 0 && i + 3 >= low; i -= 4)
            LANE(sum + i) += LANE_OF(from + i) * t;
    }
}

KERNEL void solve_complex(const int p, int n, small_band band, const double *a, const int *pivot,
                          double *re, double *im)
{
    _Alignas(32) double x[P], y[P], u[P], v[P], sum[2 * P];
    const double *from = a;
    fill(p, n, re, x);
    fill(p, n, im, y);
    for (int i = 0; i < 2 * p; i += 4) LANE(sum + i) = (lane4){0};
    for (int k = 0; k < n; k++, from += 2 * p) {
        int end = least(n, k + 1 + band.lower), l = pivot[k];
        double s = u[k] = x[l], t = v[k] = y[l];
        x[l] = x[k], y[l] = y[k];
        for (int i = k / 4 * 4; i < end; i += 4) {
            lane4 f = LANE_OF(from + i), g = LANE_OF(from + p + i);
            LANE(x + i) -= f * s - g * t;
            LANE(y + i) -= f * t + g * s;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        from -= 2 * p;
        double f_re = u[k] - sum[k], f_im = v[k] - sum[p + k];
        double s = re[k] = f_re * from[k] - f_im * from[p + k];
        double t = im[k] = f_re * from[p + k] + f_im * from[k];
        for (int i = k / 4 * 4, low = k - band.reach; i >= 0 && i + 3 >= low; i -= 4) {
            lane4 f = LANE_OF(from + i), g = LANE_OF(from + p + i);
            LANE(sum + i) += f * s - g * t;
            LANE(sum + p + i) += f * t + g * s;
        }
    }
}

/* ---- with a constant where it pays --------------------------------------------------------------- */

VECTOR_CLONES
int small_factor(int n, small_band band, double *a, int *pivot)
{
    if (lanes(n) == 8) return factor(8, n, band, a, pivot);
    return factor(lanes(n), n, band, a, pivot);
}

VECTOR_CLONES
int small_factor_complex(int n, small_band band, double *a, int *pivot)
{
    if (lanes(n) == 8) return factor_complex(8, n, band, a, pivot);
    return factor_complex(lanes(n), n, band, a, pivot);
}

VECTOR_CLONES
void small_solve_one(int n, small_band band, const double *a, const int *pivot, double *b)
{
    if (lanes(n) == 8) solve(8, n, band, a, pivot, b);
    else solve(lanes(n), n, band, a, pivot, b);
}

VECTOR_CLONES
void small_solve_complex(int n, small_band band, const double *a, const int *pivot, double *re,
                         double *im)
{
    if (lanes(n) == 8) solve_complex(8, n, band, a, pivot, re, im);
    else solve_complex(lanes(n), n, band, a, pivot, re, im);
}
