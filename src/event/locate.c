/* locate.c -- where in a bracket the first switch crosses 0.
 *
 * The inverse function theta(s) is interpolated through the values of the switch nearest to 0 and
 * evaluated at s = 0 [Bendtsen & Thomsen 1999, 10.2.1], or rather where s has gone beyond it by as
 * much as may be rounding; a step that leaves the bracket, or a bracket that does not shrink, is
 * replaced by bisection.  Of several switches the one that seems to cross
 * first leads; whichever has crossed before a trial point takes over.  It ends where the bracket is
 * a few units in the last place of t wide, or the switch is 0 to rounding, on the far side: there
 * the sign has changed.
 *
 * All points are moved to the constraints, so that the sign is that of a consistent point.  (Where
 * two crossings lie within the accuracy of the dense output the projected switch may not cross: then
 * the polynomial's does.)
 */
#include "event/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { POINTS = 4, TRIALS = 100, ROUNDING = 8, NUDGE = 8 };  /* the last two in units of t */

typedef struct search {
    double low, high;            /* the bracket                                            */
    int lead;                    /* the switch that is followed                            */
    int count;                   /* of the values known of it:                             */
    double theta[POINTS], value[POINTS];
    double aim;                  /* the value sought: beyond 0 by half of what is rounding   */
    int projected;
} search;

/* Is switch i beyond 0 on a side that counts, other than its own? */
static int has_crossed(const event_state *v, int i, double value)
{
    int to = value * v->side[i] < 0 ? -v->side[i] : 0, direction = v->how->direction[i];
    return to && !v->entered[i] && (direction == 0 || direction == to);
}

/* Switches that rest at 0 do not take part, on whichever side rounding errors have them: events->entered. */
static void leave_out_resting(event_state *v, const double *end)
{
    for (int i = 0; i < v->count; i++) {
        int far = side_of(v->high[i], v->limit[i]), last = side_of(end[i], v->limit[i]);
        v->entered[i] = v->limit[i] > v->band[i] && far != -v->side[i] && last != -v->side[i];
    }
}

/* The switch whose secant meets 0 first, of those that have crossed at the end. */
static int first_to_cross(const event_state *v, const search *w)
{
    int lead = -1;
    double first = INFINITY;
    for (int i = 0; i < v->count; i++) {
        if (!has_crossed(v, i, v->high[i])) continue;
        double drop = v->low[i] - v->high[i];
        double at = w->low + (w->high - w->low) * (drop != 0 ? v->low[i] / drop : 0);
        if (at < first) first = at, lead = i;
    }
    return lead;
}

static void know(search *w, double theta, double value)
{
    for (int k = 0; k < w->count; k++)
        if (w->value[k] == value) {              /* two places of one value have no inverse */
            w->theta[k] = theta;
            return;
        }
    if (w->count == POINTS) {                    /* forget the value that is farthest from 0 */
        int worst = 0;
        for (int k = 1; k < POINTS; k++)
            if (fabs(w->value[k]) > fabs(w->value[worst])) worst = k;
        w->count--;
        w->theta[worst] = w->theta[w->count];
        w->value[worst] = w->value[w->count];
    }
    w->theta[w->count] = theta;
    w->value[w->count++] = value;
}

static void follow(const event_state *v, search *w, int lead)
{
    w->lead = lead;
    w->aim = -v->side[lead] * v->band[lead] / 2;
    w->count = 0;
    know(w, w->low, v->low[lead]);
    know(w, w->high, v->high[lead]);
}

/* Neville's scheme for theta where s is what is aimed at. */
static double inverse(const search *w)
{
    double p[POINTS];
    memcpy(p, w->theta, sizeof p);
    for (int m = 1; m < w->count; m++)
        for (int k = 0; k + m < w->count; k++) {
            double a = w->value[k] - w->aim, b = w->value[k + m] - w->aim;
            if (a == b) return NAN;
            p[k] = (a * p[k + 1] - b * p[k]) / (a - b);
        }
    return p[0];
}

/* Where to look next.  An estimate that hardly differs from the near end is good to rounding: the
 * far end is sought a little beyond it, `nudge` units of t away. */
static double next_trial(const search *w, int slow, double resolution, double *nudge)
{
    double middle = w->low + (w->high - w->low) / 2, at = slow ? middle : inverse(w);
    if (at < w->low + NUDGE * resolution && w->low - at < 1e-3 * (w->high - w->low)) {
        at = fmin(w->low + *nudge * resolution, middle);
        *nudge *= 8;
    }
    if (!(at > w->low && at < w->high)) return middle;
    double margin = fmin(resolution, (w->high - w->low) / 4);
    return fmin(fmax(at, w->low + margin), w->high - margin);
}

/* Evaluates at theta and narrows the bracket. */
static int take(keel_solver *s, search *w, double theta)
{
    event_state *v = s->events;
    size_t bytes = (size_t)v->count * sizeof(double);
    int rc = switch_at(s, theta, w->projected, v->trial), crossed = 0;
    v->located++;
    for (int i = 0; i < v->count && !rc; i++) crossed |= has_crossed(v, i, v->trial[i]);
    if (rc) return rc;
    if (crossed) {
        w->high = theta;
        memcpy(v->high, v->trial, bytes);
    } else {
        w->low = theta;
        memcpy(v->low, v->trial, bytes);
    }
    int lead = crossed ? first_to_cross(v, w) : w->lead;
    if (lead != w->lead) follow(v, w, lead);
    else know(w, theta, v->trial[w->lead]);
    return KEEL_OK;
}

/* Is the far end the root to rounding?  By the value there, or because the estimate is. */
static int is_located(const event_state *v, const search *w, double resolution)
{
    if (w->high - w->low <= ROUNDING * resolution) return 1;
    if (fabs(v->high[w->lead]) <= v->band[w->lead]) return 1;
    return w->count >= 3 && w->high - inverse(w) <= resolution && inverse(w) <= w->high;
}

static int narrow(keel_solver *s, search *w)
{
    event_state *v = s->events;
    double resolution = DBL_EPSILON * fmax(fabs(s->t / s->dense.h), 1);
    double width = w->high - w->low, nudge = NUDGE;
    int slow = 0, rc = KEEL_OK;
    for (int k = 0; k < TRIALS && !rc && !is_located(v, w, resolution); k++) {
        rc = take(s, w, next_trial(w, slow, resolution, &nudge));
        slow = k % 3 == 2 && w->high - w->low > width / 8 && nudge == NUDGE;
        if (k % 3 == 2) width = w->high - w->low;
    }
    return rc;
}

/* A switch that has just left 0 has rounding errors for a value at the near end: the bracket begins
 * where it is on its side, if it ever is; else it crosses where it was 0. */
static int leave_near_end(keel_solver *s, search *w, int lead)
{
    event_state *v = s->events;
    double near = w->low, resolution = DBL_EPSILON * fmax(1, fabs(s->t / s->dense.h));
    int rc = KEEL_OK;
    if (fabs(v->low[lead]) > v->band[lead]) return rc;
    for (double part = w->high - near; part > resolution && !rc; part /= 2) {
        double theta = near + part / 2;
        rc = switch_at(s, theta, w->projected, v->trial);
        v->located++;
        if (rc || has_crossed(v, lead, v->trial[lead])) {
            w->high = theta;
            memcpy(v->high, v->trial, (size_t)v->count * sizeof(double));
            continue;
        }
        if (fabs(v->trial[lead]) <= v->band[lead]) continue;
        w->low = theta;
        memcpy(v->low, v->trial, (size_t)v->count * sizeof(double));
        return rc;
    }
    return rc;
}

/* Those that have crossed at the far end, and those that are 0 there and cross in this step. */
static void list_crossed(event_state *v, const double *end)
{
    for (int i = 0; i < v->count; i++) {
        int together = fabs(v->high[i]) <= 2 * v->band[i] && has_crossed(v, i, end[i]);
        v->crossed[i] = has_crossed(v, i, v->high[i]) || together ? -v->side[i] : 0;
    }
}

int locate(keel_solver *s, bracket b, double *theta)
{
    event_state *v = s->events;
    search w = {.low = b.low, .high = b.high, .projected = 1};
    const double *end = v->look[LOOKS];
    v->located = 0;
    leave_out_resting(v, end);
    int rc = b.high < 1 ? switch_at(s, b.high, 1, v->trial) : KEEL_OK, crossed = b.high >= 1;
    for (int i = 0; i < v->count && b.high < 1 && !rc; i++)
        crossed |= has_crossed(v, i, v->trial[i]);
    if (rc) return rc;
    w.projected = crossed;
    if (crossed && b.high < 1) memcpy(v->high, v->trial, (size_t)v->count * sizeof(double));
    rc = side_measure(s, b);
    if (rc) return rc;
    int lead = first_to_cross(v, &w);
    rc = leave_near_end(s, &w, lead);
    if (rc) return rc;
    for (int i = 0; i < v->count; i++) v->peak[i] = fmax(v->peak[i], fabs(v->low[i]));
    follow(v, &w, lead);
    rc = narrow(s, &w);
    *theta = w.high;
    list_crossed(v, end);
    return rc;
}
