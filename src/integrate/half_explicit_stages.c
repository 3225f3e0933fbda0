/* half_explicit_stages.c -- the stages: explicit in y, one small system for each Z_i.
 *
 * Hessenberg forms: simplified Newton on  w(t*, base + h a*_ii f(Y_i, Z)) = 0  with the matrix
 * h a*_ii S, where S = g_y f_z (index 2) or g_u f_v k_l (index 3) is taken at the last accepted
 * point and anew at a stage where that converges too slowly.
 *
 * Mechanical: w = G(Q*) V* + g_t is linear in the acceleration, with Q* known before it,
 *
 *   [M(Q_i)   G(Q_i)^T] [A_i]   [ f(Q_i, V_i)                                                ]
 *   [G(Q*_i)  0       ] [L_i] = [-(G(Q*_i)(v_n + h sum_{j<i} a*_ij A_j) + g_t(t*,Q*_i))/(h a*_ii)]
 *
 * [Brasey & Hairer 1993, (4.2); HW96 VII.6].
 */
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/half_explicit.h"

enum { ROUNDING_ITERATIONS = 50, MATRICES_MOST = 3, HIDDEN_PASSES = 16 };

static const double least_factor = 0.2,          /* theta / (1 - theta) trusted from other stages */
                    solve_to = 1e-6;             /* what an engine leaves: a rate of convergence    */

/* t + c h, kept from passing the stop time by rounding. */
static double node_time(const keel_solver *s, double t, double c, double h)
{
    double at = t + c * h;
    int beyond = s->eval.limited && (at - s->eval.t_limit) * s->eval.limit_direction > 0;
    return beyond && c <= 1 ? s->eval.t_limit : at;
}

/* out = y + h sum_{j<count} row_j slope_j */
static void combine(const half_state *e, const double *y, const double *row, int count, double h,
                    double *out)
{
    memcpy(out, y, (size_t)e->d * sizeof *out);
    for (int j = 0; j < count; j++) {
        const double *slope = e->slopes + j * e->d;
        double factor = h * row[j];
        if (factor == 0) continue;
        for (int i = 0; i < e->d; i++) out[i] += factor * slope[i];
    }
}

/* ---- Hessenberg forms --------------------------------------------------------------------- */

attempt_result half_matrix(keel_solver *s, double t, const double *y)
{
    half_state *e = s->state;
    int row = 0, rc = directions_prepare(&e->directions, &s->eval, NULL, t, y, &row);
    e->unfit = rc != 0;
    s->stats.factorizations++;
    return rc == DIRECTIONS_SINGULAR ? factoring_result(s, e->d + row + 1) : evaluation_result(s, rc);
}

/* e->value := S^-1 of it, of a level. */
static int solve_level(keel_solver *s, int level, double t)
{
    half_state *e = s->state;
    s->stats.solves++;
    return directions_solve(&e->directions, &s->eval, level, 0, t, solve_to, e->value);
}

/* change = scale D mu with the mu of solve_level; returns its weighted norm. */
static double effect(keel_solver *s, double scale)
{
    half_state *e = s->state;
    double sum = 0, largest = -1;
    directions_step(&e->directions, e->level, 0, e->value, e->change);
    for (int i = 0; i < e->acts->count; i++) {
        int at = level_unknown(e->acts, i);
        double part = e->weight[at] * (e->change[i] *= scale);
        sum += part * part;
        if (fabs(part) > largest) largest = fabs(part), e->worst = at;
    }
    s->report.share = largest;
    return norm_root(s->eval.reducer, sum, e->acts->count);
}

/* mu = -(scale S)^-1 w(t*,y*), in e->value, and its effect, the norm of which is *size; rows of index 1
 * have z in them and hold at the stage. */
static int correction(keel_solver *s, double t_star, const double *y_star, double scale, double t,
                      const double *y, double *size)
{
    half_state *e = s->state;
    int rc = eval_level(&s->eval, e->level, t_star, y_star, e->value);
    if (!rc && e->mixed) rc = eval_level(&s->eval, e->level + 1, t, y, e->drive);
    if (rc) return rc;
    for (int k = 0; k < e->m; k++)
        e->value[k] = e->mixed && problem_is_algebraic(s->problem, k) ? -e->drive[k]
                                                                      : -e->value[k] / scale;
    rc = solve_level(s, e->level, t);
    if (rc) return rc;
    *size = effect(s, scale);
    return eval_outcome(&s->eval);
}

/* Stage i: f at t, the constraint at t_star, and h a*_ii. */
typedef struct half_stage {
    keel_solver *s;
    int i;
    double t, t_star, scale;
} half_stage;

/* One iteration: the slope at (stage, Z), the point that it leads to, and the correction of Z; with
 * its effect on the point in *size. */
static int iterate(void *context, double *size)
{
    const half_stage *q = context;
    keel_solver *s = q->s;
    half_state *e = s->state;
    double *slope = e->slopes + q->i * e->d, *z = e->stage + e->d;
    int rc = eval_rate(&s->eval, q->t, e->stage, slope);
    if (rc) return rc;
    for (int k = 0; k < e->d; k++) e->point[k] = e->base[k] + q->scale * slope[k];
    rc = correction(s, q->t_star, e->point, q->scale, q->t, e->stage, size);
    if (rc) return rc;
    for (int k = 0; k < e->m; k++) z[k] += e->value[k];
    for (int k = 0; k < e->acts->count; k++)
        slope[level_unknown(e->acts, k)] += e->change[k] / q->scale;
    return 0;
}

/* Z_i, with a new matrix whenever convergence is slow; from the guess again where it diverges.  An
 * earlier stage says little about this one's rate. */
static attempt_result hessenberg_stage(half_stage *q)
{
    keel_solver *s = q->s;
    half_state *e = s->state;
    int exact = s->options.step > 0 || q->i == e->imposes_end;
    int limit = newton_limit(s, s->stages), last = 0;
    double tolerance = e->newton_rounding;
    if (exact && s->options.newton_limit == 0) limit = ROUNDING_ITERATIONS;
    if (!exact) tolerance = fmax(tolerance, e->newton_tolerance / e->reach[q->i]);
    memcpy(e->guess, e->stage + e->d, (size_t)e->m * sizeof *e->guess);
    for (int renewed = 0;;) {
        e->newton.factor = exact ? 1 : fmax(e->newton.factor, least_factor);
        newton_begin(&e->newton, limit, last && s->options.step > 0);
        attempt_result result = newton_attempt(s, &e->newton, tolerance, e->newton_floor, iterate,
                                               q);
        if (isfinite(e->newton.first_rate))
            e->worst_rate = fmax(e->worst_rate, e->newton.first_rate);
        if (result != ATTEMPT_NOT_CONVERGED) return result;
        s->report.variable = e->worst;
        s->report.factor = 0.5;
        if (renewed++ == MATRICES_MOST) return result;
        if (e->newton.verdict == NEWTON_DIVERGES)
            memcpy(e->stage + e->d, e->guess, (size_t)e->m * sizeof *e->guess);
        result = half_matrix(s, q->t, e->stage);
        if (result != ATTEMPT_DONE) return result;
        last = renewed == MATRICES_MOST;
    }
}

/* z from level + 1 at (t,y), to rounding or to the noise of differences. */
static attempt_result hidden_multipliers(keel_solver *s, double t, double *y)
{
    half_state *e = s->state;
    double last = INFINITY, enough = e->level > 0 ? 1e-6 : 1e-9, *z = y + e->d;
    int renewed = 0;
    s->report.variable = e->d;
    s->report.factor = 0.5;
    for (int pass = 0; pass < HIDDEN_PASSES; pass++) {
        int rc = eval_level(&s->eval, e->level + 1, t, y, e->value);
        if (!rc) rc = solve_level(s, e->level + 1, t);
        double size = rc ? 0 : norm_most(s->eval.reducer, norm_relative(e->m, e->value, z));
        if (!rc) rc = eval_outcome(&s->eval);
        if (rc) return evaluation_result(s, rc);
        int slow = !(size < 0.7 * last);
        if (size <= 1e-15 || (slow && size <= enough)) return ATTEMPT_DONE;
        if (slow && renewed++ == MATRICES_MOST) return ATTEMPT_NOT_CONVERGED;
        last = slow ? INFINITY : size;
        for (int k = 0; k < e->m; k++) z[k] -= e->value[k];
        attempt_result result = slow ? half_matrix(s, t, y) : ATTEMPT_DONE;
        if (result != ATTEMPT_DONE) return result;
    }
    return last <= enough ? ATTEMPT_DONE : ATTEMPT_NOT_CONVERGED;
}

/* ---- mechanical form ---------------------------------------------------------------------- */

/* M and f at the stage, and G unless the last point was this stage; G and g_t at the point. */
static int evaluate_stage(keel_solver *s, double t, double t_star)
{
    half_state *e = s->state;
    int n = s->problem->group[0];
    double *G = e->G_stage;
    if (e->G_known) e->G_stage = e->G_point, e->G_point = G;
    keel_mechanical_parts here = {.mass = e->mass, .force = e->force,
                                  .constraint_jacobian = e->G_stage};
    keel_mechanical_parts there = {.constraint_jacobian = e->G_point, .constraint_time = e->drive};
    unsigned wanted = KEEL_MASS | KEEL_FORCE;
    if (e->m > 0 && !e->G_known) wanted |= KEEL_CONSTRAINT_JACOBIAN;
    int rc = eval_mechanical(&s->eval, t, e->stage, e->stage + n, wanted, &here);
    if (rc || e->m == 0) return rc;
    return eval_mechanical(&s->eval, t_star, e->point, e->base + n,
                           KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME, &there);
}

static attempt_result mechanical_stage(keel_solver *s, int i, double t, double t_star, double scale)
{
    half_state *e = s->state;
    int n = s->problem->group[0], m = e->m;
    double *slope = e->slopes + i * e->d, *x = e->value;
    memcpy(slope, e->stage + n, (size_t)n * sizeof *slope);
    for (int j = 0; j < n; j++) e->point[j] = e->base[j] + scale * slope[j];
    int rc = evaluate_stage(s, t, t_star);
    if (rc) return evaluation_result(s, rc);
    s->stats.factorizations++;
    dependence_tell(s->eval.dependence, e->saddle);
    rc = saddle_factor_pair(e->saddle, e->mass, e->G_stage, e->G_point);
    if (rc) return factoring_result(s, rc > 0 ? n + rc : rc);
    memcpy(x, e->force, (size_t)n * sizeof *x);
    level_product(s->problem, e->G_point, e->drive, e->base + n, x + n);
    for (int k = 0; k < m; k++) x[n + k] /= -scale;
    saddle_solve_pair(e->saddle, x);
    s->stats.solves++;
    memcpy(slope + n, x, (size_t)n * sizeof *slope);
    memcpy(e->stage + e->d, x + n, (size_t)m * sizeof *x);
    e->G_known = !s->method->tableau.A_constraint && i + 1 < s->stages;
    return ATTEMPT_DONE;
}

/* [M G^T; G 0][a; l] = [f; -gamma], unless the projection has found them. */
static attempt_result accelerations(keel_solver *s, double t, double *y, double *slope)
{
    mechanical_point *p = projection_of(s)->mechanical;
    int row = 0;
    const projection_plan plan = {.kind = KEEL_PROJECT_NONE, .multipliers = 1};
    projection_result result = mechanical_move(p, &s->eval, &plan, t, y, &row);
    s->stats.factorizations++;
    s->stats.solves++;
    if (result) return projection_attempt(s, result, row);
    memcpy(slope, y + p->n, (size_t)p->n * sizeof *slope);
    memcpy(slope + p->n, p->a, (size_t)p->n * sizeof *slope);
    return ATTEMPT_DONE;
}

/* ---- all forms ---------------------------------------------------------------------------- */

static attempt_result stage(keel_solver *s, int i, double t, const double *y, const double *slope,
                            double h)
{
    half_state *e = s->state;
    const keel_tableau *table = &s->method->tableau;
    double t_stage = node_time(s, t, table->c[i], h);
    double t_star = node_time(s, t, e->point_nodes[i], h);
    double scale = h * e->points[i * s->stages + i];
    combine(e, y, table->A + i * s->stages, i, h, e->stage);
    if (i == 0) {
        memcpy(e->stage + e->d, y + e->d, (size_t)e->m * sizeof *y);
        e->G_known = 0;
    }
    if (i == 0 && e->given_first) {
        memcpy(e->slopes, slope, (size_t)e->d * sizeof *slope);
        return ATTEMPT_DONE;
    }
    combine(e, y, e->points + i * s->stages, i, h, e->base);
    if (form_has(s->problem, FORM_ACCELERATIONS))
        return mechanical_stage(s, i, t_stage, t_star, scale);
    return hessenberg_stage(&(half_stage){s, i, t_stage, t_star, scale});
}

attempt_result half_step(keel_solver *s, double t, const double *y, const double *slope, double h,
                         double *y_out)
{
    half_state *e = s->state;
    for (int i = 0; i < s->stages; i++) {
        attempt_result result = stage(s, i, t, y, slope, h);
        if (result != ATTEMPT_DONE) return result;
    }
    combine(e, y, s->method->tableau.b, s->stages, h, y_out);
    memcpy(y_out + e->d, e->stage + e->d, (size_t)e->m * sizeof *y_out);
    return ATTEMPT_DONE;
}

attempt_result half_pull(keel_solver *s, double t, double *y)
{
    half_state *e = s->state;
    int n = s->problem->group[0], m = e->m;
    if (m == 0) return ATTEMPT_DONE;
    if (!form_has(s->problem, FORM_ACCELERATIONS)) {
        double size;
        int rc = correction(s, t, y, 1, t, y, &size);
        if (rc) return evaluation_result(s, rc);
        for (int k = 0; k < e->acts->count; k++) y[level_unknown(e->acts, k)] += e->change[k];
        return ATTEMPT_DONE;
    }
    int rc = eval_level(&s->eval, 1, t, y, e->value + n);
    if (rc) return evaluation_result(s, rc);
    memset(e->value, 0, (size_t)n * sizeof *e->value);
    for (int k = 0; k < m; k++) e->value[n + k] = -e->value[n + k];
    saddle_solve_pair(e->saddle, e->value);
    s->stats.solves++;
    for (int j = 0; j < n; j++) y[n + j] += e->value[j];
    return ATTEMPT_DONE;
}

attempt_result half_slope(keel_solver *s, double t, const double *y, double *slope)
{
    half_state *e = s->state;
    if (!form_has(s->problem, FORM_ACCELERATIONS))
        return evaluation_result(s, eval_rate(&s->eval, t, y, slope));
    int rc = eval_mechanical_rate(&s->eval, t, y, e->value);
    memcpy(slope, e->value, (size_t)e->d * sizeof *slope);
    return evaluation_result(s, rc);
}

attempt_result half_multipliers(keel_solver *s, int wanted, double t, double *y, double *slope)
{
    if (form_has(s->problem, FORM_ACCELERATIONS))
        return wanted ? accelerations(s, t, y, slope) : half_slope(s, t, y, slope);
    attempt_result result = half_matrix(s, t, y);
    if (result == ATTEMPT_DONE && wanted) result = hidden_multipliers(s, t, y);
    return result == ATTEMPT_DONE ? half_slope(s, t, y, slope) : result;
}
