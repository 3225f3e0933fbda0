/* consistent.h -- consistent initial values on all constraint levels. */
#ifndef KEEL_INTEGRATE_CONSISTENT_H
#define KEEL_INTEGRATE_CONSISTENT_H

#include "integrate/integrator.h"

/* Moves s->y (and s->yp) at s->t to the nearest consistent point; marks NULL: the standard ones.
 * A failure leaves its sentence in s->message. */
int consistent_start(keel_solver *s, const keel_mark *marks);

#endif
