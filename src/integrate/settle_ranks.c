/* settle_ranks.c -- a new point that is spread over ranks: projected, evaluated and judged by one
 * message (step/projection_ranks.c), before anything of it is accepted. */
#include "integrate/settle.h"

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

attempt_result settle_ranks(keel_solver *s, settlement *d, double t, double *y)
{
    judged_point point = {s, d};
    projection_rider rider = {.context = &point, .evaluate = evaluate, .maxima = MAXIMA,
                              .sums = MOVED + SETTLE_SUMS, .brief = d->brief};
    projection_plan plan = projection_plan_of(s, settle_replaces_multipliers(s, d));
    s->stats.projections += s->problem->levels > 1 && plan.kind != KEEL_PROJECT_NONE;
    projection_result result = projection_ranks(projection_of(s), &s->eval, &plan, t, y, &rider, s->left);
    if (result) return projection_attempt(s, result, 0);
    attempt_result judged = acceptance_judge(s, rider.sum, rider.most[NOT_FINITE]);
    if (judged != ATTEMPT_DONE) return judged;
    d->largest = rider.most[OWN];
    for (int k = 0; k < SETTLE_SUMS; k++) d->sum[k] = rider.sum[MOVED + k];
    return judged;
}
