/* small.c -- LAPACK with its workspace on the stack: more than it asks for matrices of that size, so that
 * its blocks, and with them all roundings, are those of its own choice. */
#include "linear/small.h"

#include <lapacke.h>
#include <string.h>

enum { N = SMALL_MOST, ROOM = 512 * N };

/* LAPACK counts columns first; 0 for NaN entries, on which iterations may not end. */
static int transpose(int rows, int columns, const double *A, double *t)
{
    double poison = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            poison += A[i * columns + j] != A[i * columns + j];
            t[j * rows + i] = A[i * columns + j];
        }
    return poison == 0;
}

int small_eigenvalues(int n, const double *A, double *re, double *im, double *v)
{
    double a[N * N], vectors[N * N], work[ROOM], none;
    char wanted = v ? 'V' : 'N';
    if (!transpose(n, n, A, a)) return -1;
    int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', wanted, n, a, n, re, im, &none, 1, vectors,
                                  n, work, ROOM);
    if (v && !info) transpose(n, n, vectors, v);
    return info;
}

int small_symmetric_eigenvalues(int n, const double *A, double *value)
{
    double a[N * N], work[ROOM];
    if (!transpose(n, n, A, a)) return -1;
    return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', n, a, n, value, work, ROOM);
}

int small_solve(int n, const double *A, double *x)
{
    double a[N * N];
    lapack_int pivot[N];
    if (!transpose(n, n, A, a)) return -1;
    return LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, 1, a, n, pivot, x, n);
}

int small_inverse(int n, const double *A, double *inverse)
{
    double a[N * N], work[ROOM];
    lapack_int pivot[N];
    if (!transpose(n, n, A, a)) return -1;
    int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    if (info) return info;
    info = LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, a, n, pivot, work, ROOM);
    if (!info) transpose(n, n, a, inverse);
    return info;
}

int small_schur(int n, double *A, double *Q, double *re, double *im)
{
    double a[N * N], q[N * N], work[ROOM];
    lapack_int sorted;
    lapack_logical unused[N];
    if (!transpose(n, n, A, a)) return -1;
    int info = LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'V', 'N', NULL, n, a, n, &sorted, re, im, q, n,
                                  work, ROOM, unused);
    if (info) return info;
    transpose(n, n, a, A);
    transpose(n, n, q, Q);
    return 0;
}

int small_least_squares(int rows, int columns, const double *A, const double *b, double least, double *x)
{
    double a[N * N], right[N], work[ROOM];
    lapack_int order[N] = {0}, rank;
    int longer = rows > columns ? rows : columns;
    if (!transpose(rows, columns, A, a)) return -1;
    memcpy(right, b, (size_t)rows * sizeof *right);
    int info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, rows, columns, 1, a, rows, right, longer, order,
                                   least, &rank, work, ROOM);
    if (!info) memcpy(x, right, (size_t)columns * sizeof *x);
    return info;
}
