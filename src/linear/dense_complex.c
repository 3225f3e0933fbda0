/* dense_complex.c -- P A = L U of small dense complex matrices, row-major, entries (re, im).
 *
 * As dense.c; |re| + |im| stands for the modulus.
 */
#include "linear/linear.h"
#include "linear/dense.h"
#include "linear/kernels.h"

#include <lapacke.h>
#include <math.h>

/* Measured as in dense.c: 96e3/122e3 at n = 20, 244e3/230e3 at n = 30. */
enum { LAPACK_FROM_COMPLEX = 28 };

static double modulus(const double *z)
{
    return fabs(z[0]) + fabs(z[1]);
}

static void swap_entries(double *restrict x, double *restrict y, int count)
{
    for (int j = 0; j < 2 * count; j++) {
        double t = x[j];
        x[j] = y[j];
        y[j] = t;
    }
}

/* a(i,k) after k steps: sum of |l(i,j)| s(j), j < k; strides: to the next row, next column. */
static double cancelled_terms(const double *a, ptrdiff_t down, ptrdiff_t right, int i, int k,
                              int count, const double *s)
{
    double sum = 0;
    for (int j = 0; j < count; j++) {
        double size = j < TERM_ROWS ? s[j] : modulus(a + 2 * (j * down + k * right));
        sum += modulus(a + 2 * (i * down + j * right)) * size;
    }
    return sum;
}

/* s(j), j < k, of column k (see dense.h). */
static void term_sizes(int n, const double *a, ptrdiff_t down, ptrdiff_t right, int k, double *s)
{
    for (int j = 0; j < k && j < TERM_ROWS; j++) {
        double size = modulus(a + 2 * (j * down + k * right));
        double cancelled = cancelled_terms(a, down, right, j, k, j, s);
        s[j] = pivot_is_significant(pivot_tolerance(n), size, cancelled) ? size : cancelled;
    }
}

static int is_suspicious(const double *a, ptrdiff_t down, ptrdiff_t right, int i, int k)
{
    double largest = 0, size = modulus(a + 2 * (i * down + k * right));
    for (int j = 0; j < k; j++) {
        double u = modulus(a + 2 * (j * down + k * right));
        if (u > largest) largest = u;
    }
    return !(size > PIVOT_SUSPICIOUS * largest && size <= DBL_MAX);
}

/* The largest entry of column k that is not noise; -1 without any. */
static int significant_row(int n, const double *a, int k)
{
    double s[TERM_ROWS];
    int best = -1;
    term_sizes(n, a, n, 1, k, s);
    for (int i = k; i < n; i++) {
        double size = modulus(a + 2 * (i * n + k));
        if ((best < 0 || size > modulus(a + 2 * (best * n + k))) &&
            pivot_is_significant(pivot_tolerance(n), size,
                                 cancelled_terms(a, n, 1, i, k, k, s)))
            best = i;
    }
    return best;
}

/* The row of the largest entry of column k, unless that may be noise of a row of large entries. */
static int pivot_row(int n, const double *a, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (modulus(a + 2 * (i * n + k)) > modulus(a + 2 * (best * n + k))) best = i;
    return is_suspicious(a, n, 1, best, k) ? significant_row(n, a, k) : best;
}

/* z := 1 / z, scaled so that no square overflows. */
static void invert(double *z)
{
    double size = modulus(z), re = z[0] / size, im = z[1] / size;
    double square = (re * re + im * im) * size;
    z[0] = re / square;
    z[1] = -im / square;
}

static int factor_rows(int n, double *a, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = pivot_row(n, a, k);
        if (p < 0) return k + 1;
        pivot[k] = p;
        if (p != k) swap_entries(a + 2 * k * n, a + 2 * p * n, n);
        double *top = a + 2 * k * n;
        invert(top + 2 * k);
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

static void transpose(int n, double *a)
{
    size_t size = (size_t)n;
    for (size_t i = 1; i < size; i++)
        for (size_t j = 0; j < i; j++)
            swap_entries(a + 2 * (i * size + j), a + 2 * (j * size + i), 1);
}

static int factor_lapack(int n, double *a, int *pivot)
{
    double s[TERM_ROWS];
    transpose(n, a);
    LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, (lapack_complex_double *)a, n, pivot);
    for (int k = 0; k < n; k++) {
        if (!is_suspicious(a, 1, n, k, k)) continue;
        term_sizes(n, a, 1, n, k, s);
        double size = modulus(a + 2 * ((ptrdiff_t)k * n + k));
        if (!pivot_is_significant(pivot_tolerance(n), size,
                                  cancelled_terms(a, 1, n, k, k, k, s)))
            return k + 1;
    }
    return 0;
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
        if (pivot[k] != k) swap_entries(b + 2 * k, b + 2 * pivot[k], 1);
    for (int i = 1; i < n; i++) subtract_products_complex(i, b + 2 * i, lu + 2 * i * n, b);
    for (int i = n - 1; i >= 0; i--) {
        const double *inverse = lu + 2 * (i * n + i);
        subtract_products_complex(n - 1 - i, b + 2 * i, inverse + 2, b + 2 * (i + 1));
        double re = b[2 * i], im = b[2 * i + 1];
        b[2 * i] = re * inverse[0] - im * inverse[1];
        b[2 * i + 1] = re * inverse[1] + im * inverse[0];
    }
}
