/* passage.h -- what a run does where the algebraic equations lose rank.
 *
 * The solver has come as near to that point as steps in t can.  From a point a little before it the
 * curve is followed in its length instead, and tells what the point is:
 *
 *   time turns round      an impasse point, classified; the run ends or jumps: option `impasse`
 *   time goes on          a singular point that the solution passes, or a regular one near another
 *                         branch: the run goes on behind it
 *   neither               not simple: the run ends
 */
#ifndef KEEL_SINGULAR_PASSAGE_H
#define KEEL_SINGULAR_PASSAGE_H

#include "keel/curve.h"
#include "singular/curve.h"
#include "singular/jump.h"

typedef struct passage {
    int able;                    /* curves of this problem can be followed                 */
    curve curve;
    jump jump;
    double *floor;               /* [n] what is small for each unknown                     */
    double *before, *after;      /* [n] at the point, and where the run goes on            */
    double *middle;              /* [n] half-way to the point                              */
    int count;                   /* points met                                             */
    keel_impasse *met;           /* [KEEL_IMPASSES_KEPT] the last of them, without pointers: */
    double *met_y;               /* [2 n] of each                                          */
} passage;

struct keel_solver;

void passage_layout(arena *a, passage *w, const struct keel_solver *s);
void passage_create(passage *w, const struct keel_solver *s);
/* A new run: none has been met. */
static inline void passage_begin(passage *w) { w->count = 0; }

#endif
