/* van_der_pol.c -- the van der Pol oscillator for small eps, and its limit.
 *
 *   van-der-pol       y1' = y2,  y2' = ((1 - y1^2) y2 - y1)/eps        a stiff ODE
 *   van-der-pol-spp   y' = z,    eps z' = (1 - y^2) z - y              singularly perturbed
 *   van-der-pol-dae   y' = z,    0 = (1 - y^2) z - y                   eps = 0, index 1
 *   van-der-pol-lienard  y' = -z,  0 = y + z - z^3/3                   eps = 0, from eps z'
 *   van-der-pol-mu    y1' = y2,  y2' = mu (1 - y1^2) y2 - y1           not scaled, mu^2 = 1/eps
 *
 * The reduced system has the singular points |y| = 1, where g_z = 1 - y^2 vanishes and z is
 * infinite. From y = 2 it follows ln y - y^2/2 = t + ln 2 - 2 and reaches y = 1 at t = 3/2 - ln 2
 * = 0.807; the interval ends before.  In the plane of Lienard z takes the place of y, and |z| = 1
 * are accessible impasse points; from there z jumps to the other branch, from 1 to -2 and from -1
 * to 2, which is the relaxation oscillation of period 3 - 2 ln 2.  As an index-1 problem uniformly
 * in eps the singularly perturbed form is listed with index 1, though for eps > 0 its mass matrix
 * is regular. [HW96 IV.1, VI.1]; data: Mazzia & Magherini, Test Set for IVP Solvers 2.4, Bari 2008
 * (VDPOL).
 */
#include <math.h>

#include "problems/circuits.h"

static double relaxation(const double *y) { return (1 - y[0] * y[0]) * y[1] - y[0]; }

static void put_relaxation_gradient(keel_matrix *J, const double *y, double scale)
{
    keel_put(J, 1, 0, scale * (-2 * y[0] * y[1] - 1));
    keel_put(J, 1, 1, scale * (1 - y[0] * y[0]));
}

/* The stiff ODE. */

static int ode_rhs(double t, const double *y, double *f, void *context)
{
    const double eps = *(const double *)context;
    (void)t;
    f[0] = y[1];
    f[1] = relaxation(y) / eps;
    return 0;
}

static int ode_jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    (void)t;
    keel_put(f_y, 0, 1, 1);
    put_relaxation_gradient(f_y, y, 1 / *(const double *)context);
    return 0;
}

/* The singularly perturbed system, mass matrix diag(1, eps). */

static int spp_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y;
    keel_put(M, 0, 0, 1);
    keel_put(M, 1, 1, *(const double *)context);
    return 0;
}

static int spp_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = relaxation(y);
    return 0;
}

static int spp_jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    (void)t, (void)context;
    keel_put(f_y, 0, 1, 1);
    put_relaxation_gradient(f_y, y, 1);
    return 0;
}

/* The limit eps = 0. */

static int dae_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0];
    return 0;
}

static int dae_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = relaxation((const double[]){ y[0], z[0] });
    return 0;
}

static int dae_jacobian(double t, const double *y, const double *z, keel_matrix *fg_yz,
                        void *context)
{
    (void)t, (void)context;
    keel_put(fg_yz, 0, 1, 1);
    put_relaxation_gradient(fg_yz, (const double[]){ y[0], z[0] }, 1);
    return 0;
}

/* Lienard's plane. */

static int lienard_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = -z[0];
    return 0;
}

static int lienard_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] + z[0] * (1 - z[0] * z[0] / 3);
    return 0;
}

static int lienard_jacobian(double t, const double *y, const double *z, keel_matrix *fg_yz,
                            void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(fg_yz, 0, 1, -1);
    keel_put(fg_yz, 1, 0, 1);
    keel_put(fg_yz, 1, 1, 1 - z[0] * z[0]);
    return 0;
}

/* Time not scaled. */

static int mu_rhs(double t, const double *y, double *f, void *context)
{
    const double mu = *(const double *)context;
    (void)t;
    f[0] = y[1];
    f[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
    return 0;
}

static int mu_jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    const double mu = *(const double *)context;
    (void)t;
    keel_put(f_y, 0, 1, 1);
    keel_put(f_y, 1, 0, -2 * mu * y[0] * y[1] - 1);
    keel_put(f_y, 1, 1, mu * (1 - y[0] * y[0]));
    return 0;
}

/* Newton for F(y) = ln y - y^2/2 - (t + ln 2 - 2).  For t >= 0, F is concave, decreasing and not
 * positive at y = 2, so the iteration falls monotonically to the root in (1, 2]. */
static void dae_exact(const double *parameters, double t, double *y)
{
    const long double level = (long double)t + logl(2) - 2;
    long double u = 2, step;
    (void)parameters;
    int iterations = 0;
    do {
        step = (logl(u) - u * u / 2 - level) / (1 / u - u);
        u -= step;
    } while (fabsl(step) > 1e-18L * u && ++iterations < 100);
    y[0] = (double)u;
    y[1] = (double)(u / (1 - u * u));
}

/* One half of the period after the other, with the jumps in between. */
static void lienard_exact(const double *parameters, double t, double *y)
{
    const double half = 1.5 - 0.69314718055994530942, count = fmax(0, floor(t / half));
    const double sign = fmod(count, 2) == 0 ? 1 : -1;
    double branch[2];
    dae_exact(parameters, t - count * half, branch);
    y[1] = sign * branch[0];
    y[0] = y[1] * (y[1] * y[1] / 3 - 1);
}

static const char *const ode_names[] = { "y1", "y2" };
static const char *const names[] = { "y", "z" };

const keel_ode_spec problem_van_der_pol_spec = {
    .size = 2, .rhs = ode_rhs, .jacobian = ode_jacobian, .names = ode_names
};

const keel_quasilinear_spec problem_van_der_pol_spp_spec = {
    .size = 2, .mass = spp_mass, .constant_mass = 1, .rhs = spp_rhs, .jacobian = spp_jacobian,
    .names = names
};

const keel_semi_explicit_spec problem_van_der_pol_dae_spec = {
    .differential = 1, .algebraic = 1, .rhs = dae_rhs, .constraint = dae_constraint,
    .jacobian = dae_jacobian, .names = names
};

const keel_semi_explicit_spec problem_van_der_pol_lienard_spec = {
    .differential = 1, .algebraic = 1, .rhs = lienard_rhs, .constraint = lienard_constraint,
    .jacobian = lienard_jacobian, .names = names
};

const keel_ode_spec problem_van_der_pol_mu_spec = {
    .size = 2, .rhs = mu_rhs, .jacobian = mu_jacobian, .names = ode_names
};

static int create_ode(keel_problem **problem, const double *parameters)
{
    keel_ode_spec spec = problem_van_der_pol_spec;
    spec.context = (void *)parameters;
    return keel_ode(problem, &spec);
}

static int create_spp(keel_problem **problem, const double *parameters)
{
    keel_quasilinear_spec spec = problem_van_der_pol_spp_spec;
    spec.context = (void *)parameters;
    return keel_quasilinear(problem, &spec);
}

static int create_dae(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_semi_explicit(problem, &problem_van_der_pol_dae_spec);
}

static int create_lienard(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_semi_explicit(problem, &problem_van_der_pol_lienard_spec);
}

static int create_mu(keel_problem **problem, const double *parameters)
{
    keel_ode_spec spec = problem_van_der_pol_mu_spec;
    spec.context = (void *)parameters;
    return keel_ode(problem, &spec);
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[0] = 2;
    y[1] = 0;
}

static void start_dae(const double *parameters, double *y) { dae_exact(parameters, 0, y); }
static void start_lienard(const double *parameters, double *y) { lienard_exact(parameters, 0, y); }

static const keel_parameter parameters_[] = { { "eps", 1e-6, "small parameter" } };
static const keel_parameter mu_parameters[] = { { "mu", 5, "strength of the damping" } };

static const double end_values[] = { 0.1706167732170483e1, -0.8928097010247975e0 };

static const keel_reference references[] = {
    { 2, end_values, 12, "Test Set for IVP Solvers (VDPOL)" }
};

/* Taylor series with 30 digits (mpmath's odefun). */
static const double mu_values[] = { -1.15870126603099080, 0.430469808979142396 };

static const keel_reference mu_references[] = {
    { 10, mu_values, 16, "Taylor series, 30 digits" }
};

const keel_target problem_van_der_pol = {
    .name = "van-der-pol",
    .title = "van der Pol oscillator as a stiff ODE, eps = 1e-6",
    .source = "Hairer & Wanner 1996, IV.1; Test Set for IVP Solvers 2.4 (VDPOL)",
    .index = 0, .size = 2, .t_start = 0, .t_end = 2,
    .parameter_count = 1, .parameters = parameters_,
    .create = create_ode, .start = start,
    .counts = (const unsigned char[]){ 1, 1 },
    .reference_count = 1, .references = references
};

const keel_target problem_van_der_pol_spp = {
    .name = "van-der-pol-spp",
    .title = "van der Pol oscillator as a singularly perturbed system, eps = 1e-6",
    .source = "Hairer & Wanner 1996, VI.1; Test Set for IVP Solvers 2.4 (VDPOL)",
    .index = 1, .size = 2, .t_start = 0, .t_end = 2,
    .parameter_count = 1, .parameters = parameters_,
    .create = create_spp, .start = start,
    .counts = (const unsigned char[]){ 1, 1 },
    .reference_count = 1, .references = references
};

const keel_target problem_van_der_pol_dae = {
    .name = "van-der-pol-dae",
    .title = "reduced van der Pol system, eps = 0, before its impasse point",
    .source = "Hairer & Wanner 1996, VI.1",
    .index = 1, .size = 2, .t_start = 0, .t_end = 0.5,
    .create = create_dae, .start = start_dae, .exact = dae_exact,
    .counts = (const unsigned char[]){ 1, 1 }
};

const keel_target problem_van_der_pol_lienard = {
    .name = "van-der-pol-lienard",
    .title = "van der Pol oscillator with eps = 0 in Lienard's plane",
    .source = "Hairer & Wanner 1996, VI.1",
    .index = 1, .size = 2, .t_start = 0, .t_end = 0.5,
    .create = create_lienard, .start = start_lienard, .exact = lienard_exact,
    .counts = (const unsigned char[]){ 1, 1 }
};

const keel_target problem_van_der_pol_mu = {
    .name = "van-der-pol-mu",
    .title = "van der Pol oscillator, mu = 5, time not scaled",
    .source = "Bendtsen & Thomsen (eds.), IMM-REP-1999-8, 1.3",
    .index = 0, .size = 2, .t_start = 0, .t_end = 10,
    .parameter_count = 1, .parameters = mu_parameters,
    .create = create_mu, .start = start,
    .counts = (const unsigned char[]){ 1, 1 },
    .reference_count = 1, .references = mu_references
};
