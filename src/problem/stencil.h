/* stencil.h -- differences along a line, in time with respect for the stop time.
 *
 *   x'(t)  ~ sum_k w_k (x(t+k d) - x(t-k d)) / d            of order 2, 4, 6, 8, inside
 *   x''(t) ~ sum_k w_k (x(t+k d) - 2 x(t) + x(t-k d)) / d^2 likewise
 *   x'(t)  ~ (25 x(t) - 48 x(t-d) + 36 x(t-2d) - 16 x(t-3d) + 3 x(t-4d)) / (12 d)
 *   x''(t) ~ (45 x(t) - 154 x(t-d) + 214 x(t-2d) - 156 x(t-3d) + 61 x(t-4d) - 10 x(t-5d))
 *            / (12 d^2)                                     of order 4, at the stop time
 * [Fornberg, Math. Comp. 51 (1988) 699]
 */
#ifndef KEEL_PROBLEM_STENCIL_H
#define KEEL_PROBLEM_STENCIL_H

#include "problem/problem.h"

enum { STENCIL_POINTS = 9 };

typedef struct stencil {
    int points;
    double shift[STENCIL_POINTS], weight[STENCIL_POINTS];
} stencil;

/* For the first or second derivative. */
stencil central_stencil(int derivative, int order, double delta);
stencil time_stencil(const evaluator *e, double t, int derivative, int order, double delta);
/* Largest e <= start with |e w_j| <= part reach_j; reach NULL: 1 + |x_j|. */
double line_increment(double start, double part, int size, const double *x, const double *reach,
                      const double *w);
/* Sets e->time_scale at the start, where no step size tells it and constraints are differentiated
 * in time: the largest scale on which differences of g have converged. */
int settle_time_scale(evaluator *e, double t, const double *y);

#endif
