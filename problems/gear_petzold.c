/* gear_petzold.c -- the index-2 problem on which numerical methods fail, and how they do not.
 *
 *   0 = y + eta x z - f(x),   y' + eta x z' + (1 + eta) z = g(x)
 *
 * with x the time.  Its leading term y' + eta x z' is the derivative of y + eta x z but for eta z.
 * Stated properly,
 *
 *   [0; 1] (y + eta x z)' + [1 eta x; 0 1] (y; z) = (f; g),
 *
 * it is harmless: u = y + eta x z = f has index 1.  Written out, as above, it is not: the implicit
 * Euler method gives (1 + eta) z_n = eta z_(n-1) + g - (f_n - f_(n-1)) / h, which diverges for
 * eta < -1/2 however small h is, and other methods do likewise.  The derivative of the first
 * equation gives z = g - f', so for f = e^(-x) and g = 0
 *
 *   z = e^(-x),   y = (1 - eta x) e^(-x),   u = e^(-x).
 *
 * Gear & Petzold, SIAM J. Numer. Anal. 21 (1984) 716; Hairer, Lubich & Roche, Lecture Notes in
 * Mathematics 1409 (1989), p. 22; Weiss, dissertation, Universitaet Koeln 2007, examples 3.1, 3.2.
 */
#include <math.h>

#include "problems/list.h"

enum { SIZE = 2, LEADING = 1 };

static int leading_matrix(double x, const double *y, double *A, void *context)
{
    (void)x, (void)y, (void)context;
    A[0] = 0;
    A[1] = 1;
    return 0;
}

static int leading_term(double x, const double *y, double *d, void *context)
{
    const double eta = *(const double *)context;
    d[0] = y[0] + eta * x * y[1];
    return 0;
}

static int leading_term_jacobian(double x, const double *y, double *d_y, void *context)
{
    const double eta = *(const double *)context;
    (void)y;
    d_y[0] = 1;
    d_y[1] = eta * x;
    return 0;
}

static int rest(double x, const double *y, double *b, void *context)
{
    const double eta = *(const double *)context;
    b[0] = y[0] + eta * x * y[1] - exp(-x);
    b[1] = y[1];
    return 0;
}

static int jacobian(double x, const double *y, const double *w, keel_matrix *J, void *context)
{
    const double eta = *(const double *)context;
    (void)y, (void)w;
    keel_put(J, 0, 0, 1);
    keel_put(J, 0, 1, eta * x);
    keel_put(J, 1, 1, 1);
    return 0;
}

static const int variable_index[SIZE] = { 2, 2 };
static const char *const names[SIZE] = { "y", "z" };

static int create(keel_problem **problem, const double *parameters)
{
    return keel_proper(problem, &(keel_proper_spec){
        .size = SIZE, .leading = LEADING, .leading_matrix = leading_matrix,
        .leading_term = leading_term, .leading_term_jacobian = leading_term_jacobian,
        .rest = rest, .jacobian = jacobian, .variable_index = variable_index, .names = names,
        .context = (void *)parameters});
}

static void exact(const double *parameters, double x, double *y)
{
    y[0] = (1 - parameters[0] * x) * exp(-x);
    y[1] = y[2] = exp(-x);
}

static void start(const double *parameters, double *y) { exact(parameters, 0, y); }

static const keel_parameter parameters_[] = {
    { "eta", -0.75, "below -1/2 the formulation naive fails" }
};

const keel_target problem_gear_petzold = {
    .name = "gear-petzold",
    .title = "linear index-2 system, leading term properly stated",
    .source = "Gear & Petzold 1984; Weiss 2007, examples 3.1 and 3.2",
    .remark =
        "  keel run gear-petzold --param eta=-0.75                       converges\n"
        "  keel run gear-petzold --param eta=-0.75 --formulation naive   breaks down: errors grow\n"
        "      by eta / (1 + eta) with every step of the implicit Euler method, whatever its size\n"
        "  keel run weiss-linear --param eta=-0.75                       the same, augmented\n",
    .index = 2, .size = SIZE + LEADING, .t_start = 0, .t_end = 3,
    .parameter_count = 1, .parameters = parameters_,
    .live_parameters = 1,
    .create = create, .start = start, .exact = exact,
    .counts = (const unsigned char[SIZE + LEADING]){ 1, 1, 0 }
};
