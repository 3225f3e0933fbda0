/* saddle_range.c -- [M G^T; G 0] [x; l] = [a; b] by the range space, for a constant diagonal M > 0.
 *
 *     S = G M^-1 G^T = C C^T,   S l = G M^-1 a - b,   x = M^-1 (a - G^T l)
 *
 * Rows of G are kept as their nonzeros; where no two rows share a column S is diagonal, as for
 * particles that are bound to a surface each.  S squares the angles between rows: a pivot below
 * WEAK_RANGE of its diagonal entry leaves the matrix to saddle.c.
 */
#include "linear/lanes.h"
#include "linear/saddle.h"

#include <float.h>
#include <math.h>

#define WEAK_RANGE 1e-5

void saddle_range_buffers(arena *a, saddle_range *r, size_t n, size_t m)
{
    ARENA_VECTORS(a, n, &r->inverse, &r->spread);
    ARENA_VECTORS(a, m * n, &r->value, &r->scaled);
    r->C = ARENA(a, double, m * m);
    r->at = ARENA(a, int, m * n);
    r->start = ARENA(a, int, m + 1);
    r->first = ARENA(a, int, m);
}

void saddle_keep_mass(saddle *s, const double *M)
{
    int n = s->n, diagonal = s->m > 0;
    if (s->mass_looked_at || s->sparse) return;
    for (int i = 0; i < n && diagonal; i++) {
        for (int j = 0; j < n && diagonal; j++) diagonal = j == i || M[row_start(i, n) + j] == 0;
        s->range.inverse[i] = 1 / M[row_start(i, n) + i];
        diagonal &= s->range.inverse[i] > 0 && s->range.inverse[i] <= DBL_MAX;
        s->range.spread[i] = 0;
    }
    s->mass_looked_at = 1;
    s->by_range = diagonal;
}

/* Rows of G as lists, each also times M^-1. */
static void list_rows(const saddle *s, const double *G)
{
    const saddle_range *r = &s->range;
    int count = 0;
    for (int k = 0; k < s->m; k++, G += s->n) {
        r->start[k] = count;
        for (int j = 0; j < s->n; j++) {
            if (G[j] == 0) continue;
            r->at[count] = j;
            r->value[count] = G[j];
            r->scaled[count++] = G[j] * r->inverse[j];
        }
    }
    r->start[s->m] = count;
}

/* Row k of S from its first nonzero on, which is returned; the lists are in the order of columns. */
static int range_row(const saddle *s, int k, double *row)
{
    const saddle_range *r = &s->range;
    int begin = r->start[k], end = r->start[k + 1], first = k;
    for (int p = begin; p < end; p++) r->spread[r->at[p]] = r->scaled[p];
    for (int j = k; j >= 0; j--) {
        int from = r->start[j], to = r->start[j + 1];
        row[j] = 0;
        if (from == to || begin == end || r->at[to - 1] < r->at[begin] || r->at[from] > r->at[end - 1])
            continue;
        for (int p = from; p < to; p++) row[j] += r->value[p] * r->spread[r->at[p]];
        if (row[j] != 0) first = j;
    }
    for (int p = begin; p < end; p++) r->spread[r->at[p]] = 0;
    return first;
}

int saddle_factor_range(saddle *s, const double *G)
{
    const saddle_range *r = &s->range;
    int m = s->m;
    list_rows(s, G);
    for (int k = 0; k < m; k++) {
        double *row = r->C + row_start(k, m);
        int first = r->first[k] = range_row(s, k, row);
        double pivot = row[k];
        for (int j = first; j < k; j++) {
            const double *other = r->C + row_start(j, m);
            int from = first > r->first[j] ? first : r->first[j];
            row[j] = subtract_products(row[j], j - from, row + from, other + from) * other[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > WEAK_RANGE * row[k] && pivot <= DBL_MAX)) return -1;
        row[k] = 1 / sqrt(pivot);
    }
    return 0;
}

/* w right-hand sides side by side, those of one entry `stride` after those of the one before. */
KERNEL void solve_range(const int w, int stride, const saddle *s, double *restrict x, double *restrict l)
{
    const saddle_range *r = &s->range;
    int m = s->m;
    for (int i = 0; i < s->n; i++)
        for (int c = 0; c < w; c++) x[i * stride + c] *= r->inverse[i];
    for (int k = 0; k < m; k++) {
        const double *row = r->C + row_start(k, m);
        double sum[4];
        for (int c = 0; c < w; c++) sum[c] = -l[k * stride + c];
        for (int p = r->start[k]; p < r->start[k + 1]; p++)
            for (int c = 0; c < w; c++) sum[c] += r->value[p] * x[r->at[p] * stride + c];
        for (int j = r->first[k]; j < k; j++)
            for (int c = 0; c < w; c++) sum[c] -= row[j] * l[j * stride + c];
        for (int c = 0; c < w; c++) l[k * stride + c] = sum[c] * row[k];
    }
    for (int k = m - 1; k >= 0; k--) {
        const double *row = r->C + row_start(k, m);
        double t[4];
        for (int c = 0; c < w; c++) t[c] = l[k * stride + c] *= row[k];
        for (int j = r->first[k]; j < k; j++)
            for (int c = 0; c < w; c++) l[j * stride + c] -= row[j] * t[c];
        for (int p = r->start[k]; p < r->start[k + 1]; p++)
            for (int c = 0; c < w; c++) x[r->at[p] * stride + c] -= r->scaled[p] * t[c];
    }
}

void saddle_solve_range(const saddle *s, double *x, double *l)
{
    solve_range(1, 1, s, x, l);
}

VECTOR_CLONES
void saddle_solve_range_lanes(const saddle *s, int w, double *x, double *l)
{
    for (int b = 0; b < w; b += 4) solve_range(4, w, s, x + b, l + b);
}
