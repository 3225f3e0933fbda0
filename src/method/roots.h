/* roots.h -- roots of polynomials and eigenvalues of small matrices. */
#ifndef KEEL_METHOD_ROOTS_H
#define KEEL_METHOD_ROOTS_H

enum { ROOTS_MOST = 32, ROOT_TEXT = 64 };

typedef struct complex_root { double re, im, modulus; } complex_root;

/* Of sum_j a_j x^j, j = 0..degree <= ROOTS_MOST, a_degree != 0.  0, or KEEL_NOT_CONVERGED. */
int polynomial_roots(int degree, const double *a, complex_root *roots);
/* The one with the largest modulus; 0 for degree 0. */
int largest_root(int degree, const double *a, complex_root *root);
/* The largest modulus of the eigenvalues of A [n n], n <= ROOTS_MOST; exactly 0 when a power of A
 * vanishes up to rounding.  terms [n n]: the moduli of what was added up to A; NULL: those of A.
 * 0, or KEEL_NO_MEMORY. */
int spectral_radius(int n, const double *A, const double *terms, double *radius);

/* Like "-0.3 + 0.9 i". */
void root_text(const complex_root *root, char text[ROOT_TEXT]);

#endif
