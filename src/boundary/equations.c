/* equations.c -- do the equations hold?  Their residuals, in units of what is asked for.
 *
 *   stages       sum_n h_n max_i |f - K|          beside atol + rtol |x|: all of them together
 *   continuity   |x_n - x_(n-1) - h sum b K|      beside the same
 *   algebraic    |h_z^-1 h|                       beside atol + rtol |z|
 *   conditions   |b_i|                            beside tol and sum_j |db_i/dy_j| (atol + rtol |y_j|)
 *
 * Newton's corrections do not tell: where derivatives grow without bounds, of a condition that is
 * divided by a period that vanishes for instance, they become small while the condition remains
 * what it was.  So a condition is measured as it is written, too.  What rounding alone makes of an
 * equation is allowed.
 *
 * Equations of stages are known before Newton's last correction, which is small: if they hold there,
 * only conditions are evaluated again.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "boundary/sparse.h"

static const double rounding = 100 * DBL_EPSILON;

static void look(equation *worst, double size, equation_kind kind, int which, double t)
{
    if (size <= worst->size || isnan(worst->size)) return;
    *worst = (equation){size, kind, which, t};   /* NaN as well */
}

/* What rounding makes of f at a stage in terms of x, of all rows. */
static void add_noise(const keel_boundary *w, const mesh *s, int i, int c, double *noise)
{
    int nx = w->flow.nx;
    ptrdiff_t at = (ptrdiff_t)i * s->table.k + c;
    const double *x = s->u.x + (ptrdiff_t)i * nx, *K = s->u.K + at * nx;
    const local *l = stage_of(s, i, c);
    for (int j = 0; j < nx; j++) noise[j] = fabs(K[j]);
    if (w->sparse) sparse_flow_sizes(w, l, x, s->u.z + at * w->flow.m, noise);
    for (int j = 0; j < nx && !w->sparse; j++)
        for (int q = 0; q < nx; q++)
            noise[j] += fabs(l->A[(ptrdiff_t)j * nx + q]) * fmax(fabs(x[q]), fabs(x[nx + q]));
    for (int j = 0; j < nx; j++) noise[j] *= rounding;
}

/* Of one interval, for each x: the largest |f - K|, less the noise if that is asked for. */
static void largest_rates(const keel_boundary *w, const mesh *s, const unknowns *r, int i,
                          double *noise, double *size)
{
    int nx = w->flow.nx, k = s->table.k;
    for (int j = 0; j < nx; j++) size[j] = 0;
    for (int c = 0; c < k; c++) {
        const double *rate = r->K + ((ptrdiff_t)i * k + c) * nx;
        if (noise) add_noise(w, s, i, c, noise);
        for (int j = 0; j < nx; j++) {
            double own = fabs(rate[j]) - (noise ? noise[j] : 0);
            if (!(own <= size[j])) size[j] = own;        /* NaN as well */
        }
    }
}

static int look_at_rates(keel_boundary *w, mesh *s, const unknowns *r, int with_noise,
                         equation *worst)
{
    int nx = w->flow.nx, rc = 0;
    double *size = w->work, *sum = size + nx, *largest = sum + nx, *at = largest + nx;
    for (int j = 0; j < nx; j++) sum[j] = largest[j] = 0, at[j] = s->t[0];
    for (int i = 0; i < s->N && !rc; i++) {
        double h = fabs(s->t[i + 1] - s->t[i]);
        if (with_noise) rc = interval_rates(w, s, i);
        if (rc) break;
        largest_rates(w, s, r, i, with_noise ? w->y2 : NULL, size);
        for (int j = 0; j < nx; j++) {
            double own = size[j] * h * error_weight(w, j, s->u.x[(ptrdiff_t)i * nx + j]);
            sum[j] += own;
            if (own > largest[j]) largest[j] = own, at[j] = s->t[i];
        }
    }
    for (int j = 0; j < nx; j++) look(worst, sum[j], EQUATION_RATE, j, at[j]);
    return rc;
}

static void look_at_continuity(const keel_boundary *w, const mesh *s, const unknowns *r,
                               equation *worst)
{
    int nx = w->flow.nx;
    for (int i = 1; i <= s->N; i++)
        for (int j = 0; j < nx; j++) {
            ptrdiff_t at = (ptrdiff_t)i * nx + j;
            double size = fmax(0, fabs(r->x[at]) - rounding * fabs(s->u.x[at]));
            look(worst, size * error_weight(w, j, s->u.x[at]), EQUATION_RATE, j, s->t[i]);
        }
}

/* |h_z^-1 h| of a stage in dz, |h_z^-1 h_x| |x|, which rounding multiplies, in size. */
static int algebraic_sizes(keel_boundary *w, const mesh *s, const local *l, int i, double *dz,
                           double *size)
{
    int nx = w->flow.nx, m = w->flow.m, rc = local_algebraic(w, l, dz);
    const double *x = s->u.x + (ptrdiff_t)i * nx;
    if (rc || w->sparse) return rc ? rc : local_follow(w, l, x, size);   /* signs and all */
    for (int j = 0; j < m; j++) {
        size[j] = 0;
        for (int a = 0; a < nx; a++) size[j] += fabs(l->C[(ptrdiff_t)j * nx + a] * x[a]);
    }
    return 0;
}

/* Of constraints that are collocated themselves the corrections say enough: c has the units of x. */
static void leave_direct(const keel_boundary *w, double *h)
{
    for (int l = 0; l < w->flow.hidden && w->direct; l++) h[w->flow.row[l]] = 0;
}

static int look_at_algebraic(keel_boundary *w, mesh *s, const unknowns *r, equation *worst)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, rc = 0;
    double *dz = w->work, *size = dz + m;
    for (int q = 0; q < s->N * k && m && !rc; q++) {
        int i = q / k;
        rc = interval_linear(w, s, i);
        memcpy(dz, r->z + (ptrdiff_t)q * m, (size_t)m * sizeof *dz);
        leave_direct(w, dz);
        if (!rc) rc = algebraic_sizes(w, s, stage_of(s, i, q % k), i, dz, size);
        for (int j = 0; j < m && !rc; j++) {
            double z = s->u.z[(ptrdiff_t)q * m + j], noise = fabs(z) + fabs(size[j]);
            look(worst, fmax(0, fabs(dz[j]) - rounding * noise) * error_weight(w, nx + j, z),
                 EQUATION_ALGEBRAIC, j, s->t[i] + s->table.c[q % k] * (s->t[i + 1] - s->t[i]));
        }
    }
    return rc;
}

/* Adds to both: what row `b_y` of derivatives makes of tolerances, and of values, at a point. */
static void add_point(const keel_boundary *w, const mesh *s, const double *b_y, int which,
                      double *allowed, double *noise)
{
    int nx = w->flow.nx, m = w->flow.m, at = s->point[which].at;
    for (int j = 0; j < nx + m; j++) {
        double y = j < nx ? s->u.x[(ptrdiff_t)at * nx + j] : s->u.end[(ptrdiff_t)which * m + j - nx];
        if (b_y[j] == 0) continue;
        *allowed += fabs(b_y[j]) / error_weight(w, j, y);
        *noise += fabs(b_y[j] * y);
    }
}

/* Those of parameters are differences in [p - d, p + d]: within that they are one number. */
static void look_at_conditions(const keel_boundary *w, const mesh *s, const double *value,
                               equation *worst)
{
    int n = w->flow.n, np = w->flow.np, all = w->rows + w->spec.inner;
    for (int i = 0; i < all; i++) {
        const double *row = s->b_y + (ptrdiff_t)i * (2 * n + np);
        double allowed = 0, noise = 0;
        add_point(w, s, row, i < w->rows ? 0 : 2 + i - w->rows, &allowed, &noise);
        if (i < w->rows) add_point(w, s, row + n, 1, &allowed, &noise);
        for (int j = 0; j < np; j++) {
            allowed += fabs(row[2 * n + j] * s->u.p[j]) * w->tolerance;
            noise += fabs(row[2 * n + j] * s->u.p[j]);
        }
        double size = fabs(value[i]) - rounding * (noise + 1);
        allowed = fmin(allowed, w->loosest);
        look(worst, size <= 0 ? 0 : size / allowed, EQUATION_CONDITION, i, s->t[0]);
    }
}

/* Returns as eval_*: matrices may have to be made anew. */
static int look_at_all(keel_boundary *w, mesh *s, equation *worst)
{
    equation rates = {.t = s->t[0]};
    int rc = look_at_rates(w, s, &s->residual, 0, &rates);
    *worst = (equation){.t = s->t[0]};
    if (rates.size <= 1) *worst = rates;
    else rc = look_at_rates(w, s, &s->residual, 1, worst);
    look_at_continuity(w, s, &s->residual, worst);
    if (!rc) rc = look_at_algebraic(w, s, &s->residual, worst);
    look_at_conditions(w, s, s->residual.condition, worst);
    if (rc) worst->size = INFINITY;
    return rc;
}

void equations_known(keel_boundary *w, mesh *s) { look_at_all(w, s, &w->unsolved); }

int equations_hold(keel_boundary *w, mesh *s)
{
    int rc;
    if (w->unsolved.size <= 1) {
        rc = conditions_value(w, s, &s->u, s->residual.condition);
        look_at_conditions(w, s, s->residual.condition, &w->unsolved);
        if (rc || w->unsolved.size <= 1) return rc;
    }
    rc = collocation_residual(w, s, &s->u, &s->residual);
    if (!rc) rc = look_at_all(w, s, &w->unsolved);
    return rc ? rc : w->unsolved.size <= 1 ? 0 : BOUNDARY_UNSOLVED;
}
