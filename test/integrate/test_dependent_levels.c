/* test_dependent_levels.c -- constraints that depend on each other in Hessenberg and levelled problems:
 * the double pendulum of double_pendulum.h with its second rod given twice, with the levels that each
 * form asks for.  A rod given twice does not change the motion. */
#include "test/support/double_pendulum.h"
#include "test/support/run.h"

static const double inverse_mass[4] = {1, 1, 0.5, 0.5};

/* a = M^-1 (f - G^T l) */
static void accelerations(const double_pendulum *p, const double *q, const double *l, double *a)
{
    double G[12], f[4];
    double_pendulum_jacobian(0, q, G, (void *)p);
    double_pendulum_force(0, q, q, f, NULL);
    for (int i = 0; i < 4; i++) {
        a[i] = f[i];
        for (int k = 0; k < p->rows; k++) a[i] -= G[4 * k + i] * l[k];
        a[i] *= inverse_mass[i];
    }
}

/* G x + base */
static void product(const double_pendulum *p, const double *q, const double *x, double *h)
{
    double G[12];
    double_pendulum_jacobian(0, q, G, (void *)p);
    for (int k = 0; k < p->rows; k++)
        for (int i = 0; i < 4; i++) h[k] += G[4 * k + i] * x[i];
}

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t;
    memcpy(f, y + 4, 4 * sizeof *f);
    accelerations(context, y, z, f + 4);
    return 0;
}

static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    const double_pendulum *p = context;
    double a[4];
    if (k == 2) return double_pendulum_constraint(t, y, h, context);
    memset(h, 0, (size_t)p->rows * sizeof *h);
    if (k == 1) product(p, y, y + 4, h);
    if (k == 1) return 0;
    double_pendulum_curvature(t, y, y + 4, h, context);
    accelerations(p, y, z, a);
    product(p, y, a, h);
    return 0;
}

static int position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    memcpy(f, v, 4 * sizeof *f);
    return 0;
}

static int velocity_rate(double t, const double *u, const double *v, const double *l, double *k,
                         void *context)
{
    (void)t, (void)v;
    accelerations(context, u, l, k);
    return 0;
}

/* The velocity constraint as that of an index-2 problem. */
static int velocity_constraint(double t, const double *y, double *g, void *context)
{
    (void)t;
    memset(g, 0, (size_t)((const double_pendulum *)context)->rows * sizeof *g);
    product(context, y, y + 4, g);
    return 0;
}

enum { LEVELLED, HESSENBERG3, HESSENBERG2, KINDS };
static const char *const form_names[] = {"levelled", "Hessenberg 3", "Hessenberg 2"};

static keel_problem *problem_of(int which, const double_pendulum *kind)
{
    static const int chain[3] = {2, 2, 2}, next[8] = {4, 5, 6, 7, -1, -1, -1, -1};
    keel_problem *p = NULL;
    void *context = (void *)kind;
    int rc = which == LEVELLED
        ? keel_levelled(&p, &(keel_levelled_spec){.differential = 8, .algebraic = kind->rows,
              .next = next, .chain = chain, .rate = rate, .level = level, .context = context})
        : which == HESSENBERG3
        ? keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 4, .velocities = 4,
              .multipliers = kind->rows, .position_rate = position_rate,
              .velocity_rate = velocity_rate, .constraint = double_pendulum_constraint,
              .constraint_jacobian = double_pendulum_jacobian, .context = context})
        : keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 8, .multipliers = kind->rows,
              .rhs = rate, .constraint = velocity_constraint, .context = context});
    if (rc) fail_msg("%s: %s", form_names[which], keel_problem_message(p));
    return p;
}

static int swing(int which, const double_pendulum *kind, const char *method, double *y, char *remark)
{
    keel_solver *s = NULL;
    keel_problem *p = problem_of(which, kind);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = method, .step = 1.0 / 64}), s,
              method);
    double_pendulum_start(kind, y);
    int rc = keel_start(s, 0, y);
    strcpy(remark, keel_message(s));
    if (!rc) expect_ok(keel_advance_to(s, 1), s, method);
    if (!rc) memcpy(y, keel_state(s), (size_t)(8 + kind->rows) * sizeof *y);
    keel_solver_free(s);
    keel_problem_free(p);
    return rc;
}

static void a_rod_twice(void **state)
{
    static const char *const methods[] = {"radau-iia-3", "gauss-3", "esdirk-4", "bdf-3", "hem-5",
                                          "dop853"};
    (void)state;
    for (int which = 0; which < KINDS; which++)
        for (int k = 0; k < (which == LEVELLED ? 6 : 5); k++) {
            double plain[DOUBLE_PENDULUM_MAX], twice[DOUBLE_PENDULUM_MAX];
            char none[700], remark[700];
            if (which == HESSENBERG3 && k == 3) continue;     /* BDF solves ggl instead */
            assert_int_equal(swing(which, &two_rods, methods[k], plain, none), KEEL_OK);
            if (swing(which, &rod_twice, methods[k], twice, remark))
                fail_msg("%s, %s: %s", form_names[which], methods[k], remark);
            if (!strstr(remark, "g[1]") || !strstr(remark, "g[2]") ||
                !strstr(remark, "rank 2, not 3") || strstr(remark, "g[0]"))
                fail_msg("%s, %s: %s", form_names[which], methods[k], remark);
            for (int i = 0; i < 8; i++)
                if (!(fabs(plain[i] - twice[i]) < 1e-9))
                    fail_msg("%s, %s: unknown %d off by %.1e", form_names[which], methods[k], i,
                             plain[i] - twice[i]);
            /* equal parts of the force */
            double apart = fabs(twice[9] - twice[10]), sum = plain[9] - twice[9] - twice[10];
            if (!(apart < 1e-6 && fabs(sum) < 1e-6))
                fail_msg("%s, %s: multipliers %.1e apart, sum off by %.1e", form_names[which],
                         methods[k], apart, sum);
        }
}

/* ---- on the manifold only --------------------------------------------------------------------- */

/* The third row is the second times 1 + x_1^2: it depends on that where it holds, and N changes with
 * the motion. */
static int scaled_constraint(double t, const double *q, double *g, void *context)
{
    int rc = double_pendulum_constraint(t, q, g, context);
    g[2] *= 1 + q[0] * q[0];
    return rc;
}

static int scaled_jacobian(double t, const double *q, double *G, void *context)
{
    double g[3] = {0};
    double_pendulum_jacobian(t, q, G, context);
    double_pendulum_constraint(t, q, g, context);
    for (int i = 0; i < 4; i++) G[8 + i] *= 1 + q[0] * q[0];
    G[8] += 2 * q[0] * g[2];
    return 0;
}

static int scaled_rate(double t, const double *u, const double *v, const double *l, double *k,
                       void *context)
{
    const double forces[3] = {l[0], l[1], (1 + u[0] * u[0]) * l[2]};
    return velocity_rate(t, u, v, forces, k, context);
}

static void rows_that_depend_on_the_manifold(void **state)
{
    static const char *const methods[] = {"radau-iia-3", "radau-iia", "gauss-3", "hem-5"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        double plain[DOUBLE_PENDULUM_MAX], y[DOUBLE_PENDULUM_MAX];
        char none[700];
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(swing(HESSENBERG3, &two_rods, methods[k], plain, none), KEEL_OK);
        assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 4,
            .velocities = 4, .multipliers = 3, .position_rate = position_rate,
            .velocity_rate = scaled_rate, .constraint = scaled_constraint,
            .constraint_jacobian = scaled_jacobian, .context = (void *)&rod_twice}), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = methods[k],
                                                            .step = 1.0 / 64}), s, methods[k]);
        double_pendulum_start(&rod_twice, y);
        expect_ok(keel_start(s, 0, y), s, methods[k]);
        expect_ok(keel_advance_to(s, 1), s, methods[k]);
        for (int i = 0; i < 8; i++)
            if (!(fabs(plain[i] - keel_state(s)[i]) < 1e-8))
                fail_msg("%s: unknown %d off by %.1e", methods[k], i, plain[i] - keel_state(s)[i]);
        double residual[3];
        keel_residuals(s, residual);
        assert_true(residual[0] < 1e-14 && residual[1] < 1e-13);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* Errors that are tested: variable steps, which see the multipliers. */
static void variable_steps(void **state)
{
    static const char *const methods[] = {"auto", "radau-iia", "gauss-3", "bdf", "hem-5"};
    (void)state;
    for (int which = 0; which < KINDS; which++)
        for (int k = 0; k < 5; k++) {
            double y[2][DOUBLE_PENDULUM_MAX];
            long steps[2];
            if (which == HESSENBERG3 && k == 3) continue;
            for (int twice = 0; twice < 2; twice++) {
                const double_pendulum *kind = twice ? &rod_twice : &two_rods;
                keel_problem *p = problem_of(which, kind);
                keel_solver *s = NULL;
                expect_ok(keel_solver_create(&s, p, &(keel_options){.method = methods[k],
                                             .rtol = 1e-8, .atol = 1e-8}), s, methods[k]);
                double_pendulum_start(kind, y[twice]);
                expect_ok(keel_start(s, 0, y[twice]), s, methods[k]);
                expect_ok(keel_advance_to(s, 1), s, methods[k]);
                memcpy(y[twice], keel_state(s), 8 * sizeof *y[twice]);
                steps[twice] = keel_solver_stats(s)->steps;
                keel_solver_free(s);
                keel_problem_free(p);
            }
            if (!(distance(y[0], y[1], 0, 8) < 1e-5) || steps[1] > 1.5 * (double)steps[0] + 5)
                fail_msg("%s, %s: %.1e apart, %ld and %ld steps", form_names[which], methods[k],
                         distance(y[0], y[1], 0, 8), steps[0], steps[1]);
        }
}

static void rods_of_two_lengths(void **state)
{
    (void)state;
    for (int which = 0; which < HESSENBERG2; which++) {
        double y[DOUBLE_PENDULUM_MAX];
        char message[700];
        int rc = swing(which, &rods_that_contradict, "radau-iia-3", y, message);
        assert_int_equal(rc, KEEL_INCONSISTENT);
        if (!strstr(message, "g[1]") || !strstr(message, "g[2]") ||
            !strstr(message, "contradict"))
            fail_msg("%s: %s", form_names[which], message);
    }
}

/* y_1' = z_1, y_2' = z_2 with y_1 = 0 given twice: nothing determines z_2, which moves y_2. */
static int pushed(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    memcpy(f, z, 2 * sizeof *f);
    return 0;
}

static int first_twice(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = g[1] = y[0];
    return 0;
}

static void what_acts_must_be_determined(void **state)
{
    double y[4] = {0, 1, 0, 0};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 2,
                                      .rhs = pushed, .constraint = first_twice}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia", .rtol = 1e-6}), s, "create");
    expect_status(keel_start(s, 0, y), KEEL_REDUNDANT, s, "start");
    expect_text(keel_message(s), "g[0], g[1] depend on each other");
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_twice),
        cmocka_unit_test(rows_that_depend_on_the_manifold),
        cmocka_unit_test(variable_steps),
        cmocka_unit_test(rods_of_two_lengths), cmocka_unit_test(what_acts_must_be_determined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
