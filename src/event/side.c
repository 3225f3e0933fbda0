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
 */
#include "event/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* band_i = |s_i(with all moved) - s_i| at the accepted point, unknowns by some units of their size
 * and of what they move in some units of t: to and fro and not alike, so that differences of them
 * do not hide it. */
static int find_bands(keel_solver *s)
{
    enum { UNITS = 8 };
    event_state *v = s->events;
    const double unit = UNITS * DBL_EPSILON, span = fabs(s->t) + fabs(s->stats.last_step);
    for (int i = 0; i < s->n; i++) {
        double golden = fmod(0.6180339887498949 * i, 1), move = golden < 0.5 ? golden - 1 : golden;
        v->y[i] = s->y[i] + unit * move * (fabs(s->y[i]) + span * fabs(v->yp[i]));
    }
    int rc = switch_values(s, s->t + s->direction * unit * fabs(s->t), v->y, v->yp, v->trial);
    for (int i = 0; i < v->count && !rc; i++)
        v->band[i] = fmax(fabs(v->trial[i] - v->now[i]), 100 * DBL_MIN);
    return rc;
}

/* s at the accepted point, the bands, and s a little later along y' into v->high; v->low: the
 * rounding errors of that difference. */
static int find_values(keel_solver *s)
{
    event_state *v = s->events;
    int rc = event_rates(s, v->yp);
    if (!rc) rc = switch_values(s, s->t, s->y, v->yp, v->now);
    if (!rc) rc = find_bands(s);
    return rc;
}

/* Which way does switch i go from here?  Valid after find_slopes. */
static int find_slopes(keel_solver *s, double d)
{
    event_state *v = s->events;
    for (int i = 0; i < s->n; i++) v->y[i] = s->y[i] + d * v->yp[i];
    return switch_values(s, s->t + d, v->y, v->yp, v->trial);
}

static int slope_of(const event_state *v, int i)
{
    return side_of(v->trial[i] - v->now[i], 2 * v->band[i]);
}

static double short_time(const keel_solver *s)
{
    double h = fabs(s->h_next) > 0 && isfinite(s->h_next) ? fabs(s->h_next) : 1e-3;
    return s->direction * fmin(h, 1) * 1e-3;
}

static int any_at_zero(const event_state *v)
{
    for (int i = 0; i < v->count; i++)
        if (side_of(v->now[i], v->band[i]) == 0) return 1;
    return 0;
}

int side_start(keel_solver *s)
{
    event_state *v = s->events;
    if (v->count == 0) return KEEL_OK;
    int rc = find_values(s);
    if (!rc && any_at_zero(v)) rc = find_slopes(s, short_time(s));
    for (int i = 0; i < v->count && !rc; i++) {
        v->side[i] = side_of(v->now[i], v->band[i]);
        if (v->side[i]) continue;
        int to = slope_of(v, i);
        v->side[i] = to && to == v->how->direction[i] ? -to : to;  /* it is to fire, or not */
    }
    return rc;
}

int side_renew(keel_solver *s)
{
    event_state *v = s->events;
    int changed = 0;
    if (v->count == 0) return 0;
    int rc = find_values(s);
    if (!rc && any_at_zero(v)) rc = find_slopes(s, short_time(s));
    if (rc) return rc;
    for (int i = 0; i < v->count; i++) {
        int to = side_of(v->now[i], v->band[i]), direction = v->how->direction[i];
        int slope = to ? 0 : slope_of(v, i);
        v->crossed[i] = 0;
        if (to && to != v->side[i]) {
            v->crossed[i] = direction == 0 || direction == to ? to : 0;
            v->side[i] = to;
        } else if (!to && v->fired[i] && slope) v->side[i] = slope;
        changed += v->crossed[i] != 0;
    }
    return changed;
}
