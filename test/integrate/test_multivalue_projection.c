/* test_multivalue_projection.c -- what projection changes is carried on.
 *
 * A rotation whose speed depends on the radius, y' = |y|^2 (-y2, y1), with |y| = 1 as an invariant:
 * the errors of a projected method grow with t.  Where the radius drifts in what is carried they
 * would grow with t^2.
 */
#include "test/support/run.h"

static int rotation(double t, const double *y, double *f, void *context)
{
    double speed = y[0] * y[0] + y[1] * y[1];
    (void)t, (void)context;
    f[0] = -speed * y[1], f[1] = speed * y[0];
    return 0;
}

static int radius(double t, const double *y, double *phi, void *context)
{
    (void)t, (void)context;
    phi[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

static double error_at(const keel_problem *p, const char *method, double t_end)
{
    const double y[2] = {1, 0};
    keel_options o = {.method = method, .step = 1. / 32, .rtol = 1e-10, .atol = 1e-10};
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, &o), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_advance_to(s, t_end), s, method);
    double error = hypot(keel_state(s)[0] - cos(t_end), keel_state(s)[1] - sin(t_end));
    assert_true(keel_solver_stats(s)->residual[0] < 1e-14);
    keel_solver_free(s);
    return error;
}

static void errors_grow_linearly(void **state)
{
    static const char *const methods[] = {"bdf-2", "bdf-3", "dimsim-2", "dimsim-3", "adams-2",
                                          "dcbdf-2"};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = rotation, .invariants = 1,
                                                   .invariant = radius}), KEEL_OK);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double once = error_at(p, methods[m], 20), twice = error_at(p, methods[m], 40);
        if (!(twice < 2.5 * once)) fail_msg("%s: error %g, then %g", methods[m], once, twice);
    }
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_grow_linearly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
