/* projection_invariants.c -- invariants 0 = phi(t,y) of an ODE, as many and as dependent as given.
 *
 * Gauss-Newton for the point nearest to y^ in the inner product W:
 *
 *   y_(k+1) = y^ + d,   |phi(y_k) + phi_y(y_k) (y^ + d - y_k)| least,  |d|_W least among those,
 *
 * [Bendtsen & Thomsen 1999, ch. 8, coordinate projection and over-determined systems].  At its end
 * W d is in the range of phi_y^T at the new point: the nearest point if phi = 0 can be met, else a
 * point where |phi| is least.  Rows are scaled by |W^-1/2 grad phi_i| at y^, which makes phi_i a
 * distance.  Rows that depend on others may do so on the manifold only; at the distance |phi| from
 * it something of that size is left of them, which must not pass for a row of its own.
 */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "step/projection.h"

enum { PASSES = 30 };

/* A row of length 1 depends on others if less than this is left of it: at least the noise of
 * differences, ten times the relative distance from the manifold, at most ... */
static const double dependent_least = 1e-9, dependent_most = 1e-3;

static int work_size(int m, int n)
{
    double unused = 0, size = 0;
    int rank, order = 0, ld = m > n ? m : n;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, &unused, m, &unused, ld, &order, dependent_least,
                        &rank, &size, -1);
    return (int)size;
}

void invariants_layout(arena *a, least_squares *fit, int m, int n)
{
    fit->size = work_size(m, n);
    fit->A = ARENA(a, double, (size_t)m * (size_t)n);
    fit->b = ARENA(a, double, m > n ? m : n);
    fit->scale = ARENA(a, double, m);
    fit->order = ARENA(a, int, n);
    fit->work = ARENA(a, double, fit->size);
}

static double weight_of(const projection_plan *plan, int j)
{
    return plan->metric == KEEL_METRIC_TOLERANCE ? plan->weight[j] : 1;
}

/* Scales, and what counts as dependent, at y^. */
static void scale_rows(projection *p, const projection_plan *plan, int m, int n)
{
    double relative = 0;
    for (int i = 0; i < m; i++) {
        double sum = 0, part = 0;
        for (int j = 0; j < n; j++) {
            double entry = p->G[i * n + j] / weight_of(plan, j);
            sum += entry * entry;
            part = fmax(part, fabs(p->G[i * n + j]) * (1 + fabs(p->before[j])));
        }
        p->fit.scale[i] = sum >= DBL_MIN && sum <= DBL_MAX ? 1 / sqrt(sum) : 1;
        relative = fmax(relative, fabs(p->value[i]) / fmax(part, DBL_MIN));
    }
    p->fit.dependent = fmin(dependent_most, fmax(dependent_least, 10 * relative));
}

/* b := W^1/2 d with phi and phi_y in p->value and p->G; the rank, or -1 if LAPACK refuses. */
static int solve(projection *p, const projection_plan *plan, int m, int n, const double *y)
{
    least_squares *fit = &p->fit;
    int rank = 0;
    for (int i = 0; i < m; i++) {
        double sum = -p->value[i];
        for (int j = 0; j < n; j++) {
            sum += p->G[i * n + j] * (y[j] - p->before[j]);
            fit->A[j * m + i] = fit->scale[i] * p->G[i * n + j] / weight_of(plan, j);
        }
        fit->b[i] = fit->scale[i] * sum;
    }
    memset(fit->order, 0, (size_t)n * sizeof *fit->order);
    int rc = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, fit->A, m, fit->b, m > n ? m : n,
                                 fit->order, fit->dependent, &rank, fit->work, fit->size);
    return rc ? -1 : rank;
}

projection_result invariants_move(projection *p, evaluator *e, const projection_plan *plan,
                                  double t, double *y)
{
    int m = e->problem->constraints, n = e->problem->n, rank = 0;
    double last = INFINITY;
    memcpy(p->before, y, (size_t)n * sizeof *y);
    for (int pass = 0; pass < PASSES; pass++) {
        int rc = eval_level(e, 0, t, y, p->value), rank_before = rank;
        if (!rc) rc = eval_constraint_jacobian(e, t, y, p->G);
        if (rc) return projection_code(rc);
        if (pass == 0) scale_rows(p, plan, m, n);
        rank = solve(p, plan, m, n, y);
        if (rank < 0) return PROJECTION_DIVERGES;
        if (rank != rank_before) last = INFINITY;                /* another problem from here on */
        for (int j = 0; j < n; j++)
            p->step[j] = p->before[j] + p->fit.b[j] / weight_of(plan, j) - y[j];
        double size = norm_relative(n, p->step, y);
        if (size <= 2 * DBL_EPSILON) return PROJECTION_DONE;
        if (!(size < 0.7 * last)) return size <= 1e-11 ? PROJECTION_DONE : PROJECTION_DIVERGES;
        for (int j = 0; j < n; j++) y[j] += p->step[j];
        double next = isfinite(last) ? size / last * size : INFINITY;
        if (next <= DBL_EPSILON) return PROJECTION_DONE;
        last = size;
    }
    return PROJECTION_DIVERGES;
}
