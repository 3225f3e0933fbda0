/* projection_free.c -- attached rows, as many and as dependent as given, and with them all levels
 * that the point must not leave: 0 = phi(t,x) in the differential unknowns x.
 *
 * Gauss-Newton for the point nearest to x^ in the inner product W:
 *
 *   x_(k+1) = x^ + d,   |phi(x_k) + phi_x(x_k) (x^ + d - x_k)| least,  |d|_W least among those,
 *
 * [Bendtsen & Thomsen 1999, ch. 8, coordinate projection and over-determined systems].  At its end
 * W d is in the range of phi_x^T at the new point: the nearest point if phi = 0 can be met, else a
 * point where |phi| is least.  Rows are scaled by |W^-1/2 grad phi_i| at y^, which makes phi_i a
 * distance.  Rows that depend on others may do so on the manifold only; at the distance |phi| from
 * it something of that size is left of them, which must not pass for a row of its own.
 *
 * Sparse problems with levels c beside the attached rows h: with C and H, their gradients, and P, the
 * projector along W^-1 C^T onto ker C, one saddle matrix (problem/level_stack.h) gives
 *
 *   e = P (x^ - x_k) - C^- c   and   Z = H P,   then   x_(k+1) = x_k + e + Z^- (-h - H e),
 *
 * the same point, by dense arrays of the attached rows alone.
 */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/difference.h"
#include "step/projection.h"

enum { PASSES = 30 };

/* A row of length 1 depends on others if less than this is left of it: at least the noise of
 * differences, ten times the relative distance from the manifold, at most ... */
static const double dependent_least = 1e-9, dependent_most = 1e-3;
/* A row depends on sparse levels if less than this is left of it: gradients by one-sided differences. */
static const double implied = 1e-6;
/* After a move by less the matrix of a sparse level serves again. */
static const double nearby = 1e-8;

static int work_size(int m, int n)
{
    double unused = 0, size = 0;
    int rank, order = 0, ld = m > n ? m : n;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, &unused, m, &unused, ld, &order, dependent_least,
                        &rank, &size, -1);
    return (int)size;
}

void free_layout(arena *a, least_squares *fit, const keel_problem *p)
{
    int sparse = level_stack_applies(p), linked = p->levels > 1 ? (p->levels - 1) * p->constraints : 0;
    if (sparse) level_stack_layout(a, &fit->levels, p);
    fit->c = ARENA(a, double, sparse ? linked : 0);
    int m = fit->rows = (sparse ? 0 : linked) + p->attached.rows;
    int n = fit->columns = p->n - p->constraints;
    size_t entries = (size_t)m * (size_t)n;
    fit->size = work_size(m, n);
    ARENA_VECTORS(a, m, &fit->phi, &fit->scale, &fit->one, &fit->sum);
    ARENA_VECTORS(a, entries, &fit->phi_x, &fit->A);
    fit->H = ARENA(a, double, (size_t)p->attached.rows * (size_t)p->n);
    fit->b = ARENA(a, double, m > n ? m : n);
    fit->order = ARENA(a, int, n);
    ARENA_VECTORS(a, p->n, &fit->y, &fit->moved, &fit->delta);
    fit->work = ARENA(a, double, fit->size);
    ARENA_KEEP(a, fit, dependent, dependent);
}

static double weight_of(const projection_plan *plan, int j)
{
    return plan->metric == KEEL_METRIC_TOLERANCE ? plan->weight[j] : 1;
}

/* Scales, and what counts as dependent, at y^. */
static void scale_rows(projection *p, const projection_plan *plan)
{
    least_squares *fit = &p->fit;
    int m = fit->rows, n = fit->columns;
    double relative = 0;
    for (int i = 0; i < m; i++) {
        double sum = 0, part = 0;
        for (int j = 0; j < n; j++) {
            double entry = fit->phi_x[i * n + j] / weight_of(plan, j);
            sum += entry * entry;
            part = fmax(part, fabs(fit->phi_x[i * n + j]) * (1 + fabs(p->before[j])));
        }
        fit->scale[i] = sum >= DBL_MIN && sum <= DBL_MAX ? 1 / sqrt(sum) : 1;
        relative = fmax(relative, fabs(fit->phi[i]) / fmax(part, DBL_MIN));
    }
    fit->dependent = fmin(dependent_most, fmax(dependent_least, 10 * relative));
}

/* A and b of W^1/2 d. */
static void assemble(projection *p, const projection_plan *plan, const double *y)
{
    least_squares *fit = &p->fit;
    int m = fit->rows, n = fit->columns;
    for (int i = 0; i < m; i++) {
        double sum = -fit->phi[i];
        for (int j = 0; j < n; j++) {
            sum += fit->phi_x[i * n + j] * (y[j] - p->before[j]);
            fit->A[j * m + i] = fit->scale[i] * fit->phi_x[i * n + j] / weight_of(plan, j);
        }
        fit->b[i] = fit->scale[i] * sum;
    }
}

/* The same for W^1/2 (d - e) beside the levels of a sparse problem, whose matrix is factored; W^1/2 e into
 * fit->y.  Rows of which the levels leave nothing are none: what is left is rounding. */
static void assemble_beside(projection *p, const projection_plan *plan, const double *y)
{
    least_squares *fit = &p->fit;
    int m = fit->rows, n = fit->columns;
    double *e = fit->y, *z = fit->moved;
    for (int j = 0; j < n; j++) e[j] = weight_of(plan, j) * (p->before[j] - y[j]);
    level_stack_nearest(&fit->levels, fit->c, e);
    for (int i = 0; i < m; i++) {
        double sum = -fit->phi[i], length = 0;
        for (int j = 0; j < n; j++) {
            z[j] = fit->phi_x[i * n + j] / weight_of(plan, j);
            sum -= z[j] * e[j];
        }
        level_stack_nearest(&fit->levels, NULL, z);
        for (int j = 0; j < n; j++) length += z[j] * z[j];
        double scale = fit->scale[i] * sqrt(length) > fmax(implied, fit->dependent) ? fit->scale[i] : 0;
        for (int j = 0; j < n; j++) fit->A[j * m + i] = scale * z[j];
        fit->b[i] = scale * sum;
    }
}

/* b := the solution; the rank, or -1 if LAPACK refuses. */
static int solve(projection *p)
{
    least_squares *fit = &p->fit;
    int m = fit->rows, n = fit->columns, rank = 0;
    memset(fit->order, 0, (size_t)n * sizeof *fit->order);
    if (first_not_finite(m * n, fit->A) >= 0 || first_not_finite(m, fit->b) >= 0) return -1;
    int rc = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, fit->A, m, fit->b, m > n ? m : n,
                                 fit->order, fit->dependent, &rank, fit->work, fit->size);
    return rc ? -1 : rank;
}

typedef struct moving { evaluator *e; least_squares *fit; } moving;

/* The levels below the last. */
static int lower_levels(evaluator *e, const least_squares *fit, double t, const double *y, double *phi)
{
    int rc = 0;
    if (fit->levels.problem) return level_stack_values(&fit->levels, e, t, y, fit->c);
    for (int k = 0; k + 1 < e->problem->levels && !rc; k++, phi += e->problem->constraints)
        rc = eval_level(e, k, t, y, phi);
    return rc;
}

/* Them alone, with other x than those of fit->y. */
static int moved_levels(void *context, double t, const double *x, double *phi)
{
    const moving *q = context;
    memcpy(q->fit->y, x, (size_t)q->fit->columns * sizeof *x);
    return lower_levels(q->e, q->fit, t, q->fit->y, phi);
}

/* phi_x: of the levels by central differences, as the attached rows may be. */
static int derivatives(least_squares *fit, evaluator *e, double t, const double *y)
{
    const keel_problem *p = e->problem;
    int n = fit->columns, linked = fit->rows - p->attached.rows;
    int rc = eval_attached_jacobian(e, t, y, fit->H);
    for (int i = 0; i < p->attached.rows && !rc; i++)
        memcpy(fit->phi_x + (linked + i) * n, fit->H + i * p->n, (size_t)n * sizeof *fit->H);
    if (rc || linked == 0) return rc;
    moving q = {e, fit};
    difference d = {.value = moved_levels, .context = &q, .rows = linked, .size = n, .t = t, .x = y,
                    .moved = fit->moved, .one = fit->one};
    memcpy(fit->y, y, (size_t)p->n * sizeof *y);
    memset(fit->phi_x, 0, (size_t)linked * (size_t)n * sizeof *fit->phi_x);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = fit->sum, .delta = fit->delta, .dense = fit->phi_x});
}

/* W^1/2 (d - (y - x^)) into p->step; the rank, or < 0: rc says why, or it cannot be solved. */
static int find_step(projection *p, evaluator *e, const projection_plan *plan, double t, const double *y,
                     int again, int *rc)
{
    least_squares *fit = &p->fit;
    int n = fit->columns, sparse = fit->levels.problem != NULL;
    for (int j = 0; j < n && sparse; j++) p->step[j] = 1 / weight_of(plan, j);
    if (sparse && !again) *rc = level_stack_factor(&fit->levels, e, p->step, t, y);
    if (*rc) return -1;
    (sparse ? assemble_beside : assemble)(p, plan, y);
    int rank = solve(p);
    for (int j = 0; j < n && rank >= 0; j++)
        p->step[j] = sparse ? (fit->b[j] + fit->y[j]) / weight_of(plan, j)
                            : p->before[j] + fit->b[j] / weight_of(plan, j) - y[j];
    return rank;
}

projection_result free_move(projection *p, evaluator *e, const projection_plan *plan, double t,
                            double *y)
{
    least_squares *fit = &p->fit;
    int n = fit->columns, rank = 0;
    double last = INFINITY;
    memcpy(p->before, y, (size_t)n * sizeof *y);
    for (int pass = 0; pass < PASSES; pass++) {
        int rc = lower_levels(e, fit, t, y, fit->phi), rank_before = rank;
        if (!rc) rc = attached_level(e, t, y, fit->phi + fit->rows - e->problem->attached.rows);
        if (!rc) rc = derivatives(fit, e, t, y);
        if (rc) return projection_code(rc);
        if (pass == 0) scale_rows(p, plan);
        rank = find_step(p, e, plan, t, y, last <= nearby, &rc);
        if (rank < 0) return rc ? projection_code(rc) : PROJECTION_DIVERGES;
        if (rank != rank_before) last = INFINITY;                /* another problem from here on */
        double size = norm_relative(n, p->step, y);
        int shrinks = size < 0.7 * last;
        if (!shrinks && size > 2 * DBL_EPSILON)
            return size <= 1e-11 ? PROJECTION_DONE : PROJECTION_DIVERGES;
        for (int j = 0; j < n; j++) y[j] += p->step[j];
        double rate = isfinite(last) ? size / last : 1;
        if (!shrinks || (rate * size <= DBL_EPSILON && rate * norm_rows(fit->rows, n, fit->phi_x,
                                                       p->step, y) <= DBL_EPSILON))
            return PROJECTION_DONE;
        last = size;
    }
    return PROJECTION_DIVERGES;
}
