/* frame_conditions.c -- conditions and guesses of a target while parameters of its frame change. */
#include "cli/frame_conditions.h"

#include <string.h>

static void *with_parameters(void *context, const double *p)
{
    const frame_conditions *f = context;
    for (int i = 0; i < f->count; i++)
        if (f->which[i] >= 0) f->parameters[f->which[i]] = p[f->spec->parameters + i];
    return f->parameters;
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const frame_conditions *f = context;
    return f->spec->condition(ya, yb, p, b, with_parameters(context, p));
}

static int condition_jacobian(const double *ya, const double *yb, const double *p, double *b_a,
                              double *b_b, double *b_p, void *context)
{
    const frame_conditions *f = context;
    return f->spec->condition_jacobian(ya, yb, p, b_a, b_b, b_p, with_parameters(context, p));
}

static int inner_condition(int i, double t, const double *y, const double *p, double *b,
                           void *context)
{
    const frame_conditions *f = context;
    return f->spec->inner_condition(i, t, y, p, b, with_parameters(context, p));
}

static int guess(double t, double *y, double *p, void *context)
{
    const frame_conditions *f = context;
    return f->spec->guess(t, y, p, f->parameters);
}

keel_boundary_spec frame_conditions_spec(const target *t, frame_conditions *f)
{
    keel_boundary_spec spec = *f->spec;
    spec.problem = t->problem;
    spec.from = t->t_start;
    spec.to = t->t_end;
    if (spec.condition) spec.condition = condition;
    if (spec.condition_jacobian) spec.condition_jacobian = condition_jacobian;
    if (spec.inner_condition) spec.inner_condition = inner_condition;
    if (spec.guess) spec.guess = guess;
    spec.context = f;
    return spec;
}

static bool is(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

int frame_parameter(const target *t, const char *name, size_t length, int *own)
{
    const keel_frame *f = keel_problem_frame(t->problem);
    *own = -1;
    for (int i = 0; i < t->bundled->parameter_count; i++)
        if (is(t->bundled->parameters[i].name, name, length)) *own = i;
    for (int i = 0; f && i < f->parameter_count; i++)
        if (is(keel_parameter_name(t->problem, i), name, length)) return i;
    return -1;
}
