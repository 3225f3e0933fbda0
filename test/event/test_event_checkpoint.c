/* Runs with events that are saved after any step, and go on in another solver, bit for bit: discrete
 * state, sides of switches, clocks, structures and the log. */
#include <stdio.h>
#include <string.h>

#include "test/support/checkpoint.h"
#include "test/support/run.h"

static const char *const methods[] = {"auto", "dopri5", "esdirk-4", "radau-iia", "bdf", "dimsim"};
enum { METHODS = 6 };

static void must(int rc, const keel_solver *s)
{
    if (rc < 0) fail_msg("%s", keel_message(s));
}

/* A ball that swings on a string which becomes slack, with a clock that counts and one that changes
 * gravity: every kind of event. */
static int weight(double t, const double *q, const double *v, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t; (void)q; (void)v;
    f[0] = 0;
    f[1] = -frame->parameters[0];
    return 0;
}

static int length(double t, const double *q, double *g, void *context)
{
    (void)t; (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}

static int conditions(double t, const double *y, const double *yp, double *s, void *context)
{
    const keel_frame *frame = context;
    (void)t; (void)yp;
    s[0] = frame->modes[0] ? 1 : y[4];
    s[1] = frame->modes[0] ? 1 - y[0] * y[0] - y[1] * y[1] : 1;
    return 0;
}

static int act(keel_event *e, void *context)
{
    (void)context;
    if (e->crossed[0]) e->structure = e->modes[0] = 1;
    if (e->crossed[1]) e->structure = e->modes[0] = 0;
    if (e->ticked[0]) e->values[0] += e->y[0];
    if (e->ticked[1]) e->parameters[0] = 12 - e->parameters[0] / 5;
    e->smooth = !e->crossed[0] && !e->crossed[1] && !e->ticked[1];
    return 0;
}

static keel_problem *make(void)
{
    static const char *const names[] = {"x", "y", "vx", "vy", "tension"};
    static const double gravity[] = {9.81};
    static const int falling[] = {KEEL_FALLING, KEEL_FALLING};
    const keel_clock clocks[] = {{.interval = 0.013, .observes = 1}, {.start = 1.5, .interval = 1}};
    const keel_frame_spec frame = {.parameters = 1, .modes = 1, .values = 1,
                                   .parameter_start = gravity};
    keel_problem *tight = NULL, *slack = NULL, *p = NULL;
    must(keel_mechanical(&tight, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .force = weight, .constraint = length, .names = names, .frame = frame}), NULL);
    must(keel_mechanical(&slack, &(keel_mechanical_spec){.positions = 2, .force = weight,
        .names = names, .frame = frame}), NULL);
    if (keel_switching(&p, tight, &(keel_switching_spec){.switches = 2, .value = conditions,
            .directions = falling, .clocks = 2, .clock = clocks, .action = act, .others = 1,
            .other = &slack}))
        fail_msg("%s", keel_problem_message(p));
    return p;
}

static keel_solver *solver_of(const keel_problem *p, const char *method)
{
    keel_solver *s = NULL;
    must(keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-6, .atol = 1e-6}), s);
    return s;
}

static void compare(const keel_solver *a, const keel_solver *b, int n)
{
    const keel_frame *f = keel_solver_frame(a), *g = keel_solver_frame(b);
    assert_true(keel_time(a) == keel_time(b));
    assert_memory_equal(keel_state(a), keel_state(b), (size_t)n * sizeof(double));
    assert_memory_equal(f->values, g->values, sizeof(double));
    assert_memory_equal(f->parameters, g->parameters, sizeof(double));
    assert_int_equal(f->modes[0], g->modes[0]);
    assert_memory_equal(keel_solver_stats(a), keel_solver_stats(b), sizeof(keel_stats));
    assert_int_equal(keel_event_count(a), keel_event_count(b));
    for (long i = 0; i < keel_event_count(a); i++) {
        keel_event_record r, q;
        must(keel_event_at(a, i, &r), a);
        must(keel_event_at(b, i, &q), b);
        assert_true(r.t == q.t && r.structure == q.structure && r.iterations == q.iterations);
        assert_string_equal(r.text, q.text);
    }
}

static void goes_on(void **state)
{
    (void)state;
    const char *path = checkpoint_path();
    keel_problem *p = make();
    const double start[] = {0, -1, 5.2, 0, 0};
    for (int k = 0; k < METHODS; k++) {
        keel_solver *whole = solver_of(p, methods[k]), *s = solver_of(p, methods[k]);
        must(keel_start(whole, 0, start), whole);
        must(keel_advance_to(whole, 4), whole);
        assert_true(keel_event_count(whole) > 300);
        must(keel_start(s, 0, start), s);
        must(keel_set_stop_time(s, 4), s);
        for (int step = 0, every = 1; keel_time(s) != 4; step++) {
            must(keel_step(s), s);
            if (step % every) continue;
            if (step >= 40) every = 17;
            keel_solver *other = solver_of(p, methods[k]);
            must(keel_solver_save(s, path), s);
            must(keel_solver_load(other, path), other);
            compare(s, other, 5);
            keel_solver_free(s);
            s = other;
        }
        compare(whole, s, 5);
        keel_solver_free(whole);
        keel_solver_free(s);
    }
    keel_problem_free(p);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
