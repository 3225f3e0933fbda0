/* test_unseen.c -- starts from which nothing is seen: growth below the absolute tolerance, and y' = 0 until
 * something happens. */
#include "test/support/run.h"

static const char *const methods[] = {"auto", "verner8", "dopri5", "dop853", "rodas-4", "rodas-5p", "esdirk-4",
                                      "esdirk-5", "sdirk-4", "radau-iia-3", "radau-iia-5", "radau-iia", "bdf",
                                      "dimsim"};

/* y' = 4 y (1 - y), from y = atol to 1 */
static int logistic(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = 4 * y[0] * (1 - y[0]);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_methods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
