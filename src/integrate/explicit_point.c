/* explicit_point.c -- the new point: projection, slope and residuals.
 *
 * Mechanical systems, with the saddle matrix of the last stage or of the point itself:
 *   position      [M G^T; G 0][dq; .] = [0; -g(t,q)]          factors of the last stage
 *   velocity      [M G^T; G 0][dv; .] = [0; -(G v + g_t)]     G at the projected q
 *   acceleration  [M G^T; G 0][a; l]  = [f; -gamma]           at the projected point
 * The last factorization is that of the next first stage: the projection needs none of its own.
 * Where the last stage is the new point its slope is kept, evaluated before the projection: the
 * difference is one of the order of the local error.
 */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"

enum { PASSES = 8, REQUEST_PASSES = 40 };

static const double
    enough = 1e-14,              /* size of a relative correction that is the last         */
    left = 2e-15,                /* ... that is not made, expected from the contraction    */
    stalled = 1e-11;             /* ... that rounding may leave                            */

static attempt_result diverges(keel_solver *s, int variable)
{
    s->report.variable = variable;
    s->report.factor = 0.5;
    return ATTEMPT_NOT_CONVERGED;
}

static int evaluate(keel_solver *s, double t, const double *x, unsigned wanted)
{
    explicit_state *e = s->state;
    if (e->m == 0) wanted &= KEEL_MASS | KEEL_FORCE;
    if (e->mass_known) wanted &= ~(unsigned)KEEL_MASS;
    return wanted ? eval_mechanical(&s->eval, t, x, x + e->n, wanted, &e->parts) : 0;
}

/* ---- levels of a mechanical system ---------------------------------------------------------- */

/* One correction of q with the factors at hand from the g at hand; its relative size. */
static double correct_position(keel_solver *s, double *q)
{
    explicit_state *e = s->state;
    memset(e->move, 0, (size_t)e->n * sizeof *e->move);
    for (int k = 0; k < e->m; k++) e->mu[k] = -e->parts.constraint[k];
    saddle_solve(e->kkt, 1, e->move, e->mu);
    s->stats.solves++;
    for (int i = 0; i < e->n; i++) q[i] += e->move[i];
    return norm_relative(e->n, e->move, q);
}

/* Moves q to g = 0 and evaluates what depends on q there.  The contraction of the last correction
 * says, with some reserve, whether this one will do, and g at the new point confirms it. */
static attempt_result project_position(keel_solver *s, double t, double *x, unsigned wanted)
{
    explicit_state *e = s->state;
    double size = INFINITY;
    int rc = evaluate(s, t, x, KEEL_CONSTRAINT);
    for (int pass = 0; pass < PASSES && !rc; pass++) {
        double before = norm_max(e->m, e->parts.constraint), last = size;
        size = correct_position(s, x);
        int stalls = !(size < 0.5 * last);
        if (stalls && !(size <= stalled)) break;
        int done = stalls || size <= enough || size * e->contraction <= 0.1 * left;
        rc = evaluate(s, t, x, done ? wanted | KEEL_CONSTRAINT : KEEL_CONSTRAINT);
        if (size > enough) e->contraction = norm_max(e->m, e->parts.constraint) / before;
        done &= stalls || size <= enough || size * e->contraction <= left;
        if (done && !rc) return ATTEMPT_DONE;
    }
    return rc ? evaluation_result(s, rc) : diverges(s, 0);
}

/* w = G v + g_t; returns its largest entry. */
static double velocity_residual(const explicit_state *e, const double *v, double *w)
{
    const double *G = e->parts.constraint_jacobian;
    for (int k = 0; k < e->m; k++, G += e->n) {
        double sum = e->parts.constraint_time[k];
        for (int j = 0; j < e->n; j++) sum += G[j] * v[j];
        w[k] = sum;
    }
    return norm_max(e->m, w);
}

/* Moves v to G v + g_t = 0, linear in v: once with exact factors. */
static attempt_result project_velocity(keel_solver *s, double *v, int exact)
{
    explicit_state *e = s->state;
    double last = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        velocity_residual(e, v, e->mu);
        memset(e->move, 0, (size_t)e->n * sizeof *e->move);
        for (int k = 0; k < e->m; k++) e->mu[k] = -e->mu[k];
        saddle_solve(e->kkt, 1, e->move, e->mu);
        s->stats.solves++;
        for (int i = 0; i < e->n; i++) v[i] += e->move[i];
        double size = norm_relative(e->n, e->move, v);
        if (exact || size <= enough) return ATTEMPT_DONE;
        if (!(size < 0.5 * last)) return size <= stalled ? ATTEMPT_DONE : diverges(s, e->n);
        last = size;
    }
    return diverges(s, e->n);
}

static double acceleration_residual(const explicit_state *e, const double *a)
{
    const double *G = e->parts.constraint_jacobian;
    double largest = 0;
    for (int k = 0; k < e->m; k++, G += e->n) {
        double sum = e->parts.curvature[k];
        for (int j = 0; j < e->n; j++) sum += G[j] * a[j];
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

/* a and l at (t,x) from the factors there, into slope. */
static attempt_result acceleration(keel_solver *s, double t, const double *x, double *slope,
                                   int evaluated)
{
    explicit_state *e = s->state;
    int n = e->n;
    int rc = evaluated ? 0 : evaluate(s, t, x, KEEL_FORCE | KEEL_CURVATURE);
    if (rc) return evaluation_result(s, rc);
    memcpy(slope, x + n, (size_t)n * sizeof *slope);
    memcpy(slope + n, e->parts.force, (size_t)n * sizeof *slope);
    for (int k = 0; k < e->m; k++) e->l[k] = -e->parts.curvature[k];
    saddle_solve(e->kkt, 1, slope + n, e->l);
    s->stats.solves++;
    return ATTEMPT_DONE;
}

static void mechanical_residuals(const keel_solver *s, const double *x, const double *slope,
                                 double residual[3])
{
    const explicit_state *e = s->state;
    residual[0] = norm_max(e->m, e->parts.constraint);
    residual[1] = velocity_residual(e, x + e->n, e->mu);
    residual[2] = acceleration_residual(e, slope + e->n);
}

/* ---- projection through the general code ---------------------------------------------------- */

/* Invariants, formulations, and the kinds of projection that use no factors of ours. */
static attempt_result project_generally(keel_solver *s, projection_plan plan, double t, double *y)
{
    explicit_state *e = s->state;
    int row = 0;
    s->stats.projections++;
    return projection_attempt(s, projection_move(&e->projection, &s->eval, &plan, NULL, t, y, &row),
                           row);
}

static attempt_result general_residuals(keel_solver *s, double t, const double *y,
                                        double residual[3])
{
    explicit_state *e = s->state;
    return projection_attempt(s, projection_residuals(&e->projection, &s->eval, t, y, 0, residual), 0);
}

/* ---- mechanical ------------------------------------------------------------------------------ */

/* Everything at a point whose last stage is not it. */
static attempt_result new_point(keel_solver *s, double t, double *x, double *slope, int project,
                                double residual[3])
{
    explicit_state *e = s->state;
    unsigned wanted = KEEL_MASS | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME;
    attempt_result result;
    if (project) result = project_position(s, t, x, wanted);
    else result = evaluation_result(s, evaluate(s, t, x, wanted | KEEL_FORCE | KEEL_CURVATURE));
    if (result == ATTEMPT_DONE) result = explicit_factor(s);
    if (result == ATTEMPT_DONE && project) result = project_velocity(s, x + e->n, 1);
    if (result == ATTEMPT_DONE) result = acceleration(s, t, x, slope, !project);
    if (result == ATTEMPT_DONE) mechanical_residuals(s, x, slope, residual);
    return result;
}

/* The last stage is the new point but for the projection: its slope, multipliers and factors. */
static attempt_result last_stage(keel_solver *s, double t, double *x, double *slope, int project,
                                 double residual[3])
{
    explicit_state *e = s->state;
    unsigned wanted = KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME;
    attempt_result result;
    memcpy(slope, e->K + (e->stages - 1) * e->padded, (size_t)e->d * sizeof *slope);
    if (e->m == 0) return ATTEMPT_DONE;
    if (project) result = project_position(s, t, x, wanted);
    else result = evaluation_result(s, evaluate(s, t, x, wanted));
    if (result == ATTEMPT_DONE && project) result = project_velocity(s, x + e->n, 0);
    memcpy(slope, x + e->n, (size_t)e->n * sizeof *slope);
    if (result == ATTEMPT_DONE) mechanical_residuals(s, x, slope, residual);
    return result;
}

static attempt_result settle_mechanical(keel_solver *s, double t, int first, double residual[3])
{
    explicit_state *e = s->state;
    double *x = e->x_new;
    keel_projection kind = first ? KEEL_PROJECT_NONE : s->options.projection;
    int own = kind == KEEL_PROJECT_OBLIQUE && e->m > 0;
    int general = e->m > 0 && !own && kind != KEEL_PROJECT_NONE;
    memcpy(x + e->d, e->l, (size_t)e->m * sizeof *x);
    attempt_result result = ATTEMPT_DONE;
    if (general) result = project_generally(s, projection_plan_of(s, 0), t, x);
    if (result != ATTEMPT_DONE) return result;
    s->stats.projections += own;
    int kept = e->same_last && !first;
    result = (kept ? last_stage : new_point)(s, t, x, e->slope_new, own, residual);
    memcpy(x + e->d, e->l, (size_t)e->m * sizeof *x);
    return result;
}

/* ---- any form -------------------------------------------------------------------------------- */

/* x' at the candidate and, with it, z or the multipliers. */
static attempt_result candidate_slope(keel_solver *s, double t, int kept)
{
    explicit_state *e = s->state;
    int mechanical = s->problem->form == KEEL_FORM_MECHANICAL;
    attempt_result result = ATTEMPT_DONE;
    const double *last = e->K + (e->stages - 1) * e->padded;
    if (kept) memcpy(e->slope_new, last, (size_t)e->d * sizeof *last);
    else result = explicit_rate(s, t, e->x_new, e->slope_new, 1);
    if (mechanical) memcpy(e->x_new + e->d, e->l, (size_t)e->m * sizeof *e->l);
    return kept && e->algebraic.Z ? explicit_algebraic(s, t, e->x_new, 1) : result;
}

attempt_result explicit_settle(keel_solver *s, double t, int first, double residual[3])
{
    explicit_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    if (s->problem->form == KEEL_FORM_MECHANICAL && !s->problem->original)
        return settle_mechanical(s, t, first, residual);
    if (e->projected && !first && s->options.projection != KEEL_PROJECT_NONE)
        result = project_generally(s, projection_plan_of(s, 0), t, e->x_new);
    if (result == ATTEMPT_DONE) result = candidate_slope(s, t, e->same_last && !first);
    if (result != ATTEMPT_DONE || keel_problem_levels(s->problem) == 0) return result;
    return general_residuals(s, t, e->x_new, residual);
}

/* ---- on request ------------------------------------------------------------------------------ */

/* q with g = 0 and M (q - q^) + G^T mu = 0 at q itself:
 *   [M G^T; G 0][q - q^; mu] = [0; G (q - q^) - g],   factored anew until nothing changes. */
static attempt_result nearest_position(keel_solver *s, double t, const double *given, double *x)
{
    explicit_state *e = s->state;
    int n = e->n;
    double last = INFINITY;
    for (int pass = 0; pass < REQUEST_PASSES; pass++) {
        int rc = evaluate(s, t, x, KEEL_MASS | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN);
        if (rc) return evaluation_result(s, rc);
        attempt_result result = explicit_factor(s);
        if (result != ATTEMPT_DONE) return result;
        const double *G = e->parts.constraint_jacobian;
        for (int k = 0; k < e->m; k++, G += n) {
            e->mu[k] = -e->parts.constraint[k];
            for (int j = 0; j < n; j++) e->mu[k] += G[j] * (x[j] - given[j]);
        }
        memset(e->move, 0, (size_t)n * sizeof *e->move);
        saddle_solve(e->kkt, 1, e->move, e->mu);
        s->stats.solves++;
        for (int i = 0; i < n; i++) e->move[i] += given[i] - x[i];
        for (int i = 0; i < n; i++) x[i] += e->move[i];
        double size = norm_relative(n, e->move, x);
        if (size <= enough) return ATTEMPT_DONE;
        if (!(size < 0.7 * last)) return size <= stalled ? ATTEMPT_DONE : diverges(s, 0);
        last = size;
    }
    return diverges(s, 0);
}

/* Any point near the manifold, to rounding, and its multipliers. */
attempt_result explicit_project(keel_solver *s, double t, double *y, double residual[3])
{
    explicit_state *e = s->state;
    const projection_plan plan = projection_plan_on_request(s);
    int along_mass = plan.kind == KEEL_PROJECT_OBLIQUE ||
                     (plan.kind == KEEL_PROJECT_ORTHOGONAL && plan.metric == KEEL_METRIC_MASS);
    if (s->problem->form != KEEL_FORM_MECHANICAL || s->problem->original || !along_mass) {
        attempt_result moved = project_generally(s, plan, t, y);
        return moved == ATTEMPT_DONE ? general_residuals(s, t, y, residual) : moved;
    }
    double *x = e->stage;
    memcpy(x, y, (size_t)s->n * sizeof *x);
    e->contraction = 1;
    s->stats.projections++;
    attempt_result result = nearest_position(s, t, y, x);
    if (result == ATTEMPT_DONE) result = new_point(s, t, x, e->half_slope, 1, residual);
    if (result != ATTEMPT_DONE) return result;
    memcpy(x + e->d, e->l, (size_t)e->m * sizeof *x);
    memcpy(y, x, (size_t)s->n * sizeof *y);
    return ATTEMPT_DONE;
}
