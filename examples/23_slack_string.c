/* 23: a ball on a string that becomes slack: constraints that come and go.
 *
 * Two problems, one with the string's constraint and one without, take turns.  Unknowns go from one
 * to the other by their names.  What is discrete, here whether the string is slack, is a mode: it
 * belongs to the solver, changes at events only, and every callback finds it in its frame.  When
 * the string becomes tight the velocity jumps by an impulse along it. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static int gravity(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0, f[1] = -9.81;
    return 0;
}

static int string(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

/* Unknowns are those of both problems: x, y, vx, vy, and the string's lambda. */
static int switches(double t, const double *y, const double *yp, double *s, void *context)
{
    const keel_frame *frame = context;
    const int slack = frame->modes[0];
    (void)t, (void)yp;
    s[0] = slack ? 1 : y[4];                                 /* falls to 0: no more tension */
    s[1] = slack ? y[0] * y[0] + y[1] * y[1] - 1 : 1;        /* rises to 0: its full length */
    return 0;
}

static int change(keel_event *event, void *context)
{
    (void)context;
    if (!event->positive[0]) event->modes[0] = 1;
    if (event->crossed[1]) event->modes[0] = 0;
    event->structure = event->modes[0];                      /* 0: tight, 1: slack */
    return 0;
}

static int create(keel_problem **ball)
{
    static const char *const names[] = {"x", "y", "vx", "vy", "lambda"};
    static const char *const switch_names[] = {"tension", "length"};
    static const int directions[] = {KEEL_FALLING, KEEL_RISING};
    keel_mechanical_spec spec = {.positions = 2, .constraints = 1, .force = gravity,
                                 .constraint = string, .names = names, .frame = {.modes = 1}};
    keel_problem *slack = NULL;
    int rc = keel_mechanical(ball, &spec);
    if (rc) return rc;
    spec.constraints = 0;
    keel_mechanical(&slack, &spec);              /* keel_switching refuses it if that fails */
    return keel_switching(ball, *ball, &(keel_switching_spec){
        .switches = 2, .value = switches, .names = switch_names, .directions = directions,
        .action = change, .others = 1, .other = &slack});
}

int main(void)
{
    keel_problem *ball = NULL;
    keel_solver *solver = NULL;
    double start[5] = {0, -1, 6.8, 0, 0};        /* below, so fast that it nearly goes round */
    int rc = create(&ball);
    if (!rc) rc = keel_solver_create(&solver, ball, &(keel_options){.rtol = 1e-8});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 5);
    for (long i = 0; i < keel_event_count(solver) && !rc; i++) {
        keel_event_record event;
        rc = keel_event_at(solver, i, &event);
        if (event.structure) printf("t = %.8f: %s, slack\n", event.t, event.text);
        else printf("t = %.8f: %s, tight by an impulse of %.6f\n", event.t, event.text,
                    2 * fabs(event.impulse));    /* G = 2 q, |q| = 1 */
    }
    if (!rc) printf("at t = 5: (%.8f, %.8f)\n", keel_state(solver)[0], keel_state(solver)[1]);
    else printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, ball, solver));
    keel_solver_free(solver);
    keel_problem_free(ball);
    return rc != KEEL_OK;
}
