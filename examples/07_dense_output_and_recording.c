/* 07: values between steps: inside the last step, from a recording, and projected ones. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0, f[1] = -1;
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static double distance(const double *q) { return fabs(q[0] * q[0] + q[1] * q[1] - 1); }

int main(void)
{
    keel_problem *pendulum = NULL;
    keel_solver *solver = NULL;
    keel_solution *solution = NULL;
    double y[5] = {1, 0}, t = 0, off = 1;
    int rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = rod});
    if (!rc) rc = keel_solver_create(&solver, pendulum, &(keel_options){.rtol = 1e-6});
    if (!rc) rc = keel_start(solver, 0, y);
    if (!rc) rc = keel_solution_create(&solution, solver);
    while (!rc && keel_time(solver) < 5) {       /* steps as the solver likes them */
        rc = keel_step(solver);
        if (!rc) rc = keel_solution_append(solution, solver);
        for (; !rc && t <= keel_time(solver); t += 1) {
            rc = keel_interpolate_projected(solver, t, y);   /* on the rod, as steps are */
            printf("t = %g  q = (%.6f, %.6f)  |g| = %.1e\n", t, y[0], y[1], distance(y));
        }
    }
    if (!rc) rc = keel_solution_at(solution, 2.5, y);      /* any time, later: the polynomial, */
    if (!rc) {
        printf("recorded %d steps; at t = 2.5 |g| = %.1e", keel_solution_steps(solution),
               distance(y));
        rc = keel_solution_at_projected(solution, solver, 2.5, y);    /* or on the constraints */
        off = distance(y);
        printf(", projected %.1e\n", off);
    }
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, pendulum, solver));
    keel_solution_free(solution);
    keel_solver_free(solver);
    keel_problem_free(pendulum);
    return rc != KEEL_OK || off > 1e-14;
}
