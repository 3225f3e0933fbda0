/* principal.h -- the principal eigenvalue of M(z) = V + z B (I - zA)^-1 U, and M(z) itself. */
#ifndef KEEL_METHOD_PRINCIPAL_H
#define KEEL_METHOD_PRINCIPAL_H

#include "method/powers.h"

enum { PRINCIPAL_TERMS = 64 };

/* u [r] with y[n] = u y(t_n) + O(h). */
void preconsistency_vector(const keel_general_linear *g, double *u);

/* l [r] with l^T V = l^T, l^T u = 1.  0, or KEEL_SINGULAR where 1 is not a simple eigenvalue. */
int left_eigenvector(const keel_general_linear *g, const double *u, long double *l);

/* w_k of w(z) = sum_k w_k z^k, k = 0..terms <= PRINCIPAL_TERMS, w(0) = 1. */
int principal_series(const keel_general_linear *g, const double *u, int terms, long double *w);

/* C with w(z) = e^z - C z^(order+1) + ..; NAN where 1 is not a simple eigenvalue of V. */
double principal_error(const keel_general_linear *g, const double *u, int order);

/* M(1/x) and the magnitudes of its terms; x = 0: M(inf).  0, or KEEL_SINGULAR at a pole. */
int stability_matrix(const keel_general_linear *g, long double x, matrix *M, matrix *size);

#endif
