/* automatic.h -- the method `auto`, which changes from an explicit to an implicit integrator. */
#ifndef KEEL_INTEGRATE_AUTOMATIC_H
#define KEEL_INTEGRATE_AUTOMATIC_H

#include "integrate/integrator.h"

/* Decides how s begins: sets s->modes, the method of mode 0 and s->choice. */
int automatic_choose(keel_solver *s);
/* Every start is one in mode 0, whatever the last run came to. */
void automatic_begin(keel_solver *s);
/* Makes mode k the one in use. */
void mode_enter(keel_solver *s, int k);
/* From the explicit to the implicit mode, at the accepted point; if that fails nothing changes. */
attempt_result automatic_switch(keel_solver *s, const char *why);

/* lag.c: the lag that a run of a levelled problem begins with, */
void lag_begin(keel_solver *s);
/* and, after Newton's method failed for a step h with this J, or stability limited explicit steps,
 * which one to go on with: s->lag_wanted. */
void lag_suspect(keel_solver *s, const keel_matrix *J, double h, int diagonal);
void lag_expect_stiff(keel_solver *s);
/* Changes to it and begins anew at the accepted point. */
attempt_result lag_change(keel_solver *s);

#endif
