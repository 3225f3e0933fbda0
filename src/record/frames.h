/* frames.h -- which frame (keel/frame.h) and structure were in force when. */
#ifndef KEEL_RECORD_FRAMES_H
#define KEEL_RECORD_FRAMES_H

#include "integrate/integrator.h"

/* Kept as long as nothing changes; numbers of all frames have the same length. */
typedef struct frames {
    int count, capacity;
    int length;                  /* parameters, values, modes, structure                   */
    double *numbers;             /* [count length]                                         */
} frames;

/* The last one is that of the solver from now on; KEEL_OK or KEEL_NO_MEMORY. */
int frames_note(frames *f, const keel_solver *s);
/* Moves y at t to the constraints of frame i, by `s`, which stays as it is.  A status; its message
 * is that of s. */
int frames_project(const frames *f, int i, keel_solver *s, double t, double *y);
void frames_free(frames *f);

#endif
