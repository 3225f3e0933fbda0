/* automatic.h -- the method `auto`, which changes from an explicit to an implicit integrator. */
#ifndef KEEL_INTEGRATE_AUTOMATIC_H
#define KEEL_INTEGRATE_AUTOMATIC_H

#include "integrate/integrator.h"

/* Decides how s begins: sets s->modes, the method of mode 0 and s->choice. */
int automatic_choose(keel_solver *s);
/* s->choice as it is at the beginning of an integration. */
void automatic_begin(keel_solver *s);
/* Makes mode k the one in use. */
void mode_enter(keel_solver *s, int k);
/* From the explicit to the implicit mode, at the accepted point. */
attempt_result automatic_switch(keel_solver *s, const char *why);

#endif
