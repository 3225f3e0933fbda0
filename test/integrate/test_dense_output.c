/* test_dense_output.c -- the solution between the steps, and recordings of it. */
#include "test/support/run.h"

/* keel_advance stops with t inside the last step; the interpolant is accurate and continuous. */
static void inside_the_last_step(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        double y[LARGEST_FORM], exact[LARGEST_FORM];
        int differential = forms[k].size - (k >= FORM_HESS2 && k <= FORM_EVALUATE);
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_solver *s = started(p, &forms[k], &(keel_options){.rtol = 1e-6}, 0);
        for (double t = 0.05; t < 1; t += 0.05) {
            expect_ok(keel_advance(s, t), s, forms[k].name);
            assert_true(keel_previous_time(s) <= t && t <= keel_time(s));
            long steps = keel_solver_stats(s)->steps;
            expect_ok(keel_advance(s, t), s, forms[k].name);           /* already there */
            assert_int_equal(keel_solver_stats(s)->steps, steps);
            expect_ok(keel_interpolate(s, t, y), s, forms[k].name);
            forms[k].exact(t, exact);
            double error = distance(y, exact, 0, differential);
            if (!(error < 1e-3)) fail_msg("%s at t = %g: error %g", forms[k].name, t, error);
        }
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

static void continuous(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        double end[LARGEST_FORM], y[LARGEST_FORM];
        size_t bytes = (size_t)forms[k].size * sizeof *y;
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_solver *s = started(p, &forms[k], &(keel_options){.rtol = 1e-4}, 0);
        for (int step = 0; step < 10; step++) {
            memcpy(end, keel_state(s), bytes);
            expect_ok(keel_step(s), s, forms[k].name);
            expect_ok(keel_interpolate(s, keel_previous_time(s), y), s, forms[k].name);
            assert_memory_equal(y, end, bytes);
            expect_ok(keel_interpolate(s, keel_time(s), y), s, forms[k].name);
            assert_memory_equal(y, keel_state(s), bytes);
            double h = keel_time(s) - keel_previous_time(s);
            assert_int_equal(keel_interpolate(s, keel_time(s) + 0.1 * h, y), KEEL_BAD_ARGUMENT);
            assert_int_equal(keel_interpolate(s, keel_previous_time(s) - 0.1 * h, y),
                             KEEL_BAD_ARGUMENT);
            assert_int_equal(keel_interpolate(s, NAN, y), KEEL_BAD_ARGUMENT);
        }
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* Through s + 1 values of a step: order s + 1 inside a single step of an ODE, so 2^(s+1). */
static void order_inside_a_step(void **state)
{
    (void)state;
    for (int stages = 2; stages <= 4; stages++) {
        double error[2];
        char method[32];
        snprintf(method, sizeof method, "radau-iia-%d", stages);
        for (int k = 0; k < 2; k++) {
            probe context = {0};
            double y[2], exact[2], h = k ? 0.05 : 0.1;
            keel_options o = {.method = method, .step = h, .rtol = 1e-13, .newton_limit = 100};
            keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
            keel_solver *s = started(p, &forms[FORM_ODE], &o, 0);
            expect_ok(keel_step(s), s, method);
            expect_ok(keel_interpolate(s, 0.5 * h, y), s, method);
            ode_exact(0.5 * h, exact);
            error[k] = distance(y, exact, 0, 2);
            keel_solver_free(s);
            keel_problem_free(p);
        }
        double order = log2(error[0] / error[1]);
        if (!(fabs(order - (stages + 1)) < 0.35))
            fail_msg("%s: order %.2f instead of %d", method, order, stages + 1);
    }
}

/* A recording gives anywhere what the solver gave at the time. */
static void recordings(void **state)
{
    enum { SAMPLES = 400 };
    (void)state;
    for (int k = 0; k < FORMS; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            probe context = {0};
            static double at[SAMPLES], seen[SAMPLES][LARGEST_FORM];
            double y[LARGEST_FORM];
            int samples = 0;
            size_t bytes = (size_t)forms[k].size * sizeof *y;
            keel_problem *p = new_problem(&forms[k], GIVEN, &context);
            keel_solver *s = started(p, &forms[k], &(keel_options){.rtol = 1e-5}, 0.5);
            keel_solution *r = NULL;
            assert_int_equal(keel_solution_create(&r, s), KEEL_OK);
            assert_int_equal(keel_solution_steps(r), 0);
            assert_int_equal(keel_solution_append(r, s), KEEL_BAD_ARGUMENT);   /* no step yet */
            expect_ok(keel_set_stop_time(s, 0.5 + 0.4 * sign), s, "stop");
            while (keel_step(s) == KEEL_OK) {
                assert_int_equal(keel_solution_append(r, s), KEEL_OK);
                assert_int_equal(keel_solution_append(r, s), KEEL_BAD_ARGUMENT);   /* twice */
                double h = keel_time(s) - keel_previous_time(s);
                for (int j = 1; j <= 4 && samples < SAMPLES; j++, samples++) {
                    at[samples] = j == 4 ? keel_time(s) : keel_previous_time(s) + 0.27 * j * h;
                    expect_ok(keel_interpolate(s, at[samples], seen[samples]), s, forms[k].name);
                }
            }
            int steps = keel_solution_steps(r);
            assert_int_equal(steps, keel_solver_stats(s)->accepted);
            assert_true(keel_solution_time(r, 0) == 0.5);
            assert_true(keel_solution_time(r, steps) == keel_time(s));
            assert_true(isnan(keel_solution_time(r, -1)));
            assert_true(isnan(keel_solution_time(r, steps + 1)));
            for (int j = 0; j < samples; j++) {
                assert_int_equal(keel_solution_at(r, at[j], y), KEEL_OK);
                if (!(distance(y, seen[j], 0, forms[k].size) < 1e-13))
                    fail_msg("%s: recorded value differs at t = %g", forms[k].name, at[j]);
            }
            assert_int_equal(keel_solution_at(r, 0.5, y), KEEL_OK);
            assert_int_equal(keel_solution_at(r, keel_time(s), y), KEEL_OK);
            assert_memory_equal(y, keel_state(s), bytes);
            assert_int_equal(keel_solution_at(r, 0.5 - 0.01 * sign, y), KEEL_BAD_ARGUMENT);
            assert_int_equal(keel_solution_at(r, 0.5 + 0.41 * sign, y), KEEL_BAD_ARGUMENT);
            assert_int_equal(keel_solution_at(r, NAN, y), KEEL_BAD_ARGUMENT);
            assert_int_equal(keel_solution_at(r, 0.5, NULL), KEEL_BAD_ARGUMENT);
            keel_solution_free(r);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* An empty recording knows the start, and a missing step is noticed. */
static void gaps_in_recordings(void **state)
{
    probe context = {0};
    double y[2];
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_solver *s = started(p, &forms[FORM_ODE], NULL, 0);
    keel_solution *r = NULL;
    (void)state;
    assert_int_equal(keel_solution_create(&r, s), KEEL_OK);
    assert_int_equal(keel_solution_at(r, 0, y), KEEL_OK);
    assert_true(y[0] == 1 && y[1] == 1);
    assert_int_equal(keel_solution_at(r, 0.1, y), KEEL_BAD_ARGUMENT);
    expect_ok(keel_step(s), s, "step");
    expect_ok(keel_step(s), s, "step");
    assert_int_equal(keel_solution_append(r, s), KEEL_BAD_ARGUMENT);
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* z + z^3 = s + s^3, s = sin 50 t, that is z = s: steps of a quarter of a period, within which g_z changes
 * fourfold. */
static int lag_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = z[0] - y[0];
    return 0;
}

static int cubic_source(double t, const double *y, const double *z, double *g, void *context)
{
    double x = sin(50 * t);
    (void)y, (void)context;
    g[0] = z[0] * (1 + z[0] * z[0]) - x * (1 + x * x);
    return 0;
}

static void curved_algebraic_equations(void **state)
{
    static const char *const methods[] = {"auto", "dopri5", "dop853", "verner8"};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 1, .algebraic = 1, .rhs = lag_rate, .constraint = cubic_source}), KEEL_OK);
    for (int k = 0; k < 4; k++) {
        keel_solver *s = NULL;
        double y[2] = {0, 0};
        keel_options options = {.method = methods[k], .rtol = 1e-7};
        expect_ok(keel_solver_create(&s, p, &options), s, methods[k]);
        expect_ok(keel_start(s, 0, y), s, methods[k]);
        for (int i = 1; i <= 3000; i++) {
            expect_ok(keel_advance(s, 1e-3 * i), s, methods[k]);
            expect_ok(keel_interpolate(s, 1e-3 * i, y), s, methods[k]);
            assert_true(fabs(y[1] - sin(0.05 * i)) < 1e-5);
        }
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside_the_last_step), cmocka_unit_test(continuous),
        cmocka_unit_test(order_inside_a_step), cmocka_unit_test(recordings),
        cmocka_unit_test(gaps_in_recordings), cmocka_unit_test(curved_algebraic_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
