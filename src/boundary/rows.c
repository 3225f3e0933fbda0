/* rows.c -- one small matrix times the stages of an interval, the innermost work of collocation.
 *
 * Two rows and two columns at a time: measured instructions for 6 x 6 times 6 x 2 are a quarter of
 * those of plain loops.
 */
#include "boundary/rows.h"

#include "linear/lanes.h"

typedef double pair __attribute__((vector_size(16), may_alias, aligned(8)));

KERNEL pair pair_at(const double *x) { return *(const pair *)(const void *)x; }
KERNEL void put_pair(double *x, pair value) { *(pair *)(void *)x = value; }

/* Rows r and, if `two`, r + 1 of X. */
KERNEL void combine_rows(const int two, int inner, int n, const double *M, int width,
                         const double *Y, double *X)
{
    int j = 0;
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
