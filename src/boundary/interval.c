/* interval.c -- the matrices of one interval: linearised stages and T, kept or made anew.
 *
 *   T = a^-1 x I - h diag(A_i)
 *
 * With k stages and nx differential unknowns T takes 8 (k nx)^2 bytes, more than anything else.  What
 * does not fit is replaced by something smaller (mean.c), or made anew whenever it is needed, in one place
 * for all, at the point that the factors belong to: the same numbers again, for one more evaluation of
 * Jacobians and one factorisation.
 */
#include <string.h>

#include "boundary/boundary.h"
#include "linear/small_lu.h"

int interval_linearise(keel_boundary *w, mesh *s, int i, const unknowns *u, const unknowns *r)
{
    int nx = w->flow.nx, k = s->table.k, rc = 0;
    all_stages(w, s, u, i, w->stages);
    for (int c = 0; c < k && !rc; c++) {
        ptrdiff_t at = ((ptrdiff_t)i * k + c) * nx;
        double t = one_stage(w, s, u, i, c, w->stages, w->y);
        if (r) for (int l = 0; l < nx; l++) w->fh[l] = r->K[at + l] + u->K[at + l];
        else rc = flow_value(&w->flow, t, w->y, w->fh);
        if (!rc) rc = local_linear(w, t, w->y, w->fh, stage_of(s, i, c));
        if (!rc && w->direct) rc = direct_gradient(w, s, i, c, t, w->y);
    }
    return rc;
}

/* ---- T --------------------------------------------------------------------------------------
 *
 * Small ones by columns, padded for vectors (small_lu.h), unless a pivot looks like noise; the others by
 * rows.  pivot[size] says which. */

enum { SMALL_MOST = 32 };        /* V is then found column by column: LAPACK is as good from here on */

size_t interval_matrix_entries(int size)
{
    return (size_t)size * (size_t)(size <= SMALL_MOST ? lanes(size) : size);
}

static double *matrix_of(const mesh *s, int i, int size)
{
    return s->T + interval_place(s, i) * (ptrdiff_t)interval_matrix_entries(size);
}

static int *pivot_of(const mesh *s, int i, int size)
{
    return s->T_pivot + interval_place(s, i) * (size + 1);
}

/* a^-1 x I - h diag(A_i), by rows */
static void fill_rows(const keel_boundary *w, const mesh *s, int i, double *T)
{
    int nx = w->flow.nx, k = s->table.k;
    double h = s->t[i + 1] - s->t[i];
    for (int c = 0; c < k; c++) {
        const double *A = stage_of(s, i, c)->A;
        for (int l = 0; l < nx; l++, A += nx, T += (ptrdiff_t)k * nx) {
            double *block = T;
            for (int j = 0; j < k; j++, block += nx) {
                for (int q = 0; q < nx; q++) block[q] = 0;
                block[l] = s->table.A_inv[c * k + j];
            }
            for (int q = 0; q < nx; q++) T[c * nx + q] -= h * A[q];
        }
    }
}

/* The same by columns. */
static void fill_columns(const keel_boundary *w, const mesh *s, int i, double *T)
{
    int nx = w->flow.nx, k = s->table.k, padded = lanes(k * nx);
    double h = s->t[i + 1] - s->t[i];
    for (int j = 0; j < k; j++) {
        const double *A = stage_of(s, i, j)->A, *inverse = s->table.A_inv + j;
        for (int q = 0; q < nx; q++, T += padded) {
            for (int l = 0; l < padded; l += 4) LANE(T + l) = (lane4){0};
            for (int c = 0; c < k; c++) T[c * nx + q] = inverse[c * k];
            for (int l = 0; l < nx; l++) T[j * nx + l] -= h * A[l * nx + q];
        }
    }
}

int interval_matrix(keel_boundary *w, mesh *s, int i)
{
    int size = s->table.k * w->flow.nx, *pivot = pivot_of(s, i, size);
    double *T = matrix_of(s, i, size);
    if (size <= SMALL_MOST) {
        fill_columns(w, s, i, T);
        pivot[size] = !small_factor(1, size, (small_band){size, size}, T, pivot);
        if (pivot[size]) return 0;
    }
    pivot[size] = 0;
    fill_rows(w, s, i, T);
    return dense_factor(size, T, pivot) ? BOUNDARY_SINGULAR_STAGES : 0;
}

void interval_solve(keel_boundary *w, const mesh *s, int i, int columns, double *D)
{
    int size = s->table.k * w->flow.nx;
    if (s->mean.loaded) {
        mean_solve(w, s, i, D);
        return;
    }
    const int *pivot = pivot_of(s, i, size);
    const double *T = matrix_of(s, i, size);
    double column[SMALL_MOST];
    for (int c = 0; c < columns && pivot[size] && columns > 1; c++) {
        for (int j = 0; j < size; j++) column[j] = D[j * columns + c];
        small_solve_one(size, (small_band){size, size}, T, pivot, column);
        for (int j = 0; j < size; j++) D[j * columns + c] = column[j];
    }
    if (pivot[size] && columns == 1) small_solve_one(size, (small_band){size, size}, T, pivot, D);
    else if (!pivot[size] && columns == 1) dense_solve(size, T, pivot, D);
    else if (!pivot[size]) dense_solve_rows(size, T, pivot, columns, D);
}

/* With the parameters of the point, which are then put back. */
int interval_linear(keel_boundary *w, mesh *s, int i)
{
    if (s->single) mean_load(w, s, i, 0);
    if (i < s->kept || s->window == i) return 0;
    keel_stats *stats = &w->flow.stats;
    long rhs = stats->rhs;
    flow_parameters(&w->flow, w->p_before);
    flow_set_parameters(&w->flow, s->base.p);
    int rc = interval_linearise(w, s, i, &s->base, NULL);
    flow_set_parameters(&w->flow, w->p_before);
    stats->rhs_for_jacobian += stats->rhs - rhs;
    stats->rhs = rhs;
    if (rc < 0) w->broken = rc;
    s->window = rc ? -1 : i;
    s->window_factored = 0;
    return rc;
}

int interval_rates(keel_boundary *w, mesh *s, int i)
{
    int rc = interval_linear(w, s, i);
    if (s->single) mean_load(w, s, i, 1);
    return rc;
}

int interval_factor(keel_boundary *w, mesh *s, int i)
{
    if (s->single) {
        mean_load(w, s, i, 0);
        return 0;
    }
    int rc = interval_linear(w, s, i);
    if (rc || i < s->kept || s->window_factored) return rc;
    rc = interval_matrix(w, s, i);
    s->window_factored = !rc;
    return rc;
}
