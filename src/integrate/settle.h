/* settle.h -- what the integrators for every form do with a new point: projection and multipliers as
 * the options say, and the residuals that are left.
 */
#ifndef KEEL_INTEGRATE_SETTLE_H
#define KEEL_INTEGRATE_SETTLE_H

#include "integrate/branch.h"
#include "integrate/iteration.h"

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
