/* graph.c -- walks over the expressions of a pool: see graph.h. */
#include "model/graph.h"

#include <stdlib.h>
#include <string.h>

int expr_children(const pool *p, expr e, expr child[2])
{
    const expr_node *n = pool_at(p, e);
    if (n->op == EXPR_CALL) return child[0] = n->a, n->a != 0;
    const int count = expr_operands((expr_op)n->op);
    child[0] = n->a;
    if (count < 2) return count;
    child[1] = n->b;
    return n->b ? 2 : 1;                         /* the last of the arguments has no next one */
}

void walk_free(walk *w)
{
    free(w->stamp);
    free(w->list);
    free(w->stack);
    free(w->number);
    *w = (walk){.opaque = w->opaque};
}

static int grow(void **block, int *room, int count, size_t size)
{
    if (count < *room) return 0;
    const int more = *room ? 2 * *room : 256;
    void *moved = realloc(*block, (size_t)more * size);
    if (!moved) return -1;
    *block = moved;
    *room = more;
    return 0;
}

void walk_begin(walk *w, const pool *p)
{
    w->count = 0;
    if (w->stamps < p->count) {
        const uint32_t room = p->room;
        uint32_t *more = realloc(w->stamp, (size_t)room * sizeof *more);
        if (!more) {
            w->no_memory = 1;
            return;
        }
        memset(more + w->stamps, 0, (size_t)(room - w->stamps) * sizeof *more);
        w->stamp = more;
        w->stamps = room;
    }
    if (++w->now == 0) {
        memset(w->stamp, 0, (size_t)w->stamps * sizeof *w->stamp);
        w->now = 1;
    }
}

/* A node stays on the stack until its operands are listed; the high bit says that they are. */
void walk_add(walk *w, const pool *p, expr e)
{
    const expr ready = UINT32_C(1) << 31;
    int depth = 0;
    if (w->no_memory || !e || e >= w->stamps) return;
    if (w->stamp[e] == w->now) return;
    if (grow((void **)&w->stack, &w->stack_room, depth, sizeof *w->stack)) goto lack;
    w->stack[depth++] = e;
    while (depth > 0) {
        const expr top = w->stack[--depth], node = top & ~ready;
        if (top & ready) {
            if (grow((void **)&w->list, &w->room, w->count, sizeof *w->list)) goto lack;
            w->list[w->count++] = node;
            continue;
        }
        if (w->stamp[node] == w->now) continue;
        w->stamp[node] = w->now;
        expr child[2];
        const int children = w->opaque && w->opaque(p, node) ? 0 : expr_children(p, node, child);
        if (grow((void **)&w->stack, &w->stack_room, depth + 3, sizeof *w->stack)) goto lack;
        w->stack[depth++] = node | ready;
        for (int i = children - 1; i >= 0; i--)
            if (w->stamp[child[i]] != w->now) w->stack[depth++] = child[i];
    }
    return;
lack:
    w->no_memory = 1;
}

int walk_any(walk *w, const pool *p, expr e, expr_test *wanted, void *context)
{
    walk_begin(w, p);
    walk_add(w, p, e);
    for (int i = 0; i < w->count; i++)
        if (wanted(p, w->list[i], context)) return 1;
    return 0;
}

expr expr_with(pool *p, expr e, expr a, expr b)
{
    const expr_node n = *pool_at(p, e);
    if (n.op == EXPR_CALL) return pool_node(p, EXPR_CALL, a, n.b);
    const int operands = expr_operands((expr_op)n.op);
    if (operands == 0) return e;
    if (n.op == EXPR_BRANCHES || n.op == EXPR_ARGUMENT) return pool_node(p, (expr_op)n.op, a, b);
    if (n.op == EXPR_IF) return pool_if(p, a, pool_at(p, b)->a, pool_at(p, b)->b);
    switch ((expr_op)n.op) {
    case EXPR_NEGATE: return make_negate(p, a);
    case EXPR_ADD: return make_add(p, a, b);
    case EXPR_SUBTRACT: return make_subtract(p, a, b);
    case EXPR_MULTIPLY: return make_multiply(p, a, b);
    case EXPR_DIVIDE: return make_divide(p, a, b);
    default: break;
    }
    return operands == 1 ? pool_one(p, (expr_op)n.op, a) : pool_two(p, (expr_op)n.op, a, b);
}

static int make_room(rewrite *r, const pool *p)
{
    if (r->room >= p->count) return 0;
    const uint32_t room = p->room;
    expr *more = realloc(r->memo, (size_t)room * sizeof *more);
    if (!more) return -1;
    memset(more + r->room, 0, (size_t)(room - r->room) * sizeof *more);
    r->memo = more;
    r->room = room;
    return 0;
}

expr rewrite_expr(rewrite *r, pool *p, expr e)
{
    if (make_room(r, p)) return p->full = 1, 0;
    if (!e || r->memo[e]) return e ? r->memo[e] : 0;
    walk_begin(&r->walk, p);
    walk_add(&r->walk, p, e);
    for (int i = 0; i < r->walk.count && !r->walk.no_memory; i++) {
        const expr node = r->walk.list[i];
        if (r->memo[node]) continue;
        expr child[2] = {0}, value = r->leaf(p, node, r->context);
        if (!value && r->walk.opaque && r->walk.opaque(p, node)) value = node;
        if (!value) {
            const int children = expr_children(p, node, child);
            value = children == 0 ? node
                                  : expr_with(p, node, r->memo[child[0]],
                                              children > 1 ? r->memo[child[1]] : 0);
        }
        if (!value) return 0;
        if (make_room(r, p)) return p->full = 1, 0;
        r->memo[node] = value;
    }
    if (r->walk.no_memory) return p->full = 1, 0;
    return r->memo[e];
}

void rewrite_free(rewrite *r)
{
    walk_free(&r->walk);
    free(r->memo);
    r->memo = NULL;
    r->room = 0;
}

expr make_negate(pool *p, expr a)
{
    if (pool_op(p, a) == EXPR_SUBTRACT) {
        const expr_node n = *pool_at(p, a);
        return pool_two(p, EXPR_SUBTRACT, n.b, n.a);
    }
    return pool_one(p, EXPR_NEGATE, a);
}

static expr negated(const pool *p, expr a)
{
    return pool_op(p, a) == EXPR_NEGATE ? pool_at(p, a)->a : 0;
}

expr make_add(pool *p, expr a, expr b)
{
    if (negated(p, b)) return make_subtract(p, a, negated(p, b));
    if (negated(p, a)) return make_subtract(p, b, negated(p, a));
    return pool_two(p, EXPR_ADD, a, b);
}

expr make_subtract(pool *p, expr a, expr b)
{
    if (a == b && a) return pool_constant(p, 0);
    if (negated(p, b)) return make_add(p, a, negated(p, b));
    return pool_two(p, EXPR_SUBTRACT, a, b);
}

expr make_multiply(pool *p, expr a, expr b)
{
    if (pool_is(p, a, -1)) return make_negate(p, b);
    if (pool_is(p, b, -1)) return make_negate(p, a);
    if (negated(p, a)) return pool_one(p, EXPR_NEGATE, make_multiply(p, negated(p, a), b));
    if (negated(p, b)) return pool_one(p, EXPR_NEGATE, make_multiply(p, a, negated(p, b)));
    return pool_two(p, EXPR_MULTIPLY, a, b);
}

expr make_divide(pool *p, expr a, expr b)
{
    if (negated(p, a)) return pool_one(p, EXPR_NEGATE, make_divide(p, negated(p, a), b));
    return pool_two(p, EXPR_DIVIDE, a, b);
}
