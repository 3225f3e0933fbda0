/* settle.h -- what the integrators for every form do with a new point: projection and multipliers as
 * the options say, and the residuals that are left.
 */
#ifndef KEEL_INTEGRATE_SETTLE_H
#define KEEL_INTEGRATE_SETTLE_H

#include "integrate/integrator.h"
#include "integrate/iteration.h"

/* branch.c: does a step of an index-1 problem stay on its branch of 0 = g(t,y,z)? */
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

enum { SETTLE_SUMS = 4 };

typedef struct settlement {
    branch branch;               /* of index 1                                             */
    iteration *matrix;           /* whose J has the g_z of index 1, and may be to blame; or NULL */
    const double *weight;        /* of the error test; NULL: of the tolerances             */
    const double *slope;         /* y' before the step; NULL: first steps are short enough */
    /* What the integrator evaluates at the new point before it is accepted, a code of eval_*.  Over ranks the
     * message that judges the point tells of failures there, too, and sums and a maximum of the integrator's
     * own go with it; NULL where vectors are whole. */
    int (*at_new)(keel_solver *s, double t, const double *y, double *sum, double *most);
    double sum[SETTLE_SUMS];     /* those sums,                                            */
    double largest;              /* and that maximum                                       */
    int multipliers;             /* recomputed from the hidden constraint                  */
    int stiffly_accurate;        /* the point is a stage                                   */
    int brief;                   /* the level of the multipliers is not measured           */
} settlement;

void settle_layout(arena *a, settlement *d, const keel_solver *s);
/* A run begins. */
void settle_begin(keel_solver *s, settlement *d, iteration *matrix, const double *weight,
                  const double *slope, int stiffly_accurate);
/* After a step, to the point y at t; its residuals become s->left. */
attempt_result settle(keel_solver *s, settlement *d, double t, double *y);
/* Does `settle` replace the multipliers that the method computes? */
int settle_replaces_multipliers(const keel_solver *s, const settlement *d);

#endif
