/* test_breaks.c -- right-hand sides that jump at unknown times, which are parameters. */
#include "test/boundary/refusal.h"

static keel_boundary *solved(const keel_boundary_spec *spec, double tol)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, spec, &(keel_boundary_options){.rtol = tol, .atol = tol});
    if (!rc) rc = keel_boundary_solve(w);
    if (rc) fail_msg("%s: %s", keel_status_name(rc), keel_boundary_message(w));
    return w;
}

static void expect_near(const char *what, double value, double exact, double error)
{
    if (!(fabs(value - exact) <= error)) fail_msg("%s: %.12g instead of %.12g", what, value, exact);
}

/* ---- from rest to rest in least time: u = 1, then -1; times over T ----------------------------- */

static int bang(double t, const double *y, double *f, void *context)
{
    const double *p = ((const keel_frame *)context)->parameters;
    f[0] = p[1] * y[1];
    f[1] = p[1] * (t < p[0] ? 1 : -1);
    return 0;
}
static int rests(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = ya[1];
    b[2] = yb[0] - 1;
    b[3] = yb[1];
    return 0;
}
static int lean(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = t;
    y[1] = 0.5;
    p[0] = 0.3;
    p[1] = 1;
    return 0;
}

static const keel_frame_spec two = {.parameters = 2, .parameter_start = (const double[]){0.3, 1},
                                    .parameter_names = (const char *const[]){"switch", "T"}};

/* x = s^2 T^2/2 up to the switch at s = 1/2, T = 2: the mesh goes where the jump is. */
static void bang_bang(void **state)
{
    keel_problem *p = NULL;
    double y[2];
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = bang, .frame = two}), KEEL_OK);
    keel_boundary *w = solved(&(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 4, .condition = rests, .parameters = 2, .guess = lean,
        .breaks = 1, .break_at = (double[]){0.3}, .break_parameter = (int[]){0}}, 1e-9);
    const double *found = keel_boundary_parameters(w);
    expect_near("switch", found[0], 0.5, 1e-9);
    expect_near("T", found[1], 2, 1e-9);
    for (int i = 0; i <= 20; i++) {
        double t = i / 20.0, exact = t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t);
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
        expect_near("x", y[0], exact, 1e-8);
    }
    assert_true(keel_boundary_statistics(w)->mesh < 20);
    /* The solution is a guess for the next, with its break. */
    keel_boundary *other = NULL;
    assert_int_equal(keel_boundary_create(&other, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 4, .condition = rests, .parameters = 2,
        .breaks = 1, .break_at = (double[]){0.4}, .break_parameter = (int[]){0}}, NULL), KEEL_OK);
    assert_int_equal(keel_boundary_guess(other, keel_boundary_solution(w), found), KEEL_OK);
    assert_int_equal(keel_boundary_solve(other), KEEL_OK);
    expect_near("again", keel_boundary_parameters(other)[0], 0.5, 1e-6);
    keel_boundary_free(other);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* Without the break the jump is met by ever smaller intervals, or not at all. */
static void breaks_are_needed(void **state)
{
    keel_problem *p = NULL;
    keel_boundary *w = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = bang, .frame = two}), KEEL_OK);
    assert_int_equal(keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 4, .condition = rests, .parameters = 2, .guess = lean},
        &(keel_boundary_options){.rtol = 1e-9, .atol = 1e-9}), KEEL_OK);
    assert_int_not_equal(keel_boundary_solve(w), KEEL_OK);
    assert_true(strlen(keel_boundary_message(w)) > 30);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- index 1, and a condition where the switch is ----------------------------------------------- */

static int relay(double t, const double *x, const double *z, double *f, void *context)
{
    const double *p = ((const keel_frame *)context)->parameters;
    (void)x;
    f[0] = (t < p[0] ? 0 : 1) - z[0];
    return 0;
}
static int relay_constraint(double t, const double *x, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] - x[0];
    return 0;
}
static int one(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 1;
    return 0;
}
static int half(int i, double t, const double *y, const double *p, double *b, void *context)
{
    (void)context;
    assert_int_equal(i, 0);
    if (fabs(t - p[0]) > 1e-12) return -7;       /* t is the time of the break */
    b[0] = y[0] - 0.5;
    return 0;
}

/* At x = 0 nothing moves, and the time of the switch does not matter: not the guess. */
static int decaying(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = y[1] = 1 - t / 4;
    p[0] = 1;
    return 0;
}

/* x = e^-t until it is 1/2, at ln 2, then 1 - e^-(t - ln 2)/2; off by a third to begin with. */
static void a_switch_with_a_condition(void **state)
{
    keel_problem *p = NULL;
    double y[2], s = log(2);
    (void)state;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 1, .algebraic = 1, .rhs = relay, .constraint = relay_constraint,
        .frame = {.parameters = 1, .parameter_start = (double[]){1}}}), KEEL_OK);
    keel_boundary *w = solved(&(keel_boundary_spec){
        .problem = p, .to = 2, .conditions = 1, .condition = one, .parameters = 1, .inner = 1,
        .inner_at = (double[]){1}, .inner_condition = half, .breaks = 1, .break_at = (double[]){1},
        .guess = decaying, .break_parameter = (int[]){0}}, 1e-9);
    expect_near("switch", keel_boundary_parameters(w)[0], s, 1e-9);
    for (int i = 0; i <= 20; i++) {
        double t = i / 10.0, exact = t < s ? exp(-t) : 1 - exp(s - t) / 2;
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
        expect_near("x", y[0], exact, 1e-8);
        expect_near("z", y[1], exact, 1e-8);
    }
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- index 2: the multiplier jumps --------------------------------------------------------------- */

static int pulled(double t, const double *x, const double *z, double *f, void *context)
{
    const double *p = ((const keel_frame *)context)->parameters;
    (void)x;
    f[0] = (t < p[0] ? 2 : -4) + z[0];
    f[1] = -z[0];
    return 0;
}
static int together(double t, const double *x, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = x[0] - x[1];
    return 0;
}
static int there(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0] + 0.5;
    return 0;
}

/* x1 = x2 = t up to s, then s - 2 (t - s); x1(1) = -1/2: s = 1/2; z = -1, then 2.  Two breaks, of which
 * one, where nothing happens, is known. */
static void a_multiplier_that_jumps(void **state)
{
    keel_problem *p = NULL;
    double y[3];
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){
        .differential = 2, .multipliers = 1, .rhs = pulled, .constraint = together,
        .frame = {.parameters = 1, .parameter_start = (double[]){0.7}}}), KEEL_OK);
    keel_boundary *w = solved(&(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = there, .parameters = 1, .breaks = 2,
        .break_at = (double[]){0.25, 0.7}, .break_parameter = (int[]){-1, 0}}, 1e-8);
    expect_near("switch", keel_boundary_parameters(w)[0], 0.5, 1e-8);
    for (int i = 0; i < 20; i++) {
        double t = (i + 0.5) / 20;
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
        expect_near("x", y[0], t < 0.5 ? t : 0.5 - 2 * (t - 0.5), 1e-8);
        expect_near("z", y[2], t < 0.5 ? -1 : 2, 1e-8);
    }
    keel_boundary_free(w);
    keel_problem_free(p);
}

static void what_is_refused(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = bang, .frame = two}), KEEL_OK);
    keel_boundary_spec spec = {.problem = p, .to = 1, .conditions = 4, .condition = rests,
                               .parameters = 2, .guess = lean, .breaks = 1,
                               .break_at = (double[]){0.3}, .break_parameter = (int[]){2}};
    refused(&spec, NULL, KEEL_BAD_ARGUMENT, "break_parameter[0] = 2: 2 parameters are unknown");
    spec.break_parameter = (int[]){-2};
    refused(&spec, NULL, KEEL_BAD_ARGUMENT, "break_parameter[0] = -2");
    spec.breaks = 2;
    spec.break_at = (double[]){0.6, 0.3};
    spec.break_parameter = (int[]){0, -1};
    refused(&spec, NULL, KEEL_BAD_ARGUMENT, "break_at[1] = 0.3 is not inside, or not in order");
    spec.breaks = 1;
    spec.conditions = 3;
    spec.inner = 1;
    spec.inner_at = (double[]){0.4};
    spec.inner_condition = half;
    refused(&spec, NULL, KEEL_UNSUPPORTED, "inner_at[0] = 0.4");
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bang_bang), cmocka_unit_test(breaks_are_needed),
        cmocka_unit_test(a_switch_with_a_condition), cmocka_unit_test(a_multiplier_that_jumps),
        cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
