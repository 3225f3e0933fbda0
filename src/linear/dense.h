/* dense.h -- what the real and the complex dense factorization share: the choice of pivots.
 *
 * Entries are `width` doubles, 1 real and 2 complex; what every pivot needs is inlined with that
 * constant.  a(i,j) is at a + width * (i * down + j * right).
 */
#ifndef KEEL_LINEAR_DENSE_H
#define KEEL_LINEAR_DENSE_H

#include "linear/kernels.h"
#include "linear/pivots.h"

#include <stddef.h>

/* The largest entry of column k, stored by rows, that is not noise; -1 without any. */
int dense_significant_row(int width, int n, const double *a, int k);
/* Factors stored by columns: 0, or k > 0: the first pivot that is noise is in column k - 1. */
int dense_missing_pivot(int width, int n, const double *a);

KERNEL int is_suspicious(const int width, const double *a, ptrdiff_t down, ptrdiff_t right, int i,
                         int k)
{
    double largest = 0;
    for (int j = 0; j < k; j++) {
        double u = modulus(a + width * (j * down + k * right), width);
        if (u > largest) largest = u;
    }
    return pivot_is_suspicious(modulus(a + width * (i * down + k * right), width), largest);
}

/* The row of the largest entry of column k, unless that may be noise of a row of large entries. */
KERNEL int pivot_row(const int width, int n, const double *a, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (modulus(a + width * (i * n + k), width) > modulus(a + width * (best * n + k), width))
            best = i;
    return is_suspicious(width, a, n, 1, best, k) ? dense_significant_row(width, n, a, k) : best;
}

KERNEL void transpose(const int width, int n, double *a)
{
    size_t size = (size_t)n, w = (size_t)width;
    for (size_t i = 1; i < size; i++)
        for (size_t j = 0; j < i; j++)
            swap_entries(a + w * (i * size + j), a + w * (j * size + i), width);
}

#endif
