/* rectifier.c -- a bridge of ideal diodes with a smoothing capacitor: the index goes from 1 to 2.
 *
 *   L i' = e(t) - r i - u,   C w' = |i| - w / R,   e = E sin(2 pi f t + phase)
 *   conducting:  0 = u - direction w,   direction i > 0          index 1
 *   blocking:    0 = i,                 -w < u < w               index 2: u follows from i' = 0
 *
 * i is the current of the source and its inductance, u the voltage at the bridge, w that of the
 * capacitor and the load.  Diodes conduct in pairs: direction = 1, -1, or 0 where all block; |i| =
 * direction i.  Two structures in the levelled form, of chain 0 and 1.  Runs begin with all diodes
 * blocking; the iteration at the start finds the pair that conducts.
 *
 * Between events the equations are linear with constant coefficients: the reference has matrix
 * exponentials and particular solutions, and the times by Newton's method, in 40 digits.
 */
#include "problems/framed.h"

#include <math.h>

enum { VOLTAGE, FREQUENCY, PHASE, SOURCE_R, SOURCE_L, CAPACITY, LOAD_R };
enum { I, W, U, Y = 2 };
enum { BLOCKING, CONDUCTING };

static double source(const double *p, double t)
{
    return p[VOLTAGE] * sin(2 * acos(-1) * p[FREQUENCY] * t + p[PHASE]);
}

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const double *p = parameters_of(context);
    f[I] = (source(p, t) - p[SOURCE_R] * y[I] - z[0]) / p[SOURCE_L];
    f[W] = (mode_of(context) * y[I] - y[W] / p[LOAD_R]) / p[CAPACITY];
    return 0;
}

static int rate_jacobian(keel_matrix *J, const void *context)
{
    const double *p = parameters_of(context);
    keel_put(J, I, I, -p[SOURCE_R] / p[SOURCE_L]);
    keel_put(J, I, U, -1 / p[SOURCE_L]);
    keel_put(J, W, I, mode_of(context) / p[CAPACITY]);
    keel_put(J, W, W, -1 / (p[LOAD_R] * p[CAPACITY]));
    return 0;
}

static int conducting(double t, const double *y, const double *z, int k, double *h, void *context)
{
    (void)t, (void)k;
    h[0] = z[0] - mode_of(context) * y[W];
    return 0;
}

static int conducting_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                               void *context)
{
    (void)t, (void)y, (void)z;
    keel_put(J, U, U, 1);
    keel_put(J, U, W, -mode_of(context));
    return rate_jacobian(J, context);
}

static int blocking(double t, const double *y, const double *z, int k, double *h, void *context)
{
    double f[Y];
    rate(t, y, z, f, context);
    h[0] = k == 1 ? y[I] : f[I];
    return 0;
}

static int blocking_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                             void *context)
{
    const double *p = parameters_of(context);
    (void)t, (void)y, (void)z;
    keel_put(J, U, I, -p[SOURCE_R] / p[SOURCE_L]);
    keel_put(J, U, U, -1 / p[SOURCE_L]);
    return rate_jacobian(J, context);
}

static int blocking_level_jacobian(double t, const double *y, int k, keel_matrix *J, void *context)
{
    (void)t, (void)y, (void)k, (void)context;
    keel_put(J, U, I, 1);
    return 0;
}

/* What does not matter at present is on the side where it will be: no current flows when a pair
 * begins to conduct, and the voltage at the bridge is within that of the capacitor when it has
 * ended; if it is not, that is a crossing. */
static int value(double t, const double *y, const double *yp, double *s, void *context)
{
    const int direction = mode_of(context);
    (void)t, (void)yp;
    s[0] = direction == 0 ? -1 : direction * y[I];
    s[1] = direction == 0 ? y[U] - y[W] : -1;
    s[2] = direction == 0 ? -y[U] - y[W] : -1;
    return 0;
}

static int action(keel_event *event, void *context)
{
    (void)context;
    if (event->crossed[0]) event->modes[0] = 0;
    if (event->positive[1]) event->modes[0] = 1;
    if (event->positive[2]) event->modes[0] = -1;
    event->structure = event->modes[0] == 0 ? BLOCKING : CONDUCTING;
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const int next[] = {-1, -1}, chain[] = {1};
    static const char *const names[] = {"i", "w", "u"}, *const rows[] = {"bridge"};
    static const char *const switches[] = {"current", "voltage", "reverse voltage"};
    static const char *const modes[] = {"direction"};
    static const int directions[] = {KEEL_FALLING, KEEL_RISING, KEEL_RISING};
    keel_levelled_spec spec = {
        .differential = Y, .algebraic = 1, .next = next, .chain = chain, .rate = rate,
        .level = blocking, .jacobian = blocking_jacobian, .level_jacobian = blocking_level_jacobian,
        .names = names, .constraint_names = rows, .context = (void *)parameters,
        .frame = {.modes = 1, .mode_names = modes}};
    keel_problem *other = NULL;
    int rc = keel_levelled(problem, &spec);
    if (rc) return rc;
    spec.chain = NULL, spec.level_jacobian = NULL;
    spec.level = conducting, spec.jacobian = conducting_jacobian;
    keel_levelled(&other, &spec);              /* keel_switching refuses it if that fails */
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .switches = 3, .value = value, .names = switches, .directions = directions,
        .action = action, .others = 1, .other = &other});
}

static void start(const double *parameters, double *y)
{
    y[I] = 0;
    y[W] = 0;
    y[U] = source(parameters, 0);
}

static const keel_reference references[] = {
    {0.094, (const double[]){-3.4399011497925993, 19.469982157872366, -19.469982157872366}, 15.5,
     "matrix exponentials between 19 events, 40 digits"},
};

const keel_target problem_rectifier = {
    .name = "rectifier",
    .title = "Bridge of ideal diodes with inductance, smoothing capacitor and load",
    .source = "elementary electronics",
    .index = 2, .size = 3, .t_start = 0, .t_end = 0.094,
    .parameter_count = 7,
    .parameters = (const keel_parameter[]){
        {"voltage", 20, "amplitude of the source, V"},
        {"frequency", 50, "of the source, Hz"},
        {"phase", 0.5, "of the source at t = 0"},
        {"source-r", 0.5, "resistance of the source, Ohm"},
        {"source-l", 1e-3, "inductance of the source, H"},
        {"capacity", 1e-3, "of the smoothing capacitor, F"},
        {"load-r", 20, "resistance of the load, Ohm"}},
    .bounds = (const double[][2]){{0, 1e6}, {0, 1e6}, {-7, 7}, {0, 1e6}, {1e-12, 1e3},
                                  {1e-12, 1e3}, {1e-6, 1e12}},
    .create = create, .start = start,
    .counts = (const unsigned char[]){1, 1, 1},
    .reference_count = 1, .references = references,
};
