/* ball.h -- a ball on a floor: dropped from 1 with g = 2 it bounces with half of its speed at
 * t = 1, 2, 2.5, 2.75, ..., and comes to rest at t = 3. */
#ifndef KEEL_TEST_EVENT_BALL_H
#define KEEL_TEST_EVENT_BALL_H

#include "test/support/run.h"

static const char *const ball_names[] = {"height", "speed"};
static const char *const floor_name[] = {"floor"};
static const int falling[] = {KEEL_FALLING};

static int ball_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -2;
    return 0;
}

static int ball_height(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t, (void)yp, (void)context;
    s[0] = y[0];
    return 0;
}

static int ball_bounces(keel_event *e, void *context)
{
    (void)context;
    if (e->crossed[0]) e->y[1] = -0.5 * e->y[1];
    return 0;
}

/* y at t < 2.5, after the events at t. */
static inline void ball_exact(double t, double *y)
{
    double since = t < 1 ? 0 : t < 2 ? 1 : 2, speed = t < 1 ? 0 : t < 2 ? 1 : 0.5;
    double height = t < 1 ? 1 : 0;
    y[0] = height + speed * (t - since) - (t - since) * (t - since);
    y[1] = speed - 2 * (t - since);
}

static const keel_switching_spec ball_switching = {.switches = 1, .value = ball_height,
                                                   .names = floor_name, .directions = falling,
                                                   .action = ball_bounces};

/* `frame` may be NULL. */
static inline keel_problem *new_ball(const keel_switching_spec *spec, const keel_frame_spec *frame)
{
    keel_problem *p = NULL, *with = NULL;
    keel_ode_spec ode = {.size = 2, .rhs = ball_rhs, .names = ball_names};
    if (frame) ode.frame = *frame;
    assert_int_equal(keel_ode(&p, &ode), KEEL_OK);
    if (keel_switching(&with, p, spec)) fail_msg("%s", keel_problem_message(with));
    return with;
}

static inline keel_solver *new_run(const keel_problem *p, const keel_options *o, const double *y)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, o), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    return s;
}

#endif
