/* test_switching.c -- problems with events, by one method of each class: references at the end, and
 * the times of events against closed forms. */
#include "test/support/switching.h"

static const setting none = {0};

/* ---- the end -------------------------------------------------------------------------------- */

/* Errors of some hundred tolerances; a slack string amplifies them by a hundred (its end over its
 * speed at the start, by differences of the reference). */
static void references(void **state)
{
    static const struct { const char *name; long events; double amplified; } cases[] = {
        {"bouncing-ball", 20, 1}, {"pendulum-stop", 7, 1}, {"slack-pendulum", 6, 100},
        {"stick-slip", 12, 1}, {"rectifier", 19, 1}, {"painleve", 1, 1},
        {"steam-attemperator", 1, 1}, {"sampled-control", 1001, 1},
    };
    const double tolerance = 1e-8;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int m = 0; m < CLASSES; m++) {
            run r;
            if (run_all(&r, cases[k].name, classes[m], tolerance, none)) {
                double digits = bundled_scd(r.target, r.parameters, keel_time(r.solver),
                                            keel_state(r.solver), 0);
                if (!(digits >= -log10(1000 * tolerance * cases[k].amplified)))
                    fail_msg("%s, %s: %.2f digits", cases[k].name, classes[m], digits);
                if (keel_event_count(r.solver) != cases[k].events)
                    fail_msg("%s, %s: %ld events, not %ld", cases[k].name, classes[m],
                             keel_event_count(r.solver), cases[k].events);
            }
            run_end(&r);
        }
}

/* Where there are no hidden constraints, in one structure or in all, they are explicit ones. */
static void half_explicit_methods_run_everywhere(void **state)
{
    static const char *const names[] = {"bouncing-ball", "pendulum-stop", "slack-pendulum",
                                        "painleve", "stick-slip", "rectifier", "sampled-control"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        run r;
        assert_int_equal(run_all(&r, names[k], "hem-5", 1e-6, none), 1);
        run_end(&r);
    }
}

/* ---- times ---------------------------------------------------------------------------------- */

static void bounces_to_nine_digits(void **state)
{
    const double e = 0.9, first = sqrt(2 / 9.81);
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        assert_true(run_all(&r, "bouncing-ball", classes[m], 1e-11, none));
        double t = first, flight = 2 * first;
        for (long k = 0; k < 20; k++) {
            keel_event_record hit = run_event(&r, k);
            if (!(fabs(hit.t - t) <= 1e-9))
                fail_msg("%s: bounce %ld at %.15g, not %.15g", classes[m], k, hit.t, t);
            assert_int_equal(hit.restarted, 1);
            assert_string_equal(hit.text, "table");
            flight *= e;
            t += flight;
        }
        run_end(&r);
    }
}

/* Bounces end at t_1 (1 + e) / (1 - e), those of a ball that hardly bounces in rounding errors after a few: it
 * must not fall through the table.  Heights below the tolerance are all of 2 (2 tol / g)^(1/2) / (1 - e). */
static void few_bounces_accumulate(void **state)
{
    static const double restitution[] = {0.002, 0.01, 0.05, 0.1, 0.15, 0.3};
    (void)state;
    for (int m = 0; m < CLASSES; m++)
        for (size_t k = 0; k < sizeof restitution / sizeof *restitution; k++) {
            const double e = restitution[k], end = sqrt(2 / 9.81) * (1 + e) / (1 - e);
            keel_options options = {.method = classes[m], .rtol = 1e-8, .atol = 1e-8};
            run r;
            run_expect(&r, run_begin(&r, "bouncing-ball", options, (setting){"restitution", e}, none), KEEL_OK);
            run_expect(&r, keel_advance_to(r.solver, 2), KEEL_CHATTERING);
            if (!(fabs(keel_time(r.solver) - end) < 2 * sqrt(2e-8 / 9.81) / (1 - e)))
                fail_msg("%s, %g: at %.12g, not %.12g", classes[m], e, keel_time(r.solver), end);
            run_end(&r);
        }
}

/* Hits of the pendulum by elliptic integrals, strings by Taylor series, the bridge by matrix
 * exponentials, the edge by Taylor series: see the sources of the references in problems/. */
static void times_of_events(void **state)
{
    static const struct { const char *name; long event; double t; } cases[] = {
        {"pendulum-stop", 0, 0.636613569948980985}, {"pendulum-stop", 6, 8.9558439732509108},
        {"slack-pendulum", 0, 0.541588762022673209}, {"slack-pendulum", 1, 1.05953548359425144},
        {"slack-pendulum", 4, 3.30273980337320704}, {"slack-pendulum", 5, 4.00791045549904979},
        {"rectifier", 0, 0}, {"rectifier", 1, 0.00414548418360147838},
        {"rectifier", 2, 0.0116219408465697134}, {"rectifier", 18, 0.09117347714596001},
        {"painleve", 0, 0.193688082922509162}, {"steam-attemperator", 0, 216.836470185092655},
    };
    const double tolerance = 1e-8, allowed = 100 * tolerance;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int m = 0; m < CLASSES; m++) {
            run r;
            if (run_all(&r, cases[k].name, classes[m], tolerance, none)) {
                double t = run_event(&r, cases[k].event).t;
                if (!(fabs(t - cases[k].t) <= allowed * (1 + cases[k].t)))
                    fail_msg("%s, %s: event %ld at %.15g, not %.15g", cases[k].name, classes[m],
                             cases[k].event, t, cases[k].t);
            }
            run_end(&r);
        }
}

/* The block slips and sticks with the period of the closed form. */
static void sticking_and_slipping(void **state)
{
    const double stick = 2 * 0.4 / 0.2, slip = 2 * acos(-1) - 2 * atan2(0.4, 0.2);
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        if (run_all(&r, "stick-slip", classes[m], 1e-10, none)) {
            double t = 5;
            for (long k = 0; k < 12; k++) {
                keel_event_record change = run_event(&r, k);
                if (!(fabs(change.t - t) <= 1e-7)) fail_msg("%s: %ld", classes[m], k);
                assert_string_equal(change.text, k % 2 ? "sticks" : "breaks loose");
                t += k % 2 ? stick : slip;
            }
        }
        run_end(&r);
    }
}

/* ---- the valve of table 10.1, IMM-REP-1999-8 ------------------------------------------------ */

/* There the switch is at -1e-15 after three iterations.  One evaluation finds the bracket. */
static void switch_of_the_valve_is_located_to_rounding(void **state)
{
    (void)state;
    for (int m = 0; m < CLASSES; m++) {
        run r;
        if (run_all(&r, "steam-attemperator", classes[m], 1e-8, none)) {
            keel_event_record valve = run_event(&r, 0);
            if (!(fabs(valve.switch_value) <= 1e-14 && valve.located <= 4))
                fail_msg("%s: z_s = %g after %d", classes[m], valve.switch_value, valve.located);
            assert_true(valve.switch_value <= 0);            /* its sign has changed */
            assert_string_equal(valve.text, "open");
        }
        run_end(&r);
    }
}

/* Figures 10.5 and 10.6: before the switch signal and demand are one, and the temperature falls;
 * then the signal is 1, demand and integral rise, and the temperature stays. */
static void shapes_of_the_figures(void **state)
{
    enum { M_I = 1, T, Z_A = 4, Z_C };
    run r;
    double y[7], last[7] = {0};
    (void)state;
    keel_options options = {.method = "bdf", .rtol = 1e-8};
    run_expect(&r, run_begin(&r, "steam-attemperator", options, none, none), KEEL_OK);
    for (int t = 50; t <= 450; t += 10) {
        run_expect(&r, keel_advance_to(r.solver, t), KEEL_OK);
        memcpy(y, keel_state(r.solver), sizeof y);
        if (t > 50) {
            assert_true(y[M_I] > last[M_I] && y[Z_A] > last[Z_A]);
            if (t <= 210) assert_true(y[T] < last[T] - 0.1 && y[Z_C] == y[Z_A]);
            if (t >= 240) assert_true(fabs(y[T] - 524.3785) < 0.02 && fabs(y[Z_C] - 1) < 1e-15 && y[Z_A] > 1);
        }
        memcpy(last, y, sizeof last);
    }
    run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references),
        cmocka_unit_test(half_explicit_methods_run_everywhere),
        cmocka_unit_test(bounces_to_nine_digits),
        cmocka_unit_test(few_bounces_accumulate),
        cmocka_unit_test(times_of_events),
        cmocka_unit_test(sticking_and_slipping),
        cmocka_unit_test(switch_of_the_valve_is_located_to_rounding),
        cmocka_unit_test(shapes_of_the_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
