#include "linear/lanes.h"

VECTOR_CLONES
void lanes_combine(int n, int w, int count, const double *columns, int stride, const double *Y,
                   double *X)
{
    for (int k = 0; k < n; k++, Y += stride, X += w)
        for (int b = 0; b < w; b += 4) {
            lane4 sum = LANE_OF(columns + b) * Y[0];
            for (int j = 1; j < count; j++) sum += LANE_OF(columns + j * w + b) * Y[j];
            LANE(X + b) = sum;
        }
}

VECTOR_CLONES
void lanes_residual(int n, int m, int w, const double *B, const double *M, const double *G,
                    const double *K, const double *L, double *X)
{
    for (int b = 0; b < w; b += 4)
        for (int i = 0; i < n; i++) {
            lane4 sum = LANE_OF(B + i * w + b);
            for (int j = 0; j < n; j++)
                sum -= LANE_OF(M + (i * n + j) * w + b) * LANE_OF(K + j * w + b);
            for (int k = 0; k < m; k++)
                sum -= LANE_OF(G + (k * n + i) * w + b) * LANE_OF(L + k * w + b);
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
                sum -= LANE_OF(G + (k * n + j) * w + b) * LANE_OF(Y + j * w + b);
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
