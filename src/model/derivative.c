/* derivative.c -- derivatives of expressions.
 *
 * By time: the chain rule, upward from the leaves; x -> der(x), time -> 1, everything that jumps -> 0.
 * By unknowns: one reverse sweep per expression [Griewank, Walther, Evaluating Derivatives, 2nd ed.,
 * section 3.2], in which the adjoint of a node is itself an expression, shared with all others.
 *
 * Branches of an if-expression are swept by themselves and their gradients chosen between: an adjoint
 * 0 times the derivative of the branch that is not taken might be 0 times infinity.
 */
#include "model/derivative.h"

#include <stdlib.h>
#include <string.h>

void derivation_open(derivation *d, pool *p, calls *c, const unsigned char *varies,
                     uint32_t variables)
{
    *d = (derivation){.pool = p, .calls = c, .varies = varies, .variables = variables};
}

void gradient_free(gradient *g)
{
    free(g->leaf);
    free(g->value);
    *g = (gradient){0};
}

void derivation_free(derivation *d)
{
    walk_free(&d->walk);
    free(d->rate);
    for (int i = 0; i < d->keep_count; i++) gradient_free(&d->kept[i]);
    free(d->kept);
    *d = (derivation){0};
}

static int varies(const derivation *d, const expr_node *n)
{
    return n->op == EXPR_VARIABLE && n->a < d->variables && d->varies[n->a];
}

/* ---- partial derivatives of operations ------------------------------------------------------ */

static expr number(pool *p, double value) { return pool_constant(p, value); }

static expr one_minus_square(pool *p, expr a)
{
    return make_subtract(p, number(p, 1), pool_two(p, EXPR_POWER, a, number(p, 2)));
}

/* d op(a) / da; e is op(a) itself. */
static expr partial_one(pool *p, expr_op op, expr a, expr e)
{
    const expr one = number(p, 1);
    switch (op) {
    case EXPR_NEGATE: return number(p, -1);
    case EXPR_NO_EVENT: return one;
    case EXPR_ABS: return pool_if(p, pool_one(p, EXPR_NO_EVENT, pool_two(p, EXPR_LESS, a, number(p, 0))),
                                  number(p, -1), one);
    case EXPR_SQRT: return make_divide(p, number(p, 0.5), e);
    case EXPR_EXP: return e;
    case EXPR_LOG: return make_divide(p, one, a);
    case EXPR_LOG10: return make_divide(p, number(p, 0.43429448190325182765), a);
    case EXPR_SIN: return pool_one(p, EXPR_COS, a);
    case EXPR_COS: return make_negate(p, pool_one(p, EXPR_SIN, a));
    case EXPR_TAN: return make_add(p, one, pool_two(p, EXPR_POWER, e, number(p, 2)));
    case EXPR_ASIN: return make_divide(p, one, pool_one(p, EXPR_SQRT, one_minus_square(p, a)));
    case EXPR_ACOS: return make_divide(p, number(p, -1), pool_one(p, EXPR_SQRT, one_minus_square(p, a)));
    case EXPR_ATAN: return make_divide(p, one, make_add(p, one, pool_two(p, EXPR_POWER, a, number(p, 2))));
    case EXPR_SINH: return pool_one(p, EXPR_COSH, a);
    case EXPR_COSH: return pool_one(p, EXPR_SINH, a);
    case EXPR_TANH:                              /* 1 - tanh^2 is 0 where tanh rounds to 1 */
        return make_divide(p, one, pool_two(p, EXPR_POWER, pool_one(p, EXPR_COSH, a), number(p, 2)));
    default: return number(p, 0);                /* what jumps: sign, floor, ceil, not, edge */
    }
}

static expr partial_power(pool *p, expr a, expr b, expr e, int which)
{
    if (which == 1) return make_multiply(p, e, pool_one(p, EXPR_LOG, a));
    if (pool_is(p, b, 2)) return make_multiply(p, number(p, 2), a);
    return make_multiply(p, b, pool_two(p, EXPR_POWER, a, make_subtract(p, b, number(p, 1))));
}

static expr smaller(pool *p, expr a, expr b)
{
    return pool_one(p, EXPR_NO_EVENT, pool_two(p, EXPR_LESS, a, b));
}

/* d op(a, b) / d a (which 0) or b (1). */
static expr partial_two(pool *p, expr_op op, expr a, expr b, expr e, int which)
{
    const expr one = number(p, 1), zero = number(p, 0);
    switch (op) {
    case EXPR_ADD: return one;
    case EXPR_SUBTRACT: return which ? number(p, -1) : one;
    case EXPR_MULTIPLY: return which ? a : b;
    case EXPR_DIVIDE: return which ? make_negate(p, make_divide(p, e, b)) : make_divide(p, one, b);
    case EXPR_POWER: return partial_power(p, a, b, e, which);
    case EXPR_ATAN2: {
        const expr two = number(p, 2);
        const expr norm = make_add(p, pool_two(p, EXPR_POWER, a, two), pool_two(p, EXPR_POWER, b, two));
        return which ? make_negate(p, make_divide(p, a, norm)) : make_divide(p, b, norm);
    }
    case EXPR_MIN: return pool_if(p, smaller(p, a, b), which ? zero : one, which ? one : zero);
    case EXPR_MAX: return pool_if(p, smaller(p, b, a), which ? zero : one, which ? one : zero);
    case EXPR_SMOOTH: return which ? one : zero;
    case EXPR_HOMOTOPY: return which ? zero : one;
    case EXPR_MOD: case EXPR_REM: return which ? zero : one;
    default: return zero;
    }
}

/* Is the value of the operation always locally constant? */
static int jumps(expr_op op)
{
    return op == EXPR_SIGN || op == EXPR_FLOOR || op == EXPR_CEIL || op == EXPR_NOT || op == EXPR_EDGE
        || op == EXPR_QUOTIENT || (op >= EXPR_LESS && op <= EXPR_OR) || op == EXPR_SAMPLE;
}

/* ---- by time --------------------------------------------------------------------------------- */

static int room_for_rates(derivation *d)
{
    if (d->rates >= d->pool->count) return 0;
    const uint32_t room = d->pool->room;
    expr *more = realloc(d->rate, (size_t)room * sizeof *more);
    if (!more) return d->pool->full = 1, -1;
    memset(more + d->rates, 0, (size_t)(room - d->rates) * sizeof *more);
    d->rate = more;
    d->rates = room;
    return 0;
}

/* f'(x, dx): the arguments, then their derivatives. */
static expr call_derivative(derivation *d, expr e, expr arguments, const expr *rate, int count)
{
    pool *p = d->pool;
    const int output = calls_derivative(d->calls, (int)pool_at(p, e)->b);
    if (output < 0) return p->full = 1, 0;
    expr list = 0, *all = malloc(2 * ((size_t)count + 1) * sizeof *all);
    if (!all) return p->full = 1, 0;
    for (int i = 0; i < count; i++, arguments = pool_at(p, arguments)->b) {
        all[i] = pool_at(p, arguments)->a;
        all[count + i] = rate[i];
    }
    for (int i = 2 * count - 1; i >= 0; i--) list = pool_node(p, EXPR_ARGUMENT, all[i], list);
    free(all);
    return pool_node(p, EXPR_CALL, list, (uint32_t)output);
}

static int argument_count(const pool *p, expr arguments)
{
    int count = 0;
    for (; arguments; arguments = pool_at(p, arguments)->b) count++;
    return count;
}

static expr call_rate(derivation *d, expr e)
{
    pool *p = d->pool;
    const expr arguments = pool_at(p, e)->a;
    const int count = argument_count(p, arguments);
    int moving = 0, i = 0;
    expr *rate = malloc(((size_t)count + 1) * sizeof *rate);
    if (!rate) return p->full = 1, 0;
    for (expr at = arguments; at; at = pool_at(p, at)->b, i++) {
        rate[i] = d->rate[pool_at(p, at)->a];
        moving |= !pool_is(p, rate[i], 0);
    }
    const expr value = moving ? call_derivative(d, e, arguments, rate, count) : number(p, 0);
    free(rate);
    return value;
}

static expr rate_of(derivation *d, expr e)
{
    pool *p = d->pool;
    const expr_node n = *pool_at(p, e);
    const expr zero = number(p, 0);
    switch ((expr_op)n.op) {
    case EXPR_TIME: return number(p, 1);
    case EXPR_VARIABLE: return varies(d, &n) ? pool_variable(p, n.a, n.b + 1) : zero;
    case EXPR_CALL: return call_rate(d, e);
    case EXPR_ARGUMENT: return zero;             /* call_rate looks at them one by one */
    case EXPR_BRANCHES: return pool_node(p, EXPR_BRANCHES, d->rate[n.a], d->rate[n.b]);
    case EXPR_IF: return pool_if(p, n.a, pool_at(p, d->rate[n.b])->a, pool_at(p, d->rate[n.b])->b);
    case EXPR_NO_EVENT: return pool_one(p, EXPR_NO_EVENT, d->rate[n.a]);
    case EXPR_SMOOTH: return d->rate[n.b];
    case EXPR_HOMOTOPY: return d->rate[n.a];
    case EXPR_DIVIDE: {                          /* a'/b - (a/b) b'/b */
        const expr first = make_divide(p, d->rate[n.a], n.b);
        if (pool_is(p, d->rate[n.b], 0)) return first;
        return make_subtract(p, first, make_divide(p, make_multiply(p, e, d->rate[n.b]), n.b));
    }
    default: break;
    }
    const int operands = expr_operands((expr_op)n.op);
    if (operands == 0 || jumps((expr_op)n.op)) return zero;
    expr sum = zero;
    for (int k = 0; k < operands; k++) {
        const expr rate = d->rate[k ? n.b : n.a];
        if (pool_is(p, rate, 0)) continue;
        const expr partial = operands == 1 ? partial_one(p, (expr_op)n.op, n.a, e)
                                           : partial_two(p, (expr_op)n.op, n.a, n.b, e, k);
        sum = make_add(p, sum, make_multiply(p, partial, rate));
    }
    return sum;
}

expr derivative_by_time(derivation *d, expr e)
{
    if (room_for_rates(d)) return 0;
    if (d->rate[e]) return d->rate[e];
    walk_begin(&d->walk, d->pool);
    walk_add(&d->walk, d->pool, e);
    if (d->walk.no_memory) return d->pool->full = 1, 0;
    for (int i = 0; i < d->walk.count; i++) {
        const expr node = d->walk.list[i];
        if (d->rate[node]) continue;
        const expr value = rate_of(d, node);
        if (!value || room_for_rates(d)) return 0;
        d->rate[node] = value;
    }
    return d->rate[e];
}

/* ---- by unknowns ------------------------------------------------------------------------------ */

static int gradient_add(pool *p, gradient *g, expr leaf, expr value)
{
    if (pool_is(p, value, 0)) return 0;
    for (int i = 0; i < g->count; i++)
        if (g->leaf[i] == leaf) {
            g->value[i] = make_add(p, g->value[i], value);
            return 0;
        }
    if (g->count == g->room) {
        const int room = g->room ? 2 * g->room : 8;
        expr *leaves = realloc(g->leaf, (size_t)room * sizeof *leaves);
        if (leaves) g->leaf = leaves;
        expr *values = realloc(g->value, (size_t)room * sizeof *values);
        if (values) g->value = values;
        if (!leaves || !values) return -1;
        g->room = room;
    }
    g->leaf[g->count] = leaf;
    g->value[g->count++] = value;
    return 0;
}

/* The nodes of one sweep: those that are reached without entering a branch. */
typedef struct sweep {
    expr *node, *adjoint;
    int count, room;
} sweep;

static int sweep_place(const sweep *s, expr e)
{
    int low = 0, high = s->count - 1;
    while (low <= high) {
        const int middle = (low + high) / 2;
        if (s->node[middle] == e) return middle;
        if (s->node[middle] < e) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}

static int ascending(const void *a, const void *b)
{
    const expr x = *(const expr *)a, y = *(const expr *)b;
    return (x > y) - (x < y);
}

/* Operands have smaller numbers: sorted, a sweep downward meets a node before its operands. */
static int sweep_open(derivation *d, sweep *s, expr e)
{
    walk *w = &d->walk;
    *s = (sweep){0};
    walk_begin(w, d->pool);
    walk_add(w, d->pool, e);
    if (w->no_memory) return -1;
    s->node = malloc(((size_t)w->count + 1) * sizeof *s->node);
    s->adjoint = calloc((size_t)w->count + 1, sizeof *s->adjoint);
    if (!s->node || !s->adjoint) return -1;
    for (int i = 0; i < w->count; i++) s->node[s->count++] = w->list[i];
    qsort(s->node, (size_t)s->count, sizeof *s->node, ascending);
    return 0;
}

static void contribute(pool *p, sweep *s, expr to, expr value)
{
    const int at = sweep_place(s, to);
    if (at < 0 || pool_is(p, value, 0)) return;
    s->adjoint[at] = s->adjoint[at] ? make_add(p, s->adjoint[at], value) : value;
}

static int find_gradient(derivation *d, expr e, gradient **found, int depth);

/* A times (if c then grad then-branch else grad else-branch), leaf by leaf. */
static int contribute_branches(derivation *d, gradient *g, expr condition, expr then_, expr else_,
                               expr adjoint, int depth)
{
    pool *p = d->pool;
    gradient *one, *other;
    if (find_gradient(d, then_, &one, depth)) return -1;
    gradient first = *one;                       /* the list of kept ones may move */
    if (find_gradient(d, else_, &other, depth)) return -1;
    const gradient second = *other;
    const expr zero = number(p, 0);
    for (int i = 0; i < first.count; i++) {
        expr alternative = zero;
        for (int k = 0; k < second.count; k++)
            if (second.leaf[k] == first.leaf[i]) alternative = second.value[k];
        if (gradient_add(p, g, first.leaf[i], make_multiply(p, adjoint,
                         pool_if(p, condition, first.value[i], alternative)))) return -1;
    }
    for (int k = 0; k < second.count; k++) {
        int both = 0;
        for (int i = 0; i < first.count; i++) both |= first.leaf[i] == second.leaf[k];
        if (!both && gradient_add(p, g, second.leaf[k], make_multiply(p, adjoint,
                                  pool_if(p, condition, zero, second.value[k])))) return -1;
    }
    return 0;
}

static int contribute_call(derivation *d, sweep *s, expr e, expr adjoint)
{
    pool *p = d->pool;
    const expr arguments = pool_at(p, e)->a;
    const int count = argument_count(p, arguments);
    expr *unit = malloc(((size_t)count + 1) * sizeof *unit);
    if (!unit) return -1;
    int i = 0;
    for (expr at = arguments; at; at = pool_at(p, at)->b, i++) {
        const expr argument = pool_at(p, at)->a;
        if (pool_op(p, argument) == EXPR_CONSTANT) continue;
        for (int k = 0; k < count; k++) unit[k] = number(p, k == i);
        contribute(p, s, argument, make_multiply(p, adjoint, call_derivative(d, e, arguments, unit, count)));
    }
    free(unit);
    return 0;
}

static int sweep_node(derivation *d, sweep *s, int i, gradient *g, int depth)
{
    pool *p = d->pool;
    const expr e = s->node[i], adjoint = s->adjoint[i];
    const expr_node n = *pool_at(p, e);
    if (varies(d, &n)) return gradient_add(p, g, e, adjoint);
    if (n.op == EXPR_IF) {
        const expr_node branches = *pool_at(p, n.b);
        return contribute_branches(d, g, n.a, branches.a, branches.b, adjoint, depth + 1);
    }
    if (n.op == EXPR_CALL) return contribute_call(d, s, e, adjoint);
    if (n.op == EXPR_BRANCHES || n.op == EXPR_ARGUMENT || jumps((expr_op)n.op)) return 0;
    const int operands = expr_operands((expr_op)n.op);
    if (n.op == EXPR_DIVIDE) contribute(p, s, n.a, make_divide(p, adjoint, n.b));
    for (int k = n.op == EXPR_DIVIDE; k < operands; k++) {
        const expr to = k ? n.b : n.a;
        if (pool_op(p, to) == EXPR_CONSTANT) continue;
        const expr partial = operands == 1 ? partial_one(p, (expr_op)n.op, n.a, e)
                                           : partial_two(p, (expr_op)n.op, n.a, n.b, e, k);
        contribute(p, s, to, make_multiply(p, adjoint, partial));
    }
    return 0;
}

/* Which of the nodes lead to an unknown: adjoints of the others are not formed. */
static void drop_constants(const derivation *d, sweep *s)
{
    int kept = 0;
    unsigned char *leads = calloc((size_t)s->count + 1, 1);
    if (!leads) return;
    for (int i = 0; i < s->count; i++) {
        const expr_node *n = pool_at(d->pool, s->node[i]);
        expr child[2];
        leads[i] = (unsigned char)varies(d, n);
        const int children = expr_children(d->pool, s->node[i], child);
        for (int k = 0; k < children && !leads[i]; k++) {
            const int at = sweep_place(s, child[k]);
            leads[i] = at < 0 || leads[at];
        }
    }
    for (int i = 0; i < s->count; i++)
        if (leads[i]) s->node[kept++] = s->node[i];
    s->count = kept;
    free(leads);
}

static int sweep_all(derivation *d, expr e, gradient *g, int depth)
{
    enum { DEEPEST = 5000 };             /* branches within branches */
    sweep s;
    if (depth > DEEPEST || sweep_open(d, &s, e)) return d->pool->full = 1, -1;
    drop_constants(d, &s);
    const int root = sweep_place(&s, e);
    if (root >= 0) s.adjoint[root] = number(d->pool, 1);
    int code = 0;
    for (int i = s.count - 1; i >= 0 && !code; i--)
        if (s.adjoint[i]) code = sweep_node(d, &s, i, g, depth);
    free(s.node);
    free(s.adjoint);
    return code;
}

static int find_gradient(derivation *d, expr e, gradient **found, int depth)
{
    for (int i = d->keep_count - 1; i >= 0; i--)
        if (d->kept[i].of == e) return *found = &d->kept[i], 0;
    gradient g = {.of = e};
    if (sweep_all(d, e, &g, depth)) return gradient_free(&g), -1;
    if (d->keep_count == d->keep_room) {
        const int room = d->keep_room ? 2 * d->keep_room : 16;
        gradient *more = realloc(d->kept, (size_t)room * sizeof *more);
        if (!more) return gradient_free(&g), -1;
        d->kept = more;
        d->keep_room = room;
    }
    *found = &d->kept[d->keep_count];
    d->kept[d->keep_count++] = g;
    return 0;
}

int derivative_gradient(derivation *d, expr e, gradient *g)
{
    g->count = 0;
    g->of = e;
    for (int i = 0; i < d->keep_count; i++) gradient_free(&d->kept[i]);
    d->keep_count = 0;
    if (sweep_all(d, e, g, 0) || pool_full(d->pool)) return -1;
    int kept = 0;
    for (int i = 0; i < g->count; i++)
        if (!pool_is(d->pool, g->value[i], 0)) {
            g->leaf[kept] = g->leaf[i];
            g->value[kept++] = g->value[i];
        }
    g->count = kept;
    return 0;
}
