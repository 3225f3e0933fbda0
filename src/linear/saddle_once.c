/* saddle_once.c -- small [M G^T; G 0] [x; l] = [a; b] in vector lanes: x alone, or factors.
 *
 * Stages of explicit methods have a matrix each and need no multipliers.  Gauss-Jordan elimination
 * of the rows [G b], each with its largest entry as pivot, leaves [I T y] in the order of pivots,
 * free positions and right-hand side: x = y + Z w with Z = [-T; I] and G y = b, and
 *     Z^T M Z w = Z^T a - (M Z)^T y.
 * Factors are those of [G I], which becomes [I T E]: y = E b, and l = E^T (a - M x) at the pivots.  Products
 * with vectors need no order, and for n + m = 7 + 6 a third of the instructions that triangles take.
 */
#include "linear/lanes.h"
#include "linear/saddle.h"

#include <math.h>
#include <string.h>

/* A row of G that elimination reduces below this part of its size is left to saddle_factor, */
#define DEPENDENT 1e-10
/* and below this part to triangles: products with E are not as accurate. */
#define INVERTIBLE 1e-7
/* Where rows are longer, or the degrees of freedom more than m + this, saddle_factor is cheaper. */
enum { ROW_MOST = 32, FREEDOM_MORE = 2 };
/* Pivots of S may be this much closer to their diagonal entry than those of Z^T M Z: 1e-5. */
#define RANGE_SCALE 1e10

/* Vectors are `p` long, zeros after their entries; p is a constant where it is 4, 8 or 16, so that loops over
 * their lanes disappear. */
KERNEL void subtract_row(const int p, double *restrict y, double factor, const double *restrict x)
{
#pragma GCC unroll 4
    for (int k = 0; k < p; k += 4) LANE(y + k) -= LANE_OF(x + k) * factor;
}

KERNEL void scale_row(const int p, double *x, double factor)
{
    for (int k = 0; k < p; k += 4) LANE(x + k) *= factor;
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

/* The last four entries twice where others end among them. */
KERNEL void copy(int n, double *to, const double *x)
{
    if (n >= 4) {
        for (int k = 0; k < n - 4; k += 4) *(loose4 *)(void *)(to + k) = LOOSE(x + k);
        *(loose4 *)(void *)(to + n - 4) = LOOSE(x + n - 4);
    } else
        for (int k = 0; k < n; k++) to[k] = x[k];
}

/* x, of n entries, padded */
KERNEL void fill(const int p, int n, double *to, const double *x)
{
    clear(p, to);
    copy(n, to, x);
}

/* [G b] to [I T y], b in column n, or, b NULL, [G I] to [I T E], I from column `after` on; the pivot of row k
 * is in column order[k].  0, or -1 where one is weak. */
KERNEL int eliminate(const int p, const saddle *s, double weak, const double *G, const double *b, int after,
                     double *rows)
{
    int n = s->n, m = s->m, *order = s->order;
    double *row = rows;
    for (int k = 0; k < m; k++, row += p, G += n) {
        fill(p, n, row, G);
        double size = product(p, row, row), largest = 0;
        int at = 0;
        row[b ? n : after + k] = b ? b[k] : 1;
        for (int i = 0; i < k; i++)
            if (row[order[i]] != 0) subtract_row(p, row, row[order[i]], rows + i * p);
        for (int j = 0; j < n; j++)
            if (fabs(row[j]) > largest) largest = fabs(row[j]), at = j;
        if (!(largest * largest > weak * weak * size)) return -1;
        scale_row(p, row, 1 / row[at]);
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

/* C C^T = H, f x f, and w := C^-1 w, if there is one.  0, or -1 where H(c,c) is noise beside scale[c]. */
KERNEL int factor_reduced(int f, double *H, const double *scale, double *w)
{
    for (int c = 0; c < f; c++) {
        double *row = H + c * f;
        for (int d = 0; d <= c; d++) {
            double rest = subtract_products(row[d], d, row, H + d * f);
            row[d] = d < c ? rest * H[d * f + d] : rest;
        }
        if (!(row[c] > 0 && row[c] * row[c] > DEPENDENT * DEPENDENT * scale[c])) return -1;
        row[c] = 1 / sqrt(row[c]);
        if (w) w[c] = subtract_products(w[c], c, row, w) * row[c];
    }
    return 0;
}

/* w := C^-T w */
KERNEL void solve_back(int f, const double *H, double *w)
{
    for (int c = f - 1; c >= 0; c--) {
        w[c] *= H[c * f + c];
        for (int d = 0; d < c; d++) w[d] -= H[c * f + d] * w[c];
    }
}

/* What elimination leaves, rows of `width`, vectors of p, and more. */
typedef struct reduced {
    double *rows;                /* [m width] [I T y] or [I T E]                               */
    double *Z, *MZ;              /* [f p] each                                                 */
    double *H, *scale;           /* [f f] Z^T M Z = C C^T, [f] squares of |z| |Mz|             */
    double *y, *a, *b, *force;   /* [p] each                                                   */
    double *w;                   /* [f]                                                        */
} reduced;

KERNEL reduced reduced_vectors(const int width, const int p, const saddle *s)
{
    int m = s->m, f = s->n - m;
    double *y = s->once, *Z = y + 4 * p, *rows = Z + 2 * f * p, *H = rows + m * width, *scale = H + f * f;
    return (reduced){rows, Z, Z + f * p, H, scale, y, y + p, y + 2 * p, y + 3 * p, scale + f};
}

/* Z, M Z and C.  0, or -1: try another way.  H(c,c) = z.Mz is compared with |z| |Mz|. */
KERNEL int reduce(const int width, const int p, const saddle *s, const double *M, const reduced *r)
{
    int n = s->n, m = s->m, f = n - m, *order = s->order;
    list_free(s);
    for (int c = 0; c < f; c++) {
        double *z = r->Z + c * p, *Mz = r->MZ + c * p;
        clear(p, z);
        z[order[m + c]] = 1;
        for (int k = 0; k < m; k++) z[order[k]] = -r->rows[k * width + order[m + c]];
        mass_times(p, n, M, z, Mz);
        for (int d = 0; d <= c; d++) r->H[c * f + d] = product(p, Mz, r->Z + d * p);
        r->scale[c] = product(p, z, z) * product(p, Mz, Mz);
    }
    return factor_reduced(f, r->H, r->scale, NULL);
}

/* y := y + Z w */
KERNEL void add_free(const int p, int f, const reduced *r)
{
    double *w = r->w;
    for (int c = 0; c < f; c++) {
        w[c] = product(p, r->Z + c * p, r->a) - product(p, r->MZ + c * p, r->y);
        w[c] = subtract_products(w[c], c, r->H + c * f, w) * r->H[c * f + c];
    }
    solve_back(f, r->H, w);
    for (int c = 0; c < f; c++) subtract_row(p, r->y, -w[c], r->Z + c * p);
}

KERNEL int solve_padded(const int p, const saddle *s, const double *M, const double *G, double *x,
                        const double *b)
{
    int n = s->n;
    const reduced r = reduced_vectors(p, p, s);
    if (eliminate(p, s, DEPENDENT, G, b, n, r.rows) || reduce(p, p, s, M, &r)) return -1;
    fill(p, n, r.a, x);
    clear(p, r.y);
    for (int k = 0; k < s->m; k++) r.y[s->order[k]] = r.rows[k * p + n];
    add_free(p, n - s->m, &r);
    copy(n, x, r.y);
    return 0;
}

KERNEL int factor_padded(const int p, const saddle *s, const double *M, const double *G)
{
    const reduced r = reduced_vectors(2 * p, p, s);
    memcpy(s->a, M, (size_t)s->n * (size_t)s->n * sizeof *M);
    return eliminate(2 * p, s, INVERTIBLE, G, NULL, p, r.rows) || reduce(2 * p, p, s, M, &r) ? -1 : 0;
}

KERNEL void solve_factored(const int p, const saddle *s, double *x, double *l)
{
    int n = s->n, m = s->m, *order = s->order;
    const reduced r = reduced_vectors(2 * p, p, s);
    const double *E = r.rows + p;
    fill(p, n, r.a, x);
    fill(p, m, r.b, l);
    clear(p, r.y);
    for (int k = 0; k < m; k++) r.y[order[k]] = product(p, E + 2 * k * p, r.b);
    add_free(p, n - m, &r);
    copy(n, x, r.y);
    mass_times(p, n, s->a, r.y, r.force);
    clear(p, r.b);
    for (int k = 0; k < m; k++) subtract_row(p, r.b, r.force[order[k]] - r.a[order[k]], E + 2 * k * p);
    copy(m, l, r.b);
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
    if (factor_reduced(m, S, scale, l)) return -1;
    solve_back(m, S, l);
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
static int solve_by_elimination(const saddle *s, const double *M, const double *G, double *x, const double *b)
{
    int p = lanes(s->n + 1);
    if (p == 4) return solve_padded(4, s, M, G, x, b);
    if (p == 8) return solve_padded(8, s, M, G, x, b);
    return solve_padded(p, s, M, G, x, b);
}

VECTOR_CLONES
int saddle_factor_small(const saddle *s, const double *M, const double *G)
{
    return s->n <= 4 ? factor_padded(4, s, M, G) : factor_padded(8, s, M, G);
}

VECTOR_CLONES
void saddle_solve_small(const saddle *s, double *x, double *l)
{
    if (s->n <= 4) solve_factored(4, s, x, l);
    else solve_factored(8, s, x, l);
}

/* In the order of solve_factored. */
VECTOR_CLONES
void saddle_solve_small_lanes(const saddle *s, int w, double *x, double *l)
{
    int n = s->n, m = s->m, f = n - m, p = lanes(n), *order = s->order;
    const reduced r = reduced_vectors(2 * p, p, s);
    const double *E = r.rows + p;
    lane4 y[SADDLE_LANES], v[SADDLE_LANES];
    for (int k = 0; k < m; k++) {
        lane4 sum = {0};
        for (int j = 0; j < m; j++) sum += LANE_OF(l + j * w) * E[2 * k * p + j];
        y[order[k]] = sum;
    }
    for (int c = 0; c < f; c++) {
        const double *z = r.Z + c * p, *Mz = r.MZ + c * p;
        v[c] = LANE_OF(x + order[m + c] * w);
        for (int k = 0, i = 0; k < m; k++) i = order[k], v[c] += LANE_OF(x + i * w) * z[i] - y[i] * Mz[i];
        for (int d = 0; d < c; d++) v[c] -= v[d] * r.H[c * f + d];
        v[c] *= r.H[c * f + c];
    }
    for (int c = f - 1; c >= 0; c--) {
        y[order[m + c]] = v[c] *= r.H[c * f + c];
        for (int d = 0; d < c; d++) v[d] -= v[c] * r.H[c * f + d];
        for (int k = 0; k < m; k++) y[order[k]] += v[c] * r.Z[c * p + order[k]];
    }
    for (int k = 0; k < m; k++) {
        v[k] = LANE_OF(x + order[k] * w);
        for (int j = 0; j < n; j++) v[k] -= y[j] * s->a[order[k] * n + j];
    }
    for (int j = 0; j < m; j++) {
        lane4 sum = {0};
        for (int k = 0; k < m; k++) sum += v[k] * E[2 * k * p + j];
        LANE(l + j * w) = sum;
    }
    for (int i = 0; i < n; i++) LANE(x + i * w) = y[i];
}

static int can_eliminate(int n, int m)
{
    return n < ROW_MOST && m > 0 && n >= m && n - m <= m + FREEDOM_MORE;
}

size_t saddle_once_storage(int n, int m)
{
    int f = n - m, p = lanes(n + 1), eliminates = can_eliminate(n, m) || saddle_small(n, m);
    int elimination = eliminates ? (4 + 2 * f) * p + m * 2 * p + f * f + 2 * f : 0;
    int range = n < ROW_MOST && m > 0 ? (2 * m + 2) * lanes(n) + m * m + 2 * m : 0;
    return (size_t)(range > elimination ? range : elimination);
}

int saddle_solve_once(saddle *s, const double *M, const double *G, double *x, double *l)
{
    if (s->by_range && s->null_count == 0 && s->n < ROW_MOST) {
        if (solve_by_range(s, G, x, l) == 0) return 0;
    } else if (!saddle_is_other(s) && can_eliminate(s->n, s->m) &&
               solve_by_elimination(s, M, G, x, l) == 0) {
        return 0;
    }
    int rc = saddle_factor(s, M, G);
    if (rc == 0) saddle_solve(s, 1, x, l);
    return rc;
}
