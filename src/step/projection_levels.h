/* projection_levels.h -- how the levels of a projection are met, the matrices of their directions being ready. */
#ifndef KEEL_STEP_PROJECTION_LEVELS_H
#define KEEL_STEP_PROJECTION_LEVELS_H

#include "step/projection.h"

/* How a level is met, and what its last correction came to. */
typedef struct level_move {
    int level, own;              /* own: along its gradient                                */
    double shrink;               /* corrections that shrink by less will not do            */
    double enough;               /* relative size of a correction that may remain when     */
                                 /* corrections stop shrinking (difference noise)          */
    double negligible;           /* ... of one that is not made                            */
    int resumes;                 /* from x^ + D mu, with the mu of the round before        */
    int met, known;              /* known: p->value is the level where y is                */
    double before, now;          /* norms of the level before the correction and after it  */
    double size, last;           /* relative sizes of it and of the one before             */
} level_move;

/* Meets the moves that are not met yet, in their order; PROJECTION_DIVERGES: another matrix may do. */
projection_result levels_meet(projection *p, evaluator *e, const projection_plan *plan, double t, double *y,
                              level_move *moves, int count);
/* What `count` moves have come to on all ranks, by one message: norms of all levels, those of the others
 * measured, and what the rider finds.  A code of eval_*. */
int levels_agree(projection *p, evaluator *e, const projection_plan *plan, double t, const double *y,
                 level_move *moves, int count);
/* Are the corrections that do not shrink rounding errors? */
int level_is_rounding(projection *p, evaluator *e, double t, const double *y, const level_move *v);

#endif
