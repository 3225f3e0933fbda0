/* multipliers.c -- the algebraic unknowns, from the last level: by `directions`, or by the point of
 * a mechanical problem, which M need not have an inverse for; and, with an engine, the other levels by their
 * directions. */
#include "consistent/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/directions.h"
#include "step/mechanical_point.h"

static int some_fixed(const start_point *w)
{
    for (int i = w->p->n - w->p->constraints; i < w->p->n; i++)
        if (w->marks[i] == KEEL_FIXED) return 1;
    return 0;
}

/* z as the hidden constraints ask for; fixed ones must be that, and stay to the last bit. */
static int take_multipliers(start_point *w, const double *z)
{
    const keel_problem *p = w->p;
    int first = p->n - p->constraints;
    for (int i = 0; i < p->constraints; i++) {
        double *y = &w->y[first + i];
        if (w->marks[first + i] != KEEL_FIXED)
            *y = z[i];
        else if (fabs(z[i] - *y) > 1e-6 * (1 + fabs(*y)))
            return fail(
                w->message, KEEL_INCONSISTENT,
                "t = %.10g: the initial value of %s is fixed at %.6g, but the hidden constraints "
                "ask for %.6g. Free it",
                w->t, keel_variable_name(p, first + i), *y, z[i]);
    }
    return KEEL_OK;
}

/* ---- mechanical problems -------------------------------------------------------------------- */

static void place_layout(arena *a, mechanical_point *at, double **y, const keel_problem *p)
{
    point_layout(a, at, p);
    at->y = ARENA(a, double, p->n);
    *y = ARENA(a, double, p->n);
}

/* Moves the point as the plan says and takes l; `stays`: only if nothing else of w->y changes but for
 * rounding.  *rc: a status. */
static projection_result take_place(start_point *w, mechanical_point *at, const projection_plan *plan,
                                    int stays, double *y, int *rc)
{
    int first = w->p->n - w->p->constraints, row = 0;
    memcpy(y, w->y, (size_t)w->p->n * sizeof *y);
    projection_result result = mechanical_move(at, w->e, plan, w->t, y, &row);
    if (result == PROJECTION_STOP) *rc = start_fault(w, -1);
    for (int i = 0; i < first && stays && !result; i++)
        if (fabs(y[i] - w->y[i]) > 4 * DBL_EPSILON * (1 + fabs(y[i]))) result = PROJECTION_DIVERGES;
    if (!result) *rc = take_multipliers(w, y + first);
    if (result == PROJECTION_SINGULAR && !stays && mechanical_is_sparse(w->p))
        *rc = start_redundant(w, 0, row);
    return result;
}

/* With the integrator's point, which then knows what is there, or with one of its own. */
static projection_result at_mechanical_point(start_point *w, const projection_plan *plan, int stays,
                                             int *rc)
{
    *rc = KEEL_OK;
    if (w->place && w->place->problem == w->p) {
        point_forget(w->place);
        return take_place(w, w->place, plan, stays, w->at_place, rc);
    }
    arena a = {0};
    mechanical_point at = {0};
    double *y;
    place_layout(&a, &at, &y, w->p);
    void *block = arena_block(a.used);
    if (!block) *rc = start_no_memory(w);
    if (!block) return PROJECTION_STOP;
    a = (arena){.base = block};
    place_layout(&a, &at, &y, w->p);
    int made = point_create(&at);
    if (made) *rc = start_unready(w, made);
    projection_result result = made ? PROJECTION_STOP : take_place(w, &at, plan, stays, y, rc);
    point_release(&at);
    arena_block_free(block);
    return result;
}

/* (a, l) of [M G^T; G 0]; where that has no inverse because of M the integrator says so.  Dense
 * problems have met fixed multipliers with all the rest, unless rows depend on each other. */
static int mechanical_multipliers(start_point *w)
{
    const projection_plan plan = {.kind = KEEL_PROJECT_NONE, .multipliers = 1};
    int sparse = mechanical_is_sparse(w->p), rc = sparse ? KEEL_OK : start_dependence(w);
    if (rc || (some_fixed(w) && !sparse && !w->e->dependence)) return rc;
    projection_result result = at_mechanical_point(w, &plan, 0, &rc);
    if (result == PROJECTION_SINGULAR && sparse && w->dependence) {     /* which else costs a search */
        int found = start_dependence(w);
        if (found) return found;
        if (w->e->dependence) result = at_mechanical_point(w, &plan, 0, &rc);
    }
    int failed = result == PROJECTION_CANNOT_EVALUATE && w->e->fault.code != FAULT_SINGULAR_MASS;
    return !rc && failed ? start_fault(w, result) : rc;
}

/* ---- other forms ---------------------------------------------------------------------------- */

static const double solve_to = 1e-8;             /* of systems of an engine */

typedef struct multipliers {
    directions d;
    int level;                   /* that is met: the last one, or a lower one along its directions */
    double *c, *mu, *step;       /* [m], [m], [n]                                          */
    int row;
} multipliers;

static void multipliers_layout(arena *a, multipliers *s, const start_point *w)
{
    directions_layout(a, &s->d, w->p, 0, w->e->engine);
    s->c = ARENA(a, double, w->p->constraints);
    s->mu = ARENA(a, double, w->p->constraints);
    s->step = ARENA(a, double, w->p->n);
}

static int level_residual(start_point *w, void *state, double *c)
{
    const multipliers *s = state;
    return eval_level(w->e, s->level, w->t, w->y, c);
}

static int level_factor(start_point *w, void *state)
{
    multipliers *s = state;
    int rc = directions_prepare(&s->d, w->e, NULL, w->t, w->y, &s->row);
    return rc == DIRECTIONS_SINGULAR ? START_SINGULAR : rc;
}

static int level_solve(start_point *w, void *state, const double *c, double *step)
{
    multipliers *s = state;
    const constraint_level *l = &w->p->level[s->level];
    int m = w->p->constraints, first = w->p->n - m, last = s->level == w->p->levels - 1;
    memset(step, 0, 2 * (size_t)w->p->n * sizeof *step);
    for (int i = 0; i < m; i++) s->mu[i] = -c[i];
    int rc = directions_solve(&s->d, w->e, s->level, 0, w->t, solve_to, s->mu);
    directions_step(&s->d, s->level, 0, s->mu, s->step);
    for (int i = 0; i < (last ? m : l->count); i++) step[last ? first + i : level_unknown(l, i)] = s->step[i];
    return rc;
}

/* A status for what Newton's method has come to. */
static int conclude(start_point *w, const multipliers *s, int rc)
{
    const keel_problem *p = w->p;
    if (rc == START_SINGULAR) return start_wrong_index(w, s->row);
    if (rc != START_NOT_CONVERGED) return rc ? start_fault(w, rc) : KEEL_OK;
    char name[80];
    int row = start_worst(p->constraints, s->c);
    start_row_name(p, s->level, row, name, sizeof name);
    int unknown = s->level == p->levels - 1 ? p->n - p->constraints + row : -2;
    return start_diverged(w, name, s->c[row], unknown);
}

static int meet_along(start_point *w, multipliers *s)
{
    start_system system = {.state = s,
                           .rows = w->p->constraints,
                           .residual = level_residual,
                           .factor = level_factor,
                           .solve = level_solve,
                           .enough = 1e-9};
    return conclude(w, s, start_newton(w, &system, s->c));
}

/* Fixed multipliers of large problems, for which nothing else moves, must be right. */
static int check_multipliers(start_point *w, multipliers *s)
{
    int m = w->p->constraints, rc = level_residual(w, s, s->c);
    if (rc) return start_fault(w, rc);
    for (int i = 0; i < m; i++) s->c[i] = -s->c[i];
    directions_solve(&s->d, w->e, w->p->levels - 1, 0, w->t, solve_to, s->c);
    for (int i = 0; i < m; i++) s->c[i] += w->y[w->p->n - m + i];
    return take_multipliers(w, s->c);
}

/* z, unless marks fix it: then the rank of what determines it. */
static int find_multipliers(start_point *w, multipliers *s)
{
    const keel_problem *p = w->p;
    int n = p->n, m = p->constraints, fixed = !w->e->engine && some_fixed(w), rc;
    const long differences = w->e->stats->rhs_for_jacobian;      /* may hide that rows are dependent */
    start_system system = {.state = s,
                           .rows = m,
                           .residual = level_residual,
                           .factor = level_factor,
                           .solve = level_solve,
                           .enough = 1e-6};
    rc = fixed || p->levels == 1 ? level_factor(w, s) : start_newton(w, &system, s->c);
    if (rc == START_SINGULAR && !fixed && p->levels > 1) { /* by chance: from beside */
        for (int i = n - m; i < n; i++) w->y[i] += 0.1 * (1 + fabs(w->y[i]));
        rc = start_newton(w, &system, s->c);
    }
    int noisy = gauge_loose(w->gauge) && w->e->stats->rhs_for_jacobian > differences &&
                (rc == START_DONE || rc == START_NOT_CONVERGED);
    if (w->gauge && !w->e->gauge && (rc == START_SINGULAR || noisy)) {
        int found = gauge_find(w->gauge, w->e, &s->d, w->t, w->y, w->message);
        if (found == KEEL_CALLBACK_FAILED) return start_fault(w, 1);
        if (found && found != KEEL_WRONG_INDEX) return found;
        if (!found) rc = fixed ? level_factor(w, s) : start_newton(w, &system, s->c);
    }
    if (rc) return conclude(w, s, rc);
    if (fixed && start_is_large(w)) return check_multipliers(w, s);
    rc = w->e->gauge && w->gauge && !fixed ? gauge_renew(w->gauge, w->e, w->t, w->y) : 0;
    return rc ? start_fault(w, rc) : KEEL_OK;
}

/* Does z solve g(t,y,z) = 0 to rounding, with a g_z that has an inverse?  Or a status. */
static int algebraic_holds(start_point *w, multipliers *s)
{
    int m = w->p->constraints, last = w->p->n - m, rc = level_residual(w, s, s->c);
    for (int i = 0; i < m; i++) s->c[i] = -s->c[i];
    if (!rc) rc = level_factor(w, s);
    if (rc) return rc < 0 ? start_fault(w, rc) : 0;
    directions_solve(&s->d, w->e, 0, 0, w->t, solve_to, s->c);
    return norm_relative(m, s->c, w->y + last) <= 4 * DBL_EPSILON;
}

/* What a search for multipliers, or along directions, does with its memory. */
static int with_multipliers(start_point *w, int level, int (*use)(start_point *w, multipliers *s))
{
    arena a = {0};
    multipliers s = {.level = level};
    multipliers_layout(&a, &s, w);
    void *block = arena_block(a.used);
    if (start_lacks(w, !block)) {
        arena_block_free(block);
        return start_no_memory(w);
    }
    a = (arena){.base = block};
    multipliers_layout(&a, &s, w);
    int rc = directions_create(&s.d);
    rc = rc ? start_unready(w, rc) : use(w, &s);
    directions_release(&s.d);
    arena_block_free(block);
    return rc;
}

int start_multipliers(start_point *w)
{
    return w->p->ops == &mechanical_form ? mechanical_multipliers(w)
                                         : with_multipliers(w, w->p->levels - 1, find_multipliers);
}

int start_along(start_point *w, int level) { return with_multipliers(w, level, meet_along); }

int start_holds(start_point *w, int *rc)
{
    const projection_plan plan = {.kind = KEEL_PROJECT_OBLIQUE, .multipliers = 1,
                                  .stiffly_accurate = 1};
    const keel_problem *p = w->p;
    *rc = KEEL_OK;
    if (p->ops == &semi_explicit_form && p->levels == 1 && !start_is_large(w)) {
        int held = with_multipliers(w, 0, algebraic_holds);
        if (held < 0) *rc = held;
        return held > 0;
    }
    if (p->ops != &mechanical_form || p->levels == 0) return 0;
    return at_mechanical_point(w, &plan, 1, rc) == PROJECTION_DONE;
}
