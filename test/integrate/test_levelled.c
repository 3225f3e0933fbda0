/* test_levelled.c -- whole runs of levelled problems and of attached rows: residuals that stay at
 * rounding, the work beside the mechanical form, the choice of the lag, invariants. */
#include "test/support/run.h"

#include "test/support/levelled.h"

static const levelled_pendulum *data_of(void *context) { return context; }

/* ---- the pendulum in three forms ---------------------------------------------------------------- */

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const levelled_pendulum *p = data_of(context);
    (void)t, (void)q;
    f[0] = -p->damping * v[0];
    f[1] = -p->damping * v[1] - p->gravity;
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}

static int rod_jacobian(double t, const double *q, double *G, void *context)
{
    (void)t, (void)context;
    G[0] = q[0], G[1] = q[1];
    return 0;
}

static int rod_time(double t, const double *q, double *g_t, void *context)
{
    (void)t, (void)q, (void)context;
    g_t[0] = 0;
    return 0;
}

static int rod_curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    (void)t, (void)q, (void)context;
    gamma[0] = v[0] * v[0] + v[1] * v[1];
    return 0;
}

/* y = (q, v, l), the acceleration level in the last row. */
static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    const levelled_pendulum *p = data_of(context);
    double f[2];
    force(t, y, y + 2, f, context);
    for (int i = 0; i < 2; i++) {
        F[i] = yp[i] - y[2 + i];
        F[2 + i] = yp[2 + i] - f[i] + y[i] * y[4];
    }
    F[4] = y[2] * y[2] + y[3] * y[3] + y[0] * f[0] + y[1] * f[1]
         - (y[0] * y[0] + y[1] * y[1]) * y[4];
    (void)p;
    return 0;
}

/* Position, velocity. */
static int hidden_rows(double t, const double *y, double *h, void *context)
{
    rod(t, y, h, context);
    h[1] = y[0] * y[2] + y[1] * y[3];
    return 0;
}

static int energy(double t, const double *y, double *h, void *context)
{
    (void)t;
    h[0] = (y[2] * y[2] + y[3] * y[3]) / 2 + data_of(context)->gravity * y[1];
    return 0;
}

static const int kept = 1;
static const char *const energy_name[] = {"energy"};
static const keel_attached conserved = {.rows = 1, .value = energy, .kept = &kept,
                                        .names = energy_name};

typedef enum pendulum_form { MECHANICAL, LEVELLED, IMPLICIT } pendulum_form;
static const char *const form_names[] = {"mechanical", "levelled", "implicit"};

static keel_problem *pendulum(pendulum_form which, const levelled_pendulum *data,
                              const keel_attached *attached)
{
    levelled p = levelled_pendulum_of(data);
    keel_problem *problem = NULL;
    keel_attached none = {0}, rows = {.rows = 2, .value = hidden_rows};
    int rc;
    if (which == MECHANICAL)
        rc = keel_mechanical(&problem, &(keel_mechanical_spec){
            .positions = 2, .constraints = 1, .force = force, .constraint = rod,
            .constraint_jacobian = rod_jacobian, .constraint_time = rod_time,
            .curvature = rod_curvature, .attached = attached ? *attached : none,
            .context = p.context});
    else if (which == LEVELLED)
        rc = keel_levelled(&problem, &(keel_levelled_spec){
            .differential = 4, .algebraic = 1, .next = p.next, .chain = p.chain, .rate = p.rate,
            .level = p.level, .jacobian = p.jacobian, .attached = attached ? *attached : none,
            .context = p.context});
    else
        rc = keel_implicit(&problem, &(keel_implicit_spec){
            .size = 5, .residual = residual, .attached = attached ? *attached : rows,
            .context = p.context});
    if (rc) fail_msg("%s", keel_problem_message(problem));
    return problem;
}

static const double at_rest[5] = {1, 0, 0, 0, 0};

static keel_solver *run_from(const keel_problem *p, const double *y, const char *method,
                             double tolerance, double t)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, &(keel_options){
        .method = method, .rtol = tolerance, .atol = tolerance, .max_steps = 10000000}), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_advance_to(s, t), s, method);
    return s;
}

static keel_solver *run_to(const keel_problem *p, const char *method, double tolerance, double t)
{
    return run_from(p, at_rest, method, tolerance, t);
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void residuals_stay_at_rounding(void **state)
{
    static const char *const methods[] = {"dop853", "hem-5", "radau-iia", "gauss-3", "esdirk-4",
                                          "bdf", "dimsim", "auto"};
    (void)state;
    for (pendulum_form which = MECHANICAL; which <= IMPLICIT; which++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            int explicitly = k < 2;              /* F(t,y,y') = 0 does not give y' */
            if (which == IMPLICIT && explicitly) continue;
            keel_problem *p = pendulum(which, &pendulum_plain, NULL);
            keel_solver *s = run_to(p, methods[k], 1e-5, 100);
            const double *largest = keel_solver_stats(s)->residual;
            if (!(largest[0] <= 1e-14) || (which != IMPLICIT && !(largest[1] <= 1e-14)))
                fail_msg("%s %s: residuals %.1e %.1e", form_names[which], methods[k], largest[0],
                         largest[1]);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* Digits of the energy, which is 0, and evaluations. */
static void measure(pendulum_form which, const char *method, double *digits, double *rhs)
{
    keel_problem *p = pendulum(which, &pendulum_plain, NULL);
    keel_solver *s = run_to(p, method, 1e-8, 100);
    double e;
    energy(100, keel_state(s), &e, (void *)&pendulum_plain);
    *digits = -log10(fabs(e));
    *rhs = (double)keel_solver_stats(s)->rhs;
    keel_solver_free(s);
    keel_problem_free(p);
}

static void work_beside_the_mechanical_form(void **state)
{
    double digits[2], rhs[2];
    (void)state;
    for (int k = 0; k < 2; k++) measure((pendulum_form)k, "dop853", &digits[k], &rhs[k]);
    assert_true(fabs(digits[1] - digits[0]) <= 0.3 && fabs(rhs[1] / rhs[0] - 1) <= 0.1);
    for (int k = 0; k < 2; k++) measure((pendulum_form)k, "radau-iia", &digits[k], &rhs[k]);
    assert_true(digits[1] >= digits[0] && rhs[1] <= 2 * rhs[0]);
    for (int k = 0; k < 2; k++) measure((pendulum_form)k, "bdf", &digits[k], &rhs[k]);
    assert_true(fabs(digits[1] - digits[0]) <= 0.3 && fabs(rhs[1] / rhs[0] - 1) <= 0.1);
}

/* Nobody chooses a lag, and the solver says which one it came to. */
static void lag_follows_stiffness(void **state)
{
    static const struct { const char *method; long most; } limits[] = {
        {"radau-iia", 120}, {"bdf", 150}, {"esdirk-4", 400}, {"auto", 150}};
    keel_problem *p = pendulum(LEVELLED, &pendulum_stiff, NULL);
    (void)state;
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        keel_solver *s = run_to(p, limits[k].method, 1e-6, 1e5);
        if (keel_solver_stats(s)->steps > limits[k].most)
            fail_msg("%s takes %ld steps", limits[k].method, keel_solver_stats(s)->steps);
        expect_text(keel_choice(s), k == 2 ? "h_2" : "h_1");
        expect_ok(keel_start(s, 0, at_rest), s, "again");
        assert_null(strstr(keel_choice(s), "h_1"));
        keel_solver_free(s);
    }
    keel_solver *smooth;
    keel_problem *plain = pendulum(LEVELLED, &pendulum_plain, NULL);
    smooth = run_to(plain, "radau-iia", 1e-6, 20);
    assert_string_equal(keel_choice(smooth), "");
    keel_solver_free(smooth);
    keel_problem_free(plain);
    keel_problem_free(p);
}

/* A conserved quantity beside the constraints: both at rounding, over many periods, at the value of
 * the start, which is not 0. */
static void energy_is_kept(void **state)
{
    static const char *const methods[] = {"auto", "radau-iia", "bdf", "gauss-3"};
    static const double lower[5] = {0.8, -0.6, 0, 0, 0};
    (void)state;
    for (pendulum_form which = MECHANICAL; which <= LEVELLED; which++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            keel_problem *p = pendulum(which, &pendulum_plain, &conserved);
            keel_solver *s = run_from(p, lower, methods[k], 1e-5, 200);
            const double *largest = keel_solver_stats(s)->residual;
            double now;
            energy(200, keel_state(s), &now, (void *)&pendulum_plain);
            assert_true(fabs(now + 0.6 * 9.81) < 1e-13);
            if (!(largest[0] <= 1e-14) || !(largest[1] <= 1e-14) || !(largest[3] <= 1e-13))
                fail_msg("%s %s: residuals %.1e %.1e, energy %.1e", form_names[which], methods[k],
                         largest[0], largest[1], largest[3]);
            assert_string_equal(keel_row_name(p, 3, 0), "energy");
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_stay_at_rounding),
        cmocka_unit_test(work_beside_the_mechanical_form), cmocka_unit_test(lag_follows_stiffness),
        cmocka_unit_test(energy_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
