/* engine.h -- vectors that are spread over ranks, and the linear algebra of them.
 *
 * Every rank (process or thread) has a solver of its own for its part of the unknowns, with the same
 * form, options and method, and makes the same calls of keel_* at the same times: y, z, f, g are the
 * rank's own parts, groups in the usual order, at least one unknown of each group.  The solver sees
 * other ranks through the functions below alone; callbacks exchange what they need of others
 * themselves, and are called on all ranks in the same order.
 *
 * With an engine the callbacks `jacobian`, `mass` and `pattern` of the problem are not looked at: J, M
 * and the systems are the engine's (more than 8000 unknowns: pattern.storage = KEEL_UNFORMED).  Implicit
 * Runge-Kutta methods and bdf run on ODEs, semi-explicit problems, Hessenberg index 2 and M y' = f with a
 * constant M, Radau IIA on Hessenberg index 3 as well, Rosenbrock methods on index 0 and 1, half-explicit
 * ones on ODEs and Hessenberg forms by the saddle matrix alone, explicit methods on ODEs, of whose engine
 * they ask for sums alone; what is dense or local is refused.
 *
 * Failures.  A callback that fails on one rank, by its code or by a value that is not finite, fails
 * on all: its part becomes NaN, and the next sum or solve tells all ranks, with the message.  So the
 * functions below meet vectors with NaN: they may give back NaN, or a code > 0.
 * Codes are as of callbacks: 0, > 0 (not here: the step will be made smaller) or < 0 (the run ends).
 * A code must be the same on all ranks, and so must sums and maxima be, to the last bit.
 */
#ifndef KEEL_ENGINE_H
#define KEEL_ENGINE_H

#include <stddef.h>

#include "keel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_engine keel_engine;

/* r(t,y,y') = f(t,y) - M y'; J = r_y, M the mass matrix: 0 for the rows of g, 1 for others where the
 * form has none. */
typedef struct keel_engine_spec {
    void *context;
    int rank;                    /* of this part, from 0                                    */
    int exact;                   /* `solve` is a direct one, whatever the tolerance         */
    /* Adds up sum[0..sums) over all ranks, and finds the largest of most[0..maxima): one message.
     * NULL: there is one rank. */
    int (*reduce)(void *context, int sums, double *sum, int maxima, double *most);
    /* J at (t,y), until the next call; y' matters where r_y depends on it. */
    int (*linearize)(void *context, double t, const double *y, const double *yp);
    /* y := y + alpha M x; M y' = f alone. */
    int (*multiply_mass)(void *context, double alpha, const double *x, double *y);
    /* The system (re + i im) M - J with the last J under the number `slot` = 0, 1, ...; systems with
     * im = 0 and those with im > 0 are numbered separately.  > 0: singular. */
    int (*prepare)(void *context, int slot, double re, double im);
    /* b := (its inverse) b, real and imaginary part, which is NULL for a real system; |b - A x| <=
     * tolerance |b|, in a norm of its own.  > 0: not reached. */
    int (*solve)(void *context, int slot, double tolerance, double *b_re, double *b_im);
    /* [I -f_z; -g_y 0] at (t,y,z), and solves with it: Hessenberg 2.  With saddle_index = 3 also
     * [I -f_v 0; 0 I -k_l; -g_u 0 0] at (t,u,v,l), y_part being (u,v): Hessenberg 3. */
    int (*prepare_saddle)(void *context, double t, const double *y);
    int (*solve_saddle)(void *context, double tolerance, double *y_part, double *z_part);
    /* Optional: w := g_y(t,y) v.  Without it differences of g along (1, y'). */
    int (*constraint_times)(void *context, double t, const double *y, const double *v, double *w);
    /* Optional: a name of this rank's unknown for messages.  Without it "y3 of rank 1". */
    void (*name)(void *context, int variable, char *text, int size);
    /* Optional: of keel_engine_free. */
    void (*release)(void *context);
    /* Optional: takes out of x, a change of all unknowns, what no equation determines, as a constant of
     * pressures: `solve` must leave none of it either.  Extrapolation would let its rounding errors grow. */
    int (*determine)(void *context, double *x);
    int saddle_index;            /* highest index of Hessenberg forms that the saddle serves; 0: 2    */
} keel_engine_spec;

/* On failure *engine still holds the message (free it); it is NULL only without memory.  Local: not
 * a call that all ranks must make together.  An engine serves one solver at a time and must outlive
 * it: keel_options.engine. */
KEEL_API int keel_engine_create_sized(keel_engine **engine, const keel_engine_spec *spec, size_t size);

static inline int keel_engine_create(keel_engine **engine, const keel_engine_spec *spec)
{
    return keel_engine_create_sized(engine, spec, sizeof *spec);
}

KEEL_API void keel_engine_free(keel_engine *engine);
KEEL_API const char *keel_engine_message(const keel_engine *engine);
/* How many messages `reduce` was asked for so far. */
KEEL_API long keel_engine_messages(const keel_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
