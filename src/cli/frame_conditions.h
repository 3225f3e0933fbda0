/* frame_conditions.h -- conditions and guesses of a target while parameters of its frame change.
 *
 * They find the parameters of the target in their context: those that are followed, or looked for, and
 * that come last in p, are put there first.
 */
#ifndef KEEL_CLI_FRAME_CONDITIONS_H
#define KEEL_CLI_FRAME_CONDITIONS_H

#include "cli/target.h"

enum { FRAME_CONDITIONS_MOST = 20 };

typedef struct frame_conditions {
    const keel_boundary_spec *spec;
    double *parameters;          /* of the target                              */
    int count;                   /* of parameters that change                  */
    int which[FRAME_CONDITIONS_MOST];    /* of the target's; -1: of the frame alone */
} frame_conditions;

/* Where a parameter of that name is in the frame (-1: nowhere) and, *own, in the target. */
int frame_parameter(const target *t, const char *name, size_t length, int *own);
/* The spec of the target, with f as its context. */
keel_boundary_spec frame_conditions_spec(const target *t, frame_conditions *f);

#endif
