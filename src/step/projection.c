/* projection.c -- one level after the other, and again with directions at the new point.
 *
 *   a level    x := x^ + D mu, level(t, y) = 0, by simplified Newton with S = (level)_x D
 *   a round    D and S at the point of the last round; levels in their order; multipliers
 *
 * The direction of a round is off by the change of D over the correction of the round before: the
 * rounds converge like powers of the correction.  For stiffly accurate methods with s stages of
 * stage order s the first round is the last: y and u are corrected by Newton's error only, v by
 * O(h^(s+1)), which with l off by O(h^(s-1)) makes O(h^(2s)), no more than the local error.
 */
#include "step/projection.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/gauge.h"
#include "step/mechanical_point.h"

enum { PASSES = 40, ROUNDS = 20, REFRESHES = 8 };

/* A change of the directions matters if it is expected to move the point by more than this. */
static const double negligible = 1e-14;

/* Corrections with matrices of the point itself shrink quadratically.  Where they stay below what
 * some units in the last place of the unknowns make, or below the first of these, they are rounding errors of
 * an ill-conditioned level; the second is the most that is believed [diodes of 1e-5 Ohm and 1e-5 S: condition
 * 1e10, corrections of 3e-9 at 100 V]. */
static const double conditioned = 1e-9, conditioned_most = 1e-6, units = 8;

/* Factoring g_z of many algebraic unknowns once more is dear, and index 1 can do without. */
static int skips_algebraic(const keel_problem *problem)
{
    return problem->levels == 0 || (problem->levels == 1 && problem->constraints > INDEX1_MOST);
}

/* ---- workspace ---------------------------------------------------------------------------- */

static const keel_problem *root_of(const keel_problem *problem)
{
    return problem->original ? root_of(problem->original) : problem;
}

/* Buffers of the problem whose constraints count; vectors for all its formulations on the way. */
void projection_layout(arena *a, projection *p, const keel_problem *problem, int orthogonal,
                       const keel_engine *engine)
{
    const keel_problem *root = root_of(problem);
    int m = root->constraints, widest = root->n;
    p->root = root;
    ARENA_KEEP(a, p, saddle_known, correction_hidden);
    for (; problem != root; problem = problem->original)
        if (problem->n > widest) widest = problem->n;
    if (!engine && !skips_algebraic(root) && (orthogonal || !mechanical_is_sparse(root)))
        directions_layout(a, &p->directions, root, orthogonal);
    for (int k = 0; k < root->levels; k++) p->mu[k] = ARENA(a, double, m);
    double **vectors[] = {&p->before, &p->last, &p->value, &p->step, &p->weight, &p->shaken};
    for (int k = 0; k < 6; k++) *vectors[k] = ARENA(a, double, widest + m + root->attached.rows);
    ARENA_KEEP(a, p, stagnant, left);
    if (root->attached.rows > 0) free_layout(a, &p->fit, root);
    if (natural_applies(root)) natural_layout(a, &p->natural, root);
    if (natural_applies(root)) natural_layout(a, &p->asked, root);
    if (root->ops != &mechanical_form) return;
    mechanical_point measured, *point = p->mechanical = ARENA_OBJECT(a, mechanical_point, 1);
    if (!point) point = &measured;
    point->y = ARENA(a, double, root->n);
    point_layout(a, point, root);
    if (p->mechanical && point->kkt) saddle_expect_few_solves(point->kkt);
}

int projection_create(projection *p)
{
    if (natural_applies(p->root)) natural_create(&p->natural, p->root);
    if (natural_applies(p->root)) natural_create(&p->asked, p->root);
    int rc = p->directions.problem ? directions_create(&p->directions) : KEEL_OK;
    if (!rc) rc = free_create(&p->fit);
    return p->mechanical && !rc ? point_create(p->mechanical) : rc;
}

void projection_release(projection *p)
{
    directions_release(&p->directions);
    if (p->fit.levels.problem) level_stack_release(&p->fit.levels);
    if (p->mechanical) point_release(p->mechanical);
}

void projection_forget(projection *p)
{
    natural_forget(&p->natural);
    natural_forget(&p->asked);
    p->saddle_known = 0;
    p->correction = p->correction_hidden = 0;
}

projection_result projection_code(int rc)
{
    return rc == 0 ? PROJECTION_DONE : rc == DIRECTIONS_SINGULAR ? PROJECTION_SINGULAR
         : rc == NATURAL_DIVERGES ? PROJECTION_DIVERGES
         : rc > 0 ? PROJECTION_CANNOT_EVALUATE : PROJECTION_STOP;
}

/* ---- a level ------------------------------------------------------------------------------ */

typedef struct level_move {
    int level, own;              /* own: along its gradient                                */
    double shrink;               /* corrections that shrink by less will not do            */
    double enough;               /* relative size of a correction that may remain when     */
                                 /* corrections stop shrinking (difference noise)          */
} level_move;

/* Largest |step_i| / (1 + |x_i|) over the unknowns of a level; NaN if any is not finite. */
static double relative_size(const constraint_level *l, const double *step, const double *y)
{
    if (!l->moves) return norm_relative(l->count, step, y + l->first);
    double size = 0;
    for (int i = 0; i < l->count; i++) {
        double part = fabs(step[i]) / (1 + fabs(y[l->moves[i]]));
        if (!(part <= size)) size = part;
    }
    return size;
}

static void add_step(const constraint_level *l, const double *step, double *y)
{
    for (int i = 0; i < l->count; i++) y[level_unknown(l, i)] += step[i];
}

/* Can it be told without a solve that there is nothing left but rounding errors?  Solves with large sparse
 * matrices are dear: the correction to come is `expected` by how much the level has become less. */
static int is_met(const projection *p, const level_move *move, const double *y, double expected)
{
    const directions *d = &p->directions;
    if (!d->sparse || move->own) return 0;
    return expected <= 2 * DBL_EPSILON || directions_met(d, move->level, y, p->value);
}

/* x := x - D S^-1 level(t, y), to rounding; x is a part of y. */
static projection_result correct(projection *p, evaluator *e, double t, double *y,
                                 const level_move *move)
{
    const constraint_level *l = &e->problem->level[move->level];
    int m = e->problem->constraints;
    double last = INFINITY, before = 0;
    p->left[move->level] = -1;
    for (int pass = 0; pass < PASSES; pass++) {
        int rc = eval_level(e, move->level, t, y, p->value);
        if (rc) return projection_code(rc);
        double left = norm_max(m, p->value);
        if (is_met(p, move, y, last * left / before)) {
            p->left[move->level] = left;
            return PROJECTION_DONE;
        }
        before = left;
        for (int k = 0; k < m; k++) p->value[k] = -p->value[k];
        directions_solve(&p->directions, move->level, move->own, p->value);
        directions_step(&p->directions, move->level, move->own, p->value, p->step);
        double size = relative_size(l, p->step, y);
        if (size <= 2 * DBL_EPSILON) return PROJECTION_DONE;
        p->stagnant = size;
        if (!(size < move->shrink * last))
            return size <= move->enough ? PROJECTION_DONE : PROJECTION_DIVERGES;
        last = size;
        add_step(l, p->step, y);
        for (int k = 0; k < m; k++) p->mu[move->level][k] += p->value[k];
    }
    return last <= move->enough ? PROJECTION_DONE : PROJECTION_DIVERGES;
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
static int list_moves(const keel_problem *problem, const projection_plan *plan, level_move *moves)
{
    int count = 0, last = problem->levels - 1, own = is_orthogonal(problem, plan);
    int given = last == 0 || problem->ops == &levelled_form;
    for (int k = 0; k < last; k++)
        if (is_wanted(plan, k))
            moves[count++] = (level_move){.level = k, .own = own, .shrink = 0.7, .enough = 1e-11};
    if (plan->multipliers || last == 0)
        moves[count++] = (level_move){.level = last, .shrink = given ? 0.7 : 0.5,
                                      .enough = last == 0 ? 1e-12 : given ? 1e-11
                                              : last == 2 ? 1e-6 : 1e-9};
    return count;
}

/* Directions and factored matrices at (t,y). */
static projection_result prepare(projection *p, evaluator *e, const projection_plan *plan,
                                 const keel_matrix *J, double t, const double *y, int *row)
{
    int own = is_orthogonal(e->problem, plan), rc = 0;
    const double *weight = plan->metric == KEEL_METRIC_TOLERANCE ? plan->weight : NULL;
    if (!own || plan->multipliers) rc = directions_prepare(&p->directions, e, J, t, y, row);
    for (int k = 0; k + 1 < e->problem->levels && own && !rc; k++)
        rc = directions_gradient(&p->directions, e, k, weight, t, y, row);
    return projection_code(rc);
}

/* Relative size of the correction that some units in the last place of the unknowns call for, as they come to
 * be: all alike, then to and fro, so that neither sums nor differences hide it. */
static double rounding_size(projection *p, evaluator *e, double t, const double *y, const level_move *move)
{
    const constraint_level *l = &e->problem->level[move->level];
    const int n = e->problem->n, m = e->problem->constraints;
    double size = 0;
    for (int pattern = 0; pattern < 2; pattern++) {
        int rc = eval_level(e, move->level, t, y, p->value);
        for (int i = 0; i < n; i++) {
            const double golden = fmod(0.6180339887498949 * i, 1), way = golden < 0.5 ? golden - 1 : golden;
            p->shaken[i] = y[i] * (1 + (pattern ? way : 1) * units * DBL_EPSILON);
        }
        if (!rc) rc = eval_level(e, move->level, t, p->shaken, p->shaken + n);
        if (rc) return 0;
        for (int k = 0; k < m; k++) p->value[k] -= p->shaken[n + k];
        directions_solve(&p->directions, move->level, move->own, p->value);
        directions_step(&p->directions, move->level, move->own, p->value, p->step);
        size = fmax(size, relative_size(l, p->step, y));
    }
    return size;
}

/* Are the corrections that do not shrink rounding errors? */
static int is_rounding(projection *p, evaluator *e, double t, const double *y, const level_move *move)
{
    const double stagnant = p->stagnant;
    if (!(stagnant <= conditioned_most)) return 0;
    return stagnant <= conditioned || stagnant <= rounding_size(p, e, t, y, move);
}

/* Multipliers may be far off: new matrices at the new point, where the old ones will not do. */
static projection_result find_multipliers(projection *p, evaluator *e, const projection_plan *plan,
                                          double t, double *y, const level_move *move, int *row)
{
    projection_result result = correct(p, e, t, y, move);
    for (int k = 0; k < REFRESHES && result == PROJECTION_DIVERGES; k++) {
        result = prepare(p, e, plan, NULL, t, y, row);
        if (!result) result = correct(p, e, t, y, move);
    }
    if (result == PROJECTION_DIVERGES && is_rounding(p, e, t, y, move)) result = PROJECTION_DONE;
    return !result && e->gauge ? projection_code(gauge_smallest(e->gauge, e, t, y)) : result;
}

/* Each level in turn, from x^ + D mu with the mu of the round before; then the multipliers. */
static projection_result move_once(projection *p, evaluator *e, const projection_plan *plan,
                                   double t, double *y, const level_move *moves, int count,
                                   int first, int *row)
{
    const keel_problem *problem = e->problem;
    projection_result result = PROJECTION_DONE;
    for (int k = 0; k < count && !result; k++) {
        const level_move *move = &moves[k];
        const constraint_level *l = &problem->level[move->level];
        if (move->level == problem->levels - 1)
            return find_multipliers(p, e, plan, t, y, move, row);
        if (!first)
            directions_step(&p->directions, move->level, move->own, p->mu[move->level], p->step);
        for (int i = 0; i < l->count && !first; i++) {
            int at = level_unknown(l, i);
            y[at] = p->before[at] + p->step[i];
        }
        result = correct(p, e, t, y, move);
    }
    return result;
}

/* Largest relative change of the first n unknowns since the last round. */
static double change_since(projection *p, int n, const double *y)
{
    for (int i = 0; i < n; i++) p->step[i] = y[i] - p->last[i];
    return norm_relative(n, p->step, y);
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
    int n = problem->n, m = problem->constraints;
    double whole = 0, change = 0, before = 0;
    level_move moves[KEEL_LEVELS_MOST];
    int count = list_moves(problem, plan, moves);
    memcpy(p->before, y, (size_t)n * sizeof *y);
    for (int k = 0; k < problem->levels; k++) memset(p->mu[k], 0, (size_t)m * sizeof *p->mu[k]);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(p->last, y, (size_t)n * sizeof *y);
        const keel_matrix *near_by = only_once(problem, plan) || !p->directions.sparse ? J : NULL;
        projection_result result = prepare(p, e, plan, near_by, t, y, row);
        if (!result) result = move_once(p, e, plan, t, y, moves, count, round == 0, row);
        if (result || only_once(problem, plan)) return result;
        change = change_since(p, n - m, y);
        if (round == 0) whole = change_since(p, n, y);
        double rate = round == 0 ? whole : change / before;
        if (change <= 4 * DBL_EPSILON || change * rate <= negligible) return PROJECTION_DONE;
        if (round > 0 && !(rate < 0.7)) break;
        before = change;
    }
    /* one-sided differences leave 1e-8 of the correction, which is at most `whole`, uncertain */
    return change <= 1e-11 + 1e-7 * fmin(1, whole) ? PROJECTION_DONE : PROJECTION_DIVERGES;
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
    return mechanical_move(p->mechanical, e, &rest, t, y, row);
}

/* g, its derivatives and what they determine. */
static projection_result move_linked(projection *p, evaluator *e, const projection_plan *plan,
                                     const keel_matrix *J, double t, double *y, int *row)
{
    const keel_problem *problem = e->problem;
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
    double residual[KEEL_LEVELS_MOST];
    if (e->engine) return projection_ranks(p, e, plan, t, y, NULL, residual);
    for (int k = 0; k < KEEL_LEVELS_MOST; k++) p->left[k] = -1;
    if (problem->original) return move_original(p, e, plan, t, y, row);
    projection_result result = move_linked(p, e, plan, J, t, y, row);
    if (result || problem->attached.rows == 0 || plan->kind == KEEL_PROJECT_NONE) return result;
    for (int k = 0; k < KEEL_LEVELS_MOST; k++) p->left[k] = -1;      /* y moves on */
    natural_directions *natural = plan->stiffly_accurate ? &p->natural : &p->asked;
    if (natural_applies(problem))
        result = projection_code(natural_move(natural, e, plan->stiffly_accurate,
                                              plan->multipliers, t, y));
    if (result || (natural_applies(problem) && natural->free_rows == 0)) return result;
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
        projection_result result = mechanical_residuals(p->mechanical, e, t, y, complete, residual);
        if (result) return result;
    }
    for (int level = mechanical ? problem->levels : 0; level < keel_problem_levels(problem); level++) {
        if (!complete && level == problem->levels - 1) continue;
        if (left && level < problem->levels && left[level] >= 0) {
            residual[level] = left[level];
            continue;
        }
        int rc = eval_level(e, level, t, y, p->value);
        if (rc) return projection_code(rc);
        int rows = level_rows(problem, level);
        residual[level] = norm_max(rows, p->value);
        if (level == problem->levels) memcpy(e->deviation, p->value, (size_t)rows * sizeof *p->value);
    }
    return PROJECTION_DONE;
}

static projection_result residuals(projection *p, evaluator *e, double t, const double *y, int brief,
                                   const double *left, double *residual)
{
    const keel_problem *root = root_of(e->problem);
    int levels = keel_problem_levels(root);
    for (int level = 0; level < 3 || level < levels; level++) residual[level] = -1;
    if (e->engine) {
        const projection_plan nothing = {.kind = KEEL_PROJECT_NONE};
        memcpy(p->last, y, (size_t)e->problem->n * sizeof *y);   /* which stays as it is */
        return projection_ranks(p, e, &nothing, t, p->last, NULL, residual);
    }
    return find_residuals(p, e, t, y, !brief || root->levels < 2, left, residual);
}

projection_result projection_residuals(projection *p, evaluator *e, double t, const double *y,
                                       int brief, double *residual)
{
    return residuals(p, e, t, y, brief, NULL, residual);
}

projection_result projection_remains(projection *p, evaluator *e, double t, const double *y, int brief,
                                  double *residual)
{
    return residuals(p, e, t, y, brief, p->left, residual);
}
