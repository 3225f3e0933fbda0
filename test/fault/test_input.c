/* test_input.c -- bad problems, options and calls: a negative status and a sentence that helps. */
#include "test/support/run.h"

#include <stdlib.h>

/* Checks the status and the message of a problem that must not be created, and frees it. */
static void refused(int rc, int expected, keel_problem **problem, const char *part)
{
    const keel_problem *p = *problem;
    if (rc != expected)
        fail_msg("%s instead of %s (\"%s\")", keel_status_name(rc), keel_status_name(expected),
                 keel_problem_message(p));
    expect_text(keel_problem_message(p), part);
    keel_problem_free(*problem);
}

/* ---- problems -------------------------------------------------------------------------------- */

static void null_arguments(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(NULL, NULL), KEEL_BAD_ARGUMENT);
    refused(keel_ode(&p, NULL), KEEL_BAD_ARGUMENT, &p, "spec is NULL");
    refused(keel_semi_explicit(&p, NULL), KEEL_BAD_ARGUMENT, &p, "spec is NULL");
    refused(keel_hessenberg2(&p, NULL), KEEL_BAD_ARGUMENT, &p, "spec is NULL");
    refused(keel_hessenberg3(&p, NULL), KEEL_BAD_ARGUMENT, &p, "spec is NULL");
    refused(keel_mechanical(&p, NULL), KEEL_BAD_ARGUMENT, &p, "spec is NULL");
    refused(keel_quasilinear(&p, NULL), KEEL_BAD_ARGUMENT, &p, "spec is NULL");
    refused(keel_implicit(&p, NULL), KEEL_BAD_ARGUMENT, &p, "spec is NULL");
    refused(keel_proper(&p, NULL), KEEL_BAD_ARGUMENT, &p, "spec is NULL");
    keel_problem_free(NULL);
    keel_solver_free(NULL);
    keel_solution_free(NULL);
    assert_string_equal(keel_problem_message(NULL), "");
    assert_string_equal(keel_message(NULL), "");
    assert_int_equal(keel_solver_create(NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_start(NULL, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_step(NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance(NULL, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance_to(NULL, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_set_stop_time(NULL, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_interpolate(NULL, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_project(NULL, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_create(NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_append(NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_at(NULL, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_steps(NULL), 0);
    assert_true(isnan(keel_solution_time(NULL, 0)));
    keel_clear_stop_time(NULL);
}

static void sizes(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    refused(keel_ode(&p, &(keel_ode_spec){.size = 0, .rhs = ode_rhs}), KEEL_BAD_ARGUMENT, &p,
            "size = 0");
    refused(keel_ode(&p, &(keel_ode_spec){.size = -3, .rhs = ode_rhs}), KEEL_BAD_ARGUMENT, &p,
            "size = -3");
    refused(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = -1,
            .rhs = semi_rhs, .constraint = semi_constraint}), KEEL_BAD_ARGUMENT, &p, "algebraic");
    refused(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 1, .multipliers = 2,
            .rhs = hess2_rhs, .constraint = hess2_constraint}), KEEL_BAD_ARGUMENT, &p,
            "2 constraints on 1");
    refused(keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 2, .velocities = 0,
            .multipliers = 1, .position_rate = hess3_position, .velocity_rate = hess3_velocity,
            .constraint = hess3_constraint}), KEEL_BAD_ARGUMENT, &p, "velocities");
    refused(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 1, .constraints = -2,
            .force = mechanism_force, .constraint = mechanism_constraint}), KEEL_BAD_ARGUMENT, &p,
            "constraints = -2");
    refused(keel_proper(&p, &(keel_proper_spec){.size = 2, .leading = 0,
            .leading_matrix = proper_matrix, .leading_term = proper_term, .rest = proper_rest}),
            KEEL_BAD_ARGUMENT, &p, "leading = 0");
    refused(keel_proper(&p, &(keel_proper_spec){.size = 5000, .leading = 4000,
            .leading_matrix = proper_matrix, .leading_term = proper_term, .rest = proper_rest}),
            KEEL_BAD_ARGUMENT, &p, "9000 unknowns");
}

static void missing_callbacks(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    refused(keel_ode(&p, &(keel_ode_spec){.size = 2}), KEEL_BAD_ARGUMENT, &p, "`rhs`");
    refused(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
            .rhs = semi_rhs}), KEEL_BAD_ARGUMENT, &p, "`constraint`");
    refused(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
            .constraint = hess2_constraint}), KEEL_BAD_ARGUMENT, &p, "`rhs`");
    refused(keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 2, .velocities = 2,
            .multipliers = 1, .position_rate = hess3_position, .constraint = hess3_constraint}),
            KEEL_BAD_ARGUMENT, &p, "`velocity_rate`");
    refused(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
            .constraint = mechanism_constraint}), KEEL_BAD_ARGUMENT, &p, "`force`");
    refused(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
            .force = mechanism_force}), KEEL_BAD_ARGUMENT, &p, "`constraint`");
    refused(keel_quasilinear(&p, &(keel_quasilinear_spec){.size = 2, .rhs = ode_rhs}),
            KEEL_BAD_ARGUMENT, &p, "`mass`");
    refused(keel_quasilinear(&p, &(keel_quasilinear_spec){.size = 2, .mass = constant_mass}),
            KEEL_BAD_ARGUMENT, &p, "`rhs`");
    refused(keel_implicit(&p, &(keel_implicit_spec){.size = 2}), KEEL_BAD_ARGUMENT, &p,
            "`residual`");
    refused(keel_proper(&p, &(keel_proper_spec){.size = 2, .leading = 1, .rest = proper_rest,
            .leading_term = proper_term}), KEEL_BAD_ARGUMENT, &p, "`leading_matrix`");
    refused(keel_proper(&p, &(keel_proper_spec){.size = 2, .leading = 1, .rest = proper_rest,
            .leading_matrix = proper_matrix}), KEEL_BAD_ARGUMENT, &p, "`leading_term`");
    refused(keel_proper(&p, &(keel_proper_spec){.size = 2, .leading = 1,
            .leading_matrix = proper_matrix, .leading_term = proper_term}), KEEL_BAD_ARGUMENT, &p,
            "`rest`");
}

/* `evaluate` that does not even know the force or the constraint cannot be completed. */
static void incomplete_evaluate(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    refused(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
            .evaluate = mechanism_evaluate, .provides = KEEL_MASS | KEEL_CONSTRAINT}),
            KEEL_BAD_ARGUMENT, &p, "force");
    refused(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
            .evaluate = mechanism_evaluate, .provides = KEEL_MASS | KEEL_FORCE}),
            KEEL_BAD_ARGUMENT, &p, "constraint");
}

static int sparse_ode(keel_problem **p, const int *start, const int *row)
{
    return keel_ode(p, &(keel_ode_spec){.size = 2, .rhs = ode_rhs,
        .pattern = {.storage = KEEL_SPARSE, .column_start = start, .row_index = row}});
}

static void patterns(void **state)
{
    keel_problem *p = NULL;
    int full[] = {0, 1, 0, 1}, unsorted[] = {1, 0, 0, 1}, outside[] = {0, 2, 0, 1};
    int *exact = malloc(2 * sizeof *exact);      /* so that reading past its end is noticed */
    (void)state;
    exact[0] = 0;
    exact[1] = 1;
    refused(sparse_ode(&p, NULL, full), KEEL_BAD_ARGUMENT, &p, "column_start");
    refused(sparse_ode(&p, (int[]){0, 2, 4}, NULL), KEEL_BAD_ARGUMENT, &p, "row_index");
    refused(sparse_ode(&p, (int[]){1, 2, 4}, full), KEEL_BAD_ARGUMENT, &p, "from 0");
    refused(sparse_ode(&p, (int[]){0, 2, 4}, unsorted), KEEL_BAD_ARGUMENT, &p, "column 0");
    refused(sparse_ode(&p, (int[]){0, 2, 4}, outside), KEEL_BAD_ARGUMENT, &p, "column 0");
    refused(sparse_ode(&p, (int[]){0, 2, 1}, full), KEEL_BAD_ARGUMENT, &p, "column_start[2]");
    refused(sparse_ode(&p, (int[]){0, 4, 2}, exact), KEEL_BAD_ARGUMENT, &p, "column_start[2]");
    free(exact);
    refused(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = ode_rhs,
            .pattern = {.storage = KEEL_BAND, .lower = 2}}), KEEL_BAD_ARGUMENT, &p, "lower = 2");
    refused(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = ode_rhs,
            .pattern = {.storage = KEEL_BAND, .upper = -1}}), KEEL_BAD_ARGUMENT, &p, "upper = -1");
    refused(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = ode_rhs,
            .pattern = {.storage = (keel_storage)7}}), KEEL_BAD_ARGUMENT, &p, "storage = 7");
}

static void variable_indices(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    refused(keel_quasilinear(&p, &(keel_quasilinear_spec){.size = 2, .mass = constant_mass,
            .rhs = ode_rhs, .variable_index = (int[]){1, 4}}), KEEL_BAD_ARGUMENT, &p,
            "variable_index[1] = 4");
    refused(keel_implicit(&p, &(keel_implicit_spec){.size = 2, .residual = implicit_residual_of,
            .variable_index = (int[]){0, 1}}), KEEL_BAD_ARGUMENT, &p, "variable_index[0] = 0");
    refused(keel_proper(&p, &(keel_proper_spec){.size = 2, .leading = 1,
            .leading_matrix = proper_matrix, .leading_term = proper_term, .rest = proper_rest,
            .variable_index = (int[]){1, 5}}), KEEL_BAD_ARGUMENT, &p, "variable_index[1] = 5");
}

/* ---- options --------------------------------------------------------------------------------- */

static void option_refused(const keel_problem *p, keel_options o, int expected, const char *part)
{
    keel_solver *s = NULL;
    double y[2] = {1, 1};
    int rc = keel_solver_create(&s, p, &o);
    if (rc != expected)
        fail_msg("%s instead of %s for \"%s\": %s", keel_status_name(rc),
                 keel_status_name(expected), part, keel_message(s));
    expect_text(keel_message(s), part);
    assert_int_equal(keel_start(s, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_step(s), KEEL_BAD_ARGUMENT);
    keel_solver_free(s);
}

static void options(void **state)
{
    probe context = {0};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    (void)state;
    option_refused(NULL, (keel_options){0}, KEEL_BAD_ARGUMENT, "no problem");
    option_refused(p, (keel_options){.method = "rado-iia-3"}, KEEL_UNKNOWN_NAME, "radau-iia-3");
    option_refused(p, (keel_options){.rtol = -1e-6}, KEEL_BAD_ARGUMENT, "rtol");
    option_refused(p, (keel_options){.rtol = NAN}, KEEL_BAD_ARGUMENT, "rtol");
    option_refused(p, (keel_options){.rtol = 1e-20}, KEEL_BAD_ARGUMENT, "rtol");
    option_refused(p, (keel_options){.atol = -1}, KEEL_BAD_ARGUMENT, "atol");
    option_refused(p, (keel_options){.atol = INFINITY}, KEEL_BAD_ARGUMENT, "atol");
    option_refused(p, (keel_options){.step = -0.1}, KEEL_BAD_ARGUMENT, "step");
    option_refused(p, (keel_options){.first_step = NAN}, KEEL_BAD_ARGUMENT, "first-step");
    option_refused(p, (keel_options){.max_step = -1}, KEEL_BAD_ARGUMENT, "max-step");
    option_refused(p, (keel_options){.max_steps = -1}, KEEL_BAD_ARGUMENT, "max-steps");
    option_refused(p, (keel_options){.safety = 2}, KEEL_BAD_ARGUMENT, "safety");
    option_refused(p, (keel_options){.newton_limit = 1000}, KEEL_BAD_ARGUMENT, "newton-limit");
    option_refused(p, (keel_options){.sweeps = -2}, KEEL_BAD_ARGUMENT, "sweeps");
    option_refused(p, (keel_options){.projection = (keel_projection)6}, KEEL_BAD_ARGUMENT,
                   "projection");
    option_refused(p, (keel_options){.linear = (keel_linear)-1}, KEEL_BAD_ARGUMENT, "linear");
    option_refused(p, (keel_options){.linear = KEEL_LINEAR_BAND}, KEEL_UNSUPPORTED, "band");
    option_refused(p, (keel_options){.linear = KEEL_LINEAR_MECHANICAL}, KEEL_UNSUPPORTED,
                   "mechanical");
    keel_problem_free(p);
}

static void tolerances_of_each(void **state)
{
    probe context = {0};
    const char *names[] = {"alpha", "beta"};
    double zero[2] = {1e-6, 0}, negative[2] = {1e-6, -1e-6}, nan[2] = {NAN, 1e-6},
           infinite[2] = {1e-6, INFINITY}, fine[2] = {1e-6, 1e-7};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = ode_rhs, .names = names,
                                                   .context = &context}), KEEL_OK);
    option_refused(p, (keel_options){.rtol_each = zero, .atol_each = zero}, KEEL_BAD_ARGUMENT,
                   "beta");
    option_refused(p, (keel_options){.rtol_each = negative}, KEEL_BAD_ARGUMENT, "beta");
    option_refused(p, (keel_options){.atol_each = nan}, KEEL_BAD_ARGUMENT, "alpha");
    option_refused(p, (keel_options){.atol_each = infinite}, KEEL_BAD_ARGUMENT, "beta");
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, &(keel_options){.rtol_each = fine, .atol_each = zero}), s,
              "rtol alone suffices where atol is 0");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- calls out of order or out of range ------------------------------------------------------ */

static void calls(void **state)
{
    probe context = {0};
    double y[2], bad[2] = {1, NAN};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_solver *s = NULL;
    keel_solution *r = NULL;
    (void)state;
    ode_exact(0, y);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    assert_int_equal(keel_step(s), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "keel_start");
    assert_int_equal(keel_advance(s, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance_to(s, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_set_stop_time(s, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_interpolate(s, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_create(&r, s), KEEL_BAD_ARGUMENT);
    expect_text(keel_solution_message(r), "keel_start");
    keel_solution_free(r);
    assert_int_equal(keel_start(s, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_start(s, NAN, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_start(s, INFINITY, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_start(s, 0, bad), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "y[1]");
    assert_int_equal(keel_step(s), KEEL_BAD_ARGUMENT);         /* a failed start is no start */
    expect_ok(keel_start(s, 0, y), s, "start");
    assert_int_equal(keel_interpolate(s, 0.1, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_interpolate(s, 0, y), KEEL_OK);
    assert_int_equal(keel_interpolate(s, 0, NULL), KEEL_BAD_ARGUMENT);
    expect_ok(keel_advance_to(s, 0), s, "nowhere");            /* t_end = t_start */
    assert_true(keel_time(s) == 0 && keel_solver_stats(s)->steps == 0);
    assert_int_equal(keel_advance(s, NAN), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance_to(s, INFINITY), KEEL_BAD_ARGUMENT);
    expect_ok(keel_advance_to(s, 0.5), s, "forward");
    assert_int_equal(keel_set_stop_time(s, 0.25), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "behind");
    assert_int_equal(keel_advance_to(s, 0.25), KEEL_BAD_ARGUMENT);
    expect_ok(keel_set_stop_time(s, 0.75), s, "stop");
    assert_int_equal(keel_advance_to(s, 1), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "stop time");
    assert_int_equal(keel_advance(s, 1), KEEL_STOP_REACHED);
    assert_true(keel_time(s) == 0.75);
    assert_int_equal(keel_step(s), KEEL_STOP_REACHED);
    assert_int_equal(keel_interpolate(s, 0.1, y), KEEL_BAD_ARGUMENT);
    keel_clear_stop_time(s);
    expect_ok(keel_step(s), s, "beyond");
    assert_ptr_equal(keel_solver_problem(s), p);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- matrices outside their pattern ---------------------------------------------------------- */

static int stray_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(J, 0, 0, -1);
    keel_put(J, 0, 1, 0.1);
    return 0;
}

static int stray_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(M, 0, 0, 1);
    keel_put(M, 1, 1, 1);
    keel_put(M, 1, 0, 5);
    return 0;
}

static void stray_entries(void **state)
{
    probe context = {0};
    double y[2] = {1, 1};
    keel_pattern diagonal = {.storage = KEEL_BAND};
    keel_problem *p[2] = {NULL};
    (void)state;
    assert_int_equal(keel_ode(&p[0], &(keel_ode_spec){.size = 2, .rhs = ode_rhs,
        .jacobian = stray_jacobian, .pattern = diagonal, .context = &context}), KEEL_OK);
    assert_int_equal(keel_quasilinear(&p[1], &(keel_quasilinear_spec){.size = 2, .rhs = ode_rhs,
        .mass = stray_mass, .pattern = diagonal, .context = &context}), KEEL_OK);
    for (int k = 0; k < 2; k++) {
        keel_solver *s = NULL;
        expect_ok(keel_solver_create(&s, p[k], NULL), s, "create");
        int rc = keel_start(s, 0, y);
        if (!rc) rc = keel_step(s);
        expect_status(rc, KEEL_CALLBACK_FAILED, s, k ? "mass" : "jacobian");
        expect_text(keel_message(s), "pattern");
        expect_text(keel_message(s), k ? "mass" : "jacobian");
        keel_solver_free(s);
        keel_problem_free(p[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_arguments), cmocka_unit_test(sizes),
        cmocka_unit_test(missing_callbacks), cmocka_unit_test(incomplete_evaluate),
        cmocka_unit_test(patterns), cmocka_unit_test(variable_indices), cmocka_unit_test(options),
        cmocka_unit_test(tolerances_of_each), cmocka_unit_test(calls),
        cmocka_unit_test(stray_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
