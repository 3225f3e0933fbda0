/* multivalue_order.c -- variable steps: what the choice of step size and order rests on.
 *
 * With P_j an estimate of h^j y^(j), the local error of order j is C_j P_(j+1):
 *
 *   P_q = q! y_q,   P_(q+1) ~ y_q[n+1] - y_q[n] or from the stages,
 *   P_(q+2) = P_(q+1) - (h / h_before)^(q+1) P_(q+1),before
 *
 * multivalue_bdf.c and multivalue_general.c have the policies.
 */
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/multivalue.h"

/* Weighted root mean square of what is tested. */
static double size_of(const multivalue_state *e, const double *x)
{
    return norm_root(e->eval->reducer, norm_sum(e->n, x, e->tested), fmax(1, e->tested_count));
}

int multivalue_filter(keel_solver *s, double *x)
{
    multivalue_state *e = s->state;
    if (!e->method.diagonal) return 0;
    memset(e->rate, 0, (size_t)e->n * sizeof *e->rate);
    int rc = iteration_mass_add(&e->matrix, 1 / e->factored, x, e->rate);
    memcpy(x, e->rate, (size_t)e->n * sizeof *x);
    if (!rc) rc = iteration_solve(&e->matrix, 0, x, NULL);
    s->stats.solves++;
    return rc;
}

/* x := P_k of these carried values. */
static void entry_of(const multivalue_state *e, const double *carried, int k, double *x)
{
    double scale = 1;
    for (int j = 2; j <= k; j++) scale *= j;
    for (int i = 0; i < e->n; i++) x[i] = scale * carried[k * e->n + i];
}

/* x := P_(q+2) of a step h. */
static void higher_of(const multivalue_state *e, double h, double *x)
{
    double ratio = pow(h / e->principal_h, e->method.order + 1);
    for (int i = 0; i < e->n; i++) x[i] = e->principal[i] - ratio * e->principal_before[i];
}

static int higher_is_known(const multivalue_state *e)
{
    return e->method.order < e->range.last && e->principal_h != 0;
}

enum { SAME, BELOW, ABOVE, COUNT };              /* of what came with the accepted point: q, q - 1, q + 2 */

double multivalue_entry(keel_solver *s, int k, int filtered)
{
    multivalue_state *e = s->state;
    if (e->eval->engine) return e->came[k == e->method.order ? SAME : BELOW];
    entry_of(e, e->carried, k, e->error);
    if (filtered) multivalue_filter(s, e->error);
    return size_of(e, e->error);
}

double multivalue_lower_error(keel_solver *s, int filtered)
{
    const multivalue_state *e = s->state;
    int q = e->method.order;
    if (q <= e->range.first) return INFINITY;
    return fabs(e->range.error_constant[q - 1]) * multivalue_entry(s, q, filtered);
}

double multivalue_higher_error(keel_solver *s, double h, int filtered)
{
    multivalue_state *e = s->state;
    int q = e->method.order;
    if (!higher_is_known(e)) return INFINITY;
    double constant = fabs(e->range.error_constant[q + 1]);
    if (e->eval->engine) return constant * e->came[ABOVE];
    higher_of(e, h, e->error);
    if (filtered) multivalue_filter(s, e->error);
    return constant * size_of(e, e->error);
}

/* P_j of what will be carried from y, by which settling moved the new point: as carry_change does. */
static int part_of(keel_solver *s, int k, const double *y, double *sum)
{
    multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    entry_of(e, e->made, k, e->error);
    double scale = m->B[k] / m->B[0];
    for (int j = 2; j <= k; j++) scale *= j;
    for (int i = 0; i < e->n; i++) e->error[i] += scale * (y[i] - e->y_new[i]);
    int rc = e->matrix.local.diagonal ? 0 : multivalue_filter(s, e->error);
    *sum = norm_sum(e->n, e->error, e->tested);
    return rc;
}

int multivalue_order_parts(keel_solver *s, double h, const double *y, double *sum)
{
    multivalue_state *e = s->state;
    int q = e->method.order, rc = 0;
    sum[COUNT] = fmax(1, e->tested_count);
    if (q > e->range.first) rc = part_of(s, q, y, &sum[SAME]);
    if (q > 2 && !rc) rc = part_of(s, q - 1, y, &sum[BELOW]);
    if (rc || !higher_is_known(e)) return rc;
    higher_of(e, h, e->error);
    if (!e->matrix.local.diagonal) rc = multivalue_filter(s, e->error);
    sum[ABOVE] = norm_sum(e->n, e->error, e->tested);
    return rc;
}

void multivalue_order_came(keel_solver *s)
{
    multivalue_state *e = s->state;
    const double *sum = e->settlement.sum;
    for (int k = 0; k < COUNT && s->eval.engine; k++) e->came[k] = sqrt(sum[k] / sum[COUNT]);
}

attempt_result multivalue_judge_error(keel_solver *s, const double *P)
{
    multivalue_state *e = s->state;
    s->report.error = fabs(e->method.error_constant) * size_of(e, P);
    int rc = eval_outcome(e->eval);
    if (rc) return evaluation_result(s, rc);
    report_worst(s, e->n, P, e->tested);
    if (e->source) s->report.variable = e->source[s->report.variable];
    return isfinite(s->report.error) ? ATTEMPT_DONE : ATTEMPT_NOT_CONVERGED;
}

/* ---- one policy or the other ----------------------------------------------------------------- */

/* Algebraic unknowns, which both error tests leave out or see by their effect alone, have to be resolved. */
static void judge_resolution(keel_solver *s)
{
    multivalue_state *e = s->state;
    e->reach = INFINITY;
    if (s->formulated || s->eval.engine || s->problem->index == 0 || gauge_loose(s->eval.gauge)) return;
    multivalue_polynomial(e, e->given, 1, e->rate);
    int power = e->method.order + 1;
    roughness r = resolution_of_forecast(s, &e->matrix, power, e->rate, e->made);
    if (r.most > 1 && e->leaps++ < LEAPS_MOST) resolution_raise(s, &r, r.most, power, power);
    else if (r.most > 0) e->reach = pow(r.most, -1.0 / power);
}

attempt_result multivalue_error(keel_solver *s)
{
    const multivalue_state *e = s->state;
    s->report.error = 0;
    s->report.factor = 0.5;
    if (s->options.step > 0) return ATTEMPT_DONE;
    attempt_result result = e->range.bdf ? bdf_error(s) : general_error(s);
    if (result == ATTEMPT_DONE) judge_resolution(s);
    return result;
}

/* The biases of the policies stand for the standard safety factor: another one makes all errors
 * that they see larger or smaller, so that step sizes change by the ratio of the two. */
static void heed_safety(keel_solver *s)
{
    multivalue_state *e = s->state;
    double ratio = s->integrator->safety / s->options.safety, error = s->report.error;
    double scale = pow(ratio, e->method.order + 1);
    for (int i = 0; i < e->n; i++) e->tested[i] *= scale;
    for (int k = 0; k < COUNT; k++) e->came[k] *= scale;
    s->report.error = error < 1 ? fmin(0.999, scale * error) : fmax(1, scale * error);
}

void multivalue_next(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    int order = e->method.order;
    if (s->options.safety > 0 && h != 0) heed_safety(s);         /* BDF alone: see check_safety */
    if (e->range.bdf) bdf_next(s, h);
    else general_next(s, h);
    if (h == 0 || !(s->report.error < 1)) return;
    e->failures = 0;
    swap_vectors(&e->principal, &e->principal_before);
    e->principal_h = e->method.order == order ? h : 0;   /* P_(q+1) of another order says nothing */
    if (fabs(s->h_next) > e->reach * fabs(h)) s->h_next = h * fmax(1, e->reach);
}
