/* pendulum.h -- what the pendulums have in common: start and solution. */
#ifndef KEEL_PROBLEMS_PENDULUM_H
#define KEEL_PROBLEMS_PENDULUM_H

#include "problems/list.h"

enum { PENDULUM_REFERENCES = 2 };

/* At rest in the horizontal. */
void pendulum_start(const double *parameters, double *y);

extern const keel_reference pendulum_references[PENDULUM_REFERENCES];
extern const unsigned char pendulum_counts[5];

#endif
