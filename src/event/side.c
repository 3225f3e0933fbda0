/* side.c -- on which side of 0 is each switch?
 *
 * Values within a band of rounding errors say nothing: the band is how much a switch moves when all
 * it depends on moves by a few units in the last place.  Where a switch is 0 after an action, or at
 * the start, the sign of its derivative along the solution,
 *
 *   d/dt s(t,y(t)) ~ (s(t + d, y + d y') - s(t,y)) / d,
 *
 * says to which side it goes.  If that is 0, too, a switch that has just fired stays on the side it
 * has crossed to, and others are followed in the next step (look.c).
 *
 * A switch that did not fire, but is 0 as far as the tolerances tell, when another event happens (a
 * string becomes slack: its length is still that of the tight one) must not fire because of errors
 * of the method: until it has left 0 it fires only beyond what these can be.  So does one that did fire, if
 * equations depend on its side: what they do then may be fast (a diode that begins to conduct), and the
 * polynomial of the next step is no better than the tolerances.
 */
#include "event/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Errors that a run may have, in tolerances. */
enum { ERRORS = 10 };

/* A place, and the switches there. */
typedef struct place {
    double t;
    const double *y, *value;
} place;

/* Algebraic unknowns of v->y follow from the others at t, where relations of a problem have them; if they
 * can be found. */
static void follow_algebraic(keel_solver *s, double t)
{
    event_state *v = s->events;
    if (!v->how->spec.relations || s->problem->free == 0) return;
    memcpy(v->moved, v->y, (size_t)s->n * sizeof *v->y);
    if (solver_project(s, t, v->y) == KEEL_OK) return;
    memcpy(v->y, v->moved, (size_t)s->n * sizeof *v->y);
    s->message.text[0] = 0;
}

/* How much the switches change when unknowns move by as much as `size` says of each, and t by
 * `time`: all alike, then to and fro and not alike, so that neither sums nor differences of unknowns
 * hide it.  Raises `spread` to that.  followed: algebraic unknowns move by what the others make of them. */
static int find_spread(keel_solver *s, const place *at, double (*size)(const keel_solver *, double, int),
                       double time, int followed, double *spread)
{
    event_state *v = s->events;
    int rc = KEEL_OK;
    for (int pattern = 0; pattern < 2 && !rc; pattern++) {
        for (int i = 0; i < s->n; i++) {
            double golden = fmod(0.6180339887498949 * i, 1);
            double move = pattern == 0 ? 1 : golden < 0.5 ? golden - 1 : golden;
            v->y[i] = at->y[i] + move * size(s, at->y[i], i);
        }
        if (followed) follow_algebraic(s, at->t);
        rc = switch_values(s, at->t + s->direction * time, v->y, v->yp, v->trial);
        for (int i = 0; i < v->count && !rc; i++)
            spread[i] = fmax(fabs(v->trial[i] - at->value[i]), spread[i]);
    }
    return rc;
}

static const double unit = 8 * DBL_EPSILON;

/* Some units of the unknown, and of what it moves in some units of t. */
static double rounding_of(const keel_solver *s, double y, int i)
{
    double span = fabs(s->t) + fabs(s->stats.last_step);
    return unit * (fabs(y) + span * fabs(s->events->yp[i]));
}

static double tolerance_of(const keel_solver *s, double y, int i)
{
    return s->atol[i] + s->rtol[i] * fabs(y);
}

/* s at the accepted point, and what of it is rounding, or below the tolerances.  Rounding of algebraic
 * unknowns is what that of the others makes of them: the current of a conducting diode is v / Ron, v = 0. */
static int find_values(keel_solver *s)
{
    event_state *v = s->events;
    const place here = {s->t, s->y, v->now};
    int rc = event_rates(s, v->yp);
    if (!rc) rc = switch_values(s, s->t, s->y, v->yp, v->now);
    for (int i = 0; i < v->count; i++) v->band[i] = v->blur[i] = 100 * DBL_MIN;
    if (!rc) rc = find_spread(s, &here, rounding_of, unit * fabs(s->t), 1, v->band);
    if (!rc) rc = find_spread(s, &here, tolerance_of, 0, 0, v->blur);
    for (int i = 0; i < v->count && !rc; i++) v->peak[i] = fabs(v->now[i]);
    return rc;
}

int side_measure(keel_solver *s, bracket b)
{
    event_state *v = s->events;
    const place low = {s->dense.t0 + b.low * s->dense.h, v->moved, v->first};
    int rc = switch_at(s, b.low, 0, v->first);
    if (rc) return rc;
    memcpy(v->moved, v->y, (size_t)s->n * sizeof *v->y);
    rc = event_point(s, b.high, 0);
    for (int i = 0; i < s->n; i++)
        v->yp[i] = (v->y[i] - v->moved[i]) / ((b.high - b.low) * s->dense.h);
    for (int i = 0; i < v->count; i++) v->positive[i] = v->limit[i] > v->band[i];
    if (!rc) rc = find_spread(s, &low, rounding_of, unit * fabs(s->t), 0, v->band);
    for (int i = 0; i < v->count && !rc; i++)
        v->limit[i] = v->positive[i] ? fmax(v->limit[i], v->band[i]) : v->band[i];
    return rc;
}

/* s a little later along y'. */
static int find_slopes(keel_solver *s, double d)
{
    event_state *v = s->events;
    for (int i = 0; i < s->n; i++) v->y[i] = s->y[i] + d * v->yp[i];
    follow_algebraic(s, s->t + d);
    return switch_values(s, s->t + d, v->y, v->yp, v->trial);
}

/* Which way does switch i go from here? */
static int slope_of(const event_state *v, int i)
{
    return side_of(v->trial[i] - v->now[i], 2 * v->band[i]);
}

static double short_time(const keel_solver *s)
{
    double h = fabs(s->h_next) > 0 && isfinite(s->h_next) ? fabs(s->h_next) : 1e-3;
    return s->direction * fmin(h, 1) * 1e-3;
}

/* Is it 0, as far as rounding errors tell, or, if `loose`, the tolerances? */
static int is_zero(const event_state *v, int i, int loose)
{
    return side_of(v->now[i], loose ? fmax(v->band[i], ERRORS * v->blur[i]) : v->band[i]) == 0;
}

/* Slopes of those that are 0, over a time that is as short as rounding errors allow: in v->trial. */
static int find_slopes_at_zero(keel_solver *s, int loose)
{
    enum { LONGER = 6 };
    event_state *v = s->events;
    double d = short_time(s);
    int open = 0, rc = KEEL_OK;
    for (int i = 0; i < v->count; i++) open |= is_zero(v, i, loose);
    for (int k = 0; k < LONGER && open && !rc; k++, d *= 10) {
        rc = find_slopes(s, d);
        open = 0;
        for (int i = 0; i < v->count; i++) open |= is_zero(v, i, loose) && slope_of(v, i) == 0;
    }
    return rc;
}

int side_start(keel_solver *s)
{
    event_state *v = s->events;
    if (v->count == 0) return KEEL_OK;
    int rc = find_values(s);
    if (!rc) rc = find_slopes_at_zero(s, 0);
    for (int i = 0; i < v->count && !rc; i++) {
        v->side[i] = side_of(v->now[i], v->band[i]);
        v->limit[i] = v->band[i];
        if (v->side[i]) continue;
        int to = slope_of(v, i);
        v->side[i] = to && to == v->how->direction[i] ? -to : to;  /* it is to fire, or not */
    }
    return rc;
}

/* Values and bands after an action. */
static int find_anew(keel_solver *s)
{
    event_state *v = s->events;
    int rc = find_values(s);
    for (int i = 0; i < v->count; i++)           /* located as 0, whatever the band is here */
        if (v->fired[i] && fabs(v->high[i]) <= v->blur[i])
            v->band[i] = fmax(v->band[i], fabs(v->high[i]));
    return rc;
}

int side_agrees(keel_solver *s, const int *wanted, int loose)
{
    event_state *v = s->events;
    const place here = {s->t, s->y, v->now};
    int rc = find_anew(s);
    if (!rc && loose) rc = find_spread(s, &here, tolerance_of, 0, 1, v->blur);
    if (!rc) rc = find_slopes_at_zero(s, loose);
    if (rc) return rc;
    for (int i = 0; i < v->count; i++) {
        const int zero = is_zero(v, i, loose), to = zero ? slope_of(v, i) : side_of(v->now[i], v->band[i]);
        if (to && to != wanted[i]) return 0;
        v->limit[i] = fabs(v->now[i]) <= v->blur[i] || zero ? ERRORS * v->blur[i] : v->band[i];
    }
    return 1;
}

int side_renew(keel_solver *s)
{
    event_state *v = s->events;
    int changed = 0;
    if (v->count == 0) return 0;
    int rc = find_anew(s);
    if (!rc) rc = find_slopes_at_zero(s, 0);
    if (rc) return rc;
    for (int i = 0; i < v->count; i++) {
        int to = side_of(v->now[i], v->band[i]), direction = v->how->direction[i];
        int slope = to ? 0 : slope_of(v, i);
        v->crossed[i] = 0;
        if (to && to != v->side[i]) {
            v->crossed[i] = direction == 0 || direction == to ? to : 0;
            v->side[i] = to;
        } else if (!to && v->fired[i] && slope) v->side[i] = slope;
        int open = (!v->fired[i] || v->how->spec.relations) && !v->crossed[i] && fabs(v->now[i]) <= v->blur[i];
        v->limit[i] = open ? ERRORS * v->blur[i] : v->band[i];
        changed += v->crossed[i] != 0;
    }
    return changed;
}

/* Those that cross within a ten-millionth of what t has come to, if they go on as they do. */
int side_ahead(keel_solver *s)
{
    event_state *v = s->events;
    double ahead = 1e-7 * fmax(fabs(s->t - s->headway.first), fabs(s->t)), d = 1e-3 * ahead;
    int count = 0, rc = event_rates(s, v->yp);
    if (!rc) rc = find_slopes(s, s->direction * d);
    if (rc) return rc;
    for (int i = 0; i < v->count; i++) {
        double then = v->now[i] + (v->trial[i] - v->now[i]) * ahead / d;
        int to = -v->side[i], direction = v->how->direction[i];
        int crosses = v->side[i] && then * to >= 0 && (direction == 0 || direction == to);
        v->crossed[i] = crosses || (v->side[i] && fabs(v->now[i]) <= v->band[i] &&
                                    (direction == 0 || direction == to)) ? to : 0;
        count += v->crossed[i] != 0;
    }
    return count;
}
