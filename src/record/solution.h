/* solution.h -- recordings made of polynomials instead of the steps of a solver. */
#ifndef KEEL_RECORD_SOLUTION_H
#define KEEL_RECORD_SOLUTION_H

#include "keel/solver.h"

/* At t, with n unknowns; KEEL_OK or KEEL_NO_MEMORY, with *solution NULL. */
int solution_begin(keel_solution **solution, int n, double t, const double *y);
/* From its end to t: values at nodes of [0,1], node-major; `last` is the number of the node 1. */
int solution_add(keel_solution *solution, double t, int points, const double *nodes,
                 const double *barycentric, const double *values, int last);

#endif
