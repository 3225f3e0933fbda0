/* control.h -- step sizes from errors.
 *
 *   classical    h_new = h safety err^-e,   err ~ h^(1/e)
 *   predictive   h_new = h safety (h / h_old) (err_old / err^2)^e, if that is smaller
 *                [Gustafsson, ACM TOMS 20 (1994); HW96 IV.8 (8.25)-(8.26)]
 *   PI           h_new = h safety err^-(e - 0.75 beta) err_old^beta   [HNW93 II.4; HW96 IV.2]
 */
#ifndef KEEL_STEP_CONTROL_H
#define KEEL_STEP_CONTROL_H

#include "core/norm.h"

typedef struct controller {
    double safety;
    double shrink_most, grow_most;   /* limits of h_new / h                                */
    double beta;                     /* memory of the PI law, 1.75 beta < e; 0: predictive */
    double h_accepted, error_accepted;
    int accepted_before;             /* the two above are known                            */
    int rejected_before;             /* the last attempt failed: do not grow               */
} controller;

/* err^-e, at most 1e6: h_new / h that brings the error of an order to 1, for comparing orders. */
double control_reach(double error, double exponent);

/* h_new / h after an error estimate ~ h^(1/exponent); newton of limit iterations were needed.
 * Records the step when error < 1. */
double control_factor(controller *c, double h, double error, double exponent, int newton,
                      int limit);

/* What is known where an integration starts. */
typedef struct start_rates {
    int n;
    const double *y, *slope, *bend;  /* y, y' and y''; NULL: not known                     */
    const double *rtol, *atol;
    const int *index;                /* unknowns above 1 do not count; NULL: all do        */
    reducer *reducer;                /* of spread vectors, or NULL                         */
} start_rates;

/* The first step, tol^e over the fastest of the relative rates |y'|/|y| and sqrt(|y''|/|y|); a
 * tenth of that where y'' is not known.  |y| does not count below atol / rtol here; but where it is not far
 * below atol, the step is at most |y| / |y'|.  tol is the relative tolerance of the error ~ h^(1/e). */
double control_first(const start_rates *f, double tolerance, double exponent);

#endif
