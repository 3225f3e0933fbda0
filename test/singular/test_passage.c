/* test_passage.c -- what a run says of impasse points, and singular points that it passes.
 *
 *   removable   y' = 1, 0 = y z - sin y from y < 0: g_z = y vanishes, z = sin(y)/y goes on
 *   cube root   y' = 1, 0 = z^3 - y: z' is infinite at y = 0, z goes on
 *   gap         y' = 1, 0 = z^2 - y^2 - gap^2: two branches near each other, none ends
 *   pole        y' = z, 0 = (1 - y^2) z - y: z grows without bound as y comes to 1
 */
#include "problems/circuits.h"
#include "test/support/run.h"

#include <math.h>

static const char *const methods[] = {"auto", "dopri5", "esdirk-4", "radau-iia", "bdf", "dimsim"};
static const double tolerances[] = {1e-4, 1e-6, 1e-8};
enum { METHODS = 6, TOLERANCES = 3 };

static int unit_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    f[0] = 1;
    return 0;
}

static int backward_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    f[0] = -1;
    return 0;
}

static int removable(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] * z[0] - sin(y[0]);
    return 0;
}

static int cube(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] * z[0] * z[0] - y[0];
    return 0;
}

static int hyperbola(double t, const double *y, const double *z, double *g, void *context)
{
    double gap = *(const double *)context;
    (void)t;
    g[0] = z[0] * z[0] - y[0] * y[0] - gap * gap;
    return 0;
}

static int parabola(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] * z[0] + y[0];
    return 0;
}

static keel_problem *problem_of(keel_semi_explicit_spec spec)
{
    keel_problem *p = NULL;
    spec.differential = spec.algebraic = 1;
    if (!spec.rhs) spec.rhs = unit_rate;
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    return p;
}

/* z at t = 1 from y = -0.3 at t = 0; returns the status. */
static int run(keel_problem *p, keel_solver **s, const char *method, double tolerance, double z)
{
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance};
    expect_ok(keel_solver_create(s, p, &o), *s, method);
    expect_ok(keel_start(*s, 0, (double[]){-0.3, z}), *s, method);
    return keel_advance_to(*s, 1);
}

static void test_removable(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < TOLERANCES; k++) {
            keel_solver *s = NULL;
            keel_impasse met;
            keel_problem *p = problem_of((keel_semi_explicit_spec){.constraint = removable});
            expect_ok(run(p, &s, methods[m], tolerances[k], sin(0.3) / 0.3), s, methods[m]);
            double error = fabs(keel_state(s)[1] - sin(0.7) / 0.7);
            if (!(error < 10 * tolerances[k]))
                fail_msg("%s at %g: z is off by %g", methods[m], tolerances[k], error);
            for (int i = 0; i < keel_impasse_count(s); i++) {
                assert_int_equal(keel_impasse_at(s, i, &met), KEEL_OK);
                assert_int_equal(met.kind, KEEL_IMPASSE_NONE);
                assert_int_equal(met.action, KEEL_IMPASSE_PASSED);
                assert_true(fabs(met.t - 0.3) < 1e-4);
            }
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* Dense output over the step that passes the point. */
static void test_dense_output_of_a_passage(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_solver *s = NULL;
        keel_options o = {.method = methods[m], .rtol = 1e-8, .atol = 1e-8};
        keel_problem *p = problem_of((keel_semi_explicit_spec){.constraint = removable});
        expect_ok(keel_solver_create(&s, p, &o), s, methods[m]);
        expect_ok(keel_start(s, 0, (double[]){-0.3, sin(0.3) / 0.3}), s, methods[m]);
        while (keel_time(s) < 0.6) {
            int met = keel_impasse_count(s);
            expect_ok(keel_step(s), s, methods[m]);
            if (met == keel_impasse_count(s)) continue;
            double from = keel_previous_time(s), length = keel_time(s) - from, y[2];
            for (int i = 1; i < 8; i++) {
                double at = from + length * i / 8, u = at - 0.3;
                expect_ok(keel_interpolate(s, at, y), s, methods[m]);
                assert_true(fabs(y[0] - u) < 1e-8);
                if (fabs(u) > 1e-8 && !(fabs(y[1] - sin(u) / u) < 1e-7))
                    fail_msg("%s: z(%g) is off by %g", methods[m], at, y[1] - sin(u) / u);
            }
        }
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

static void test_cube_root(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < TOLERANCES - 1; k++) {
            keel_solver *s = NULL;
            keel_problem *p = problem_of((keel_semi_explicit_spec){.constraint = cube});
            expect_ok(run(p, &s, methods[m], tolerances[k], -cbrt(0.3)), s, methods[m]);
            assert_true(fabs(keel_state(s)[1] - cbrt(0.7)) < 10 * tolerances[k]);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* None is stopped that the tolerances of z can tell apart, and none ends on the wrong branch. */
static void test_gaps(void **state)
{
    static const double gaps[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < TOLERANCES; k++)
            for (int i = 0; i < 6; i++) {
                keel_solver *s = NULL;
                double gap = gaps[i], z = sqrt(0.09 + gap * gap);
                keel_problem *p = problem_of((keel_semi_explicit_spec){.constraint = hyperbola,
                                                                       .context = &gap});
                int rc = run(p, &s, methods[m], tolerances[k], z);
                if (gap >= 1e-6) expect_ok(rc, s, methods[m]);
                if (rc == KEEL_OK && !(keel_state(s)[1] > 0))
                    fail_msg("%s at %g, gap %g: the wrong branch", methods[m], tolerances[k], gap);
                keel_solver_free(s);
                keel_problem_free(p);
            }
}

/* ---- what is said --------------------------------------------------------------------------- */

static void test_messages(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_solver *s = NULL;
        keel_impasse met;
        keel_problem *p = problem_of((keel_semi_explicit_spec){.constraint = parabola});
        expect_status(run(p, &s, methods[m], 1e-6, sqrt(0.3)), KEEL_SINGULAR, s, methods[m]);
        expect_text(keel_message(s), "t = 0.3");
        expect_text(keel_message(s), "lose rank in z[0] here");
        expect_text(keel_message(s), "accessible impasse point (alpha = -");
        expect_text(keel_message(s), "impasse = follow");
        expect_text(keel_message(s), "impasse = jump");
        assert_int_equal(keel_impasse_count(s), 1);
        assert_int_equal(keel_impasse_at(s, 0, &met), KEEL_OK);
        assert_true(met.alpha < 0 && fabs(met.t - 0.3) < 1e-4 && fabs(met.y[1]) < 1e-6);
        assert_int_equal(keel_impasse_at(s, 1, &met), KEEL_BAD_ARGUMENT);
        expect_ok(keel_start(s, 0, (double[]){-0.3, 1}), s, "again");
        assert_int_equal(keel_impasse_count(s), 0);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* Against time a point is reached that solutions leave. */
static void test_backwards(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_solver *s = NULL;
        keel_impasse met;
        keel_options o = {.method = methods[m]};
        keel_problem *p = problem_of((keel_semi_explicit_spec){.rhs = backward_rate,
                                                               .constraint = parabola});
        expect_ok(keel_solver_create(&s, p, &o), s, methods[m]);
        expect_ok(keel_start(s, 1, (double[]){-1, 1}), s, methods[m]);
        expect_status(keel_advance_to(s, -1), KEEL_SINGULAR, s, methods[m]);
        expect_text(keel_message(s), "inaccessible impasse point");
        assert_int_equal(keel_impasse_at(s, 0, &met), KEEL_OK);
        assert_int_equal(met.kind, KEEL_IMPASSE_INACCESSIBLE);
        assert_true(met.alpha > 0 && fabs(met.t) < 1e-5);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

static void test_pole(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_solver *s = NULL;
        keel_problem *p = NULL;
        keel_impasse met;
        keel_options o = {.method = methods[m], .impasse = KEEL_IMPASSE_JUMP};
        assert_int_equal(keel_semi_explicit(&p, &problem_van_der_pol_dae_spec), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &o), s, methods[m]);
        expect_ok(keel_start(s, 0, (double[]){2, -2.0 / 3}), s, methods[m]);
        expect_status(keel_advance_to(s, 1), KEEL_SINGULAR, s, methods[m]);
        expect_text(keel_message(s), "not a simple one");
        assert_int_equal(keel_impasse_at(s, 0, &met), KEEL_OK);
        assert_int_equal(met.kind, KEEL_IMPASSE_NOT_SIMPLE);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_removable),
        cmocka_unit_test(test_dense_output_of_a_passage),
        cmocka_unit_test(test_cube_root),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_pole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
