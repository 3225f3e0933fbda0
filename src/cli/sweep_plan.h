/* sweep_plan.h -- which runs a sweep makes: the values of --param and --start, one row each.
 *
 *   NAME=3             the same in every run
 *   NAME=1:2:100       100 values from 1 to 2; several such make a grid, the last varying fastest
 *   NAME=1,2,5         those
 *   NAME=1:2           with --samples N: uniform draws from there
 */
#ifndef KEEL_CLI_SWEEP_PLAN_H
#define KEEL_CLI_SWEEP_PLAN_H

#include "cli/target.h"
#include "core/number.h"
#include "keel/sweep.h"

/* One column of values: which assignment it belongs to. */
typedef struct sweep_column {
    bool is_start;               /* of --start, else of --param                */
    int place;                   /* among those                                */
    const char *name;            /* owned                                      */
} sweep_column;

typedef struct sweep_plan {
    const target_settings *base; /* as given on the command line               */
    int columns;
    sweep_column *column;
    keel_sweep_axis *axes;       /* [columns]                                  */
    long rows;
    double *values;              /* [rows][columns]                            */
} sweep_plan;

/* samples 0: a grid.  Returns EXIT_DONE, or another exit status after saying what is wrong.  Free it
 * in either case. */
int sweep_plan_make(sweep_plan *plan, const target_settings *base, long samples, unsigned long seed);
void sweep_plan_free(sweep_plan *plan);

/* The settings of one row: a copy of the base with the values of the row, and their texts. */
typedef struct row_settings {
    target_settings settings;
    char (*texts)[NUMBER_ROOM];  /* [columns]                                  */
} row_settings;

bool row_settings_make(row_settings *r, const sweep_plan *plan);           /* false: no memory */
/* `texts`: also as they would be written, which models read. */
void row_settings_fill(row_settings *r, const sweep_plan *plan, const double *values, bool texts);
void row_settings_free(row_settings *r);

#endif
