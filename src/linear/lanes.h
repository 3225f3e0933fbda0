/* lanes.h -- vectors of the stages, side by side.
 *
 * The s stages of a Runge-Kutta step are kept as the innermost index, padded with zeros to a
 * multiple of four: entry k of stage i at [k*w + i], w = lanes(s).  Everything that is done to all
 * stages is then done four at a time, in vector registers where there are any.
 */
#ifndef KEEL_LINEAR_LANES_H
#define KEEL_LINEAR_LANES_H

#include "linear/kernels.h"

typedef double lane4 __attribute__((vector_size(32), may_alias));
typedef double loose4 __attribute__((vector_size(32), may_alias, aligned(8)));  /* anywhere */

typedef unsigned long long bits4 __attribute__((vector_size(32), may_alias, aligned(8)));

#define LANE(address) (*(lane4 *)(void *)(address))
#define LANE_OF(address) (*(const lane4 *)(const void *)(address))
#define LOOSE(address) (*(const loose4 *)(const void *)(address))
#define BITS(address) (*(const bits4 *)(const void *)(address))

/* Compiled twice, for any x86-64 and for those with AVX2 and FMA (x86-64-v3); the program chooses
 * when it starts, which is too early for sanitizers.  Nor where branches are counted: one of the two
 * would never be taken; nor beside codes that were compiled for any x86-64 (option KEEL_PLAIN_KERNELS). */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && __GNUC__ >= 12 && \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(KEEL_COVERAGE) && !defined(KEEL_PLAIN_KERNELS)
#define VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define VECTOR_CLONES
#endif

KERNEL int lanes(int stages)
{
    return (stages + 3) / 4 * 4;
}

/* X_k := sum_j column_j Y_k[j] for k < n: the matrix with those columns (w entries each) applied to
 * the stages of every component; Y has `stride` entries per component. */
void lanes_combine(int n, int w, int count, const double *columns, int stride, const double *Y, double *X);
/* X := B - M K - G^T L, stage by stage; M is n x n and G m x n of lanes.  A `diagonal` M has nothing
 * but its diagonal, the same in all lanes. */
void lanes_residual(int n, int m, int w, const double *B, const double *M, int diagonal,
                    const double *G, const double *K, const double *L, double *X);
/* X_k += sum_j A_kj Y_j for a matrix A, n x n, of numbers; zeros are skipped. */
void lanes_products(int n, int w, const double *A, const double *Y, double *X);
/* X := B - G Y, stage by stage. */
void lanes_constraint(int n, int m, int w, const double *B, const double *G, const double *Y, double *X);
/* sum over components and lanes of (X_k weight_k)^2 */
double lanes_norm(int n, int w, const double *X, const double *weight);
/* X_i := sum_j c_ij Y_j, i < rows, j < count, for row-major c and vectors of n entries one after the
 * other (no lanes: stage i at [i*n]). */
void vectors_combine(int rows, int count, int n, const double *c, const double *Y, double *X);
/* X := base + sum_j a_j Y_j, Z := scale sum_j c_j Y_j: argument and rate of a stage. */
void vectors_argument(int count, int n, const double *base, const double *a, const double *c,
                      double scale, const double *Y, double *X, double *Z);
/* X := base + sum_j a_j Y_j */
void vectors_sum(int count, int n, const double *base, const double *a, const double *Y, double *X);
/* y += alpha A x for a matrix of 4 to 8 rows and columns, column by column. */
enum { PRODUCT_LEAST = 4, PRODUCT_MOST = 8 };
void vectors_product(int n, double alpha, const double *A, const double *x, double *y);
/* Y_i := Z_i + sign base */
void vectors_shift(int rows, int n, const double *base, const double *Z, double sign, double *Y);
/* Z_i += update_i; returns the sum of squares of update times weight. */
double vectors_add(int rows, int n, const double *update, const double *weight, double *Z);
/* Has any x a bit that is set, so that it is not 0? */
int any_bits(int count, const double *x);
/* X += Y over `count` entries, a multiple of four */
void lanes_add(int count, double *X, const double *Y);

#endif
