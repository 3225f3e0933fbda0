/* equations.c -- equations of initial values with a dense Jacobian B: constraint levels,
 * attached rows, 0 = r(t,y,y'), and what the user adds.
 *
 * One level for the unknowns that it moves, or all of them for all unknowns.  B is the user's, or
 * by central differences where rows of levels are to move other unknowns than their own.
 */
#include "consistent/equations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/norm.h"
#include "linear/columns.h"
#include "problem/difference.h"

/* Distance from equations that counts as none, relative to 1 + |y|. */
static const double met_to = 1e-8;

/* Of differences.  Exact ones lead Newton's method from y = 1 exactly to y = 0 for 0 = y^2 + 1, where it
 * has nothing to go by. */
static const double increment_share = 3e-5;

static int has_derivatives(const keel_problem *p)
{
    return p->ops->mass && !form_has(p, FORM_ACCELERATIONS);
}

int equations_differenced(const start_point *w)
{
    return w->p->ops == &implicit_form && (w->e->differences || !w->p->spec.implicit.jacobian);
}

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

int equations_absent(const keel_problem *p, const row_block *b, int i)
{
    if (b->kind != BLOCK_LEVEL) return 0;
    if (b->level == p->levels) return p->kept && p->kept[i];
    return p->ops == &levelled_form && p->links[i] < p->levels - 1 - b->level;
}

/* y' as far as it follows from y; that of algebraic unknowns is what it was. */
static int find_rate(start_point *w, const equations *q, const double *y, const double *yp,
                     double *rate)
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
            if (equations_absent(p, b, i)) c[i] = 0;
        return rc;
    }
    int rc = find_rate(w, q, y, yp, q->rate);
    if (rc) return rc;
    if (b->kind == BLOCK_EQUATION)
        return eval_check(w->e, "equation", w->t,
                          w->spec->equation(w->t, y, q->rate, c, w->spec->context), b->rows, c);
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

/* ---- Jacobian ------------------------------------------------------------------------------ */

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

typedef struct moving_block {
    start_point *w;
    equations *q;
    const row_block *b;
} moving_block;

/* With other unknowns x = (y, y'). */
static int moved_block(void *context, double t, const double *x, double *value)
{
    const moving_block *m = context;
    (void)t;
    return evaluate_block(m->w, m->q, m->b, x, x + m->w->p->n, value);
}

/* One block by central differences in (y, y'). */
static int difference_columns_of(start_point *w, equations *q, const row_block *b)
{
    size_t n = (size_t)w->p->n;
    moving_block m = {w, q, b};
    difference d = {.value = moved_block, .context = &m, .rows = b->rows, .size = q->columns, .t = w->t,
                    .x = q->point, .moved = q->moved, .one = q->above};
    memcpy(q->point, w->y, n * sizeof *w->y);
    memcpy(q->point + n, w->yp, n * sizeof *w->yp);
    memcpy(q->moved, q->point, 2 * n * sizeof *w->y);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .share = increment_share, .typical = w->e->typical, .settling = q->changes,
        .sum = q->below, .delta = q->delta, .dense = entry(q, b->first, 0)});
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
        for (int j = 0; j < n && !equations_absent(w->p, b, i); j++)
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
    int level = b->kind == BLOCK_LEVEL;
    if (level && b->level == p->levels) return attached_columns(w, q, b);
    if (level && p->levels == 1 && p->ops == &semi_explicit_form) return matrix_columns(w, q, b);
    if (b->kind == BLOCK_RESIDUAL && !equations_differenced(w)) return matrix_columns(w, q, b);
    if (level && q->which >= 0) return level_columns(w, q, b);
    return difference_columns_of(w, q, b);
}

static int factor(start_point *w, void *state)
{
    equations *q = state;
    int rc = 0;
    memset(q->B, 0, (size_t)q->rows * (size_t)q->columns * sizeof *q->B);
    for (int k = 0; k < q->blocks && !rc; k++) rc = block_columns(w, q, &q->block[k]);
    if (!rc) tiers_factor(w, q);
    return rc;
}

static int solve(start_point *w, void *state, const double *c, double *step)
{
    equations *q = state;
    memset(step, 0, 2 * (size_t)w->p->n * sizeof *step);
    for (int j = 0; j < q->columns; j++)
        for (int r = 0; r < q->rows; r++) step[j] -= q->X[at(j, q->rows) + r] * c[r];
    return 0;
}

/* Of the residual, each equation in its own size. */
static double length(void *state, const double *c)
{
    const equations *q = state;
    double sum = 0;
    for (int r = 0; r < q->rows; r++) sum += (c[r] / q->scale[r]) * (c[r] / q->scale[r]);
    return sqrt(sum);
}

/* ---- the search ---------------------------------------------------------------------------- */

static void layout(arena *a, equations *q, const keel_problem *p)
{
    size_t R = (size_t)q->rows, C = (size_t)q->columns, n = (size_t)p->n, wide = R > n ? R : n;
    double **large[] = {&q->B, &q->D, &q->A, &q->X, &q->right};
    double **square[] = {&q->Z, &q->Y, &q->Q, &q->T, &q->G};
    double **vector[] = {&q->value, &q->above, &q->below, &q->scale, &q->tau, &q->rate, &q->kept,
                         &q->point, &q->moved, &q->delta};
    int **number[] = {&q->tier, &q->list, &q->pivot, &q->depth};
    int derivatives = has_derivatives(p);
    for (int k = 0; k < 5; k++) *large[k] = ARENA(a, double, R *C);
    for (int k = 0; k < 5; k++) *square[k] = ARENA(a, double, wide *wide);
    for (int k = 0; k < 10; k++) *vector[k] = ARENA(a, double, R + 2 * n);
    for (int k = 0; k < 4; k++) *number[k] = ARENA(a, int, R + 2 * n);
    q->changes = ARENA(a, double, 2 * R);
    q->kernel = ARENA(a, double, derivatives ? n *n : 0);
    q->square = ARENA(a, double, derivatives ? n *n : 0);
    q->work = ARENA(a, double, q->room);
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
    start_system system = {.state = q,
                           .rows = q->rows,
                           .residual = evaluate,
                           .factor = factor,
                           .solve = solve,
                           .length = length,
                           .enough = q->which == 0 ? 1e-10 : 1e-8};
    int rc = start_newton(w, &system, q->value);
    if (rc == START_DONE && verdict_worst(q, &violation) >= 0 && violation > reach)
        rc = START_UNMET;
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
    put_back(w, q); /* what cannot be met is that of the values given */
    q->merged = 0;
    rc = attempt(w, q);
    return rc == START_DONE ? START_UNMET : rc;
}

static int search(start_point *w, equations *q)
{
    int rc = attempt(w, q), free = 0;
    for (int j = 0; j < w->p->n; j++) free |= w->marks[j] == KEEL_FREE;
    if (q->which == EQUATIONS_DERIVATIVE) return rc < 0 ? rc : START_DONE;
    if (rc == START_NOT_CONVERGED && free) { /* free unknowns alone do not suffice */
        put_back(w, q);
        q->merged = 1;
        rc = attempt(w, q);
    }
    return rc == START_UNMET ? attempt_beside(w, q) : rc;
}

/* Has a value moved that is a guess? */
static int has_moved(const start_point *w, const equations *q)
{
    int moved = 0;
    for (int j = 0; j < w->p->n; j++)
        moved |= w->marks[j] == KEEL_GUESS && fabs(w->y[j] - q->kept[j]) > met_to * (1 + fabs(w->y[j]));
    return moved;
}

/* With a pattern, differences of second order are spared until those of first order do not suffice: they may
 * not see what large unknowns do that begin at 0. */
static int search_seeing(start_point *w, equations *q)
{
    const int settles = w->e->settles, spared = settles && w->p->pattern.storage != KEEL_DENSE;
    const long before = w->e->stats->rhs_for_jacobian;
    if (spared) w->e->settles = SETTLE_DOUBTED;
    int rc = search(w, q);
    w->e->settles = settles;
    if (!spared || rc < 0 || w->e->stats->rhs_for_jacobian == before) return rc;
    if (rc == START_DONE && !has_moved(w, q)) return rc;
    put_back(w, q);
    q->merged = 0;
    return search(w, q);
}

/* Unknowns of index 1 alone cannot need a higher index. */
static int check_index(start_point *w, equations *q)
{
    if (q->columns == w->p->n || w->p->index > 1 || q->which != EQUATIONS_ALL) return KEEL_OK;
    int unknown = tiers_undetermined(w, q), given = !equations_differenced(w) && !w->e->differences;
    if (unknown < 0) return KEEL_OK;
    given &= w->p->ops != &quasilinear_form || problem_gives_jacobian(w->p);
    return fail(w->message, KEEL_WRONG_INDEX,
                "t = %.10g: every unknown is declared of index 1, but the algebraic equations do "
                "not determine the algebraic unknowns (near %s). The index is higher: set "
                "variable_index, or use a Hessenberg form; or equations repeat each other%s",
                w->t, keel_variable_name(w->p, unknown),
                given ? "" : "; or differences do not show what an unknown of this size does: give the "
                             "Jacobian, or write the equations with other units");
}

/* Messages, and the values as they were unless all is well. */
static int conclude(start_point *w, equations *q, int rc, int quiet)
{
    int status = rc == START_DONE                              ? KEEL_OK
                 : rc > START_DONE && rc < START_NOT_CONVERGED ? start_fault(w, rc)
                 : rc < 0                                      ? start_fault(w, rc)
                                                               : KEEL_INCONSISTENT;
    if (rc == START_UNMET) status = verdict_unmet(w, q);
    if (rc == START_NOT_CONVERGED) status = verdict_divergence(w, q);
    if (rc == START_DONE && q->which != EQUATIONS_DERIVATIVE) status = verdict_dependent(w, q);
    if (rc == START_DONE && status == KEEL_OK) status = verdict_idle(w, q);
    if (status == KEEL_OK || rc == START_NOT_CONVERGED) {     /* else what is unmet has been named */
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
    q.room = tiers_room(&q, p->n);
    layout(&a, &q, p);
    void *block = arena_block(a.used);
    if (!block) return start_no_memory(w);
    a = (arena){.base = block};
    layout(&a, &q, p);
    coloring_build(&q.colors, p);
    find_depths(&q, p);
    memcpy(q.kept, w->y, (size_t)p->n * sizeof *q.kept);
    memcpy(q.kept + p->n, w->yp, (size_t)p->n * sizeof *q.kept);
    int rc = conclude(w, &q, search_seeing(w, &q), quiet);
    arena_block_free(block);
    return rc;
}
