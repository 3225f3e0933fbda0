/* @FILE@ -- molecules that pair up fast and decay slowly: differential and algebraic unknowns.
 *
 *   y' = -k z                       y: all molecules, z: the single ones
 *   0  = z + 2 K z^2 - y            the equilibrium, solvable for z (index 1)
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --points 101 --output @NAME@.csv
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { SINGLE = 1, SIZE = 2 };                   /* y, z */
enum { DECAY, PAIRING, PARAMETERS };

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const double *parameters = context;
    (void)t, (void)y;
    f[0] = -parameters[DECAY] * z[0];
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    const double *parameters = context;
    (void)t;
    g[0] = z[0] + 2 * parameters[PAIRING] * z[0] * z[0] - y[0];
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[SIZE] = {"all", "single"};
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = 1, .algebraic = 1, .rhs = rhs, .constraint = constraint,
        .names = names, .context = (void *)parameters});
}

/* Algebraic unknowns are found from here; a guess will do. */
static void start(const double *parameters, double *y)
{
    y[0] = 1;
    y[SINGLE] = sqrt(y[0] / (2 * parameters[PAIRING]));
}

static const keel_parameter parameters[PARAMETERS] = {
    {"decay", 1, "rate of decay"}, {"pairing", 10, "constant of the equilibrium"}};
static const double bounds[PARAMETERS][2] = {{0, 1e6}, {1e-6, 1e6}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Molecules that pair up",
    .t_start = 0, .t_end = 10,
    .parameter_count = PARAMETERS, .parameters = parameters, .bounds = bounds,
    .create = create, .start = start,
};
