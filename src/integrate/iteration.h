/* iteration.h -- the matrices J and M of a problem and the factored systems sigma M - J that
 * simplified Newton solves the stage equation with,
 *
 *   0 = r(t, Y, sigma Y + psi),
 *
 * which is the same for a diagonally implicit stage, sigma = 1 / (h a_ii), and for a BDF step,
 * sigma = alpha_k / (h beta_k); coupled stages need several of them.
 */
#ifndef KEEL_INTEGRATE_ITERATION_H
#define KEEL_INTEGRATE_ITERATION_H

#include "linear/linear.h"
#include "problem/problem.h"
#include "step/newton.h"

typedef struct iteration {
    evaluator *eval;             /* of the problem that is solved; its engine has J, M and the    */
                                 /* systems, if there is one                               */
    const newton_monitor *newton;/* says how exact solutions have to be; NULL: as always   */
    linear_system *system;
    coloring colors;
    keel_matrix J, M;
    double *mass_diagonal;       /* [n] used when `diagonal`                               */
    int diagonal, mass_constant;
    int jacobian_known, jacobian_fresh;             /* fresh: evaluated where the step is  */
    int by_differences;          /* and so may be wrong,                                   */
    int doubted;                 /* which has been tried with a second one here            */
    int started;                 /* and not factored since: no pivots to keep              */
} iteration;

void iteration_layout(arena *a, iteration *it, const keel_problem *problem, const keel_engine *engine);
/* Of a solver, whose factors are known to take so much more: 0 or a status of linear_create. */
int iteration_create(iteration *it, keel_solver *s, evaluator *eval, int real_slots, int complex_slots);
void iteration_release(iteration *it);
/* Forgets J and evaluates M at the start; codes as of eval_mass. */
int iteration_start(iteration *it, double t, const double *y, const double *yp);
/* J, and M where it varies, unless J is known; *renewed says whether it was not. */
int iteration_jacobian(iteration *it, double t, const double *y, const double *yp, int *renewed);
/* A Jacobian that does not belong to the present point: the next attempt shall have a new one. */
void iteration_outdate(iteration *it);
/* The same after a failure, whether that may help.  One that does belong there, but was made by
 * differences, is made once more with increments of the other sign: a single difference may have met
 * a corner or a value that the callback got wrong. */
int iteration_doubt(iteration *it);
/* shift M - J; codes as of linear_factor. */
int iteration_factor(iteration *it, int slot, double shift);
int iteration_factor_complex(iteration *it, int slot, double shift_re, double shift_im);
/* b := (shift M - J)^-1 b; a code as of eval_*, of an engine. */
int iteration_solve(iteration *it, int slot, double *b);
int iteration_solve_complex(iteration *it, int slot, double *b_re, double *b_im);
/* 0 = r(t, base + Z, sigma Z + rest), rest = 0 where it is NULL. */
typedef struct stage_equation {
    iteration *matrix;
    const double *weight;        /* [n] of updates                                          */
    double t, sigma;
    const double *base, *rest;   /* [n]                                                    */
    int slot;                    /* of the factored system,                                */
    double relaxation;           /* and a factor on its updates where it is of another sigma */
    double *Z;                   /* [n] start value, then the solution                     */
    double *Y, *rate;            /* [n] Y and Y' of the last evaluation                    */
    double *update;              /* [n] of the last iteration                              */
} stage_equation;

/* One iteration of simplified Newton (a newton_step) on a stage_equation; *size is the root mean
 * square of the weighted update. */
int stage_iterate(void *equation, double *size);
/* Z := Z + update for coupled stages, [stages n]; the same norm. */
double stages_add(reducer *r, int stages, int n, const double *update, const double *weight, double *Z);

/* resolution.c: raises s->report.error, O(h^power), where algebraic unknowns are not resolved; by their
 * increments Z[stages n] at the stages, ... */
void resolution_of_increments(keel_solver *s, const iteration *matrix, int stages, const double *weights,
                              const double *Z, double power);
/* ... or against a prediction, in which they move by per_slope slope. */
void resolution_of_prediction(keel_solver *s, const iteration *matrix, double h, double per_slope,
                              const double *slope, const double *y_new, double power);

/* y := y + alpha M x; a code as of eval_*, of an engine. */
int iteration_mass_add(const iteration *it, double alpha, const double *x, double *y);

#endif
