/* 04: an invariant kept as an index-2 constraint: the energy of a pendulum stays what it was.
 *
 *   y' = (omega, -sin phi) + z grad H,   0 = H(y) - H(y0),   H = omega^2/2 - cos phi
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static double energy(const double *y) { return y[1] * y[1] / 2 - cos(y[0]); }

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1] + z[0] * sin(y[0]);
    f[1] = -sin(y[0]) + z[0] * y[1];
    return 0;
}

static int constraint(double t, const double *y, double *g, void *context)
{
    const double *start_energy = context;
    (void)t;
    g[0] = energy(y) - *start_energy;
    return 0;
}

static int constraint_jacobian(double t, const double *y, double *g_y, void *context)
{
    (void)t, (void)context;
    g_y[0] = sin(y[0]);
    g_y[1] = y[1];
    return 0;
}

int main(void)
{
    keel_problem *pendulum = NULL;
    keel_solver *solver = NULL;
    double start[3] = {2, 0, 0}, start_energy = energy(start), change = 1;
    int rc = keel_hessenberg2(&pendulum, &(keel_hessenberg2_spec){
        .differential = 2, .multipliers = 1, .rhs = rhs, .constraint = constraint,
        .constraint_jacobian = constraint_jacobian, .context = &start_energy});
    if (!rc) rc = keel_solver_create(&solver, pendulum, &(keel_options){.rtol = 1e-6});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 1000);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, pendulum, solver));
    else {
        change = fabs(energy(keel_state(solver)) - start_energy);
        printf("after 1000 s: energy changed by %.1e, z = %.1e\n", change, keel_state(solver)[2]);
    }
    keel_solver_free(solver);
    keel_problem_free(pendulum);
    return rc != KEEL_OK || change > 1e-13;
}
