/* test_fit.c -- parameters from measurements: regression lines, whose intervals are known, noise-free
 * measurements of algebraic unknowns, and what is refused.
 *
 *   x = a t + b:  a = Sxy/Sxx,  s_a = s/sqrt(Sxx),  s_b = s sqrt(1/n + tbar^2/Sxx)
 */
#include "test/boundary/refusal.h"

static const double *parameters_of(void *context) { return ((const keel_frame *)context)->parameters; }

static void expect_near(const char *what, double value, double exact, double error)
{
    if (!(fabs(value - exact) <= error)) fail_msg("%s: %.12g instead of %.12g", what, value, exact);
}

/* ---- a line -------------------------------------------------------------------------------------- */

static int slope(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y;
    f[0] = parameters_of(context)[0];
    return 0;
}
static int intercept(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)context;
    b[0] = ya[0] - p[1];
    return 0;
}

enum { POINTS = 5 };
static const double value_of[POINTS] = {1.2, 1.9, 3.3, 3.8, 5.4};

static keel_problem *line(void)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){
        .size = 1, .rhs = slope,
        .frame = {.parameters = 2, .parameter_start = (double[]){0, 0},
                  .parameter_names = (const char *const[]){"a", "b"}}}), KEEL_OK);
    return p;
}

static keel_fit *fitted(const keel_boundary_spec *spec, const keel_fit_options *how, int status,
                        const char *text)
{
    keel_fit *f = NULL;
    int rc = keel_fit_create(&f, spec, &(keel_boundary_options){.rtol = 1e-9, .atol = 1e-9}, how);
    if (!rc) rc = keel_fit_run(f, NULL);
    if (rc != status)
        fail_msg("%s instead of %s: %s", keel_status_name(rc), keel_status_name(status),
                 keel_fit_message(f));
    if (text) expect_text(keel_fit_message(f), text);
    if (rc) assert_null(keel_fit_result_of(f));
    return f;
}

/* Quantiles: Abramowitz & Stegun, table 26.10, 3.182 and 5.841 for 3 degrees of freedom; more digits
 * from the closed form of that distribution. */
static void regression_line(void **state)
{
    keel_problem *p = line();
    keel_measurement m[POINTS];
    double sx = 0, sy = 0, sxx = 0, sxy = 0, rest = 0;
    (void)state;
    for (int i = 0; i < POINTS; i++) {
        m[i] = (keel_measurement){.t = i + 1, .value = value_of[i]};
        sx += (i + 1) / (double)POINTS;
        sy += value_of[i] / POINTS;
    }
    for (int i = 0; i < POINTS; i++) {
        sxx += (i + 1 - sx) * (i + 1 - sx);
        sxy += (i + 1 - sx) * (value_of[i] - sy);
    }
    double a = sxy / sxx, b = sy - a * sx;
    for (int i = 0; i < POINTS; i++) rest += pow(value_of[i] - a * (i + 1) - b, 2);
    double s = sqrt(rest / (POINTS - 2));
    for (int run = 0; run < 2; run++) {
        keel_fit *f = fitted(&(keel_boundary_spec){
            .problem = p, .to = 6, .conditions = 1, .condition = intercept},
            &(keel_fit_options){.parameters = 2, .measurements = POINTS, .measurement = m,
                                .confidence = run ? 0.99 : 0}, KEEL_OK, NULL);
        const keel_fit_result *r = keel_fit_result_of(f);
        expect_near("slope", r->value[0], a, 1e-8);
        expect_near("intercept", r->value[1], b, 1e-8);
        expect_near("noise", r->noise, s, 1e-8);
        expect_near("deviation of the slope", r->deviation[0], s / sqrt(sxx), 1e-8);
        expect_near("of the intercept", r->deviation[1], s * sqrt(1.0 / POINTS + sx * sx / sxx), 1e-8);
        expect_near("covariance", r->covariance[1], -s * s * sx / sxx, 1e-8);
        expect_near("quantile", r->half_width[0] / r->deviation[0], run ? 5.84090930 : 3.18244631, 1e-7);
        assert_int_equal(r->freedom, POINTS - 2);
        for (int i = 0; i < POINTS; i++) {
            expect_near("prediction", r->predicted[i], a * (i + 1) + b, 1e-8);
            expect_near("sensitivity", r->sensitivity[2 * i], i + 1, 1e-8);
            expect_near("sensitivity", r->sensitivity[2 * i + 1], 1, 1e-8);
        }
        keel_fit_free(f);
    }
    keel_problem_free(p);
}

/* ---- kinetics, index 1: z measured, without noise --------------------------------------------------- */

static int reaction(double t, const double *x, const double *z, double *f, void *context)
{
    const double *k = parameters_of(context);
    (void)t, (void)z;
    f[0] = -k[0] * x[0];
    f[1] = k[0] * x[0] - k[1] * x[1];
    return 0;
}
static int balance(double t, const double *x, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = x[0] + x[1] + z[0] - 1;
    return 0;
}
static int beginning(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = ya[1];
    return 0;
}
static double product_of(double t, double k1, double k2)
{
    return 1 - exp(-k1 * t) - k1 / (k2 - k1) * (exp(-k1 * t) - exp(-k2 * t));
}

/* Weights are given, too: without noise they change nothing; and measurements of a second run. */
static void algebraic_measurements(void **state)
{
    enum { TIMES = 12 };
    keel_problem *p = NULL;
    keel_measurement m[TIMES];
    double other[TIMES];
    (void)state;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = reaction, .constraint = balance,
        .frame = {.parameters = 2, .parameter_start = (double[]){1.5, 0.8}}}), KEEL_OK);
    for (int i = 0; i < TIMES; i++) {
        double t = 0.4 * (i + 1);
        m[i] = (keel_measurement){t, 2, product_of(t, 2, 0.5), 1 + i};
        other[i] = product_of(t, 3, 0.7);
    }
    keel_fit *f = fitted(&(keel_boundary_spec){
        .problem = p, .to = 5, .conditions = 2, .condition = beginning},
        &(keel_fit_options){.parameters = 2, .measurements = TIMES, .measurement = m}, KEEL_OK, NULL);
    const keel_fit_result *r = keel_fit_result_of(f);
    expect_near("k1", r->value[0], 2, 1e-6);
    expect_near("k2", r->value[1], 0.5, 1e-6);
    assert_int_equal(keel_fit_measure(f, other), KEEL_OK);
    assert_null(keel_fit_result_of(f));
    assert_int_equal(keel_fit_run(f, (double[]){2, 0.5}), KEEL_OK);
    r = keel_fit_result_of(f);
    expect_near("k1", r->value[0], 3, 1e-6);
    expect_near("k2", r->value[1], 0.7, 1e-6);
    double y[3];
    assert_int_equal(keel_solution_at(keel_boundary_solution(keel_fit_boundary(f)), 1, y), KEEL_OK);
    expect_near("solution", y[2], product_of(1, 3, 0.7), 1e-6);
    keel_fit_free(f);
    keel_problem_free(p);
}

/* ---- refusals -------------------------------------------------------------------------------------- */

/* Only a + b matters. */
static int sum_of_both(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y;
    f[0] = parameters_of(context)[0] + parameters_of(context)[1];
    return 0;
}
static int from_zero(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0];
    return 0;
}

static void what_is_refused(void **state)
{
    keel_problem *p = line(), *q = NULL;
    keel_measurement m[3] = {{.t = 0.5, .value = 1}, {.t = 0.7, .value = 2}, {.t = 0.9, .value = 3}};
    keel_boundary_spec spec = {.problem = p, .to = 1, .conditions = 1, .condition = intercept};
    keel_fit_options how = {.parameters = 2, .measurements = 3, .measurement = m};
    (void)state;
    how.measurements = 2;
    keel_fit_free(fitted(&spec, &how, KEEL_BAD_ARGUMENT, "2 measurements for 2 parameters"));
    how.measurements = 3;
    how.parameters = 0;
    keel_fit_free(fitted(&spec, &how, KEEL_BAD_ARGUMENT, "at least one parameter"));
    how.parameters = 2;
    how.confidence = 1;
    keel_fit_free(fitted(&spec, &how, KEEL_BAD_ARGUMENT, "confidence"));
    how.confidence = 0;
    how.parameter = (int[]){0, 2};
    keel_fit_free(fitted(&spec, &how, KEEL_BAD_ARGUMENT, "parameter 2 is to be found"));
    how.parameter = (int[]){1, 1};
    keel_fit_free(fitted(&spec, &how, KEEL_BAD_ARGUMENT, "b is unknown already, or named twice"));
    how.parameter = NULL;
    static const struct { keel_measurement m; const char *text; } wrong[] = {
        {{.t = 1.5, .value = 1}, "measurement [1]"}, {{.t = 0.5, .unknown = 1}, "measurement [1]"},
        {{.t = 0.5, .value = NAN}, "measurement [1]"}, {{.t = 0.5, .weight = -1}, "measurement [1]"}};
    for (int i = 0; i < 4; i++) {
        m[1] = wrong[i].m;
        keel_fit_free(fitted(&spec, &how, KEEL_BAD_ARGUMENT, wrong[i].text));
    }
    m[1] = (keel_measurement){.t = 0.7, .value = 2};
    assert_int_equal(keel_ode(&q, &(keel_ode_spec){
        .size = 1, .rhs = sum_of_both,
        .frame = {.parameters = 2, .parameter_names = (const char *const[]){"a", "b"}}}), KEEL_OK);
    spec.problem = q;
    spec.condition = from_zero;
    keel_fit_free(fitted(&spec, &how, KEEL_SINGULAR, "do not determine the parameter b"));
    spec.conditions = 0;
    keel_fit_free(fitted(&spec, &how, KEEL_BAD_ARGUMENT, "2 conditions are given, and 3 are needed"));
    assert_int_equal(keel_fit_create(NULL, &spec, NULL, &how), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_fit_run(NULL, NULL), KEEL_BAD_ARGUMENT);
    keel_fit_free(NULL);
    keel_problem_free(q);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(regression_line),
                                       cmocka_unit_test(algebraic_measurements),
                                       cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
