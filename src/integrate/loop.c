/* loop.c -- the time loop: step sizes, stop times, rejections, and what to say when it ends.
 *
 * attempt -> error test -> accept (projection) -> next; every failure shrinks the step until it
 * reaches rounding level, and then the last reason is reported.
 */
#include <float.h>
#include <math.h>

#include "event/event.h"
#include "integrate/integrator.h"

/* An error that is rounding: it says nothing, not even that the solution is smooth. */
static const double unseen = 10 * DBL_EPSILON;

/* Smallest step that still moves t by more than rounding. */
static double least_step(const keel_solver *s)
{
    double interval = s->has_stop ? DBL_EPSILON * fabs(s->t_stop - s->t) : 0;
    return 10 * DBL_EPSILON * fmax(fabs(s->t), interval) + 1e3 * DBL_MIN;
}

/* Steps that nothing is known for.  An integrator's own first step may know too little: where y' = 0, but
 * not for long.  And where a step found no error at all, as on a straight line, what comes next may be
 * anything; no step is then longer than a part of the whole interval [CVODE limits the first one so,
 * MATLAB's codes all], or twice the last one where that is not known. */
static double limit_unknown(const keel_solver *s, double h)
{
    static const double part = 0.1;
    double share = s->integrator->first_share;
    if (s->fresh && s->options.first_step == 0 && s->has_stop && share > 0)
        return fmin(h, share * fabs(s->t_stop - s->t));
    if (s->fresh || !s->blind) return h;
    double whole = fabs((s->has_stop ? s->t_stop : s->t) - s->t_begin), last = fabs(s->t - s->t_previous);
    return fmin(h, fmax(part * whole, s->has_stop ? last : 2 * last));
}

/* Limits h_next by max_step and the stop time; *t_new is exact where a stop is hit. */
static double choose_step(const keel_solver *s, double *t_new)
{
    double h = limit_unknown(s, fabs(s->h_next));
    int constant = s->options.step > 0;
    if (!constant && s->options.max_step > 0) h = fmin(h, s->options.max_step);
    *t_new = s->t + s->direction * h;
    if (constant) {                              /* t without accumulated rounding */
        h = s->options.step;
        *t_new = s->t_origin + s->direction * h * (double)(s->count + 1);
    }
    if (!s->has_stop) return s->direction * h;
    double left = fabs(s->t_stop - s->t);
    double reach = h * (constant ? 1.001 : 1.01);
    if (!constant && s->options.max_step > 0) reach = fmin(reach, s->options.max_step);
    if (left <= reach) {
        *t_new = s->t_stop;
        return s->t_stop - s->t;
    }
    if (!constant && left < 2 * h) {              /* two equal steps instead of a tiny last one */
        h = left / 2;
        *t_new = s->t + s->direction * h;
    }
    return s->direction * h;
}

/* Is it the constraints, whatever fails near the point where they lose rank? */
static int rank_is_lost(keel_solver *s)
{
    dependence *d = &s->dependence;
    char names[400];
    evaluator *given = s->problem == s->given ? &s->eval : s->eval.original;
    int lost = dependence_lost(d, given, s->t, s->y, names, sizeof names);
    if (!lost) return KEEL_OK;
    return fail(&s->message, KEEL_SINGULAR, "t = %.10g: the constraints lose rank here: %s come to "
                "depend on each other (rank %d, not %d), and no step leads beyond. The system may "
                "be in a singular position", s->t, names, d->m - d->count - lost, d->m - d->count);
}

/* The sentence for an attempt that cannot be repeated with a smaller step. */
static int give_up(keel_solver *s, attempt_result result, double h)
{
    char reason[REDUCE_TEXT], tally[224], variable[80];
    int evaluated = result != ATTEMPT_CANNOT_EVALUATE && result != ATTEMPT_STOP;
    int constant = s->options.step > 0, judged = !constant || result == ATTEMPT_BRANCH;
    if (evaluated && !s->eval.engine && rank_is_lost(s)) return KEEL_SINGULAR;
    judged &= !s->eval.engine;
    int rc = result != ATTEMPT_STOP && judged ? impasse_pass(s, result, h) : KEEL_OK;
    if (rc) return rc == RUN_GOES_ON ? KEEL_OK : rc;
    const char *prefix = constant ? "the constant step" : "even the smallest step";
    fault_text(&s->eval, reason, sizeof reason);
    headway_text(s, tally, sizeof tally);
    blamed_variable(s, variable, sizeof variable);
    switch (result) {
    case ATTEMPT_NOT_CONVERGED:
        return fail(&s->message, constant ? KEEL_NOT_CONVERGED : KEEL_STEP_TOO_SMALL,
                    "t = %.10g: Newton's method does not converge with %s h = %.3g; %s changes most. "
                    "Try %s", s->t, prefix, h, variable,
                    constant ? "a smaller step" : "looser tolerances, and check the Jacobian and "
                    "the equations near this time");
    case ATTEMPT_CANNOT_EVALUATE:
        return fail(&s->message, fault_status(&s->eval),
                    "t = %.10g: %s, also with %s h = %.3g. The solution may leave the domain of "
                    "the equations here", s->t, reason, prefix, h);
    case ATTEMPT_SINGULAR:
        return fail(&s->message, KEEL_SINGULAR,
                    "t = %.10g: the iteration matrix is singular in the column of %s, also with %s "
                    "h = %.3g. Constraints may have become dependent, or the index is higher than "
                    "declared", s->t, variable, prefix, h);
    case ATTEMPT_STOP:
        if (s->report.status == KEEL_CALLBACK_FAILED)
            return fail(&s->message, KEEL_CALLBACK_FAILED, "t = %.10g: %s", s->t, reason);
        return fail(&s->message, s->report.status, "t = %.10g: %s", s->t,
                    keel_status_text(s->report.status));
    case ATTEMPT_NOT_FINITE:
        return fail(&s->message, KEEL_NOT_FINITE, "t = %.10g: the new value of %s is not finite, "
                    "also with %s h = %.3g", s->t, variable, prefix, h);
    case ATTEMPT_FAR: return far_verdict(s, h);
    default:
        return fail(&s->message, KEEL_STEP_TOO_SMALL,
                    "t = %.10g: the steps collapse (h = %.3g): %s; %s has the largest error. "
                    "The solution may be singular here, or the tolerances too tight",
                    s->t, h, tally, variable);
    }
}

/* One attempt and, if it passes, its acceptance; sets h_next.  *done on acceptance. */
static attempt_result try_step(keel_solver *s, double h, double t_new, int *done)
{
    s->stats.steps++;
    *done = 0;
    s->report.again = 0;
    s->eval.time_scale = fmax(fabs(h), 0.5 * s->eval.time_scale);
    evaluator_recall(&s->eval);
    attempt_result result = s->integrator->attempt(s, h);
    if (result == ATTEMPT_DONE && !(s->report.error < 1) && s->options.step == 0) {
        s->stats.rejected_error++;
        s->integrator->next(s, h);
        return ATTEMPT_DONE;
    }
    if (result == ATTEMPT_DONE) result = s->integrator->accept(s, h, t_new);
    if (result != ATTEMPT_DONE) {
        s->stats.rejected_newton++;
        s->control.rejected_before = 1;
        s->h_next = h * s->report.factor;
        s->integrator->next(s, 0);
        return result;
    }
    double proposed = fabs(s->h_next);           /* before a stop time cut it short */
    s->t_previous = s->t;
    s->t = t_new;
    s->count++;
    if (s->has_stop && t_new == s->t_stop) s->t_origin = t_new, s->count = 0;
    s->stats.accepted++;
    s->fresh = 0;
    record_residuals(s);
    evaluator_keep(&s->eval);
    int rc = s->eval.dependence ? dependence_renew(&s->dependence, &s->eval, s->t, s->y) : 0;
    if (s->eval.gauge) rc = gauge_renew(&s->gauge, &s->eval, s->t, s->y);
    s->stats.last_step = h;
    s->blind = s->report.error * s->least_tolerance < unseen;
    s->integrator->next(s, h);
    if (fabs(h) < 0.9 * proposed && fabs(s->h_next) < proposed) s->h_next = proposed;
    *done = 1;
    return evaluation_result(s, rc);             /* the step counts; a callback may ask to stop */
}

/* The method `auto` leaves its explicit mode where stability limits the step, or where that fails. */
static int change_mode(keel_solver *s, const char *why)
{
    attempt_result result = automatic_switch(s, why);
    if (result != ATTEMPT_DONE) return give_up(s, result, s->h_next);
    s->headway.attempts = 0;
    return KEEL_OK;
}

static int explicit_mode(const keel_solver *s)
{
    return s->modes > 1 && s->active == 0;
}

/* Did a callback fail right ahead, at a stop time for instance, which the last steps crept up to? */
static int fault_ahead(const keel_solver *s)
{
    const fault *f = &s->eval.fault;
    return f->callback && f->code >= 0 && fabs(f->t - s->t) <= sqrt(DBL_EPSILON) * fabs(f->t);
}

/* Steps until one is accepted. */
int solver_step(keel_solver *s, long *limit)
{
    int domain = 0;                              /* a callback could not evaluate */
    double proposed = s->h_next;                 /* for those who try again after a failure */
    if (fabs(s->h_next) < least_step(s)) s->h_next = 2 * least_step(s);
    if (explicit_mode(s) && s->integrator->stiff(s)) {
        int rc = change_mode(s, "stability limited the step");
        if (rc) return rc;
    }
    for (;;) {
        double t_new, h = choose_step(s, &t_new);
        int done;
        if ((*limit)-- <= 0)
            return fail(&s->message, KEEL_STEP_LIMIT,
                        "t = %.10g: the limit of %ld steps is reached (h = %.3g). Raise max_steps, "
                        "or call again to go on", s->t, s->options.max_steps, h);
        if (fabs(h) < least_step(s) && !(s->has_stop && t_new == s->t_stop))
            return give_up(s, ATTEMPT_DONE, h);
        attempt_result result = try_step(s, h, t_new, &done);
        int lost = headway_is_lost(s, result, done);
        if (done && result == ATTEMPT_STOP) return give_up(s, result, h);
        if (done && !lost) return KEEL_OK;
        if (result == ATTEMPT_FAR && headway_is_far(s)) return give_up(s, result, h);
        if (s->lag_wanted && result != ATTEMPT_STOP && !done) {
            s->h_next = h;
            result = lag_change(s);
            if (result == ATTEMPT_DONE) continue;
        }
        int smallest = fabs(s->h_next) < least_step(s) || !isfinite(s->h_next);
        domain |= result == ATTEMPT_CANNOT_EVALUATE;
        int final = s->options.step > 0 && !s->report.again;
        if (result != ATTEMPT_STOP && !final && !smallest && !lost) continue;
        /* Tiny steps make matrices singular: that is a consequence, not the cause. */
        if (smallest && result != ATTEMPT_STOP && (domain || fault_ahead(s)))
            result = ATTEMPT_CANNOT_EVALUATE;
        s->h_next = proposed;
        if (explicit_mode(s) && result != ATTEMPT_STOP && result != ATTEMPT_BRANCH &&
            change_mode(s, "no step succeeded") == KEEL_OK) continue;
        return give_up(s, result, h);
    }
}

/* Unless the run is where it has to stop. */
static int step(keel_solver *s, long *limit)
{
    if (s->has_stop && s->t == s->t_stop)
        return fail(&s->message, KEEL_STOP_REACHED, "t = %.10g is the stop time", s->t);
    return s->events ? event_step(s, limit) : solver_step(s, limit);
}

/* ---- calls ---------------------------------------------------------------------------------- */

int solver_open(keel_solver *s)
{
    if (!s) return KEEL_BAD_ARGUMENT;
    if (s->busy)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "t = %.10g: a callback called the solver that "
                    "was calling it, which is refused: do that between two steps", s->t);
    if (!s->ready)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "the solver was not created successfully");
    s->message.text[0] = 0;
    s->busy = 1;
    return KEEL_OK;
}

int solver_enter(keel_solver *s)
{
    if (s && !s->busy && !s->started)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "call keel_start successfully first");
    return solver_open(s);
}

int solver_leave(keel_solver *s, int rc)
{
    s->busy = 0;
    return rc;
}

/* A point that a call leaves has the multipliers that belong to it.  On large problems bdf finds them here
 * and not after every step (multivalue_completes): a solve, two evaluations and perhaps a Jacobian for each
 * point that somebody sees.  Where they cannot be found the method's own have to do, as after a step. */
static int show(keel_solver *s, int rc)
{
    int seen = rc == KEEL_OK || rc == KEEL_STOP_REACHED || rc == KEEL_STEP_LIMIT;
    if (!seen || !s->multipliers_due) return rc;
    s->multipliers_due = 0;
    attempt_result result = s->integrator->complete(s);
    return result == ATTEMPT_STOP ? point_failure(s, result, "at the new point") : rc;
}

int keel_step(keel_solver *s)
{
    int rc = solver_enter(s);
    if (rc) return rc;
    long limit = s->options.max_steps;
    return solver_leave(s, show(s, step(s, &limit)));
}

/* Turns the solver round if t lies on the other side; h_next keeps its size. */
static int head_for(keel_solver *s, double t)
{
    if (!isfinite(t)) return fail(&s->message, KEEL_BAD_ARGUMENT, "the time asked for is %g", t);
    if ((t - s->t) * s->direction < 0) {
        if (s->stats.accepted > 0)
            return fail(&s->message, KEEL_BAD_ARGUMENT,
                        "t = %.10g lies behind t = %.10g: keel_start anew to turn round", t, s->t);
        s->direction = -s->direction;
    }
    return KEEL_OK;
}

/* Which the evaluator must know, too. */
void solver_limit(keel_solver *s, int has_stop, double t)
{
    s->eval.limited = s->has_stop = has_stop;
    s->eval.t_limit = s->t_stop = t;
    s->eval.limit_direction = s->direction;
}

static int set_stop_time(keel_solver *s, double t)
{
    int rc = head_for(s, t);
    if (!rc) solver_limit(s, 1, t);
    return rc;
}

int keel_set_stop_time(keel_solver *s, double t)
{
    int rc = solver_enter(s);
    return rc ? rc : solver_leave(s, set_stop_time(s, t));
}

void keel_clear_stop_time(keel_solver *s)
{
    if (!s || s->busy) return;
    solver_limit(s, 0, s->t_stop);
}

static int wrong_side(keel_solver *s, double t)
{
    return fail(&s->message, KEEL_BAD_ARGUMENT, "t = %.10g and the stop time %.10g lie on opposite "
                "sides of t = %.10g: clear the stop time first", t, s->t_stop, s->t);
}

static int advance(keel_solver *s, double t)
{
    double back = solver_polynomial(s) ? s->t_previous : s->t;
    if ((t - back) * s->direction >= 0 && (t - s->t) * s->direction <= 0) return KEEL_OK;
    if (s->has_stop && (s->t_stop - s->t) * (t - s->t) < 0) return wrong_side(s, t);
    int rc = head_for(s, t);
    long limit = s->options.max_steps;
    while (!rc && (s->t - t) * s->direction < 0) rc = step(s, &limit);
    return rc;
}

int keel_advance(keel_solver *s, double t)
{
    int rc = solver_enter(s);
    return rc ? rc : solver_leave(s, show(s, advance(s, t)));
}

static int advance_to(keel_solver *s, double t)
{
    if (t == s->t) return KEEL_OK;
    int had_stop = s->has_stop;
    double t_stop = s->t_stop;
    if (had_stop && t_stop != s->t && (t_stop - s->t) * (t - s->t) < 0) return wrong_side(s, t);
    if (had_stop && (t - t_stop) * s->direction > 0)
        return fail(&s->message, KEEL_BAD_ARGUMENT,
                    "t = %.10g lies beyond the stop time %.10g", t, t_stop);
    int rc = set_stop_time(s, t);
    if (!rc) rc = advance(s, t);
    solver_limit(s, had_stop, t_stop);
    return rc;
}

int keel_advance_to(keel_solver *s, double t)
{
    int rc = solver_enter(s);
    return rc ? rc : solver_leave(s, show(s, advance_to(s, t)));
}
