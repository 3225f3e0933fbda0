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

/* The step once more, with this length, and its polynomial.  A status. */
static int step_anew(keel_solver *s, double length, long *limit)
{
    const double t0 = s->dense.t0, stop = s->t_stop;
    const int has_stop = s->has_stop;
    int rc = go_back(s);
    if (rc) return rc;
    s->h_next = length;
    solver_limit(s, 1, t0 + length);
    rc = solver_step(s, limit);
    solver_limit(s, has_stop, stop);
    return rc ? rc : solver_dense(s);
}

/* Does a switch cross back at once in the first step after the event in which it fired? */
static int comes_back(const keel_solver *s, double theta, double from)
{
    const event_state *v = s->events;
    int any = 0;
    for (int i = 0; i < v->count; i++) any |= v->crossed[i] && v->fired[i];
    return any && v->how->spec.relations && v->length == 0 && from == 0 && theta <= 2 * beyond;
}

int retreat(keel_solver *s, double theta, double *from, long *limit)
{
    static const double shorter = 0.01, shortest = 1e6 * DBL_EPSILON;
    event_state *v = s->events;
    const double h = s->dense.h;
    if (!comes_back(s, theta, *from) || fabs(h) <= shortest * fabs(s->t)) return 0;
    int rc = step_anew(s, shorter * h, limit);
    if (rc) return rc;
    memcpy(v->look[0], v->now, (size_t)v->count * sizeof(double));
    return 1;
}

int approach(keel_solver *s, double theta, double *from, long *limit)
{
    event_state *v = s->events;
    const double h = s->dense.h, begin = *from * h;
    if (v->whole > 0 || is_near_end(s, theta) || !is_coarse(s)) return 0;
    v->whole = fabs(h);
    int rc = step_anew(s, (1 + beyond) * theta * h, limit);
    if (rc) return rc;
    *from = fmin(begin / s->dense.h, 1);
    if (*from == 0) memcpy(v->look[0], v->now, (size_t)v->count * sizeof(double));
    else rc = switch_at(s, *from, 0, v->look[0]);
    return rc ? rc : 1;
}
