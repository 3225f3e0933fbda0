/* multivalue_blocked.c -- multistep methods on y' = f0(t,y) + f_z(t,y) z, 0 = g(t,y)
 * [Bendtsen & Thomsen 1999, chapter 5; Arevalo, Fuehrer & Soederlind 1996].
 *
 *   sum_j alpha_j y_(n+j) = h sum_j beta_j f_(n+j) - h f_z(y_(n+k)) sum_j gamma_j z_(n+j)
 *
 * is the equation of the method without gamma for y_(n+k) and z^ with
 *
 *   beta_k z^ = (beta_k - gamma_k) z_(n+k) - sum_(j<k) gamma_j z_(n+j),
 *
 * since f is linear in z: solve for z^, then for z_(n+k), and then f_(n+k) is known.  Where the
 * constraints come last (5.11) only f0 is carried, and beta_k z^ = sigma(1) z_(n+k).
 */
#include <math.h>
#include <string.h>

#include "integrate/multivalue.h"

/* Has it more than BDF formulas carry? */
static const keel_multistep *multistep_of(const keel_solver *s)
{
    const keel_method *m = s->method;
    return m && m->multistep.steps > 0 && m->general.W ? &m->multistep : NULL;
}

/* Steps back of the slope that value i carries, or -1: it carries y. */
static int slope_of(const keel_general_linear *g, int i)
{
    const double *W = g->W + i * (g->order + 1);
    return W[0] != 0 ? -1 : (int)lround(g->order > 1 ? -W[2] : 0);
}

int blocked_multipliers(const keel_solver *s)
{
    return multistep_of(s) && form_has(s->problem, FORM_INDEX2) ? s->problem->constraints : 0;
}

attempt_result blocked_check(keel_solver *s)
{
    const keel_multistep *formula = multistep_of(s);
    if (!formula || formula->blocking != KEEL_CONSTRAIN_LAST) return ATTEMPT_DONE;
    if (!keel_problem_nonlinear(s->problem, s->t, s->y)) return ATTEMPT_DONE;
    s->report.status = fail(&s->message, KEEL_UNSUPPORTED,
                            "%s needs y' = f0(t,y) + f_z(t,y) z, but f is not linear in z: "
                            "take the method without :constrain-last, or bdf",
                            s->method->tableau.name);
    return ATTEMPT_STOP;
}

/* f(t,y,z), or f0 = f(t,y,0) where the constraints come last; h times it into `slope`. */
static int carried_slope(keel_solver *s, double t, double h, const double *y, double *slope)
{
    multivalue_state *e = s->state;
    int m = blocked_multipliers(s), last = multistep_of(s)->blocking == KEEL_CONSTRAIN_LAST;
    memcpy(e->update, y, (size_t)e->n * sizeof *y);
    for (int k = e->n - m; k < e->n && last; k++) e->update[k] = 0;
    int rc = eval_rate(e->eval, t, e->update, slope);
    for (int k = 0; k < e->n - m; k++) slope[k] *= h;
    return rc;
}

/* Multipliers before the start, and f0 there, from the Nordsieck vector at the start in e->made. */
attempt_result blocked_begin(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    const keel_multistep *formula = multistep_of(s);
    int m = blocked_multipliers(s), n = e->n, rc = 0;
    if (m == 0 || formula->blocking == KEEL_CONSTRAIN_FIRST) return ATTEMPT_DONE;
    const keel_general_linear *g = &s->method->general;
    for (int j = 0; j < formula->steps && !rc; j++) {
        double *y = e->y_new;
        memset(y, 0, (size_t)n * sizeof *y);
        for (int k = g->order; k >= 0; k--)
            for (int i = 0; i < n; i++) y[i] = -j * y[i] + e->made[k * n + i];
        memcpy(e->past + j * m, y + n - m, (size_t)m * sizeof *y);
        if (formula->blocking != KEEL_CONSTRAIN_LAST) continue;
        for (int i = 0; i < g->values && !rc; i++)
            if (slope_of(g, i) == j)
                rc = carried_slope(s, s->t - j * h, h, y, e->carried + i * n);
    }
    return evaluation_result(s, rc);
}

/* z_(n+k) from z^, in place. */
static void unblock(const keel_solver *s, double *z)
{
    const multivalue_state *e = s->state;
    const keel_multistep *formula = multistep_of(s);
    int k = formula->steps, m = blocked_multipliers(s);
    double sum = 0;
    for (int j = 0; j <= k; j++) sum += formula->beta[j];
    for (int i = 0; i < m; i++) {
        double known = 0, factor = sum;
        if (formula->blocking == KEEL_BLOCKED) {
            factor = formula->beta[k] - formula->gamma[k];
            for (int j = 0; j < k; j++) known += formula->gamma[j] * e->past[(k - 1 - j) * m + i];
        }
        z[i] = (formula->beta[k] * z[i] + known) / factor;
    }
}

/* z' of algebraic unknowns serves prediction alone: by the formula it could grow without bound. */
static void plain_differences(keel_solver *s, double *slope)
{
    multivalue_state *e = s->state;
    for (int i = 0; i < e->n; i++)
        if (e->matrix.local.diagonal && e->matrix.local.mass_diagonal[i] == 0)
            slope[i] = e->made[i] - e->given[i];
}

attempt_result blocked_finish(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    const keel_multistep *formula = multistep_of(s);
    if (!formula) return ATTEMPT_DONE;
    const keel_general_linear *g = &s->method->general;
    int m = blocked_multipliers(s), n = e->n, rc = 0;
    int blocked = m > 0 && formula->blocking != KEEL_CONSTRAIN_FIRST;
    if (blocked) unblock(s, e->made + n - m);
    for (int i = 0; i < g->values && !rc; i++) {
        if (slope_of(g, i) != 0) continue;
        if (blocked) rc = carried_slope(s, s->t + h, h, e->made, e->made + i * n);
        plain_differences(s, e->made + i * n);
    }
    return evaluation_result(s, rc);
}

void blocked_accept(keel_solver *s)
{
    multivalue_state *e = s->state;
    int m = blocked_multipliers(s);
    if (m == 0) return;
    int k = multistep_of(s)->steps;
    memmove(e->past + m, e->past, (size_t)((k - 1) * m) * sizeof *e->past);
    memcpy(e->past, e->carried + e->n - m, (size_t)m * sizeof *e->past);
}
