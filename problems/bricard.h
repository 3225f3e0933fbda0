/* bricard.h -- sizes of Bricard's mechanism and its energy, for tests. */
#ifndef KEEL_PROBLEMS_BRICARD_H
#define KEEL_PROBLEMS_BRICARD_H

#include "keel/keel.h"

enum { BRICARD_BODIES = 5, BRICARD_N = 7 * BRICARD_BODIES, BRICARD_ROWS = 35, BRICARD_RANK = 34 };

/* `parameters` holds one number, the row of g that is left out (1 to 35) or 0, and is borrowed. */
keel_mechanical_spec problem_bricard_spec(const double *parameters);

/* Kinetic plus potential energy of the rods. */
double bricard_energy(const double *q, const double *v);

#endif
