/* small_lu.c -- P A = L U of small dense matrices, real and complex, by columns.
 *
 * Column k is final when its turn comes; its multipliers l are kept as whole vectors with zeros down
 * to row k, so that column j > k becomes itself minus l u(k,j) without a look at where rows begin.
 * Solves subtract whole columns of L from the right-hand side: rows that are finished are saved before
 * and spoiled thereby.  Those of U are added up before they are subtracted, which rounds less where the
 * right-hand side is large.  1 / u(k,k) is kept on the diagonal.
 * As in LAPACK's band factorization, interchanges do not reach the columns of L before: then those
 * of a band have no more than `lower` rows, and U has `lower` + `upper` diagonals above its own.
 * Columns of up to five vectors (`whole`), where finding the rows that count would cost more than the
 * others do, are interchanged as a whole: a right-hand side then has its order before it is solved for,
 * and stays in registers.
 *
 * The largest entry of a column is the pivot; where it is below PIVOT_SUSPICIOUS of the sum of the
 * whole column, no less than the largest |u(j,k)|, dense.c decides (pivots.h).
 */
#include "linear/small_lu.h"
#include "linear/columns.h"
#include "linear/pivots.h"

#include <string.h>

enum { P = SMALL_LU_MOST, FEW = 20 };
_Static_assert(P % 4 == 0, "whole vectors");

/* All bits from the middle on: &below[P - 1 - k] has them for rows > k. */
static const unsigned long long below[2 * P] = {
#define FOUR ~0ull, ~0ull, ~0ull, ~0ull
    [P] = FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR
#undef FOUR
};

/* A macro, for a function would have to return a vector that not every processor has. */
#define MASKED(x, mask) ((lane4)((bits4)(x) & (mask)))

/* ---- assembly ------------------------------------------------------------------------------- */

/* a := re M - J and with `width` 2 im M for four rows; no M without `massive`. */
KERNEL void assemble_four(const int width, const int massive, int p, const double *J, const double *M,
                          double re, double im, double *a)
{
    loose4 m = {0};
    if (massive) m = LOOSE(M);
    *(loose4 *)(void *)a = m * re - LOOSE(J);
    if (massive && width == 2) *(loose4 *)(void *)(a + p) = m * im;
}

/* `count` entries in a row, the last four for what is left over. */
KERNEL void assemble_row(const int width, const int massive, int p, int count, const double *J,
                         const double *M, double re, double im, double *a)
{
    int k = 0, last = count - 4;
    for (; k <= last; k += 4) assemble_four(width, massive, p, J + k, M + k, re, im, a + k);
    if (k < count && last > 0) assemble_four(width, massive, p, J + last, M + last, re, im, a + last);
    for (; k < count && last < 0; k++) {
        a[k] = (massive ? M[k] * re : 0) - J[k];
        if (massive && width == 2) a[p + k] = M[k] * im;
    }
}

/* Zeros where a column of n entries is not written: after them, and im without M. */
KERNEL void clear_rest(const int width, const int massive, int p, double *a)
{
    LANE(a + p - 4) = (lane4){0};
    for (int k = massive ? 2 * p - 4 : p; k < width * p; k += 4) LANE(a + k) = (lane4){0};
}

/* M has the pattern of J. */
KERNEL void assemble_columns(const int width, const int massive, int n, const shifted *matrix, double *a)
{
    const keel_matrix *J = matrix->jacobian;
    int p = lanes(n), lower = J->pattern.lower, upper = J->pattern.upper;
    double re = matrix->re, im = matrix->im;
    const double *M = massive ? matrix->mass.matrix->values : J->values;
    if (J->pattern.storage == KEEL_DENSE) {
        for (int j = 0; j < n; j++, a += width * p) {
            clear_rest(width, massive, p, a);
            assemble_row(width, massive, p, n, J->values + j * n, M + j * n, re, im, a);
        }
        return;
    }
    memset(a, 0, (size_t)(n * width * p) * sizeof *a);
    for (int j = 0; j < n && J->pattern.storage == KEEL_BAND; j++, a += width * p) {
        int first = j > upper ? j - upper : 0, end = least(n, j + lower + 1);
        int at = j * (lower + upper) + upper + first;
        assemble_row(width, massive, p, end - first, J->values + at, M + at, re, im, a + first);
    }
    for (int j = 0; j < n && J->pattern.storage == KEEL_SPARSE; j++, a += width * p) {
        column c = matrix_column(J, j);
        const double *m = M + (c.values - J->values);
        for (int k = 0; k < c.count; k++) {
            int i = column_row(&c, k);
            a[i] = (massive ? m[k] * re : 0) - c.values[k];
            if (massive && width == 2) a[p + i] = m[k] * im;
        }
    }
}

/* Dense ones with a diagonal M and n <= 8 known to the compiler. */
KERNEL void assemble_known(const int width, const int n, const shifted *matrix, double *a)
{
    const double *J = matrix->jacobian->values, *diagonal = matrix->mass.diagonal;
    const int p = (n + 3) / 4 * 4;
#pragma GCC unroll 8
    for (int j = 0; j < n; j++, a += width * p) {
        clear_rest(width, 0, p, a);
        assemble_row(width, 0, p, n, J + j * n, J, 0, 0, a);
        a[j] += matrix->re * diagonal[j];
        if (width == 2) a[p + j] = matrix->im * diagonal[j];
    }
}

#define KNOWN(f) f(2); f(3); f(4); f(5); f(6); f(7); f(8)

VECTOR_CLONES
void small_assemble(int width, int n, const shifted *matrix, double *a)
{
#define CASE(n) case n: \
    if (width == 1) assemble_known(1, n, matrix, a); else assemble_known(2, n, matrix, a); return
    const double *diagonal = matrix->mass.diagonal;
    if (diagonal && matrix->jacobian->pattern.storage == KEEL_DENSE) switch (n) { KNOWN(CASE); }
#undef CASE
    if (width == 1 && diagonal) assemble_columns(1, 0, n, matrix, a);
    else if (width == 1) assemble_columns(1, 1, n, matrix, a);
    else if (diagonal) assemble_columns(2, 0, n, matrix, a);
    else assemble_columns(2, 1, n, matrix, a);
    for (int j = 0; j < n && diagonal; j++, a += width * lanes(n)) {
        a[j] += matrix->re * diagonal[j];
        if (width == 2) a[lanes(n) + j] = matrix->im * diagonal[j];
    }
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

/* The pivot of column k into row k of the columns up to `last`, of the `whole` matrix from the first one on;
 * 0, or -1: it may be noise. */
KERNEL int choose_pivot(const int whole, const int width, const int p, double *a, int k, int below_k,
                        int last, int *pivot)
{
    _Alignas(32) double size[P];
    double sum = sizes(width, p, a + k * width * p, size), most = size[k];
    int best = k;
    for (int i = k + 1; i < below_k; i++)
        if (size[i] > most) most = size[i], best = i;
    if (pivot_is_suspicious(most, sum)) return -1;
    int other = whole ? pivot[best] : best;
    if (whole) pivot[best] = pivot[k];
    pivot[k] = other;
    if (best == k) return 0;
    for (double *x = a + (whole ? 0 : k * width * p), *end = a + last * width * p; x < end; x += width * p)
        for (int part = 0; part < width * p; part += p) {
            double t = x[part + k];
            x[part + k] = x[part + best];
            x[part + best] = t;
        }
    return 0;
}

/* Four rows of a column become themselves minus (l + i m) (u + i v), one product after the other. */
KERNEL void subtract_four(const int width, const int p, const double *l, const double *m, double u, double v,
                          double *next)
{
    lane4 x = LANE_OF(l), y = LANE_OF(width == 2 ? m : l);
    LANE(next) = width == 1 ? LANE(next) - x * u : LANE(next) - x * u + y * v;
    if (width == 2) LANE(next + p) = LANE(next + p) - x * v - y * u;
}

/* Column k becomes one of L and U, and those after it what is left; rows before `first` are not touched. */
KERNEL int eliminate(const int width, const int whole, const int p, int n, small_band band, int k, int first,
                     double *a, int *pivot)
{
    _Alignas(32) double l[P], m[P];              /* re and im of the multipliers */
    int below_k = least(n, k + 1 + band.lower), last = least(n, k + 1 + band.reach);
    int end = whole ? p : below_k;
    if (choose_pivot(whole, width, p, a, k, below_k, last, pivot)) return -1;
    double *top = a + k * width * p, inverse[2];
    if (width == 2) invert_complex(top[k], top[p + k], inverse);
    else inverse[0] = 1 / top[k], inverse[1] = 0;
#pragma GCC unroll 5
    for (int i = first; i < end; i += 4) {
        bits4 mask = BITS(&below[P - 1 - k + i]);
        lane4 x = LANE_OF(top + i), y = LANE_OF(top + (width - 1) * p + i);
        LANE(l + i) = MASKED(width == 1 ? x * inverse[0] : x * inverse[0] - y * inverse[1], mask);
        LANE(top + i) = LANE_OF(l + i) + MASKED(x, ~mask);
        if (width == 1) continue;
        LANE(m + i) = MASKED(x * inverse[1] + y * inverse[0], mask);
        LANE(top + p + i) = LANE_OF(m + i) + MASKED(y, ~mask);
    }
    top[k] = inverse[0];
    if (width == 2) top[p + k] = inverse[1];
    for (double *next = top + width * p; next < a + last * width * p; next += width * p) {
        double u = next[k], v = width == 2 ? next[p + k] : 0;
        if (u == 0 && v == 0) continue;
#pragma GCC unroll 5
        for (int i = first; i < end && whole; i += 4) subtract_four(width, p, l + i, m + i, u, v, next + i);
        for (int i = first; i < end && !whole; i += 4) subtract_four(width, p, l + i, m + i, u, v, next + i);
    }
    return 0;
}

KERNEL int factor(const int width, const int whole, const int p, int n, small_band band, double *a,
                  int *pivot)
{
    for (int k = 0; k < n && whole; k++) pivot[k] = k;
    for (int k = 0; k < n && !whole; k++)
        if (eliminate(width, 0, p, n, band, k, k / 4 * 4, a, pivot)) return -1;
#pragma GCC unroll 5
    for (int first = 0; first < p && whole; first += 4)
        for (int k = first; k < least(n, first + 4); k++)
            if (eliminate(width, 1, p, n, band, k, first, a, pivot)) return -1;
    return 0;
}

/* Full matrices with n <= 8 known to the compiler, and so every k. */
KERNEL int factor_known(const int width, const int n, double *a, int *pivot)
{
    const small_band full = {n, n};
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) pivot[k] = k;
#pragma GCC unroll 8
    for (int k = 0; k < n; k++)
        if (eliminate(width, 1, (n + 3) / 4 * 4, n, full, k, k / 4 * 4, a, pivot)) return -1;
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
        int low = k - band.reach;
        for (int i = k / 4 * 4; i >= 0 && i + 3 >= low; i -= 4) LANE(sum + i) += LANE_OF(from + i) * t;
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
            LANE(x + i) = LANE(x + i) - f * s + g * t;
            LANE(y + i) = LANE(y + i) - f * t - g * s;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        from -= 2 * p;
        double f_re = u[k] - sum[k], f_im = v[k] - sum[p + k];
        double s = re[k] = f_re * from[k] - f_im * from[p + k];
        double t = im[k] = f_re * from[p + k] + f_im * from[k];
        int low = k - band.reach;
        for (int i = k / 4 * 4; i >= 0 && i + 3 >= low; i -= 4) {
            lane4 f = LANE_OF(from + i), g = LANE_OF(from + p + i);
            LANE(sum + i) = LANE(sum + i) + f * s - g * t;
            LANE(sum + p + i) = LANE(sum + p + i) + f * t + g * s;
        }
    }
}

/* ---- solve, up to five vectors a column, in registers ------------------------------------------ */

/* b in the order of the pivots, padded. */
KERNEL void reorder(const int p, int n, const int *order, const double *b, double *y, lane4 *x)
{
#pragma GCC unroll 20
    for (int k = 0; k < p; k++) y[k] = k <= p - 4 || k < n ? b[order[k]] : 0;
#pragma GCC unroll 5
    for (int i = 0; i < p / 4; i++) x[i] = LANE_OF(y + 4 * i);
}

KERNEL void solve_few(const int p, int n, const double *a, const int *order, double *b)
{
    _Alignas(32) double y[FEW];
    lane4 x[FEW / 4], sum[FEW / 4] = {{0}};
    reorder(p, n, order, b, y, x);
#pragma GCC unroll 20
    for (int k = 0; k < p; k++) {
        if (k > p - 4 && k >= n) break;
        double t = y[k] = x[k / 4][k % 4];
#pragma GCC unroll 5
        for (int i = k / 4; i < p / 4; i++) x[i] -= LANE_OF(a + k * p + 4 * i) * t;
    }
#pragma GCC unroll 20
    for (int k = p - 1; k >= 0; k--) {
        if (k > p - 4 && k >= n) continue;
        double t = b[k] = (y[k] - sum[k / 4][k % 4]) * a[k * p + k];
#pragma GCC unroll 5
        for (int i = k / 4; i >= 0; i--) sum[i] += LANE_OF(a + k * p + 4 * i) * t;
    }
}

KERNEL void solve_few_complex(const int p, int n, const double *a, const int *order, double *re, double *im)
{
    _Alignas(32) double u[FEW], v[FEW];
    lane4 x[FEW / 4], y[FEW / 4], sum_re[FEW / 4] = {{0}}, sum_im[FEW / 4] = {{0}};
    reorder(p, n, order, re, u, x);
    reorder(p, n, order, im, v, y);
#pragma GCC unroll 20
    for (int k = 0; k < p; k++) {
        if (k > p - 4 && k >= n) break;
        double s = u[k] = x[k / 4][k % 4], t = v[k] = y[k / 4][k % 4];
#pragma GCC unroll 5
        for (int i = k / 4; i < p / 4; i++) {
            lane4 f = LANE_OF(a + k * 2 * p + 4 * i), g = LANE_OF(a + (k * 2 + 1) * p + 4 * i);
            x[i] = x[i] - f * s + g * t;
            y[i] = y[i] - f * t - g * s;
        }
    }
#pragma GCC unroll 20
    for (int k = p - 1; k >= 0; k--) {
        if (k > p - 4 && k >= n) continue;
        const double *from = a + k * 2 * p;
        double f_re = u[k] - sum_re[k / 4][k % 4], f_im = v[k] - sum_im[k / 4][k % 4];
        double s = re[k] = f_re * from[k] - f_im * from[p + k];
        double t = im[k] = f_re * from[p + k] + f_im * from[k];
#pragma GCC unroll 5
        for (int i = k / 4; i >= 0; i--) {
            lane4 f = LANE_OF(from + 4 * i), g = LANE_OF(from + p + 4 * i);
            sum_re[i] = sum_re[i] + f * s - g * t;
            sum_im[i] = sum_im[i] + f * t + g * s;
        }
    }
}

/* ---- with a constant where it pays --------------------------------------------------------------- */

#define WHOLE(f) f(4); f(8); f(12); f(16); f(20)         /* up to FEW */

VECTOR_CLONES
int small_factor(int width, int n, small_band band, double *a, int *pivot)
{
#define FULL(n) case n: return width == 1 ? factor_known(1, n, a, pivot) : factor_known(2, n, a, pivot)
#define CASE(p) case p: \
    return width == 1 ? factor(1, 1, p, n, band, a, pivot) : factor(2, 1, p, n, band, a, pivot)
    const int p = lanes(n);
    if (band.lower >= n - 1 && band.reach >= n - 1) switch (n) { KNOWN(FULL); }
    switch (p) { WHOLE(CASE); }
    return width == 1 ? factor(1, 0, p, n, band, a, pivot) : factor(2, 0, p, n, band, a, pivot);
#undef CASE
#undef FULL
}

VECTOR_CLONES
void small_solve_one(int n, small_band band, const double *a, const int *pivot, double *b)
{
#define CASE(p) case p: solve_few(p, n, a, pivot, b); break
    switch (lanes(n)) {
    WHOLE(CASE);
    default: solve(lanes(n), n, band, a, pivot, b);
    }
#undef CASE
}

VECTOR_CLONES
void small_solve_complex(int n, small_band band, const double *a, const int *pivot, double *re, double *im)
{
#define CASE(p) case p: solve_few_complex(p, n, a, pivot, re, im); break
    switch (lanes(n)) {
    WHOLE(CASE);
    default: solve_complex(lanes(n), n, band, a, pivot, re, im);
    }
#undef CASE
}
