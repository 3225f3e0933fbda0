/* multivalue_general.c -- general linear methods with variable steps and order.
 *
 * Scale and modify [Butcher & Jackiewicz 2003; Wright 2002]: what is carried has principal errors,
 * y_k = h^k y^(k) / k! + phi_k X with X = h^(p+1) y^(p+1).  For a step r h
 *
 *   y_k := r^k y_k + (r^(p+1) - r^k) phi_k X
 *
 * gives it those of a constant step r h.  The local error is C_p X, X from the stages
 * (multivalue_errors.c), those of the neighbouring orders are
 *
 *   C_(p-1) p! y_p,    C_(p+1) (X - (h / h_before)^(p+1) X_before).
 *
 * What is chosen is the order with the least work per time, (stages) / (step size).
 */
#include <math.h>
#include <string.h>

#include "integrate/multivalue.h"

/* Heuristics. */
static const double
    bias_same = 3, bias_lower = 4, bias_higher = 3,     /* on the errors of the three orders */
    worthwhile = 1.3,            /* h_new / h: less is not worth a new factorization        */
    too_close = 0.9,             /* h_new / h: below, the next step may well be rejected    */
    grow_first = 10, grow_most = 2, shrink_most = 0.2,
    renew_jacobian = 0.02;       /* Newton's rate                                           */
enum {
    TRUSTED = 2,                 /* steps after which an estimate may raise size and order  */
    FAILURES = 3,                /* in a row, after which what is carried is not trusted,   */
    SHRINKS = 12                 /* the same of steps whose error does not fall with h      */
};

/* ---- stages ---------------------------------------------------------------------------------- */

/* The earlier stage that is farthest before the Taylor polynomial, or -1. */
static int leader(const multivalue_method *m, int i)
{
    int best = -1;
    for (int l = 0; l < i; l++)
        if (fabs(m->lead[l]) > (best < 0 ? 1e-3 * fabs(m->lead[i]) : fabs(m->lead[best]))) best = l;
    return best;
}

void general_predict(multivalue_state *e, int i, double *Y)
{
    const multivalue_method *m = &e->method;
    int l = m->estimates == ESTIMATE_TOP ? -1 : leader(m, i);
    multivalue_polynomial(e, e->given, m->c[i], Y);
    if (l < 0) return;
    multivalue_polynomial(e, e->given, m->c[l], e->error);
    double factor = m->lead[i] / m->lead[l];
    for (int k = 0; k < e->n; k++) Y[k] += factor * (e->Y[l * e->n + k] - e->error[k]);
}

/* ---- error ----------------------------------------------------------------------------------- */

/* All unknowns, those of index 2 times h: there may be no other that has an error at all.
 * Multipliers that the hidden constraint determines are not tested. */
static void choose_tested(keel_solver *s)
{
    multivalue_state *e = s->state;
    const int *index = e->eval->variable_index;
    int recomputed = settle_replaces_multipliers(s, &e->settlement);
    int reduced = s->formulated && s->formulated->index == 1;
    e->tested_count = 0;
    for (int i = 0; i < e->n; i++) {
        int out = (recomputed && index[i] > 1) || (reduced && i >= e->n - s->problem->constraints);
        e->tested[i] = out ? 0 : e->scaled[i];
        e->tested_count += e->tested[i] > 0;
    }
}

/* h^(p+1) y^(p+1) */
static void find_principal(keel_solver *s)
{
    multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    int n = e->n;
    double *X = e->principal;
    memset(X, 0, (size_t)n * sizeof *X);
    if (m->estimates == ESTIMATE_TOP)
        for (int i = 0; i < n; i++)
            X[i] = m->principal * (e->made[m->order * n + i] - e->given[m->order * n + i]);
    else for (int j = 0; j < m->s; j++)
        for (int i = 0; i < n && m->estimate[j] != 0; i++)
            X[i] += m->estimate[j] * (e->Y[j * n + i] - e->given[i]);
    if (m->estimates != ESTIMATE_TWIN) multivalue_filter(s, X);
}

attempt_result general_error(keel_solver *s)
{
    multivalue_state *e = s->state;
    choose_tested(s);
    find_principal(s);
    return multivalue_judge_error(s, e->principal);
}

/* ---- step size and order --------------------------------------------------------------------- */

/* y_(q+1) for a method of order q + 1, of unknowns whose X means something. */
static void append_value(multivalue_state *e)
{
    const int *index = e->eval->variable_index;
    int q = e->method.order;
    double *top = e->carried + (q + 1) * e->n, scale = 1;
    for (int k = 2; k <= q + 1; k++) scale /= k;
    for (int i = 0; i < e->n; i++) top[i] = index[i] > 1 ? 0 : scale * e->principal[i];
}

/* *factor: h_new / h for the same order, then for the best one, which is *change away. */
static void choose_order(keel_solver *s, double h, int *change, double *factor)
{
    multivalue_state *e = s->state;
    int q = e->method.order;
    double lower = control_reach(bias_lower * multivalue_lower_error(s, 1), 1.0 / q);
    double higher = control_reach(bias_higher * multivalue_higher_error(s, h, 0), 1.0 / (q + 2));
    double best = *factor / (q + 1);
    *change = 0;
    if (lower / q > best) *change = -1, *factor = lower, best = lower / q;
    if (higher / (q + 2) > best) *change = 1, *factor = higher;
}

static void after_acceptance(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    double factor = control_reach(bias_same * s->report.error, 1.0 / (e->method.order + 1));
    int change = 0, trusted = e->steps_at_order >= TRUSTED || e->steps_known < TRUSTED;
    if (trusted && !s->control.rejected_before) choose_order(s, h, &change, &factor);
    else factor = fmin(factor, 1);
    if (change > 0) append_value(e);
    e->method.order += change;
    factor = fmin(factor, fmin(e->steps_known < TRUSTED ? grow_first : grow_most,
                               e->range.table[e->method.order].ratio_most));
    if (change || factor >= worthwhile) e->steps_at_order = 0;
    if (!change && factor > too_close && factor < worthwhile) factor = 1;
    e->shrinks = factor > 1 ? 0 : e->shrinks + (factor < 1);
    s->h_next = h * fmax(factor, shrink_most);
    if (e->newton.rate > renew_jacobian) e->matrix.jacobian_known = 0;
}

int general_is_astray(const multivalue_state *e) { return e->shrinks >= SHRINKS; }

static void after_failure(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    e->steps_at_order = 0;
    e->failures++;
    if (h != 0) {
        double factor = control_reach(bias_same * s->report.error, 1.0 / (e->method.order + 1));
        if (s->control.rejected_before) factor = fmin(factor, 0.25);
        s->h_next = h * fmax(shrink_most, fmin(0.9, factor));
    }
    if (e->failures < FAILURES) return;
    e->failures = 0;                             /* anew, from y and h y' alone with order 1, */
    e->principal_h = 0;
    if (e->range.first > 1) e->begun = 0;        /* or by the starting procedure */
    else e->method.order = 1;
}

void general_next(keel_solver *s, double h)
{
    int failed = h == 0 || !(s->report.error < 1);
    if (s->report.again) return;
    if (failed) after_failure(s, h);
    else after_acceptance(s, h);
    s->control.rejected_before = failed;
}
