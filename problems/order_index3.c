/* order_index3.c -- Hessenberg index-3 problems with a chosen solution, k linear or not in l.
 *
 *   u' = F(u,v) - F(x) + x_u',      F = (v1 (1 + 0.2 u2) + 0.3 u3,  v2 + 0.2 v1^2 - u1 u2,
 *                                        0.3 v1 v2 + sin u1)
 *   v' = K(u,v,l) - K(x) + x_v',    K_i = A_i + D_i (l + e_i l^2),
 *        A = (-u1 v2,  u2 u3 - v1 v2),  D = (1 + 0.2 u3,  0.3 u1 + 0.1 u2)
 *   0  = G(u) - G(x_u),             G = u1 + 0.3 u1 u2 + u3^2 / 4
 *
 * with e = 0, or e = (0.25, -0.3): then l turns the direction k_l, too.  That k_l does not depend
 * on v matters: otherwise even for e = 0 methods whose v is of low order lose one (Lobatto IIIC).
 * G_u f_v k_l > 0.9 along the solution x = (x_u, x_v, x_l).
 */
#include "problems/order.h"

enum { U = 3, V = 2, MULTIPLIERS = 1, SIZE = U + V + MULTIPLIERS };

static const order_curve curve[SIZE] = {
    {0.5, 2.3, 0.4}, {0.4, 1.9, 1.3}, {0.5, 2.7, 2.5},
    {0.4, 2.1, 0.9}, {0.5, 1.7, 2.0},
    {0.5, 2.5, 1.7},
};

static const double linear[V] = {0, 0}, nonlinear[V] = {0.25, -0.3};

static void position_drift(const double *u, const double *v, double *F)
{
    F[0] = v[0] * (1 + 0.2 * u[1]) + 0.3 * u[2];
    F[1] = v[1] + 0.2 * v[0] * v[0] - u[0] * u[1];
    F[2] = 0.3 * v[0] * v[1] + sin(u[0]);
}

static void velocity_drift(const double *e, const double *u, const double *v, double l, double *K)
{
    K[0] = -u[0] * v[1] + (1 + 0.2 * u[2]) * (l + e[0] * l * l);
    K[1] = u[1] * u[2] - v[0] * v[1] + (0.3 * u[0] + 0.1 * u[1]) * (l + e[1] * l * l);
}

static int position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    double x[U + V], rate[U], F[U];
    (void)context;
    order_values(curve, U + V, t, x);
    order_rates(curve, U, t, rate);
    position_drift(x, x + U, F);
    position_drift(u, v, f);
    for (int i = 0; i < U; i++) f[i] += rate[i] - F[i];
    return 0;
}

static int velocity_rate(double t, const double *u, const double *v, const double *l,
                         double *k, void *context)
{
    double x[SIZE], rate[V], K[V];
    order_values(curve, SIZE, t, x);
    order_rates(curve + U, V, t, rate);
    velocity_drift(context, x, x + U, x[U + V], K);
    velocity_drift(context, u, v, l[0], k);
    for (int i = 0; i < V; i++) k[i] += rate[i] - K[i];
    return 0;
}

static int constraint(double t, const double *u, double *g, void *context)
{
    double x[U];
    (void)context;
    order_values(curve, U, t, x);
    g[0] = u[0] - x[0] + 0.3 * (u[0] * u[1] - x[0] * x[1]) + (u[2] * u[2] - x[2] * x[2]) / 4;
    return 0;
}

static int constraint_jacobian(double t, const double *u, double *g_u, void *context)
{
    (void)t, (void)context;
    g_u[0] = 1 + 0.3 * u[1];
    g_u[1] = 0.3 * u[0];
    g_u[2] = u[2] / 2;
    return 0;
}

static int constraint_time(double t, const double *u, double *g_t, void *context)
{
    double x[U], rate[U];
    (void)u, (void)context;
    order_values(curve, U, t, x);
    order_rates(curve, U, t, rate);
    g_t[0] = -((1 + 0.3 * x[1]) * rate[0] + 0.3 * x[0] * rate[1] + x[2] / 2 * rate[2]);
    return 0;
}

static int jacobian(double t, const double *u, const double *v, const double *l,
                    keel_matrix *fkg_uvl, void *context)
{
    enum { V1 = U, V2, L, K1 = U, K2, G };
    const double *e = context, bent[V] = {l[0] + e[0] * l[0] * l[0], l[0] + e[1] * l[0] * l[0]};
    (void)t;
    keel_put(fkg_uvl, 0, 1, 0.2 * v[0]);
    keel_put(fkg_uvl, 0, 2, 0.3);
    keel_put(fkg_uvl, 0, V1, 1 + 0.2 * u[1]);
    keel_put(fkg_uvl, 1, 0, -u[1]);
    keel_put(fkg_uvl, 1, 1, -u[0]);
    keel_put(fkg_uvl, 1, V1, 0.4 * v[0]);
    keel_put(fkg_uvl, 1, V2, 1);
    keel_put(fkg_uvl, 2, 0, cos(u[0]));
    keel_put(fkg_uvl, 2, V1, 0.3 * v[1]);
    keel_put(fkg_uvl, 2, V2, 0.3 * v[0]);
    keel_put(fkg_uvl, K1, 0, -v[1]);
    keel_put(fkg_uvl, K1, 2, 0.2 * bent[0]);
    keel_put(fkg_uvl, K1, V2, -u[0]);
    keel_put(fkg_uvl, K1, L, (1 + 0.2 * u[2]) * (1 + 2 * e[0] * l[0]));
    keel_put(fkg_uvl, K2, 0, 0.3 * bent[1]);
    keel_put(fkg_uvl, K2, 1, u[2] + 0.1 * bent[1]);
    keel_put(fkg_uvl, K2, 2, u[1]);
    keel_put(fkg_uvl, K2, V1, -v[1]);
    keel_put(fkg_uvl, K2, V2, -v[0]);
    keel_put(fkg_uvl, K2, L, (0.3 * u[0] + 0.1 * u[1]) * (1 + 2 * e[1] * l[0]));
    keel_put(fkg_uvl, G, 0, 1 + 0.3 * u[1]);
    keel_put(fkg_uvl, G, 1, 0.3 * u[0]);
    keel_put(fkg_uvl, G, 2, u[2] / 2);
    return 0;
}

#define SPEC(E)                                                                                  \
    {.positions = U, .velocities = V, .multipliers = MULTIPLIERS,                                \
     .position_rate = position_rate, .velocity_rate = velocity_rate, .constraint = constraint,   \
     .constraint_jacobian = constraint_jacobian, .constraint_time = constraint_time,             \
     .jacobian = jacobian, .context = (void *)(E)}

const keel_hessenberg3_spec problem_order_index3_spec = SPEC(linear);
const keel_hessenberg3_spec problem_order_index3_nonlinear_spec = SPEC(nonlinear);

static int create_linear(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_hessenberg3(problem, &problem_order_index3_spec);
}

static int create_nonlinear(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_hessenberg3(problem, &problem_order_index3_nonlinear_spec);
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    order_values(curve, SIZE, t, y);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

static const unsigned char counts[SIZE] = {1, 1, 1, 1, 1, 1};

const keel_target problem_order_index3 = {
    .name = "order-index3",
    .title = "index-3 problem linear in lambda with a chosen solution, for measuring orders",
    .source = "Keel; forces that make given curves the solution",
    .index = 3, .size = SIZE, .t_start = 0, .t_end = 2,
    .create = create_linear, .start = start, .exact = exact, .counts = counts,
};

const keel_target problem_order_index3_nonlinear = {
    .name = "order-index3-nonlinear",
    .title = "index-3 problem nonlinear in lambda with a chosen solution, for measuring orders",
    .source = "Keel; forces that make given curves the solution",
    .index = 3, .size = SIZE, .t_start = 0, .t_end = 2,
    .create = create_nonlinear, .start = start, .exact = exact, .counts = counts,
};
