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

#include "boundary/boundary.h"

static const double rounding = 100 * DBL_EPSILON;

static void look(equation *worst, double size, equation_kind kind, int which, double t)
{
    if (size <= worst->size) return;
    *worst = (equation){size, kind, which, t};   /* NaN as well */
}

/* What rounding makes of row j of f in terms of x. */
static double noise_of(const keel_boundary *w, const mesh *s, int i, int c, int j)
{
    int nx = w->flow.nx, k = s->table.k;
    const double *A = s->stage[(ptrdiff_t)i * k + c].A + (ptrdiff_t)j * nx;
    const double *x = s->u.x + (ptrdiff_t)i * nx;
    double sum = fabs(s->u.K[((ptrdiff_t)i * k + c) * nx + j]);
    for (int l = 0; l < nx; l++) sum += fabs(A[l]) * fmax(fabs(x[l]), fabs(x[nx + l]));
    return rounding * sum;
}

static void look_at_rates(const keel_boundary *w, const mesh *s, const unknowns *r, int noise,
                          equation *worst)
{
    int nx = w->flow.nx, k = s->table.k;
    for (int j = 0; j < nx; j++) {
        double sum = 0, largest = 0, at = s->t[0];
        for (int i = 0; i < s->N; i++) {
            double h = fabs(s->t[i + 1] - s->t[i]), size = 0;
            for (int c = 0; c < k; c++) {
                double own = fabs(r->K[((ptrdiff_t)i * k + c) * nx + j]);
                if (own > size && noise) own -= noise_of(w, s, i, c, j);
                if (!(own <= size)) size = own;  /* NaN as well */
            }
            size *= h * error_weight(w, j, s->u.x[(ptrdiff_t)i * nx + j]);
            sum += size;
            if (size > largest) largest = size, at = s->t[i];
        }
        look(worst, sum, EQUATION_RATE, j, at);
    }
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

/* Of constraints that are collocated themselves the corrections say enough: g has the units of x. */
static void look_at_algebraic(keel_boundary *w, const mesh *s, const unknowns *r, equation *worst)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    double *dz = w->work;
    for (int q = 0; q < s->N * k && m && !w->direct; q++) {
        const local *l = &s->stage[q];
        int i = q / k;
        memcpy(dz, r->z + (ptrdiff_t)q * m, (size_t)m * sizeof *dz);
        dense_solve(m, l->h_z, l->pivot, dz);
        for (int j = 0; j < m; j++) {
            double z = s->u.z[(ptrdiff_t)q * m + j], noise = fabs(z);
            for (int a = 0; a < nx; a++)
                noise += fabs(l->C[(ptrdiff_t)j * nx + a] * s->u.x[(ptrdiff_t)i * nx + a]);
            look(worst, fmax(0, fabs(dz[j]) - rounding * noise) * error_weight(w, nx + j, z),
                 EQUATION_ALGEBRAIC, j, s->t[i] + s->table.c[q % k] * (s->t[i + 1] - s->t[i]));
        }
    }
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

static void look_at_all(keel_boundary *w, mesh *s, equation *worst)
{
    equation rates = {.t = s->t[0]};
    look_at_rates(w, s, &s->residual, 0, &rates);
    *worst = (equation){.t = s->t[0]};
    if (rates.size <= 1) *worst = rates;
    else look_at_rates(w, s, &s->residual, 1, worst);
    look_at_continuity(w, s, &s->residual, worst);
    look_at_algebraic(w, s, &s->residual, worst);
    look_at_conditions(w, s, s->residual.condition, worst);
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
    if (!rc) look_at_all(w, s, &w->unsolved);
    return rc ? rc : w->unsolved.size <= 1 ? 0 : BOUNDARY_UNSOLVED;
}
