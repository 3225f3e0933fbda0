/* wheel_suspension.c -- a quarter of a truck on its wheel, a linear ODE.
 *
 *   m1 y1'' + f (y1' - y2') + k1 (y1 - y2)               = 0      the truck, on spring and damper
 *   m2 y2'' + f (y2' - y1') + k1 (y2 - y1) + k2 (y2 - z) = 0      the wheel, on its tyre
 *
 * Bendtsen & Thomsen (eds.), IMM-REP-1999-8, (9.5), (9.6) with figures 9.4 and 9.5.  The exact
 * solution is the sum of four modes c_k exp(s_k t) about y1 = y2 = z, where s_k are the roots of
 *
 *   m1 m2 s^4 + f (m1 + m2) s^3 + (m1 (k1 + k2) + m2 k1) s^2 + f k2 s + k1 k2
 *
 * (all different, unless parameters are chosen to the purpose), y2 of a mode is
 * (m1 s^2 + f s + k1) / (f s + k1) times its y1, and c_k follow from y1, y1', y1'', y1''' at t = 0.
 */
#include "problems/list.h"

#include <complex.h>
#include <math.h>

enum { MODES = 4, ROUNDS = 200 };
enum { Y1, Y2, V1, V2 };
enum { MASS, WHEEL, SPRING, TYRE, DAMPER, ROAD };

static const double start_y1 = -0.05;

static int rhs(double t, const double *y, double *dy, void *context)
{
    const double *p = context;
    const double inner = p[DAMPER] * (y[V1] - y[V2]) + p[SPRING] * (y[Y1] - y[Y2]);
    (void)t;
    dy[Y1] = y[V1];
    dy[Y2] = y[V2];
    dy[V1] = -inner / p[MASS];
    dy[V2] = (inner - p[TYRE] * (y[Y2] - p[ROAD])) / p[WHEEL];
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    const double *p = context, spring = p[SPRING], damper = p[DAMPER];
    (void)t, (void)y;
    keel_put(f_y, Y1, V1, 1);
    keel_put(f_y, Y2, V2, 1);
    keel_put(f_y, V1, Y1, -spring / p[MASS]);
    keel_put(f_y, V1, Y2, spring / p[MASS]);
    keel_put(f_y, V1, V1, -damper / p[MASS]);
    keel_put(f_y, V1, V2, damper / p[MASS]);
    keel_put(f_y, V2, Y1, spring / p[WHEEL]);
    keel_put(f_y, V2, Y2, -(spring + p[TYRE]) / p[WHEEL]);
    keel_put(f_y, V2, V1, damper / p[WHEEL]);
    keel_put(f_y, V2, V2, -damper / p[WHEEL]);
    return 0;
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[Y1] = start_y1;
    y[Y2] = y[V1] = y[V2] = 0;
}

/* The roots, all at once [Durand & Kerner]. */
static void eigenvalues(const double *p, double complex *s)
{
    const double lead = p[MASS] * p[WHEEL];
    const double a[MODES] = {p[SPRING] * p[TYRE] / lead, p[DAMPER] * p[TYRE] / lead,
                             (p[MASS] * (p[SPRING] + p[TYRE]) + p[WHEEL] * p[SPRING]) / lead,
                             p[DAMPER] * (p[MASS] + p[WHEEL]) / lead};
    const double size = pow(a[0], 0.25);
    for (int k = 0; k < MODES; k++) s[k] = size * cpow(0.4 + 0.9 * I, k);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < MODES; k++) {
            double complex value = (((s[k] + a[3]) * s[k] + a[2]) * s[k] + a[1]) * s[k] + a[0];
            for (int j = 0; j < MODES; j++)
                if (j != k) value /= s[k] - s[j];
            s[k] -= value;
        }
}

/* What mode k has of derivatives y, y', y'', y''': prod (D - s_j) y / prod (s_k - s_j), j /= k. */
static double complex amplitude(const double complex *s, int k, const double *y)
{
    double complex left[MODES] = {y[0], y[1], y[2], y[3]}, scale = 1;
    for (int j = 0, order = MODES - 1; j < MODES; j++) {
        if (j == k) continue;
        for (int i = 0; i < order; i++) left[i] = left[i + 1] - s[j] * left[i];
        scale *= s[k] - s[j];
        order--;
    }
    return left[0] / scale;
}

static void exact(const double *parameters, double t, double *y)
{
    const double *p = parameters;
    double from[MODES], rate[MODES];
    double complex s[MODES];
    start(p, from);
    rhs(0, from, rate, (void *)parameters);
    const double third = -(p[DAMPER] * (rate[V1] - rate[V2]) + p[SPRING] * (from[V1] - from[V2]))
                       / p[MASS];
    const double derivatives[MODES] = {from[Y1] - p[ROAD], from[V1], rate[V1], third};
    y[Y1] = y[Y2] = p[ROAD];
    y[V1] = y[V2] = 0;
    eigenvalues(p, s);
    for (int k = 0; k < MODES; k++) {
        const double complex link = p[DAMPER] * s[k] + p[SPRING];
        const double complex body = amplitude(s, k, derivatives) * cexp(s[k] * t);
        const double complex wheel = body * (p[MASS] * s[k] * s[k] + link) / link;
        y[Y1] += creal(body);
        y[Y2] += creal(wheel);
        y[V1] += creal(s[k] * body);
        y[V2] += creal(s[k] * wheel);
    }
}

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[] = {"y1", "y2", "y1'", "y2'"};
    return keel_ode(problem, &(keel_ode_spec){.size = MODES, .rhs = rhs, .jacobian = jacobian,
                                              .names = names, .context = (void *)parameters});
}

const keel_target problem_wheel_suspension = {
    .name = "wheel-suspension",
    .title = "Wheel suspension of a truck: two masses, springs and a damper",
    .source = "Bendtsen & Thomsen (eds.), IMM-REP-1999-8, (9.6), figures 9.4 and 9.5",
    .index = 0, .size = MODES, .t_start = 0, .t_end = 3,
    .parameter_count = 6,
    .parameters = (const keel_parameter[]){
        {"m1", 500, "mass that rests on the wheel"}, {"m2", 50, "mass of the wheel"},
        {"k1", 7500, "spring of the suspension"}, {"k2", 150000, "spring of the tyre"},
        {"f", 2250, "damping of the suspension"}, {"z", 0, "height of the road"}},
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[]){1, 1, 1, 1},
};
