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
void lanes_combine(int n, int w, int count, const double *columns, int stride, const double *Y, double *X)
{
    int b = 0;
    for (; b + 8 <= w; b += 8) combine_block(8, n, w, count, columns + b, stride, Y, X + b);
    if (b < w) combine_block(4, n, w, count, columns + b, stride, Y, X + b);
}

VECTOR_CLONES
void lanes_residual(int n, int m, int w, const double *B, const double *M, int diagonal,
                    const double *G, const double *K, const double *L, double *X)
{
    for (int b = 0; b < w; b += 4)
        for (int i = 0; i < n; i++) {
            lane4 sum = LANE_OF(B + i * w + b);
            for (int j = diagonal ? i : 0; j < (diagonal ? i + 1 : n); j++)
                sum -= LANE_OF(M + (row_start(i, n) + j) * w + b) * LANE_OF(K + j * w + b);
            for (int k = 0; k < m; k++)
                sum -= LANE_OF(G + (row_start(k, n) + i) * w + b) * LANE_OF(L + k * w + b);
            LANE(X + i * w + b) = sum;
        }
}

VECTOR_CLONES
void lanes_products(int n, int w, const double *A, const double *Y, double *X)
{
    for (int b = 0; b < w; b += 4)
        for (int k = 0; k < n; k++) {
            lane4 sum = LANE_OF(X + k * w + b);
            for (int j = 0; j < n; j++)
                if (A[row_start(k, n) + j] != 0)
                    sum += LANE_OF(Y + j * w + b) * A[row_start(k, n) + j];
            LANE(X + k * w + b) = sum;
        }
}

VECTOR_CLONES
void lanes_constraint(int n, int m, int w, const double *B, const double *G, const double *Y, double *X)
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

/* Four entries of all vectors at a time, the last four for what is left over. */
KERNEL void combine_vectors(const int rows, const int count, int n, const double *c, const double *Y,
                            double *X)
{
    for (int k = 0; k < n; k += 4) {
        int at = k + 4 <= n ? k : n - 4;
#pragma GCC unroll 7
        for (int i = 0; i < rows; i++) {
            lane4 sum = LOOSE(Y + at) * c[i * count];
#pragma GCC unroll 8
            for (int j = 1; j < count; j++) sum += LOOSE(Y + row_start(j, n) + at) * c[i * count + j];
            *(loose4 *)(void *)(X + row_start(i, n) + at) = sum;
        }
    }
}

/* n = 2 or 3: four entries from the beginning of a vector reach into the next one, which comes later; the
 * last one has none. */
KERNEL void combine_few(const int n, const int rows, const int count, const double *c, const double *Y,
                        double *X)
{
    const double *end = Y + (count - 1) * n;
    lane4 last = {end[0], end[1], n == 3 ? end[2] : 0, 0};
#pragma GCC unroll 7
    for (int i = 0; i < rows; i++, c += count, X += n) {
        lane4 sum = last * c[count - 1];
#pragma GCC unroll 8
        for (int j = 0; j < count - 1; j++) sum += LOOSE(Y + j * n) * c[j];
        if (i < rows - 1) *(loose4 *)(void *)X = sum;
        else for (int k = 0; k < n; k++) X[k] = sum[k];
    }
}

KERNEL void combine_single(int rows, int count, const double *c, const double *Y, double *X)
{
    for (int i = 0; i < rows; i++, c += count) {
        X[i] = c[0] * Y[0];
        for (int j = 1; j < count; j++) X[i] += c[j] * Y[j];
    }
}

KERNEL void combine(const int rows, const int count, int n, const double *c, const double *Y, double *X)
{
    if (n > 3) combine_vectors(rows, count, n, c, Y, X);
    else if (n == 3) combine_few(3, rows, count, c, Y, X);
    else if (n == 2) combine_few(2, rows, count, c, Y, X);
    else combine_single(rows, count, c, Y, X);
}

VECTOR_CLONES
void vectors_combine(int rows, int count, int n, const double *c, const double *Y, double *X)
{
    if (rows == 3 && count == 3) combine(3, 3, n, c, Y, X);
    else if (rows == 3 && count == 4) combine(3, 4, n, c, Y, X);
    else if (rows == 5 && count == 5) combine(5, 5, n, c, Y, X);
    else if (rows == 5 && count == 6) combine(5, 6, n, c, Y, X);
    else if (rows == 7 && count == 7) combine(7, 7, n, c, Y, X);
    else combine(rows, count, n, c, Y, X);
}

/* Eight entries of all vectors at a time, the last four once more for what is left over. */
KERNEL void argument(const int pair, int count, int n, const double *base, const double *a,
                     const double *c, double scale, const double *Y, double *X, double *Z)
{
    for (int k = 0; k < n; k += 8) {
        int at = k + 4 <= n ? k : n - 4, to = k + 8 <= n ? k + 4 : n - 4;
        lane4 x = LOOSE(base + at), x_to = LOOSE(base + to), z = {0}, z_to = {0};
        const double *y = Y + at, *y_to = Y + to;
        for (int j = 0; j < count; j++, y += n, y_to += n) {
            lane4 first = LOOSE(y), second = LOOSE(y_to);
            x += first * a[j];
            x_to += second * a[j];
            if (pair) z += first * c[j];
            if (pair) z_to += second * c[j];
        }
        *(loose4 *)(void *)(X + at) = x;
        *(loose4 *)(void *)(X + to) = x_to;
        if (pair) *(loose4 *)(void *)(Z + at) = z * scale;
        if (pair) *(loose4 *)(void *)(Z + to) = z_to * scale;
    }
}

KERNEL void argument_few(const int pair, int count, int n, const double *base, const double *a,
                         const double *c, double scale, const double *Y, double *X, double *Z)
{
    for (int k = 0; k < n; k++) {
        double x = base[k], z = 0;
        for (int j = 0; j < count; j++) {
            x += a[j] * Y[row_start(j, n) + k];
            if (pair) z += c[j] * Y[row_start(j, n) + k];
        }
        X[k] = x;
        if (pair) Z[k] = z * scale;
    }
}

VECTOR_CLONES
void vectors_argument(int count, int n, const double *base, const double *a, const double *c,
                      double scale, const double *Y, double *X, double *Z)
{
    if (n < 4) argument_few(1, count, n, base, a, c, scale, Y, X, Z);
    else argument(1, count, n, base, a, c, scale, Y, X, Z);
}

VECTOR_CLONES
void vectors_sum(int count, int n, const double *base, const double *a, const double *Y, double *X)
{
    if (n < 4) argument_few(0, count, n, base, a, a, 1, Y, X, X);
    else argument(0, count, n, base, a, a, 1, Y, X, X);
}

VECTOR_CLONES
void vectors_product(int n, double alpha, const double *A, const double *x, double *y)
{
    int to = n - 4;
    lane4 low = {0}, high = {0};
    for (int j = 0; j < n; j++, A += n) {
        low += LOOSE(A) * x[j];
        high += LOOSE(A + to) * x[j];
    }
    low = LOOSE(y) + low * alpha;
    high = LOOSE(y + to) + high * alpha;
    *(loose4 *)(void *)y = low;
    *(loose4 *)(void *)(y + to) = high;
}

VECTOR_CLONES
void vectors_shift(int rows, int n, const double *base, const double *Z, double sign, double *Y)
{
    for (int i = 0; i < rows && n >= 4; i++, Z += n, Y += n) {
        lane4 last = LOOSE(Z + n - 4) + LOOSE(base + n - 4) * sign;      /* before Y, which may be Z */
        for (int k = 0; k + 4 < n; k += 4)
            *(loose4 *)(void *)(Y + k) = LOOSE(Z + k) + LOOSE(base + k) * sign;
        *(loose4 *)(void *)(Y + n - 4) = last;
    }
    for (int i = 0; i < rows && n < 4; i++, Z += n, Y += n) {
        Y[0] = Z[0] + base[0] * sign;
        if (n > 1) Y[1] = Z[1] + base[1] * sign;
        if (n > 2) Y[2] = Z[2] + base[2] * sign;
    }
}

VECTOR_CLONES
double vectors_add(int rows, int n, const double *update, const double *weight, double *Z)
{
    lane4 sum = {0};
    double rest = 0;
    for (int i = 0; i < rows; i++, update += n, Z += n) {
        int k = 0;
        for (; k + 4 <= n; k += 4) {
            lane4 u = LOOSE(update + k), scaled = u * LOOSE(weight + k);
            *(loose4 *)(void *)(Z + k) += u;
            sum += scaled * scaled;
        }
        for (; k < n; k++) {
            double scaled = update[k] * weight[k];
            Z[k] += update[k];
            rest += scaled * scaled;
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

VECTOR_CLONES
int any_bits(int count, const double *x)
{
    bits4 any = {0};
    unsigned long long rest = 0, one;
    int whole = count / 4 * 4;
#pragma GCC unroll 8
    for (int k = 0; k < whole; k += 4) any |= BITS(x + k);
    for (int k = whole; k < count; k++) {
        memcpy(&one, x + k, sizeof one);
        rest |= one;
    }
    return (any[0] | any[1] | any[2] | any[3] | rest) != 0;
}
