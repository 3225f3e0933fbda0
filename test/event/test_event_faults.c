/* test_event_faults.c -- what goes wrong at events: each is a status and a sentence with the name of
 * the event, and what was reached before is not lost. */
#include <math.h>

#include "test/event/ball.h"

/* Steps to t; the status of the first step that was not KEEL_OK. */
static int run_to(keel_solver *s, double t)
{
    int rc = keel_set_stop_time(s, t);
    while (!rc && keel_time(s) != t) rc = keel_step(s);
    return rc;
}

/* ---- the ball, with something wrong at its second bounce, t = 2 ------------------------------ */

static int height_is_lost(double t, const double *y, const double *yp, double *s, void *context)
{
    ball_height(t, y, yp, s, context);
    if (t > 1.5) s[0] = NAN;
    return 0;
}

static int refuses_to_look(double t, const double *y, const double *yp, double *s, void *context)
{
    ball_height(t, y, yp, s, context);
    return t > 1.5 ? -3 : 0;
}

static int fails_later(keel_event *e, void *context)
{
    if (e->t < 1.5) return ball_bounces(e, context);
    snprintf(e->text, sizeof e->text, "the floor gives way");
    return 7;
}

static int knows_no_height(keel_event *e, void *context)
{
    if (e->t < 1.5) return ball_bounces(e, context);
    e->y[0] = NAN;
    return 0;
}

static int chooses_nothing(keel_event *e, void *context)
{
    if (e->t < 1.5) return ball_bounces(e, context);
    e->structure = 3;
    return 0;
}

/* Each action throws the ball to the other side of the floor. */
static int never_rests(keel_event *e, void *context)
{
    if (e->t < 1.5) return ball_bounces(e, context);
    e->y[0] = e->positive[0] ? -0.25 : 0.25;
    return 0;
}

static int must_stay_low(double t, const double *y, const double *yp, char *text, int size,
                         void *context)
{
    (void)yp, (void)context;
    if (t < 1.5) return 0;
    snprintf(text, (size_t)size, "height %.1f after the second bounce", y[0]);
    return t > 2 ? -1 : 0;
}

static int is_enough(double t, const double *y, const double *yp, char *text, int size,
                     void *context)
{
    (void)y, (void)yp, (void)context;
    snprintf(text, (size_t)size, "seen enough");
    return t >= 1.5;
}

typedef struct fault_case {
    const char *what;
    keel_switching_spec spec;
    int status;
    const char *said;            /* beside the time                              */
} fault_case;

#define BALL .switches = 1, .names = floor_name, .directions = falling

static const fault_case cases[] = {
    {"a switch that is NaN", {BALL, .value = height_is_lost, .action = ball_bounces},
     KEEL_NOT_FINITE, "floor"},
    {"a switch that fails", {BALL, .value = refuses_to_look, .action = ball_bounces},
     KEEL_CALLBACK_FAILED, "switch"},
    {"an action that fails", {BALL, .value = ball_height, .action = fails_later},
     KEEL_CALLBACK_FAILED, "floor returned 7: the floor gives way"},
    {"an action that sets NaN", {BALL, .value = ball_height, .action = knows_no_height},
     KEEL_NOT_FINITE, "floor set height"},
    {"an unknown structure", {BALL, .value = ball_height, .action = chooses_nothing},
     KEEL_BAD_ARGUMENT, "floor asks for structure 3"},
    {"an action after the other", {BALL, .value = ball_height, .action = never_rests},
     KEEL_EVENT_CYCLE, "floor"},
    {"an assertion", {BALL, .value = ball_height, .action = ball_bounces, .watch = must_stay_low},
     KEEL_ASSERTION, "after the second bounce"},
    {"an end by watch", {BALL, .value = ball_height, .action = ball_bounces, .watch = is_enough},
     KEEL_EVENT, "seen enough"},
};

/* The first bounce is in the log and in the recording, the state is one of the run, and the message
 * has time and name. */
static void expect_fault(const fault_case *c, const char *method)
{
    const double start[] = {1, 0};
    keel_problem *p = new_ball(&c->spec, NULL);
    keel_solver *s = new_run(p, &(keel_options){.method = method, .max_step = 0.25}, start);
    keel_solution *r = NULL;
    keel_event_record record;
    double y[2];
    assert_int_equal(keel_solution_create(&r, s), KEEL_OK);
    int rc = KEEL_OK;
    while (!rc && keel_time(s) < 4) {
        rc = keel_step(s);
        if (!rc) assert_int_equal(keel_solution_append(r, s), KEEL_OK);
    }
    expect_status(rc, c->status, s, c->what);
    expect_text(keel_message(s), "t = ");
    expect_text(keel_message(s), c->said);
    assert_true(keel_event_count(s) >= 1);
    assert_int_equal(keel_event_at(s, 0, &record), KEEL_OK);
    assert_true(fabs(record.t - 1) < 1e-5 && record.restarted);
    expect_text(record.text, "floor");
    assert_int_equal(keel_solution_after(r, keel_solution_event(r, 0), y), KEEL_OK);
    assert_true(fabs(y[1] - 1) < 1e-5);
    assert_true(keel_time(s) >= 1 && isfinite(keel_state(s)[0]) && isfinite(keel_state(s)[1]));
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void faults_of_the_ball(void **state)
{
    static const char *const methods[] = {"dopri5", "radau-iia", "bdf"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
            expect_fault(&cases[i], methods[k]);
}

/* ---- accumulation --------------------------------------------------------------------------- */

/* The bounces come to rest at t = 3. */
static void bounces_accumulate(void **state)
{
    const double start[] = {1, 0};
    (void)state;
    for (int end = 0; end < 2; end++) {
        keel_problem *p = new_ball(&ball_switching, NULL);
        keel_solver *s = new_run(p, &(keel_options){
            .accumulation = end ? KEEL_ACCUMULATION_END : KEEL_ACCUMULATION_FAIL}, start);
        expect_status(run_to(s, 4), end ? KEEL_EVENT : KEEL_CHATTERING, s, "bounces");
        expect_text(keel_message(s), "floor");
        assert_true(fabs(keel_time(s) - 3) < 1e-4 && keel_event_count(s) > 10);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- points that cannot be made consistent -------------------------------------------------- */

/* A pendulum of length 1 in the plane; at the tick the action holds it at twice the length. */
static int weight(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -1;
    return 0;
}

static int length(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int pulls(keel_event *e, void *context)
{
    (void)context;
    if (!e->ticked[0]) return 0;
    e->y[0] = 2, e->y[1] = 0;
    e->marks[0] = e->marks[1] = KEEL_FIXED;
    return 0;
}

static void action_leaves_the_constraints(void **state)
{
    static const keel_clock clock[] = {{0.5, 0, 0}};
    static const char *const clock_names[] = {"pull"};
    const double start[] = {1, 0, 0, 0, 0};
    keel_problem *inner = NULL, *p = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&inner, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = weight, .constraint = length}), KEEL_OK);
    assert_int_equal(keel_switching(&p, inner, &(keel_switching_spec){
        .clocks = 1, .clock = clock, .clock_names = clock_names, .action = pulls}), KEEL_OK);
    keel_solver *s = new_run(p, NULL, start);
    expect_status(run_to(s, 1), KEEL_INCONSISTENT, s, "pull");
    expect_text(keel_message(s), "t = 0.5");
    expect_text(keel_message(s), "pull");
    const double *y = keel_state(s);
    assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-12);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* y' = -y, 0 = z + w - y, and 0 = z - w, or in the other mode the first equation again. */
static int decays(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)z, (void)context;
    f[0] = -y[0];
    return 0;
}

static int sums(double t, const double *y, const double *z, double *g, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    g[0] = z[0] + z[1] - y[0];
    g[1] = frame->modes[0] ? g[0] : z[0] - z[1];
    return 0;
}

static int repeats(keel_event *e, void *context)
{
    (void)context;
    if (e->ticked[0]) e->modes[0] = 1;
    return 0;
}

static void constraint_becomes_redundant(void **state)
{
    static const keel_clock clock[] = {{0.5, 0, 0}};
    static const char *const clock_names[] = {"repeat"};
    const double start[] = {1, 0.5, 0.5};
    (void)state;
    keel_problem *inner = NULL, *p = NULL;
    assert_int_equal(keel_semi_explicit(&inner, &(keel_semi_explicit_spec){
        .differential = 1, .algebraic = 2, .rhs = decays, .constraint = sums,
        .frame = {.modes = 1}}), KEEL_OK);
    assert_int_equal(keel_switching(&p, inner, &(keel_switching_spec){
        .clocks = 1, .clock = clock, .clock_names = clock_names, .action = repeats}), KEEL_OK);
    keel_solver *s = new_run(p, NULL, start);
    int rc = run_to(s, 1);
    if (rc != KEEL_REDUNDANT && rc != KEEL_WRONG_INDEX && rc != KEEL_SINGULAR)
        fail_msg("%s: %s", keel_status_name(rc), keel_message(s));
    expect_text(keel_message(s), "t = 0.5");
    expect_text(keel_message(s), "repeat");
    assert_true(fabs(keel_state(s)[1] - 0.5 * keel_state(s)[0]) < 1e-9);
    assert_int_equal(keel_solver_frame(s)->modes[0], 0);     /* as before the event */
    keel_solver_free(s);
    keel_problem_free(p);
}

/* x^2 + y^2 = 1 and z = 0, or in the other mode the first constraint twice: mechanical problems go on
 * with a remark. */
static int doubles(double t, const double *q, double *g, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    g[1] = frame->modes[0] ? 2 * g[0] : q[2];
    return 0;
}

static int weight_in_space(double t, const double *q, const double *v, double *f, void *context)
{
    weight(t, q, v, f, context);
    f[2] = 0;
    return 0;
}

static void mechanical_constraint_becomes_redundant(void **state)
{
    static const keel_clock clock[] = {{0.5, 0, 0}};
    static const char *const clock_names[] = {"repeat"};
    const double start[8] = {1};
    keel_problem *inner = NULL, *p = NULL;
    int rc = KEEL_OK;
    (void)state;
    assert_int_equal(keel_mechanical(&inner, &(keel_mechanical_spec){
        .positions = 3, .constraints = 2, .force = weight_in_space, .constraint = doubles,
        .frame = {.modes = 1}}), KEEL_OK);
    assert_int_equal(keel_switching(&p, inner, &(keel_switching_spec){
        .clocks = 1, .clock = clock, .clock_names = clock_names, .action = repeats}), KEEL_OK);
    keel_solver *s = new_run(p, NULL, start);
    while (!rc && !keel_state_before(s)) rc = keel_step(s);
    expect_ok(rc, s, "repeat");
    expect_text(keel_message(s), "t = 0.5: after the event repeat: ");
    expect_text(keel_message(s), "depend on each other");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- specs ---------------------------------------------------------------------------------- */

/* No switches, no names, nothing to do: the problem runs as it did. */
static void nothing_to_watch(void **state)
{
    const double start[] = {1, 0};
    (void)state;
    keel_problem *p = new_ball(&(keel_switching_spec){0}, NULL);
    keel_solver *s = new_run(p, NULL, start);
    assert_int_equal(keel_switch_count(p), 0);
    assert_string_equal(keel_switch_name(p, 0), "");
    expect_ok(run_to(s, 2), s, "falls");
    assert_true(fabs(keel_state(s)[0] + 3) < 1e-5);          /* 1 - t^2 */
    assert_int_equal(keel_event_count(s), 0);
    assert_null(keel_state_before(s));
    keel_solver_free(s);
    keel_problem_free(p);
}

static void names_by_number(void **state)
{
    const double start[] = {1, 0};
    keel_switching_spec spec = ball_switching;
    keel_event_record record;
    (void)state;
    spec.names = NULL;
    keel_problem *p = new_ball(&spec, NULL);
    keel_solver *s = new_run(p, NULL, start);
    expect_ok(run_to(s, 1.5), s, "bounces");
    assert_int_equal(keel_event_at(s, 0, &record), KEEL_OK);
    expect_text(record.text, keel_switch_name(p, 0));
    assert_true(keel_switch_name(p, 0)[0] != 0);
    assert_int_equal(keel_event_at(s, 1, &record), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_event_at(s, -1, &record), KEEL_BAD_ARGUMENT);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void expect_refused(const keel_switching_spec *spec, const char *said)
{
    keel_problem *inner = NULL, *p = NULL;
    assert_int_equal(keel_ode(&inner, &(keel_ode_spec){.size = 2, .rhs = ball_rhs}), KEEL_OK);
    assert_int_equal(keel_switching(&p, inner, spec), KEEL_BAD_ARGUMENT);
    expect_text(keel_problem_message(p), said);
    keel_problem_free(p);
}

static void specs_that_are_refused(void **state)
{
    static const int up[] = {2};
    static const keel_clock backward[] = {{0, -1, 0}}, lost[] = {{NAN, 1, 0}};
    (void)state;
    expect_refused(NULL, "NULL");
    expect_refused(&(keel_switching_spec){.switches = 1}, "value");
    expect_refused(&(keel_switching_spec){.switches = -1}, "switches");
    expect_refused(&(keel_switching_spec){.clocks = 1}, "clock");
    expect_refused(&(keel_switching_spec){.clocks = 1, .clock = backward}, "clock");
    expect_refused(&(keel_switching_spec){.clocks = 1, .clock = lost}, "clock");
    expect_refused(&(keel_switching_spec){.others = 1}, "other");
    expect_refused(&(keel_switching_spec){.look = -1}, "look");
    expect_refused(&(keel_switching_spec){.switches = 1, .value = ball_height, .directions = up},
                   "directions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_the_ball), cmocka_unit_test(bounces_accumulate),
        cmocka_unit_test(action_leaves_the_constraints),
        cmocka_unit_test(constraint_becomes_redundant),
        cmocka_unit_test(mechanical_constraint_becomes_redundant), cmocka_unit_test(nothing_to_watch),
        cmocka_unit_test(names_by_number), cmocka_unit_test(specs_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
