/* gauge.h -- constraints that depend on each other, of Hessenberg and levelled problems.
 *
 * S, by which the algebraic unknowns determine the hidden level, is then singular: N^T S = 0 with
 * the N of the rows, N^T g_y = 0, and S R = 0 with directions R of z that do not act.  With
 *
 *   g - w N R^T z   for g wherever z is solved for,   S - w N R^T regular,
 *
 * all rows hold that do not contradict each other, and R^T z = 0.  N and R are those of the start:
 * with those of another point the motion is the same and z another one that acts alike.  w is small
 * beside S, so that an error of z does not count where N has changed.  Problems with patterns have
 * g - W (z - z_0) instead (loose.h).
 */
#ifndef KEEL_PROBLEM_GAUGE_H
#define KEEL_PROBLEM_GAUGE_H

#include "problem/directions.h"
#include "problem/loose.h"

typedef struct gauge {
    int m;                       /* 0: not for this problem                                */
    loose_rows loose;            /* of problems with patterns; the others have what follows */
    int count;                   /* columns of N and R                                     */
    double weight;
    double *N, *R, *S;           /* [m m] each                                             */
    double *y, *f, *A;           /* [n], [n], [m (moved by level 0)]                       */
    int *rows;                   /* [m]                                                    */
    rank_work *work;
} gauge;

void gauge_layout(arena *a, gauge *g, const keel_problem *problem);
/* 0 or KEEL_NO_MEMORY */
int gauge_create(gauge *g);
void gauge_release(gauge *g);
/* At a point where all levels but the last hold, with the S of d: KEEL_OK and a remark, and e has
 * it from now on; KEEL_WRONG_INDEX without one: S is singular for another reason; KEEL_SINGULAR with
 * a message: rows depend on each other here, but not beside; or KEEL_CALLBACK_FAILED without one. */
int gauge_find(gauge *g, evaluator *e, directions *d, double t, const double *y, message *m);
/* z := the smallest of the same effect, and for accepted points what follows from that; 0 or a code of
 * eval_*. */
int gauge_smallest(const gauge *g, evaluator *e, double t, double *y);
int gauge_renew(gauge *g, evaluator *e, double t, double *y);
/* eval_residual and eval_level with it: value - w N R^T z in the rows that determine z. */
int gauge_residual(evaluator *e, double t, const double *y, const double *yp, double *r);
int gauge_level(evaluator *e, int level, double t, const double *y, double *value);
/* S := S - w N R^T */
void gauge_add(const gauge *g, double *S);
/* The same for the last rows and columns of a dense J. */
void gauge_add_block(const gauge *g, keel_matrix *J);
/* W of a problem with a pattern, [n], whose matrices do not contain it; NULL: none. */
static inline const double *gauge_loose(const gauge *g)
{
    return g && g->loose.problem ? g->loose.W : NULL;
}

#endif
