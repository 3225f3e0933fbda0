/* pool.c -- hash-consed expressions: see pool.h. */
#include "model/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_NODES = 1024, FIRST_SLOTS = 4096 };
static const uint32_t most_nodes = UINT32_C(1) << 31;

int pool_open(pool *p)
{
    *p = (pool){.room = FIRST_NODES, .slots = FIRST_SLOTS, .count = 1};
    p->node = calloc(p->room, sizeof *p->node);
    p->parent = calloc(p->room, sizeof *p->parent);
    p->sibling = calloc(p->room, sizeof *p->sibling);
    p->slot = calloc(p->slots, sizeof *p->slot);
    if (p->node && p->parent && p->sibling && p->slot) return 0;
    pool_close(p);
    return -1;
}

void pool_close(pool *p)
{
    free(p->node);
    free(p->parent);
    free(p->sibling);
    free(p->slot);
    *p = (pool){.full = 1};
}

/* The second operand as bits: the value of a constant, so that 0.0 and -0.0 differ. */
static uint64_t second(const expr_node *n)
{
    uint64_t bits = n->b;
    if (n->op == EXPR_CONSTANT) memcpy(&bits, &n->value, sizeof bits);
    return bits;
}

static uint32_t hash(const expr_node *n)
{
    uint64_t h = second(n) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
    h += ((uint64_t)n->op << 32 | n->a) * UINT64_C(0xC2B2AE3D27D4EB4F);
    h ^= h >> 29;
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(h >> 32);
}

static int same(const expr_node *m, const expr_node *n)
{
    return m->op == n->op && m->a == n->a && second(m) == second(n);
}

/* Where it is in the table, or the free place where it belongs. */
static uint32_t *find_hashed(const pool *p, const expr_node *n)
{
    uint32_t at = hash(n) & (p->slots - 1);
    while (p->slot[at] && !same(&p->node[p->slot[at]], n)) at = (at + 1) & (p->slots - 1);
    return &p->slot[at];
}

/* Where its number is, or belongs: in the list of its newer operand, which was looked at just before and so
 * lies in the caches, where a place by a hash is a miss for every look.  Leaves are in the table, and so is
 * what finds its list full. */
static uint32_t *find(const pool *p, const expr_node *n)
{
    enum { LONGEST = 8 };
    const int operands = expr_operands((expr_op)n->op);
    if (operands == 0) return find_hashed(p, n);
    uint32_t *at = &p->parent[operands == 2 && n->b > n->a ? n->b : n->a];
    for (int k = 0; k < LONGEST; k++, at = &p->sibling[*at])
        if (!*at || same(&p->node[*at], n)) return at;
    return find_hashed(p, n);
}

static int grow(uint32_t **array, uint32_t room)
{
    uint32_t *more = realloc(*array, 2 * (size_t)room * sizeof *more);
    if (!more) return -1;
    memset(more + room, 0, (size_t)room * sizeof *more);
    *array = more;
    return 0;
}

static int grow_nodes(pool *p)
{
    expr_node *more = p->count < most_nodes ? realloc(p->node, 2 * (size_t)p->room * sizeof *more)
                                            : NULL;
    if (more) p->node = more;
    if (!more || grow(&p->parent, p->room) || grow(&p->sibling, p->room)) return p->full = 1, -1;
    p->room *= 2;
    return 0;
}

static int grow_slots(pool *p)
{
    const uint32_t *old = p->slot, slots = p->slots;
    uint32_t *more = calloc(2 * (size_t)p->slots, sizeof *more);
    if (!more) return p->full = 1, -1;
    p->slot = more;
    p->slots *= 2;
    for (uint32_t i = 0; i < slots; i++)
        if (old[i]) *find_hashed(p, &p->node[old[i]]) = old[i];
    free((void *)(uintptr_t)old);
    return 0;
}

static expr intern(pool *p, expr_node n)
{
    if (p->full) return 0;
    const uint32_t *there = find(p, &n);
    if (*there) return *there;
    if (p->count == p->room && grow_nodes(p)) return 0;
    if (p->hashed > p->slots / 2 && grow_slots(p)) return 0;
    uint32_t *at = find(p, &n);                  /* what has grown has moved */
    p->hashed += at >= p->slot && at < p->slot + p->slots;
    p->node[p->count] = n;
    return *at = p->count++;
}

expr pool_constant(pool *p, double value)
{
    return intern(p, (expr_node){.op = EXPR_CONSTANT, .value = value});
}

expr pool_node(pool *p, expr_op op, uint32_t a, uint32_t b)
{
    expr_node n = {.op = op, .a = a};
    n.b = b;
    return intern(p, n);
}

expr pool_seek(const pool *p, expr_op op, uint32_t a, uint32_t b)
{
    expr_node n = {.op = op, .a = a};
    n.b = b;
    return p->full ? 0 : *find(p, &n);
}

expr pool_variable(pool *p, uint32_t variable, uint32_t derivative)
{
    return pool_node(p, EXPR_VARIABLE, variable, derivative);
}

expr pool_leaf(pool *p, expr_op op, uint32_t a) { return pool_node(p, op, a, 0); }

int expr_operands(expr_op op)
{
    return op < EXPR_NEGATE ? 0 : op < EXPR_ADD ? 1 : op == EXPR_CALL ? 0 : 2;
}

static double fold_one(expr_op op, double a)
{
    switch (op) {
    case EXPR_NEGATE: return -a;
    case EXPR_NOT: return a == 0;
    case EXPR_ABS: return fabs(a);
    case EXPR_SIGN: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case EXPR_SQRT: return sqrt(a);
    case EXPR_EXP: return exp(a);
    case EXPR_LOG: return log(a);
    case EXPR_LOG10: return log10(a);
    case EXPR_SIN: return sin(a);
    case EXPR_COS: return cos(a);
    case EXPR_TAN: return tan(a);
    case EXPR_ASIN: return asin(a);
    case EXPR_ACOS: return acos(a);
    case EXPR_ATAN: return atan(a);
    case EXPR_SINH: return sinh(a);
    case EXPR_COSH: return cosh(a);
    case EXPR_TANH: return tanh(a);
    case EXPR_FLOOR: return floor(a);
    case EXPR_CEIL: return ceil(a);
    case EXPR_NO_EVENT: return a;
    default: return NAN;
    }
}

double expr_fold(expr_op op, double a, double b)
{
    switch (op) {
    case EXPR_ADD: return a + b;
    case EXPR_SUBTRACT: return a - b;
    case EXPR_MULTIPLY: return a * b;
    case EXPR_DIVIDE: return a / b;
    case EXPR_POWER: return b == 2 ? a * a : pow(a, b);
    case EXPR_ATAN2: return atan2(a, b);
    case EXPR_MIN: return a < b ? a : b;
    case EXPR_MAX: return a > b ? a : b;
    case EXPR_QUOTIENT: return trunc(a / b);
    case EXPR_MOD: return a - floor(a / b) * b;
    case EXPR_REM: return a - trunc(a / b) * b;
    case EXPR_LESS: return a < b;
    case EXPR_LESS_EQUAL: return a <= b;
    case EXPR_EQUAL: return a == b;
    case EXPR_NOT_EQUAL: return a != b;
    case EXPR_AND: return a != 0 && b != 0;
    case EXPR_OR: return a != 0 || b != 0;
    case EXPR_SMOOTH: return b;
    case EXPR_HOMOTOPY: return a;
    default: return fold_one(op, a);
    }
}

/* Constants are folded if the result is a number: 1/0 stays as it was written, to be named later. */
static int folded(pool *p, expr_op op, expr a, expr b, expr *result)
{
    const expr_node *m = pool_at(p, a), *n = pool_at(p, b);
    if (m->op != EXPR_CONSTANT || (b && n->op != EXPR_CONSTANT)) return 0;
    double value = expr_fold(op, m->value, b ? n->value : 0);
    if (!isfinite(value)) return 0;
    *result = pool_constant(p, value);
    return 1;
}

expr pool_one(pool *p, expr_op op, expr a)
{
    expr result;
    if (!a) return 0;
    if (folded(p, op, a, 0, &result)) return result;
    if (op == EXPR_NEGATE && pool_op(p, a) == EXPR_NEGATE) return pool_at(p, a)->a;
    if (op == EXPR_NOT && pool_op(p, a) == EXPR_NOT) return pool_at(p, a)->a;
    if (op == EXPR_DER && pool_op(p, a) == EXPR_VARIABLE)
        return pool_variable(p, pool_at(p, a)->a, pool_at(p, a)->b + 1);
    if (op == EXPR_DER && pool_op(p, a) == EXPR_CONSTANT) return pool_constant(p, 0);
    return pool_node(p, op, a, 0);
}

/* Neutral and absorbing operands; 0: none of them. */
static expr neutral(pool *p, expr_op op, expr a, expr b)
{
    switch (op) {
    case EXPR_ADD: return pool_is(p, a, 0) ? b : pool_is(p, b, 0) ? a : 0;
    case EXPR_SUBTRACT: return pool_is(p, b, 0) ? a : pool_is(p, a, 0) ? pool_one(p, EXPR_NEGATE, b) : 0;
    case EXPR_MULTIPLY:
        if (pool_is(p, a, 0) || pool_is(p, b, 0)) return pool_constant(p, 0);
        return pool_is(p, a, 1) ? b : pool_is(p, b, 1) ? a : 0;
    case EXPR_DIVIDE: return pool_is(p, b, 1) || (pool_is(p, a, 0) && !pool_is(p, b, 0)) ? a : 0;
    case EXPR_POWER: return pool_is(p, b, 1) ? a : pool_is(p, b, 0) ? pool_constant(p, 1) : 0;
    case EXPR_AND:
        if (pool_is(p, a, 0) || pool_is(p, b, 0)) return pool_constant(p, 0);
        return pool_is(p, a, 1) ? b : pool_is(p, b, 1) ? a : 0;
    case EXPR_OR:
        if (pool_is(p, a, 1) || pool_is(p, b, 1)) return pool_constant(p, 1);
        return pool_is(p, a, 0) ? b : pool_is(p, b, 0) ? a : 0;
    default: return 0;
    }
}

expr pool_two(pool *p, expr_op op, expr a, expr b)
{
    expr result;
    if (!a || !b) return 0;
    if (folded(p, op, a, b, &result)) return result;
    result = neutral(p, op, a, b);
    return result ? result : pool_node(p, op, a, b);
}

expr pool_if(pool *p, expr condition, expr then_, expr else_)
{
    if (!condition || !then_ || !else_) return 0;
    if (pool_op(p, condition) == EXPR_CONSTANT)
        return pool_at(p, condition)->value != 0 ? then_ : else_;
    if (then_ == else_) return then_;
    return pool_node(p, EXPR_IF, condition, pool_node(p, EXPR_BRANCHES, then_, else_));
}
