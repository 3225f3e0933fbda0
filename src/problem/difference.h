/* difference.h -- the one difference quotient: of a function of (t,x), along a line or by columns.
 *
 *   d/de value(t + e, x + e w)  ~  sum_k weight_k value(t + shift_k, x + shift_k w)     (stencil.h)
 *   column j:  (value(x + d e_j) - value(x)) / d,    d = s_j sqrt(eps max(1e-5, |x_j / s_j|))  one-sided
 *              d = +-(|x_j| + max |x|), where value is affine: exact but for rounding
 *              sum_k weight_k (value(x + k d e_j) - value(x - k d e_j)) / d,
 *                              d = (eps / (p/2)!^2)^(1/(p+1)) (s_j + |x_j|), or a share of
 *                              the same,                                                of order p
 *
 * The increments balance rounding against truncation, which is (p/2)!^2 (d/R)^p where the terms of
 * Taylor's series fall like R^-k; [HW96 IV.8] for the first one.  Columns of one color share no row
 * and move together.
 *
 * s_j is the typical size of an unknown that may be 0: 1 unless something else is known.  Where values
 * are curved on a scale R far below 1, increments of about 1e-5 see nothing of the derivative.  It shows by a
 * quarter of the increment:
 *
 *   (v(d) - v(-d)) / 2d = v' + c d^2 + ...   and   v' + c d^2 / 16 + ...   agree where d << R,
 *
 * and are far from each other where d >> R.  So sizes are settled, where that is asked for: an entry that
 * disagrees is taken with the largest of 2^-10, ..., 2^-40 with which it agrees, and that is the size of
 * its column; where none does it stays.  Rounding makes differences disagree as well; only entries
 * that change their row as much as any other, with its own increment, can be so judged.
 *
 * On the other side, what a column changes may be lost in rounding: F = y' - 1e12 at y' = 0.  A column that
 * changes no row by 1e-9 of what others change it by is taken with the smallest of 2^10, ..., 2^40 with
 * which an entry agrees with its quarter; a single difference with the longest tells that the column is
 * not there.
 */
#ifndef KEEL_PROBLEM_DIFFERENCE_H
#define KEEL_PROBLEM_DIFFERENCE_H

#include "problem/problem.h"
#include "problem/stencil.h"

/* `rows` values at (t,x); returns as eval_*. */
typedef int difference_function(void *context, double t, const double *x, double *value);

typedef struct difference {
    difference_function *value;
    void *context;
    int rows, size;              /* of the value and of x                                  */
    double t;
    const double *x;
    double *moved;               /* [size] scratch, unless only time moves                 */
    double *one;                 /* [rows] scratch, not for one-sided columns              */
} difference;

/* By the stencil, along w (NULL: 0) in x and in_time (0 or 1) in t. */
int difference_along(const difference *d, const stencil *s, double in_time, const double *w,
                     double *derivative);

typedef struct difference_columns {
    int order;                   /* 1: one-sided; 2, 4, 6, 8: central                      */
    int backward;                /* one-sided: with -d                                     */
    double unit;                 /* one-sided, if > 0: d = sqrt(eps) (unit s_j + |x_j|), for */
                                 /* multipliers, which may be of any size                  */
    int at_length;               /* one-sided: away from 0, by |x_j| + max |x|, for affine values */
    double *typical;             /* [size] s_j, or NULL: 1;                                */
    double *settling;            /* [2 rows] scratch: s_j are to be found, and `dense` is 0 before; or NULL */
    double share;                /* central, if > 0: d = share (s_j + |x_j|), no power of two */
    const double *reach;         /* [size] central: instead of s_j + |x_j|; or NULL        */
    const coloring *colors;      /* NULL: one column at a time                             */
    const double *base;          /* [rows] one-sided: the value at (t,x)                   */
    double *sum, *delta;         /* [rows], [size] scratch                                 */
    double factor;               /* of the columns; 0: 1                                   */
    keel_matrix *matrix;         /* where they go,                                         */
    double *dense;               /* or, added to what is there, row-major, `size` columns  */
} difference_columns;

int difference_matrix(const difference *d, const difference_columns *c);

/* The d above for R = reach, to a power of two: multiples of it and differences of what it moves
 * are exact.  For the first or the second derivative, whose rounding is eps / d^2. */
double central_increment(int derivative, int order, double reach);

#endif
