/* start.c -- a run begins: at the consistent point nearest to given values, or anew at the accepted
 * point.
 *
 *   keel_start     reset: statistics, control, whatever a run remembers
 *                  consistent_point: the values given, moved as the marks allow
 *                  solver_restart: the integrator at that point
 *   keel_restart   solver_restart alone
 *
 * Where a run is under way its memory is set aside first: after a failure it goes on as if nothing
 * had been asked.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/automatic.h"
#include "integrate/consistent.h"

/* A solver as it was, but for its factored matrices: no start touches those that are in use. */
typedef struct aside {
    keel_solver solver;
    void *block;                 /* NULL where no run is under way                         */
} aside;

static int set_aside(keel_solver *s, aside *before)
{
    *before = (aside){.solver = *s, .block = s->started ? malloc(s->block_bytes) : NULL};
    if (s->started && !before->block)
        return fail(&s->message, KEEL_NO_MEMORY, "no memory to keep the run for a failing start");
    if (before->block) memcpy(before->block, s->block, s->block_bytes);
    return KEEL_OK;
}

/* Ends with rc: a failure leaves nothing but its message. */
static int conclude(keel_solver *s, aside *before, int rc)
{
    if (rc) {
        before->solver.message = s->message;
        *s = before->solver;
        if (before->block) memcpy(s->block, before->block, s->block_bytes);
    }
    free(before->block);
    return rc;
}

int point_failure(keel_solver *s, attempt_result result, const char *where)
{
    char reason[256];
    fault_text(&s->eval, reason, sizeof reason);
    if (result == ATTEMPT_CANNOT_EVALUATE)
        return fail(&s->message, s->eval.fault.code ? KEEL_CALLBACK_FAILED : KEEL_NOT_FINITE,
                    "t = %.10g: %s, %s", s->eval.fault.t, reason, where);
    if (result == ATTEMPT_STOP && s->report.status == KEEL_CALLBACK_FAILED)
        return fail(&s->message, KEEL_CALLBACK_FAILED, "t = %.10g: %s, %s", s->eval.fault.t, reason,
                    where);
    if (result == ATTEMPT_STOP && s->report.status == KEEL_NO_MEMORY)
        return fail(&s->message, KEEL_NO_MEMORY, "t = %.10g: no memory for a factorization, %s",
                    s->t, where);
    if (result == ATTEMPT_STOP) return s->report.status;           /* message is set */
    return fail(&s->message, KEEL_SINGULAR,
                "t = %.10g: the iteration matrix is singular %s", s->t, where);
}

/* ---- the parts ---------------------------------------------------------------------------- */

static void reset(keel_solver *s, double t)
{
    s->stats = (keel_stats){0};
    for (int k = 0; k < KEEL_LEVELS_MOST; k++) s->stats.residual[k] = s->residual[k] = -1;
    s->message.text[0] = 0;
    evaluator_reset(&s->eval);
    s->eval.time_scale = 1e-3 * fmax(1, fabs(t));
    automatic_begin(s);
    s->t = s->t_previous = s->t_origin = t;
    s->count = 0;
    s->direction = 1;
    s->has_stop = 0;
    s->started = s->moves = 0;
    s->report = (attempt_report){.variable = -1};
}

static int check_values(keel_solver *s, double t, const double *y, const double *yp)
{
    if (!y) return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_start: y is NULL");
    if (!isfinite(t)) return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_start: t = %g", t);
    for (int i = 0; i < s->n; i++)
        if (!isfinite(y[i]) || (yp && !isfinite(yp[i])))
            return fail(&s->message, KEEL_BAD_ARGUMENT, "the initial value of %s is not finite",
                        keel_variable_name(s->problem, i));
    return KEEL_OK;
}

/* y may be the accepted point of the same solver. */
static void take_values(keel_solver *s, const double *y, const double *yp)
{
    for (int i = 0; i < s->n; i++) {
        s->moved[i] = (keel_move){.variable = i, .from = y[i]};
        s->y[i] = y[i];
        s->yp[i] = yp ? yp[i] : 0;
        s->weight[i] = 1 / (s->atol[i] + s->rtol[i] * fabs(y[i]));
    }
}

static int consistent_point(keel_solver *s, int derivative_given, const keel_mark *marks)
{
    int rc = KEEL_OK, proper = s->problem->ops == &proper_form;
    if (mechanical_is_sparse(s->problem) && s->options.initial != KEEL_INITIAL_GIVEN)
        return start_projected(s, marks);
    if (proper) rc = consistent_leading_term(s, marks);
    int from_original = s->problem->original && s->options.initial == KEEL_INITIAL_CONSISTENT;
    if (!rc && from_original) rc = consistent_original(s, marks);
    if (!rc && s->options.initial != KEEL_INITIAL_GIVEN)
        rc = consistent_start(s, from_original ? NULL : marks);
    if (!rc && s->options.initial == KEEL_INITIAL_GIVEN) rc = consistent_given(s, derivative_given);
    return proper && (!rc || rc == KEEL_WRONG_INDEX) ? consistent_proper(s, rc) : rc;
}

attempt_result solver_restart(keel_solver *s)
{
    s->dense.points = s->dense_due = 0;
    s->control = controller_of(s);
    evaluator_recall(&s->eval);
    attempt_result result = s->integrator->start(s);
    if (result == ATTEMPT_DONE) evaluator_keep(&s->eval);
    return result;
}

static int begin(keel_solver *s, const char *where)
{
    attempt_result result = solver_restart(s);
    if (result != ATTEMPT_DONE) return point_failure(s, result, where);
    if (s->options.first_step > 0) s->h_next = s->options.first_step;
    s->fresh = s->started = 1;
    return KEEL_OK;
}

/* Of the values given, those that are not free and had to move by more than their tolerance. */
static void list_moves(keel_solver *s, const keel_mark *marks)
{
    for (int i = 0; i < s->n; i++) {
        keel_move move = s->moved[i];
        int is_free = marks ? marks[i] == KEEL_FREE : i >= s->n - s->problem->free;
        move.to = s->y[i];
        double size = fabs(move.to - move.from) * s->weight[i];
        if (!is_free && size > 1) s->moved[s->moves++] = move;
    }
}

/* ---- beginnings --------------------------------------------------------------------------- */

int keel_start_marked(keel_solver *s, double t, const double *y, const double *yp,
                      const keel_mark *marks)
{
    aside before;
    if (!s) return KEEL_BAD_ARGUMENT;
    if (!s->ready)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "the solver was not created successfully");
    int rc = check_values(s, t, y, yp);
    if (!rc) rc = set_aside(s, &before);
    if (rc) return rc;
    take_values(s, y, yp);
    reset(s, t);
    rc = consistent_point(s, yp != NULL, marks);
    if (!rc) rc = begin(s, "at the initial values");
    if (!rc) list_moves(s, marks);
    return conclude(s, &before, rc);
}

int keel_start(keel_solver *s, double t, const double *y)
{
    return keel_start_marked(s, t, y, NULL, NULL);
}

int keel_restart(keel_solver *s)
{
    aside before;
    int rc = solver_ready(s), limited = s ? s->eval.limited : 0;
    if (!rc) rc = set_aside(s, &before);
    if (rc) return rc;
    s->message.text[0] = 0;
    evaluator_reset(&s->eval);
    s->eval.limited = limited;                   /* the stop time stays */
    return conclude(s, &before, begin(s, "where the run was to begin anew"));
}
