/* test_collapse.c -- no call runs for ever, and a run that gets nowhere says what fails.
 *
 *   pole          y' = 1 + y^2 from y = 0: y = tan t ends at t = pi/2
 *   comb          y' changes its sign wherever the last digit of t does: no step passes a test
 *   pole at 0     y' = y^2 from t = -1, y = 1: where t itself has no scale
 */
#include "test/support/run.h"

#include <float.h>
#include <math.h>

enum { METHODS = 7 };

static const char *const methods[] = {"auto", "dopri5", "verner8", "radau-iia", "bdf", "dimsim",
                                      "esdirk-4"};

static int tangent(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = 1 + y[0] * y[0];
    return 0;
}

static int square(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0] * y[0];
    return 0;
}

static int comb(double t, const double *y, double *f, void *context)
{
    (void)y, (void)context;
    f[0] = t < 1 ? 1 : fmod(floor(t / (2 * DBL_EPSILON)), 2) > 0 ? 1e16 : -1e16;
    return 0;
}

static keel_solver *new_solver(keel_problem **p, keel_options o,
                               int (*rhs)(double, const double *, double *, void *))
{
    keel_solver *s = NULL;
    keel_ode_spec spec = {.size = 1, .rhs = rhs};
    assert_int_equal(keel_ode(p, &spec), KEEL_OK);
    expect_ok(keel_solver_create(&s, *p, &o), s, o.method);
    return s;
}

/* Attempts after the last accepted step that advanced t by 1e-10 of its size. */
static void run_to_collapse(const char *method, double tolerance, double t, double y, double t_end,
                            int (*rhs)(double, const double *, double *, void *))
{
    keel_problem *p = NULL;
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance};
    keel_solver *s = new_solver(&p, o, rhs);
    expect_ok(keel_start(s, t, &y), s, method);
    keel_set_stop_time(s, t_end);
    long since = 0, most = 0;
    double mark = t;
    int rc = KEEL_OK;
    while (rc == KEEL_OK && since < 20000) {
        long before = keel_solver_stats(s)->steps;
        rc = keel_step(s);
        since += keel_solver_stats(s)->steps - before;
        if (fabs(keel_time(s) - mark) <= 1e-9 * fabs(keel_time(s))) continue;
        mark = keel_time(s);
        since = 0;
    }
    most = since;
    if (rc == KEEL_OK || most > 2100)
        fail_msg("%s at %g: %s after %ld attempts without progress", method, tolerance,
                 keel_status_name(rc), most);
    assert_int_not_equal(rc, KEEL_STOP_REACHED);
    assert_true(strstr(keel_message(s), "t = ") != NULL);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void test_poles(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        run_to_collapse(methods[m], 1e-6, 0, 0, 3, tangent);
        run_to_collapse(methods[m], 1e-10, 0, 0, 3, tangent);
    }
}

static void test_comb(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) run_to_collapse(methods[m], 1e-6, 0, 0, 3, comb);
}

static void test_the_tally_is_said(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_solver *s = new_solver(&p, (keel_options){.method = "dopri5", .rtol = 1e-6}, comb);
    double y = 0;
    expect_ok(keel_start(s, 0, &y), s, "comb");
    expect_status(keel_advance_to(s, 3), KEEL_STEP_TOO_SMALL, s, "comb");
    expect_text(keel_message(s), "the steps collapse");
    expect_text(keel_message(s), "failed in the error test");
    expect_text(keel_message(s), "y[0] has the largest error");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* t = 1 + 1e-17 is 1: a constant step must move t. */
static void test_constant_step_without_effect(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_solver *s = new_solver(&p, (keel_options){.method = "rk4", .step = 1e-17}, tangent);
    double y = 0;
    expect_ok(keel_start(s, 1, &y), s, "rk4");
    expect_status(keel_advance_to(s, 2), KEEL_STEP_TOO_SMALL, s, "rk4");
    assert_true(keel_solver_stats(s)->steps <= 1000);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* Fast transients are no collapse, however late the stop time is and wherever they begin. */
static int decay(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = -1e9 * (y[0] - cos(t));
    return 0;
}

static int faster_decay(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = -1e15 * (y[0] - cos(t));
    return 0;
}

/* Stability holds explicit steps at fifteen units in the last place of t: after 1e7 of them t would
 * have advanced by 1e-8. */
static void test_steps_that_get_nowhere(void **state)
{
    (void)state;
    static const char *const explicitly[] = {"dopri5", "dop853", "rk4"};
    for (int m = 0; m < 3; m++) {
        keel_problem *p = NULL;
        keel_options o = {.method = explicitly[m], .rtol = 1e-4, .max_steps = 20000};
        keel_solver *s = new_solver(&p, o, faster_decay);
        double y = 0.5;
        expect_ok(keel_start(s, 1, &y), s, explicitly[m]);
        expect_status(keel_advance_to(s, 2), KEEL_STEP_TOO_SMALL, s, explicitly[m]);
        assert_true(keel_solver_stats(s)->steps <= 2000);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

static void test_transients_pass(void **state)
{
    (void)state;
    static const double starts[] = {0, 1, -3};
    for (int m = 3; m < METHODS; m++)
        for (int k = 0; k < 3; k++) {
            keel_problem *p = NULL;
            keel_options o = {.method = methods[m], .rtol = 1e-8};
            keel_solver *s = new_solver(&p, o, decay);
            double y = 2;
            expect_ok(keel_start(s, starts[k], &y), s, methods[m]);
            expect_ok(keel_advance_to(s, starts[k] + 1), s, methods[m]);
            keel_solver_free(s);
            keel_problem_free(p);
        }
    keel_problem *p = NULL;
    keel_solver *s = new_solver(&p, (keel_options){.method = "dopri5", .rtol = 1e-8}, decay);
    double y = 2;
    expect_ok(keel_start(s, 0, &y), s, "dopri5");
    keel_set_stop_time(s, 1e12);
    for (int k = 0; k < 3000; k++) expect_ok(keel_step(s), s, "dopri5");
    keel_solver_free(s);
    keel_problem_free(p);
}

static void test_times_that_are_none(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_solver *s = new_solver(&p, (keel_options){.method = "auto"}, square);
    double y = 1;
    expect_ok(keel_start(s, -1, &y), s, "auto");
    assert_int_equal(keel_advance(s, INFINITY), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance(s, NAN), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance_to(s, INFINITY), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_set_stop_time(s, NAN), KEEL_BAD_ARGUMENT);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void test_pole_at_zero(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_problem *p = NULL;
        keel_solver *s = new_solver(&p, (keel_options){.method = methods[m], .rtol = 1e-8}, square);
        double y = 1;
        expect_ok(keel_start(s, -1, &y), s, methods[m]);
        assert_int_not_equal(keel_advance_to(s, 1), KEEL_OK);
        assert_true(fabs(keel_time(s)) < 1e-6);
        if (keel_solver_stats(s)->steps > 20000)
            fail_msg("%s: %ld attempts", methods[m], keel_solver_stats(s)->steps);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poles),
        cmocka_unit_test(test_comb),
        cmocka_unit_test(test_the_tally_is_said),
        cmocka_unit_test(test_constant_step_without_effect),
        cmocka_unit_test(test_steps_that_get_nowhere),
        cmocka_unit_test(test_transients_pass),
        cmocka_unit_test(test_times_that_are_none),
        cmocka_unit_test(test_pole_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
