/* order.h -- problems with a chosen solution, for measuring orders of convergence.
 *
 * Every unknown follows a curve x_i(t) = 1 + a_i sin(w_i t + p_i), between 1/2 and 3/2, whatever
 * the equations: y' = F(y,z) + r(t) with r(t) = x'(t) - F(x(t)), and 0 = G(y) - G(x(t)).  F and G
 * are nonlinear and couple all unknowns; frequencies and phases have no simple ratios, so that no
 * term of an error vanishes by accident.
 */
#ifndef KEEL_PROBLEMS_ORDER_H
#define KEEL_PROBLEMS_ORDER_H

#include "problems/list.h"

#include <math.h>

typedef struct order_curve { double amplitude, frequency, phase; } order_curve;

/* Values, rates and accelerations of n curves at t. */
static inline void order_values(const order_curve *x, int n, double t, double *value)
{
    for (int i = 0; i < n; i++)
        value[i] = 1 + x[i].amplitude * sin(x[i].frequency * t + x[i].phase);
}

static inline void order_rates(const order_curve *x, int n, double t, double *rate)
{
    for (int i = 0; i < n; i++)
        rate[i] = x[i].amplitude * x[i].frequency * cos(x[i].frequency * t + x[i].phase);
}

static inline void order_accelerations(const order_curve *x, int n, double t, double *acceleration)
{
    for (int i = 0; i < n; i++)
        acceleration[i] = -x[i].amplitude * x[i].frequency * x[i].frequency *
                          sin(x[i].frequency * t + x[i].phase);
}

/* The specs, for tests of their callbacks. */
extern const keel_ode_spec problem_order_ode_spec;
extern const keel_semi_explicit_spec problem_order_index1_spec;
extern const keel_hessenberg2_spec problem_order_index2_spec, problem_order_index2_nonlinear_spec;
extern const keel_hessenberg3_spec problem_order_index3_spec, problem_order_index3_nonlinear_spec;

#endif
