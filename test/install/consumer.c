/* consumer.c -- y' = -y (cos^2 t + sin^2 t) as a user of the installed library writes it: with
 * functions of libm, which every documented way to link has to bring along. */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

static int decay(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = -y[0] * (cos(t) * cos(t) + sin(t) * sin(t));
    return 0;
}

int main(void)
{
    const double exact = 0.36787944117144233;            /* exp(-1) */
    double y = 1;
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    int status = keel_ode(&problem, &(keel_ode_spec){.size = 1, .rhs = decay});
    if (!status)
        status = keel_solver_create(&solver, problem, &(keel_options){.rtol = 1e-8, .atol = 1e-8});
    if (!status) status = keel_start(solver, 0, &y);
    if (!status) status = keel_advance_to(solver, 1);
    double error = status ? 1 : keel_state(solver)[0] - exact;
    printf("keel %s: %s, error %.1e\n", keel_version(), keel_status_name(status), error);
    keel_solver_free(solver);
    keel_problem_free(problem);
    return status || error > 1e-7 || error < -1e-7;
}
