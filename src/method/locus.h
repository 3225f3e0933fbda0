/* locus.h -- linear stability of general linear methods, from the eigenvalues of M(z). */
#ifndef KEEL_METHOD_LOCUS_H
#define KEEL_METHOD_LOCUS_H

#include "keel/method.h"

/* The eigenvalue of M(z) with the largest modulus; INFINITY at a pole. */
void dominant_eigenvalue(const keel_general_linear *g, double re, double im, double *w_re,
                         double *w_im);

/* a_stable, l_stable, alpha and the limits; needs order, preconsistency, zero_stable, rho_infinity
 * and nilpotent. */
void find_general_stability(const keel_general_linear *g, keel_general_analysis *a);

#endif
