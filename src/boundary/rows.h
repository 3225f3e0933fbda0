/* rows.h -- products of small row-major matrices. */
#ifndef KEEL_BOUNDARY_ROWS_H
#define KEEL_BOUNDARY_ROWS_H

#include <stddef.h>

/* C += alpha A B, rows x inner times inner x columns; C has `width` columns. */
static inline void add_product(int rows, int inner, int columns, double alpha, const double *A,
                               const double *B, int width, double *C)
{
    for (int i = 0; i < rows; i++)
        for (int l = 0; l < inner; l++) {
            double factor = alpha * A[(ptrdiff_t)i * inner + l];
            const double *from = B + (ptrdiff_t)l * columns;
            double *to = C + (ptrdiff_t)i * width;
            if (factor == 0) continue;
            for (int j = 0; j < columns; j++) to[j] += factor * from[j];
        }
}

/* y += alpha A x */
static inline void add_times(int rows, int columns, double alpha, const double *A, const double *x,
                             double *y)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++) sum += A[(ptrdiff_t)i * columns + j] * x[j];
        y[i] += alpha * sum;
    }
}

/* X := M Y, rows x inner times inner x n; M has `width` columns. */
void combine(int rows, int inner, int n, const double *M, int width, const double *Y, double *X);

#endif
