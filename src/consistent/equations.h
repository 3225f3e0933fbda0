/* equations.h -- the equations of initial values with a dense Jacobian, for the files that
 * assemble them, order their unknowns and speak of them. */
#ifndef KEEL_CONSISTENT_EQUATIONS_H
#define KEEL_CONSISTENT_EQUATIONS_H

#include "consistent/consistent.h"

enum { BLOCKS = KEEL_LEVELS_MOST + 4, TIERS = KEEL_LEVELS_MOST + 4 };
enum { TIER_DERIVATIVE, TIER_FREE, TIER_KERNEL, TIER_GUESS };

typedef enum block_kind { BLOCK_RESIDUAL, BLOCK_LEVEL, BLOCK_RATE, BLOCK_EQUATION } block_kind;
typedef struct row_block { block_kind kind; int level, first, rows; } row_block;

typedef struct equations {
    int which, blocks, rows, columns;        /* columns: n, or 2 n with derivatives         */
    row_block block[BLOCKS];
    int merged;                              /* free unknowns move no sooner than guesses   */
    coloring colors;
    keel_matrix J, M;
    double *B, *D, *A, *G, *X, *right;       /* [rows columns] each                         */
    double *Z, *Y, *Q, *T;                   /* [rows rows]                                 */
    double *kernel, *square;                 /* [n n]                                       */
    double *value, *above, *below, *scale, *tau, *rate, *kept,   /* [rows + 2 n]            */
           *point, *moved, *delta;
    double *changes;                         /* [2 rows]                                    */
    int *tier, *list, *pivot, *depth;        /* [2 n + rows]                                */
    double *work;                            /* [room] for LAPACK                           */
    int room;
    int left, kernels;                       /* rows of Z; columns of the kernel            */
    int met[TIERS];
} equations;

/* Where row i of an array with n columns begins; i n may exceed an int. */
static inline ptrdiff_t at(int i, int n) { return (ptrdiff_t)i * n; }

/* B(row, j) */
static inline double *entry(equations *q, int row, int j) { return q->B + at(row, q->columns) + j; }

/* Are derivatives of F by differences? */
int equations_differenced(const start_point *w);
/* Rows that a level has not: of a shorter chain, or kept at whatever value they have. */
int equations_absent(const keel_problem *p, const row_block *b, int i);

/* ---- tiers.c ------------------------------------------------------------------------ */

/* The room that LAPACK asks for. */
int tiers_room(const equations *q, int n);
/* Directions shorter than this, for rows of length 1, are not there. */
#define RANK_TOLERANCE 1e-9
/* X = J^- and Z, for the Jacobian in B. */
void tiers_factor(start_point *w, equations *q);
/* For unknowns of index 1: do the algebraic equations determine the algebraic unknowns?  -1, else
 * an unknown that they do not. */
int tiers_undetermined(start_point *w, equations *q);

/* ---- verdicts.c --------------------------------------------------------------------- */

/* The combination of rows that is left and violated most, or -1; *violation: its distance. */
int verdict_worst(const equations *q, double *violation);
/* Statuses, with their messages. */
int verdict_unmet(start_point *w, equations *q);
int verdict_divergence(start_point *w, equations *q);
int verdict_dependent(start_point *w, equations *q);
/* Of index 1: given values have moved in the place of algebraic unknowns that are not seen to act. */
int verdict_idle(start_point *w, equations *q);

#endif
