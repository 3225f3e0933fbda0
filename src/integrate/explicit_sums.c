/* explicit_sums.c -- the sums of Runge-Kutta methods, by the nonzeros of their rows. */
#include "integrate/explicit.h"
#include "linear/lanes.h"

/* Lanes of four: `blocks` of them at a time, so that every weight is loaded once for all. */
KERNEL void sum_blocks(const int blocks, const weight_row *row, double h, const double *K,
                       const double *base, double *X)
{
    lane4 sum[4] = {{0}};
    for (int k = 0; k < row->count; k++) {
        const double *term = K + row->at[k];
#pragma GCC unroll 4
        for (int c = 0; c < blocks; c++) sum[c] += LANE_OF(term + 4 * c) * row->weight[k];
    }
#pragma GCC unroll 4
    for (int c = 0; c < blocks; c++)
        LANE(X + 4 * c) = base ? LANE_OF(base + 4 * c) + sum[c] * h : sum[c] * h;
}

VECTOR_CLONES
void weighted_sum(const weight_row *row, int padded, double h, const double *K, const double *base, double *X)
{
    for (; padded >= 16; padded -= 16, K += 16, X += 16, base = base ? base + 16 : base)
        sum_blocks(4, row, h, K, base, X);
    if (padded & 8) sum_blocks(2, row, h, K, base, X), K += 8, X += 8, base = base ? base + 8 : base;
    if (padded & 4) sum_blocks(1, row, h, K, base, X);
}

VECTOR_CLONES
double weighted_squares(const weight_row row[2], int padded, const double *K, const double *w)
{
    lane4 total = {0};
    for (int i = 0; i < padded; i += 4) {
        lane4 x = {0}, y = {0};
        for (int k = 0; k < row->count; k++) {
            lane4 term = LANE_OF(K + i + row->at[k]);
            x += term * row[0].weight[k];
            y += term * row[1].weight[k];
        }
        total += (x * x + y * y) * (LANE_OF(w + i) * LANE_OF(w + i));
    }
    return total[0] + total[1] + total[2] + total[3];
}
