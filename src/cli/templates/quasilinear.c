/* @FILE@ -- an amplifier's input: a capacitor between two nodes, and so a singular matrix.
 *
 *   M y' = f(t,y),   M = c [1 -1; -1 1],   y = (u, v)
 *
 *   c (u' - v') = -(u - sin(frequency t))     node 1, with a resistor to the source
 *   c (v' - u') = -v                          node 2, with a resistor to the ground
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --param frequency=1 --plot @NAME@.svg
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { U, V, SIZE };
enum { CAPACITY, FREQUENCY, PARAMETERS };

static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    const double c = ((const double *)context)[CAPACITY];
    (void)t, (void)y;
    keel_put(M, U, U, c), keel_put(M, U, V, -c);
    keel_put(M, V, U, -c), keel_put(M, V, V, c);
    return 0;
}

static int rhs(double t, const double *y, double *f, void *context)
{
    const double *parameters = context;
    f[U] = sin(parameters[FREQUENCY] * t) - y[U];
    f[V] = -y[V];
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[SIZE] = {"u", "v"};
    return keel_quasilinear(problem, &(keel_quasilinear_spec){
        .size = SIZE, .mass = mass, .constant_mass = 1, .rhs = rhs,
        .names = names, .context = (void *)parameters});
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[U] = y[V] = 0;
}

static const keel_parameter parameters[PARAMETERS] = {
    {"capacity", 0.1, "in units of time over resistance"}, {"frequency", 6.28, "of the source"}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Capacitor between two nodes",
    .t_start = 0, .t_end = 5,
    .parameter_count = PARAMETERS, .parameters = parameters,
    .create = create, .start = start,
};
