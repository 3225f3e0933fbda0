/* control.h -- step size from the error history.
 *
 * Classical h_new = h fac err^(-1/(q+1)) together with Gustafsson's predictive controller
 * [Gustafsson, ACM TOMS 20 (1994); HW96 IV.8 (8.25)-(8.26)], whichever is smaller.
 */
#ifndef KEEL_STEP_CONTROL_H
#define KEEL_STEP_CONTROL_H

typedef struct controller {
    double safety;
    double shrink_most, grow_most;   /* limits of h_new / h                                */
    double h_accepted, error_accepted;
    int accepted_before;             /* the two above are known                            */
    int rejected_before;             /* the last attempt failed: do not grow               */
} controller;

/* h_new / h after an error estimate of order q (error ~ h^(q+1)); newton of limit iterations were
 * needed.  Records the step when error < 1. */
double control_factor(controller *c, double h, double error, int q, int newton, int limit);

#endif
