/* classify.h -- what an impasse point is.
 *
 * With u in ker B, w in ker B^T, h = P^T f (and the time derivative of g2 on its rows)
 *
 *   alpha = <h, w> <DB (u, u), w>     (7.2), with both u
 *
 * is < 0 at accessible and > 0 at inaccessible simple impasse points.  K T = 0, differentiated
 * along the curve, says <DB(u,u), w> = <h, w> dgamma/ds there, so that alpha = <h, w>^2 dgamma/ds:
 * time has a maximum, or a minimum, on the curve [Rabier & Rheinboldt, Math. Comp. 62 (1994) 133].
 */
#ifndef KEEL_SINGULAR_CLASSIFY_H
#define KEEL_SINGULAR_CLASSIFY_H

#include "keel/curve.h"
#include "singular/curve.h"

/* At the impasse point where the last step of the curve ended.  Codes as of the curve. */
int classify(curve *c, keel_impasse_kind *kind, double *alpha);

#endif
