/* level.c -- a constraint level of a sparse problem, met by the smallest change of the unknowns that
 * it moves, fixed ones held (problem/level_saddle.h). */
#include "consistent/consistent.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/directions.h"
#include "problem/level_saddle.h"

/* Residuals of rows that depend on each other and hold, beside values of about 1. */
static const double met = 1e-9;

typedef struct level_system {
    level_saddle saddle;
    double *unit, *step, *c;     /* [n], [n], [m]                                          */
    int row;                     /* that depends on others                                 */
} level_system;

static void level_layout(arena *a, level_system *s, const keel_problem *p, int level)
{
    level_saddle_layout(a, &s->saddle, p, level);
    s->unit = ARENA(a, double, p->n);
    s->step = ARENA(a, double, p->n);
    s->c = ARENA(a, double, p->constraints);
}

static int level_residual(start_point *w, void *state, double *c)
{
    level_system *s = state;
    return eval_level(w->e, s->saddle.level, w->t, w->y, c);
}

static int factor(start_point *w, level_system *s, int heed)
{
    for (int j = 0; j < w->p->n; j++)
        s->unit[j] = heed && w->marks[j] == KEEL_FIXED ? 0 : start_unit(w, j);
    int rc = level_saddle_factor(&s->saddle, w->e, s->unit, w->t, w->y, &s->row);
    return rc == DIRECTIONS_SINGULAR ? START_SINGULAR : rc;
}

static int level_factor(start_point *w, void *state)
{
    return factor(w, state, 1);
}

static int level_solve(start_point *w, void *state, const double *c, double *step)
{
    level_system *s = state;
    const constraint_level *l = &w->p->level[s->saddle.level];
    memset(step, 0, 2 * (size_t)w->p->n * sizeof *step);
    level_saddle_solve(&s->saddle, c, s->step);
    for (int j = 0; j < l->count; j++) step[level_unknown(l, j)] = s->step[j];
    return 0;
}

/* A fixed unknown of the row without a pivot, if the rows would be independent without fixed ones; -1: none. */
static int fixed_in(start_point *w, level_system *s)
{
    int row = s->row, fixed = level_saddle_largest(&s->saddle, row, w->marks, KEEL_FIXED);
    int independent = fixed >= 0 && factor(w, s, 0) == 0;
    s->row = row;
    return independent ? fixed : -1;
}

static int level_is_fixed(start_point *w, level_system *s, int fixed)
{
    char name[80];
    int row = start_worst(w->p->constraints, s->c);
    int other = level_saddle_largest(&s->saddle, row, w->marks, KEEL_FIXED);
    start_row_name(w->p, s->saddle.level, row, name, sizeof name);
    return fail(
        w->message, KEEL_INCONSISTENT,
        "t = %.10g: %s is violated by %.3g and cannot be met because of fixed initial values, "
        "such as %s. Mark one of them as a guess or change it",
        w->t, name, s->c[row], keel_variable_name(w->p, other >= 0 ? other : fixed));
}

/* Rows that depend on each other have been met as well as possible: they contradict each other. */
static int level_contradicts(start_point *w, level_system *s)
{
    const keel_problem *p = w->p;
    char names[2][80];
    int m = p->constraints, first = start_worst(m, s->c), second = -1;
    double most = fabs(s->c[first]);
    for (int i = 0; i < m; i++)
        if (i != first && (second < 0 || fabs(s->c[i]) > fabs(s->c[second]))) second = i;
    int alone = second < 0 || fabs(s->c[second]) < 0.01 * most;
    start_row_name(p, s->saddle.level, first, names[0], sizeof names[0]);
    start_row_name(p, s->saddle.level, alone ? first : second, names[1], sizeof names[1]);
    return fail(
        w->message, KEEL_INCONSISTENT,
        "t = %.10g: constraints that depend on each other contradict each other: %s%s%s cannot be met "
        "together with the others, %.3g is left. Remove or correct one of them",
        w->t, names[0], alone ? "" : " and ", alone ? "" : names[1], most);
}

/* Rows that depend on each other, or on fixed values alone, are met as well as possible. */
static int meet_loosely(start_point *w, level_system *s, const start_system *system)
{
    int fixed = fixed_in(w, s);
    if (fixed < 0 && !w->dependence && !w->gauge) return start_redundant(w, s->saddle.level, s->row);
    s->saddle.loosened = 1;
    int rc = start_newton(w, system, s->c);
    if (rc == START_SINGULAR) return start_redundant(w, s->saddle.level, s->row);
    if (rc != START_DONE && rc != START_NOT_CONVERGED) return start_fault(w, rc);
    if (norm_max(w->p->constraints, s->c) <= met * (1 + norm_max(w->p->n, w->y))) return KEEL_OK;
    return fixed >= 0 ? level_is_fixed(w, s, fixed) : level_contradicts(w, s);
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
    if (rc == START_SINGULAR) return meet_loosely(w, s, &system);
    if (rc == START_NOT_CONVERGED) {
        char name[80];
        int row = start_worst(p->constraints, s->c);
        int most = level_saddle_largest(&s->saddle, row, NULL, KEEL_FREE);
        start_row_name(p, s->saddle.level, row, name, sizeof name);
        return start_diverged(w, name, s->c[row], most);
    }
    return rc ? start_fault(w, rc) : KEEL_OK;
}

int start_sparse_level(start_point *w, int level)
{
    level_system s = {0};
    arena a = {0};
    level_layout(&a, &s, w->p, level);
    void *block = arena_block(a.used);
    if (!block) return start_no_memory(w);
    a = (arena){.base = block};
    level_layout(&a, &s, w->p, level);
    int rc = level_saddle_create(&s.saddle);
    rc = rc ? start_unready(w, rc) : meet_level(w, &s);
    level_saddle_release(&s.saddle);
    arena_block_free(block);
    return rc;
}
