/* order_index2.c -- Hessenberg index-2 problems with a chosen solution, f linear or not in z.
 *
 *   y' = F(y,z) - F(x) + x',   F_i = A_i(y) + D_i(y) (z + e_i z^2)
 *        A = (-y2 y3,  y1 - y2^2 / 2,  sin(y1 y2) - y3),  D = (1 + 0.2 y3,  0.4 y2,  -0.1 y1)
 *   0  = G(y) - G(x),          G = y1 y2 + y3^2 / 2
 *
 * with e = 0, or e = (0.15, 0.5, -0.3): then z turns the direction f_z, too.  G_y f_z > 0.7 along
 * the solution x.
 */
#include "problems/order.h"

enum { DIFFERENTIAL = 3, MULTIPLIERS = 1, SIZE = DIFFERENTIAL + MULTIPLIERS };

static const order_curve curve[SIZE] = {
    {0.5, 2.3, 0.4}, {0.4, 1.9, 1.3}, {0.5, 2.7, 2.5}, {0.5, 2.1, 0.9},
};

static const double linear[DIFFERENTIAL] = {0, 0, 0}, nonlinear[DIFFERENTIAL] = {0.15, 0.5, -0.3};

static void drift(const double *e, const double *y, double z, double *F)
{
    F[0] = -y[1] * y[2] + (1 + 0.2 * y[2]) * (z + e[0] * z * z);
    F[1] = y[0] - y[1] * y[1] / 2 + 0.4 * y[1] * (z + e[1] * z * z);
    F[2] = sin(y[0] * y[1]) - y[2] - 0.1 * y[0] * (z + e[2] * z * z);
}

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    double x[SIZE], rate[DIFFERENTIAL], F[DIFFERENTIAL];
    order_values(curve, SIZE, t, x);
    order_rates(curve, DIFFERENTIAL, t, rate);
    drift(context, x, x[DIFFERENTIAL], F);
    drift(context, y, z[0], f);
    for (int i = 0; i < DIFFERENTIAL; i++) f[i] += rate[i] - F[i];
    return 0;
}

static int constraint(double t, const double *y, double *g, void *context)
{
    double x[DIFFERENTIAL];
    (void)context;
    order_values(curve, DIFFERENTIAL, t, x);
    g[0] = y[0] * y[1] - x[0] * x[1] + (y[2] * y[2] - x[2] * x[2]) / 2;
    return 0;
}

static int constraint_jacobian(double t, const double *y, double *g_y, void *context)
{
    (void)t, (void)context;
    g_y[0] = y[1];
    g_y[1] = y[0];
    g_y[2] = y[2];
    return 0;
}

static int constraint_time(double t, const double *y, double *g_t, void *context)
{
    double x[DIFFERENTIAL], rate[DIFFERENTIAL];
    (void)y, (void)context;
    order_values(curve, DIFFERENTIAL, t, x);
    order_rates(curve, DIFFERENTIAL, t, rate);
    g_t[0] = -(x[1] * rate[0] + x[0] * rate[1] + x[2] * rate[2]);
    return 0;
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *fg_yz, void *context)
{
    const double *e = context, c = cos(y[0] * y[1]), l = z[0];
    (void)t;
    keel_put(fg_yz, 0, 1, -y[2]);
    keel_put(fg_yz, 0, 2, -y[1] + 0.2 * (l + e[0] * l * l));
    keel_put(fg_yz, 0, 3, (1 + 0.2 * y[2]) * (1 + 2 * e[0] * l));
    keel_put(fg_yz, 1, 0, 1);
    keel_put(fg_yz, 1, 1, -y[1] + 0.4 * (l + e[1] * l * l));
    keel_put(fg_yz, 1, 3, 0.4 * y[1] * (1 + 2 * e[1] * l));
    keel_put(fg_yz, 2, 0, c * y[1] - 0.1 * (l + e[2] * l * l));
    keel_put(fg_yz, 2, 1, c * y[0]);
    keel_put(fg_yz, 2, 2, -1);
    keel_put(fg_yz, 2, 3, -0.1 * y[0] * (1 + 2 * e[2] * l));
    keel_put(fg_yz, 3, 0, y[1]);
    keel_put(fg_yz, 3, 1, y[0]);
    keel_put(fg_yz, 3, 2, y[2]);
    return 0;
}

#define SPEC(E)                                                                                  \
    {.differential = DIFFERENTIAL, .multipliers = MULTIPLIERS, .rhs = rhs,                       \
     .constraint = constraint, .constraint_jacobian = constraint_jacobian,                       \
     .constraint_time = constraint_time, .jacobian = jacobian, .context = (void *)(E)}

const keel_hessenberg2_spec problem_order_index2_spec = SPEC(linear);
const keel_hessenberg2_spec problem_order_index2_nonlinear_spec = SPEC(nonlinear);

static int create_linear(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_hessenberg2(problem, &problem_order_index2_spec);
}

static int create_nonlinear(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_hessenberg2(problem, &problem_order_index2_nonlinear_spec);
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    order_values(curve, SIZE, t, y);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

static const unsigned char counts[SIZE] = {1, 1, 1, 1};

const keel_target problem_order_index2 = {
    .name = "order-index2",
    .title = "index-2 problem linear in z with a chosen solution, for measuring orders",
    .source = "Keel; forces that make given curves the solution",
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 2,
    .create = create_linear, .start = start, .exact = exact, .counts = counts,
};

const keel_target problem_order_index2_nonlinear = {
    .name = "order-index2-nonlinear",
    .title = "index-2 problem nonlinear in z with a chosen solution, for measuring orders",
    .source = "Keel; forces that make given curves the solution",
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 2,
    .create = create_nonlinear, .start = start, .exact = exact, .counts = counts,
};
