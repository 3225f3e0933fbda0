/* test_explicit_control.c -- error estimates and step sizes of explicit methods against formulas.
 *
 * One step of y' = -y from y = 1 [HNW93 II.4, II.10]; for index 1, z as the stages see it.
 */
#include "integrate/integrator.h"

#undef fail
#include "test/support/run.h"

static const double rk4_A[16] = {[4] = 0.5, [9] = 0.5, [14] = 1};
static const double rk4_b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const keel_tableau rk4 = {.name = "rk4", .stages = 4, .order = 4, .A = rk4_A, .b = rk4_b};

static int decay(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[0];
    return 0;
}

/* What one step of size h left behind. */
typedef struct step_result {
    double y, error, h_next;     /* error: the estimate in units of the tolerance          */
} step_result;

static step_result one_step(keel_options o, double h, double tolerance)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[1] = {1};
    o.rtol = o.atol = tolerance / 2;             /* atol + rtol |y| = tolerance at y = 1 */
    o.first_step = h;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = decay}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &o), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_ok(keel_step(s), s, "step");
    step_result r = {keel_state(s)[0], s->report.error, s->h_next};
    assert_true(keel_time(s) == h);              /* accepted at once */
    keel_solver_free(s);
    keel_problem_free(p);
    return r;
}

/* h sum w_i k_i for y' = -y, y = 1; the weights w are b - b_hat. */
static double combination(const keel_tableau *t, double h, const double *b, const double *b_hat)
{
    double k[32], sum = 0;
    for (int i = 0; i < t->stages; i++) {
        k[i] = -1;
        for (int j = 0; j < i; j++) k[i] -= h * t->A[i * t->stages + j] * k[j];
        sum += h * (b[i] - b_hat[i]) * k[i];
    }
    return sum;
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* (y_2 - y_1) / (2^p - 1) is the error of two half steps up to a factor 1 + O(h) [HNW93 II.4
 * (4.4)]. */
static void doubling_estimates_the_error(void **state)
{
    keel_method *method = NULL;
    (void)state;
    assert_int_equal(keel_method_create(&method, &rk4), KEEL_OK);
    for (double h = 1.0 / 16; h > 1.0 / 100; h /= 2) {
        step_result r = one_step((keel_options){.tableau = method}, h, 1e-6);
        double ratio = 1e-6 * r.error / fabs(r.y - exp(-h));
        if (!(fabs(ratio - 1) < h)) fail_msg("h = %g: estimate / error = %g", h, ratio);
    }
    keel_method_free(method);
}

/* err5^2 / sqrt(err5^2 + 0.01 err3^2) [HNW93 II.10 (10.17)], of order 8. */
static void two_embedded_methods(void **state)
{
    keel_method *method = NULL;
    double before = 0;
    (void)state;
    assert_int_equal(keel_method_named(&method, "dop853"), KEEL_OK);
    const keel_tableau *t = keel_method_tableau(method);
    assert_true(t->stages <= 32 && t->b_hat && t->b_second);
    for (double h = 0.5; h > 0.2; h /= 2) {
        double error = one_step((keel_options){.method = "dop853"}, h, 1e-6).error;
        double e5 = combination(t, h, t->b, t->b_hat), e3 = combination(t, h, t->b, t->b_second);
        double expected = 1e6 * e5 * e5 / sqrt(e5 * e5 + 0.01 * e3 * e3);
        if (!(fabs(error - expected) < 1e-6 * expected))         /* rounding / e5 */
            fail_msg("h = %g: %g instead of %g", h, error, expected);
        if (before > 0) assert_true(fabs(log2(before / error) - 8) < 0.5);
        before = error;
    }
    keel_method_free(method);
}

/* ---- step sizes ------------------------------------------------------------------------------ */

/* After the first step h_new = 0.8 h err^-(e - 0.75 beta), beta = 0.02, 1/e the power of h in err:
 * 8 for DOP853 [HNW93 II.10], p + 1 for doubling, the order of the embedded method + 1 otherwise.
 * The tolerance is such that this is neither the least nor the most a step may change by. */
static void step_after_the_first(void **state)
{
    static const struct { const char *name; int power; double h; } cases[] = {
        {"dop853", 8, 0.5}, {"dopri5", 5, 0.25}, {NULL, 5, 0.25}};
    keel_method *method = NULL;
    (void)state;
    assert_int_equal(keel_method_create(&method, &rk4), KEEL_OK);
    for (int k = 0; k < 3; k++) {
        double h = cases[k].h;
        keel_options o = {.method = cases[k].name, .tableau = cases[k].name ? NULL : method};
        double wanted = 1e-3 * one_step(o, h, 1e-3).error / 0.05;        /* err about 0.05 */
        step_result r = one_step(o, h, wanted);
        double expected = 0.8 * h * pow(r.error, -(1.0 / cases[k].power - 0.75 * 0.02));
        assert_true(r.error > 0.04 && r.error < 0.06);
        if (!(fabs(r.h_next - expected) < 1e-12))
            fail_msg("%s: %g instead of %g", o.method ? o.method : "rk4", r.h_next, expected);
    }
    keel_method_free(method);
}

static int steep(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = 1 / (1 + 100 * (t - 1) * (t - 1)) - y[0];
    return 0;
}

/* The step after a rejected and then accepted one does not grow [HNW93 II.4], also where the error
 * came out so small that it would, 0.8 err^-e > 1: which must happen here. */
static void no_growth_after_rejection(void **state)
{
    static const char *const names[] = {"dopri5", "dop853"};
    static const int powers[] = {5, 8};
    int tempted = 0;
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double first = 0.5; first < 8; first *= 1.3) {
            keel_problem *p = NULL;
            keel_solver *s = NULL;
            double y[1] = {0};
            long rejected = 0;
            keel_options o = {.method = names[k], .rtol = 1e-4, .atol = 1e-4, .first_step = first};
            assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = steep}), KEEL_OK);
            expect_ok(keel_solver_create(&s, p, &o), s, names[k]);
            expect_ok(keel_start(s, 0, y), s, names[k]);
            while (keel_time(s) < 3) {
                expect_ok(keel_step(s), s, names[k]);
                double h = keel_solver_stats(s)->last_step, e = 1.0 / powers[k] - 0.75 * 0.02;
                if (keel_solver_stats(s)->rejected_error > rejected) {
                    tempted += 0.8 * pow(s->report.error, -e) > 1.1;
                    assert_true(s->h_next <= h);
                }
                rejected = keel_solver_stats(s)->rejected_error;
            }
            keel_solver_free(s);
            keel_problem_free(p);
        }
    assert_true(tempted > 0);
}

/* ---- algebraic unknowns ---------------------------------------------------------------------- */

typedef struct seen {
    double tolerance, farthest;  /* |z - z(t,y)| in units of atol + rtol |z|               */
    long calls;
} seen;

/* y' = 1 - y + z / 4, 0 = z^3 + z - (s + s^3) with s = 1 + sin(4 t) / 2 + y / 4: z = s. */
static double algebraic_root(double t, double y) { return 1 + sin(4 * t) / 2 + y / 4; }

static int watched_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    seen *w = context;
    double root = algebraic_root(t, y[0]);
    w->calls++;
    w->farthest = fmax(w->farthest, fabs(z[0] - root) / (w->tolerance * (1 + fabs(root))));
    f[0] = 1 - y[0] + z[0] / 4;
    return 0;
}

static int watched_g(double t, const double *y, const double *z, double *g, void *context)
{
    double s = algebraic_root(t, y[0]);
    (void)context;
    g[0] = z[0] * z[0] * z[0] + z[0] - s * s * s - s;
    return 0;
}

static int watched_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                            void *context)
{
    double s = algebraic_root(t, y[0]);
    (void)context;
    keel_put(J, 0, 0, -1);
    keel_put(J, 0, 1, 0.25);
    keel_put(J, 1, 0, -(3 * s * s + 1) / 4);
    keel_put(J, 1, 1, 3 * z[0] * z[0] + 1);
    return 0;
}

/* Newton's error of z in the stages is a thousandth of the tolerance, so that it does not count in
 * the error estimate.  The factor 10 is for the rate that predicts it and for the change of z over
 * a step, whose tolerance is that of its start. */
static void algebraic_unknowns_of_stages(void **state)
{
    (void)state;
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
        seen w = {.tolerance = tolerance};
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        double y[2] = {0, 1};
        assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1,
            .algebraic = 1, .rhs = watched_rhs, .constraint = watched_g,
            .jacobian = watched_jacobian, .context = &w}), KEEL_OK);
        keel_options o = {.method = "dopri5", .rtol = tolerance, .atol = tolerance};
        expect_ok(keel_solver_create(&s, p, &o), s, "create");
        expect_ok(keel_start(s, 0, y), s, "start");
        w.farthest = 0;
        expect_ok(keel_advance_to(s, 3), s, "advance");
        if (!(w.calls > 20 && w.farthest < 1e-2))
            fail_msg("tolerance %g: z is off by %g of it", tolerance, w.farthest);
        assert_true(keel_solver_stats(s)->residual[0] < 1e-13);  /* accepted points: to rounding */
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubling_estimates_the_error), cmocka_unit_test(two_embedded_methods),
        cmocka_unit_test(step_after_the_first), cmocka_unit_test(no_growth_after_rejection),
        cmocka_unit_test(algebraic_unknowns_of_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
