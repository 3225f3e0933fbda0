/* test_forms.c -- every form, unknown parameters, conditions inside, breaks. */
#include "test/boundary/cases.h"

static void expect(int rc, keel_boundary *w)
{
    if (rc) fail_msg("%s: %s", keel_status_name(rc), keel_boundary_message(w));
}

/* ---- mixed index, levelled: solution (cos t, sin t, e^t, cos^2 t, t) -------------------------- */

static int mixed_rate(double t, const double *x, const double *y, double *f, void *context)
{
    double c = cos(t), s = sin(t), e = exp(t);
    (void)context;
    f[0] = -s + (x[1] - s) + y[0] - c * c;
    f[1] = c + y[1] * (1 + x[0] * x[0]) - t * (1 + c * c) + 5 * (x[2] - e);
    f[2] = e + 3 * (x[0] - c) + (y[1] - t) / 2;
    return 0;
}
static int mixed_level(double t, const double *x, const double *y, int k, double *h, void *context)
{
    double c = cos(t), s = sin(t), e = exp(t), f[3];
    if (k == 1) {
        h[1] = x[1] + x[2] * x[0] - s - e * c;
        return 0;
    }
    mixed_rate(t, x, y, f, context);
    h[0] = y[0] - x[0] * x[0] + 0.1 * (y[1] - t) * x[1];
    h[1] = f[1] + f[2] * x[0] + x[2] * f[0] - c - e * c + e * s;
    return 0;
}
static int mixed_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[2] - exp(1);
    return 0;
}

/* There are other solutions: this is near the one we know. */
static int mixed_guess(double t, double *y, double *p, void *context)
{
    static const double constant[5] = {1, 0, 1, 1, 0};
    (void)t, (void)p, (void)context;
    memcpy(y, constant, sizeof constant);
    return 0;
}

static void mixed_index(void **state)
{
    keel_problem *p = NULL;
    keel_boundary *w = NULL;
    double y[5], largest = 0;
    (void)state;
    assert_int_equal(keel_levelled(&p, &(keel_levelled_spec){
        .differential = 3, .algebraic = 2, .chain = (int[]){0, 1}, .rate = mixed_rate,
        .level = mixed_level}), KEEL_OK);
    expect(keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = mixed_ends, .guess = mixed_guess},
        &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8}), w);
    expect(keel_boundary_solve(w), w);
    for (int i = 0; i <= 50; i++) {
        double t = i / 50.0, exact[5] = {cos(t), sin(t), exp(t), cos(t) * cos(t), t};
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
        for (int j = 0; j < 5; j++) largest = fmax(largest, fabs(y[j] - exact[j]));
    }
    if (!(largest < 1e-8)) fail_msg("error %.2e", largest);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- the period of a pendulum: s = t/T, rod 1, g = 9.81, amplitude 1 rad ---------------------- */

static const double period = 2.1391376005586884;         /* 4 K(sin(1/2)) / sqrt(9.81) */

static int swing_force(double t, const double *q, const double *v, double *f, void *context)
{
    const keel_frame *frame = context;
    double T = frame->parameters[0];
    (void)t, (void)q, (void)v;
    f[0] = 0;
    f[1] = -9.81 * T * T;
    return 0;
}
static int swing_constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}
static int swing_rate(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)context;
    f[0] = v[0];
    f[1] = v[1];
    return 0;
}
static int swing_acceleration(double t, const double *q, const double *v, const double *l, double *k,
                              void *context)
{
    swing_force(t, q, v, k, context);
    k[0] -= q[0] * l[0];
    k[1] -= q[1] * l[0];
    return 0;
}
static int swing_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - sin(1);
    b[1] = ya[2];
    b[2] = yb[2];
    return 0;
}
static int swing_guess(double t, double *y, double *p, void *context)
{
    double a = cos(2 * PI * t), a1 = -2 * PI * sin(2 * PI * t);
    (void)context;
    y[0] = sin(a);
    y[1] = -cos(a);
    y[2] = a1 * cos(a);
    y[3] = a1 * sin(a);
    y[4] = 9.81 * 4;
    p[0] = 2;
    return 0;
}

/* G of the velocity level is a difference: it has an error of about 1e-10, times velocities of 10. */
static void find_period(keel_problem *p, double tol, double most)
{
    keel_boundary *w = NULL;
    expect(keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 3, .condition = swing_ends, .parameters = 1,
        .guess = swing_guess}, &(keel_boundary_options){.rtol = tol, .atol = tol}), w);
    expect(keel_boundary_solve(w), w);
    double error = fabs(keel_boundary_parameters(w)[0] / period - 1);
    if (!(error < most)) fail_msg("tol %.0e: relative error of the period %.2e", tol, error);
    assert_true(keel_boundary_statistics(w)->residual < 1e-8);
    keel_boundary_free(w);
}

static void pendulum_mechanical(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = swing_force, .constraint = swing_constraint,
        .frame = {.parameters = 1, .parameter_start = (double[]){1}}}), KEEL_OK);
    find_period(p, 1e-6, 1e-9);
    find_period(p, 1e-8, 1e-10);
    keel_problem_free(p);
}

static void pendulum_hessenberg3(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){
        .positions = 2, .velocities = 2, .multipliers = 1, .position_rate = swing_rate,
        .velocity_rate = swing_acceleration, .constraint = swing_constraint,
        .frame = {.parameters = 1, .parameter_start = (double[]){1}}}), KEEL_OK);
    find_period(p, 1e-6, 1e-8);
    keel_problem_free(p);
}

/* ---- conditions inside, and a right-hand side that jumps -------------------------------------- */

/* u'' = 0 below t = 1/3, 18 above; u(0) = 0, u(1/2) = 1: u = s t + 9 max(0, t - 1/3)^2, s = 3/2. */
static int jump_rhs(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = y[1];
    f[1] = t < 1.0 / 3 ? 0 : 18;
    return 0;
}
static int left_zero(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0];
    return 0;
}
static int one_inside(int i, double t, const double *y, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    assert_int_equal(i, 0);
    assert_true(fabs(t - 0.5) < 1e-15);
    b[0] = 2 * y[0] - 2;
    return 0;
}

static void inner_condition_and_break(void **state)
{
    keel_problem *p = NULL;
    keel_boundary *w = NULL;
    double y[2];
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = jump_rhs}), KEEL_OK);
    expect(keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 1, .condition = left_zero, .inner = 1,
        .inner_at = (double[]){0.5}, .inner_condition = one_inside, .breaks = 1,
        .break_at = (double[]){1.0 / 3}}, &(keel_boundary_options){.rtol = 1e-10, .atol = 1e-10}), w);
    expect(keel_boundary_solve(w), w);
    for (int i = 0; i <= 100; i++) {
        double t = i / 100.0, s = fmax(0, t - 1.0 / 3);
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
        if (!(fabs(y[0] - (1.5 * t + 9 * s * s)) < 1e-9)) fail_msg("t = %g: %.10g", t, y[0]);
    }
    assert_true(keel_boundary_statistics(w)->mesh <= 10);        /* a break costs nothing */
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- Newton's method fails from the guess: the interval grows --------------------------------- */

/* Troesch: u'' = m sinh(m u), u(0) = 0, u(1) = 1, from nothing.  u'(0) = s is the root of
 * 1 = int_0^1 du / sqrt(s^2 + 2 (cosh(m u) - 1)), computed with 15 digits: 4.57504614063187e-2 for m = 5
 * and 3.58337784630814e-4 for m = 10. */
static int troesch_rhs(double t, const double *y, double *f, void *context)
{
    double m = *(const double *)context;
    (void)t;
    f[0] = y[1];
    f[1] = m * sinh(m * y[0]);
    return 0;
}
static int troesch_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0] - 1;
    return 0;
}

static void troesch(void **state)
{
    static const struct { double m, slope; } run[] = {{5, 4.57504614063187e-2}, {10, 3.58337784630814e-4}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        keel_problem *p = NULL;
        keel_boundary *w = NULL;
        double y[2], m = run[i].m;
        assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = troesch_rhs, .context = &m}),
                         KEEL_OK);
        expect(keel_boundary_create(&w, &(keel_boundary_spec){
            .problem = p, .to = 1, .conditions = 2, .condition = troesch_ends},
            &(keel_boundary_options){.rtol = 1e-9, .atol = 1e-9}), w);
        expect(keel_boundary_solve(w), w);
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0, y), KEEL_OK);
        if (!(fabs(y[1] - run[i].slope) < 1e-6 * run[i].slope + 1e-9))
            fail_msg("m = %g: u'(0) = %.9g", m, y[1]);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

/* ---- a solution as the next guess -------------------------------------------------------------- */

static int bratu_frame_rhs(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    f[0] = y[1];
    f[1] = -frame->parameters[0] * exp(y[0]);
    return 0;
}

static void solutions_are_guesses(void **state)
{
    keel_problem *p = NULL;
    keel_boundary *w = NULL, *other = NULL;
    double y[2];
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){
        .size = 2, .rhs = bratu_frame_rhs, .frame = {.parameters = 1,
                                                     .parameter_start = (double[]){1}}}), KEEL_OK);
    keel_boundary_spec spec = {.problem = p, .to = 1, .conditions = 2, .condition = zero_ends};
    keel_boundary_options options = {.rtol = 1e-9, .atol = 1e-9};
    expect(keel_boundary_create(&w, &spec, &options), w);
    expect(keel_boundary_solve(w), w);
    assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0.5, y), KEEL_OK);
    assert_true(fabs(y[0] - 0.140539214400471798) < 1e-9);
    expect(keel_boundary_set_frame(w, (double[]){3.5}), w);
    expect(keel_boundary_solve(w), w);
    assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0.5, y), KEEL_OK);
    assert_true(fabs(y[0] - 1.08515894779401229) < 1e-8);
    expect(keel_boundary_create(&other, &spec, &options), other);
    expect(keel_boundary_guess(other, keel_boundary_solution(w), NULL), other);
    expect(keel_boundary_set_frame(other, (double[]){3.5}), other);
    expect(keel_boundary_solve(other), other);
    assert_int_equal(keel_boundary_statistics(other)->factorizations,
                     keel_boundary_statistics(other)->meshes_tried);    /* Newton was at home */
    keel_boundary_free(other);
    keel_boundary_free(w);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_index), cmocka_unit_test(pendulum_mechanical),
        cmocka_unit_test(pendulum_hessenberg3), cmocka_unit_test(inner_condition_and_break),
        cmocka_unit_test(troesch), cmocka_unit_test(solutions_are_guesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
