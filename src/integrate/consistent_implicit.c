/* consistent_implicit.c -- consistent y and y' for M(t,y) y' = f(t,y) and F(t,y,y') = 0.
 *
 * With E = F_y' = U S V^T, U_0 and V_0 its null vectors: U_0^T r(t,y,y') = 0 are the algebraic
 * equations, met by the smallest change of y; then E y' = ... gives y' (least change).  The index is
 * 1 (or 0) if U_0^T J V_0 is invertible [Griepentrog & Maerz 1986; HW96 VII.1].
 */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/consistent.h"
#include "linear/columns.h"

enum { ROUNDS = 20 };

static const double consistent_to = 1e-7;        /* residuals beside the terms of the equations */

typedef struct singular_vectors {
    double *U, *Vt, *E;          /* [n n] each, row-major                                  */
    double *sigma, *unused;      /* [n] each                                               */
    int rank;
} singular_vectors;

static singular_vectors slices(const keel_solver *s, consistent_work *w)
{
    int n = s->n;
    return (singular_vectors){.U = w->svd, .Vt = w->svd + n * n, .E = w->svd + 2 * n * n,
                              .sigma = w->svd + 3 * n * n, .unused = w->svd + 3 * n * n + n};
}

/* E at (t, y, y') and its singular vectors. */
static int decompose(keel_solver *s, consistent_work *w, singular_vectors *v)
{
    int n = s->n;
    int rc = eval_mass(&s->eval, &w->colors, s->t, s->y, s->yp, &w->M);
    if (rc) return consistent_fault(s, rc);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) v->E[i * n + j] = matrix_get(&w->M, i, j);
    rc = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', n, n, v->E, n, v->sigma, v->U, n, v->Vt, n,
                        v->unused);
    if (rc) return fail(&s->message, rc < 0 ? KEEL_NO_MEMORY : KEEL_INCONSISTENT,
                        "t = %.10g: the singular values of the mass matrix were not found", s->t);
    v->rank = 0;
    while (v->rank < n && v->sigma[v->rank] > 1e-13 * v->sigma[0] * n) v->rank++;
    return KEEL_OK;
}

/* rows := U_0^T J, (n - rank) x n */
static int algebraic_rows(keel_solver *s, consistent_work *w, const singular_vectors *v)
{
    int n = s->n, k = n - v->rank;
    int rc = eval_jacobian(&s->eval, &w->colors, s->t, s->y,
                           s->yp, &w->J);
    if (rc) return consistent_fault(s, rc);
    memset(w->rows, 0, (size_t)(k * n) * sizeof *w->rows);
    for (int i = 0; i < k; i++)
        for (int l = 0; l < n; l++) {
            double u = v->U[l * n + v->rank + i];
            if (u == 0) continue;
            for (int j = 0; j < n; j++) w->rows[i * n + j] += u * matrix_get(&w->J, l, j);
        }
    return KEEL_OK;
}

/* Unknowns of index 1 alone cannot need a singular U_0^T J V_0. */
static int check_index(keel_solver *s, consistent_work *w, const singular_vectors *v)
{
    int n = s->n, k = n - v->rank;
    unsigned char *mobile = (unsigned char *)(w->order + n);
    if (s->problem->index > 1 || k == 0) return KEEL_OK;
    double *reduced = v->E;                      /* used up by the decomposition */
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int l = 0; l < n; l++) sum += w->rows[i * n + l] * v->Vt[(v->rank + j) * n + l];
            reduced[i * k + j] = sum;
        }
    memset(mobile, 1, (size_t)n);
    int rank = orthogonalize_rows(k, k, reduced, mobile, w->basis, w->lower, w->order);
    if (rank == k) return KEEL_OK;
    int worst = 0;
    for (int j = 1; j < n; j++)
        if (fabs(v->Vt[(v->rank + k - 1) * n + j]) > fabs(v->Vt[(v->rank + k - 1) * n + worst]))
            worst = j;
    return fail(&s->message, KEEL_WRONG_INDEX,
                "t = %.10g: every unknown is declared of index 1, but the algebraic equations do "
                "not determine the algebraic unknowns (near %s). The index is higher: set "
                "variable_index, or use a Hessenberg form", s->t,
                keel_variable_name(s->problem, worst));
}

/* y' += E^+ r; the relative size of the change. */
static double improve_derivative(keel_solver *s, const singular_vectors *v, const double *r)
{
    int n = s->n;
    double size = 0, *step = s->eval.work[9];
    memset(step, 0, (size_t)n * sizeof *step);
    for (int k = 0; k < v->rank; k++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += v->U[i * n + k] * r[i];
        sum /= v->sigma[k];
        for (int j = 0; j < n; j++) step[j] += sum * v->Vt[k * n + j];
    }
    for (int j = 0; j < n; j++) {
        s->yp[j] += step[j];
        size = fmax(size, fabs(step[j]) / (1 + fabs(s->yp[j])));
    }
    return size;
}

/* Smallest change of y that meets the algebraic equations to first order; its relative size. */
static double improve_values(keel_solver *s, consistent_work *w, const singular_vectors *v,
                             const double *r)
{
    int n = s->n, k = n - v->rank;
    unsigned char *mobile = (unsigned char *)(w->order + n);
    double size = 0;
    int rank = 0;
    for (int guesses = 0; guesses < 2 && rank < k; guesses++) {  /* free unknowns first */
        for (int j = 0; j < n; j++)
            mobile[j] = s->marks[j] == KEEL_FREE || (guesses && s->marks[j] == KEEL_GUESS);
        rank = orthogonalize_rows(k, n, w->rows, mobile, w->basis, w->lower, w->order);
    }
    for (int i = 0; i < rank; i++) {
        double sum = 0;
        for (int l = 0; l < n; l++) sum -= v->U[l * n + v->rank + w->order[i]] * r[l];
        for (int l = 0; l < i; l++) sum -= w->lower[i * k + l] * w->trial[l];
        w->trial[i] = sum / w->lower[i * k + i];
    }
    for (int j = 0; j < n; j++) {
        double step = 0;
        for (int i = 0; i < rank; i++) step += w->trial[i] * w->basis[i * n + j];
        s->y[j] += step;
        size = fmax(size, fabs(step) / (1 + fabs(s->y[j])));
    }
    return size;
}

/* The algebraic equation with the largest residual and an unknown in it. */
static int report(keel_solver *s, consistent_work *w, const double *r)
{
    int worst = 0, unknown = 0;
    for (int i = 1; i < s->n; i++)
        if (fabs(r[i]) > fabs(r[worst])) worst = i;
    for (int j = 1; j < s->n; j++)
        if (fabs(matrix_get(&w->J, worst, j)) > fabs(matrix_get(&w->J, worst, unknown))) unknown = j;
    return fail(&s->message, KEEL_INCONSISTENT,
                "t = %.10g: no consistent initial values were found: equation %d still has the "
                "residual %.3g; it depends most on %s. Start nearer to a solution, or free what is "
                "fixed", s->t, worst, r[worst], keel_variable_name(s->problem, unknown));
}

/* What the terms of the equations amount to. */
static double size_of_terms(const keel_solver *s, const consistent_work *w)
{
    double size = 0;
    for (int j = 0; j < s->n; j++) {
        column c = matrix_column(&w->J, j);
        for (int k = 0; k < c.count; k++)
            size = fmax(size, fabs(c.values[k]) * (1 + fabs(s->y[j])));
    }
    return size;
}

int consistent_derivative(keel_solver *s, consistent_work *w)
{
    double *r = w->value, last = INFINITY;
    singular_vectors v = slices(s, w);
    for (int round = 0; round < ROUNDS; round++) {
        int rc = decompose(s, w, &v);
        if (rc) return rc;
        rc = eval_residual(&s->eval, s->t, s->y, s->yp, r);
        if (rc) return consistent_fault(s, rc);
        double size = improve_derivative(s, &v, r);
        if (size <= 4 * DBL_EPSILON || (size >= 0.5 * last && size <= 1e-8)) return KEEL_OK;
        last = size;
    }
    return KEEL_OK;                              /* the remark says what is left */
}

int consistent_remark(keel_solver *s, consistent_work *w)
{
    int worst = 0;
    double *r = w->value;
    int rc = eval_residual(&s->eval, s->t, s->y, s->yp, r);
    if (!rc) rc = eval_jacobian(&s->eval, &w->colors, s->t, s->y, s->yp, &w->J);
    if (rc) return consistent_fault(s, rc);
    if (norm_max(s->n, r) <= consistent_to * size_of_terms(s, w)) return KEEL_OK;
    for (int i = 1; i < s->n; i++)
        if (fabs(r[i]) > fabs(r[worst])) worst = i;
    return fail(&s->message, KEEL_OK, "t = %.10g: the values given leave equation %d with the "
                "residual %.3g; initial = given takes them as they are, and the first step ends "
                "elsewhere", s->t, worst, r[worst]);
}

int consistent_implicit(keel_solver *s, consistent_work *w)
{
    int n = s->n, rc;
    double *r = w->value, last = INFINITY;
    singular_vectors v = slices(s, w);
    for (int round = 0; round < ROUNDS; round++) {
        rc = decompose(s, w, &v);
        if (!rc) rc = algebraic_rows(s, w, &v);
        if (!rc && round == 0) rc = check_index(s, w, &v);
        if (rc) return rc;
        rc = eval_residual(&s->eval, s->t, s->y, s->yp, r);
        if (rc) return consistent_fault(s, rc);
        double size = improve_values(s, w, &v, r);
        rc = eval_residual(&s->eval, s->t, s->y, s->yp, r);
        if (rc) return consistent_fault(s, rc);
        size = fmax(size, improve_derivative(s, &v, r));
        rc = eval_residual(&s->eval, s->t, s->y, s->yp, r);
        if (rc) return consistent_fault(s, rc);
        if (size <= 4 * DBL_EPSILON || (size >= 0.5 * last && size <= 1e-8))
            return norm_max(n, r) <= consistent_to * size_of_terms(s, w) ? KEEL_OK
                                                                         : report(s, w, r);
        last = size;
    }
    return report(s, w, r);
}
