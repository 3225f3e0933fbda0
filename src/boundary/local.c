/* local.c -- the equations linearised at one point, and z eliminated from them.
 *
 *   dz = -h_z^-1 H - C dx - C_p dp,   C = h_z^-1 h_x,  C_p = h_z^-1 h_p
 *   A  = f_x - f_z C,                 A_p = f_p - f_z C_p
 *
 * Dense ones have all of these.  Sparse ones have the nonzeros of the Jacobian instead, and what is
 * wanted is solved for, see sparse_flow.c.
 */
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"
#include "boundary/sparse.h"

static void copy_block(int rows, int columns, const double *from, int width, double *to)
{
    for (int i = 0; i < rows; i++)
        memcpy(to + (ptrdiff_t)i * columns, from + (ptrdiff_t)i * width,
               (size_t)columns * sizeof *to);
}

/* B := h_z^-1 B.  One row, as problems often have, is divided by: dense.c keeps 1 / u on the diagonal. */
static void divide(int m, const local *l, int columns, double *B)
{
    if (m > 1) dense_solve_rows(m, l->h_z, l->pivot, columns, B);
    for (int j = 0; j < columns && m == 1; j++) B[j] *= l->h_z[0];
}

static int linear_dense(keel_boundary *w, double t, const double *y, const double *fh, local *l)
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
    divide(m, l, nx, l->C);
    divide(m, l, np, l->C_p);
    add_product(nx, m, nx, -1, l->f_z, l->C, nx, l->A);
    add_product(nx, m, np, -1, l->f_z, l->C_p, np, l->A_p);
    return 0;
}

int local_linear(keel_boundary *w, double t, const double *y, const double *fh, local *l)
{
    return (w->sparse ? sparse_flow_linear : linear_dense)(w, t, y, fh, l);
}

int local_algebraic(keel_boundary *w, const local *l, double *z)
{
    if (w->sparse) return sparse_flow_algebraic(w, l, NULL, z);
    divide(w->flow.m, l, 1, z);
    return 0;
}

int local_follow(keel_boundary *w, const local *l, const double *dx, double *dz)
{
    if (w->sparse) return sparse_flow_algebraic(w, l, dx, dz);
    memset(dz, 0, (size_t)w->flow.m * sizeof *dz);
    add_times(w->flow.m, w->flow.nx, 1, l->C, dx, dz);
    return 0;
}

int local_motion(keel_boundary *w, const local *l, const double *dx, double *to)
{
    int nx = w->flow.nx;
    if (w->sparse) return sparse_flow_rates(w, l, dx, to);
    for (int j = 0; j < nx; j++) to[j] = 0;
    add_times(nx, nx, 1, l->A, dx, to);
    return local_follow(w, l, dx, to + nx);
}

void local_push(const keel_boundary *w, const local *l, const double *z, double *f)
{
    if (w->sparse) sparse_flow_push(w, l, z, f);
    else add_times(w->flow.nx, w->flow.m, -1, l->f_z, z, f);
}

void local_move(keel_boundary *w, const local *l, const double *dx, const double *dz, const double *dp,
                double *f)
{
    int nx = w->flow.nx, m = w->flow.m, np = w->flow.np;
    double *z = w->work;                         /* f_x dx + f_p dp = A dx + A_p dp + f_z (C dx + C_p dp) */
    if (w->sparse) {
        sparse_flow_move(w, l, dx, dz, dp, f);
        return;
    }
    memcpy(z, dz, (size_t)m * sizeof *z);
    add_times(m, nx, 1, l->C, dx, z);
    add_times(m, np, 1, l->C_p, dp, z);
    add_times(nx, nx, 1, l->A, dx, f);
    add_times(nx, np, 1, l->A_p, dp, f);
    add_times(nx, m, 1, l->f_z, z, f);
}

int local_add_rates(keel_boundary *w, const local *l, double factor, double *to)
{
    int nx = w->flow.nx, rc = 0;
    double *unit = w->work, *column = unit + nx;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)nx * nx && !w->sparse; i++) to[i] += factor * l->A[i];
    memset(unit, 0, (size_t)nx * sizeof *unit);
    for (int j = 0; j < nx && w->sparse && !rc; j++) {
        unit[j] = 1;
        rc = sparse_flow_rates(w, l, unit, column);
        unit[j] = 0;
        for (int i = 0; i < nx && !rc; i++) to[(ptrdiff_t)i * nx + j] += factor * column[i];
    }
    return rc;
}
