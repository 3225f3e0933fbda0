/* attraction.h -- the discrete manifold of the multipliers, measured.
 *
 * A projected Runge-Kutta method with the recursion
 *
 *   l_(n+1) = R(inf) l_n + b^T A^-1 L
 *
 * has an invariant manifold l = psi_h(u,v) that attracts with a constant chi = |R(inf)| + O(h^q)
 * and lies O(h^(q-1)) from the hidden constraint l = psi_0(u,v), q the stage order [Schropp,
 * Konstanzer Schriften in Mathematik und Informatik 226 (2007), theorem 2.1].
 */
#ifndef KEEL_CLI_ATTRACTION_H
#define KEEL_CLI_ATTRACTION_H

#include "cli/target.h"

enum { ATTRACTION_POINTS = 5 };

/* Points of the solution from start to end [ATTRACTION_POINTS]. */
typedef struct attraction_points {
    double t[ATTRACTION_POINTS];
    double *y;                   /* [ATTRACTION_POINTS size]                           */
} attraction_points;

typedef struct attraction {
    long steps;
    double h;
    int status;
    char message[512];
    double chi;                  /* largest contraction factor over all points         */
    double excess;               /* largest |chi - |R(inf)|| over all points           */
    double distance;             /* largest |l - psi_0| over the second half           */
} attraction;

/* KEEL_OK, or a status with a sentence in message; free the points' y in either case. */
int attraction_find_points(attraction_points *points, const target *t, char *message, size_t size);

/* options: method, projection.  NAN for what could not be measured. */
void attraction_measure(attraction *a, const target *t, const keel_options *options,
                        const attraction_points *points, double r_infinity, long steps);

#endif
