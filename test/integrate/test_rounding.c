/* test_rounding.c -- tolerances that are very small, or exactly 0.
 *
 * Robertson's reaction as F(t,y,y') = 0 with y1 + y2 + y3 = 1 [HW96 IV.1]: y3 = 1 - y1 - y2 near 0 is
 * known to 1e-16 and no better, however small the tolerance.
 */
#include "test/integrate/tolerance.h"

static const double end_values[3] = {2.083340149701255e-8, 8.333360770334713e-14,
                                     0.9999999791665050};

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[0] = yp[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
    F[1] = yp[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
    F[2] = y[0] + y[1] + y[2] - 1;
    return 0;
}

static int jacobian(double t, const double *y, const double *yp, double shift, keel_matrix *J,
                    void *context)
{
    (void)t, (void)yp, (void)context;
    keel_put(J, 0, 0, shift + 0.04);
    keel_put(J, 0, 1, -1e4 * y[2]);
    keel_put(J, 0, 2, -1e4 * y[1]);
    keel_put(J, 1, 0, -0.04);
    keel_put(J, 1, 1, shift + 1e4 * y[2] + 6e7 * y[1]);
    keel_put(J, 1, 2, 1e4 * y[1]);
    for (int j = 0; j < 3; j++) keel_put(J, 2, j, 1);
    return 0;
}

/* Largest relative error at t = 1e11. */
static double relative_error(const keel_options *options, char *choice)
{
    const double y[3] = {1, 0, 0}, yp[3] = {-0.04, 0.04, 0};
    keel_implicit_spec spec = {.size = 3, .residual = residual, .jacobian = jacobian};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double worst = 0;
    assert_int_equal(keel_implicit(&p, &spec), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, options), s, options->method);
    expect_ok(keel_start_marked(s, 0, y, yp, NULL), s, options->method);
    expect_ok(keel_advance_to(s, 1e11), s, options->method);
    for (int i = 0; i < 3; i++)
        worst = fmax(worst, fabs(keel_state(s)[i] / end_values[i] - 1));
    snprintf(choice, 400, "%s", keel_choice(s));
    keel_solver_free(s);
    keel_problem_free(p);
    return worst;
}

/* 1e-6 relative to every unknown: with an absolute tolerance far below rounding, and without one. */
static void below_rounding(void **state)
{
    static const double atol[] = {1e-18, 1e-30, KEEL_ZERO};
    static const char *const methods[] = {"radau-iia", "esdirk-4", "auto"};
    char choice[400];
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++) {
            keel_options options = {.method = methods[m], .rtol = 1e-6, .atol = atol[k]};
            double error = relative_error(&options, choice);
            if (!(error < 1e-5)) fail_msg("%s, atol %g: %g", methods[m], atol[k], error);
        }
    relative_error(&(keel_options){.method = "esdirk-4", .rtol = 1e-6, .atol = 1e-30}, choice);
    expect_text(choice, "tolerance of y[2] is held at");
}

/* Per unknown, by name of the option, and never both. */
static void exactly_zero(void **state)
{
    static const double zeros[3] = {0, 0, 0};
    keel_options options = {.method = "radau-iia", .rtol = 1e-6, .atol_each = zeros};
    keel_implicit_spec spec = {.size = 3, .residual = residual};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    char choice[400], text[200];
    (void)state;
    assert_true(relative_error(&options, choice) < 1e-5);
    keel_options named = {.method = "radau-iia"};
    assert_int_equal(keel_option_set(&named, "rtol", "1e-6", text, sizeof text), KEEL_OK);
    assert_int_equal(keel_option_set(&named, "atol", "0", text, sizeof text), KEEL_OK);
    assert_true(named.atol == KEEL_ZERO);
    assert_true(relative_error(&named, choice) < 1e-5);
    assert_int_equal(keel_option_set(&named, "step", "0", text, sizeof text), KEEL_BAD_ARGUMENT);
    named.rtol = KEEL_ZERO;
    assert_int_equal(keel_implicit(&p, &spec), KEEL_OK);
    expect_status(keel_solver_create(&s, p, &named), KEEL_BAD_ARGUMENT, s, "both 0");
    expect_text(keel_message(s), "both 0");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* Absolute tolerances far above y1 and y2, which all the same stay positive: steps and digits. */
static void loose(void **state)
{
    static const double tolerances[] = {1e-3, 1e-4};
    const bundled_problem *b = bundled_problem_find("robertson");
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double y[3] = {1, 0, 0};
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        keel_options options = {.method = "esdirk-4", .rtol = tolerances[k], .max_steps = 20000};
        assert_int_equal(b->create(&p, NULL), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &options), s, "esdirk-4");
        expect_ok(keel_start(s, 0, y), s, "esdirk-4");
        expect_ok(keel_advance_to(s, 1e11), s, "esdirk-4");
        if (!(bundled_scd(b, NULL, 1e11, keel_state(s), 0) > 0.5))
            fail_msg("y1 = %g at %g", keel_state(s)[0], tolerances[k]);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_rounding), cmocka_unit_test(exactly_zero), cmocka_unit_test(loose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
