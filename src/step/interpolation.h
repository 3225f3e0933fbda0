/* interpolation.h -- dense output: the polynomial through y_n and the stage values.
 *
 * Nodes 0, c_1, ..., c_s on the step [t0, t0 + h]; the value at the last node is the accepted
 * (projected) one, so that the output is continuous.  The same polynomial, extrapolated, gives
 * the start values of Newton's method in the next step.
 */
#ifndef KEEL_STEP_INTERPOLATION_H
#define KEEL_STEP_INTERPOLATION_H

#include "core/arena.h"

enum { POINTS_MOST = 40 };

typedef struct interpolant {
    double t0, h;
    int points;                  /* at most POINTS_MOST; 0: no step yet                    */
    const double *nodes;         /* [points], from 0 to 1                                  */
    const double *barycentric;   /* [points] weights of those nodes                        */
    double *values;              /* [points n], node-major                                 */
} interpolant;

/* w_j = 1 / prod_{k != j} (x_j - x_k) */
void barycentric_weights(int points, const double *nodes, double *weights);
/* lagrange[j] = value at theta of the polynomial that is 1 at node j and 0 at the others. */
void lagrange_at(int points, const double *nodes, const double *barycentric, double theta,
                 double *lagrange);
/* y at t0 + theta h. */
void interpolant_at(const interpolant *p, int n, double theta, double *y);

#endif
