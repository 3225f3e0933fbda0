/* newton.h -- the one loop of simplified Newton: rate of convergence, and when to stop.
 *
 *   theta = |dx_k| / |dx_(k-1)|,   done when theta / (1 - theta) |dx_k| <= tolerance
 *
 * [HW96 IV.8 (8.10)-(8.11)].  What an iteration is, the caller says.
 */
#ifndef KEEL_STEP_NEWTON_H
#define KEEL_STEP_NEWTON_H

typedef enum newton_verdict {
    NEWTON_GO_ON, NEWTON_DONE, NEWTON_DIVERGES, NEWTON_TOO_SLOW,
    NEWTON_STOPPED                   /* the step returned a code                           */
} newton_verdict;

typedef struct newton_monitor {
    double rate;                     /* theta, the last contraction                        */
    double factor;                   /* theta / (1 - theta), kept from step to step        */
    double least;                    /* and then at least this: theta of an exact matrix is 0 */
    double previous, previous_quotient;
    double first;                    /* update of the first iteration                      */
    double proven;                   /* that with which the factor was found; 0: none      */
    double first_rate;               /* the first contraction, not yet rounding; 0: none   */
    double shrink;                   /* h_new / h that may help where it did not converge  */
    double loosest;                  /* linear systems may be solved to this relative      */
                                     /* accuracy; 0: they are solved exactly,              */
    double solve_to;                 /* and to this one, so that no smaller rate is Newton's */
                                     /* own; else 0                                        */
    double finer;                    /* wanted beyond the tolerance if it comes fast; 0: nothing */
    int iterations, limit;
    int met;                         /* the tolerance, and now for `finer`                 */
    int leaps;                       /* the first update is not one of those that shrink:  */
                                     /* unknowns begin elsewhere that act on nothing       */
    int patient;                     /* a constant step: only clear divergence ends it      */
    newton_verdict verdict;          /* the last one                                       */
    int code;                        /* of the last step                                   */
} newton_monitor;

/* One iteration, which adds its update and gives the norm of that; or a code other than 0. */
typedef int newton_step(void *context, double *update);

/* After newton_begin, to a verdict other than to go on.  tolerance is what an update may have,
 * floor what rounding may leave of updates that no longer shrink. */
newton_verdict newton_iterate(newton_monitor *m, double tolerance, double floor, newton_step *step,
                              void *context);

/* Start of an attempt; the factor of the step before lets one iteration suffice [HW96 IV.8 (8.11)],
 * but not for constant steps: there all digits are wanted, and updates that vanish say nothing.  Of
 * an update much larger than the one that the factor was found with it says nothing. */
void newton_begin(newton_monitor *m, int limit, int patient);
/* The next attempt learns nothing from this one. */
void newton_forget(newton_monitor *m);
/* After an iteration with this update norm. */
newton_verdict newton_judge(newton_monitor *m, double update, double tolerance, double floor);
/* Step factor after NEWTON_TOO_SLOW [HW96 IV.8]. */
double newton_shrink(const newton_monitor *m, double update, double tolerance);

#endif
