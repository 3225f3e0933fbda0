/* nearby.h -- values of expressions at the start values and at points near them, chosen by a hash: the
 * same in every run.  What holds at several of them holds everywhere, as functions are analytic, but for
 * coincidences; what does not hold at one does not hold.
 */
#ifndef KEEL_MODEL_NEARBY_H
#define KEEL_MODEL_NEARBY_H

#include "model/system.h"

enum { NEARBY_POINTS = 4 };              /* 0: the start values, and three points near them */
enum { NEARBY_LATER = -1 };              /* the start values, a little later */

typedef struct nearby {
    model_system *s;
    int number;
    int depth;                           /* of relations within relations */
    walk *walk;
} nearby;

nearby nearby_point(model_system *s, int number);
/* NAN where it has no value. */
double nearby_value(nearby *at, expr e);

#endif
