/* picture.h -- which unknowns a picture of a run shows, and drawing it. */
#ifndef KEEL_CLI_PICTURE_H
#define KEEL_CLI_PICTURE_H

#include "cli/summary.h"

enum { PICTURE_CURVES = 10 };

/* Chooses the unknowns to draw: the first group (positions of mechanical systems, differential
 * unknowns), thinned evenly to PICTURE_CURVES.  Returns how many. */
int picture_curves(const target *t, int curves[PICTURE_CURVES]);

/* `unprojected`: the run without projection to compare with, or NULL.
 * Returns 0, or -1 after saying on standard error what went wrong. */
int picture_draw(const summary *s, const int *curves, int count, const outcome *unprojected,
                 const char *file);

#endif
