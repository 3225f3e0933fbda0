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
    for (int j = 0; j < p->group[0]; j++)
        for (int k = start[j]; k < start[j + 1]; k++) r[j] -= G[k] * l[row[k]];
}

void sparse_subtract_inertia(const keel_problem *p, const double *M, const double *x, double *r)
{
    const int *start = p->mass_pattern.column_start, *row = p->mass_pattern.row_index;
    for (int j = 0; j < p->group[0]; j++) {
        if (!start) r[j] -= x[j];
        for (int k = start ? start[j] : 0; start && k < start[j + 1]; k++)
            r[row[k]] -= M[k] * x[j];
    }
}
