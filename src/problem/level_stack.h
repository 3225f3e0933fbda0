/* level_stack.h -- all levels below the hidden one of a sparse problem at once, in all differential
 * unknowns x, each in a unit U of its own.
 *
 * C = (level 0, level 1, ...)_x, and the point of C U dx = -c nearest to another one by
 *
 *   [1 (C U)^T; C U -W] (U^-1 dx, mu) = (x, -c),
 *
 * with the W of problem/level_saddle.h where rows depend on each other.  Gradients of levels are rows of
 * r_y or G; that of w = g_u f + g_t of index 3 is found by differences, in the pattern of
 * g_u + g_u (f_u f_v): [G G] where f = v.
 */
#ifndef KEEL_PROBLEM_LEVEL_STACK_H
#define KEEL_PROBLEM_LEVEL_STACK_H

#include "problem/problem.h"

typedef struct level_stack {
    const keel_problem *problem; /* NULL: not for this problem                             */
    int rows, columns;           /* of C                                                   */
    coloring colors, apart;      /* of J and K                                             */
    keel_matrix J, K;            /* r_y, or G of a mechanical problem; w_x                 */
    int *K_start, *K_row;        /* the pattern of K                                       */
    int *start, *row, *source;   /* that of C, and where its entries are in J or K         */
    int *place;                  /* [lower levels, m] rows of C, or -1: shorter chains     */
    int first[KEEL_LEVELS_MOST + 1];     /* row of each level                              */
    double *C, *x, *mu, *loose, *zero;
    double *moved, *delta, *one, *sum;           /* scratch of differences                 */
    saddle *saddle;
} level_stack;

/* Is it for this problem?  Sparse ones with levels that are not the last. */
int level_stack_applies(const keel_problem *problem);
void level_stack_layout(arena *a, level_stack *s, const keel_problem *problem);
/* 0 or a status of linear_create. */
int level_stack_create(level_stack *s);
void level_stack_release(level_stack *s);
/* c := all levels of it at (t,y), [lower levels, m]; a code of eval_*. */
int level_stack_values(const level_stack *s, evaluator *e, double t, const double *y, double *c);
/* C at (t,y), in units [n].  A code of eval_*, or DIRECTIONS_SINGULAR. */
int level_stack_factor(level_stack *s, evaluator *e, const double *unit, double t, const double *y);
/* x := U^-1 dx that meets all rows and is otherwise nearest to x; c NULL: 0. */
void level_stack_nearest(level_stack *s, const double *c, double *x);

#endif
