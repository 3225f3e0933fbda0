/* kepler.c -- a planet about a fixed sun, an ODE with two invariants.
 *
 *   q'' = -q / |q|^3,   0 = |v|^2/2 - 1/|q| - E,   0 = q1 v2 - q2 v1 - L
 *
 * from perihelion of an ellipse with half axis 1 and eccentricity e: E = -1/2, L^2 = 1 - e^2, period
 * 2 pi.  With u - e sin u = t (Kepler's equation): q = (cos u - e, L sin u).  Invariants as
 * constraints: Bendtsen & Thomsen (eds.), IMM-REP-1999-8, chapter 8.
 */
#include "problems/list.h"

#include <math.h>

static int rhs(double t, const double *y, double *f, void *context)
{
    const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    (void)t, (void)context;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / r3;
    f[3] = -y[1] / r3;
    return 0;
}

static double momentum(const double *parameters)
{
    return sqrt(1 - parameters[0] * parameters[0]);
}

static int invariant(double t, const double *y, double *phi, void *context)
{
    (void)t;
    phi[0] = (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / hypot(y[0], y[1]) + 0.5;
    phi[1] = y[0] * y[3] - y[1] * y[2] - momentum(context);
    return 0;
}

static int invariant_jacobian(double t, const double *y, double *phi_y, void *context)
{
    const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    const double rows[8] = {y[0] / r3, y[1] / r3, y[2], y[3], y[3], -y[2], -y[1], y[0]};
    (void)t, (void)context;
    for (int i = 0; i < 8; i++) phi_y[i] = rows[i];
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"q1", "q2", "v1", "v2"};
    static const char *const rows[] = {"energy", "momentum"};
    return keel_ode(problem, &(keel_ode_spec){
        .size = 4, .rhs = rhs, .names = names, .context = (void *)parameters,
        .attached = {.rows = 2, .value = invariant, .jacobian = invariant_jacobian, .names = rows}});
}

static void exact(const double *parameters, double t, double *y)
{
    const double e = parameters[0], L = momentum(parameters);
    double u = t + e * sin(t);
    for (int k = 0; k < 50; k++) u -= (u - e * sin(u) - t) / (1 - e * cos(u));
    const double r = 1 - e * cos(u);
    y[0] = cos(u) - e;
    y[1] = L * sin(u);
    y[2] = -sin(u) / r;
    y[3] = L * cos(u) / r;
}

static void start(const double *parameters, double *y)
{
    exact(parameters, 0, y);
}

const keel_target problem_kepler = {
    .name = "kepler",
    .title = "planet about a fixed sun, with energy and angular momentum as invariants",
    .source = "J. Kepler, Astronomia nova (1609); invariants: IMM-REP-1999-8, chapter 8",
    .index = 0, .size = 4, .t_start = 0, .t_end = 20,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"e", 0.5, "eccentricity of the ellipse"}},
    .live_parameters = 1,
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){1, 1, 1, 1},
};
