/* krylov.h -- an engine of one machine whose systems are solved by iteration: GMRES with restarts
 * [Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856], for problems too large to be factored.
 *
 * The systems are A x = b with A = shift M - J, J = r_y of r = f - M y' (IDA: F = -r, A = F_y + cj F_y',
 * shift = cj).  Where A comes from:
 *
 *   times                              A v by the program
 *   problem with a sparse or band      J by its callback or by differences, as always
 *   pattern
 *   neither                            A v by a difference of r along v: no matrix is ever formed
 *
 * and what makes the iteration short: `precondition`, an approximation of A^-1; without it, where J
 * is formed, the incomplete factors of A in its own pattern, ILU(0).  Complex shifts alpha + i beta of
 * Runge-Kutta methods are real systems of twice the size, preconditioned by two solves with
 * (alpha + beta) M - J [Axelsson & Neytcheva, Numer. Algorithms 66 (2014)], so that `precondition` sees
 * real shifts alone.
 *
 *   keel_krylov_engine(&engine, &(keel_krylov_spec){.problem = p});
 *   keel_solver_create(&s, p, &(keel_options){.method = "bdf", .engine = engine});
 *
 * The option `linear` = krylov makes such an engine without functions of the program.
 */
#ifndef KEEL_KRYLOV_H
#define KEEL_KRYLOV_H

#include "keel/engine.h"
#include "keel/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions return as callbacks do: 0, > 0 (not here) or < 0 (stop).  y has all unknowns of the problem. */
typedef struct keel_krylov_spec {
    const keel_problem *problem;     /* borrowed                                            */
    /* Av := (shift M - J(t,y,y')) v; optional. */
    int (*times)(double t, const double *y, const double *yp, const double *v, double *Av, double shift,
                 void *context);
    /* Prepares the preconditioner for this matrix; optional. */
    int (*precondition_setup)(double t, const double *y, const double *yp, double shift, void *context);
    /* z := (about A^-1) r, linear in r and 0 for r = 0 alone: GMRES does not see what is mapped to 0.  A run
     * with one that is found singular is ended with KEEL_CALLBACK_FAILED.  Optional. */
    int (*precondition)(double t, const double *y, const double *yp, const double *r, double *z, double shift,
                        double tolerance, void *context);
    void *context;
    int restart;                     /* vectors before GMRES begins anew; 0: 30 to 100, by size */
    int limit;                       /* iterations of one solve; 0: ten times as many       */
} keel_krylov_spec;

/* On failure *engine still holds the message (free it); it is NULL only without memory. */
KEEL_API int keel_krylov_engine_sized(keel_engine **engine, const keel_krylov_spec *spec, size_t size);

static inline int keel_krylov_engine(keel_engine **engine, const keel_krylov_spec *spec)
{
    return keel_krylov_engine_sized(engine, spec, sizeof *spec);
}

/* What it has done so far. */
typedef struct keel_krylov_stats {
    long systems, iterations;        /* solves, and products with A in them                 */
    long setups;                     /* of the preconditioner                               */
    long failures;                   /* solves that did not reach their tolerance           */
} keel_krylov_stats;

KEEL_API int keel_krylov_stats_of_sized(const keel_engine *engine, keel_krylov_stats *stats, size_t size);

static inline int keel_krylov_stats_of(const keel_engine *engine, keel_krylov_stats *stats)
{
    return keel_krylov_stats_of_sized(engine, stats, sizeof *stats);
}

#ifdef __cplusplus
}
#endif
#endif
