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

double multivalue_size(const multivalue_state *e, const double *x)
{
    return sqrt(norm_sum(e->n, x, e->tested) / fmax(1, e->tested_count));
}

void multivalue_filter(keel_solver *s, double *x)
{
    multivalue_state *e = s->state;
    if (!e->method.diagonal) return;
    memset(e->rate, 0, (size_t)e->n * sizeof *e->rate);
    iteration_mass_add(&e->matrix, 1 / e->factored, x, e->rate);
    memcpy(x, e->rate, (size_t)e->n * sizeof *x);
    linear_solve(e->matrix.system, 0, x);
    s->stats.solves++;
}

double multivalue_entry(keel_solver *s, int k, int filtered)
{
    multivalue_state *e = s->state;
    double scale = 1;
    for (int j = 2; j <= k; j++) scale *= j;
    for (int i = 0; i < e->n; i++) e->error[i] = scale * e->carried[k * e->n + i];
    if (filtered) multivalue_filter(s, e->error);
    return multivalue_size(e, e->error);
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
    if (q >= e->range.last || e->principal_h == 0) return INFINITY;
    double ratio = pow(h / e->principal_h, q + 1);
    for (int i = 0; i < e->n; i++) e->error[i] = e->principal[i] - ratio * e->principal_before[i];
    if (filtered) multivalue_filter(s, e->error);
    return fabs(e->range.error_constant[q + 1]) * multivalue_size(e, e->error);
}

attempt_result multivalue_judge_error(keel_solver *s, const double *P)
{
    multivalue_state *e = s->state;
    s->report.error = fabs(e->method.error_constant) * multivalue_size(e, P);
    int worst = norm_worst(e->n, P, e->tested);
    s->report.variable = e->source ? e->source[worst] : worst;
    return isfinite(s->report.error) ? ATTEMPT_DONE : ATTEMPT_NOT_CONVERGED;
}

void multivalue_keep_principal(multivalue_state *e, double h, int change)
{
    double *principal = e->principal_before;
    e->principal_before = e->principal;
    e->principal = principal;
    e->principal_h = change ? 0 : h;
}

void multivalue_remember(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    memmove(e->steps + 1, e->steps, (STEPS_KEPT - 1) * sizeof *e->steps);
    e->steps[0] = h;
    if (e->steps_known < STEPS_KEPT) e->steps_known++;
    e->steps_at_order++;
}

/* ---- one policy or the other ----------------------------------------------------------------- */

void multivalue_prepare(keel_solver *s, double h)
{
    const multivalue_state *e = s->state;
    if (e->range.bdf) bdf_prepare(s, h);
    else general_prepare(s, h);
}

attempt_result multivalue_error(keel_solver *s)
{
    const multivalue_state *e = s->state;
    s->report.error = 0;
    s->report.factor = 0.5;
    if (s->options.step > 0) return ATTEMPT_DONE;
    return e->range.bdf ? bdf_error(s) : general_error(s);
}

/* The biases of the policies stand for the standard safety factor: another one makes all errors
 * that they see larger or smaller, so that step sizes change by the ratio of the two. */
static void heed_safety(keel_solver *s)
{
    multivalue_state *e = s->state;
    double ratio = s->integrator->safety / s->options.safety, error = s->report.error;
    double scale = pow(ratio, e->method.order + 1);
    for (int i = 0; i < e->n; i++) e->tested[i] *= scale;
    s->report.error = error < 1 ? fmin(0.999, scale * error) : fmax(1, scale * error);
}

void multivalue_next(keel_solver *s, double h)
{
    const multivalue_state *e = s->state;
    if (s->options.step > 0) return;
    if (s->options.safety > 0 && h != 0) heed_safety(s);         /* BDF alone: see check_safety */
    if (e->range.bdf) bdf_next(s, h);
    else general_next(s, h);
}
