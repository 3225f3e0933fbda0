/* products.h -- products with M and G of a mechanical problem, dense by rows or sparse by columns.
 *
 * All that touches the entries of M (n x n) and G (m x n).  Sparse without a mass: M = I has none.
 */
#ifndef KEEL_PROBLEM_PRODUCTS_H
#define KEEL_PROBLEM_PRODUCTS_H

#include "problem/problem.h"

/* products.c: the same for nonzeros. */
void sparse_level(const keel_problem *p, const double *G, const double *base, const double *x,
                  double *r);
void sparse_subtract_constraint_force(const keel_problem *p, const double *G, const double *l,
                                      double *r);
void sparse_subtract_inertia(const keel_problem *p, const double *M, const double *x, double *r);

/* r := base + G x */
static inline void level_product(const keel_problem *p, const double *G, const double *base,
                                 const double *x, double *r)
{
    int n = p->group[0], m = p->constraints;
    if (p->pattern.storage == KEEL_SPARSE) {
        sparse_level(p, G, base, x, r);
        return;
    }
    for (int k = 0; k < m; k++, G += n) {
        double sum = base[k];
        for (int j = 0; j < n; j++) sum += G[j] * x[j];
        r[k] = sum;
    }
}

/* r := r - G^T l */
static inline void subtract_constraint_force(const keel_problem *p, const double *G,
                                             const double *l, double *r)
{
    int n = p->group[0], m = p->constraints;
    if (p->pattern.storage == KEEL_SPARSE) {
        sparse_subtract_constraint_force(p, G, l, r);
        return;
    }
    for (int k = 0; k < m; k++, G += n)
        for (int j = 0; j < n; j++) r[j] -= G[j] * l[k];
}

/* r := r - M x */
static inline void subtract_inertia(const keel_problem *p, const double *M, const double *x,
                                    double *r)
{
    int n = p->group[0];
    if (p->pattern.storage == KEEL_SPARSE) {
        sparse_subtract_inertia(p, M, x, r);
        return;
    }
    for (int i = 0; i < n; i++, M += n) {
        double sum = r[i];
        for (int j = 0; j < n; j++) sum -= M[j] * x[j];
        r[i] = sum;
    }
}

#endif
