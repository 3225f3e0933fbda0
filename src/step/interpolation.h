/* interpolation.h -- dense output: the polynomial through y_n and the stage values.
 *
 * Nodes 0, c_1, ..., c_s on the step [t0, t0 + h]; the value at the last node is the accepted
 * (projected) one, so that the output is continuous.  The same polynomial, extrapolated, gives
 * the start values of Newton's method in the next step.
 */
#ifndef KEEL_STEP_INTERPOLATION_H
#define KEEL_STEP_INTERPOLATION_H

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

/* Cubic Hermite interpolation as values at these nodes. */
enum { HERMITE_POINTS = 4 };
extern const double hermite_nodes[HERMITE_POINTS], hermite_barycentric[HERMITE_POINTS];

/* The cubic with values y0, y1 and slopes f0, f1 at the ends of a step h [HNW93 II.6 (6.7)]. */
static inline double hermite(double theta, double h, double y0, double y1, double f0, double f1)
{
    double rise = y1 - y0;
    return y0 + theta * rise + theta * (theta - 1) * ((1 - 2 * theta) * rise
                                                      + h * ((theta - 1) * f0 + theta * f1));
}

#endif
