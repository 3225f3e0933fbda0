/* singular_control.c -- a singular problem of optimal control, of index 2 and 3.
 *
 *   minimise 1/2 int_0^1 x1^2 + x2^2 dt,  x1' = x2,  x2' = u,  x1(0) = 1
 *
 * The Hamiltonian is linear in u, so that its derivative p2 must vanish:
 *   x1' = x2,  x2' = u,  p1' = -x1,  p2' = -x2 - p1,  0 = p2      index 3
 *   x1' = x2,  x2' = u,  p1' = -x1,  0 = x2 + p1                  index 2
 * with p1(1) = 0.  Solution x1 = u = cosh(1-t)/cosh 1, p1 = -x2 = sinh(1-t)/cosh 1, p2 = 0.
 * A. E. Bryson & Y.-C. Ho, Applied Optimal Control, 1975, chapter 8 (singular arcs).
 */
#include <math.h>

#include "problems/boundary.h"

/* ---- index 2: (x1, x2, p1), u ---------------------------------------------------------------- */

static int rhs(double t, const double *x, const double *u, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = x[1];
    f[1] = u[0];
    f[2] = -x[0];
    return 0;
}

static int constraint(double t, const double *x, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = x[1] + x[2];
    return 0;
}

static int constraint_jacobian(double t, const double *x, double *g_x, void *context)
{
    (void)t, (void)x, (void)context;
    g_x[0] = 0;
    g_x[1] = g_x[2] = 1;
    return 0;
}

static int constraint_time(double t, const double *x, double *g_t, void *context)
{
    (void)t, (void)x, (void)context;
    g_t[0] = 0;
    return 0;
}

static int jacobian(double t, const double *x, const double *u, keel_matrix *fg_xu, void *context)
{
    (void)t, (void)x, (void)u, (void)context;
    keel_put(fg_xu, 0, 1, 1);
    keel_put(fg_xu, 1, 3, 1);
    keel_put(fg_xu, 2, 0, -1);
    keel_put(fg_xu, 3, 1, 1);
    keel_put(fg_xu, 3, 2, 1);
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){
        .differential = 3, .multipliers = 1, .rhs = rhs, .constraint = constraint,
        .constraint_jacobian = constraint_jacobian, .constraint_time = constraint_time,
        .jacobian = jacobian, .names = (const char *const[]){"x1", "x2", "p1", "u"}});
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = y[3] = cosh(1 - t) / cosh(1);
    y[2] = sinh(1 - t) / cosh(1);
    y[1] = -y[2];
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[2];
    return 0;
}

/* ---- index 3: (p2), (x1, x2, p1), u ---------------------------------------------------------- */

static int switching_rate(double t, const double *p2, const double *x, double *f, void *context)
{
    (void)t, (void)p2, (void)context;
    f[0] = -x[1] - x[2];
    return 0;
}

static int state_rate(double t, const double *p2, const double *x, const double *u, double *k,
                      void *context)
{
    (void)p2;
    return rhs(t, x, u, k, context);
}

static int vanishing(double t, const double *p2, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = p2[0];
    return 0;
}

static int create3(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_hessenberg3(problem, &(keel_hessenberg3_spec){
        .positions = 1, .velocities = 3, .multipliers = 1, .position_rate = switching_rate,
        .velocity_rate = state_rate, .constraint = vanishing,
        .names = (const char *const[]){"p2", "x1", "x2", "p1", "u"}});
}

static void exact3(const double *parameters, double t, double *y)
{
    y[0] = 0;
    exact(parameters, t, y + 1);
}

static int condition3(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    return condition(ya + 1, yb + 1, p, b, context);
}

static const char source[] = "Bryson & Ho, Applied Optimal Control, 1975, chapter 8";
static const char *const condition_names[] = {"x1(0) = 1", "p1(1) = 0"};

const keel_target problem_singular_control = {
    .name = "singular-control",
    .title = "singular optimal control, index 2",
    .source = source,
    .index = 2, .size = 4, .t_start = 0, .t_end = 1,
    .create = create, .exact = exact, .counts = (const unsigned char[]){1, 1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = condition, .condition_names = condition_names}, NULL},
};

const keel_target problem_singular_control_index3 = {
    .name = "singular-control-index3",
    .title = "singular optimal control as it stands, index 3",
    .source = source,
    .index = 3, .size = 5, .t_start = 0, .t_end = 1,
    .create = create3, .exact = exact3, .counts = (const unsigned char[]){1, 1, 1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = condition3, .condition_names = condition_names}, NULL},
};
