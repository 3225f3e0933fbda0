/* target.h -- what a run integrates: a bundled problem with the values the user changed. */
#ifndef KEEL_CLI_TARGET_H
#define KEEL_CLI_TARGET_H

#include <stdbool.h>

#include "cli/arguments.h"
#include "problems/problems.h"

typedef struct target {
    const bundled_problem *bundled;
    keel_problem *problem;
    int size;
    double t_start, t_end;
    double *parameters;
    double *y;                   /* initial values, to be made consistent      */
    keel_mark *marks;            /* KEEL_FIXED where the user gave a value     */
    const char **names;          /* of the unknowns                            */
    bool reference_applies;      /* the start is that of the references        */
} target;

/* t_start and t_end NAN: the problem's own.  Returns EXIT_DONE, or another exit status after saying
 * on standard error what is wrong.  Free it in either case. */
int target_open(target *t, const char *verb, const char *name, double t_start, double t_end,
                const assignments *parameters, const assignments *starts);
void target_free(target *t);

/* Reports an unknown problem with a suggestion; returns EXIT_USAGE. */
int unknown_problem(const char *verb, const char *name);

#endif
