/* worker.c -- what becomes of one row. */
#include "sweep/worker.h"

#include <stdlib.h>
#include <string.h>

#include "integrate/integrator.h"

static void close_case(sweep_worker *w)
{
    keel_solver_free(w->solver);
    w->solver = NULL;
    if (w->is_open && w->spec->close) w->spec->close(&w->open, w->spec->context);
    w->is_open = 0;
}

static int open_case(sweep_worker *w, const double *parameters, message *why)
{
    close_case(w);
    w->open = (keel_sweep_case){0};
    w->is_open = 1;
    const int status = w->spec->open(&w->open, parameters, why->text, sizeof why->text, w->spec->context);
    if (status == KEEL_OK && !w->open.problem)
        return fail(why, KEEL_BAD_ARGUMENT, "open has set no problem");
    return status;
}

/* The case of the last row with other parameters, or another one. */
static int have_case(sweep_worker *w, const double *parameters, message *why)
{
    if (!w->is_open || !w->solver || !w->spec->change) return open_case(w, parameters, why);
    const int status = w->spec->change(&w->open, parameters, why->text, sizeof why->text, w->spec->context);
    return status > 0 ? open_case(w, parameters, why) : status;
}

static int say(message *why, const keel_solver *solver, int status)
{
    const char *said = solver ? keel_message(solver) : NULL;
    return fail(why, status, "%s", said && *said ? said : keel_status_text(status));
}

/* At its start; why->text is then empty or what the start remarks. */
static int begin(sweep_worker *w, message *why)
{
    const keel_sweep_spec *spec = w->spec;
    int status = KEEL_OK;
    if (w->solver) w->solver->started = 0;       /* the row before has been handed on: none to bring back */
    else
        status = keel_solver_create_sized(&w->solver, w->open.problem, w->options, w->options_size);
    if (status == KEEL_OK && spec->prepare) status = spec->prepare(w->solver, &w->open, spec->context);
    if (status == KEEL_OK) status = keel_start_with(w->solver, &w->open.start);
    if (status != KEEL_OK) return say(why, w->solver, status);
    const char *remark = keel_message(w->solver);
    if (remark && *remark) fail(why, KEEL_OK, "%s", remark);
    return KEEL_OK;
}

/* Exactly to the end, in either direction of time. */
static int advance(sweep_worker *w, message *why)
{
    int status = keel_set_stop_time(w->solver, w->open.t_end);
    if (status == KEEL_OK) status = keel_advance(w->solver, w->open.t_end);
    return status == KEEL_OK ? KEEL_OK : say(why, w->solver, status);
}

static int make_room(sweep_result *r, int count)
{
    if (count <= r->room) return KEEL_OK;
    double *more = realloc(r->values, (size_t)count * sizeof *more);
    if (!more) return KEEL_NO_MEMORY;
    r->values = more;
    r->room = count;
    return KEEL_OK;
}

/* Where the run has come to, even if that is not its end. */
static int keep(const sweep_worker *w, sweep_result *r)
{
    const keel_sweep_spec *spec = w->spec;
    const int count = spec->output ? spec->outputs : keel_problem_size(w->open.problem);
    r->t = keel_time(w->solver);
    r->stats = *keel_solver_stats(w->solver);
    if (make_room(r, count) != KEEL_OK) return fail(&r->why, KEEL_NO_MEMORY, "no memory for the results");
    int status = KEEL_OK;
    if (spec->output) status = spec->output(w->solver, &w->open, r->values, spec->context);
    else memcpy(r->values, keel_state(w->solver), (size_t)count * sizeof *r->values);
    r->count = count;
    r->begun = status == KEEL_OK;
    return status == KEEL_OK ? KEEL_OK : fail(&r->why, status, "the results cannot be had: %s",
                                              keel_status_text(status));
}

void worker_run(sweep_worker *w, const double *parameters, sweep_result *r)
{
    r->why.text[0] = '\0';
    r->begun = 0;
    r->count = 0;
    r->status = have_case(w, parameters, &r->why);
    r->t = w->open.start.t;
    if (r->status != KEEL_OK) {
        r->stats = (keel_stats){0};
        if (!r->why.text[0]) fail(&r->why, r->status, "%s", keel_status_text(r->status));
        close_case(w);
        return;
    }
    r->status = begin(w, &r->why);
    if (r->status != KEEL_OK && r->status != KEEL_EVENT) r->stats = (keel_stats){0};
    else {
        if (r->status == KEEL_OK && w->open.t_end != w->open.start.t) r->status = advance(w, &r->why);
        const int kept = keep(w, r);
        if (r->status >= 0 && kept != KEEL_OK) r->status = kept;
    }
    if (!w->spec->change || !w->solver) close_case(w);
}

void worker_end(sweep_worker *w)
{
    close_case(w);
}
