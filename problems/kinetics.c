/* kinetics.c -- two reactions one after the other, A -> B -> C, as equations of index 1.
 *
 *   a' = -k1 a,  b' = k1 a - k2 b,  0 = a + b + c - 1,   a(0) = 1,  b(0) = 0
 *
 * Solution a = e^(-k1 t), b = k1/(k2 - k1) (e^(-k1 t) - e^(-k2 t)), k1 t e^(-k1 t) for equal rates.  Rates
 * from measured concentrations are the standard example of parameter estimation; from c alone they can be
 * told up to their order only.
 * Y. Bard, Nonlinear Parameter Estimation, 1974.
 */
#include <math.h>

#include "problems/boundary.h"

enum { SIZE = 3 };

static int rhs(double t, const double *x, const double *y, double *f, void *context)
{
    const double *k = ((const keel_frame *)context)->parameters;
    (void)t, (void)y;
    f[0] = -k[0] * x[0];
    f[1] = k[0] * x[0] - k[1] * x[1];
    return 0;
}

static int constraint(double t, const double *x, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = x[0] + x[1] + y[0] - 1;
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = rhs, .constraint = constraint,
        .names = (const char *const[]){"a", "b", "c"},
        .frame = {.parameters = 2, .parameter_start = parameters,
                  .parameter_names = (const char *const[]){"k1", "k2"}}});
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = ya[1];
    return 0;
}

/* (e^(-k1 t) - e^(-k2 t))/(k2 - k1), also for rates next to each other. */
static void exact(const double *parameters, double t, double *y)
{
    const double k1 = parameters[0], k2 = parameters[1], x = (k1 - k2) * t;
    const double mean = fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
    y[0] = exp(-k1 * t);
    y[1] = k1 * t * y[0] * mean;
    y[2] = 1 - y[0] - y[1];
}

const keel_target problem_kinetics = {
    .name = "kinetics",
    .title = "two reactions, whose rates can be estimated",
    .source = "Y. Bard, Nonlinear Parameter Estimation, 1974",
    .remark = "  keel bvp kinetics --output data.csv\n"
              "  keel bvp kinetics --param k1=1 --param k2=1 --fit data.csv --vary k1,k2\n",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 5,
    .parameter_count = 2, .bounds = (const double[][2]){{0, 100}, {0, 100}},
    .parameters = (const keel_parameter[]){{"k1", 2, "rate of A -> B"}, {"k2", 0.5, "of B -> C"}},
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = condition,
        .condition_names = (const char *const[]){"a(0) = 1", "b(0) = 0"}}, NULL},
};
