/* @FILE@ -- a boat in a turning wind, held on a circle by a line: a multiplier that one derivative
 * shows.
 *
 *   (x, y)' = speed (cos t, sin t) - 2 z (x, y)     z: the pull of the line
 *   0       = x^2 + y^2 - 1                         index 2: z appears after one derivative
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --no-project
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { SIZE = 3 };                               /* x, y, z */
enum { SPEED, PARAMETERS };

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const double *parameters = context;
    f[0] = parameters[SPEED] * cos(t) - 2 * z[0] * y[0];
    f[1] = parameters[SPEED] * sin(t) - 2 * z[0] * y[1];
    return 0;
}

static int constraint(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[SIZE] = {"x", "y", "pull"};
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){
        .differential = 2, .multipliers = 1, .rhs = rhs, .constraint = constraint,
        .names = names, .context = (void *)parameters});
}

/* The multiplier is found from here. */
static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[0] = 0, y[1] = 1, y[2] = 0;
}

static const keel_parameter parameters[PARAMETERS] = {{"speed", 2, "of the wind"}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Boat on a line in a turning wind",
    .t_start = 0, .t_end = 10,
    .parameter_count = PARAMETERS, .parameters = parameters,
    .create = create, .start = start,
};
