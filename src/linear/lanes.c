#include "linear/lanes.h"

#include <string.h>

/* b = 4 or 8 of w lanes: every Y_k[j] is loaded once for them. */
KERNEL void combine_block(const int b, int n, int w, int count, const double *columns, int stride,
                          const double *Y, double *X)
{
    for (int k = 0; k < n; k++, Y += stride, X += w) {
        lane4 sum[2] = {LANE_OF(columns) * Y[0]};
        if (b == 8) sum[1] = LANE_OF(columns + 4) * Y[0];
        for (int j = 1; j < count; j++) {
            sum[0] += LANE_OF(columns + j * w) * Y[j];
            if (b == 8) sum[1] += LANE_OF(columns + j * w + 4) * Y[j];
        }
        LANE(X) = sum[0];
        if (b == 8) LANE(X + 4) = sum[1];
    }
}

VECTOR_CLONES
void lanes_combine(int n, int w, int count, const double *columns, int stride, const double *Y,
                   double *X)
{
    int b = 0;
    for (; b + 8 <= w; b += 8) combine_block(8, n, w, count, columns + b, stride, Y, X + b);
    if (b < w) combine_block(4, n, w, count, columns + b, stride, Y, X + b);
}

VECTOR_CLONES
void lanes_residual(int n, int m, int w, const double *B, const double *M, const double *G,
                    const double *K, const double *L, double *X)
{
    for (int b = 0; b < w; b += 4)
        for (int i = 0; i < n; i++) {
            lane4 sum = LANE_OF(B + i * w + b);
            for (int j = 0; j < n; j++)
                sum -= LANE_OF(M + (row_start(i, n) + j) * w + b) * LANE_OF(K + j * w + b);
            for (int k = 0; k < m; k++)
                sum -= LANE_OF(G + (row_start(k, n) + i) * w + b) * LANE_OF(L + k * w + b);
            LANE(X + i * w + b) = sum;
        }
}

VECTOR_CLONES
void lanes_constraint(int n, int m, int w, const double *B, const double *G, const double *Y,
                      double *X)
{
    for (int b = 0; b < w; b += 4)
        for (int k = 0; k < m; k++) {
            lane4 sum = LANE_OF(B + k * w + b);
            for (int j = 0; j < n; j++)
                sum -= LANE_OF(G + (row_start(k, n) + j) * w + b) * LANE_OF(Y + j * w + b);
            LANE(X + k * w + b) = sum;
        }
}

VECTOR_CLONES
double lanes_norm(int n, int w, const double *X, const double *weight)
{
    lane4 sum = {0};
    for (int k = 0; k < n; k++)
        for (int b = 0; b < w; b += 4) {
            lane4 scaled = LANE_OF(X + k * w + b) * weight[k];
            sum += scaled * scaled;
        }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

VECTOR_CLONES
void lanes_add(int count, double *X, const double *Y)
{
    for (int k = 0; k < count; k += 4) LANE(X + k) += LANE_OF(Y + k);
}

/* Four entries of all vectors at a time; the last few one by one. */
VECTOR_CLONES
void vectors_combine(int s, int n, const double *c, const double *Y, double *X)
{
    int whole = n / 4 * 4;
    for (int i = 0; i < s; i++, c += s, X += n) {
        for (int k = 0; k < whole; k += 4) {
            lane4 sum = *(const loose4 *)(const void *)(Y + k) * c[0];
            for (int j = 1; j < s; j++)
                sum += *(const loose4 *)(const void *)(Y + row_start(j, n) + k) * c[j];
            *(loose4 *)(void *)(X + k) = sum;
        }
        for (int k = whole; k < n; k++) {
            double sum = c[0] * Y[k];
            for (int j = 1; j < s; j++) sum += c[j] * Y[row_start(j, n) + k];
            X[k] = sum;
        }
    }
}

VECTOR_CLONES
int any_bits(int count, const double *x, const unsigned long long *mask)
{
    bits4 any = {0};
    unsigned long long rest = 0, one;
    int whole = count / 4 * 4;
    for (int k = 0; k < whole; k += 4)
        any |= *(const bits4 *)(const void *)(x + k) & *(const bits4 *)(const void *)(mask + k);
    for (int k = whole; k < count; k++) {
        memcpy(&one, x + k, sizeof one);
        rest |= one & mask[k];
    }
    return (any[0] | any[1] | any[2] | any[3] | rest) != 0;
}
