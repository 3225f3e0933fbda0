/* conditions.c -- what holds at both ends and at points inside, and its derivatives.
 *
 *   0 = b(y_a, y_b, p),   0 = c(t, x, p) at one end,   0 = d_i(t_i, y(t_i), p)
 *
 * with z at these points eliminated by dz = -h_z^-1 H - C dx - C_p dp.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"
#include "problem/difference.h"

static int row_width(const keel_boundary *w) { return 2 * w->flow.n + w->flow.np; }

static double *row_of(const keel_boundary *w, const mesh *s, int i)
{
    return s->b_y + (ptrdiff_t)i * row_width(w);
}

static int constraint_end(const keel_boundary *w) { return w->options.right ? 1 : 0; }

/* All unknowns at a point with conditions. */
static void point_values(const keel_boundary *w, const mesh *s, const unknowns *u, int which,
                         double *y)
{
    int nx = w->flow.nx, m = w->flow.m;
    memcpy(y, u->x + (ptrdiff_t)s->point[which].at * nx, (size_t)nx * sizeof *y);
    memcpy(y + nx, u->end + (ptrdiff_t)which * m, (size_t)m * sizeof *y);
}

/* ---- values -------------------------------------------------------------------------------- */

static int check(keel_boundary *w, const char *callback, int which, int code, int rows, double *b)
{
    double t = which == 0 ? w->from : which == 1 ? w->to : w->inner_at[which - 2];
    return eval_check(&w->flow.e, callback, t, code, rows, b);
}

static int end_values(keel_boundary *w, const double *ya, const double *yb, const double *p,
                      double *b)
{
    if (!w->spec.conditions) return 0;
    int code = w->spec.condition(ya, yb, p, b, w->spec.context);
    return check(w, "condition", 1, code, w->spec.conditions, b);
}

static int inner_value(keel_boundary *w, const mesh *s, int i, const double *y, const double *p,
                       double *b)
{
    flow_set_parameters(&w->flow, p);            /* a break may move with them */
    double t = flow_time(&w->flow, s->t[s->point[2 + i].at], NULL);
    int code = w->spec.inner_condition(i, t, y, p, b, w->spec.context);
    return check(w, "inner_condition", 2 + i, code, 1, b);
}

int conditions_value(keel_boundary *w, const mesh *s, const unknowns *u, double *value)
{
    int end = constraint_end(w), rc;
    point_values(w, s, u, 0, w->y);
    point_values(w, s, u, 1, w->y2);
    rc = end_values(w, w->y, w->y2, u->p, value);
    if (!rc)
        rc = flow_constraints(&w->flow, end ? w->to : w->from, end ? w->y2 : w->y,
                              value + w->spec.conditions);
    for (int i = 0; i < w->spec.inner && !rc; i++) {
        point_values(w, s, u, 2 + i, w->y);
        rc = inner_value(w, s, i, w->y, u->p, value + w->rows + i);
    }
    return rc;
}

/* ---- derivatives --------------------------------------------------------------------------- */

/* Derivatives of all rows of b by *x, central differences; they are the first of w->work. */
static int end_derivatives(keel_boundary *w, const double *p, double *x, double wide)
{
    double before = *x, delta = wide * central_increment(1, 2, 1 + fabs(before));
    double *plus = w->work, *minus = plus + w->spec.conditions;
    *x = before + delta;
    int rc = end_values(w, w->y, w->y2, p, plus);
    *x = before - delta;
    if (!rc) rc = end_values(w, w->y, w->y2, p, minus);
    *x = before;
    for (int i = 0; i < w->spec.conditions && !rc; i++) plus[i] = (plus[i] - minus[i]) / (2 * delta);
    return rc;
}

static int end_column(keel_boundary *w, const double *p, double *x, int column, double *b_y)
{
    int rc = end_derivatives(w, p, x, 1);
    for (int i = 0; i < w->spec.conditions && !rc; i++)
        b_y[(ptrdiff_t)i * row_width(w) + column] = w->work[i];
    return rc;
}

int conditions_difference(keel_boundary *w, const mesh *s, const unknowns *u, int i, int j,
                          double wide, double *derivative)
{
    int n = w->flow.n;
    point_values(w, s, u, 0, w->y);
    point_values(w, s, u, 1, w->y2);
    double *x = j < n ? &w->y[j] : j < 2 * n ? &w->y2[j - n] : &u->p[j - 2 * n];
    int rc = end_derivatives(w, u->p, x, wide);
    *derivative = rc ? NAN : w->work[i];
    return rc;
}

static int end_differences(keel_boundary *w, mesh *s, double *p)
{
    int n = w->flow.n, rc = 0;
    for (int j = 0; j < n && !rc; j++) rc = end_column(w, p, &w->y[j], j, s->b_y);
    for (int j = 0; j < n && !rc; j++) rc = end_column(w, p, &w->y2[j], n + j, s->b_y);
    for (int j = 0; j < w->flow.np && !rc; j++) rc = end_column(w, p, &p[j], 2 * n + j, s->b_y);
    return rc;
}

static int end_given(keel_boundary *w, mesh *s, const double *p)
{
    int n = w->flow.n, np = w->flow.np, rows = w->spec.conditions;
    double *b_a = w->work, *b_b = b_a + (ptrdiff_t)rows * n, *b_p = b_b + (ptrdiff_t)rows * n;
    memset(w->work, 0, (size_t)rows * (size_t)row_width(w) * sizeof *w->work);
    int code = w->spec.condition_jacobian(w->y, w->y2, p, b_a, b_b, b_p, w->spec.context);
    int rc = check(w, "condition_jacobian", 1, code, rows * row_width(w), b_a);
    for (int i = 0; i < rows && !rc; i++) {
        double *row = row_of(w, s, i);
        memcpy(row, b_a + (ptrdiff_t)i * n, (size_t)n * sizeof *row);
        memcpy(row + n, b_b + (ptrdiff_t)i * n, (size_t)n * sizeof *row);
        memcpy(row + 2 * n, b_p + (ptrdiff_t)i * np, (size_t)np * sizeof *row);
    }
    return rc;
}

static int constraint_rows(keel_boundary *w, mesh *s)
{
    int end = constraint_end(w), nx = w->flow.nx, np = w->flow.np, n = w->flow.n;
    double *A = w->work;
    int rc = flow_gradient(&w->flow, end ? w->to : w->from, end ? w->y2 : w->y, A);
    for (int i = 0; i < w->flow.hidden && !rc; i++, A += nx + np) {
        double *row = row_of(w, s, w->spec.conditions + i);
        memset(row, 0, (size_t)row_width(w) * sizeof *row);
        memcpy(row + end * n, A, (size_t)nx * sizeof *row);
        memcpy(row + 2 * n, A + nx, (size_t)np * sizeof *row);
    }
    return rc;
}

static int inner_differences(keel_boundary *w, mesh *s, int i, double *p)
{
    int n = w->flow.n, rc = 0;
    double *row = row_of(w, s, w->rows + i), plus, minus;
    memset(row, 0, (size_t)row_width(w) * sizeof *row);
    for (int j = 0; j < n + w->flow.np && !rc; j++) {
        double *x = j < n ? &w->y[j] : &p[j - n], before = *x;
        double delta = central_increment(1, 2, 1 + fabs(before));
        *x = before + delta;
        rc = inner_value(w, s, i, w->y, p, &plus);
        *x = before - delta;
        if (!rc) rc = inner_value(w, s, i, w->y, p, &minus);
        *x = before;
        if (!rc) row[j < n ? j : n + j] = (plus - minus) / (2 * delta);
    }
    flow_set_parameters(&w->flow, p);
    return rc;
}

int conditions_linear(keel_boundary *w, mesh *s, const unknowns *u)
{
    int rc = 0;
    point_values(w, s, u, 0, w->y);
    point_values(w, s, u, 1, w->y2);
    if (w->spec.conditions)
        rc = w->spec.condition_jacobian ? end_given(w, s, u->p) : end_differences(w, s, u->p);
    if (!rc) rc = constraint_rows(w, s);
    for (int i = 0; i < w->spec.inner && !rc; i++) {
        point_values(w, s, u, 2 + i, w->y);
        rc = inner_differences(w, s, i, u->p);
    }
    return rc;
}

/* ---- rows of the condensed system ---------------------------------------------------------- */

/* The part of one point: y-derivatives at `from`, into those of v and p. */
static void condense(const keel_boundary *w, const local *l, const double *from, double *v, double *p)
{
    int nx = w->flow.nx, m = w->flow.m;
    for (int j = 0; j < nx; j++) v[j] += from[j];
    add_product(1, m, nx, -1, from + nx, l->C, nx, v);
    add_product(1, m, w->flow.np, -1, from + nx, l->C_p, w->flow.np, p);
}

void conditions_row(const keel_boundary *w, const mesh *s, int i, double *va, double *vb, double *p)
{
    const double *row = row_of(w, s, i);
    int n = w->flow.n;
    memcpy(p, row + 2 * n, (size_t)w->flow.np * sizeof *p);
    condense(w, &s->point[0].local, row, va, p);
    condense(w, &s->point[1].local, row + n, vb, p);
}

void conditions_inner_row(const keel_boundary *w, const mesh *s, int i, double *v, double *p)
{
    const double *row = row_of(w, s, w->rows + i);
    memcpy(p, row + 2 * w->flow.n, (size_t)w->flow.np * sizeof *p);
    condense(w, &s->point[2 + i].local, row, v, p);
}

/* b_z h_z^-1 H at a point, of which r.end has h_z^-1 H. */
static double algebraic_part(const keel_boundary *w, const unknowns *r, int which, const double *b_y)
{
    double sum = 0;
    for (int j = 0; j < w->flow.m; j++)
        sum += b_y[w->flow.nx + j] * r->end[(ptrdiff_t)which * w->flow.m + j];
    return sum;
}

double conditions_right(const keel_boundary *w, const mesh *s, int i, const unknowns *r)
{
    const double *row = row_of(w, s, i);
    return -r->condition[i] + algebraic_part(w, r, 0, row) +
           algebraic_part(w, r, 1, row + w->flow.n);
}

double conditions_inner_right(const keel_boundary *w, const mesh *s, int i, const unknowns *r)
{
    return -r->condition[w->rows + i] + algebraic_part(w, r, 2 + i, row_of(w, s, w->rows + i));
}
