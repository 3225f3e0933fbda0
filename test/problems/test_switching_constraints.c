/* test_switching_constraints.c -- all constraint levels hold to rounding at every point of a run
 * with events, on both sides of each, and jumps are what mechanics says. */
#include "test/support/switching.h"

static const setting none = {0};
static const double rounding = 1e-13;

/* ---- both sides of an event ------------------------------------------------------------------ */

/* |u|^2 - 1, 2 u.v, and 2 (v.v + u.u'') of a pendulum. */
static void rod(const double *y, double gravity, double level[3])
{
    level[0] = y[0] * y[0] + y[1] * y[1] - 1;
    level[1] = 2 * (y[0] * y[2] + y[1] * y[3]);
    level[2] = 2 * (y[2] * y[2] + y[3] * y[3] - gravity * y[1] - 2 * y[4]);
}

/* Up to a level: some methods have multipliers of their own between events. */
static void expect_rod(const run *r, const double *y, int levels, const char *when)
{
    double level[3];
    rod(y, r->parameters[0], level);
    for (int k = 0; k < levels; k++)
        if (!(fabs(level[k]) <= rounding * 100))             /* v.v is of the order of 50 */
            fail_msg("%s, %s, t = %.10g, %s: level %d is %g", r->target->name, r->method,
                     keel_time(r->solver), when, k, level[k]);
}

static void hits_reflect_on_the_rod(void **state)
{
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        int hits = 0;
        run_expect(&r, run_begin(&r, "pendulum-stop", (keel_options){.method = classes[m],
                   .rtol = 1e-8}, none, none), KEEL_OK);
        keel_set_stop_time(r.solver, r.target->t_end);
        while (keel_time(r.solver) < r.target->t_end) {
            run_expect(&r, keel_step(r.solver), KEEL_OK);
            const double *after = keel_state(r.solver), *before = keel_state_before(r.solver);
            expect_rod(&r, after, before ? 3 : 2, "after");
            if (!before) continue;
            hits++;
            expect_rod(&r, before, 3, "before");
            for (int i = 0; i < 2; i++) {
                assert_true(after[i] == before[i]);
                assert_true(fabs(after[2 + i] + 0.8 * before[2 + i]) <= rounding);
            }
            assert_true(fabs(before[0] * cos(0.3) + before[1] * sin(0.3)) <= rounding);
        }
        assert_int_equal(hits, 7);
        run_end(&r);
    }
}

/* The impulse of the string takes u.v to 0 along G^T = 2 u; tight: on the circle, slack: within. */
static void strings_are_pulled_tight(void **state)
{
    static const double impulse[] = {0.83574405803287017, 1.8458876044074459, 2.1091172347485825};
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        int pulls = 0;
        run_expect(&r, run_begin(&r, "slack-pendulum", (keel_options){.method = classes[m],
                   .rtol = 1e-8, .atol = 1e-8}, none, none), KEEL_OK);
        keel_set_stop_time(r.solver, r.target->t_end);
        while (keel_time(r.solver) < r.target->t_end) {
            run_expect(&r, keel_step(r.solver), KEEL_OK);
            const double *y = keel_state(r.solver), *before = keel_state_before(r.solver);
            const int slack = isnan(y[4]);
            if (!slack) expect_rod(&r, y, before ? 3 : 2, "tight");
            else if (!before) assert_true(hypot(y[0], y[1]) < 1 + rounding);
            if (!before) continue;
            if (slack) expect_rod(&r, before, 3, "before it is slack");
            for (int i = 0; i < 4 && slack; i++) assert_true(y[i] == before[i]);
            if (slack) continue;
            const double *pull = keel_impulses(r.solver);
            assert_non_null(pull);
            if (!(fabs(pull[0] - impulse[pulls]) <= 1e-4))   /* amplified, as in test_switching.c */
                fail_msg("%s: impulse %d is %.10g", classes[m], pulls, pull[0]);
            for (int i = 0; i < 2; i++)
                assert_true(fabs(y[2 + i] - (before[2 + i] - 2 * y[i] * pull[0])) <= 1e-12);
            assert_true(isnan(before[4]));
            pulls++;
        }
        assert_int_equal(pulls, 3);
        run_end(&r);
    }
}

/* ---- every point ----------------------------------------------------------------------------- */

/* All levels at accepted points, and at points of the dense output that were moved to them. */
static void constraints_hold_at_every_point(void **state)
{
    static const char *const names[] = {"pendulum-stop", "slack-pendulum", "rectifier", "painleve",
                                        "steam-attemperator"};
    const double tolerance = 1e-7;
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int m = 0; m < CLASSES; m++) {
            run r;
            keel_options options = {.method = classes[m], .rtol = tolerance};
            int rc = run_begin(&r, names[k], options, none, none);
            while (rc == KEEL_OK && keel_time(r.solver) < r.target->t_end) {
                double residual[3], y[64];
                keel_set_stop_time(r.solver, r.target->t_end);
                run_expect(&r, keel_step(r.solver), KEEL_OK);
                keel_residuals(r.solver, residual);
                for (int i = 0; i < 3; i++)                  /* in the last one are multipliers */
                    if (!(residual[i] <= (i == 2 ? 100 * tolerance : 1e-11)))
                        fail_msg("%s, %s, t = %.10g: level %d is %g", names[k], classes[m],
                                 keel_time(r.solver), i, residual[i]);
                double middle = (keel_previous_time(r.solver) + keel_time(r.solver)) / 2;
                run_expect(&r, keel_interpolate_projected(r.solver, middle, y), KEEL_OK);
            }
            if (rc) assert_int_equal(rc, KEEL_UNSUPPORTED);
            run_end(&r);
        }
}

/* No current flows where the bridge blocks, and the voltage there is that of the source. */
static void blocking_bridges(void **state)
{
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        keel_options options = {.method = classes[m], .rtol = 1e-8};
        int rc = run_begin(&r, "rectifier", options, none, none), blocking = 0;
        if (rc == KEEL_OK) assert_int_equal(keel_solver_frame(r.solver)->modes[0], 1);
        while (rc == KEEL_OK && keel_time(r.solver) < r.target->t_end) {
            keel_set_stop_time(r.solver, r.target->t_end);
            run_expect(&r, keel_step(r.solver), KEEL_OK);
            const double t = keel_time(r.solver), *y = keel_state(r.solver);
            const int direction = keel_solver_frame(r.solver)->modes[0];
            if (direction == 0) {
                blocking++;
                assert_true(fabs(y[0]) <= rounding);
                assert_true(fabs(y[2] - 20 * sin(100 * acos(-1) * t + 0.5)) <= rounding * 20);
                assert_true(fabs(y[2]) <= y[1] * (1 + rounding));
            } else {
                assert_true(direction * y[0] >= -rounding);
                assert_true(fabs(y[2] - direction * y[1]) <= rounding * 20);
            }
        }
        if (rc == KEEL_OK) assert_true(blocking > 9);
        run_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_reflect_on_the_rod),
        cmocka_unit_test(strings_are_pulled_tight),
        cmocka_unit_test(constraints_hold_at_every_point),
        cmocka_unit_test(blocking_bridges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
