/* approach.c -- a step that ends at the event, where dense output is less accurate than steps are.
 *
 * Implicit Runge-Kutta methods of order p have stages of order q < p, and so has the polynomial
 * through them: at an event in the middle of a step its error O(h^(q+1)) would remain in what
 * follows.  At both ends of the step it is that of the run, and in between at most theta (1 - theta)
 * O(h^(q+1)) more.  So the step is made once more, a part `beyond` longer than to the event, which is
 * then located anew, near the end; or in the next step, near its beginning.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "event/event.h"
#include "method/method.h"

static const double beyond = 1e-5;

/* Is theta so near to an end of the step that the polynomial is good enough? */
static int is_near_end(const keel_solver *s, double theta)
{
    const double rounding = 1e4 * DBL_EPSILON * fabs(s->t / s->dense.h);
    return fmin(theta, 1 - theta) <= fmax(2 * beyond, rounding);
}

/* Has the polynomial an error larger than O(h^p)?  Explicit methods have Hermite's or their own; what
 * multivalue methods carry is as accurate as their steps. */
static int is_coarse(const keel_solver *s)
{
    if (s->integrator == &multivalue_integrator) return 0;
    int is_explicit = s->integrator == &explicit_integrator ||
                      s->integrator == &half_explicit_integrator;
    return !is_explicit || s->dense.points < s->method->tableau.order;
}

void approach_begin(keel_solver *s)
{
    event_state *v = s->events;
    v->whole = 0;
    if (v->count == 0) return;
    memcpy(v->origin, s->y, (size_t)s->n * sizeof *s->y);
    memcpy(v->origin_yp, s->yp, (size_t)s->n * sizeof *s->yp);
    memcpy(v->began, v->side, (size_t)v->count * sizeof *v->side);
}

/* Back to where the step began; it counts as rejected. */
static int go_back(keel_solver *s)
{
    event_state *v = s->events;
    s->t = s->t_origin = s->dense.t0;
    s->count = 0;
    memcpy(s->y, v->origin, (size_t)s->n * sizeof *s->y);
    memcpy(s->yp, v->origin_yp, (size_t)s->n * sizeof *s->yp);
    memcpy(v->side, v->began, (size_t)v->count * sizeof *v->side);
    s->stats.accepted--;
    s->stats.rejected_error++;
    return solver_begin(s, "before an event");
}

int approach(keel_solver *s, double theta, double *from, long *limit)
{
    event_state *v = s->events;
    const double t0 = s->dense.t0, h = s->dense.h, begin = *from * h;
    const double length = (1 + beyond) * theta * h;
    const int has_stop = s->has_stop;
    const double stop = s->t_stop;
    if (v->whole > 0 || is_near_end(s, theta) || !is_coarse(s)) return 0;
    v->whole = fabs(h);
    int rc = go_back(s);
    if (rc) return rc;
    s->h_next = length;
    solver_limit(s, 1, t0 + length);
    rc = solver_step(s, limit);
    solver_limit(s, has_stop, stop);
    if (!rc) rc = solver_dense(s);
    if (rc) return rc;
    *from = fmin(begin / s->dense.h, 1);
    if (*from == 0) memcpy(v->look[0], v->now, (size_t)v->count * sizeof(double));
    else rc = switch_at(s, *from, 0, v->look[0]);
    return rc ? rc : 1;
}
