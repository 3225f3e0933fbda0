/* saddle.c -- [M G^T; G 0] [x; l] = [a; b], M symmetric and positive definite on ker G.
 *
 * Few degrees of freedom (n - m <= m): null space.  Elimination with column exchanges gives
 * G Q = L [U1 U2]; Z = Q [-U1^-1 U2; I] spans ker G, and with any y such that G y = b
 *     Z^T M Z w = Z^T (a - M y),   x = y + Z w,   G^T l = a - M x.
 * Otherwise L D L^T without exchanges, rows kept from their first nonzero on: the first n
 * pivots are positive and the last m, those of -G M^-1 G^T, negative.  It hands over to the
 * null space when a pivot shows that M or G M^-1 G^T is nearly singular: the former need not
 * be regular, and the latter squares the angle between rows of G.  If Z^T M Z is not positive
 * definite, P A = L U of the whole matrix is the last resort.
 * Small matrices: saddle_once.c; a constant diagonal M: saddle_range.c.
 * Rows of G that depend on each other: where the orthonormal columns of N span all l with
 * G^T l = 0, the matrix [M G^T; G -N N^T] is regular.  N^T times its second row is N^T l = -N^T b,
 * which leaves G x = (I - N N^T) b: all rows hold for a consistent b, in the sense of least squares
 * otherwise, and the multipliers are those of minimum norm when N^T b = 0.  P A = L U of the whole.
 * [Benzi, Golub & Liesen, Acta Numerica 14 (2005), sections 5 and 6]
 */
#include "linear/kernels.h"
#include "linear/saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A row of G that elimination reduces below this part of its size depends on earlier rows. */
#define DEPENDENT 1e-12
/* A pivot of L D L^T below this part of its diagonal entry asks for the null space. */
#define WEAK 1e-10

/* ---- life ----------------------------------------------------------------------------- */

static void buffers(arena *a, saddle *s)
{
    size_t n = (size_t)s->n, m = (size_t)s->m, f = n > m ? n - m : 0;
    s->order = ARENA(a, int, n);
    s->g = ARENA(a, double, m * n);
    s->mass = ARENA(a, double, n * m);
    s->mz = ARENA(a, double, n * f);
    s->tt = ARENA(a, double, f * m);
    s->h = ARENA(a, double, f * f);
    s->a = ARENA(a, double, (n + m) * (n + m));
    ARENA_INTEGERS(a, n + m, &s->first, &s->pivot);
    s->work = ARENA(a, double, (n + m) * 8);
    s->once = ARENA(a, double, saddle_once_storage(s->n, s->m));
    saddle_range_buffers(a, &s->range, n, m);
}

saddle *saddle_layout(arena *a, int n, int m)
{
    saddle shape = {.n = n, .m = m}, *s = ARENA_OBJECT(a, saddle, 1), *kept = s ? s : &shape;
    buffers(a, &shape);
    ARENA_KEEP(a, kept, kind, kind);
    ARENA_KEEP(a, kept, mass_looked_at, null_count);
    ARENA_LINKS(a, kept, null, null);
    if (s) *s = shape;
    return s;
}

int saddle_set_null(saddle *s, int count, const double *N)
{
    if (s->sparse && count > 0) return KEEL_UNSUPPORTED;
    if (count == 0 && s->null_count == 0) return KEEL_OK;
    s->null_count = count;
    s->null = N;
    return KEEL_OK;
}

void saddle_free(saddle *s)
{
    if (s) linear_free(s->system);
    arena_block_free(s);
}

void saddle_tape(tape *t, void *at, size_t bytes)
{
    saddle *s = *(saddle **)at;
    (void)bytes;
    if (!s) return;
    TAPE(t, s->kind);
    TAPE(t, s->generation);
    linear_tape(t, &s->system, sizeof s->system);
}

/* ---- null space ----------------------------------------------------------------------- */

static void exchange_columns(saddle *s, int k, int p)
{
    for (int i = 0; i < s->m; i++)
        swap_entries(s->g + row_start(i, s->n) + k, s->g + row_start(i, s->n) + p, 1);
    int t = s->order[k];
    s->order[k] = s->order[p];
    s->order[p] = t;
}

static double largest(const double *row, int from, int to, int *at)
{
    double size = 0;
    for (int j = from; j < to; j++)
        if (!(fabs(row[j]) <= size)) {
            size = fabs(row[j]);
            *at = j;
        }
    return size;
}

/* G Q = L U, one row of G after the other.  0, or k > 0: row k - 1 depends on earlier ones. */
static int eliminate_constraints(saddle *s, const double *G)
{
    int n = s->n, m = s->m;
    memcpy(s->g, G, (size_t)m * (size_t)n * sizeof *G);
    for (int k = 0; k < m; k++) {
        double *row = s->g + row_start(k, n);
        int p = k;
        double size = largest(row, 0, n, &p);
        for (int i = 0; i < k; i++) {
            const double *above = s->g + row_start(i, n);
            if (row[i] == 0) continue;
            row[i] *= above[i];
            subtract_multiple(n - 1 - i, row + i + 1, row[i], above + i + 1);
        }
        double rest = largest(row, k, n, &p);
        if (!(rest > DEPENDENT * size && rest <= DBL_MAX)) return k + 1;
        if (p != k) exchange_columns(s, k, p);
        row[k] = 1 / row[k];
    }
    return 0;
}

/* T = U1^-1 U2 in place of U2, and T^T. */
static void null_space_basis(saddle *s)
{
    int n = s->n, m = s->m;
    for (int k = m - 1; k >= 0; k--) {
        double *row = s->g + row_start(k, n);
        for (int j = k + 1; j < m; j++)
            if (row[j] != 0) subtract_multiple(n - m, row + m, row[j], s->g + row_start(j, n) + m);
        for (int c = m; c < n; c++) {
            row[c] *= row[k];
            s->tt[row_start(c - m, m) + k] = row[c];
        }
    }
}

/* Q^T M Z and the lower half of Z^T M Z. */
static void reduced_mass(saddle *s, const double *M)
{
    int n = s->n, m = s->m, f = n - m;
    for (int i = 0; i < n; i++) {
        const double *row = M + row_start(s->order[i], n);
        double *mass = s->mass + row_start(i, m), *mz = s->mz + row_start(i, f);
        for (int k = 0; k < m; k++) mass[k] = row[s->order[k]];
        for (int c = 0; c < f; c++) mz[c] = row[s->order[m + c]];
        for (int k = 0; k < m; k++)
            if (mass[k] != 0) subtract_multiple(f, mz, mass[k], s->g + row_start(k, n) + m);
    }
    for (int c = 0; c < f; c++)
        for (int d = 0; d <= c; d++) {
            double sum = s->mz[row_start(m + c, f) + d];
            for (int k = 0; k < m; k++)
                sum -= s->tt[row_start(c, m) + k] * s->mz[row_start(k, f) + d];
            s->h[row_start(c, f) + d] = sum;
        }
}

/* Size of the terms that make up (Z^T M Z)(c,c). */
static double reduced_scale(const saddle *s, const double *M, int c)
{
    int n = s->n, m = s->m, free_position = s->order[m + c];
    double sum = fabs(M[row_start(free_position, n) + free_position]);
    for (int k = 0; k < m; k++) {
        double t = s->tt[row_start(c, m) + k];
        sum += t * t * fabs(s->mass[row_start(k, m) + k]);
    }
    return sum;
}

/* Z^T M Z = C C^T; 0, or -1 without a pivot above rounding. */
static int reduced_cholesky(saddle *s, const double *M)
{
    int f = s->n - s->m;
    for (int c = 0; c < f; c++) {
        double *row = s->h + row_start(c, f);
        for (int d = 0; d <= c; d++) {
            const double *other = s->h + row_start(d, f);
            double rest = subtract_products(row[d], d, row, other);
            row[d] = d < c ? rest * other[d] : rest;
        }
        if (!(row[c] > 8 * s->n * DBL_EPSILON * reduced_scale(s, M, c) && row[c] <= DBL_MAX))
            return -1;
        row[c] = 1 / sqrt(row[c]);
    }
    return 0;
}

/* ---- L D L^T -------------------------------------------------------------------------- */

/* Row i of [M; G 0] up to the diagonal; returns the column of its first nonzero. */
static int copy_row(saddle *s, const double *M, const double *G, int i)
{
    int n = s->n, first = 0;
    double *row = s->a + row_start(i, n + s->m);
    if (i < n) {
        memcpy(row, M + row_start(i, n), (size_t)(i + 1) * sizeof *row);
    } else {
        memcpy(row, G + row_start(i - n, n), (size_t)n * sizeof *row);
        memset(row + n, 0, (size_t)(i + 1 - n) * sizeof *row);
    }
    while (first < i && row[first] == 0) first++;
    return first;
}

/* L below the diagonal, 1 / D on it.  0, or -1 at the first weak pivot. */
static int factor_ldl(saddle *s, const double *M, const double *G)
{
    int n = s->n, size = n + s->m;
    for (int i = 0; i < size; i++) {
        double *row = s->a + row_start(i, size);
        int first = s->first[i] = copy_row(s, M, G, i);
        for (int j = first + 1; j < i; j++) {
            const double *other = s->a + row_start(j, size);
            double sum = row[j];
            for (int k = first > s->first[j] ? first : s->first[j]; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = sum;
        }
        double d = row[i], scale = i < n ? d : 0;
        for (int j = first; j < i; j++) {
            double u = row[j], l = row[j] *= s->a[row_start(j, size) + j];
            d -= l * u;
            if (i >= n && j < n) scale += l * u;
        }
        if (i >= n) d = -d;
        if (!(d > WEAK * scale && d <= DBL_MAX)) return -1;
        row[i] = i < n ? 1 / d : -1 / d;
    }
    return 0;
}

/* ---- L U ------------------------------------------------------------------------------ */

static void assemble(saddle *s, const double *M, const double *G_top, const double *G)
{
    int n = s->n, m = s->m, size = n + m;
    memset(s->a, 0, (size_t)size * (size_t)size * sizeof *s->a);
    for (int i = 0; i < n; i++)
        memcpy(s->a + row_start(i, size), M + row_start(i, n), (size_t)n * sizeof *M);
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++) {
            s->a[row_start(n + k, size) + j] = G[row_start(k, n) + j];
            s->a[row_start(j, size) + n + k] = G_top[row_start(k, n) + j];
        }
}

/* -N N^T in the place of the 0. */
static void put_null(saddle *s)
{
    int n = s->n, m = s->m, size = n + m, count = s->null_count;
    for (int k = 0; k < m; k++)
        for (int i = 0; i <= k; i++)
            s->a[row_start(n + k, size) + n + i] = s->a[row_start(n + i, size) + n + k] =
                subtract_products(0, count, s->null + row_start(k, count),
                                  s->null + row_start(i, count));
}

/* Sparse, or [M G^T; G -N N^T].  A pivot missing at a multiplier: more rows are dependent than N says. */
static int factor_otherwise(saddle *s, const double *M, const double *G)
{
    int missing = saddle_factor_pair(s, M, G, G);
    return missing > s->n ? missing - s->n : missing > 0 ? -1 : missing;
}

int saddle_factor_pair(saddle *s, const double *M, const double *G_top, const double *G)
{
    if (s->sparse) return saddle_factor_sparse(s, M, G_top, G);
    assemble(s, M, G_top, G);
    if (s->null_count > 0) put_null(s);
    s->kind = SADDLE_LU;
    return dense_factor(s->n + s->m, s->a, s->pivot);
}

void saddle_solve_pair(const saddle *s, double *b)
{
    if (s->sparse) linear_solve(s->system, 0, b);
    else dense_solve(s->n + s->m, s->a, s->pivot, b);
}

unsigned long saddle_generation(const saddle *s) { return s->generation; }

int saddle_factor(saddle *s, const double *M, const double *G)
{
    int n = s->n, m = s->m;
    s->kind = SADDLE_RANGE;
    if (s->by_range && s->null_count == 0 && saddle_factor_range(s, G) == 0) return 0;
    if (saddle_is_other(s)) return factor_otherwise(s, M, G);
    s->kind = SADDLE_SMALL;
    if (saddle_small(n, m) && saddle_factor_small(s, M, G) == 0) return 0;
    for (int j = 0; j < n; j++) s->order[j] = j;
    s->kind = SADDLE_LDL;
    if (n - m > m && factor_ldl(s, M, G) == 0) return 0;
    s->kind = SADDLE_NULL_SPACE;
    int dependent = eliminate_constraints(s, G);
    if (dependent) return dependent;
    null_space_basis(s);
    reduced_mass(s, M);
    if (reduced_cholesky(s, M) == 0) return 0;
    return saddle_factor_pair(s, M, G, G) ? -1 : 0;
}
