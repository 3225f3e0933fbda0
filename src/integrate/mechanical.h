/* mechanical.h -- state of the integrator for  M(t,q) q'' = f(t,q,q') - G^T l,  0 = g(t,q).
 *
 * Unknowns are the stage accelerations K_i and multipliers L_i:
 *
 *   V = v_n + h A K,   Q = q_n + h c v_n + h^2 A^2 K,
 *   0 = R_i = f_i - G_i^T L_i - M_i K_i,   0 = g_i,
 *
 * which is the stage system (2.6) of Schropp (2003) with U' = V eliminated: n + m unknowns per
 * stage instead of 2n + m.
 */
#ifndef KEEL_INTEGRATE_MECHANICAL_H
#define KEEL_INTEGRATE_MECHANICAL_H

#include "integrate/integrator.h"
#include "linear/lanes.h"
#include "step/mechanical_point.h"

/* All stages side by side: entry k of stage i at [k*w + i], w = lanes(s); see linear/lanes.h. */
typedef struct stage_data {
    int w;
    int diagonal;                /* M is constant and diagonal                             */
    double *K, *L;               /* [n w], [m w] unknowns                                  */
    double *Q, *V;               /* [n w]                                                  */
    double *M, *f, *G, *g;       /* [n n w], [n w], [m n w], [m w] at the stages           */
    double *R, *C;               /* [n w], [m w] residuals                                 */
    double *dK, *dL, *dQ, *dV;   /* [n w], [m w], [n w], [n w] updates                     */
    double *restK, *restL;       /* [n w], [m w] what is left of the linear system         */
    double *xK, *xL;             /* [n w], [m w] transformed systems                       */
    double *hA, *h2A2, *inverse; /* [s w] columns of h A, h^2 A^2, h^-2 A^-2               */
    double *T, *T_inv;           /* [s w] columns                                          */
    keel_mechanical_parts one;   /* parts of a single stage                                */
    double *q, *v;               /* [n] of a single stage                                  */
} stage_data;

/* Factors of E(gamma) = [M - (h/gamma) D - (h/gamma)^2 K, G^T; G, 0], gamma an eigenvalue of A^-1. */
typedef struct full_matrices {
    double *K, *D;               /* [n n] d/dq (f - G^T l - M a), f_v                      */
    keel_matrix minus_re, im;    /* -Re E and Im E, N = n + m                              */
    linear_system *system;       /* of all eigenvalues                                     */
    double *vector;              /* [2 N]                                                  */
    double h;                    /* step size and stages factored for; 0: none             */
    int stages;
    int jacobian_known;          /* K, D evaluated; age in steps                           */
    int jacobian_age;
} full_matrices;

typedef struct mechanical_state {
    int n, m;
    method_set set;
    int stages;                  /* of the next attempt                                    */
    int full;                    /* iteration with the full matrices                       */
    int strain;                  /* evidence that the saddle matrix is too poor ...        */
    int enough;                  /* ... and how much of it makes the iteration full        */
    int trial;                   /* attempts until the full iteration is judged, or 0      */
    double pace;                 /* time per attempt with the saddle matrix                */
    double advanced;             /* by those of the trial                                  */
    int sweeps;
    double past_h;               /* the last step                                          */
    double newton_tolerance;
    newton_monitor newton;
    mechanical_point now, candidate;             /* of the trajectory                      */
    saddle *kkt[2];              /* now.kkt is one of them                                 */
    stage_data st;
    full_matrices fm;
    /* accelerations and multipliers of the last step at the nodes of its dense output: [n wp], [m wp] */
    double *past_K, *past_L;
    double *extrapolation;       /* [points w] columns                                     */
    double *weight;              /* [n of y] reciprocal tolerated errors                   */
    double *e_q, *e_v;           /* [n], [n] error estimate; consecutive                   */
} mechanical_state;

/* mechanical_settle.c: from q, v in p->y at t: project (plan NULL: do not), factor, find a and l.
 * The full iteration does without a new factorization where the last one still serves. */
attempt_result point_complete(keel_solver *s, mechanical_point *p, double t,
                              const projection_plan *plan);

/* mechanical_newton.c: solve the stage system for K, L, Q, V; start values are in K and L. */
attempt_result stages_solve(keel_solver *s, double h);
/* The filtered error estimate e_q, e_v of the attempt. */
void stages_error(keel_solver *s, double h);
/* Evaluates K and D and factors E(gamma) for the step size, as far as needed. */
attempt_result full_prepare(keel_solver *s, double h);

#endif
