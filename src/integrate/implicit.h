/* implicit.h -- state of the integrator with implicit stages for every form of problem.
 *
 *   0 = r(t_i, y_n + Z_i, h^-1 (A^-1 Z)_i + slope_i y'_n),   r = f - M y' or -F,
 *   y_(n+1) = y_n + sum_i (b^T A^-1)_i Z_i + h b_slope y'_n,
 *
 * which for F(t,y,y') = 0 is the augmented system y' = w, 0 = F(t,y,w) with w eliminated.  For
 * algebraic unknowns the second line is the recursion with R(inf) = 1 - b^T A^-1 1 [Schropp 2003
 * (2.5)]; the slopes belong to an explicit first stage (Lobatto IIIA, ESDIRK).
 */
#ifndef KEEL_INTEGRATE_IMPLICIT_H
#define KEEL_INTEGRATE_IMPLICIT_H

#include "integrate/settle.h"

/* Attempts to meet rtol itself at a corner: Newton's error in algebraic unknowns does not fall. */
enum { ROUGH_ATTEMPTS = 3 };

/* A failure weighs as much as three steps without one; from four on stages are not extrapolated. */
enum { FAILURE_WEIGHS = 3, UNLUCKY = 12 };

/* Newton's method with the Jacobian of every stage. */
typedef struct full_newton {
    int present;                 /* with constant steps and few unknowns                   */
    double *matrix;              /* [s n s n]                                              */
    int *pivot;                  /* [s n]                                                  */
    keel_matrix J, M;
} full_newton;

typedef struct implicit_state {
    int n;
    method_set set;
    int stages;                  /* of the next attempt                                    */
    int order_at[4], lost_at[4]; /* of the method where its stages see index 0..3,         */
    int order;                   /* and now; 0: Radau IIA                                  */
    int steps_at_stages;         /* accepted steps since it changed                        */
    double patience;             /* steps before more stages are tried; grows at corners    */
    double radau_from[STAGES_MAX + 1], radau_rtol[STAGES_MAX + 1];     /* rtol, and rtol_s of it   */
    double more, fewer;          /* mean logarithms of the work with two stages more, less  */
    int ahead;                   /* J is that of the middle of a step, as extrapolated      */
    int setback;                 /* Newton failed since the last accepted step             */
    int rough;                   /* > 0: the step seems to cross a corner                   */
    double rough_factor;         /* rtol_s / rtol: there the error must meet rtol itself,   */
                                 /* for there is no superconvergence to rely on            */
    double factored_h;           /* 0: none                                                */
    int factored_stages;
    newton_monitor newton;
    double newton_h;             /* the step it converged in last; 0: none                 */
    double newton_tolerance, newton_floor;
    double newton_least;         /* rounding, below which no tolerance may fall            */
    double newton_wanted;        /* the tolerance in this attempt                          */
    int tested_count;            /* of the weights below                                   */
    int floors;                  /* one acts somewhere, since this run began               */
    int said;                    /* the length of s->choice before it was said             */
    int largest_stages;          /* with so many settlement.largest was found              */
    int unlucky;                 /* by how much attempts have failed of late               */
    int failures;                /* attempts since the last accepted step                  */
    int begun;                   /* residuals of the start values are in R                 */
    double error_sum[2];         /* of the error estimate, where it came with the stages;  */
                                 /* error_sum[1] = 0: it did not                           */
    iteration matrix;
    double *weight, *scaled;     /* [n] reciprocal tolerances; times h^(index - 1)         */
    double *tested;              /* [n] those, without multipliers that are recomputed     */
    double *row_size;            /* [n] largest entry of each row of the last J             */
    double *floor;               /* [n] accuracy that rounding leaves, where it acts       */
    double *Z, *R, *X;           /* [s n] stage increments, residuals, transformed         */
    double *rates;               /* [s s] h^-1 A^-1 in this attempt                        */
    double *slope, *slope_new;   /* [n] y' at t_n where it is known, at the candidate      */
    double *stage, *rate;        /* [n] Y_i and Y'_i                                       */
    double *f;                   /* [n] f(t_n, y_n), where M is constant                   */
    double *error, *combined;    /* [n]                                                    */
    double *y_new, *yp_new, *f_new;                 /* [n] candidate                       */
    settlement settlement;
    full_newton full;
} implicit_state;

/* implicit_newton.c: start values and their residuals, matrices as far as needed, then the stages. */
attempt_result implicit_begin(keel_solver *s, double h);
attempt_result implicit_matrices(keel_solver *s, double h);
attempt_result implicit_stages(keel_solver *s, double h);
/* Residuals of all stages in e->R, their rates in e->X. */
int implicit_residuals(keel_solver *s, double h);
/* implicit_full.c */
void full_newton_layout(arena *a, keel_solver *s, full_newton *f, int stages);
attempt_result full_newton_stages(keel_solver *s, double h);
/* implicit_diagonal.c: the same one after the other, for diagonally implicit methods. */
attempt_result diagonal_stages(keel_solver *s, double h);
/* Newton's method for as many coupled stages, whose updates are in e->R. */
attempt_result implicit_solve(keel_solver *s, newton_monitor *monitor, int stages,
                              newton_step *step, void *context);
/* Start values Z_i, and e->rates. */
void implicit_predict(keel_solver *s, double h);
/* The method in use. */
static inline const stage_method *implicit_method(const keel_solver *s)
{
    const implicit_state *e = s->state;
    return &e->set.method[e->stages];
}
/* implicit_order.c: is the number of stages chosen by predicted work? */
int implicit_order_serves(const keel_solver *s);
/* After an attempt with an error estimate, and what to go on with. */
void implicit_order_judge(keel_solver *s);
/* `easy`: Newton's method has converged fast for long. */
int implicit_order_choose(const keel_solver *s, int easy);
/* rtol_s of s stages: c rtol^((s+1)/(2s-1)), so that the global error, h^(2s-1), follows rtol itself; c
 * makes it RADAU's 0.1 rtol^((s+1)/(2s)) [HW99] at rtol = 1e-6. */
double implicit_radau_rtol(const keel_solver *s, int stages, double rtol);
/* implicit_rounding.c: after failures, the accuracy that rounding in the equations leaves, ... */
void implicit_rounding(keel_solver *s);
/* ... and weights that ask for no more. */
void implicit_hold(keel_solver *s);
/* The parts of an error estimate by an embedded method, from stages that may be the last ones: e->error, and
 * this rank's part of its norm.  A code of eval_*. */
int implicit_embedded(keel_solver *s, double h, double sum[2]);
/* Error estimate into e->error and s->report.error. */
attempt_result implicit_error(keel_solver *s, double h);

#endif
