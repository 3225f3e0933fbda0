/* circle.h -- an index-2 problem with motion fast enough for methods of high order.
 *
 *   y = (cos w, sin w),  w = 2 t + sin t,  z = sin t,  p = z - sin t + (z^2 - sin^2 t) / 5
 *   y1' = -w' y2 + p y1 - (y1 - cos w) y2 / 2
 *   y2' =  w' y1 + p (y2 + 3 y1^2 / 10),   0 = (y1^2 + y2^2 - 1) / 2
 */
#ifndef KEEL_TEST_INTEGRATE_CIRCLE_H
#define KEEL_TEST_INTEGRATE_CIRCLE_H

#include "test/support/run.h"

static inline void circle_exact(double t, double *y)
{
    double w = 2 * t + sin(t);
    y[0] = cos(w);
    y[1] = sin(w);
    y[2] = sin(t);
}

static inline int circle_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    double x[3], speed = 2 + cos(t);
    circle_exact(t, x);
    double push = z[0] - x[2] + 0.2 * (z[0] * z[0] - x[2] * x[2]);
    f[0] = -speed * y[1] + push * y[0] - 0.5 * (y[0] - x[0]) * y[1];
    f[1] = speed * y[0] + push * (y[1] + 0.3 * y[0] * y[0]);
    return probed(context, RHS, t, f, 2);
}

static inline int circle_constraint(double t, const double *y, double *g, void *context)
{
    g[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1);
    return probed(context, CONSTRAINT, t, g, 1);
}

static inline int circle_g_y(double t, const double *y, double *G, void *context)
{
    G[0] = y[0];
    G[1] = y[1];
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 2);
}

static inline int make_circle(keel_problem **problem, derivatives d, probe *context)
{
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
        .rhs = circle_rhs, .constraint = circle_constraint,
        .constraint_jacobian = d == GIVEN ? circle_g_y : NULL,
        .constraint_time = d == GIVEN ? zero_g_t : NULL, .context = context});
}

static const form circle = {"circle, index 2", 3, make_circle, circle_exact};

#endif
