/* explicit_point.c -- the new point: projection, slope and residuals.
 *
 * Mechanical systems with the saddle matrix of the last stage or of the point itself
 * (step/mechanical_point.h): positions move with the factors of the last stage, velocities and
 * accelerations with those of the projected point, which are also those of the next first stage.
 * The projection needs none of its own.  Where the last stage is the new point its slope is kept,
 * evaluated before the projection: the difference is one of the order of the local error.
 */
#include "integrate/explicit.h"

#include <string.h>

/* ---- mechanical ------------------------------------------------------------------------------ */

/* Everything at a point whose last stage is not it. */
static projection_result new_point(evaluator *e, mechanical_point *p, int project)
{
    projection_result result = PROJECTION_DONE;
    if (!project || !p->exact) {                 /* extra stages of dense output spoil factors */
        int rc = point_evaluate(e, p, POINT_POSITION | (project ? 0u : POINT_FORCES));
        result = rc ? projection_code(rc) : point_factor(e, p);
    } else result = point_factor(e, p);          /* a failed start may have taken them away */
    if (!result && project) result = point_move_positions(e, p, POINT_POSITION);
    if (!result) result = point_factor(e, p);
    if (!result && project) result = point_move_velocities(e, p, 0);
    return result ? result : point_accelerate(e, p);
}

/* The last stage is the new point but for the projection: its accelerations and multipliers. */
static projection_result last_stage(evaluator *e, mechanical_point *p, int project)
{
    unsigned wanted = POINT_POSITION & ~(unsigned)KEEL_MASS;
    projection_result result = project ? point_move_positions(e, p, wanted)
                                       : projection_code(point_evaluate(e, p, wanted));
    if (!result && project) result = point_move_velocities(e, p, 1);
    p->known |= POINT_ACCELERATION;
    return result;
}

static attempt_result settle_mechanical(keel_solver *s, double t, int first)
{
    explicit_state *e = s->state;
    mechanical_point *p = &e->point;
    double *x = e->x_new, *slope = e->slope_new;
    keel_projection kind = first ? KEEL_PROJECT_NONE : s->options.projection;
    int attached = s->attached, kept = e->same_last && !first, known = first && s->placed;
    int own = kind == KEEL_PROJECT_OBLIQUE && e->m > 0 && !attached;
    if ((e->m > 0 || attached) && !own && kind != KEEL_PROJECT_NONE) {
        memcpy(x + e->d, p->l, (size_t)e->m * sizeof *x);
        attempt_result result = project_new(s, t, x, 0);
        if (result != ATTEMPT_DONE) return result;
    }
    s->stats.projections += own;
    if (kept) memcpy(slope, e->K + (e->stages - 1) * e->padded, (size_t)e->d * sizeof *slope);
    p->y = x;
    p->a = slope + e->n;
    projection_result result = PROJECTION_DONE;
    if (!known) {
        point_place(p, t);
        result = (kept ? last_stage : new_point)(&s->eval, p, own);
    }
    if (result) return point_attempt(s, p, result);
    memcpy(slope, x + e->n, (size_t)e->n * sizeof *slope);
    memcpy(x + e->d, p->l, (size_t)e->m * sizeof *x);
    if (e->m > 0 && !attached) point_residuals(p, s->left);
    return attached ? measure_levels(s, t, x, 0) : ATTEMPT_DONE;
}

/* ---- any form -------------------------------------------------------------------------------- */

/* x' at the candidate and, with it, z. */
static attempt_result candidate_slope(keel_solver *s, double t, int kept)
{
    explicit_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    const double *last = e->K + (e->stages - 1) * e->padded;
    if (kept) memcpy(e->slope_new, last, (size_t)e->d * sizeof *last);
    else result = explicit_rate(s, t, e->x_new, e->slope_new, 1);
    return kept && e->algebraic.Z ? explicit_algebraic(s, t, e->x_new, 1) : result;
}

attempt_result explicit_settle(keel_solver *s, double t, int first)
{
    explicit_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    if (e->mechanical) return settle_mechanical(s, t, first);
    if (e->projected && !first && s->options.projection != KEEL_PROJECT_NONE)
        result = project_new(s, t, e->x_new, 0);
    if (result == ATTEMPT_DONE) result = candidate_slope(s, t, e->same_last && !first);
    return result == ATTEMPT_DONE ? measure_levels(s, t, e->x_new, 0) : result;
}
