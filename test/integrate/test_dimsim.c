/* test_dimsim.c -- general linear methods with variable steps and order: errors, multipliers,
 * projection over long times, dense output, restart, Andrews' mechanism in three forms.
 */
#include <float.h>

#include "problems/list.h"
#include "test/integrate/circle.h"

/* ---- variable order -------------------------------------------------------------------------- */

/* The error at the end is no larger than what all steps together may add, 0.1 tolerances each,
 * times a stability constant of the problems, whose solutions do not grow; order 4 is reached. */
static void errors_follow_tolerances(void **state)
{
    static const int which[] = {FORM_ODE, FORM_SEMI, FORM_HESS2, FORM_SEPARATE,
                                FORM_CONSTANT_MASS, FORM_STATE_MASS};
    (void)state;
    for (size_t k = 0; k < sizeof which / sizeof *which; k++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
            const form *f = &forms[which[k]];
            probe context = {0};
            double y[LARGEST_FORM];
            int multiplier = which[k] == FORM_HESS2 || which[k] == FORM_SEPARATE;
            keel_problem *p = new_problem(f, GIVEN, &context);
            keel_solver *s = started(p, f, &(keel_options){.method = "dimsim", .rtol = rtol}, 0);
            expect_ok(keel_advance_to(s, 2), s, f->name);
            f->exact(2, y);
            double error = distance(keel_state(s), y, 0, f->size - multiplier);
            long steps = keel_solver_stats(s)->accepted;
            if (!(error < 5 * 0.1 * 2 * rtol * (double)steps))
                fail_msg("%s, rtol %g: error %.2e after %ld steps", f->name, rtol, error, steps);
            if (rtol < 1e-7) assert_int_equal(keel_solver_stats(s)->orders_high, 4);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* The recursion with M(inf) and the hidden constraint give the same multipliers. */
static void multipliers(void **state)
{
    probe context = {0};
    double y[3], z[2];
    (void)state;
    circle_exact(2, y);
    for (int hidden = 0; hidden < 2; hidden++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        double start[3];
        assert_int_equal(make_circle(&p, GIVEN, &context), KEEL_OK);
        keel_options o = {.method = "dimsim", .rtol = 1e-8,
                          .multipliers = hidden ? KEEL_MULTIPLIERS_HIDDEN
                                                : KEEL_MULTIPLIERS_RECURSION};
        circle_exact(0, start);
        expect_ok(keel_solver_create(&s, p, &o), s, "circle");
        expect_ok(keel_start(s, 0, start), s, "circle");
        expect_ok(keel_advance_to(s, 2), s, "circle");
        z[hidden] = keel_state(s)[2];
        assert_true(keel_solver_stats(s)->residual[0] < 1e-13);
        assert_true(distance(keel_state(s), y, 0, 2) < 1e-6);
        keel_solver_free(s);
        keel_problem_free(p);
    }
    /* h-weighted errors of z are below 0.1 rtol: those of z with h > 1e-3 below 1e-6 */
    assert_true(fabs(z[0] - y[2]) < 1e-6 && fabs(z[1] - y[2]) < 1e-6);
}

/* ---- long runs ------------------------------------------------------------------------------- */

/* Projection shifts y_0 alone: over 100 units of time the constraints hold to rounding, and the
 * energy, |grad| <= gravity + |v|, |v|^2 <= 2 gravity, is off by no more than all local errors. */
static void projected_pendulum(void **state)
{
    static const char *const formulations[] = {NULL, "ggl", "index2"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        keel_problem *original = NULL, *p = NULL;
        keel_solver *s = NULL;
        double given[5] = {0}, y[8], rtol = 1e-6;
        const double gravity = problem_pendulum.parameters[0].value;
        assert_int_equal(problem_pendulum.create(&original, &gravity), KEEL_OK);
        problem_pendulum.start(&gravity, given);
        if (formulations[k])
            assert_int_equal(keel_formulate(&p, original,
                             &(keel_formulation){.name = formulations[k]}), KEEL_OK);
        if (p) keel_formulation_from(p, given, y);
        else memcpy(y, given, sizeof given);
        expect_ok(keel_solver_create(&s, p ? p : original, &(keel_options){.method = "dimsim",
                  .rtol = rtol}), s, "pendulum");
        expect_ok(keel_start(s, 0, y), s, "pendulum");
        expect_ok(keel_advance_to(s, 100), s, "pendulum");
        const double *q = keel_state(s);
        const keel_stats *stats = keel_solver_stats(s);
        double before = 0.5 * (given[2] * given[2] + given[3] * given[3]) + gravity * given[1];
        double energy = 0.5 * (q[2] * q[2] + q[3] * q[3]) + gravity * q[1];
        double local = 0.1 * rtol * (1 + sqrt(2 * gravity)) * (gravity + sqrt(2 * gravity));
        assert_true(stats->residual[0] < 1e-13 && stats->residual[1] < 1e-12);
        if (!(fabs(energy - before) < local * (double)stats->accepted))
            fail_msg("%s: energy %g instead of %g after %ld steps", formulations[k], energy, before,
                     stats->accepted);
        keel_solver_free(s);
        keel_problem_free(p);
        keel_problem_free(original);
    }
}

/* ---- dense output, restart, stop times ------------------------------------------------------- */

/* Between the steps the solution is as good as in them, and continuous. */
static void dense_output(void **state)
{
    probe context = {0};
    const form *f = &forms[FORM_ODE];
    keel_problem *p = new_problem(f, GIVEN, &context);
    (void)state;
    for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
        keel_solver *s = started(p, f, &(keel_options){.method = "dimsim", .rtol = rtol}, 0);
        double before[2], y[2], x[2], between = 0, points = 0;
        memcpy(before, keel_state(s), sizeof before);
        while (keel_time(s) < 2) {
            double t = keel_time(s);
            expect_ok(keel_step(s), s, f->name);
            expect_ok(keel_interpolate(s, t, y), s, f->name);
            assert_true(distance(y, before, 0, 2) <= 4 * DBL_EPSILON * (1 + fabs(before[0])));
            for (int j = 1; j < 8; j++) {
                double inside = t + j / 8.0 * (keel_time(s) - t);
                expect_ok(keel_interpolate(s, inside, y), s, f->name);
                f->exact(inside, x);
                between = fmax(between, distance(y, x, 0, 2));
            }
            memcpy(before, keel_state(s), sizeof before);
            f->exact(keel_time(s), x);
            points = fmax(points, distance(before, x, 0, 2));
        }
        /* the polynomial adds its remainder, the local error of the predictor, 1/C times that of
         * the method: 0.1 rtol 15360/13 / 5! with order 4 */
        if (!(between < points + 2 * 10 * rtol))
            fail_msg("rtol %g: %.2e between steps, %.2e at their ends", rtol, between, points);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* A solver that was used before gives the same numbers as a new one; stop times change them by no
 * more than the tolerance. */
static void restart_and_stops(void **state)
{
    probe context = {0};
    double first[3], start[3];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(make_circle(&p, GIVEN, &context), KEEL_OK);
    circle_exact(0, start);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "dimsim"}), s, "circle");
    for (int k = 0; k < 2; k++) {
        expect_ok(keel_start(s, 0, start), s, "circle");
        expect_ok(keel_advance_to(s, 2), s, "circle");
        if (k == 0) memcpy(first, keel_state(s), sizeof first);
        else assert_memory_equal(first, keel_state(s), sizeof first);
    }
    expect_ok(keel_start(s, 0, start), s, "circle");
    for (int k = 1; k <= 40; k++) {
        expect_ok(keel_advance_to(s, 0.05 * k), s, "circle");
        assert_true(keel_time(s) == 0.05 * k);
    }
    assert_true(distance(first, keel_state(s), 0, 2) < 1e-5);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- Andrews' mechanism ---------------------------------------------------------------------- */

/* Significant digits at the end; formulation NULL: as it is, of index 3. */
static double andrews_digits(const bundled_problem *which, const char *formulation, double rtol)
{
    keel_problem *original = NULL, *p = NULL;
    keel_solver *s = NULL;
    double given[32], y[32];
    const double epsilon = which == &problem_andrews_stiff ? which->parameters[0].value : 0;
    assert_int_equal(which->create(&original, &epsilon), KEEL_OK);
    which->start(&epsilon, given);
    memcpy(y, given, sizeof y);
    if (formulation)
        assert_int_equal(keel_formulate(&p, original, &(keel_formulation){.name = formulation}),
                         KEEL_OK);
    if (p) keel_formulation_from(p, given, y);
    expect_ok(keel_solver_create(&s, p ? p : original, &(keel_options){.method = "dimsim",
              .rtol = rtol}), s, "andrews");
    expect_ok(keel_start(s, 0, y), s, "andrews");
    expect_ok(keel_advance_to(s, 0.03), s, "andrews");
    if (p) keel_formulation_to(p, keel_state(s), y);
    double digits = bundled_scd(which, &epsilon, 0.03, p ? y : keel_state(s), 1);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(original);
    return digits;
}

/* Of index 3, where ggl is solved, in the index-2 form (4.14) of Weiss 2007, and with a stiff
 * spring in place of a joint: two digits less than asked for are left at the end. */
static void andrews(void **state)
{
    static const double rtol[] = {1e-4, 1e-6}, digits[] = {2, 4};
    static const char *const augmented = "index2-augmented";
    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_true(andrews_digits(&problem_andrews, NULL, rtol[k]) > digits[k]);
        assert_true(andrews_digits(&problem_andrews, augmented, rtol[k]) > digits[k]);
        assert_true(andrews_digits(&problem_andrews_stiff, NULL, rtol[k]) > digits[k]);
        assert_true(andrews_digits(&problem_andrews_stiff, augmented, rtol[k]) > digits[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_tolerances),
        cmocka_unit_test(multipliers),
        cmocka_unit_test(projected_pendulum),
        cmocka_unit_test(dense_output),
        cmocka_unit_test(restart_and_stops),
        cmocka_unit_test(andrews)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
