/* equations.h -- a differential-algebraic equation as equations for a curve X = (x, t).
 *
 *   A(t,x) x' = f(t,x),   rank A = r < n,   N^T A = 0,   P = the complement of N
 *
 * With the algebraic part g2 = N^T f and a parameter s of the curve its tangent T = dX/ds obeys
 *
 *   K(X) T = 0,    K = [ Dg2 ; P^T A  -P^T f ],    n x (n+1)
 *
 * [Rabier & Rheinboldt, Math. Comp. 62 (1994) 133; Bendtsen & Thomsen (eds.), IMM-REP-1999-8,
 * 7.3]. Dg2 = N^T (f - A w)_X with any w such that A w = f: it includes the way N turns.  X is
 * measured in units, powers of two near 1 + |x| and the time over which x changes, and rows of K
 * in lengths that they have at the last equations_anchor.
 */
#ifndef KEEL_SINGULAR_EQUATIONS_H
#define KEEL_SINGULAR_EQUATIONS_H

#include "problem/problem.h"

/* Curves are followed by dense matrices. */
enum { CURVE_MOST = 100 };

typedef struct equations {
    evaluator *e;
    int n, rank, algebraic;      /* unknowns; rank of A; n - rank                          */
    int general;                 /* quasilinear: N and P are to be found, ...              */
    int constant, known;         /* ... once: A does not change, and they are known        */
    coloring colors;
    keel_matrix J;
    double *unit;                /* [n+1]                                                  */
    double *row_scale;           /* [n]                                                    */
    double *A;                   /* [n n]                                                  */
    double *N, *P;               /* [n algebraic], [n rank]                                */
    double *N_anchor, *P_anchor; /* the same at the anchor: others are turned to match     */
    double *x, *f, *w, *f_t;     /* [n]                                                    */
    double *sum, *moved, *delta; /* [n] scratch                                            */
    double *square, *rows;       /* [n n] scratch                                          */
    int *pivot;                  /* [n]                                                    */
    rank_work *work;
} equations;

/* Can curves of this problem be followed? */
int equations_apply(const keel_problem *problem);
void equations_layout(arena *a, equations *q, const keel_problem *problem);
void equations_create(equations *q, const keel_problem *problem);
/* The rank of A and units at (t,x): |x| and what is small for each unknown, floor [n]. */
int equations_begin(equations *q, evaluator *e, double t, const double *x, const double *floor);
/* K at X, where N, P and the scales of rows become those that others are compared with. */
int equations_anchor(equations *q, const double *X, double *K);
/* g2 [algebraic] */
int equations_value(equations *q, const double *X, double *value);
/* K [n (n+1)], row-major, the rows of Dg2 first. */
int equations_matrix(equations *q, const double *X, double *K);
/* x and t of a point. */
double equations_point(const equations *q, const double *X, double *x);
void equations_scaled(const equations *q, double t, const double *x, double *X);

/* All that evaluate return as eval_*, or: */
enum { RANK_CHANGED = 100,       /* the rank of A is not what it was                       */
       TIME_LIMITED };           /* callbacks must not see this time                       */

#endif
