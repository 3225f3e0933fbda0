/* control.h -- step size from the error history, and Newton's stopping test.
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

/* Newton's method for one attempt: rate of convergence and when to stop. */
typedef struct newton_monitor {
    double rate;                     /* theta, the last contraction                        */
    double factor;                   /* theta / (1 - theta), kept from step to step        */
    double previous, previous_quotient;
    double first;                    /* update of the first iteration                      */
    int iterations, limit;
    int patient;                     /* a constant step: only clear divergence ends it      */
} newton_monitor;

typedef enum newton_verdict {
    NEWTON_GO_ON, NEWTON_DONE, NEWTON_DIVERGES, NEWTON_TOO_SLOW
} newton_verdict;

/* Start of an attempt; the factor of the step before lets one iteration suffice [HW96 IV.8 (8.11)],
 * but not for constant steps: there all digits are wanted, and updates that vanish say nothing. */
void newton_begin(newton_monitor *m, int limit, int patient);
/* After an iteration with this update norm; tolerance is the size an update may have, floor the
 * size that rounding may give to updates that no longer shrink. */
newton_verdict newton_judge(newton_monitor *m, double update, double tolerance, double floor);
/* Step factor after NEWTON_TOO_SLOW [HW96 IV.8]. */
double newton_shrink(const newton_monitor *m, double update, double tolerance);

#endif
