/* @FILE@ -- a slider crank: masses, forces, and joints as constraints.
 *
 *   M q'' = f(q,q') - G(q)^T l,   0 = g(q),   G = g_q,   q = (phi, psi, x)
 *
 *   crank of length r at the angle phi, rod of length 1 at the angle psi, slider at x:
 *   0 = r cos(phi) + cos(psi) - x
 *   0 = r sin(phi) + sin(psi)
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --param torque=1 --plot @NAME@.svg
 *   keel run @FILE@ --sketch @NAME@-motion.svg
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { PHI, PSI, X, POSITIONS, JOINTS = 2, SIZE = 2 * POSITIONS + JOINTS };   /* q, q', l */
enum { CRANK, TORQUE, FRICTION, PARAMETERS };

/* Inertia of the crank, of the rod, mass of the slider; row by row. */
static int mass(double t, const double *q, double *M, void *context)
{
    static const double diagonal[POSITIONS] = {1, 0.2, 0.5};
    (void)t, (void)q, (void)context;
    for (int i = 0; i < POSITIONS * POSITIONS; i++) M[i] = 0;
    for (int i = 0; i < POSITIONS; i++) M[i * POSITIONS + i] = diagonal[i];
    return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const double *parameters = context;
    (void)t, (void)q;
    f[PHI] = parameters[TORQUE];
    f[PSI] = 0;
    f[X] = -parameters[FRICTION] * v[X];
    return 0;
}

static int joints(double t, const double *q, double *g, void *context)
{
    const double *parameters = context;
    (void)t;
    g[0] = parameters[CRANK] * cos(q[PHI]) + cos(q[PSI]) - q[X];
    g[1] = parameters[CRANK] * sin(q[PHI]) + sin(q[PSI]);
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[SIZE] = {"phi", "psi", "x", "phi'", "psi'", "x'", "l1", "l2"};
    return keel_mechanical(problem, &(keel_mechanical_spec){
        .positions = POSITIONS, .constraints = JOINTS,
        .mass = mass, .constant_mass = 1, .force = force, .constraint = joints,
        .names = names, .context = (void *)parameters});
}

/* Values that do not fit the joints are moved as little as possible, and the command tells which;
 * multipliers are found from here. */
static void start(const double *parameters, double *y)
{
    const double phi = 0.5, speed = 2, r = parameters[CRANK];
    const double psi = -asin(r * sin(phi)), turn = -r * cos(phi) * speed / cos(psi);
    const double values[SIZE] = {phi, psi, r * cos(phi) + cos(psi),
                                 speed, turn, -r * sin(phi) * speed - sin(psi) * turn};
    for (int i = 0; i < SIZE; i++) y[i] = values[i];
}

/* Crank and rod as lines, the slider as a circle. */
static int sketch(const double *parameters, double t, const double *y, keel_shape *shapes, int room)
{
    const double x = parameters[CRANK] * cos(y[PHI]), h = parameters[CRANK] * sin(y[PHI]);
    const keel_shape all[] = {{0, 0, x, h, 0}, {x, h, y[X], 0, 0}, {y[X], 0, 0, 0, 0.08}};
    (void)t;
    for (int i = 0; i < 3 && i < room; i++) shapes[i] = all[i];
    return 3;
}

static const keel_parameter parameters[PARAMETERS] = {
    {"crank", 0.5, "its length, that of the rod is 1"}, {"torque", 0.1, "on the crank"},
    {"friction", 0.2, "of the slider"}};
static const double bounds[PARAMETERS][2] = {{0.01, 0.99}, {-100, 100}, {0, 100}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Slider crank",
    .t_start = 0, .t_end = 20,
    .parameter_count = PARAMETERS, .parameters = parameters, .bounds = bounds,
    .create = create, .start = start, .sketch = sketch,
};
