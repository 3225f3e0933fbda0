/* interval.c -- the matrices of one interval: linearised stages and T, kept or made anew.
 *
 *   T = a^-1 x I - h diag(A_i)
 *
 * With k stages and nx differential unknowns T takes 8 (k nx)^2 bytes, more than anything else.  What
 * does not fit is made anew whenever it is needed, in one place for all, at the point that the factors
 * belong to: the same numbers again, for one more evaluation of Jacobians and one factorisation.
 */
#include <string.h>

#include "boundary/boundary.h"

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
    }
    return rc;
}

/* a^-1 x I - h diag(A_i) */
static void fill_matrix(const keel_boundary *w, const mesh *s, int i, double *T)
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

int interval_matrix(keel_boundary *w, mesh *s, int i)
{
    int size = s->table.k * w->flow.nx;
    double *T = s->T + interval_place(s, i) * size * size;
    fill_matrix(w, s, i, T);
    return dense_factor(size, T, s->T_pivot + interval_place(s, i) * size)
        ? BOUNDARY_SINGULAR_STAGES : 0;
}

/* With the parameters of the point, which are then put back. */
int interval_linear(keel_boundary *w, mesh *s, int i)
{
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

int interval_factor(keel_boundary *w, mesh *s, int i)
{
    int rc = interval_linear(w, s, i);
    if (rc || i < s->kept || s->window_factored) return rc;
    rc = interval_matrix(w, s, i);
    s->window_factored = !rc;
    return rc;
}
