/* 32_krylov.c -- a system without a matrix: heat in a cube, by GMRES with a preconditioner of its own.
 *
 *   u' = Lap u + phi,   0 = Lap phi - phi + u   on a grid of SIDE^3 points, u = phi = 0 on the boundary
 *
 * GMRES asks for products with A = shift M - J alone, which the program has without storing anything.  Its
 * preconditioner is the diagonal of A; where that is not enough, it is here that a multigrid cycle is
 * called.  The exact solution is one mode that decays.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <keel/keel.h>

enum { SIDE = 16, POINTS = SIDE * SIDE * SIDE };

static const double pi = 3.14159265358979323846, h = 1.0 / (SIDE + 1);

static double laplacian(const double *u, int i)
{
    int x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
    double sum = -6 * u[i];
    if (x > 0) sum += u[i - 1];
    if (x < SIDE - 1) sum += u[i + 1];
    if (y > 0) sum += u[i - SIDE];
    if (y < SIDE - 1) sum += u[i + SIDE];
    if (z > 0) sum += u[i - SIDE * SIDE];
    if (z < SIDE - 1) sum += u[i + SIDE * SIDE];
    return sum / (h * h);
}

static int rhs(double t, const double *u, const double *phi, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < POINTS; i++) f[i] = laplacian(u, i) + phi[i];
    return 0;
}

static int constraint(double t, const double *u, const double *phi, double *g, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < POINTS; i++) g[i] = laplacian(phi, i) - phi[i] + u[i];
    return 0;
}

/* Av = (shift M - J) v; the equations are linear, so J v is what they give for v. */
static int times(double t, const double *y, const double *yp, const double *v, double *Av, double shift,
                 void *context)
{
    (void)y, (void)yp;
    rhs(t, v, v + POINTS, Av, context);
    constraint(t, v, v + POINTS, Av + POINTS, context);
    for (int i = 0; i < 2 * POINTS; i++) Av[i] = (i < POINTS ? shift * v[i] : 0) - Av[i];
    return 0;
}

static int precondition(double t, const double *y, const double *yp, const double *r, double *z, double shift,
                        double tolerance, void *context)
{
    const double diagonal = 6 / (h * h);
    (void)t, (void)y, (void)yp, (void)tolerance, (void)context;
    for (int i = 0; i < POINTS; i++) {
        z[i] = r[i] / (shift + diagonal);
        z[POINTS + i] = r[POINTS + i] / (1 + diagonal);
    }
    return 0;
}

int main(void)
{
    double *y = calloc(2 * POINTS, sizeof *y), mu = 12 / (h * h) * pow(sin(pi * h / 2), 2), error = 0;
    keel_problem *p = NULL;
    keel_engine *engine = NULL;
    keel_solver *s = NULL;
    if (!y) return 1;
    for (int i = 0; i < POINTS; i++)
        y[i] = sin(pi * h * (i % SIDE + 1)) * sin(pi * h * (i / SIDE % SIDE + 1)) *
               sin(pi * h * (i / (SIDE * SIDE) + 1));
    int rc = keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = POINTS, .algebraic = POINTS, .rhs = rhs, .constraint = constraint,
        .pattern = {.storage = KEEL_UNFORMED}});
    if (!rc) rc = keel_krylov_engine(&engine, &(keel_krylov_spec){.problem = p, .times = times,
                                                                  .precondition = precondition});
    if (!rc) rc = keel_solver_create(&s, p, &(keel_options){.method = "bdf", .rtol = 1e-5, .engine = engine});
    if (!rc) rc = keel_start(s, 0, y);
    if (!rc) rc = keel_advance_to(s, 0.05);
    if (rc) {
        fprintf(stderr, "%s\n", keel_reason(rc, p, s));
        return 1;
    }
    for (int i = 0; i < POINTS; i++)
        error = fmax(error, fabs(keel_state(s)[i] - exp((1 / (1 + mu) - mu) * 0.05) * y[i]));
    keel_krylov_stats done;
    keel_krylov_stats_of(engine, &done);
    printf("%d unknowns, %ld steps, %ld systems in %ld iterations, error %.1e\n", 2 * POINTS,
           keel_solver_stats(s)->accepted, done.systems, done.iterations, error);
    keel_solver_free(s);
    keel_engine_free(engine);
    keel_problem_free(p);
    free(y);
    return error < 1e-4 ? 0 : 1;
}
