/* test_control.c -- step sizes: tolerances are met, times are hit, limits are kept. */
#include "test/support/run.h"

#include <string.h>

/* Error at t = 1 relative to 1 + |y|, over the unknowns of the first groups (not multipliers). */
static double error_at(const form *f, keel_options o, double t_end, long *accepted)
{
    probe context = {0};
    double y[LARGEST_FORM], worst = 0;
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = started(p, f, &o, 0);
    expect_ok(keel_advance_to(s, t_end), s, f->name);
    assert_true(keel_time(s) == t_end);
    f->exact(t_end, y);
    for (int i = 0; i < f->size; i++)
        if (keel_variable_index(p, i) < 3)
            worst = fmax(worst, fabs(keel_state(s)[i] - y[i]) / (1 + fabs(y[i])));
    const keel_stats *n = keel_solver_stats(s);
    *accepted = n->accepted;
    assert_int_equal(n->steps, n->accepted + n->rejected_error + n->rejected_newton);
    int implicit = strcmp(n->method, "radau-iia") == 0;
    assert_true(n->rhs > 0);
    if (implicit) assert_true(n->newton >= n->accepted && n->factorizations > 0);
    assert_true(n->stages_low >= 1 && n->stages_high >= n->stages_low);
    keel_solver_free(s);
    keel_problem_free(p);
    return worst;
}

/* A hundredfold stricter tolerance gives a much smaller error, within a factor of the tolerance. */
static void error_follows_tolerance(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        double last = INFINITY;
        for (double tol = 1e-4; tol > 1e-11; tol /= 100) {
            long accepted;
            double error = error_at(&forms[k], (keel_options){.rtol = tol}, 0.8, &accepted);
            if (!(error < 200 * tol))
                fail_msg("%s: error %g at tolerance %g", forms[k].name, error, tol);
            if (!(error < 0.5 * last || error < 1e-12))
                fail_msg("%s: error %g after %g at tolerance %g", forms[k].name, error, last, tol);
            last = error;
        }
    }
}

static void every_method_at_variable_step(void **state)
{
    static const char *const methods[] = {"radau-iia-1", "radau-iia-2", "radau-iia-3",
                                          "radau-iia-4", "radau-iia-5", "radau-iia-6",
                                          "radau-iia-7"};
    (void)state;
    for (int k = 0; k < FORMS; k++)
        for (int s = 1; s <= 7; s++) {
            long accepted;
            double tol = s == 1 ? 1e-3 : s == 2 ? 1e-5 : 1e-7;
            double error = error_at(&forms[k], (keel_options){.rtol = tol,
                                    .method = methods[s - 1]}, 0.8, &accepted);
            if (!(error < 300 * tol))
                fail_msg("%s, %s: error %g at %g", forms[k].name, methods[s - 1], error, tol);
        }
}

/* Forward and back again, to a multiple of the tolerance. */
static void both_directions(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        double start[LARGEST_FORM], turn[LARGEST_FORM];
        keel_options o = {.rtol = 1e-7};
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_solver *s = started(p, &forms[k], &o, 0.25);
        memcpy(start, keel_state(s), (size_t)forms[k].size * sizeof *start);
        expect_ok(keel_advance_to(s, 0.75), s, forms[k].name);
        memcpy(turn, keel_state(s), (size_t)forms[k].size * sizeof *turn);
        expect_ok(keel_start(s, 0.75, turn), s, forms[k].name);
        expect_ok(keel_advance_to(s, 0.25), s, forms[k].name);
        assert_true(keel_time(s) == 0.25 && keel_solver_stats(s)->last_step < 0);
        double gap = distance(keel_state(s), start, 0, forms[k].size);
        if (!(gap < 1e-4)) fail_msg("%s: comes back with a gap of %g", forms[k].name, gap);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* No callback ever sees a time beyond the stop, in either direction; stops are hit exactly. */
static void stop_times(void **state)
{
    static const double stops[] = {0.1, 0.1 + 1e-6, 0.3, 1.0 / 3, 0.7};
    (void)state;
    for (int k = 0; k < FORMS; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            probe context = {0};
            keel_problem *p = new_problem(&forms[k], GIVEN, &context);
            keel_solver *s = started(p, &forms[k], &(keel_options){.rtol = 1e-5}, 0.5);
            for (size_t j = 0; j < sizeof stops / sizeof *stops; j++) {
                double stop = 0.5 + sign * 0.5 * stops[j];
                expect_ok(keel_set_stop_time(s, stop), s, forms[k].name);
                context.t_least = context.t_most = 0.5;
                int rc;
                while ((rc = keel_step(s)) == KEEL_OK)
                    assert_true(sign * (stop - keel_time(s)) >= 0);
                expect_status(rc, KEEL_STOP_REACHED, s, forms[k].name);
                assert_true(keel_time(s) == stop);
                double beyond = sign > 0 ? context.t_most - stop : stop - context.t_least;
                if (beyond > 1e-15)
                    fail_msg("%s: a callback saw t = stop + %g", forms[k].name, beyond);
            }
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* Output points that nearly coincide: a step of 1e-9 is short, but not at rounding level. */
static void close_stop_times(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            probe context = {0};
            double y[LARGEST_FORM];
            keel_problem *p = new_problem(&forms[k], GIVEN, &context);
            keel_solver *s = started(p, &forms[k], &(keel_options){.rtol = 1e-5}, 0.5);
            for (int j = 1; j <= 3; j++)
                for (int l = 0; l < 2; l++) {
                    double t = 0.5 + sign * (0.1 * j + 1e-9 * l);
                    expect_ok(keel_advance_to(s, t), s, forms[k].name);
                    assert_true(keel_time(s) == t);
                }
            forms[k].exact(keel_time(s), y);
            if (!(distance(keel_state(s), y, 0, forms[k].size - 1) < 1e-2))
                fail_msg("%s: off by %g", forms[k].name,
                         distance(keel_state(s), y, 0, forms[k].size - 1));
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

static void first_and_largest_step(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        keel_options o = {.rtol = 1e-3, .first_step = 1e-4, .max_step = 0.02};
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_solver *s = started(p, &forms[k], &o, 0);
        expect_ok(keel_step(s), s, forms[k].name);
        if (!(fabs(keel_time(s) - 1e-4) < 1e-18))
            fail_msg("%s: first step %g", forms[k].name, keel_time(s));
        while (keel_time(s) < 0.5) {
            expect_ok(keel_step(s), s, forms[k].name);
            assert_true(keel_time(s) - keel_previous_time(s) < 0.02 * (1 + 1e-12));
        }
        assert_true(keel_solver_stats(s)->accepted >= 25);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* 0.3 does not divide 1: three whole steps and a shorter one, which hits the end exactly. */
static void constant_step(void **state)
{
    (void)state;
    probe context = {0};
    keel_options o = {.method = "radau-iia-3", .step = 0.3};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_solver *s = started(p, &forms[FORM_ODE], &o, 0);
    expect_ok(keel_advance_to(s, 1), s, "advance");
    assert_int_equal(keel_solver_stats(s)->accepted, 4);
    assert_true(keel_time(s) == 1 && fabs(keel_solver_stats(s)->last_step - 0.1) < 1e-12);
    keel_solver_free(s);
    s = started(p, &forms[FORM_ODE], &(keel_options){.method = "radau-iia-3", .step = 0.1}, 0);
    expect_ok(keel_advance_to(s, 1), s, "advance");
    assert_int_equal(keel_solver_stats(s)->accepted, 10);      /* no sliver from rounding */
    keel_solver_free(s);
    keel_problem_free(p);
}

static void step_limit(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        double whole[LARGEST_FORM];
        keel_options o = {.rtol = 1e-8, .max_steps = 1};
        int calls = 0, rc;
        solve(&forms[k], GIVEN, &context, &(keel_options){.rtol = 1e-8}, 0, 0.5, whole);
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_solver *s = started(p, &forms[k], &o, 0);
        while ((rc = keel_advance_to(s, 0.5)) == KEEL_STEP_LIMIT) {
            expect_text(keel_message(s), "max_steps");
            assert_true(++calls < 1000);
        }
        expect_ok(rc, s, forms[k].name);
        assert_true(calls > 0 && keel_time(s) == 0.5);
        assert_true(distance(keel_state(s), whole, 0, forms[k].size) < 1e-5);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* The unknown with the strict tolerance is the one that is accurate. */
static void tolerance_of_each(void **state)
{
    probe context = {0};
    double loose[2] = {1e-2, 1e-2}, strict[2] = {1e-2, 1e-10}, y[2], exact[2];
    keel_options o = {.rtol_each = loose, .atol_each = loose};
    (void)state;
    ode_exact(2, exact);
    solve(&forms[FORM_ODE], GIVEN, &context, &o, 0, 2, y);
    double error_loose = fabs(y[1] - exact[1]);
    o.rtol_each = o.atol_each = strict;
    solve(&forms[FORM_ODE], GIVEN, &context, &o, 0, 2, y);
    assert_true(fabs(y[1] - exact[1]) < 1e-8);
    assert_true(fabs(y[1] - exact[1]) < 0.01 * error_loose);
    o = (keel_options){.rtol_each = (double[2]){0, 0}, .atol_each = (double[2]){1e-8, 1e-8}};
    solve(&forms[FORM_ODE], GIVEN, &context, &o, 0, 2, y);     /* absolute control alone */
    assert_true(distance(y, exact, 0, 2) < 1e-6);
}

/* The copies of tolerances outlive what the caller gave. */
static void options_are_copied(void **state)
{
    probe context = {0};
    double tol[2] = {1e-8, 1e-8}, exact[2];
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_solver *s = started(p, &forms[FORM_ODE], &(keel_options){.rtol_each = tol}, 0);
    (void)state;
    tol[0] = tol[1] = NAN;
    expect_ok(keel_advance_to(s, 1), s, "advance");
    ode_exact(1, exact);
    assert_true(distance(keel_state(s), exact, 0, 2) < 1e-6);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_follows_tolerance), cmocka_unit_test(every_method_at_variable_step),
        cmocka_unit_test(both_directions), cmocka_unit_test(stop_times),
        cmocka_unit_test(close_stop_times),
        cmocka_unit_test(first_and_largest_step), cmocka_unit_test(constant_step),
        cmocka_unit_test(step_limit), cmocka_unit_test(tolerance_of_each),
        cmocka_unit_test(options_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
