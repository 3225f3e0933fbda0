/* projection.c -- one level after the other, and again with directions at the new point.
 *
 *   a level    x := x^ + D mu, level(t, y) = 0, by simplified Newton with S = (level)_x D
 *   a round    D and S at the point of the last round; levels in their order; multipliers
 *
 * The direction of a round is off by the change of D over the correction of the round before: the
 * rounds converge like powers of the correction.  For stiffly accurate methods with s stages of
 * stage order s the first round is the last: y and u are corrected by Newton's error only, v by
 * O(h^(s+1)), which with l off by O(h^(s-1)) makes O(h^(2s)), no more than the local error.  So the matrix that an
 * engine has of an earlier point may serve where no level but that of y is corrected: index 2.
 *
 * Where vectors are spread over ranks a pass corrects every level once and sends one message with what it came
 * to, and with whatever else is wanted at the point (projection_rider): the same verdicts, later.
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

/* Reduction of a level that speaks for the matrix of an earlier point, and how exact systems are solved that
 * are not factored. */
static const double fresh = 1e-2, tightest = 1e-12, first_solve = 1e-10, loosest = 1e-3;

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
    ARENA_KEEP(a, p, prepared, expected);
    for (; problem != root; problem = problem->original)
        if (problem->n > widest) widest = problem->n;
    if (!skips_algebraic(root) && (orthogonal || !mechanical_is_sparse(root)))
        directions_layout(a, &p->directions, root, orthogonal, engine);
    for (int k = 0; k < root->levels; k++) p->mu[k] = ARENA(a, double, m);
    double **vectors[] = {&p->before, &p->last, &p->value, &p->step, &p->weight, &p->shaken};
    for (int k = 0; k < 6; k++) *vectors[k] = ARENA(a, double, widest + m + root->attached.rows);
    ARENA_KEEP(a, p, left, left);
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
    if (p->fit.level.problem) level_saddle_release(&p->fit.level);
    if (p->mechanical) point_release(p->mechanical);
}

void projection_forget(projection *p)
{
    natural_forget(&p->natural);
    natural_forget(&p->asked);
    p->prepared = 0;
    memset(p->expected, 0, sizeof p->expected);
}

projection_result projection_code(int rc)
{
    return rc == 0 ? PROJECTION_DONE : rc == DIRECTIONS_SINGULAR ? PROJECTION_SINGULAR
         : rc == NATURAL_DIVERGES ? PROJECTION_DIVERGES
         : rc > 0 ? PROJECTION_CANNOT_EVALUATE : PROJECTION_STOP;
}

/* ---- a level ------------------------------------------------------------------------------ */

/* How a level is met, and what its last correction came to. */
typedef struct level_move {
    int level, own;              /* own: along its gradient                                */
    double shrink;               /* corrections that shrink by less will not do            */
    double enough;               /* relative size of a correction that may remain when     */
                                 /* corrections stop shrinking (difference noise)          */
    double negligible;           /* ... of one that is not made                            */
    int resumes;                 /* from x^ + D mu, with the mu of the round before        */
    int met, known;              /* known: p->value is the level where y is                */
    double before, now;          /* norms of the level before the correction and after it  */
    double size, last;           /* relative sizes of it and of the one before             */
} level_move;

typedef enum verdict { LEVEL_AGAIN, LEVEL_MET, LEVEL_DIVERGES } verdict;

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

/* The correction that is expected next, by how much the level has become less. */
static double next_size(const level_move *v) { return v->last * v->now / v->before; }

/* Can it be told without a solve that there is nothing left but rounding errors?  Solves with large sparse
 * matrices are dear. */
static int is_met(const projection *p, const level_move *v, const double *y)
{
    const directions *d = &p->directions;
    if (!d->sparse || v->own) return 0;
    return next_size(v) <= v->negligible || directions_met(d, v->level, y, p->value);
}

static verdict judge(level_move *v)
{
    const double last = v->last;
    v->last = v->size;
    if (v->size <= 2 * DBL_EPSILON) return LEVEL_MET;
    if (v->size < v->shrink * last) return LEVEL_AGAIN;
    return v->size <= v->enough ? LEVEL_MET : LEVEL_DIVERGES;
}

/* An engine has no product D mu of its own. */
static void resume(projection *p, const constraint_level *l, level_move *v, double *y)
{
    if (p->directions.engine) memset(p->step, 0, (size_t)l->count * sizeof *p->step);
    else directions_step(&p->directions, v->level, v->own, p->mu[v->level], p->step);
    for (int i = 0; i < l->count; i++) {
        int at = level_unknown(l, i);
        y[at] = p->before[at] + p->step[i];
    }
    v->resumes = 0;
}

/* Systems are solved to rounding of y, not more: the correction expected is that of the last time. */
static double solve_to(double expected)
{
    return expected == 0 ? first_solve : fmax(tightest, fmin(loosest, DBL_EPSILON / expected));
}

/* p->step := -D S^-1 level(t, y), whose value is in p->value, and its size.  A code of eval_*. */
static int find_step(projection *p, evaluator *e, double t, const double *y, level_move *v)
{
    const double tolerance = solve_to(p->expected[v->level]);
    for (int k = 0; k < e->problem->constraints; k++) p->value[k] = -p->value[k];
    int rc = directions_solve(&p->directions, e, v->level, v->own, t, tolerance, p->value);
    if (rc) return rc;
    directions_step(&p->directions, v->level, v->own, p->value, p->step);
    v->before = v->now;
    v->size = relative_size(&e->problem->level[v->level], p->step, y);
    return 0;
}

/* x := x + D mu, x being a part of y, until the level is met to rounding; where ranks have to agree on what a
 * correction came to, one.  A code of eval_*. */
static int correct(projection *p, evaluator *e, double t, double *y, level_move *v, verdict *found)
{
    const constraint_level *l = &e->problem->level[v->level];
    const int m = e->problem->constraints, alone = !e->reducer, passes = alone ? PASSES : 1;
    if (v->resumes) resume(p, l, v, y);
    p->left[v->level] = -1;
    for (int pass = 0;; pass++) {
        int rc = v->known && pass == 0 ? 0 : eval_level(e, v->level, t, y, p->value);
        if (rc) return rc;
        v->now = norm_max(m, p->value);
        const int met = alone && is_met(p, v, y);
        if (met) p->left[v->level] = v->now;
        *found = !alone ? LEVEL_AGAIN : met || v->last <= v->enough ? LEVEL_MET : LEVEL_DIVERGES;
        if (met || pass == passes) return 0;
        rc = find_step(p, e, t, y, v);
        if (rc) return rc;
        *found = alone ? judge(v) : LEVEL_AGAIN;
        if (*found != LEVEL_AGAIN) return 0;
        for (int i = 0; i < l->count; i++) y[level_unknown(l, i)] += p->step[i];
        for (int k = 0; k < m; k++) p->mu[v->level][k] += p->value[k];
    }
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
        directions_solve(&p->directions, e, move->level, move->own, t, 0, p->value);
        directions_step(&p->directions, move->level, move->own, p->value, p->step);
        size = fmax(size, relative_size(l, p->step, y));
    }
    return size;
}

/* Are the corrections that do not shrink rounding errors? */
static int is_rounding(projection *p, evaluator *e, double t, const double *y, const level_move *v)
{
    if (!(v->size <= conditioned_most)) return 0;
    return v->size <= conditioned || (!e->reducer && v->size <= rounding_size(p, e, t, y, v));
}

/* What a pass has come to on all ranks, by one message: norms of all levels, those of the others measured, and
 * what the rider finds.  A code of eval_*. */
static int agree(projection *p, evaluator *e, const projection_plan *plan, double t, const double *y,
                 level_move *moves, int count)
{
    enum { EACH = 3, OF_LEVELS = 3 * EACH };     /* of a Hessenberg form */
    projection_rider none = {.sums = 0}, *rider = plan->rider ? plan->rider : &none;
    double most[OF_LEVELS + RIDER_MOST] = {0};
    const int levels = e->problem->levels, measured = levels - (plan->brief && levels > 1);
    int rc = 0, moved = 0;
    for (int k = 0; k < count; k++) {
        double part[EACH] = {moves[k].now, moves[k].before, moves[k].size};
        memcpy(most + EACH * moves[k].level, part, sizeof part);
        moved |= 1 << moves[k].level;
    }
    for (int k = 0; k < measured && !rc; k++) {
        if (moved & 1 << k) continue;
        rc = eval_level(e, k, t, y, p->shaken);
        most[EACH * k] = norm_max(e->problem->constraints, p->shaken);
    }
    if (!rc && plan->rider) rc = rider->evaluate(rider->context, t, y, rider->sum, rider->most);
    if (rc) return rc;
    memcpy(most + EACH * levels, rider->most, (size_t)rider->maxima * sizeof *most);
    ranks_reduce(e->reducer, rider->sums, rider->sum, EACH * levels + rider->maxima, most);
    memcpy(rider->most, most + EACH * levels, (size_t)rider->maxima * sizeof *most);
    for (int k = 0; k < levels; k++) p->left[k] = k < measured || (moved & 1 << k) ? most[EACH * k] : -1;
    for (int k = 0; k < count; k++) {
        const double *part = most + EACH * moves[k].level;
        moves[k].now = part[0], moves[k].before = part[1], moves[k].size = part[2];
    }
    return eval_outcome(e);
}

/* The verdict on a pass: a level is met where those before it are.  With the matrix of an earlier point a level
 * must become less by a hundred. */
static verdict judge_pass(projection *p, level_move *moves, int count)
{
    int met = 1;
    double contraction = 0;
    for (int k = 0; k < count; k++) {
        level_move *v = &moves[k];
        if (v->met) continue;
        if (v->last == INFINITY) p->expected[v->level] = v->size;
        verdict found = judge(v);
        if (found == LEVEL_DIVERGES) return LEVEL_DIVERGES;
        int done = found == LEVEL_MET || next_size(v) <= v->negligible;
        met = v->met = met && done;
        if (!done && v->size > v->enough) contraction = fmax(contraction, v->now / v->before);
    }
    return met ? LEVEL_MET : p->stale && contraction > fresh ? LEVEL_DIVERGES : LEVEL_AGAIN;
}

/* Each level in turn; over ranks a correction of each, and again. */
static projection_result meet(projection *p, evaluator *e, const projection_plan *plan, double t, double *y,
                              level_move *moves, int count)
{
    verdict found = LEVEL_MET;
    for (int k = 0; k < count; k++) moves[k].last = INFINITY, moves[k].before = 0, moves[k].known = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        int alone = 1;                           /* no other level moves y on or needs p->value */
        for (int k = 0, rc; k < count && found != LEVEL_DIVERGES; k++) {
            if (moves[k].met) continue;
            moves[k].known &= alone;
            rc = correct(p, e, t, y, &moves[k], &found);
            if (rc) return projection_code(rc);
            moves[k].met = found == LEVEL_MET;
            moves[k].known = k == count - 1;
            alone = 0;
        }
        if (e->reducer) {
            int rc = agree(p, e, plan, t, y, moves, count);
            if (rc) return projection_code(rc);
            found = judge_pass(p, moves, count);
        }
        if (found != LEVEL_AGAIN) break;
    }
    return found == LEVEL_MET ? PROJECTION_DONE : PROJECTION_DIVERGES;
}

/* From x^ + D mu with the mu of the round before.  Multipliers may be far off: new matrices at the new point,
 * where the old ones will not do; nor may those that an engine has of an earlier one. */
static projection_result move_once(projection *p, evaluator *e, const projection_plan *plan, double t,
                                   double *y, level_move *moves, int count, int first, int *row)
{
    const int last = e->problem->levels - 1;
    level_move *hidden = count > 0 && moves[count - 1].level == last ? &moves[count - 1] : NULL;
    for (int k = 0; k < count; k++) moves[k].met = 0, moves[k].resumes = !first && moves[k].level < last;
    projection_result result = meet(p, e, plan, t, y, moves, count);
    for (int k = 0; k < REFRESHES && result == PROJECTION_DIVERGES; k++) {
        int lower = count > 1 && !moves[count - 2].met;
        if (!e->engine && (!hidden || lower)) return result;
        result = prepare(p, e, plan, NULL, t, y, row);
        if (!result) result = meet(p, e, plan, t, y, moves, count);
    }
    if (!hidden) return result;
    if (result == PROJECTION_DIVERGES && is_rounding(p, e, t, y, hidden)) result = PROJECTION_DONE;
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
    return mechanical_move(p->mechanical, e, &rest, t, y, row);
}

/* g, its derivatives and what they determine. */
static projection_result move_linked(projection *p, evaluator *e, const projection_plan *plan,
                                     const keel_matrix *J, double t, double *y, int *row)
{
    const keel_problem *problem = e->problem;
    if (e->reducer && problem->levels < 2) return meet(p, e, plan, t, y, NULL, 0);
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
    if (e->reducer) {
        const projection_plan nothing = {.brief = brief};
        int rc = left ? 0 : agree(p, e, &nothing, t, y, NULL, 0);
        for (int level = 0; level < levels; level++) residual[level] = p->left[level];
        return projection_code(rc);
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
