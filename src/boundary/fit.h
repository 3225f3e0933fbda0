/* fit.h -- least squares over measurements of a solution, as the files about it share it.
 *
 *   0 = b(y_a, y_b, p, theta'),   0 = theta' - theta
 *
 * The parameters looked for are unknown ones, theta', of a boundary value problem whose last conditions
 * give them values: what a change of theta does to the solution is then the response to a change of
 * these conditions, a solution of linear equations with factors that are there.
 */
#ifndef KEEL_BOUNDARY_FIT_H
#define KEEL_BOUNDARY_FIT_H

#include "boundary/boundary.h"
#include "keel/fit.h"

struct keel_fit {
    keel_boundary_spec spec;     /* the user's                                             */
    keel_fit_options how;
    keel_boundary *boundary;     /* with theta' and its conditions; owned                  */
    int created;
    int n, np, count, rows;      /* unknowns; unknown parameters; theta; measurements      */
    void *block;
    int *which;                  /* [np + count] parameters of the frame                   */
    keel_measurement *measured;  /* [rows] weights are not 0                               */
    double *theta, *trial, *step;        /* [count]                                        */
    double *residual;            /* [rows] (measured - predicted) / weight                 */
    double *predicted, *sensitivity;     /* [rows], [rows count]                           */
    double *Q, *R;               /* [rows count], [count count] of the weighted sensitivity */
    double *value, *deviation, *half_width, *covariance;
    double *y;                   /* [n]                                                    */
    double squares;              /* S                                                      */
    keel_fit_result result;
    int found;
    message message;
};

/* fit_problem.c */
int fit_problem(keel_fit *f, const keel_boundary_options *options, size_t options_size);
/* Solves for f->trial; residuals and S of it.  A status of the boundary value problem. */
int fit_solve(keel_fit *f, double *squares);
/* Derivatives of all predictions by theta, at the solution that is there. */
int fit_sensitivity(keel_fit *f);

/* student.c: q with P(|T| <= q) = confidence for `freedom` degrees of freedom. */
double student_quantile(double confidence, int freedom);

#endif
