/* consistent.h -- consistent initial values on all constraint levels.
 *
 * Each level, 0 = c(x) with m rows and Jacobian B, is met by the smallest change of the unknowns
 * that may move: Gauss-Newton with  dx = -W B^T (B W B^T)^-1 c,  W = 1 for unknowns that may move
 * and 0 for the others.  Unknowns marked free are tried first, then the guesses too.
 */
#ifndef KEEL_INTEGRATE_CONSISTENT_H
#define KEEL_INTEGRATE_CONSISTENT_H

#include "integrate/integrator.h"

/* Moves s->y (and s->yp) at s->t to the nearest consistent point; marks NULL: the standard ones.
 * A failure leaves its sentence in s->message. */
int consistent_start(keel_solver *s, const keel_mark *marks);

/* For initial = given: leaves s->y, and s->yp if it was given; else finds it as far as the equations
 * say.  s->message remarks on equations that are not satisfied. */
int consistent_given(keel_solver *s, int derivative_given);

/* ---- parts ------------------------------------------------------------------------------ */

typedef struct consistent_work {
    keel_matrix J, M;            /* r_y and -r_y' (M where the form needs it)              */
    coloring colors;
    double *rows;                /* [k n] B, k = m or n                                    */
    double *basis, *lower;       /* [k n], [k k + 2 k] orthonormal rows, triangular factor */
    double *value, *step, *trial;/* [n + m] each                                           */
    double *given;               /* [n] values to return to, or to compare with            */
    int *order;                  /* [k] rows as picked                                     */
    double *svd;                 /* [3 n n + 2 n] quasilinear and implicit forms           */
} consistent_work;

/* One level to be met. */
typedef struct level_equations {
    const char *name;            /* "position constraint"                                  */
    int rows, columns;
    double *x;                   /* the unknowns, a part of s->y                           */
    int first;                   /* number of x[0] among the unknowns of the problem       */
    double enough;               /* relative change that may remain: noise of differences  */
    int (*residual)(keel_solver *s, consistent_work *w, double *value);
    int (*jacobian)(keel_solver *s, consistent_work *w, double *B);       /* rows x columns */
} level_equations;

int consistent_level(keel_solver *s, consistent_work *w, const level_equations *level);
/* Message and status for an evaluation that failed at the start. */
int consistent_fault(keel_solver *s, int rc);
/* M(t,y) y' = f(t,y) and F(t,y,y') = 0. */
int consistent_implicit(keel_solver *s, consistent_work *w);
/* The same at a fixed y, for y' alone; and a remark on what y and y' leave. */
int consistent_derivative(keel_solver *s, consistent_work *w);
int consistent_remark(keel_solver *s, consistent_work *w);

/* Properly stated leading terms: u = d(t,x) unless marks fix it; are the ranks as they must be?
 * If so, the answer is rc, what the start has come to. */
int consistent_leading_term(keel_solver *s, const keel_mark *marks);
int consistent_proper(keel_solver *s, int rc);

/* The same for many unknowns, and semi-explicit systems: moves algebraic unknowns only. */
int consistent_large(keel_solver *s, consistent_work *w);

/* Row-pivoted Gram-Schmidt of B with columns switched off where mobile[j] == 0: returns the rank;
 * order[0..rank) are independent rows, the others depend on them. */
int orthogonalize_rows(int m, int n, const double *B, const unsigned char *mobile, double *basis,
                       double *lower, int *order);

/* For a formulation: y from the consistent start of its original. */
int consistent_original(keel_solver *s, const keel_mark *marks);

#endif
