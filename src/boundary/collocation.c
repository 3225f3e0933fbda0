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
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"

static double step_of(const mesh *s, int i) { return s->t[i + 1] - s->t[i]; }

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
    return s->t[i] + s->table.c[c] * h;
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
    for (int l = 0; l < nx; l++) {
        double sum = 0;
        for (int j = 0; j < k; j++) sum += s->table.b[j] * K[(ptrdiff_t)j * nx + l];
        r[l] = (x[l] - x[nx + l]) + h * sum;
    }
}

static int stage_residual(keel_boundary *w, const mesh *s, const unknowns *u, int i, int c,
                          unknowns *r)
{
    int nx = w->flow.nx, m = w->flow.m;
    ptrdiff_t at = (ptrdiff_t)i * s->table.k + c;
    double t = stage_values(w, s, u, i, c, w->y);
    int rc = flow_value(&w->flow, t, w->y, w->fh);
    for (int l = 0; l < nx; l++) r->K[at * nx + l] = w->fh[l] - u->K[at * nx + l];
    memcpy(r->z + at * m, w->fh + nx, (size_t)m * sizeof *r->z);
    return rc;
}

int collocation_residual(keel_boundary *w, mesh *s, const unknowns *u, unknowns *r)
{
    int nx = w->flow.nx, m = w->flow.m, rc = 0;
    flow_set_parameters(&w->flow, u->p);
    for (int i = 0; i < s->N && !rc; i++) {
        for (int c = 0; c < s->table.k && !rc; c++) rc = stage_residual(w, s, u, i, c, r);
        continuity(w, s, u, i, r->x + (ptrdiff_t)(i + 1) * nx);
    }
    for (int i = 0; i < mesh_points(w) && !rc && m; i++) {
        double t = point_values(w, s, u, i, w->y);
        rc = flow_value(&w->flow, t, w->y, w->fh);
        memcpy(r->end + (ptrdiff_t)i * m, w->fh + nx, (size_t)m * sizeof *r->end);
    }
    if (!rc && w->direct) rc = direct_residual(w, s, u, r);
    return rc ? rc : conditions_value(w, s, u, r->condition);
}

/* ---- factors ------------------------------------------------------------------------------- */

/* B := h_z^-1 B for the columns of B, m x columns. */
static void solve_columns(int m, const local *l, int columns, double *B, double *column)
{
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < m; i++) column[i] = B[(ptrdiff_t)i * columns + j];
        dense_solve(m, l->h_z, l->pivot, column);
        for (int i = 0; i < m; i++) B[(ptrdiff_t)i * columns + j] = column[i];
    }
}

static void copy_block(int rows, int columns, const double *from, int width, double *to)
{
    for (int i = 0; i < rows; i++)
        memcpy(to + (ptrdiff_t)i * columns, from + (ptrdiff_t)i * width,
               (size_t)columns * sizeof *to);
}

int local_linear(keel_boundary *w, double t, const double *y, const double *fh, local *l)
{
    int n = w->flow.n, nx = w->flow.nx, m = w->flow.m, np = w->flow.np;
    int rc = flow_linear(&w->flow, t, y, fh, w->J, w->J_p);
    if (rc) return rc;
    copy_block(nx, nx, w->J, n, l->A);
    copy_block(nx, np, w->J_p, np, l->A_p);
    if (!m) return 0;
    copy_block(nx, m, w->J + nx, n, l->f_z);
    copy_block(m, nx, w->J + (ptrdiff_t)nx * n, n, l->C);
    copy_block(m, m, w->J + (ptrdiff_t)nx * n + nx, n, l->h_z);
    copy_block(m, np, w->J_p + (ptrdiff_t)nx * np, np, l->C_p);
    int missing = dense_factor(m, l->h_z, l->pivot);
    if (missing) {
        w->flow.dependent = missing;
        w->flow.e.fault.t = t;
        return BOUNDARY_SINGULAR_FIELD;
    }
    solve_columns(m, l, nx, l->C, w->work);
    solve_columns(m, l, np, l->C_p, w->work);
    add_product(nx, m, nx, -1, l->f_z, l->C, nx, l->A);
    add_product(nx, m, np, -1, l->f_z, l->C_p, np, l->A_p);
    return 0;
}

/* T, V, W, F and P of an interval from A and A_p of its stages. */
static int condense(keel_boundary *w, mesh *s, int i)
{
    int nx = w->flow.nx, np = w->flow.np, k = s->table.k, size = k * nx;
    double h = step_of(s, i), *column = w->work;
    double *T = s->T + (ptrdiff_t)i * size * size, *F = s->F + (ptrdiff_t)i * nx * nx;
    double *P = s->P + (ptrdiff_t)i * nx * np;
    const local *stage = s->stage + (ptrdiff_t)i * k;
    int *pivot = s->T_pivot + (ptrdiff_t)i * size;
    memset(T, 0, (size_t)size * (size_t)size * sizeof *T);
    for (int c = 0; c < k; c++)
        for (int l = 0; l < nx; l++) {
            double *row = T + (ptrdiff_t)(c * nx + l) * size;
            for (int j = 0; j < k; j++) row[j * nx + l] = s->table.A_inv[c * k + j];
            for (int j = 0; j < nx; j++) row[c * nx + j] -= h * stage[c].A[l * nx + j];
        }
    if (dense_factor(size, T, pivot)) return BOUNDARY_SINGULAR_STAGES;
    for (int j = 0; j < nx + np; j++) {
        int columns = j < nx ? nx : np, at = j < nx ? j : j - nx;
        double *to = j < nx ? s->V + (ptrdiff_t)i * size * nx : s->W + (ptrdiff_t)i * size * np;
        double *sum = j < nx ? F : P;
        for (int c = 0; c < k; c++)
            for (int l = 0; l < nx; l++)
                column[c * nx + l] = h * (j < nx ? stage[c].A : stage[c].A_p)[l * columns + at];
        dense_solve(size, T, pivot, column);
        for (int l = 0; l < nx; l++) sum[l * columns + at] = j < nx && l == at;
        for (int c = 0; c < size; c++) {
            to[(ptrdiff_t)c * columns + at] = column[c];
            sum[(c % nx) * columns + at] += s->table.d[c / nx] * column[c];
        }
    }
    return 0;
}

int collocation_linear(keel_boundary *w, mesh *s)
{
    int k = s->table.k, rc = 0;
    flow_set_parameters(&w->flow, s->u.p);
    for (int i = 0; i < s->N && !rc; i++) {
        for (int c = 0; c < k && !rc; c++) {
            ptrdiff_t at = (ptrdiff_t)i * k + c;
            double t = stage_values(w, s, &s->u, i, c, w->y);
            for (int l = 0; l < w->flow.nx; l++)
                w->fh[l] = s->residual.K[at * w->flow.nx + l] + s->u.K[at * w->flow.nx + l];
            rc = local_linear(w, t, w->y, w->fh, &s->stage[at]);
        }
        if (!rc && !w->direct) rc = condense(w, s, i);
        if (rc == BOUNDARY_SINGULAR_STAGES) w->flow.e.fault.t = s->t[i];
    }
    if (!rc && w->direct) rc = direct_linear(w, s);
    for (int i = 0; i < mesh_points(w) && !rc; i++) {
        double t = point_values(w, s, &s->u, i, w->y);
        rc = flow_value(&w->flow, t, w->y, w->fh);
        if (!rc) rc = local_linear(w, t, w->y, w->fh, &s->point[i].local);
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

/* From residuals to omega, in step.K, and the right-hand side of the condensed row in r.x; h_z^-1 H
 * takes the place of H. */
static void reduce(keel_boundary *w, mesh *s, int i, unknowns *r, unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, size = k * nx;
    double h = step_of(s, i), *omega = step->K + (ptrdiff_t)i * size;
    double *row = r->x + (ptrdiff_t)(i + 1) * nx;
    for (int c = 0; c < k; c++) {
        ptrdiff_t at = (ptrdiff_t)i * k + c;
        const local *l = &s->stage[at];
        double *part = omega + (ptrdiff_t)c * nx;
        memcpy(part, r->K + at * nx, (size_t)nx * sizeof *part);
        if (m) dense_solve(m, l->h_z, l->pivot, r->z + at * m);
        add_times(nx, m, -1, l->f_z, r->z + at * m, part);
        for (int j = 0; j < nx; j++) part[j] *= h;
    }
    dense_solve(size, s->T + (ptrdiff_t)i * size * size, s->T_pivot + (ptrdiff_t)i * size, omega);
    for (int c = 0; c < size; c++) row[c % nx] += s->table.d[c / nx] * omega[c];
}

/* Back from dx and dp to the stages of an interval. */
static void expand(keel_boundary *w, mesh *s, int i, const unknowns *r, unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m, np = w->flow.np, k = s->table.k, size = k * nx;
    double h = step_of(s, i), *K = step->K + (ptrdiff_t)i * size, *D = w->work;
    const double *dx = step->x + (ptrdiff_t)i * nx;
    memcpy(D, K, (size_t)size * sizeof *D);
    add_times(size, nx, 1, s->V + (ptrdiff_t)i * size * nx, dx, D);
    add_times(size, np, 1, s->W + (ptrdiff_t)i * size * np, step->p, D);
    for (int c = 0; c < k; c++) {
        ptrdiff_t at = (ptrdiff_t)i * k + c;
        const local *l = &s->stage[at];
        double *z = step->z + at * m;
        for (int j = 0; j < nx; j++) {
            double sum = 0;
            for (int b = 0; b < k; b++) sum += s->table.A_inv[c * k + b] * D[b * nx + j];
            K[c * nx + j] = sum / h;
        }
        for (int j = 0; j < m; j++) z[j] = -r->z[at * m + j];
        add_times(m, nx, -1, l->C, dx, z);
        add_times(m, nx, -1, l->C, D + (ptrdiff_t)c * nx, z);
        add_times(m, np, -1, l->C_p, step->p, z);
    }
}

void collocation_solve(keel_boundary *w, mesh *s, const unknowns *given, unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m, np = w->flow.np;
    unknowns *r = &s->spare;
    w->stats.solves++;
    memcpy(r->x, given->x, s->count * sizeof *r->x);
    memcpy(r->condition, given->condition,
           (size_t)(w->rows + w->spec.inner) * sizeof *r->condition);
    for (int i = 0; i < s->N; i++) (w->direct ? direct_reduce : reduce)(w, s, i, r, step);
    for (int i = 0; i < mesh_points(w) && m; i++)
        dense_solve(m, s->point[i].local.h_z, s->point[i].local.pivot, r->end + (ptrdiff_t)i * m);
    blocks_solve(w, s, r, step);
    for (int i = 0; i < s->N; i++) (w->direct ? direct_expand : expand)(w, s, i, r, step);
    for (int i = 0; i < mesh_points(w); i++) {
        const local *l = &s->point[i].local;
        double *z = step->end + (ptrdiff_t)i * m;
        for (int j = 0; j < m; j++) z[j] = -r->end[(ptrdiff_t)i * m + j];
        add_times(m, nx, -1, l->C, step->x + (ptrdiff_t)s->point[i].at * nx, z);
        add_times(m, np, -1, l->C_p, step->p, z);
    }
}
