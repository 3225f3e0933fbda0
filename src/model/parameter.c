/* parameter.c -- values of constants and parameters, and of expressions of them. */
#include "model/system.h"

#include <math.h>
#include <stdlib.h>

#include "keel/status.h"
#include "model/expr_value.h"

static int leaf_value(void *context, const expr_node *n, double *value)
{
    const model_system *s = context;
    if (n->op != EXPR_VARIABLE || n->b > 0 || n->a >= (uint32_t)s->variables
        || s->kind[n->a] != KIND_KNOWN) return -1;
    *value = s->value[n->a];
    return 0;
}

double parameter_value(model_system *s, expr e)
{
    double value = NAN;
    expr_value_begin(&s->value_walk, &s->flat->pool);
    if (e) expr_value(&s->value_walk, &s->flat->pool, &s->calls, e, leaf_value, s, &value);
    return value;
}

enum { NOT_YET, UNDER_WAY, DONE };

typedef struct order {
    unsigned char *state;
    uint32_t *stack;
    int depth;
    walk walk;
} order;

/* Variables that the value of v needs and that have none yet are put on the stack. */
static int push_needed(model_system *s, order *o, uint32_t v, expr e)
{
    int pushed = 0;
    walk_begin(&o->walk, &s->flat->pool);
    walk_add(&o->walk, &s->flat->pool, e);
    for (int i = 0; i < o->walk.count; i++) {
        const expr_node *n = pool_at(&s->flat->pool, o->walk.list[i]);
        if (n->op != EXPR_VARIABLE || n->a >= (uint32_t)s->variables) continue;
        const flat_variable *needed = &s->flat->variable[n->a];
        if (s->kind[n->a] != KIND_KNOWN) continue;
        if (o->state[n->a] == UNDER_WAY) {
            source_say(s->source, SEVERITY_ERROR, s->flat->variable[v].where,
                       "the value of %s depends on itself, by way of %s",
                       s->flat->variable[v].name, needed->name);
            return -1;
        }
        if (o->state[n->a] == NOT_YET && o->depth < s->variables) {
            o->stack[o->depth++] = n->a;
            pushed = 1;
        }
    }
    return pushed;
}

static expr defining(const flat_variable *v) { return v->binding ? v->binding : v->start; }

static int evaluate(model_system *s, uint32_t index)
{
    const flat_variable *v = &s->flat->variable[index];
    const expr e = defining(v);
    s->value[index] = e ? parameter_value(s, e) : v->type == FLAT_ENUMERATION ? 1 : 0;
    if (!v->binding && v->variability <= FLAT_PARAMETER)
        source_say(s->source, SEVERITY_WARNING, v->where,
                   "%s has no value; its start value %g is taken", v->name, s->value[index]);
    if (isfinite(s->value[index]) || (e && pool_op(&s->flat->pool, e) == EXPR_CONSTANT)) return 0;
    source_say(s->source, SEVERITY_ERROR, v->where, "the value of %s cannot be computed: it is %s",
               v->name, isnan(s->value[index]) ? "not a number" : "infinite");
    return -1;
}

/* min <= value <= max, where they are given. */
static int within_bounds(model_system *s, int v)
{
    const flat_variable *f = &s->flat->variable[v];
    const double x = s->value[v], least = f->min ? parameter_value(s, f->min) : NAN,
                 most = f->max ? parameter_value(s, f->max) : NAN;
    if (!(x < least) && !(x > most)) return 1;
    source_say(s->source, SEVERITY_ERROR, f->where, "%s = %g is %s than its %s = %g", f->name, x,
               x < least ? "less" : "more", x < least ? "min" : "max", x < least ? least : most);
    return 0;
}

int parameters_evaluate(model_system *s)
{
    order o = {.state = calloc((size_t)s->variables + 1, 1),
               .stack = malloc(((size_t)s->variables + 1) * sizeof *o.stack)};
    int code = o.state && o.stack ? KEEL_OK : KEEL_NO_MEMORY;
    for (int v = 0; v < s->variables; v++) {
        const flat_variable *f = &s->flat->variable[v];
        if (f->variability <= FLAT_PARAMETER)
            s->kind[v] = f->fixed == 0 && f->variability == FLAT_PARAMETER && !f->binding
                       ? KIND_CONSTANT : KIND_KNOWN;
        else s->kind[v] = f->variability == FLAT_DISCRETE ? KIND_DISCRETE : KIND_UNKNOWN;
    }
    for (int v = 0; v < s->variables && code != KEEL_NO_MEMORY; v++) {
        if (s->kind[v] != KIND_KNOWN || o.state[v] == DONE) continue;
        o.stack[o.depth++] = (uint32_t)v;
        while (o.depth > 0) {
            const uint32_t top = o.stack[o.depth - 1];
            const expr e = defining(&s->flat->variable[top]);
            if (o.state[top] == DONE) {
                o.depth--;
                continue;
            }
            o.state[top] = UNDER_WAY;
            const int needed = e ? push_needed(s, &o, top, e) : 0;
            if (needed > 0) continue;
            if (needed < 0 || evaluate(s, top)) code = KEEL_BAD_ARGUMENT;
            o.state[top] = DONE;
            o.depth--;
        }
    }
    for (int v = 0; v < s->variables && code == KEEL_OK; v++)
        if (s->kind[v] == KIND_KNOWN && !within_bounds(s, v)) code = KEEL_BAD_ARGUMENT;
    walk_free(&o.walk);
    free(o.state);
    free(o.stack);
    return pool_full(&s->flat->pool) ? KEEL_NO_MEMORY : code;
}
