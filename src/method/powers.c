/* powers.c -- powers of small matrices.
 *
 * With |M| the matrix of the magnitudes, an error eps |M| in M makes one of at most k eps |M|^k in
 * M^k, entry by entry, in whatever units the rows are.
 */
#include "method/powers.h"

#include <math.h>

void multiply(const matrix *a, const matrix *b, matrix *product)
{
    int n = product->n = a->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            product->at[i][j] = 0;
            for (int k = 0; k < n; k++) product->at[i][j] += a->at[i][k] * b->at[k][j];
        }
}

int vanishes(const matrix *M, const matrix *size, double rounding)
{
    for (int i = 0; i < M->n; i++)
        for (int j = 0; j < M->n; j++)
            if (!(fabsl(M->at[i][j]) <= rounding * size->at[i][j])) return 0;
    return 1;
}

/* Its n x n part: the whole has room for much more. */
static void copy(const matrix *from, matrix *to)
{
    int n = to->n = from->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) to->at[i][j] = from->at[i][j];
}

int nilpotency(const matrix *M, const matrix *size, double rounding)
{
    matrix power[2], magnitude[2];
    copy(M, &power[0]);
    copy(size, &magnitude[0]);
    for (int k = 1, old = 0; k <= M->n; k++, old = !old) {
        if (vanishes(&power[old], &magnitude[old], rounding)) return k;
        multiply(&power[old], M, &power[!old]);
        multiply(&magnitude[old], size, &magnitude[!old]);
    }
    return 0;
}

static long double largest_entry(const matrix *M)
{
    long double largest = 0;
    for (int i = 0; i < M->n; i++)
        for (int j = 0; j < M->n; j++) largest = fmaxl(largest, fabsl(M->at[i][j]));
    return largest;
}

/* By squaring.  After 2^6 steps what decays has begun to; from there to 2^30 a Jordan block grows
 * by 2^24, and so does what has an eigenvalue beyond 1 + 1e-7; a rounding of the coefficients does
 * not show. */
int power_bounded(const matrix *M)
{
    matrix power[2];
    long double before = 1;
    copy(M, &power[0]);
    for (int k = 1; k <= 30; k++) {
        multiply(&power[(k - 1) % 2], &power[(k - 1) % 2], &power[k % 2]);
        long double size = largest_entry(&power[k % 2]);
        if (k <= 6) before = fmaxl(before, size);
        else if (!(size <= 1e4L * before)) return 0;
    }
    return 1;
}
