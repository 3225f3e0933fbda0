/* bouncing_ball.c -- a ball falls on a table and bounces: the simplest problem with events.
 *
 *   h'' = -gravity - drag h',   at h = 0:  h' := -restitution h'
 *
 * Without drag the k-th bounce, from 1 on, is at t_1 (1 + 2 (e + ... + e^(k-1))), t_1 =
 * sqrt(2 height / gravity), and bounces accumulate at t_1 (1 + e) / (1 - e): a run that goes there
 * ends with KEEL_CHATTERING.  With c = drag a flight from the table takes s, where
 *
 *   h' = v - (gravity + c v) E,   h = v E - gravity (s - E) / c,   E = (1 - exp(-c s)) / c,
 *
 * which Newton's method solves for h = 0.  In mechanical form, without constraints.
 */
#include "problems/list.h"

#include <math.h>

enum { GRAVITY, RESTITUTION, HEIGHT, DRAG };

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const double *p = context;
    (void)t, (void)q;
    f[0] = -p[GRAVITY] - p[DRAG] * v[0];
    return 0;
}

static int force_jacobian(double t, const double *q, const double *v,
                          double *f_q, double *f_v, void *context)
{
    const double *p = context;
    (void)t, (void)q, (void)v;
    f_q[0] = 0;
    f_v[0] = -p[DRAG];
    return 0;
}

static int height(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t, (void)yp, (void)context;
    s[0] = y[0];
    return 0;
}

static int bounce(keel_event *event, void *context)
{
    const double *p = context;
    if (event->crossed[0]) event->y[1] = -p[RESTITUTION] * event->y[1];
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"h", "v"}, *const switches[] = {"table"};
    static const int falling[] = {KEEL_FALLING};
    int rc = keel_mechanical(problem, &(keel_mechanical_spec){
        .positions = 1, .force = force, .force_jacobian = force_jacobian, .constant_mass = 1,
        .names = names, .context = (void *)parameters});
    if (rc) return rc;
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .switches = 1, .value = height, .names = switches, .directions = falling,
        .action = bounce});
}

static void start(const double *parameters, double *y)
{
    y[0] = parameters[HEIGHT];
    y[1] = 0;
}

/* (s - E) / c, by its series where the difference would cancel. */
static double fall(double c, double s)
{
    const double x = c * s;
    if (x < 1e-3) return s * s * (1. / 2 - x * (1. / 6 - x * (1. / 24 - x / 120)));
    return (s + expm1(-x) / c) / c;
}

/* h and h' after s of flight. */
static void flight(const double *p, double h, double v, double s, double *y)
{
    const double c = p[DRAG], E = c == 0 ? s : -expm1(-c * s) / c;
    y[0] = h + v * E - p[GRAVITY] * fall(c, s);
    y[1] = v - (p[GRAVITY] + c * v) * E;
}

/* When it ends: h is concave, so that Newton's method comes down from above without fail. */
static double flight_time(const double *p, double h, double v)
{
    const double g = p[GRAVITY];
    double s = (v + sqrt(v * v + 2 * g * h)) / g, y[2];
    for (int k = 0; k < 50; k++) {
        flight(p, h, v, s, y);
        const double correction = y[0] / y[1];
        s -= correction;
        if (fabs(correction) <= 1e-17 * s) break;
    }
    return s;
}

/* Flights shorter than this are rest. */
static const double shortest = 1e-15;

static void exact(const double *parameters, double t, double *y)
{
    double h = parameters[HEIGHT], v = 0, s = flight_time(parameters, h, v);
    while (t > s && s > shortest) {
        flight(parameters, h, v, s, y);
        t -= s;
        h = 0;
        v = -parameters[RESTITUTION] * y[1];
        s = flight_time(parameters, h, v);
    }
    flight(parameters, h, v, s > shortest ? t : 0, y);
}

/* The table, and the ball moving to the right with time. */
static int sketch(const double *parameters, double t, const double *y, keel_shape *shapes, int room)
{
    const keel_shape all[] = {{0, 0, 0.25 * 7.5, 0, 0}, {0.25 * t, y[0] + 0.02, 0, 0, 0.02}};
    (void)parameters;
    for (int i = 0; i < 2 && i < room; i++) shapes[i] = all[i];
    return 2;
}

const keel_target problem_bouncing_ball = {
    .name = "bouncing-ball",
    .title = "Ball that bounces on a table, 20 times",
    .source = "elementary mechanics",
    .remark = "  keel run bouncing-ball --t-end 9            # bounces accumulate at t = 8.579\n"
              "  keel run bouncing-ball --param drag=0.3\n",
    .index = 0, .size = 2, .t_start = 0, .t_end = 7.5,
    .parameter_count = 4,
    .parameters = (const keel_parameter[]){
        {"gravity", 9.81, "acceleration"},
        {"restitution", 0.9, "velocity after a bounce over that before"},
        {"height", 1, "at the start"},
        {"drag", 0, "force over velocity and mass"}},
    .bounds = (const double[][2]){{1e-3, 1e3}, {1e-3, 0.999}, {1e-3, 1e3}, {0, 10}},
    .live_parameters = 1,
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){1, 1}, .sketch = sketch,
};
