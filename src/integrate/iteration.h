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

#include "problem/local.h"
#include "step/newton.h"

/* How exact a solution has to be at least, beside its right-hand side. */
#define SOLVE_LOOSEST 1e-3

typedef struct iteration {
    evaluator *eval;             /* of the problem that is solved                          */
    const keel_engine_spec *engine;                 /* has J, M and the systems: that of eval, or */
    keel_engine_spec own;        /* that of this machine,                                  */
    local_engine local;          /* whose data these are                                   */
    const newton_monitor *newton;/* says how exact solutions have to be; NULL: as always   */
    int jacobian_known, jacobian_fresh;             /* fresh: evaluated where the step is  */
    int doubted;                 /* which has been tried with a second one here            */
} iteration;

void iteration_layout(arena *a, iteration *it, const keel_problem *problem, const keel_engine *engine);
/* Of a solver, which releases it, and whose factors are known to take so much more; where J is that of the
 * problem it serves the projection, too.  0 or a status of linear_create. */
int iteration_create(iteration *it, keel_solver *s, evaluator *eval, int real_slots, int complex_slots);
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
/* (re + i im) M - J; codes as of linear_factor. */
int iteration_factor(iteration *it, int slot, double re, double im);
/* A code of a function of the engine. */
static inline int iteration_told(const iteration *it, const char *function, int code)
{
    return code == 0 ? 0 : eval_engine(it->eval, function, it->eval->fault.t, code);
}

/* b := (its inverse) b, b_im NULL for a real system; a code as of eval_*. */
static inline int iteration_solve(const iteration *it, int slot, double *b_re, double *b_im)
{
    const keel_engine_spec *engine = it->engine;
    double tolerance = it->newton && it->newton->solve_to > 0 ? it->newton->solve_to : SOLVE_LOOSEST;
    return iteration_told(it, "solve", engine->solve(engine->context, slot, tolerance, b_re, b_im));
}

/* Before an iteration for Z: a first one begins without what no equation determines, of an engine that
 * knows it; a code as of eval_*. */
int iteration_begin(const iteration *it, double *Z);
/* What travels over ranks with the norm of an update. */
typedef struct stage_rider {
    int expected;                /* iterations: of the first two one message tells         */
    /* Another sum at the new Z of a step h, once so many have been made: the part of this rank, as
     * norm_root wants it.  A code of eval_*.  NULL: none. */
    int (*part)(keel_solver *s, double h, double sum[2]);
    keel_solver *s;
    double h;
    double sum[2];               /* of all ranks, by the last iteration; sum[1] = 0: none  */
    double ahead[3];             /* size and sum of a second iteration that is not asked for yet */
} stage_rider;

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
    /* Before an iteration, and what becomes of r in `update`; NULL: nothing.  Codes as of eval_*. */
    int (*prepare)(const struct stage_equation *q), (*reduce)(const struct stage_equation *q);
    double *scratch[2];          /* [n] for these                                          */
    stage_rider *rider;          /* of stage_iterate_ahead                                 */
} stage_equation;

/* One iteration of simplified Newton (a newton_step) on a stage_equation; *size is the root mean
 * square of the weighted update. */
int stage_iterate(void *equation, double *size);
/* The same over ranks, with the rider. */
int stage_iterate_ahead(void *equation, double *size);
/* Z := Z + update for coupled stages, [stages n]; the same norm. */
double stages_add(reducer *r, int stages, int n, const double *update, const double *weight, double *Z);

/* resolution.c: the algebraic unknown that a step resolves worst, in units of what is allowed. */
typedef struct roughness {
    double most;
    int variable;
} roughness;
/* s->report.error, O(h^power), becomes what makes the controller choose the step at which roughness, `most`
 * over all ranks and O(h^own), is as allowed; if that is more. */
void resolution_raise(keel_solver *s, const roughness *r, double most, double power, int own);
/* By increments Z[stages n] at the stages, with one message, ... */
void resolution_of_increments(keel_solver *s, const iteration *matrix, int stages, const double *weights,
                              const double *Z, double power);
/* ... or against a prediction, in which they move by per_slope slope: O(h^PREDICTION_POWER), ... */
enum { PREDICTION_POWER = 3 };
roughness resolution_of_prediction(const keel_solver *s, const iteration *matrix, double h, double per_slope,
                                   const double *slope, const double *y_new);
/* ... or a forecast that is O(h^power). */
roughness resolution_of_forecast(const keel_solver *s, const iteration *matrix, int power,
                                 const double *forecast, const double *y_new);

/* y := y + alpha M x; a code as of eval_*. */
int iteration_mass_add(const iteration *it, double alpha, const double *x, double *y);

#endif
