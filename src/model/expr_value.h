/* expr_value.h -- values of expressions, now and then: parameters, start values, checks.  What is
 * evaluated often has a tape. */
#ifndef KEEL_MODEL_EXPR_VALUE_H
#define KEEL_MODEL_EXPR_VALUE_H

#include "model/calls.h"
#include "model/graph.h"

/* 0, or nonzero: this leaf has no value. */
typedef int leaf_value_rule(void *context, const expr_node *n, double *value);

/* Forgets all values: leaves have others from now on.  `w` is scratch, which grows with the pool: the same
 * for many values; `leaf` must not use it. */
void expr_value_begin(walk *w, const pool *p);
/* *value = NAN, and nonzero, if a leaf has no value or there is no memory; then begin anew.  What expressions
 * share is evaluated once since the beginning. */
int expr_value(walk *w, const pool *p, const calls *c, expr e, leaf_value_rule *leaf, void *context,
               double *value);

#endif
