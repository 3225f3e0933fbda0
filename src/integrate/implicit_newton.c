/* implicit_newton.c -- simplified Newton on transformed stages, and the error estimate.
 *
 *   (h^-1 gamma M - J) x = (T^-1 r),  dZ = T x,  for gamma real and alpha +- i beta   [HW96 IV.8]
 *   err = (h^-1 gamma M - J)^-1 (f(t_n,y_n) + h^-1 M sum_i e_i Z_i)                    (8.17)-(8.20)
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/implicit.h"
#include "linear/columns.h"
#include "linear/lanes.h"

static const double
    refused = 0.5,               /* h / (the last one) where extrapolated stages cannot be evaluated     */
    middle = 0.5,                /* where J is taken; 0.7 of the step saves a little more, but the filter */
                                 /* of the error estimate comes to hide errors where J grows fast        */
    middle_growth = 3,           /* h / (the last one) up to which the extrapolated middle is trusted,   */
    middle_size = 10;            /* and a row of its J / that of the last one                            */

static double larger(double a, double b) { return b > a ? b : a; }

/* The largest entry of each row of J; returns the largest quotient to those before. */
static double row_growth(implicit_state *e)
{
    const keel_matrix *J = &e->matrix.local.J;
    double *row = e->stage, most = 0;
    memset(row, 0, (size_t)e->n * sizeof *row);
    for (int j = 0; j < e->n; j++) {
        column c = matrix_column(J, j);
        double *own = row + c.first;
        for (int p = 0; p < c.count && c.rows; p++)
            row[c.rows[p]] = larger(row[c.rows[p]], fabs(c.values[p]));
        for (int p = 0; p < c.count && !c.rows; p++) own[p] = larger(own[p], fabs(c.values[p]));
    }
    for (int i = 0; i < e->n; i++) most = larger(most, row[i] / e->row_size[i]);     /* 0 / 0 is none */
    memcpy(e->row_size, row, (size_t)e->n * sizeof *row);
    return most;
}

/* Stages lie all over the step, and a J of its middle is nearer to that of each than one of its
 * beginning: Newton's method converges twice as fast, and fails half as often.  The middle is
 * extrapolated, with y' of the accepted point, which serves as well; where that is no point to evaluate at, or
 * the index is 3, J is that of the accepted point.  So it is where nothing keeps a hidden constraint, for
 * solutions that run away from it shall fail, and where the equations are so nonlinear that extrapolation
 * leaves them: with rows of J that are far too large all updates are small, whatever the residuals.  (Tuned on
 * a rectifier with an exponential diode; judged by transistor-amplifier, robertson and van-der-pol; index 2
 * and M(t,y) by nand-gate, water-tube, order-index2 and ascher-petzold.) */
static int find_jacobian(keel_solver *s, double h, int *renewed)
{
    implicit_state *e = s->state;
    const interpolant *p = &s->dense;
    const fault before = s->eval.fault;
    const int index = s->problem->index, kept = index < 2 || (index == 2 && has_manifold(s->problem));
    int serves = e->order == 0 && (kept || mechanical_is_sparse(s->problem));
    int known = e->matrix.jacobian_known, varies = s->options.step == 0 && p->points > 0;
    if (!known) e->ahead = serves && varies && h / p->h <= middle_growth;
    if (!known && e->ahead) {
        interpolant_at(p, e->n, 1 + middle * h / p->h, e->stage);
        int rc = iteration_jacobian(&e->matrix, s->t + middle * h, e->stage, s->yp, renewed);
        if (rc < 0 || (!rc && (s->eval.engine || row_growth(e) < middle_size))) return rc;
        e->matrix.jacobian_known = 0;
        s->eval.fault = before;
        e->ahead = 0;
    }
    int rc = iteration_jacobian(&e->matrix, s->t, s->y, s->yp, renewed);
    if (!rc && *renewed && serves && !s->eval.engine) row_growth(e);
    return rc;
}

attempt_result implicit_matrices(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    const stage_method *rk = &e->set.method[e->stages];
    int renewed, rc = find_jacobian(s, h, &renewed);
    if (rc) return evaluation_result(s, rc);
    if (renewed) e->factored_h = 0;
    if (renewed && e->matrix.local.by_differences) e->newton.factor = 1 / DBL_EPSILON;   /* to be proven */
    if (e->factored_h == h && e->factored_stages == rk->s) return ATTEMPT_DONE;
    e->factored_h = 0;
    s->stats.factorizations++;
    rc = iteration_factor(&e->matrix, 0, rk->gamma / h, 0);
    for (int k = 1; k < rk->reals && !rc; k++)
        rc = iteration_factor(&e->matrix, k, rk->real[k] / h, 0);
    for (int p = 0; p < rk->pairs && !rc; p++)
        rc = iteration_factor(&e->matrix, p, rk->alpha[p] / h, rk->beta[p] / h);
    if (rc) return factoring_result(s, rc);
    e->factored_h = h;
    e->factored_stages = rk->s;
    return ATTEMPT_DONE;
}

/* Extrapolates the last dense output, Z_i = p(t_n + c_i h) - y_n, or without one c_i h y'_n; so after several
 * failures, too: what Newton's method left in many stages is amplified however short the steps become. */
void implicit_predict(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    const interpolant *p = &s->dense;
    int unlucky = e->unlucky >= UNLUCKY && e->matrix.local.diagonal && s->problem->index <= 1;
    int known = p->points > 0 && h / p->h <= EXTRAPOLATE_MOST && !unlucky;
    for (int k = 0; k < rk->s * rk->s; k++) e->rates[k] = rk->A_inv[k] / h;
    for (int i = 0; i < rk->s && !known; i++)
        for (int k = 0; k < e->n; k++) {
            double slope = e->matrix.local.diagonal || p->points == 0 ? e->slope[k] : 0;
            e->Z[i * e->n + k] = rk->c[i] * h * slope;
        }
    if (!known) return;
    double lagrange[STAGES_MAX * POINTS_MOST];
    for (int i = 0; i < rk->s; i++)
        lagrange_at(p->points, p->nodes, p->barycentric, 1 + rk->c[i] * h / p->h, lagrange + i * p->points);
    vectors_combine(rk->s, p->points, e->n, lagrange, p->values, e->Z);
    vectors_shift(rk->s, e->n, s->y, e->Z, -1, e->Z);
}

int implicit_residuals(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    int n = e->n, rc = 0;
    vectors_combine(rk->s, rk->s, n, e->rates, e->Z, e->X);
    for (int i = 0; i < rk->s && rk->explicit_first; i++)
        for (int k = 0; k < n; k++) e->X[i * n + k] += rk->slope[i] * e->slope[k];
    for (int i = 0; i < rk->s && !rc; i++) {
        vectors_shift(1, n, s->y, e->Z + i * n, 1, e->stage);
        rc = eval_residual(&s->eval, s->t + rk->c[i] * h, e->stage, e->X + i * n, e->R + i * n);
    }
    return rc;
}

/* R := T blockdiag((h^-1 gamma M - J)^-1) T^-1 R */
static int solve(keel_solver *s, const stage_method *rk)
{
    implicit_state *e = s->state;
    int n = e->n, row = 0, rc = 0;
    s->stats.solves++;
    vectors_combine(rk->s, rk->s, n, rk->T_inv, e->R, e->X);
    for (; row < rk->reals && !rc; row++) rc = iteration_solve(&e->matrix, row, e->X + row * n, NULL);
    for (int p = 0; p < rk->pairs && !rc; p++, row += 2)
        rc = iteration_solve(&e->matrix, p, e->X + row * n, e->X + (row + 1) * n);
    vectors_combine(rk->s, rk->s, n, rk->T, e->X, e->R);
    return rc;
}

attempt_result implicit_solve(keel_solver *s, newton_monitor *monitor, int stages,
                              newton_step *step, void *context)
{
    implicit_state *e = s->state;
    newton_begin(monitor, newton_limit(s, stages), s->options.step > 0);
    e->matrix.newton = monitor;
    monitor->loosest = solves_inexactly(s) ? SOLVE_LOOSEST : 0;
    attempt_result result = newton_attempt(s, monitor, e->newton_wanted, e->newton_floor, step, context);
    e->matrix.newton = NULL;
    if (result == ATTEMPT_NOT_CONVERGED) report_worst(s, e->n, e->R, e->scaled);
    return result;
}

static int improve(void *context, double *update)
{
    stage_system *q = context;
    implicit_state *e = q->s->state;
    int rc = 0;
    for (int i = 0; i < e->stages && !rc && e->matrix.engine->determine; i++)
        rc = iteration_begin(&e->matrix, e->Z + i * e->n);
    if (!rc && !e->begun) rc = implicit_residuals(q->s, q->h);
    e->begun = 0;
    if (!rc) rc = solve(q->s, implicit_method(q->s));
    if (rc) return rc;
    *update = stages_add(q->s->eval.reducer, e->stages, e->n, e->R, e->scaled, e->Z);
    return eval_outcome(&q->s->eval);
}

/* Extrapolated stages may be where equations cannot be evaluated: known before matrices are made for them,
 * that costs little.  An engine has matrices and messages of its own order. */
attempt_result implicit_begin(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    implicit_predict(s, h);
    e->begun = !s->eval.engine;
    attempt_result result = evaluation_result(s, e->begun ? implicit_residuals(s, h) : 0);
    if (result != ATTEMPT_DONE) s->report.factor = refused;
    return result;
}

attempt_result implicit_stages(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    return implicit_solve(s, &e->newton, e->stages, improve, &(stage_system){s, h});
}

/* e->error := f(t_n, y) + h^-1 M sum_i e_i Z_i = r(t_n, y, -h^-1 sum_i e_i Z_i); the second form needs
 * no M at t_n and serves F(t,y,y') = 0 as well. */
static int unfiltered_error(keel_solver *s, const double *y, double h)
{
    implicit_state *e = s->state;
    if (e->matrix.local.mass_constant && y == s->y) {
        memcpy(e->error, e->f, (size_t)e->n * sizeof *e->f);
        return iteration_mass_add(&e->matrix, 1 / h, e->combined, e->error);
    }
    for (int k = 0; k < e->n; k++) e->rate[k] = -e->combined[k] / h;
    return eval_residual(&s->eval, s->t, y, e->rate, e->error);
}

/* e->error as the stages see it, and its part of the norm. */
static int filter_part(keel_solver *s, double sum[2])
{
    implicit_state *e = s->state;
    int rc = iteration_solve(&e->matrix, 0, e->error, NULL);
    if (rc) return rc;
    s->stats.solves++;
    sum[0] = norm_sum(e->n, e->error, e->tested);
    sum[1] = e->tested_count;
    return 0;
}

/* s->report.error of that. */
static int filter(keel_solver *s)
{
    double sum[2];
    int rc = filter_part(s, sum);
    if (rc) return rc;
    s->report.error = norm_root(s->eval.reducer, sum[0], sum[1]);
    return eval_outcome(&s->eval);
}

/* f(y_n) against the stages; where that fails once more, which damps its stiff part (8.20). */
static int added_error(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    int rc = unfiltered_error(s, s->y, h);
    if (!rc) rc = filter(s);
    if (rc) return rc;
    double error = s->report.error;
    int unsettled = s->dense.points == 0 || s->control.rejected_before;
    if (s->report.error < 1 || !unsettled) return 0;
    for (int k = 0; k < e->n; k++) e->stage[k] = s->y[k] + e->error[k];
    rc = unfiltered_error(s, e->stage, h);
    if (rc == 0) rc = filter(s);
    if (rc) s->report.error = error;
    return rc < 0 ? rc : 0;
}

/* The same with y'_n instead of f(y_n): methods that are not stiffly accurate leave a residual in the
 * algebraic equations, which does not fall with the step size. */
static int slope_error(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    memset(e->error, 0, (size_t)e->n * sizeof *e->error);
    int rc = iteration_mass_add(&e->matrix, 1, e->slope, e->error);
    if (!rc) rc = iteration_mass_add(&e->matrix, 1 / h, e->combined, e->error);
    return rc ? rc : filter(s);
}

/* e->combined := sum_i e_i Z_i */
static void combine_error(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    double slope = rk->error_slope * h;
    for (int k = 0; k < e->n; k++) e->error[k] = rk->explicit_first ? slope * e->slope[k] : 0;
    vectors_sum(rk->s, e->n, e->error, rk->error, e->Z, e->combined);
}

/* The difference to the embedded method, filtered so that stiff components do not spoil it:
 * (M - h/gamma J)^-1 M (y - y_hat) [HW96 IV.8 (8.19)]. */
int implicit_embedded(keel_solver *s, double h, double sum[2])
{
    implicit_state *e = s->state;
    combine_error(s, h);
    memset(e->error, 0, (size_t)e->n * sizeof *e->error);
    int rc = iteration_mass_add(&e->matrix, implicit_method(s)->gamma / h, e->combined, e->error);
    return rc ? rc : filter_part(s, sum);
}

static int embedded_error(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    double sum[2] = {e->error_sum[0], e->error_sum[1]};
    const int known = sum[1] > 0;
    int rc = known ? 0 : implicit_embedded(s, h, sum);
    if (rc) return rc;
    s->report.error = known ? sqrt(sum[0] / sum[1]) : norm_root(s->eval.reducer, sum[0], sum[1]);
    return known ? 0 : eval_outcome(&s->eval);
}

attempt_result implicit_error(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    int rc = 0, mechanical = form_has(s->problem, FORM_ACCELERATIONS);
    if (!rk->embedded) combine_error(s, h);
    if (rk->embedded) rc = embedded_error(s, h);
    else if (!rk->stiffly_accurate && !mechanical) rc = slope_error(s, h);
    else rc = added_error(s, h);
    if (rc) return evaluation_result(s, rc);
    if (e->rough && (s->report.error >= 1 || e->rough++ <= ROUGH_ATTEMPTS))
        s->report.error *= e->rough_factor;
    report_worst(s, e->n, e->error, e->tested);
    resolution_of_increments(s, &e->matrix, rk->s, e->set.resolving[e->stages], e->Z, rk->estimate_order + 1);
    s->report.factor = 0.5;
    return isfinite(s->report.error) ? ATTEMPT_DONE : ATTEMPT_NOT_CONVERGED;
}
