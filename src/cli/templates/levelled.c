/* @FILE@ -- a pendulum with every hidden constraint written down, for any index.
 *
 *   (x, y)' = (v, w),   (v, w)' = (0, -gravity) - l (x, y)
 *
 *   0 = h_2 = (x^2 + y^2 - 1)/2              the rod
 *   0 = h_1 = x v + y w                      its derivative
 *   0 = g   = v^2 + w^2 - gravity y - l (x^2 + y^2)     and that one's, which has l
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --formulation index2
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { SIZE = 5 };                               /* x, y, v, w, l */
enum { GRAVITY, PARAMETERS };

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const double *parameters = context;
    (void)t;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -z[0] * y[0];
    f[3] = -parameters[GRAVITY] - z[0] * y[1];
    return 0;
}

/* h_k; k = 0 is g. */
static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    const double *parameters = context;
    (void)t;
    if (k == 2) h[0] = (y[0] * y[0] + y[1] * y[1] - 1) / 2;
    if (k == 1) h[0] = y[0] * y[2] + y[1] * y[3];
    if (k == 0)
        h[0] = y[2] * y[2] + y[3] * y[3] - parameters[GRAVITY] * y[1]
             - z[0] * (y[0] * y[0] + y[1] * y[1]);
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[SIZE] = {"x", "y", "v", "w", "l"};
    static const char *const rods[1] = {"rod"};
    static const int chain[1] = {2};             /* constraints below the row of g */
    return keel_levelled(problem, &(keel_levelled_spec){
        .differential = 4, .algebraic = 1, .chain = chain, .rate = rate, .level = level,
        .names = names, .constraint_names = rods, .context = (void *)parameters});
}

/* The multiplier is found from here. */
static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[0] = 1;
    y[1] = y[2] = y[3] = y[4] = 0;
}

static const keel_parameter parameters[PARAMETERS] = {
    {"gravity", 1, "over the length of the rod"}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Pendulum with its hidden constraints",
    .t_start = 0, .t_end = 20,
    .parameter_count = PARAMETERS, .parameters = parameters,
    .create = create, .start = start,
};
