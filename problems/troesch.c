/* troesch.c -- Troesch's problem as equations of index 1.
 *
 *   u' = v,  v' = m y,  0 = y - sinh(m u),   u(0) = 0, u(1) = 1
 *
 *   sinh(m u/2) = (s/2) sc(m t),  s = v(0), for the modulus whose complement is s/2
 *   v^2 = s^2 + 4 sinh(m u/2)^2
 *
 * A pole just behind t = 1 makes it hard from m = 10 on.  s(5) = 0.0457504614, s(10) = 3.583378e-4.
 * Roberts & Shipman, J. Comput. Phys. 10 (1972) 232; B. A. Troesch, J. Comput. Phys. 21 (1976) 279.
 */
#include <math.h>

#include "problems/boundary.h"

enum { SIZE = 3 };

static int rhs(double t, const double *x, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = x[1];
    f[1] = framed_parameter(context) * y[0];
    return 0;
}

static int constraint(double t, const double *x, const double *y, double *g, void *context)
{
    (void)t;
    g[0] = y[0] - sinh(framed_parameter(context) * x[0]);
    return 0;
}

static int jacobian(double t, const double *x, const double *y, keel_matrix *fg_xy, void *context)
{
    const double m = framed_parameter(context);
    (void)t, (void)y;
    keel_put(fg_xy, 0, 1, 1);
    keel_put(fg_xy, 1, 2, m);
    keel_put(fg_xy, 2, 0, -m * cosh(m * x[0]));
    keel_put(fg_xy, 2, 2, 1);
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = rhs, .constraint = constraint,
        .jacobian = jacobian, .names = (const char *const[]){"u", "v", "y"},
        .frame = {.parameters = 1, .parameter_start = parameters,
                  .parameter_names = (const char *const[]){"m"}}});
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0] - 1;
    return 0;
}

/* The straight line. */
static int guess(double t, double *y, double *p, void *context)
{
    const double *parameters = context;
    (void)p;
    y[0] = t;
    y[1] = 1;
    y[2] = sinh(parameters[0] * t);
    return 0;
}

/* s, by bisection: (s/2) sc(m), which grows with s, becomes sinh(m/2). */
static double slope(double m)
{
    double below = 0, above = 1;
    for (;;) {
        const double s = below == 0 ? above / 16
                       : above > 2 * below ? sqrt(below * above) : (below + above) / 2;
        if (s == below || s == above) return s;
        if (s / 2 * elliptic_sc(m, s / 2) < sinh(m / 2)) below = s;
        else above = s;
    }
}

static void exact(const double *parameters, double t, double *y)
{
    const double m = parameters[0], s = slope(m);
    const double half = s / 2 * elliptic_sc(m * t, s / 2);
    y[0] = 2 / m * asinh(half);
    y[1] = sqrt(s * s + 4 * half * half);
    y[2] = 2 * half * sqrt(1 + half * half);
}

const keel_target problem_troesch = {
    .name = "troesch",
    .title = "Troesch's problem, with an algebraic unknown",
    .source = "Roberts & Shipman, J. Comput. Phys. 10 (1972) 232",
    .remark = "  keel bvp troesch --param m=10\n",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 1, .bounds = (const double[][2]){{1e-3, 30}},
    .parameters = (const keel_parameter[]){{"m", 5, "steepness; hard from 10 on"}},
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = condition, .condition_jacobian = first_at_both_ends,
        .guess = guess, .condition_names = (const char *const[]){"u(0) = 0", "u(1) = 1"}}, NULL},
};
