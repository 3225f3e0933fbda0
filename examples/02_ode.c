/* 02: a stiff ODE (Robertson's reaction) with its Jacobian and a tolerance for each unknown. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static int rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    const double row[2][3] = {{-0.04, 1e4 * y[2], 1e4 * y[1]}, {0, 6e7 * y[1], 0}};
    (void)t, (void)context;
    for (int j = 0; j < 3; j++) {
        keel_put(f_y, 0, j, row[0][j]);
        keel_put(f_y, 1, j, -row[0][j] - row[1][j]);
        keel_put(f_y, 2, j, row[1][j]);
    }
    return 0;
}

int main(void)
{
    keel_problem *reaction = NULL;
    keel_solver *solver = NULL;
    const double start[3] = {1, 0, 0}, atol[3] = {1e-8, 1e-12, 1e-8};
    int rc = keel_ode(&reaction, &(keel_ode_spec){.size = 3, .rhs = rhs, .jacobian = jacobian});
    if (!rc) rc = keel_solver_create(&solver, reaction,
                                     &(keel_options){.rtol = 1e-7, .atol_each = atol});
    if (!rc) rc = keel_start(solver, 0, start);
    for (double t = 0.4; t < 5e5 && !rc; t *= 10) {
        rc = keel_advance_to(solver, t);
        const double *y = keel_state(solver);
        if (!rc) printf("t = %-8g y = %.6f  %.6e  %.6f\n", t, y[0], y[1], y[2]);
        if (!rc && fabs(y[0] + y[1] + y[2] - 1) > 1e-10) rc = KEEL_NOT_CONVERGED;
    }
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, reaction, solver));
    else printf("%ld steps, %ld right-hand sides\n", keel_solver_stats(solver)->accepted,
                keel_solver_stats(solver)->rhs);
    keel_solver_free(solver);
    keel_problem_free(reaction);
    return rc != KEEL_OK;
}
