/* layers.c -- boundary layers and a turning point: singularly perturbed problems of second order as
 * equations of index 1.
 *
 * Layers at both ends, eps x1'' = x1 + cos^2(pi t) + 2 eps pi^2 cos(2 pi t), x1(0) = x1(1) = 0:
 *   x1' = y,  x2' = x1 + cos^2(pi t) + 2 eps pi^2 cos(2 pi t),  0 = eps y - x2
 *   x1 = (e^((t-1)/r) + e^(-t/r))/(1 + e^(-1/r)) - cos^2(pi t),  r = sqrt(eps)
 * Stoer & Bulirsch, Introduction to Numerical Analysis, chapter 7, for eps = 1/400.
 *
 * A layer inside, eps x1'' = -t x1' - eps pi^2 cos(pi t) - pi t sin(pi t), x1(-1) = -2, x1(1) = 0:
 *   x1' = y,  x2' = -t y - eps pi^2 cos(pi t) - pi t sin(pi t),  0 = eps y - x2
 *   x1 = cos(pi t) + erf(t/sqrt(2 eps))/erf(1/sqrt(2 eps))
 * P. W. Hemker, A Numerical Study of Stiff Two-Point Boundary Problems, Amsterdam 1977.
 */
#include <math.h>

#include "problems/boundary.h"

enum { SIZE = 3 };

static const double pi = 3.14159265358979323846;

static int layers_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    const double eps = framed_parameter(context), c = cos(pi * t);
    f[0] = y[0];
    f[1] = x[0] + c * c + 2 * eps * pi * pi * cos(2 * pi * t);
    return 0;
}

static int turning_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    const double eps = framed_parameter(context);
    (void)x;
    f[0] = y[0];
    f[1] = -t * y[0] - eps * pi * pi * cos(pi * t) - pi * t * sin(pi * t);
    return 0;
}

static int constraint(double t, const double *x, const double *y, double *g, void *context)
{
    (void)t;
    g[0] = framed_parameter(context) * y[0] - x[1];
    return 0;
}

/* What both have. */
static void put_common(keel_matrix *fg_xy, double eps)
{
    keel_put(fg_xy, 0, 2, 1);
    keel_put(fg_xy, 2, 1, -1);
    keel_put(fg_xy, 2, 2, eps);
}

static int layers_jacobian(double t, const double *x, const double *y, keel_matrix *fg_xy,
                           void *context)
{
    (void)t, (void)x, (void)y;
    put_common(fg_xy, framed_parameter(context));
    keel_put(fg_xy, 1, 0, 1);
    return 0;
}

static int turning_jacobian(double t, const double *x, const double *y, keel_matrix *fg_xy,
                            void *context)
{
    (void)x, (void)y;
    put_common(fg_xy, framed_parameter(context));
    keel_put(fg_xy, 1, 2, -t);
    return 0;
}

static int create(keel_problem **problem, keel_semi_explicit_spec spec, const double *parameters)
{
    spec.differential = 2;
    spec.algebraic = 1;
    spec.constraint = constraint;
    spec.names = (const char *const[]){"x1", "x2", "y"};
    spec.frame = (keel_frame_spec){.parameters = 1, .parameter_start = parameters,
                                   .parameter_names = (const char *const[]){"eps"}};
    return keel_semi_explicit(problem, &spec);
}

static int layers_create(keel_problem **problem, const double *parameters)
{
    return create(problem,
                  (keel_semi_explicit_spec){.rhs = layers_rhs, .jacobian = layers_jacobian},
                  parameters);
}

static int turning_create(keel_problem **problem, const double *parameters)
{
    return create(problem,
                  (keel_semi_explicit_spec){.rhs = turning_rhs, .jacobian = turning_jacobian},
                  parameters);
}

static int layers_condition(const double *ya, const double *yb, const double *p, double *b,
                            void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0];
    return 0;
}

static int turning_condition(const double *ya, const double *yb, const double *p, double *b,
                             void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] + 2;
    b[1] = yb[0];
    return 0;
}

static void layers_exact(const double *parameters, double t, double *y)
{
    const double r = sqrt(parameters[0]), c = cos(pi * t), scale = 1 + exp(-1 / r);
    const double left = exp(-t / r) / scale, right = exp((t - 1) / r) / scale;
    y[0] = left + right - c * c;
    y[2] = (right - left) / r + pi * sin(2 * pi * t);
    y[1] = parameters[0] * y[2];
}

static void turning_exact(const double *parameters, double t, double *y)
{
    const double w = sqrt(2 * parameters[0]), scale = erf(1 / w);
    y[0] = cos(pi * t) + erf(t / w) / scale;
    y[2] = -pi * sin(pi * t) + 2 / sqrt(pi) / w * exp(-t * t / (w * w)) / scale;
    y[1] = parameters[0] * y[2];
}

static const unsigned char counts[SIZE] = {1, 1, 1};
static const double bounds[1][2] = {{1e-14, 1e6}};

const keel_target problem_layers = {
    .name = "layers",
    .title = "boundary layers of width sqrt(eps) at both ends",
    .source = "Stoer & Bulirsch, Introduction to Numerical Analysis, chapter 7",
    .remark = "  keel bvp layers --param eps=1e-6\n"
              "  keel bvp layers --param eps=1e-8\n",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 1, .bounds = bounds,
    .parameters = (const keel_parameter[]){{"eps", 1e-4, "square of the width of the layers"}},
    .create = layers_create, .exact = layers_exact, .counts = counts,
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = layers_condition, .condition_jacobian = first_at_both_ends,
        .condition_names = (const char *const[]){"x1(0) = 0", "x1(1) = 0"}}, NULL},
};

const keel_target problem_turning_point = {
    .name = "turning-point",
    .title = "a layer of width sqrt(2 eps) inside, at a turning point",
    .source = "P. W. Hemker, A Numerical Study of Stiff Two-Point Boundary Problems, 1977",
    .remark = "  keel bvp turning-point --param eps=1e-5\n"
              "  keel bvp turning-point --param eps=1e-7\n",
    .index = 1, .size = SIZE, .t_start = -1, .t_end = 1,
    .parameter_count = 1, .bounds = bounds,
    .parameters = (const keel_parameter[]){{"eps", 1e-3, "half the square of the layer's width"}},
    .create = turning_create, .exact = turning_exact, .counts = counts,
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = turning_condition, .condition_jacobian = first_at_both_ends,
        .condition_names = (const char *const[]){"x1(-1) = -2", "x1(1) = 0"}}, NULL},
};
