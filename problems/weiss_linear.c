/* weiss_linear.c -- linear index-2 DAE, time-dependent in its algebraic part.
 *
 *   y' = z1                       0 = z1 + z3
 *   0  = z2 + eta x z3 - e^(-x)   0 = y - z2 - eta x z3
 *
 * The sum of the second and fourth equation gives y = e^(-x) without differentiation: index 1.
 * Its derivative gives z1 = y', hence z3 = -z1 and z2 = e^(-x) - eta x z3: index 2 (only the
 * combination z2 + eta x z3 has index 1).  So with x the time,
 *
 *   y = e^(-x),   z1 = -e^(-x),   z2 = (1 - eta x) e^(-x),   z3 = e^(-x).
 *
 * Weiss, dissertation, Universitaet Koeln 2007, (4.13), where the printed solution has e^x.
 */
#include <math.h>

#include "problems/circuits.h"

enum { SIZE = 4 };

static int mass(double x, const double *y, keel_matrix *M, void *context)
{
    (void)x, (void)y, (void)context;
    keel_put(M, 0, 0, 1);
    return 0;
}

static int rhs(double x, const double *y, double *f, void *context)
{
    const double eta = *(const double *)context, *z = y + 1;
    f[0] = z[0];
    f[1] = z[1] + eta * x * z[2] - exp(-x);
    f[2] = z[0] + z[2];
    f[3] = y[0] - z[1] - eta * x * z[2];
    return 0;
}

static int jacobian(double x, const double *y, keel_matrix *f_y, void *context)
{
    const double eta = *(const double *)context;
    (void)y;
    keel_put(f_y, 0, 1, 1);
    keel_put(f_y, 1, 2, 1);
    keel_put(f_y, 1, 3, eta * x);
    keel_put(f_y, 2, 1, 1);
    keel_put(f_y, 2, 3, 1);
    keel_put(f_y, 3, 0, 1);
    keel_put(f_y, 3, 2, -1);
    keel_put(f_y, 3, 3, -eta * x);
    return 0;
}

static const int variable_index[SIZE] = { 1, 2, 2, 2 };
static const char *const names[SIZE] = { "y", "z1", "z2", "z3" };

const keel_quasilinear_spec problem_weiss_linear_spec = {
    .size = SIZE, .mass = mass, .constant_mass = 1, .rhs = rhs, .jacobian = jacobian,
    .variable_index = variable_index, .names = names
};

static int create(keel_problem **problem, const double *parameters)
{
    keel_quasilinear_spec spec = problem_weiss_linear_spec;
    spec.context = (void *)parameters;
    return keel_quasilinear(problem, &spec);
}

static void exact(const double *parameters, double x, double *y)
{
    const double decay = exp(-x);
    y[0] = decay;
    y[1] = -decay;
    y[2] = (1 - parameters[0] * x) * decay;
    y[3] = decay;
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

static const keel_parameter parameters_[] = {
    { "eta", -0.75, "slope of the time-dependent coefficient" }
};

const keel_target problem_weiss_linear = {
    .name = "weiss-linear",
    .title = "linear index-2 system with a time-dependent algebraic part",
    .source = "Weiss 2007, dissertation, Universitaet Koeln, (4.13) (solution corrected)",
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 3,
    .parameter_count = 1, .parameters = parameters_,
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[SIZE]){ 1, 1, 1, 1 }
};
