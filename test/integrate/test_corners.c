/* test_corners.c -- degenerate sizes, times and options that are allowed and must work. */
#include "test/support/run.h"

static int oscillator(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -y[0];
    return 0;
}

static const double start[2] = {1, 0.5};

/* Error of the oscillator from t0 to t1 with these options. */
static double oscillate(keel_options o, double t0, double t1)
{
    double span = t1 - t0, y[2] = {cos(span) + 0.5 * sin(span), 0.5 * cos(span) - sin(span)};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = oscillator}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &o), s, "create");
    expect_ok(keel_start(s, t0, start), s, "start");
    expect_ok(keel_advance_to(s, t1), s, "advance");
    assert_true(keel_time(s) == t1);
    double error = distance(keel_state(s), y, 0, 2);
    keel_solver_free(s);
    keel_problem_free(p);
    return error;
}

static void times(void **state)
{
    (void)state;
    assert_true(oscillate((keel_options){.rtol = 1e-8}, 1e9, 1e9 + 10) < 1e-5);
    assert_true(oscillate((keel_options){.rtol = 1e-8}, -1e9, -1e9 - 10) < 1e-5);
    assert_true(oscillate((keel_options){0}, 1, 1 + 1e-14) < 1e-14);
    assert_true(oscillate((keel_options){0}, 1, 1 + 2.3e-16) < 1e-15);
    assert_true(oscillate((keel_options){0}, 0, 1e-300) < 1e-15);
}

static void option_extremes(void **state)
{
    (void)state;
    assert_true(oscillate((keel_options){.rtol = 1e-14}, 0, 10) < 1e-11);
    assert_true(oscillate((keel_options){.rtol = 0.1}, 0, 10) < 1);
    assert_true(oscillate((keel_options){.first_step = 1e10}, 0, 1) < 1e-4);
    assert_true(oscillate((keel_options){.first_step = 1e-20}, 0, 1) < 1e-4);
    assert_true(oscillate((keel_options){.step = 5, .method = "radau-iia-3"}, 0, 1) < 1e-3);
    assert_true(oscillate((keel_options){.max_step = 1e-5}, 0, 1e-3) < 1e-10);
    assert_true(oscillate((keel_options){.newton_limit = 1}, 0, 1) < 1e-4);
    assert_true(oscillate((keel_options){.safety = 0.1}, 0, 1) < 1e-4);
    assert_true(oscillate((keel_options){.method = "radau-iia-20", .rtol = 1e-12}, 0, 10) < 1e-10);
    if (has_sparse())
        assert_true(oscillate((keel_options){.linear = KEEL_LINEAR_SPARSE}, 0, 1) < 1e-4);
}

/* ---- sizes -------------------------------------------------------------------------------- */

static int two_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)z;
    return oscillator(t, y, f, context);
}

static int nothing(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)y, (void)z, (void)g, (void)context;
    return 0;
}

static int nothing_either(double t, const double *y, double *g, void *context)
{
    return nothing(t, y, y, g, context);
}

static int spring(double t, const double *q, const double *v, unsigned wanted,
                  const keel_mechanical_parts *parts, void *context)
{
    (void)t, (void)v, (void)context;
    if (wanted & KEEL_MASS) parts->mass[0] = 2;
    if (wanted & KEEL_FORCE) parts->force[0] = -2 * q[0];
    return 0;
}

/* The oscillator without constraints in the forms that may have none. */
static void no_constraints(void **state)
{
    static const keel_options variants[] = {
        {.rtol = 1e-7}, {.rtol = 1e-7, .linear = KEEL_LINEAR_DENSE},
        {.rtol = 1e-7, .iteration = KEEL_ITERATION_FULL}};
    double exact[2] = {cos(1.0) + 0.5 * sin(1.0), 0.5 * cos(1.0) - sin(1.0)};
    (void)state;
    for (int k = 0; k < 5; k++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        int rc = k == 0 ? keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 2,
                              .rhs = two_rhs, .constraint = nothing})
               : k == 1 ? keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2,
                              .rhs = two_rhs, .constraint = nothing_either})
               : keel_mechanical(&p, &(keel_mechanical_spec){.positions = 1, .evaluate = spring});
        assert_int_equal(rc, KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &variants[k < 2 ? 0 : k - 2]), s, "create");
        expect_ok(keel_start(s, 0, start), s, "start");
        expect_ok(keel_advance_to(s, 1), s, "advance");
        assert_true(distance(keel_state(s), exact, 0, 2) < 1e-5);
        for (int l = 0; l < 3; l++) assert_true(keel_solver_stats(s)->residual[l] < 0);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- scales ------------------------------------------------------------------------------- */

typedef struct string { double length, gravity; } string;

static int string_force(double t, const double *q, const double *v, double *f, void *context)
{
    const string *k = context;
    (void)t, (void)q, (void)v;
    f[0] = 0;
    f[1] = -k->gravity;
    return 0;
}

static int string_length(double t, const double *q, double *g, void *context)
{
    const string *k = context;
    (void)t;
    g[0] = q[0] * q[0] + q[1] * q[1] - k->length * k->length;
    return 0;
}

/* Pendulums of a millimetre to 1e6 metres keep length and energy to the tolerance. */
static void lengths(void **state)
{
    (void)state;
    for (double length = 1e-3; length < 1e7; length *= 1e3) {
        string k = {length, 9.81};
        double y[5] = {length}, period = sqrt(length / 9.81);
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2,
            .constraints = 1, .force = string_force, .constraint = string_length,
            .context = &k}), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.rtol = 1e-8,
                                                            .atol = 1e-8 * length}), s, "create");
        expect_ok(keel_start(s, 0, y), s, "start");
        expect_ok(keel_advance_to(s, 5 * period), s, "swing");
        const double *x = keel_state(s);
        double energy = 0.5 * (x[2] * x[2] + x[3] * x[3]) + 9.81 * x[1];
        assert_true(fabs(hypot(x[0], x[1]) - length) < 1e-12 * length);
        if (!(fabs(energy) < 1e-4 * 9.81 * length))
            fail_msg("length %g: energy %g", length, energy);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* At rest everything is zero, and stays so in few steps. */
static void rest(void **state)
{
    double zero[2] = {0, 0};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = oscillator}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0, zero), s, "start");
    expect_ok(keel_advance_to(s, 1e6), s, "rest");
    assert_true(keel_state(s)[0] == 0 && keel_state(s)[1] == 0);
    assert_true(keel_solver_stats(s)->steps < 100);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times), cmocka_unit_test(option_extremes),
        cmocka_unit_test(no_constraints), cmocka_unit_test(lengths), cmocka_unit_test(rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
