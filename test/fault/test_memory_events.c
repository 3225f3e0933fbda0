/* test_memory_events.c -- memory runs out in runs with events: the result is KEEL_NO_MEMORY or, bit
 * for bit, that of a run with enough memory; what was recorded before can be asked for. */
#define _POSIX_C_SOURCE 200809L
#include "test/event/ball.h"
#include "test/fault/memory.h"

/* y' = -y and 0 = z - 2 y, or 0 = w - 3 y in the other structure, each for half a unit of time; the
 * frame counts the changes. */
static int decay(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)z, (void)context;
    f[0] = -y[0];
    return 0;
}

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
    if (!e->ticked[0]) return 0;
    e->structure = 1 - e->structure;
    e->values[0] += 1;
    return 0;
}

static int make_part(keel_problem **p, const char *name, int first)
{
    const char *const names[] = {"y", name};
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){
        .differential = 1, .algebraic = 1, .rhs = decay, .constraint = first ? twice : thrice,
        .names = names, .frame = {.values = 1}});
}

/* Both parts belong to the problem, also after a failure. */
static int make_parts(keel_problem **p)
{
    static const keel_clock clock[] = {{0.5, 0.5, 0}};
    keel_problem *first = NULL, *second = NULL;
    int rc = make_part(&first, "z", 1);
    if (!rc) rc = make_part(&second, "w", 0);
    if (rc) {
        keel_problem_free(first);
        keel_problem_free(second);
        return rc;
    }
    return keel_switching(p, first, &(keel_switching_spec){
        .clocks = 1, .clock = clock, .action = exchange, .others = 1, .other = &second});
}

static int make_ball(keel_problem **p)
{
    keel_problem *inner = NULL;
    int rc = keel_ode(&inner, &(keel_ode_spec){.size = 2, .rhs = ball_rhs, .names = ball_names,
                                               .frame = {.modes = 1}});
    if (!rc) return keel_switching(p, inner, &ball_switching);
    keel_problem_free(inner);
    return rc;
}

/* ---- a life --------------------------------------------------------------------------------- */

typedef struct life {
    int (*make)(keel_problem **problem);
    int size;
    double start[3], end;
    const char *method;
    double asked;                /* a time of a recorded point                   */
} life;

static const life lives[] = {
    {make_ball, 2, {1, 0, 0}, 2.25, "dopri5", 0.3},
    {make_ball, 2, {1, 0, 0}, 2.25, "bdf", 0.3},
    {make_parts, 3, {1, 2, NAN}, 1.25, "radau-iia", 0.3},
    {make_parts, 3, {1, 2, NAN}, 1.25, "bdf", 0.7},
};

/* The end and the recorded point into y [6]. */
static int live(const life *l, double *y)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    keel_solution *r = NULL;
    int rc = l->make(&p);
    if (!rc) rc = keel_solver_create(&s, p, &(keel_options){.method = l->method, .rtol = 1e-4});
    if (!rc) rc = keel_start(s, 0, l->start);
    if (!rc) rc = keel_set_stop_time(s, l->end);
    if (!rc) rc = keel_solution_create(&r, s);
    while (!rc && keel_time(s) != l->end) {
        rc = keel_step(s);
        if (!rc) rc = keel_solution_append(r, s);
    }
    if (rc && r && keel_solution_steps(r) > 0) {
        double kept[3];
        assert_int_equal(keel_solution_after(r, keel_solution_time(r, 1), kept), KEEL_OK);
        assert_true(kept[0] > 0);
    }
    if (!rc) rc = keel_solution_at_projected(r, s, l->asked, y + 3);
    if (!rc) memcpy(y, keel_state(s), (size_t)l->size * sizeof *y);
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
    return rc;
}

static void every_call(void **state)
{
    (void)state;
    if (!MEMORY_CAN_FAIL) skip();
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        double expected[6] = {0}, y[6];
        assert_int_equal(live(&lives[i], expected), KEEL_OK);
        memory_watch(0, 0);
        assert_int_equal(live(&lives[i], expected), KEEL_OK);
        const long calls = memory_leave();
        assert_true(calls > 20);
        for (long k = 1; k <= calls; k++)
            for (int on = 0; on < 2; on++) {
                memset(y, 0, sizeof y);
                memory_watch(k, on);
                int rc = live(&lives[i], y);
                memory_leave();
                if (rc == KEEL_OK) assert_memory_equal(y, expected, sizeof y);
                else if (rc != KEEL_NO_MEMORY)
                    fail_msg("life %zu: %s when call %ld of %ld fails", i, keel_status_name(rc), k,
                             calls);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
