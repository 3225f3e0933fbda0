/* 06: F(t,y,y') = 0, nonlinear in y': Clairaut's equation y = t y' - y'^2/2.
 *
 * Two slopes, 3 and -1, fit y(1) = -3/2; the guess of y' chooses the line y = -t - 1/2.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)context;
    F[0] = t * yp[0] - yp[0] * yp[0] / 2 - y[0];
    return 0;
}

static int jacobian(double t, const double *y, const double *yp, double shift, keel_matrix *J,
                    void *context)
{
    (void)y, (void)context;
    keel_put(J, 0, 0, -1 + shift * (t - yp[0]));
    return 0;
}

int main(void)
{
    keel_problem *clairaut = NULL;
    keel_solver *solver = NULL;
    const double y = -1.5, yp = -0.8;
    double error = 1;
    int rc = keel_implicit(&clairaut, &(keel_implicit_spec){
        .size = 1, .residual = residual, .jacobian = jacobian});
    if (!rc) rc = keel_solver_create(&solver, clairaut, &(keel_options){.rtol = 1e-8});
    if (!rc) rc = keel_start_marked(solver, 1, &y, &yp, NULL);
    if (!rc) rc = keel_advance_to(solver, 5);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, clairaut, solver));
    else {
        error = fabs(keel_state(solver)[0] + 5.5);
        printf("y(5) = %.10f, error %.1e\n", keel_state(solver)[0], error);
    }
    keel_solver_free(solver);
    keel_problem_free(clairaut);
    return rc != KEEL_OK || error > 1e-7;
}
