/* bratu.c -- Bratu's problem as equations of index 1.
 *
 *   u' = v,  v' = -lambda y,  0 = y - e^u,   u(0) = u(1) = 0
 *
 * Two solutions for 0 < lambda < 3.513830719, where they meet, none beyond.  The lower one is
 *   u = 2 ln(cosh(th/4)/cosh((t - 1/2) th/2)),  th = sqrt(2 lambda) cosh(th/4)
 * with the smaller th: 1.517164599050754 for lambda = 1, 4.551853662838347 for 3.5.
 *
 * bratu-fold has lambda as an unknown, and is at the fold: the linearised equations have a solution
 *   w' = s,  s' = -lambda y w,   w(0) = w(1) = 0,  s(0) = 1
 * [H. B. Keller, in: Applications of Bifurcation Theory, 1977].  That is the derivative of u along the
 * branch, c du/dth, where dlambda/dth = 0: (th/4) tanh(th/4) = 1.
 *
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

/* ---- the fold: (u, v, w, s), y ---------------------------------------------------------------- */

enum { FOLD_SIZE = 5, FOLD_CONDITIONS = 5 };

static int fold_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    const double lambda = framed_parameter(context);
    (void)t;
    f[0] = x[1];
    f[1] = -lambda * y[0];
    f[2] = x[3];
    f[3] = -lambda * y[0] * x[2];
    return 0;
}

static int fold_create(keel_problem **problem, const double *parameters)
{
    static const double start = 3;
    (void)parameters;
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = 4, .algebraic = 1, .rhs = fold_rhs, .constraint = constraint,
        .names = (const char *const[]){"u", "v", "w", "s", "y"},
        .frame = {.parameters = 1, .parameter_start = &start,
                  .parameter_names = (const char *const[]){"lambda"}}});
}

static int fold_condition(const double *ya, const double *yb, const double *p, double *b,
                          void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0];
    b[2] = ya[2];
    b[3] = yb[2];
    b[4] = ya[3] - 1;
    return 0;
}

static int fold_guess(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = 4 * t * (1 - t);
    y[1] = 4 * (1 - 2 * t);
    y[2] = t * (1 - t);
    y[3] = 1 - 2 * t;
    y[4] = exp(y[0]);
    p[0] = 3;
    return 0;
}

/* (th/4) tanh(th/4) = 1: th/4 = 1.19967864025773... */
static double fold_angle(void)
{
    double a = 1.2;
    for (int i = 0; i < 10; i++) {
        const double c = cosh(a);
        a -= (a * tanh(a) - 1) / (tanh(a) + a / (c * c));
    }
    return 4 * a;
}

static void fold_exact_parameter(const double *parameters, double *p)
{
    const double th = fold_angle(), c = cosh(th / 4);
    (void)parameters;
    p[0] = th * th / (2 * c * c);
}

static void fold_exact(const double *parameters, double t, double *y)
{
    const double th = fold_angle(), at = (t - 0.5) * th / 2, end = cosh(th / 4), here = cosh(at);
    const double slope = tanh(th / 4) + th / 4 / (end * end);        /* of du/dth at 0 */
    (void)parameters;
    y[0] = 2 * log(end / here);
    y[1] = -th * tanh(at);
    y[2] = (tanh(th / 4) / 2 - (t - 0.5) * tanh(at)) / slope;
    y[3] = -(tanh(at) + at / (here * here)) / slope;
    y[4] = exp(y[0]);
}

const keel_target problem_bratu_fold = {
    .name = "bratu-fold",
    .title = "the fold of Bratu's problem, by a fold condition",
    .source = "H. B. Keller, in: Applications of Bifurcation Theory, Academic Press 1977, 359",
    .index = 1, .size = FOLD_SIZE, .t_start = 0, .t_end = 1,
    .create = fold_create, .exact = fold_exact,
    .counts = (const unsigned char[FOLD_SIZE]){1, 1, 1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = FOLD_CONDITIONS, .condition = fold_condition, .parameters = 1,
        .guess = fold_guess,
        .condition_names = (const char *const[FOLD_CONDITIONS]){
            "u(0) = 0", "u(1) = 0", "w(0) = 0", "w(1) = 0", "s(0) = 1"}}, fold_exact_parameter},
};
