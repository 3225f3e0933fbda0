/* following.h -- impasse points of a run, and the curve beyond them (--impasse follow). */
#ifndef KEEL_CLI_FOLLOWING_H
#define KEEL_CLI_FOLLOWING_H

#include "cli/integration.h"

/* Takes a point of the curve; a keel_status. */
typedef int curve_sink(void *context, double s, double t, const double *y);

/* Goes on where the run of `solver` ended, until t is that of the start or the end again, or the
 * curve is so long; the last point is o->t, o->y, o->length.  A status, with o->message. */
int follow_curve(outcome *o, const target *t, const keel_options *options,
                 const keel_solver *solver, double length, curve_sink *sink, void *context);
/* Appends the points that the run met since the last call. */
int keep_impasses(outcome *o, const keel_solver *solver);

/* "ended", "followed", "jumped", "passed" */
const char *impasse_action_word(int action);

#endif
