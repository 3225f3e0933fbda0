/* graph.h -- walks over the expressions of a pool: what an expression consists of, and rewriting.
 *
 * Nothing here recurses: expressions of a model may be as deep as its text is long.
 */
#ifndef KEEL_MODEL_GRAPH_H
#define KEEL_MODEL_GRAPH_H

#include "model/flat.h"

/* Expressions that e is made of, at most two; of a call its list of arguments. */
int expr_children(const pool *p, expr e, expr child[2]);

typedef struct walk {
    uint32_t *stamp, now, stamps;        /* nodes seen in this walk                             */
    expr *list;                          /* operands before what they are operands of           */
    expr *stack;
    int count, room, stack_room;
    int no_memory;
    int (*opaque)(const pool *p, expr e);  /* nonzero: do not look into e; NULL: look everywhere */
    double *number;                      /* a value per node that has been seen [expr_value.h]  */
    uint32_t numbers;
} walk;

void walk_free(walk *w);
/* Begins a list. */
void walk_begin(walk *w, const pool *p);
/* Adds e and all it consists of that is not in the list yet. */
void walk_add(walk *w, const pool *p, expr e);

/* Is there a node for which `wanted` answers nonzero? */
typedef int expr_test(const pool *p, expr e, void *context);
int walk_any(walk *w, const pool *p, expr e, expr_test *wanted, void *context);

/* The same node with other operands. */
expr expr_with(pool *p, expr e, expr a, expr b);

/* Replaces leaves: `leaf` gives what stands for a leaf or for any other node, 0: itself with its
 * operands replaced.  `memo` keeps what has been found, so that many expressions cost one walk over
 * what they share. */
typedef expr leaf_rule(pool *p, expr e, void *context);
typedef struct rewrite {
    walk walk;
    expr *memo;
    uint32_t room;
    leaf_rule *leaf;
    void *context;
} rewrite;

expr rewrite_expr(rewrite *r, pool *p, expr e);          /* 0: no memory */
void rewrite_free(rewrite *r);

/* Sums, products and their like without needless signs: a + (-b) is a - b, (-a) b is -(a b). */
expr make_add(pool *p, expr a, expr b);
expr make_subtract(pool *p, expr a, expr b);
expr make_multiply(pool *p, expr a, expr b);
expr make_divide(pool *p, expr a, expr b);
expr make_negate(pool *p, expr a);

#endif
