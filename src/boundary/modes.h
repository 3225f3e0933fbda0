/* modes.h -- solutions of the linearised equations on the constraint manifold.
 *
 *   v_n = F_n v_(n-1),   v_n = T_n s_n,   s_n = T_n^T F_n T_(n-1) s_(n-1)
 *
 * T_n has an orthonormal basis of the tangent space c_x(t_n) v = 0 as its columns, d = nx - rows of
 * constraints of them, each basis next to that of the point before.
 */
#ifndef KEEL_BOUNDARY_MODES_H
#define KEEL_BOUNDARY_MODES_H

#include "boundary/boundary.h"

typedef struct modes {
    int nx, d;
    double *T;                   /* [N + 1][nx d]; d = nx: none, the unit matrix           */
    double *work, *other, *A;    /* [nx d] [nx d] [nx nx] scratch                          */
    double *G;                   /* [hidden nx] orthonormal rows of c_x                    */
    void *block;
} modes;

/* A mesh of its own, to be freed, with the linear equations at the solution (collocation_linear); a
 * status. */
int solution_linear(keel_boundary *w, mesh **s);
/* In the tangent spaces along the solution of such a mesh.  A status; modes_free in any case. */
int modes_begin(keel_boundary *w, mesh *s, modes *m);
void modes_free(modes *m);
/* R [d d]: what interval i does to s. */
void modes_map(const modes *m, const mesh *s, int i, double *R);
/* B [d d] of s' = B s in the middle of interval i:  T^T (A T - T').  As eval_*, or BOUNDARY_*. */
int modes_reduced(keel_boundary *w, const modes *m, const mesh *s, int i, double *B);
/* w->local and w->y at one stage of interval i. */
int stage_linear(keel_boundary *w, const mesh *s, int i, int stage);
/* Q [rows d] := its orthonormal basis, R: the triangle with Q_old = Q R; R(j,j) = 0 and the column as
 * it is for a dependent one. */
void modes_orthonormal(int rows, int d, double *Q, double *R);
/* U [d d] := basis of R U, or of R^T U; T [d d]: the triangle; next [d d]: scratch. */
void modes_turn(int d, const double *R, int transposed, double *U, double *next, double *T);

#endif
