/* pendulum_period.c -- the periodic motion of the pendulum of pendulum.c, and its unknown period T.
 *
 * In the time t/T, with velocities v T and the multiplier lambda T^2:
 *   u'' = (0, -gravity T^2) - 2 u lambda,  0 = |u|^2 - 1
 *   u1(0) = 0,  u1(1) = u1(0),  v1(0) = 2 T w sin(amplitude/2),  w = sqrt(gravity)
 * The speed at the bottom is that of the amplitude (conservation of energy).  T = 0, where nothing
 * moves, is a solution as well, and found from the guess of small motions for amplitudes from 2.2
 * on: hence their bounds.  The other one has
 *   sin(angle/2) = k sn(4 K t),  angle' = 8 K k cn(4 K t),  T = 4 K(k)/w,  k = sin(amplitude/2):
 * 2.1391376005586884 for gravity 9.81 and amplitude 1.
 *
 * pendulum-clock is driven where its energy E = |v|^2/2 + gravity u2 is below that of the amplitude and
 * braked where it is above, by a force drive (E0 - E) v: of all these orbits one is left, a limit
 * cycle, and conditions say that it is periodic, u1(1) = u1(0), v1(1) = v1(0).  Its multipliers are 1 and
 *   exp(-drive int |v|^2 dt) = exp(-16 drive w (E(k) - (1 - k^2) K(k))),   E' = drive (E0 - E) |v|^2.
 * L. D. Landau & E. M. Lifshitz, Mechanics, section 11.
 */
#include <math.h>

#include "problems/boundary.h"
#include "problems/pendulum.h"

enum { GRAVITY, AMPLITUDE, DRIVE, SIZE = 5 };

static const double pi = 3.14159265358979323846;

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const keel_frame *frame = context;
    const double *parameters = frame->context, period = frame->parameters[0];
    (void)t, (void)q, (void)v;
    f[0] = 0;
    f[1] = -parameters[GRAVITY] * period * period;
    return 0;
}

static int force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v,
                          void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    for (int i = 0; i < 4; i++) f_q[i] = f_v[i] = 0;
    return 0;
}

/* That of small motions. */
static double small_period(const double *parameters) { return 2 * pi / sqrt(parameters[GRAVITY]); }

static int create(keel_problem **problem, const double *parameters)
{
    const double start = small_period(parameters);
    keel_mechanical_spec spec = {
        .force = force, .force_jacobian = force_jacobian,
        .names = (const char *const[]){"u1", "u2", "v1", "v2", "lambda"},
        .context = (void *)parameters,
        .frame = {.parameters = 1, .parameter_start = &start,
                  .parameter_names = (const char *const[]){"period"}}};
    pendulum_rod(&spec);
    return keel_mechanical(problem, &spec);
}

/* All unknowns from the angle and its derivative. */
static void place(double angle, double rate, double weight, double *y)
{
    y[0] = sin(angle);
    y[1] = -cos(angle);
    y[2] = rate * cos(angle);
    y[3] = rate * sin(angle);
    y[4] = (rate * rate - weight * y[1]) / 2;
}

static void exact_period(const double *parameters, double *p)
{
    p[0] = 4 * elliptic_quarter(sin(parameters[AMPLITUDE] / 2)) / sqrt(parameters[GRAVITY]);
}

static void exact(const double *parameters, double t, double *y)
{
    const double k = sin(parameters[AMPLITUDE] / 2), turn = 4 * elliptic_quarter(k);
    double sn, cn, dn;
    elliptic_functions(turn * t, k, &sn, &cn, &dn);
    place(2 * atan2(k * sn, dn), 2 * turn * k * cn, turn * turn, y);
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const double *parameters = context;
    b[0] = ya[0];
    b[1] = yb[0] - ya[0];
    b[2] = ya[2] - 2 * p[0] * sqrt(parameters[GRAVITY]) * sin(parameters[AMPLITUDE] / 2);
    return 0;
}

static int condition_jacobian(const double *ya, const double *yb, const double *p, double *b_a,
                              double *b_b, double *b_p, void *context)
{
    const double *parameters = context;
    (void)ya, (void)yb, (void)p;
    for (int i = 0; i < 3 * SIZE; i++) b_a[i] = b_b[i] = 0;
    b_a[0] = b_a[2 * SIZE + 2] = 1;
    b_a[SIZE] = -1;
    b_b[SIZE] = 1;
    b_p[0] = b_p[1] = 0;
    b_p[2] = -2 * sqrt(parameters[GRAVITY]) * sin(parameters[AMPLITUDE] / 2);
    return 0;
}

/* Small motions. */
static int guess(double t, double *y, double *p, void *context)
{
    const double *parameters = context, turn = 2 * pi;
    p[0] = small_period(parameters);
    place(parameters[AMPLITUDE] * sin(turn * t), parameters[AMPLITUDE] * turn * cos(turn * t),
          turn * turn, y);
    return 0;
}

const keel_target problem_pendulum_period = {
    .name = "pendulum-period",
    .title = "periodic motion of the pendulum, with an unknown period",
    .source = "Landau & Lifshitz, Mechanics, section 11",
    .index = 3, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 2, .bounds = (const double[][2]){{1e-6, 1e6}, {1e-3, 2}},
    .parameters = (const keel_parameter[]){
        {"gravity", 9.81, "gravity over the length of the rod"},
        {"amplitude", 1, "largest angle, up to 2"}},
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 3, .condition = condition, .condition_jacobian = condition_jacobian,
        .parameters = 1, .guess = guess,
        .condition_names = (const char *const[]){"u1(0) = 0", "u1(1) = u1(0)",
                                                 "v1(0) of the amplitude"}}, exact_period},
};

/* ---- a clock --------------------------------------------------------------------------------- */

static int clock_force(double t, const double *q, const double *v, double *f, void *context)
{
    const keel_frame *frame = context;
    const double *parameters = frame->context, T = frame->parameters[0], g = parameters[GRAVITY];
    const double energy = (v[0] * v[0] + v[1] * v[1]) / (2 * T * T) + g * q[1];
    const double drive = parameters[DRIVE] * T * (-g * cos(parameters[AMPLITUDE]) - energy);
    (void)t;
    f[0] = drive * v[0];
    f[1] = drive * v[1] - g * T * T;
    return 0;
}

static int clock_create(keel_problem **problem, const double *parameters)
{
    const double start = small_period(parameters);
    keel_mechanical_spec spec = {
        .force = clock_force, .names = (const char *const[]){"u1", "u2", "v1", "v2", "lambda"},
        .context = (void *)parameters,
        .frame = {.parameters = 1, .parameter_start = &start,
                  .parameter_names = (const char *const[]){"period"}}};
    pendulum_rod(&spec);
    return keel_mechanical(problem, &spec);
}

static int clock_condition(const double *ya, const double *yb, const double *p, double *b,
                           void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0] - ya[0];
    b[2] = yb[2] - ya[2];
    return 0;
}

const keel_target problem_pendulum_clock = {
    .name = "pendulum-clock",
    .title = "the limit cycle of a pendulum that is driven and braked",
    .source = "the pendulum of Landau & Lifshitz, Mechanics, section 11, with a regulator",
    .remark = "  keel bvp pendulum-clock --multipliers\n",
    .index = 3, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 3, .bounds = (const double[][2]){{1e-6, 1e6}, {1e-3, 2}, {0, 1e3}},
    .parameters = (const keel_parameter[]){
        {"gravity", 9.81, "gravity over the length of the rod"},
        {"amplitude", 1, "largest angle, up to 2"},
        {"drive", 0.02, "force over energy that is missing and velocity"}},
    .create = clock_create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 3, .condition = clock_condition, .parameters = 1, .guess = guess,
        .condition_names = (const char *const[]){"u1(0) = 0", "u1(1) = u1(0)", "v1(1) = v1(0)"}},
        exact_period},
};
