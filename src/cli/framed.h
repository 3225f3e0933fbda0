/* framed.h -- parameters, modes and values of a problem's frame that the user changed. */
#ifndef KEEL_CLI_FRAMED_H
#define KEEL_CLI_FRAMED_H

#include <stdbool.h>

#include "cli/arguments.h"
#include "keel/keel.h"

/* Where a run begins; NULL: as the problem says. */
typedef struct framed {
    double *parameters, *values;
    int *modes;
} framed;

/* Position of the name among `count`, or -1. */
int assignment_position(const assignment *a, const char *const *names, int count);

/* `parameters` go to the frame where they are none of the `own` ones of the target.  Returns
 * EXIT_DONE, or another exit status after saying what is wrong.  Free it in either case. */
int framed_open(framed *f, const char *verb, const keel_problem *problem,
                const keel_parameter *own, int own_count, const assignments *parameters,
                const assignments *modes, const assignments *values);
int framed_apply(const framed *f, keel_solver *solver);
void framed_free(framed *f);

#endif
