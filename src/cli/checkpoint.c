/* checkpoint.c -- checkpoints of `keel run`: the solver's, with a note of what the command keeps.
 *
 * The note has the length of its lines, the lines, and what note->pass passes.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/checkpoint.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/number.h"
#include "report/number.h"

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

checkpoints checkpoints_begin(const char *path, double every)
{
    return (checkpoints){.path = path, .every = every, .next = wall_clock() + every};
}

bool checkpoints_due(const checkpoints *c)
{
    return c->path && (c->every == 0 || wall_clock() >= c->next);
}

/* ---- what a run is of ---------------------------------------------------------------------- */

typedef struct text { char *at; size_t used, room; } text;

__attribute__((format(printf, 2, 3)))
static void line(text *x, const char *format, ...)
{
    char one[300];
    va_list values;
    va_start(values, format);
    number_print_list(one, sizeof one, format, values);
    va_end(values);
    const size_t length = strlen(one);
    if (!x->at) return;
    if (x->used + length + 2 > x->room) {
        x->room = 2 * x->room + length + 2;
        char *grown = realloc(x->at, x->room);
        if (!grown) free(x->at);
        x->at = grown;
        if (!grown) return;
    }
    memcpy(x->at + x->used, one, length);
    memcpy(x->at + x->used + length, "\n", 2);
    x->used += length + 1;
}

/* The discrete state that the run began with. */
static void frame_lines(text *x, const target *t)
{
    const keel_problem *p = t->original;
    const keel_frame *f = keel_problem_frame(p);
    const framed *given = &t->frame;
    char number[NUMBER_LENGTH];
    for (int k = 0; f && k < f->parameter_count; k++)
        line(x, "param %.60s=%s", keel_parameter_name(p, k),
             number_format(number, (given->parameters ? given->parameters : f->parameters)[k]));
    for (int k = 0; f && k < f->mode_count; k++)
        line(x, "mode %.60s=%d", keel_mode_name(p, k), (given->modes ? given->modes : f->modes)[k]);
    for (int k = 0; f && k < f->value_count; k++)
        line(x, "value %.60s=%s", keel_value_name(p, k),
             number_format(number, (given->values ? given->values : f->values)[k]));
}

char *checkpoint_lines(const target *t, const recording *keep)
{
    text x = {.at = malloc(1000), .room = 1000};
    char number[NUMBER_LENGTH];
    line(&x, "target %.60s", t->bundled->name);
    line(&x, "formulation %.60s", t->formulation);
    for (int k = 0; k < t->bundled->parameter_count; k++)
        line(&x, "param %.60s=%s", t->bundled->parameters[k].name,
             number_format(number, t->parameters[k]));
    frame_lines(&x, t);
    line(&x, "t-start %s", number_format(number, t->t_start));
    line(&x, "t-end %s", number_format(number, t->t_end));
    for (int i = 0; i < t->size; i++)
        line(&x, "start %.60s=%s%s", t->names[i], number_format(number, t->y[i]),
             t->marks && t->marks[i] == KEEL_FIXED ? ", fixed" : "");
    line(&x, "output %s", keep->points ? "yes" : "no");
    line(&x, "points %ld", keep->count);
    line(&x, "interval %s", number_format(number, keep->spacing));
    for (int k = 0; k < keep->curve_count; k++)
        line(&x, "plot-variables %.60s%s", t->shown[keep->curves[k]],
             keep->curves_projected ? ", chosen" : "");
    line(&x, "log-time %s", keep->log_time ? "yes" : "no");
    line(&x, "plot %s", keep->residuals ? "yes" : "no");
    line(&x, "sketch %s", keep->frames ? "yes" : "no");
    return x.at;
}

/* The first line in which both differ. */
static int compare(const char *path, const char *there, size_t size, const char *here,
                   char *message, size_t room)
{
    size_t from = 0;
    if (strlen(here) == size && memcmp(here, there, size) == 0) return KEEL_OK;
    for (size_t k = 0; k < size && here[k] && here[k] == there[k]; k++)
        if (here[k] == '\n') from = k + 1;
    const int own = (int)strcspn(here + from, "\n");
    const char *end = memchr(there + from, '\n', size - from);
    const int other = end ? (int)(end - there - (ptrdiff_t)from) : (int)(size - from);
    snprintf(message, room, "%s is of another run: it has `%.*s`, this one `%.*s`", path, other,
             there + from, own, here + from);
    return KEEL_BAD_FILE;
}

/* ---- out and in ---------------------------------------------------------------------------- */

void series_tape(tape *t, series *s)
{
    int64_t rows = s->rows;
    TAPE(t, rows);
    if (t->loading && !t->status) {
        series_free(s);
        for (int64_t k = 0; k < rows && !t->status; k++)
            if (!series_append(s)) t->status = KEEL_NO_MEMORY;
    }
    tape_pass(t, s->values, (size_t)s->rows * (size_t)s->columns * sizeof *s->values);
}

static void pass_note(tape *t, const run_note *note)
{
    uint64_t length = strlen(note->lines);
    TAPE(t, length);
    tape_pass(t, (void *)note->lines, (size_t)length);   /* read only: the tape is not loading */
    note->pass(t, note->kept);
}

int checkpoint_save(checkpoints *c, keel_solver *solver, const run_note *note, char *message,
                    size_t size)
{
    tape measured = {0}, out = {0};
    pass_note(&measured, note);
    out.bytes = malloc(measured.at);
    int status = out.bytes ? KEEL_OK : KEEL_NO_MEMORY;
    if (!status) {
        pass_note(&out, note);
        status = keel_solver_save_noted(solver, c->path, out.bytes, out.at);
    }
    snprintf(message, size, "%s", out.bytes ? keel_message(solver) : "no memory for a checkpoint");
    free(out.bytes);
    c->next = wall_clock() + c->every;
    return status;
}

int checkpoint_load(const char *path, keel_solver *solver, const run_note *note, char *message,
                    size_t size)
{
    uint64_t length = 0;
    int status = keel_solver_load(solver, path);
    snprintf(message, size, "%s", keel_message(solver));
    if (status) return status;
    tape in = {.loading = 1};
    in.bytes = (char *)keel_solver_note(solver, &in.size);       /* read only */
    TAPE(&in, length);
    if (in.status || length > in.size - in.at) {
        snprintf(message, size, "%s was not written by `keel run`", path);
        return KEEL_BAD_FILE;
    }
    status = compare(path, in.bytes + in.at, (size_t)length, note->lines, message, size);
    if (status) return status;
    in.at += (size_t)length;
    note->pass(&in, note->kept);
    if (in.status == KEEL_OK && in.at == in.size) return KEEL_OK;
    snprintf(message, size, in.status == KEEL_NO_MEMORY ? "no memory for what %s has recorded"
             : "%s was written by another version of `keel run`", path);
    return in.status == KEEL_NO_MEMORY ? KEEL_NO_MEMORY : KEEL_BAD_FILE;
}
