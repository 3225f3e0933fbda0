/* test_options.c -- options and methods that do not go together are refused, and say why. */
#include "method/method.h"
#include "test/support/run.h"

static void expect_refusal(const form *f, const keel_options *o, const char *why)
{
    probe context = {0};
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = NULL;
    expect_status(keel_solver_create(&s, p, o), KEEL_UNSUPPORTED, s, f->name);
    expect_text(keel_message(s), why);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* The midpoint rule, so many times with a fraction of the step: a diagonal method of any length. */
static keel_method *midpoint_rules(int stages)
{
    static double A[KEEL_STAGES_MOST * KEEL_STAGES_MOST], b[KEEL_STAGES_MOST];
    keel_method *m = NULL;
    for (int i = 0; i < stages; i++) {
        b[i] = 1.0 / stages;
        for (int j = 0; j < stages; j++)
            A[i * stages + j] = j < i ? 1.0 / stages : j == i ? 0.5 / stages : 0;
    }
    const keel_tableau t = {.name = "midpoints", .stages = stages, .order = 2, .A = A, .b = b};
    assert_int_equal(keel_method_create(&m, &t), KEEL_OK);
    return m;
}

static void most_implicit_stages(void **state)
{
    (void)state;
    keel_method *most = midpoint_rules(STAGES_MAX), *longer = midpoint_rules(STAGES_MAX + 1),
                *longest = midpoint_rules(KEEL_STAGES_MOST);
    double y[LARGEST_FORM], exact[LARGEST_FORM];
    solve(&forms[FORM_ODE], GIVEN, &(probe){0}, &(keel_options){.tableau = most, .step = 0.1}, 0, 1,
          y);
    forms[FORM_ODE].exact(1, exact);
    assert_true(distance(y, exact, 0, 2) < 1e-3);                /* h = 0.005, order 2 */
    expect_refusal(&forms[FORM_ODE], &(keel_options){.tableau = longer}, "21 implicit stages");
    expect_refusal(&forms[FORM_HESS3], &(keel_options){.tableau = longest}, "32 implicit stages");
    keel_method_free(most);
    keel_method_free(longer);
    keel_method_free(longest);
}

static void multipliers_of_half_explicit_methods(void **state)
{
    const keel_options polynomial = {.method = "hem-4", .multipliers = KEEL_MULTIPLIERS_POLYNOMIAL};
    (void)state;
    expect_refusal(&forms[FORM_HESS2], &polynomial, "last stage");
    expect_refusal(&forms[FORM_SEPARATE], &polynomial, "last stage");
}

static void linear_algebra_of_mechanisms(void **state)
{
    static const char *const others[] = {"gauss-2", "dopri5", "hem-4", "bdf", "dimsim-2"};
    (void)state;
    expect_refusal(&forms[FORM_HESS3], &(keel_options){.linear = KEEL_LINEAR_MECHANICAL},
                   "mechanical problem");
    for (int k = 0; k < 5; k++)
        expect_refusal(&forms[FORM_SEPARATE],
                       &(keel_options){.method = others[k], .linear = KEEL_LINEAR_MECHANICAL},
                       "Radau IIA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_implicit_stages),
        cmocka_unit_test(multipliers_of_half_explicit_methods),
        cmocka_unit_test(linear_algebra_of_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
