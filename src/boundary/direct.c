/* direct.c -- constraints of index 2 collocated themselves, 0 = c(t_i, X_i), and mesh points projected.
 *
 *   T D - h f_z dZ = h (f_x dx + f_p dp + phi),   T = a^-1 x I - h diag(f_x)
 *   g_x D_i + g_z dZ_i = -(g + g_x dx + g_p dp)   g: c in rows of index 2, h in those of index 1
 *   x_n = x_(n-1) + h sum_j b_j K_j + R(t_n,x_n) mu_n,   0 = c(t_n,x_n)        projected
 *
 * [Ascher & Petzold, SIAM J. Numer. Anal. 28 (1991) 1097, (14).]  Kept for comparison: errors contain
 * the norm of the projector R c_x, which those of the default do not.  R = f_z h_z^-1 E, E being the columns
 * of the identity that belong to rows of index 2: mesh points move by changes of z that leave rows of index 1
 * as they are, and as those rows of h_z are c_x f_z, c_x R = I.  With index 2 alone R c_x is the oblique
 * projector f_z (c_x f_z)^-1 c_x.  mu is eliminated from the condensed rows; R in the residual is that of the
 * current point, without which the order of mixed problems is lost.
 */
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"

/* Of derivatives by x, z and p at a stage, and by x and p at a mesh point. */
static int stage_width(const keel_boundary *w) { return w->flow.n + w->flow.np; }
static int push_width(const keel_boundary *w) { return w->flow.nx + w->flow.np; }

static double *stage_gradient(const keel_boundary *w, const mesh *s, int i, int c)
{
    return s->G + ((ptrdiff_t)i * s->table.k + c) * w->flow.m * stage_width(w);
}

static double *push_gradient(const keel_boundary *w, const mesh *s, int j)
{
    return s->G_push + (ptrdiff_t)j * w->flow.hidden * push_width(w);
}

/* R at mesh point j, nx x hidden. */
static double *push_matrix(const keel_boundary *w, const mesh *s, int j)
{
    return s->push + (ptrdiff_t)j * w->flow.nx * w->flow.hidden;
}

/* ---- residuals ----------------------------------------------------------------------------- */

/* y at mesh point j > 0, with z of the stages before it. */
static void push_values(const keel_boundary *w, const mesh *s, const unknowns *u, int j, double *y)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    const double *lagrange = s->table.plain_value[s->table.rates - 1];
    memcpy(y, u->x + (ptrdiff_t)j * nx, (size_t)nx * sizeof *y);
    memset(y + nx, 0, (size_t)m * sizeof *y);
    for (int c = 0; c < k; c++)
        for (int l = 0; l < m; l++)
            y[nx + l] += lagrange[c] * u->z[((ptrdiff_t)(j - 1) * k + c) * m + l];
}

/* R = f_z h_z^-1 E of a point. */
static void push_directions(const keel_boundary *w, const local *l, double *R)
{
    int nx = w->flow.nx, m = w->flow.m, hidden = w->flow.hidden;
    double *dz = w->y2;
    memset(R, 0, (size_t)nx * (size_t)hidden * sizeof *R);
    for (int i = 0; i < hidden; i++) {
        memset(dz, 0, (size_t)m * sizeof *dz);
        dz[w->flow.row[i]] = 1;
        dense_solve(m, l->h_z, l->pivot, dz);
        for (int j = 0; j < nx; j++)
            for (int q = 0; q < m; q++) R[j * hidden + i] += l->f_z[j * m + q] * dz[q];
    }
}

static int push_residual(keel_boundary *w, mesh *s, const unknowns *u, int j, unknowns *r)
{
    int nx = w->flow.nx, hidden = w->flow.hidden;
    double *y = w->y, *R = push_matrix(w, s, j);
    push_values(w, s, u, j, y);
    int rc = flow_value(&w->flow, s->t[j], y, w->fh);
    if (!rc) rc = local_linear(w, s->t[j], y, w->fh, &w->local);
    if (!rc) rc = flow_constraints(&w->flow, s->t[j], y, r->push + (ptrdiff_t)j * hidden);
    if (rc) return rc;
    push_directions(w, &w->local, R);
    add_times(nx, hidden, 1, R, u->push + (ptrdiff_t)j * hidden, r->x + (ptrdiff_t)j * nx);
    return 0;
}

/* r->z has h of all rows. */
int direct_residual(keel_boundary *w, mesh *s, const unknowns *u, unknowns *r)
{
    int m = w->flow.m, k = s->table.k, rc = 0;
    double *c = w->y2;
    for (int i = 0; i < s->N * k && !rc; i++) {
        double t = stage_values(w, s, u, i / k, i % k, w->y);
        rc = flow_constraints(&w->flow, t, w->y, c);
        for (int l = 0; l < w->flow.hidden; l++) r->z[(ptrdiff_t)i * m + w->flow.row[l]] = c[l];
    }
    for (int j = 1; j <= s->N && w->pushed && !rc; j++) rc = push_residual(w, s, u, j, r);
    return rc;
}

/* ---- factors ------------------------------------------------------------------------------- */

/* Rows of h as they are in w->J and w->J_p, those of index 2 replaced by derivatives of c. */
int direct_gradient(keel_boundary *w, mesh *s, int i, int c, double t, const double *y)
{
    int n = w->flow.n, nx = w->flow.nx, m = w->flow.m, np = w->flow.np, width = stage_width(w);
    double *G = stage_gradient(w, s, i, c), *of_c = w->work;
    for (int r = 0; r < m; r++) {
        memcpy(G + (ptrdiff_t)r * width, w->J + (ptrdiff_t)(nx + r) * n, (size_t)n * sizeof *G);
        memcpy(G + (ptrdiff_t)r * width + n, w->J_p + (ptrdiff_t)(nx + r) * np, (size_t)np * sizeof *G);
    }
    int rc = flow_gradient(&w->flow, t, y, of_c);
    for (int l = 0; l < w->flow.hidden && !rc; l++, of_c += nx + np) {
        double *row = G + (ptrdiff_t)w->flow.row[l] * width;
        memset(row, 0, (size_t)n * sizeof *row);
        memcpy(row, of_c, (size_t)nx * sizeof *row);
        memcpy(row + n, of_c + nx, (size_t)np * sizeof *row);
    }
    return rc;
}

/* Row and column of stage c: D first, then Z. */
static void fill_matrix(keel_boundary *w, mesh *s, int i, int size, double *T)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, width = stage_width(w);
    double h = s->t[i + 1] - s->t[i];
    memset(T, 0, (size_t)size * (size_t)size * sizeof *T);
    for (int c = 0; c < k; c++) {
        const local *l = &s->stage[(ptrdiff_t)i * k + c];
        const double *G = stage_gradient(w, s, i, c);
        for (int r = 0; r < nx; r++) {
            double *row = T + (ptrdiff_t)(c * nx + r) * size;
            for (int j = 0; j < k; j++) row[j * nx + r] = s->table.A_inv[c * k + j];
            for (int j = 0; j < nx; j++) row[c * nx + j] -= h * l->A[r * nx + j];
            add_product(1, m, nx, -h, l->f_z + (ptrdiff_t)r * m, l->C, nx, row + c * nx);
            for (int j = 0; j < m; j++) row[k * nx + c * m + j] = -h * l->f_z[r * m + j];
        }
        for (int r = 0; r < m; r++, G += width) {
            double *row = T + (ptrdiff_t)(k * nx + c * m + r) * size;
            memcpy(row + c * nx, G, (size_t)nx * sizeof *row);
            memcpy(row + k * nx + c * m, G + nx, (size_t)m * sizeof *row);
        }
    }
}

/* The right-hand side for a unit change of x_j, or p_(j - nx). */
static void unit_column(keel_boundary *w, mesh *s, int i, int j, double *column)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, width = stage_width(w);
    double h = s->t[i + 1] - s->t[i];
    for (int c = 0; c < k; c++) {
        const local *l = &s->stage[(ptrdiff_t)i * k + c];
        const double *G = stage_gradient(w, s, i, c) + (j < nx ? j : m + j);
        for (int r = 0; r < nx; r++) {           /* f_x = A + f_z C, f_p likewise */
            double sum = j < nx ? l->A[r * nx + j] : l->A_p[r * w->flow.np + j - nx];
            for (int q = 0; q < m; q++)
                sum += l->f_z[r * m + q] * (j < nx ? l->C[q * nx + j] : l->C_p[q * w->flow.np + j - nx]);
            column[c * nx + r] = h * sum;
        }
        for (int r = 0; r < m; r++) column[k * nx + c * m + r] = -G[r * width];
    }
}

/* a := a - R (c_x a + extra), `columns` of them, row-major; extra NULL: 0. */
static void project(keel_boundary *w, const mesh *s, int j, int columns, double *a,
                    const double *extra, int extra_width)
{
    int nx = w->flow.nx, hidden = w->flow.hidden, width = push_width(w);
    const double *G = push_gradient(w, s, j), *R = push_matrix(w, s, j);
    double *g = w->y2;
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < hidden; r++) {
            g[r] = extra ? extra[(ptrdiff_t)r * extra_width + c] : 0;
            for (int q = 0; q < nx; q++) g[r] += G[r * width + q] * a[q * columns + c];
        }
        for (int r = 0; r < nx; r++)
            for (int q = 0; q < hidden; q++) a[r * columns + c] -= R[r * hidden + q] * g[q];
    }
}

int direct_condense(keel_boundary *w, mesh *s, int i)
{
    int nx = w->flow.nx, np = w->flow.np, k = s->table.k, size = k * w->flow.n;
    double *T = s->T + (ptrdiff_t)i * size * size, *column = w->work;
    double *F = s->F + (ptrdiff_t)i * nx * nx, *P = s->P + (ptrdiff_t)i * nx * np;
    int *pivot = s->T_pivot + (ptrdiff_t)i * size;
    fill_matrix(w, s, i, size, T);
    if (dense_factor(size, T, pivot)) return BOUNDARY_SINGULAR_STAGES;
    for (int j = 0; j < nx + np; j++) {
        int columns = j < nx ? nx : np, at = j < nx ? j : j - nx;
        double *to = j < nx ? s->V + (ptrdiff_t)i * size * nx : s->W + (ptrdiff_t)i * size * np;
        double *sum = j < nx ? F : P;
        unit_column(w, s, i, j, column);
        dense_solve(size, T, pivot, column);
        for (int l = 0; l < nx; l++) sum[l * columns + at] = j < nx && l == at;
        for (int c = 0; c < size; c++) to[(ptrdiff_t)c * columns + at] = column[c];
        for (int c = 0; c < k * nx; c++)
            sum[(c % nx) * columns + at] += s->table.d[c / nx] * column[c];
    }
    if (!w->pushed) return 0;
    project(w, s, i + 1, nx, F, NULL, 0);
    project(w, s, i + 1, np, P, push_gradient(w, s, i + 1) + nx, push_width(w));
    return 0;
}

int direct_linear(keel_boundary *w, mesh *s)
{
    int rc = 0;
    for (int j = 1; j <= s->N && w->pushed && !rc; j++) {
        push_values(w, s, &s->u, j, w->y);
        rc = flow_gradient(&w->flow, s->t[j], w->y, push_gradient(w, s, j));
    }
    for (int i = 0; i < s->N && !rc; i++) {
        rc = direct_condense(w, s, i);
        if (rc == BOUNDARY_SINGULAR_STAGES) w->flow.e.fault.t = s->t[i];
    }
    return rc;
}

/* ---- corrections --------------------------------------------------------------------------- */

/* omega of D into step.K, of Z into step.z; the row without projection goes to r.x of `spare`, and
 * what is projected takes its place. */
void direct_reduce(keel_boundary *w, mesh *s, int i, unknowns *r, unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, size = k * w->flow.n;
    double h = s->t[i + 1] - s->t[i], *omega = w->work;
    double *row = r->x + (ptrdiff_t)(i + 1) * nx;
    for (int c = 0; c < k * nx; c++) omega[c] = h * r->K[(ptrdiff_t)i * k * nx + c];
    for (int c = 0; c < k * m; c++) omega[k * nx + c] = -r->z[(ptrdiff_t)i * k * m + c];
    dense_solve(size, s->T + (ptrdiff_t)i * size * size, s->T_pivot + (ptrdiff_t)i * size, omega);
    memcpy(step->K + (ptrdiff_t)i * k * nx, omega, (size_t)k * (size_t)nx * sizeof *omega);
    memcpy(step->z + (ptrdiff_t)i * k * m, omega + (ptrdiff_t)k * nx,
           (size_t)k * (size_t)m * sizeof *omega);
    for (int c = 0; c < k * nx; c++) row[c % nx] += s->table.d[c / nx] * omega[c];
    if (!w->pushed) return;
    double *free_row = r->K + (ptrdiff_t)i * k * nx;     /* used no longer: kept for mu */
    memcpy(free_row, row, (size_t)nx * sizeof *row);
    project(w, s, i + 1, 1, row, r->push + (ptrdiff_t)(i + 1) * w->flow.hidden, 1);
}

/* dmu = -(c + c_p dp + c_x a), a = the change of x_n without projection. */
static void expand_push(keel_boundary *w, mesh *s, int i, const unknowns *r, const double *D,
                        unknowns *step)
{
    int nx = w->flow.nx, hidden = w->flow.hidden, np = w->flow.np, width = push_width(w);
    const double *G = push_gradient(w, s, i + 1), *omega = step->K + (ptrdiff_t)i * s->table.k * nx;
    double *a = w->y, *mu = step->push + (ptrdiff_t)(i + 1) * hidden;
    for (int j = 0; j < nx; j++)
        a[j] = step->x[(ptrdiff_t)i * nx + j] + r->K[(ptrdiff_t)i * s->table.k * nx + j];
    for (int c = 0; c < s->table.k * nx; c++) a[c % nx] += s->table.d[c / nx] * (D[c] - omega[c]);
    for (int q = 0; q < hidden; q++) {
        mu[q] = -r->push[(ptrdiff_t)(i + 1) * hidden + q];
        for (int j = 0; j < nx; j++) mu[q] -= G[q * width + j] * a[j];
        for (int j = 0; j < np; j++) mu[q] -= G[q * width + nx + j] * step->p[j];
    }
}

void direct_expand(keel_boundary *w, mesh *s, int i, const unknowns *r, unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m, np = w->flow.np, k = s->table.k, size = k * w->flow.n;
    double h = s->t[i + 1] - s->t[i], *K = step->K + (ptrdiff_t)i * k * nx, *D = w->work;
    const double *dx = step->x + (ptrdiff_t)i * nx;
    memcpy(D, K, (size_t)k * (size_t)nx * sizeof *D);
    memcpy(D + (ptrdiff_t)k * nx, step->z + (ptrdiff_t)i * k * m, (size_t)k * (size_t)m * sizeof *D);
    add_times(size, nx, 1, s->V + (ptrdiff_t)i * size * nx, dx, D);
    add_times(size, np, 1, s->W + (ptrdiff_t)i * size * np, step->p, D);
    if (w->pushed) expand_push(w, s, i, r, D, step);
    for (int c = 0; c < k; c++)
        for (int j = 0; j < nx; j++) {
            double sum = 0;
            for (int b = 0; b < k; b++) sum += s->table.A_inv[c * k + b] * D[b * nx + j];
            K[c * nx + j] = sum / h;
        }
    memcpy(step->z + (ptrdiff_t)i * k * m, D + (ptrdiff_t)k * nx, (size_t)k * (size_t)m * sizeof *D);
}
