/* @FILE@ -- a capacitor whose charge is a curve: the derivative of a term, not of an unknown.
 *
 *   A d(t,x)' + b(t,x) = 0,   x = (u, i),   d = the charge
 *
 *   (u + curve u^3)' - i = 0                  the unknowns are (u, i) and the charge
 *   u + i - sin(t)       = 0
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --param curve=1
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { U, I, X, SIZE = X + 1 };                  /* x and the charge */
enum { CURVE, PARAMETERS };

/* X rows, a column for the charge. */
static int leading_matrix(double t, const double *x, double *A, void *context)
{
    (void)t, (void)x, (void)context;
    A[0] = 1;
    A[1] = 0;
    return 0;
}

static int charge(double t, const double *x, double *d, void *context)
{
    const double *parameters = context;
    (void)t;
    d[0] = x[U] + parameters[CURVE] * x[U] * x[U] * x[U];
    return 0;
}

static int rest(double t, const double *x, double *b, void *context)
{
    (void)context;
    b[0] = -x[I];
    b[1] = x[U] + x[I] - sin(t);
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[X] = {"u", "i"};
    return keel_proper(problem, &(keel_proper_spec){
        .size = X, .leading = 1, .leading_matrix = leading_matrix, .leading_term = charge,
        .rest = rest, .names = names, .context = (void *)parameters});
}

/* The charge is found from u. */
static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[U] = y[I] = y[X] = 0;
}

static const keel_parameter parameters[PARAMETERS] = {{"curve", 0.3, "of the charge over u"}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Capacitor with a curved charge",
    .t_start = 0, .t_end = 10,
    .parameter_count = PARAMETERS, .parameters = parameters,
    .create = create, .start = start,
};
