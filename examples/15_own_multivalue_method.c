/* 15: multistep and general linear methods of your own, on a bead that is held on a circle by z,
 *
 *   y' = (-y2, y1) + (sin t + z) y,   0 = |y|^2 - 1:   y = (cos t, sin t),  z = -sin t   (index 2)
 *
 * A blocked multistep method,
 *
 *   sum_j alpha_j y_(n+j) = h sum_j beta_j f_(n+j) - h f_z sum_j gamma_j z_(n+j),
 *
 * the difference corrected BDF of two steps, of order 3 in y and 2 in z [Arevalo, Fuehrer &
 * Soederlind 1996].  And a general linear method: collocation at 1/2 and 1 by the cubic that goes
 * through y_n and y_(n-1), too; it carries these two, as W says.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double alpha[] = {1. / 2, -2, 3. / 2}, beta[] = {-1. / 3, 2. / 3, 2. / 3},
                    gamma_[] = {-1. / 3, 2. / 3, -1. / 3};
static const double A[] = {21. / 38, -9. / 76,   16. / 19, 2. / 19},
                    U[] = {81. / 76, -5. / 76,   20. / 19, -1. / 19},
                    B[] = {16. / 19, 2. / 19,   0, 0},
                    V[] = {20. / 19, -1. / 19,   1, 0},
                    c[] = {1. / 2, 1},
                    W[] = {1, 0, 0, 0,   1, -1, 1. / 2, -1. / 6};

static int motion(double t, const double *y, const double *z, double *f, void *context)
{
    (void)context;
    f[0] = -y[1] + (sin(t) + z[0]) * y[0];
    f[1] = y[0] + (sin(t) + z[0]) * y[1];
    return 0;
}

static int circle(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

/* Errors of y and z at t = 1 with constant steps h. */
static int errors(const keel_problem *bead, const keel_method *method, double h, double error[2])
{
    const double start[3] = {1, 0, 0};
    keel_solver *solver = NULL;
    int rc = keel_solver_create(&solver, bead, &(keel_options){.tableau = method, .step = h,
                                                               .projection = KEEL_PROJECT_NONE});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 1);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_message(solver));
    else {
        const double *y = keel_state(solver);
        error[0] = hypot(y[0] - cos(1), y[1] - sin(1));
        error[1] = fabs(y[2] + sin(1));
    }
    keel_solver_free(solver);
    return rc;
}

static int show(const keel_problem *bead, const keel_method *method, const char *name, double y,
                double z)
{
    double coarse[2], fine[2];
    int rc = errors(bead, method, 0.02, coarse);
    if (!rc) rc = errors(bead, method, 0.01, fine);
    if (rc) return rc;
    double order[2] = {log2(coarse[0] / fine[0]), log2(coarse[1] / fine[1])};
    printf("%-22s error of y %.1e, order %.2f; of z %.1e, order %.2f\n", name, fine[0], order[0],
           fine[1], order[1]);
    return !(order[0] > y - 0.3 && order[1] > z - 0.3);
}

int main(void)
{
    keel_problem *bead = NULL;
    keel_method *formula = NULL, *general = NULL;
    int rc = keel_hessenberg2(&bead, &(keel_hessenberg2_spec){
        .differential = 2, .multipliers = 1, .rhs = motion, .constraint = circle});
    if (!rc && keel_multistep_create(&formula, &(keel_multistep){
            .name = "own-dcbdf-2", .steps = 2, .alpha = alpha, .beta = beta, .gamma = gamma_,
            .blocking = KEEL_BLOCKED}))
        rc = printf("%s\n", keel_method_message(formula));
    if (!rc && keel_general_linear_create(&general, &(keel_general_linear){
            .name = "two-step collocation", .stages = 2, .values = 2, .order = 3, .A = A, .U = U,
            .B = B, .V = V, .c = c, .W = W}))
        rc = printf("%s\n", keel_method_message(general));
    if (!rc) rc = show(bead, formula, "multistep", 3, 2);
    if (!rc) rc = show(bead, general, "general linear", 3, 2);
    keel_method_free(general);
    keel_method_free(formula);
    keel_problem_free(bead);
    return rc != KEEL_OK;
}
