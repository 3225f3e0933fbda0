/* robertson.c -- autocatalytic reaction with rates over nine orders of magnitude.
 *
 *   y1' = -0.04 y1 + 1e4 y2 z
 *   y2' =  0.04 y1 - 1e4 y2 z - 3e7 y2^2
 *   0   = y1 + y2 + z - 1
 *
 * The conservation of mass replaces the third rate equation.  Over t = 1e11 the unknowns
 * y1 and y2 fall to 1e-8 and 1e-13: absolute tolerances must be far below that.
 * Robertson 1966; [HW96 IV.1]; Test Set for IVP Solvers, release 2.4, Bari 2008.
 */
#include <string.h>

#include "problems/circuits.h"

enum { SIZE = 3 };

static const double k_1 = 0.04, k_2 = 3e7, k_3 = 1e4;

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    if (y[0] < 0 || y[1] < 0) return 1;          /* solutions with a negative one run off */
    const double back = k_3 * y[1] * z[0] - k_1 * y[0];
    f[0] = back;
    f[1] = -back - k_2 * y[1] * y[1];
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] + y[1] + z[0] - 1;
    return 0;
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *fg_yz, void *context)
{
    (void)t, (void)context;
    const double back[SIZE] = { -k_1, k_3 * z[0], k_3 * y[1] };
    for (int j = 0; j < SIZE; j++) {
        keel_put(fg_yz, 0, j, back[j]);
        keel_put(fg_yz, 1, j, -back[j]);
        keel_put(fg_yz, 2, j, 1);
    }
    keel_add(fg_yz, 1, 1, -2 * k_2 * y[1]);
    return 0;
}

static const char *const names[SIZE] = { "y1", "y2", "y3" };

const keel_semi_explicit_spec problem_robertson_spec = {
    .differential = 2, .algebraic = 1, .rhs = rhs, .constraint = constraint,
    .jacobian = jacobian, .names = names
};

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_semi_explicit(problem, &problem_robertson_spec);
}

static void start(const double *parameters, double *y)
{
    static const double y0[SIZE] = { 1, 0, 0 };
    (void)parameters;
    memcpy(y, y0, sizeof y0);
}

static const double end_values[SIZE] = {
    2.083340149701255e-8, 8.333360770334713e-14, 0.9999999791665050
};

static const keel_reference references[] = {
    { 1e11, end_values, 12, "Test Set for IVP Solvers" }
};

const keel_target problem_robertson = {
    .name = "robertson",
    .title = "autocatalytic reaction, rates over nine orders of magnitude",
    .source = "Robertson 1966; Hairer & Wanner 1996, IV.1; Test Set for IVP Solvers 2.4",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 1e11,
    .create = create, .start = start,
    .counts = (const unsigned char[SIZE]){ 1, 1, 1 },
    .reference_count = 1, .references = references
};
