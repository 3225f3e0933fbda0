/* prothero_robinson.c -- the stiff scalar equation whose solution does not feel the stiffness.
 *
 *   y' = lambda (y - phi(t)) + phi'(t),   phi(t) = sin(t + pi/4),   exact y = phi
 *
 * It shows order reduction: for lambda h -> -inf the error is that of the stage order.
 * Prothero & Robinson, Math. Comp. 28 (1974) 145-162; phi is our choice: smooth, with no
 * derivative that vanishes at the start.
 */
#include <math.h>

#include "problems/circuits.h"

static const double quarter_pi = 0.78539816339744830962;

static int rhs(double t, const double *y, double *f, void *context)
{
    const double lambda = *(const double *)context;
    f[0] = lambda * (y[0] - sin(t + quarter_pi)) + cos(t + quarter_pi);
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    (void)t, (void)y;
    keel_put(f_y, 0, 0, *(const double *)context);
    return 0;
}

static const char *const names[] = { "y" };

const keel_ode_spec problem_prothero_robinson_spec = {
    .size = 1, .rhs = rhs, .jacobian = jacobian, .names = names
};

static int create(keel_problem **problem, const double *parameters)
{
    keel_ode_spec spec = problem_prothero_robinson_spec;
    spec.context = (void *)parameters;
    return keel_ode(problem, &spec);
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = sin(t + quarter_pi);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

static const keel_parameter parameters_[] = { { "lambda", -1e6, "stiff eigenvalue" } };

const keel_target problem_prothero_robinson = {
    .name = "prothero-robinson",
    .title = "stiff scalar equation with a smooth solution, sin(t + pi/4)",
    .source = "Prothero & Robinson 1974, Math. Comp. 28",
    .index = 0, .size = 1, .t_start = 0, .t_end = 10,
    .parameter_count = 1, .parameters = parameters_,
    .live_parameters = 1,
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){ 1 }
};
