/* test_messages.c -- what handles say: nothing old after a success, one way of counting, a sentence
 * for every failure, and no callback that calls the solver which calls it. */
#include "test/support/run.h"

#include <stdlib.h>

/* ---- old messages --------------------------------------------------------------------------- */

static void success_is_silent(void **state)
{
    double y[LARGEST_FORM];
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_solver *s = started(p, &forms[k], NULL, 0);
        keel_solution *r = NULL;
        assert_int_equal(keel_solution_create(&r, s), KEEL_OK);
#define AFTER_A_FAILURE(call) \
        assert_int_equal(keel_interpolate(s, -5, y), KEEL_BAD_ARGUMENT); \
        assert_true(keel_message(s)[0] != 0); \
        expect_ok(call, s, #call); \
        assert_string_equal(keel_message(s), "")
        AFTER_A_FAILURE(keel_step(s));
        double middle = 0.5 * (keel_previous_time(s) + keel_time(s));
        AFTER_A_FAILURE(keel_interpolate(s, middle, y));
        AFTER_A_FAILURE(keel_project(s, middle, y));
        AFTER_A_FAILURE(keel_solution_append(r, s));
        AFTER_A_FAILURE(keel_set_stop_time(s, 2));
        AFTER_A_FAILURE(keel_advance(s, keel_time(s) + 0.001));
        AFTER_A_FAILURE(keel_advance_to(s, keel_time(s) + 0.001));
        AFTER_A_FAILURE(keel_advance_to(s, keel_time(s)));
        AFTER_A_FAILURE(keel_restart(s));
        forms[k].exact(0, y);
        AFTER_A_FAILURE(keel_start(s, 0, y));
        keel_solution_free(r);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- questions ------------------------------------------------------------------------------ */

static void questions_say_why(void **state)
{
    probe context = {0};
    double y[LARGEST_FORM];
    const form *f = &forms[FORM_SEPARATE];
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = started(p, f, NULL, 0);
    keel_solution *r = NULL;
    (void)state;
    assert_int_equal(keel_interpolate(s, 0.5, y), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "no step yet");
    expect_ok(keel_solution_create(&r, s), s, "recording");
    assert_int_equal(keel_solution_append(r, s), KEEL_BAD_ARGUMENT);
    expect_text(keel_solution_message(r), "no step");
    expect_ok(keel_step(s), s, "step");
    assert_int_equal(keel_interpolate(s, 1e3, y), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "t = 1000 lies outside the last step, from 0 to");
    assert_int_equal(keel_interpolate(s, NAN, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_interpolate(s, 0, NULL), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "y is NULL");
    assert_int_equal(keel_project(s, NAN, y), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "keel_project: t = ");
    assert_int_equal(keel_solution_append(r, s), KEEL_OK);
    assert_string_equal(keel_solution_message(r), "");
    assert_int_equal(keel_solution_append(r, s), KEEL_BAD_ARGUMENT);
    expect_text(keel_solution_message(r), "append every step, once");
    assert_int_equal(keel_solution_at(r, 1e3, y), KEEL_BAD_ARGUMENT);
    expect_text(keel_solution_message(r), "t = 1000 lies outside the recording, from 0 to");
    assert_int_equal(keel_solution_at(r, 0, y), KEEL_OK);
    assert_string_equal(keel_solution_message(r), "");
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void recording_of_another(void **state)
{
    probe context = {0};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_problem *q = new_problem(&forms[FORM_HESS3], GIVEN, &context);
    keel_solver *s = started(p, &forms[FORM_ODE], NULL, 0);
    keel_solver *other = started(q, &forms[FORM_HESS3], NULL, 0);
    keel_solution *r = NULL;
    (void)state;
    expect_ok(keel_solution_create(&r, s), s, "recording");
    expect_ok(keel_step(other), other, "step");
    assert_int_equal(keel_solution_append(r, other), KEEL_BAD_ARGUMENT);
    expect_text(keel_solution_message(r), "of 2 unknowns, the solver of 5");
    keel_solution_free(r);
    keel_solver_free(s);
    keel_solver_free(other);
    keel_problem_free(p);
    keel_problem_free(q);
}

/* ---- callbacks that call back --------------------------------------------------------------- */

enum { CALLS = 11 };

typedef struct caller {
    keel_solver *solver;
    int which;                   /* call, or -1: none                                     */
    int status;                  /* what it returned                                      */
    long calls;
} caller;

static int call_back(caller *c)
{
    double y[2] = {1, 1};
    keel_solver *s = c->solver;
    keel_solution *r = NULL;
    int rc;
    switch (c->which) {
    case 0: return keel_step(s);
    case 1: return keel_start(s, 0, y);
    case 2: return keel_restart(s);
    case 3: return keel_advance(s, 5);
    case 4: return keel_advance_to(s, 5);
    case 5: return keel_interpolate(s, keel_time(s), y);
    case 6: return keel_project(s, keel_time(s), y);
    case 7: return keel_set_stop_time(s, 0.1);
    case 8:
        keel_solver_free(s);
        return KEEL_BAD_ARGUMENT;
    case 9:
        keel_clear_stop_time(s);
        return KEEL_BAD_ARGUMENT;
    default:
        if (keel_solution_create(&r, s) == KEEL_OK) rc = keel_solution_append(r, s);
        else rc = KEEL_BAD_ARGUMENT;             /* in keel_start there is no run yet */
        keel_solution_free(r);
        return rc;
    }
}

static int calling_rhs(double t, const double *y, double *f, void *context)
{
    caller *c = context;
    f[0] = -y[0] * y[1];
    f[1] = cos(t) * y[0];
    c->calls++;
    if (c->which >= 0 && c->solver && c->calls % 7 == 3) {
        assert_true(!isnan(keel_time(c->solver)));       /* what costs nothing may be asked */
        c->status = call_back(c);
    }
    return 0;
}

/* y(1) by a run with a step, a question and an end, during all of which callbacks call back. */
static void run_calling(const char *method, int which, double *y)
{
    caller c = {.which = which};
    double middle[2];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    y[0] = y[1] = 1;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = calling_rhs, .context = &c}),
                     KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = method}), s, method);
    c.solver = s;
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_set_stop_time(s, 1), s, method);
    expect_ok(keel_step(s), s, method);
    expect_ok(keel_interpolate(s, 0.5 * keel_time(s), middle), s, method);
    expect_ok(keel_advance_to(s, 1), s, method);
    if (which >= 0) assert_int_equal(c.status, KEEL_BAD_ARGUMENT);
    if (which >= 0 && which < 8) expect_text(keel_message(s), "a callback called the solver");
    memcpy(y, keel_state(s), 2 * sizeof *y);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void callbacks_that_call(void **state)
{
    static const char *const methods[] = {"auto", "radau-iia", "dop853", "esdirk-4", "bdf",
                                          "dimsim"};
    (void)state;
    for (int m = 0; m < 6; m++) {
        double alone[2], y[2];
        run_calling(methods[m], -1, alone);
        for (int which = 0; which < CALLS; which++) {
            run_calling(methods[m], which, y);
            assert_memory_equal(y, alone, sizeof y);
        }
    }
}

/* ---- one way of counting -------------------------------------------------------------------- */

static int fails_in_second(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = NAN;
    return 0;
}

static void count_from_zero(void **state)
{
    probe context = {0};
    double y[LARGEST_FORM] = {1, NAN};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = fails_in_second}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    assert_int_equal(keel_start(s, 0, y), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "y[1]");
    y[1] = 1;
    assert_int_equal(keel_start(s, 0, y), KEEL_NOT_FINITE);
    expect_text(keel_message(s), "entry [1]");
    keel_solver_free(s);
    keel_problem_free(p);
    for (int k = 0; k < FORMS; k++) {
        p = new_problem(&forms[k], GIVEN, &context);
        expect_text(keel_variable_name(p, 0), "[0]");
        for (int level = 0; level + 1 < keel_problem_levels(p); level++)
            assert_string_equal(keel_row_name(p, level, 0), "g[0]");
        keel_problem_free(p);
    }
}

/* ---- the program of the README -------------------------------------------------------------- */

/* It is the first example, word for word. */
static void readme_is_the_example(void **state)
{
    static char readme[100000], example[20000];
    const char *const paths[] = {KEEL_SOURCE_DIR "/README.md",
                                 KEEL_SOURCE_DIR "/examples/01_pendulum.c"};
    char *const texts[] = {readme, example};
    (void)state;
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(paths[i], "r");
        assert_non_null(file);
        assert_true(fread(texts[i], 1, i == 0 ? sizeof readme - 1 : sizeof example - 1, file) > 0);
        fclose(file);
    }
    assert_non_null(strstr(readme, example));
}

/* And says what is wrong, whoever found it. */
static void reasons(void **state)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    int rc = keel_mechanical(&p, &(keel_mechanical_spec){.positions = -2});
    expect_text(keel_reason(rc, p, s), "positions = -2");
    keel_problem_free(p);
    rc = keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = fails_in_second});
    assert_int_equal(rc, KEEL_OK);
    rc = keel_solver_create(&s, p, &(keel_options){.method = "radua"});
    expect_text(keel_reason(rc, p, s), "radua");
    assert_string_equal(keel_reason(KEEL_NO_MEMORY, p, NULL), keel_status_text(KEEL_NO_MEMORY));
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_is_silent), cmocka_unit_test(questions_say_why),
        cmocka_unit_test(recording_of_another), cmocka_unit_test(callbacks_that_call),
        cmocka_unit_test(count_from_zero), cmocka_unit_test(readme_is_the_example),
        cmocka_unit_test(reasons)};
    return cmocka_run_group_tests_name("messages", tests, NULL, NULL);
}
