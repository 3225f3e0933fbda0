/* small.h -- eigenvalues, least squares and the like of the small matrices that methods are made of,
 * by LAPACK and without allocation: nothing here can run out of memory.
 *
 * Matrices are row-major, with at most SMALL_MOST rows and columns.  All return 0, or not 0 where an
 * iteration does not converge, a matrix is singular or an entry is NaN.
 */
#ifndef KEEL_LINEAR_SMALL_H
#define KEEL_LINEAR_SMALL_H

enum { SMALL_MOST = 32 };

/* re + i im of A [n n], pairs next to each other; v [n n]: right eigenvectors as of dgeev, or NULL */
int small_eigenvalues(int n, const double *A, double *re, double *im, double *v);
/* Those of a symmetric A, ascending. */
int small_symmetric_eigenvalues(int n, const double *A, double *value);
/* x := A^-1 x */
int small_solve(int n, const double *A, double *x);
int small_inverse(int n, const double *A, double *inverse);
/* A = Q T Q^T, T quasi triangular; A := T */
int small_schur(int n, double *A, double *Q, double *re, double *im);
/* x [columns] of least norm that minimises |A x - b|, A [rows columns], singular values below
 * `least` of the largest one counted as 0 */
int small_least_squares(int rows, int columns, const double *A, const double *b, double least,
                        double *x);

#endif
