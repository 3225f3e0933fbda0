/* dense_eliminate.c -- the first columns of a matrix are eliminated from all of it.
 *
 *   P [A B; C D] = [L 0; C U^-1 I] [U L^-1 B; 0 S]
 *
 * By columns: those of the pivots first, then what these do to the others, for which from BLAS_FROM
 * pivots on BLAS is used.
 */
#include "linear/linear.h"
#include "linear/kernels.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

/* Measured thousands of instructions of 2 n x 3 n with n pivots, own loops / BLAS (OpenBLAS 0.3.21, AVX2):
 * n = 5: 4.9/9.4, 10: 27.7/27.1, 20: 196/119, 40: 1335/483. */
enum { BLAS_FROM = 10 };

static int eliminate_columns(int rows, int pivots, int columns, double *a, int *pivot)
{
    for (int k = 0; k < pivots; k++) {
        double *top = a + row_start(k, rows);
        int best = k;
        for (int i = k + 1; i < rows; i++)
            if (fabs(top[i]) > fabs(top[best])) best = i;
        pivot[k] = best;
        for (double *x = a; x < a + row_start(columns, rows) && best != k; x += rows)
            swap_entries(x + k, x + best, 1);
        if (!(fabs(top[k]) > 0)) return 1;
        double inverse = 1 / top[k];
        for (int i = k + 1; i < rows; i++) top[i] *= inverse;
        for (int c = k + 1; c < columns; c++) {
            double *other = a + row_start(c, rows);
            if (other[k] == 0) continue;
            subtract_multiple(rows - 1 - k, other + k + 1, other[k], top + k + 1);
        }
    }
    return 0;
}

static int eliminate_blocks(int rows, int pivots, int columns, double *a, int *pivot)
{
    int others = columns - pivots, left = rows - pivots;
    double *right = a + row_start(pivots, rows);
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, rows, pivots, a, rows, pivot)) return 1;
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, others, right, rows, 1, pivots, pivot, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, pivots, others, 1, a,
                rows, right, rows);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, left, others, pivots, -1, a + pivots, rows,
                right, rows, 1, right + pivots, rows);
    for (int k = 0; k < pivots; k++) pivot[k]--;         /* LAPACK counts rows from 1 */
    return 0;
}

int dense_eliminate(int rows, int pivots, int columns, double *a, int *pivot)
{
    return pivots < BLAS_FROM || columns == pivots
        ? eliminate_columns(rows, pivots, columns, a, pivot)
        : eliminate_blocks(rows, pivots, columns, a, pivot);
}
