/* projection_natural.c -- attached rows of problems that do not tell which unknowns are algebraic:
 * M(t,y) y' = f(t,y), F(t,y,y') = 0 and properly stated leading terms.
 *
 * V spans ker M, and what an algebraic unknown moves, and what that moves in turn, is
 *
 *   M D_1 = J V,   M D_(p+1) = J D_p,      J = r_y,  M = -r_y'.
 *
 * A row of h belongs to the first p with h_y D_p /= 0, and is met along those D_p, of which only the
 * unknowns in the rows of that depth are taken; the largest p comes first.  For Hessenberg problems
 * these are f_z, or k_l and f_v k_l.  The algebraic unknowns y := y + V a then follow from
 *
 *   U_0^T r(t,y,y') = 0,   h_y y' + h_t = 0 for the rows of depth 1,
 *
 * U_0 spanning ker M^T, y' from M y' = f by Newton's method, in the least-squares sense: rows that do
 * not depend on V have nothing to say.
 */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/stencil.h"
#include "step/projection.h"

enum { PASSES = 20, DEPTH_MOST = 3 };

/* Singular values of M, and rows of h_y D_p, that count as zero. */
static const double rank_tolerance = 1e-10, depth_tolerance = 1e-7;

int natural_applies(const keel_problem *p)
{
    return p->attached.rows > 0 && !form_has(p, FORM_ALGEBRAIC_KNOWN) && p->n <= NATURAL_MOST;
}

void natural_layout(arena *a, natural_directions *d, const keel_problem *p)
{
    size_t n = (size_t)p->n, rows = (size_t)p->attached.rows, square = n * n;
    int most = p->n > p->attached.rows ? p->n : p->attached.rows;
    problem_matrix_layout(a, &d->M, p);
    problem_matrix_layout(a, &d->J, p);
    coloring_layout(a, &d->colors, p);
    double **squares[] = {&d->U, &d->Vt, &d->E, &d->D[0], &d->D[1], &d->D[2], &d->product};
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++)
        *squares[k] = ARENA(a, double, square);
    d->sigma = ARENA(a, double, n);
    d->H = ARENA(a, double, rows * n);
    d->A = ARENA(a, double, (rows + n) * n);
    d->b = ARENA(a, double, 2 * (size_t)most + n);
    d->yp = ARENA(a, double, n);
    d->r = ARENA(a, double, n);
    d->h = ARENA(a, double, rows);
    d->moved = ARENA(a, double, n);
    d->before = ARENA(a, double, n);
    d->depth = ARENA(a, int, rows);
    d->order = ARENA(a, int, n);
    d->size = 16 * (most + p->n) + 64 * p->n;
    d->work = ARENA(a, double, d->size);
    ARENA_KEEP(a, d, rank, rank);
    ARENA_KEEP(a, d, begun, begun);
}

void natural_create(natural_directions *d, const keel_problem *p) { coloring_build(&d->colors, p); }

/* ---- M ------------------------------------------------------------------------------------- */

static int decompose(natural_directions *d, evaluator *e, double t, const double *y)
{
    int n = e->problem->n, rc = eval_mass(e, &d->colors, t, y, d->yp, &d->M);
    if (rc) return rc;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) d->E[j * n + i] = matrix_get(&d->M, i, j);
    if (first_not_finite(n * n, d->E) >= 0) return 1;
    rc = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, d->E, n, d->sigma, d->U, n, d->Vt, n,
                             d->work, d->size);
    if (rc) return 1;
    d->rank = 0;
    while (d->rank < n && d->sigma[d->rank] > rank_tolerance * d->sigma[0]) d->rank++;
    return 0;
}

/* x := M^+ x */
static void apply_inverse(natural_directions *d, int n, double *x)
{
    memset(d->moved, 0, (size_t)n * sizeof *d->moved);
    for (int k = 0; k < d->rank; k++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += d->U[k * n + i] * x[i];
        for (int j = 0; j < n; j++) d->moved[j] += sum / d->sigma[k] * d->Vt[j * n + k];
    }
    memcpy(x, d->moved, (size_t)n * sizeof *x);
}

/* y' with M y' = f as far as M determines it; the residual that is left in d->r. */
static int find_derivative(natural_directions *d, evaluator *e, double t, const double *y)
{
    int n = e->problem->n;
    double last = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        int rc = eval_residual(e, t, y, d->yp, d->r);
        if (rc) return rc;
        memcpy(d->b, d->r, (size_t)n * sizeof *d->b);
        apply_inverse(d, n, d->b);
        double size = norm_relative(n, d->b, d->yp);
        if (size <= 4 * DBL_EPSILON || !(size < 0.7 * last)) return 0;
        for (int j = 0; j < n; j++) d->yp[j] += d->b[j];
        last = size;
    }
    return 0;
}

/* ---- directions ----------------------------------------------------------------------------- */

/* Column k of V. */
static const double *kernel(const natural_directions *d, int k, int n, double *column)
{
    for (int j = 0; j < n; j++) column[j] = d->Vt[j * n + d->rank + k];
    return column;
}

/* M, y', J and D_1, D_2, ... at (t,y); n x k each, by columns. */
static int directions_at(natural_directions *d, evaluator *e, double t, const double *y)
{
    int n = e->problem->n, rc = decompose(d, e, t, y);
    if (!rc) rc = find_derivative(d, e, t, y);
    if (!rc) rc = eval_jacobian(e, &d->colors, t, y, d->yp, &d->J);
    for (int k = 0; k < n - d->rank && !rc; k++)
        for (int p = 0; p < DEPTH_MOST; p++) {
            double *to = d->D[p] + k * n;
            const double *from = p ? d->D[p - 1] + k * n : kernel(d, k, n, d->b);
            memset(to, 0, (size_t)n * sizeof *to);
            matrix_multiply_add(&d->J, 1, from, to);
            apply_inverse(d, n, to);
        }
    return rc;
}

/* product (row i, column k) = h_y D_p of row i */
static double effect(const natural_directions *d, int n, int p, int i, int k)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += d->H[i * n + j] * d->D[p][k * n + j];
    return sum;
}

/* The first p that moves row i, or 0: it is free. */
static int depth_of(const natural_directions *d, int n, int i)
{
    for (int p = 0; p < DEPTH_MOST; p++)
        for (int k = 0; k < n - d->rank; k++) {
            double size = 0;
            for (int j = 0; j < n; j++)
                size = fmax(size, fabs(d->H[i * n + j] * d->D[p][k * n + j]));
            double whole = norm_max(n, d->H + i * n) * norm_max(n, d->D[p] + k * n);
            if (fabs(effect(d, n, p, i, k)) > depth_tolerance * fmax(size, whole)) return p + 1;
        }
    return 0;
}

/* Depths are found once: h_y D_p may vanish on the way.  Where the index is 1 no row is hidden. */
static int begin(natural_directions *d, evaluator *e, double t, const double *y)
{
    int rows = e->problem->attached.rows, rc = eval_attached_jacobian(e, t, y, d->H);
    for (int i = 0; i < rows && !rc; i++)
        d->depth[i] = e->problem->index > 1 ? depth_of(d, e->problem->n, i) : 0;
    d->begun = rc == 0;
    return rc;
}

/* ---- least squares --------------------------------------------------------------------------- */

/* b := A^+ b, A rows x columns by columns; 0 or 1. */
static int least_squares_solve(natural_directions *d, int rows, int columns)
{
    int rank, ld = rows > columns ? rows : columns;
    memset(d->order, 0, (size_t)columns * sizeof *d->order);
    if (rows == 0 || columns == 0) return 1;
    if (first_not_finite(rows * columns, d->A) >= 0 || first_not_finite(rows, d->b) >= 0) return 1;
    return LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, rows, columns, 1, d->A, rows, d->b, ld, d->order,
                               depth_tolerance, &rank, d->work, d->size) != 0;
}

/* Is unknown j in a row of this depth? */
static int concerns(const natural_directions *d, int rows, int n, int p, int j)
{
    for (int i = 0; i < rows; i++)
        if (d->depth[i] == p && d->H[i * n + j] != 0) return 1;
    return 0;
}

/* Meets the rows of depth p along D_p. */
static projection_result move_depth(natural_directions *d, evaluator *e, int p, double t, double *y)
{
    int n = e->problem->n, rows = e->problem->attached.rows, columns = n - d->rank;
    double last = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        int count = 0, rc = attached_level(e, t, y, d->h);
        if (!rc) rc = eval_attached_jacobian(e, t, y, d->H);
        if (rc) return projection_code(rc);
        for (int i = 0; i < rows; i++) count += d->depth[i] == p;
        if (count == 0) return PROJECTION_DONE;
        for (int i = 0, at = 0; i < rows; i++) {
            if (d->depth[i] != p) continue;
            d->b[at] = -d->h[i];
            for (int k = 0; k < columns; k++) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    if (concerns(d, rows, n, p, j)) sum += d->H[i * n + j] * d->D[p - 1][k * n + j];
                d->A[k * count + at] = sum;
            }
            at++;
        }
        if (least_squares_solve(d, count, columns)) return PROJECTION_DIVERGES;
        for (int j = 0; j < n; j++) {
            d->moved[j] = 0;
            for (int k = 0; k < columns && concerns(d, rows, n, p, j); k++)
                d->moved[j] += d->D[p - 1][k * n + j] * d->b[k];
        }
        double size = norm_relative(n, d->moved, y);
        if (size <= 2 * DBL_EPSILON) return PROJECTION_DONE;
        if (!(size < 0.7 * last)) return size <= 1e-11 ? PROJECTION_DONE : PROJECTION_DIVERGES;
        for (int j = 0; j < n; j++) y[j] += d->moved[j];
        last = size;
    }
    return PROJECTION_DIVERGES;
}

/* ---- algebraic unknowns ---------------------------------------------------------------------- */

/* d/dt h along (1, y'), into d->h. */
static int hidden_rows(natural_directions *d, evaluator *e, double t, const double *y)
{
    int n = e->problem->n, rows = e->problem->attached.rows, rc = 0;
    double reach = 0.1 * e->time_scale;
    for (int j = 0; j < n; j++)
        if (fabs(d->yp[j]) * reach > 1e-3 * (1 + fabs(y[j])))
            reach = 1e-3 * (1 + fabs(y[j])) / fabs(d->yp[j]);
    stencil s = time_stencil(e, t, 1, 4, reach);
    double *value = d->b + n;
    memset(d->h, 0, (size_t)rows * sizeof *d->h);
    for (int k = 0; k < s.points && !rc; k++) {
        for (int j = 0; j < n; j++) d->moved[j] = y[j] + s.shift[k] * d->yp[j];
        rc = attached_level(e, t + s.shift[k], d->moved, value);
        for (int i = 0; i < rows && !rc; i++) d->h[i] += s.weight[k] * value[i];
    }
    return rc;
}

/* A and b of the equations for a; returns how many rows. */
static int algebraic_rows(natural_directions *d, int n, int rows)
{
    int columns = n - d->rank, count = columns, at = columns;
    for (int i = 0; i < rows; i++) count += d->depth[i] == 1;
    for (int k = 0; k < columns; k++) {
        kernel(d, k, n, d->moved);
        memset(d->product, 0, (size_t)n * sizeof *d->product);
        matrix_multiply_add(&d->J, 1, d->moved, d->product);
        for (int l = 0; l < columns; l++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += d->U[(d->rank + l) * n + i] * d->product[i];
            d->A[k * count + l] = sum;
        }
    }
    for (int l = 0; l < columns; l++) {
        d->b[l] = 0;
        for (int i = 0; i < n; i++) d->b[l] -= d->U[(d->rank + l) * n + i] * d->r[i];
    }
    for (int i = 0; i < rows; i++) {
        if (d->depth[i] != 1) continue;
        d->b[at] = -d->h[i];
        for (int k = 0; k < columns; k++) d->A[k * count + at] = effect(d, n, 0, i, k);
        at++;
    }
    return count;
}

static projection_result find_algebraic(natural_directions *d, evaluator *e, double t, double *y)
{
    int n = e->problem->n, rows = e->problem->attached.rows, columns = n - d->rank;
    double last = INFINITY;
    for (int pass = 0; pass < PASSES && columns > 0; pass++) {
        int rc = find_derivative(d, e, t, y);
        if (!rc) rc = hidden_rows(d, e, t, y);
        if (rc) return projection_code(rc);
        int count = algebraic_rows(d, n, rows);
        if (least_squares_solve(d, count, columns)) return PROJECTION_DIVERGES;
        memset(d->r, 0, (size_t)n * sizeof *d->r);
        for (int k = 0; k < columns; k++)
            for (int j = 0; j < n; j++) d->r[j] += d->Vt[j * n + d->rank + k] * d->b[k];
        double size = norm_relative(n, d->r, y);
        if (size <= 4 * DBL_EPSILON) return PROJECTION_DONE;
        if (!(size < 0.7 * last)) return size <= 1e-7 ? PROJECTION_DONE : PROJECTION_DIVERGES;
        for (int j = 0; j < n; j++) y[j] += d->r[j];
        last = size;
    }
    return PROJECTION_DONE;
}

projection_result natural_move(natural_directions *d, evaluator *e, const projection_plan *plan,
                               double t, double *y)
{
    int n = e->problem->n, rounds = plan->stiffly_accurate ? 1 : 2;
    memset(d->yp, 0, (size_t)n * sizeof *d->yp);
    memcpy(d->before, y, (size_t)n * sizeof *y);
    for (int round = 0; round < rounds; round++) {
        int rc = directions_at(d, e, t, y);
        if (!rc && !d->begun) rc = begin(d, e, t, y);
        if (rc) return projection_code(rc);
        projection_result result = PROJECTION_DONE;
        for (int j = 0; j < n && round > 0; j++) y[j] = d->before[j];
        for (int p = DEPTH_MOST; p > 0 && !result; p--) result = move_depth(d, e, p, t, y);
        if (!result && plan->multipliers) result = find_algebraic(d, e, t, y);
        if (result) return result;
    }
    return PROJECTION_DONE;
}
