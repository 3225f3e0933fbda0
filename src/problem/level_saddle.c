#include "problem/level_saddle.h"

#include <math.h>
#include <string.h>

#include "linear/columns.h"
#include "problem/dependence.h"
#include "problem/directions.h"
#include "problem/gauge.h"

/* ---- pattern ------------------------------------------------------------------------------ */

/* Entries of column j of J in rows from ... go to rows `below` ... of H; those of the constraint by
 * `place`. */
static void take_column(level_saddle *s, int j, int from, int count, int below, const int *place)
{
    column c = matrix_column(&s->J, j);
    for (int k = 0; k < c.count; k++) {
        int row = column_row(&c, k) - from;
        if (row < 0 || row >= count || (place && place[row] < 0)) continue;
        s->row[s->entries] = below + (place ? place[row] : row);
        s->source[s->entries++] = (int)(c.values + k - s->J.values);
    }
}

static void build(level_saddle *s)
{
    const keel_problem *p = s->problem;
    const constraint_level *l = &p->level[s->level];
    int N = p->group[0], m = p->constraints, first = s->J.rows - m;
    s->entries = 0;
    for (int j = 0; j < l->count; j++) {
        if (s->product)
            take_column(s, level_unknown(l, j), 0, N, 0, NULL);
        else
            take_column(s, s->J.rows == m ? j : level_unknown(l, j), first, m, 0, s->place);
        s->start[j + 1] = s->entries;
    }
    for (int i = 0; i < N && s->product; i++) {
        s->row[s->entries] = i;
        s->source[s->entries++] = -1;
        take_column(s, i, first, m, N, s->place);
        s->start[l->count + i + 1] = s->entries;
    }
}

/* ---- life --------------------------------------------------------------------------------- */

void level_saddle_layout(arena *a, level_saddle *s, const keel_problem *p, int level)
{
    int m = p->constraints, most, extra = 0;
    s->problem = p;
    s->level = level;
    ARENA_OWN(a, s, saddle, saddle_tape);
    s->product = p->ops == &hessenberg3_form && level == 1;
    if (s->product) extra = p->group[0];
    s->columns = p->level[level].count + extra;
    level_matrix_layout(a, &s->J, &s->colors, p);
    most = (int)matrix_storage(s->J.rows, s->J.columns, &s->J.pattern) + extra;
    s->place = ARENA(a, int, m);
    s->start = ARENA(a, int, s->columns + 1);
    s->ones = ARENA(a, int, s->columns + 1);
    s->row = ARENA(a, int, most);
    s->source = ARENA(a, int, most);
    s->H = ARENA(a, double, most);
    s->weight = ARENA(a, double, s->columns);
    s->unit = ARENA(a, double, s->columns);
    s->x = ARENA(a, double, s->columns);
    s->mu = ARENA(a, double, m + extra);
    s->loose = ARENA(a, double, m + extra);
    s->zero = ARENA(a, double, p->n);
}

int level_saddle_create(level_saddle *s)
{
    const keel_problem *p = s->problem;
    int m = p->constraints, extra = s->product ? p->group[0] : 0;
    s->rows = extra;
    for (int i = 0, present = 0; i < m; i++) {
        int absent = p->ops == &levelled_form && p->links[i] < p->levels - 1 - s->level;
        s->place[i] = absent ? -1 : present++;
        s->rows += !absent;
    }
    build(s);
    if (s->colors.color) coloring_build(&s->colors, p);
    for (int j = 0; j <= s->columns; j++) s->ones[j] = j;
    for (int j = 0; j < p->level[s->level].count; j++) s->weight[j] = 1;
    keel_pattern H = {.storage = KEEL_SPARSE, .column_start = s->start, .row_index = s->row};
    keel_pattern D = {.storage = KEEL_SPARSE, .column_start = s->ones, .row_index = s->ones};
    return saddle_create_sparse(&s->saddle, s->columns, s->rows, s->product ? &D : NULL, &H);
}

void level_saddle_release(level_saddle *s)
{
    saddle_free(s->saddle);
}

/* ---- factor and solve --------------------------------------------------------------------- */

void level_matrix_layout(arena *a, keel_matrix *J, coloring *colors, const keel_problem *p)
{
    if (p->ops == &mechanical_form) {
        *J = (keel_matrix){.rows = p->constraints, .columns = p->group[0], .pattern = p->jacobian_pattern,
                           .values = ARENA(a, double, p->jacobian_entries)};
        return;
    }
    coloring_layout(a, colors, p);
    problem_matrix_layout(a, J, p);
}

int level_matrix(evaluator *e, int level, double t, const double *y, const double *zero,
                 const coloring *colors, keel_matrix *J)
{
    const keel_problem *p = e->problem;
    int lag = e->lag;
    if (p->ops == &mechanical_form) return eval_constraint_jacobian(e, t, y, J->values);
    if (p->ops == &levelled_form) eval_set_lag(e, p->levels - 1 - level);
    int rc = eval_jacobian(e, colors, t, y, zero, J);
    if (p->ops == &levelled_form) eval_set_lag(e, lag);
    return rc;
}

static const double small_part = 1e-8;

const double *level_loose(const evaluator *e)
{
    if (gauge_loose(e->gauge)) return e->gauge->loose.W + e->problem->n - e->problem->constraints;
    return e->dependence && e->dependence->problem ? dependence_loose(e->dependence) : NULL;
}

static void loosen(level_saddle *s, const double *W)
{
    int extra = s->product ? s->problem->group[0] : 0;
    memset(s->loose, 0, (size_t)s->rows * sizeof *s->loose);
    for (int i = 0; i < s->problem->constraints && W; i++)
        if (s->place[i] >= 0) s->loose[extra + s->place[i]] = W[i];
    for (int k = 0; k < s->start[s->columns] && !W; k++) {
        if (s->row[k] < extra) continue;
        double entry = s->H[k] != 0 ? s->H[k] : s->J.values[s->source[k]];       /* held: as if it were not */
        s->loose[s->row[k]] += small_part * entry * entry;
    }
    saddle_set_loose(s->saddle, s->loose);
}

int level_saddle_factor(level_saddle *s, evaluator *e, const double *unit, double t,
                        const double *y, int *row)
{
    const constraint_level *l = &s->problem->level[s->level];
    int extra = s->product ? s->problem->group[0] : 0, rc = level_matrix(e, s->level, t, y, s->zero, &s->colors, &s->J);
    if (rc) return rc;
    for (int j = 0; j < s->columns; j++) {
        s->unit[j] = unit && j < l->count ? unit[level_unknown(l, j)] : 1;
        for (int k = s->start[j]; k < s->start[j + 1]; k++)
            s->H[k] = s->source[k] < 0 ? -1 : s->unit[j] * s->J.values[s->source[k]];
    }
    const double *W = level_loose(e);
    if (W || s->loosened) loosen(s, W);
    rc = saddle_factor(s->saddle, s->product ? s->weight : NULL, s->H);
    if (rc <= 0) return rc ? eval_no_memory(e, t) : 0;
    *row = 0;
    for (int i = 0; i < s->problem->constraints; i++)
        if (s->place[i] == rc - 1 - extra) *row = i;
    return DIRECTIONS_SINGULAR;
}

/* (x, mu) of the right-hand side (0, factor c) */
static void solve(level_saddle *s, double factor, const double *c)
{
    int extra = s->product ? s->problem->group[0] : 0;
    memset(s->x, 0, (size_t)s->columns * sizeof *s->x);
    memset(s->mu, 0, (size_t)s->rows * sizeof *s->mu);
    for (int i = 0; i < s->problem->constraints; i++)
        if (s->place[i] >= 0) s->mu[extra + s->place[i]] = factor * c[i];
    saddle_solve(s->saddle, 1, s->x, s->mu);
}

void level_saddle_multipliers(level_saddle *s, double *mu)
{
    int extra = s->product ? s->problem->group[0] : 0;
    solve(s, 1, mu);
    for (int i = 0; i < s->problem->constraints; i++)
        mu[i] = s->place[i] < 0 ? 0 : -s->mu[extra + s->place[i]];
}

/* Columns from the last: those of w give g_u^T mu, which those of f_v need. */
void level_saddle_step(level_saddle *s, const double *mu, double *step)
{
    int extra = s->product ? s->problem->group[0] : 0, count = s->problem->level[s->level].count;
    for (int i = 0; i < s->problem->constraints; i++)
        if (s->place[i] >= 0) s->mu[extra + s->place[i]] = mu[i];
    for (int j = s->columns - 1; j >= 0; j--) {
        double sum = 0;
        for (int k = s->start[j]; k < s->start[j + 1]; k++)
            if (s->source[k] >= 0) sum += s->H[k] * s->mu[s->row[k]];
        if (j < count) step[j] = s->unit[j] * sum;
        else s->mu[j - count] = sum;
    }
}

void level_saddle_solve(level_saddle *s, const double *c, double *step)
{
    solve(s, -1, c);
    for (int j = 0; j < s->problem->level[s->level].count; j++) step[j] = s->x[j] * s->unit[j];
}

int level_saddle_largest(const level_saddle *s, int row, const keel_mark *marked, keel_mark mark)
{
    const constraint_level *l = &s->problem->level[s->level];
    int extra = s->product ? s->problem->group[0] : 0, best = -1;
    double most = 0;
    for (int j = 0; j < s->columns; j++) {
        int unknown = j < l->count ? level_unknown(l, j) : j - l->count;
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            if (s->source[k] < 0 || s->row[k] != extra + s->place[row]) continue;
            double size = fabs(s->J.values[s->source[k]]);
            if (size > most && (!marked || marked[unknown] == mark)) most = size, best = unknown;
        }
    }
    return best;
}
