/* csv.h -- a series as comma-separated values [RFC 4180]. */
#ifndef KEEL_REPORT_CSV_H
#define KEEL_REPORT_CSV_H

#include <stdio.h>

#include "report/series.h"

/* Header t,name1,name2,... and one line per row; names has columns - 1 entries.
 * Returns 0, or -1 when writing failed. */
int csv_write(FILE *file, const series *points, const char *const *names);

#endif
