/* timing.c -- events at times that are known before.
 *
 * Ticks are at start + k interval with whole k, so that they do not accumulate rounding errors;
 * backwards in time the k are counted down.  Equal times are one event.
 */
#include "event/event.h"

#include <float.h>
#include <math.h>

/* 3 * 0.1 and 300 * 0.001 are meant to be the same. */
static int is_same_time(double a, double b)
{
    return a == b || (isfinite(a) && fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)));
}

static double tick_time(const keel_clock *c, long k)
{
    return c->start + (double)k * c->interval;
}

/* The first tick at or after t in the direction of the run; interval 0: one tick, number 0. */
static long first_tick(const keel_solver *s, const keel_clock *c)
{
    double t = s->t, direction = s->direction;
    if (c->interval == 0) return (c->start - t) * direction >= 0 ? 0 : (long)direction;
    long k = (long)((direction > 0 ? ceil : floor)((t - c->start) / c->interval));
    long step = direction > 0 ? 1 : -1;
    while ((tick_time(c, k) - t) * direction < 0) k += step;
    while ((tick_time(c, k - step) - t) * direction >= 0) k -= step;
    return direction > 0 && k < 0 ? 0 : k;
}

void timing_begin(keel_solver *s)
{
    event_state *v = s->events;
    for (int i = 0; i < v->how->spec.clocks; i++) v->tick[i] = first_tick(s, &v->how->clock[i]);
    v->next = INFINITY * s->direction;
    v->timed = 0;
}

/* Of clock i, or infinity. */
static double next_tick(const keel_solver *s, int i)
{
    const event_state *v = s->events;
    const keel_clock *c = &v->how->clock[i];
    long k = v->tick[i];
    if (k < 0 || (c->interval == 0 && k != 0)) return INFINITY * s->direction;
    return tick_time(c, k);
}

int timing_ask(keel_solver *s, double t)
{
    event_state *v = s->events;
    const keel_switching_spec *spec = &v->how->spec;
    double next = INFINITY * s->direction;
    if (!spec->next_time) return KEEL_OK;
    int code = spec->next_time(t, &next, v->context);
    if (code)
        return fail(&s->message, KEEL_CALLBACK_FAILED, "t = %.10g: the callback `next_time` "
                    "returned %d", t, code);
    if (isnan(next) || (next - t) * s->direction <= 0)
        return fail(&s->message, KEEL_CALLBACK_FAILED, "t = %.10g: the callback `next_time` gave "
                    "%.10g, which does not lie ahead; without a further event it is INFINITY",
                    t, next);
    v->next = next;
    return KEEL_OK;
}

static double earliest(const keel_solver *s, int observed)
{
    const event_state *v = s->events;
    double next = observed ? INFINITY * s->direction : v->next;
    for (int i = 0; i < v->how->spec.clocks; i++) {
        if ((v->how->clock[i].observes != 0) != observed) continue;
        double at = next_tick(s, i);
        if ((next - at) * s->direction > 0) next = at;
    }
    return next;
}

double timing_next(const keel_solver *s) { return earliest(s, 0); }
double timing_observed(const keel_solver *s) { return earliest(s, 1); }

int timing_take(keel_solver *s, double t)
{
    event_state *v = s->events;
    int due = v->timed = is_same_time(v->next, t);
    if (v->timed) v->next = INFINITY * s->direction;
    for (int i = 0; i < v->how->spec.clocks; i++) {
        v->ticked[i] = is_same_time(next_tick(s, i), t);
        if (v->ticked[i]) v->tick[i] += s->direction > 0 ? 1 : -1;
        due += v->ticked[i];
    }
    return due;
}
