/* pendulum.h -- what the pendulums have in common: the rod, start and solution. */
#ifndef KEEL_PROBLEMS_PENDULUM_H
#define KEEL_PROBLEMS_PENDULUM_H

#include "problems/list.h"

enum { PENDULUM_REFERENCES = 2 };

/* A mass of 1 on a rod of length 1, u = (u1, u2): all of a spec but forces, names and context. */
void pendulum_rod(keel_mechanical_spec *spec);
/* At rest in the horizontal. */
void pendulum_start(const double *parameters, double *y);

extern const keel_reference pendulum_references[PENDULUM_REFERENCES];
extern const unsigned char pendulum_counts[5];

#endif
