/* heat.h -- the parts of the heat problem (heat.c) that benchmarks use as well.
 *
 * `parameters` are those of the target: points along a side, dimension.
 */
#ifndef KEEL_PROBLEMS_HEAT_H
#define KEEL_PROBLEMS_HEAT_H

#include "problems/problems.h"

/* The pattern of the Jacobian in memory of its own, column_start first; NULL: no memory. */
int *heat_pattern(const double *parameters, keel_pattern *pattern);
/* What `create` hands over, but for the pattern. */
keel_semi_explicit_spec heat_spec(const double *parameters);

#endif
