/* derived.h -- derivatives of the constraints of mechanical problems that the user did not give.
 *
 *   G = g_q,   g_t,   gamma = d2/de2 g(t + e, q + e v) = g_qq(v,v) + 2 g_qt v + g_tt
 *
 * Exactly where g is found to be a quadratic polynomial (quadratic.h), else by differences.
 */
#ifndef KEEL_PROBLEM_DERIVED_H
#define KEEL_PROBLEM_DERIVED_H

#include "problem/problem.h"

/* Fills in the wanted ones of G, g_t, gamma that are not `given`; takes KEEL_CONSTRAINT out of
 * `wanted` where the value of g came along. */
int eval_derived(evaluator *e, double t, const double *q, const double *v, unsigned given,
                 unsigned *wanted, const keel_mechanical_parts *p);
/* Given parts only; counts as an evaluation of the constraint. */
int eval_mechanical_given(evaluator *e, double t, const double *q, const double *v, unsigned wanted,
                          const keel_mechanical_parts *p);

void derived_layout(arena *a, evaluator *e);
void derived_forget(evaluator *e);

#endif
