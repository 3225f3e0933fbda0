/* loops.c -- for i in range, j in range: of equations, statements, comprehensions. */
#include "model/reader.h"

/* An enumeration or Boolean as range means all its values. */
static int type_range(const context *c, const ast_iterator *it, value *v)
{
    reader *r = c->r;
    const ast_expr *e = it->range;
    if (e->kind != AST_NAME || (c->self && e->name.parts == 1 && instance_find(r, c->self, e->name.part[0].name)))
        return 0;
    const ast_class *t = scope_class(r, c->lexical, &e->name, e->name.parts);
    t = t ? scope_target(r, t) : NULL;
    if (!t || (!t->is_enumeration && t->basic != VALUE_BOOLEAN)) return 0;
    int count = t->basic ? 2 : t->literals, *dim = TAKE(&r->scratch, int, 1);
    expr *all = TAKE(&r->scratch, expr, count);
    for (int i = 0; i < count; i++) all[i] = pool_constant(r->p, t->basic ? i : i + 1);
    dim[0] = count;
    *v = value_array((value_type){.kind = t->basic ? VALUE_BOOLEAN : VALUE_ENUMERATION, .enumeration = t},
                     1, dim, all, count);
    return 1;
}

int scalar_each(const context *c, const ast_iterator *it, int iterators,
                int (*act)(const context *c, void *data), void *data, int *sizes)
{
    value range;
    if (!iterators) return act(c, data);
    if (!it->range) {
        complain(c, it->where, "say over which range `%s` runs: `for %s in 1:n`", it->name, it->name);
        return -1;
    }
    if (!type_range(c, it, &range)) range = scalar_value(c, it->range);
    if (value_failed(&range)) return -1;
    if (range.rank != 1) {
        complain(c, it->range->where, "a loop runs over a vector, not over %s",
                 value_shape_words(&c->r->scratch, range.rank, range.dim));
        return -1;
    }
    if (sizes) *sizes = range.dim[0];
    for (int i = 0; i < range.dim[0]; i++) {
        loop l = {it->name, value_index(&range, i), c->loops};
        context inside = *c;
        inside.loops = &l;
        int stop = scalar_each(&inside, it + 1, iterators - 1, act, data, sizes ? sizes + 1 : NULL);
        if (stop) return stop;
    }
    return 0;
}
