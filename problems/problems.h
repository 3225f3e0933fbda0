/* problems.h -- the bundled test problems, shared by tests, benchmarks and the command.
 *
 * Each lives in a file of its own that ends in one `const keel_target`, as a user's own problem
 * does; problems.c lists them.
 */
#ifndef KEEL_PROBLEMS_H
#define KEEL_PROBLEMS_H

#include "keel/keel.h"

typedef keel_target bundled_problem;
typedef keel_parameter bundled_parameter;
typedef keel_reference bundled_reference;

const bundled_problem *const *bundled_problems(int *count);
/* Those that are boundary value problems only, without a start. */
const bundled_problem *const *bundled_boundary_problems(int *count);
/* Of either list; NULL if there is none. */
const bundled_problem *bundled_problem_find(const char *name);

/* Significant correct digits of y at t: -log10 of the largest relative error over the counting
 * unknowns (absolute where the reference is 0), against the exact solution or a reference at t;
 * NAN without one.  Capped at the digits of the reference when `cap` is nonzero. */
double bundled_scd(const bundled_problem *problem, const double *parameters, double t,
                   const double *y, int cap);
/* The same where the parameters decide how many unknowns there are. */
double bundled_scd_of_size(const bundled_problem *problem, int size, const double *parameters,
                           double t, const double *y, int cap);

#endif
