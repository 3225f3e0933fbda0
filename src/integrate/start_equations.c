/* start_equations.c -- equations of initial values with a dense Jacobian B, and the order in which
 * unknowns move.
 *
 * Unknowns are in tiers: derivatives; free unknowns; directions in ker M (proper: ker d_x) among the
 * guesses; the guesses, those of a higher derivative of the constraint first.  A tier moves for what
 * the tiers before it cannot meet, and by no more than that takes.  With D the columns of a tier and Z
 * combinations of equations that are left, Z D P = Q R: Y = Q_1^T Z are the combinations that this tier
 * meets, Z := Q_2^T Z goes to the next one.  Backwards, from the last tier to the first,
 *
 *   Y D dx = Y (-c - B (what moves already)),   |dx / unit| least.
 *
 * What is left of Z at the end no unknown can meet: rows that depend on each other if Z B = 0, else
 * fixed values are in the way, those with Z B not 0.
 */
#include "integrate/start.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/norm.h"
#include "linear/columns.h"

enum { BLOCKS = KEEL_LEVELS_MOST + 4, TIERS = KEEL_LEVELS_MOST + 4, NAMES = 4 };
enum { TIER_DERIVATIVE, TIER_FREE, TIER_KERNEL, TIER_GUESS };

/* Directions shorter than this, for rows of length 1, are not there; in M: given, by differences. */
static const double rank_tolerance = 1e-9, mass_tolerance = 1e-12, mass_differences = 1e-8;
/* Distance from equations that counts as none, relative to 1 + |y|. */
static const double met_to = 1e-8;

typedef enum block_kind { BLOCK_RESIDUAL, BLOCK_LEVEL, BLOCK_RATE, BLOCK_EQUATION } block_kind;
typedef struct row_block { block_kind kind; int level, first, rows; } row_block;

typedef struct equations {
    int which, blocks, rows, columns;        /* columns: n, or 2 n with derivatives         */
    row_block block[BLOCKS];
    int merged;                              /* free unknowns move no sooner than guesses   */
    coloring colors;
    keel_matrix J, M;
    double *B, *D, *A, *G, *X, *right;       /* [rows columns] each                         */
    double *Z, *Y, *Q, *T;                   /* [rows rows]                                 */
    double *kernel, *square;                 /* [n n]                                       */
    double *value, *above, *below, *scale, *tau, *rate, *kept;   /* [rows + 2 n]            */
    int *tier, *list, *pivot, *depth;        /* [2 n + rows]                                */
    int left, kernels;                       /* rows of Z; columns of the kernel            */
    int met[TIERS];
} equations;

static int has_derivatives(const keel_problem *p)
{
    return p->ops->mass && !form_has(p, FORM_ACCELERATIONS);
}

static int differenced(const start_point *w)
{
    return w->p->ops == &implicit_form && (w->e->differences || !w->p->spec.implicit.jacobian);
}

/* Where row i of an array with n columns begins; i n may exceed an int. */
static ptrdiff_t at(int i, int n) { return (ptrdiff_t)i * n; }

/* ---- rows ---------------------------------------------------------------------------------- */

static void add_block(equations *q, block_kind kind, int level, int rows)
{
    if (rows == 0) return;
    q->block[q->blocks++] = (row_block){kind, level, q->rows, rows};
    q->rows += rows;
}

static int fixed_rates(const start_point *w)
{
    int count = 0;
    for (int i = 0; i < w->p->n && w->yp_marks; i++) count += w->yp_marks[i] == KEEL_FIXED;
    return has_derivatives(w->p) ? 0 : count;
}

/* Where M has no inverse of its own, multipliers are the integrator's business. */
static int hidden_exists(start_point *w)
{
    const keel_problem *p = w->p;
    double *unused = w->e->work[9];
    if (p->ops != &mechanical_form) return 1;
    int rc = eval_level(w->e, p->levels - 1, w->t, w->y, unused);
    return !(rc > 0 && w->e->fault.code == FAULT_SINGULAR_MASS);
}

static void list_blocks(start_point *w, equations *q)
{
    const keel_problem *p = w->p;
    if (q->which >= 0) {
        add_block(q, BLOCK_LEVEL, q->which, p->constraints);
        return;
    }
    if (has_derivatives(p)) add_block(q, BLOCK_RESIDUAL, 0, p->n);
    if (q->which == EQUATIONS_DERIVATIVE) return;
    for (int k = 0; k < p->levels; k++)
        if (k < p->levels - 1 || hidden_exists(w)) add_block(q, BLOCK_LEVEL, k, p->constraints);
    if (!p->original) add_block(q, BLOCK_LEVEL, p->levels, p->attached.rows);
    add_block(q, BLOCK_RATE, 0, fixed_rates(w));
    add_block(q, BLOCK_EQUATION, 0, w->spec ? w->spec->equations : 0);
}

/* Rows that a level has not: of a shorter chain, or kept at whatever value they have. */
static int is_absent(const keel_problem *p, const row_block *b, int i)
{
    if (b->kind != BLOCK_LEVEL) return 0;
    if (b->level == p->levels) return p->kept && p->kept[i];
    return p->ops == &levelled_form && p->links[i] < p->levels - 1 - b->level;
}

/* y' as far as it follows from y; that of algebraic unknowns is what it was. */
static int find_rate(start_point *w, const equations *q, const double *y, const double *yp, double *rate)
{
    const keel_problem *p = w->p;
    memcpy(rate, yp, (size_t)p->n * sizeof *rate);
    if (q->columns > p->n) return 0;
    int rc = eval_rate(w->e, w->t, y, rate);
    for (int i = p->n - p->constraints; i < p->n; i++) rate[i] = yp[i];
    return rc;
}

static int evaluate_block(start_point *w, equations *q, const row_block *b, const double *y,
                          const double *yp, double *c)
{
    const keel_problem *p = w->p;
    if (b->kind == BLOCK_RESIDUAL) return eval_residual(w->e, w->t, y, yp, c);
    if (b->kind == BLOCK_LEVEL) {
        int rc = eval_level(w->e, b->level, w->t, y, c);
        for (int i = 0; i < b->rows; i++)
            if (is_absent(p, b, i)) c[i] = 0;
        return rc;
    }
    int rc = find_rate(w, q, y, yp, q->rate);
    if (rc) return rc;
    if (b->kind == BLOCK_EQUATION)
        return eval_check(w->e, "equation", w->t, w->spec->equation(w->t, y, q->rate, c,
                          w->spec->context), b->rows, c);
    for (int i = 0, k = 0; i < p->n; i++)
        if (w->yp_marks[i] == KEEL_FIXED) c[k++] = q->rate[i] - yp[i];
    return 0;
}

static int evaluate(start_point *w, void *state, double *c)
{
    equations *q = state;
    int rc = 0;
    for (int k = 0; k < q->blocks && !rc; k++)
        rc = evaluate_block(w, q, &q->block[k], w->y, w->yp, c + q->block[k].first);
    return rc;
}

static void row_name(const start_point *w, const equations *q, int row, char *text, size_t size)
{
    const row_block *b = q->block;
    while (row >= b->first + b->rows) b++;
    int i = row - b->first, k = 0;
    const char *given = b->kind == BLOCK_EQUATION && w->spec->equation_names
                      ? w->spec->equation_names[i] : NULL;
    if (b->kind == BLOCK_LEVEL) start_row_name(w->p, b->level, i, text, size);
    else if (b->kind == BLOCK_RATE) {
        while (w->yp_marks[k] != KEEL_FIXED || i-- > 0) k++;
        snprintf(text, size, "derivative of %s", keel_variable_name(w->p, k));
    } else if (given) snprintf(text, size, "%s", given);
    else snprintf(text, size, b->kind == BLOCK_EQUATION ? "initial equation %d" : "equation %d", i);
}

/* ---- Jacobian ------------------------------------------------------------------------------ */

static double *entry(equations *q, int row, int j) { return q->B + at(row, q->columns) + j; }

/* Rows from..to of a matrix with the pattern of the problem. */
static void copy_matrix(equations *q, const keel_matrix *a, int from, int first, int shift,
                        double factor)
{
    for (int j = 0; j < a->columns; j++) {
        column c = matrix_column(a, j);
        for (int k = 0; k < c.count; k++)
            if (column_row(&c, k) >= from)
                *entry(q, first + column_row(&c, k) - from, shift + j) = factor * c.values[k];
    }
}

/* One block by central differences in unknown j of (y, y'); nearer where that is out of reach. */
static int difference(start_point *w, equations *q, const row_block *b, int j)
{
    int n = w->p->n, rc = 1;
    double *x = j < n ? w->y + j : w->yp + j - n, kept = *x;
    for (double share = 3e-5; rc > 0 && share > 1e-9; share /= 100) {
        double right = kept + share * (1 + fabs(kept)), left = kept - share * (1 + fabs(kept));
        *x = right;
        rc = evaluate_block(w, q, b, w->y, w->yp, q->above);
        *x = left;
        if (!rc) rc = evaluate_block(w, q, b, w->y, w->yp, q->below);
        for (int i = 0; i < b->rows && !rc; i++)
            *entry(q, b->first + i, j) = (q->above[i] - q->below[i]) / (right - left);
    }
    *x = kept;
    return rc;
}

static int level_columns(start_point *w, equations *q, const row_block *b)
{
    const constraint_level *l = &w->p->level[b->level];
    int rc = eval_level_gradient(w->e, b->level, w->t, w->y, q->A);
    for (int i = 0; i < b->rows && !rc; i++)
        for (int j = 0; j < l->count; j++)
            *entry(q, b->first + i, level_unknown(l, j)) = q->A[at(i, l->count) + j];
    return rc;
}

static int attached_columns(start_point *w, equations *q, const row_block *b)
{
    int n = w->p->n, rc = eval_attached_jacobian(w->e, w->t, w->y, q->A);
    for (int i = 0; i < b->rows && !rc; i++)
        for (int j = 0; j < n && !is_absent(w->p, b, i); j++)
            *entry(q, b->first + i, j) = q->A[at(i, n) + j];
    return rc;
}

static int matrix_columns(start_point *w, equations *q, const row_block *b)
{
    const keel_problem *p = w->p;
    int rc = eval_jacobian(w->e, &q->colors, w->t, w->y, w->yp, &q->J);
    if (!rc) copy_matrix(q, &q->J, p->n - b->rows, b->first, 0, 1);
    if (rc || b->kind == BLOCK_LEVEL) return rc;
    rc = eval_mass(w->e, &q->colors, w->t, w->y, w->yp, &q->M);
    if (!rc) copy_matrix(q, &q->M, 0, b->first, p->n, -1);
    return rc;
}

static int block_columns(start_point *w, equations *q, const row_block *b)
{
    const keel_problem *p = w->p;
    int level = b->kind == BLOCK_LEVEL, rc = 0;
    if (level && b->level == p->levels) return attached_columns(w, q, b);
    if (level && p->levels == 1 && p->ops == &semi_explicit_form) return matrix_columns(w, q, b);
    if (b->kind == BLOCK_RESIDUAL && !differenced(w)) return matrix_columns(w, q, b);
    if (level && q->which >= 0) return level_columns(w, q, b);
    for (int j = 0; j < (level ? p->n : q->columns) && !rc; j++) rc = difference(w, q, b, j);
    return rc;
}

/* ---- tiers --------------------------------------------------------------------------------- */

/* Does M (proper: d) depend on the unknown? */
static int acts(const start_point *w, equations *q, int j)
{
    int proper = w->p->ops == &proper_form, n = w->p->n;
    for (int i = proper ? w->p->group[0] : 0; i < n; i++)
        if (*entry(q, i, proper ? j : n + j) != 0) return 1;
    return 0;
}

static void assign_tiers(start_point *w, equations *q)
{
    const keel_problem *p = w->p;
    int n = p->n, alone = q->which == EQUATIONS_DERIVATIVE;
    for (int j = 0; j < q->columns; j++) {
        int i = j < n ? j : j - n;
        int soft = j >= n || (q->columns > n && !acts(w, q, i));
        if (w->standard && soft && j < n && w->marks[j] == KEEL_GUESS) w->marks[j] = KEEL_FREE;
        keel_mark mark = j < n ? w->marks[i] : w->yp_marks ? w->yp_marks[i] : KEEL_FREE;
        q->tier[j] = mark == KEEL_FIXED || (alone && j < n) || q->depth[i] < 0 ? -1
                   : mark == KEEL_FREE && j >= n ? TIER_DERIVATIVE
                   : mark == KEEL_FREE && !q->merged ? TIER_FREE
                   : soft && !q->merged ? TIER_KERNEL : TIER_GUESS + q->depth[i];
    }
}

/* Rank of A, r x c column by column, with Q [r r] and, in A, R; pivots as of dgeqp3.  -1: no memory. */
static int split(equations *q, int r, int c, double *A, double least, double *Q)
{
    int most = r < c ? r : c, rank = 0;
    memset(Q, 0, (size_t)r * (size_t)r * sizeof *Q);
    if (most == 0) {
        for (int i = 0; i < r; i++) Q[at(i, r + 1)] = 1;
        return 0;
    }
    memset(q->pivot, 0, (size_t)c * sizeof *q->pivot);
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, r, c, A, r, q->pivot, q->tau)) return -1;
    while (rank < most && fabs(A[at(rank, r + 1)]) > least) rank++;
    memcpy(Q, A, (size_t)r * (size_t)most * sizeof *Q);
    return LAPACKE_dorgqr(LAPACK_COL_MAJOR, r, r, most, Q, r, q->tau) ? -1 : rank;
}

static double largest_in_row(equations *q, int i, int from, int to)
{
    return to > from ? norm_max(to - from, entry(q, i, from)) : 0;
}

/* Null vectors of M, or d_x, restricted to the unknowns in q->list[0..c): into q->kernel, n each. */
static int find_kernel(start_point *w, equations *q, int proper, int c)
{
    const keel_problem *p = w->p;
    int n = p->n, from = proper ? p->group[0] : 0, r = n - from;
    int shift = proper ? 0 : n;
    for (int i = 0; i < r; i++) {
        double size = largest_in_row(q, from + i, shift, shift + (proper ? from : n));
        for (int a = 0; a < c; a++)
            q->square[at(i, c) + a] =
                *entry(q, from + i, shift + q->list[a]) / (size > 0 ? size : 1);
    }
    double least = differenced(w) || proper ? mass_differences : mass_tolerance;
    int rank = split(q, c, r, q->square, least, q->Q);
    if (rank < 0) return KEEL_NO_MEMORY;
    q->kernels = c - rank;
    memset(q->kernel, 0, (size_t)n * (size_t)q->kernels * sizeof *q->kernel);
    for (int k = 0; k < q->kernels; k++)
        for (int a = 0; a < c; a++)
            q->kernel[at(k, n) + q->list[a]] = q->Q[at(rank + k, c) + a];
    return 0;
}

static int guessed_kernel(start_point *w, equations *q)
{
    int c = 0, n = w->p->n;
    q->kernels = 0;
    if (q->columns == n || q->merged) return 0;
    for (int j = 0; j < n; j++)
        if (q->tier[j] >= TIER_GUESS) q->list[c++] = j;
    return c ? find_kernel(w, q, w->p->ops == &proper_form, c) : 0;
}

/* D: what a tier moves, in units or not; columns of the kernel come last.  Returns their number. */
static int tier_columns(start_point *w, equations *q, int tier, int in_units)
{
    int c = 0, n = w->p->n, R = q->rows;
    for (int j = 0; j < q->columns; j++) {
        if (q->tier[j] != tier) continue;
        double *d = q->D + at(c, R), unit = 1;
        if (in_units) unit = start_unit(w, j < n ? j : j - n);
        for (int i = 0; i < R; i++) d[i] = *entry(q, i, j) * unit;
        q->list[c++] = j;
    }
    for (int k = 0; k < q->kernels && tier == TIER_KERNEL; k++) {
        double *d = q->D + at(c, R), *v = q->kernel + at(k, n);
        for (int i = 0; i < R; i++) {
            d[i] = 0;
            for (int j = 0; j < n; j++) d[i] += *entry(q, i, j) * v[j];
        }
        q->list[c++] = -1 - k;
    }
    return c;
}

/* C = A B, row-major A [r k], column-major B [k c] and C [r c]. */
static void multiply(int r, int k, int c, const double *A, const double *B, double *C)
{
    for (int j = 0; j < c; j++)
        for (int i = 0; i < r; i++) {
            const double *a = A + at(i, k), *b = B + at(j, k);
            double sum = 0;
            for (int l = 0; l < k; l++) sum += a[l] * b[l];
            C[at(j, r) + i] = sum;
        }
}

/* Rows of Z scaled so that Z B has length 1 in the unknowns that are still to come: units must not
 * decide on ranks.  What is nothing but rounding stays. */
static void rescale(equations *q, int n, int tier)
{
    int R = q->rows;
    for (int i = 0; i < q->left; i++) {
        double *z = q->Z + at(i, R), size = 0, terms = 0;
        for (int j = 0; j < n; j++) {
            double sum = 0, all = 0;
            if (q->tier[j] >= 0 && q->tier[j] <= tier) continue;
            for (int r = 0; r < R; r++) sum += z[r] * *entry(q, r, j), all += fabs(z[r] * *entry(q, r, j));
            size = fmax(size, fabs(sum));
            terms = fmax(terms, all);
        }
        for (int r = 0; r < R && size > rank_tolerance * terms; r++) z[r] /= size;
    }
}

/* Z := Q_2^T Z, and Y gets Q_1^T Z. */
static void pass_on(equations *q, int met, int rank)
{
    int R = q->rows, r = q->left;
    for (int k = 0; k < r; k++) {
        double *target = k < rank ? q->Y + at(met + k, R)
                                  : q->T + at(k - rank, R);
        const double *turn = q->Q + at(k, r);
        memset(target, 0, (size_t)R * sizeof *target);
        for (int i = 0; i < r; i++)
            for (int l = 0; l < R; l++) target[l] += turn[i] * q->Z[at(i, R) + l];
    }
    q->left = r - rank;
    memcpy(q->Z, q->T, (size_t)q->left * (size_t)R * sizeof *q->Z);
}

/* Each equation in its own size: that of the terms with y', else of those with y. */
static void begin_rows(start_point *w, equations *q)
{
    int n = w->p->n;
    q->left = 0;
    for (int k = 0; k < q->blocks; k++)
        for (int i = 0; i < q->block[k].rows; i++) {
            int row = q->block[k].first + i;
            double size = largest_in_row(q, row, n, q->columns);
            if (size == 0) size = largest_in_row(q, row, 0, n);
            q->scale[row] = size > 0 ? size : 1;
            if (is_absent(w->p, &q->block[k], i)) continue;
            double *z = q->Z + (size_t)q->left++ * (size_t)q->rows;
            memset(z, 0, (size_t)q->rows * sizeof *z);
            z[row] = 1 / q->scale[row];
        }
}

/* Y, and Z, tier by tier. */
static int forward(start_point *w, equations *q)
{
    int met = 0;
    begin_rows(w, q);
    for (int tier = 0; tier < TIERS; tier++) {
        int c = tier_columns(w, q, tier, 0);
        double least = tier > 0 ? rank_tolerance : differenced(w) ? mass_differences
                                                                  : mass_tolerance;
        q->met[tier] = 0;
        if (c == 0 && tier > 0) continue;
        multiply(q->left, q->rows, c, q->Z, q->D, q->A);
        int rank = split(q, q->left, c, q->A, least, q->Q);
        if (rank < 0) return KEEL_NO_MEMORY;
        q->met[tier] = rank;
        pass_on(q, met, rank);
        rescale(q, w->p->n, tier);
        met += rank;
    }
    return 0;
}

/* X = J^-, from the last tier to the first; T = 1 - B X. */
static int backward(start_point *w, equations *q)
{
    int R = q->rows, n = w->p->n, met = 0;
    memset(q->X, 0, (size_t)q->columns * (size_t)R * sizeof *q->X);
    memset(q->T, 0, (size_t)R * (size_t)R * sizeof *q->T);
    for (int i = 0; i < R; i++) q->T[at(i, R + 1)] = 1;
    for (int tier = 0; tier < TIERS; tier++) met += q->met[tier];
    for (int tier = TIERS - 1; tier >= 0; tier--) {
        int rank = q->met[tier];
        if (rank == 0) continue;
        int c = tier_columns(w, q, tier, 1), ld = c;        /* rank <= c */
        met -= rank;
        multiply(rank, R, c, q->Y + at(met, R), q->D, q->A);
        multiply(rank, R, R, q->Y + at(met, R), q->T, q->G);
        for (int r = 0; r < R; r++)
            memcpy(q->right + at(r, ld), q->G + at(r, rank),
                   (size_t)rank * sizeof *q->G);
        if (LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', rank, c, R, q->A, rank, q->right, ld))
            return KEEL_NO_MEMORY;
        for (int r = 0; r < R; r++)
            for (int a = 0; a < c; a++) {
                double dx = q->right[at(r, ld) + a];
                int j = q->list[a];
                for (int i = 0; i < R; i++)
                    q->T[at(r, R) + i] -= q->D[at(a, R) + i] * dx;
                if (j >= 0)
                    q->X[at(j, R) + r] += dx * start_unit(w, j < n ? j : j - n);
                for (int i = 0; i < n && j < 0; i++)
                    q->X[at(i, R) + r] += dx * q->kernel[at(-1 - j, n) + i];
            }
    }
    return 0;
}

static int factor(start_point *w, void *state)
{
    equations *q = state;
    int rc = 0;
    memset(q->B, 0, (size_t)q->rows * (size_t)q->columns * sizeof *q->B);
    for (int k = 0; k < q->blocks && !rc; k++) rc = block_columns(w, q, &q->block[k]);
    if (rc) return rc;
    assign_tiers(w, q);
    rc = guessed_kernel(w, q);
    if (!rc) rc = forward(w, q);
    return rc ? rc : backward(w, q);
}

static void solve(start_point *w, void *state, const double *c, double *step)
{
    equations *q = state;
    memset(step, 0, 2 * (size_t)w->p->n * sizeof *step);
    for (int j = 0; j < q->columns; j++)
        for (int r = 0; r < q->rows; r++) step[j] -= q->X[at(j, q->rows) + r] * c[r];
}

/* Of the residual, each equation in its own size. */
static double length(void *state, const double *c)
{
    const equations *q = state;
    double sum = 0;
    for (int r = 0; r < q->rows; r++) sum += (c[r] / q->scale[r]) * (c[r] / q->scale[r]);
    return sqrt(sum);
}

/* ---- verdicts ------------------------------------------------------------------------------ */

/* The combination of rows that is left and violated most, or -1; *violation: its distance. */
static int worst_left(const equations *q, double *violation)
{
    int worst = -1;
    *violation = -1;
    for (int i = 0; i < q->left; i++) {
        double sum = 0;
        for (int r = 0; r < q->rows; r++) sum += q->Z[at(i, q->rows) + r] * q->value[r];
        if (fabs(sum) > *violation) *violation = fabs(sum), worst = i;
    }
    return worst;
}

/* Names in a list, separated, at most NAMES. */
typedef struct name_list { char text[200]; size_t used; int count; } name_list;

static void add_name(name_list *l, const char *name)
{
    if (l->count++ >= NAMES || l->used >= sizeof l->text) return;
    int wrote = snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s", l->used ? ", " : "",
                         name);
    if (wrote > 0) l->used += (size_t)wrote;
}

/* Unknowns in a combination z of rows: fixed ones, or all. */
static name_list unknowns_in(const start_point *w, equations *q, const double *z, int fixed_only)
{
    int n = w->p->n;
    double size = 0, *part = q->right;
    name_list names = {{0}, 0, 0};
    for (int j = 0; j < q->columns; j++) {
        part[j] = 0;
        for (int r = 0; r < q->rows; r++) part[j] += z[r] * *entry(q, r, j);
        if (j < n) size = fmax(size, fabs(part[j]));
    }
    for (int j = 0; j < q->columns; j++) {
        int fixed = q->tier[j] == -1 && q->which != EQUATIONS_DERIVATIVE;
        char text[80];
        if (fabs(part[j]) <= 1e-7 * (fixed_only ? fmax(size, 1e-2) : size) || (fixed_only && !fixed))
            continue;
        snprintf(text, sizeof text, j < n ? "%s" : "%s'", keel_variable_name(w->p, j < n ? j : j - n));
        if (fixed_only || j < n) add_name(&names, text);
    }
    return names;
}

/* The rows of a combination, and the one with the largest part. */
static name_list rows_in(const start_point *w, const equations *q, const double *z, int *main)
{
    double size = 0;
    name_list names = {{0}, 0, 0};
    for (int r = 0; r < q->rows; r++)
        if (fabs(z[r]) * q->scale[r] > size * (1 + 1e-9)) size = fabs(z[r]) * q->scale[r], *main = r;
    for (int r = 0; r < q->rows; r++) {
        char text[80];
        if (fabs(z[r]) * q->scale[r] <= 1e-3 * size) continue;
        row_name(w, q, r, text, sizeof text);
        add_name(&names, text);
    }
    return names;
}

static int present(const start_point *w, const equations *q)
{
    int count = 0;
    for (int k = 0; k < q->blocks; k++)
        for (int i = 0; i < q->block[k].rows; i++) count += !is_absent(w->p, &q->block[k], i);
    return count;
}

static int report_unmet(start_point *w, equations *q, int left)
{
    const double *z = q->Z + at(left, q->rows);
    int row = 0;
    char name[80];
    name_list rows = rows_in(w, q, z, &row), fixed = unknowns_in(w, q, z, 1);
    row_name(w, q, row, name, sizeof name);
    if (fixed.count > 0)
        return fail(w->message, KEEL_INCONSISTENT,
                    "t = %.10g: %s is violated by %.3g and cannot be met because of fixed initial "
                    "values: %s. Mark one of them as a guess or change it", w->t,
                    rows.count > 1 ? rows.text : name, q->value[row], fixed.text);
    if (rows.count == 1)
        return fail(w->message, KEEL_INCONSISTENT,
                    "t = %.10g: %s is violated by %.3g, and no unknown can change that to first order: "
                    "start nearer to a solution, or check it", w->t, name, q->value[row]);
    return fail(w->message, KEEL_INCONSISTENT,
                "t = %.10g: %s contradict each other: what they ask for differs by %.3g where the rank "
                "is %d, not %d. Remove or correct one of them", w->t, rows.text, q->value[row],
                present(w, q) - q->left, present(w, q));
}

static int report_divergence(start_point *w, equations *q)
{
    int worst = 0;
    char name[80];
    for (int r = 1; r < q->rows; r++)
        if (fabs(q->value[r]) / q->scale[r] > fabs(q->value[worst]) / q->scale[worst]) worst = r;
    row_name(w, q, worst, name, sizeof name);
    memset(q->tau, 0, (size_t)q->rows * sizeof *q->tau);
    q->tau[worst] = 1;
    name_list names = unknowns_in(w, q, q->tau, 0);
    return fail(w->message, KEEL_INCONSISTENT,
                "t = %.10g: Newton's method does not converge to consistent initial values: %s still has "
                "the residual %.3g. It depends on %s: start nearer to a solution, or check the equation",
                w->t, name, q->value[worst], names.count ? names.text : "no unknown");
}

/* Rows that hold but depend on each other: an integrator may not be able to go on. */
static int report_dependent(start_point *w, equations *q)
{
    int linked = w->p->levels > 1;
    for (int i = 0; i < q->left; i++) {
        const double *z = q->Z + at(i, q->rows);
        int row = 0;
        name_list rows = rows_in(w, q, z, &row), in;
        if (unknowns_in(w, q, z, 1).count > 0 || rows.count < 2) continue;
        memset(q->tau, 0, (size_t)q->rows * sizeof *q->tau);
        q->tau[row] = 1;
        in = unknowns_in(w, q, q->tau, 0);
        int refused = linked && q->which >= 0 && !w->dependence;
        fail(w->message, KEEL_OK, "t = %.10g: %s (in %s) depend on each other: the Jacobian of the "
             "constraints has rank %d, not %d%s", w->t, rows.text, in.text, present(w, q) - q->left,
             present(w, q), refused ? ". With all of them the form mechanical can be integrated, "
             "this one with independent ones only" : "; they do not contradict");
        if (refused) return KEEL_REDUNDANT;
    }
    return KEEL_OK;
}

/* Unknowns of index 1 alone cannot need a singular U^T J V, U and V null vectors of M^T and M
 * [Griepentrog & Maerz 1986]. */
static int check_index(start_point *w, equations *q)
{
    int n = w->p->n, blocks = q->blocks, worst = 0;
    if (q->columns == n || w->p->index > 1 || q->which != EQUATIONS_ALL) return KEEL_OK;
    for (int j = 0; j < 2 * n; j++) q->tier[j] = j < n ? TIER_GUESS : TIER_DERIVATIVE;
    for (int j = 0; j < n; j++) q->list[j] = j;
    if (find_kernel(w, q, 0, n)) return start_no_memory(w);
    q->blocks = 1;                               /* the residual alone */
    begin_rows(w, q);
    q->blocks = blocks;
    multiply(q->left, q->rows, tier_columns(w, q, TIER_DERIVATIVE, 0), q->Z, q->D, q->A);
    int rank = split(q, q->left, n, q->A, differenced(w) ? mass_differences : mass_tolerance, q->Q);
    if (rank < 0) return start_no_memory(w);
    pass_on(q, 0, rank);
    rescale(q, n, TIER_DERIVATIVE);
    int c = tier_columns(w, q, TIER_KERNEL, 0);
    multiply(q->left, q->rows, c, q->Z, q->D, q->A);
    rank = split(q, q->left, c, q->A, 0.1 * rank_tolerance, q->Q);
    if (rank < 0) return start_no_memory(w);
    if (rank == q->left || c == 0) return KEEL_OK;
    const double *v = q->kernel + at(c > rank ? q->pivot[rank] - 1 : 0, n);
    for (int j = 1; j < n; j++)
        if (fabs(v[j]) > fabs(v[worst])) worst = j;
    return fail(w->message, KEEL_WRONG_INDEX,
                "t = %.10g: every unknown is declared of index 1, but the algebraic equations do "
                "not determine the algebraic unknowns (near %s). The index is higher: set "
                "variable_index, or use a Hessenberg form", w->t, keel_variable_name(w->p, worst));
}

/* ---- the search ---------------------------------------------------------------------------- */

static void layout(arena *a, equations *q, const keel_problem *p)
{
    size_t R = (size_t)q->rows, C = (size_t)q->columns, n = (size_t)p->n, wide = R > n ? R : n;
    double **large[] = {&q->B, &q->D, &q->A, &q->X, &q->right};
    double **square[] = {&q->Z, &q->Y, &q->Q, &q->T, &q->G};
    double **vector[] = {&q->value, &q->above, &q->below, &q->scale, &q->tau, &q->rate, &q->kept};
    int **number[] = {&q->tier, &q->list, &q->pivot, &q->depth};
    int derivatives = has_derivatives(p);
    for (int k = 0; k < 5; k++) *large[k] = ARENA(a, double, R * C);
    for (int k = 0; k < 5; k++) *square[k] = ARENA(a, double, wide * wide);
    for (int k = 0; k < 7; k++) *vector[k] = ARENA(a, double, R + 2 * n);
    for (int k = 0; k < 4; k++) *number[k] = ARENA(a, int, R + 2 * n);
    q->kernel = ARENA(a, double, derivatives ? n * n : 0);
    q->square = ARENA(a, double, derivatives ? n * n : 0);
    coloring_layout(a, &q->colors, p);
    if (derivatives || p->ops == &semi_explicit_form) problem_matrix_layout(a, &q->J, p);
    if (derivatives) problem_matrix_layout(a, &q->M, p);
}

static void put_back(start_point *w, const equations *q)
{
    size_t bytes = (size_t)w->p->n * sizeof *w->y;
    memcpy(w->y, q->kept, bytes);
    memcpy(w->yp, q->kept + w->p->n, bytes);
}

static int attempt(start_point *w, equations *q)
{
    double violation, reach = met_to * (1 + norm_max(w->p->n, w->y));
    start_system system = {.state = q, .rows = q->rows, .residual = evaluate, .factor = factor,
                           .solve = solve, .length = length,
                           .enough = q->which == 0 ? 1e-10 : 1e-8};
    int rc = start_newton(w, &system, q->value);
    if (rc == START_DONE && worst_left(q, &violation) >= 0 && violation > reach) rc = START_UNMET;
    return rc;
}

/* A guess may happen to lie where the equations do not depend on it to first order, such as u2 = 0
 * in u1^2 + u2^2 = 1: from beside it. */
static int attempt_beside(start_point *w, equations *q)
{
    int first = TIERS;
    for (int j = 0; j < w->p->n; j++)
        if (q->tier[j] >= 0 && q->tier[j] < first) first = q->tier[j];
    put_back(w, q);
    for (int j = 0; j < w->p->n; j++)
        if (q->tier[j] == first) w->y[j] += 0.1 * (1 + fabs(w->y[j]));
    int rc = attempt(w, q);
    if (rc <= START_DONE) return rc;
    put_back(w, q);                              /* what cannot be met is that of the values given */
    q->merged = 0;
    rc = attempt(w, q);
    return rc == START_DONE ? START_UNMET : rc;
}

static int search(start_point *w, equations *q)
{
    int rc = attempt(w, q), free = 0;
    for (int j = 0; j < w->p->n; j++) free |= w->marks[j] == KEEL_FREE;
    if (q->which == EQUATIONS_DERIVATIVE) return rc < 0 ? rc : START_DONE;
    if (rc == START_NOT_CONVERGED && free) {     /* free unknowns alone do not suffice */
        put_back(w, q);
        q->merged = 1;
        rc = attempt(w, q);
    }
    return rc == START_UNMET ? attempt_beside(w, q) : rc;
}

/* Messages, and the values as they were unless all is well. */
static int conclude(start_point *w, equations *q, int rc, int quiet)
{
    double violation;
    int status = rc == START_DONE ? KEEL_OK : rc > START_DONE && rc < START_NOT_CONVERGED
               ? start_fault(w, rc) : rc < 0 ? start_fault(w, rc) : KEEL_INCONSISTENT;
    if (rc == START_UNMET) status = report_unmet(w, q, worst_left(q, &violation));
    if (rc == START_NOT_CONVERGED) status = report_divergence(w, q);
    if (rc == START_DONE && q->which != EQUATIONS_DERIVATIVE) status = report_dependent(w, q);
    if (status == KEEL_OK || status == KEEL_INCONSISTENT) {
        int wrong = check_index(w, q);
        if (wrong) status = wrong;
    }
    if (status) put_back(w, q);
    return quiet && status == KEEL_INCONSISTENT ? rc : status;
}

/* How far above it the level of an unknown has the last one; -1: an unknown of other levels. */
static void find_depths(equations *q, const keel_problem *p)
{
    for (int i = 0; i < p->n; i++) q->depth[i] = q->which >= 0 ? -1 : 0;
    for (int k = 0; k < p->levels && p->levels > 1; k++)
        for (int i = 0; i < p->level[k].count && (q->which < 0 || q->which == k); i++)
            q->depth[level_unknown(&p->level[k], i)] = q->which < 0 ? p->levels - 1 - k : 0;
}

int start_equations(start_point *w, int which, int quiet)
{
    const keel_problem *p = w->p;
    arena a = {0};
    equations q = {.which = which, .columns = has_derivatives(p) ? 2 * p->n : p->n};
    list_blocks(w, &q);
    if (q.rows == 0) return KEEL_OK;
    layout(&a, &q, p);
    void *block = arena_block(a.used);
    if (!block) return start_no_memory(w);
    a = (arena){.base = block};
    layout(&a, &q, p);
    coloring_build(&q.colors, p);
    find_depths(&q, p);
    memcpy(q.kept, w->y, (size_t)p->n * sizeof *q.kept);
    memcpy(q.kept + p->n, w->yp, (size_t)p->n * sizeof *q.kept);
    int rc = conclude(w, &q, search(w, &q), quiet);
    arena_block_free(block);
    return rc;
}
