/* half_explicit.h -- state of the half-explicit integrator, and one step of it.
 *
 *   Y_i  = y_n + h sum_{j<i}  a_ij f(t_j, Y_j, Z_j),
 *   Y*_i = y_n + h sum_{j<=i} a*_ij f(t_j, Y_j, Z_j),   0 = w(t*_i, Y*_i)  fixes Z_i,   i = 1..s
 *
 * with w = g of index 2, and for index 3 the velocity constraint w = g_u f + g_t of y = (u,v).
 * The rows a* of the constraint points are those of the next stage and b [Hairer, Lubich & Roche
 * 1989; Brasey & Hairer, SIAM J. Numer. Anal. 30 (1993)], or a table of their own, where a first
 * row of zeros says Z_1 = z_n [Murua, Computing 59 (1997); Arnold, BIT 38 (1998)].
 */
#ifndef KEEL_INTEGRATE_HALF_EXPLICIT_H
#define KEEL_INTEGRATE_HALF_EXPLICIT_H

#include "integrate/integrator.h"
#include "step/mechanical_point.h"

typedef struct half_state {
    int d, m;                    /* differential unknowns y or (u,v), multipliers          */
    int level;                   /* that w is: the one before the hidden one               */
    const constraint_level *acts;        /* unknowns that the multipliers act on           */
    int mixed;                   /* some rows of a levelled problem are of index 1         */
    int worst;                   /* of them, in the last correction                        */
    int order, order_error;      /* of the method, of its error estimate                   */
    int given_first;             /* Z_1 = z_n                                              */
    int imposes_end;             /* the last row that is b; -1: w(y_(n+1)) = 0 is not asked */
    int unfit;                   /* the matrix of the stages could not be evaluated        */
    int G_known;                 /* mechanical: G_point is that of the next stage          */
    newton_monitor newton;
    double worst_rate;           /* of Newton's method in this attempt                     */
    double newton_tolerance, newton_rounding, newton_floor;
    double *points;              /* [s s] a*                                               */
    double *point_nodes;         /* [s]                                                    */
    double *reach;               /* [s] largest coefficient of stage i in any row, over a*_ii */
    double *error_weights;       /* [s] b - b_hat, or NULL: step doubling                  */
    double *slopes;              /* [s d] f(t_j, Y_j, Z_j)                                  */
    double *stage;               /* [n] (Y_i, Z_i)                                         */
    double *point;               /* [n] Y*_i                                               */
    double *base;                /* [d] Y*_i without the share of stage i                  */
    double *guess;               /* [m] start of Newton's method                           */
    double *value;               /* [n] of w, then of the correction                       */
    double *change;              /* [d] of y by a correction of the multipliers            */
    /* Not mechanical: w_y f_z at one point serves all stages, whose matrix is h a*_ii times that. */
    directions directions;
    saddle *saddle;              /* mechanical: [M(Q_i) G(Q_i)^T; G(Q*_i) 0]               */
    double *mass, *G_stage, *G_point;               /* [n n], [m n], or nonzeros           */
    double *force, *drive;                          /* [n], [m] g_t                        */
    double *weight;              /* [n]                                                    */
    double *slope, *slope_new;   /* [d] y' at t and at the candidate                       */
    double *y_new, *y_half, *y_other;               /* [n] candidate; step doubling        */
} half_state;

/* half_explicit_stages.c: y_out (n values, with the last multipliers) a step h after (t, y), where
 * y' is `slope`. */
attempt_result half_step(keel_solver *s, double t, const double *y, const double *slope, double h,
                         double *y_out);
/* The matrix of all stages at (t,y). */
attempt_result half_matrix(keel_solver *s, double t, const double *y);
/* One Newton step of y to w(t,y) = 0 with the matrix at hand. */
attempt_result half_pull(keel_solver *s, double t, double *y);
/* y' at (t,y): M^-1 (f - G^T l) for the velocities of mechanical problems. */
attempt_result half_slope(keel_solver *s, double t, const double *y, double *slope);
/* Multipliers at (t,y) from the hidden constraint, if they are wanted; and y'. */
attempt_result half_multipliers(keel_solver *s, int wanted, double t, double *y, double *slope);

#endif
