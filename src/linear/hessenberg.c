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

KERNEL void put(double *x, loose4 value) { *(loose4 *)(void *)x = value; }

/* to := -h H - (a + i b) other */
KERNEL void subtract_row(complex_row to, const double *H, double h, double a, double b, complex_row other,
                         int count)
{
    int j = 0;
    for (; j + 3 < count; j += 4) {
        loose4 re = LOOSE(other.re + j), im = LOOSE(other.im + j);
        put(to.re + j, -h * LOOSE(H + j) - (a * re - b * im));
        put(to.im + j, -(a * im + b * re));
    }
    for (; j < count; j++) {
        double re = other.re[j], im = other.im[j];
        to.re[j] = -h * H[j] - (a * re - b * im);
        to.im[j] = -(a * im + b * re);
    }
}

/* to := other - (a + i b) (-h H),  other := -h H */
KERNEL void exchange_row(complex_row to, const double *H, double h, double a, double b, complex_row other,
                         int count)
{
    int j = 0;
    for (; j + 3 < count; j += 4) {
        loose4 own = -h * LOOSE(H + j);
        put(to.re + j, LOOSE(other.re + j) - a * own);
        put(to.im + j, LOOSE(other.im + j) - b * own);
        put(other.re + j, own);
        put(other.im + j, (loose4){0, 0, 0, 0});
    }
    for (; j < count; j++) {
        double own = -h * H[j];
        to.re[j] = other.re[j] - a * own;
        to.im[j] = other.im[j] - b * own;
        other.re[j] = own;
        other.im[j] = 0;
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

/* Row i of mu - h H, without its superdiagonal entry, which the row below eliminates; or takes the place of
 * that, where the entry is the larger one. */
KERNEL void eliminate(complex_row own, complex_row below, const double *H, double h, double alpha,
                      double beta, int i, double *re, double *im)
{
    int p = i + 1;
    double entry = -h * H[p], a = entry, b = 0;
    if (entry * entry > square(below, p)) {
        a = below.re[p] / entry;
        b = below.im[p] / entry;
        exchange_row(own, H, h, a, b, below, p);
        own.re[i] -= a * alpha - b * beta;
        own.im[i] -= a * beta + b * alpha;
        below.re[i] += alpha;
        below.im[i] += beta;
        below.re[p] = entry;
        below.im[p] = 0;
        swap_entries(&re[i], &re[p], 1);
        swap_entries(&im[i], &im[p], 1);
    } else {
        divide(&a, &b, below.re[p], below.im[p]);
        subtract_row(own, H, h, a, b, below, p);
        own.re[i] += alpha;
        own.im[i] += beta;
    }
    re[i] -= a * re[p] - b * im[p];
    im[i] -= a * im[p] + b * re[p];
}

/* From the last row upwards; what remains is lower triangular. */
VECTOR_CLONES
int hessenberg_solve(int n, const double *H, double h, double alpha, double beta, double *re, double *im,
                     double *work)
{
    const ptrdiff_t width = 2 * (ptrdiff_t)n;
    complex_row last = {work + (n - 1) * width, work + (n - 1) * width + n};
    for (int j = 0; j < n; j++) {
        last.re[j] = -h * H[row_start(n - 1, n) + j];
        last.im[j] = 0;
    }
    last.re[n - 1] += alpha;
    last.im[n - 1] += beta;
    for (int i = n - 2; i >= 0; i--) {
        complex_row own = {work + i * width, work + i * width + n};
        complex_row below = {own.re + width, own.im + width};
        eliminate(own, below, H + (ptrdiff_t)i * n, h, alpha, beta, i, re, im);
        if (!(square(below, i + 1) > 0)) return 1;
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
