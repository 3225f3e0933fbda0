/* 01: a pendulum in Cartesian coordinates: give the constraint, the library keeps it. */
#include <keel/keel.h>
#include <stdio.h>

static int gravity(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0, f[1] = -9.81;
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

int main(void)
{
    keel_problem *pendulum = NULL;               /* q'' = f - G^T lambda, 0 = g(q) */
    keel_solver *solver = NULL;
    double start[5] = {1, 0};                    /* q, v, lambda: lambda need not be known */
    int rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = gravity, .constraint = rod});
    if (!rc) rc = keel_solver_create(&solver, pendulum, &(keel_options){.rtol = 1e-8});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 10);
    if (!rc) {
        const double *q = keel_state(solver), *largest = keel_solver_stats(solver)->residual;
        printf("q(10) = (%.8f, %.8f); over all steps |g| <= %.1e, |G v| <= %.1e\n", q[0], q[1],
               largest[0], largest[1]);
    } else printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, pendulum, solver));
    keel_solver_free(solver);
    keel_problem_free(pendulum);
    return rc != KEEL_OK;
}
