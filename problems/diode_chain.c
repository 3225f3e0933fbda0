/* diode_chain.c -- a diode function generator: as many switch functions as wanted.
 *
 *   y' = amplitude sin t - y - (conductance / n) sum (y - b_i)  over the i with y > b_i
 *   b_i = (i + 1/2) / n,   i = 0, ..., n - 1
 *
 * A capacitor behind a resistor, and n ideal diodes with bias voltages b_i, each of which conducts
 * beyond its own: together they draw nearly conductance y^2 / 2 [G. A. Korn & T. M. Korn,
 * Electronic Analog and Hybrid Computers, 2nd ed. (1972)].  With k of them conducting,
 *
 *   y' = amplitude sin t - a y + c,   a = 1 + conductance k / n,   c = conductance k^2 / (2 n^2),
 *
 * whose solutions are a sine, a constant and an exponential; Newton's method finds when y meets the
 * next voltage.  y' is continuous, so that every event is a corner of y'' only.
 */
#include "problems/framed.h"

#include <math.h>

enum { DIODES, AMPLITUDE, CONDUCTANCE };
enum { DIODES_MOST = 100000 };

static double bias(double spacing, int i) { return (i + 0.5) * spacing; }

/* a and c for k conducting diodes. */
static void coefficients(const double *p, int k, double *a, double *c)
{
    const double part = k / p[DIODES];
    *a = 1 + p[CONDUCTANCE] * part;
    *c = p[CONDUCTANCE] * part * part / 2;
}

static int rhs(double t, const double *y, double *f, void *context)
{
    const double *p = parameters_of(context);
    double a, c;
    coefficients(p, mode_of(context), &a, &c);
    f[0] = p[AMPLITUDE] * sin(t) - a * y[0] + c;
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    double a, c;
    (void)t, (void)y;
    coefficients(parameters_of(context), mode_of(context), &a, &c);
    keel_put(f_y, 0, 0, -a);
    return 0;
}

static int value(double t, const double *y, const double *yp, double *s, void *context)
{
    const int n = (int)parameters_of(context)[DIODES];
    const double spacing = 1. / n;
    (void)t, (void)yp;
    for (int i = 0; i < n; i++) s[i] = y[0] - bias(spacing, i);
    return 0;
}

static int action(keel_event *event, void *context)
{
    const int n = (int)parameters_of(context)[DIODES];
    int conducting = 0;
    for (int i = 0; i < n; i++) conducting += event->positive[i];
    event->modes[0] = conducting;
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"y"}, *const modes[] = {"conducting"};
    int rc = keel_ode(problem, &(keel_ode_spec){
        .size = 1, .rhs = rhs, .jacobian = jacobian, .names = names, .context = (void *)parameters,
        .frame = {.modes = 1, .mode_names = modes}});
    if (rc) return rc;
    return keel_switching(problem, *problem, &(keel_switching_spec){
        .switches = (int)parameters[DIODES], .value = value, .action = action});
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[0] = 0;
}

/* A piece of the solution: from y at t, with k diodes conducting. */
typedef struct piece {
    double amplitude, a, c, t, rest;             /* rest: what the exponential multiplies     */
} piece;

static double forced(const piece *p, double t)
{
    return p->amplitude * (p->a * sin(t) - cos(t)) / (p->a * p->a + 1) + p->c / p->a;
}

static piece piece_from(const double *parameters, int k, double t, double y)
{
    piece p = {.amplitude = parameters[AMPLITUDE], .t = t};
    coefficients(parameters, k, &p.a, &p.c);
    p.rest = y - forced(&p, t);
    return p;
}

static double piece_at(const piece *p, double t)
{
    return forced(p, t) + p->rest * exp(-p->a * (t - p->t));
}

/* When it is `level`, which lies between y at `low` and at `high`. */
static double piece_meets(const piece *p, double level, double low, double high)
{
    const double rising = piece_at(p, high) > level ? 1 : -1;
    double t = high;
    for (int k = 0; k < 60; k++) {
        const double y = piece_at(p, t), rate = p->amplitude * sin(t) - p->a * y + p->c;
        if (rising * (y - level) > 0) high = t;
        else low = t;
        double next = t - (y - level) / rate;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (fabs(next - t) <= 1e-16 * fabs(t)) break;
        t = next;
    }
    return t;
}

/* In strides so short that no voltage is met twice in one. */
static void exact(const double *parameters, double t_end, double *y)
{
    const int n = (int)parameters[DIODES];
    const double spacing = 1. / n, stride = 0.2 * spacing;
    int k = 0;
    double t = 0;
    piece p = piece_from(parameters, k, t, 0);
    while (t < t_end) {
        double next = fmin(t + stride, t_end), end = piece_at(&p, next);
        const int up = k < n && end > bias(spacing, k);
        const int down = k > 0 && end < bias(spacing, k - 1);
        if (up || down) {
            const double level = bias(spacing, up ? k : k - 1);
            next = piece_meets(&p, level, t, next);
            k += up ? 1 : -1;
            p = piece_from(parameters, k, next, level);
        }
        t = next;
    }
    y[0] = piece_at(&p, t_end);
}

const keel_target problem_diode_chain = {
    .name = "diode-chain",
    .title = "Diode function generator: n switch functions",
    .source = "G. A. Korn & T. M. Korn, Electronic Analog and Hybrid Computers, 2nd ed. (1972)",
    .remark = "  keel run diode-chain --param diodes=1000            # 10 000 events\n",
    .index = 0, .size = 1, .t_start = 0, .t_end = 37.5,
    .parameter_count = 3,
    .parameters = (const keel_parameter[]){
        {"diodes", 100, "n"},
        {"amplitude", 2, "of the voltage at the resistor"},
        {"conductance", 2, "of all diodes together"}},
    .bounds = (const double[][2]){{1, DIODES_MOST}, {0, 1e3}, {0, 1e3}},
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){1},
};
