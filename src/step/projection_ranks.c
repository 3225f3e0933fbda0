/* projection_ranks.c -- projection of points that are spread over ranks, by the engine's saddle matrix.
 *
 *   [I -f_z; -g_y 0] (dy, mu) = (0, g):        y := y + dy,   dy = f_z mu
 *   the same with (., dz) = (0, g_y f + g_t):   z := z + dz
 *
 * A pass does both, measures what it leaves, and sends one message.  A pass that takes |g| from |g_0| to
 * |g_1| by a correction of size s would be followed by one of size s |g_1| / |g_0|: it is the last where
 * that is rounding.  The matrix is kept from step to step as long as a pass reduces what it is for by a
 * hundred: what a correction in an old direction is off by is less than that part of it.
 */
#include "step/projection.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

enum { PASSES = 20, ROUNDS = 10, REFRESHES = 4 };
enum { BEFORE, AFTER, SIZE, MEASURES };          /* of a level                             */

static const double
    rounding = 8 * DBL_EPSILON,  /* relative size of a correction of y that is not made    */
    rounding_hidden = 1e-13,     /* the same of z,                                         */
    stalled = 1e-11, stalled_hidden = 1e-9,      /* ... and where corrections stop shrinking */
    fresh = 1e-2,                /* reduction by a pass that speaks for the matrix         */
    tightest = 1e-12, first_solve = 1e-10;

/* One projection. */
typedef struct spread_move {
    projection *p;
    evaluator *e;
    double t, *y;
    int position, multipliers;   /* still to be met                                        */
    double last[2];              /* sizes of the corrections before                        */
    double left[2];              /* norms of the levels where it is now                    */
    int stale;                   /* the matrix is of an earlier point,                     */
    double contraction;          /* by which the last pass, the worse of both, speaks for it */
    projection_rider *rider;
} spread_move;

/* The correction expected is that of the last time: solved to rounding of y, not more. */
static double solve_to(double size)
{
    if (size == 0) return first_solve;
    return fmax(tightest, fmin(1e-3, DBL_EPSILON / size));
}

int ranks_saddle(projection *p, evaluator *e, double t, const double *y)
{
    const keel_engine_spec *engine = &e->engine->spec;
    int rc = eval_engine(e, "prepare_saddle", t, engine->prepare_saddle(engine->context, t, y));
    p->saddle_known = rc == 0;
    return rc;
}

/* (dy, dz) in p->step for the right-hand side (0, value). */
static int solve(const spread_move *v, int level)
{
    projection *p = v->p;
    const keel_engine_spec *engine = &v->e->engine->spec;
    int N = v->e->problem->group[0], m = v->e->problem->constraints;
    memset(p->step, 0, (size_t)N * sizeof *p->step);
    memcpy(p->step + N, p->value, (size_t)m * sizeof *p->step);
    double tolerance = level == 0 ? solve_to(p->correction) : fmin(1e-3, solve_to(p->correction_hidden));
    return eval_engine(v->e, "solve_saddle", v->t,
                       engine->solve_saddle(engine->context, tolerance, p->step, p->step + N));
}

/* Meets a level with the unknowns first ... first + count; its norms before and after, and the size. */
static int meet(spread_move *v, int level, int wanted, int measured, double *most)
{
    projection *p = v->p;
    int N = v->e->problem->group[0], m = v->e->problem->constraints;
    int first = level == 0 ? 0 : N, count = level == 0 ? N : m;
    int rc = wanted || measured ? eval_level(v->e, level, v->t, v->y, p->value) : 0;
    most[BEFORE] = most[AFTER] = wanted || measured ? norm_max(m, p->value) : 0;
    most[SIZE] = 0;
    if (rc || !wanted) return rc;
    rc = solve(v, level);
    if (rc) return rc;
    most[SIZE] = norm_relative(count, p->step + first, v->y + first);
    for (int i = 0; i < count; i++) v->y[first + i] += p->step[first + i];
    rc = eval_level(v->e, level, v->t, v->y, p->value);
    most[AFTER] = norm_max(m, p->value);
    return rc;
}

/* One message with `own` maxima and what the rider, if there is one, finds at the point.  A code of
 * eval_*. */
static int send(evaluator *e, projection_rider *rider, double t, double *y, int own, double *most)
{
    projection_rider none = {.sums = 0}, *r = rider ? rider : &none;
    int rc = rider ? r->evaluate(r->context, t, y, r->sum, r->most) : 0;
    if (rc) return rc;
    memcpy(most + own, r->most, (size_t)r->maxima * sizeof *most);
    ranks_reduce(e->reducer, r->sums, r->sum, own + r->maxima, most);
    memcpy(r->most, most + own, (size_t)r->maxima * sizeof *most);
    return eval_outcome(e);
}

/* One pass over what is left to be met, and its message.  A code of eval_*. */
static int pass(spread_move *v, double *most)
{
    projection_rider *rider = v->rider;
    int rc = meet(v, 0, v->position, 1, most);
    if (!rc) rc = meet(v, 1, v->multipliers, v->multipliers || !rider || !rider->brief, most + MEASURES);
    return rc ? rc : send(v->e, rider, v->t, v->y, 2 * MEASURES, most);
}

/* Is a level met by the pass that measured it so?  1, 0 or -1: corrections do not shrink. */
static int is_met(const double *most, double *last, double negligible, double enough, double *contraction)
{
    double reduction = most[BEFORE] > 0 ? most[AFTER] / most[BEFORE] : 0;
    double next = most[SIZE] * fmin(1, reduction), before = *last;
    *last = most[SIZE];
    if (!(most[SIZE] <= DBL_MAX)) return -1;
    if (most[SIZE] <= 2 * DBL_EPSILON || next <= negligible) return 1;
    if (most[SIZE] > enough) *contraction = fmax(*contraction, reduction);
    if (most[SIZE] < 0.7 * before && (reduction < 0.7 || most[SIZE] <= enough)) return 0;
    return most[SIZE] <= enough ? 1 : -1;
}

static int judge(spread_move *v, const double *most)
{
    projection *p = v->p;
    v->contraction = 0;
    int first = v->last[0] == INFINITY;
    if (v->position && first) p->correction = most[SIZE];
    if (v->multipliers && v->last[1] == INFINITY) p->correction_hidden = most[MEASURES + SIZE];
    int met = v->position ? is_met(most, &v->last[0], rounding, stalled, &v->contraction) : 1;
    int hidden = v->multipliers ? is_met(most + MEASURES, &v->last[1], rounding_hidden, stalled_hidden,
                                         &v->contraction) : 1;
    v->left[0] = most[AFTER];
    v->left[1] = most[MEASURES + AFTER];
    if (met == 1) v->position = 0;
    if (hidden == 1 && met == 1) v->multipliers = 0;         /* of a point that y has left: again */
    return met < 0 || hidden < 0 ? -1 : met && hidden;
}

/* From y with the matrix at hand; PROJECTION_DIVERGES: another one may do. */
static projection_result correct(spread_move *v)
{
    double most[2 * MEASURES + RIDER_MOST] = {0};
    v->last[0] = v->last[1] = INFINITY;
    for (int k = 0; k < PASSES; k++) {
        int rc = pass(v, most), met = rc ? 0 : judge(v, most);
        if (rc) return projection_code(rc);
        if (met) return met > 0 ? PROJECTION_DONE : PROJECTION_DIVERGES;
        if (v->stale && v->contraction > fresh) return PROJECTION_DIVERGES;
    }
    return PROJECTION_DIVERGES;
}

/* The same, and with new matrices where it takes them. */
static projection_result move_to(spread_move *v)
{
    projection_result result = PROJECTION_DONE;
    int wanted = v->position || v->multipliers;
    for (int k = 0; k < REFRESHES; k++) {
        v->stale = k == 0 && v->p->saddle_known;
        int rc = wanted && !v->stale ? ranks_saddle(v->p, v->e, v->t, v->y) : 0;
        if (rc) return rc > 0 ? PROJECTION_SINGULAR : PROJECTION_STOP;
        result = correct(v);
        if (result != PROJECTION_DIVERGES) break;
    }
    return result;
}

/* Directions that belong to the new point: rounds as in projection.c, each from the point as given. */
static projection_result move_in_rounds(spread_move *v, const projection_plan *plan)
{
    projection *p = v->p;
    int n = v->e->problem->n, N = v->e->problem->group[0], position = v->position, hidden = v->multipliers;
    double before = INFINITY;
    memcpy(p->before, v->y, (size_t)n * sizeof *v->y);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(p->last, v->y, (size_t)n * sizeof *v->y);
        int rc = ranks_saddle(p, v->e, v->t, v->y);
        if (rc) return rc > 0 ? PROJECTION_SINGULAR : PROJECTION_STOP;
        memcpy(v->y, p->before, (size_t)N * sizeof *v->y);
        v->position = position, v->multipliers = hidden;
        projection_result result = correct(v);
        if (result || plan->kind == KEEL_PROJECT_EXPLICIT) return result;
        for (int i = 0; i < N; i++) p->step[i] = v->y[i] - p->last[i];
        double change = norm_most(v->e->reducer, norm_relative(N, p->step, v->y));
        rc = eval_outcome(v->e);
        if (rc) return projection_code(rc);
        double rate = round == 0 ? change : change / before;
        if (change <= 4 * DBL_EPSILON || change * rate <= 1e-14) return PROJECTION_DONE;
        if (round > 0 && !(rate < 0.7)) return change <= stalled ? PROJECTION_DONE : PROJECTION_DIVERGES;
        before = change;
    }
    return PROJECTION_DIVERGES;
}

/* One level or none, and the rider: nothing moves. */
static projection_result measure(evaluator *e, projection *p, double t, double *y, projection_rider *rider,
                                 double *residual)
{
    double most[1 + RIDER_MOST] = {0};
    int level = e->problem->levels > 0, rc = level ? eval_level(e, 0, t, y, p->value) : 0;
    if (level) most[0] = norm_max(e->problem->constraints, p->value);
    if (!rc) rc = send(e, rider, t, y, 1, most);
    if (level) residual[0] = most[0];
    return projection_code(rc);
}

projection_result projection_ranks(projection *p, evaluator *e, const projection_plan *plan, double t,
                                   double *y, projection_rider *rider, double *residual)
{
    for (int k = 0; k < 3; k++) residual[k] = -1;
    if (e->problem->levels < 2) return measure(e, p, t, y, rider, residual);
    spread_move v = {.p = p, .e = e, .t = t, .y = y, .rider = rider, .multipliers = plan->multipliers,
                     .position = plan->kind != KEEL_PROJECT_NONE && plan->kind != KEEL_PROJECT_VELOCITY};
    int once = plan->stiffly_accurate || !v.position;
    int hidden = plan->multipliers || !rider || !rider->brief;
    projection_result result = once ? move_to(&v) : move_in_rounds(&v, plan);
    residual[0] = v.left[0];
    if (hidden) residual[1] = v.left[1];
    return result;
}
