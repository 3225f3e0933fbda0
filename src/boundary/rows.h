/* rows.h -- products of small row-major matrices. */
#ifndef KEEL_BOUNDARY_ROWS_H
#define KEEL_BOUNDARY_ROWS_H

#include <stddef.h>

enum { LONG_ROW = 12 };          /* from here on four entries at a time                    */

/* The same as the two below, for long rows. */
void add_long_product(int rows, int inner, int columns, double alpha, const double *A, const double *B,
                      int width, double *C);
void add_long_times(int rows, int columns, double alpha, const double *A, const double *x, double *y);

/* C += alpha A B, rows x inner times inner x columns; C has `width` columns. */
static inline void add_product(int rows, int inner, int columns, double alpha, const double *A,
                               const double *B, int width, double *C)
{
    if (columns >= LONG_ROW) {
        add_long_product(rows, inner, columns, alpha, A, B, width, C);
        return;
    }
    for (int i = 0; i < rows; i++)
        for (int l = 0; l < inner; l++) {
            double factor = alpha * A[(ptrdiff_t)i * inner + l];
            const double *from = B + (ptrdiff_t)l * columns;
            double *to = C + (ptrdiff_t)i * width;
            if (factor == 0) continue;
            for (int j = 0; j < columns; j++) to[j] += factor * from[j];
        }
}

/* y += alpha A x, two rows at a time */
static inline void add_times(int rows, int columns, double alpha, const double *A, const double *x,
                             double *y)
{
    int i = 0;
    if (columns >= LONG_ROW) {
        add_long_times(rows, columns, alpha, A, x, y);
        return;
    }
    for (; i + 1 < rows; i += 2, A += 2 * (ptrdiff_t)columns) {
        double sum = 0, below = 0;
        for (int j = 0; j < columns; j++) {
            sum += A[j] * x[j];
            below += A[columns + j] * x[j];
        }
        y[i] += alpha * sum;
        y[i + 1] += alpha * below;
    }
    for (int j = 0; i < rows && j < columns; j++) y[i] += alpha * A[j] * x[j];
}

/* X := M Y, rows x inner times inner x n; M has `width` columns. */
void combine(int rows, int inner, int n, const double *M, int width, const double *Y, double *X);
void to_single(size_t count, const double *from, float *to);
void to_double(size_t count, const float *from, double *to);

#endif
