/* hessenberg.h -- one dense matrix with many shifts. */
#ifndef KEEL_LINEAR_HESSENBERG_H
#define KEEL_LINEAR_HESSENBERG_H

/* A = Q H Q^T, H lower Hessenberg, both row-major: A [n n] becomes H, whose entries right of the first
 * superdiagonal mean nothing; Qt: Q^T [n n]; work [2 n].  Not 0: an entry is no number. */
int hessenberg_make(int n, double *A, double *Qt, double *work);
/* re + i im := (alpha + i beta - h H)^-1 (re + i im); work [2 n (n + 2)].  1: no pivot. */
int hessenberg_solve(int n, const double *H, double h, double alpha, double beta, double *re, double *im,
                     double *work);
/* A = V L V^T, L lower triangular but for 2 x 2 blocks (alpha b; g alpha) with b g < 0, all row-major: A
 * becomes L; Vt: V^T [n n]; work [5 n].  Not 0: no convergence. */
int schur_make(int n, double *A, double *Vt, double *work);

#endif
