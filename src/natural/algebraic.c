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
#include "linear/columns.h"
#include "natural/natural.h"
#include "problem/stencil.h"

enum { PASSES = 20 };

static const double
    least = 1e-10, noise = 1e-7, /* differences in time leave at least and at most that    */
    settled = 1e-3,              /* of the tolerance: what a step may leave of them        */
    rough = 1e-8,                /* differences of second order leave less than that,      */
    nearer = 0.01,               /* at this part of the reach of those of fourth           */
    contained = 1e-7;            /* h_y V that counts as zero                              */

/* The largest entry of each row of J, into d->other; where U_0 are no unit vectors nobody asks. */
static void row_sizes(natural_directions *d, int n)
{
    memset(d->other, 0, (size_t)n * sizeof *d->other);
    for (int j = 0; j < n; j++) {
        column c = matrix_column(&d->J, j);
        for (int i = 0; i < c.count; i++) {
            double *size = d->other + column_row(&c, i);
            *size = fmax(*size, fabs(c.values[i]));
        }
    }
}

static double along_row(const double *row, const double *x, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += row[j] * x[j];
    return sum;
}

/* h_y times column k of V. */
static double kernel_share(natural_directions *d, const double *row, int k)
{
    const mass_kernel *q = &d->kernel;
    if (q->plain) return row[q->column[q->rank + k]];
    memset(d->own, 0, (size_t)q->n * sizeof *d->own);
    kernel_add(q, k, 1, d->own);
    return along_row(row, d->own, q->n);
}

/* Column k of the matrix: U_0^T J V, and h_y M^+ J V of the rows of depth 1. */
static void fill_column(natural_directions *d, const keel_problem *p, int k)
{
    int n = p->n, columns = d->algebraic.columns;
    double *A = d->algebraic.A, *product = d->r;
    memset(d->moved, 0, (size_t)n * sizeof *d->moved);
    memset(product, 0, (size_t)n * sizeof *product);
    kernel_add(&d->kernel, k, 1, d->moved);
    matrix_multiply_add(&d->J, 1, d->moved, product);
    for (int i = 0; i < columns; i++) A[i * columns + k] = kernel_row(&d->kernel, i, product);
    kernel_solve(&d->kernel, product);
    for (int i = 0, at = columns; i < p->attached.rows; i++)
        if (d->depth[i] == 1) A[at++ * columns + k] = along_row(d->H + i * n, product, n);
}

void algebraic_matrix(natural_directions *d, const keel_problem *p)
{
    int n = p->n, columns = n - d->kernel.rank;
    row_system *q = &d->algebraic;
    q->columns = q->rows = columns;
    for (int i = 0; i < p->attached.rows; i++) {
        if (d->depth[i] != 1) continue;
        double most = contained * norm_max(n, d->H + i * n);
        for (int k = 0; k < columns; k++)
            d->mixed |= fabs(kernel_share(d, d->H + i * n, k)) > most;
        q->rows++;
    }
    for (int k = 0; k < columns; k++) fill_column(d, p, k);
    row_sizes(d, n);
    for (int i = 0; i < q->rows; i++)
        q->scale[i] = i < columns ? kernel_row(&d->kernel, i, d->other)
                                  : norm_max(columns, q->A + i * columns);
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

/* d/dt h along (1, y'), into d->h, for unknowns that may be `left` off. */
static int hidden_rows(natural_directions *d, evaluator *e, double left, double t, const double *y)
{
    int n = e->problem->n, rows = e->problem->attached.rows, rc = 0;
    double reach = reach_of(d, e, y);
    stencil s = left < rough ? time_stencil(e, t, 1, 4, reach) : time_stencil(e, t, 1, 2, nearer * reach);
    double *value = d->b;
    d->known = 0;
    memset(d->h, 0, (size_t)rows * sizeof *d->h);
    for (int k = 0; k < s.points && !rc; k++) {
        for (int j = 0; j < n; j++) d->moved[j] = y[j] + s.shift[k] * (d->yp[j] + d->own[j]);
        rc = attached_level(e, t + s.shift[k], d->moved, value);
        for (int i = 0; i < rows && !rc; i++) d->h[i] += s.weight[k] * value[i];
    }
    return rc;
}

/* The residuals of all equations for a, into d->b. */
static int residuals(natural_directions *d, evaluator *e, int pass, double left, double t, const double *y)
{
    int rows = e->problem->attached.rows, columns = d->algebraic.columns;
    int rc = natural_derivative(d, e, t, y);
    if (!rc && pass == 0) rc = own_rates(d, e, t, y);
    if (!rc) rc = hidden_rows(d, e, left, t, y);
    if (rc) return rc;
    for (int i = 0; i < columns; i++) d->b[i] = -kernel_row(&d->kernel, i, d->r);
    for (int i = 0, at = columns; i < rows; i++)
        if (d->depth[i] == 1) d->b[at++] = -d->h[i];
    return 0;
}

int algebraic_find(natural_directions *d, evaluator *e, double t, double *y, double *change)
{
    int n = e->problem->n, columns = d->algebraic.columns;
    const double wanted = e->asked ? 0 : settled * e->accuracy;
    const move_limits limits = {fmin(noise, fmax(least, wanted)), noise, noise};
    double last = INFINITY;
    for (int pass = 0; pass < PASSES && columns > 0; pass++) {
        int rc = residuals(d, e, pass, limits.done, t, y);
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
