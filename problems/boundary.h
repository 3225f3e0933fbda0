/* boundary.h -- what the bundled boundary value problems have in common.
 *
 * Their parameters are those of the target and, in the same order, of the frame of the problem, so
 * that boundary value problems for other parameters need no other problem.  Conditions and guesses
 * get those of the target as their context.
 */
#ifndef KEEL_PROBLEMS_BOUNDARY_H
#define KEEL_PROBLEMS_BOUNDARY_H

#include "problems/list.h"

/* The only parameter, in the callbacks of a problem. */
static inline double framed_parameter(const void *context)
{
    return ((const keel_frame *)context)->parameters[0];
}

/* Conditions on the first of three unknowns, one at each end: their derivatives. */
static inline int first_at_both_ends(const double *ya, const double *yb, const double *p,
                                     double *b_a, double *b_b, double *b_p, void *context)
{
    (void)ya, (void)yb, (void)p, (void)b_p, (void)context;
    for (int i = 0; i < 6; i++) b_a[i] = b_b[i] = 0;
    b_a[0] = b_b[3] = 1;
    return 0;
}

/* The Jacobi elliptic functions of modulus k, 0 <= k < 1, and a quarter of their period. */
void elliptic_functions(double u, double k, double *sn, double *cn, double *dn);
double elliptic_quarter(double k);
/* sn(u)/cn(u) for the modulus whose complement is kc, 0 < kc < 1; infinite from the quarter on. */
double elliptic_sc(double u, double kc);

#endif
