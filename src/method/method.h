/* method.h -- Runge-Kutta methods as data, and what fully implicit stages need of them.
 *
 * A^-1 = T L T^-1 with L block diagonal: the real eigenvalue gamma first (odd s), then for each
 * complex pair alpha +- i beta a block [alpha -beta; beta alpha], so that
 * (T^-1 x I)(h^-1 A^-1 x M - I x J)(T x I) falls into one real and several complex systems
 * [HW96 IV.8 (8.4)].
 */
#ifndef KEEL_METHOD_DATA_H
#define KEEL_METHOD_DATA_H

#include "core/arena.h"
#include "keel/method.h"

enum { STAGES_MAX = 20 };        /* beyond it the collocation data lose their digits in double */

/* Everything below has its lengths in brackets; matrices are row-major. */
typedef struct stage_method {
    int s;                       /* stages                                                 */
    int order, stage_order;
    const double *c, *b;         /* nodes, weights [s]                                     */
    const double *A, *A_inv;     /* [s s]                                                  */
    const double *A2, *A2_inv;   /* A^2 and A^-2 [s s]                                     */
    int has_real;                /* 1 if A^-1 has a real eigenvalue (odd s)                */
    int pairs;                   /* complex pairs                                          */
    double gamma;                /* the real eigenvalue; for even s the mean of the real   */
                                 /* eigenvalues of the neighbouring odd stage counts       */
    const double *alpha, *beta;  /* [pairs]                                                */
    const double *T, *T_inv;     /* [s s]                                                  */
    const double *at_zero;       /* w_i with sum_i w_i p(c_i) = -p(0) for deg p < s        */
    const double *error;         /* e = at_zero^T A^-1 [s]: the embedded estimate of order s is */
                                 /* (gamma/h M - J)^-1 (f(y_n) + h^-1 M sum_i e_i Z_i), Z_i = Y_i - y_n */
                                 /* [HW96 IV.8 (8.17)-(8.20)]                              */
    const double *b_A_inv;       /* b^T A^-1 [s] (last unit vector for stiffly accurate)   */
    double r_infinity;           /* 1 - b^T A^-1 1                                         */
} stage_method;

/* Radau IIA with s stages; correct to the last bit of double.  Slices come from the arena
 * (measure with base NULL: then only sizes are taken).  0, or KEEL_UNSUPPORTED for s out of
 * 1..STAGES_MAX, or KEEL_NO_MEMORY. */
int radau_iia(arena *a, int s, stage_method *method);

/* "radau-iia" -> *stages = 0 (variable order), "radau-iia-S" -> S.
 * 0 or KEEL_UNKNOWN_NAME with the closest known name in *suggestion. */
int method_parse(const char *name, int *stages, const char **suggestion);

#endif
