/* test_switching_cost.c -- what events cost: looks at the switches, ticks of a clock that observes,
 * and many events of many switches. */
#include "test/support/switching.h"

static const setting none = {0};

/* A string that is always tight: three looks in each step, and some at the start. */
static void three_looks_in_a_step(void **state)
{
    const setting fast = {"speed", 8};
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        assert_true(run_all(&r, "slack-pendulum", classes[m], 1e-8, fast));
        const keel_stats *stats = keel_solver_stats(r.solver);
        assert_int_equal(stats->events, 0);
        if (stats->switches > 3 * stats->accepted + 10)
            fail_msg("%s: %ld looks in %ld steps", classes[m], stats->switches, stats->accepted);
        run_end(&r);
    }
}

static long rhs_sampled(const char *method, double interval, double filtered, double *filter)
{
    run r;
    keel_options options = {.method = method, .rtol = 1e-8, .atol = 1e-8};
    run_expect(&r, run_begin(&r, "sampled-control", options, (setting){"hold", 0},
                             (setting){"interval", interval}), KEEL_OK);
    run_expect(&r, keel_advance_to(r.solver, 100), KEEL_OK);
    long rhs = keel_solver_stats(r.solver)->rhs;
    assert_true(run_error(&r) < 1e-5);
    *filter = keel_solver_frame(r.solver)->values[1];
    assert_true(keel_solver_frame(r.solver)->values[2] == filtered);
    assert_int_equal(keel_solver_stats(r.solver)->restarts, 0);
    run_end(&r);
    return rhs;
}

/* 10 001 ticks, that of the start included; the filter against the recursion on exact samples. */
static void samples_that_observe_cost_no_steps(void **state)
{
    const bundled_problem *b = bundled_problem_find("sampled-control");
    const double parameters[] = {0.01, 0, 0.5, 0.5};
    double filtered = 0, filter, y[2];
    (void)state;
    for (int k = 0; k <= 10000; k++) {
        b->exact(parameters, k * 0.01, y);
        filtered += (y[0] - filtered) / 10;
    }
    for (int m = 0; m < CLASSES; m++) {
        if (strcmp(classes[m], "hem-5") == 0) continue;      /* not for ODEs */
        long without = rhs_sampled(classes[m], 1000, 1, &filter);
        long with = rhs_sampled(classes[m], 0.01, 10001, &filter);
        if (!((double)with <= 1.2 * (double)without))
            fail_msg("%s: %ld evaluations, %ld without sampling", classes[m], with, without);
        if (!(fabs(filter - filtered) <= 1e-5))
            fail_msg("%s: filter %.9g, not %.9g", classes[m], filter, filtered);
    }
}

/* Zero-order hold: every tick is hit exactly and begins anew. */
static void held_samples(void **state)
{
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        keel_options options = {.method = classes[m], .rtol = 1e-8, .atol = 1e-8};
        if (strcmp(classes[m], "hem-5") == 0) continue;
        run_expect(&r, run_begin(&r, "sampled-control", options, (setting){"interval", 0.05}, none),
                   KEEL_OK);
        run_expect(&r, keel_advance_to(r.solver, 100), KEEL_OK);
        assert_int_equal(keel_event_count(r.solver), 2001);
        for (long k = 0; k < 2001; k++)
            assert_true(fabs(run_event(&r, k).t - (double)k * 0.05) <= 1e-13);
        if (!(run_error(&r) <= 1e-6)) fail_msg("%s: error %g", classes[m], run_error(&r));
        run_end(&r);
    }
}

/* Looks and evaluations for each event, of which the exact solution has as many. */
static void work_is_linear_in_events(void **state)
{
    static const struct { const char *method; int diodes[2], events[2]; } cases[] = {
        {"dopri5", {250, 1000}, {2796, 11184}}, {"radau-iia", {50, 250}, {556, 2796}},
        {"auto", {50, 250}, {556, 2796}}};
    (void)state;
    for (int m = 0; m < 3; m++) {
        const char *method = cases[m].method;
        double looks[2], rhs[2];
        for (int k = 0; k < 2; k++) {
            run r;
            assert_true(run_all(&r, "diode-chain", method, 1e-7,
                                (setting){"diodes", cases[m].diodes[k]}));
            const keel_stats *stats = keel_solver_stats(r.solver);
            if (stats->events != cases[m].events[k])
                fail_msg("%s: %ld events, not %d", method, stats->events, cases[m].events[k]);
            looks[k] = (double)stats->switches / (double)stats->events;
            rhs[k] = (double)stats->rhs / (double)stats->events;
            if (!(run_error(&r) <= 1e-5)) fail_msg("%s: error %g", method, run_error(&r));
            run_end(&r);
        }
        if (!(looks[1] <= 1.1 * looks[0] && rhs[1] <= 1.1 * rhs[0]))
            fail_msg("%s: looks %g and %g, evaluations %g and %g for each event", method,
                     looks[0], looks[1], rhs[0], rhs[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_looks_in_a_step),
        cmocka_unit_test(samples_that_observe_cost_no_steps),
        cmocka_unit_test(held_samples),
        cmocka_unit_test(work_is_linear_in_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
