/* elastica.c -- a rod that buckles under a load at its pinned ends, Euler's elastica.
 *
 *   u' = m,  m' = -lambda y,  0 = y - sin u,   m(0) = m(1) = 0
 *
 * u is the angle to the line of the load, along a rod of length 1, m its bending moment.  It stays
 * straight, u = 0, for every load; at lambda = (n pi)^2 bent shapes branch off.  Those of the first
 * branch are
 *   u = 2 asin(k cd(sqrt(lambda) t)),   2 K(k) = sqrt(lambda),   u(0) = 2 asin k.
 * L. Euler, Methodus inveniendi lineas curvas, 1744, additamentum I; A. E. H. Love, A Treatise on the
 * Mathematical Theory of Elasticity, 4th ed. 1927, sections 262-263.
 */
#include <math.h>

#include "problems/boundary.h"

enum { SIZE = 3 };

static int rhs(double t, const double *x, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = x[1];
    f[1] = -framed_parameter(context) * y[0];
    return 0;
}

static int constraint(double t, const double *x, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] - sin(x[0]);
    return 0;
}

static int jacobian(double t, const double *x, const double *y, keel_matrix *fg_xy, void *context)
{
    (void)t, (void)y;
    keel_put(fg_xy, 0, 1, 1);
    keel_put(fg_xy, 1, 2, -framed_parameter(context));
    keel_put(fg_xy, 2, 0, -cos(x[0]));
    keel_put(fg_xy, 2, 2, 1);
    return 0;
}

static const char *const parameter_names[] = {"lambda"};

static int create(keel_problem **problem, const double *parameters)
{
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = rhs, .constraint = constraint,
        .jacobian = jacobian, .names = (const char *const[]){"u", "m", "y"},
        .frame = {.parameters = 1, .parameter_start = parameters,
                  .parameter_names = parameter_names}});
}

/* 2 K(k) = sqrt(lambda), by bisection; 0 where the rod is straight. */
static double modulus(double lambda)
{
    double below = 0, above = 1;
    if (sqrt(lambda) <= 2 * elliptic_quarter(0)) return 0;
    for (int i = 0; i < 60; i++) {
        const double k = (below + above) / 2;
        if (2 * elliptic_quarter(k) < sqrt(lambda)) below = k;
        else above = k;
    }
    return below;
}

static void exact(const double *parameters, double t, double *y)
{
    const double root = sqrt(parameters[0]), k = modulus(parameters[0]);
    double sn, cn, dn;
    elliptic_functions(root * t + elliptic_quarter(k), k, &sn, &cn, &dn);
    y[0] = 2 * asin(k * sn);
    y[1] = 2 * k * root * cn;
    y[2] = sin(y[0]);
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[1];
    b[1] = yb[1];
    return 0;
}

static int guess(double t, double *y, double *p, void *context)
{
    const double pi = 3.14159265358979323846, u = 2 * cos(pi * t);
    (void)p, (void)context;
    y[0] = u;
    y[1] = -2 * pi * sin(pi * t);
    y[2] = sin(u);
    return 0;
}

const keel_target problem_elastica = {
    .name = "elastica",
    .title = "Euler's elastica: a rod that buckles",
    .source = "Euler, Methodus inveniendi lineas curvas, 1744, additamentum I",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"lambda", 15, "load"}},
    .bounds = (const double[][2]){{0.1, 60}},
    .remark = "  keel bvp elastica --continue lambda=5:45 --arclength     straight; branch points\n"
              "  keel bvp elastica --continue lambda=30:5 --arclength     bent, to one side and the other\n",
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = condition, .guess = guess,
        .condition_names = (const char *const[]){"m(0) = 0", "m(1) = 0"}}, NULL},
};
