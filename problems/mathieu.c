/* mathieu.c -- an eigenvalue, of Mathieu's equation.
 *
 *   y' = v,  v' = (2 q cos 2t - a) y,   v(0) = v(pi/2) = 0,  y(0) = 1
 *
 * a is unknown; y(0) = 1 is the scale, which eigenfunctions leave free.  With y = sum A_k cos 2kt the
 * A_k are an eigenvector, and a the eigenvalue number n/2, of
 *   d_k = (2k)^2 on the diagonal, q beside it, sqrt(2) q for k = 0, 1    (A_0 as A_0 sqrt(2))
 * which is found by Sturm's sequences.  For q = 0 they are n^2 and cos nt.  At large q Newton's method
 * finds another one than that of the guess: follow it from q = 0 on.
 * M. Abramowitz & I. A. Stegun, Handbook of Mathematical Functions, chapter 20: a_0(5) = -5.80004602,
 * a_2(5) = 7.44910974.
 */
#include <math.h>

#include "problems/boundary.h"

enum { Q, N, SIZE = 2, TERMS = 30 };

static const double pi = 3.14159265358979323846;

static int rhs(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    const double a = frame->parameters[0], q = frame->parameters[1];
    f[0] = y[1];
    f[1] = (2 * q * cos(2 * t) - a) * y[0];
    return 0;
}

static int create(keel_problem **problem, const double *parameters)
{
    const double start[2] = {parameters[N] * parameters[N], parameters[Q]};
    return keel_ode(problem, &(keel_ode_spec){
        .size = SIZE, .rhs = rhs, .names = (const char *const[]){"y", "v"},
        .frame = {.parameters = 2, .parameter_start = start,
                  .parameter_names = (const char *const[]){"a", "q"}}});
}

static int condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[1];
    b[1] = yb[1];
    b[2] = ya[0] - 1;
    return 0;
}

static int guess(double t, double *y, double *p, void *context)
{
    const double n = ((const double *)context)[N];
    y[0] = cos(n * t);
    y[1] = -n * sin(n * t);
    p[0] = n * n;
    return 0;
}

/* ---- the eigenvalue --------------------------------------------------------------------------- */

static double diagonal(int k) { return 4.0 * k * k; }
static double beside(double q, int k) { return k == 0 ? sqrt(2) * q : q; }     /* of k and k + 1 */

/* How many are below a: negative pivots. */
static int count_below(double q, double a)
{
    double pivot = 1;
    int count = 0;
    for (int k = 0; k < TERMS; k++) {
        const double e = k ? beside(q, k - 1) : 0;
        pivot = diagonal(k) - a - (k ? e * e / pivot : 0);
        if (pivot == 0) pivot = 1e-300;
        count += pivot < 0;
    }
    return count;
}

static double eigenvalue(const double *parameters)
{
    const int number = (int)(parameters[N] / 2 + 0.5);
    double low = -3 * fabs(parameters[Q]) - 1, high = diagonal(number) + 3 * fabs(parameters[Q]) + 1;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (count_below(parameters[Q], middle) > number) high = middle;
        else low = middle;
    }
    return (low + high) / 2;
}

/* From both ends to the term number n/2, the largest for small q. */
static void coefficients(const double *parameters, double *A)
{
    const double q = parameters[Q], a = eigenvalue(parameters);
    const int middle = (int)(parameters[N] / 2 + 0.5);
    double ratio[TERMS] = {0};                   /* of a term and the next one towards the middle */
    for (int k = 0; k < middle; k++)
        ratio[k] = -beside(q, k) / (diagonal(k) - a + (k ? beside(q, k - 1) * ratio[k - 1] : 0));
    for (int k = TERMS - 1; k > middle; k--)
        ratio[k] = -beside(q, k - 1)
                   / (diagonal(k) - a + (k < TERMS - 1 ? beside(q, k) * ratio[k + 1] : 0));
    A[middle] = 1;
    for (int k = middle - 1; k >= 0; k--) A[k] = ratio[k] * A[k + 1];
    for (int k = middle + 1; k < TERMS; k++) A[k] = ratio[k] * A[k - 1];
    A[0] /= sqrt(2);
}

static void exact(const double *parameters, double t, double *y)
{
    double A[TERMS], scale = 0;
    coefficients(parameters, A);
    y[0] = y[1] = 0;
    for (int k = TERMS - 1; k >= 0; k--) {
        y[0] += A[k] * cos(2 * k * t);
        y[1] -= 2 * k * A[k] * sin(2 * k * t);
        scale += A[k];
    }
    y[0] /= scale;
    y[1] /= scale;
}

static void exact_eigenvalue(const double *parameters, double *p) { p[0] = eigenvalue(parameters); }

const keel_target problem_mathieu = {
    .name = "mathieu",
    .title = "an eigenvalue of Mathieu's equation",
    .source = "Abramowitz & Stegun, Handbook of Mathematical Functions, chapter 20",
    .remark = "  keel bvp mathieu --continue q=0:5\n",
    .index = 0, .size = SIZE, .t_start = 0, .t_end = pi / 2,
    .parameter_count = 2, .bounds = (const double[][2]){{0, 20}, {0, 20}},
    .parameters = (const keel_parameter[]){
        {"q", 1, "of the equation"}, {"n", 2, "which eigenvalue: 0, 2, 4, ..."}},
    .create = create, .exact = exact, .counts = (const unsigned char[SIZE]){1, 1},
    .boundary = &(const keel_boundary_target){&(const keel_boundary_spec){
        .conditions = 3, .condition = condition, .parameters = 1, .guess = guess,
        .condition_names = (const char *const[]){"v(0) = 0", "v(pi/2) = 0", "y(0) = 1"}},
        exact_eigenvalue},
};
