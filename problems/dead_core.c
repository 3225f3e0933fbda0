/* dead_core.c -- a free boundary: a slab in which what diffuses is used up has a core without any.
 *
 *   u' = s y,  j' = s,  0 = j - (1 + u) y,   u(0) = 1,  u(1) = 0,  j(1) = 0
 *
 * in the coordinate x/s, s the unknown place where the core begins, with a diffusivity 1 + u and a
 * reaction of rate 1.  u + u^2/2 = (s - x)^2/2, so that s = sqrt(3).
 * R. Aris, The Mathematical Theory of Diffusion and Reaction in Permeable Catalysts, vol. 1, 1975
 * (dead cores).
 */
#include <math.h>

#include "problems/boundary.h"

enum { SIZE = 3 };

static int rhs(double r, const double *x, const double *y, double *f, void *context)
{
    const double s = framed_parameter(context);
    (void)r, (void)x;
    f[0] = s * y[0];
    f[1] = s;
    return 0;
}

static int flux(double r, const double *x, const double *y, double *g, void *context)
{
    (void)r, (void)context;
    g[0] = x[1] - (1 + x[0]) * y[0];
    return 0;
}

static int jacobian(double r, const double *x, const double *y, keel_matrix *fg_xy, void *context)
{
    (void)r;
    keel_put(fg_xy, 0, 2, framed_parameter(context));
    keel_put(fg_xy, 2, 0, -y[0]);
    keel_put(fg_xy, 2, 1, 1);
    keel_put(fg_xy, 2, 2, -1 - x[0]);
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    static const double start = 1;
    (void)parameters;
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = rhs, .constraint = flux, .jacobian = jacobian,
        .names = (const char *const[]){"u", "j", "slope"},
        .frame = {.parameters = 1, .parameter_start = &start,
                  .parameter_names = (const char *const[]){"s"}}});
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[0];
    b[2] = yb[1];
    return 0;
}

static int guess(double r, double *y, double *p, void *context)
{
    (void)context;
    y[0] = 1 - r;
    y[1] = y[2] = -1;
    p[0] = 1;
    return 0;
}

static void exact(const double *parameters, double r, double *y)
{
    const double left = sqrt(3) * (1 - r);       /* s - x */
    (void)parameters;
    y[0] = left * left / (1 + sqrt(1 + left * left));
    y[1] = -left;
    y[2] = -left / (1 + y[0]);
}

static void exact_place(const double *parameters, double *p)
{
    (void)parameters;
    p[0] = sqrt(3);
}

const keel_target problem_dead_core = {
    .name = "dead-core",
    .title = "a free boundary: where the core of a slab is empty",
    .source = "Aris, Diffusion and Reaction in Permeable Catalysts, vol. 1, 1975",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 1,
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 3, .condition = condition, .parameters = 1, .guess = guess,
        .condition_names = (const char *const[]){"u(0) = 1", "u(s) = 0", "j(s) = 0"}}, exact_place},
};
