/* test_refusals.c -- whatever is not a solution is said, by name. */
#include "test/boundary/refusal.h"

/* A damped oscillator with its period as a parameter: the one periodic motion is rest, of any period. */
static int oscillator(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    f[0] = frame->parameters[0] * y[1];
    f[1] = -frame->parameters[0] * (y[0] + y[1] / 5);
    return 0;
}

static int periodic(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p; (void)context;
    b[0] = ya[0] - yb[0];
    b[1] = ya[1] - yb[1];
    b[2] = ya[1];
    return 0;
}

static int swinging(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = 0.1 * cos(6 * t);
    y[1] = -0.1 * sin(6 * t);
    p[0] = 6;
    return 0;
}

static void parameters_that_nothing_determines(void **state)
{
    static const double start[] = {5};
    static const char *const names[] = {"period"};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = oscillator,
        .frame = {.parameters = 1, .parameter_start = start, .parameter_names = names}}), KEEL_OK);
    keel_boundary_spec spec = {.problem = p, .to = 1, .conditions = 3, .condition = periodic,
                               .parameters = 1, .guess = swinging};
    refused(&spec, &(keel_boundary_options){.rtol = 1e-6, .atol = 1e-6}, KEEL_SINGULAR, "period");
    keel_problem_free(p);
}

static void wrong_counts(void **state)
{
    const bvp_case *c = &bvp_cases[CONTROL];
    keel_problem *p = case_problem(c);
    (void)state;
    keel_boundary_spec spec = case_spec(c, p);
    keel_boundary_options options = {.rtol = 1e-6, .atol = 1e-6};
    spec.conditions = 1;
    refused(&spec, &options, KEEL_BAD_ARGUMENT, "1 conditions are given, and 2 are needed");
    spec.conditions = 3;
    refused(&spec, &options, KEEL_BAD_ARGUMENT, "1 too many");
    spec = case_spec(c, p);
    spec.parameters = 1;
    refused(&spec, &options, KEEL_BAD_ARGUMENT, "the frame of the problem has 0");
    spec = case_spec(c, p);
    spec.to = 0;
    refused(&spec, &options, KEEL_BAD_ARGUMENT, "interval");
    spec = case_spec(c, p);
    spec.breaks = 1;
    spec.break_at = (double[]){1.5};
    refused(&spec, &options, KEEL_BAD_ARGUMENT, "break_at[0]");
    options.stages = 9;
    spec = case_spec(c, p);
    refused(&spec, &options, KEEL_BAD_ARGUMENT, "stages");
    keel_problem_free(p);
}

/* y declared as of index 1, but the constraint does not contain it. */
static int absent(double t, const double *x, const double *y, double *g, void *context)
{
    (void)t, (void)y, (void)context;
    g[0] = x[0] - 1;
    return 0;
}

static void wrong_index(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = bratu_rhs, .constraint = absent,
        .context = (void *)&bvp_cases[BRATU_1]}), KEEL_OK);
    refused(&(keel_boundary_spec){.problem = p, .to = 1, .conditions = 2, .condition = zero_ends},
            NULL, KEEL_WRONG_INDEX, "z[0]");
    keel_problem_free(p);
}

static int twice(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0];
    b[1] = 2 * ya[0];
    return 0;
}

static void dependent_conditions(void **state)
{
    const bvp_case *c = &bvp_cases[LAYERS_4];
    keel_problem *p = case_problem(c);
    keel_boundary_spec spec = case_spec(c, p);
    (void)state;
    spec.condition = twice;
    refused(&spec, NULL, KEEL_SINGULAR, "condition [0] and condition [1] say the same");
    keel_problem_free(p);
}

/* Beyond the fold of Bratu's problem, at lambda = 3.5138, there is no solution. */
static void no_solution(void **state)
{
    bvp_case c = bvp_cases[BRATU_35];
    (void)state;
    c.number = 3.6;
    keel_problem *p = case_problem(&c);
    keel_boundary_spec spec = case_spec(&c, p);
    spec.condition_names = (const char *const[]){"left", "right"};
    refused(&spec, NULL, KEEL_NOT_CONVERGED, "Newton's method does not converge");
    keel_boundary *w = NULL;                     /* conditions, which are linear, hold: not a word of them */
    assert_int_equal(keel_boundary_create(&w, &spec, NULL), KEEL_OK);
    assert_int_equal(keel_boundary_solve(w), KEEL_NOT_CONVERGED);
    assert_null(strstr(keel_boundary_message(w), "is off by"));
    keel_boundary_free(w);
    keel_problem_free(p);
}

static int not_a_number(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = sqrt(y[0] - 10);
    return 0;
}
static int stops(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y, (void)f, (void)context;
    return -1;
}
static int at_left(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0];
    return 0;
}
static int no_condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)ya, (void)yb, (void)p, (void)context;
    b[0] = NAN;
    return 0;
}
static int zero_rate(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = 0;
    return 0;
}

static void callbacks_that_fail(void **state)
{
    (void)state;
    static const struct {
        int (*rhs)(double, const double *, double *, void *);
        int (*condition)(const double *, const double *, const double *, double *, void *);
        int status;
        const char *text;
    } run[] = {{not_a_number, at_left, KEEL_NOT_FINITE, "rhs"},
               {stops, at_left, KEEL_CALLBACK_FAILED, "returned -1"},
               {zero_rate, no_condition, KEEL_NOT_FINITE, "condition"}};
    for (int i = 0; i < 3; i++) {
        keel_problem *p = NULL;
        assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = run[i].rhs}), KEEL_OK);
        refused(&(keel_boundary_spec){.problem = p, .to = 1, .conditions = 1,
                                      .condition = run[i].condition}, NULL, run[i].status,
                run[i].text);
        keel_problem_free(p);
    }
}

/* y = x2 / eps, with x2 near 1e-4: 1e-14 is beyond what doubles give. */
static void too_accurate(void **state)
{
    const bvp_case *c = &bvp_cases[LAYERS_6];
    keel_problem *p = case_problem(c);
    keel_boundary_spec spec = case_spec(c, p);
    (void)state;
    refused(&spec, &(keel_boundary_options){.rtol = 1e-17, .atol = 1e-17}, KEEL_ILL_CONDITIONED,
            "rounding");
    keel_problem_free(p);
}

/* L = -50 with a condition at the left: errors grow by e^50 = 5e21 on the way to the right. */
static void ill_posed(void **state)
{
    bvp_case c = bvp_cases[AP_LEFT];
    (void)state;
    c.number = -50;
    keel_problem *p = case_problem(&c);
    keel_boundary_spec spec = case_spec(&c, p);
    refused(&spec, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8}, KEEL_ILL_CONDITIONED,
            "rounding errors");
    keel_problem_free(p);
}

/* Of known size: 1 and 150 for L = 50 [norm of the projector: rows of f_y (g_x f_y)^-1 g_x]. */
static void conditioning_is_measured(void **state)
{
    const bvp_case *c = &bvp_cases[AP_LEFT];
    keel_problem *p = case_problem(c);
    (void)state;
    keel_boundary *w = case_solve(c, p, NULL, KEEL_OK);
    const keel_boundary_stats *s = keel_boundary_statistics(w);
    assert_true(s->kappa_boundary > 0.5 && s->kappa_boundary < 2);
    if (!(s->projector > 100 && s->projector < 300)) fail_msg("projector %.3g", s->projector);
    assert_true(s->kappa_green > 0 && s->rounding > 0 && s->rounding < 1e-12);
    keel_boundary_free(w);
    keel_problem_free(p);
}

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[0] = yp[0] - y[0];
    return 0;
}

static void forms_without_structure(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_implicit(&p, &(keel_implicit_spec){.size = 1, .residual = residual}),
                     KEEL_OK);
    refused(&(keel_boundary_spec){.problem = p, .to = 1, .conditions = 1, .condition = at_left}, NULL,
            KEEL_UNSUPPORTED, "implicit");
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_that_nothing_determines),
        cmocka_unit_test(wrong_counts), cmocka_unit_test(wrong_index),
        cmocka_unit_test(dependent_conditions), cmocka_unit_test(no_solution),
        cmocka_unit_test(callbacks_that_fail), cmocka_unit_test(too_accurate),
        cmocka_unit_test(ill_posed), cmocka_unit_test(conditioning_is_measured),
        cmocka_unit_test(forms_without_structure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
