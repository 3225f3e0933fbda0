/* 22: a bouncing ball: a switch function says when, an action says what then happens. */
#include <keel/keel.h>
#include <stdio.h>

static int fall(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1], f[1] = -9.81;                   /* y = (height, velocity) */
    return 0;
}

static int height(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t, (void)yp, (void)context;
    s[0] = y[0];                                 /* an event where it falls through 0 */
    return 0;
}

static int bounce(keel_event *event, void *context)
{
    (void)context;
    if (event->crossed[0]) event->y[1] *= -0.8;
    return 0;
}

int main(void)
{
    static const int falling[] = {KEEL_FALLING};
    static const char *const names[] = {"table"};
    keel_problem *ball = NULL;
    keel_solver *solver = NULL;
    double start[2] = {1, 0};
    int rc = keel_ode(&ball, &(keel_ode_spec){.size = 2, .rhs = fall});
    if (!rc) rc = keel_switching(&ball, ball, &(keel_switching_spec){  /* the same with events */
        .switches = 1, .value = height, .names = names, .directions = falling,
        .action = bounce});
    if (!rc) rc = keel_solver_create(&solver, ball, &(keel_options){.rtol = 1e-8});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 3);
    for (long i = 0; i < keel_event_count(solver) && !rc; i++) {
        keel_event_record event;
        rc = keel_event_at(solver, i, &event);
        printf("t = %.10f: %s, velocity from %.6f to %.6f\n", event.t, event.text, event.from,
               event.to);
    }
    if (!rc) printf("height at t = 3: %.8f\n", keel_state(solver)[0]);
    else printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, ball, solver));
    keel_solver_free(solver);
    keel_problem_free(ball);
    return rc != KEEL_OK;
}
