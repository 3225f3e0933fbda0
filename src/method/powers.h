/* powers.h -- powers of small matrices in extended precision, which tell what eigenvalues that are
 * ill-conditioned do not. */
#ifndef KEEL_METHOD_POWERS_H
#define KEEL_METHOD_POWERS_H

#include "keel/method.h"

enum { MATRIX_MOST = KEEL_STAGES_MOST };

typedef struct matrix {
    int n;
    long double at[MATRIX_MOST][MATRIX_MOST];
} matrix;

/* What errors of coefficients with 16 digits become where A^-1 is large. */
#define COEFFICIENT_ROUNDING 1e-11

void multiply(const matrix *a, const matrix *b, matrix *product);

/* Is |M| <= rounding size, entry by entry?  `size` has the magnitudes of the terms of M. */
int vanishes(const matrix *M, const matrix *size, double rounding);
/* The least k with M^k = 0 in this sense, 0 for none. */
int nilpotency(const matrix *M, const matrix *size, double rounding);
/* Do its powers stay bounded? */
int power_bounded(const matrix *M);

#endif
