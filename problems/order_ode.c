/* order_ode.c -- ODE with a chosen solution.
 *
 *   y' = F(y) + r(t),   F = (-y1 y3 + y2,  sin(y1 y2) - y3,  y1^2 - y2 y3),   r = x' - F(x)
 */
#include "problems/order.h"

enum { SIZE = 3 };

static const order_curve curve[SIZE] = {{0.5, 2.3, 0.4}, {0.4, 1.9, 1.3}, {0.5, 2.7, 2.5}};

static void drift(const double *y, double *F)
{
    F[0] = -y[0] * y[2] + y[1];
    F[1] = sin(y[0] * y[1]) - y[2];
    F[2] = y[0] * y[0] - y[1] * y[2];
}

static int rhs(double t, const double *y, double *f, void *context)
{
    double x[SIZE], rate[SIZE], F[SIZE];
    (void)context;
    order_values(curve, SIZE, t, x);
    order_rates(curve, SIZE, t, rate);
    drift(x, F);
    drift(y, f);
    for (int i = 0; i < SIZE; i++) f[i] += rate[i] - F[i];
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    const double c = cos(y[0] * y[1]);
    (void)t, (void)context;
    keel_put(f_y, 0, 0, -y[2]);
    keel_put(f_y, 0, 1, 1);
    keel_put(f_y, 0, 2, -y[0]);
    keel_put(f_y, 1, 0, c * y[1]);
    keel_put(f_y, 1, 1, c * y[0]);
    keel_put(f_y, 1, 2, -1);
    keel_put(f_y, 2, 0, 2 * y[0]);
    keel_put(f_y, 2, 1, -y[2]);
    keel_put(f_y, 2, 2, -y[1]);
    return 0;
}

const keel_ode_spec problem_order_ode_spec = {.size = SIZE, .rhs = rhs, .jacobian = jacobian};

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_ode(problem, &problem_order_ode_spec);
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    order_values(curve, SIZE, t, y);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

const keel_target problem_order_ode = {
    .name = "order-ode",
    .title = "ODE with a chosen solution, for measuring orders",
    .source = "Keel; forces that make given curves the solution",
    .index = 0, .size = SIZE, .t_start = 0, .t_end = 2,
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[SIZE]){1, 1, 1},
};
