#include "core/norm.h"

#include <float.h>
#include <math.h>

double norm_sum(int n, const double *x, const double *w)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double scaled = x[i] * w[i];
        sum += scaled * scaled;
    }
    return sum;
}

double norm_max(int n, const double *x)
{
    double largest = 0, poison = 0;     /* 0 * x is 0 for finite x and NaN otherwise */
    for (int i = 0; i < n; i++) {
        if (fabs(x[i]) > largest) largest = fabs(x[i]);
        poison += 0 * x[i];
    }
    return largest + poison;
}

double norm_relative(int n, const double *x, const double *reference)
{
    double largest = 0, poison = 0;
    for (int i = 0; i < n; i++) {
        double share = fabs(x[i]) / (1 + fabs(reference[i]));
        if (share > largest) largest = share;
        poison += 0 * share;
    }
    return largest + poison;
}

double norm_rows(int rows, int n, const double *A, const double *x, const double *y)
{
    double largest = 0;
    for (int i = 0; i < rows; i++, A += n) {
        double moved = 0, whole = DBL_MIN;
        for (int j = 0; j < n; j++) {
            moved += fabs(A[j] * x[j]);
            whole += fabs(A[j] * y[j]);
        }
        largest = fmax(largest, moved / whole);
    }
    return largest;
}

int norm_worst(int n, const double *x, const double *w)
{
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i]) * w[i] > fabs(x[worst]) * w[worst]) worst = i;
    return worst;
}

int first_not_finite(int n, const double *x)
{
    double sum[4] = {0, 0, 0, 0};
    int whole = n / 4 * 4;
    for (int i = 0; i < whole; i += 4)
        for (int c = 0; c < 4; c++) sum[c] += 0 * x[i + c];
    for (int i = whole; i < n; i++) sum[0] += 0 * x[i];
    if (sum[0] + sum[1] + sum[2] + sum[3] == 0) return -1;
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}
