/* 11: one pendulum, seven formulations: which constraints each keeps, and which drift away.
 *
 *   q'' = (0, -1) - 2 q lambda,   0 = |q|^2 - 1,     constant steps, no projection
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -1;
    return 0;
}

static int constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int constraint_jacobian(double t, const double *q, double *G, void *context)
{
    (void)t, (void)context;
    G[0] = 2 * q[0];
    G[1] = 2 * q[1];
    return 0;
}

/* Runs to t = 100 and gives |g| and |g'| there. */
static int run(const keel_problem *pendulum, const char *name, double level[2])
{
    double start[5] = {1, 0, 0, 0, 0}, y[8];
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    keel_options options = {.method = "radau-iia-3", .step = 0.05, .projection = KEEL_PROJECT_NONE};
    int rc = keel_formulate(&problem, pendulum, &(keel_formulation){.name = name});
    if (rc) printf("%s: %s\n", name, keel_problem_message(problem));
    if (!rc) {
        keel_formulation_from(problem, start, y);
        rc = keel_solver_create(&solver, problem, &options);
        if (!rc) rc = keel_start(solver, 0, y);
        if (!rc) rc = keel_advance_to(solver, 100);
        if (rc) printf("%s: %s\n", name, keel_message(solver));
    }
    if (!rc) {
        keel_formulation_to(problem, keel_state(solver), y);
        level[0] = fabs(y[0] * y[0] + y[1] * y[1] - 1);
        level[1] = fabs(2 * (y[0] * y[2] + y[1] * y[3]));
    }
    keel_solver_free(solver);
    keel_problem_free(problem);
    return rc;
}

int main(void)
{
    keel_problem *pendulum = NULL;
    int rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .force = force, .constraint = constraint, .constraint_jacobian = constraint_jacobian});
    printf("%-10s  %-9s %-9s  %s\n", "", "position", "velocity", "drifts, says theory");
    for (int i = 0; i < keel_formulation_count() && !rc; i++) {
        keel_formulation_info info;
        double level[2];
        keel_formulation_at(i, &info);
        keel_problem *probe = NULL;                  /* does it apply to mechanical problems? */
        int applies = keel_formulate(&probe, pendulum,
                                     &(keel_formulation){.name = info.name}) == KEEL_OK;
        keel_problem_free(probe);
        if (!applies) continue;
        rc = run(pendulum, info.name, level);
        if (!rc) printf("%-10s  %-9.1e %-9.1e  %s\n", info.name, level[0], level[1], info.drifts);
    }
    keel_problem_free(pendulum);
    return rc != KEEL_OK;
}
