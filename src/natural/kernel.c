#include "natural/kernel.h"

#include <lapacke.h>
#include <string.h>

#include "core/norm.h"

/* Singular values of M that count as zero. */
static const double rank_tolerance = 1e-10;

void kernel_layout(arena *a, mass_kernel *k, int n)
{
    double **squares[] = {&k->rest, &k->U, &k->Vt};
    for (int i = 0; i < 3; i++) *squares[i] = ARENA(a, double, (size_t)n * (size_t)n);
    k->n = n;
    k->row = ARENA(a, int, n);
    k->column = ARENA(a, int, n);
    k->pivot = ARENA(a, int, n);
    k->sigma = ARENA(a, double, n);
    k->moved = ARENA(a, double, n);
    k->size = 64 * n;
    k->work = ARENA(a, double, k->size);
    ARENA_KEEP(a, k, n, plain);
}

/* Those of the n lines with an entry, then the others; returns how many.  step and stride say what
 * a line is. */
static int sort_lines(const double *M, int n, int stride, int step, int *line)
{
    int full = 0, empty = n;
    for (int i = 0; i < n; i++) {
        int entries = 0;
        for (int j = 0; j < n; j++) entries += M[i * stride + j * step] != 0;
        if (entries) line[full++] = i;
        else line[--empty] = i;
    }
    return full;
}

/* Is it so that rows and columns without entries leave a regular matrix?  M by columns in U. */
static int find_plain(mass_kernel *k)
{
    int n = k->n, rank = k->rank = sort_lines(k->U, n, 1, n, k->row);
    if (sort_lines(k->U, n, n, 1, k->column) != rank) return 0;
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++) k->rest[i * rank + j] = k->U[k->column[j] * n + k->row[i]];
    return rank == 0 || dense_factor(rank, k->rest, k->pivot) == 0;
}

int kernel_find(mass_kernel *k, const keel_matrix *M)
{
    int n = k->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) k->U[j * n + i] = matrix_get(M, i, j);
    if (first_not_finite(n * n, k->U) >= 0) return 1;
    k->plain = find_plain(k);
    if (k->plain) return 0;
    memcpy(k->rest, k->U, (size_t)n * (size_t)n * sizeof *k->U);
    int rc = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, k->rest, n, k->sigma, k->U, n,
                                 k->Vt, n, k->work, k->size);
    if (rc) return 1;
    k->rank = 0;
    while (k->rank < n && k->sigma[k->rank] > rank_tolerance * k->sigma[0]) k->rank++;
    return 0;
}

void kernel_solve(mass_kernel *k, double *x)
{
    int n = k->n, rank = k->rank;
    for (int i = 0; i < rank && k->plain; i++) k->moved[i] = x[k->row[i]];
    if (k->plain) {
        dense_solve(rank, k->rest, k->pivot, k->moved);
        memset(x, 0, (size_t)n * sizeof *x);
        for (int j = 0; j < rank; j++) x[k->column[j]] = k->moved[j];
        return;
    }
    memset(k->moved, 0, (size_t)n * sizeof *k->moved);
    for (int i = 0; i < rank; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += k->U[i * n + j] * x[j];
        for (int j = 0; j < n; j++) k->moved[j] += sum / k->sigma[i] * k->Vt[j * n + i];
    }
    memcpy(x, k->moved, (size_t)n * sizeof *x);
}

void kernel_add(const mass_kernel *k, int j, double a, double *x)
{
    if (k->plain) x[k->column[k->rank + j]] += a;
    for (int i = 0; i < k->n && !k->plain; i++) x[i] += a * k->Vt[i * k->n + k->rank + j];
}

double kernel_row(const mass_kernel *k, int i, const double *x)
{
    double sum = 0;
    if (k->plain) return x[k->row[k->rank + i]];
    for (int j = 0; j < k->n; j++) sum += k->U[(k->rank + i) * k->n + j] * x[j];
    return sum;
}
