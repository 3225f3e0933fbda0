/* projection.c -- one level after the other, and again with directions at the new point.
 *
 *   a level    x := x^ + D mu, level(t, y) = 0 (projection_levels.c)
 *   a round    D and S at the point of the last round; levels in their order; multipliers
 *
 * The direction of a round is off by the change of D over the correction of the round before: the
 * rounds converge like powers of the correction.  For stiffly accurate methods with s stages of
 * stage order s the first round is the last: y and u are corrected by Newton's error only, v by
 * O(h^(s+1)), which with l off by O(h^(s-1)) makes O(h^(2s)), no more than the local error.  So the
 * matrix that an engine has of an earlier point may serve where y alone is corrected: index 2.
 */
#include "step/projection.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/gauge.h"
#include "step/mechanical_point.h"
#include "step/projection_levels.h"

enum { ROUNDS = 20, REFRESHES = 8 };

/* A change of the directions matters if it is expected to move the point by more than this. */
static const double negligible = 1e-14;

/* Factoring g_z of many algebraic unknowns once more is dear, and index 1 can do without. */
static int skips_algebraic(const keel_problem *problem)
{
    return problem->levels == 0 || (problem->levels == 1 && problem->constraints > INDEX1_MOST);
}

/* ---- workspace ---------------------------------------------------------------------------- */

/* One for steps; sparse ones have another for questions, so that pivots of a run do not depend on these. */
static mechanical_point *lay_point(arena *a, const keel_problem *root)
{
    mechanical_point measured, *made = ARENA_OBJECT(a, mechanical_point, 1), *point = made ? made : &measured;
    point->y = ARENA(a, double, root->n);
    point_layout(a, point, root);
    return made;
}

/* Buffers of the problem whose constraints count; vectors for all its formulations on the way. */
void projection_layout(arena *a, projection *p, const keel_problem *problem, int orthogonal,
                       const keel_engine *engine)
{
    const keel_problem *root = problem_root(problem);
    int m = root->constraints, widest = root->n;
    p->root = root;
    ARENA_KEEP(a, p, prepared, expected);
    for (; problem != root; problem = problem->original)
        if (problem->n > widest) widest = problem->n;
    if (!skips_algebraic(root) && (orthogonal || !mechanical_is_sparse(root)))
        directions_layout(a, &p->directions, root, orthogonal, engine);
    for (int k = 0; k < root->levels; k++) p->mu[k] = ARENA(a, double, m);
    ARENA_VECTORS(a, widest + m + root->attached.rows, &p->before, &p->last, &p->value, &p->step, &p->weight,
                  &p->shaken);
    ARENA_KEEP(a, p, left, left);
    ARENA_LINKS(a, p, met, met);
    if (root->attached.rows > 0) free_layout(a, &p->fit, root);
    if (natural_applies(root)) natural_layout(a, &p->natural, root);
    if (natural_applies(root)) natural_layout(a, &p->asked, root);
    if (root->ops != &mechanical_form) return;
    p->mechanical = lay_point(a, root);
    p->inquired = mechanical_is_sparse(root) ? lay_point(a, root) : p->mechanical;
}

int projection_create(projection *p)
{
    if (natural_applies(p->root)) natural_create(&p->natural, p->root);
    if (natural_applies(p->root)) natural_create(&p->asked, p->root);
    int rc = p->directions.problem ? directions_create(&p->directions) : KEEL_OK;
    if (!rc && p->fit.levels.problem) rc = level_stack_create(&p->fit.levels);
    if (p->mechanical && !rc) rc = point_create(p->mechanical);
    return p->inquired != p->mechanical && !rc ? point_create(p->inquired) : rc;
}

void projection_release(projection *p)
{
    directions_release(&p->directions);
    if (p->fit.levels.problem) level_stack_release(&p->fit.levels);
    if (p->mechanical) point_release(p->mechanical);
    if (p->inquired != p->mechanical) point_release(p->inquired);
}

void projection_forget(projection *p)
{
    natural_forget(&p->natural);
    natural_forget(&p->asked);
    if (p->mechanical) point_forget(p->mechanical);
    p->prepared = 0;
    memset(p->expected, 0, sizeof p->expected);
}

projection_result projection_code(int rc)
{
    return rc == 0 ? PROJECTION_DONE : rc == DIRECTIONS_SINGULAR ? PROJECTION_SINGULAR
         : rc == NATURAL_DIVERGES ? PROJECTION_DIVERGES
         : rc > 0 ? PROJECTION_CANNOT_EVALUATE : PROJECTION_STOP;
}

/* ---- all levels --------------------------------------------------------------------------- */

/* The mass of a mechanical system makes orthogonal what oblique is anyway: D = M^-1 G^T. */
static int is_orthogonal(const keel_problem *problem, const projection_plan *plan)
{
    return plan->kind == KEEL_PROJECT_ORTHOGONAL &&
           !(form_has(problem, FORM_ACCELERATIONS) && plan->metric == KEEL_METRIC_MASS);
}

/* Position is the first level, velocity the others but the hidden one. */
static int is_wanted(const projection_plan *plan, int level)
{
    switch (plan->kind) {
    case KEEL_PROJECT_NONE: return 0;
    case KEEL_PROJECT_VELOCITY: return level > 0;
    case KEEL_PROJECT_POSITION: return level == 0;
    default: return 1;
    }
}

/* The moves of a round, in their order; returns how many.  What is left of the hidden level is
 * noise of differences, but where the user gives that level. */
static int list_moves(const evaluator *e, const projection_plan *plan, level_move *moves)
{
    const keel_problem *problem = e->problem;
    int count = 0, last = problem->levels - 1, own = is_orthogonal(problem, plan);
    int given = last == 0 || problem->ops == &levelled_form;
    for (int k = 0; k < last; k++)
        if (is_wanted(plan, k))
            moves[count++] = (level_move){.level = k, .own = own, .shrink = 0.7, .enough = 1e-11,
                                          .negligible = (e->engine ? 8 : 2) * DBL_EPSILON};
    if (plan->multipliers || last == 0)
        moves[count++] = (level_move){.level = last, .shrink = given ? 0.7 : 0.5,
                                      .enough = last == 0 ? 1e-12 : given ? 1e-11
                                              : last == 2 ? 1e-6 : 1e-9,
                                      .negligible = e->engine ? 1e-13 : 2 * DBL_EPSILON};
    return count;
}

/* Directions and factored matrices at (t,y). */
static projection_result prepare(projection *p, evaluator *e, const projection_plan *plan,
                                 const keel_matrix *J, double t, const double *y, int *row)
{
    int own = is_orthogonal(e->problem, plan), rc = 0;
    const double *weight = plan->metric == KEEL_METRIC_TOLERANCE ? plan->weight : NULL;
    p->stale = 0;
    if (!own || plan->multipliers) rc = directions_prepare(&p->directions, e, J, t, y, row);
    p->prepared = e->engine && rc == 0;
    for (int k = 0; k + 1 < e->problem->levels && own && !rc; k++)
        rc = directions_gradient(&p->directions, e, k, weight, t, y, row);
    return projection_code(rc);
}

/* From x^ + D mu with the mu of the round before.  Multipliers may be far off: new matrices at the new point,
 * where the old ones will not do; nor may those that an engine has of an earlier one. */
static projection_result move_once(projection *p, evaluator *e, const projection_plan *plan, double t,
                                   double *y, level_move *moves, int count, int first, int *row)
{
    const int last = e->problem->levels - 1;
    level_move *hidden = count > 0 && moves[count - 1].level == last ? &moves[count - 1] : NULL;
    for (int k = 0; k < count; k++) moves[k].met = 0, moves[k].resumes = !first && moves[k].level < last;
    projection_result result = levels_meet(p, e, plan, t, y, moves, count);
    for (int k = 0; k < REFRESHES && result == PROJECTION_DIVERGES; k++) {
        if (!e->engine && (!hidden || (count > 1 && !moves[count - 2].met))) return result;
        result = prepare(p, e, plan, NULL, t, y, row);
        if (!result) result = levels_meet(p, e, plan, t, y, moves, count);
    }
    if (!hidden || (count > 1 && !moves[count - 2].met)) return result;
    if (result == PROJECTION_DIVERGES && level_is_rounding(p, e, t, y, hidden)) result = PROJECTION_DONE;
    return !result && e->gauge ? projection_code(gauge_smallest(e->gauge, e, t, y)) : result;
}

/* Largest relative changes since the last round, of all unknowns but z and of all.  A code of eval_*. */
static int find_change(projection *p, evaluator *e, const double *y, double *change)
{
    const int n = e->problem->n;
    for (int i = 0; i < n; i++) p->step[i] = y[i] - p->last[i];
    change[0] = norm_relative(n - e->problem->constraints, p->step, y);
    change[1] = norm_relative(n, p->step, y);
    if (e->reducer) ranks_reduce(e->reducer, 0, NULL, 2, change);
    return eval_outcome(e);
}

/* Directions at the point as given? */
static int only_once(const keel_problem *problem, const projection_plan *plan)
{
    return problem->levels == 1 || plan->kind == KEEL_PROJECT_EXPLICIT ||
           (plan->stiffly_accurate && plan->kind != KEEL_PROJECT_ORTHOGONAL);
}

static projection_result move_rounds(projection *p, evaluator *e, const projection_plan *plan,
                                     const keel_matrix *J, double t, double *y, int *row)
{
    const keel_problem *problem = e->problem;
    int n = problem->n, m = problem->constraints, once = only_once(problem, plan);
    double whole = 0, change[2] = {0}, before = 0;
    level_move moves[KEEL_LEVELS_MOST];
    int count = list_moves(e, plan, moves), stays = count == 0 || moves[0].level == problem->levels - 1;
    memcpy(p->before, y, (size_t)n * sizeof *y);
    for (int k = 0; k < problem->levels; k++) memset(p->mu[k], 0, (size_t)m * sizeof *p->mu[k]);
    p->stale = p->prepared && (stays || (plan->stiffly_accurate && problem->levels < 3));
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(p->last, y, (size_t)n * sizeof *y);
        const keel_matrix *near_by = once || !p->directions.sparse ? J : NULL;
        projection_result result = PROJECTION_DONE;
        if (count > 0 && !p->stale) result = prepare(p, e, plan, near_by, t, y, row);
        if (!result) result = move_once(p, e, plan, t, y, moves, count, round == 0, row);
        if (result || once || stays) return result;
        int rc = find_change(p, e, y, change);
        if (rc) return projection_code(rc);
        if (round == 0) whole = change[1];
        double rate = round == 0 ? whole : change[0] / before;
        if (change[0] <= 4 * DBL_EPSILON || change[0] * rate <= negligible) return PROJECTION_DONE;
        if (round > 0 && !(rate < 0.7)) break;
        before = change[0];
    }
    /* one-sided differences leave 1e-8 of the correction, which is at most `whole`, uncertain */
    return change[0] <= 1e-11 + 1e-7 * fmin(1, whole) ? PROJECTION_DONE : PROJECTION_DIVERGES;
}

/* A sparse J of some steps ago saves factors; where they will not do, and in doubt, new ones are made. */
static projection_result move_levels(projection *p, evaluator *e, const projection_plan *plan,
                                     const keel_matrix *J, double t, double *y, int *row)
{
    projection_result result = move_rounds(p, e, plan, J, t, y, row);
    int again = result == PROJECTION_DIVERGES || result == PROJECTION_SINGULAR;
    if (!again || !J || !p->directions.sparse) return result;
    memcpy(y, p->before, (size_t)e->problem->n * sizeof *y);
    return move_rounds(p, e, plan, NULL, t, y, row);
}

/* Orthogonal in a metric that knows nothing of M: by levels, but for the multipliers. */
static projection_result move_mechanical(projection *p, evaluator *e, const projection_plan *plan,
                                         double t, double *y, int *row)
{
    projection_plan rest = *plan, levels = *plan;
    if (is_orthogonal(e->problem, plan)) {
        levels.multipliers = 0;
        projection_result result = move_levels(p, e, &levels, NULL, t, y, row);
        if (result) return result;
        rest.kind = KEEL_PROJECT_NONE;
    }
    return mechanical_move(e->asked ? p->inquired : p->mechanical, e, &rest, t, y, row);
}

/* g, its derivatives and what they determine. */
static projection_result move_linked(projection *p, evaluator *e, const projection_plan *plan,
                                     const keel_matrix *J, double t, double *y, int *row)
{
    const keel_problem *problem = e->problem;
    if (e->reducer && problem->levels < 2) return levels_meet(p, e, plan, t, y, NULL, 0);
    if (skips_algebraic(problem)) return PROJECTION_DONE;
    if (problem->ops == &mechanical_form) return move_mechanical(p, e, plan, t, y, row);
    return move_levels(p, e, plan, J, t, y, row);
}

/* ---- formulations ------------------------------------------------------------------------- */

/* e->original_y from y; multipliers that the formulation has not as last found.  Has it all? */
static int to_original(evaluator *e, const double *y)
{
    int n = e->problem->original->n, first = n - e->problem->original->constraints, complete = 1;
    keel_formulation_to(e->problem, y, e->original_y);
    for (int i = 0; i < n; i++) {
        if (!isnan(e->original_y[i])) continue;
        e->original_y[i] = i >= first ? e->found[i - first] : 0;
        complete = 0;
    }
    return complete;
}

/* y from e->original_y; unknowns that the original has not stay: those that are no NaN here. */
static void from_original(projection *p, const evaluator *e, double *y)
{
    for (int i = 0; i < e->problem->original->n; i++) p->last[i] = NAN;
    keel_formulation_from(e->problem, p->last, p->value);
    keel_formulation_from(e->problem, e->original_y, p->step);
    for (int i = 0; i < e->problem->n; i++)
        if (isnan(p->value[i])) y[i] = p->step[i];
}

/* Tolerances travel on the way of the values. */
static const double *original_weight(projection *p, const evaluator *e, const double *weight)
{
    memcpy(p->value, weight, (size_t)e->problem->n * sizeof *weight);
    keel_formulation_to(e->problem, p->value, p->weight);
    for (int i = 0; i < e->problem->original->n; i++)
        if (isnan(p->weight[i])) p->weight[i] = 1;
    return p->weight;
}

static projection_result move_original(projection *p, evaluator *e, const projection_plan *plan,
                                       double t, double *y, int *row)
{
    const keel_problem *original = e->problem->original;
    evaluator *inner = eval_original(e);
    int m = original->constraints, complete = to_original(e, y);
    if (!complete && original->levels == 1) return PROJECTION_DONE;
    projection_plan inner_plan = *plan;
    if (plan->metric == KEEL_METRIC_TOLERANCE)
        inner_plan.weight = original_weight(p, e, plan->weight);
    projection_result result = projection_move(p, inner, &inner_plan, NULL, t, e->original_y, row);
    if (result) e->fault = inner->fault;
    if (result) return result;
    if (!complete) memcpy(e->found, e->original_y + original->n - m, (size_t)m * sizeof *e->found);
    from_original(p, e, y);
    return PROJECTION_DONE;
}

/* ---- any form ----------------------------------------------------------------------------- */

projection_result projection_move(projection *p, evaluator *e, const projection_plan *plan,
                                  const keel_matrix *J, double t, double *y, int *row)
{
    const keel_problem *problem = e->problem;
    for (int k = 0; k < KEEL_LEVELS_MOST; k++) p->left[k] = -1;
    if (problem->original) return move_original(p, e, plan, t, y, row);
    projection_result result = move_linked(p, e, plan, J, t, y, row);
    if (result || problem->attached.rows == 0 || plan->kind == KEEL_PROJECT_NONE) return result;
    for (int k = 0; k < KEEL_LEVELS_MOST; k++) p->left[k] = -1;      /* y moves on */
    natural_directions *natural = plan->stiffly_accurate ? &p->natural : &p->asked;
    if (natural_applies(problem))
        result = projection_code(natural_move(natural, e, plan->stiffly_accurate,
                                              plan->multipliers, t, y));
    if (result) return result;
    if (natural_applies(problem) && natural->free_rows == 0) {
        if (natural->known) p->left[problem->levels] = norm_max(problem->attached.rows, natural->h);
        p->met = natural->h;
        return PROJECTION_DONE;
    }
    result = free_move(p, e, plan, t, y);
    if (result || !plan->multipliers || problem->levels < 2) return result;
    projection_plan again = *plan;               /* multipliers at the point where it ended */
    again.kind = KEEL_PROJECT_NONE;
    return move_linked(p, e, &again, J, t, y, row);
}

/* With `complete` = 0 the hidden level contains multipliers that are not known, or is not wanted. */
static projection_result find_residuals(projection *p, evaluator *e, double t, const double *y,
                                        int complete, const double *left, double *residual)
{
    const keel_problem *problem = e->problem;
    if (problem->original) {
        evaluator *inner = eval_original(e);
        complete &= to_original(e, y);
        projection_result result = find_residuals(p, inner, t, e->original_y, complete, left, residual);
        if (result) e->fault = inner->fault;
        return result;
    }
    int mechanical = problem->ops == &mechanical_form && problem->levels > 0;
    if (mechanical) {
        projection_result result = mechanical_residuals(e->asked ? p->inquired : p->mechanical, e, t, y,
                                                        complete, residual);
        if (result) return result;
    }
    for (int level = mechanical ? problem->levels : 0; level < keel_problem_levels(problem); level++) {
        if (!complete && level == problem->levels - 1) continue;
        const int known = left && left[level] >= 0, rows = level_rows(problem, level);
        int rc = known ? 0 : eval_level(e, level, t, y, p->value);
        if (rc) return projection_code(rc);
        residual[level] = known ? left[level] : norm_max(rows, p->value);
        if (level == problem->levels)
            memcpy(e->deviation, known ? p->met : p->value, (size_t)rows * sizeof *p->value);
    }
    return PROJECTION_DONE;
}

projection_result projection_residuals(projection *p, evaluator *e, double t, const double *y, int brief,
                                       int moved, double *residual)
{
    const keel_problem *root = problem_root(e->problem);
    int levels = keel_problem_levels(root);
    for (int level = 0; level < 3 || level < levels; level++) residual[level] = -1;
    if (e->reducer) {
        const projection_plan nothing = {.brief = brief};
        int rc = moved ? 0 : levels_agree(p, e, &nothing, t, y, NULL, 0);
        for (int level = 0; level < levels; level++) residual[level] = p->left[level];
        return projection_code(rc);
    }
    return find_residuals(p, e, t, y, !brief || root->levels < 2, moved ? p->left : NULL, residual);
}
