/* bratu.c -- Bratu's problem as equations of index 1.
 *
 *   u' = v,  v' = -lambda y,  0 = y - e^u,   u(0) = u(1) = 0
 *
 * Two solutions for 0 < lambda < 3.513830719, where they meet, none beyond.  The lower one is
 *   u = 2 ln(cosh(th/4)/cosh((t - 1/2) th/2)),  th = sqrt(2 lambda) cosh(th/4)
 * with the smaller th: 1.517164599050754 for lambda = 1, 4.551853662838347 for 3.5.
 * G. Bratu, Bull. Soc. Math. France 42 (1914) 113; Ascher, Mattheij & Russell, Numerical Solution
 * of Boundary Value Problems for Ordinary Differential Equations, SIAM 1995.
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
    g[0] = y[0] - exp(x[0]);
    return 0;
}

static int jacobian(double t, const double *x, const double *y, keel_matrix *fg_xy, void *context)
{
    (void)t, (void)y;
    keel_put(fg_xy, 0, 1, 1);
    keel_put(fg_xy, 1, 2, -framed_parameter(context));
    keel_put(fg_xy, 2, 0, -exp(x[0]));
    keel_put(fg_xy, 2, 2, 1);
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = rhs, .constraint = constraint,
        .jacobian = jacobian, .names = (const char *const[]){"u", "v", "y"},
        .frame = {.parameters = 1, .parameter_start = parameters,
                  .parameter_names = (const char *const[]){"lambda"}}});
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0];
    return 0;
}

static int guess(double t, double *y, double *p, void *context)
{
    (void)t, (void)p, (void)context;
    y[0] = y[1] = 0;
    y[2] = 1;
    return 0;
}

/* The smaller th; sqrt(2 lambda) cosh(th/4) - th is convex, so that Newton's method from 0 never
 * passes it.  NAN: there is none. */
static double angle(double lambda)
{
    enum { ITERATIONS = 100 };   /* at the fold one binary digit each */
    const double s = sqrt(2 * lambda);
    double th = 0;
    for (int i = 0; i < ITERATIONS; i++) {
        const double slope = s / 4 * sinh(th / 4) - 1;
        const double step = (s * cosh(th / 4) - th) / -slope;
        if (!(slope < 0)) return NAN;
        th += step;
        if (fabs(step) <= 1e-16 * th) break;
    }
    return fabs(s * cosh(th / 4) - th) <= 1e-14 * th ? th : lambda == 0 ? 0 : NAN;
}

static void exact(const double *parameters, double t, double *y)
{
    const double th = angle(parameters[0]);
    y[0] = 2 * log(cosh(th / 4) / cosh((t - 0.5) * th / 2));
    y[1] = -th * tanh((t - 0.5) * th / 2);
    y[2] = exp(y[0]);
}

const keel_target problem_bratu = {
    .name = "bratu",
    .title = "Bratu's problem, with an algebraic unknown",
    .source = "G. Bratu, Bull. Soc. Math. France 42 (1914) 113",
    .remark = "  keel bvp bratu --param lambda=3.5\n",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 1,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"lambda", 1, "no solution above 3.5138"}},
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = condition, .condition_jacobian = first_at_both_ends,
        .guess = guess, .condition_names = (const char *const[]){"u(0) = 0", "u(1) = 0"}}, NULL},
};
