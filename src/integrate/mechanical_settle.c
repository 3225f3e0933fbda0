/* mechanical_settle.c -- a new point: projection, accelerations and multipliers from one matrix.
 *
 * After a step, dq has the direction M^-1 G^T of the factorization: at the first guess, or at an
 * earlier step while that converges fast; the method is stiffly accurate, so that dq is Newton's
 * error and its direction does not matter (step/mechanical_point.h).
 */
#include <string.h>

#include "integrate/mechanical.h"

/* All that follows from what is known and a factorization. */
static projection_result complete(keel_solver *s, mechanical_point *p, const projection_plan *plan)
{
    const mechanical_state *e = s->state;
    projection_result result = plan ? point_move(&s->eval, p, plan) : PROJECTION_DONE;
    if (result) return result;
    result = point_accelerate(&s->eval, p);
    if (result != PROJECTION_DIVERGES || p->kkt == e->now.kkt) return result;
    result = point_factor(&s->eval, p);          /* moved too far for it */
    return result ? result : point_accelerate(&s->eval, p);
}

/* Is it a step whose projection may have the direction of an earlier factorization? */
static int serves_again(const mechanical_state *e, const mechanical_point *p,
                        const projection_plan *plan)
{
    return e->full && p != &e->now &&
           (!plan || (plan->stiffly_accurate && plan->kind != KEEL_PROJECT_EXPLICIT));
}

attempt_result point_complete(keel_solver *s, mechanical_point *p, double t,
                              const projection_plan *plan)
{
    mechanical_state *e = s->state;
    int attached = s->attached;
    if (e->m == 0 && !attached) plan = NULL;
    int mass = plan && (plan->kind != KEEL_PROJECT_ORTHOGONAL || plan->metric == KEEL_METRIC_MASS);
    if (plan && (!mass || attached)) {           /* a metric that knows nothing of M, or further rows */
        attempt_result projected = project_new(s, t, p->y, 0);
        if (projected != ATTEMPT_DONE) return projected;
        plan = NULL;
    }
    s->stats.projections += plan != NULL;
    projection_result result = PROJECTION_DIVERGES;
    point_place(p, t);
    int rc = point_evaluate(&s->eval, p, POINT_POSITION);
    if (rc) return evaluation_result(s, rc);
    if (serves_again(e, p, plan)) {              /* the stages do not need a new factorization */
        p->kkt = e->now.kkt;
        p->exact = 0;
        result = complete(s, p, plan);
    }
    if (result == PROJECTION_DIVERGES) {
        p->kkt = e->now.kkt == e->kkt[0] ? e->kkt[1] : e->kkt[0];
        p->exact = 0;
        rc = point_evaluate(&s->eval, p, POINT_POSITION);
        result = rc ? projection_code(rc) : point_factor(&s->eval, p);
        if (!result) result = complete(s, p, plan);
    }
    if (result) return point_attempt(s, p, result);
    memcpy(p->y + 2 * e->n, p->l, (size_t)e->m * sizeof *p->l);
    if (attached) return measure_levels(s, t, p->y, 0);
    point_residuals(p, s->left);
    return ATTEMPT_DONE;
}
