/* picture.h -- which unknowns a picture of a run shows, and drawing it. */
#ifndef KEEL_CLI_PICTURE_H
#define KEEL_CLI_PICTURE_H

#include "cli/summary.h"
#include "report/output.h"

enum { PICTURE_CURVES = 10, PICTURE_MOST = 14 };

/* What a picture shows. */
typedef struct picture {
    int count, curves[PICTURE_MOST];
    bool chosen;                 /* by the user                                */
    bool log_time;
} picture;

/* Chooses the unknowns to draw: those of `names` ("a,b,c"); NULL: the first group (positions of
 * mechanical systems, differential unknowns), thinned evenly to PICTURE_CURVES.  Returns EXIT_DONE,
 * or EXIT_USAGE after a complaint. */
int picture_choose(picture *p, const target *t, const char *names);

/* `unprojected`: the run without projection to compare with, or NULL.
 * Returns 0, or -1 after saying on standard error what went wrong. */
int picture_draw(const summary *s, const picture *p, const outcome *unprojected, output *file);

#endif
