/* flow.c -- f, h and their derivatives, from the callbacks of a problem of any form.
 *
 *   index 0, 1, levelled     h_x, h_z are parts of the Jacobian of the form
 *   index 2                  h = g_x f + g_t:  h_x = g_x f_x + d/dt g_x,  h_z = g_x f_z,
 *                            d/dt g_x = (g_x(t + d, x + d f) - g_x(t,x)) / d
 *   index 3, mechanical      columns by differences of (f, h)
 */
#include "boundary/flow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/columns.h"
#include "problem/difference.h"

int flow_rows_below(const keel_problem *p, int row)
{
    return p->ops == &levelled_form ? p->links[row] : p->levels - 1;
}

int flow_hidden_rows(const keel_problem *p)
{
    int rows = 0;
    if (!p->ops->rate || !form_has(p, FORM_ALGEBRAIC_KNOWN)) return -1;
    for (int i = 0; i < p->constraints; i++) rows += flow_rows_below(p, i);
    return rows;
}

/* ---- creation ------------------------------------------------------------------------------ */

static void frame_layout(arena *a, flow *q, const keel_frame *f)
{
    q->parameters = ARENA(a, double, f ? f->parameter_count : 0);
    q->values = ARENA(a, double, f ? f->value_count : 0);
    q->modes = ARENA(a, int, f ? f->mode_count : 0);
}

void flow_layout(arena *a, flow *q, const keel_problem *p, int parameters)
{
    q->n = p->n;
    q->m = p->constraints;
    q->nx = p->n - p->constraints;
    q->np = parameters;
    q->hidden = flow_hidden_rows(p);
    q->level = ARENA(a, int, q->hidden);
    q->row = ARENA(a, int, q->hidden);
    q->which = ARENA(a, int, parameters);
    frame_layout(a, q, keel_problem_frame(p));
    evaluator_layout(a, &q->e, p);
    coloring_layout(a, &q->colors, p);
    problem_matrix_layout(a, &q->J, p);
    double **scratch[] = {&q->rate, &q->base, &q->one, &q->sum, &q->delta, &q->moved};
    for (int k = 0; k < 6; k++) *scratch[k] = ARENA(a, double, q->n + q->m + q->hidden + q->np);
    size_t linked = p->ops == &hessenberg2_form ? (size_t)q->m * (size_t)q->nx : 0;
    q->G = ARENA(a, double, linked);
    q->G_ahead = ARENA(a, double, linked);
    q->columns = ARENA(a, double, (size_t)q->hidden * (size_t)q->n);
    q->slow = ARENA(a, double, q->n);
}

/* The frame of the problem, as it is there, becomes one of our own. */
static void own_frame(flow *q)
{
    const keel_problem *p = q->e.problem;
    const keel_frame *f = keel_problem_frame(p);
    const void *standard = frame_context(p);
    q->framed = f != NULL;
    if (!f) return;
    memcpy(q->parameters, f->parameters, (size_t)f->parameter_count * sizeof *q->parameters);
    memcpy(q->values, f->values, (size_t)f->value_count * sizeof *q->values);
    memcpy(q->modes, f->modes, (size_t)f->mode_count * sizeof *q->modes);
    q->frame = *f;
    q->frame.parameters = q->parameters;
    q->frame.values = q->frame.pre_values = q->values;
    q->frame.modes = q->frame.pre_modes = q->modes;
    for (evaluator *e = &q->e; e; e = e->original)
        if (e->context == standard) e->context = &q->frame;
}

int flow_create(flow *q, const int *which)
{
    const keel_problem *p = q->e.problem;
    for (int i = 0, at = 0; i < q->m; i++)
        for (int k = 0; k < flow_rows_below(p, i); k++, at++) {
            q->level[at] = p->levels - 2 - k;
            q->row[at] = i;
        }
    for (int j = 0; j < q->np; j++) q->which[j] = which ? which[j] : j;
    q->e.stats = &q->stats;
    eval_set_lag(&q->e, 0);
    q->e.central = 1;            /* 0 = eps z + ...: one-sided increments of z = 0 leave no trace in it */
    coloring_build(&q->colors, p);
    own_frame(q);
    return evaluator_create(&q->e);
}

void flow_release(flow *q) { evaluator_release(&q->e); }

void flow_set_parameters(flow *q, const double *p)
{
    for (int j = 0; j < q->np; j++) q->parameters[q->which[j]] = p[j];
}

void flow_parameters(const flow *q, double *p)
{
    for (int j = 0; j < q->np; j++) p[j] = q->parameters[q->which[j]];
}

/* ---- time ---------------------------------------------------------------------------------- */

static double piece_end(const flow *q, int i)
{
    int which = q->stretch.which[i];
    return which < 0 ? q->stretch.s[i] : q->parameters[which];
}

double flow_time(const flow *q, double s, double *slope)
{
    const stretch *r = &q->stretch;
    int i = 0;
    if (slope) *slope = 1;
    if (!r->pieces) return s;
    double sign = r->s[r->pieces] > r->s[0] ? 1 : -1;
    while (i < r->pieces - 1 && (s - r->s[i + 1]) * sign > 0) i++;
    double left = piece_end(q, i), right = piece_end(q, i + 1);
    double rate = (right - left) / (r->s[i + 1] - r->s[i]);
    if (slope) *slope = rate;
    return s == r->s[i + 1] ? right : left + (s - r->s[i]) * rate;
}

/* Breaks that change places make no sense: as a callback that cannot be evaluated there. */
static int enter_time(flow *q, double s, double *t, double *slope)
{
    *t = flow_time(q, s, slope);
    if (*slope > 0) return 0;
    return eval_check(&q->e, "break_parameter", *t, 1, 0, NULL);
}

static void multiply_rates(const flow *q, double factor, int columns, double *rows)
{
    for (ptrdiff_t i = 0; factor != 1 && i < (ptrdiff_t)q->nx * columns; i++) rows[i] *= factor;
}

/* ---- values -------------------------------------------------------------------------------- */

/* At the time t of the problem, with f = dx/dt. */
static int real_value(flow *q, double t, const double *y, double *fh)
{
    int last = q->e.problem->levels - 1, rc = eval_rate(&q->e, t, y, q->rate);
    for (int i = 0; i < q->nx; i++) fh[i] = q->rate[i];
    if (rc || !q->m) return rc;
    return last == 1 ? eval_velocity(&q->e, t, y, q->rate, fh + q->nx)
                     : eval_level(&q->e, last, t, y, fh + q->nx);
}

int flow_value(flow *q, double s, const double *y, double *fh)
{
    double t, slope;
    int rc = enter_time(q, s, &t, &slope);
    if (!rc) rc = real_value(q, t, y, fh);
    if (!rc) multiply_rates(q, slope, 1, fh);
    return rc;
}

int flow_constraints(flow *q, double s, const double *y, double *c)
{
    double t, slope;
    int rc = enter_time(q, s, &t, &slope);
    for (int level = 0; level < q->e.problem->levels - 1 && !rc; level++) {
        rc = eval_level(&q->e, level, t, y, q->rate);
        for (int i = 0; i < q->hidden && !rc; i++)
            if (q->level[i] == level) c[i] = q->rate[q->row[i]];
    }
    return rc;
}

/* ---- derivatives --------------------------------------------------------------------------- */

typedef struct moved_flow {
    flow *q;
    const double *y;             /* the point, when parameters move                        */
    int constraints;             /* of c instead of (f, h)                                 */
    int real;                    /* at the time of the problem                             */
} moved_flow;

static int moved_unknowns(void *context, double t, const double *x, double *value)
{
    const moved_flow *w = context;
    if (w->real) return real_value(w->q, t, x, value);
    return w->constraints ? flow_constraints(w->q, t, x, value) : flow_value(w->q, t, x, value);
}

/* Columns of p by central differences; row-major with `width` columns from `at` on. */
static int parameter_columns(moved_flow *w, double t, int rows, int width, double *at)
{
    flow *q = w->q;
    int rc = 0;
    for (int j = 0; j < q->np && !rc; j++) {
        double *p = &q->parameters[q->which[j]], before = *p;
        double delta = central_increment(1, 2, 1 + fabs(before));
        *p = before + delta;
        rc = moved_unknowns(w, t, w->y, q->one);
        *p = before - delta;
        if (!rc) rc = moved_unknowns(w, t, w->y, q->sum);
        *p = before;
        for (int i = 0; i < rows && !rc; i++)
            at[i * width + j] = (q->one[i] - q->sum[i]) / (2 * delta);
    }
    return rc;
}

/* [f; h] by columns: index 3 and mechanical. */
static int difference_flow(flow *q, double t, const double *y, double *J)
{
    moved_flow w = {.q = q, .real = 1};
    difference d = {.value = moved_unknowns, .context = &w, .rows = q->n, .size = q->n, .t = t,
                    .x = y, .moved = q->moved, .one = q->one};
    memset(J, 0, (size_t)q->n * (size_t)q->n * sizeof *J);
    q->stats.jacobian++;
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = q->sum, .delta = q->delta, .dense = J});
}

int flow_is_direct(const keel_problem *p) { return p->levels <= 1 || p->ops == &levelled_form; }

/* The Jacobian of the form, as it is stored. */
static int stored_jacobian(flow *q, double t, const double *y, const double *fh, keel_matrix *J)
{
    memset(q->base, 0, (size_t)q->n * sizeof *q->base);
    memcpy(q->base, fh, (size_t)q->nx * sizeof *q->base);
    matrix_zero(J);
    return eval_jacobian(&q->e, &q->colors, t, y, q->base, J);
}

/* The same by rows. */
static int form_jacobian(flow *q, double t, const double *y, const double *fh, double *J)
{
    int rc = stored_jacobian(q, t, y, fh, &q->J);
    if (rc) return rc;
    memset(J, 0, (size_t)q->n * (size_t)q->n * sizeof *J);
    for (int j = 0; j < q->n; j++) {
        column c = matrix_column(&q->J, j);
        for (int i = 0; i < c.count; i++) J[(ptrdiff_t)column_row(&c, i) * q->n + j] = c.values[i];
    }
    return 0;
}

/* Rows of h = g_x f + g_t below those of f. */
static int derivative_rows(flow *q, double t, const double *y, const double *fh, double *J)
{
    int n = q->n, nx = q->nx, m = q->m;
    int given = q->e.problem->spec.hessenberg2.constraint_jacobian != NULL;
    double size = 0;
    for (int i = 0; i < nx; i++) size = fmax(size, fabs(fh[i]));
    double d = (given ? 1e-6 : 1e-4) / (1 + size);       /* noise of g_x against truncation */
    if (q->e.limited && (t + d - q->e.t_limit) * q->e.limit_direction > 0) d = -d;
    memcpy(q->moved, y, (size_t)n * sizeof *y);
    for (int i = 0; i < nx; i++) q->moved[i] += d * fh[i];
    int rc = eval_constraint_jacobian(&q->e, t, y, q->G);
    if (!rc) rc = eval_constraint_jacobian(&q->e, t + d, q->moved, q->G_ahead);
    for (int i = 0; i < m && !rc; i++) {
        double *row = J + (ptrdiff_t)(nx + i) * n;
        for (int j = 0; j < n; j++) {
            row[j] = j < nx ? (q->G_ahead[i * nx + j] - q->G[i * nx + j]) / d : 0;
            for (int l = 0; l < nx; l++) row[j] += q->G[i * nx + l] * J[(ptrdiff_t)l * n + j];
        }
    }
    return rc;
}

int flow_linear(flow *q, double s, const double *y, const double *fh, double *J, double *J_p)
{
    const form_ops *ops = q->e.problem->ops;
    moved_flow w = {.q = q, .y = y};
    int direct = flow_is_direct(q->e.problem), rc;
    long rhs = q->stats.rhs;
    double t, slope;
    rc = enter_time(q, s, &t, &slope);
    if (rc) return rc;
    memcpy(q->slow, fh, (size_t)q->n * sizeof *fh);
    multiply_rates(q, 1 / slope, 1, q->slow);
    if (direct || ops == &hessenberg2_form) rc = form_jacobian(q, t, y, q->slow, J);
    else rc = difference_flow(q, t, y, J);
    if (!rc && ops == &hessenberg2_form) rc = derivative_rows(q, t, y, q->slow, J);
    if (!rc) multiply_rates(q, slope, q->n, J);
    if (!rc) rc = parameter_columns(&w, s, q->n, q->np, J_p);
    q->stats.rhs_for_jacobian += q->stats.rhs - rhs;
    q->stats.rhs = rhs;
    return rc;
}

/* Rows of f of a stored matrix. */
static void multiply_stored(const flow *q, double factor, keel_matrix *J)
{
    for (int j = 0; j < q->n && factor != 1; j++) {
        column c = matrix_column(J, j);
        for (int i = 0; i < c.count; i++)
            if (column_row(&c, i) < q->nx) c.values[i] *= factor;
    }
}

int flow_sparse(flow *q, double s, const double *y, const double *fh, double *J, double *J_p)
{
    moved_flow w = {.q = q, .y = y};
    keel_matrix to = q->J;
    long rhs = q->stats.rhs;
    double t, slope;
    int rc = enter_time(q, s, &t, &slope);
    if (rc) return rc;
    to.values = J;
    memcpy(q->slow, fh, (size_t)q->n * sizeof *fh);
    multiply_rates(q, 1 / slope, 1, q->slow);
    rc = stored_jacobian(q, t, y, q->slow, &to);
    if (!rc) multiply_stored(q, slope, &to);
    if (!rc) rc = parameter_columns(&w, s, q->n, q->np, J_p);
    q->stats.rhs_for_jacobian += q->stats.rhs - rhs;
    q->stats.rhs = rhs;
    return rc;
}

int flow_gradient(flow *q, double t, const double *y, double *A)
{
    moved_flow w = {.q = q, .y = y, .constraints = 1};
    int width = q->nx + q->np;
    if (!q->hidden) return 0;
    difference d = {.value = moved_unknowns, .context = &w, .rows = q->hidden, .size = q->n, .t = t,
                    .x = y, .moved = q->moved, .one = q->one};
    memset(q->columns, 0, (size_t)q->hidden * (size_t)q->n * sizeof *A);
    int rc = difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = q->sum, .delta = q->delta, .dense = q->columns});
    for (int i = 0; i < q->hidden && !rc; i++)
        memcpy(A + (ptrdiff_t)i * width, q->columns + (ptrdiff_t)i * q->n,
               (size_t)q->nx * sizeof *A);
    return rc ? rc : parameter_columns(&w, t, q->hidden, width, A + q->nx);
}
