/* test_null.c -- every public function takes NULL for a handle, and a handle whose creation failed:
 * the answer is KEEL_BAD_ARGUMENT, 0, NAN, -1, NULL or "", as the headers say.  The last test looks
 * into the headers whether a function is missing here. */
#include "test/support/run.h"

#include <stdlib.h>

/* A problem, a method, a solver, a recording and the like that were not created, or NULL. */
typedef struct handles {
    keel_problem *problem;
    keel_method *method;
    keel_solver *solver;
    keel_solution *solution;
    keel_curve *curve;
    keel_boundary *boundary;
} handles;

static void problem_questions(const handles *h)
{
    int size[3];
    const char *name[3];
    double y[3] = {0};
    const keel_problem *p = h->problem;
    assert_int_equal(keel_problem_form(p), KEEL_FORM_ODE);
    assert_int_equal(keel_problem_size(p), 0);
    assert_int_equal(keel_problem_index(p), 0);
    assert_int_equal(keel_problem_constraints(p), 0);
    assert_int_equal(keel_problem_freedom(p), -1);
    assert_int_equal(keel_problem_levels(p), 0);
    assert_int_equal(keel_problem_groups(p, size, name), 0);
    assert_int_equal(keel_problem_groups(p, NULL, NULL), 0);
    assert_int_equal(keel_problem_nonlinear(p, 0, y), 0);
    assert_int_equal(keel_problem_nonlinear(p, 0, NULL), 0);
    assert_null(keel_problem_original(p));
    for (int i = -1; i < 3; i++) {
        assert_int_equal(keel_level_rows(p, i), 0);
        assert_string_equal(keel_row_name(p, i, 0), "");
        assert_string_equal(keel_variable_name(p, i), "");
        assert_int_equal(keel_variable_index(p, i), 0);
    }
    assert_null(keel_problem_frame(p));
    assert_int_equal(keel_switch_count(p), 0);
    assert_int_equal(keel_clock_count(p), 0);
    assert_int_equal(keel_structure_count(p), 1);
    assert_ptr_equal(keel_structure(p, 0), p);
    for (int i = -1; i < 3; i++) {
        assert_string_equal(keel_parameter_name(p, i), "");
        assert_string_equal(keel_mode_name(p, i), "");
        assert_string_equal(keel_value_name(p, i), "");
        assert_string_equal(keel_switch_name(p, i), "");
        assert_string_equal(keel_clock_name(p, i), "");
        if (i) assert_null(keel_structure(p, i));
    }
    keel_formulation_from(p, y, y);
    keel_formulation_from(p, NULL, NULL);
    keel_formulation_to(p, NULL, NULL);
    assert_string_equal(keel_form_name((keel_form)99), "unknown form");
    assert_int_equal(keel_formulation_at(0, NULL), KEEL_BAD_ARGUMENT);
    assert_true(keel_formulation_count() > 0);
    keel_problem *formulated = NULL;
    assert_int_equal(keel_formulate(&formulated, p, NULL), KEEL_BAD_ARGUMENT);
    keel_problem_free(formulated);
    assert_int_equal(keel_formulate(&formulated, p, &(keel_formulation){.name = "ggl"}),
                     KEEL_BAD_ARGUMENT);
    assert_true(keel_problem_message(formulated)[0] != 0);
    keel_problem_free(formulated);
    assert_int_equal(keel_formulate(NULL, p, NULL), KEEL_BAD_ARGUMENT);
}

static void method_questions(const handles *h)
{
    double re = 0, im = 0;
    int order[3];
    keel_analysis analysis;
    keel_general_analysis general;
    const keel_method *m = h->method;
    assert_int_equal(keel_method_kind_of(m), KEEL_METHOD_EXPLICIT);
    assert_int_equal(keel_method_estimate(m), KEEL_ESTIMATE_EMBEDDED);
    assert_null(keel_method_multistep(m));
    assert_null(keel_method_general_linear(m));
    if (!m) assert_null(keel_method_tableau(m));
    assert_int_equal(keel_method_analyse(m, &analysis), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_analyse(m, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_analyse_general(m, &general), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_analyse_general(m, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){0}, order), 0);
    assert_int_equal(keel_method_orders(m, NULL, NULL), 0);
    keel_method_stability(m, -1, 0, &re, &im);
    assert_true(isnan(re) && isnan(im));
    keel_method_stability(m, -1, 0, NULL, NULL);
    assert_string_equal(keel_method_kind_name((keel_method_kind)99), "unknown kind");
    assert_int_equal(keel_method_at(0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_find(NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_find("bdf-3", NULL), KEEL_BAD_ARGUMENT);
    assert_true(keel_method_count() > 0);
    assert_int_equal(keel_starting_procedure(1, NULL, 1, NULL, NULL), KEEL_BAD_ARGUMENT);
}

static void solver_questions(const handles *h)
{
    double residual[3] = {7, 7, 7};
    keel_move move;
    const keel_solver *s = h->solver;
    assert_true(s ? keel_time(s) == 0 : isnan(keel_time(s)));
    assert_true(s ? keel_previous_time(s) == 0 : isnan(keel_previous_time(s)));
    assert_null(keel_state(s));
    assert_true(keel_factor_bytes(s) == 0);
    assert_non_null(keel_solver_stats(s));
    assert_int_equal(keel_solver_stats(s)->steps, 0);
    assert_string_equal(keel_choice(s), "");
    assert_null(keel_solver_problem(s));
    assert_null(keel_solver_note(s, NULL));
    keel_residuals(s, residual);
    for (int k = 0; k < 3 && !s; k++) assert_true(residual[k] == -1);
    keel_residuals(s, NULL);
    assert_true(keel_level_residual(NULL, 0) == -1);
    assert_true(keel_level_residual(s, 99) == -1);
    assert_true(keel_level_residual(s, -1) == -1);
    assert_int_equal(keel_moved_count(s), 0);
    assert_int_equal(keel_solver_freedom(s), -1);
    assert_int_equal(keel_moved(s, 0, &move), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_moved(s, 0, NULL), KEEL_BAD_ARGUMENT);
    keel_invariant invariant;
    assert_int_equal(keel_invariant_at(s, 0, &invariant), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_invariant_at(s, 0, NULL), KEEL_BAD_ARGUMENT);
    keel_event_record record;
    assert_int_equal(keel_event_count(s), 0);
    assert_int_equal(keel_event_at(s, 0, &record), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_event_at(s, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_null(keel_state_before(s));
    assert_null(keel_impulses(s));
    assert_null(keel_solver_frame(s));
    assert_true(keel_reason(KEEL_NO_MEMORY, NULL, NULL)[0] != 0);
    assert_true(keel_reason(KEEL_NO_MEMORY, h->problem, s)[0] != 0);
}

static void solver_calls(const handles *h)
{
    double y[3] = {0};
    keel_solver *s = h->solver;
    assert_int_equal(keel_start(s, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_start(s, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_start_marked(s, 0, NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_start_with(s, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_restart(s), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_restart_with(s, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_restart_with(s, &(keel_start_spec){0}), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_set_frame(s, NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_step(s), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance(s, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_advance_to(s, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_set_stop_time(s, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_interpolate(s, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_interpolate(s, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_interpolate_projected(s, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_interpolate_projected(s, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_project(s, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_project(s, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solver_save(s, "c"), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solver_save(s, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solver_save_noted(s, NULL, NULL, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solver_load(s, "c"), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solver_load(s, NULL), KEEL_BAD_ARGUMENT);
    if (s) assert_true(keel_message(s)[0] != 0);
    keel_clear_stop_time(s);
}

static void solution_calls(const handles *h)
{
    double y[3] = {0};
    keel_solution *r = h->solution, *other = NULL;
    assert_int_equal(keel_solution_create(NULL, h->solver), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_create(&other, h->solver), KEEL_BAD_ARGUMENT);
    expect_text(keel_solution_message(other), "keel_start");
    keel_solution_free(other);
    assert_int_equal(keel_solution_append(r, h->solver), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_at(r, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_at(r, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_after(r, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_after(r, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_at_projected(r, NULL, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_beyond(r, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_beyond(r, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_piece(r, 0, &(keel_piece){0}), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_piece(r, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_begin(NULL, 1, 0, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_begin(&other, 1, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_null(other);
    assert_int_equal(keel_solution_join(r, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_join(r, &(keel_piece){0}), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_unknowns(r), 0);
    if (r) assert_true(keel_solution_message(r)[0] != 0);
    assert_int_equal(keel_solution_steps(r), 0);
    assert_int_equal(keel_solution_events(r), 0);
    assert_true(isnan(keel_solution_event(r, 0)));
    assert_true(isnan(keel_solution_time(r, 0)));
}

static void curve_calls(const handles *h)
{
    double y[3] = {0};
    keel_impasse point;
    keel_curve *c = h->curve;
    assert_int_equal(keel_impasse_count(h->solver), 0);
    assert_int_equal(keel_impasse_at(h->solver, 0, &point), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_impasse_at(h->solver, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_start(c, 0, y, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_start(c, 0, NULL, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_from(c, h->solver), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_bounds(c, 0, 1, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_step(c), KEEL_BAD_ARGUMENT);
    assert_true(isnan(keel_curve_length(c)) && isnan(keel_curve_time(c)));
    assert_true(isnan(keel_curve_rate(c)));
    assert_null(keel_curve_state(c));
    assert_int_equal(keel_curve_impasse_count(c), 0);
    assert_int_equal(keel_curve_impasse_at(c, 0, &point), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_impasse_at(c, 0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_message(c)[0] != 0, c != NULL);
    assert_string_equal(keel_impasse_kind_name(99), "unknown kind");
}

static void boundary_calls(const handles *h)
{
    double p[3] = {0};
    keel_boundary *b = h->boundary;
    assert_int_equal(keel_boundary_guess(b, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_guess(b, h->solution, p), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_solve(b), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_set_frame(b, p), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_set_frame(b, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_save(b, "/dev/null"), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_load(b, "/dev/null"), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_set_interval(b, 0, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_set_tolerances(b, 1e-6, 1e-6), KEEL_BAD_ARGUMENT);
    assert_null(keel_boundary_solution(b));
    assert_null(keel_boundary_parameters(b));
    assert_null(keel_boundary_diagnose(b));
    assert_int_equal(keel_boundary_multipliers(b, NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_statistics(b) != NULL, b != NULL);
    assert_int_equal(keel_boundary_message(b)[0] != 0, b != NULL);
}

static void all_of(const handles *h)
{
    problem_questions(h);
    method_questions(h);
    solver_questions(h);
    solver_calls(h);
    solution_calls(h);
    curve_calls(h);
    boundary_calls(h);
}

static void no_handles(void **state)
{
    (void)state;
    all_of(&(handles){0});
    assert_string_equal(keel_problem_message(NULL), "");
    assert_string_equal(keel_method_message(NULL), "");
    assert_string_equal(keel_message(NULL), "");
    assert_string_equal(keel_solution_message(NULL), "");
    keel_problem_free(NULL);
    keel_method_free(NULL);
    keel_solver_free(NULL);
    keel_solution_free(NULL);
    keel_curve_free(NULL);
    keel_boundary_free(NULL);
    assert_int_equal(keel_solution_from_table(NULL, 1, 2, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_fit_run(NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_fit_measure(NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_null(keel_fit_result_of(NULL));
    assert_null(keel_fit_boundary(NULL));
    assert_int_equal(*keel_fit_message(NULL), 0);
    keel_fit_free(NULL);
    assert_null(keel_entry(NULL, 0, 0));
    assert_null(keel_entry_inline(NULL, 0, 0));
    keel_put(NULL, 0, 0, 1);
    keel_add(NULL, 0, 0, 1);
    assert_non_null(keel_option_table(NULL));
    assert_int_equal(keel_option_set(NULL, NULL, NULL, NULL, 0), KEEL_BAD_ARGUMENT);
    assert_non_null(keel_status_name(1 << 30));
    assert_non_null(keel_status_text(1 << 30));
    assert_non_null(keel_version());
}

/* What makes a handle: nowhere to put it, and nothing to make it from. */
static void makers(void **state)
{
    keel_problem *p;
    keel_method *m;
    keel_solver *s;
    (void)state;
#define MAKER(function, handle, free_it) \
    assert_int_equal(function(NULL, NULL), KEEL_BAD_ARGUMENT); \
    assert_int_equal(function(&handle, NULL), KEEL_BAD_ARGUMENT); \
    free_it(handle)
    MAKER(keel_ode, p, keel_problem_free);
    MAKER(keel_semi_explicit, p, keel_problem_free);
    MAKER(keel_hessenberg2, p, keel_problem_free);
    MAKER(keel_hessenberg3, p, keel_problem_free);
    MAKER(keel_mechanical, p, keel_problem_free);
    MAKER(keel_quasilinear, p, keel_problem_free);
    MAKER(keel_implicit, p, keel_problem_free);
    MAKER(keel_proper, p, keel_problem_free);
    MAKER(keel_levelled, p, keel_problem_free);
    MAKER(keel_method_named, m, keel_method_free);
    MAKER(keel_method_read, m, keel_method_free);
    MAKER(keel_method_create, m, keel_method_free);
    MAKER(keel_multistep_create, m, keel_method_free);
    MAKER(keel_general_linear_create, m, keel_method_free);
    assert_int_equal(keel_switching(NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_switching(&p, NULL, NULL), KEEL_BAD_ARGUMENT);
    keel_problem_free(p);
    assert_int_equal(keel_switching(&p, NULL, &(keel_switching_spec){0}), KEEL_BAD_ARGUMENT);
    assert_true(keel_problem_message(p)[0] != 0);
    keel_problem_free(p);
    assert_int_equal(keel_solver_create(NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solver_create(&s, NULL, NULL), KEEL_BAD_ARGUMENT);
    keel_solver_free(s);
    keel_curve *c;
    assert_int_equal(keel_curve_create(NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_create(&c, NULL, NULL), KEEL_BAD_ARGUMENT);
    keel_curve_free(c);
    keel_boundary *b;
    assert_int_equal(keel_boundary_create(NULL, &(keel_boundary_spec){0}, &(keel_boundary_options){0}),
                     KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_create(&b, NULL, NULL), KEEL_BAD_ARGUMENT);
    keel_boundary_free(b);
    assert_int_equal(keel_boundary_create(&b, &(keel_boundary_spec){.to = 1}, NULL),
                     KEEL_BAD_ARGUMENT);
    keel_boundary_free(b);
}

/* Failures late in the creation of a problem, when most of it is there. */
static void failed_handles(void **state)
{
    static const int start[] = {0, 1, 2, 4}, rows[] = {0, 1, 2, 2};
    handles h = {0};
    (void)state;
    assert_int_equal(keel_hessenberg2(&h.problem, &(keel_hessenberg2_spec){
        .differential = 2, .multipliers = 1, .rhs = hess2_rhs, .constraint = hess2_constraint,
        .pattern = {KEEL_SPARSE, .column_start = start, .row_index = rows}}), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_named(&h.method, "bdf-7"), KEEL_UNSUPPORTED);
    assert_int_equal(keel_solver_create(&h.solver, h.problem, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_create(&h.solution, h.solver), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_create(&h.curve, h.problem, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_create(&h.boundary, &(keel_boundary_spec){.problem = h.problem},
                                          NULL), KEEL_BAD_ARGUMENT);
    all_of(&h);
    expect_text(keel_problem_message(h.problem), "column 2");
    keel_boundary_free(h.boundary);
    keel_curve_free(h.curve);
    keel_solution_free(h.solution);
    keel_solver_free(h.solver);
    keel_method_free(h.method);
    keel_problem_free(h.problem);
}

/* ---- branches ------------------------------------------------------------------------------- */

static void branch_calls(keel_branch *b)
{
    assert_int_equal(keel_branch_start(b, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_follow(b, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_save(b, "/dev/null"), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_load(b, "/dev/null"), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_count(b), 0);
    assert_null(keel_branch_at(b, 0));
    assert_null(keel_branch_boundary(b));
    assert_int_equal(keel_branch_message(b)[0] != 0, b != NULL);
    keel_branch_free(b);
}

static void branches(void **state)
{
    keel_branch *b;
    (void)state;
    branch_calls(NULL);
    assert_int_equal(keel_branch_create(NULL, NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_create(&b, NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    branch_calls(b);
    assert_int_equal(keel_branch_create(&b, &(keel_boundary_spec){.to = 1}, NULL, NULL),
                     KEEL_BAD_ARGUMENT);
    branch_calls(b);
}

/* ---- is every function here? ---------------------------------------------------------------- */

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 200000);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, 199999, file) > 0);
    fclose(file);
    return text;
}

static void complete(void **state)
{
    static const char *const headers[] = {"boundary", "branch", "curve", "event", "matrix", "method", "problem",
                                          "solver", "status"};
    char *tests = text_of(KEEL_SOURCE_DIR "/test/fault/test_null.c");
    int functions = 0;
    (void)state;
    for (int i = 0; i < 9; i++) {
        char path[500], name[100];
        snprintf(path, sizeof path, KEEL_SOURCE_DIR "/include/keel/%s.h", headers[i]);
        char *header = text_of(path);
        for (const char *at = header; (at = strstr(at, "keel_")); at += 5) {
            size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            const char *sized = strstr(name, "_sized");
            if (at[length] != '(' || sized || strcmp(name, "keel_x") == 0) continue;
            functions++;
            if (!strstr(tests, name)) fail_msg("%s is not tested with NULL", name);
        }
        free(header);
    }
    free(tests);
    assert_true(functions > 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_handles), cmocka_unit_test(makers),
                                       cmocka_unit_test(failed_handles), cmocka_unit_test(branches),
                                       cmocka_unit_test(complete)};
    return cmocka_run_group_tests_name("NULL and failed handles", tests, NULL, NULL);
}
