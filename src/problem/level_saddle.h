/* level_saddle.h -- the smallest change that meets a constraint level, in the pattern of a sparse
 * problem.
 *
 * H = (level)_x for the unknowns x that the level moves, each in a unit U of its own, 0 where it is
 * held:  |U^-1 dx| least with H dx = -c, by
 *
 *   [1 (H U)^T; H U 0] (U^-1 dx, mu) = (0, -c).
 *
 * Rows that depend on each other: [1 (H U)^T; H U -W], with the W of problem/dependence.h where a run has
 * found it, and before with a small part of each row, |row|^2 / 10^8: the step meets all of them to first
 * order but for as much, if they do not contradict each other; rows of held unknowns alone stay as they are.
 * For g' of Hessenberg 3 H = g_u f_v is not formed but g_u w = -c, w = f_v dv.
 */
#ifndef KEEL_PROBLEM_LEVEL_SADDLE_H
#define KEEL_PROBLEM_LEVEL_SADDLE_H

#include "problem/problem.h"

typedef struct level_saddle {
    const keel_problem *problem;
    int level, product;          /* product: H = g_u f_v                                   */
    int rows, columns, entries;  /* of the matrix H or [f_v -1; 0 g_u]                     */
    coloring colors;
    keel_matrix J;               /* r_y, or G of a mechanical problem                      */
    int *start, *row, *source;   /* the pattern, and where entries are in J; -1: it is -1  */
    int *place;                  /* [m] rows of the matrix, or -1: shorter chains          */
    int *ones;                   /* [columns + 1] the pattern of a diagonal                */
    double *H, *weight, *x, *mu, *unit, *zero;
    double *loose;               /* [rows] W                                               */
    int loosened;                /* W > 0 in all rows                                      */
    saddle *saddle;
} level_saddle;

void level_saddle_layout(arena *a, level_saddle *s, const keel_problem *problem, int level);
/* 0 or a status of linear_create. */
int level_saddle_create(level_saddle *s);
void level_saddle_release(level_saddle *s);
/* H at (t,y), in units [n], NULL: 1.  A code of eval_*, or DIRECTIONS_SINGULAR and a dependent row
 * of the level. */
int level_saddle_factor(level_saddle *s, evaluator *e, const double *unit, double t,
                        const double *y, int *row);
/* step := dx for the unknowns of the level, c [m]. */
void level_saddle_solve(level_saddle *s, const double *c, double *step);
/* The same as level_saddle_solve in two steps: mu := (H U^2 H^T)^-1 mu, and step := U^2 H^T mu. */
void level_saddle_multipliers(level_saddle *s, double *mu);
void level_saddle_step(level_saddle *s, const double *mu, double *step);
/* The unknown on which a row depends most, of those that are `marked` if not NULL; -1: none. */
int level_saddle_largest(const level_saddle *s, int row, const keel_mark *marked, keel_mark mark);

/* The matrix that the gradient of a level is taken from: rows of J = r_y, whose coloring is laid out, too, or
 * G itself of a mechanical problem; `zero` [n]. */
void level_matrix_layout(arena *a, keel_matrix *J, coloring *colors, const keel_problem *problem);
int level_matrix(evaluator *e, int level, double t, const double *y, const double *zero,
                 const coloring *colors, keel_matrix *J);
/* W of rows that depend on each other, of all constraints; NULL: nothing is known of such rows. */
const double *level_loose(const evaluator *e);

#endif
