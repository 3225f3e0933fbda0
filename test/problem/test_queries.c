/* test_queries.c -- what a problem answers about itself. */
#include "test/support/run.h"

#include "problems/problems.h"

typedef struct expectation {
    keel_form form;
    const char *name;
    int index, constraints, levels, groups, size[3];
    const char *group[3], *first, *last;
    int last_index;
} expectation;

static void structure(void **state)
{
    static const expectation expected[FORMS] = {
        {KEEL_FORM_ODE, "ODE", 0, 0, 0, 1, {2}, {"y"}, "y[0]", "y[1]", 1},
        {KEEL_FORM_SEMI_EXPLICIT, "semi-explicit", 1, 1, 1, 2, {1, 1}, {"y", "z"}, "y[0]", "z[0]", 1},
        {KEEL_FORM_HESSENBERG2, "Hessenberg 2", 2, 1, 2, 2, {2, 1}, {"y", "z"}, "y[0]", "z[0]", 2},
        {KEEL_FORM_HESSENBERG3, "Hessenberg 3", 3, 1, 3, 3, {2, 2, 1}, {"u", "v", "lambda"}, "u[0]",
         "lambda[0]", 3},
        {KEEL_FORM_MECHANICAL, "mechanical", 3, 1, 3, 3, {2, 2, 1}, {"q", "v", "lambda"}, "q[0]",
         "lambda[0]", 3},
        {KEEL_FORM_MECHANICAL, "mechanical", 3, 1, 3, 3, {2, 2, 1}, {"q", "v", "lambda"}, "q[0]",
         "lambda[0]", 3},
        {KEEL_FORM_QUASILINEAR, "quasilinear", 1, 0, 0, 1, {2}, {"y"}, "y[0]", "y[1]", 1},
        {KEEL_FORM_QUASILINEAR, "quasilinear", 1, 0, 0, 1, {2}, {"y"}, "y[0]", "y[1]", 1},
        {KEEL_FORM_IMPLICIT, "implicit", 1, 0, 0, 1, {2}, {"y"}, "y[0]", "y[1]", 1},
        {KEEL_FORM_PROPER, "proper", 1, 0, 0, 2, {2, 1}, {"x", "u"}, "x[0]", "u[0]", 1},
    };
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        const expectation *e = &expected[k];
        probe context = {0};
        int size[3];
        const char *name[3];
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        int n = keel_problem_size(p);
        assert_int_equal(n, forms[k].size);
        assert_int_equal(keel_problem_form(p), e->form);
        assert_string_equal(keel_form_name(keel_problem_form(p)), e->name);
        assert_int_equal(keel_problem_index(p), e->index);
        assert_int_equal(keel_problem_constraints(p), e->constraints);
        assert_int_equal(keel_problem_levels(p), e->levels);
        assert_int_equal(keel_problem_groups(p, size, name), e->groups);
        for (int g = 0; g < e->groups; g++) {
            assert_int_equal(size[g], e->size[g]);
            assert_string_equal(name[g], e->group[g]);
        }
        assert_string_equal(keel_variable_name(p, 0), e->first);
        assert_string_equal(keel_variable_name(p, n - 1), e->last);
        assert_string_equal(keel_variable_name(p, n), "");
        assert_string_equal(keel_variable_name(p, -1), "");
        assert_int_equal(keel_variable_index(p, 0), 1);
        assert_int_equal(keel_variable_index(p, n - 1), e->last_index);
        assert_int_equal(keel_variable_index(p, n), 0);
        assert_string_equal(keel_problem_message(p), "");
        assert_int_equal(context.total, 0);                    /* creation calls nothing */
        keel_problem_free(p);
    }
    assert_string_equal(keel_form_name((keel_form)99), "unknown form");
}

/* Names and patterns are copied; a name left out gets its standard. */
static void copies(void **state)
{
    char first[] = "angle";
    const char *names[2] = {first, NULL};
    int start[3] = {0, 2, 4}, row[4] = {0, 1, 0, 1};
    probe context = {0};
    double y[2];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = ode_rhs, .names = names,
        .context = &context, .pattern = {.storage = KEEL_SPARSE, .column_start = start,
                                         .row_index = row}}), KEEL_OK);
    memset(first, 'x', sizeof first - 1);
    memset(start, 77, sizeof start);
    memset(row, 77, sizeof row);
    assert_string_equal(keel_variable_name(p, 0), "angle");
    assert_string_equal(keel_variable_name(p, 1), "y[1]");
    ode_exact(0, y);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_ok(keel_advance_to(s, 0.5), s, "advance");
    keel_solver_free(s);
    keel_problem_free(p);
}

static int free_fall(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = -9.81;
    return 0;
}

/* A mechanical problem without constraints is an ODE of second order. */
static void unconstrained(void **state)
{
    int size[3];
    const char *name[3];
    double y[2] = {0, 3}, residual[3];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 1,
                                                                 .force = free_fall}), KEEL_OK);
    assert_int_equal(keel_problem_groups(p, size, name), 2);
    assert_int_equal(keel_problem_levels(p), 0);
    assert_int_equal(keel_problem_index(p), 0);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_ok(keel_advance_to(s, 2), s, "advance");
    assert_true(fabs(keel_state(s)[0] - (6 - 2 * 9.81)) < 1e-9);
    assert_true(fabs(keel_state(s)[1] - (3 - 2 * 9.81)) < 1e-9);
    keel_residuals(s, residual);
    for (int k = 0; k < 3; k++) assert_true(residual[k] < 0);
    expect_ok(keel_project(s, 2, y), s, "nothing to project to");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* Of the problems for measuring orders those are nonlinear in the multipliers that say so. */
static void nonlinear_in_the_multipliers(void **state)
{
    static const struct { const char *name; int nonlinear; } known[] = {
        {"order-ode", 0}, {"order-index1", 0}, {"order-index2", 0}, {"order-index2-nonlinear", 1},
        {"order-index3", 0}, {"order-index3-nonlinear", 1}, {"order-mechanical", 0}};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const bundled_problem *b = bundled_problem_find(known[k].name);
        keel_problem *p = NULL;
        double y[16];
        b->start(NULL, y);
        assert_int_equal(b->create(&p, NULL), KEEL_OK);
        if (keel_problem_nonlinear(p, b->t_start, y) != known[k].nonlinear)
            fail_msg("%s: not %d", known[k].name, known[k].nonlinear);
        keel_problem_free(p);
    }
    assert_int_equal(keel_problem_nonlinear(NULL, 0, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(structure), cmocka_unit_test(copies),
                                       cmocka_unit_test(unconstrained),
                                       cmocka_unit_test(nonlinear_in_the_multipliers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
