/* hessenberg.c -- (mu - h A) x = b for several mu at O(n^2) each, by Hessenberg's form of A.
 *
 * Together with the Schur form of another matrix B it solves B X - X h A^T = R [Golub, Nash & Van Loan, IEEE
 * Trans. Autom. Control 24 (1979) 909], as the stages of a collocation method with one Jacobian do.
 *
 * LAPACK stores by columns: what is a transposed matrix to it is one by rows here, and upper is lower.
 */
#include "linear/hessenberg.h"

#include <lapacke.h>
#include <stddef.h>
#include <string.h>

#include "core/norm.h"
#include "linear/lanes.h"

int hessenberg_make(int n, double *A, double *Qt, double *work)
{
    if (first_not_finite(n * n, A) >= 0) return -1;
    int rc = LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, A, n, work, work + n, n);
    memcpy(Qt, A, (size_t)n * (size_t)n * sizeof *A);
    return rc ? rc : LAPACKE_dorghr_work(LAPACK_COL_MAJOR, n, 1, n, Qt, n, work, work + n, n);
}

int schur_make(int n, double *A, double *Vt, double *work)
{
    lapack_int found;
    return LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'V', 'N', NULL, n, A, n, &found, work, work + n, Vt, n,
                              work + 2 * n, 3 * n, NULL);
}

/* ---- one shift ------------------------------------------------------------------------------- */

typedef struct complex_row { double *re, *im; } complex_row;

KERNEL double square(complex_row row, int j) { return row.re[j] * row.re[j] + row.im[j] * row.im[j]; }

/* Row i of mu - h H, `count` entries. */
KERNEL void fill_row(complex_row to, const double *H, double h, int count)
{
    int j = 0;
    for (; j + 3 < count; j += 4) {
        *(loose4 *)(void *)(to.re + j) = -h * LOOSE(H + j);
        *(loose4 *)(void *)(to.im + j) = (loose4){0, 0, 0, 0};
    }
    for (; j < count; j++) {
        to.re[j] = -h * H[j];
        to.im[j] = 0;
    }
}

/* row -= (a + i b) other */
KERNEL void subtract_row(complex_row row, double a, double b, complex_row other, int count)
{
    int j = 0;
    for (; j + 3 < count; j += 4) {
        loose4 re = LOOSE(other.re + j), im = LOOSE(other.im + j);
        *(loose4 *)(void *)(row.re + j) = LOOSE(row.re + j) - (a * re - b * im);
        *(loose4 *)(void *)(row.im + j) = LOOSE(row.im + j) - (a * im + b * re);
    }
    for (; j < count; j++) {
        double re = other.re[j], im = other.im[j];
        row.re[j] -= a * re - b * im;
        row.im[j] -= a * im + b * re;
    }
}

/* x + i y := (x + i y) / (a + i b) */
KERNEL void divide(double *x, double *y, double a, double b)
{
    double size = a * a + b * b, re = (*x * a + *y * b) / size;
    *y = (*y * a - *x * b) / size;
    *x = re;
}

/* x + i y := row i of L z, without its last entry. */
KERNEL void row_times(complex_row row, int count, const double *re, const double *im, double *x, double *y)
{
    loose4 sum_re = {0, 0, 0, 0}, sum_im = {0, 0, 0, 0};
    int j = 0;
    for (; j + 3 < count; j += 4) {
        sum_re += LOOSE(row.re + j) * LOOSE(re + j) - LOOSE(row.im + j) * LOOSE(im + j);
        sum_im += LOOSE(row.re + j) * LOOSE(im + j) + LOOSE(row.im + j) * LOOSE(re + j);
    }
    double a = (sum_re[0] + sum_re[1]) + (sum_re[2] + sum_re[3]);
    double b = (sum_im[0] + sum_im[1]) + (sum_im[2] + sum_im[3]);
    for (; j < count; j++) {
        a += row.re[j] * re[j] - row.im[j] * im[j];
        b += row.re[j] * im[j] + row.im[j] * re[j];
    }
    *x = a;
    *y = b;
}

/* From the last row upwards each superdiagonal entry is eliminated by the row below, or by its own where that
 * has the larger one; what remains is lower triangular. */
VECTOR_CLONES
int hessenberg_solve(int n, const double *H, double h, double alpha, double beta, double *re, double *im,
                     double *work)
{
    const ptrdiff_t width = 2 * (ptrdiff_t)n;
    for (int i = n - 1; i >= 0; i--) {
        complex_row own = {work + i * width, work + i * width + n};
        complex_row below = {own.re + width, own.im + width};
        fill_row(own, H + (ptrdiff_t)i * n, h, i + 2 < n ? i + 2 : n);
        own.re[i] += alpha;
        own.im[i] += beta;
        if (i == n - 1) continue;
        int p = i + 1;
        if (square(own, p) > square(below, p)) {
            swap_entries(own.re, below.re, p + 1);
            swap_entries(own.im, below.im, p + 1);
            swap_entries(&re[i], &re[p], 1);
            swap_entries(&im[i], &im[p], 1);
        }
        double a = own.re[p], b = own.im[p];
        if (!(square(below, p) > 0)) return 1;
        divide(&a, &b, below.re[p], below.im[p]);
        subtract_row(own, a, b, below, p);
        re[i] -= a * re[p] - b * im[p];
        im[i] -= a * im[p] + b * re[p];
    }
    for (int i = 0; i < n; i++) {
        complex_row row = {work + i * width, work + i * width + n};
        double a, b;
        row_times(row, i, re, im, &a, &b);
        if (!(square(row, i) > 0)) return 1;
        re[i] -= a;
        im[i] -= b;
        divide(&re[i], &im[i], row.re[i], row.im[i]);
    }
    return 0;
}
