/* ascher_petzold.c -- linear index-2 problem whose oblique projector has norm O(L).
 *
 *   x1' = (L - 1/(2-t)) x1 + (2-t) L y + (3-t)/(2-t) e^t
 *   x2' = (1-L)/(t-2) x1 - x2 + (L-1) y + 2 e^t
 *   0   = (t+2) x1 + (t^2-4) x2 - (t^2+t-2) e^t
 *
 * Exact x1 = x2 = e^t, y = -e^t/(2-t).  On the manifold perturbations decay like e^(-L t);
 * g_x f_y = 4 - t^2 does not depend on L although f_y = O(L).  One condition is free: x1(0) = 1, or
 * with L = -50, stable only as a boundary value problem, x1(1) = e, or x1(0) + x1(1) = 1 + e.
 * Ascher & Petzold, Projected implicit Runge-Kutta methods for differential-algebraic boundary
 * value problems, report UCRL-JC-104926, Livermore 1990, section 4, with the inhomogeneity
 * that fits this solution (a fraction is lost in print).
 */
#include <math.h>

#include "problems/circuits.h"

enum { DIFFERENTIAL = 2, MULTIPLIERS = 1, SIZE = DIFFERENTIAL + MULTIPLIERS };

static int rhs(double t, const double *x, const double *y, double *f, void *context)
{
    const double L = *(const double *)context, s = 2 - t;
    f[0] = (L - 1 / s) * x[0] + s * L * y[0] + (3 - t) / s * exp(t);
    f[1] = (L - 1) / s * x[0] - x[1] + (L - 1) * y[0] + 2 * exp(t);
    return 0;
}

static int constraint(double t, const double *x, double *g, void *context)
{
    (void)context;
    g[0] = (t + 2) * x[0] + (t * t - 4) * x[1] - (t * t + t - 2) * exp(t);
    return 0;
}

static int constraint_jacobian(double t, const double *x, double *g_x, void *context)
{
    (void)x, (void)context;
    g_x[0] = t + 2;
    g_x[1] = t * t - 4;
    return 0;
}

static int constraint_time(double t, const double *x, double *g_t, void *context)
{
    (void)context;
    g_t[0] = x[0] + 2 * t * x[1] - (t * t + 3 * t - 1) * exp(t);
    return 0;
}

static int jacobian(double t, const double *x, const double *y, keel_matrix *fg_xy, void *context)
{
    const double L = *(const double *)context, s = 2 - t;
    (void)x, (void)y;
    keel_put(fg_xy, 0, 0, L - 1 / s);
    keel_put(fg_xy, 0, 2, s * L);
    keel_put(fg_xy, 1, 0, (L - 1) / s);
    keel_put(fg_xy, 1, 1, -1);
    keel_put(fg_xy, 1, 2, L - 1);
    keel_put(fg_xy, 2, 0, t + 2);
    keel_put(fg_xy, 2, 1, t * t - 4);
    return 0;
}

static const char *const names[SIZE] = { "x1", "x2", "y" };

const keel_hessenberg2_spec problem_ascher_petzold_spec = {
    .differential = DIFFERENTIAL, .multipliers = MULTIPLIERS,
    .rhs = rhs, .constraint = constraint,
    .constraint_jacobian = constraint_jacobian, .constraint_time = constraint_time,
    .jacobian = jacobian, .names = names
};

static int create(keel_problem **problem, const double *parameters)
{
    keel_hessenberg2_spec spec = problem_ascher_petzold_spec;
    spec.context = (void *)parameters;
    return keel_hessenberg2(problem, &spec);
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = y[1] = exp(t);
    y[2] = -exp(t) / (2 - t);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

static const keel_parameter parameters_[] = {
    { "L", 50, "decay rate on the manifold; the projector has norm O(L)" }
};

/* ---- as boundary value problems ------------------------------------------------------------- */

static int at_the_left(const double *ya, const double *yb, const double *p, double *b,
                       void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 1;
    return 0;
}

static int at_the_right(const double *ya, const double *yb, const double *p, double *b,
                        void *context)
{
    (void)ya, (void)p, (void)context;
    b[0] = yb[0] - exp(1);
    return 0;
}

static int at_both(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] + yb[0] - (1 + exp(1));
    return 0;
}

static const char source[] =
    "Ascher & Petzold 1990, UCRL-JC-104926, section 4 (inhomogeneity corrected)";
static const unsigned char counts[SIZE] = { 1, 1, 1 };

const keel_target problem_ascher_petzold = {
    .name = "ascher-petzold",
    .title = "linear index-2 problem with an oblique projector of norm O(L)",
    .source = source,
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 1, .parameters = parameters_,
    .create = create, .start = start, .exact = exact,
    .counts = counts,
    .boundary = &(const keel_boundary_target){ &(const keel_boundary_spec){
        .conditions = 1, .condition = at_the_left,
        .condition_names = (const char *const[]){ "x1(0) = 1" } }, NULL }
};

const keel_target problem_ascher_petzold_two_point = {
    .name = "ascher-petzold-two-point",
    .title = "Ascher & Petzold's index-2 problem, growing, its condition at the right end",
    .source = source,
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){
        { "L", -50, "decay rate on the manifold: it grows; the projector has norm O(L)" } },
    .create = create, .exact = exact, .counts = counts,
    .boundary = &(const keel_boundary_target){ &(const keel_boundary_spec){
        .conditions = 1, .condition = at_the_right,
        .condition_names = (const char *const[]){ "x1(1) = e" } }, NULL }
};

const keel_target problem_ascher_petzold_nonseparated = {
    .name = "ascher-petzold-nonseparated",
    .title = "Ascher & Petzold's index-2 problem, one condition on both ends",
    .source = source,
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 1, .parameters = parameters_,
    .live_parameters = 1,
    .create = create, .exact = exact, .counts = counts,
    .boundary = &(const keel_boundary_target){ &(const keel_boundary_spec){
        .conditions = 1, .condition = at_both,
        .condition_names = (const char *const[]){ "x1(0) + x1(1) = 1 + e" } }, NULL }
};
