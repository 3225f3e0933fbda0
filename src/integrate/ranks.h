/* ranks.h -- solvers whose vectors are spread over ranks (keel/engine.h). */
#ifndef KEEL_INTEGRATE_RANKS_H
#define KEEL_INTEGRATE_RANKS_H

#include "integrate/integrator.h"

/* Can the engine, if there is one, serve this problem with these options, and this method?  A status,
 * with a message. */
int engine_check(keel_solver *s);
/* The engine that the option linear = krylov asks for; a status, with a message. */
int engine_make(keel_solver *s);
int engine_check_method(keel_solver *s, const keel_method *method);
/* Has the method been moved to a formulation of the problem? */
int engine_check_formulation(keel_solver *s);
/* At the end of creation: a failure on one rank is one on all; what depends on all of them. */
int engine_agree(keel_solver *s, int rc);
/* The same of what a rank finds out by itself in other calls; without an engine it is rc. */
int engine_share(keel_solver *s, int rc);

#endif
