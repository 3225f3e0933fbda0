#include "integrate/settle.h"

#include <float.h>
#include <math.h>

#include "core/norm.h"

static const double
    unsettled = 0.1,             /* of the tolerance                                       */
    still = 0.7,                 /* corrections of z that shrink by less do so no more,    */
    rounding = 1e-12;            /* and are then rounding errors up to this                */

void settle_layout(arena *a, settlement *d, const keel_solver *s)
{
    if (!s->eval.engine) branch_layout(a, &d->branch, s->problem);
    ARENA_LINKS(a, d, matrix, slope);
    ARENA_KEEP(a, d, sum, brief);
}

void settle_begin(keel_solver *s, settlement *d, iteration *matrix, const double *weight,
                  const double *slope, int stiffly_accurate)
{
    d->matrix = matrix;
    d->weight = weight;
    d->slope = slope;
    d->multipliers = s->options.multipliers == KEEL_MULTIPLIERS_HIDDEN;
    d->stiffly_accurate = stiffly_accurate;
    d->brief = 0;
    d->largest = 0;
}

/* What projection came to; J may be to blame. */
static attempt_result projected(settlement *d, attempt_result result)
{
    if (result == ATTEMPT_NOT_CONVERGED && d->matrix) iteration_doubt(d->matrix);
    return result;
}

/* From the hidden constraint, also where nothing else is projected; but then a formulation keeps
 * its own multipliers, which its equations determine. */
int settle_replaces_multipliers(const keel_solver *s, const settlement *d)
{
    int projected = s->options.projection != KEEL_PROJECT_NONE;
    return d->multipliers && s->problem->levels > 1 && (projected || !s->problem->original);
}

/* Is z off by a noticeable part of its tolerance, so that Newton's next update says? */
static int is_unsettled(keel_solver *s, const double *y)
{
    const double *step = projection_of(s)->step;
    int m = s->problem->constraints, off = 0;
    for (int k = 0, i = s->n - m; k < m; k++, i++)
        off |= !(fabs(step[k]) <= unsettled * (s->atol[i] + s->rtol[i] * fabs(y[i])));
    return off && s->options.step == 0;
}

/* A few z from g(t,y,z) = 0 with g_z of J, as projection_move would, by far most often in one correction;
 * what is left of g becomes s->left.  PROJECTION_DIVERGES: not this problem, or it takes more. */
static projection_result correct_few(keel_solver *s, const settlement *d, double t, double *y)
{
    projection *p = projection_of(s);
    directions *g_z = &p->directions;
    int m = s->problem->constraints, row;
    double *z = y + s->n - m, size, last = INFINITY;
    if (!d->branch.watched || g_z->sparse || s->eval.gauge) return PROJECTION_DIVERGES;
    int rc = directions_prepare(g_z, &s->eval, s->mode[s->active].J, t, y, &row);
    for (; !rc; last = size) {
        rc = eval_level(&s->eval, 0, t, y, p->value);
        if (rc) break;
        for (int k = 0; k < m; k++) p->step[k] = p->value[k];
        dense_solve(m, g_z->S, g_z->pivot, p->step);
        size = norm_relative(m, p->step, z);
        int shrinks = size < still * last;
        if (size <= 2 * DBL_EPSILON || (!shrinks && size <= rounding)) break;
        if (!shrinks) return PROJECTION_DIVERGES;
        for (int k = 0; k < m; k++) z[k] -= p->step[k];
    }
    if (rc) return rc < 0 ? PROJECTION_STOP : PROJECTION_DIVERGES;
    s->left[0] = norm_max(m, p->value);
    s->left[1] = s->left[2] = -1;
    return PROJECTION_DONE;
}

/* z from g(t,y,z) = 0. */
static attempt_result solve_algebraic(keel_solver *s, settlement *d, double t, double *y, int *prepared)
{
    int row = 0;
    projection_plan plan = projection_plan_of(s, 0);
    projection_result solved = projection_move(projection_of(s), &s->eval, &plan, s->mode[s->active].J, t,
                                               y, &row);
    *prepared = solved == PROJECTION_DONE;
    /* A nicety for stiffly accurate methods: a singular g_z is Newton's business. */
    int wanted = solved == PROJECTION_STOP || (solved && !d->stiffly_accurate) ||
                 (solved == PROJECTION_DIVERGES && is_unsettled(s, y));
    return wanted ? projected(d, projection_attempt(s, solved, row)) : ATTEMPT_DONE;
}

/* rider: over ranks, NULL where vectors are whole. */
static attempt_result move(keel_solver *s, settlement *d, projection_rider *rider, double t, double *y)
{
    attempt_result result = ATTEMPT_DONE;
    projection *p = projection_of(s);
    int wanted = s->options.projection != KEEL_PROJECT_NONE, prepared = 0;
    int projects = has_manifold(s->problem) && (wanted || settle_replaces_multipliers(s, d));
    if (projects || rider) {
        projection_plan plan = projection_plan_of(s, d->multipliers);
        plan.rider = rider;
        plan.brief = d->brief;
        s->stats.projections += projects && wanted;
        return projected(d, project_and_measure(s, &plan, t, y));
    }
    if (s->levels == 0) return ATTEMPT_DONE;
    projection_result few = d->multipliers ? correct_few(s, d, t, y) : PROJECTION_DIVERGES;
    if (few == PROJECTION_STOP) return projection_attempt(s, few, 0);
    if (few == PROJECTION_DONE) return branch_check(s, &d->branch, 1, t, y);
    if (d->multipliers && s->problem->constraints <= INDEX1_MOST)
        result = solve_algebraic(s, d, t, y, &prepared);
    if (prepared)
        result = projection_attempt(s, projection_residuals(p, &s->eval, t, y, d->brief, 1, s->left), 0);
    else if (result == ATTEMPT_DONE) result = measure_levels(s, t, y, d->brief);
    return result == ATTEMPT_DONE ? branch_check(s, &d->branch, prepared, t, y) : result;
}

/* ---- judged by one message ------------------------------------------------------------------ */

typedef struct judged_point {
    keel_solver *s;
    settlement *d;
} judged_point;

enum { MOVED = 2,                /* sums of acceptance_parts                               */
       NOT_FINITE = 0, OWN, MAXIMA };

static int evaluate(void *context, double t, const double *y, double *sum, double *most)
{
    const judged_point *q = context;
    most[OWN] = 0;
    acceptance_parts(q->s, t - q->s->t, y, q->d->weight, sum, &most[NOT_FINITE]);
    for (int k = 0; k < SETTLE_SUMS; k++) sum[MOVED + k] = 0;
    return q->d->at_new ? q->d->at_new(q->s, t, y, sum + MOVED, &most[OWN]) : 0;
}

/* A new point that is spread over ranks. */
static attempt_result settle_spread(keel_solver *s, settlement *d, double t, double *y)
{
    projection_rider rider = {.context = &(judged_point){s, d}, .evaluate = evaluate, .maxima = MAXIMA,
                              .sums = MOVED + SETTLE_SUMS};
    attempt_result result = move(s, d, &rider, t, y);
    if (result == ATTEMPT_DONE) result = acceptance_judge(s, rider.sum, rider.most[NOT_FINITE]);
    if (result != ATTEMPT_DONE) return result;
    d->largest = rider.most[OWN];
    for (int k = 0; k < SETTLE_SUMS; k++) d->sum[k] = rider.sum[MOVED + k];
    return result;
}

static attempt_result settle_whole(keel_solver *s, settlement *d, double t, double *y)
{
    attempt_result result = move(s, d, NULL, t, y);
    if (result == ATTEMPT_DONE) result = acceptance_check(s, t - s->t, y, d->weight);
    int rc = result == ATTEMPT_DONE && d->at_new ? d->at_new(s, t, y, NULL, NULL) : 0;
    return rc ? evaluation_result(s, rc) : result;
}

/* A long first step of an implicit method damps what grows, and its error estimate with it: near an
 * equilibrium that is not stable it leads there.  Then the new point is behind the start, as y' looks,
 * although y' leads away from it by more than is tolerated. */
static int turns_back(const keel_solver *s, const double *slope, double h, const double *y)
{
    double sum[2] = {0};
    for (int i = 0; i < s->n; i++) {
        double tolerated = s->atol[i] + s->rtol[i] * fabs(s->y[i]);
        double weight = s->eval.variable_index[i] > 1 ? 0 : norm_weight(tolerated);
        double ahead = weight * h * slope[i];
        sum[0] += ahead * weight * (y[i] - s->y[i]);
        sum[1] += ahead * ahead;
    }
    if (s->eval.reducer) ranks_reduce(s->eval.reducer, 2, sum, 0, NULL);
    return sum[0] < 0 && sum[1] > 1;
}

attempt_result settle(keel_solver *s, settlement *d, double t, double *y)
{
    acceptance_begin(s, y);
    attempt_result result = s->eval.reducer ? settle_spread(s, d, t, y) : settle_whole(s, d, t, y);
    int first = s->stats.accepted == 0 && d->slope && s->options.step == 0;  /* y' behind jumps may be off */
    if (result != ATTEMPT_DONE || !first || !turns_back(s, d->slope, t - s->t, y)) return result;
    s->report.factor = 0.1;
    return ATTEMPT_NOT_CONVERGED;
}
