/* @FILE@ -- a bead on a parabola, with friction: a multiplier that two derivatives show.
 *
 *   (x, y)' = (v, w)
 *   (v, w)' = (0, -gravity) - l (-2 x, 1) - friction |l| (v, w)
 *   0       = y - x^2                    index 3: l appears after two derivatives
 *
 *   Forces may depend on the multiplier in any way, as here friction does; where they are G^T l,
 * the
 *   mechanical form is faster.
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --interval 0.1 --output @NAME@.csv
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { SIZE = 5 };                               /* x, y, v, w, l */
enum { GRAVITY, FRICTION, PARAMETERS };

static int position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    f[0] = v[0];
    f[1] = v[1];
    return 0;
}

static int velocity_rate(double t, const double *u, const double *v, const double *l, double *k,
                         void *context)
{
    const double *parameters = context;
    (void)t;
    const double friction = parameters[FRICTION] * fabs(l[0]);
    k[0] = 2 * u[0] * l[0] - friction * v[0];
    k[1] = -parameters[GRAVITY] - l[0] - friction * v[1];
    return 0;
}

static int constraint(double t, const double *u, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = u[1] - u[0] * u[0];
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[SIZE] = {"x", "y", "v", "w", "l"};
    return keel_hessenberg3(problem, &(keel_hessenberg3_spec){
        .positions = 2, .velocities = 2, .multipliers = 1,
        .position_rate = position_rate, .velocity_rate = velocity_rate, .constraint = constraint,
        .names = names, .context = (void *)parameters});
}

/* The multiplier is found from here. */
static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[0] = y[1] = 1;
    y[2] = y[3] = y[4] = 0;
}

static const keel_parameter parameters[PARAMETERS] = {
    {"gravity", 1, "in units of the parabola"}, {"friction", 0.1, "over the force of the wire"}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Bead on a parabola",
    .t_start = 0, .t_end = 10,
    .parameter_count = PARAMETERS, .parameters = parameters,
    .create = create, .start = start,
};
