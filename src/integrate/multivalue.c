/* multivalue.c -- multistep and general linear methods: BDF, DIMSIMs and others, from their data.
 *
 * With constant steps every method runs that carries y; with variable ones those that carry the
 * Nordsieck vector.  Problems of index 3 are then solved in index 1 or in the formulation of Gear,
 * Gupta & Leimkuhler: with steps that vary BDF formulas need not converge on index 3 [BCP96 3.2;
 * Bendtsen & Thomsen 1999, 4.2.4].
 */
#include "integrate/multivalue.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

/* Newton's error in the error test, which for BDF formulas has the factor error_constant [Hindmarsh et al.,
 * ACM TOMS 31 (2005) 363].  What it leaves in the slopes of a general linear method comes back in the stages
 * of the next step, 2, 22 and 220 times larger with orders 3, 4 and 5 (decision 14). */
static const double newton_bdf = 0.05;
static const double newton_general[] = {0.05, 0.05, 0.05, 0.05, 0.01, 0.002};     /* by order */
/* What a step may use of a tolerance tol.  Order p takes tol^(-1/(p+1)) steps, whose errors add up.  To
 * remain in proportion to the tolerance the error of a step must be tol^((p+1)/p), tol (tol / proportional)
 * ^(1/p) here below that tolerance, with the largest p.  A tenth for general linear methods, so that the
 * error at the end is about as large as that of Radau IIA.  docs/decisions/0015-bdf.md and 0016 say more. */
static const double bdf_proportional = 1e-4, general_proportional = 1e-6, general_share = 0.1;
/* ... and the first step of any. */
static const double first_part = 0.3;
/* Where J is that of the prediction, linear equations converge at once, and in no later step. */
static const double bdf_least_rate = 0.05, general_least_rate = 1e-3;

/* ---- between the problem and what is solved -------------------------------------------------- */

static void to_solved(const keel_solver *s, const double *y, double *solved_y)
{
    if (s->formulated) keel_formulation_from(s->formulated, y, solved_y);
    else memcpy(solved_y, y, (size_t)s->n * sizeof *y);
}

void multivalue_to_problem(const keel_solver *s, const double *solved_y, double *y)
{
    if (s->formulated) keel_formulation_to(s->formulated, solved_y, y);
    else memcpy(y, solved_y, (size_t)s->n * sizeof *y);
}

/* What failed, in terms of the problem; ggl has a second multiplier for each constraint, after all others. */
static attempt_result share_fault(keel_solver *s, attempt_result result)
{
    multivalue_state *e = s->state;
    int failed = result == ATTEMPT_CANNOT_EVALUATE || result == ATTEMPT_STOP, i = s->report.variable;
    if (s->formulated && failed && e->formulated.fault.callback)
        s->eval.fault = e->formulated.fault;
    if (result == ATTEMPT_SINGULAR && s->formulated)
        s->report.variable = e->source[i] >= 0 ? e->source[i] : i - e->n + s->n;
    return result;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* y' where f gives it, of mechanical problems from their multipliers, else as the start or the last
 * step found it. */
static int start_slope(keel_solver *s)
{
    multivalue_state *e = s->state;
    if (form_has(e->eval->problem, FORM_ACCELERATIONS))
        return eval_mechanical_rate(e->eval, s->t, e->y, e->yp);
    if (!e->matrix.local.diagonal) return 0;
    memset(e->rate, 0, (size_t)e->n * sizeof *e->rate);
    int rc = eval_residual(e->eval, s->t, e->y, e->rate, e->yp);
    for (int i = 0; i < e->n && !rc; i++) e->yp[i] *= e->matrix.local.mass_diagonal[i];
    return rc;
}

static double newton_share(const multivalue_state *e)
{
    int last = (int)(sizeof newton_general / sizeof *newton_general) - 1;
    if (e->range.bdf) return newton_bdf / e->range.error_constant[e->method.order];
    return newton_general[e->method.order < last ? e->method.order : last];
}

/* tol^(1/p) of the tolerance, with p the last order of general linear methods; BDF formulas work with
 * one less than that for half of the steps. */
static double share_of(const keel_solver *s)
{
    const multivalue_state *e = s->state;
    double from = e->range.bdf ? bdf_proportional : general_proportional;
    double ratio = fmin(1, s->least_tolerance / from);
    return (e->range.bdf ? 1 : general_share) * pow(ratio, 1 / (e->range.last - (e->range.bdf ? 0.5 : 0.0)));
}

/* Weights of what is solved, and the largest |y_i| in them; unknowns that the problem has not are
 * judged by their effect on others. */
static double weigh(const keel_solver *s, const double *y, double *weight)
{
    const multivalue_state *e = s->state;
    double largest = 0, share = e->share;
    int first_out = multivalue_is_reduced(s) ? e->n - s->problem->constraints : e->n;
    for (int i = 0; i < e->n; i++) {
        int k = e->source ? e->source[i] : i;
        int out = k < 0 || i >= first_out;
        weight[i] = out ? 0 : norm_weight(share * (s->atol[k] + s->rtol[k] * fabs(y[i])));
        largest = fmax(largest, fabs(y[i]) * weight[i]);
    }
    return largest;
}

/* Over ranks the largest of all comes with the message that accepts a point, and so does what the choice
 * of the next order rests on. */
int multivalue_at_new(keel_solver *s, double t, const double *y, double *sum, double *most)
{
    multivalue_state *e = s->state;
    if (!most) return 0;
    *most = weigh(s, y, e->rate);
    if (s->options.step > 0) return 0;
    return multivalue_order_parts(s, t - s->t, y, sum);
}

static void set_tolerances(keel_solver *s)
{
    multivalue_state *e = s->state;
    double rounding = weigh(s, e->y, e->weight), came = e->settlement.largest;
    if (s->eval.engine) rounding = came > 0 ? came : norm_most(s->eval.reducer, rounding);
    double wanted = s->options.step > 0 ? 0 : newton_share(e);
    e->newton_tolerance = fmax((wanted > 0 ? 10 : 0.1) * DBL_EPSILON * rounding, wanted);
    e->newton_floor = 1e4 * DBL_EPSILON * rounding;
}

static void forget_past(multivalue_state *e)
{
    e->begun = e->steps_known = e->steps_at_order = e->failures = e->falling = e->shrinks = 0;
    e->recent = e->recent_lower = e->last_lower = e->principal_h = 0;
    e->method.order = e->range.first;
}

static attempt_result start(keel_solver *s)
{
    multivalue_state *e = s->state;
    if (s->formulated) evaluator_reset(&e->formulated);
    if (s->formulated) evaluator_share(&s->eval, &e->formulated);
    settle_begin(s, &e->settlement, s->formulated ? NULL : &e->matrix, NULL, NULL, 1);
    e->settlement.multipliers &= (form_has(s->problem, FORM_ALGEBRAIC_KNOWN) || s->problem->index > 2) &&
                                 !multivalue_eliminates(s) && !multivalue_completes(s);
    e->age = e->outside = e->unsolved = e->leaps = 0;
    e->h_outside = e->factored = e->h = 0;
    e->newton = (newton_monitor){.factor = 1, .rate = 1};
    e->newton.least = e->range.bdf ? bdf_least_rate : general_least_rate;
    forget_past(e);
    if (blocked_check(s) != ATTEMPT_DONE) return ATTEMPT_STOP;
    to_solved(s, s->y, e->y);
    to_solved(s, s->yp, e->yp);
    int rc = iteration_start(&e->matrix, s->t, e->y, e->yp);
    if (!rc) rc = start_slope(s);
    if (rc) return share_fault(s, evaluation_result(s, rc));
    attempt_result measured = measure_levels(s, s->t, s->y, 0);
    if (measured != ATTEMPT_DONE) return measured;
    e->share = share_of(s);
    set_tolerances(s);
    multivalue_to_problem(s, e->yp, e->settled);
    first_step(s, e->settled, first_part * s->least_tolerance, 0.5);     /* order 1 */
    return evaluation_result(s, eval_outcome(&s->eval));
}

/* ---- step ------------------------------------------------------------------------------------ */

/* The method of the order in use for a step h, and the carried values in that scale; those of a table with
 * the principal errors that belong to it (multivalue_general.c). */
static void prepare(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    int n = e->n, bdf = e->range.bdf, known = s->options.step > 0 ? 0 : e->steps_known;
    if (bdf) bdf_follow(&e->method, m->order, h, e->steps, known);
    else e->method = e->range.table[m->order];
    double ratio = m->nordsieck ? h / e->h : 1, power = 1, last = bdf ? 0 : pow(ratio, m->order + 1);
    for (int k = 0; k < m->r; k++, power *= ratio) {
        double modify = !bdf && e->principal_h != 0 ? (last - power) * m->phi[k] : 0;
        for (int i = 0; i < n; i++) e->given[k * n + i] = power * e->carried[k * n + i];
        for (int i = 0; i < n && modify != 0; i++) e->given[k * n + i] += modify * e->principal_before[i];
    }
}

/* y[n+1] = V y[n] + h B Y' */
static void advance(multivalue_state *e)
{
    const multivalue_method *m = &e->method;
    int n = e->n;
    memset(e->made, 0, (size_t)m->r * (size_t)n * sizeof *e->made);
    for (int k = 0; k < m->r; k++) {
        double *y = e->made + k * n;
        for (int j = 0; j < m->r; j++) {
            double v = m->V[k * m->r + j];
            for (int i = 0; i < n && v != 0; i++) y[i] += v * e->given[j * n + i];
        }
        for (int j = 0; j < m->s; j++) {
            double b = m->B[k * m->s + j];
            for (int i = 0; i < n && b != 0; i++) y[i] += b * e->slopes[j * n + i];
        }
    }
}

/* Does what was carried over one step say too little about the other? */
static int is_tiny(double h, double other)
{
    return 2 * EXTRAPOLATE_MOST * fabs(h) < fabs(other);
}

/* A constant step that a stop time cut short, or the one after it: what is carried belongs to
 * another step size.  Where steps vary, errors of y_k grow by (h_new / h)^k. */
static int begins_anew(const keel_solver *s, double h)
{
    const multivalue_state *e = s->state;
    double rounding = 16 * DBL_EPSILON * fmax(fabs(s->t), fabs(h));
    if (!e->begun) return 0;
    if (s->options.step > 0) return e->range.starting && fabs(h - e->h) > rounding;
    return is_tiny(e->h, h) || general_is_astray(e);
}

/* From y and h y' with order 1, or by the starting procedure.  Both take multipliers at their word:
 * what they miss of the hidden constraint would come back over the step size. */
static attempt_result begin_anew(keel_solver *s)
{
    multivalue_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    memcpy(e->settled, s->y, (size_t)s->n * sizeof *s->y);
    if (has_manifold(s->problem))
        result = project_on_request(s, s->t, e->settled);
    if (result != ATTEMPT_DONE) return result;
    to_solved(s, e->settled, e->y);
    result = evaluation_result(s, start_slope(s));
    if (result == ATTEMPT_DONE) forget_past(e);
    return share_fault(s, result);
}

static attempt_result try_attempt(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    const int *index = e->eval->variable_index;
    int reduced = multivalue_is_reduced(s);
    for (int i = 0; i < e->n; i++)
        e->scaled[i] = e->weight[i] * (index[i] > 1 && !reduced ? pow(fabs(h), index[i] - 1) : 1);
    if (!e->begun) result = multivalue_begin(s, h);
    if (result != ATTEMPT_DONE) return result;
    prepare(s, h);
    result = multivalue_matrices(s, h);
    if (result == ATTEMPT_DONE) result = multivalue_stages(s, h);
    if (result != ATTEMPT_DONE) return result;
    advance(e);
    if (s->method) result = blocked_finish(s, h);        /* of a range of methods none is blocked */
    if (result == ATTEMPT_DONE) result = multivalue_error(s);
    return result;
}

/* A step of one stage mostly takes one iteration, which says nothing about the rate of convergence:
 * that J is too old shows when Newton's method fails.  Then it begins anew with a J of this step; the
 * step itself is not at fault, unless the stages are to see another level. */
static attempt_result try_afresh(keel_solver *s, double h, attempt_result failed)
{
    multivalue_state *e = s->state;
    if (failed != ATTEMPT_NOT_CONVERGED) return failed;
    lag_suspect(s, &e->matrix.local.J, h, 0);
    int old = e->matrix.jacobian_known && !e->matrix.jacobian_fresh;
    if (!old || s->lag_wanted || !multivalue_is_single(s)) return failed;
    iteration_doubt(&e->matrix);
    attempt_result result = share_fault(s, try_attempt(s, h));
    if (result == ATTEMPT_NOT_CONVERGED) lag_suspect(s, &e->matrix.local.J, h, 0);
    return result;
}

static attempt_result attempt(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    if (s->formulated) evaluator_share(&s->eval, &e->formulated);
    if (begins_anew(s, h)) result = begin_anew(s);
    if (result == ATTEMPT_DONE) result = try_afresh(s, h, share_fault(s, try_attempt(s, h)));
    if (result != ATTEMPT_DONE && result != ATTEMPT_STOP) {
        s->report.again = iteration_doubt(&e->matrix);
        if (s->report.again && s->report.factor < 1) s->report.factor = 1;
        else if (multivalue_is_single(s)) e->matrix.jacobian_known = 0;
    }
    return result;
}

/* What settling changed in y belongs to what is carried, too: y itself and, where one stage is the
 * new point, what follows from it.  Blocked methods keep their own multipliers. */
static void carry_change(keel_solver *s)
{
    multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    int own = e->n - blocked_multipliers(s);
    for (int i = 0; i < e->n; i++) {
        int k = e->source ? e->source[i] : i;
        double change = k < 0 ? 0 : e->settled[k] - e->y_new[i];
        e->y_new[i] += change;
        if (change == 0 || i >= own) continue;
        if (m->s > 1 && e->eval->variable_index[i] > 1) continue;
        if (m->s == 1 && m->nordsieck)
            for (int j = 0; j < m->r; j++)
                e->made[j * e->n + i] += m->B[j] / m->B[0] * change;
        else for (int j = 0; j < m->r; j++)
            if (m->readout[j] == 1) e->made[j * e->n + i] += change;
    }
}

/* Where the hidden constraint is found by differences, which small steps make noise of, the
 * method's own multipliers have to do. */
static attempt_result settle_new(keel_solver *s, double t_new)
{
    multivalue_state *e = s->state;
    attempt_result result = settle(s, &e->settlement, t_new, e->settled);
    int own = e->settlement.multipliers && has_manifold(s->problem) && s->options.step == 0;
    if (result != ATTEMPT_NOT_CONVERGED || !own) return result;
    multivalue_to_problem(s, e->y_new, e->settled);
    e->settlement.multipliers = 0;
    result = settle(s, &e->settlement, t_new, e->settled);
    e->settlement.multipliers = 1;
    return result;
}

static void remember_step(multivalue_state *e, double h)
{
    memmove(e->steps + 1, e->steps, (STEPS_KEPT - 1) * sizeof *e->steps);
    e->steps[0] = h;
    if (e->steps_known < STEPS_KEPT) e->steps_known++;
    e->steps_at_order++;
}

static attempt_result accept(keel_solver *s, double h, double t_new)
{
    multivalue_state *e = s->state;
    multivalue_derivative(e, e->made, 0, e->y_new);
    multivalue_to_problem(s, e->y_new, e->settled);
    int variable = s->options.step == 0, stop = s->has_stop && t_new == s->t_stop;
    e->settlement.brief = !e->settlement.multipliers && multivalue_is_single(s) &&
                          (!stop || multivalue_completes(s));
    attempt_result result = settle_new(s, t_new);
    if (result != ATTEMPT_DONE) return result;
    multivalue_order_came(s);
    carry_change(s);
    if (e->method.readable > 1) multivalue_derivative(e, e->made, 1, e->yp_new);
    else memcpy(e->yp_new, e->slopes + (e->method.s - 1) * e->n, (size_t)e->n * sizeof *e->yp);
    for (int i = 0; i < e->n; i++) e->yp_new[i] /= h;
    multivalue_dense(s, h);
    memcpy(s->y, e->settled, (size_t)s->n * sizeof *s->y);
    memcpy(e->y, e->y_new, (size_t)e->n * sizeof *e->y);
    if (!(variable && stop && is_tiny(h, s->h_next)))    /* else differences of rounding errors */
        memcpy(e->yp, e->yp_new, (size_t)e->n * sizeof *e->yp);
    if (!s->formulated) memcpy(s->yp, e->yp, (size_t)s->n * sizeof *s->yp);
    swap_vectors(&e->carried, &e->made);
    e->h = h;
    if (s->method) blocked_accept(s);
    remember_step(e, h);
    s->stats.unmeasured += e->settlement.brief && s->problem->levels > 1;
    s->multipliers_due = multivalue_completes(s);
    record_stages(s, e->method.s);
    record_order(s, e->method.order);
    e->matrix.jacobian_fresh = 0;
    e->age++;
    e->outside = e->outside > OUTSIDE_MOST ? OUTSIDE_MOST : 0;
    e->h_outside = 0;
    e->unsolved = e->leaps = 0;
    if (s->options.step > 0) e->matrix.jacobian_known = 0;   /* Newton's method goes to rounding */
    return ATTEMPT_DONE;
}

static void next(keel_solver *s, double h)
{
    const multivalue_state *e = s->state;
    if (h == 0 && (e->range.bdf || s->options.step > 0)) return;
    if (s->options.step == 0) multivalue_next(s, h);
    if (h != 0 && (s->report.error < 1 || s->options.step > 0)) set_tolerances(s);
}

/* z of the accepted point from the hidden constraint.  What is carried stays as the method has it, so
 * that the run does not depend on who looks. */
static attempt_result complete(keel_solver *s)
{
    multivalue_state *e = s->state;
    const projection_plan plan = {.kind = KEEL_PROJECT_NONE, .multipliers = 1};
    memcpy(e->settled, s->y, (size_t)s->n * sizeof *s->y);
    attempt_result found = project_and_measure(s, &plan, s->t, e->settled);
    if (found != ATTEMPT_DONE) return found;
    memcpy(s->y, e->settled, (size_t)s->n * sizeof *s->y);
    record_residuals(s);
    s->stats.unmeasured--;
    return ATTEMPT_DONE;
}

const integrator multivalue_integrator = {
    .name = "multivalue", .fixed_lag = -1, .safety = 0.9, .growth = 10, .first_share = 1e-3,
    .state_size = sizeof(multivalue_state), .layout = multivalue_buffers, .create = multivalue_create,
    .start = start, .attempt = attempt, .accept = accept, .next = next, .check = multivalue_check,
    .dense = multivalue_dense_multipliers, .complete = complete};
