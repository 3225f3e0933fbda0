/* 05: index 3 beyond mechanics: a pendulum at the speed of light, with momentum p for v.
 *
 *   u' = p / sqrt(1 + |p|^2),   p' = (0, -1) - 2 u lambda,   0 = |u|^2 - 1     (c = 1)
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static double energy(const double *u, const double *p)
{
    return sqrt(1 + p[0] * p[0] + p[1] * p[1]) + u[1];
}

static int position_rate(double t, const double *u, const double *p, double *f, void *context)
{
    double gamma = sqrt(1 + p[0] * p[0] + p[1] * p[1]);
    (void)t, (void)u, (void)context;
    for (int i = 0; i < 2; i++) f[i] = p[i] / gamma;
    return 0;
}

static int momentum_rate(double t, const double *u, const double *p, const double *l, double *k,
                         void *context)
{
    (void)t, (void)p, (void)context;
    for (int i = 0; i < 2; i++) k[i] = -2 * u[i] * l[0] - i;
    return 0;
}

static int constraint(double t, const double *u, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

int main(void)
{
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    double start[5] = {1, 0, 0, 3, 0}, before = energy(start, start + 2), change = 1;
    int rc = keel_hessenberg3(&problem, &(keel_hessenberg3_spec){
        .positions = 2, .velocities = 2, .multipliers = 1, .position_rate = position_rate,
        .velocity_rate = momentum_rate, .constraint = constraint});
    if (!rc) rc = keel_solver_create(&solver, problem, &(keel_options){.rtol = 1e-8});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 20);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, problem, solver));
    else {
        const double *largest = keel_solver_stats(solver)->residual, *y = keel_state(solver);
        change = fabs(energy(y, y + 2) - before);
        printf("largest residuals: position %.1e, velocity %.1e, acceleration %.1e\n"
               "energy changed by %.1e\n", largest[0], largest[1], largest[2], change);
    }
    keel_solver_free(solver);
    keel_problem_free(problem);
    return rc != KEEL_OK || change > 1e-4;
}
