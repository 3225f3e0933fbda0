/* start.c -- a run begins: at the consistent point nearest to given values, or anew at the accepted
 * point.
 *
 *   keel_start     reset: statistics, control, whatever a run remembers
 *                  start_check: are the derivatives right that were given?
 *                  consistent_point: the values given, moved as the marks allow
 *                  solver_restart: the integrator at that point
 *   keel_restart   solver_restart alone; keel_restart_with: at a consistent point, as after events
 *
 * Where a run is under way its memory is set aside first: after a failure it goes on as if nothing
 * had been asked.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/norm.h"
#include "core/sized.h"
#include "integrate/integrator.h"
#include "consistent/consistent.h"
#include "event/event.h"

/* A solver as it was, but for its factored matrices: no start touches those that are in use.  Where no run is
 * under way nothing is kept: what a start leaves that fails is reset. */
typedef struct aside {
    int kept;
    keel_solver solver;
    void *block;                 /* NULL where no run is under way                         */
    size_t bytes;                /* up to the end of the mode that begins                  */
} aside;

/* In pieces below the size from which the C library copies byte by byte in microcode, which tools
 * that count instructions take at its word; memcpy of so many bytes compilers may make such themselves. */
static void copy(void *to, const void *from, size_t bytes)
{
    enum { PIECE = 2048 };
    for (size_t at = 0; at < bytes; at += PIECE)
        memmove((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE);
}

static int set_aside(keel_solver *s, aside *before, int mode)
{
    size_t bytes = s->mode[mode].end;
    before->kept = s->started || s->events;      /* these may be at another structure of the problem */
    before->block = NULL;
    if (!before->kept) return KEEL_OK;
    copy(&before->solver, s, sizeof *s);
    before->block = s->started ? malloc(bytes) : NULL;
    before->bytes = bytes;
    if (s->started && !before->block)
        return fail(&s->message, KEEL_NO_MEMORY, "no memory to keep the run for a failing start");
    if (before->block) copy(before->block, s->block, bytes);
    return KEEL_OK;
}

static int say_no_memory(keel_solver *s, const char *where)
{
    if (s->factor_bytes == 0)
        return fail(&s->message, KEEL_NO_MEMORY, "t = %.10g: no memory for a factorization, %s", s->t, where);
    return fail(&s->message, KEEL_NO_MEMORY, "t = %.10g: no memory for a factorization, %s; all factors may take "
                "%.4g MB", s->t, where, 1e-6 * s->factor_bytes);
}

int point_failure(keel_solver *s, attempt_result result, const char *where)
{
    char reason[REDUCE_TEXT];
    fault_text(&s->eval, reason, sizeof reason);
    int stopped = result == ATTEMPT_STOP && s->report.status == KEEL_CALLBACK_FAILED;
    if (result == ATTEMPT_CANNOT_EVALUATE || stopped)
        return fail(&s->message, stopped ? KEEL_CALLBACK_FAILED : fault_status(&s->eval), "t = %.10g: %s, %s",
                    s->eval.fault.t, reason, where);
    if (result == ATTEMPT_STOP && s->report.status == KEEL_NO_MEMORY)
        return say_no_memory(s, where);
    if (result == ATTEMPT_STOP) return s->report.status;           /* message is set */
    if (result == ATTEMPT_NOT_CONVERGED)
        return fail(&s->message, KEEL_NOT_CONVERGED, "t = %.10g: Newton's method for the algebraic unknowns "
                    "does not converge %s", s->t, where);
    return fail(&s->message, KEEL_SINGULAR,
                "t = %.10g: the iteration matrix is singular %s", s->t, where);
}

/* ---- the parts ---------------------------------------------------------------------------- */

/* What was found at other points; the stop time stays. */
static void forget(keel_solver *s)
{
    int limited = s->eval.limited;
    evaluator_reset(&s->eval);
    s->eval.limited = limited;
    s->eval.dependence = NULL;
    s->eval.gauge = NULL;
    s->dependence.count = 0;
}

static void reset(keel_solver *s, double t)
{
    s->stats = (keel_stats){0};
    passage_begin(&s->passage);
    for (int k = 0; k < KEEL_LEVELS_MOST; k++) s->stats.residual[k] = s->residual[k] = -1;
    forget(s);
    s->eval.time_scale = 1e-3 * fmax(1, fabs(t));
    automatic_begin(s);
    s->t = s->t_previous = s->t_origin = s->t_begin = t;
    s->blind = 0;
    s->count = 0;
    s->direction = 1;
    s->eval.limited = s->has_stop = 0;
    s->started = s->moves = 0;
    if (s->lag_raised && s->modes == 1) s->choice.text[s->choice_length] = 0;
    s->lag_wanted = s->lag_raised = 0;
    s->report = (attempt_report){.variable = -1};
}

/* Ends with rc: a failure leaves nothing but its message. */
static int conclude(keel_solver *s, aside *before, int rc)
{
    if (rc < 0 && before->kept) {
        before->solver.message = s->message;
        *s = before->solver;
        if (before->block) memcpy(s->block, before->block, before->bytes);
    } else if (rc < 0) {
        reset(s, 0);
        s->stats = (keel_stats){0};
    }
    free(before->block);
    return rc;
}

static int check_values(keel_solver *s, const keel_start_spec *spec)
{
    if (!spec->y) return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_start: y is NULL");
    if (!isfinite(spec->t)) return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_start: t = %g", spec->t);
    enum { EQUATIONS_MOST = 8000 };              /* in a dense matrix with all unknowns */
    if (spec->equations < 0 || spec->equations > EQUATIONS_MOST)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_start: equations = %d is out of range "
                    "(at most %d)", spec->equations, EQUATIONS_MOST);
    if (spec->equations > 0 && !spec->equation)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_start: the callback `equation` is missing");
    if (!spec->yp && !spec->yp_marks && all_finite(s->n, spec->y)) return KEEL_OK;
    for (int i = 0; i < s->n; i++) {
        int algebraic = i >= s->n - s->problem->constraints;
        if (!isfinite(spec->y[i]) || (spec->yp && !isfinite(spec->yp[i])))
            return fail(&s->message, KEEL_BAD_ARGUMENT, "the initial value of %s is not finite",
                        keel_variable_name(s->problem, i));
        if (spec->yp_marks && spec->yp_marks[i] == KEEL_FIXED && (!spec->yp || algebraic))
            return fail(&s->message, KEEL_BAD_ARGUMENT, "the derivative of %s is fixed, but %s",
                        keel_variable_name(s->problem, i), !spec->yp ? "yp is NULL"
                        : "that of an algebraic unknown is not known to this form");
    }
    return KEEL_OK;
}

/* y may be the accepted point of the same solver. */
static void take_values(keel_solver *s, const double *y, const double *yp)
{
    for (int i = 0; i < s->n; i++) {
        s->moved[i].from = s->y[i] = y[i];
        s->yp[i] = yp ? yp[i] : 0;
        s->weight[i] = norm_weight(s->atol[i] + s->rtol[i] * fabs(s->y[i]));
    }
}

/* Formulations other than these, with unknowns q, v and multipliers, would have to know which of the
 * multipliers do not act; and they know of them only from the start of their original. */
static int accepts_dependent(const keel_solver *s)
{
    const form_ops *form = s->problem->ops;
    if (s->problem->original && (s->options.initial == KEEL_INITIAL_GIVEN ||
                                 s->options.initial == KEEL_INITIAL_FORMULATION)) return 0;
    return s->dependence.m > 0 && !s->eval.engine &&
           (form == &mechanical_form || form == &hessenberg2_form || form == &semi_explicit_form);
}

/* Consistent values in s->y and s->yp at s->t. */
static int consistent_point(keel_solver *s, const keel_start_spec *spec)
{
    int rc = KEEL_OK, proper = s->problem->ops == &proper_form;
    start_point w = {.e = &s->eval, .p = s->problem, .t = s->t, .y = s->y, .yp = s->yp,
                     .marks = s->marks, .yp_marks = spec->yp_marks, .spec = spec,
                     .dependence = accepts_dependent(s) ? &s->dependence : NULL,
                     .gauge = s->gauge.m > 0 && !s->formulated ? &s->gauge : NULL,
                     .place = s->integrator->place ? s->integrator->place(s) : NULL,
                     .at_place = s->unprojected, .message = &s->message};
    s->placed = w.place != NULL;
    if (proper) rc = start_leading_term(&w, spec->marks);
    if (!rc && s->options.initial == KEEL_INITIAL_GIVEN) rc = start_given(&w, spec->yp != NULL);
    else if (!rc) rc = start_consistent(&w, spec->marks,
                                        s->options.initial == KEEL_INITIAL_FORMULATION);
    return proper && (!rc || rc == KEEL_WRONG_INDEX) ? start_proper(&w, rc) : rc;
}

attempt_result solver_restart(keel_solver *s)
{
    s->dense.points = s->dense_due = s->multipliers_due = 0;
    const integrator *own = s->integrator;
    s->control = (controller){.shrink_most = 0.2, .grow_most = own->growth, .beta = own->beta,
                              .safety = s->options.safety > 0 ? s->options.safety : own->safety};
    evaluator_recall(&s->eval);
    lag_begin(s);
    projection_forget(projection_of(s));
    attempt_result result = s->integrator->start(s);
    if (result != ATTEMPT_DONE) return result;
    evaluator_keep(&s->eval);
    record_residuals(s);
    return result;
}

int solver_begin(keel_solver *s, const char *where)
{
    attempt_result result = solver_restart(s);
    s->placed = 0;
    if (result != ATTEMPT_DONE) return point_failure(s, result, where);
    if (s->options.first_step > 0) s->h_next = s->options.first_step;
    s->fresh = s->started = 1;
    headway_begin(s);
    return KEEL_OK;
}

/* Of the values given, those that are not free and had to move by more than their tolerance.  Fixed
 * ones have not, whatever the integrator found for multipliers to its own precision. */
static void list_moves(keel_solver *s, const keel_mark *marks)
{
    for (int i = 0; i < s->n; i++) {
        keel_move move = {.variable = i, .from = s->moved[i].from};
        if (s->y[i] == move.from) continue;
        if (marks && marks[i] == KEEL_FIXED) s->y[i] = move.from;
        move.to = s->y[i];
        int is_free = (marks ? marks : s->marks)[i] == KEEL_FREE;
        if (!is_free && fabs(move.to - move.from) * s->weight[i] > 1) s->moved[s->moves++] = move;
    }
}

/* Without fixed values the point moves along the directions in which multipliers act: velocities of
 * mechanical problems as an impulsive reaction moves them.  What that does not meet the consistent
 * point does. */
int solver_consistent(keel_solver *s, const keel_start_spec *spec)
{
    int fixed = 0;
    take_values(s, spec->y ? spec->y : s->y, spec->yp);
    forget(s);
    s->moves = 0;
    for (int i = 0; i < s->n && spec->marks; i++) fixed |= spec->marks[i] == KEEL_FIXED;
    if (has_manifold(s->problem) && s->problem->levels > 1 && !fixed) {
        double *y = s->unprojected;
        memcpy(y, s->y, (size_t)s->n * sizeof *y);
        attempt_result moved = project_on_request(s, s->t, y);
        if (moved == ATTEMPT_DONE) memcpy(s->y, y, (size_t)s->n * sizeof *y);
    }
    return consistent_point(s, spec);
}

/* ---- beginnings --------------------------------------------------------------------------- */

/* From so many unknowns on memory is given back: what the search for consistent values and the check have
 * freed lies between blocks that stay, 5 of 50 MB of flow through 64 x 64 cells, and the first factorization
 * comes on top of it. */
enum { TRIMMED_LEAST = 2000 };

static int start(keel_solver *s, keel_start_spec *spec)
{
    aside before;
    event_aside events;
    int rc = engine_share(s, set_aside(s, &before, 0));
    if (rc) return rc;
    rc = event_open(s, &events, spec);
    if (!rc) rc = engine_share(s, check_values(s, spec));
    if (!rc) {
        take_values(s, spec->y, spec->yp);
        reset(s, spec->t);
        if (!s->eval.engine) rc = start_check(s, spec);      /* else derivatives are not the problem's */
    }
    if (!rc) rc = consistent_point(s, spec);
    if (!rc && !s->eval.engine) rc = start_check_links(s);
    if (!rc) rc = solver_begin(s, "at the initial values");
    if (!rc) list_moves(s, spec->marks);
    if (!rc && s->events) rc = event_begin(s);
    event_conclude(s, &events, rc < 0 ? rc : KEEL_OK);
    rc = conclude(s, &before, rc);
    if (s->n >= TRIMMED_LEAST && problem_is_sparse(s->problem)) arena_trim();
    return rc;
}

/* With what the caller's header knows of the spec, once the call may begin. */
static int start_sized(keel_solver *s, int rc, const keel_start_spec *given, size_t size,
                       int (*begins)(keel_solver *s, keel_start_spec *spec))
{
    keel_start_spec spec = {0};
    if (rc) return rc;
    sized kind = SIZED(keel_start_spec, context, context);
    rc = given ? sized_copy(&s->message, kind, &spec, given, size) : KEEL_OK;
    return solver_leave(s, rc ? rc : begins(s, &spec));
}

int keel_start_with_sized(keel_solver *s, const keel_start_spec *given, size_t size)
{
    return start_sized(s, solver_open(s), given, size, start);
}

int keel_start_marked(keel_solver *s, double t, const double *y, const double *yp,
                      const keel_mark *marks)
{
    return keel_start_with(s, &(keel_start_spec){.t = t, .y = y, .yp = yp, .marks = marks});
}

int keel_start(keel_solver *s, double t, const double *y)
{
    return keel_start_with(s, &(keel_start_spec){.t = t, .y = y});
}

static int restart(keel_solver *s)
{
    aside before;
    int rc = engine_share(s, set_aside(s, &before, s->active)), limited = s->eval.limited;
    if (rc) return rc;
    evaluator_reset(&s->eval);
    s->eval.limited = limited;                   /* the stop time stays */
    return conclude(s, &before, solver_begin(s, "where the run was to begin anew"));
}

int keel_restart(keel_solver *s)
{
    int rc = solver_enter(s);
    return rc ? rc : solver_leave(s, restart(s));
}

static int restart_with(keel_solver *s, keel_start_spec *spec)
{
    aside before;
    spec->t = s->t;
    if (!spec->y) spec->y = s->y;
    else if (has_structures(s)) structure_spec(s, spec);
    int rc = engine_share(s, check_values(s, spec));
    if (!rc) rc = engine_share(s, set_aside(s, &before, s->active));
    if (rc) return rc;
    rc = solver_consistent(s, spec);
    if (!rc) rc = solver_begin(s, "where the run was to begin anew");
    if (!rc) list_moves(s, spec->marks);
    if (!rc && s->events) rc = event_resume(s);
    return conclude(s, &before, rc);
}

int keel_restart_with_sized(keel_solver *s, const keel_start_spec *given, size_t size)
{
    return start_sized(s, solver_enter(s), given, size, restart_with);
}
