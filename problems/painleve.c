/* painleve.c -- Painleve's rod: its tip slides on a floor that becomes rough, index 3.
 *
 *   x'' = mu N,   y'' = N - gravity,   theta'' = -3 N (cos theta - mu sin theta)
 *   h_2 = y - sin theta,   h_1 = y' - cos theta theta',   g = b + p N
 *   b = sin theta theta'^2 - gravity,   p = 1 + 3 cos theta (cos theta - mu sin theta)
 *
 * A uniform rod of mass 1 and half length 1; (x,y) is its centre, theta its angle, N the force of
 * the floor on the tip, which slides to the left: friction mu N pushes it to the right.  N = -b /
 * p.  For mu > 4/3 there are angles with p < 0, and then, with b < 0, neither contact (N < 0) nor
 * flight (the tip would fall through the floor) goes on: an inconsistency; with b > 0 both do: an
 * indeterminacy.
 * P. Painleve, C. R. Acad. Sci. Paris 121 (1895) 112; F. Genot & B. Brogliato, Eur.
 * J. Mech. A 18 (1999) 653.
 *
 * Here mu changes where the tip passes an edge, and `watch` says when there is no motion, or more
 * than one.  Runs end where the tip lifts off (N falls to 0, p > 0) or stops.
 */
#include "problems/framed.h"

#include <math.h>
#include <stdio.h>

enum { GRAVITY, SMOOTH, ROUGH, EDGE, ANGLE, SPEED, SPIN };
enum { X, Y, THETA, V, W, OMEGA, DIFFERENTIAL, N = DIFFERENTIAL };
enum { AT_EDGE, LIFTS_OFF, STOPS };

static double friction(const void *context)
{
    return parameters_of(context)[mode_of(context) ? ROUGH : SMOOTH];
}

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const double mu = friction(context), force = z[0];
    (void)t;
    f[X] = y[V];
    f[Y] = y[W];
    f[THETA] = y[OMEGA];
    f[V] = mu * force;
    f[W] = force - parameters_of(context)[GRAVITY];
    f[OMEGA] = -3 * force * (cos(y[THETA]) - mu * sin(y[THETA]));
    return 0;
}

/* b and p: the acceleration of the tip is b + p N. */
static void contact(const double *y, const void *context, double *b, double *p)
{
    const double c = cos(y[THETA]), s = sin(y[THETA]);
    *b = s * y[OMEGA] * y[OMEGA] - parameters_of(context)[GRAVITY];
    *p = 1 + 3 * c * (c - friction(context) * s);
}

static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    double b, p;
    (void)t;
    contact(y, context, &b, &p);
    h[0] = k == 2 ? y[Y] - sin(y[THETA]) : k == 1 ? y[W] - cos(y[THETA]) * y[OMEGA] : b + p * z[0];
    return 0;
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    const double mu = friction(context), c = cos(y[THETA]), s = sin(y[THETA]), force = z[0];
    (void)t;
    for (int i = 0; i < 3; i++) keel_put(J, X + i, V + i, 1);
    keel_put(J, V, N, mu);
    keel_put(J, W, N, 1);
    keel_put(J, OMEGA, N, -3 * (c - mu * s));
    keel_put(J, OMEGA, THETA, 3 * force * (s + mu * c));
    keel_put(J, N, THETA, c * y[OMEGA] * y[OMEGA]
                          - 3 * force * (s * (c - mu * s) + c * (s + mu * c)));
    keel_put(J, N, OMEGA, 2 * s * y[OMEGA]);
    keel_put(J, N, N, 1 + 3 * c * (c - mu * s));
    return 0;
}

static int level_jacobian(double t, const double *y, int k, keel_matrix *J, void *context)
{
    const double c = cos(y[THETA]);
    (void)t, (void)context;
    keel_put(J, N, k == 2 ? Y : W, 1);
    keel_put(J, N, THETA, k == 2 ? -c : sin(y[THETA]) * y[OMEGA]);
    if (k == 1) keel_put(J, N, OMEGA, -c);
    return 0;
}

static int value(double t, const double *y, const double *yp, double *s, void *context)
{
    (void)t, (void)yp;
    s[AT_EDGE] = y[X] - cos(y[THETA]) + parameters_of(context)[EDGE];
    s[LIFTS_OFF] = y[N];
    s[STOPS] = -y[V] - sin(y[THETA]) * y[OMEGA];
    return 0;
}

static int action(keel_event *event, void *context)
{
    double b, p;
    event->modes[0] = !event->positive[AT_EDGE];
    contact(event->y, context, &b, &p);
    if (!event->positive[LIFTS_OFF] && p > 0) event->stop = 1;
    return 0;
}

static int watch(double t, const double *y, const double *yp, char *text, int size, void *context)
{
    double b, p;
    (void)t, (void)yp;
    contact(y, context, &b, &p);
    if (p > 0) return 0;
    snprintf(text, (size_t)size, "Painleve's paradox: %s", b < 0
             ? "the tip can neither stay on the floor nor leave it"
             : "the tip can stay on the floor and can leave it");
    return -1;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const int next[] = {V, W, OMEGA, -1, -1, -1}, chain[] = {2};
    static const char *const names[] = {"x", "y", "theta", "x'", "y'", "theta'", "N"};
    static const char *const rows[] = {"tip"}, *const modes[] = {"rough"};
    static const char *const switches[] = {"edge", "lifts off", "stops"};
    static const int falling[] = {KEEL_FALLING, KEEL_FALLING, KEEL_FALLING};
    static const int terminal[] = {0, 0, 1};
    int rc = keel_levelled(problem, &(keel_levelled_spec){
        .differential = DIFFERENTIAL, .algebraic = 1, .next = next, .chain = chain, .rate = rate,
        .level = level, .jacobian = jacobian, .level_jacobian = level_jacobian, .names = names,
        .constraint_names = rows, .context = (void *)parameters,
        .frame = {.modes = 1, .mode_names = modes}});
    if (rc) return rc;
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .switches = 3, .value = value, .names = switches, .directions = falling,
        .terminal = terminal, .action = action, .watch = watch});
}

/* The tip at x = 0, moving to the left. */
static void start(const double *parameters, double *y)
{
    const double c = cos(parameters[ANGLE]), s = sin(parameters[ANGLE]), spin = parameters[SPIN];
    const double p = 1 + 3 * c * (c - parameters[SMOOTH] * s);
    y[X] = c, y[Y] = s, y[THETA] = parameters[ANGLE];
    y[V] = -parameters[SPEED] - s * spin, y[W] = c * spin, y[OMEGA] = spin;
    y[N] = (parameters[GRAVITY] - s * spin * spin) / p;
}

/* The rod, its tip, and the floor with the edge. */
static int sketch(const double *parameters, double t, const double *y, keel_shape *shapes, int room)
{
    const double c = cos(y[THETA]), s = sin(y[THETA]), edge = -parameters[EDGE];
    const keel_shape all[] = {{y[X] - c, y[Y] - s, y[X] + c, y[Y] + s, 0},
                              {y[X] - c, y[Y] - s, 0, 0, 0.03}, {edge - 1.5, 0, 1.5, 0, 0},
                              {edge, 0, edge, -0.15, 0}, {edge - 1.5, -0.03, edge, -0.03, 0}};
    (void)t;
    for (int i = 0; i < 5 && i < room; i++) shapes[i] = all[i];
    return 5;
}

static const keel_reference references[] = {
    {0.3, (const double[]){-0.85312106097423002, 0.84825847040390354, 1.0126880853734695,
                           -2.5921559928914076, 0.45908930975305808, 0.86688921242415863,
                           18.579007940983811}, 15.5,
     "Taylor series of x and theta alone, 30 digits; the edge at t = 0.19368808"},
};

const keel_target problem_painleve = {
    .name = "painleve",
    .title = "Painleve's rod, sliding onto a rough floor",
    .source = "P. Painleve, C. R. Acad. Sci. Paris 121 (1895) 112; F. Genot & B. Brogliato, "
              "Eur. J. Mech. A 18 (1999) 653",
    .remark = "  keel run painleve --param rough=2                  # no motion beyond the edge\n"
              "  keel run painleve --param smooth=2 --param spin=4  # two from the beginning\n",
    .index = 3, .size = DIFFERENTIAL + 1, .t_start = 0, .t_end = 0.3,
    .parameter_count = 7,
    .parameters = (const keel_parameter[]){
        {"gravity", 9.81, "gravity over the half length of the rod"},
        {"smooth", 0.3, "friction before the edge"},
        {"rough", 1, "friction beyond it"},
        {"edge", 1, "how far it is"},
        {"angle", 1.1, "of the rod at the start"},
        {"speed", 5, "of the tip at the start, to the left"},
        {"spin", 0, "angular velocity at the start"}},
    .bounds = (const double[][2]){{1e-3, 1e3}, {0, 10}, {0, 10}, {0, 1e3}, {0.01, 1.57}, {0, 1e3},
                                  {-1e3, 1e3}},
    .create = create, .start = start,
    .counts = (const unsigned char[]){1, 1, 1, 1, 1, 1, 0},
    .reference_count = 1, .references = references, .sketch = sketch,
};
