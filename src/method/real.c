/* real.c -- Legendre polynomials on [0,1] and inverses in extended precision.
 *
 *   (k+1) P_(k+1) = (2k+1) (2x-1) P_k - k P_(k-1),     P'_(k+1) = P'_(k-1) + 2(2k+1) P_k
 */
#include "method/real.h"

void legendre(int s, real x, real *P, real *slope)
{
    real z = 2 * x - 1;
    P[0] = 1;
    P[1] = z;
    slope[0] = 0;
    slope[1] = 2;
    for (int k = 1; k < s; k++) {
        P[k + 1] = ((2 * k + 1) * z * P[k] - k * P[k - 1]) / (k + 1);
        slope[k + 1] = slope[k - 1] + 2 * (2 * k + 1) * P[k];
    }
}

int real_invert(int s, real_matrix a, real_matrix inv)
{
    real_matrix w;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) w[i][j] = a[i][j], inv[i][j] = i == j;
    for (int k = 0; k < s; k++) {
        int p = k;
        for (int i = k + 1; i < s; i++)
            if (magnitude(w[i][k]) > magnitude(w[p][k])) p = i;
        if (w[p][k] == 0) return KEEL_SINGULAR;
        for (int j = 0; j < s; j++) {
            real x = w[p][j], y = inv[p][j];
            w[p][j] = w[k][j], inv[p][j] = inv[k][j];
            w[k][j] = x, inv[k][j] = y;
        }
        real pivot = w[k][k];
        for (int j = 0; j < s; j++) w[k][j] /= pivot, inv[k][j] /= pivot;
        for (int i = 0; i < s; i++) {
            real factor = w[i][k];
            if (i == k) continue;
            for (int j = 0; j < s; j++) {
                w[i][j] -= factor * w[k][j];
                inv[i][j] -= factor * inv[k][j];
            }
        }
    }
    return 0;
}
