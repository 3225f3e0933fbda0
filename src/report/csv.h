/* csv.h -- points as comma-separated values [RFC 4180]. */
#ifndef KEEL_REPORT_CSV_H
#define KEEL_REPORT_CSV_H

#include <stdio.h>

#include "report/number.h"

/* name1,name2,... */
void csv_names(FILE *file, const char *const *names, int count);
/* t,name1,name2,... */
void csv_header(FILE *file, const char *const *names, int count);
/* A line of t and the values; returns its length, which is at most csv_longest(count). */
size_t csv_row(FILE *file, double t, const double *values, int count);

static inline size_t csv_longest(int count) { return ((size_t)count + 2) * (NUMBER_LENGTH + 1); }

#endif
