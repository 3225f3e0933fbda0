/* sampled_control.c -- an oscillator sampled by a clock: control that is held, or a filter.
 *
 *   x' = v,   v' = -x + cos(w t) + u
 *   at each tick, hold = 1:  u := -(stiffness x + damping v)           zero-order hold
 *                 hold = 0:  filter := filter + (x - filter) / 10      nothing that x sees
 *
 * u, the filter and the number of ticks are values of the frame.  With hold each tick begins a new
 * piece of the solution.  Without, ticks only observe: steps are as long as they would be without a
 * clock.  Between ticks (x - u - P cos(w t), v + w P sin(w t)) with P = 1 / (1 - w^2) rotates,
 * which gives the exact solution.
 */
#include "problems/framed.h"

#include <math.h>

enum { INTERVAL, HOLD, STIFFNESS, DAMPING };
enum { CONTROL, FILTER, TICKS, VALUES };

static const double w = 0.3;

static int rhs(double t, const double *y, double *f, void *context)
{
    f[0] = y[1];
    f[1] = -y[0] + cos(w * t) + ((const keel_frame *)context)->values[CONTROL];
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(f_y, 0, 1, 1);
    keel_put(f_y, 1, 0, -1);
    return 0;
}

static int sample(keel_event *event, void *context)
{
    const double *p = parameters_of(context);
    if (!event->ticked[0]) return 0;
    event->values[TICKS]++;
    event->smooth = p[HOLD] == 0;
    if (p[HOLD] != 0)
        event->values[CONTROL] = -(p[STIFFNESS] * event->y[0] + p[DAMPING] * event->y[1]);
    else event->values[FILTER] += (event->y[0] - event->values[FILTER]) / 10;
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"x", "v"}, *const values[] = {"u", "filter", "ticks"};
    static const char *const clocks[] = {"sample"};
    const keel_clock clock = {.start = 0, .interval = parameters[INTERVAL],
                              .observes = parameters[HOLD] == 0};
    int rc = keel_ode(problem, &(keel_ode_spec){
        .size = 2, .rhs = rhs, .jacobian = jacobian, .names = names, .context = (void *)parameters,
        .frame = {.values = VALUES, .value_names = values}});
    if (rc) return rc;
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .clocks = 1, .clock = &clock, .clock_names = clocks, .action = sample});
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[0] = 1;
    y[1] = 0;
}

/* From y at t over s, with u held. */
static void advance(double t, double s, double u, double *y)
{
    const double P = 1 / (1 - w * w);
    const double x = y[0] - u - P * cos(w * t), v = y[1] + w * P * sin(w * t);
    y[0] = u + P * cos(w * (t + s)) + x * cos(s) + v * sin(s);
    y[1] = -w * P * sin(w * (t + s)) - x * sin(s) + v * cos(s);
}

static void exact(const double *parameters, double t, double *y)
{
    const double interval = parameters[INTERVAL];
    start(parameters, y);
    if (parameters[HOLD] == 0) {
        advance(0, t, 0, y);
        return;
    }
    for (long k = 0; (double)k * interval < t; k++) {
        const double from = (double)k * interval, to = fmin((double)(k + 1) * interval, t);
        advance(from, to - from, -(parameters[STIFFNESS] * y[0] + parameters[DAMPING] * y[1]), y);
    }
}

const keel_target problem_sampled_control = {
    .name = "sampled-control",
    .title = "Oscillator under sampled control, or sampled by a filter",
    .source = "elementary control theory",
    .remark = "  keel run sampled-control --param hold=0 --param interval=0.01   # 10 000 ticks in "
              "long steps\n",
    .index = 0, .size = 2, .t_start = 0, .t_end = 100,
    .parameter_count = 4,
    .parameters = (const keel_parameter[]){
        {"interval", 0.1, "of the clock"},
        {"hold", 1, "1: zero-order hold, 0: a filter that observes"},
        {"stiffness", 0.5, "control over position"},
        {"damping", 0.5, "control over velocity"}},
    .bounds = (const double[][2]){{1e-6, 1e3}, {0, 1}, {-10, 10}, {-10, 10}},
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){1, 1},
};
