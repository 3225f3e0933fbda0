/* framed.c -- parameters, modes and values of a problem's frame that the user changed. */
#include "cli/framed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"

typedef const char *entry_name(const keel_problem *problem, int i);

/* What can be set: names and values, those that are not the frame's first. */
typedef struct entries {
    const char **names;
    double *values;
    int own, count;
    bool changed;
} entries;

int assignment_position(const assignment *a, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strncmp(names[i], a->name, (size_t)a->name_length) == 0
            && names[i][a->name_length] == '\0') return i;
    return -1;
}

static int no_memory(const char *verb)
{
    return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
}

/* The frame's values go behind `own` ones, which the caller fills in. */
static int entries_begin(entries *e, const char *verb, const keel_problem *problem, int own,
                         int count, entry_name *name)
{
    const size_t all = (size_t)own + (size_t)count + 1;
    *e = (entries){.names = malloc(all * sizeof *e->names),
                   .values = calloc(all, sizeof *e->values), .own = own, .count = own + count};
    if (!e->names || !e->values) return no_memory(verb);
    for (int i = 0; i < count; i++) e->names[own + i] = name(problem, i);
    return EXIT_DONE;
}

static void entries_end(entries *e)
{
    free(e->names);
    free(e->values);
}

static int entries_assign(entries *e, const char *verb, const char *what, const assignments *list)
{
    for (int k = 0; k < list->count; k++) {
        const assignment *a = &list->each[k];
        const int i = assignment_position(a, e->names, e->count);
        if (i < 0) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", a->name_length, a->name);
            return unknown_name(verb, what, name, e->names, e->count,
                                e->count ? "'keel problems NAME' lists them" : "there are none");
        }
        e->values[i] = a->value;
        e->changed |= i >= e->own;
    }
    return EXIT_DONE;
}

static double *copy_reals(const entries *e)
{
    const size_t size = (size_t)(e->count - e->own) * sizeof *e->values;
    double *copy = malloc(size + 1);
    if (copy) memcpy(copy, e->values + e->own, size);
    return copy;
}

static int set_reals(double **reals, const char *verb, const char *what, entries *e,
                     const double *standard, const assignments *given)
{
    for (int i = e->own; i < e->count; i++) e->values[i] = standard[i - e->own];
    const int code = entries_assign(e, verb, what, given);
    if (code != EXIT_DONE || !e->changed) return code;
    *reals = copy_reals(e);
    return *reals ? EXIT_DONE : no_memory(verb);
}

static int set_modes(int **modes, const char *verb, entries *e, const int *standard,
                     const assignments *given)
{
    for (int i = 0; i < e->count; i++) e->values[i] = standard[i];
    const int code = entries_assign(e, verb, "mode", given);
    if (code != EXIT_DONE || !e->changed) return code;
    *modes = malloc((size_t)e->count * sizeof **modes);
    if (!*modes) return no_memory(verb);
    for (int i = 0; i < e->count; i++) {
        if (e->values[i] != floor(e->values[i]) || fabs(e->values[i]) > 1e9)
            return usage_error(verb, "--mode %s takes a whole number, not %g", e->names[i],
                               e->values[i]);
        (*modes)[i] = (int)e->values[i];
    }
    return EXIT_DONE;
}

int framed_open(framed *f, const char *verb, const keel_problem *problem,
                const keel_parameter *own, int own_count, const assignments *parameters,
                const assignments *modes, const assignments *values)
{
    const keel_frame none = {0}, *frame = keel_problem_frame(problem);
    entries e;
    if (!frame) frame = &none;
    int code = entries_begin(&e, verb, problem, own_count, frame->parameter_count,
                             keel_parameter_name);
    for (int i = 0; code == EXIT_DONE && i < own_count; i++) e.names[i] = own[i].name;
    if (code == EXIT_DONE)
        code = set_reals(&f->parameters, verb, "parameter", &e, frame->parameters, parameters);
    entries_end(&e);
    if (code != EXIT_DONE) return code;

    code = entries_begin(&e, verb, problem, 0, frame->value_count, keel_value_name);
    if (code == EXIT_DONE) code = set_reals(&f->values, verb, "value", &e, frame->values, values);
    entries_end(&e);
    if (code != EXIT_DONE) return code;

    code = entries_begin(&e, verb, problem, 0, frame->mode_count, keel_mode_name);
    if (code == EXIT_DONE) code = set_modes(&f->modes, verb, &e, frame->modes, modes);
    entries_end(&e);
    return code;
}

int framed_apply(const framed *f, keel_solver *solver)
{
    if (!f->parameters && !f->modes && !f->values) return KEEL_OK;
    return keel_set_frame(solver, f->parameters, f->modes, f->values);
}

void framed_free(framed *f)
{
    free(f->parameters);
    free(f->modes);
    free(f->values);
}
