/* pool.h -- the expressions of a model: one graph, equal expressions shared.
 *
 * An `expr` is the number of a node; equal nodes have equal numbers, so that comparing two
 * expressions is comparing two numbers and what several equations share is found by itself.  A node
 * is never freed singly and its operands have smaller numbers: a loop upward visits operands first.
 *
 * All values are double: Booleans 0 and 1, Integers whole, enumerations 1, 2, ...  Constructors
 * fold constants and drop neutral operands (x + 0, 1 x, 0 x, -(-x), x^1); nothing else is
 * rearranged, so that what is shown to the user is what he wrote.
 *
 * Memory: a pool that could not grow, or has 2^31 nodes, is `full`; constructors then return 0, and
 * 0 with operands that are 0.  Look at pool_full once, at the end.
 */
#ifndef KEEL_MODEL_POOL_H
#define KEEL_MODEL_POOL_H

#include <stdint.h>

typedef uint32_t expr;                   /* 0: none */

typedef enum expr_op {
    EXPR_NONE,
    /* leaves */
    EXPR_CONSTANT,                       /* value                                              */
    EXPR_TIME,
    EXPR_VARIABLE,                       /* a: variable of the flat model, b: derivative number */
    EXPR_PRE,                            /* a: variable; its value before the event            */
    EXPR_INITIAL,                        /* initial()                                          */
    EXPR_TERMINAL,                       /* terminal()                                         */
    /* one operand, a */
    EXPR_NEGATE, EXPR_NOT,
    EXPR_ABS, EXPR_SIGN, EXPR_SQRT, EXPR_EXP, EXPR_LOG, EXPR_LOG10,
    EXPR_SIN, EXPR_COS, EXPR_TAN, EXPR_ASIN, EXPR_ACOS, EXPR_ATAN,
    EXPR_SINH, EXPR_COSH, EXPR_TANH,
    EXPR_FLOOR, EXPR_CEIL,               /* integer(x) is floor(x)                             */
    EXPR_DER,                            /* der(a) of an expression; of a variable: EXPR_VARIABLE */
    EXPR_NO_EVENT,                       /* relations in a make no events                      */
    EXPR_EDGE,                           /* a and not pre(a), a any Boolean expression         */
    /* two operands, a and b */
    EXPR_ADD, EXPR_SUBTRACT, EXPR_MULTIPLY, EXPR_DIVIDE, EXPR_POWER,
    EXPR_ATAN2, EXPR_MIN, EXPR_MAX,
    EXPR_QUOTIENT,                       /* div(a, b): towards zero                            */
    EXPR_MOD, EXPR_REM,
    EXPR_LESS, EXPR_LESS_EQUAL,          /* a < b, a <= b; > and >= by exchanged operands      */
    EXPR_EQUAL, EXPR_NOT_EQUAL,
    EXPR_AND, EXPR_OR,
    EXPR_SMOOTH,                         /* smooth(a, b): b is a times differentiable          */
    EXPR_SAMPLE,                         /* sample(a, b): start, interval                      */
    EXPR_HOMOTOPY,                       /* homotopy(actual a, simplified b)                   */
    EXPR_IF,                             /* a: condition, b: EXPR_BRANCHES                     */
    EXPR_BRANCHES,                       /* then a else b; only as operand of EXPR_IF          */
    EXPR_CALL,                           /* a: EXPR_ARGUMENT or 0, b: output of a function (flat.h) */
    EXPR_ARGUMENT,                       /* a: argument, b: the next EXPR_ARGUMENT or 0        */
    EXPR_OPS
} expr_op;

typedef struct expr_node {
    uint32_t op;                         /* expr_op */
    uint32_t a;
    union { uint32_t b; double value; };
} expr_node;

typedef struct pool {
    expr_node *node;                     /* node[0] is EXPR_NONE */
    uint32_t count, room;
    uint32_t *parent, *sibling;          /* per node: the first that has it as its newer operand, and the next */
                                         /* of those that have the same; 0: none */
    uint32_t *slot;                      /* hash table of what is in no such list, open addressing */
    uint32_t slots, hashed;              /* a power of two; how many are in it */
    int full;
} pool;

int pool_open(pool *p);                  /* 0, or -1 without memory */
void pool_close(pool *p);
static inline int pool_full(const pool *p) { return p->full; }

expr pool_constant(pool *p, double value);
expr pool_variable(pool *p, uint32_t variable, uint32_t derivative);
expr pool_leaf(pool *p, expr_op op, uint32_t a);          /* TIME, PRE, INITIAL, TERMINAL */
expr pool_one(pool *p, expr_op op, expr a);
expr pool_two(pool *p, expr_op op, expr a, expr b);
expr pool_if(pool *p, expr condition, expr then_, expr else_);
/* A node as it is, without folding: for EXPR_CALL and EXPR_ARGUMENT. */
expr pool_node(pool *p, expr_op op, uint32_t a, uint32_t b);
/* The node if it is there, else 0; none is made. */
expr pool_seek(const pool *p, expr_op op, uint32_t a, uint32_t b);

static inline const expr_node *pool_at(const pool *p, expr e) { return &p->node[e]; }
static inline expr_op pool_op(const pool *p, expr e) { return (expr_op)p->node[e].op; }
static inline int pool_is(const pool *p, expr e, double value)
{
    return p->node[e].op == EXPR_CONSTANT && p->node[e].value == value;
}

/* How many operands that are expressions: 0, 1 (a) or 2 (a and b). */
int expr_operands(expr_op op);
/* op(a, b) of numbers, as the tape computes it; leaves, calls, DER, EDGE, SAMPLE: NAN. */
double expr_fold(expr_op op, double a, double b);

#endif
