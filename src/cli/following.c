/* following.c -- see following.h. */
#include "cli/following.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double longest_step = 0.05;         /* in s: pictures are drawn from steps */
enum { STEPS_MOST = 1000000 };

const char *impasse_action_word(int action)
{
    static const char *const words[] = {"ended", "followed", "jumped", "passed"};
    return action >= 0 && action < 4 ? words[action] : "unknown";
}

static int keep_one(outcome *o, keel_impasse point)
{
    keel_impasse *longer = realloc(o->impasses, ((size_t)o->impasse_count + 1) * sizeof *longer);
    if (!longer) return KEEL_NO_MEMORY;
    point.y = point.after = NULL;                /* the solver's */
    o->impasses = longer;
    longer[o->impasse_count++] = point;
    return KEEL_OK;
}

int keep_impasses(outcome *o, const keel_solver *solver)
{
    int status = KEEL_OK;
    while (status == KEEL_OK && o->impasse_count < keel_impasse_count(solver)) {
        keel_impasse point;
        status = keel_impasse_at(solver, o->impasse_count, &point);
        if (status == KEEL_OK) status = keep_one(o, point);
    }
    return status;
}

static int take_point(outcome *o, const target *t, const keel_curve *curve)
{
    o->t = keel_curve_time(curve);
    o->length = keel_curve_length(curve);
    memcpy(o->y, keel_curve_state(curve), (size_t)t->size * sizeof *o->y);
    keel_impasse point;
    int count = keel_curve_impasse_count(curve), status = KEEL_OK;
    while (status == KEEL_OK && o->followed_count < count) {
        status = keel_curve_impasse_at(curve, o->followed_count++, &point);
        if (status == KEEL_OK) status = keep_one(o, point);
    }
    return status;
}

/* Steps until a bound is met. */
static int walk(outcome *o, const target *t, keel_curve *curve, curve_sink *sink, void *context)
{
    for (long k = 0; k < STEPS_MOST; k++) {
        int status = keel_curve_step(curve);
        if (status == KEEL_STOP_REACHED) return KEEL_OK;
        if (status == KEEL_OK) status = take_point(o, t, curve);
        if (status == KEEL_OK) status = sink(context, o->length, o->t, o->y);
        if (status != KEEL_OK || o->unwritten) return status;
    }
    return KEEL_STEP_LIMIT;
}

int follow_curve(outcome *o, const target *t, const keel_options *options,
                 const keel_solver *solver, double length, curve_sink *sink, void *context)
{
    keel_curve *curve = NULL;
    keel_options own = {.rtol = options->rtol, .atol = options->atol, .max_step = longest_step,
                        .jacobian_differences = options->jacobian_differences};
    int status = keel_curve_create(&curve, t->problem, &own);
    if (status == KEEL_OK) status = keel_curve_from(curve, solver);
    if (status == KEEL_OK)
        status = keel_curve_bounds(curve, fmin(t->t_start, t->t_end), fmax(t->t_start, t->t_end),
                                   length);
    o->followed = status == KEEL_OK;
    if (o->followed && o->impasse_count > 0) o->impasse_count--;  /* the curve meets it again */
    if (status == KEEL_OK) status = walk(o, t, curve, sink, context);
    const char *message = keel_curve_message(curve);
    if (status != KEEL_OK)
        snprintf(o->message, sizeof o->message, "%s",
                 *message ? message : keel_status_text(status));
    keel_curve_free(curve);
    return status;
}
