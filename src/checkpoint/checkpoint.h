/* checkpoint.h -- the parts of keel_solver_save and keel_solver_load. */
#ifndef KEEL_CHECKPOINT_H
#define KEEL_CHECKPOINT_H

#include "integrate/integrator.h"

/* state.c: all that a run remembers, out or in. */
void state_pass(keel_solver *s, tape *t);

/* identity.c: what a file must agree in with a solver, one line each. */
typedef struct identity { char text[8192]; size_t used; } identity;
void identity_of(const keel_solver *s, identity *id);

/* file.c: codes of errno, 0 is success. */
typedef struct bytes { char *data; size_t size; } bytes;
/* All of a file, to be freed. */
int file_read(const char *path, bytes *content);
/* Takes the place of what was there when all of it has reached the disk. */
int file_replace(const char *path, const bytes *content);

#endif
