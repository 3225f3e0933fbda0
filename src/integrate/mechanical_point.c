/* mechanical_point.c -- a new point: projection, acceleration and multiplier from one matrix.
 *
 *   position      [M G^T; G 0][dq; .] = [0; -g(t,q)]                  Schropp (2.7), k_l = -M^-1 G^T
 *   velocity      [M G^T; G 0][dv; .] = [0; -(G v + g_t)]             Schropp (2.8)
 *   acceleration  [M G^T; G 0][a; l]  = [f; -gamma]                   the hidden constraint
 *
 * Directions at the new point; iterated to rounding with the factorization at the first guess.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/mechanical.h"

enum { PROJECTION_LIMIT = 8 };

/* M, G, g, g_t at (t, q). */
static int evaluate_position(keel_solver *s, trajectory_point *p, double t)
{
    int n = s->problem->group[0];
    keel_mechanical_parts parts = {.mass = p->M, .constraint = p->g, .constraint_jacobian = p->G,
                                   .constraint_time = p->g_t};
    return eval_mechanical(&s->eval, t, p->y, p->y + n, KEEL_MASS | KEEL_CONSTRAINT |
                           KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME, &parts);
}

/* w = G v + g_t; returns its largest entry. */
static double velocity_residual(const trajectory_point *p, int n, int m, double *w)
{
    const double *v = p->y + n;
    for (int k = 0; k < m; k++) {
        double sum = p->g_t[k];
        for (int j = 0; j < n; j++) sum += p->G[k * n + j] * v[j];
        w[k] = sum;
    }
    return norm_max(m, w);
}

/* Largest |x_i| / (1 + |reference_i|). */
static double relative_size(int n, const double *x, const double *reference)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]) / (1 + fabs(reference[i])));
    return largest;
}

static attempt_result projection_fails(keel_solver *s, int variable)
{
    s->report.variable = variable;
    s->report.factor = 0.5;
    return ATTEMPT_NOT_CONVERGED;
}

/* Moves q to g = 0; *moved tells whether M and G have changed since they were factored. */
static attempt_result project_position(keel_solver *s, trajectory_point *p, double t, int *moved)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    double *dq = s->eval.work[4], *mu = s->eval.work[5], last = INFINITY;
    for (int pass = 0; pass < PROJECTION_LIMIT; pass++) {
        memset(dq, 0, (size_t)n * sizeof *dq);
        for (int k = 0; k < m; k++) mu[k] = -p->g[k];
        saddle_solve(p->kkt, 1, dq, mu);
        s->stats.solves++;
        double size = relative_size(n, dq, p->y);
        if (size <= 2 * DBL_EPSILON) return ATTEMPT_DONE;
        if (!(size < 0.5 * last))                             /* at rounding, or hopeless */
            return size <= 1e-12 ? ATTEMPT_DONE : projection_fails(s, 0);
        last = size;
        for (int i = 0; i < n; i++) p->y[i] += dq[i];
        *moved = 1;
        int rc = evaluate_position(s, p, t);
        if (rc) return evaluation_result(s, rc);
    }
    return projection_fails(s, 0);
}

static void project_velocity(keel_solver *s, trajectory_point *p, int moved)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    double *dv = s->eval.work[4], *mu = s->eval.work[5], *v = p->y + n;
    for (int pass = 0; pass < (moved ? 4 : 1); pass++) {
        velocity_residual(p, n, m, mu);
        memset(dv, 0, (size_t)n * sizeof *dv);
        for (int k = 0; k < m; k++) mu[k] = -mu[k];
        saddle_solve(p->kkt, 1, dv, mu);
        s->stats.solves++;
        for (int i = 0; i < n; i++) v[i] += dv[i];
        if (relative_size(n, dv, v) <= DBL_EPSILON) break;
    }
}

/* a and l from [M G^T; G 0][a; l] = [f; -gamma], refined when the factors belong to another M, G. */
static void solve_acceleration(keel_solver *s, trajectory_point *p, int moved)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    double *l = p->y + 2 * n, *top = s->eval.work[4], *bottom = s->eval.work[5];
    memcpy(p->a, p->f, (size_t)n * sizeof *p->a);
    for (int k = 0; k < m; k++) l[k] = -p->gamma[k];
    saddle_solve(p->kkt, 1, p->a, l);
    s->stats.solves++;
    for (int pass = 0; pass < (moved ? 2 : 0); pass++) {
        for (int i = 0; i < n; i++) {
            top[i] = p->f[i];
            for (int j = 0; j < n; j++) top[i] -= p->M[i * n + j] * p->a[j];
            for (int k = 0; k < m; k++) top[i] -= p->G[k * n + i] * l[k];
        }
        for (int k = 0; k < m; k++) {
            bottom[k] = -p->gamma[k];
            for (int j = 0; j < n; j++) bottom[k] -= p->G[k * n + j] * p->a[j];
        }
        saddle_solve(p->kkt, 1, top, bottom);
        s->stats.solves++;
        for (int i = 0; i < n; i++) p->a[i] += top[i];
        for (int k = 0; k < m; k++) l[k] += bottom[k];
    }
}

static double acceleration_residual(const trajectory_point *p, int n, int m)
{
    double largest = 0;
    for (int k = 0; k < m; k++) {
        double sum = p->gamma[k];
        for (int j = 0; j < n; j++) sum += p->G[k * n + j] * p->a[j];
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

attempt_result point_complete(keel_solver *s, trajectory_point *p, double t, int project,
                              double residual[3])
{
    int n = s->problem->group[0], m = s->problem->constraints, moved = 0;
    int rc = evaluate_position(s, p, t);
    if (rc) return evaluation_result(s, rc);
    s->stats.factorizations++;
    rc = saddle_factor(p->kkt, p->M, p->G);
    if (rc) {
        s->report.variable = rc > 0 ? 2 * n + rc - 1 : -1;
        s->report.factor = 0.5;
        return ATTEMPT_SINGULAR;
    }
    if (project && m > 0) {
        s->stats.projections++;
        attempt_result result = project_position(s, p, t, &moved);
        if (result != ATTEMPT_DONE) return result;
        project_velocity(s, p, moved);
    }
    keel_mechanical_parts parts = {.force = p->f, .curvature = p->gamma};
    rc = eval_mechanical(&s->eval, t, p->y, p->y + n, KEEL_FORCE | (m > 0 ? KEEL_CURVATURE : 0u),
                         &parts);
    if (rc) return evaluation_result(s, rc);
    solve_acceleration(s, p, moved);
    residual[0] = norm_max(m, p->g);
    residual[1] = velocity_residual(p, n, m, s->eval.work[5]);
    residual[2] = acceleration_residual(p, n, m);
    return ATTEMPT_DONE;
}
