/* 13: a method of your own: Kutta's 3/8 rule as a tableau, analysed and run on a pendulum.
 *
 *   0   |
 *   1/3 |  1/3
 *   2/3 | -1/3   1
 *   1   |  1    -1    1
 *   ----+----------------------
 *       |  1/8  3/8  3/8  1/8        Kutta 1901 [Hairer, Norsett & Wanner 1993, II.1]
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double A[] = {0, 0, 0, 0,   1. / 3, 0, 0, 0,   -1. / 3, 1, 0, 0,   1, -1, 1, 0};
static const double b[] = {1. / 8, 3. / 8, 3. / 8, 1. / 8};

static int gravity(double t, const double *q, const double *v, double *f, void *context)
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

/* q1 at t = 2, computed with constant steps h. */
static double position(const keel_problem *pendulum, const keel_method *method, double h)
{
    double start[5] = {1, 0}, q1 = NAN;
    keel_solver *solver = NULL;
    int rc = keel_solver_create(&solver, pendulum, &(keel_options){.tableau = method, .step = h});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 2);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_message(solver));
    else q1 = keel_state(solver)[0];
    keel_solver_free(solver);
    return q1;
}

int main(void)
{
    keel_method *method = NULL;
    keel_problem *pendulum = NULL;
    keel_analysis found;
    int rc = keel_method_create(&method, &(keel_tableau){
        .name = "kutta-38", .stages = 4, .order = 4, .A = A, .b = b});
    if (rc) printf("%s\n", keel_method_message(method));
    if (!rc) rc = keel_method_analyse(method, &found);
    if (!rc) rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = gravity, .constraint = rod});
    if (!rc) {
        printf("order %d; |R(z)| <= 1 down to z = -%.3f and up to %.3f i\n", found.order,
               found.real_limit, found.imaginary_limit);
        double q[3];
        for (int k = 0; k < 3; k++) q[k] = position(pendulum, method, 0.1 / (1 << k));
        double order = log2((q[0] - q[1]) / (q[1] - q[2]));
        printf("q1(2) = %.7f, %.7f, %.7f with h = 0.1, 0.05, 0.025: order %.2f\n", q[0], q[1],
               q[2], order);
        rc = !(found.order == 4 && fabs(order - 4) < 0.3);
    }
    keel_problem_free(pendulum);
    keel_method_free(method);
    return rc != KEEL_OK;
}
