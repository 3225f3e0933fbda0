/* natural.h -- attached rows of problems that do not tell which unknowns are algebraic:
 * M(t,y) y' = f(t,y), F(t,y,y') = 0 and properly stated leading terms.
 *
 * V spans ker M, and what an algebraic unknown moves, and what that moves in turn, is
 *
 *   M D_1 = J V,   M D_(p+1) = J D_p,      J = r_y,  M = -r_y'.
 *
 * A row of h belongs to the first p with h_y D_p /= 0, and is met along those D_p, of which only
 * the unknowns in the rows of that depth are taken; the largest p comes first.  For Hessenberg
 * problems these are f_z, or k_l and f_v k_l.  Unknowns of V that are declared of index 1 follow
 * from equations of their own and do not act.  The algebraic unknowns y := y + V a then follow from
 *
 *   U_0^T r(t,y,y') = 0,   h_y y' + h_t = 0 for the rows of depth 1,
 *
 * U_0 spanning ker M^T, y' from M y' = f.
 *
 * Where stages see index 2, steps of stiffly accurate methods are corrected by so little that
 * directions and matrices of an earlier step do: they are kept as long as each correction is less
 * than a tenth of the one before.  So a run has directions of its own, and questions have others.
 */
#ifndef KEEL_NATURAL_H
#define KEEL_NATURAL_H

#include "natural/kernel.h"
#include "natural/rows.h"
#include "problem/problem.h"

enum { DEPTH_MOST = 3, NATURAL_MOST = 400, NATURAL_DIVERGES = 1000 };

typedef struct natural_directions {
    keel_matrix M, J;
    coloring colors;
    mass_kernel kernel;          /* of M                                                   */
    int kernel_known;
    int acting, *acts;           /* the columns of V that act                              */
    double *D[DEPTH_MOST];       /* [n acting] each, a direction after the other           */
    row_system along[DEPTH_MOST];/* rows of depth p + 1 along D[p]                         */
    row_system algebraic;
    double *H, *h;               /* [rows n], [rows]                                       */
    double *b;                   /* [rows + n]                                             */
    double *moved, *before;      /* [n]                                                    */
    double *yp, *r;              /* [n] y' and residual                                    */
    double *other;               /* [n] residual elsewhere                                 */
    double *own;                 /* [n] y' of algebraic unknowns                           */
    int *depth;                  /* [rows] 0: free                                         */
    int *beside, beside_known;   /* [rows] depths off the manifold                         */
    int begun, deepest, free_rows;
    int mixed;                   /* rows of depth 1 contain algebraic unknowns              */
    unsigned moves;              /* of stiffly accurate methods, since the run began        */
    int kept;                    /* directions and matrices of an earlier move are there    */
    int slow;                    /* the last move showed that they should not be            */
    int known;                   /* h is that of the point as it is                        */
} natural_directions;

int natural_applies(const keel_problem *problem);
void natural_layout(arena *a, natural_directions *d, const keel_problem *problem);
void natural_create(natural_directions *d, const keel_problem *problem);
/* A new run. */
void natural_forget(natural_directions *d);
/* Moves y to the rows that have a direction, and with `algebraic` finds the algebraic unknowns; a
 * code of eval_*, or NATURAL_DIVERGES.  stiffly_accurate: y is a step of such a method. */
int natural_move(natural_directions *d, evaluator *e, int stiffly_accurate, int algebraic, double t,
                 double *y);

/* algebraic.c: its matrix at (t,y) where M, J and H are known; the unknowns, and their change. */
void algebraic_matrix(natural_directions *d, const keel_problem *p);
int algebraic_find(natural_directions *d, evaluator *e, double t, double *y, double *change);
/* y' with M y' = f as far as M determines it; the residual that is left in d->r. */
int natural_derivative(natural_directions *d, evaluator *e, double t, const double *y);
/* What a move of this size after one of the size `last` (INFINITY: the first) means. */
typedef enum move_verdict { MOVE_GO_ON, MOVE_LAST, MOVE_NONE, MOVE_DIVERGES } move_verdict;
typedef struct move_limits {
    double done;                 /* no next one if it is expected to be smaller            */
    double still;                /* that need not shrink with kept directions, ...         */
    double noise;                /* ... nor with others                                    */
} move_limits;
move_verdict natural_judge(natural_directions *d, double size, double last,
                           const move_limits *limits);

#endif
