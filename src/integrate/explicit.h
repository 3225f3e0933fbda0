/* explicit.h -- state of the integrator for explicit Runge-Kutta methods.
 *
 *   ODE            x' = f(t,x)
 *   semi-explicit  x' = f(t,x,z), z from 0 = g(t,x,z): the state-space form method [HW96 VI.1]
 *   mechanical     x = (q,v): q' = v, [M G^T; G 0][v'; l] = [f; -gamma], the index-1 form
 *
 * in the differential unknowns x, d of them.  Vectors of x are padded with further unknowns or
 * zeros to a multiple of four.
 */
#ifndef KEEL_INTEGRATE_EXPLICIT_H
#define KEEL_INTEGRATE_EXPLICIT_H

#include "integrate/integrator.h"
#include "step/mechanical_point.h"

/* The nonzeros of a row of weights: sum_k weight[k] K[at[k]], at counted in doubles. */
typedef struct weight_row {
    int count;
    int *at;
    double *weight;
} weight_row;

/* X := base + h sum_k row.weight[k] K[row.at[k] ...] over `padded` entries; base NULL: 0. */
void weighted_sum(const weight_row *row, int padded, double h, const double *K, const double *base,
                  double *X);
/* |x|^2 + |y|^2 for the sums x, y of two rows with the same `at`, entries weighed by w. */
double weighted_squares(const weight_row row[2], int padded, const double *K, const double *w);

/* z from g(t,x,z) = 0 by simplified Newton. */
typedef struct algebraic_solver {
    coloring colors;
    keel_matrix J;               /* r_y, of which g_z is a part                            */
    struct {
        double *g_z;             /* [m m] factored                                         */
        int *pivot;              /* [m]                                                    */
        int known;               /* it is                                                  */
    } factors[2], *use;          /* of the steps and, made from these, of dense output     */
    double *step;                /* [m] scratch                                            */
    double *Z;                   /* [stages m] of the attempt                              */
    double *resolving;           /* [stages] see resolution_weights                        */
    int sign;                    /* of det g_z; 0: not known yet                           */
    double tolerance;            /* of an update, in units of the tolerances               */
} algebraic_solver;

/* What the corner weights of a step saw, in units of the tolerances. */
typedef struct sighting {
    double h, error, size;       /* |h|, the error estimate, |h sum w_i k_i|; h = 0: nothing */
} sighting;

typedef struct explicit_state {
    int n, m, d, padded;         /* positions or differential unknowns; constraints        */
    int mechanical;              /* accelerations come from a point                        */
    int stages, all;             /* without and with those for dense output                */
    int same_last;               /* the last stage is the new point: first same as last    */
    int doubling;                /* the error comes from step doubling                     */
    double exponent;             /* error ~ h^(1 / exponent)                               */
    weight_row *row;             /* [all] of A; row 0 is empty                             */
    weight_row b, error, second; /* weights, b - b_hat, b - b_second (count 0: none)       */
    weight_row corner[2];        /* those that see corners, the same `at` (count 0: none)  */
    double *K, *K_done;          /* [all padded] slopes: of the attempt, of the last step  */
    double *x, *x_new, *x_old;   /* [padded] unknowns: accepted, candidate, one step ago   */
    double *slope, *slope_new, *slope_old;       /* [padded] x' at these                   */
    double *stage, *half, *full, *half_slope;    /* [padded] scratch                       */
    double *inside;              /* [padded] scratch of dense output                       */
    double *estimate;            /* [padded] local error                                   */
    double *weight;              /* [n] reciprocal tolerances at x                         */
    mechanical_point point;      /* of the last evaluation, with its factors               */
    int tangential;              /* curvature by differences: its noise stays out of errors */
    algebraic_solver algebraic;
    int projected;               /* for invariants, formulations and the other kinds       */
    /* dense output */
    int points, data;            /* nodes; the tableau has dense weights                   */
    double *nodes, *barycentric; /* [points]                                               */
    weight_row *at_node;         /* [points] b_i(theta_j)                                  */
    int weights_known;           /* those of at_node                                       */
    sighting now, smooth[2];      /* corners: of the attempt, of the last two steps         */
    int corner_found;            /* the attempt was rejected for one                       */
    /* stiffness, for the method `auto` */
    double stability;            /* |h lambda| of the last step                            */
    double mean_stability;       /* running mean of its logarithm                          */
    int turning;                 /* the last step followed a fast motion                   */
} explicit_state;

/* explicit_rate.c: K := x' at (t, x).  `full`: mechanical systems with multipliers and
 * factors (e->point); index 1 with z, which follows x, to rounding. */
attempt_result explicit_rate(keel_solver *s, double t, double *x, double *K, int full);
/* explicit.c: over ranks, a message that tells what failed on any of them since the last one. */
attempt_result explicit_ask(keel_solver *s);
/* z after x from g(t,x,z) = 0, starting with what is there; `exact`: to rounding. */
attempt_result explicit_algebraic(keel_solver *s, double t, double *x, int exact);

/* g_z at (t, x), factored.  ATTEMPT_BRANCH where its determinant has another sign than at the
 * accepted points. */
attempt_result explicit_factor(keel_solver *s, double t, const double *x);

/* explicit_point.c: projects the candidate at t, finds slope_new and the residuals.  `first`: the
 * initial point, which is consistent already and the end of no step. */
attempt_result explicit_settle(keel_solver *s, double t, int first);

/* explicit_stiffness.c: evidence from an accepted step, a rejected attempt, and the first point; */
void explicit_judge(keel_solver *s, double h);
void explicit_suspect(keel_solver *s, double h);
attempt_result explicit_foresee(keel_solver *s);
/* is it enough? */
int explicit_stiff(const keel_solver *s);

/* explicit_corner.c: is there a corner in an attempt whose estimate passed?  Then report.error, which is
 * that of the corner weights, O(h^CORNER_POWER), exceeds 1 and corner_found. */
enum { CORNER_POWER = 5 };
void explicit_watch(keel_solver *s, double h);
void explicit_watch_accept(keel_solver *s);

/* explicit_dense.c */
void explicit_dense_layout(arena *a, keel_solver *s, explicit_state *e);
attempt_result explicit_dense(keel_solver *s);

#endif
