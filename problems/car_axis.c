/* car_axis.c -- a car axis of length L on two springs over a bumpy road, index 3.
 *
 *   K q'' = f(t,q) - G(t,q)^T lambda,   0 = g(t,q),   q = (xl, yl, xr, yr),   K = epsilon^2 m / 2
 *
 * The chassis (xl, yl), (xr, yr) stands on the wheels (0, 0) and (xb, yb)(t),
 * yb = r sin(w t), xb = sqrt(L^2 - yb^2):
 *
 *   g1 = -(xl xb + yl yb)                        left spring orthogonal to the axis
 *   g2 = L^2 - (xl - xr)^2 - (yl - yr)^2         length of the chassis
 *
 * The Test Set for IVP Solvers adds G^T lambda; the sign of g is chosen here such that the
 * multipliers are those of the test set.
 */
#include "problems/list.h"

#include <math.h>
#include <string.h>

enum { N = 4, M = 2 };

static const double L = 1, L0 = 0.5, r = 0.1, w = 10, m = 10, gravity = 1;

static double inertia(const double *parameters)
{
    return parameters[0] * parameters[0] * m / 2;
}

/* Right wheel with its first two derivatives. */
typedef struct wheel { double x, y, dx, dy, ddx, ddy; } wheel;

static wheel wheel_at(double t)
{
    wheel b;
    b.y = r * sin(w * t);
    b.dy = r * w * cos(w * t);
    b.ddy = -w * w * b.y;
    b.x = sqrt(L * L - b.y * b.y);
    b.dx = -b.y * b.dy / b.x;
    b.ddx = -(b.dx * b.dx + b.dy * b.dy + b.y * b.ddy) / b.x;
    return b;
}

/* Derivative of (L0/|s| - 1) s, s = (x, y), into a 2 x 2 block of an N x N matrix. */
static void spring_jacobian(double x, double y, double *block)
{
    const double length = hypot(x, y), a = L0 / length, b = a / (length * length);
    block[0] = a - 1 - b * x * x;
    block[1] = block[N] = -b * x * y;
    block[N + 1] = a - 1 - b * y * y;
}

static int force_jacobian(double t, const double *q, const double *v,
                          double *f_q, double *f_v, void *context)
{
    (void)v, (void)context;
    const wheel b = wheel_at(t);
    memset(f_q, 0, sizeof(double) * N * N);
    memset(f_v, 0, sizeof(double) * N * N);
    spring_jacobian(q[0], q[1], f_q);
    spring_jacobian(q[2] - b.x, q[3] - b.y, f_q + 2 * N + 2);
    return 0;
}

static void forces(const wheel *b, const double *q, double weight, double *f)
{
    const double rx = q[2] - b->x, ry = q[3] - b->y;
    const double left = L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1;
    const double right = L0 / sqrt(rx * rx + ry * ry) - 1;
    f[0] = left * q[0];
    f[1] = left * q[1] - weight;
    f[2] = right * rx;
    f[3] = right * ry - weight;
}

static void constraints(const wheel *b, const double *q, double *g)
{
    const double dx = q[0] - q[2], dy = q[1] - q[3];
    g[0] = -(q[0] * b->x + q[1] * b->y);
    g[1] = L * L - dx * dx - dy * dy;
}

static void constraint_jacobian(const wheel *b, const double *q, double *G)
{
    const double dx = q[0] - q[2], dy = q[1] - q[3];
    const double jacobian[M * N] = {
        -b->x, -b->y, 0, 0,
        -2 * dx, -2 * dy, 2 * dx, 2 * dy,
    };
    memcpy(G, jacobian, sizeof jacobian);
}

static void curvature(const wheel *b, const double *q, const double *v, double *gamma)
{
    const double dx = v[0] - v[2], dy = v[1] - v[3];
    gamma[0] = -2 * (v[0] * b->dx + v[1] * b->dy) - (q[0] * b->ddx + q[1] * b->ddy);
    gamma[1] = -2 * (dx * dx + dy * dy);
}

/* All parts share the position of the wheel. */
static int evaluate(double t, const double *q, const double *v, unsigned wanted,
                    const keel_mechanical_parts *parts, void *context)
{
    const wheel b = wheel_at(t);
    if (wanted & KEEL_MASS) {
        memset(parts->mass, 0, sizeof(double) * N * N);
        for (int i = 0; i < N; i++) parts->mass[i * N + i] = inertia(context);
    }
    if (wanted & KEEL_FORCE) forces(&b, q, inertia(context) * gravity, parts->force);
    if (wanted & KEEL_CONSTRAINT) constraints(&b, q, parts->constraint);
    if (wanted & KEEL_CONSTRAINT_JACOBIAN) constraint_jacobian(&b, q, parts->constraint_jacobian);
    if (wanted & KEEL_CONSTRAINT_TIME) {
        parts->constraint_time[0] = -(q[0] * b.dx + q[1] * b.dy);
        parts->constraint_time[1] = 0;
    }
    if (wanted & KEEL_CURVATURE) curvature(&b, q, v, parts->curvature);
    return 0;
}

keel_mechanical_spec problem_car_axis_spec(const double *parameters)
{
    static const char *const names[] = {
        "xl", "yl", "xr", "yr", "xl'", "yl'", "xr'", "yr'", "lambda1", "lambda2",
    };
    return (keel_mechanical_spec){
        .positions = N, .constraints = M,
        .evaluate = evaluate,
        .force_jacobian = force_jacobian,
        .constant_mass = 1,
        .names = names,
        .context = (void *)parameters,
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_car_axis_spec(parameters);
    return keel_mechanical(problem, &spec);
}

static void start(const double *parameters, double *y)
{
    static const double initial[2 * N + M] = {0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0, 0, 0};
    (void)parameters;
    memcpy(y, initial, sizeof initial);
}

static const double at_3[2 * N + M] = {
    0.049345578427524094, 0.4969894602300081, 1.0417425248854262, 0.3739110272653658,
    -0.07705836840359208, 0.007446866592068417, 0.017556815753541736, 0.7703410437796011,
    -0.004736886590853326, -0.0011046803312595658,
};

const keel_target problem_car_axis = {
    .name = "car-axis",
    .title = "Car axis on a bumpy road, time-dependent constraints",
    .source = "S. Schneider, Integration de systemes d'equations differentielles raides et "
              "differentielles-algebriques, thesis, Geneve 1994; Test Set for IVP Solvers 2.4",
    .index = 3, .size = 2 * N + M,
    .t_start = 0, .t_end = 3,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"epsilon", 0.01, "stiffness is 1 / epsilon^2"}},
    .live_parameters = 1,
    .create = create, .start = start,
    .counts = (const unsigned char[2 * N + M]){1, 1, 1, 1},
    .reference_count = 1,
    .references = (const keel_reference[]){
        {3, at_3, 15, "quad precision, extrapolation, three step sizes"},
    },
};
