/* collocation.c -- equations of the stages, and their elimination from Newton's correction.
 *
 *   dK_i = A_i dX_i + A_p dp + phi_i,   A = f_x - f_z h_z^-1 h_x,   phi = (f - K) - f_z h_z^-1 h
 *   dX_i = dx + D_i,   D = h (a x I) dK:
 *   T D = h (A_i dx + A_p dp + phi_i),  T = a^-1 x I - h diag(A_i)
 *   D = V dx + W dp + omega,            dK = h^-1 (a^-1 x I) D
 *   dx_n = dx + sum_j d_j D_j + r_n,    d = b^T a^-1
 *
 * In values of stages the local matrix is as small as that of an ODE, and it has no pole for real
 * h lambda if the number of stages is even: a^-1 has complex eigenvalues only.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"
#include "boundary/sparse.h"

static double step_of(const mesh *s, int i) { return s->t[i + 1] - s->t[i]; }

/* Of stage c of interval i.  A last one that is at a break belongs to what is before it. */
static double stage_time(const keel_boundary *w, const mesh *s, int i, int c)
{
    double h = step_of(s, i), t = s->t[i] + s->table.c[c] * h;
    return s->table.c[c] == 1 && is_break(w, s->t[i + 1]) ? t - inside_break * h : t;
}

/* y = (X_i, Z_i) of stage c of interval i; returns its time. */
double stage_values(const keel_boundary *w, const mesh *s, const unknowns *u, int i, int c,
                    double *y)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    double h = step_of(s, i);
    const double *K = u->K + (ptrdiff_t)i * k * nx;
    memcpy(y, u->x + (ptrdiff_t)i * nx, (size_t)nx * sizeof *y);
    for (int j = 0; j < k; j++) {
        double factor = h * s->table.A[c * k + j];
        for (int l = 0; l < nx; l++) y[l] += factor * K[(ptrdiff_t)j * nx + l];
    }
    memcpy(y + nx, u->z + ((ptrdiff_t)i * k + c) * m, (size_t)m * sizeof *y);
    return stage_time(w, s, i, c);
}

/* X of all stages of interval i, [k][nx]. */
void all_stages(const keel_boundary *w, const mesh *s, const unknowns *u, int i, double *X)
{
    int nx = w->flow.nx, k = s->table.k;
    double h = step_of(s, i);
    const double *x = u->x + (ptrdiff_t)i * nx;
    combine(k, k, nx, s->table.A, k, u->K + (ptrdiff_t)i * k * nx, X);
    for (int c = 0; c < k; c++, X += nx)
        for (int l = 0; l < nx; l++) X[l] = x[l] + h * X[l];
}

/* y of stage c of interval i, of which X has all; returns its time. */
double one_stage(const keel_boundary *w, const mesh *s, const unknowns *u, int i, int c,
                 const double *X, double *y)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    const double *z = u->z + ((ptrdiff_t)i * k + c) * m;
    for (int l = 0; l < nx; l++) y[l] = X[c * nx + l];
    for (int l = 0; l < m; l++) y[nx + l] = z[l];
    return stage_time(w, s, i, c);
}

static double point_values(const keel_boundary *w, const mesh *s, const unknowns *u, int which,
                           double *y)
{
    int nx = w->flow.nx, m = w->flow.m, at = s->point[which].at;
    memcpy(y, u->x + (ptrdiff_t)at * nx, (size_t)nx * sizeof *y);
    memcpy(y + nx, u->end + (ptrdiff_t)which * m, (size_t)m * sizeof *y);
    return s->t[at];
}

/* ---- residuals ----------------------------------------------------------------------------- */

static void continuity(const keel_boundary *w, const mesh *s, const unknowns *u, int i, double *r)
{
    int nx = w->flow.nx, k = s->table.k;
    double h = step_of(s, i);
    const double *x = u->x + (ptrdiff_t)i * nx, *K = u->K + (ptrdiff_t)i * k * nx;
    combine(1, k, nx, s->table.b, k, K, r);
    for (int l = 0; l < nx; l++) r[l] = (x[l] - x[nx + l]) + h * r[l];
}

static int stage_residual(keel_boundary *w, const mesh *s, const unknowns *u, int i, int c,
                          unknowns *r)
{
    int nx = w->flow.nx, m = w->flow.m;
    ptrdiff_t at = (ptrdiff_t)i * s->table.k + c;
    double t = one_stage(w, s, u, i, c, w->stages, w->y);
    int rc = flow_value(&w->flow, t, w->y, w->fh);
    for (int l = 0; l < nx; l++) r->K[at * nx + l] = w->fh[l] - u->K[at * nx + l];
    for (int l = 0; l < m; l++) r->z[at * m + l] = w->fh[nx + l];
    return rc;
}

int collocation_residual(keel_boundary *w, mesh *s, const unknowns *u, unknowns *r)
{
    int nx = w->flow.nx, m = w->flow.m, rc = 0;
    s->reduced = s->point_moved = 0;
    flow_set_parameters(&w->flow, u->p);
    for (int i = 0; i < s->N && !rc; i++) {
        all_stages(w, s, u, i, w->stages);
        for (int c = 0; c < s->table.k && !rc; c++) rc = stage_residual(w, s, u, i, c, r);
        continuity(w, s, u, i, r->x + (ptrdiff_t)(i + 1) * nx);
    }
    for (int i = 0; i < mesh_points(w) && !rc && m; i++) {
        double t = point_values(w, s, u, i, w->y);
        rc = flow_value(&w->flow, t, w->y, w->fh);
        memcpy(r->end + (ptrdiff_t)i * m, w->fh + nx, (size_t)m * sizeof *r->end);
        memcpy(s->point_f + (ptrdiff_t)i * nx, w->fh, (size_t)nx * sizeof *s->point_f);
    }
    if (!rc && w->direct) rc = direct_residual(w, s, u, r);
    return rc ? rc : conditions_value(w, s, u, r->condition);
}

/* ---- factors ------------------------------------------------------------------------------- */

/* sum := (I if that is asked for) + sum_j d_j D_j, for the columns of D */
static void end_of(const mesh *s, int nx, int columns, int identity, const double *D, double *sum)
{
    memset(sum, 0, (size_t)nx * (size_t)columns * sizeof *sum);
    for (int l = 0; l < nx && identity; l++) sum[(ptrdiff_t)l * columns + l] = 1;
    for (int c = 0; c < s->table.k; c++)
        for (int l = 0; l < nx * columns; l++, D++) sum[l] += s->table.d[c] * *D;
}

/* D := T^-1 h A of all stages, A being nx x columns each. */
static void respond(keel_boundary *w, const mesh *s, int i, int columns, int parameters, double *D)
{
    int k = s->table.k, nx = w->flow.nx;
    double h = step_of(s, i), *to = D;
    for (int c = 0; c < k; c++) {
        const local *stage = stage_of(s, i, c);
        const double *from = parameters ? stage->A_p : stage->A;
        for (int l = 0; l < nx * columns; l++) *to++ = h * from[l];
    }
    interval_solve(w, s, i, columns, D);
}

/* T, V, W, F and P of an interval from A and A_p of its stages. */
static int condense(keel_boundary *w, mesh *s, int i)
{
    int nx = w->flow.nx, np = w->flow.np, size = s->table.k * nx;
    ptrdiff_t place = interval_place(s, i);
    double *V = s->V + place * size * nx, *W = s->W + place * size * np;
    int rc = interval_matrix(w, s, i);
    if (rc) return rc;
    respond(w, s, i, nx, 0, V);
    end_of(s, nx, nx, 1, V, s->F + (ptrdiff_t)i * nx * nx);
    if (!np) return 0;
    respond(w, s, i, np, 1, W);
    end_of(s, nx, np, 0, W, s->P + (ptrdiff_t)i * nx * np);
    return 0;
}

static void reduce(keel_boundary *w, mesh *s, int i, const unknowns *r, unknowns *step);

/* All of interval i; what is not kept serves the correction of the residual at once. */
static int factor_interval(keel_boundary *w, mesh *s, int i)
{
    s->mean.loaded = 0;
    int rc = interval_linearise(w, s, i, &s->u, &s->residual);
    if (!rc && w->sparse) rc = stages_condense(w, s, i);
    if (!rc && !w->direct && !w->sparse) rc = condense(w, s, i);
    if (rc == BOUNDARY_SINGULAR_STAGES) w->flow.e.fault.t = s->t[i];
    if (rc || i < s->kept) return rc;
    s->window = i;
    s->window_factored = 1;
    reduce(w, s, i, &s->residual, &s->step);
    return s->single ? mean_keep(w, s, i) : 0;
}

int collocation_linear(keel_boundary *w, mesh *s)
{
    int rc = 0;
    flow_set_parameters(&w->flow, s->u.p);
    s->window = -1;
    s->reduced = s->kept < s->N;
    if (s->reduced && !s->single) memcpy(s->base.x, s->u.x, s->count * sizeof *s->u.x);
    for (int i = 0; i < s->N && !rc; i++) rc = factor_interval(w, s, i);
    if (!rc && w->direct) rc = direct_linear(w, s);
    for (int i = 0; i < mesh_points(w) && !rc && w->flow.m; i++) {       /* z there is eliminated */
        double t = point_values(w, s, &s->u, i, w->y);
        const double *f = s->point_f + (ptrdiff_t)i * w->flow.nx;        /* of the residual there */
        memcpy(w->fh, f, (size_t)w->flow.nx * sizeof *w->fh);
        rc = local_linear(w, t, w->y, w->fh, &s->point[i].local);
        if (!rc && w->sparse) rc = sparse_flow_columns(w, &s->point[i].local);
    }
    return rc ? rc : conditions_linear(w, s, &s->u);
}

int collocation_factor(keel_boundary *w, mesh *s)
{
    w->stats.factorizations++;
    int rc = boundary_watch(w, s);
    if (!rc) rc = collocation_linear(w, s);
    return rc ? rc : blocks_factor(w, s);
}

/* ---- corrections --------------------------------------------------------------------------- */

/* From residuals to omega, in step.K, h_z^-1 H, in step.z, and the right-hand side of the condensed row,
 * in spare.x. */
static void reduce(keel_boundary *w, mesh *s, int i, const unknowns *r, unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, size = k * nx;
    double h = step_of(s, i), *omega = step->K + (ptrdiff_t)i * size;
    double *row = s->spare.x + (ptrdiff_t)(i + 1) * nx;
    memcpy(row, r->x + (ptrdiff_t)(i + 1) * nx, (size_t)nx * sizeof *row);
    for (int c = 0; c < k; c++) {
        ptrdiff_t at = (ptrdiff_t)i * k + c;
        const local *l = stage_of(s, i, c);
        double *part = omega + (ptrdiff_t)c * nx, *z = step->z + at * m;
        memcpy(part, r->K + at * nx, (size_t)nx * sizeof *part);
        memcpy(z, r->z + at * m, (size_t)m * sizeof *z);
        local_algebraic(w, l, z);
        add_times(nx, m, -1, l->f_z, z, part);
        for (int j = 0; j < nx; j++) part[j] *= h;
    }
    interval_solve(w, s, i, 1, omega);
    for (int c = 0; c < k; c++)
        for (int j = 0; j < nx; j++) row[j] += s->table.d[c] * omega[c * nx + j];
}

/* h A dx of a mean, the same for all stages. */
static void mean_step(keel_boundary *w, const mesh *s, int i, int c, const double *dx, double *D)
{
    int nx = w->flow.nx;
    if (c) memcpy(D + (ptrdiff_t)c * nx, D, (size_t)nx * sizeof *D);
    else mean_rates(w, s, dx, D);
    for (int l = 0; l < nx && !c; l++) D[l] *= step_of(s, i);
}

/* D = V dx + W dp, by V and W, or by T where these are not kept. */
static void change_of_stages(keel_boundary *w, mesh *s, int i, const unknowns *step, double *D)
{
    int nx = w->flow.nx, np = w->flow.np, k = s->table.k, size = k * nx;
    const double *dx = step->x + (ptrdiff_t)i * nx;
    ptrdiff_t place = interval_place(s, i);
    memset(D, 0, (size_t)size * sizeof *D);
    if (i < s->kept) {
        add_times(size, nx, 1, s->V + place * size * nx, dx, D);
        add_times(size, np, 1, s->W + place * size * np, step->p, D);
        return;
    }
    for (int c = 0; c < k; c++) {
        const local *l = stage_of(s, i, c);
        if (s->single) mean_step(w, s, i, c, dx, D);
        else add_times(nx, nx, step_of(s, i), l->A, dx, D + (ptrdiff_t)c * nx);
        add_times(nx, np, step_of(s, i), l->A_p, step->p, D + (ptrdiff_t)c * nx);
    }
    interval_solve(w, s, i, 1, D);
}

/* Back from dx and dp to the stages of an interval. */
static void expand(keel_boundary *w, mesh *s, int i, unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m, np = w->flow.np, k = s->table.k, size = k * nx;
    double h = step_of(s, i), *K = step->K + (ptrdiff_t)i * size, *D = w->work;
    const double *dx = step->x + (ptrdiff_t)i * nx;
    change_of_stages(w, s, i, step, D);
    for (int c = 0; c < size; c++) D[c] += K[c];
    combine(k, k, nx, s->table.A_inv, k, D, K);
    for (int c = 0; c < size; c++) K[c] *= 1 / h;
    for (int c = 0; c < k; c++) {
        const local *l = stage_of(s, i, c);
        double *z = step->z + ((ptrdiff_t)i * k + c) * m, *dX = D + (ptrdiff_t)c * nx;
        for (int j = 0; j < m; j++) z[j] = -z[j];
        for (int j = 0; j < nx; j++) dX[j] += dx[j];
        add_times(m, nx, -1, l->C, dX, z);
        add_times(m, np, -1, l->C_p, step->p, z);
    }
}

/* The condensed system of `given` in s->spare.  Returns as eval_*. */
static int reduce_all(keel_boundary *w, mesh *s, const unknowns *given, unknowns *step)
{
    int m = w->flow.m, done = s->reduced && given == &s->residual && step == &s->step, rc = 0;
    unknowns *r = &s->spare;
    if (w->direct) memcpy(r->x, given->x, s->count * sizeof *r->x);
    memcpy(r->end, given->end, (size_t)mesh_points(w) * (size_t)m * sizeof *r->end);
    memcpy(r->condition, given->condition,
           (size_t)(w->rows + w->spec.inner) * sizeof *r->condition);
    for (int i = 0; i < s->N && !rc; i++) {
        if (done && i >= s->kept) break;
        rc = interval_factor(w, s, i);
        if (w->direct) direct_reduce(w, s, i, r, step);
        else if (w->sparse) stages_reduce(w, s, i, given);
        else if (!rc) reduce(w, s, i, given, step);
    }
    s->reduced = 0;
    for (int i = 0; i < mesh_points(w) && m && !rc; i++)
        rc = local_algebraic(w, &s->point[i].local, r->end + (ptrdiff_t)i * m);
    return rc;
}

void collocation_solve(keel_boundary *w, mesh *s, const unknowns *given, unknowns *step)
{
    w->stats.solves++;
    int nx = w->flow.nx, m = w->flow.m, np = w->flow.np, rc = reduce_all(w, s, given, step);
    const unknowns *r = &s->spare;
    if (!rc) blocks_solve(w, s, r, step);
    for (int i = s->N - 1; i >= 0 && !rc; i--) {
        rc = interval_factor(w, s, i);
        if (w->direct) direct_expand(w, s, i, r, step);
        else if (w->sparse) stages_expand(w, s, i, given, step);
        else if (!rc) expand(w, s, i, step);
    }
    for (int i = 0; i < mesh_points(w) && !rc; i++) {
        const local *l = &s->point[i].local;
        double *z = step->end + (ptrdiff_t)i * m;
        for (int j = 0; j < m; j++) z[j] = -r->end[(ptrdiff_t)i * m + j];
        add_times(m, nx, -1, l->C, step->x + (ptrdiff_t)s->point[i].at * nx, z);
        add_times(m, np, -1, l->C_p, step->p, z);
    }
    if (rc) step->x[0] = NAN;                    /* a callback has failed where it had not before */
}

void collocation_conclude(keel_boundary *w, mesh *s, const unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m;
    for (size_t i = 0; i < s->count; i++) s->u.x[i] += step->x[i];
    s->point_moved = m && !w->direct && !w->options.uniform;
    for (int i = 0; i < mesh_points(w) && s->point_moved; i++)
        local_move(w, &s->point[i].local, step->x + (ptrdiff_t)s->point[i].at * nx,
                   step->end + (ptrdiff_t)i * m, step->p, s->point_f + (ptrdiff_t)i * nx);
}
