/* invariant_field.h -- where the invariants of a problem move it.
 *
 * Rows 0 = phi(t,y) that the solution of 0 = r(t,y,y') keeps: attached ones, and the levels of the
 * levelled form.  What the equations themselves demand of y has the gradients C:
 *
 *   ODE                             none
 *   semi-explicit, levelled         [g_y g_z], where phi depends on z
 *   Hessenberg 2, 3, mechanical     g, g': all levels below the hidden one
 *   quasilinear, implicit, proper   U^T J with U^T M V = 0, where V first is all and then ker C, until
 *                                   that ends: the finite part of the pencil (M, J)    [Wong, J. Diff.
 *                                   Eq. 16 (1974) 270].  The first rows C1 change with the solution, and
 *                                   where U^T M = a C1 the second ones are U^T J + a d/dt C1
 *
 * Q has orthonormal rows that span those of C, W projects to the differential unknowns (1; (y, 0); the
 * row space of M), and N has orthonormal columns that span the left null space of D^T:
 *
 *   D = argmin over Q D = 0 of |D|_W^2 / 2 - phi_y D,   S = phi_y D + N N^T
 *   delta = D S^-1 (1 - N N^T) phi     the least tangential change that meets phi to first order; in
 *                                      the sense of least squares where rows depend on each other
 *   c = (1 - N N^T) phi + N N^T mu     determines mu in  0 = r(t, y, y' + D mu),  0 = c
 *
 * D is phi_y^T for an ODE.  It is tangential, so that the multipliers of r stay what they are, and
 * phi_y D is positive definite.  The rank is found once, where a run begins; dependent rows are scaled
 * to length 1 there.
 */
#ifndef KEEL_PROBLEM_INVARIANT_FIELD_H
#define KEEL_PROBLEM_INVARIANT_FIELD_H

#include "problem/formulation.h"

struct invariant_field {
    int rows, linked;            /* of phi; the first of them that are levels              */
    int ranked;                  /* is it this that sees to dependent rows?                */
    int begun, count;            /* is the rank known? columns of N                        */
    int *implied;                /* [rows] do the equations say it already?                */
    double *y, *rate, *weighted; /* [n] unknowns of the original, scratch of callbacks     */
    double *phi, *scale;         /* [rows]                                                 */
    double *gradient, *D;        /* [rows n] phi_y, D^T                                    */
    int tangents;                /* rows of Q                                              */
    double *Q;                   /* [most + 1, n]                                          */
    double *S, *N;               /* [rows rows]                                            */
    int *pivot;                  /* [rows]                                                 */
    double *weight, *delta;      /* [rows], [n]                                            */
    double *level;               /* [m nx] a level, or its derivatives                     */
    rank_work *rank;
    keel_matrix M, J;            /* where C needs them                                     */
    coloring colors;
    double *A, *left;            /* [n n] M V and U of the pencil; then W + Q^T Q          */
    int kernel;                  /* columns of R                                           */
    double *R;                   /* [n n] the kernel of M                                  */
    double *Y, *T;               /* [most n] its inverse times Q^T, [most most]            */
    int *order;                  /* [n + most] pivots of both                              */
    int first;                   /* rows of C1, index 3                                    */
    double *C1, *change, *U;     /* [first n] and d/dt, [n first]                          */
    keel_matrix ahead;           /* J elsewhere                                            */
    rank_work *pencil;
};

/* How many rows of phi there are. */
int field_rows(const keel_problem *original);
/* Forms that do not tell which unknowns are algebraic. */
int field_is_pencil(const keel_problem *original);
void field_layout(arena *a, formulation_state *s, const keel_problem *original, int ranked);
/* phi at (t,y), scaled. */
int field_values(formulation_state *s, double t, const double *y);
/* D and what belongs to it; yp is asked for by pencils.  Returns as eval_*. */
int field_directions(formulation_state *s, double t, const double *y, const double *yp);
/* out += factor D mu, [n]; after field_directions. */
void field_move(const formulation_state *s, double factor, const double *mu, double *out);
/* field->delta; after both. */
int field_delta(formulation_state *s, double t);
/* c from phi; after both. */
void field_rows_with(const formulation_state *s, const double *mu, double *c);
/* x := (1 - N N^T) x */
void field_restrict(const formulation_state *s, double *x);

#endif
