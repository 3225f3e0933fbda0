/* jump.h -- from an impasse point to the next stable branch of the algebraic equations.
 *
 * Along the fast fibre t and A x are held, x = x* + V z with A V = 0, and
 *
 *   dz/dtau = C g2(t, x* + V z),
 *
 * the limit of eps z' = +-g for a semi-explicit problem: C = +-I, with the sign for which the
 * branch that ended was stable.  Where no sign makes it so, or no unknown belongs to an equation
 * (quasilinear), C = -G~^-1 with G = Dg2 V on that branch and its smallest singular value, that of
 * the critical direction, made the largest: all other equations hold while that direction relaxes.
 * z begins where the curve leads beyond the impasse point.  Linearly implicit Euler with
 * extrapolation [HW96 IV.9] follows the flow; the branch that it ends on is stable.
 */
#ifndef KEEL_SINGULAR_JUMP_H
#define KEEL_SINGULAR_JUMP_H

#include "singular/curve.h"

typedef struct jump {
    double *V, *C, *G;           /* [n m], [m m], [m m]                                    */
    double *product, *factors;   /* [m m]                                                  */
    double *z, *whole, *halves;  /* [m]                                                    */
    double *rate, *value;        /* [m]                                                    */
    double *X, *origin;          /* [n+1]                                                  */
    double *left, *right;        /* [m m]                                                  */
    double *work;
    int *pivot, work_length;
} jump;

void jump_layout(arena *a, jump *j, const keel_problem *problem);
/* From the impasse point where the last step of the curve ended to j->X. */
int jump_along(jump *j, curve *c);

/* Codes as of the curve, and: */
enum { JUMP_UNBOUNDED = 110,     /* the fibre leads beyond all bounds                      */
       JUMP_NOWHERE,             /* or to no stable branch                                 */
       JUMP_TURNS };             /* A changes its kernel on the way                        */

#endif
