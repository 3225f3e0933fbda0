/* multivalue_bdf.c -- BDF formulas with variable steps and order.
 *
 * Milne's estimate of the local error is a multiple of y - predicted, which is one of the change of
 * y_q [Bendtsen & Thomsen 1999 (10.7)]; the others are those of multivalue_order.c.
 */
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/multivalue.h"

/* Heuristics; docs/decisions/0015-bdf.md says what each is worth. */
static const double
    strict = 4,                  /* on all errors: 2 is DASSL's 1/(q+1), not 1/((q+1) H_q) */
    bias = 3, bias_higher = 6,   /* on the errors of this order and the lower, of the higher one: */
                                 /* 6, 6, 10 in VODE [Brown, Byrne & Hindmarsh 1989] */
    worthwhile = 1.7,            /* h_new / h: smaller gains are not worth a factorization */
    better = 1.15,               /* ... of the higher order beside this one: it needs none */
    lasting = 1.4,               /* ... where the solution decays: the next gain is certain to come */
    grow_most = 10, shrink_most = 0.25, shrink_least = 0.8,
    shrink_first = 0.05,         /* with order 1, whose estimate needs no past */
    halve_most = 0.5,            /* h_new / h with a lower order */
    memory = 0.9, memory_lower = 0.8,    /* per step, of the largest errors of late */
    undecaying = 0.5,            /* ratio of successive P_j that is no decay */
    leap_most = 100;             /* z before its prediction, in tolerances */
enum { FAILURES_MOST = 3 };      /* of the error test in a row; then order 1 [BCP96 5.2.2] */

/* ---- error ----------------------------------------------------------------------------------- */

/* Differential unknowns; where M is not diagonal, the error is filtered instead. */
static void choose_tested(keel_solver *s)
{
    multivalue_state *e = s->state;
    e->tested_count = 0;
    for (int i = 0; i < e->n; i++) {
        int out = e->matrix.local.diagonal && e->matrix.local.mass_diagonal[i] == 0;
        e->tested[i] = out ? 0 : strict * e->scaled[i];
        e->tested_count += !out;
    }
}

/* Where algebraic unknowns cannot be left out, what follows from the differential part stands for
 * them. */
static int is_filtered(const multivalue_state *e) { return !e->matrix.local.diagonal; }

/* Newton's method can leap to a branch of 0 = g(t,y,z) far away.  The error test leaves z out, so where
 * z is far from its prediction the step is repeated with smaller ones; a jump that stays is one of
 * the solution. */
static attempt_result guard_leaps(keel_solver *s, const double *P)
{
    multivalue_state *e = s->state;
    const keel_problem *p = e->eval->problem;
    int known = p->ops == &semi_explicit_form || (p->ops == &levelled_form && e->eval->lag == 0);
    if (e->eval->engine) return ATTEMPT_DONE;    /* too many z to look at, as below */
    if (gauge_loose(e->eval->gauge)) return ATTEMPT_DONE;        /* parts of z that do not act leap */
    int m = known && !e->source && p->constraints <= INDEX1_MOST ? p->constraints : 0;
    double sum = norm_sum(m, P + e->n - m, e->weight + e->n - m);
    if (e->method.error_constant * sqrt(sum / fmax(1, m)) <= leap_most || e->leaps >= LEAPS_MOST)
        return ATTEMPT_DONE;
    e->leaps++;
    s->report.factor = 0.25;
    s->report.variable = e->n - m + norm_worst(m, P + e->n - m, e->weight + e->n - m);
    return ATTEMPT_NOT_CONVERGED;
}

attempt_result bdf_error(keel_solver *s)
{
    multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    const double *top = e->made + m->order * e->n, *before = e->given + m->order * e->n;
    choose_tested(s);
    for (int i = 0; i < e->n; i++) e->principal[i] = m->principal * (top[i] - before[i]);
    memcpy(e->error, e->principal, (size_t)e->n * sizeof *e->error);
    int rc = is_filtered(e) ? multivalue_filter(s, e->error) : 0;
    if (rc) return evaluation_result(s, rc);
    attempt_result result = guard_leaps(s, e->principal);
    return result == ATTEMPT_DONE ? multivalue_judge_error(s, e->error) : result;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* x^2 prod_(i=1..count) (x + xi_i), xi_i = (t_n - t_(n-i)) / h, in ascending powers. */
static void past_polynomial(const multivalue_state *e, int count, double *c)
{
    double distance = 0;
    memset(c, 0, (size_t)(count + 3) * sizeof *c);
    c[2] = 1;
    for (int i = 1; i <= count; i++) {
        distance += i <= e->steps_known ? e->steps[i - 1] / e->h : 1;
        for (int k = i + 2; k > 0; k--) c[k] = distance * c[k] + c[k - 1];
        c[0] = 0;
    }
}

/* y_k += factor c_k x for k = 2..last */
static void add_polynomial(multivalue_state *e, const double *c, int last, double factor,
                           const double *x)
{
    for (int k = 2; k <= last; k++)
        for (int i = 0; i < e->n; i++) e->carried[k * e->n + i] += factor * c[k] * x[i];
}

/* The polynomial through one point less. */
static void lower_order(multivalue_state *e)
{
    int q = e->method.order--;
    double c[KEEL_VALUES_MOST];
    past_polynomial(e, q - 2, c);
    if (q > 2) add_polynomial(e, c, q - 1, -1, e->carried + q * e->n);
}

/* The polynomial through one point more. */
static void raise_order(multivalue_state *e)
{
    int q = e->method.order++;
    double c[KEEL_VALUES_MOST], scale = 1;
    double *top = e->carried + (q + 1) * e->n;
    for (int k = 2; k <= q + 1; k++) scale /= k;
    for (int i = 0; i < e->n; i++) top[i] = scale * e->principal[i];
    past_polynomial(e, q - 1, c);
    add_polynomial(e, c, q, 1, top);
}

/* Orders above 2 are unstable near the imaginary axis: there a mode that accuracy does not need
 * grows until the error test sees it, with P_j that do not decay.  It must go while it is small:
 * lower orders damp it with large steps only [BCP96 5.2.2; Skelboe, BIT 17 (1977) 91]. */
static int is_unstable(keel_solver *s)
{
    multivalue_state *e = s->state;
    int q = e->method.order;
    if (q < 3 || q <= e->range.first) return 0;
    double same = s->report.error / fabs(e->method.error_constant);
    return same >= undecaying * multivalue_entry(s, q, is_filtered(e)) &&
           same >= undecaying * multivalue_entry(s, q - 1, is_filtered(e));
}

/* The largest errors of late.  Those of an oscillation pass through zero while those of the order
 * below are at their largest; where both fall, the solution decays, and so does what is remembered. */
static void remember_errors(multivalue_state *e, double error, double lower)
{
    double decay = e->last_lower > 0 ? fmin(1, lower / e->last_lower) : 1;
    e->falling = decay < 1 && error < e->recent ? e->falling + 1 : 0;
    e->last_lower = isfinite(lower) ? lower : 0;
    e->recent = fmax(error, memory * decay * e->recent);
    e->recent_lower = fmax(lower, memory_lower * e->recent_lower);
}

/* What the order becomes, and the step size with it: *factor = h_new / h. */
static int choose_order(keel_solver *s, double h, double *factor)
{
    multivalue_state *e = s->state;
    int q = e->method.order, change = 0;
    double now = multivalue_lower_error(s, is_filtered(e));
    double higher = multivalue_higher_error(s, h, is_filtered(e));
    remember_errors(e, s->report.error, now);
    *factor = 1;
    if (is_unstable(s)) {
        *factor = fmin(1, fmax(halve_most, control_reach(bias * now, 1.0 / q)));
        return -1;
    }
    if (e->steps_at_order <= q) return 0;
    double same = control_reach(bias * e->recent, 1.0 / (q + 1)), best = same;
    double lower = control_reach(bias * e->recent_lower, 1.0 / q);
    higher = control_reach(bias_higher * higher, 1.0 / (q + 2));
    if (lower > best) best = lower, change = -1;
    if (higher > best) best = higher, change = 1;
    if (best < (e->falling >= 2 * q ? lasting : worthwhile)) return higher > better * same;
    *factor = fmin(best, grow_most);
    return change;
}

/* Another order or step size: what was measured is of the past. */
static void forget(multivalue_state *e)
{
    e->steps_at_order = e->falling = 0;
    e->recent = e->recent_lower = e->last_lower = 0;
}

static void after_acceptance(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    double factor;
    int change = choose_order(s, h, &factor);
    if (change > 0) raise_order(e);
    if (change < 0) lower_order(e);
    if (change || factor != 1) forget(e);
    s->h_next = h * factor;
}

void bdf_next(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    if (s->report.error < 1) {
        after_acceptance(s, h);
        return;
    }
    int q = e->method.order;
    double factor = shrink_least * control_reach(bias * s->report.error, 1.0 / (q + 1));
    if (++e->failures > 1) factor = q > 1 ? shrink_most : fmin(factor, shrink_most);
    factor = fmax(q > 1 ? shrink_most : shrink_first, fmin(shrink_least, factor));
    s->h_next = h * factor;
    while (e->failures >= FAILURES_MOST && e->method.order > e->range.first) lower_order(e);
    forget(e);
    e->recent = s->report.error * pow(factor, q + 1);
}
