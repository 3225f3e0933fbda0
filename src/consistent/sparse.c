/* sparse.c -- initial values in the pattern of the problem: time and memory grow with its
 * nonzeros.
 *
 *   a level 0 = c(x)   H = c_x, columns of fixed unknowns 0:  [1 H^T; H 0] (dx, mu) = (0, -c),
 *                      the smallest change; for g' of Hessenberg 3, H = g_u f_v is not formed but
 *                      g_u w = -c, w = f_v dv
 *   z                  the last level, by `directions`
 *   0 = r(t,y,y')      y' where M has a column, y where it has none, all other y held:
 *                      (M - J') d = r with J' the columns of J where M has none; where that is
 *                      singular because M is, without an empty column, an implicit Euler step of
 *                      length 1/sigma: (sigma M - J) d = r, y := y + d, y' := y' + sigma d
 */
#include "consistent/consistent.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/norm.h"
#include "linear/columns.h"
#include "problem/directions.h"
#include "step/mechanical_point.h"

enum { DENSE_MOST = 400 };
static const double consistent_to = 1e-7; /* residuals beside the terms of the equations */

int start_is_large(const keel_problem *p)
{
    int derivatives = p->ops->mass && !form_has(p, FORM_ACCELERATIONS);
    return problem_is_sparse(p) || (p->n > DENSE_MOST && (p->levels == 1 || derivatives));
}

static int diverged(const start_point *w, const char *row, double residual, const char *unknown)
{
    return fail(
        w->message, KEEL_INCONSISTENT,
        "t = %.10g: Newton's method does not converge to consistent initial values: %s still has "
        "the residual %.3g. It depends most on %s: start nearer to a solution, or check the "
        "equation",
        w->t, row, residual, unknown);
}

/* The unknown with the largest entry in a row, fixed ones alone if asked for; -1: none. */
static int largest_in_row(const start_point *w, const keel_matrix *J, int row, int fixed_only)
{
    int best = -1;
    double most = 0;
    for (int j = 0; j < J->columns; j++) {
        column c = matrix_column(J, j);
        for (int k = 0; k < c.count; k++)
            if (column_row(&c, k) == row && fabs(c.values[k]) > most &&
                (!fixed_only || w->marks[j] == KEEL_FIXED))
                most = fabs(c.values[k]), best = j;
    }
    return best;
}

static int worst_of(int n, const double *x)
{
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[worst])) worst = i;
    return worst;
}

/* ---- a level ------------------------------------------------------------------------------- */

typedef struct level_system {
    int level, product;               /* product: H = g_u f_v                        */
    int rows, columns, entries, heed; /* of H; heed: fixed unknowns stay             */
    coloring colors;
    keel_matrix J;
    int *start, *row, *source, *place; /* pattern of H, where its entries are in J;   */
                                       /* [m] rows of H of those of the level, or -1  */
    int *ones;                         /* [columns + 1] the pattern of a diagonal     */
    double *H, *weight, *x, *mu, *c, *zero;
    saddle *saddle;
    int dependent; /* the row that the factorization lacks        */
} level_system;

/* Entries of column j of J in rows from..to go to rows of H; those of the constraint by `place`. */
static void take_column(level_system *s, int j, int from, int to, int below, const int *place)
{
    column c = matrix_column(&s->J, j);
    for (int k = 0; k < c.count; k++) {
        int row = column_row(&c, k) - from;
        if (row < 0 || row >= to - from || (place && place[row] < 0)) continue;
        if (s->row) {
            s->row[s->entries] = below + (place ? place[row] : row);
            s->source[s->entries] = (int)(c.values + k - s->J.values);
        }
        s->entries++;
    }
}

static void end_column(level_system *s, int j)
{
    if (s->start) s->start[j + 1] = s->entries;
}

/* The pattern of H; counts when there is no room yet. */
static void build(level_system *s, const keel_problem *p)
{
    const constraint_level *l = &p->level[s->level];
    int n = p->n, N = p->group[0], m = p->constraints;
    s->entries = 0;
    for (int j = 0; j < l->count; j++) {
        int unknown = level_unknown(l, j);
        if (s->product)
            take_column(s, unknown, 0, N, 0, NULL);
        else
            take_column(s, unknown, n - m, n, 0, s->place);
        end_column(s, j);
    }
    for (int i = 0; i < N && s->product; i++) {
        if (s->row) s->row[s->entries] = i, s->source[s->entries] = -1;
        s->entries++;
        take_column(s, i, n - m, n, N, s->place);
        end_column(s, l->count + i);
    }
}

static void level_layout(arena *a, level_system *s, const keel_problem *p)
{
    int m = p->constraints, size = s->rows + s->columns;
    coloring_layout(a, &s->colors, p);
    problem_matrix_layout(a, &s->J, p);
    s->place = ARENA(a, int, m);
    s->start = ARENA(a, int, s->columns + 1);
    s->ones = ARENA(a, int, s->columns + 1);
    s->row = ARENA(a, int, s->entries);
    s->source = ARENA(a, int, s->entries);
    s->H = ARENA(a, double, s->entries);
    s->weight = ARENA(a, double, s->columns);
    s->x = ARENA(a, double, size);
    s->mu = ARENA(a, double, size);
    s->c = ARENA(a, double, m);
    s->zero = ARENA(a, double, p->n);
}

static int level_residual(start_point *w, void *state, double *c)
{
    level_system *s = state;
    return eval_level(w->e, s->level, w->t, w->y, c);
}

static int level_factor(start_point *w, void *state)
{
    level_system *s = state;
    const keel_problem *p = w->p;
    const constraint_level *l = &p->level[s->level];
    int lag = w->e->lag, levelled = p->ops == &levelled_form;
    if (levelled) eval_set_lag(w->e, p->levels - 1 - s->level);
    int rc = eval_jacobian(w->e, &s->colors, w->t, w->y, s->zero, &s->J);
    if (levelled) eval_set_lag(w->e, lag);
    if (rc) return rc;
    for (int j = 0; j < s->columns; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            int unknown = j < l->count ? level_unknown(l, j) : -1;
            double unit = unknown < 0 ? 1 : start_unit(w, unknown);
            int held = unknown >= 0 && s->heed && w->marks[unknown] == KEEL_FIXED;
            s->H[k] = s->source[k] < 0 ? -1 : held ? 0 : unit * s->J.values[s->source[k]];
        }
    rc = saddle_factor(s->saddle, s->product ? s->weight : NULL, s->H);
    s->dependent = rc > 0 ? rc - 1 : 0;
    return rc > 0 ? START_SINGULAR : rc;
}

static void level_solve(start_point *w, void *state, const double *c, double *step)
{
    level_system *s = state;
    const constraint_level *l = &w->p->level[s->level];
    memset(step, 0, 2 * (size_t)w->p->n * sizeof *step);
    memset(s->x, 0, (size_t)s->columns * sizeof *s->x);
    memset(s->mu, 0, (size_t)s->rows * sizeof *s->mu);
    for (int i = 0; i < w->p->constraints; i++)
        if (s->place[i] >= 0) s->mu[(s->product ? w->p->group[0] : 0) + s->place[i]] = -c[i];
    saddle_solve(s->saddle, 1, s->x, s->mu);
    for (int j = 0; j < l->count; j++) {
        int unknown = level_unknown(l, j);
        if (w->marks[unknown] != KEEL_FIXED) step[unknown] = s->x[j] * start_unit(w, unknown);
    }
}

/* Which row, and whether fixed values are to blame: without them the rows would be independent. */
static int level_singular(start_point *w, level_system *s)
{
    const keel_problem *p = w->p;
    int at = s->dependent - (s->product ? p->group[0] : 0), row = 0, fixed;
    char name[80];
    for (int i = 0; i < p->constraints; i++)
        if (s->place[i] == at) row = i;
    start_row_name(p, s->level, row, name, sizeof name);
    s->heed = 0;
    fixed = largest_in_row(w, &s->J, p->n - p->constraints + row, 1);
    if (fixed >= 0 && level_factor(w, s) == 0)
        return fail(
            w->message, KEEL_INCONSISTENT,
            "t = %.10g: %s is violated by %.3g and cannot be met because of fixed initial values, "
            "such as %s. Mark one of them as a guess or change it",
            w->t, name, s->c[row], keel_variable_name(p, fixed));
    return fail(
        w->message, KEEL_REDUNDANT,
        "t = %.10g: %s depends on other rows: the Jacobian of the constraints has not the rank "
        "%d, which a sparse problem must have",
        w->t, name, p->constraints);
}

static int meet_level(start_point *w, level_system *s)
{
    const keel_problem *p = w->p;
    start_system system = {.state = s,
                           .rows = p->constraints,
                           .residual = level_residual,
                           .factor = level_factor,
                           .solve = level_solve,
                           .enough = 1e-9};
    int rc = level_residual(w, s, s->c);
    if (rc) return start_fault(w, rc);
    if (norm_max(p->constraints, s->c) == 0) return KEEL_OK;
    rc = start_newton(w, &system, s->c);
    if (rc == START_SINGULAR) return level_singular(w, s);
    if (rc == START_NOT_CONVERGED) {
        char name[80];
        int row = worst_of(p->constraints, s->c);
        int most = largest_in_row(w, &s->J, p->n - p->constraints + row, 0);
        start_row_name(p, s->level, row, name, sizeof name);
        return diverged(w, name, s->c[row], keel_variable_name(p, most));
    }
    return rc ? start_fault(w, rc) : KEEL_OK;
}

static int make_saddle(level_system *s)
{
    keel_pattern H = {.storage = KEEL_SPARSE, .column_start = s->start, .row_index = s->row};
    keel_pattern D = {.storage = KEEL_SPARSE, .column_start = s->ones, .row_index = s->ones};
    for (int j = 0; j <= s->columns; j++) s->ones[j] = j;
    return saddle_create_sparse(&s->saddle, s->columns, s->rows, s->product ? &D : NULL, &H);
}

int start_sparse_level(start_point *w, int level)
{
    const keel_problem *p = w->p;
    const constraint_level *l = &p->level[level];
    int product = p->ops == &hessenberg3_form && level == 1, m = p->constraints, present = 0;
    level_system s = {.level = level, .product = product, .heed = 1};
    arena a = {0};
    int *place = malloc((size_t)m * sizeof *place);
    if (!place) return start_no_memory(w);
    for (int i = 0; i < m; i++) {
        int absent = p->ops == &levelled_form && p->links[i] < p->levels - 1 - level;
        place[i] = absent ? -1 : present++;
    }
    s.place = place;
    s.rows = present + (product ? p->group[0] : 0);
    s.columns = l->count + (product ? p->group[0] : 0);
    s.J = (keel_matrix){.rows = p->n, .columns = p->n, .pattern = p->pattern};
    build(&s, p);
    level_layout(&a, &s, p);
    a = (arena){.base = arena_block(a.used)};
    int rc = a.base ? KEEL_OK : start_no_memory(w);
    void *block = a.base;
    if (!rc) {
        level_layout(&a, &s, p);
        memcpy(s.place, place, (size_t)m * sizeof *place);
        build(&s, p);
        coloring_build(&s.colors, p);
        for (int j = 0; j < l->count; j++) s.weight[j] = 1;
        rc = make_saddle(&s);
        if (rc)
            fail(w->message, rc, "the linear algebra for the initial values failed: %s",
                 keel_status_text(rc));
    }
    if (!rc) rc = meet_level(w, &s);
    saddle_free(s.saddle);
    arena_block_free(block);
    free(place);
    return rc;
}

/* ---- z ------------------------------------------------------------------------------------- */

typedef struct multipliers {
    directions d;
    double *c;
    int row;
} multipliers;

static int hidden_residual(start_point *w, void *state, double *c)
{
    (void)state;
    return eval_level(w->e, w->p->levels - 1, w->t, w->y, c);
}

static int hidden_factor(start_point *w, void *state)
{
    multipliers *s = state;
    int rc = directions_prepare(&s->d, w->e, NULL, w->t, w->y, &s->row);
    return rc == DIRECTIONS_SINGULAR ? START_SINGULAR : rc;
}

static void hidden_solve(start_point *w, void *state, const double *c, double *step)
{
    multipliers *s = state;
    int m = w->p->constraints, last = w->p->levels - 1;
    double *mu = step + w->p->n - m;
    memset(step, 0, 2 * (size_t)w->p->n * sizeof *step);
    for (int i = 0; i < m; i++) mu[i] = -c[i];
    directions_solve(&s->d, last, 0, mu);
}

/* Fixed multipliers of large problems, for which nothing else moves, must be right. */
static int check_multipliers(start_point *w, multipliers *s)
{
    const keel_problem *p = w->p;
    int n = p->n, m = p->constraints, rc = hidden_residual(w, s, s->c);
    if (rc) return start_fault(w, rc);
    for (int i = 0; i < m; i++) s->c[i] = -s->c[i];
    directions_solve(&s->d, p->levels - 1, 0, s->c);
    for (int i = 0; i < m; i++) {
        double z = w->y[n - m + i];
        if (w->marks[n - m + i] != KEEL_FIXED)
            w->y[n - m + i] += s->c[i];
        else if (fabs(s->c[i]) > 1e-6 * (1 + fabs(z)))
            return fail(
                w->message, KEEL_INCONSISTENT,
                "t = %.10g: the initial value of %s is fixed at %.6g, but the hidden constraints "
                "ask for %.6g. Free it",
                w->t, keel_variable_name(p, n - m + i), z, z + s->c[i]);
    }
    return KEEL_OK;
}

/* z, unless marks fix it: then the rank of what determines it. */
static int find_multipliers(start_point *w, multipliers *s)
{
    const keel_problem *p = w->p;
    int n = p->n, m = p->constraints, fixed = 0, rc;
    start_system system = {.state = s,
                           .rows = m,
                           .residual = hidden_residual,
                           .factor = hidden_factor,
                           .solve = hidden_solve,
                           .enough = 1e-6};
    for (int i = n - m; i < n; i++) fixed |= w->marks[i] == KEEL_FIXED;
    rc = fixed || p->levels == 1 ? hidden_factor(w, s) : start_newton(w, &system, s->c);
    if (rc == START_SINGULAR && !fixed && p->levels > 1) { /* by chance: from beside */
        for (int i = n - m; i < n; i++) w->y[i] += 0.1 * (1 + fabs(w->y[i]));
        rc = start_newton(w, &system, s->c);
    }
    if (rc == START_SINGULAR) return start_wrong_index(w);
    if (rc == START_NOT_CONVERGED) {
        char name[80];
        int row = worst_of(m, s->c);
        start_row_name(p, p->levels - 1, row, name, sizeof name);
        return diverged(w, name, s->c[row], keel_variable_name(p, n - m + row));
    }
    if (rc) return start_fault(w, rc);
    return fixed && start_is_large(p) ? check_multipliers(w, s) : KEEL_OK;
}

static void place_layout(arena *a, mechanical_point *at, double **y, const keel_problem *p)
{
    point_layout(a, at, p);
    at->y = ARENA(a, double, p->n);
    *y = ARENA(a, double, p->n);
}

/* Moves w->y as the plan says and finds l; `move`: only if the rest of w->y does not change but for
 * rounding, else nothing. */
static projection_result at_mechanical_point(start_point *w, const projection_plan *plan, int move,
                                             int *memory)
{
    arena a = {0};
    mechanical_point at = {0};
    int n = w->p->n, row = 0;
    double *y;
    place_layout(&a, &at, &y, w->p);
    void *block = arena_block(a.used);
    *memory = block != NULL;
    if (!block) return PROJECTION_STOP;
    a = (arena){.base = block};
    place_layout(&a, &at, &y, w->p);
    point_forget(&at);
    memcpy(y, w->y, (size_t)n * sizeof *y);
    projection_result result = mechanical_move(&at, w->e, plan, w->t, y, &row);
    for (int i = 0; i < n - w->p->constraints && move && !result; i++)
        if (fabs(y[i] - w->y[i]) > 4 * DBL_EPSILON * (1 + fabs(y[i]))) result = PROJECTION_DIVERGES;
    if (!result)
        memcpy(w->y + n - w->p->constraints, y + n - w->p->constraints,
               (size_t)w->p->constraints * sizeof *y);
    arena_block_free(block);
    return result;
}

int start_holds(start_point *w, int *rc)
{
    const projection_plan plan = {.kind = KEEL_PROJECT_OBLIQUE, .multipliers = 1,
                                  .stiffly_accurate = 1};
    *rc = KEEL_OK;
    if (w->p->ops != &mechanical_form || w->p->levels == 0) return 0;
    int memory;
    projection_result result = at_mechanical_point(w, &plan, 1, &memory);
    *rc = result != PROJECTION_STOP ? KEEL_OK : memory ? start_fault(w, -1) : start_no_memory(w);
    return result == PROJECTION_DONE;
}

/* (a, l) of [M G^T; G 0], where M need not have an inverse; where that has none the integrator says
 * so. */
static int mechanical_multipliers(start_point *w)
{
    const projection_plan plan = {.kind = KEEL_PROJECT_NONE, .multipliers = 1};
    int memory;
    projection_result result = at_mechanical_point(w, &plan, 0, &memory);
    if (!memory) return start_no_memory(w);
    int failed = result == PROJECTION_STOP || result == PROJECTION_CANNOT_EVALUATE;
    if (failed && w->e->fault.code == FAULT_SINGULAR_MASS) failed = 0;
    return failed ? start_fault(w, result) : KEEL_OK;
}

int start_multipliers(start_point *w)
{
    arena a = {0};
    multipliers s = {0};
    if (w->p->ops == &mechanical_form) {
        int fixed = 0, dependent = start_dependence(w);
        for (int i = w->p->n - w->p->constraints; i < w->p->n; i++)
            fixed |= w->marks[i] == KEEL_FIXED;
        return dependent || fixed ? dependent : mechanical_multipliers(w);
    }
    directions_layout(&a, &s.d, w->p);
    s.c = ARENA(&a, double, w->p->constraints);
    void *block = arena_block(a.used);
    if (!block) return start_no_memory(w);
    a = (arena){.base = block};
    directions_layout(&a, &s.d, w->p);
    s.c = ARENA(&a, double, w->p->constraints);
    int rc = directions_create(&s.d);
    if (rc)
        fail(w->message, rc, "the linear algebra for the initial values failed: %s",
             keel_status_text(rc));
    else
        rc = find_multipliers(w, &s);
    directions_release(&s.d);
    arena_block_free(block);
    return rc;
}

/* ---- 0 = r(t,y,y') -------------------------------------------------------------------------- */

typedef struct large {
    coloring colors;
    keel_matrix J, M;
    linear_system *system;
    double *diagonal, *d, *c, *given; /* [n], [n], [n], [2 n]                        */
    unsigned char *acts;              /* [n] does M have this column?                */
    int diagonal_known, begun;
    double sigma; /* 0: y where M has a column is held           */
    int lacking;  /* unknown without a pivot                     */
} large;

static void large_layout(arena *a, large *s, const keel_problem *p)
{
    coloring_layout(a, &s->colors, p);
    problem_matrix_layout(a, &s->J, p);
    if (p->ops->mass) problem_matrix_layout(a, &s->M, p);
    s->diagonal = ARENA(a, double, p->n);
    s->d = ARENA(a, double, p->n);
    s->c = ARENA(a, double, p->n);
    s->given = ARENA(a, double, 2 * p->n);
    s->acts = ARENA(a, unsigned char, p->n);
}

static int large_residual(start_point *w, void *state, double *c)
{
    (void)state;
    return eval_residual(w->e, w->t, w->y, w->yp, c);
}

/* Columns of M, of which an entry that is not 0 is seen once. */
static void find_acting(large *s, int n)
{
    for (int j = 0; j < n; j++) {
        if (s->diagonal_known) {
            s->acts[j] = s->diagonal[j] != 0;
            continue;
        }
        column c = matrix_column(&s->M, j);
        s->acts[j] = 0;
        for (int k = 0; k < c.count; k++) s->acts[j] |= c.values[k] != 0;
    }
}

/* sigma such that sigma M outweighs J by 1/sqrt(eps) in every equation with y'. */
static double large_shift(const large *s, int n)
{
    double most = 0, least = INFINITY;
    size_t entries = matrix_storage(n, n, &s->J.pattern);
    for (size_t k = 0; k < entries; k++) {
        most = fmax(most, fabs(s->J.values[k]));
        if (s->M.values[k] != 0) least = fmin(least, fabs(s->M.values[k]));
    }
    return (most + 1) / sqrt(DBL_EPSILON) / fmin(least, 1e300);
}

static void hold_columns(large *s, int n)
{
    for (int j = 0; j < n; j++) {
        column c = matrix_column(&s->J, j);
        for (int k = 0; k < c.count && s->acts[j]; k++) c.values[k] = 0;
    }
}

static int large_factor(start_point *w, void *state)
{
    large *s = state;
    int n = w->p->n, rc = eval_jacobian(w->e, &s->colors, w->t, w->y, w->yp, &s->J);
    if (!rc && !s->diagonal_known) rc = eval_mass(w->e, &s->colors, w->t, w->y, w->yp, &s->M);
    if (rc) return rc;
    if (!s->begun) find_acting(s, n);
    for (int j = 0; j < n && w->standard; j++)
        if (!s->acts[j] && w->marks[j] == KEEL_GUESS) w->marks[j] = KEEL_FREE;
    if (s->sigma < 0) s->sigma = large_shift(s, n);
    s->begun = 1;
    if (s->sigma == 0) hold_columns(s, n);
    linear_mass mass = {.diagonal = s->diagonal_known ? s->diagonal : NULL, .matrix = &s->M};
    rc = linear_factor(s->system, 0, s->sigma > 0 ? s->sigma : 1, mass, &s->J);
    if (rc > 0) s->lacking = rc - 1;
    return rc > 0 ? START_SINGULAR : rc;
}

static void large_solve(start_point *w, void *state, const double *c, double *step)
{
    large *s = state;
    int n = w->p->n;
    memcpy(s->d, c, (size_t)n * sizeof *c);
    linear_solve(s->system, 0, s->d);
    for (int j = 0; j < n; j++) {
        step[j] = s->acts[j] && s->sigma == 0 ? 0 : s->d[j];
        step[n + j] = s->acts[j] ? (s->sigma > 0 ? s->sigma : 1) * s->d[j] : 0;
    }
}

/* Fixed values have their values: what Newton's method made of them must be that, too. */
static int check_fixed(start_point *w, const large *s)
{
    int n = w->p->n;
    for (int k = 0; k < 2 * n; k++) {
        int i = k % n;
        double *x = k < n ? w->y + i : w->yp + i, change = fabs(*x - s->given[k]);
        keel_mark mark = k < n ? w->marks[i] : w->yp_marks ? w->yp_marks[i] : KEEL_FREE;
        if (mark == KEEL_FIXED && change > 1e-6 * (1 + fabs(*x)))
            return fail(w->message, KEEL_INCONSISTENT,
                        "t = %.10g: the initial value of %s%s is fixed at %.6g, but the algebraic "
                        "equations ask for %.6g",
                        w->t, keel_variable_name(w->p, i), k < n ? "" : "'", s->given[k], *x);
        if (mark == KEEL_FIXED) *x = s->given[k];
    }
    return KEEL_OK;
}

static int search(start_point *w, large *s)
{
    int n = w->p->n;
    start_system system = {.state = s,
                           .rows = n,
                           .residual = large_residual,
                           .factor = large_factor,
                           .solve = large_solve,
                           .enough = 1e-8};
    memcpy(s->given, w->y, (size_t)n * sizeof *w->y);
    memcpy(s->given + n, w->yp, (size_t)n * sizeof *w->yp);
    int rc = start_newton(w, &system, s->c);
    if (rc == START_SINGULAR && !s->diagonal_known) {
        memcpy(w->y, s->given, (size_t)n * sizeof *w->y);
        memcpy(w->yp, s->given + n, (size_t)n * sizeof *w->yp);
        s->sigma = -1;
        system.enough = 1e-6;
        rc = start_newton(w, &system, s->c);
    }
    if (rc == START_SINGULAR)
        return fail(
            w->message, KEEL_WRONG_INDEX,
            "t = %.10g: the algebraic equations do not determine the algebraic unknowns (near "
            "%s). The index is higher: set variable_index, or use a Hessenberg form",
            w->t, keel_variable_name(w->p, s->lacking));
    if (rc == START_NOT_CONVERGED) {
        char name[40];
        int row = worst_of(n, s->c), most = largest_in_row(w, &s->J, row, 0);
        snprintf(name, sizeof name, "equation[%d]", row);
        return diverged(w, name, s->c[row],
                        most < 0 ? "derivatives" : keel_variable_name(w->p, most));
    }
    return rc ? start_fault(w, rc) : check_fixed(w, s);
}

static int remark(start_point *w, large *s)
{
    double terms = 0;
    int rc = eval_residual(w->e, w->t, w->y, w->yp, s->c);
    if (!rc) rc = eval_jacobian(w->e, &s->colors, w->t, w->y, w->yp, &s->J);
    if (rc) return start_fault(w, rc);
    for (int j = 0; j < w->p->n; j++) { /* what the terms of the equations amount to */
        column c = matrix_column(&s->J, j);
        for (int k = 0; k < c.count; k++)
            terms = fmax(terms, fabs(c.values[k]) * (1 + fabs(w->y[j])));
    }
    int worst = worst_of(w->p->n, s->c);
    if (fabs(s->c[worst]) <= consistent_to * terms) return KEEL_OK;
    return fail(w->message, KEEL_OK,
                "t = %.10g: the values given leave equation[%d] with the "
                "residual %.3g; initial = given takes them as they are, and the first step ends "
                "elsewhere",
                w->t, worst, s->c[worst]);
}

static int with_large(start_point *w, int (*part)(start_point *w, large *s), int factors)
{
    const keel_problem *p = w->p;
    arena a = {0};
    large s = {0};
    large_layout(&a, &s, p);
    void *block = arena_block(a.used);
    if (!block) return start_no_memory(w);
    a = (arena){.base = block};
    large_layout(&a, &s, p);
    coloring_build(&s.colors, p);
    s.diagonal_known = problem_mass_diagonal(p, s.diagonal);
    linear_spec spec = {.n = p->n,
                        .pattern = p->pattern,
                        .storage = problem_storage(p),
                        .real_slots = 1,
                        .diagonal = s.diagonal_known ? s.diagonal : NULL};
    int rc = factors ? linear_create(&s.system, &spec) : KEEL_OK;
    if (rc)
        fail(w->message, rc, "the linear algebra for the initial values failed: %s",
             keel_status_text(rc));
    else
        rc = part(w, &s);
    linear_free(s.system);
    arena_block_free(block);
    return rc;
}

int start_large(start_point *w)
{
    return with_large(w, search, 1);
}

int start_remark(start_point *w)
{
    return with_large(w, remark, 0);
}
