/* @FILE@ -- a slope that is not solved for, and what follows from it.
 *
 *   F(t,y,y') = 0,   y = (x, p)
 *
 *   0 = x' + stiffness x'^3 + x - cos(t)
 *   0 = p - x x'
 *
 *   keel run @FILE@                        integrates it; see 'keel run --help'
 *   keel run @FILE@ --start x=1
 *   keel compare @FILE@ --methods auto,radau-iia
 *
 * A callback returns 0; > 0 says "cannot evaluate here, try a smaller step", < 0 ends the run.
 * Derivatives may be given (keel/problem.h), and are formed by differences where they are not.
 */
#include <keel/keel.h>

#include <math.h>
#include <stdio.h>

enum { X, P, SIZE };
enum { STIFFNESS, PARAMETERS };

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    const double *parameters = context;
    F[0] = yp[X] + parameters[STIFFNESS] * yp[X] * yp[X] * yp[X] + y[X] - cos(t);
    F[1] = y[P] - y[X] * yp[X];
    return 0;
}

/* ---- what the keel command needs to know ----------------------------------------------------- */

static int create(keel_problem **problem, const double *parameters)
{
    static const char *const names[SIZE] = {"x", "p"};
    return keel_implicit(problem, &(keel_implicit_spec){
        .size = SIZE, .residual = residual, .names = names, .context = (void *)parameters});
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    y[X] = y[P] = 0;
}

static const keel_parameter parameters[PARAMETERS] = {{"stiffness", 0.5, "of the cubic term"}};

const keel_target keel_target_main = {
    .abi = KEEL_TARGET_ABI, .name = "@NAME@", .title = "Slope given implicitly",
    .t_start = 0, .t_end = 10,
    .parameter_count = PARAMETERS, .parameters = parameters,
    .create = create, .start = start,
};
