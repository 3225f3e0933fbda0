/* test_unseen.c -- starts from which nothing is seen: growth below the absolute tolerance, and y' = 0 until
 * something happens. */
#include "test/support/run.h"

static const char *const methods[] = {"auto", "verner8", "dopri5", "dop853", "rodas-4", "rodas-5p",
                                      "esdirk-4", "esdirk-5", "sdirk-4", "radau-iia-3", "radau-iia-5",
                                      "radau-iia", "bdf", "dimsim"};

/* y' = 4 y (1 - y), from y = atol to 1 */
static int logistic(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = 4 * y[0] * (1 - y[0]);
    return 0;
}

/* The same about another place: an equilibrium that is not 0, and left. */
static int shifted(double t, const double *y, double *f, void *context)
{
    double u = y[0] + 99;
    (void)t, (void)context;
    f[0] = 4 * u * (1 - u);
    return 0;
}

/* theta'' = sin theta, upright at 0, as an ODE and as F(t,y,y') = 0 */
static int upright(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1], f[1] = sin(y[0]);
    return 0;
}

static int upright_residual(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[0] = yp[0] - y[1], F[1] = yp[1] - sin(y[0]);
    return 0;
}

/* A hump of area 1 and of the width 1/50 of the interval 0 to 10, 0 before and after it */
static int hump(double t, const double *y, double *f, void *context)
{
    double x = (t - 3.7) / 0.2;
    (void)y, (void)context;
    f[0] = fabs(x) < 6 ? exp(-x * x) / (0.2 * sqrt(3.14159265358979323846)) : 0;
    return 0;
}

/* In tolerances. */
static double error_of(const char *method, double tolerance,
                       int (*rhs)(double, const double *, double *, void *), double y0, double end)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = rhs}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = tolerance,
                                                        .atol = tolerance}), s, "create");
    expect_ok(keel_start(s, 0, &y0), s, "start");
    expect_ok(keel_advance_to(s, end), s, "advance");
    double error = fabs(keel_state(s)[0] - 1) / tolerance;
    keel_solver_free(s);
    keel_problem_free(p);
    return error;
}

/* Both solutions end at 1: that of the logistic equation to 1e-7 (1 - y = exp(-4 t) / y(0)). */
static void all_methods(void **state)
{
    static const double sizes[] = {1, 9, 30, 100, 300, 1e3, 1e4};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
            double met = error_of(methods[m], tolerance, hump, 0, 10);
            if (!(met < 20)) fail_msg("%s, %g: hump %.3g tolerances off", methods[m], tolerance, met);
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes && sizes[k] * tolerance < 0.5; k++) {
                double grown = error_of(methods[m], tolerance, logistic, sizes[k] * tolerance, 10);
                double late = error_of(methods[m], tolerance, logistic, sizes[k] * tolerance, 100);
                if (!(grown < 20 && late < 20))
                    fail_msg("%s, %g: growth from %g tolerances to t = 10 and 100 %.3g, %.3g tolerances off",
                             methods[m], tolerance, sizes[k], grown, late);
            }
        }
}

/* Steps without a stop time, the first of which nothing limits; the last one ends at or behind `end`. */
static double state_at(const keel_problem *p, const char *method, double tolerance, const double *y0,
                       const double *yp0, double end)
{
    keel_solver *s = NULL;
    double y[2];
    double first = strcmp(method, "esdirk-5") == 0 ? 0.1 : 0;
    keel_options options = {.method = method, .rtol = tolerance, .atol = tolerance, .first_step = first};
    expect_ok(keel_solver_create(&s, p, &options), s, "create");
    expect_ok(keel_start_marked(s, 0, y0, yp0, NULL), s, "start");
    expect_ok(keel_advance(s, end), s, "advance");
    expect_ok(keel_interpolate(s, end, y), s, "interpolate");
    keel_solver_free(s);
    return y[0];
}

/* From k tolerances beside -99, where the solution is at rest, to -98.  One tolerance at the start makes
 * exp(-4 t) / k^2 of the end, that is nothing. */
static void equilibria_are_left(void **state)
{
    static const double parts[] = {30, 100, 1e3, 1e4};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = shifted}), KEEL_OK);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (double tolerance = 1e-5; tolerance > 1e-10; tolerance *= 1e-1)
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
                double tolerated = 100 * tolerance, y0 = -99 + parts[k] * tolerated;
                if (parts[k] * tolerated > 0.5) continue;
                double off = fabs(state_at(p, methods[m], tolerance, &y0, NULL, 20) + 98) / tolerated;
                if (!(off < 20))
                    fail_msg("%s, %g: from %g tolerances beside the equilibrium %.3g tolerances off",
                             methods[m], tolerance, parts[k], off);
            }
    keel_problem_free(p);
}

/* The end depends on the start by the factor 3 / theta(0), as long as the pendulum falls for the first time.
 * esdirk-5 is told its first step: seen from the start it does not turn back where it damps the fall. */
static void upright_pendulum_falls(void **state)
{
    keel_problem *p[2] = {NULL, NULL};
    (void)state;
    assert_int_equal(keel_ode(&p[0], &(keel_ode_spec){.size = 2, .rhs = upright}), KEEL_OK);
    assert_int_equal(keel_implicit(&p[1], &(keel_implicit_spec){.size = 2, .residual = upright_residual}),
                     KEEL_OK);
    for (double theta = 1e-3; theta > 5e-6; theta *= 0.1) {
        double y0[2] = {theta, 0}, yp0[2] = {0, sin(theta)}, end = log(8 / theta);
        double reference = state_at(p[0], "dop853", 1e-13, y0, NULL, end);
        for (double tolerance = 0.01 * theta; tolerance > 1e-10; tolerance *= 0.1)
            for (size_t m = 0; m < 2 * sizeof methods / sizeof *methods; m++) {
                const char *method = methods[m / 2];
                if (m % 2 && (strstr(method, "dop") || strstr(method, "verner") || strstr(method, "rodas")))
                    continue;
                double off = state_at(p[m % 2], method, tolerance, y0, yp0, end) - reference;
                if (!(fabs(off) < 100 * tolerance * 3 / theta))
                    fail_msg("%s, form %d, %g, %g: %g off", method, (int)(m % 2), theta, tolerance, off);
            }
    }
    for (int k = 0; k < 2; k++) keel_problem_free(p[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_methods), cmocka_unit_test(equilibria_are_left),
                                       cmocka_unit_test(upright_pendulum_falls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
