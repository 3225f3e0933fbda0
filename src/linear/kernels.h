/* kernels.h -- innermost loops of the dense kernels.
 *
 * They are inlined; blocks of constant length become vector instructions at -O2 too.  Measured
 * for LU: 22934 instead of 29990 instructions at n = 20, and no more than plain loops at n = 5.
 * Sums gain nothing below n = 20 and stay plain.
 */
#ifndef KEEL_LINEAR_KERNELS_H
#define KEEL_LINEAR_KERNELS_H

#include <math.h>
#include <stddef.h>

#ifdef KEEL_COVERAGE             /* branches are those of the source, not of every copy of it */
#define KERNEL static inline
#else
#define KERNEL static inline __attribute__((always_inline))
#endif

/* Where row i of a row-major array with n columns starts; i * n may exceed an int. */
KERNEL ptrdiff_t row_start(int i, int n)
{
    return (ptrdiff_t)i * n;
}

KERNEL int least(int x, int y) { return x < y ? x : y; }

KERNEL void swap_entries(double *restrict x, double *restrict y, int count)
{
    for (int j = 0; j < count; j++) {
        double t = x[j];
        x[j] = y[j];
        y[j] = t;
    }
}

/* 1 / (re + i im), scaled so that no square overflows. */
KERNEL void invert_complex(double re, double im, double *inverse)
{
    double size = fabs(re) + fabs(im), x = re / size, y = im / size;
    double square = (x * x + y * y) * size;
    inverse[0] = x / square;
    inverse[1] = -y / square;
}

/* y -= factor x */
KERNEL void subtract_multiple(int count, double *restrict y, double factor,
                              const double *restrict x)
{
    int j = 0;
    for (; j + 1 < count; j += 2)
        for (int c = 0; c < 2; c++) y[j + c] -= factor * x[j + c];
    if (j < count) y[j] -= factor * x[j];
}

/* start - sum of x(j) y(j) */
KERNEL double subtract_products(double start, int count, const double *x, const double *y)
{
    for (int j = 0; j < count; j++) start -= x[j] * y[j];
    return start;
}

/* y -= (re + i im) x, complex entries */
KERNEL void subtract_multiple_complex(int count, double *restrict y, double re, double im,
                                      const double *restrict x)
{
    const double turned[2] = { -im, im };
    for (int j = 0; j < 2 * count; j += 2)
        for (int c = 0; c < 2; c++) y[j + c] -= re * x[j + c] + turned[c] * x[j + 1 - c];
}

/* target -= sum of x(j) y(j), complex entries */
KERNEL void subtract_products_complex(int count, double *target, const double *x, const double *y)
{
    double straight[2] = { 0, 0 }, crossed[2] = { 0, 0 };
    for (int j = 0; j < 2 * count; j += 2)
        for (int c = 0; c < 2; c++) {
            straight[c] += x[j + c] * y[j + c];
            crossed[c] += x[j + c] * y[j + 1 - c];
        }
    target[0] -= straight[0] - straight[1];
    target[1] -= crossed[0] + crossed[1];
}

/* Entries of `width` doubles, 1 real and 2 complex: y -= u x, */
KERNEL void subtract_entries(const int width, int count, double *y, const double *u, const double *x)
{
    if (width == 1) subtract_multiple(count, y, *u, x);
    else subtract_multiple_complex(count, y, u[0], u[1], x);
}

/* x := x y, */
KERNEL void multiply_entry(const int width, double *x, const double *y)
{
    double re = x[0];
    if (width == 2) x[0] = re * y[0] - x[1] * y[1], x[1] = re * y[1] + x[1] * y[0];
    else x[0] *= y[0];
}

/* and 1 / x. */
KERNEL void invert_entry(const int width, const double *x, double *inverse)
{
    if (width == 1) inverse[0] = 1 / x[0];
    else invert_complex(x[0], x[1], inverse);
}

#endif
