/* test_refused.c -- methods that have no order on the index of a problem are moved to a form where they
 * have one, or refused with the reason.
 */
#include "test/integrate/tolerance.h"

enum { UNKNOWNS = 5 };

static keel_problem *pendulum(double *y)
{
    const bundled_problem *b = bundled_problem_find("pendulum");
    static double parameters[8];
    keel_problem *p = NULL;
    for (int i = 0; i < b->parameter_count; i++) parameters[i] = b->parameters[i].value;
    assert_int_equal(b->create(&p, parameters), KEEL_OK);
    b->start(parameters, y);
    return p;
}

/* Position and velocity at t = 60. */
static void run(const keel_problem *p, const keel_options *options, const double *start, double *end,
                char *choice)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, options), s, options->method);
    expect_ok(keel_start(s, 0, start), s, options->method);
    expect_ok(keel_advance_to(s, 60), s, options->method);
    memcpy(end, keel_state(s), UNKNOWNS * sizeof *end);
    if (choice) snprintf(choice, 200, "%s", keel_choice(s));
    keel_solver_free(s);
}

/* The global error of order 4 is a hundredfold for a hundredth of the tolerance; what it is at 1e-4 the
 * formulation that the solver chooses shows when a user chooses it. */
static void moved(void **state)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    double y[UNKNOWNS], reference[UNKNOWNS], found[UNKNOWNS], asked[UNKNOWNS], before = INFINITY;
    keel_problem *p = pendulum(y), *index1 = NULL;
    char choice[200];
    (void)state;
    assert_int_equal(keel_formulate(&index1, p, &(keel_formulation){.name = "index1"}), KEEL_OK);
    run(p, &(keel_options){.method = "dop853", .rtol = 1e-12, .atol = 1e-12}, y, reference, NULL);
    for (int k = 0; k < 3; k++) {
        keel_options options = {.method = "sdirk-4", .rtol = tolerances[k], .atol = tolerances[k]};
        run(p, &options, y, found, choice);
        run(index1, &options, y, asked, NULL);
        expect_text(choice, "index 3");
        expect_text(choice, "index1");
        assert_memory_equal(found, asked, sizeof found);
        double error = distance(found, reference, 0, 4);
        if (!(error < before / 10)) fail_msg("%g after %g at %g", error, before, tolerances[k]);
        before = error;
    }
    assert_true(before < 1e-3);
    keel_problem_free(index1);
    keel_problem_free(p);
}

static void expect_refusal(const keel_problem *p, const char *method, const char *part)
{
    keel_solver *s = NULL;
    int rc = keel_solver_create(&s, p, &(keel_options){.method = method});
    expect_status(rc, KEEL_UNSUPPORTED, s, method);
    expect_text(keel_message(s), method);
    expect_text(keel_message(s), "index 3");
    expect_text(keel_message(s), part);
    keel_solver_free(s);
}

static int falling_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    for (int i = 0; i < 4; i++) keel_put(M, i, i, 1);
    return 0;
}

static int falling_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[4] * y[0];
    f[3] = -y[4] * y[1] - 1;
    f[4] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

/* Asked for in the form of index 3, or written in one that hides its constraints. */
static void refused(void **state)
{
    static const int index[UNKNOWNS] = {1, 1, 2, 2, 3};
    double y[UNKNOWNS];
    keel_problem *p = pendulum(y), *index3 = NULL, *hidden = NULL;
    keel_quasilinear_spec spec = {.size = UNKNOWNS, .mass = falling_mass, .constant_mass = 1,
                                  .rhs = falling_rhs, .variable_index = index};
    (void)state;
    assert_int_equal(keel_formulate(&index3, p, &(keel_formulation){.name = "index3"}), KEEL_OK);
    assert_int_equal(keel_quasilinear(&hidden, &spec), KEEL_OK);
    expect_refusal(index3, "sdirk-4", "formulation");
    expect_refusal(index3, "gauss-1", "radau-iia");
    expect_refusal(hidden, "sdirk-4", "constraints");
    keel_problem_free(hidden);
    keel_problem_free(index3);
    keel_problem_free(p);
}

/* With constant steps, for studies, every method meets the problem as it is; and methods of higher
 * stage order always do, even if multipliers by recursion are of order 1 (docs/orders.md). */
static void as_it_is(void **state)
{
    double y[UNKNOWNS];
    keel_problem *p = pendulum(y);
    const keel_options options[] = {{.method = "sdirk-4", .step = 0.01}, {.method = "radau-iia-3"},
                                    {.method = "gauss-3"}, {.method = "esdirk-4"},
                                    {.method = "radau-iia-1", .rtol = 1e-2},
                                    {.method = "esdirk-4",
                                     .multipliers = KEEL_MULTIPLIERS_RECURSION}};
    (void)state;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        keel_solver *s = NULL;
        expect_ok(keel_solver_create(&s, p, &options[k]), s, options[k].method);
        assert_string_equal(keel_choice(s), "");
        assert_ptr_equal(keel_solver_problem(s), p);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* Rounding in g, divided by h twice, would be more than these tolerances. */
static void moved_by_rounding(void **state)
{
    double y[UNKNOWNS];
    keel_problem *p = pendulum(y);
    keel_solver *s = NULL;
    (void)state;
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "esdirk-4", .rtol = 1e-10}), s,
              "esdirk-4");
    expect_text(keel_choice(s), "tolerances");
    assert_ptr_equal(keel_solver_problem(s), p);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved), cmocka_unit_test(refused), cmocka_unit_test(as_it_is),
        cmocka_unit_test(moved_by_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
