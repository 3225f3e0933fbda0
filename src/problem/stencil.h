/* stencil.h -- five-point differences in time that respect the stop time.
 *
 *   x'(t) ~ (8 (x(t+d) - x(t-d)) - (x(t+2d) - x(t-2d))) / (12 d)                 inside
 *   x'(t) ~ (25 x(t) - 48 x(t-d) + 36 x(t-2d) - 16 x(t-3d) + 3 x(t-4d)) / (12 d)  at the stop time
 */
#ifndef KEEL_PROBLEM_STENCIL_H
#define KEEL_PROBLEM_STENCIL_H

#include "problem/problem.h"

typedef struct stencil {
    int points;
    double shift[5], weight[5];
} stencil;

stencil time_stencil(const evaluator *e, double t, double delta);
/* The first one in another variable than time. */
stencil central_stencil(double delta);
/* Sets e->time_scale at the start, where no step size tells it and constraints are differentiated
 * in time: the largest scale on which differences of g have converged. */
int settle_time_scale(evaluator *e, double t, const double *y);

#endif
