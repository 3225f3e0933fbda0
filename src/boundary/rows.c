/* rows.c -- one small matrix times the stages of an interval, the innermost work of collocation.
 *
 * Two rows and two or four columns at a time: measured instructions for 6 x 6 times 6 x 2 are a quarter of
 * those of plain loops.
 */
#include "boundary/rows.h"

#include "linear/lanes.h"

typedef double pair __attribute__((vector_size(16), may_alias, aligned(8)));

KERNEL pair pair_at(const double *x) { return *(const pair *)(const void *)x; }
KERNEL void put_pair(double *x, pair value) { *(pair *)(void *)x = value; }

KERNEL void put_four(double *x, loose4 value) { *(loose4 *)(void *)x = value; }

/* Rows r and, if `two`, r + 1 of X. */
KERNEL void combine_rows(const int two, int inner, int n, const double *M, int width,
                         const double *Y, double *X)
{
    int j = 0;
    for (; j + 3 < n; j += 4) {
        loose4 upper = {0, 0, 0, 0}, lower = {0, 0, 0, 0};
        const double *y = Y + j;
        for (int c = 0; c < inner; c++, y += n) {
            upper += M[c] * LOOSE(y);
            if (two) lower += M[width + c] * LOOSE(y);
        }
        put_four(X + j, upper);
        if (two) put_four(X + n + j, lower);
    }
    for (; j + 1 < n; j += 2) {
        pair upper = {0, 0}, lower = {0, 0};
        const double *y = Y + j;
        for (int c = 0; c < inner; c++, y += n) {
            pair value = pair_at(y);
            upper += M[c] * value;
            if (two) lower += M[width + c] * value;
        }
        put_pair(X + j, upper);
        if (two) put_pair(X + n + j, lower);
    }
    if (j == n) return;
    double upper = 0, lower = 0;
    const double *y = Y + j;
    for (int c = 0; c < inner; c++, y += n) {
        upper += M[c] * *y;
        if (two) lower += M[width + c] * *y;
    }
    X[j] = upper;
    if (two) X[n + j] = lower;
}

VECTOR_CLONES
void combine(int rows, int inner, int n, const double *M, int width, const double *Y, double *X)
{
    int r = 0;
    for (; r + 1 < rows; r += 2, M += 2 * width, X += 2 * n)
        combine_rows(1, inner, n, M, width, Y, X);
    if (r < rows) combine_rows(0, inner, n, M, width, Y, X);
}

/* ---- long rows ------------------------------------------------------------------------------- */

VECTOR_CLONES
void add_long_product(int rows, int inner, int columns, double alpha, const double *A, const double *B,
                      int width, double *C)
{
    for (int i = 0; i < rows; i++, C += width)
        for (int l = 0; l < inner; l++) {
            double factor = alpha * A[(ptrdiff_t)i * inner + l];
            const double *from = B + (ptrdiff_t)l * columns;
            int j = 0;
            if (factor == 0) continue;
            for (; j + 3 < columns; j += 4) put_four(C + j, LOOSE(C + j) + factor * LOOSE(from + j));
            for (; j < columns; j++) C[j] += factor * from[j];
        }
}

/* y += alpha A x for four rows of A */
KERNEL void add_four_rows(int columns, double alpha, const double *A, const double *x, double *y)
{
    const double *B = A + columns, *C = B + columns, *D = C + columns;
    loose4 a = {0}, b = {0}, c = {0}, d = {0};
    int j = 0;
    for (; j + 3 < columns; j += 4) {
        loose4 v = LOOSE(x + j);
        a += LOOSE(A + j) * v;
        b += LOOSE(B + j) * v;
        c += LOOSE(C + j) * v;
        d += LOOSE(D + j) * v;
    }
    loose4 ab = __builtin_shuffle(a, b, (bits4){0, 4, 2, 6}) + __builtin_shuffle(a, b, (bits4){1, 5, 3, 7});
    loose4 cd = __builtin_shuffle(c, d, (bits4){0, 4, 2, 6}) + __builtin_shuffle(c, d, (bits4){1, 5, 3, 7});
    loose4 sum = __builtin_shuffle(ab, cd, (bits4){0, 1, 4, 5}) +
                 __builtin_shuffle(ab, cd, (bits4){2, 3, 6, 7});
    for (; j < columns; j++) sum += (loose4){A[j], B[j], C[j], D[j]} * x[j];
    put_four(y, LOOSE(y) + alpha * sum);
}

VECTOR_CLONES
void add_long_times(int rows, int columns, double alpha, const double *A, const double *x, double *y)
{
    int i = 0;
    for (; i + 3 < rows; i += 4, A += 4 * (ptrdiff_t)columns)
        add_four_rows(columns, alpha, A, x, y + i);
    for (; i < rows; i++, A += columns) {
        double sum = 0;
        for (int j = 0; j < columns; j++) sum += A[j] * x[j];
        y[i] += alpha * sum;
    }
}

/* Sixteen at a time: compilers make vectors of a loop whose length they know, and better ones than of
 * __builtin_convertvector, which gcc 12 takes apart. */
enum { PART = 16 };

VECTOR_CLONES
void to_single(size_t count, const double *from, float *to)
{
    size_t i = 0;
    for (; i + PART <= count; i += PART)
        for (size_t l = 0; l < PART; l++) to[i + l] = (float)from[i + l];
    for (; i < count; i++) to[i] = (float)from[i];
}

VECTOR_CLONES
void to_double(size_t count, const float *from, double *to)
{
    size_t i = 0;
    for (; i + PART <= count; i += PART)
        for (size_t l = 0; l < PART; l++) to[i + l] = from[i + l];
    for (; i < count; i++) to[i] = from[i];
}
