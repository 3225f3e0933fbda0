/* series.h -- a growing table of doubles, row by row: the points of a trajectory. */
#ifndef KEEL_REPORT_SERIES_H
#define KEEL_REPORT_SERIES_H

#include <stddef.h>

typedef struct series {
    int columns;
    long rows;
    long capacity;               /* in rows */
    double *values;              /* row-major */
} series;

/* A new row to fill in, or NULL without memory (the series then stays as it was). */
double *series_append(series *s);
const double *series_row(const series *s, long row);
void series_free(series *s);     /* back to an empty series of as many columns */

#endif
