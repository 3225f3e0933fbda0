/* test_model_start.c -- the start of models: homotopy, and attributes of variables that act on it. */
#include "model.h"

/* ---- homotopy --------------------------------------------------------------------------------------- */

/* z exp(-z^2) = 0.2 with z = x - 3, from z = -3: where the slope is 0, Newton's method goes nowhere. */
#define HILL "exp(-(x - 3)^2)*(x - 3)"

static void check_start_fails(const char *text, const char *words)
{
    model_run r = open_model(text);
    keel_start_spec start;
    assert_non_null(keel_model_problem(r.model));
    const int code = keel_model_start(r.model, &start);
    assert_int_equal(keel_solver_create(&r.solver, keel_model_problem(r.model), NULL), KEEL_OK);
    assert_int_not_equal(keel_start_with(r.solver, &start), KEEL_OK);
    if (words) assert_int_not_equal(code, KEEL_OK);
    if (words && !strstr(keel_model_message(r.model), words))
        fail_msg("'%s' is not in: %s", words, keel_model_message(r.model));
    close_run(&r);
}

static void homotopy_leads_to_the_start(void **state)
{
    (void)state;
    check_start_fails("model M Real x(start = 0), y; equation y = " HILL "; y = 0.2 + 0.1*time; end M;",
                      NULL);
    model_run r = run_model("model M Real x(start = 0), y; equation y = homotopy(actual = " HILL ", "
                            "simplified = x - 3); y = 0.2 + 0.1*time; end M;", 1, 1e-8);
    const double z = value_of(&r, "x") - 3;
    assert_true(fabs(z * exp(-z * z) - 0.3) < 1e-7 && z < sqrt(0.5));
    close_run(&r);
}

/* At the start value tanh rounds to -1; that is no reason to say that the equation does not contain x. */
static void saturated_functions(void **state)
{
    (void)state;
    model_run r = run_model("model M Real x(start = 0), y; equation y = homotopy(tanh(50*(x - 3)), x - 3); "
                            "y = 0.2 + 0.1*time; end M;", 1, 1e-8);
    check_value(&r, "x", 3 + atanh(0.3) / 50, 1e-8);
    close_run(&r);
}

/* In `simplified` x is a sum and no unknown; at x = 0 the logarithm is none.  ln(x - 2) = 0.2 */
static void homotopy_changes_the_structure(void **state)
{
    (void)state;
    model_run r = run_model("model M Real x(start = 0), y; equation y = homotopy(log(x - 2), x - 3); "
                            "y = 0.2 + 0.1*time; end M;", 0, 1e-8);
    check_value(&r, "x", 2 + exp(0.2), 1e-8);
    close_run(&r);
}

/* Fixed values and parameters are the same on the way: z exp(-z^2) = p, and der(w) = z from w = 7. */
static void homotopy_keeps_what_is_given(void **state)
{
    (void)state;
    model_run r = open_model("model M parameter Real p = 0.4; Real x(start = 0), w(start = 0, fixed = true); "
                             "equation homotopy(" HILL ", x - 3) = p; der(w) = x - 3; end M;");
    keel_start_spec start;
    assert_int_equal(keel_model_parameter(r.model, "p", 0.2), KEEL_OK);
    assert_int_equal(keel_model_start_value(r.model, "w", 7), KEEL_OK);
    assert_non_null(keel_model_problem(r.model));
    assert_int_equal(keel_model_start(r.model, &start), KEEL_OK);
    assert_int_equal(keel_solver_create(&r.solver, keel_model_problem(r.model), NULL), KEEL_OK);
    assert_int_equal(keel_start_with(r.solver, &start), KEEL_OK);
    const double z = value_of(&r, "x") - 3;
    assert_true(fabs(z * exp(-z * z) - 0.2) < 1e-9);
    check_value(&r, "w", 7, 0);
    close_run(&r);
}

/* Mixtures f = lambda z exp(-z^2) + (1 - lambda) z reach 0.5 up to lambda = 0.801134: there df/dz = 0. */
static void a_way_that_ends_says_where(void **state)
{
    (void)state;
    check_start_fails("model M Real x(start = 0), y; equation y = homotopy(" HILL ", x - 3); "
                      "y = 0.5 + 0.1*time; end M;", "lambda stopped at 0.8011");
}

/* ---- min, max, nominal ------------------------------------------------------------------------------ */

/* x^2 = 4 has two solutions, and from 0 Newton's method goes to none of them. */
static void guesses_are_within_bounds(void **state)
{
    (void)state;
    static const struct { const char *declared; double wanted; } cases[] = {
        {"x(min = 1)", 2}, {"x(max = -1)", -2}, {"x(start = -3, min = 0.5)", 2},
        {"x(start = 3, max = -1)", -2}, {"x(start = 7, min = 1, max = 10)", 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[200];
        snprintf(text, sizeof text, "model M Real %s, y; equation x^2 = 4 + time; y = 2*x; end M;",
                 cases[k].declared);
        model_run r = run_model(text, 0, 1e-8);
        check_value(&r, "x", cases[k].wanted, 1e-8);
        close_run(&r);
    }
}

/* w = -x is one unknown with x. */
static void nominal_of_unknowns(void **state)
{
    (void)state;
    model_run r = open_model("model M parameter Real size = 100; Real x(start = 1, nominal = -size), v, "
                             "w = -x; equation der(x) = v; der(v) = -x; end M;");
    double nominal[2];
    const keel_problem *problem = keel_model_problem(r.model);
    assert_int_equal(keel_problem_size(problem), 2);
    assert_int_equal(keel_model_nominal(r.model, nominal), 1);
    for (int u = 0; u < 2; u++)
        assert_true(nominal[u] == (strcmp(keel_variable_name(problem, u), "x") == 0 ? 100 : 1));
    close_run(&r);
}

static void warnings_name_what_does_not_hold(void **state)
{
    (void)state;
    model_run r = open_model("model M\n Real x(start = 1, fixed = true, min = 0);\nequation\n der(x) = -1;\n"
                             " assert(x < 5, \"x is large\", AssertionLevel.warning);\nend M;\n");
    const struct { double x; const char *said; } cases[] = {
        {1, NULL}, {-1e-9, NULL}, {-1, "t = 2: x = -1 is less than its min = 0 (line 2)"},
        {6, "t = 2: x is large (assert in line 5)"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[200];
        assert_int_equal(keel_model_warning(r.model, 2, &cases[k].x, NULL, text, sizeof text),
                         cases[k].said != NULL);
        assert_string_equal(text, cases[k].said ? cases[k].said : "");
    }
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(homotopy_leads_to_the_start), cmocka_unit_test(homotopy_changes_the_structure),
        cmocka_unit_test(saturated_functions),
        cmocka_unit_test(homotopy_keeps_what_is_given), cmocka_unit_test(a_way_that_ends_says_where),
        cmocka_unit_test(guesses_are_within_bounds), cmocka_unit_test(nominal_of_unknowns),
        cmocka_unit_test(warnings_name_what_does_not_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
