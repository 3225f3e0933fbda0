/* expr_value.c -- the value of one expression: see expr_value.h. */
#include "model/expr_value.h"

#include <math.h>
#include <stdlib.h>

static int place_of(const expr *sorted, const walk *w, expr e)
{
    int low = 0, high = w->count - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < e) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int ascending(const void *a, const void *b)
{
    const expr x = *(const expr *)a, y = *(const expr *)b;
    return (x > y) - (x < y);
}

static double call_value(const pool *p, const calls *c, const walk *w, const double *v,
                         const expr_node *n)
{
    int inputs, outputs;
    calls_largest(c, &inputs, &outputs);
    double *work = malloc((3 * (size_t)inputs + 6 * (size_t)outputs + 4) * sizeof *work);
    if (!work) return NAN;
    const flat_output called = c->called[n->b];
    int k = 0;
    for (expr at = n->a; at && k < inputs; at = pool_at(p, at)->b)
        work[k++] = v[place_of(w->list, w, pool_at(p, at)->a)];
    double *out = work + inputs;
    const int code = calls_evaluate(c, called.function, work, out, out + outputs);
    const double value = code ? NAN : out[called.output];
    free(work);
    return value;
}

static int node_value(const pool *p, const calls *c, const walk *w, double *v, int i,
                      leaf_value_rule *leaf, void *context)
{
    const expr_node *n = pool_at(p, w->list[i]);
    const int operands = expr_operands((expr_op)n->op);
    v[i] = NAN;
    if (n->op == EXPR_CONSTANT) v[i] = n->value;
    else if (n->op == EXPR_CALL) v[i] = call_value(p, c, w, v, n);
    else if (n->op == EXPR_ARGUMENT || n->op == EXPR_BRANCHES) return 0;
    else if (n->op == EXPR_IF) {
        const expr_node *branches = pool_at(p, n->b);
        v[i] = v[place_of(w->list, w, n->a)] != 0 ? v[place_of(w->list, w, branches->a)]
                                                  : v[place_of(w->list, w, branches->b)];
    } else if (operands == 0 || n->op == EXPR_SAMPLE || n->op == EXPR_DER || n->op == EXPR_EDGE)
        return leaf(context, n, &v[i]);
    else {
        const double a = v[place_of(w->list, w, n->a)];
        v[i] = expr_fold((expr_op)n->op, a, operands == 2 ? v[place_of(w->list, w, n->b)] : 0);
    }
    return 0;
}

int expr_value(walk *w, const pool *p, const calls *c, expr e, leaf_value_rule *leaf, void *context,
               double *value)
{
    int code = 0;
    *value = NAN;
    if (pool_op(p, e) == EXPR_CONSTANT) return *value = pool_at(p, e)->value, 0;
    walk_begin(w, p);
    walk_add(w, p, e);
    if (w->count > 1) qsort(w->list, (size_t)w->count, sizeof *w->list, ascending);
    double *v = malloc(((size_t)w->count + 1) * sizeof *v);
    if (!v || w->no_memory) code = -1;
    for (int i = 0; i < w->count && !code; i++) code = node_value(p, c, w, v, i, leaf, context);
    if (!code && w->count > 0) *value = v[place_of(w->list, w, e)];
    free(v);
    return code;
}
