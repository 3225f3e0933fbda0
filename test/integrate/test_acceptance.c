/* test_acceptance.c -- what may become a point of a run, and options that are honoured or refused.
 *
 *   steep     y' = 1e308 after t = 1: the next value of a constant step is infinite, and f is not
 *   drifting  y' = (1, 1) with the row y2 = 0, which the equations do not keep: projection moves
 *             every point by h, of which an error test of what is linear in t sees nothing
 *   jumping   y' = (1, 0) with the row y2 = (t > 1): projection would move a point by 1
 */
#include "test/support/run.h"

#include <math.h>

static int steep(double t, const double *y, double *f, void *context)
{
    (void)y, (void)context;
    f[0] = t < 1 ? 0 : 1e308;
    return 0;
}

/* With constant steps there is no error test, but y is finite or the step is refused. */
static void test_points_are_finite(void **state)
{
    (void)state;
    static const char *const methods[] = {"rk4", "dopri5", "radau-iia-2", "gauss-2", "bdf-1",
                                          "bdf-2"};
    keel_problem *p = NULL;
    keel_ode_spec spec = {.size = 1, .rhs = steep};
    assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        keel_solver *s = NULL;
        double y = 1;
        keel_options o = {.method = methods[m], .step = 10};
        expect_ok(keel_solver_create(&s, p, &o), s, methods[m]);
        expect_ok(keel_start(s, 0, &y), s, methods[m]);
        int rc = keel_advance_to(s, 100);
        if (rc == KEEL_OK) fail_msg("%s: y = %g", methods[m], keel_state(s)[0]);
        assert_true(isfinite(keel_state(s)[0]));
        assert_true(strstr(keel_message(s), "t = ") != NULL);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* ---- the move of a projection --------------------------------------------------------------- */

static int drifting(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y;
    f[0] = 1;
    f[1] = *(const double *)context;
    return 0;
}

static int flat(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = y[1];
    return 0;
}

static int jump(double t, const double *y, double *h, void *context)
{
    (void)context;
    h[0] = y[1] - (t > 1);
    return 0;
}

/* Moves of at most ten times what the error test allows, in the mean over both unknowns, make steps
 * short; where that happens again and again, the run ends.  Radau IIA tests rtol^((s+1)/(2s-1)), at most 200 rtol here. */
static void test_moves_are_bounded(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "dop853", "radau-iia", "bdf", "dimsim"};
    const double tolerance = 1e-6;
    double speed = 1;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        double y[2] = {0, 0};
        keel_ode_spec spec = {.size = 2, .rhs = drifting, .context = &speed, .invariants = 1,
                              .invariant = flat};
        assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
        keel_options o = {.method = methods[m], .rtol = tolerance, .atol = tolerance,
                          .check = KEEL_CHECK_NONE};
        expect_ok(keel_solver_create(&s, p, &o), s, methods[m]);
        expect_ok(keel_start(s, 0, y), s, methods[m]);
        int rc = KEEL_OK;
        for (int k = 0; k < 1000 && !rc; k++) {
            rc = keel_step(s);
            double moved = speed * fabs(keel_solver_stats(s)->last_step) / tolerance;
            double allowed = 10 * sqrt(2) * (strcmp(methods[m], "radau-iia") ? 1 : 200);
            if (!(moved < 1.01 * allowed))
                fail_msg("%s: moved by %g tolerances", methods[m], moved);
        }
        if (strcmp(methods[m], "bdf")) {         /* what it carries follows the projection */
            expect_status(rc, KEEL_STEP_TOO_SMALL, s, methods[m]);
            expect_text(keel_message(s), "projection moves the new point");
        }
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* A move that no step size makes smaller ends the run, with its row, after twenty attempts. */
static void test_a_move_is_named(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "radau-iia", "bdf", "auto"};
    static const char *const rows[] = {"shelf"};
    double speed = 0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        double y[2] = {0, 0};
        keel_ode_spec spec = {.size = 2, .rhs = drifting, .context = &speed,
                              .attached = {.rows = 1, .value = jump, .names = rows}};
        assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = methods[m]}), s, methods[m]);
        expect_ok(keel_start(s, 0, y), s, methods[m]);
        expect_status(keel_advance_to(s, 2), KEEL_STEP_TOO_SMALL, s, methods[m]);
        expect_text(keel_message(s), "projection moves the new point");
        expect_text(keel_message(s), "shelf");
        expect_text(keel_message(s), "level 0");
        if (!(fabs(keel_time(s) - 1) < 1e-3 && keel_state(s)[1] == 0))
            fail_msg("%s: t = %.10g, y = %g", methods[m], keel_time(s), keel_state(s)[1]);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- options --------------------------------------------------------------------------------- */

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = z[0] - y[0];
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)context;
    g[0] = z[0] * z[0] * z[0] + z[0] - y[0] - sin(t);
    return 0;
}

/* Gauss methods leave g(t,y,z) = 0 by the order of their recursion; solved for, to rounding. */
static double residual_without_projection(keel_multipliers multipliers, const char *method)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[2] = {1, 0.6823278038280193};
    keel_semi_explicit_spec spec = {.differential = 1, .algebraic = 1, .rhs = rate,
                                    .constraint = constraint};
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    keel_options o = {.method = method, .rtol = 1e-4, .projection = KEEL_PROJECT_NONE,
                      .multipliers = multipliers};
    expect_ok(keel_solver_create(&s, p, &o), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_advance_to(s, 3), s, method);
    double residual = keel_solver_stats(s)->residual[0];
    keel_solver_free(s);
    keel_problem_free(p);
    return residual;
}

static void test_hidden_without_projection(void **state)
{
    (void)state;
    static const char *const methods[] = {"gauss-3", "radau-iia", "bdf"};
    for (int m = 0; m < 3; m++) {
        double found = residual_without_projection(KEEL_MULTIPLIERS_HIDDEN, methods[m]);
        double left = residual_without_projection(KEEL_MULTIPLIERS_AUTO, methods[m]);
        if (!(found < 1e-13)) fail_msg("%s: residual %g", methods[m], found);
        if (!(left > 10 * found))
            fail_msg("%s: %g without, %g with hidden", methods[m], left, found);
    }
}

static int wide_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)z, (void)context;
    f[0] = -y[0];
    return 0;
}

static int wide_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    for (int k = 0; k < 70; k++) g[k] = z[k] - y[0];
    return 0;
}

static void test_hidden_of_many_unknowns_is_refused(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_semi_explicit_spec spec = {.differential = 1, .algebraic = 70, .rhs = wide_rate,
                                    .constraint = wide_constraint};
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    static const struct {
        const char *method;
        keel_multipliers multipliers;
        int expected;
    } cases[] = {
        {"radau-iia", KEEL_MULTIPLIERS_HIDDEN, KEEL_UNSUPPORTED},
        {"bdf", KEEL_MULTIPLIERS_HIDDEN, KEEL_UNSUPPORTED},
        {"dopri5", KEEL_MULTIPLIERS_HIDDEN, KEEL_OK},
        {"radau-iia", KEEL_MULTIPLIERS_AUTO, KEEL_OK},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        keel_solver *s = NULL;
        keel_options o = {.method = cases[k].method, .multipliers = cases[k].multipliers};
        expect_status(keel_solver_create(&s, p, &o), cases[k].expected, s, cases[k].method);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

static int turning(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -y[0];
    return 0;
}

static long accepted(const char *method, double safety)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    keel_ode_spec spec = {.size = 2, .rhs = turning};
    assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
    keel_options o = {.method = method, .safety = safety};
    expect_ok(keel_solver_create(&s, p, &o), s, method);
    expect_ok(keel_start(s, 0, (double[]){1, 0}), s, method);
    expect_ok(keel_advance_to(s, 30), s, method);
    long steps = keel_solver_stats(s)->accepted;
    keel_solver_free(s);
    keel_problem_free(p);
    return steps;
}

static void test_safety_acts_or_is_refused(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "dopri5", "radau-iia", "esdirk-4", "bdf",
                                          "bdf-3"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        long standard = accepted(methods[m], 0), careful = accepted(methods[m], 0.4);
        if (!(careful > 1.2 * (double)standard))
            fail_msg("%s: %ld steps, %ld with safety = 0.4", methods[m], standard, careful);
    }
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    keel_ode_spec spec = {.size = 2, .rhs = turning};
    assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
    expect_status(keel_solver_create(&s, p, &(keel_options){.method = "dimsim", .safety = 0.4}),
                  KEEL_UNSUPPORTED, s, "dimsim");
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_are_finite),
        cmocka_unit_test(test_moves_are_bounded),
        cmocka_unit_test(test_a_move_is_named),
        cmocka_unit_test(test_hidden_without_projection),
        cmocka_unit_test(test_hidden_of_many_unknowns_is_refused),
        cmocka_unit_test(test_safety_acts_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
