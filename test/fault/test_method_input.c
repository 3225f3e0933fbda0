/* test_method_input.c -- bad methods, formulations and combinations: a status and a sentence. */
#include "test/support/run.h"

/* ---- methods --------------------------------------------------------------------------------- */

/* Checks the status and the message of a method that must not be created, and that nothing can be
 * done with it; frees it. */
static void refused(int rc, int expected, keel_method *m, const char *part)
{
    probe context = {0};
    keel_analysis analysis;
    keel_solver *s = NULL;
    double re, im;
    int order[3];
    if (rc != expected)
        fail_msg("%s instead of %s for \"%s\" (\"%s\")", keel_status_name(rc),
                 keel_status_name(expected), part, keel_method_message(m));
    expect_text(keel_method_message(m), part);
    assert_int_equal(keel_method_tableau(m)->stages, 0);
    assert_int_equal(keel_method_analyse(m, &analysis), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){0}, order), 0);
    keel_method_stability(m, -1, 0, &re, &im);
    assert_true(isnan(re) && isnan(im));
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    expect_status(keel_solver_create(&s, p, &(keel_options){.tableau = m}), KEEL_BAD_ARGUMENT, s,
                  part);
    expect_text(keel_message(s), "tableau");
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
}

static void null_methods(void **state)
{
    keel_method *m = NULL;
    keel_method_info info;
    keel_analysis analysis;
    double re = 1, im = 1;
    int order[3];
    (void)state;
    assert_int_equal(keel_method_named(NULL, "rk4"), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_create(NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_read(NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_multistep_create(NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_general_linear_create(NULL, NULL), KEEL_BAD_ARGUMENT);
    int rc = keel_method_named(&m, NULL);
    refused(rc, KEEL_BAD_ARGUMENT, m, "NULL");
    rc = keel_method_create(&m, NULL);
    refused(rc, KEEL_BAD_ARGUMENT, m, "the tableau is NULL");
    rc = keel_multistep_create(&m, NULL);
    refused(rc, KEEL_BAD_ARGUMENT, m, "NULL");
    rc = keel_general_linear_create(&m, NULL);
    refused(rc, KEEL_BAD_ARGUMENT, m, "NULL");
    rc = keel_method_read(&m, NULL);
    refused(rc, KEEL_BAD_ARGUMENT, m, "NULL");
    assert_int_equal(keel_method_find(NULL, &info), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_analyse(NULL, &analysis), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_orders(NULL, NULL, order), 0);
    keel_method_stability(NULL, 0, 0, &re, &im);
    assert_true(isnan(re) && isnan(im));
    keel_method_stability(NULL, 0, 0, NULL, NULL);
    assert_string_equal(keel_method_message(NULL), "");
    assert_null(keel_method_tableau(NULL));
    assert_null(keel_method_multistep(NULL));
    assert_null(keel_method_general_linear(NULL));
    keel_method_kind_of(NULL);
    keel_method_estimate(NULL);
    keel_method_free(NULL);
    assert_string_equal(keel_method_kind_name((keel_method_kind)99), "unknown kind");
}

static void unknown_methods(void **state)
{
    static const struct { const char *name, *part; } names[] = {
        {"dopri6", "dopri5"}, {"", "did you mean"}, {"radau-iia-21", "radau-iia-"},
        {"collocation-3:-2", "collocation"}, {"collocation:0,0", "collocation"},
        {"auto", "more than one method"}, {"radau-iia", "more than one method"},
        {"bdf", "more than one method"}, {"dimsim", "more than one method"}, {"bdf-0", "bdf"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        keel_method *m = NULL;
        int rc = keel_method_named(&m, names[k].name);
        refused(rc, KEEL_UNKNOWN_NAME, m, names[k].part);
    }
}

/* There are such formulas: what is wrong with them is said, by the solver, too. */
static void useless_methods(void **state)
{
    static const struct { const char *name, *part; } names[] = {
        {"bdf-7", "modulus 1.022"}, {"dcbdf-9", "not zero-stable"}, {"beta-adams-4", "-49/720"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        probe context = {0};
        keel_method *m = NULL;
        keel_solver *s = NULL;
        int rc = keel_method_named(&m, names[k].name);
        refused(rc, KEEL_UNSUPPORTED, m, names[k].part);
        keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
        expect_status(keel_solver_create(&s, p, &(keel_options){.method = names[k].name}),
                      KEEL_UNSUPPORTED, s, names[k].name);
        expect_text(keel_message(s), names[k].part);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* Formulas and matrices that cannot be methods. */
static void several_values(void **state)
{
    static const double alpha[] = {2, -3, 1}, beta[] = {-2, 0, 1}, none[] = {-2, 1, 0};
    static const double zero = 0, one = 1;
    keel_method *m = NULL;
    (void)state;
    int rc = keel_multistep_create(&m, &(keel_multistep){.steps = 2, .alpha = alpha, .beta = beta});
    refused(rc, KEEL_BAD_ARGUMENT, m, "rho has the root 2");
    rc = keel_multistep_create(&m, &(keel_multistep){.steps = 2, .alpha = alpha, .beta = none});
    refused(rc, KEEL_BAD_ARGUMENT, m, "explicit");
    rc = keel_multistep_create(&m, &(keel_multistep){.steps = 1 << 30, .alpha = alpha,
                                                     .beta = beta});
    refused(rc, KEEL_BAD_ARGUMENT, m, "steps");
    keel_general_linear g = {.stages = 1, .values = 1, .A = &zero, .U = &one, .B = &one, .V = &one,
                             .c = &one};
    rc = keel_general_linear_create(&m, &g);
    refused(rc, KEEL_BAD_ARGUMENT, m, "A is singular");
    g.A = &one, g.values = 1 << 30;
    rc = keel_general_linear_create(&m, &g);
    refused(rc, KEEL_BAD_ARGUMENT, m, "values");
    g.values = 1, g.order = 2;
    rc = keel_general_linear_create(&m, &g);
    refused(rc, KEEL_BAD_ARGUMENT, m, "claims order 2, but has order 1");
}

static const double rk4_A[16] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
                    rk4_b[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0}, euler_b[4] = {1, 0, 0, 0};

static void bad_tableau(const keel_tableau *t, const char *part)
{
    keel_method *m = NULL;
    int rc = keel_method_create(&m, t);
    refused(rc, KEEL_BAD_ARGUMENT, m, part);
}

static void sizes(void **state)
{
    const keel_tableau good = {.name = "rk4", .stages = 4, .A = rk4_A, .b = rk4_b};
    keel_tableau t = good;
    (void)state;
    static const int stages[] = {0, -1, 33, 1 << 30};
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        t.stages = stages[k];
        bad_tableau(&t, "stages = ");
    }
    t = good, t.A = NULL;
    bad_tableau(&t, "A or b is missing");
    t = good, t.b = NULL;
    bad_tableau(&t, "A or b is missing");
    t = good, t.order = -1;
    bad_tableau(&t, "orders");
    t = good, t.extra = 1;
    bad_tableau(&t, "A_extra");
    t = good, t.extra = -1;
    bad_tableau(&t, "extra");
    t = good, t.extra = 1 << 30, t.A_extra = rk4_A;
    bad_tableau(&t, "extra");
    t = good, t.dense = rk4_A, t.dense_degree = 0;
    bad_tableau(&t, "dense_degree");
    t = good, t.dense = rk4_A, t.dense_degree = 1 << 30;
    bad_tableau(&t, "dense_degree");
}

/* Each number in turn is NaN, infinite or off by a percent. */
static void numbers(void **state)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    double A[16], b[4], c[4] = {0, 0.5, 0.5, 1}, b_hat[4];
    double *fields[] = {A, b, c, b_hat};
    static const int length[] = {16, 4, 4, 4};
    static const char *const names[] = {"a_", "b_", "c_", "b_hat_"};
    (void)state;
    memcpy(A, rk4_A, sizeof A), memcpy(b, rk4_b, sizeof b), memcpy(b_hat, euler_b, sizeof b_hat);
    const keel_tableau t = {.name = "rk4", .stages = 4, .A = A, .b = b, .c = c, .b_hat = b_hat};
    for (int f = 0; f < 4; f++)
        for (int i = 0; i < length[f]; i++) {
            double right = fields[f][i];
            for (int k = 0; k < 3; k++) {
                fields[f][i] = wrong[k];
                bad_tableau(&t, names[f]);
            }
            fields[f][i] = right + 0.01;
            bad_tableau(&t, f == 0 || f == 2 ? "row of A sums to" : "sum to");
            fields[f][i] = right;
        }
}

static void claims(void **state)
{
    keel_tableau t = {.name = "rk4", .stages = 4, .order = 5, .A = rk4_A, .b = rk4_b,
                      .b_hat = euler_b, .order_hat = 1};
    keel_method *m = NULL;
    (void)state;
    bad_tableau(&t, "claims order 5, but has order 4: the condition of the tree [");
    t.order = 4, t.order_hat = 2;
    bad_tableau(&t, "b_hat claims order 2, but has order 1: the condition of the tree [t]");
    t.order = t.order_hat = 0;                   /* found */
    assert_int_equal(keel_method_create(&m, &t), KEEL_OK);
    assert_int_equal(keel_method_tableau(m)->order, 4);
    assert_int_equal(keel_method_tableau(m)->order_hat, 1);
    keel_method_free(m);
    double typed[16], b[4] = {0.16666666667, 0.33333333333, 0.33333333333, 0.16666666667};
    memcpy(typed, rk4_A, sizeof typed);          /* eleven digits are enough for a claim */
    t = (keel_tableau){.name = "typed", .stages = 4, .order = 4, .A = typed, .b = b};
    assert_int_equal(keel_method_create(&m, &t), KEEL_OK);
    keel_method_free(m);
}

/* ---- formulations ---------------------------------------------------------------------------- */

static void no_formulation(const keel_problem *original, const keel_formulation *f, int expected,
                           const char *part)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    int rc = keel_formulate(&p, original, f);
    if (rc != expected)
        fail_msg("%s instead of %s for \"%s\"", keel_status_name(rc), keel_status_name(expected),
                 part);
    expect_text(keel_problem_message(p), part);
    assert_string_equal(keel_variable_name(p, 0), "");
    assert_int_equal(keel_solver_create(&s, p, NULL), KEEL_BAD_ARGUMENT);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void formulations(void **state)
{
    probe context = {0};
    double C[4] = {1, 0, 0, 1}, nan_C[4] = {1, NAN, 1, 1};
    keel_problem *ode = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_problem *mechanical = new_problem(&forms[FORM_SEPARATE], GIVEN, &context);
    (void)state;
    assert_int_equal(keel_formulate(NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    no_formulation(NULL, &(keel_formulation){.name = "ggl"}, KEEL_BAD_ARGUMENT, "no problem");
    no_formulation(ode, NULL, KEEL_BAD_ARGUMENT, "no formulation");
    no_formulation(ode, &(keel_formulation){0}, KEEL_UNKNOWN_NAME, "without a name");
    no_formulation(ode, &(keel_formulation){.name = "gll"}, KEEL_UNKNOWN_NAME, "gll");
    no_formulation(ode, &(keel_formulation){.name = "ggl"}, KEEL_UNSUPPORTED, "does not apply");
    no_formulation(ode, &(keel_formulation){.name = "invariants"}, KEEL_UNSUPPORTED,
                   "without invariants");
    no_formulation(mechanical, &(keel_formulation){.name = "augmented"}, KEEL_UNSUPPORTED,
                   "does not apply");
    static const double bad[] = {-1, NAN, INFINITY};
    for (int k = 0; k < 3; k++) {
        no_formulation(mechanical, &(keel_formulation){.name = "baumgarte", .alpha = bad[k]},
                       KEEL_BAD_ARGUMENT, "alpha");
        no_formulation(mechanical, &(keel_formulation){.name = "baumgarte", .beta = bad[k]},
                       KEEL_BAD_ARGUMENT, "beta");
    }
    no_formulation(mechanical, &(keel_formulation){.name = "embedded", .C = C}, KEEL_BAD_ARGUMENT,
                   "C12");
    no_formulation(mechanical, &(keel_formulation){.name = "embedded", .C = nan_C},
                   KEEL_BAD_ARGUMENT, "not finite");
    keel_formulation_info info;
    assert_int_equal(keel_formulation_at(-1, &info), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_formulation_at(keel_formulation_count(), &info), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_formulation_at(0, NULL), KEEL_BAD_ARGUMENT);
    keel_problem_free(mechanical);
    keel_problem_free(ode);
}

static void null_problems(void **state)
{
    double y[2] = {1, 2};
    int size[3];
    const char *name[3];
    (void)state;
    keel_problem_form(NULL);
    assert_int_equal(keel_problem_size(NULL), 0);
    assert_int_equal(keel_problem_index(NULL), 0);
    assert_int_equal(keel_problem_constraints(NULL), 0);
    assert_int_equal(keel_problem_levels(NULL), 0);
    assert_null(keel_problem_original(NULL));
    assert_string_equal(keel_variable_name(NULL, 0), "");
    assert_int_equal(keel_variable_index(NULL, 0), 0);
    assert_int_equal(keel_problem_groups(NULL, size, name), 0);
    keel_formulation_from(NULL, y, y);
    keel_formulation_to(NULL, y, y);
    assert_true(y[0] == 1 && y[1] == 2);
}

/* ---- invariants ------------------------------------------------------------------------------ */

static int no_invariant(double t, const double *y, double *phi, void *context)
{
    (void)t, (void)y, (void)context;
    phi[0] = 0;
    return 0;
}

static void invariants(void **state)
{
    static const struct { int count, given; const char *part; } wrong[] = {
        {-1, 1, "invariants"}, {1, 0, "invariant"}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        keel_problem *p = NULL;
        int rc = keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = ode_rhs,
            .invariants = wrong[k].count, .invariant = wrong[k].given ? no_invariant : NULL});
        assert_int_equal(rc, KEEL_BAD_ARGUMENT);
        expect_text(keel_problem_message(p), wrong[k].part);
        keel_problem_free(p);
    }
}

/* ---- options that do not fit ----------------------------------------------------------------- */

/* Kinds of projection mean nothing without constraints, and do no harm. */
static void projections_without_constraints(void **state)
{
    static const char *const methods[] = {"radau-iia-3", "dopri5", "esdirk-4"};
    static const int which[] = {FORM_ODE, FORM_CONSTANT_MASS, FORM_IMPLICIT, FORM_PROPER};
    (void)state;
    for (int kind = KEEL_PROJECT_OBLIQUE; kind <= KEEL_PROJECT_POSITION; kind++)
        for (int metric = KEEL_METRIC_EUCLIDEAN; metric <= KEEL_METRIC_TOLERANCE; metric++)
            for (int m = 0; m < 3; m++)
                for (int k = 0; k < (m == 1 ? 1 : 4); k++) {
                    probe context = {0};
                    double y[LARGEST_FORM], exact[LARGEST_FORM];
                    keel_options o = {.method = methods[m], .rtol = 1e-6, .atol = 1e-6,
                                      .projection = (keel_projection)kind,
                                      .metric = (keel_metric)metric};
                    solve(&forms[which[k]], GIVEN, &context, &o, 0, 0.5, y);
                    forms[which[k]].exact(0.5, exact);
                    assert_true(distance(y, exact, 0, forms[which[k]].size) < 1e-4);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_methods), cmocka_unit_test(unknown_methods),
        cmocka_unit_test(useless_methods), cmocka_unit_test(several_values),
        cmocka_unit_test(sizes), cmocka_unit_test(numbers), cmocka_unit_test(claims),
        cmocka_unit_test(formulations),
        cmocka_unit_test(null_problems), cmocka_unit_test(invariants),
        cmocka_unit_test(projections_without_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
