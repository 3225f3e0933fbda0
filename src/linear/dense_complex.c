/* dense_complex.c -- P A = L U of small dense complex matrices, row-major, entries (re, im).
 *
 * As dense.c; |re| + |im| stands for the modulus.
 */
#include "linear/linear.h"
#include "linear/dense.h"

#include "core/norm.h"

#include <lapacke.h>

/* Measured as in dense.c: 96e3/122e3 at n = 20, 244e3/230e3 at n = 30. */
enum { LAPACK_FROM_COMPLEX = 28 };

static int factor_rows(int n, double *a, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = pivot_row(2, n, a, k);
        if (p < 0) return k + 1;
        pivot[k] = p;
        if (p != k) swap_entries(a + 2 * k * n, a + 2 * p * n, 2 * n);
        double *top = a + 2 * k * n;
        invert_complex(top[2 * k], top[2 * k + 1], top + 2 * k);
        double inverse_re = top[2 * k], inverse_im = top[2 * k + 1];
        for (int i = k + 1; i < n; i++) {
            double *row = a + 2 * (i * n + k), re = row[0], im = row[1];
            if (re == 0 && im == 0) continue;
            row[0] = re * inverse_re - im * inverse_im;
            row[1] = re * inverse_im + im * inverse_re;
            subtract_multiple_complex(n - 1 - k, row + 2, row[0], row[1], top + 2 * (k + 1));
        }
    }
    return 0;
}

static int factor_lapack(int n, double *a, int *pivot)
{
    int bad = first_not_finite(2 * n * n, a);
    if (bad >= 0) return bad / 2 % n + 1;
    transpose(2, n, a);
    LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, (lapack_complex_double *)a, n, pivot);
    return dense_missing_pivot(2, n, a);
}

int dense_factor_complex(int n, double *a, int *pivot)
{
    return n < LAPACK_FROM_COMPLEX ? factor_rows(n, a, pivot) : factor_lapack(n, a, pivot);
}

void dense_solve_complex(int n, const double *lu, const int *pivot, double *b)
{
    if (n >= LAPACK_FROM_COMPLEX) {
        LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, (const lapack_complex_double *)lu, n,
                            pivot, (lapack_complex_double *)b, n);
        return;
    }
    for (int k = 0; k < n; k++)
        if (pivot[k] != k) swap_entries(b + 2 * k, b + 2 * pivot[k], 2);
    for (int i = 1; i < n; i++) subtract_products_complex(i, b + 2 * i, lu + 2 * i * n, b);
    for (int i = n - 1; i >= 0; i--) {
        const double *inverse = lu + 2 * (i * n + i);
        subtract_products_complex(n - 1 - i, b + 2 * i, inverse + 2, b + 2 * (i + 1));
        double re = b[2 * i], im = b[2 * i + 1];
        b[2 * i] = re * inverse[0] - im * inverse[1];
        b[2 * i + 1] = re * inverse[1] + im * inverse[0];
    }
}
