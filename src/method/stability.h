/* stability.h -- linear stability of a method, from its stability function R(z). */
#ifndef KEEL_STABILITY_H
#define KEEL_STABILITY_H

#include "keel/method.h"

/* R(inf), or NAN where R has a pole there. */
double r_infinity_of(const keel_tableau *tableau);

/* Whether A is invertible, an explicit first stage left out. */
int stages_invertible(const keel_tableau *tableau);

/* a_stable, l_stable, alpha and the limits; needs order, r_infinity and eigenvalues. */
void find_stability(const keel_tableau *tableau, keel_analysis *analysis);

#endif
