/* small_lu.h -- P A = L U of small dense matrices by columns, four rows at a time (small_lu.c). */
#ifndef KEEL_LINEAR_SMALL_LU_H
#define KEEL_LINEAR_SMALL_LU_H

#include "linear/lanes.h"
#include "linear/shifted.h"

/* Thousand instructions of one factorization and three solves, this and dense.c, which takes LAPACK
 * (OpenBLAS 0.3.21, AVX2) from 40 real and 28 complex unknowns on: n = 8 3.6/4.5 and complex 5.9/8.8,
 * n = 20 19/32 and 34/67, n = 32 50/99 and 109/195, n = 48 146/255 and 283/425. */
enum { SMALL_LU_MOST = 48 };

/* Rows of L below the diagonal, and of U above it; n for a matrix that is full. */
typedef struct small_band { int lower, reach; } small_band;

/* Column j of A is at a + j * width * p, p = lanes(n), zeros after its n rows; complex ones (width 2)
 * have their p imaginary parts after the p real ones. */
void small_assemble(int width, int n, const shifted *matrix, double *a);
/* 0, or -1: a pivot may be noise, and whoever looks closer has to begin anew. */
int small_factor(int width, int n, small_band band, double *a, int *pivot);
void small_solve_one(int n, small_band band, const double *a, const int *pivot, double *b);
void small_solve_complex(int n, small_band band, const double *a, const int *pivot, double *re,
                         double *im);

#endif
