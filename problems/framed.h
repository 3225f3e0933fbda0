/* framed.h -- what callbacks of problems with a frame find in their context. */
#ifndef KEEL_PROBLEMS_FRAMED_H
#define KEEL_PROBLEMS_FRAMED_H

#include "problems/list.h"

/* Those of the target. */
static inline const double *parameters_of(const void *context)
{
    return ((const keel_frame *)context)->context;
}

/* The first mode. */
static inline int mode_of(const void *context) { return ((const keel_frame *)context)->modes[0]; }

#endif
