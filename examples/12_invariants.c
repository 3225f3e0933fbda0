/* 12: an ODE with invariants: a planet whose energy and angular momentum are known.
 *
 *   q' = v,  v' = -q / |q|^3,     0 = v^2/2 - 1/|q| + 1/2,  0 = q1 v2 - q2 v1 - sqrt(1 - e^2)
 *
 * as it is, as an index-2 problem, and with an attracting term in the ODE; nothing projected.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double eccentricity = 0.5;

static int gravity(double t, const double *y, double *f, void *context)
{
    double r = hypot(y[0], y[1]), cube = r * r * r;
    (void)t, (void)context;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / cube;
    f[3] = -y[1] / cube;
    return 0;
}

static int conserved(double t, const double *y, double *phi, void *context)
{
    (void)t, (void)context;
    phi[0] = 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1 / hypot(y[0], y[1]) + 0.5;
    phi[1] = y[0] * y[3] - y[1] * y[2] - sqrt(1 - eccentricity * eccentricity);
    return 0;
}

/* The largest invariant after ten revolutions, or -1. */
static double run(const keel_problem *problem)
{
    double y[6] = {1 - eccentricity, 0, 0, sqrt((1 + eccentricity) / (1 - eccentricity)), 0, 0};
    double phi[2], largest = -1;
    keel_solver *solver = NULL;
    keel_options options = {.method = "radau-iia-3", .rtol = 1e-6, .projection = KEEL_PROJECT_NONE};
    int rc = keel_solver_create(&solver, problem, &options);
    if (!rc) rc = keel_start(solver, 0, y);
    if (!rc) rc = keel_advance_to(solver, 62.83185307);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, problem, solver));
    else {
        conserved(0, keel_state(solver), phi, NULL);
        largest = fmax(fabs(phi[0]), fabs(phi[1]));
    }
    keel_solver_free(solver);
    return largest;
}

int main(void)
{
    keel_problem *planet = NULL, *kept = NULL, *attracted = NULL;
    int rc = keel_ode(&planet, &(keel_ode_spec){.size = 4, .rhs = gravity, .invariants = 2,
                                                .invariant = conserved});
    if (!rc) rc = keel_formulate(&kept, planet, &(keel_formulation){.name = "invariants"});
    if (!rc) rc = keel_formulate(&attracted, planet, &(keel_formulation){.name = "stabilised"});
    double plain = rc ? -1 : run(planet), index2 = rc ? -1 : run(kept);
    double stabilised = rc ? -1 : run(attracted);
    printf("invariants are violated by\n  ODE %.1e   index 2 %.1e   stabilised %.1e\n", plain,
           index2, stabilised);
    keel_problem_free(attracted);
    keel_problem_free(kept);
    keel_problem_free(planet);
    return !(index2 >= 0 && index2 < 1e-2 * plain && stabilised >= 0 && stabilised < plain);
}
