/* @FILE@ -- a pendulum, by its angle: an ordinary differential equation.
 *
 *   phi'   = omega
 *   omega' = -gravity sin(phi) - damping omega
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --param damping=0 --plot @NAME@.svg
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { PHI, OMEGA, SIZE };                       /* the unknowns */
enum { GRAVITY, DAMPING, PARAMETERS };           /* what --param changes */

static int rhs(double t, const double *y, double *f, void *context)
{
    const double *parameters = context;
    (void)t;
    f[PHI] = y[OMEGA];
    f[OMEGA] = -parameters[GRAVITY] * sin(y[PHI]) - parameters[DAMPING] * y[OMEGA];
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[SIZE] = {"phi", "omega"};
    return keel_ode(problem, &(keel_ode_spec){
        .size = SIZE, .rhs = rhs, .names = names, .context = (void *)parameters});
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[PHI] = 1.5;
    y[OMEGA] = 0;
}

static const keel_parameter parameters[PARAMETERS] = {
    {"gravity", 1, "gravity over the length of the rod"}, {"damping", 0.1, "per unit of time"}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Pendulum by its angle",
    .t_start = 0, .t_end = 20,
    .parameter_count = PARAMETERS, .parameters = parameters,
    .create = create, .start = start,
};
