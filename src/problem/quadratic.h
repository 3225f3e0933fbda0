/* quadratic.h -- is a function a quadratic polynomial, and if so, which?
 *
 *   P(x) = g_0 + G_0 s + s^T H s / 2,    P'(x) = G_0 + H s,    s = x - x_0
 *
 * Rods, joints in Cartesian or natural coordinates and normed quaternions are quadratic.  Then the
 * derivatives follow exactly from n (n + 3) / 2 + 6 values, whose increments may be long.  Every
 * later value of g is a test of P: quadratic_agrees.
 */
#ifndef KEEL_PROBLEM_QUADRATIC_H
#define KEEL_PROBLEM_QUADRATIC_H

#include "problem/difference.h"

typedef struct quadratic {
    int rows, size;
    double length;               /* of the increments                                      */
    double *x, *g, *G, *H;       /* [n], [m], [m n], [m n n]                               */
    double *line;                /* [5 m] scratch: values along a line                     */
    double *w, *slope;           /* [n] its direction, [m n] P' there                      */
} quadratic;

int quadratic_fits(int rows, int size);          /* into the memory allowed for it          */
void quadratic_layout(arena *a, quadratic *p, int rows, int size);
/* *found = 1 if the function of d is quadratic around d->x.  Returns as eval_*. */
int quadratic_learn(quadratic *p, const difference *d, int *found);
/* P against a value that it does not come from, at d->t. */
int quadratic_confirm(quadratic *p, const difference *d, int *found);
void quadratic_jacobian(const quadratic *p, const double *x, double *G);
/* v^T H v */
void quadratic_curvature(const quadratic *p, const double *v, double *value);
/* Is the value g at x, where P' = G, that of P, but for rounding? */
int quadratic_agrees(const quadratic *p, const double *x, const double *g, const double *G);

#endif
