/* status.h -- what a call returns: 0 done, > 0 stopped early, < 0 failed.
 *
 * Every failure also leaves a sentence on the handle that failed (keel_message,
 * keel_problem_message): the time, the equation or variable, and what to try.
 *
 * Structures that calls take or fill in carry their size, so that programs and libraries of
 * different versions go together: fields are added at the end only, and zero means "as before".
 * keel_x(...) in these headers calls keel_x_sized(..., sizeof) in the library.  A shorter
 * structure, of an older program, counts as filled up with zeros; a longer one is accepted if what
 * it has in addition is zero; answers are filled in as far as they reach.
 */
#ifndef KEEL_STATUS_H
#define KEEL_STATUS_H

#include <stddef.h>

#if defined(_WIN32)
#define KEEL_API
#else
#define KEEL_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum keel_status {
    KEEL_OK = 0,
    KEEL_STOP_REACHED = 1,       /* the stop time has been reached: no further step          */
    KEEL_STEP_LIMIT = 2,         /* options.max_steps used up; call again to go on          */
    KEEL_EVENT = 3,              /* an event, or `watch`, ended the run                     */
    KEEL_BAD_ARGUMENT = -1,      /* a NULL, a size, an option or a time out of range        */
    KEEL_NO_MEMORY = -2,
    KEEL_CALLBACK_FAILED = -3,  /* a callback returned < 0, or failed where no smaller step helps */
    KEEL_NOT_FINITE = -4,        /* a callback gave NaN or infinity where no smaller step helps */
    KEEL_SINGULAR = -5,          /* the iteration matrix is singular                        */
    KEEL_STEP_TOO_SMALL = -6,    /* the step size fell to rounding level                    */
    KEEL_NOT_CONVERGED = -7,     /* Newton's method failed and the step is not free to shrink */
    KEEL_INCONSISTENT = -8,      /* no consistent initial values near those given           */
    KEEL_REDUNDANT = -9,         /* constraints depend on each other (rank-deficient g')     */
    KEEL_WRONG_INDEX = -10,      /* the declared index does not fit the equations            */
    KEEL_UNKNOWN_NAME = -11,     /* no method, option or choice of that name                 */
    KEEL_UNSUPPORTED = -12,      /* this form, method and option do not go together          */
    KEEL_WRONG_DERIVATIVE = -13, /* a derivative that was given is not one of its function   */
    KEEL_ASSERTION = -15,        /* `watch` says that something does not hold                */
    KEEL_EVENT_CYCLE = -16,      /* actions at one instant do not come to an end             */
    KEEL_CHATTERING = -17,       /* events accumulate: ever shorter times between them       */
    KEEL_BAD_FILE = -18,         /* a checkpoint cannot be written or read, or is of another run */
    KEEL_ILL_CONDITIONED = -19   /* the accuracy asked for is below what rounding allows for  */
} keel_status;

/* The identifier as text, e.g. "KEEL_SINGULAR"; "unknown status" for other numbers. */
KEEL_API const char *keel_status_name(int status);
/* One general sentence for the status. */
KEEL_API const char *keel_status_text(int status);

/* "0.1.0" */
KEEL_API const char *keel_version(void);

#ifdef __cplusplus
}
#endif
#endif
