/* saddle_once.c -- x of [M G^T; G 0] [x; l] = [a; b] where nothing else is wanted of the matrix.
 *
 * Stages of explicit methods have a matrix each and need no multipliers.  Gauss-Jordan elimination
 * of the rows [G b], each with its largest entry as pivot, leaves [I T y] in the order of pivots,
 * free positions and right-hand side: x = y + Z w with Z = [-T; I] and G y = b, and
 *     Z^T M Z w = Z^T a - (M Z)^T y.
 * For n + m = 7 + 6 this takes a third of the instructions of saddle_factor and saddle_solve.
 */
#include "linear/lanes.h"
#include "linear/saddle.h"

#include <math.h>

/* A row of G that elimination reduces below this part of its size is left to saddle_factor. */
#define DEPENDENT 1e-10
/* Where rows are longer, or the degrees of freedom more than m + this, saddle_factor is cheaper. */
enum { ROW_MOST = 32, FREEDOM_MORE = 2 };
/* Pivots of S may be this much closer to their diagonal entry than those of Z^T M Z: 1e-5. */
#define RANGE_SCALE 1e10

/* Vectors are `p` long, zeros after the first n or n + 1 entries; p is a constant where it is 4 or
 * 8, so that loops over their lanes disappear. */
KERNEL void subtract_row(const int p, double *restrict y, double factor, const double *restrict x)
{
    for (int k = 0; k < p; k += 4) LANE(y + k) -= LANE_OF(x + k) * factor;
}

KERNEL double product(const int p, const double *x, const double *y)
{
    lane4 sum = LANE_OF(x) * LANE_OF(y);
    for (int k = 4; k < p; k += 4) sum += LANE_OF(x + k) * LANE_OF(y + k);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

KERNEL void clear(const int p, double *x)
{
    for (int k = 0; k < p; k += 4) LANE(x + k) = (lane4){0};
}

/* x, of n entries, padded */
KERNEL void fill(const int p, int n, double *to, const double *x)
{
    clear(p, to);
    int k = 0;
    for (; k + 4 <= n; k += 4) LANE(to + k) = *(const loose4 *)(const void *)(x + k);
    for (; k < n; k++) to[k] = x[k];
}

/* [G b] to [I T y]; the pivot of row k is in column order[k].  0, or -1 without a good pivot. */
KERNEL int eliminate(const int p, const saddle *s, const double *G, const double *b, double *rows)
{
    int n = s->n, m = s->m, *order = s->order;
    double *row = rows;
    for (int k = 0; k < m; k++, row += p, G += n) {
        fill(p, n, row, G);
        double size = product(p, row, row), largest = 0;
        int at = 0;
        row[n] = b[k];
        for (int i = 0; i < k; i++)
            if (row[order[i]] != 0) subtract_row(p, row, row[order[i]], rows + i * p);
        for (int j = 0; j < n; j++)
            if (fabs(row[j]) > largest) largest = fabs(row[j]), at = j;
        if (!(largest * largest > DEPENDENT * DEPENDENT * size)) return -1;
        double inverse = 1 / row[at];
        for (int j = 0; j < p; j += 4) LANE(row + j) *= inverse;
        row[at] = 1;
        order[k] = at;
        for (int i = 0; i < k; i++) {
            double *above = rows + i * p;
            if (above[at] != 0) subtract_row(p, above, above[at], row);
        }
    }
    return 0;
}

/* The positions without a pivot, after those with one. */
KERNEL void list_free(const saddle *s)
{
    unsigned pivots = 0;
    int at = s->m;
    for (int k = 0; k < s->m; k++) pivots |= 1u << s->order[k];
    for (int j = 0; j < s->n; j++)
        if (!(pivots >> j & 1)) s->order[at++] = j;
}

/* X := sum_j x_j (row j of M), which is M x for symmetric M, and x of which most may be 0; the last four
 * entries of a row twice where others end among them. */
KERNEL void mass_times(const int p, int n, const double *M, const double *x, double *X)
{
    lane4 sum[ROW_MOST / 4];
    clear(p, X);
    for (int k = 0; k < p; k += 4) sum[k / 4] = (lane4){0};
    for (int j = 0; j < n; j++, M += n) {
        double factor = x[j];
        if (factor == 0) continue;
        for (int k = 0; k < p && n >= 4; k += 4)
            sum[k / 4] += LOOSE(M + (k + 4 <= n ? k : n - 4)) * factor;
        for (int k = 0; k < n && n < 4; k++) X[k] += factor * M[k];
    }
    for (int k = 0; k < p && n >= 4; k += 4) *(loose4 *)(void *)(X + (k + 4 <= n ? k : n - 4)) = sum[k / 4];
}

/* C C^T = H, f x f, and w := H^-1 w.  0, or -1 where H(c,c) is noise beside scale[c]. */
KERNEL int solve_reduced(int f, double *H, const double *scale, double *w)
{
    for (int c = 0; c < f; c++) {
        double *row = H + c * f;
        for (int d = 0; d <= c; d++) {
            double rest = subtract_products(row[d], d, row, H + d * f);
            row[d] = d < c ? rest * H[d * f + d] : rest;
        }
        if (!(row[c] > 0 && row[c] * row[c] > DEPENDENT * DEPENDENT * scale[c])) return -1;
        row[c] = 1 / sqrt(row[c]);
        w[c] = subtract_products(w[c], c, row, w) * row[c];
    }
    for (int c = f - 1; c >= 0; c--) {
        w[c] *= H[c * f + c];
        for (int d = 0; d < c; d++) w[d] -= H[c * f + d] * w[c];
    }
    return 0;
}

/* 0, or -1: try another way.  H(c,c) = z.Mz is compared with |z| |Mz|. */
KERNEL int solve_padded(const int p, const saddle *s, const double *M, const double *G, double *x,
                        const double *b)
{
    int n = s->n, m = s->m, f = n - m;
    double *rows = s->once, *y = rows + m * p, *a = y + p, *Z = a + p, *MZ = Z + f * p;
    double *H = MZ + f * p, *w = H + f * f, *scale = w + f;
    if (eliminate(p, s, G, b, rows)) return -1;
    list_free(s);
    const int *order = s->order;
    fill(p, n, a, x);
    clear(p, y);
    for (int k = 0; k < m; k++) y[order[k]] = rows[k * p + n];
    for (int c = 0; c < f; c++) {
        double *z = Z + c * p, *Mz = MZ + c * p;
        clear(p, z);
        z[order[m + c]] = 1;
        for (int k = 0; k < m; k++) z[order[k]] = -rows[k * p + order[m + c]];
        mass_times(p, n, M, z, Mz);
        for (int d = 0; d <= c; d++) H[c * f + d] = product(p, Mz, Z + d * p);
        w[c] = product(p, z, a) - product(p, Mz, y);
        scale[c] = product(p, z, z) * product(p, Mz, Mz);
    }
    if (solve_reduced(f, H, scale, w)) return -1;
    for (int c = 0; c < f; c++) subtract_row(p, y, -w[c], Z + c * p);
    for (int i = 0; i < n; i++) x[i] = y[i];
    return 0;
}

/* The same for a diagonal M, as in saddle_range.c: rows of G and of G M^-1, then S.  m is a constant, too,
 * where S is so small that its loops would cost more than its numbers. */
KERNEL int solve_range(const int p, const int m, const saddle *s, const double *G, double *x, const double *b)
{
    int n = s->n;
    double *rows = s->once, *scaled = rows + m * p, *y = scaled + m * p, *inverse = y + p;
    double *S = inverse + p, *l = S + m * m, *scale = l + m;
    fill(p, n, inverse, s->range.inverse);
    fill(p, n, y, x);
    for (int j = 0; j < p; j += 4) LANE(y + j) *= LANE_OF(inverse + j);
    for (int k = 0; k < m; k++, G += n) {
        double *row = rows + k * p, *w = scaled + k * p;
        fill(p, n, row, G);
        for (int j = 0; j < p; j += 4) LANE(w + j) = LANE_OF(row + j) * LANE_OF(inverse + j);
        for (int j = 0; j <= k; j++) S[k * m + j] = product(p, w, rows + j * p);
        l[k] = product(p, row, y) - b[k];
        scale[k] = S[k * m + k] * S[k * m + k] * RANGE_SCALE;
    }
    if (solve_reduced(m, S, scale, l)) return -1;
    for (int k = 0; k < m; k++) subtract_row(p, y, l[k], scaled + k * p);
    for (int i = 0; i < n; i++) x[i] = y[i];
    return 0;
}

VECTOR_CLONES
static int solve_by_range(const saddle *s, const double *G, double *x, const double *b)
{
    int p = lanes(s->n);
    if (p == 4 && s->m == 1) return solve_range(4, 1, s, G, x, b);
    if (p == 4 && s->m == 2) return solve_range(4, 2, s, G, x, b);
    if (p == 8) return solve_range(8, s->m, s, G, x, b);
    return solve_range(p, s->m, s, G, x, b);
}

VECTOR_CLONES
static int solve_by_elimination(const saddle *s, const double *M, const double *G, double *x,
                                const double *b)
{
    int p = lanes(s->n + 1);
    if (p == 4) return solve_padded(4, s, M, G, x, b);
    if (p == 8) return solve_padded(8, s, M, G, x, b);
    return solve_padded(p, s, M, G, x, b);
}

size_t saddle_once_storage(int n, int m)
{
    int f = n - m;
    int elimination = saddle_can_eliminate(n, m) ? (m + 2 + 2 * f) * lanes(n + 1) + f * f + 2 * f : 0;
    int range = n < ROW_MOST && m > 0 ? (2 * m + 2) * lanes(n) + m * m + 2 * m : 0;
    return (size_t)(range > elimination ? range : elimination);
}

int saddle_can_eliminate(int n, int m)
{
    return n < ROW_MOST && m > 0 && n >= m && n - m <= m + FREEDOM_MORE;
}

int saddle_solve_once(saddle *s, const double *M, const double *G, double *x, double *l)
{
    if (s->by_range && s->null_count == 0 && s->n < ROW_MOST) {
        if (solve_by_range(s, G, x, l) == 0) return 0;
    } else if (s->can_once && solve_by_elimination(s, M, G, x, l) == 0) {
        return 0;
    }
    int rc = saddle_factor(s, M, G);
    if (rc == 0) saddle_solve(s, 1, x, l);
    return rc;
}
