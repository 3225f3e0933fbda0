/* mixed_index.c -- a nonlinear boundary value problem with rows of index 1 and 2, made for its
 * solution x = (c, s, e), y = (c^2, t), where c, s, e = cos t, sin t, e^t.
 *
 *   x1' = -s + (x2 - s) + y1 - c^2
 *   x2' = c + y2 (1 + x1^2) - t (1 + c^2) + 5 (x3 - e)
 *   x3' = e + 3 (x1 - c) + (y2 - t)/2
 *   0   = y1 - x1^2 + (y2 - t) x2/10                     index 1
 *   0   = x2 + x3 x1 - s - e c                           index 2
 *   x1(0) = 1,  x3(1) = e
 */
#include <math.h>

#include "problems/boundary.h"

enum { DIFFERENTIAL = 3, SIZE = 5 };

static int rate(double t, const double *x, const double *y, double *f, void *context)
{
    const double c = cos(t), s = sin(t), e = exp(t);
    (void)context;
    f[0] = -s + (x[1] - s) + y[0] - c * c;
    f[1] = c + y[1] * (1 + x[0] * x[0]) - t * (1 + c * c) + 5 * (x[2] - e);
    f[2] = e + 3 * (x[0] - c) + (y[1] - t) / 2;
    return 0;
}

/* The first row has only h_0; that of the second is the derivative of the constraint above. */
static int level(double t, const double *x, const double *y, int k, double *h, void *context)
{
    const double c = cos(t), s = sin(t), e = exp(t);
    double f[DIFFERENTIAL];
    if (k == 1) {
        h[0] = 0;
        h[1] = x[1] + x[2] * x[0] - s - e * c;
        return 0;
    }
    rate(t, x, y, f, context);
    h[0] = y[0] - x[0] * x[0] + (y[1] - t) * x[1] / 10;
    h[1] = f[1] + f[2] * x[0] + x[2] * f[0] - c - e * c + e * s;
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_levelled(problem, &(keel_levelled_spec){
        .differential = DIFFERENTIAL, .algebraic = 2, .chain = (const int[]){0, 1}, .rate = rate,
        .level = level, .names = (const char *const[]){"x1", "x2", "x3", "y1", "y2"}});
}

static void exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = cos(t);
    y[1] = sin(t);
    y[2] = exp(t);
    y[3] = y[0] * y[0];
    y[4] = t;
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[2] - exp(1);
    return 0;
}

static int guess(double t, double *y, double *p, void *context)
{
    (void)p, (void)context;
    y[0] = y[3] = 1;
    y[1] = y[4] = 0;
    y[2] = 1 + t * (exp(1) - 1);
    return 0;
}

const keel_target problem_mixed_index = {
    .name = "mixed-index",
    .title = "rows of index 1 and 2, nonlinear, with a chosen solution",
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 1,
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 2, .condition = condition, .guess = guess,
        .condition_names = (const char *const[]){"x1(0) = 1", "x3(1) = e"}}, NULL},
};
