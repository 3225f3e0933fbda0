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

/* X of all stages of interval i, [k][nx]. */
static void all_stages(const keel_boundary *w, const mesh *s, const unknowns *u, int i, double *X)
{
    int nx = w->flow.nx, k = s->table.k;
    double h = step_of(s, i);
    const double *x = u->x + (ptrdiff_t)i * nx;
    combine(k, k, nx, s->table.A, k, u->K + (ptrdiff_t)i * k * nx, X);
    for (int c = 0; c < k; c++, X += nx)
        for (int l = 0; l < nx; l++) X[l] = x[l] + h * X[l];
}

/* y of stage c of interval i, of which X has all; returns its time. */
static double one_stage(const keel_boundary *w, const mesh *s, const unknowns *u, int i, int c,
                        const double *X, double *y)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    const double *z = u->z + ((ptrdiff_t)i * k + c) * m;
    for (int l = 0; l < nx; l++) y[l] = X[c * nx + l];
    for (int l = 0; l < m; l++) y[nx + l] = z[l];
    return s->t[i] + s->table.c[c] * step_of(s, i);
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
    }
    if (!rc && w->direct) rc = direct_residual(w, s, u, r);
    return rc ? rc : conditions_value(w, s, u, r->condition);
}

/* ---- factors ------------------------------------------------------------------------------- */

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
    dense_solve_columns(m, l->h_z, l->pivot, nx, l->C, w->work);
    if (np) dense_solve_columns(m, l->h_z, l->pivot, np, l->C_p, w->work);
    add_product(nx, m, nx, -1, l->f_z, l->C, nx, l->A);
    add_product(nx, m, np, -1, l->f_z, l->C_p, np, l->A_p);
    return 0;
}

/* a^-1 x I - h diag(A_i) */
static void fill_matrix(const keel_boundary *w, const mesh *s, int i, double *T)
{
    int nx = w->flow.nx, k = s->table.k;
    double h = step_of(s, i);
    const local *stage = s->stage + (ptrdiff_t)i * k;
    for (int c = 0; c < k; c++)
        for (int l = 0; l < nx; l++) {
            double *block = T;
            for (int j = 0; j < k; j++, block += nx) {
                for (int q = 0; q < nx; q++) block[q] = 0;
                block[l] = s->table.A_inv[c * k + j];
            }
            for (int q = 0; q < nx; q++) T[c * nx + q] -= h * stage[c].A[l * nx + q];
            T += k * nx;
        }
}

/* From h A or h A_p of all stages to V or W, and to F or P, which begin as I or 0. */
static void condense_columns(const keel_boundary *w, const mesh *s, int columns, const double *T,
                             const int *pivot, double *V, double *F)
{
    int nx = w->flow.nx;
    dense_solve_columns(s->table.k * nx, T, pivot, columns, V, w->work);
    for (int c = 0; c < s->table.k; c++)
        for (int e = 0; e < nx * columns; e++) F[e] += s->table.d[c] * V[c * nx * columns + e];
}

/* T, V, W, F and P of an interval from A and A_p of its stages. */
static int condense(keel_boundary *w, mesh *s, int i)
{
    int nx = w->flow.nx, np = w->flow.np, k = s->table.k, size = k * nx;
    double h = step_of(s, i), *T = s->T + (ptrdiff_t)i * size * size;
    double *V = s->V + (ptrdiff_t)i * size * nx, *W = s->W + (ptrdiff_t)i * size * np;
    double *F = s->F + (ptrdiff_t)i * nx * nx, *P = s->P + (ptrdiff_t)i * nx * np;
    const local *stage = s->stage + (ptrdiff_t)i * k;
    int *pivot = s->T_pivot + (ptrdiff_t)i * size;
    fill_matrix(w, s, i, T);
    if (dense_factor(size, T, pivot)) return BOUNDARY_SINGULAR_STAGES;
    for (int c = 0; c < k; c++) {
        for (int e = 0; e < nx * nx; e++) V[c * nx * nx + e] = h * stage[c].A[e];
        for (int e = 0; e < nx * np; e++) W[c * nx * np + e] = h * stage[c].A_p[e];
    }
    for (int e = 0; e < nx * nx; e++) F[e] = e % (nx + 1) == 0;
    for (int e = 0; e < nx * np; e++) P[e] = 0;
    condense_columns(w, s, nx, T, pivot, V, F);
    if (np) condense_columns(w, s, np, T, pivot, W, P);
    return 0;
}

int collocation_factor(keel_boundary *w, mesh *s)
{
    int k = s->table.k, rc = 0;
    flow_set_parameters(&w->flow, s->u.p);
    w->stats.factorizations++;
    for (int i = 0; i < s->N && !rc; i++) {
        all_stages(w, s, &s->u, i, w->stages);
        for (int c = 0; c < k && !rc; c++) {
            ptrdiff_t at = (ptrdiff_t)i * k + c;
            double t = one_stage(w, s, &s->u, i, c, w->stages, w->y);
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
    if (!rc) rc = conditions_linear(w, s, &s->u);
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
    for (int c = 0; c < k; c++)
        for (int j = 0; j < nx; j++) row[j] += s->table.d[c] * omega[c * nx + j];
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
    combine(k, k, nx, s->table.A_inv, k, D, K);
    for (int c = 0; c < size; c++) K[c] *= 1 / h;
    for (int c = 0; c < k; c++) {
        ptrdiff_t at = (ptrdiff_t)i * k + c;
        const local *l = &s->stage[at];
        double *z = step->z + at * m;
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
