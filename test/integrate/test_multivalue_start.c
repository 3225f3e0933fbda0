/* test_multivalue_start.c -- how multistep and general linear methods begin, and what they say of
 * residuals there and at stop times.
 */
#include "test/support/run.h"

static const char *const methods[] = {"bdf", "dimsim"};
enum { METHODS = sizeof methods / sizeof *methods };

static keel_solver *begin(const keel_problem *p, const keel_options *o, const double *y)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, o), s, o->method);
    expect_ok(keel_start(s, 0, y), s, o->method);
    return s;
}

/* ---- the first step -------------------------------------------------------------------------- */

static int late(double t, const double *y, double *f, void *context)
{
    (void)y, (void)context;
    f[0] = 1e-9 + sin(t);
    return 0;
}

/* Where y' is next to nothing at the start, but not for long, the first step takes a thousandth of
 * the interval at most, unless another one is asked for. */
static void first_step_by_the_interval(void **state)
{
    const double y = 0, t_end = 10;
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = late}), KEEL_OK);
    for (int m = 0; m < METHODS; m++) {
        keel_options o = {.method = methods[m], .rtol = 1e-2, .atol = 1e-2};
        keel_solver *s = begin(p, &o, &y);
        expect_ok(keel_set_stop_time(s, t_end), s, methods[m]);
        expect_ok(keel_step(s), s, methods[m]);
        assert_true(keel_time(s) <= 1e-3 * t_end);
        keel_solver_free(s);
        o.first_step = 0.05;
        s = begin(p, &o, &y);
        expect_ok(keel_set_stop_time(s, t_end), s, methods[m]);
        expect_ok(keel_step(s), s, methods[m]);
        assert_true(keel_time(s) == 0.05);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

static int spring(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)v, (void)context;
    f[0] = -q[0];
    return 0;
}

/* Accelerations count: the error of order 1, h^2 y'' / 2, is a part of the tolerance, neither more
 * nor next to nothing. */
static void first_step_by_the_slope(void **state)
{
    const double y[2] = {1, 0}, atol = 1e-4;             /* y' = (0, -1), y'' = (-1, 0) */
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 1, .force = spring}),
                     KEEL_OK);
    for (int m = 0; m < METHODS; m++) {
        keel_options o = {.method = methods[m], .rtol = 1e-4, .atol = atol};
        keel_solver *s = begin(p, &o, y);
        expect_ok(keel_step(s), s, methods[m]);
        double error = pow(keel_time(s), 2) / 2 / atol / sqrt(2);
        if (!(error < 1 && error > 1e-4)) fail_msg("%s: h^2 y'' / 2 = %g", methods[m], error);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* ---- begun again ----------------------------------------------------------------------------- */

static int mass(double t, const double *q, double *M, void *context)
{
    (void)t, (void)q;
    M[0] = M[3] = *(const double *)context;
    M[1] = M[2] = 0;
    return 0;
}

static int weight(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0, f[1] = -1;
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

/* What a solver remembers of constant matrices ends with the next start. */
static void parameters_change_between_runs(void **state)
{
    const double y[5] = {1, 0, 0, 0, 0};
    double m0;
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .mass = mass, .constant_mass = 1, .force = weight, .constraint = rod, .context = &m0}),
        KEEL_OK);
    for (int m = 0; m < METHODS; m++) {
        keel_options o = {.method = methods[m]};
        m0 = 1;
        keel_solver *used = begin(p, &o, y);
        expect_ok(keel_advance_to(used, 0.5), used, methods[m]);
        m0 = 3;
        keel_solver *fresh = begin(p, &o, y);
        expect_ok(keel_start(used, 0, y), used, methods[m]);
        expect_ok(keel_advance_to(used, 0.5), used, methods[m]);
        expect_ok(keel_advance_to(fresh, 0.5), fresh, methods[m]);
        assert_memory_equal(keel_state(used), keel_state(fresh), sizeof y);
        keel_solver_free(used);
        keel_solver_free(fresh);
    }
    keel_problem_free(p);
}

/* ---- residuals ------------------------------------------------------------------------------- */

/* Taken as given, values off the constraint are on record before the first step. */
static void residuals_of_given_values(void **state)
{
    const double y[5] = {1.25, 0, 0, 1, 0};              /* g = 9/16 */
    double residual[3], m0 = 1;
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .mass = mass, .force = weight, .constraint = rod, .context = &m0}), KEEL_OK);
    for (int m = 0; m < METHODS; m++) {
        keel_options o = {.method = methods[m], .initial = KEEL_INITIAL_GIVEN};
        keel_solver *s = begin(p, &o, y);
        keel_residuals(s, residual);
        assert_true(fabs(residual[0] - 9. / 16) < 1e-15);
        assert_true(keel_solver_stats(s)->residual[0] == residual[0]);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* BDF with multipliers of its own measures the last level at stop times, and counts the other steps;
 * general linear methods measure it always. */
static void last_level_at_stop_times(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        probe context = {0};
        double residual[3];
        keel_options o = {.method = methods[m], .projection = KEEL_PROJECT_NONE,
                          .multipliers = KEEL_MULTIPLIERS_RECURSION};
        keel_problem *p = new_problem(&forms[FORM_SEPARATE], GIVEN, &context);
        keel_solver *s = started(p, &forms[FORM_SEPARATE], &o, 0);
        assert_null(strstr(keel_choice(s), "projected"));
        expect_ok(keel_step(s), s, methods[m]);
        keel_residuals(s, residual);
        int partial = strcmp(methods[m], "bdf") == 0;
        assert_true(residual[0] >= 0 && residual[1] >= 0 && (residual[2] < 0) == partial);
        assert_int_equal(keel_solver_stats(s)->unmeasured, partial);
        expect_ok(keel_advance_to(s, 0.3), s, methods[m]);
        keel_residuals(s, residual);
        assert_true(residual[2] >= 0);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_step_by_the_interval), cmocka_unit_test(first_step_by_the_slope),
        cmocka_unit_test(parameters_change_between_runs),
        cmocka_unit_test(residuals_of_given_values), cmocka_unit_test(last_level_at_stop_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
