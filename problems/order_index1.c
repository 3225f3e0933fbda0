/* order_index1.c -- semi-explicit index-1 problem with a chosen solution.
 *
 *   y' = F(y,z) - F(x) + x',    F = (-y1 z2 + sin y2,  y1 y2 - z1^2 / 2)
 *   0  = G(y,z) - G(x),         G = (z1 + 0.3 z1 z2 - y1 y2,  z2 + 0.2 z1^2 + y2^2 / 2 - y1)
 *
 * det G_z = 1 + 0.3 z2 - 0.12 z1^2 > 0.8 along the solution x.
 */
#include "problems/order.h"

enum { DIFFERENTIAL = 2, ALGEBRAIC = 2, SIZE = DIFFERENTIAL + ALGEBRAIC };

static const order_curve curve[SIZE] = {
    {0.5, 2.3, 0.4}, {0.4, 1.9, 1.3}, {0.5, 2.7, 2.5}, {0.4, 2.1, 0.9},
};

static void drift(const double *y, const double *z, double *F)
{
    F[0] = -y[0] * z[1] + sin(y[1]);
    F[1] = y[0] * y[1] - z[0] * z[0] / 2;
}

static void balance(const double *y, const double *z, double *G)
{
    G[0] = z[0] + 0.3 * z[0] * z[1] - y[0] * y[1];
    G[1] = z[1] + 0.2 * z[0] * z[0] + y[1] * y[1] / 2 - y[0];
}

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    double x[SIZE], rate[DIFFERENTIAL], F[DIFFERENTIAL];
    (void)context;
    order_values(curve, SIZE, t, x);
    order_rates(curve, DIFFERENTIAL, t, rate);
    drift(x, x + DIFFERENTIAL, F);
    drift(y, z, f);
    for (int i = 0; i < DIFFERENTIAL; i++) f[i] += rate[i] - F[i];
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    double x[SIZE], G[ALGEBRAIC];
    (void)context;
    order_values(curve, SIZE, t, x);
    balance(x, x + DIFFERENTIAL, G);
    balance(y, z, g);
    for (int i = 0; i < ALGEBRAIC; i++) g[i] -= G[i];
    return 0;
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *fg_yz, void *context)
{
    (void)t, (void)context;
    keel_put(fg_yz, 0, 0, -z[1]);
    keel_put(fg_yz, 0, 1, cos(y[1]));
    keel_put(fg_yz, 0, 3, -y[0]);
    keel_put(fg_yz, 1, 0, y[1]);
    keel_put(fg_yz, 1, 1, y[0]);
    keel_put(fg_yz, 1, 2, -z[0]);
    keel_put(fg_yz, 2, 0, -y[1]);
    keel_put(fg_yz, 2, 1, -y[0]);
    keel_put(fg_yz, 2, 2, 1 + 0.3 * z[1]);
    keel_put(fg_yz, 2, 3, 0.3 * z[0]);
    keel_put(fg_yz, 3, 0, -1);
    keel_put(fg_yz, 3, 1, y[1]);
    keel_put(fg_yz, 3, 2, 0.4 * z[0]);
    keel_put(fg_yz, 3, 3, 1);
    return 0;
}

const keel_semi_explicit_spec problem_order_index1_spec = {
    .differential = DIFFERENTIAL, .algebraic = ALGEBRAIC,
    .rhs = rhs, .constraint = constraint, .jacobian = jacobian,
};

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_semi_explicit(problem, &problem_order_index1_spec);
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    order_values(curve, SIZE, t, y);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

const keel_target problem_order_index1 = {
    .name = "order-index1",
    .title = "semi-explicit index-1 problem with a chosen solution, for measuring orders",
    .source = "Keel; forces that make given curves the solution",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 2,
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[SIZE]){1, 1, 1, 1},
};
