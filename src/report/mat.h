/* mat.h -- trajectories as a MAT file of version 4, in the layout that Dymola and OpenModelica use.
 *
 *   Aclass       "Atrajectory", "1.1", "", "binTrans"
 *   name         one column of characters for each variable; description: likewise, "comment [unit]"
 *   dataInfo     4 x variables: table (0: time, 1: data_1, 2: data_2), row of the table, counted from 1
 *                and negative where the values change their sign, 0 (linear), -1 (not known outside)
 *   data_1       what does not change: rows of two values, at the start and at the end, the first is time
 *   data_2       one column for each point, the first row is time
 *
 * Variables that are the same but for their sign share a row.
 */
#ifndef KEEL_REPORT_MAT_H
#define KEEL_REPORT_MAT_H

#include <stdio.h>

#include "report/series.h"

typedef struct mat_variable {
    const char *name, *comment, *unit;       /* NULL or "": none                         */
    int same_as;                             /* its values are those of this variable, -1: its own */
    int sign;                                /* ... times +-1                            */
    int constant;                            /* its value does not change                */
} mat_variable;

/* Column k + 1 of `points` belongs to variable k, column 0 is time.  0, or -1: it could not be written,
 * or there is no memory (errno says which). */
int mat_write(FILE *file, const mat_variable *variable, int count, const series *points);

#endif
