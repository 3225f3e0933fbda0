/* test_event_recording.c -- recordings have both sides of an event, each on its own constraints. */
#include <math.h>

#include "test/event/ball.h"

/* Records until t, which may be a failure; the status of the last step. */
static int record_to(keel_solution *r, keel_solver *s, double t)
{
    int rc = keel_set_stop_time(s, t);
    while (!rc && keel_time(s) != t) {
        rc = keel_step(s);
        if (rc) break;
        if (keel_solution_append(r, s)) fail_msg("append: %s", keel_solution_message(r));
    }
    return rc;
}

static keel_solution *new_recording(const keel_solver *s)
{
    keel_solution *r = NULL;
    assert_int_equal(keel_solution_create(&r, s), KEEL_OK);
    return r;
}

/* Before, after and between events: the motion is a parabola, which all methods have exactly but
 * for rounding and the location of the event. */
static void both_sides(void **state)
{
    static const char *const methods[] = {"auto", "dopri5", "dop853", "esdirk-4", "radau-iia", "bdf",
                                          "dimsim"};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        const double start[] = {1, 0};
        keel_problem *p = new_ball(&ball_switching, NULL);
        keel_solver *s = new_run(p, &(keel_options){.method = methods[k], .rtol = 1e-8}, start);
        keel_solution *r = new_recording(s);
        double before[2], after[2], y[2], exact[2];
        expect_ok(record_to(r, s, 2.25), s, methods[k]);
        assert_int_equal(keel_solution_events(r), 2);
        for (int i = 0; i < 2; i++) {
            double t = keel_solution_event(r, i);
            if (!(fabs(t - (i + 1)) < 1e-7)) fail_msg("%s: bounce %d at %.15g", methods[k], i, t);
            assert_int_equal(keel_solution_at(r, t, before), KEEL_OK);
            assert_int_equal(keel_solution_after(r, t, after), KEEL_OK);
            assert_true(after[1] == -0.5 * before[1]);       /* to the last digit */
            assert_true(fabs(before[0]) < 1e-12 && after[0] == before[0]);
        }
        for (double t = 0; t <= 2.25; t += 0.01) {
            assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
            assert_int_equal(keel_solution_after(r, t, after), KEEL_OK);
            ball_exact(t, exact);
            if (fabs(t - 1) < 1e-6 || fabs(t - 2) < 1e-6) continue;
            if (!(distance(y, exact, 0, 2) < 1e-6))
                fail_msg("%s: t = %g: %g %g", methods[k], t, y[0] - exact[0], y[1] - exact[1]);
            assert_memory_equal(y, after, sizeof y);
        }
        assert_true(isnan(keel_solution_event(r, 2)) && isnan(keel_solution_event(r, -1)));
        assert_int_equal(keel_solution_after(r, 3, y), KEEL_BAD_ARGUMENT);
        expect_text(keel_solution_message(r), "outside the recording");
        keel_solution_free(r);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* The last step ends in an event: its far side is the end of the recording. */
static void ends_in_an_event(void **state)
{
    static const int terminal[] = {1};
    const double start[] = {1, 0};
    keel_switching_spec spec = ball_switching;
    (void)state;
    spec.terminal = terminal;
    keel_problem *p = new_ball(&spec, NULL);
    keel_solver *s = new_run(p, NULL, start);
    keel_solution *r = new_recording(s);
    double before[2], after[2];
    assert_int_equal(keel_solution_after(r, 0, after), KEEL_OK);
    assert_memory_equal(after, start, sizeof start);
    assert_int_equal(record_to(r, s, 5), KEEL_EVENT);
    expect_text(keel_message(s), "floor");
    assert_int_equal(keel_solution_append(r, s), KEEL_OK);
    double t = keel_time(s);
    assert_true(fabs(t - 1) < 1e-6);
    assert_int_equal(keel_solution_at(r, t, before), KEEL_OK);
    assert_int_equal(keel_solution_after(r, t, after), KEEL_OK);
    assert_memory_equal(before, keel_state_before(s), sizeof before);
    assert_memory_equal(after, keel_state(s), sizeof after);
    assert_true(before[1] < -1.9 && after[1] > 0.9);
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- frames -------------------------------------------------------------------------------- */

/* y' = -y, 0 = z - k y, k the parameter of the frame, which a clock changes from 1 to 3. */
static int decay(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)z, (void)context;
    f[0] = -y[0];
    return 0;
}

static int scaled(double t, const double *y, const double *z, double *g, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    g[0] = z[0] - frame->parameters[0] * y[0];
    return 0;
}

static int triples(keel_event *e, void *context)
{
    (void)context;
    if (e->ticked[0]) e->parameters[0] = 3;
    return 0;
}

static void points_keep_their_frame(void **state)
{
    static const double one[] = {1};
    static const keel_clock clock[] = {{0.5, 0, 0}};
    const double start[] = {1, 1};
    keel_problem *inner = NULL, *p = NULL;
    double y[2];
    (void)state;
    assert_int_equal(keel_semi_explicit(&inner, &(keel_semi_explicit_spec){
        .differential = 1, .algebraic = 1, .rhs = decay, .constraint = scaled,
        .frame = {.parameters = 1, .parameter_start = one}}), KEEL_OK);
    assert_int_equal(keel_switching(&p, inner, &(keel_switching_spec){
        .clocks = 1, .clock = clock, .action = triples}), KEEL_OK);
    keel_solver *s = new_run(p, &(keel_options){.rtol = 1e-4, .method = "radau-iia"}, start);
    keel_solution *r = new_recording(s);
    expect_ok(record_to(r, s, 1), s, "run");
    assert_int_equal(keel_solution_events(r), 1);
    assert_true(keel_solution_event(r, 0) == 0.5);           /* time events are hit exactly */
    for (double t = 0.01; t < 1; t += 0.02) {
        const double k = t < 0.5 ? 1 : 3;
        assert_int_equal(keel_solution_at_projected(r, s, t, y), KEEL_OK);
        assert_true(fabs(y[1] - k * y[0]) < 1e-14);
        assert_true(fabs(y[0] - exp(-t)) < 1e-3);
    }
    assert_true(keel_solver_frame(s)->parameters[0] == 3);   /* questions change nothing */
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- structures ---------------------------------------------------------------------------- */

static int twice(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] - 2 * y[0];
    return 0;
}

static int thrice(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] - 3 * y[0];
    return 0;
}

static int exchange(keel_event *e, void *context)
{
    (void)context;
    if (e->ticked[0]) e->structure = 1 - e->structure;
    return 0;
}

static keel_problem *new_part(int (*constraint)(double, const double *, const double *, double *,
                                                void *),
                              const char *name)
{
    const char *const names[] = {"y", name};
    keel_problem *p = NULL;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 1, .algebraic = 1, .rhs = decay, .constraint = constraint,
        .names = names}), KEEL_OK);
    return p;
}

/* Unknowns y, z = 2 y in the one, y, w = 3 y in the other structure. */
static void unknowns_come_and_go(void **state)
{
    static const keel_clock clock[] = {{0.5, 0.5, 0}};
    const double start[] = {1, 2, NAN};
    keel_problem *p = NULL, *second = new_part(thrice, "w");
    double y[3];
    (void)state;
    assert_int_equal(keel_switching(&p, new_part(twice, "z"), &(keel_switching_spec){
        .clocks = 1, .clock = clock, .action = exchange, .others = 1, .other = &second}), KEEL_OK);
    assert_int_equal(keel_problem_size(p), 3);
    keel_solver *s = new_run(p, &(keel_options){.rtol = 1e-4, .method = "radau-iia"}, start);
    keel_solution *r = new_recording(s);
    expect_ok(record_to(r, s, 1.25), s, "run");
    assert_int_equal(keel_solution_events(r), 2);
    assert_int_equal(keel_solution_at(r, 0.5, y), KEEL_OK);
    assert_true(fabs(y[1] - 2 * y[0]) < 1e-14 && isnan(y[2]));
    assert_int_equal(keel_solution_after(r, 0.5, y), KEEL_OK);
    assert_true(fabs(y[2] - 3 * y[0]) < 1e-14 && isnan(y[1]));
    const double end[] = {keel_state(s)[0], keel_state(s)[1]};
    for (double t = 0.03; t < 1.25; t += 0.07) {
        const int k = t < 0.5 || t > 1 ? 1 : 2;
        assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
        assert_true(isnan(y[3 - k]) && fabs(y[0] - exp(-t)) < 1e-3);
        if (keel_solution_at_projected(r, s, t, y)) fail_msg("%s", keel_solution_message(r));
        assert_true(isnan(y[3 - k]) && fabs(y[k] - (k + 1) * y[0]) < 1e-14);
        assert_true(fabs(y[0] - exp(-t)) < 1e-3);
    }
    assert_true(keel_state(s)[0] == end[0] && keel_state(s)[1] == end[1]);
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

static int thrice_until_half(double t, const double *y, const double *z, double *g, void *context)
{
    return t > 0.5 ? -1 : thrice(t, y, z, g, context);
}

/* The first step in the other structure fails: the step before the event can still be asked for. */
static void failure_after_an_event(void **state)
{
    static const keel_clock clock[] = {{0.5, 0, 0}};
    const double start[] = {1, 2, NAN};
    keel_problem *p = NULL, *second = new_part(thrice_until_half, "w");
    double y[3];
    (void)state;
    assert_int_equal(keel_switching(&p, new_part(twice, "z"), &(keel_switching_spec){
        .clocks = 1, .clock = clock, .action = exchange, .others = 1, .other = &second}), KEEL_OK);
    keel_solver *s = new_run(p, &(keel_options){.method = "radau-iia"}, start);
    keel_solution *r = new_recording(s);
    expect_status(record_to(r, s, 1), KEEL_CALLBACK_FAILED, s, "run");
    assert_true(keel_time(s) == 0.5 && keel_solution_events(r) == 1);
    assert_non_null(keel_state_before(s));
    assert_true(isnan(keel_state_before(s)[2]) && isnan(keel_state(s)[1]));
    assert_int_equal(keel_interpolate(s, 0.499, y), KEEL_OK);
    assert_true(fabs(y[1] - 2 * y[0]) < 1e-4 && isnan(y[2]));
    assert_int_equal(keel_interpolate_projected(s, 0.499, y), KEEL_OK);
    assert_true(fabs(y[1] - 2 * y[0]) < 1e-14 && isnan(y[2]));
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides), cmocka_unit_test(ends_in_an_event),
        cmocka_unit_test(points_keep_their_frame), cmocka_unit_test(unknowns_come_and_go),
        cmocka_unit_test(failure_after_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
