#include "problem/products.h"

#include <string.h>

void sparse_level(const keel_problem *p, const double *G, const double *base, const double *x,
                  double *r)
{
    const int *start = p->jacobian_pattern.column_start, *row = p->jacobian_pattern.row_index;
    if (r != base) memcpy(r, base, (size_t)p->constraints * sizeof *r);
    for (int j = 0; j < p->group[0]; j++)
        for (int k = start[j]; k < start[j + 1]; k++) r[row[k]] += G[k] * x[j];
}

void sparse_subtract_constraint_force(const keel_problem *p, const double *G, const double *l,
                                      double *r)
{
    const int *start = p->jacobian_pattern.column_start, *row = p->jacobian_pattern.row_index;
    for (int j = 0; j < p->group[0]; j++) {
        double sum = r[j];
        for (int k = start[j]; k < start[j + 1]; k++) sum -= G[k] * l[row[k]];
        r[j] = sum;
    }
}

void sparse_subtract_inertia(const keel_problem *p, const double *M, const double *x, double *r)
{
    const int *start = p->mass_pattern.column_start, *row = p->mass_pattern.row_index;
    for (int j = 0; j < p->group[0] && !start; j++) r[j] -= x[j];
    for (int j = 0; j < p->group[0] && start; j++) {
        const double own = x[j];
        for (int k = start[j]; k < start[j + 1]; k++) r[row[k]] -= M[k] * own;
    }
}
