/* regular.h -- is the leading matrix of the structure regular? */
#ifndef KEEL_MODEL_REGULAR_H
#define KEEL_MODEL_REGULAR_H

#include "model/system.h"

/* Tests and repairs, with remarks; analyses the structure anew after a repair.  KEEL_OK,
 * KEEL_BAD_ARGUMENT after a message, KEEL_NO_MEMORY. */
int regular_ensure(model_system *s);

#endif
