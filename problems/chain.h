/* chain.h -- the chain of point masses: its parts as dense arrays and as nonzeros, its energy. */
#ifndef KEEL_PROBLEMS_CHAIN_H
#define KEEL_PROBLEMS_CHAIN_H

#include "keel/keel.h"

/* `parameters` holds the number of links and the slope, and is borrowed. */
keel_mechanical_spec problem_chain_spec(const double *parameters);

/* Where M (2N x 2N) and G (N x 2N) may have nonzeros, by columns: return their number and fill
 * column_start (2N + 1 entries) and, unless it is NULL, row_index. */
int chain_mass_pattern(const double *parameters, int *column_start, int *row_index);
int chain_constraint_pattern(const double *parameters, int *column_start, int *row_index);

/* As `mass` and `constraint_jacobian` of the spec, but nonzeros in the order of the patterns. */
int chain_mass_nonzeros(double t, const double *q, double *values, void *context);
int chain_constraint_nonzeros(double t, const double *q, double *values, void *context);

/* The problem with these patterns, as it is created from 30 links on. */
int chain_create_sparse(keel_problem **problem, const double *parameters);

/* Kinetic plus potential energy; constant. */
double chain_energy(const double *parameters, const double *q, const double *v);

#endif
