/* 03: an index-1 circuit: a rectifier whose diode equation determines a node voltage. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double source_ohm = 10, load_ohm = 1000, farad = 1e-4, saturation = 1e-12,
                    thermal = 0.026;

static double source(double t) { return 5 * sin(100 * acos(-1.0) * t); }      /* 50 Hz */

/* y = (u), voltage of the capacitor; z = (d), voltage in front of the diode */
static int rhs(double t, const double *u, const double *d, double *f, void *context)
{
    (void)context;
    f[0] = ((source(t) - d[0]) / source_ohm - u[0] / load_ohm) / farad;
    return 0;
}

/* the current through the source resistor is that through the diode */
static int constraint(double t, const double *u, const double *d, double *g, void *context)
{
    (void)context;
    g[0] = (source(t) - d[0]) / source_ohm - saturation * expm1((d[0] - u[0]) / thermal);
    return 0;
}

int main(void)
{
    static const char *const names[] = {"capacitor", "diode"};
    keel_problem *rectifier = NULL;
    keel_solver *solver = NULL;
    double start[2] = {0, 0.1}, u = 0;           /* the 0.1 is a guess; it will be corrected */
    int rc = keel_semi_explicit(&rectifier, &(keel_semi_explicit_spec){
        .differential = 1, .algebraic = 1, .rhs = rhs, .constraint = constraint, .names = names});
    if (!rc) rc = keel_solver_create(&solver, rectifier, &(keel_options){.rtol = 1e-6});
    if (!rc) rc = keel_start(solver, 0, start);
    for (int k = 1; k <= 10 && !rc; k++) {
        rc = keel_advance_to(solver, 0.01 * k);
        u = keel_state(solver)[0];
        if (!rc) printf("t = %.2f s  %s = %.4f V\n", 0.01 * k, names[0], u);
    }
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, rectifier, solver));
    else printf("largest |g| after a step: %.1e A\n", keel_solver_stats(solver)->residual[0]);
    keel_solver_free(solver);
    keel_problem_free(rectifier);
    return rc != KEEL_OK || !(u > 3.5 && u < 5);
}
