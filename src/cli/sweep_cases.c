/* sweep_cases.c -- the runs of a sweep as the library asks for them.
 *
 * Each worker has a target of its own.  Where all that differs from row to row can change while a
 * problem lives, it serves all rows of the worker.
 */
#include "cli/sweep_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "core/number.h"

typedef struct open_case {
    target target;
    row_settings settings;
} open_case;

static void describe(keel_sweep_case *c, const open_case *own)
{
    const target *t = &own->target;
    c->problem = t->problem;
    c->t_end = t->t_end;
    c->start = (keel_start_spec){.t = t->t_start, .y = t->y, .marks = t->marks};
    if (t->modelled.model && t->problem == t->original) c->start = t->modelled.start;
}

/* What is refused is the message of the row; numbers of models, which are opened for every row, have a
 * point in every locale. */
static int in_row(keel_sweep_case *c, const double *values, char *message, size_t room,
                  const sweep_cases *cases, bool again)
{
    open_case *own = c->own;
    row_settings_fill(&own->settings, cases->plan, values, !again);
    refuse_into(message, room);
    int code;
    if (again) code = target_change(&own->target, "sweep", &own->settings.settings);
    else {
        const plain_numbers now = plain_numbers_begin();
        code = target_open_again(&own->target, "sweep", cases->name, &own->settings.settings, cases->first);
        plain_numbers_end(now);
    }
    if (code == EXIT_DONE && cases->nominal && own->target.size != cases->first->size)
        code = refuse(EXIT_FAILED, "sweep", "bad-argument",
                      "%d unknowns where the first row has %d, whose nominal values scale absolute tolerances; "
                      "give --atol", own->target.size, cases->first->size);
    refuse_into(NULL, 0);
    if (code != EXIT_DONE) return KEEL_BAD_ARGUMENT;
    describe(c, own);
    return KEEL_OK;
}

static int open_row(keel_sweep_case *c, const double *values, char *message, size_t room, void *context)
{
    const sweep_cases *cases = context;
    open_case *own = c->own = calloc(1, sizeof *own);
    if (!own || !row_settings_make(&own->settings, cases->plan)) return KEEL_NO_MEMORY;
    return in_row(c, values, message, room, cases, false);
}

static int change_row(keel_sweep_case *c, const double *values, char *message, size_t room, void *context)
{
    return in_row(c, values, message, room, context, true);
}

static void close_row(keel_sweep_case *c, void *context)
{
    open_case *own = c->own;
    (void)context;
    if (!own) return;
    target_free(&own->target);
    row_settings_free(&own->settings);
    free(own);
}

static int prepare_row(keel_solver *solver, const keel_sweep_case *c, void *context)
{
    (void)context;
    return target_prepare(&((const open_case *)c->own)->target, solver);
}

/* Variables of a model, else the unknowns; a row whose problem has others leaves them empty. */
static int output_row(keel_solver *solver, const keel_sweep_case *c, double *values, void *context)
{
    const sweep_cases *cases = context;
    const target *t = &((const open_case *)c->own)->target;
    const int count = cases->first->shown_count;
    if (t->shown_count != count) {
        for (int i = 0; i < count; i++) values[i] = NAN;
        return KEEL_OK;
    }
    if (t->modelled.model) {
        char ignored[8];                         /* the row has the status, and the value shows which */
        return modelled_row(&t->modelled, keel_time(solver), keel_state(solver), keel_solver_frame(solver),
                            values, ignored, sizeof ignored);
    }
    memcpy(values, keel_state(solver), (size_t)count * sizeof *values);
    return KEEL_OK;
}

static bool can_change(const sweep_cases *cases)
{
    const sweep_plan *plan = cases->plan;
    for (int i = 0; i < plan->columns; i++) {
        const sweep_column *c = &plan->column[i];
        if (!c->is_start && !target_can_change(cases->first, &plan->base->parameters.each[c->place]))
            return false;
    }
    return !cases->first->modelled.model;
}

keel_sweep_spec sweep_cases_spec(sweep_cases *cases)
{
    const target *first = cases->first;
    const bool has_frame = first->modelled.model || keel_problem_frame(first->original);
    const bool same = can_change(cases);         /* then rows have the same unknowns, and these are shown */
    return (keel_sweep_spec){
        .parameters = cases->plan->columns, .rows = cases->plan->rows, .values = cases->plan->values,
        .open = open_row, .close = close_row, .change = same ? change_row : NULL,
        .prepare = has_frame ? prepare_row : NULL, .output = same ? NULL : output_row,
        .outputs = first->shown_count, .context = cases};
}

/* Does it fail whatever the row is?  A file that cannot be compiled or loaded. */
static bool is_unloaded(const target *t) { return t->bundled == &t->own.target && !t->own.library; }

int sweep_first(const sweep_plan *plan, const char *name, row_settings *settings, target *first)
{
    enum { TRIALS = 8 };
    const long trials = plan->rows < TRIALS ? plan->rows : TRIALS;
    char unsaid[2000];
    int code = EXIT_FAILED;
    if (!row_settings_make(settings, plan)) return refuse_status("sweep", KEEL_NO_MEMORY, "no memory");
    for (long k = 0; k <= trials; k++) {         /* the last time it is the first one again, to say why */
        const long row = k == 0 || k == trials ? 0 : (plan->rows - 1) * k / (trials - 1);
        target_free(first);
        row_settings_fill(settings, plan, plan->values + (size_t)row * (size_t)plan->columns, true);
        if (k < trials) refuse_into(unsaid, sizeof unsaid);
        code = target_open(first, "sweep", name, &settings->settings);
        refuse_into(NULL, 0);
        if (code == EXIT_DONE) {
            if (k < trials) modelled_remark(&first->modelled);
            return code;
        }
        if (is_unloaded(first)) return refuse(code, "sweep", "cannot-load", "%s", unsaid);
    }
    return code;
}
