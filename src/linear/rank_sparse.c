/* rank_sparse.c -- rows of a sparse G that depend on each other: chosen ones, without which the others
 * are independent, and the smallest multipliers.
 *
 * Rows of length 1, A = D^-1 G, are eliminated in an order of minimum degree (AMD),
 *
 *   A A^T = L diag(d) L^T,   d(k) = (distance of row k from the span of those before it)^2,
 *
 * column by column of L from the elimination tree [Davis, Direct Methods for Sparse Linear Systems,
 * 2006, 4.8].  A row whose d(k) is too small is left out and counts as dependent [Andersen, Optim.
 * Methods Softw. 6 (1995), for linear programs].  Squares end at rounding: what is left of a row is
 * known to 1e-7 at best.  So it is measured again by least squares, whose residual is exact after a
 * refinement [Bjorck, Numerical Methods for Least Squares Problems, 1996, 6.6].
 *
 * With A = (B; C), C the rows left out, the left null space of G has the columns
 *
 *   N = D^-1 (W; -I),   W = (B B^T)^-1 B C^T,
 *
 * which are never formed: l - N (N^T N)^-1 N^T l takes conjugate gradients for N^T N, two solves each.
 */
#include "linear/columns.h"
#include "linear/linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef KEEL_WITH_SPARSE
#include <amd.h>
enum { HAS_AMD = 1 };
#else
enum { HAS_AMD = 0 };
#define amd_order(m, start, row, order, control, info) (-1)       /* never asked for */
#endif

struct sparse_rank {
    int m, n, count;             /* rows, columns, entries of G                            */
    const int *start, *row;      /* G by columns, borrowed                                 */
    int *by_row, *column, *at;   /* [m+1], [count], [count] G by rows: columns, places     */
    int *order, *due;            /* [m] the row that is k-th, and when a row is            */
    int *parent, *mark, *stack;  /* [m] elimination tree; scratch                          */
    int *l_start, *l_end;        /* [m+1], [m] columns of L                                */
    int *l_row;                  /* [l_start[m]]                                           */
    double *l;
    double *a;                   /* [count] A                                              */
    double *length;              /* [m] D                                                  */
    double *d;                   /* [m] 1/d, 0: left out                                   */
    double *y, *x;               /* [m], [n] scratch                                       */
    double *b, *u, *r, *q, *v;   /* [m] scratch                                            */
    void *factors;               /* the block of l and l_row; NULL: not analysed yet       */
};

/* Entries of L beside those of G, at most: where a column of G is nearly full so is A A^T. */
enum { FILL_MOST = 200, GRADIENTS = 100, REFINEMENTS = 3 };

static void layout(arena *a, void *made)
{
    sparse_rank *s = made;
    ARENA_INTEGERS(a, s->m, &s->order, &s->due, &s->parent, &s->mark, &s->stack, &s->l_end);
    ARENA_VECTORS(a, s->m, &s->length, &s->d, &s->y, &s->b, &s->u, &s->r, &s->q, &s->v);
    s->by_row = ARENA(a, int, s->m + 2);
    s->l_start = ARENA(a, int, s->m + 1);
    ARENA_INTEGERS(a, s->count, &s->column, &s->at);
    s->a = ARENA(a, double, s->count);
    s->x = ARENA(a, double, s->n);
}

int sparse_rank_create(sparse_rank **out, int m, int n, const keel_pattern *G)
{
    *out = NULL;
    if (!HAS_AMD) return KEEL_UNSUPPORTED;
    *out = arena_made(&(sparse_rank){.m = m, .n = n, .count = G->column_start[n], .start = G->column_start,
                                     .row = G->row_index}, sizeof **out, layout);
    return *out ? KEEL_OK : KEEL_NO_MEMORY;
}

void sparse_rank_free(sparse_rank *s)
{
    if (s) arena_block_free(s->factors);
    arena_block_free(s);
}

/* ---- analysis ------------------------------------------------------------------------------ */

/* Rows that share a column with row i, each once, into `rows` unless NULL; how many. */
static int neighbours(const sparse_rank *s, int i, int *rows)
{
    int count = 0;
    for (int p = s->by_row[i]; p < s->by_row[i + 1]; p++)
        for (int q = s->start[s->column[p]]; q < s->start[s->column[p] + 1]; q++) {
            int k = s->row[q];
            if (s->mark[k] == i) continue;
            s->mark[k] = i;
            if (rows) rows[count] = k;
            count++;
        }
    return count;
}

static void forget_marks(sparse_rank *s)
{
    for (int i = 0; i < s->m; i++) s->mark[i] = -1;
}

static int find_order(sparse_rank *s)
{
    size_t entries = 0, most = (size_t)FILL_MOST * ((size_t)s->count + (size_t)s->m);
    forget_marks(s);
    for (int i = 0; i < s->m; i++) entries += (size_t)neighbours(s, i, NULL);
    if (entries > most) return KEEL_UNSUPPORTED;
    int *start = malloc(((size_t)s->m + 1 + entries + 1) * sizeof *start), *row = start + s->m + 1;
    if (!start) return KEEL_NO_MEMORY;
    forget_marks(s);
    start[0] = 0;
    for (int i = 0; i < s->m; i++) start[i + 1] = start[i] + neighbours(s, i, row + start[i]);
    int rc = amd_order(s->m, start, row, s->order, NULL, NULL);
    free(start);
    for (int k = 0; k < s->m && rc >= 0; k++) s->due[s->order[k]] = k;
    return rc >= 0 ? KEEL_OK : KEEL_NO_MEMORY;
}

/* The rows before k that row k of L reaches, up the elimination tree; `grow`: which is made, and entries
 * of L counted. */
static int reach(sparse_rank *s, int k, int grow)
{
    int top = s->m, i = s->order[k];
    s->mark[k] = k;
    if (grow) s->parent[k] = -1;
    for (int p = s->by_row[i]; p < s->by_row[i + 1]; p++)
        for (int q = s->start[s->column[p]]; q < s->start[s->column[p] + 1]; q++) {
            int length = 0, j = s->due[s->row[q]];
            if (j > k) continue;
            for (; s->mark[j] != k; j = s->parent[j]) {
                s->stack[length++] = j;
                s->mark[j] = k;
                if (grow && s->parent[j] < 0) s->parent[j] = k;
                if (grow) s->l_end[j]++;
            }
            while (length > 0) s->stack[--top] = s->stack[--length];
        }
    return top;
}

static int analyse(sparse_rank *s)
{
    list_by_rows(s->m, s->n, s->start, s->row, s->by_row, s->column, s->at);
    int rc = find_order(s);
    if (rc) return rc;
    forget_marks(s);
    size_t entries = 0;
    memset(s->l_end, 0, (size_t)s->m * sizeof *s->l_end);
    for (int k = 0; k < s->m; k++) (void)reach(s, k, 1);
    for (int k = 0; k < s->m; k++) {
        s->l_start[k] = (int)entries;
        entries += (size_t)s->l_end[k];
        if (entries > (size_t)FILL_MOST * ((size_t)s->count + (size_t)s->m)) return KEEL_UNSUPPORTED;
    }
    s->l_start[s->m] = (int)entries;
    s->factors = arena_block((entries + 1) * (sizeof *s->l + sizeof *s->l_row));
    if (!s->factors) return KEEL_NO_MEMORY;
    s->l = s->factors;
    s->l_row = (int *)(s->l + entries + 1);
    return KEEL_OK;
}

static int ready(sparse_rank *s)
{
    return s->factors ? KEEL_OK : analyse(s);
}

/* ---- elimination --------------------------------------------------------------------------- */

/* 0, or -1: an entry is not finite. */
static int scale(sparse_rank *s, const double *G)
{
    for (int i = 0; i < s->m; i++) {
        double largest = 0, sum = 0;
        for (int p = s->by_row[i]; p < s->by_row[i + 1]; p++)
            if (!(fabs(G[s->at[p]]) <= largest)) largest = fabs(G[s->at[p]]);
        if (!(largest <= DBL_MAX)) return -1;
        for (int p = s->by_row[i]; p < s->by_row[i + 1] && largest > 0; p++)
            sum += (G[s->at[p]] / largest) * (G[s->at[p]] / largest);
        s->length[i] = largest > 0 ? largest * sqrt(sum) : 1;
        for (int p = s->by_row[i]; p < s->by_row[i + 1]; p++) s->a[s->at[p]] = G[s->at[p]] / s->length[i];
    }
    return 0;
}

/* Row k of L; d(k). */
static double eliminate(sparse_rank *s, int k)
{
    int i = s->order[k], top = reach(s, k, 0);
    for (int p = s->by_row[i]; p < s->by_row[i + 1]; p++)
        for (int q = s->start[s->column[p]]; q < s->start[s->column[p] + 1]; q++)
            if (s->due[s->row[q]] <= k) s->y[s->due[s->row[q]]] += s->a[s->at[p]] * s->a[q];
    double d = s->y[k];
    s->y[k] = 0;
    for (; top < s->m; top++) {
        int j = s->stack[top], end = s->l_end[j]++;
        double y = s->y[j], l = y * s->d[j];
        s->y[j] = 0;
        for (int p = s->l_start[j]; p < end; p++) s->y[s->l_row[p]] -= s->l[p] * y;
        d -= l * y;
        s->l_row[end] = k;
        s->l[end] = l;
    }
    return d;
}

/* Rows are left out that `out` has from before, and where `tolerance` is more than what remains of them;
 * the least that remains of the others. */
static double factor(sparse_rank *s, double tolerance, unsigned char *out)
{
    double least = 1;
    forget_marks(s);
    memset(s->y, 0, (size_t)s->m * sizeof *s->y);
    for (int k = 0; k < s->m; k++) s->l_end[k] = s->l_start[k];
    for (int k = 0; k < s->m; k++) {
        double d = eliminate(s, k);
        unsigned char *left = &out[s->order[k]];
        *left |= !(d > tolerance * tolerance);
        s->d[k] = *left ? 0 : 1 / d;
        if (!*left) least = fmin(least, d);
    }
    return sqrt(least);
}

double sparse_rank_factor(sparse_rank *s, const double *G, unsigned char *out)
{
    return ready(s) || scale(s, G) ? -1 : factor(s, 0, out);
}

int sparse_rank_find(sparse_rank *s, const double *G, double tolerance, unsigned char *out)
{
    int rc = ready(s), count = 0;
    if (rc) return rc;
    memset(out, 0, (size_t)s->m);
    if (scale(s, G)) return 0;
    (void)factor(s, tolerance, out);
    for (int i = 0; i < s->m; i++) count += out[i];
    return count;
}

/* ---- least squares ------------------------------------------------------------------------- */

/* w := (B B^T)^-1 w, 0 for rows that were left out. */
static void solve(const sparse_rank *s, double *w)
{
    double *y = s->y;
    for (int k = 0; k < s->m; k++) y[k] = s->d[k] > 0 ? w[s->order[k]] : 0;
    for (int k = 0; k < s->m; k++)
        for (int p = s->l_start[k]; p < s->l_start[k + 1]; p++) y[s->l_row[p]] -= s->l[p] * y[k];
    for (int k = 0; k < s->m; k++) y[k] *= s->d[k];
    for (int k = s->m - 1; k >= 0; k--)
        for (int p = s->l_start[k]; p < s->l_start[k + 1]; p++) y[k] -= s->l[p] * y[s->l_row[p]];
    for (int k = 0; k < s->m; k++) w[s->order[k]] = y[k];
}

static int left_out(const sparse_rank *s, int i) { return s->d[s->due[i]] == 0; }

/* x := A^T w and w := A x, x being s->x */
static void combine_rows(const sparse_rank *s, const double *w)
{
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    for (int j = 0; j < s->n; j++)
        for (int p = s->start[j]; p < s->start[j + 1]; p++) s->x[j] += s->a[p] * w[s->row[p]];
}

static void multiply(const sparse_rank *s, double *w)
{
    memset(w, 0, (size_t)s->m * sizeof *w);
    for (int j = 0; j < s->n; j++)
        for (int p = s->start[j]; p < s->start[j + 1]; p++) w[s->row[p]] += s->a[p] * s->x[j];
}

/* w: combination of rows left out on entry; on exit also of those that make it up, so that A^T w is what
 * remains, in s->x. */
static void complete(const sparse_rank *s, int rounds, double *w)
{
    for (int round = 0; round < rounds; round++) {
        combine_rows(s, w);
        multiply(s, s->b);
        solve(s, s->b);
        for (int i = 0; i < s->m; i++) w[i] -= s->b[i];
    }
    combine_rows(s, w);
}

double sparse_rank_remainder(sparse_rank *s, double *part)
{
    double largest = 0;
    for (int i = 0; i < s->m; i++) part[i] = left_out(s, i) ? 1 + 0.5 * cos(i) : 0;
    complete(s, REFINEMENTS, part);
    for (int j = 0; j < s->n; j++) largest = fmax(largest, fabs(s->x[j]));
    return largest;
}

/* ---- the smallest multipliers -------------------------------------------------------------- */

/* u := N v, v in the places of the rows left out */
static void null_combination(sparse_rank *s, const double *v, double *u)
{
    for (int i = 0; i < s->m; i++) u[i] = left_out(s, i) ? v[i] : 0;
    complete(s, 1, u);
    for (int i = 0; i < s->m; i++) u[i] /= s->length[i];
}

/* v := N^T u: of the rows left out u - C B^T (B B^T)^-1 u, all of it divided by D */
static void null_part(sparse_rank *s, const double *u, double *v)
{
    for (int i = 0; i < s->m; i++) s->b[i] = left_out(s, i) ? 0 : u[i] / s->length[i];
    solve(s, s->b);
    combine_rows(s, s->b);
    multiply(s, v);
    for (int i = 0; i < s->m; i++) v[i] = left_out(s, i) ? u[i] / s->length[i] - v[i] : 0;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

void sparse_rank_smallest(sparse_rank *s, double *l)
{
    int m = s->m;
    double *r = s->r, *q = s->q, *v = s->v, *u = s->u;
    null_part(s, l, r);
    double first = dot(m, r, r), rho = first;
    memcpy(v, r, (size_t)m * sizeof *v);
    for (int pass = 0; pass < GRADIENTS && rho > DBL_EPSILON * DBL_EPSILON * first; pass++) {
        null_combination(s, v, u);
        double step = rho / dot(m, u, u), before = rho;
        for (int i = 0; i < m; i++) l[i] -= step * u[i];
        null_part(s, u, q);
        for (int i = 0; i < m; i++) r[i] -= step * q[i];
        rho = dot(m, r, r);
        for (int i = 0; i < m; i++) v[i] = r[i] + rho / before * v[i];
    }
}
