/* calls.c -- functions that expressions call, and their derivatives: see calls.h.
 *
 *   f'(x) dx = (8 (f(x + h dx) - f(x - h dx)) - (f(x + 2h dx) - f(x - 2h dx))) / (12 h) + O(h^4)
 *
 * h = eps^(1/5) max|x| / max|dx| balances the error of fourth order with that of rounding.
 */
#include "model/calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int calls_open(calls *c, const flat_model *model)
{
    *c = (calls){.functions = model->functions, .outputs = model->calls,
                 .function_room = model->functions + 8, .output_room = model->calls + 8};
    c->function = calloc((size_t)c->function_room, sizeof *c->function);
    c->called = calloc((size_t)c->output_room, sizeof *c->called);
    if (!c->function || !c->called) return -1;
    for (int i = 0; i < model->functions; i++) {
        const flat_function *f = &model->function[i];
        c->function[i] = (call_function){f->name, f->inputs, f->outputs, f->evaluate, f->self,
                                         f->derivative, -1};
    }
    for (int i = 0; i < model->calls; i++) c->called[i] = model->called[i];
    return 0;
}

void calls_free(calls *c)
{
    for (int i = 0; i < c->names; i++) free(c->name[i]);
    free(c->name);
    free(c->function);
    free(c->called);
    *c = (calls){0};
}

static char *derivative_name(calls *c, const char *of)
{
    char **more = realloc(c->name, ((size_t)c->names + 1) * sizeof *more);
    if (!more) return NULL;
    c->name = more;
    const size_t size = strlen(of) + 6;
    char *name = malloc(size);
    if (name) snprintf(name, size, "der_%s", of);
    if (name) c->name[c->names++] = name;
    return name;
}

static int make_function(calls *c, int of)
{
    if (c->functions == c->function_room) {
        call_function *more = realloc(c->function, 2 * (size_t)c->function_room * sizeof *more);
        if (!more) return -1;
        c->function = more;
        c->function_room *= 2;
    }
    char *name = derivative_name(c, c->function[of].name);
    if (!name) return -1;
    c->function[c->functions] = (call_function){
        .name = name, .inputs = 2 * c->function[of].inputs, .outputs = c->function[of].outputs,
        .derivative = -1, .of = of};
    return c->functions++;
}

int calls_derivative(calls *c, int called)
{
    const flat_output was = c->called[called];
    int derivative = c->function[was.function].derivative;
    if (derivative < 0) {
        derivative = make_function(c, was.function);
        if (derivative < 0) return -1;
        c->function[was.function].derivative = derivative;
    }
    for (int i = 0; i < c->outputs; i++)
        if (c->called[i].function == derivative && c->called[i].output == was.output) return i;
    if (c->outputs == c->output_room) {
        flat_output *more = realloc(c->called, 2 * (size_t)c->output_room * sizeof *more);
        if (!more) return -1;
        c->called = more;
        c->output_room *= 2;
    }
    c->called[c->outputs] = (flat_output){derivative, was.output};
    return c->outputs++;
}

void calls_largest(const calls *c, int *inputs, int *outputs)
{
    *inputs = *outputs = 0;
    for (int i = 0; i < c->functions; i++) {
        if (c->function[i].inputs > *inputs) *inputs = c->function[i].inputs;
        if (c->function[i].outputs > *outputs) *outputs = c->function[i].outputs;
    }
}

static int difference(const calls *c, const call_function *f, const double *in, double *out,
                      double *work)
{
    static const double place[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    const int inputs = f->inputs / 2;
    const double *direction = in + inputs;
    double size = 1e-3, length = 0, *x = work, *value = work + inputs;
    for (int i = 0; i < inputs; i++) {
        size = fmax(size, direction[i] != 0 ? fabs(in[i]) : 0);
        length = fmax(length, fabs(direction[i]));
    }
    for (int k = 0; k < f->outputs; k++) out[k] = 0;
    if (length == 0) return 0;
    const double h = 7.4e-4 * size / length;
    for (int p = 0; p < 4; p++) {
        for (int i = 0; i < inputs; i++) x[i] = in[i] + place[p] * h * direction[i];
        const int code = calls_evaluate(c, f->of, x, value, value + f->outputs);
        if (code) return code;
        for (int k = 0; k < f->outputs; k++) out[k] += weight[p] * value[k] / (12 * h);
    }
    return 0;
}

int calls_evaluate(const calls *c, int function, const double *in, double *out, double *work)
{
    const call_function *f = &c->function[function];
    return f->evaluate ? f->evaluate(f->self, in, out) : difference(c, f, in, out, work);
}
