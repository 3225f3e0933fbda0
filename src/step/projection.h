/* projection.h -- projection of index-2 and index-3 systems onto their constraints.
 *
 *   index 1   z from g(y,z) = 0, which Newton's error in the stages leaves a little off
 *   index 2   y := y + f_z mu, g(y) = 0 [Ascher & Petzold 1991 (14c,d)];   then z from g_y f + g_t = 0
 *   index 3   u := u + f_v k_l mu1, g(u) = 0;  v := v + k_l mu2, g_u f + g_t = 0 [Schropp 2003
 *             (2.7)];   then l from the acceleration level
 *
 * Each level is solved to rounding by simplified Newton with the matrix S = g_y f_z or
 * g_u f_v k_l with directions at the new point.  (f_v alone may be that of the last Jacobian: for
 * stiffly accurate methods g(u) = 0 holds at the last stage and the correction of u is as small as
 * Newton's error.)
 */
#ifndef KEEL_STEP_PROJECTION_H
#define KEEL_STEP_PROJECTION_H

#include "problem/problem.h"

typedef struct projection {
    double *G, *D0, *D1;         /* [m N], [N m], [M m]                                    */
    double *S;                   /* [m m] factored                                         */
    int *pivot;                  /* [m]                                                    */
    double *value, *step;        /* [n] each                                               */
} projection;

/* What is wanted. */
typedef struct projection_plan {
    keel_projection kind;
    keel_metric metric;          /* orthogonal                                             */
    const double *weight;        /* [n] reciprocal tolerances, for KEEL_METRIC_TOLERANCE   */
    int multipliers;             /* also recompute them from the hidden constraint         */
} projection_plan;

typedef enum projection_result {
    PROJECTION_DONE = 0, PROJECTION_CANNOT_EVALUATE = 1, PROJECTION_SINGULAR = 2,
    PROJECTION_DIVERGES = 3, PROJECTION_STOP = -1
} projection_result;

/* Index 1 is served up to this number of algebraic unknowns: factoring g_z once more is dear. */
enum { INDEX1_MOST = 64 };

void projection_layout(arena *a, projection *p, const keel_problem *problem);
/* Moves y at t to the constraint manifold of the problem -- of its original, where the problem is a
 * formulation of another; of its invariants, for an ODE.  g_z of index 1 is taken out of J = r_y
 * (otherwise J may be NULL).  *row names a constraint that depends on others. */
projection_result projection_move(projection *p, evaluator *e, const projection_plan *plan,
                                  const keel_matrix *J, double t, double *y, int *row);
/* Norms of all levels at (t,y); -1 for levels that do not exist. */
projection_result projection_residuals(projection *p, evaluator *e, double t, const double *y,
                                       double residual[3]);

#endif
