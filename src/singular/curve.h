/* curve.h -- the solution as a curve X(s) = (x(s), t(s)): X' = T(X), |T| = 1, in charts.
 *
 * Steps of Verner's explicit 8(7) pair, each in the chart around its first point; its last point
 * is on the manifold to rounding.  Along a curve on which K has full rank
 *
 *   det F != 0,    F = [K; T^T],
 *
 * so a step is kept only if |F_0^-1 F_1 - I| < 1, which no other branch nearby satisfies, or if
 * det F goes through 0 in proportion to the way: then a point is passed where branches cross or B
 * loses rank, and the solution goes on.  gamma = dt/ds = 0 is an impasse point: the step ends
 * there.
 */
#ifndef KEEL_SINGULAR_CURVE_H
#define KEEL_SINGULAR_CURVE_H

#include "method/method.h"
#include "singular/chart.h"

typedef enum curve_event {
    CURVE_NOTHING, CURVE_TURN,   /* the last step ends at an impasse point                 */
    CURVE_CROSSING,              /* it has led through a point where K loses rank          */
    CURVE_BOUND                  /* it ends at a bound                                     */
} curve_event;

typedef struct curve {
    chart chart;
    const keel_tableau *tableau;
    double *X, *T;               /* [n+1] accepted                                         */
    double *trial, *T_trial;     /* [n+1] the end of the last attempt                      */
    double *slope, *y, *end;     /* [stages (n+1)], [n+1], [n+1]                           */
    double *F, *F_trial, *column;/* [(n+1)^2] of the accepted point, factored; [n+1]       */
    int *pivot;                  /* [n+1]                                                  */
    double s, h, h_most;         /* length so far; next step and the largest one           */
    double tolerance;            /* of the error of a step, in units of X                  */
    double t_low, t_high, s_most;/* bounds                                                 */
    int sense;                   /* of time: the sign of gamma up to the next impasse point */
    int sign;                    /* of det F                                               */
    double size;                 /* log |det F|                                            */
    double crossing;             /* the time of the last point that was crossed            */
} curve;

void curve_layout(arena *a, curve *c, const keel_problem *problem);
void curve_create(curve *c, const keel_problem *problem);
/* At (t,x) after Newton's method for g2 = 0; direction: the sign of dt/ds.  Without bounds. */
int curve_begin(curve *c, evaluator *e, double t, const double *x, const double *floor,
                double direction);
/* The other way. */
int curve_turn(curve *c);
int curve_step(curve *c, curve_event *event);
/* From the accepted point over h, of either sign: c->trial, c->T_trial. */
int curve_attempt(curve *c, double h, double *error);

static inline double curve_time(const curve *c)
{
    return c->X[c->chart.q.n] * c->chart.q.unit[c->chart.q.n];
}
/* dt/ds, in units of X. */
static inline double curve_gamma(const curve *c) { return c->T[c->chart.q.n]; }

#endif
