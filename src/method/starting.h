/* starting.h -- how the first values of multistep and general linear methods are made. */
#ifndef KEEL_METHOD_STARTING_H
#define KEEL_METHOD_STARTING_H

#include "core/arena.h"

enum { STARTING_ORDER_MOST = 8 };

/* Y = y_0 + h A f(Y), y[0] = e_1 y_0 + h B f(Y), the Nordsieck vector h^k y^(k), k = 0..p, with
 * s = p + 1 stages; algebraic unknowns: z[0] = at_start z_0 + (B A^-1) Z.  All matrices are [s s],
 * row-major, and correctly rounded. */
typedef struct starting_data {
    int order, s;
    double mu;                   /* the one eigenvalue of A                                 */
    const double *c;             /* [s], from 0 to 1                                        */
    const double *A, *A_inv, *B, *B_A_inv;
    const double *at_start;      /* e_1 - B A^-1 1 [s]                                      */
    const double *T, *T_inv;     /* T^-1 A^-1 T = 1/mu I + lower bidiagonal, columns of T   */
    const double *lower;         /* of length 1: its elements (i+1,i) [s - 1]               */
} starting_data;

/* Slices come from the arena (measure with base NULL: then only sizes are taken).  0, or
 * KEEL_UNSUPPORTED for an order out of 1..STARTING_ORDER_MOST. */
int starting_method(arena *a, int order, starting_data *out);

#endif
