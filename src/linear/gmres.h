/* gmres.h -- A x = b by GMRES with restarts, preconditioned from the left.
 *
 *   V = orthonormal basis of span(q, B q, B^2 q, ...),  B = P A,  q = P b,  P about A^-1;  x = V c with
 *   |P (b - A V c)| least, from the Hessenberg matrix H of B V_m = V_(m+1) H by Givens rotations
 *
 * [Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856].  |P r| is about the error of x: that is what
 * is asked to fall to a part of |P b|, about |x|.
 */
#ifndef KEEL_LINEAR_GMRES_H
#define KEEL_LINEAR_GMRES_H

#include "core/arena.h"

typedef struct gmres {
    int n, restart, limit;
    double *V;                   /* [(restart + 1) n]                                      */
    double *H;                   /* [restart (restart + 1)] by columns                     */
    double *cosine, *sine, *g;   /* [restart], [restart], [restart + 1]                    */
    double *x, *r;               /* [n]                                                    */
} gmres;

/* y := A x, or P x; a code other than 0 ends the iteration. */
typedef int gmres_operator(void *context, const double *x, double *y);

enum { GMRES_NOT_REACHED = 1 << 20, GMRES_NOT_FINITE };

void gmres_layout(arena *a, gmres *k, int n, int restart, int limit);
/* b := x.  0, one of these, or a code of the operators; *iterations grows. */
int gmres_solve(gmres *k, gmres_operator *A, gmres_operator *P, void *context, double tolerance, double *b,
                long *iterations);

#endif
