/* step.c -- a run with events: one step, and what happens in it.
 *
 * A step ends at the latest at the next time event.  In it switches are looked at, the first
 * crossing is located and acted on; where the action changes something the step ends there, else
 * the rest of it is looked at in the same way.  State and time events at one instant are one event.
 */
#include "event/event.h"

#include <math.h>
#include <string.h>

#include "integrate/integrator.h"

const interpolant *solver_polynomial(const keel_solver *s)
{
    if (s->dense.points) return &s->dense;
    return s->events && s->events->kept.points ? &s->events->kept : NULL;
}

/* ---- what must hold ------------------------------------------------------------------------ */

static int watch(keel_solver *s)
{
    event_state *v = s->events;
    const keel_switching_spec *spec = &v->how->spec;
    char text[160] = "";
    if (!spec->watch) return KEEL_OK;
    if (spec->rates) {
        int rc = event_rates(s, v->yp);
        if (rc) return rc;
        view_of(v, s->n, v->yp, v->view_yp);
    }
    view_of(v, s->n, s->y, v->view_y);
    int code = spec->watch(s->t, v->view_y, spec->rates ? v->view_yp : NULL, text, sizeof text,
                           v->context);
    text[sizeof text - 1] = 0;
    if (code > 0)
        return fail(&s->message, KEEL_EVENT, "t = %.10g: the run ends: %s", s->t,
                    text[0] ? text : "`watch` says so");
    if (code < 0)
        return fail(&s->message, KEEL_ASSERTION, "t = %.10g: %s", s->t,
                    text[0] ? text : "`watch` says that something does not hold");
    return KEEL_OK;
}

/* ---- the start ----------------------------------------------------------------------------- */

int event_begin(keel_solver *s)
{
    event_state *v = s->events;
    int cut = 0;
    if (!v->how) return KEEL_OK;
    v->direction = s->direction;
    timing_begin(s);
    int rc = side_start(s);
    if (rc) return rc;
    memset(v->crossed, 0, (size_t)v->count * sizeof *v->crossed);
    memcpy(v->left, s->y, (size_t)s->n * sizeof *v->left);
    view_of(v, s->n, s->y, v->view_left);
    if (v->how->spec.rates) rc = event_rates(s, v->yp);
    v->located = 0;
    timing_take(s, s->t);
    if (!rc) rc = act(s, s->t, 1, &cut);
    if (!rc) rc = timing_ask(s, s->t);
    return rc ? rc : watch(s);
}

int event_resume(keel_solver *s)
{
    event_state *v = s->events;
    v->at_event = 0;
    v->kept.points = 0;
    if (!v->how) return KEEL_OK;
    memset(v->fired, 0, (size_t)v->count * sizeof *v->fired);
    int rc = side_start(s);
    return rc ? rc : timing_ask(s, s->t);
}

/* ---- in a step ----------------------------------------------------------------------------- */

static int dense_ready(keel_solver *s)
{
    if (!s->dense_due || !s->integrator->dense) return KEEL_OK;
    attempt_result result = s->integrator->dense(s);
    return result == ATTEMPT_DONE ? KEEL_OK : point_failure(s, result, "inside the last step");
}

/* theta of a time in the step; 1 and more: its end. */
static double theta_of(const keel_solver *s, double t)
{
    return t == s->t ? 2 : (t - s->dense.t0) / s->dense.h;
}

/* Is the observed tick within the step, and before theta? */
static int ticks_before(const keel_solver *s, double at, double theta)
{
    if (!isfinite(at) || (at - s->t) * s->direction > 0) return 0;
    return theta_of(s, at) <= theta;
}

/* The event at theta, where *t is exact for time events; the rest of the step follows from there. */
static int happen(keel_solver *s, double theta, double t, int *cut)
{
    event_state *v = s->events;
    int rc = event_point(s, theta, 1);
    if (rc) return rc;
    memcpy(v->left, v->y, (size_t)s->n * sizeof *v->left);
    timing_take(s, t);
    rc = act(s, t, 0, cut);
    if (rc) return rc;
    rc = timing_ask(s, t);
    if (rc || *cut) return rc;
    /* A time event that the action has put into the rest of the step. */
    if ((v->next - s->t) * s->direction < 0) {
        cut_step(s, t);
        memcpy(v->now, v->high, (size_t)v->count * sizeof(double));
        v->at_event = *cut = 1;
        return solver_begin(s, "after an event");
    }
    memcpy(v->look[0], v->high, (size_t)v->count * sizeof(double));
    memcpy(v->began, v->side, (size_t)v->count * sizeof *v->side);       /* also if the step is made anew */
    return KEEL_OK;
}

/* Events of the step, one after the other, until one cuts it or its end is reached. */
static int along_step(keel_solver *s, long *limit)
{
    event_state *v = s->events;
    enum { MOST = 1000 };                        /* crossings in one step */
    double from = 0;
    int rc = KEEL_OK, cut = 0, crossings = 0;
    memcpy(v->look[0], v->now, (size_t)v->count * sizeof(double));
    while (!rc && !cut) {
        bracket b = {0, 0};
        double theta = 3, tick = timing_observed(s), end = timing_next(s);
        int found = from < 1 ? look_for_crossing(s, from, &b) : 0;
        memset(v->crossed, 0, (size_t)v->count * sizeof *v->crossed);
        v->located = 0;
        if (found < 0) return found;
        if (found && ++crossings > MOST)
            return fail(&s->message, KEEL_CHATTERING, "t = %.10g: in one step there are more than "
                        "%d events %s", s->t, MOST, v->logged ? v->log[v->logged - 1].text : "");
        if (found) rc = locate(s, b, &theta);
        if (rc) return rc;
        int again = found ? retreat(s, theta, &from, limit) : 0;
        if (found && !again) again = approach(s, theta, &from, limit);
        if (again < 0) return again;
        if (again) continue;
        double t = theta >= 1 ? s->t : s->dense.t0 + theta * s->dense.h;
        if (ticks_before(s, tick, theta)) {
            t = tick;
            theta = theta_of(s, tick);
            memset(v->crossed, 0, (size_t)v->count * sizeof *v->crossed);
            if (v->count) rc = switch_at(s, theta, 1, v->high);
        } else if (!found && end == s->t) {
            theta = 2;
        } else if (!found) break;
        if (!rc) rc = happen(s, theta, t, &cut);
        from = fmin(theta, 1);
        if (theta >= 1 && timing_next(s) != s->t && timing_observed(s) != s->t) break;
    }
    return rc;
}

/* ---- one step ------------------------------------------------------------------------------ */

static int limited_step(keel_solver *s, long *limit)
{
    int has_stop = s->has_stop;
    double stop = s->t_stop, next = timing_next(s);
    int nearer = isfinite(next) && (!has_stop || (stop - next) * s->direction > 0);
    if (nearer) solver_limit(s, 1, next);
    int rc = solver_step(s, limit);
    if (nearer) solver_limit(s, has_stop, stop);
    return rc;
}

/* A callback that cannot be evaluated beyond a switching point has made the steps creep up to it:
 * then the switches that are about to cross there do.  rc, or the status of the event. */
static int at_guard(keel_solver *s, int rc)
{
    event_state *v = s->events;
    message why = s->message;
    int domain = s->eval.fault.callback && s->eval.fault.code >= 0;
    int cut = 0, failed = rc == KEEL_CALLBACK_FAILED || rc == KEEL_NOT_FINITE ||
                          rc == KEEL_STEP_TOO_SMALL || rc == KEEL_SINGULAR;
    if (!failed || !domain || v->count == 0 || side_ahead(s) <= 0) {
        s->message = why;
        return rc;
    }
    s->message.text[0] = 0;
    memcpy(v->left, s->y, (size_t)s->n * sizeof *v->left);
    memcpy(v->high, v->now, (size_t)v->count * sizeof *v->high);
    v->located = 0;
    timing_take(s, s->t);
    int acted = act(s, s->t, 0, &cut);
    if (!acted) acted = timing_ask(s, s->t);
    if (acted || cut) return acted;
    s->message = why;                            /* nothing changed: it fails for what it is */
    return rc;
}

/* The direction of a run is known with its first step: what lies ahead, and where switches that are
 * 0 go, depends on it. */
static int turn_round(keel_solver *s)
{
    s->events->direction = s->direction;
    timing_begin(s);
    int rc = side_start(s);
    (void)timing_take(s, s->t);                  /* what is due here has happened */
    return rc ? rc : timing_ask(s, s->t);
}

/* Events of which the tolerances tell nothing, one after the other, are those of errors in fast motions:
 * `auto` leaves its explicit method. */
static void calm_down(keel_solver *s)
{
    enum { MOST = 8 };
    message why = s->message;
    if (s->modes < 2 || s->active != 0 || s->events->unresolved < MOST) return;
    attempt_result result = automatic_switch(s, "events followed each other within the tolerances");
    if (result != ATTEMPT_DONE) s->message = why;
}

int event_step(keel_solver *s, long *limit)
{
    event_state *v = s->events;
    int at_event = v->at_event;
    double t = s->t;
    v->at_event = 0;
    if (!v->how) return solver_step(s, limit);
    int rc = v->direction == s->direction ? KEEL_OK : turn_round(s);
    if (rc) return rc;
    calm_down(s);
    approach_begin(s);
    rc = limited_step(s, limit);
    if (rc) {
        rc = at_guard(s, rc);                    /* after a failure questions are still about the */
        if (rc && s->t == t && v->kept.points) v->at_event = at_event;    /* step before */
        return rc;
    }
    v->kept.points = 0;
    int looks = v->count > 0 || v->how->spec.clocks > 0;
    if (looks) rc = dense_ready(s);
    if (!rc) rc = along_step(s, limit);
    return rc ? rc : watch(s);
}
