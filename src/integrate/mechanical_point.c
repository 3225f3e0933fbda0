/* mechanical_point.c -- a new point: projection, acceleration and multiplier from one matrix.
 *
 *   position      [M G^T; G 0][dq; .] = [0; -g(t,q)]                  Schropp (2.7), k_l = -M^-1 G^T
 *   velocity      [M G^T; G 0][dv; .] = [0; -(G v + g_t)]             Schropp (2.8)
 *   acceleration  [M G^T; G 0][a; l]  = [f; -gamma]                   the hidden constraint
 *
 * Each to rounding.  After a step, dq has the direction M^-1 G^T of the factorization: at the first
 * guess, or at an earlier step while that converges fast; the method is stiffly accurate, so that
 * dq is Newton's error and its direction does not matter.  On request M and G are those at the new
 * point.  dv has the direction at the projected positions; explicit projection: dq and dv that at
 * the point before.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/mechanical.h"

/* Passes with a factorization of an earlier step, with that at the first guess, with one each. */
enum { PROJECTION_LIMIT = 8, PROJECTION_MOST = 40, FACTORED_MOST = 20 };

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

static attempt_result projection_fails(keel_solver *s, int variable)
{
    s->report.variable = variable;
    s->report.factor = 0.5;
    return ATTEMPT_NOT_CONVERGED;
}

/* Moves q to g = 0. */
static attempt_result project_position(keel_solver *s, trajectory_point *p, double t)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    int limit = p->kkt_exact ? PROJECTION_MOST : PROJECTION_LIMIT;
    double *dq = s->eval.work[4], *mu = s->eval.work[5], last = INFINITY;
    for (int pass = 0; pass < limit; pass++) {
        memset(dq, 0, (size_t)n * sizeof *dq);
        for (int k = 0; k < m; k++) mu[k] = -p->g[k];
        saddle_solve(p->kkt, 1, dq, mu);
        s->stats.solves++;
        double size = norm_relative(n, dq, p->y);
        if (size <= 2 * DBL_EPSILON) return ATTEMPT_DONE;
        if (!(size < 0.5 * last))                             /* at rounding, or hopeless */
            return size <= 1e-12 ? ATTEMPT_DONE : projection_fails(s, 0);
        last = size;
        for (int i = 0; i < n; i++) p->y[i] += dq[i];
        p->kkt_exact = 0;
        int rc = evaluate_position(s, p, t);
        if (rc) return evaluation_result(s, rc);
    }
    return projection_fails(s, 0);
}

static attempt_result factor_point(keel_solver *s, trajectory_point *p)
{
    int rc = saddle_factor(p->kkt, p->M, p->G);
    s->stats.factorizations++;
    p->kkt_exact = rc == 0;
    if (rc == 0) return ATTEMPT_DONE;
    s->report.variable = rc > 0 ? 2 * s->problem->group[0] + rc - 1 : -1;
    s->report.factor = 0.5;
    return ATTEMPT_SINGULAR;
}

/* q := q^ + dq with M dq + G^T mu = 0 and g = 0, all at q; q^ in e->before.  Linearised at q,
 * [M G^T; G 0][dq; mu] = [0; G (q - q^) - g]. */
static attempt_result move_position(keel_solver *s, trajectory_point *p, double t)
{
    const mechanical_state *e = s->state;
    int n = e->n, m = e->m;
    double *dq = s->eval.work[4], *mu = s->eval.work[5], last = INFINITY;
    for (int pass = 0; pass < FACTORED_MOST; pass++) {
        attempt_result factored = p->kkt_exact ? ATTEMPT_DONE : factor_point(s, p);
        if (factored != ATTEMPT_DONE) return factored;
        memset(dq, 0, (size_t)n * sizeof *dq);
        for (int k = 0; k < m; k++) {
            mu[k] = -p->g[k];
            for (int j = 0; j < n; j++) mu[k] += p->G[k * n + j] * (p->y[j] - e->before[j]);
        }
        saddle_solve(p->kkt, 1, dq, mu);
        s->stats.solves++;
        for (int i = 0; i < n; i++) dq[i] += e->before[i] - p->y[i];
        double size = norm_relative(n, dq, p->y);
        if (size <= 2 * DBL_EPSILON) return ATTEMPT_DONE;
        if (!(size < 0.7 * last)) return size <= 1e-12 ? ATTEMPT_DONE : projection_fails(s, 0);
        last = size;
        for (int i = 0; i < n; i++) p->y[i] += dq[i];
        p->kkt_exact = 0;
        int rc = evaluate_position(s, p, t);
        if (rc) return evaluation_result(s, rc);
    }
    return projection_fails(s, 0);
}

/* top -= M x + G^T l, bottom -= G x */
static void subtract_product(const trajectory_point *p, int n, int m, const double *x,
                             const double *l, double *top, double *bottom)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) top[i] -= p->M[i * n + j] * x[j];
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++) {
            top[j] -= p->G[k * n + j] * l[k];
            bottom[k] -= p->G[k * n + j] * x[j];
        }
}

/* (x, l) := [M G^T; G 0]^-1 (x, l) with this point's M and G, refined when the factors belong to
 * others, until the residual is rounding in its terms.  0 if that converges too slowly. */
static int solve_exactly(keel_solver *s, trajectory_point *p, double *x, double *l)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    double *b = s->eval.work[6], *c = s->eval.work[7];
    double *top = s->eval.work[8], *bottom = s->eval.work[9];
    memcpy(b, x, (size_t)n * sizeof *b);
    memcpy(c, l, (size_t)m * sizeof *c);
    saddle_solve(p->kkt, 1, x, l);
    s->stats.solves++;
    if (p->kkt_exact) return 1;
    double M = norm_max(n * n, p->M), G = norm_max(m * n, p->G), eps = 4 * n * DBL_EPSILON;
    for (int pass = 0; pass < PROJECTION_LIMIT; pass++) {
        memcpy(top, b, (size_t)n * sizeof *top);
        memcpy(bottom, c, (size_t)m * sizeof *bottom);
        subtract_product(p, n, m, x, l, top, bottom);
        double sx = norm_max(n, x), sl = norm_max(m, l);
        if (norm_max(n, top) <= eps * (norm_max(n, b) + M * sx + G * sl) &&
            norm_max(m, bottom) <= eps * (norm_max(m, c) + G * sx)) return 1;
        saddle_solve(p->kkt, 1, top, bottom);
        s->stats.solves++;
        for (int i = 0; i < n; i++) x[i] += top[i];
        for (int k = 0; k < m; k++) l[k] += bottom[k];
    }
    return 0;
}

/* Moves v to G v + g_t = 0, which is linear in v. */
static attempt_result project_velocity(keel_solver *s, trajectory_point *p)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    double *dv = s->eval.work[4], *mu = s->eval.work[5], *v = p->y + n;
    velocity_residual(p, n, m, mu);
    memset(dv, 0, (size_t)n * sizeof *dv);
    for (int k = 0; k < m; k++) mu[k] = -mu[k];
    if (!solve_exactly(s, p, dv, mu)) return projection_fails(s, n);
    for (int i = 0; i < n; i++) v[i] += dv[i];
    return ATTEMPT_DONE;
}

/* The same along M^-1 G^T of the factorization. */
static attempt_result project_velocity_along(keel_solver *s, trajectory_point *p)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    double *dv = s->eval.work[4], *mu = s->eval.work[5], *v = p->y + n, last = INFINITY;
    for (int pass = 0; pass < PROJECTION_MOST; pass++) {
        velocity_residual(p, n, m, mu);
        memset(dv, 0, (size_t)n * sizeof *dv);
        for (int k = 0; k < m; k++) mu[k] = -mu[k];
        saddle_solve(p->kkt, 1, dv, mu);
        s->stats.solves++;
        double size = norm_relative(n, dv, v);
        if (size <= 2 * DBL_EPSILON) return ATTEMPT_DONE;
        if (!(size < 0.5 * last)) return size <= 1e-12 ? ATTEMPT_DONE : projection_fails(s, n);
        last = size;
        for (int i = 0; i < n; i++) v[i] += dv[i];
    }
    return projection_fails(s, n);
}

static attempt_result project_levels(keel_solver *s, trajectory_point *p, double t,
                                     const projection_plan *plan)
{
    mechanical_state *e = s->state;
    int refined = !plan->stiffly_accurate && plan->kind != KEEL_PROJECT_EXPLICIT;
    attempt_result result = ATTEMPT_DONE;
    if (plan->kind != KEEL_PROJECT_VELOCITY) {
        if (refined) memcpy(e->before, p->y, (size_t)e->n * sizeof *e->before);
        result = refined ? move_position(s, p, t) : project_position(s, p, t);
    }
    if (result != ATTEMPT_DONE || plan->kind == KEEL_PROJECT_POSITION) return result;
    return plan->kind == KEEL_PROJECT_EXPLICIT ? project_velocity_along(s, p)
                                               : project_velocity(s, p);
}

int needs_gradients(const projection_plan *plan)
{
    return plan->kind == KEEL_PROJECT_ORTHOGONAL && plan->metric != KEEL_METRIC_MASS;
}

/* The nearest point in a metric that knows nothing of M. */
static attempt_result project_gradients(keel_solver *s, trajectory_point *p, double t,
                                        const projection_plan *plan)
{
    mechanical_state *e = s->state;
    projection_plan levels = *plan;
    int row = 0;
    levels.multipliers = 0;                      /* they come with the accelerations */
    switch (projection_move(&e->projection, &s->eval, &levels, NULL, t, p->y, &row)) {
    case PROJECTION_DONE: return ATTEMPT_DONE;
    case PROJECTION_CANNOT_EVALUATE: return evaluation_result(s, 1);
    case PROJECTION_STOP: return evaluation_result(s, -1);
    case PROJECTION_SINGULAR:
        s->report.variable = 2 * e->n + row;
        s->report.factor = 0.5;
        return ATTEMPT_SINGULAR;
    default: return projection_fails(s, 0);
    }
}

/* a and l from [M G^T; G 0][a; l] = [f; -gamma] */
static attempt_result solve_acceleration(keel_solver *s, trajectory_point *p)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    memcpy(p->a, p->f, (size_t)n * sizeof *p->a);
    for (int k = 0; k < m; k++) p->l[k] = -p->gamma[k];
    return solve_exactly(s, p, p->a, p->l) ? ATTEMPT_DONE : projection_fails(s, 0);
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

/* Everything at (t, y) that follows from M, G, g and a factorization. */
static attempt_result complete(keel_solver *s, trajectory_point *p, double t,
                               const projection_plan *plan, double residual[3])
{
    const mechanical_state *e = s->state;
    int n = e->n, m = e->m;
    attempt_result result = ATTEMPT_DONE;
    if (plan) {
        result = project_levels(s, p, t, plan);
        if (result != ATTEMPT_DONE) return result;
    }
    keel_mechanical_parts parts = {.force = p->f, .curvature = p->gamma};
    int rc = eval_mechanical(&s->eval, t, p->y, p->y + n,
                             KEEL_FORCE | (m > 0 ? KEEL_CURVATURE : 0u), &parts);
    if (rc) return evaluation_result(s, rc);
    result = solve_acceleration(s, p);
    if (result == ATTEMPT_NOT_CONVERGED && p->kkt != e->now.kkt) {       /* moved too far for it */
        result = factor_point(s, p);
        if (result == ATTEMPT_DONE) result = solve_acceleration(s, p);
    }
    memcpy(p->y + 2 * n, p->l, (size_t)m * sizeof *p->l);
    residual[0] = norm_max(m, p->g);
    residual[1] = velocity_residual(p, n, m, s->eval.work[5]);
    residual[2] = acceleration_residual(p, n, m);
    return result;
}

/* Is it a step whose projection may have the direction of an earlier factorization? */
static int serves_again(const mechanical_state *e, const trajectory_point *p,
                        const projection_plan *plan)
{
    return e->full && p != &e->now &&
           (!plan || (plan->stiffly_accurate && plan->kind != KEEL_PROJECT_EXPLICIT));
}

attempt_result point_complete(keel_solver *s, trajectory_point *p, double t,
                              const projection_plan *plan, double residual[3])
{
    mechanical_state *e = s->state;
    if (e->m == 0) plan = NULL;
    if (plan) s->stats.projections++;
    if (plan && needs_gradients(plan)) {
        attempt_result projected = project_gradients(s, p, t, plan);
        if (projected != ATTEMPT_DONE) return projected;
        plan = NULL;
    }
    int rc = evaluate_position(s, p, t);
    if (rc) return evaluation_result(s, rc);
    if (serves_again(e, p, plan)) {              /* the stages do not need a new factorization */
        p->kkt = e->now.kkt;
        p->kkt_exact = 0;
        attempt_result result = complete(s, p, t, plan, residual);
        if (result != ATTEMPT_NOT_CONVERGED) return result;
    }
    p->kkt = e->now.kkt == e->kkt[0] ? e->kkt[1] : e->kkt[0];
    attempt_result factored = factor_point(s, p);
    return factored == ATTEMPT_DONE ? complete(s, p, t, plan, residual) : factored;
}
