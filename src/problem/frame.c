/* frame.c -- the frame of a problem: parameters, modes and values as runs begin with them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/problem.h"

/* Kinds of entries: parameters, modes, values. */
enum { KINDS = 3 };
static const char *const letter[KINDS] = {"p", "mode", "value"};

typedef struct frame_names { char **text[KINDS]; } frame_names;

static int count_of(const keel_frame *f, int kind)
{
    return kind == 0 ? f->parameter_count : kind == 1 ? f->mode_count : f->value_count;
}

static int copy_names(keel_problem *p, int kind, const char *const *given)
{
    int count = count_of(&p->frame, kind);
    char **text = p->frame_names->text[kind] = calloc((size_t)count + 1, sizeof *text);
    for (int i = 0; i < count && text; i++) {
        char standard[32];
        snprintf(standard, sizeof standard, "%s[%d]", letter[kind], i);
        const char *name = given && given[i] ? given[i] : standard;
        text[i] = malloc(strlen(name) + 1);
        if (!text[i]) return KEEL_NO_MEMORY;
        strcpy(text[i], name);
    }
    return text ? KEEL_OK : KEEL_NO_MEMORY;
}

/* The modes first, then parameters and values, in one block that the frame owns. */
static int copy_values(keel_frame *f, const keel_frame_spec *spec)
{
    size_t reals = (size_t)spec->parameters + (size_t)spec->values;
    double *store = calloc(reals + (size_t)spec->modes + 1, sizeof *store);
    if (!store) return KEEL_NO_MEMORY;
    double *values = store + spec->parameters;
    int *modes = (int *)(void *)(values + spec->values);
    for (int i = 0; spec->parameter_start && i < spec->parameters; i++)
        store[i] = spec->parameter_start[i];
    for (int i = 0; spec->value_start && i < spec->values; i++) values[i] = spec->value_start[i];
    for (int i = 0; spec->mode_start && i < spec->modes; i++) modes[i] = spec->mode_start[i];
    f->parameters = store;
    f->values = f->pre_values = values;
    f->modes = f->pre_modes = modes;
    return KEEL_OK;
}

int frame_create(keel_problem *p, const keel_frame_spec *spec)
{
    enum { MOST = 10000000 };
    if (!spec || (spec->parameters == 0 && spec->modes == 0 && spec->values == 0)) return KEEL_OK;
    if (spec->parameters < 0 || spec->modes < 0 || spec->values < 0 || spec->parameters > MOST ||
        spec->modes > MOST || spec->values > MOST)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "%s: frame: %d parameters, %d modes, %d values "
                    "are out of range", p->ops->name, spec->parameters, spec->modes, spec->values);
    p->frame = (keel_frame){.context = p->context, .parameter_count = spec->parameters,
                            .mode_count = spec->modes, .value_count = spec->values};
    p->frame_names = calloc(1, sizeof *p->frame_names);
    int rc = p->frame_names ? copy_values(&p->frame, spec) : KEEL_NO_MEMORY;
    const char *const *names[KINDS] = {spec->parameter_names, spec->mode_names, spec->value_names};
    for (int kind = 0; kind < KINDS && !rc; kind++) rc = copy_names(p, kind, names[kind]);
    if (!rc) p->context = &p->frame;
    return rc;
}

void frame_free(keel_problem *p)
{
    for (int kind = 0; p->frame_names && kind < KINDS; kind++) {
        char **text = p->frame_names->text[kind];
        for (int i = 0; text && i < count_of(&p->frame, kind); i++) free(text[i]);
        free(text);
    }
    free(p->frame_names);
    free((void *)p->frame.parameters);
}

/* ---- questions ----------------------------------------------------------------------------- */

static const keel_problem *framed(const keel_problem *p)
{
    while (p && p->original && !p->frame_names) p = p->original;
    return p && p->frame_names ? p : NULL;
}

const keel_frame *keel_problem_frame(const keel_problem *p)
{
    p = framed(p);
    return p ? &p->frame : NULL;
}

void *frame_context(const keel_problem *p)
{
    p = framed(p);
    return p ? p->context : NULL;
}

static const char *name_of(const keel_problem *p, int kind, int i)
{
    p = framed(p);
    return p && i >= 0 && i < count_of(&p->frame, kind) ? p->frame_names->text[kind][i] : "";
}

const char *keel_parameter_name(const keel_problem *p, int i) { return name_of(p, 0, i); }
const char *keel_mode_name(const keel_problem *p, int i) { return name_of(p, 1, i); }
const char *keel_value_name(const keel_problem *p, int i) { return name_of(p, 2, i); }
