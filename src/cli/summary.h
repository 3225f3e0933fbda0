/* summary.h -- the result of a run, for people and for programs. */
#ifndef KEEL_CLI_SUMMARY_H
#define KEEL_CLI_SUMMARY_H

#include <stdio.h>

#include "cli/integration.h"

typedef struct summary {
    const target *target;
    const keel_options *options;
    const outcome *outcome;
} summary;

/* "rtol 1e-06, atol 1e-06" or "constant step 0.01". */
const char *tolerance_text(const keel_options *options, char text[64]);
/* ", projected", ", not projected", or nothing where there are no hidden constraints. */
const char *projection_text(const target *t, const keel_options *options);

/* The remark of the start, and one line for each value that it moved, up to ten. */
void summary_moves(const summary *s, FILE *file);
void summary_print(const summary *s, FILE *file);
/* One JSON object; with_points adds "points": {"t": [...], "y": [[...], ...]}. */
void summary_json(const summary *s, FILE *file, bool with_points);

#endif
