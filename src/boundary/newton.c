/* newton.c -- Newton's method on all of a mesh, damped by its own corrections.
 *
 *   d = -J(u)^-1 r(u),   dbar = -J(u)^-1 r(u + lambda d)     accepted: |dbar| <= (1 - lambda/4) |d|
 *   else lambda' = lambda^2 |d| / (2 |dbar - (1 - lambda) d|)
 *
 * [Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.3: natural monotonicity.]  After
 * a full step the same factors serve as long as corrections shrink by `contraction` and new ones would
 * not be cheaper.  The last correction is always applied: for linear problems it is the refinement of
 * the solution.  What it leaves is |d| theta, theta = |d| / |the one before|: that is to be small, not |d|.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"

static const double contraction = 0.5, smallest_lambda = 1e-4;
static const double enough = 0.02;               /* of the tolerance                       */
enum { ITERATIONS_MOST = 60 };

/* ---- norms --------------------------------------------------------------------------------- */

typedef struct largest { double size; int worst; double t; } largest;

/* step - part * less */
typedef struct change { const unknowns *step, *less; double part; } change;

static void look(largest *l, double size, int i, double t)
{
    if (size <= l->size || isnan(l->size)) return;
    *l = (largest){size, i, t};                  /* NaN as well */
}

static void look_at(const keel_boundary *w, largest *l, int first, int count, const double *y,
                    const double *step, const double *less, double part, double t)
{
    for (int i = 0; i < count; i++)
        look(l, fabs(step[i] - part * less[i]) * error_weight(w, first + i, y[i]), first + i, t);
}

static largest largest_of(const keel_boundary *w, const mesh *s, const change *d)
{
    int nx = w->flow.nx, m = w->flow.m, n = w->flow.n, k = s->table.k;
    largest l = {0, 0, s->t[0]};
    const unknowns *u = &s->u, *a = d->step, *b = d->less;
    for (ptrdiff_t j = 0; j <= s->N; j++)
        look_at(w, &l, 0, nx, u->x + j * nx, a->x + j * nx, b->x + j * nx, d->part, s->t[j]);
    for (ptrdiff_t j = 0; j < (ptrdiff_t)s->N * k && m; j++) {
        ptrdiff_t i = j / k;
        look_at(w, &l, nx, m, u->z + j * m, a->z + j * m, b->z + j * m, d->part,
                s->t[i] + s->table.c[j % k] * (s->t[i + 1] - s->t[i]));
    }
    for (int j = 0; j < w->flow.np; j++)
        look(&l, fabs(a->p[j] - d->part * b->p[j]) * parameter_weight(w, u->p[j]), n + j, s->t[0]);
    return l;
}

double newton_norm(const keel_boundary *w, const mesh *s, const unknowns *d, int *worst, double *t)
{
    largest l = largest_of(w, s, &(change){d, d, 0});
    if (worst) *worst = l.worst;
    if (t) *t = l.t;
    return l.size;
}

/* |dbar - (1 - lambda) d| */
static double curvature(const keel_boundary *w, const mesh *s, double lambda)
{
    return largest_of(w, s, &(change){&s->next, &s->step, 1 - lambda}).size;
}

/* ---- steps --------------------------------------------------------------------------------- */

static void move(const mesh *s, double lambda, const unknowns *d, unknowns *to)
{
    for (size_t i = 0; i < s->count; i++) to->x[i] = s->u.x[i] + lambda * d->x[i];
}

static void swap(unknowns *a, unknowns *b)
{
    unknowns t = *a;
    *a = *b;
    *b = t;
}

/* Residual and simplified correction at u + lambda d.  0, < 0, or > 0: cannot be evaluated there. */
static int attempt(keel_boundary *w, mesh *s, double lambda, double *size)
{
    move(s, lambda, &s->step, &s->trial);
    int rc = collocation_residual(w, s, &s->trial, &s->residual);
    if (rc) return rc;
    collocation_solve(w, s, &s->residual, &s->next);
    *size = newton_norm(w, s, &s->next, NULL, NULL);
    return isfinite(*size) ? 0 : 1;
}

/* Contraction that ends at once is rounding, not divergence. */
static int is_floor(double contracted, double now) { return contracted < 1e-4 && now > 0.1; }

/* Is the correction, but for what it leaves, enough?  The contraction of the first one after new factors is
 * half of what follows.  Where figures of a mesh are wanted, or the determinants of a branch, it is to
 * be small itself. */
static int is_last(const keel_boundary *w, double size, double theta)
{
    int figures = w->options.uniform || w->following;
    return size <= enough || (!figures && 2 * theta * size <= enough);
}

/* Are new factors cheaper than so many corrections with those that are there?  Beside a correction, they
 * take about (k nx)/3 + nx times the operations, small matrices less than that [measured: 3 for two
 * unknowns], and as many evaluations as there are unknowns where derivatives are differences. */
static int is_slow(const keel_boundary *w, const mesh *s, double size, double theta)
{
    double factors = 2 + s->table.k * w->flow.nx / 8.0;
    if (w->flow.stats.rhs_for_jacobian > 0) factors += w->flow.n;
    return !(theta < contraction) || log(enough / size) / log(theta) > factors;
}

/* Goes on with the factors that are there.  1: converged, 0: they serve no longer. */
static int simplified(keel_boundary *w, mesh *s, double before, double size, int *rc)
{
    double theta = size / before;
    while (!is_slow(w, s, size, theta)) {
        move(s, 1, &s->next, &s->trial);
        *rc = collocation_residual(w, s, &s->trial, &s->residual);
        if (*rc) return 0;
        swap(&s->u, &s->trial);
        collocation_solve(w, s, &s->residual, &s->next);
        double now = newton_norm(w, s, &s->next, NULL, NULL), ratio = now / size;
        w->stats.newton++;
        int floor = is_floor(theta, ratio);
        if (is_last(w, now, ratio) || floor) {
            equations_known(w, s);
            if (ratio < 1) collocation_conclude(w, s, &s->next);
            w->rounding = floor ? now : 0;
            w->contraction = fmax(theta, ratio);
            return 1;
        }
        theta = ratio;
        size = now;
    }
    return 0;
}

/* On equal intervals, which are taken as they are, the linear equations may be so badly conditioned that
 * rounding makes d wrong by its own size, in the direction that they determine least.  dbar has that
 * direction, too, and d + dbar is right if the correction after it is small.  Otherwise d is made anew. */
static int refined(keel_boundary *w, mesh *s, double before, double *size)
{
    for (size_t i = 0; i < s->count; i++) s->step.x[i] += s->next.x[i];
    int rc = attempt(w, s, 1, size);
    if (rc < 0 || (!rc && *size <= contraction * before)) return rc;
    rc = collocation_residual(w, s, &s->u, &s->residual);
    if (rc) return rc < 0 ? rc : BOUNDARY_DIVERGES;
    collocation_solve(w, s, &s->residual, &s->step);
    rc = attempt(w, s, 1, size);
    return rc < 0 ? rc : BOUNDARY_DIVERGES;
}

/* A damped step with new factors: lambda > 0 that was taken; *size: of the next correction. */
static int damped(keel_boundary *w, mesh *s, double *lambda, double before, double *size)
{
    for (;;) {
        int rc = attempt(w, s, *lambda, size);
        if (rc < 0) return rc;
        if (!rc && *size <= (1 - *lambda / 4) * before) break;
        if (!rc && *lambda == 1 && w->options.uniform) {
            int refusal = refined(w, s, before, size);
            if (!refusal) break;
            if (refusal < 0) return refusal;
        }
        double other = rc ? 0 : *lambda * *lambda * before / (2 * curvature(w, s, *lambda));
        *lambda = fmin(rc || !isfinite(other) ? *lambda / 4 : other, *lambda / 2);
        if (*lambda < smallest_lambda) return rc ? rc : BOUNDARY_DIVERGES;
    }
    w->stats.newton++;
    return 0;
}

/* On a mesh that is too coarse anyway: is the first correction, which the problem on the mesh before
 * would have made `known` times as large at the next one, as good as the last? */
static int is_foreseen(const keel_boundary *w, double known, double before)
{
    return w->hasty && known * before <= 1;
}

/* So small a correction with new factors shrinks at the next one, unless it is rounding, or noise of
 * derivatives that are differences. */
static int is_noise(const keel_boundary *w, double size)
{
    static const double little = 0.2;            /* of the tolerance */
    return size <= little || size * w->tolerance < 1e-12;
}

/* The same where h itself is made of differences, and new factors do not help. */
static int is_coarse_noise(const keel_boundary *w, double size)
{
    return !flow_is_direct(w->spec.problem) && size * w->tolerance < 1e-9;
}

/* s->next is the correction at s->u, by new factors, after one of size `before`.  1: converged with those. */
static int settled(keel_boundary *w, mesh *s, double before, double size, int *rc)
{
    if (!is_last(w, size, size / before)) return simplified(w, s, before, size, rc);
    equations_known(w, s);
    collocation_conclude(w, s, &s->next);
    w->contraction = 2 * size / before;
    return 1;
}

/* Equal intervals, on which rounding errors may be as large as that: it had converged before. */
static int is_spoiled(const keel_boundary *w, double first, double before)
{
    return w->options.uniform && before <= 1e-6 * first;
}

static int iterate(keel_boundary *w, mesh *s)
{
    double lambda = 1, size = 0, first = 0, last = 0, known = w->contraction;
    int rc = collocation_residual(w, s, &s->u, &s->residual);
    w->rounding = 0;
    w->contraction = 1;
    w->unsolved.size = INFINITY;                 /* not known                              */
    for (int iteration = 0; iteration < ITERATIONS_MOST && !rc; iteration++) {
        rc = collocation_factor(w, s);
        if (rc) return rc;
        collocation_solve(w, s, &s->residual, &s->step);
        double before = newton_norm(w, s, &s->step, &w->worst, &w->worst_t);
        if (!isfinite(before)) return BOUNDARY_SINGULAR_ENDS;
        if (iteration == 0 && is_foreseen(w, known, before)) {
            collocation_conclude(w, s, &s->step);
            w->contraction = known;
            w->unfinished = before;
            return 0;
        }
        rc = damped(w, s, &lambda, before, &size);
        int stuck = rc == BOUNDARY_DIVERGES || (!rc && size > contraction * before);
        if (iteration == 0) first = before;
        if (stuck && s->single) return BOUNDARY_DIVERGES;
        if (stuck && (is_noise(w, before) || is_floor(before / last, size / before) ||
                      (rc && (is_spoiled(w, first, before) || is_coarse_noise(w, before))))) {
            w->rounding = before;
            return 0;
        }
        last = before;
        if (rc) return rc;
        double bend = lambda < 1 || size > enough ? curvature(w, s, lambda) : 0;
        swap(&s->u, &s->trial);
        if (lambda == 1 && settled(w, s, before, size, &rc)) return 0;
        double next = lambda * lambda * before / (2 * bend);
        lambda = fmin(1, isfinite(next) ? fmax(next, lambda) : 1);
    }
    return rc ? rc : BOUNDARY_DIVERGES;
}

/* Where means of intervals do not lead to a solution, matrices of all stages may. */
int newton_solve(keel_boundary *w, mesh *s)
{
    int rc = iterate(w, s);
    if (rc <= 0 || !s->single || w->broken) return rc;
    w->whole = 1;
    rc = mesh_thaw(w, s);
    return rc ? rc : iterate(w, s);
}

int newton_finish(keel_boundary *w, mesh *s)
{
    double before = w->unfinished;
    w->unfinished = 0;
    int rc = collocation_residual(w, s, &s->u, &s->residual);
    if (rc) return rc;
    collocation_solve(w, s, &s->residual, &s->next);
    double size = newton_norm(w, s, &s->next, NULL, NULL);
    w->stats.newton++;
    if (isfinite(size) && settled(w, s, before, size, &rc)) return 0;
    w->hasty = 0;
    return rc ? rc : newton_solve(w, s);
}
