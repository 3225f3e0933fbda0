/* accumulate.c -- do events accumulate?
 *
 * With intervals d_k between restarts that shrink by a factor r < 1 all further events lie before
 * t + d r / (1 - r): a ball that comes to rest bounces infinitely often.  Once that is nearer than
 * a hundred-millionth of the time since the run began nothing is gained by going on.  Where one switch fires
 * alone, a few intervals tell: if r is small there are no more of them, for rounding errors make the slope of
 * the switch 0, too, and the ball would fall through the table.  So it would where relations of a problem, which
 * fire beyond what the tolerances leave open, are below that.
 *
 * Chattering has no factor: intervals are as short as rounding errors for many times, or a switch
 * fires many times without leaving what the tolerances leave open about it.
 */
#include "event/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { RECENT = 32, SHRINKING = 10, FEW = 3 };

/* The time that all further events would take if intervals go on to shrink as the last `count` of them did, or
 * infinity: they do not. */
static double time_left(const event_state *v, int count)
{
    double last = 0, ratio = 0;
    for (int k = 1; k <= count; k++) {
        double d = fabs(v->recent[(v->restarts - k) % RECENT] -
                        v->recent[(v->restarts - k - 1) % RECENT]);
        if (k > 1 && !(last < 0.9999 * d)) return INFINITY;
        if (k == 2) ratio = last / d;
        last = d;
    }
    double d = fabs(v->recent[(v->restarts - 1) % RECENT] - v->recent[(v->restarts - 2) % RECENT]);
    return d * ratio / (1 - ratio);
}

/* Were the last few events those of one switch? */
static int is_one(const event_state *v)
{
    int one = v->restarts > FEW && v->logged > FEW;
    for (int k = 1; k <= FEW && one; k++) {
        const keel_event_record *r = &v->log[v->logged - k], *before = r - 1;
        one = before->restarted && strcmp(r->text, before->text) == 0;
    }
    return one;
}

static int report(keel_solver *s, double span, long count, const char *what)
{
    const event_state *v = s->events;
    int status = s->options.accumulation == KEEL_ACCUMULATION_END ? KEEL_EVENT : KEEL_CHATTERING;
    return fail(&s->message, status, "t = %.10g: events accumulate here: the last %ld of them, %s, "
                "took %.3g%s", s->t, count, v->log[v->logged - 1].text, span, what);
}

int accumulate(keel_solver *s, double t)
{
    event_state *v = s->events;
    double unit = fmax(fabs(t), fabs(t - s->headway.first));
    v->recent[v->restarts++ % RECENT] = t;
    int count = is_one(v) ? FEW : SHRINKING, open = v->how->spec.relations && v->unresolved > 0;
    double left = v->restarts > count ? time_left(v, count) : INFINITY;
    if (left < (open ? 1e-3 : 1e-8) * unit)
        return report(s, fabs(t - v->recent[(v->restarts - 1 - count) % RECENT]), count,
                      ", each shorter than the one before: infinitely many follow in a finite time. "
                      "Let the action end this, or set the option accumulation to end");
    if (v->unresolved >= RECENT)
        return report(s, fabs(t - v->recent[v->restarts % RECENT]), RECENT, ", and between them the "
                      "switches did not move by more than the tolerances leave open: smaller "
                      "tolerances tell more; or let the action end this");
    if (v->restarts < RECENT) return KEEL_OK;
    double span = fabs(t - v->recent[v->restarts % RECENT]);
    if (span > 1e3 * RECENT * DBL_EPSILON * unit) return KEEL_OK;
    return report(s, span, RECENT, ": the switches chatter. Give the condition a hysteresis, or a mode in "
                  "which it holds");
}
