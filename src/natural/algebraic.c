/* algebraic.c -- algebraic unknowns of a point on its attached rows: y := y + V a,
 *
 *   U_0^T r(t,y,y') = 0,   h_y y' + h_t = 0 for the rows of depth 1,
 *
 * by Newton's method with the matrix [U_0^T J V; h_y M^+ J V].  Where rows of depth 1 contain
 * algebraic unknowns of index 1, y' is that of these as well: V b, U_0^T (J (y' + V b) + r_t) = 0.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "natural/natural.h"
#include "problem/stencil.h"

enum { PASSES = 20 };

/* Differences in time leave 1e-10 at least, and 1e-7 at most. */
static const move_limits limits = {1e-10, 1e-7, 1e-7};

static const double contained = 1e-7;            /* h_y V that counts as zero */

/* The largest entry of a row of U_0^T J, where U_0 are unit vectors. */
static double row_size(const natural_directions *d, int n, int i)
{
    double largest = 0;
    for (int j = 0; j < n && d->kernel.plain; j++)
        largest = fmax(largest, fabs(matrix_get(&d->J, d->kernel.row[d->kernel.rank + i], j)));
    return largest;
}

static double along_row(const double *row, const double *x, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += row[j] * x[j];
    return sum;
}

void algebraic_matrix(natural_directions *d, const keel_problem *p)
{
    int n = p->n, columns = n - d->kernel.rank, rows = p->attached.rows;
    row_system *q = &d->algebraic;
    double *product = d->r, *column = d->moved;
    q->columns = q->rows = columns;
    for (int i = 0; i < rows; i++) q->rows += d->depth[i] == 1;
    for (int k = 0; k < columns; k++) {
        memset(column, 0, (size_t)n * sizeof *column);
        memset(product, 0, (size_t)n * sizeof *product);
        kernel_add(&d->kernel, k, 1, column);
        matrix_multiply_add(&d->J, 1, column, product);
        for (int i = 0; i < columns; i++)
            q->A[i * columns + k] = kernel_row(&d->kernel, i, product);
        kernel_solve(&d->kernel, product);
        for (int i = 0, at = columns; i < rows; i++) {
            if (d->depth[i] != 1) continue;
            const double *row = d->H + i * n;
            q->A[at++ * columns + k] = along_row(row, product, n);
            d->mixed |= fabs(along_row(row, column, n)) > contained * norm_max(n, row);
        }
    }
    for (int i = 0; i < q->rows; i++)
        q->scale[i] = i < columns ? row_size(d, n, i) : norm_max(columns, q->A + i * columns);
    rows_factor(q, d->kernel.plain);
}

/* How far differences may go along (1, y'). */
static double reach_of(const natural_directions *d, const evaluator *e, const double *y)
{
    double reach = 0.1 * e->time_scale;
    for (int j = 0; j < e->problem->n; j++) {
        double rate = fabs(d->yp[j] + d->own[j]), room = 1e-3 * (1 + fabs(y[j]));
        if (rate * reach > room) reach = room / rate;
    }
    return reach;
}

/* y' of the algebraic unknowns, as far as rows see them, into d->own. */
static int own_rates(natural_directions *d, evaluator *e, double t, const double *y)
{
    int n = e->problem->n, columns = d->algebraic.columns, rc = 0;
    memset(d->own, 0, (size_t)n * sizeof *d->own);
    if (!d->mixed) return 0;
    stencil s = time_stencil(e, t, 1, 2, reach_of(d, e, y));
    memset(d->b, 0, (size_t)d->algebraic.rows * sizeof *d->b);
    for (int k = 0; k < s.points && !rc; k++) {
        for (int j = 0; j < n; j++) d->moved[j] = y[j] + s.shift[k] * d->yp[j];
        rc = eval_residual(e, t + s.shift[k], d->moved, d->yp, d->other);
        for (int i = 0; i < columns && !rc; i++)
            d->b[i] -= s.weight[k] * kernel_row(&d->kernel, i, d->other);
    }
    if (rc || rows_solve(&d->algebraic, d->b)) return rc;
    for (int k = 0; k < columns; k++) kernel_add(&d->kernel, k, d->b[k], d->own);
    return 0;
}

/* d/dt h along (1, y'), into d->h. */
static int hidden_rows(natural_directions *d, evaluator *e, double t, const double *y)
{
    int n = e->problem->n, rows = e->problem->attached.rows, rc = 0;
    stencil s = time_stencil(e, t, 1, 4, reach_of(d, e, y));
    double *value = d->b;
    memset(d->h, 0, (size_t)rows * sizeof *d->h);
    for (int k = 0; k < s.points && !rc; k++) {
        for (int j = 0; j < n; j++) d->moved[j] = y[j] + s.shift[k] * (d->yp[j] + d->own[j]);
        rc = attached_level(e, t + s.shift[k], d->moved, value);
        for (int i = 0; i < rows && !rc; i++) d->h[i] += s.weight[k] * value[i];
    }
    return rc;
}

/* The residuals of all equations for a, into d->b. */
static int residuals(natural_directions *d, evaluator *e, int pass, double t, const double *y)
{
    int rows = e->problem->attached.rows, columns = d->algebraic.columns;
    int rc = natural_derivative(d, e, t, y);
    if (!rc && pass == 0) rc = own_rates(d, e, t, y);
    if (!rc) rc = hidden_rows(d, e, t, y);
    if (rc) return rc;
    for (int i = 0; i < columns; i++) d->b[i] = -kernel_row(&d->kernel, i, d->r);
    for (int i = 0, at = columns; i < rows; i++)
        if (d->depth[i] == 1) d->b[at++] = -d->h[i];
    return 0;
}

int algebraic_find(natural_directions *d, evaluator *e, double t, double *y, double *change)
{
    int n = e->problem->n, columns = d->algebraic.columns;
    double last = INFINITY;
    for (int pass = 0; pass < PASSES && columns > 0; pass++) {
        int rc = residuals(d, e, pass, t, y);
        if (rc) return rc;
        if (rows_solve(&d->algebraic, d->b)) return NATURAL_DIVERGES;
        memset(d->moved, 0, (size_t)n * sizeof *d->moved);
        for (int k = 0; k < columns; k++) kernel_add(&d->kernel, k, d->b[k], d->moved);
        double size = norm_relative(n, d->moved, y);
        *change = fmax(*change, size);
        move_verdict verdict = natural_judge(d, size, last, &limits);
        if (verdict == MOVE_DIVERGES) return NATURAL_DIVERGES;
        if (verdict == MOVE_NONE) return 0;
        for (int j = 0; j < n; j++) y[j] += d->moved[j];
        if (verdict == MOVE_LAST) return 0;
        last = size;
    }
    return 0;
}
