/* settle.h -- what the integrators for every form do with a new point: projection and multipliers as
 * the options say, and the residuals that are left.
 */
#ifndef KEEL_INTEGRATE_SETTLE_H
#define KEEL_INTEGRATE_SETTLE_H

#include "integrate/branch.h"
#include "integrate/iteration.h"

enum { SETTLE_SUMS = 4 };

typedef struct settlement {
    projection projection;
    branch branch;               /* of index 1                                             */
    iteration *matrix;           /* whose J has the g_z of index 1, and may be to blame; or NULL */
    const double *weight;        /* of the error test; NULL: of the tolerances             */
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
/* matrix: whose J may serve keel_project, or NULL.  0 or a status, as iteration_create. */
int settle_create(keel_solver *s, settlement *d, const iteration *matrix);
void settle_release(settlement *d);
/* A run begins. */
void settle_begin(const keel_solver *s, settlement *d, iteration *matrix, const double *weight,
                  int stiffly_accurate);
/* After a step; residual[3] are those of the point y at t that it leaves. */
attempt_result settle(keel_solver *s, settlement *d, double t, double *y, double *residual);
/* Does `settle` replace the multipliers that the method computes? */
int settle_replaces_multipliers(const keel_solver *s, const settlement *d);
/* Residuals at the start. */
attempt_result settle_residuals(keel_solver *s, settlement *d, double t, const double *y,
                                double *residual);

#endif
