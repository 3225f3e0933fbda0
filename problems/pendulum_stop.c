/* pendulum_stop.c -- a pendulum that hits a stop: an impact within a constraint, index 3.
 *
 *   u'' = (0, -gravity) - 2 u lambda,   0 = |u|^2 - 1,   at angle = stop:  v := -restitution v
 *
 * The angle is that from the downward vertical.  s(u) = sin(angle - stop) is linear in u.  Before a
 * hit v is tangential, and so it is after it: constraints of all levels hold on both sides; lambda
 * jumps with |v|^2.
 *
 * Independent reference: the angle phi'' = -gravity sin(phi), where energy is kept between hits, so
 * that velocities at the stop and turning points are known in closed form; times between them are
 * elliptic integrals.
 */
#include "problems/pendulum.h"

#include <math.h>

enum { GRAVITY, STOP, RESTITUTION, ANGLE };

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const double *p = context;
    (void)t, (void)q, (void)v;
    f[0] = 0;
    f[1] = -p[GRAVITY];
    return 0;
}

static int beyond(double t, const double *y, const double *yp, double *s, void *context)
{
    const double *p = context;
    (void)t, (void)yp;
    s[0] = y[0] * cos(p[STOP]) + y[1] * sin(p[STOP]);
    return 0;
}

static int hit(keel_event *event, void *context)
{
    const double *p = context;
    if (!event->crossed[0]) return 0;
    for (int i = 2; i < 4; i++) event->y[i] *= -p[RESTITUTION];
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"u1", "u2", "v1", "v2", "lambda"};
    static const char *const rows[] = {"rod"}, *const switches[] = {"stop"};
    static const int rising[] = {KEEL_RISING};
    keel_mechanical_spec spec = {.force = force, .names = names, .constraint_names = rows,
                                 .context = (void *)parameters};
    pendulum_rod(&spec);
    int rc = keel_mechanical(problem, &spec);
    if (rc) return rc;
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .switches = 1, .value = beyond, .names = switches, .directions = rising, .action = hit});
}

static void start(const double *parameters, double *y)
{
    y[0] = sin(parameters[ANGLE]);
    y[1] = -cos(parameters[ANGLE]);
    y[2] = y[3] = y[4] = 0;
}

/* The rod, the mass at its end, and the stop. */
static int sketch(const double *parameters, double t, const double *y, keel_shape *shapes, int room)
{
    const double c = cos(parameters[STOP]), s = sin(parameters[STOP]);
    const double x1 = s + 0.05 * c, y1 = 0.05 * s - c;
    const keel_shape all[] = {{0, 0, y[0], y[1], 0}, {y[0], y[1], 0, 0, 0.04},
                              {x1, y1, x1 + 0.2 * s, y1 - 0.2 * c, 0}};
    (void)t;
    for (int i = 0; i < 3 && i < room; i++) shapes[i] = all[i];
    return 3;
}

static const keel_reference references[] = {
    {10, (const double[]){-0.27212953060953903, -0.96226062923213894, 0.77432451990135454,
                          -0.21898076439889168, 5.0436539050322345}, 15.5,
     "the angle by elliptic functions, 40 digits; seven hits"},
};

const keel_target problem_pendulum_stop = {
    .name = "pendulum-stop",
    .title = "Pendulum in Cartesian coordinates that hits a stop",
    .source = "elementary mechanics",
    .remark = "  keel run pendulum-stop --param stop=-0.2    # comes to rest on the stop: hits\n"
              "                                              # accumulate\n",
    .index = 3, .size = 5, .t_start = 0, .t_end = 10,
    .parameter_count = 4,
    .parameters = (const keel_parameter[]){
        {"gravity", 9.81, "gravity over the length of the rod"},
        {"stop", 0.3, "its angle from the downward vertical"},
        {"restitution", 0.8, "velocity after a hit over that before"},
        {"angle", -1.2, "of the rod at the start, at rest"}},
    .bounds = (const double[][2]){{1e-3, 1e3}, {-1.5, 1.5}, {0, 1}, {-1.5, 1.5}},
    .live_parameters = 1,
    .create = create, .start = start,
    .counts = (const unsigned char[]){1, 1, 1, 1, 0},
    .reference_count = 1, .references = references, .sketch = sketch,
};
