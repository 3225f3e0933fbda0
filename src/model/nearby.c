/* nearby.c -- values of expressions near the start: see nearby.h. */
#include "model/nearby.h"

#include <math.h>

#include "model/discrete.h"
#include "model/expr_value.h"

nearby nearby_point(model_system *s, int number)
{
    expr_value_begin(&s->near_walk, &s->flat->pool);
    return (nearby){s, number, 0, &s->near_walk};
}

/* In [-1, 1], the same for the same things in every run. */
static double scatter(uint32_t a, uint32_t b, int number)
{
    uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)number;
    h ^= h >> 29;
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    h ^= h >> 32;
    return (double)(h & 0xFFFFFF) / (double)0x800000 - 1;
}

static int near_leaf(void *context, const expr_node *n, double *value);

double nearby_value(nearby *at, expr e)
{
    double value = NAN;
    if (e) expr_value(at->walk, &at->s->flat->pool, &at->s->calls, e, near_leaf, at, &value);
    return value;
}

static double signal_near(nearby *at, uint32_t variable)
{
    const int k = (int)variable - at->s->variables;
    const discrete *d = at->s->discrete;
    if (!d || k >= d->signals || at->depth > 20) return 0;
    const event_signal *g = &d->signal[k];
    walk own = {0};
    nearby inner = {at->s, at->number, at->depth + 1, &own};
    expr_value_begin(&own, &at->s->flat->pool);
    double value = 0;
    if (g->kind == SIGNAL_RELATION) value = nearby_value(&inner, g->a) < nearby_value(&inner, g->b);
    if (g->kind == SIGNAL_FLOOR) value = floor(nearby_value(&inner, g->a));
    walk_free(&own);
    return value;
}

static int near_leaf(void *context, const expr_node *n, double *value)
{
    nearby *at = context;
    model_system *s = at->s;
    *value = 0;
    if (n->op == EXPR_TIME)
        *value = at->number == NEARBY_LATER ? 1e-3 : at->number ? 0.3 * (1.1 + scatter(7, 7, at->number)) : 0;
    if (n->op != EXPR_VARIABLE && n->op != EXPR_PRE) return 0;
    if (n->a >= (uint32_t)s->variables) return *value = signal_near(at, n->a), 0;
    if (s->kind[n->a] == KIND_KNOWN) return *value = n->b && n->op == EXPR_VARIABLE ? 0 : s->value[n->a], 0;
    const flat_variable *f = &s->flat->variable[n->a];
    const int order = n->op == EXPR_VARIABLE ? (int)n->b : 0;
    double start = order == 0 && f->start ? parameter_value(s, f->start) : 0;
    if (!isfinite(start)) start = 0;
    if (s->kind[n->a] == KIND_DISCRETE) return *value = start, 0;
    *value = start;
    if (at->number > 0) *value += (0.2 + 0.3 * fabs(start)) * scatter(n->a, (uint32_t)order, at->number);
    return 0;
}
