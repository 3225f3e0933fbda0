/* expr_value.c -- values of expressions: see expr_value.h. */
#include "model/expr_value.h"

#include <math.h>
#include <stdlib.h>

static double call_value(const pool *p, const calls *c, const double *v, const expr_node *n)
{
    int inputs, outputs;
    calls_largest(c, &inputs, &outputs);
    double *work = malloc((3 * (size_t)inputs + 6 * (size_t)outputs + 4) * sizeof *work);
    if (!work) return NAN;
    const flat_output called = c->called[n->b];
    int k = 0;
    for (expr at = n->a; at && k < inputs; at = pool_at(p, at)->b)
        work[k++] = v[pool_at(p, at)->a];
    double *out = work + inputs;
    const int code = calls_evaluate(c, called.function, work, out, out + outputs);
    const double value = code ? NAN : out[called.output];
    free(work);
    return value;
}

static int node_value(const pool *p, const calls *c, double *v, expr e, leaf_value_rule *leaf, void *context)
{
    const expr_node *n = pool_at(p, e);
    const int operands = expr_operands((expr_op)n->op);
    v[e] = NAN;
    if (n->op == EXPR_CONSTANT) v[e] = n->value;
    else if (n->op == EXPR_CALL) v[e] = call_value(p, c, v, n);
    else if (n->op == EXPR_ARGUMENT || n->op == EXPR_BRANCHES) return 0;
    else if (n->op == EXPR_IF) {
        const expr_node *branches = pool_at(p, n->b);
        v[e] = v[n->a] != 0 ? v[branches->a] : v[branches->b];
    } else if (operands == 0 || n->op == EXPR_SAMPLE || n->op == EXPR_DER || n->op == EXPR_EDGE)
        return leaf(context, n, &v[e]);
    else v[e] = expr_fold((expr_op)n->op, v[n->a], operands == 2 ? v[n->b] : 0);
    return 0;
}

void expr_value_begin(walk *w, const pool *p)
{
    walk_begin(w, p);
    if (w->no_memory || w->numbers >= w->stamps) return;
    double *more = realloc(w->number, (size_t)w->stamps * sizeof *more);
    if (!more) w->no_memory = 1;
    else w->number = more, w->numbers = w->stamps;
}

int expr_value(walk *w, const pool *p, const calls *c, expr e, leaf_value_rule *leaf, void *context,
               double *value)
{
    int code = 0;
    *value = NAN;
    if (pool_op(p, e) == EXPR_CONSTANT) return *value = pool_at(p, e)->value, 0;
    if (e >= w->stamps) expr_value_begin(w, p);
    const int known = w->count;
    walk_add(w, p, e);
    if (w->no_memory) return -1;
    for (int i = known; i < w->count; i++) code |= node_value(p, c, w->number, w->list[i], leaf, context);
    if (!code) *value = w->number[e];
    return code;
}
