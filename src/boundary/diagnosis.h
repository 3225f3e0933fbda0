/* diagnosis.h -- conditioning, projector and modes along a solution, see keel_boundary_diagnosis. */
#ifndef KEEL_BOUNDARY_DIAGNOSIS_H
#define KEEL_BOUNDARY_DIAGNOSIS_H

#include "boundary/modes.h"

void diagnosis_free(keel_boundary *w);

#endif
