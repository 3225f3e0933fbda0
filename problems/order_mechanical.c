/* order_mechanical.c -- constrained mechanical system with a chosen motion.
 *
 *   M(q) q'' = P(q,v) + r(t) - G^T l,   P = (-q1 q2 - 0.3 v1 v2,  sin q3 - 0.2 v2,  0.3 v1^2 - q3)
 *   0        = S(t,q) - S(t,x),         S = q1 q2 + q3^2 / 2 + 0.3 q1 sin t,   G = S_q
 *
 *       (2 + q2 / 2   0.3 q1   0              )
 *   M = (0.3 q1       1.5      0.2            ),   r = M(x) x'' - P(x,x') + G(t,x)^T x_l
 *       (0            0.2      1 + 0.2 q3^2   )
 *
 * Positions x and multiplier x_l are chosen, velocities are x'.
 */
#include "problems/order.h"

#include <string.h>

enum { N = 3, M = 1, SIZE = 2 * N + M };

static const order_curve position[N] = {{0.5, 2.3, 0.4}, {0.4, 1.9, 1.3}, {0.5, 2.7, 2.5}};
static const order_curve multiplier = {0.5, 2.1, 0.9};

static int mass(double t, const double *q, double *mass, void *context)
{
    const double m[N][N] = {
        {2 + q[1] / 2, 0.3 * q[0], 0},
        {0.3 * q[0], 1.5, 0.2},
        {0, 0.2, 1 + 0.2 * q[2] * q[2]},
    };
    (void)t, (void)context;
    memcpy(mass, m, sizeof m);
    return 0;
}

static void applied(const double *q, const double *v, double *P)
{
    P[0] = -q[0] * q[1] - 0.3 * v[0] * v[1];
    P[1] = sin(q[2]) - 0.2 * v[1];
    P[2] = 0.3 * v[0] * v[0] - q[2];
}

static int constraint_jacobian(double t, const double *q, double *G, void *context)
{
    (void)context;
    G[0] = q[1] + 0.3 * sin(t);
    G[1] = q[0];
    G[2] = q[2];
    return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    double x[N], rate[N], acceleration[N], x_l, m[N][N], P[N], G[N];
    order_values(position, N, t, x);
    order_rates(position, N, t, rate);
    order_accelerations(position, N, t, acceleration);
    order_values(&multiplier, M, t, &x_l);
    mass(t, x, m[0], context);
    constraint_jacobian(t, x, G, context);
    applied(x, rate, P);
    applied(q, v, f);
    for (int i = 0; i < N; i++) {
        f[i] += G[i] * x_l - P[i];
        for (int j = 0; j < N; j++) f[i] += m[i][j] * acceleration[j];
    }
    return 0;
}

static int force_jacobian(double t, const double *q, const double *v,
                          double *f_q, double *f_v, void *context)
{
    const double by_q[N][N] = {{-q[1], -q[0], 0}, {0, 0, cos(q[2])}, {0, 0, -1}};
    const double by_v[N][N] = {{-0.3 * v[1], -0.3 * v[0], 0}, {0, -0.2, 0}, {0.6 * v[0], 0, 0}};
    (void)t, (void)context;
    memcpy(f_q, by_q, sizeof by_q);
    memcpy(f_v, by_v, sizeof by_v);
    return 0;
}

static double surface(double t, const double *q)
{
    return q[0] * q[1] + q[2] * q[2] / 2 + 0.3 * q[0] * sin(t);
}

static int constraint(double t, const double *q, double *g, void *context)
{
    double x[N];
    (void)context;
    order_values(position, N, t, x);
    g[0] = surface(t, q) - surface(t, x);
    return 0;
}

static int constraint_time(double t, const double *q, double *g_t, void *context)
{
    double x[N], rate[N], G[N];
    order_values(position, N, t, x);
    order_rates(position, N, t, rate);
    constraint_jacobian(t, x, G, context);
    g_t[0] = 0.3 * cos(t) * (q[0] - x[0]);
    for (int i = 0; i < N; i++) g_t[0] -= G[i] * rate[i];
    return 0;
}

/* S_qq(v,v) + 2 S_qt v + S_tt */
static double bend(double t, const double *q, const double *v)
{
    return 2 * v[0] * v[1] + v[2] * v[2] + 0.6 * cos(t) * v[0] - 0.3 * q[0] * sin(t);
}

static int curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    double x[N], rate[N], acceleration[N], G[N];
    order_values(position, N, t, x);
    order_rates(position, N, t, rate);
    order_accelerations(position, N, t, acceleration);
    constraint_jacobian(t, x, G, context);
    gamma[0] = bend(t, q, v) - bend(t, x, rate);
    for (int i = 0; i < N; i++) gamma[0] -= G[i] * acceleration[i];
    return 0;
}

keel_mechanical_spec problem_order_mechanical_spec(const double *parameters)
{
    (void)parameters;
    return (keel_mechanical_spec){
        .positions = N, .constraints = M,
        .mass = mass, .force = force, .force_jacobian = force_jacobian,
        .constraint = constraint, .constraint_jacobian = constraint_jacobian,
        .constraint_time = constraint_time, .curvature = curvature,
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_order_mechanical_spec(parameters);
    return keel_mechanical(problem, &spec);
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    order_values(position, N, t, y);
    order_rates(position, N, t, y + N);
    order_values(&multiplier, M, t, y + 2 * N);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

const keel_target problem_order_mechanical = {
    .name = "order-mechanical",
    .title = "constrained mechanical system with a chosen motion, for measuring orders",
    .source = "Keel; forces that make given curves the solution",
    .index = 3, .size = SIZE, .t_start = 0, .t_end = 2,
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1, 1, 1},
};
