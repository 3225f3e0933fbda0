/* loose.h -- constraints that depend on each other, of Hessenberg and levelled problems with a sparse or
 * band pattern, which N R^T (gauge.h) would fill.
 *
 *   0 = g - W (z - z_0),   W diagonal, W > 0 in as many rows C as the rank lacks,
 *
 * holds for g = 0 and z = z_0 in C.  S - W is regular where the rows of S without C are independent and
 * the columns without C, too: then S without both has as much rank as S, and what remains of it, once
 * they are eliminated, is -W.  Rows of S depend on each other as those of the constraint do, columns as
 * those of f_z and g_z, which is to say that some combination of z acts on nothing.
 *
 * z that are kept are the smallest of the same effect, z_0 those of the accepted point; C is chosen anew
 * where the rest becomes nearly dependent.  So it does not show which rows are in C.
 */
#ifndef KEEL_PROBLEM_LOOSE_H
#define KEEL_PROBLEM_LOOSE_H

#include "problem/problem.h"

/* Rows of the constraint, and columns of f_z and g_z as rows: both m x n, by columns. */
enum { LOOSE_ROWS, LOOSE_COLUMNS, LOOSE_SIDES };

typedef struct loose_rows {
    const keel_problem *problem; /* NULL: not for this problem                             */
    int m, count;                /* rows, those in C                                       */
    double *W;                   /* [n] at z, else 0                                       */
    double *negative;            /* [m] -W                                                 */
    double *reference;           /* [m] z_0                                                */
    unsigned char *left;         /* [m] C                                                  */
    unsigned char *found, *tried;        /* [m] scratch, as all that follows               */
    double *part, *zero;         /* [m], [n]                                               */
    coloring colors;
    keel_matrix J;
    int *start[LOOSE_SIDES], *row[LOOSE_SIDES], *source[LOOSE_SIDES];
    double *values[LOOSE_SIDES];
    sparse_rank *rank[LOOSE_SIDES];
} loose_rows;

/* problem NULL: it takes no memory. */
void loose_layout(arena *a, loose_rows *l, const keel_problem *problem);
/* 0, KEEL_NO_MEMORY or KEEL_UNSUPPORTED */
int loose_create(loose_rows *l);
void loose_release(loose_rows *l);

/* How many rows of the constraint depend on others at (t,y), to `tolerance`; < 0: a code of eval_* with
 * its fault, KEEL_NO_MEMORY or KEEL_UNSUPPORTED. */
int loose_count(loose_rows *l, evaluator *e, double t, const double *y, double tolerance);
/* All rows that have a part in what loose_count found, into `rows` [m]; how many. */
int loose_list(loose_rows *l, int *rows);
/* C at (t,y), where loose_count found `count` rows.  KEEL_OK; KEEL_WRONG_INDEX: as many combinations of z
 * do not act, or C cannot be chosen; or a code as above. */
int loose_choose(loose_rows *l, evaluator *e, int count, double t, const double *y, double tolerance);
/* z := the smallest of the same effect at (t,y); 0 or a code of eval_*. */
int loose_smallest(const loose_rows *l, evaluator *e, double t, double *y);
/* (t,y) is accepted: the same, and C and z_0 for what follows. */
int loose_renew(loose_rows *l, evaluator *e, double t, double *y);

#endif
