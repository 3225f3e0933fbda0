/* sweep_cases.h -- the runs of a sweep as the library asks for them. */
#ifndef KEEL_CLI_SWEEP_CASES_H
#define KEEL_CLI_SWEEP_CASES_H

#include "cli/sweep_plan.h"

typedef struct sweep_cases {
    const sweep_plan *plan;
    const char *name;            /* of the target                              */
    const target *first;         /* opened for the first row; it has the columns of the table */
    bool nominal;                /* absolute tolerances are those of its unknowns */
} sweep_cases;

/* Fills in what makes runs of `cases`, its context's first member; the caller adds jobs and `row`. */
keel_sweep_spec sweep_cases_spec(sweep_cases *cases);
/* The target of the first row that can be opened, of a few from the first to the last: where none can, what
 * is wrong with the first is wrong with the command line.  Returns EXIT_DONE, or another exit status after
 * saying so; free the target in either case. */
int sweep_first(const sweep_plan *plan, const char *name, row_settings *settings, target *first);

#endif
