/* proper.c -- u = d(t,x) at the start, and whether the leading term is properly stated.
 *
 * ker A and im d_x are complementary in the space of u if and only if A, d_x and A d_x have the
 * same rank [Maerz, Results Math. 42 (2002) 308; Weiss 2007, definition A.1].
 */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "consistent/consistent.h"

int start_leading_term(start_point *w, const keel_mark *marks)
{
    int n = w->p->group[0], m = w->p->group[1];
    double *d = w->e->work[0];
    int rc = eval_leading_term(w->e, w->t, w->y, d);
    if (rc) return start_fault(w, rc);
    for (int k = 0; k < m; k++)
        if (!marks || marks[n + k] != KEEL_FIXED) w->y[n + k] = d[k];
    return KEEL_OK;
}

static double largest(int count, int stride, const double *a)
{
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(a[i * stride]));
    return size > 0 ? size : 1;
}

static void multiply_by(double factor, int count, int stride, double *a)
{
    for (int i = 0; i < count; i++) a[i * stride] *= factor;
}

/* Units must not decide on ranks: columns and rows of d_x (m x n) are scaled to 1, where the rows
 * take the columns of A (n x m) along, then the rows of A. */
static void equilibrate(int n, int m, double *A, double *D)
{
    for (int j = 0; j < n; j++) multiply_by(1 / largest(m, n, D + j), m, n, D + j);
    for (int k = 0; k < m; k++) {
        double size = largest(n, 1, D + k * n);
        multiply_by(1 / size, n, 1, D + k * n);
        multiply_by(size, n, m, A + k);
    }
    for (int i = 0; i < n; i++) multiply_by(1 / largest(m, 1, A + i * m), m, 1, A + i * m);
}

/* Of a rows x columns matrix with entries about 1, which is used up; -1: no memory. */
static int rank_of(int rows, int columns, double *a, double least)
{
    int most = rows < columns ? rows : columns, rank = 0;
    double nothing = 0, asked;                   /* columns first: the rank is that of a^T */
    LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', columns, rows, a, columns, NULL, &nothing, 1,
                        &nothing, 1, &asked, -1);
    double *sigma = malloc(((size_t)most + (size_t)asked) * sizeof *sigma);
    if (!sigma) return -1;
    int rc = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', columns, rows, a, columns, sigma,
                                 &nothing, 1, &nothing, 1, sigma + most, (int)asked);
    while (!rc && rank < most && sigma[rank] > least) rank++;
    free(sigma);
    return rank;
}

static void multiply(int n, int m, const double *A, const double *D, double *AD)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            AD[i * n + j] = 0;
            for (int k = 0; k < m; k++) AD[i * n + j] += A[i * m + k] * D[k * n + j];
        }
}

static int check_ranks(const start_point *w, const int rank[3], int rc)
{
    const char *what =
        rank[0] < rank[1] ? "d has components that A does not see: leave them out of both"
      : rank[0] > rank[1] ? "A acts on components that d_x does not reach: remove those columns"
                          : "A annihilates a direction in which d changes: combine components";
    if (rank[0] == rank[1] && rank[1] == rank[2]) return rc;
    return fail(w->message, KEEL_WRONG_INDEX,
                "t = %.10g: the leading term A d' is not properly stated: rank A = %d, rank d_x = "
                "%d, rank A d_x = %d must be equal. %s", w->t, rank[0], rank[1], rank[2], what);
}

int start_proper(start_point *w, int rc)
{
    const keel_proper_spec *spec = &w->p->spec.proper;
    int n = spec->size, m = spec->leading, exact = spec->leading_term_jacobian != NULL;
    double *A = w->e->square, *D = w->e->constraint_jacobian;
    double least = exact && !w->e->differences ? 1e-10 : 1e-7;
    int code = eval_leading_matrix(w->e, w->t, w->y, A);
    if (!code) code = eval_leading_jacobian(w->e, w->t, w->y, D);
    if (code) return start_fault(w, code);
    double *AD = malloc((size_t)n * (size_t)n * sizeof *AD);
    if (!AD) return fail(w->message, KEEL_NO_MEMORY, "no memory to check the leading term");
    equilibrate(n, m, A, D);
    multiply(n, m, A, D, AD);
    int rank[3] = {rank_of(n, m, A, least), rank_of(m, n, D, least), rank_of(n, n, AD, least)};
    free(AD);
    if (rank[0] < 0 || rank[1] < 0 || rank[2] < 0)
        return fail(w->message, KEEL_NO_MEMORY, "no memory to check the leading term");
    return check_ranks(w, rank, rc);
}
