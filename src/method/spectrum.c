/* spectrum.c -- the eigenvalues of A.
 *
 * A triangular A shows them, however often they are repeated.  Where all are one, mu = tr A / s,
 * and A is not triangular (singly implicit methods), an eigenvalue solver would spread them over a
 * circle of radius eps^(1/s); but then (A - mu I)^s = 0.  With more than SINGLY_MOST stages
 * eigenvalues that differ are as close, and rounding hides what they are.
 */
#include "method/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "keel/method.h"
#include "linear/small.h"
#include "method/powers.h"

enum { S = KEEL_STAGES_MOST, SINGLY_MOST = 8 };

int lower_triangular(int s, const double *A)
{
    for (int i = 0; i < s; i++)
        for (int j = i + 1; j < s; j++)
            if (A[i * s + j] != 0) return 0;
    return 1;
}

static double mean_of_diagonal(int s, const double *A)
{
    long double sum = 0;
    for (int i = 0; i < s; i++) sum += A[i * s + i];
    return (double)(sum / s);
}

int one_eigenvalue(int s, const double *A)
{
    matrix shifted = {.n = s}, size = {.n = s};
    double mean = mean_of_diagonal(s, A);
    if (s > SINGLY_MOST) return 0;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            shifted.at[i][j] = A[i * s + j] - (i == j ? (long double)mean : 0);
            size.at[i][j] = fabsl(shifted.at[i][j]) + (i == j ? fabs(mean) : 0);
        }
    return nilpotency(&shifted, &size, 64 * DBL_EPSILON) > 0;
}

static int find(int s, const double *A, double *re, double *im)
{
    int triangular = lower_triangular(s, A);
    if (triangular || one_eigenvalue(s, A)) {
        double mean = mean_of_diagonal(s, A);
        for (int i = 0; i < s; i++) {
            re[i] = triangular ? A[i * s + i] : mean;
            im[i] = 0;
        }
        return KEEL_OK;
    }
    return small_eigenvalues(s, A, re, im, NULL) ? KEEL_NOT_CONVERGED : KEEL_OK;
}

int stage_eigenvalues(int s, const double *A, double *re, double *im)
{
    double x[S], y[S];
    int at = 0, rc = find(s, A, x, y);
    for (int complex_ones = 0; complex_ones < 2 && !rc; complex_ones++)
        for (int i = 0; i < s; i++) {
            if ((y[i] != 0) != complex_ones) continue;
            re[at] = x[i];
            im[at++] = y[i];
        }
    return rc;
}

void count_systems(int s, const double *re, const double *im, int *real, int *complex_ones)
{
    *real = *complex_ones = 0;
    for (int i = 0; i < s; i++) {
        int known = re[i] == 0 && im[i] == 0;
        for (int j = 0; j < i; j++) known |= fabs(re[i] - re[j]) + fabs(im[i] - im[j]) <= 1e-12;
        if (known || im[i] < 0) continue;
        if (im[i] > 0) ++*complex_ones;
        else ++*real;
    }
}
