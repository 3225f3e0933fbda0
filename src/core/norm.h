/* norm.h -- weighted root-mean-square norms and finiteness. */
#ifndef KEEL_CORE_NORM_H
#define KEEL_CORE_NORM_H

#include <float.h>
#include <math.h>

#include "core/strict.h"

/* w of a tolerated size; where none is tolerated, because y = 0 and atol = 0, nothing is tested */
static inline double norm_weight(double size)
{
    return size > 0 ? 1 / size : 0;
}

/* sum_i (x_i w_i)^2 with w the reciprocal of the tolerated size */
double norm_sum(int n, const double *x, const double *w);
/* max_i |x_i|; NaN if any entry is not finite */
double norm_max(int n, const double *x);
/* max_i |x_i| / (1 + |reference_i|); NaN if any entry is not finite */
double norm_relative(int n, const double *x, const double *reference);
/* the largest change of a row of A, rows x n, by x, beside its terms in y: max_i sum_j |a_ij x_j| /
 * sum_j |a_ij y_j| */
double norm_rows(int rows, int n, const double *A, const double *x, const double *y);
/* the i with the largest |x_i| w_i */
int norm_worst(int n, const double *x, const double *w);
/* -1 if every entry is finite, else the first that is not */
int first_not_finite(int n, const double *x);
/* Are all of them finite?  Where their sum is, they are. */
static inline int all_finite(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return fabs(sum) <= DBL_MAX || first_not_finite(n, x) < 0;
}

#endif
