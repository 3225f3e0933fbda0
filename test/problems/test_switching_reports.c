/* test_switching_reports.c -- runs with events that cannot go on say so: assertions, accumulation,
 * ends; and what a run begins with. */
#include "test/support/switching.h"

static const setting none = {0};

static void expect_message(const run *r, const char *part)
{
    if (!strstr(keel_message(r->solver), part))
        fail_msg("%s, %s: \"%s\" does not say \"%s\"", r->target->name, r->method,
                 keel_message(r->solver), part);
}

static int run_to(run *r, const char *name, const char *method, double t, setting one, setting two)
{
    keel_options options = {.method = method, .rtol = 1e-8, .atol = 1e-8};
    int rc = run_begin(r, name, options, one, two);
    return rc ? rc : keel_advance_to(r->solver, t);
}

/* ---- Painleve's rod ------------------------------------------------------------------------- */

static void no_motion_beyond_the_edge(void **state)
{
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        run_expect(&r, run_to(&r, "painleve", classes[m], 0.3, (setting){"rough", 2}, none),
                   KEEL_ASSERTION);
        assert_true(fabs(keel_time(r.solver) - 0.193688082922509162) <= 1e-6);
        expect_message(&r, "t = 0.19368");
        expect_message(&r, "the tip can neither stay on the floor nor leave it");
        run_end(&r);
    }
}

/* From the beginning: contact is consistent there, and so would be flight. */
static void two_motions_at_the_start(void **state)
{
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        run_expect(&r, run_to(&r, "painleve", classes[m], 0.3, (setting){"smooth", 2},
                              (setting){"spin", 4}), KEEL_ASSERTION);
        expect_message(&r, "the tip can stay on the floor and can leave it");
        run_end(&r);
    }
}

static void the_tip_lifts_off(void **state)
{
    run r;
    (void)state;
    run_expect(&r, run_to(&r, "painleve", "dopri5", 0.3, (setting){"spin", 4}, none), KEEL_EVENT);
    assert_true(keel_time(r.solver) == 0);
    run_end(&r);
}

/* On a floor where friction stops the tip the run ends there, before the time asked for. */
static void the_tip_stops(void **state)
{
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        run_expect(&r, run_to(&r, "painleve", classes[m], 1, none, none), KEEL_EVENT);
        const double *y = keel_state(r.solver);
        assert_true(fabs(y[3] + sin(y[2]) * y[5]) <= 1e-12);
        assert_true(keel_time(r.solver) > 0.35 && keel_time(r.solver) < 0.36);
        expect_message(&r, "stops");
        run_end(&r);
    }
}

/* ---- accumulation -------------------------------------------------------------------------- */

/* Bounces at t_1 (1 + e) / (1 - e) are infinitely many. */
static void bounces_accumulate(void **state)
{
    const double end = sqrt(2 / 9.81) * 1.9 / 0.1;
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        run_expect(&r, run_to(&r, "bouncing-ball", classes[m], 9, none, none), KEEL_CHATTERING);
        if (!(fabs(keel_time(r.solver) - end) <= 1e-3))
            fail_msg("%s: t = %.10g, not %.10g", classes[m], keel_time(r.solver), end);
        expect_message(&r, "table");
        run_end(&r);
    }
}

/* With the option the run ends where the ball lies. */
static void accumulation_may_end_a_run(void **state)
{
    run r;
    keel_options options = {.method = "dopri5", .rtol = 1e-8, .atol = 1e-8,
                            .accumulation = KEEL_ACCUMULATION_END};
    (void)state;
    run_expect(&r, run_begin(&r, "bouncing-ball", options, none, none), KEEL_OK);
    run_expect(&r, keel_advance_to(r.solver, 9), KEEL_EVENT);
    assert_true(fabs(keel_state(r.solver)[0]) <= 1e-8 && fabs(keel_state(r.solver)[1]) <= 1e-4);
    run_end(&r);
}

/* A pendulum that hangs beyond its stop comes to rest on it. */
static void hits_accumulate(void **state)
{
    run r;
    (void)state;
    run_expect(&r, run_to(&r, "pendulum-stop", "dopri5", 20, (setting){"stop", -0.2}, none),
               KEEL_CHATTERING);
    expect_message(&r, "stop");
    run_end(&r);
}

/* ---- the start ----------------------------------------------------------------------------- */

/* Which diodes conduct at the start is found by iteration, for every phase of the source. */
static void conducting_set_at_the_start(void **state)
{
    static const struct { double phase; int direction; } starts[] = {
        {0.5, 1}, {-0.5, -1}, {3.5, -1}, {2, 1}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        run r;
        keel_options options = {.method = "radau-iia", .rtol = 1e-8};
        setting phase = {"phase", starts[k].phase};
        run_expect(&r, run_begin(&r, "rectifier", options, phase, none), KEEL_OK);
        assert_int_equal(keel_solver_frame(r.solver)->modes[0], starts[k].direction);
        assert_int_equal(run_event(&r, 0).structure, 1);
        assert_true(keel_state(r.solver)[0] == 0 && fabs(keel_state(r.solver)[2]) <= 1e-14);
        run_end(&r);
    }
}

/* A string that does not pull is slack from the beginning. */
static void slack_at_the_start(void **state)
{
    run r;
    const double above[5] = {0, 1, 1, 0, 0};
    (void)state;
    run_expect(&r, run_begin(&r, "slack-pendulum", (keel_options){.method = "dopri5"}, none, none),
               KEEL_OK);
    run_expect(&r, keel_start(r.solver, 0, above), KEEL_OK);
    assert_int_equal(keel_solver_frame(r.solver)->modes[0], 1);
    assert_true(isnan(keel_state(r.solver)[4]));
    run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_motion_beyond_the_edge),
        cmocka_unit_test(two_motions_at_the_start),
        cmocka_unit_test(the_tip_lifts_off),
        cmocka_unit_test(the_tip_stops),
        cmocka_unit_test(bounces_accumulate),
        cmocka_unit_test(accumulation_may_end_a_run),
        cmocka_unit_test(hits_accumulate),
        cmocka_unit_test(conducting_set_at_the_start),
        cmocka_unit_test(slack_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
