/* What actions do: time events, sampling without restarts, discrete state, iteration at one instant,
 * structures, impacts, values that hold, both sides of an event, restarts of the user's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/support/run.h"

static const char *const methods[] = {"auto", "dopri5", "esdirk-4", "radau-iia", "bdf", "dimsim"};
enum { METHODS = 6 };

static keel_solver *solver_of(const keel_problem *p, const char *method, double tolerance)
{
    keel_solver *s = NULL;
    int rc = keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = tolerance,
                                                       .atol = tolerance});
    if (rc) fail_msg("%s: %s", method, keel_message(s));
    return s;
}

static void must(int rc, const keel_solver *s)
{
    if (rc) fail_msg("%s", keel_message(s));
}

/* ---- a plant with a sampled controller: x' = -x + u --------------------------------------------- */

enum { INPUT = 0, SUM = 1, TICKS = 2 };

static int plant(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    f[0] = -y[0] + frame->values[INPUT];
    return 0;
}

/* Zero-order hold: u_k = 1 - x(t_k)/2. */
static int control(keel_event *e, void *context)
{
    (void)context;
    if (!e->ticked[0]) return 0;
    e->values[INPUT] = 1 - e->y[0] / 2;
    e->values[TICKS]++;
    return 0;
}

/* Only watches: the sum of the samples. */
static int monitor(keel_event *e, void *context)
{
    (void)context;
    if (!e->ticked[0]) return 0;
    e->values[SUM] += e->y[0];
    e->values[TICKS]++;
    e->smooth = 1;
    return 0;
}

static keel_problem *sampled(double interval, int observes, int (*action)(keel_event *, void *))
{
    keel_problem *smooth = NULL, *p = NULL;
    const keel_clock clock = {.start = 0, .interval = interval, .observes = observes};
    const double start[] = {1, 0, 0};
    must(keel_ode(&smooth, &(keel_ode_spec){.size = 1, .rhs = plant,
                                            .frame = {.values = 3, .value_start = start}}), NULL);
    must(keel_switching(&p, smooth, &(keel_switching_spec){.clocks = 1, .clock = &clock,
                                                           .action = action}), NULL);
    return p;
}

/* Between ticks x is exact: x+ = u + (x - u) exp(-d). */
static void zero_order_hold(void **state)
{
    (void)state;
    keel_problem *p = sampled(0.1, 0, control);
    double x = 0;
    for (int k = 0; k < 30; k++) {
        double u = 1 - x / 2;
        x = u + (x - u) * exp(-0.1);
    }
    for (int k = 0; k < METHODS; k++) {
        keel_solver *s = solver_of(p, methods[k], 1e-9);
        must(keel_start(s, 0, (double[]){0}), s);
        must(keel_advance_to(s, 3.05), s);
        assert_true(keel_solver_frame(s)->values[TICKS] == 31);      /* 0, 0.1, ..., 3.0 */
        keel_event_record r;
        must(keel_event_at(s, 30, &r), s);
        assert_true(r.t == 30 * 0.1);            /* hit exactly, not accumulated */
        double u = 1 - x / 2, end = u + (x - u) * exp(-(3.05 - 30 * 0.1));
        assert_true(fabs(keel_state(s)[0] - end) <= 1e-7);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* x = 1 - exp(-t) with u = 1; the samples cost nothing and sum up what the solution is. */
static void sampling_without_restarts(void **state)
{
    (void)state;
    keel_problem *p = sampled(1e-3, 1, monitor), *plain = sampled(1e9, 1, monitor);
    double sum = 0;
    for (int k = 0; k <= 10000; k++) sum += 1 - exp(-k * 1e-3);
    for (int k = 0; k < METHODS; k++) {
        keel_solver *s = solver_of(p, methods[k], 1e-8), *bare = solver_of(plain, methods[k], 1e-8);
        must(keel_start(s, 0, (double[]){0}), s);
        must(keel_start(bare, 0, (double[]){0}), bare);
        must(keel_advance_to(s, 10), s);
        must(keel_advance_to(bare, 10), bare);
        assert_true(keel_solver_frame(s)->values[TICKS] == 10001);
        assert_true(fabs(keel_solver_frame(s)->values[SUM] - sum) <= 10001 * 1e-7);
        const keel_stats *a = keel_solver_stats(s), *b = keel_solver_stats(bare);
        assert_int_equal(a->restarts, 0);
        assert_true((double)a->rhs <= 1.2 * (double)b->rhs);
        assert_true(keel_state(s)[0] == keel_state(bare)[0]);
        keel_solver_free(s);
        keel_solver_free(bare);
    }
    keel_problem_free(p);
    keel_problem_free(plain);
}

/* Two clocks whose common ticks differ by rounding: 3 * 0.1 is not 300 * 0.001. */
static int count_both(keel_event *e, void *context)
{
    (void)context;
    e->values[TICKS] += e->ticked[0] && e->ticked[1];
    e->smooth = 1;
    return 0;
}

static void equal_ticks_are_one_event(void **state)
{
    (void)state;
    for (int observes = 0; observes < 2; observes++) {
        keel_problem *smooth = NULL, *p = NULL;
        const keel_clock clocks[] = {{.interval = 0.1, .observes = observes}, {.interval = 0.001}};
        must(keel_ode(&smooth, &(keel_ode_spec){.size = 1, .rhs = plant, .frame = {.values = 3}}),
             NULL);
        must(keel_switching(&p, smooth, &(keel_switching_spec){.clocks = 2, .clock = clocks,
                                                               .action = count_both}), NULL);
        keel_solver *s = solver_of(p, "dopri5", 1e-6);
        must(keel_start(s, 0, (double[]){0}), s);
        must(keel_advance_to(s, 1.0005), s);
        assert_int_equal(keel_event_count(s), 1001);
        assert_true(keel_solver_frame(s)->values[TICKS] == 11);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- a switch on an algebraic unknown, with restarts on the way --------------------------------- */

static int unit_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t; (void)y; (void)z; (void)context;
    f[0] = 1;
    return 0;
}

static int product(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t; (void)context;
    g[0] = z[0] - (y[0] - 0.5) * (y[0] + 1);
    return 0;
}

static int second_unknown(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t; (void)yp; (void)context;
    s[0] = y[1];
    s[1] = y[1] + 0.25;
    s[2] = y[1] - 0.25;
    return 0;
}

static int touch(keel_event *e, void *context)
{
    (void)context;
    for (int i = 0; i < 3; i++) e->modes[i] += e->crossed[i] != 0;
    return 0;
}

static void algebraic_switches(void **state)
{
    (void)state;
    keel_problem *smooth = NULL, *p = NULL;
    must(keel_semi_explicit(&smooth, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = unit_rate, .constraint = product, .frame = {.modes = 3}}), NULL);
    must(keel_switching(&p, smooth, &(keel_switching_spec){.switches = 3, .value = second_unknown,
                                                           .action = touch}), NULL);
    for (int k = 0; k < METHODS; k++) {
        keel_solver *s = solver_of(p, methods[k], 1e-7);
        double middle, y[2];
        must(keel_start(s, 0, (double[]){0, -0.5}), s);
        must(keel_step(s), s);                   /* a first step knows no slope of z */
        middle = keel_time(s) / 2;
        must(keel_interpolate(s, middle, y), s);
        assert_true(fabs(y[1] - (middle - 0.5) * (middle + 1)) <= 1e-6);
        must(keel_advance_to(s, 1), s);
        assert_int_equal(keel_event_count(s), 3);
        for (int i = 0; i < 3; i++) assert_int_equal(keel_solver_frame(s)->modes[i], 1);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* ---- times that a callback gives ---------------------------------------------------------------- */

/* Doubling intervals 1, 2, 4, ...: the rate is the number of events. */
static int doubling(double t, double *next, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    *next = ldexp(1, frame->modes[0]) - 1;
    if (*next <= t) *next = ldexp(1, frame->modes[0] + 1) - 1;
    return 0;
}

static int counted_rate(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t; (void)y;
    f[0] = frame->modes[0];
    return 0;
}

static int count_up(keel_event *e, void *context)
{
    (void)context;
    if (e->timed) e->modes[0]++;
    return 0;
}

static void times_of_a_callback(void **state)
{
    (void)state;
    keel_problem *smooth = NULL, *p = NULL;
    must(keel_ode(&smooth, &(keel_ode_spec){.size = 1, .rhs = counted_rate,
                                            .frame = {.modes = 1}}), NULL);
    must(keel_switching(&p, smooth, &(keel_switching_spec){.next_time = doubling,
                                                           .action = count_up}), NULL);
    for (int k = 0; k < METHODS; k++) {
        keel_solver *s = solver_of(p, methods[k], 1e-8);
        must(keel_start(s, 0, (double[]){0}), s);
        must(keel_advance_to(s, 10), s);
        assert_int_equal(keel_event_count(s), 3);        /* 1, 3, 7 */
        assert_true(fabs(keel_state(s)[0] - (1 * 2 + 2 * 4 + 3 * 3)) <= 1e-6);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* ---- a time event that an action puts into the step it happens in ------------------------------- */

static int alarm_value(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t; (void)yp; (void)context;
    s[0] = y[0] - 1;
    return 0;
}

static int alarm_time(double t, double *next, void *context)
{
    const keel_frame *frame = context;
    *next = frame->values[0] > t ? frame->values[0] : INFINITY;
    return 0;
}

/* y = 1 at t = 1: an alarm a thousandth later, which no equation sees. */
static int set_alarm(keel_event *e, void *context)
{
    (void)context;
    if (e->crossed[0]) e->values[0] = e->t + 1e-3;
    if (e->timed) e->values[1] = e->y[0];
    e->smooth = 1;
    return 0;
}

static int steady_rate(double t, const double *y, double *f, void *context)
{
    (void)t; (void)y; (void)context;
    f[0] = 1;
    return 0;
}

static void alarms_in_the_same_step(void **state)
{
    (void)state;
    keel_problem *smooth = NULL, *p = NULL;
    must(keel_ode(&smooth, &(keel_ode_spec){.size = 1, .rhs = steady_rate,
                                            .frame = {.values = 2}}), NULL);
    must(keel_switching(&p, smooth, &(keel_switching_spec){.switches = 1, .value = alarm_value,
        .next_time = alarm_time, .action = set_alarm}), NULL);
    for (int k = 0; k < METHODS; k++) {
        keel_solver *s = solver_of(p, methods[k], 1e-9);
        keel_solution *r = NULL;
        double y;
        must(keel_start(s, 0, (double[]){0}), s);
        must(keel_solution_create(&r, s), s);
        must(keel_set_stop_time(s, 3), s);
        while (keel_time(s) != 3) {
            must(keel_step(s), s);
            must(keel_solution_append(r, s), s);
        }
        assert_int_equal(keel_event_count(s), 2);
        assert_true(fabs(keel_solver_frame(s)->values[1] - 1.001) <= 1e-8);
        must(keel_solution_at(r, 1.0005, &y), s);
        assert_true(fabs(y - 1.0005) <= 1e-8);
        keel_solution_free(r);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* ---- iteration ---------------------------------------------------------------------------------- */

static int modes_rate(double t, const double *y, double *f, void *context)
{
    (void)t; (void)y; (void)context;
    f[0] = 1;
    return 0;
}

/* A chain of conditions, each true when the one before has set its mode; the last one is of y. */
static int chain_values(double t, const double *y, const double *yp, double *s, void *context)
{
    const keel_frame *frame = context;
    (void)t; (void)yp;
    s[0] = y[0] - 1;
    for (int i = 1; i < 4; i++) s[i] = frame->modes[i - 1] - 0.5;
    return 0;
}

static int chain_action(keel_event *e, void *context)
{
    (void)context;
    for (int i = 0; i < 4; i++)
        if (e->crossed[i] == KEEL_RISING) {
            assert_int_equal(e->frame->pre_modes[i], 0);
            e->modes[i] = 1;
        }
    return 0;
}

static int flip_values(double t, const double *y, const double *yp, double *s, void *context)
{
    const keel_frame *frame = context;
    (void)t; (void)yp;
    s[0] = y[0] - 1;
    s[1] = 0.5 - frame->modes[0];
    return 0;
}

static int flip_action(keel_event *e, void *context)
{
    (void)context;
    if (e->crossed[0] || e->crossed[1]) e->modes[0] = !e->modes[0];
    return 0;
}

static keel_problem *with_modes(const keel_switching_spec *spec)
{
    keel_problem *smooth = NULL, *p = NULL;
    static const char *const modes[] = {"a", "b", "c", "d"};
    must(keel_ode(&smooth, &(keel_ode_spec){.size = 1, .rhs = modes_rate,
                                            .frame = {.modes = 4, .mode_names = modes}}), NULL);
    must(keel_switching(&p, smooth, spec), NULL);
    return p;
}

static void actions_follow_actions(void **state)
{
    (void)state;
    keel_problem *p = with_modes(&(keel_switching_spec){.switches = 4, .value = chain_values,
                                                        .action = chain_action});
    for (int k = 0; k < METHODS; k++) {
        keel_solver *s = solver_of(p, methods[k], 1e-8);
        keel_event_record r;
        must(keel_start(s, 0, (double[]){0}), s);
        must(keel_advance_to(s, 2), s);
        assert_int_equal(keel_event_count(s), 1);        /* all at one instant */
        must(keel_event_at(s, 0, &r), s);
        assert_int_equal(r.iterations, 5);               /* four that change, one that does not */
        for (int i = 0; i < 4; i++) assert_int_equal(keel_solver_frame(s)->modes[i], 1);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

static void cycles_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"level", "flip"};
    keel_problem *p = with_modes(&(keel_switching_spec){.switches = 2, .value = flip_values,
                                                        .names = names, .action = flip_action});
    keel_solver *s = solver_of(p, "dopri5", 1e-8);
    must(keel_start(s, 0, (double[]){0}), s);
    assert_int_equal(keel_advance_to(s, 2), KEEL_EVENT_CYCLE);
    assert_non_null(strstr(keel_message(s), "level"));
    assert_non_null(strstr(keel_message(s), "flipping: flip"));
    assert_non_null(strstr(keel_message(s), "modes that change: a"));
    assert_true(fabs(keel_time(s) - 1) <= 1e-7);
    assert_int_equal(keel_solver_frame(s)->modes[0], 0);     /* as before the event */
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- impacts: two masses on a line, held together by a constraint -------------------------------- */

static int no_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t; (void)q; (void)v; (void)context;
    f[0] = f[1] = 0;
    return 0;
}

static int masses(double t, const double *q, double *M, void *context)
{
    (void)t; (void)q; (void)context;
    M[0] = 1, M[1] = M[2] = 0, M[3] = 3;
    return 0;
}

static int together(double t, const double *q, double *g, void *context)
{
    (void)t; (void)context;
    g[0] = q[0] - q[1];
    return 0;
}

static int gap(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t; (void)yp; (void)context;
    s[0] = y[1] - y[0];
    return 0;
}

static int couple(keel_event *e, void *context)
{
    const int *hold = context;
    if (!e->crossed[0]) return 0;
    e->structure = 1;
    if (*hold) {                                 /* the second one is driven: its speed holds */
        e->y[3] = 5;
        e->marks[3] = KEEL_FIXED;
    }
    return 0;
}

/* Inelastic: momentum is kept, 1 * 4 + 3 * 0 = 4 v, the impulse is 3; or the speed that is held. */
static void impacts(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "va", "vb", "force"};
    for (int hold = 0; hold < 2; hold++)
        for (int k = 0; k < METHODS; k++) {
            keel_problem *apart = NULL, *joined = NULL, *p = NULL;
            must(keel_mechanical(&apart, &(keel_mechanical_spec){
                .positions = 2, .mass = masses, .force = no_force, .names = names,
                .context = &hold}), NULL);
            must(keel_mechanical(&joined, &(keel_mechanical_spec){
                .positions = 2, .constraints = 1, .mass = masses, .force = no_force,
                .constraint = together, .names = names, .context = &hold}), NULL);
            const int falling = KEEL_FALLING;
            must(keel_switching(&p, apart, &(keel_switching_spec){
                .switches = 1, .value = gap, .directions = &falling, .action = couple,
                .others = 1, .other = &joined}), NULL);
            assert_int_equal(keel_problem_size(p), 5);
            keel_solver *s = solver_of(p, methods[k], 1e-9);
            keel_event_record r;
            must(keel_start(s, 0, (double[]){0, 2, 4, 0, 0}), s);
            assert_true(isnan(keel_state(s)[4]));            /* there is no force yet */
            must(keel_set_stop_time(s, 1), s);
            while (!keel_state_before(s)) must(keel_step(s), s);
            const double *before = keel_state_before(s), *after = keel_state(s);
            double speed = hold ? 5 : 1, y[5], middle = (keel_previous_time(s) + keel_time(s)) / 2;
            assert_true(fabs(keel_time(s) - 0.5) <= 1e-8);
            assert_true(fabs(before[2] - 4) <= 1e-8 && fabs(before[3]) <= 1e-8);
            assert_true(isnan(before[4]) && isfinite(after[4]));
            assert_true(fabs(after[2] - speed) <= 1e-8 && fabs(after[3] - speed) <= 1e-8);
            assert_true(fabs(after[0] - after[1]) <= 1e-14);
            must(keel_event_at(s, 0, &r), s);
            assert_int_equal(r.structure, 1);
            assert_int_equal(r.impulse_row, 0);
            assert_true(fabs(keel_impulses(s)[0] - (hold ? -1 : 3)) <= 1e-7);
            must(keel_interpolate_projected(s, middle, y), s);   /* before it: not yet joined */
            assert_true(fabs(y[0] - 4 * middle) <= 1e-8 && fabs(y[1] - 2) <= 1e-8 && isnan(y[4]));
            must(keel_advance_to(s, 1), s);
            assert_true(fabs(keel_state(s)[0] - (2 + speed / 2)) <= 1e-7);
            must(keel_start(s, 0, (double[]){0, 2, 4, 0, 0}), s);    /* the first structure again */
            assert_true(isnan(keel_state(s)[4]));
            must(keel_advance_to(s, 1), s);
            assert_true(fabs(keel_state(s)[0] - (2 + speed / 2)) <= 1e-7);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* ---- ends --------------------------------------------------------------------------------------- */

static int level_value(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t; (void)context;
    s[0] = y[0] - 1;
    s[1] = yp[0] - 0.5;                          /* never */
    return 0;
}

static int limits(double t, const double *y, const double *yp, char *text, int size, void *context)
{
    (void)t; (void)yp; (void)context;
    snprintf(text, (size_t)size, "y is %s", y[0] > 30 ? "too large" : "large");
    return y[0] > 30 ? -1 : y[0] > 2 ? 1 : 0;
}

static void ends(void **state)
{
    (void)state;
    const int terminal[] = {1, 0};
    static const char *const names[] = {"one", "half"};
    keel_switching_spec spec = {.switches = 2, .value = level_value, .names = names, .rates = 1,
                                .terminal = terminal, .watch = limits};
    keel_problem *p = with_modes(&spec);
    for (int k = 0; k < METHODS; k++) {
        keel_solver *s = solver_of(p, methods[k], 1e-8);
        must(keel_start(s, 0, (double[]){0}), s);
        assert_int_equal(keel_advance_to(s, 9), KEEL_EVENT);
        assert_true(fabs(keel_time(s) - 1) <= 1e-7 && fabs(keel_state(s)[0] - 1) <= 1e-7);
        assert_non_null(strstr(keel_message(s), "one"));
        assert_int_equal(keel_advance_to(s, 9), KEEL_EVENT);         /* goes on: `watch` ends it */
        assert_string_equal(strstr(keel_message(s), "y is"), "y is large");
        assert_int_equal(keel_event_count(s), 1);
        assert_int_equal(keel_start(s, 0, (double[]){40}), KEEL_ASSERTION);
        assert_non_null(strstr(keel_message(s), "y is too large"));
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* ---- restarts of the user's ---------------------------------------------------------------------- */

static void frames_between_steps(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    must(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = counted_rate, .frame = {.modes = 1}}), NULL);
    for (int k = 0; k < METHODS; k++) {
        keel_solver *s = solver_of(p, methods[k], 1e-8), *other = solver_of(p, methods[k], 1e-8);
        must(keel_set_frame(s, NULL, (int[]){2}, NULL), s);
        must(keel_start(s, 0, (double[]){0}), s);
        must(keel_start(other, 0, (double[]){0}), other);
        must(keel_advance_to(s, 1), s);
        must(keel_set_frame(s, NULL, (int[]){-1}, NULL), s);
        must(keel_restart_with(s, &(keel_start_spec){.y = (double[]){7}}), s);
        must(keel_advance_to(s, 3), s);
        must(keel_advance_to(other, 3), other);
        assert_true(fabs(keel_state(s)[0] - 5) <= 1e-6);
        assert_true(fabs(keel_state(other)[0]) <= 1e-6); /* each solver has a frame of its own */
        keel_solver_free(s);
        keel_solver_free(other);
    }
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_order_hold), cmocka_unit_test(sampling_without_restarts),
        cmocka_unit_test(equal_ticks_are_one_event), cmocka_unit_test(algebraic_switches),
        cmocka_unit_test(times_of_a_callback),
        cmocka_unit_test(alarms_in_the_same_step), cmocka_unit_test(actions_follow_actions),
        cmocka_unit_test(cycles_are_named), cmocka_unit_test(impacts), cmocka_unit_test(ends),
        cmocka_unit_test(frames_between_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
