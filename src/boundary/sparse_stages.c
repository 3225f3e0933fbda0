/* sparse_stages.c -- sparse equations of the stages, condensed to dense blocks of mesh points.
 *
 *   sum_j a^-1_cj (dX_j - dx) - h (f_x dX_c + f_z dz_c + f_p dp) = h (f - K)
 *   h_x dX_c + h_z dz_c + h_p dp = -H
 *
 * All stages of an interval are one sparse system in (dX, dz), of the same pattern in every interval.  What
 * a unit change of dx or dp does to x_n is F and P.
 */
#include <stdlib.h>
#include <string.h>

#include "boundary/sparse_entries.h"

struct stages {
    entries all;
    int interval;                /* which is listed                                        */
};

void stages_free(struct stages *q)
{
    if (!q) return;
    entries_free(&q->all);
    free(q);
}

static void enter_interval(keel_boundary *w, mesh *s, listing how)
{
    enter_stages(w, s, &s->stages->all, how, s->stages->interval, 0);
}

/* Right-hand sides, negative as the factors are of minus the matrix: of r (NULL: 0), dx and dp. */
static double *fill_right(const keel_boundary *w, const mesh *s, int i, const unknowns *r,
                          const double *dx, const double *dp)
{
    int nx = w->flow.nx, m = w->flow.m, n = w->flow.n, np = w->flow.np, k = s->table.k;
    double h = s->t[i + 1] - s->t[i], *right = s->stages->all.right, *b = right;
    memset(b, 0, (size_t)k * (size_t)n * sizeof *b);
    for (int c = 0; c < k; c++, b += n) {
        ptrdiff_t at = (ptrdiff_t)i * k + c;
        const double *J_p = stage_of(s, i, c)->J_p;
        double sum = 0;
        for (int j = 0; j < k; j++) sum += s->table.A_inv[c * k + j];
        for (int l = 0; l < nx && r; l++) b[l] -= h * r->K[at * nx + l];
        for (int l = 0; l < m && r; l++) b[nx + l] += r->z[at * m + l];
        for (int l = 0; l < nx && dx; l++) b[l] -= sum * dx[l];
        for (int l = 0; l < n && dp; l++)
            for (int j = 0; j < np; j++)
                b[l] += (l < nx ? -h : 1) * J_p[(ptrdiff_t)l * np + j] * dp[j];
    }
    return right;
}

/* to_l := (1 - sum d) dx_l + sum_j d_j dX_jl, with `stride` between the entries of `to`. */
static void end_of(const keel_boundary *w, const mesh *s, const double *stage, const double *dx,
                   double *to, int stride)
{
    int nx = w->flow.nx, n = w->flow.n, k = s->table.k;
    for (int l = 0; l < nx; l++) {
        double sum = dx ? dx[l] : 0;
        for (int j = 0; j < k; j++)
            sum += s->table.d[j] * (stage[(ptrdiff_t)j * n + l] - (dx ? dx[l] : 0));
        to[(ptrdiff_t)l * stride] = sum;
    }
}

int stages_condense(keel_boundary *w, mesh *s, int i)
{
    int nx = w->flow.nx, np = w->flow.np, rc = KEEL_OK;
    double *unit = w->y2;
    if (!s->stages) {
        s->stages = calloc(1, sizeof *s->stages);
        if (!s->stages) return BOUNDARY_NO_MEMORY;
        s->stages->all.size = s->table.k * w->flow.n;
    }
    entries *e = &s->stages->all;
    s->stages->interval = i;
    if (!e->system) rc = entries_make(w, s, e, enter_interval, s->N);
    if (rc) return BOUNDARY_NO_MEMORY;
    rc = entries_factor(w, s, e, enter_interval, i);
    if (rc) return rc == BOUNDARY_NO_MEMORY ? rc : BOUNDARY_SINGULAR_STAGES;
    memset(unit, 0, (size_t)w->flow.n * sizeof *unit);
    for (int j = 0; j < nx; j++) {
        unit[j] = 1;
        double *b = fill_right(w, s, i, NULL, unit, NULL);
        linear_solve(e->system, i, b);
        end_of(w, s, b, unit, s->F + (ptrdiff_t)i * nx * nx + j, nx);
        unit[j] = 0;
    }
    double *change = w->p_before;
    memset(change, 0, (size_t)np * sizeof *change);
    for (int j = 0; j < np; j++) {
        change[j] = 1;
        double *b = fill_right(w, s, i, NULL, NULL, change);
        linear_solve(e->system, i, b);
        end_of(w, s, b, NULL, s->P + (ptrdiff_t)i * nx * np + j, np);
        change[j] = 0;
    }
    return 0;
}

void stages_reduce(keel_boundary *w, mesh *s, int i, const unknowns *r)
{
    int nx = w->flow.nx;
    double *row = s->spare.x + (ptrdiff_t)(i + 1) * nx, *b = fill_right(w, s, i, r, NULL, NULL);
    linear_solve(s->stages->all.system, i, b);
    end_of(w, s, b, NULL, row, 1);
    for (int l = 0; l < nx; l++) row[l] += r->x[(ptrdiff_t)(i + 1) * nx + l];
}

/* step.K and step.z of interval i from dX and dz of its stages, step.x being there. */
static void stage_steps(const keel_boundary *w, const mesh *s, int i, const double *stage,
                        unknowns *step)
{
    int nx = w->flow.nx, m = w->flow.m, n = w->flow.n, k = s->table.k;
    const double *x = step->x + (ptrdiff_t)i * nx;
    double h = s->t[i + 1] - s->t[i];
    for (int c = 0; c < k; c++) {
        double *K = step->K + ((ptrdiff_t)i * k + c) * nx;
        for (int j = 0; j < nx; j++) {
            double sum = 0;
            for (int b = 0; b < k; b++)
                sum += s->table.A_inv[c * k + b] * (stage[(ptrdiff_t)b * n + j] - x[j]);
            K[j] = sum / h;
        }
        memcpy(step->z + ((ptrdiff_t)i * k + c) * m, stage + (ptrdiff_t)c * n + nx,
               (size_t)m * sizeof *step->z);
    }
}

void stages_expand(keel_boundary *w, mesh *s, int i, const unknowns *r, unknowns *step)
{
    const double *dx = step->x + (ptrdiff_t)i * w->flow.nx;
    double *b = fill_right(w, s, i, r, dx, step->p);
    linear_solve(s->stages->all.system, i, b);
    stage_steps(w, s, i, b, step);
}
