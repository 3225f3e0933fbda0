/* branch.h -- does a step of an index-1 problem stay on its branch of 0 = g(t,y,z)?
 *
 * With d the way of z since a step was last looked at (not every one moves z) and A = g_z there, or
 * near it,
 *
 *   d^T W A^-1 g_z(t_(n+1), y_(n+1)) d > 0,   and det g_z keeps its sign:
 *
 * otherwise the way from one g_z to the other leads past a singular matrix, where the solution ends
 * or branches meet, or is longer than a step should be.  g_z d is a difference of g.
 */
#ifndef KEEL_INTEGRATE_BRANCH_H
#define KEEL_INTEGRATE_BRANCH_H

#include "integrate/integrator.h"

typedef struct branch {
    double *A;                   /* [m m] factored                                         */
    int *pivot;                  /* [m]                                                    */
    double *d, *weighted;        /* [m]: d and W d                                         */
    double *change, *back;       /* [m]: g_z d and A^-1 g_z d                              */
    int watched;                 /* problems of index 1 with at most INDEX1_MOST unknowns z */
    double *z;                   /* [m] where d begins                                     */
    int known, sign;             /* A; the sign of its determinant, 0: not known           */
    int looked;                  /* was the last step long enough to be looked at?         */
    double from, t;              /* of the last step                                       */
} branch;

void branch_layout(arena *a, branch *b, const keel_problem *problem);
/* Is the new point y at t, where the projection's `value` is g, on the branch of the accepted point?
 * `prepared`: its directions have a factored g_z. */
attempt_result branch_check(keel_solver *s, branch *b, int prepared, double t, double *y);

#endif
