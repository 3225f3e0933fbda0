/* test_newton.c -- what is accepted as a solution, and the ways to one from a guess far off. */
#include "test/boundary/cases.h"

static double parameter_of(const void *context)
{
    return ((const keel_frame *)context)->parameters[0];
}

static keel_problem *framed_ode(int size, int (*rhs)(double, const double *, double *, void *),
                                double value)
{
    static const char *const names[] = {"p"};
    keel_problem *p = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = size, .rhs = rhs,
        .frame = {.parameters = 1, .parameter_start = &value, .parameter_names = names}}), KEEL_OK);
    return p;
}

static int solved(keel_boundary **w, const keel_boundary_spec *spec,
                  const keel_boundary_options *options)
{
    int rc = keel_boundary_create(w, spec, options);
    return rc ? rc : keel_boundary_solve(*w);
}

static void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

/* ---- equations that do not hold ------------------------------------------------------------- */

/* x = p t: x(1)/(p log^2 p) = 1/log^2 p is never -0.7; from p = 1/10 Newton's method goes to p = 0, where
 * its corrections vanish and the condition is off by 0.7. */
static int constant(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y;
    f[0] = parameter_of(context);
    return 0;
}
static int logarithmic(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    double l = log(fabs(p[0]));
    (void)context;
    b[0] = ya[0];
    b[1] = 0.7 + yb[0] / (p[0] * l * l);
    return 0;
}
static int logarithmic_jacobian(const double *ya, const double *yb, const double *p, double *b_a,
                                double *b_b, double *b_p, void *context)
{
    double l = log(fabs(p[0]));
    (void)ya, (void)context;
    b_a[0] = 1;
    b_b[1] = 1 / (p[0] * l * l);
    b_p[1] = -yb[0] / (p[0] * p[0] * l * l) * (1 + 2 / l);
    return 0;
}
static int from_little(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = 0.1 * t;
    p[0] = 0.1;
    return 0;
}

static void vanishing_periods(void **state)
{
    keel_problem *p = framed_ode(1, constant, 1);
    keel_boundary *w = NULL;
    (void)state;
    int rc = solved(&w, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = logarithmic,
        .condition_jacobian = logarithmic_jacobian, .parameters = 1, .guess = from_little,
        .condition_names = (const char *const[]){"start", "period"}}, NULL);
    if (rc == KEEL_OK) fail_msg("accepted with p = %g", keel_boundary_parameters(w)[0]);
    expect_text(keel_boundary_message(w), "period");
    keel_boundary_free(w);
    keel_problem_free(p);
}

static int decaying(double t, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = -y[0] + parameter_of(context);
    return 0;
}
static int hyperbola(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[0] * yb[0] + p[0] * p[0] + 0.25;           /* never 0 */
    return 0;
}

static void conditions_without_a_solution(void **state)
{
    keel_problem *p = framed_ode(1, decaying, 1);
    keel_boundary *w = NULL;
    (void)state;
    int rc = solved(&w, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = hyperbola, .parameters = 1,
        .guess = from_little}, NULL);
    assert_true(rc == KEEL_NOT_CONVERGED || rc == KEEL_SINGULAR);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* A condition may be written in any unit. */
static double unit;
static int in_units(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = unit * sinh(ya[0]);
    b[1] = unit * (exp(yb[0]) - 1);
    return 0;
}

static void units_of_conditions(void **state)
{
    static const double units[] = {1e-9, 1, 1e9};
    bvp_case c = bvp_cases[BRATU_35];
    (void)state;
    c.condition = in_units;
    keel_problem *p = case_problem(&c);
    for (int i = 0; i < 3; i++) {
        double x, z;
        unit = units[i];
        keel_boundary *w = case_solve(&c, p, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8},
                                      KEEL_OK);
        case_error(&c, keel_boundary_solution(w), &x, &z);
        if (!(x < 1e-8 && z < 1e-8)) fail_msg("unit %g: errors %.2e, %.2e", unit, x, z);
        assert_true(keel_boundary_statistics(w)->equations <= 1);
        keel_boundary_free(w);
    }
    keel_problem_free(p);
}

/* ---- a guess far off ------------------------------------------------------------------------ */

/* Lagerstrom and Cole: p u'' + u u' - u = 0, u(0) = -7/6, u(1) = 3/2, with a shock at t = 1/3 between
 * u = t - 7/6 and u = t + 1/2, which solve it exactly [Ascher, Mattheij & Russell, Numerical Solution of
 * Boundary Value Problems, 1995, chapter 10]. */
static int shock(double t, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = y[1];
    f[1] = (y[0] - y[0] * y[1]) / parameter_of(context);
    return 0;
}
static int shock_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] + 7.0 / 6;
    b[1] = yb[0] - 1.5;
    return 0;
}

static void easy_parameters(void **state)
{
    keel_problem *p = framed_ode(2, shock, 1e-3);
    keel_boundary *w = NULL;
    keel_boundary_spec spec = {.problem = p, .to = 1, .conditions = 2, .condition = shock_ends};
    keel_boundary_options options = {.rtol = 1e-6, .atol = 1e-6};
    double y[2];
    (void)state;
    assert_int_equal(solved(&w, &spec, &options), KEEL_NOT_CONVERGED);
    expect_text(keel_boundary_message(w), "the interval was solved up to t = 0.");
    expect_text(keel_boundary_message(w), "easy_name");
    keel_boundary_free(w);
    options.easy_name = "p";
    options.easy_value = 1;
    assert_int_equal(solved(&w, &spec, &options), KEEL_OK);
    assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0.2, y), KEEL_OK);
    assert_true(fabs(y[0] - (0.2 - 7.0 / 6)) < 1e-6);
    assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0.5, y), KEEL_OK);
    assert_true(fabs(y[0] - 1) < 1e-6);
    keel_boundary_free(w);
    options.easy_value = NAN;
    assert_int_equal(solved(&w, &spec, &options), KEEL_BAD_ARGUMENT);
    keel_boundary_free(w);
    options.easy_name = "q";
    assert_int_equal(solved(&w, &spec, &options), KEEL_UNKNOWN_NAME);
    expect_text(keel_boundary_message(w), "q");
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- odd numbers of stages ------------------------------------------------------------------ */

/* y'' = lambda^2 y with h lambda = 4.6443707..., the real eigenvalue of a^-1 for three stages: for the
 * growing solution the stages of equal intervals are singular. */
static int growing(double t, const double *y, double *f, void *context)
{
    double lambda = parameter_of(context);
    (void)t;
    f[0] = y[1];
    f[1] = lambda * lambda * y[0];
    return 0;
}
static int ones(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[0] - 1;
    return 0;
}

static void three_stages_and_a_growing_mode(void **state)
{
    static const double pole = 4.6443707092521712;
    static const int intervals[] = {5, 6, 20};
    (void)state;
    for (int i = 0; i < 6; i++) {
        int N = intervals[i / 2], uniform = i % 2;
        double lambda = N * pole, y[2], worst = 0;
        keel_problem *p = framed_ode(2, growing, lambda);
        keel_boundary *w = NULL;
        int rc = solved(&w, &(keel_boundary_spec){
            .problem = p, .to = 1, .conditions = 2, .condition = ones},
            &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8, .stages = 3, .mesh = N,
                                     .uniform = uniform});
        if (rc) fail_msg("N = %d: %s", N, keel_boundary_message(w));
        for (int j = 0; j <= 100; j++) {
            double t = j / 100.0, exact = cosh(lambda * (t - 0.5)) / cosh(lambda / 2);
            assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
            worst = fmax(worst, fabs(y[0] - exact));
        }
        if (!(worst < (uniform ? 0.05 : 1e-8))) fail_msg("N = %d: error %.2e", N, worst);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vanishing_periods), cmocka_unit_test(conditions_without_a_solution),
        cmocka_unit_test(units_of_conditions), cmocka_unit_test(easy_parameters),
        cmocka_unit_test(three_stages_and_a_growing_mode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
