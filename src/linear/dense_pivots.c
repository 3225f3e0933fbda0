/* dense_pivots.c -- the pivots of a dense matrix that are noise, by the comparison of pivots.h. */
#include "linear/dense.h"

/* a(i,k) after `count` steps: sum of |l(i,j)| s(j), j < count. */
static double cancelled_terms(int width, const double *a, ptrdiff_t down, ptrdiff_t right, int i,
                              int k, int count, const double *s)
{
    double sum = 0;
    for (int j = 0; j < count; j++) {
        double size = j < TERM_ROWS ? s[j] : modulus(a + width * (j * down + k * right), width);
        sum += modulus(a + width * (i * down + j * right), width) * size;
    }
    return sum;
}

/* s(j), j < k, of column k. */
static void term_sizes(int width, int n, const double *a, ptrdiff_t down, ptrdiff_t right, int k,
                       double *s)
{
    for (int j = 0; j < k && j < TERM_ROWS; j++) {
        double size = modulus(a + width * (j * down + k * right), width);
        double cancelled = cancelled_terms(width, a, down, right, j, k, j, s);
        s[j] = pivot_is_significant(pivot_tolerance(n), size, cancelled) ? size : cancelled;
    }
}

int dense_significant_row(int width, int n, const double *a, int k)
{
    double s[TERM_ROWS], most = 0;
    int best = -1;
    term_sizes(width, n, a, n, 1, k, s);
    for (int i = k; i < n; i++) {
        double size = modulus(a + width * ((ptrdiff_t)i * n + k), width);
        if ((best < 0 || size > most) &&
            pivot_is_significant(pivot_tolerance(n), size,
                                 cancelled_terms(width, a, n, 1, i, k, k, s))) {
            best = i;
            most = size;
        }
    }
    return best;
}

int dense_missing_pivot(int width, int n, const double *a)
{
    double s[TERM_ROWS];
    for (int k = 0; k < n; k++) {
        int suspicious = width == 1 ? is_suspicious(1, a, 1, n, k, k)      /* as constants */
                                    : is_suspicious(2, a, 1, n, k, k);
        if (!suspicious) continue;
        term_sizes(width, n, a, 1, n, k, s);
        double size = modulus(a + width * ((ptrdiff_t)k * n + k), width);
        if (!pivot_is_significant(pivot_tolerance(n), size,
                                  cancelled_terms(width, a, 1, n, k, k, k, s)))
            return k + 1;
    }
    return 0;
}
