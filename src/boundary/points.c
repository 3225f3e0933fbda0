/* points.c -- z and x' where x is known:  0 = h(t,x,z),  x' = f(t,x,z).
 *
 * By Newton's method with the factors of a stage nearby; others are made where these do not serve.
 * The last correction enters f by f_z dz, so that no evaluation follows it.  At both ends of everything
 * conditions needed z, and Newton's method has left both.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "step/interpolation.h"

static int correct(keel_boundary *w, double *y, const local *l, double *fh, double *largest)
{
    int nx = w->flow.nx, m = w->flow.m;
    double *dz = fh + nx, size = 0;
    int rc = local_algebraic(w, l, dz);
    for (int j = 0; j < m; j++) {
        y[nx + j] -= dz[j];
        size = fmax(size, fabs(dz[j]) * error_weight(w, nx + j, y[nx + j]));
    }
    local_push(w, l, dz, fh);
    *largest = size;
    return rc;
}

/* h_z is the same wherever corrections have been repeated on this mesh: there is nothing to repeat. */
static const double constant = 1e-5;

static int is_constant(const keel_boundary *w) { return w->varying >= 0 && w->varying <= constant; }

int point_solve(keel_boundary *w, double t, double *y, const local *l, double *fh)
{
    enum { MOST = 20 };
    static const double usual = 1e-2, slow = 0.1;
    double before = INFINITY, figures = fmin(usual, 1e-14 / w->tolerance);
    double enough = w->options.uniform ? figures : usual;    /* there figures of the mesh are wanted */
    for (int iteration = 0; iteration < MOST; iteration++) {
        int rc = flow_value(&w->flow, t, y, fh);
        if (rc || !w->flow.m) return rc;
        double size;
        rc = correct(w, y, l, fh, &size);
        if (rc) return rc;
        if (isfinite(before)) w->varying = fmax(w->varying, size / before);
        if (size <= enough || (is_constant(w) && constant * size <= enough)) return 0;
        if (size > slow * before && size * w->tolerance < 1e-12) return 0;
        if (size > slow * before) {
            rc = flow_value(&w->flow, t, y, fh);
            if (!rc) rc = local_linear(w, t, y, fh, &w->local);
            if (rc) return rc;
            l = &w->local;
        }
        before = size;
    }
    w->flow.e.fault.t = t;
    return BOUNDARY_NO_ALGEBRAIC;
}

int is_break(const keel_boundary *w, double t)
{
    double length = fabs(w->to - w->from);
    for (int i = 0; i < w->spec.breaks; i++) {
        double at = w->from + (w->break_at[i] - w->spec.from) / (w->spec.to - w->spec.from) *
                                  (w->to - w->from);
        if (fabs(t - at) <= 1e-13 * length) return 1;
    }
    return 0;
}

/* One end of interval i, 0 or 1; at a break just inside it. */
static int edge(keel_boundary *w, mesh *s, int i, int end)
{
    int n = w->flow.n, nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    double h = s->t[i + 1] - s->t[i], t = s->t[i + end];
    double *y = s->edge_y + (ptrdiff_t)(2 * i + end) * n;
    const double *z = s->u.z + (ptrdiff_t)i * k * m;
    const double *lagrange = s->table.plain_value[end ? s->table.rates - 1 : 0];
    memcpy(y, s->u.x + (ptrdiff_t)(i + end) * nx, (size_t)nx * sizeof *y);
    memset(y + nx, 0, (size_t)m * sizeof *y);
    for (int c = 0; c < k; c++)
        for (int j = 0; j < m; j++) y[nx + j] += lagrange[c] * z[c * m + j];
    if (is_break(w, t)) t += (end ? -inside_break : inside_break) * h;
    int rc = interval_linear(w, s, i);
    if (!rc) rc = point_solve(w, t, y, stage_of(s, i, end ? k - 1 : 0), w->fh);
    memcpy(s->edge_f + (ptrdiff_t)(2 * i + end) * nx, w->fh, (size_t)nx * sizeof *y);
    return rc;
}

/* Where all intervals begin, or end. */
static int outer_edge(keel_boundary *w, mesh *s, int end)
{
    int nx = w->flow.nx, m = w->flow.m, i = end ? s->N - 1 : 0;
    double *y = s->edge_y + (ptrdiff_t)(2 * i + end) * w->flow.n;
    double *f = s->edge_f + (ptrdiff_t)(2 * i + end) * nx;
    if (!s->point_moved) return edge(w, s, i, end);
    memcpy(y, s->u.x + (ptrdiff_t)(i + end) * nx, (size_t)nx * sizeof *y);
    memcpy(y + nx, s->u.end + (ptrdiff_t)end * m, (size_t)m * sizeof *y);
    memcpy(f, s->point_f + (ptrdiff_t)end * nx, (size_t)nx * sizeof *f);
    return 0;
}

int points_fill(keel_boundary *w, mesh *s)
{
    int n = w->flow.n, nx = w->flow.nx, rc = 0;
    w->varying = -1;
    for (int i = 0; i < s->N && !rc; i++) {
        ptrdiff_t left = 2 * i, before = left - 1;
        if (i && !is_break(w, s->t[i])) {
            memcpy(s->edge_y + left * n, s->edge_y + before * n, (size_t)n * sizeof *s->edge_y);
            memcpy(s->edge_f + left * nx, s->edge_f + before * nx, (size_t)nx * sizeof *s->edge_f);
        } else rc = i ? edge(w, s, i, 0) : outer_edge(w, s, 0);
        if (!rc) rc = i < s->N - 1 ? edge(w, s, i, 1) : outer_edge(w, s, 1);
    }
    return rc;
}
