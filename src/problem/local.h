/* local.h -- the engine of this machine: J and M of a problem as matrices, and shift M - J factored dense,
 * banded or sparse (linear/linear.h), behind the functions of keel/engine.h.
 *
 * Codes say more than those of other engines: `linearize` answers as eval_jacobian, `prepare` as
 * linear_factor.
 */
#ifndef KEEL_PROBLEM_LOCAL_H
#define KEEL_PROBLEM_LOCAL_H

#include "linear/linear.h"
#include "problem/problem.h"

typedef struct local_engine {
    evaluator *eval;
    linear_system *system;
    coloring colors;
    keel_matrix J, M;
    double *mass_diagonal;       /* [n] is used instead of M when `diagonal`               */
    int diagonal, mass_constant;
    int by_differences;          /* J is, and so may be wrong                              */
    int started;                 /* and not factored since: no pivots to keep              */
} local_engine;

/* What an engine needs, or with `other` what is known of M where another engine has the matrices. */
void local_engine_layout(arena *a, local_engine *l, const keel_problem *problem, int other);
/* 0 or a status of linear_create; with the memory that factors will take. */
int local_engine_create(local_engine *l, evaluator *eval, linear_spec spec, linear_memory *memory);
void local_engine_release(local_engine *l);
/* A new start: M, if it is no diagonal; a code as of eval_mass. */
int local_engine_start(local_engine *l, double t, const double *y, const double *yp);
/* What all of them have, without the context. */
extern const keel_engine_spec local_engine_functions;

#endif
