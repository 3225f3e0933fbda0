/* multivalue_stages.c -- diagonally implicit stages of a general linear method, one by one:
 *
 *   0 = r(t_i, psi_i + Z_i, Z_i / (h a_ii)),   psi_i = sum_k U_ik y_k[n] + sum_(j<i) a_ij h Y'_j.
 */
#include <math.h>
#include <string.h>

#include "integrate/multivalue.h"
#include "problem/formulation.h"
#include "problem/products.h"

/* Heuristics; docs/decisions/0015-bdf.md says what each is worth. */
static const double refactor_at = 0.25,          /* relative change of h a_ii [BCP96 5.2.2] */
                    slow = 0.35;                 /* rate of convergence that asks for a new J */
enum { AGE_MOST = 150,                           /* accepted steps with one J */
       UNSOLVED_MOST = 9 };                      /* multiples of the usual number of iterations */

int multivalue_is_single(const keel_solver *s)
{
    const multivalue_state *e = s->state;
    return s->options.step == 0 && e->range.s == 1;
}

/* The factored systems will not do for a step h; neither will J then, unless it is of this step. */
static int outdated(const keel_solver *s, double h)
{
    const multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    double wanted = m->diagonal ? h * m->A[0] : h, ratio = e->factored / wanted;
    if (!(ratio > 0)) return 1;
    if (!multivalue_is_single(s)) return ratio != 1;
    return fabs(ratio - 1) > refactor_at * fmin(1, ratio) || e->newton.rate > slow ||
           e->age > AGE_MOST;
}

/* J where Newton's method begins, at the predicted point; where that cannot be, where a stage could
 * be evaluated last. */
static int renew_jacobian(keel_solver *s, double h, int *renewed)
{
    multivalue_state *e = s->state;
    int n = e->n, rc = 1;
    if (multivalue_is_single(s) && !e->matrix.jacobian_known) {
        multivalue_polynomial(e, e->given, 1, e->Y);
        memset(e->rate, 0, (size_t)n * sizeof *e->rate);
        for (int k = 1; k < e->method.r; k++)
            for (int i = 0; i < n; i++) e->rate[i] += k / h * e->given[k * n + i];
        rc = iteration_jacobian(&e->matrix, s->t + h, e->Y, e->rate, renewed);
    }
    if (rc <= 0) return rc;
    const double *y = multivalue_is_single(s) && e->steps_known ? e->evaluated : e->y;
    return iteration_jacobian(&e->matrix, s->t, y, e->yp, renewed);
}

/* The distinct diagonal entries have a slot each, that of their first stage in a row. */
static int slot_of(const multivalue_method *m, int i)
{
    while (i > 0 && m->A[i * (m->s + 1)] == m->A[(i - 1) * (m->s + 1)]) i--;
    return i;
}

static attempt_result factor(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    int rc = 0;
    e->factored = 0;
    s->stats.factorizations++;
    if (!m->diagonal) return coupled_factor(s, &e->coupled, h);
    for (int i = 0; i < m->s && !rc; i++)
        if (slot_of(m, i) == i)
            rc = iteration_factor(&e->matrix, i, 1 / (h * m->A[i * m->s + i]), 0);
    if (rc) return factoring_result(s, rc);
    e->factored = h * m->A[0];
    if (multivalue_is_single(s)) e->newton.factor = 1, e->newton.rate = 0;
    return ATTEMPT_DONE;
}

attempt_result multivalue_matrices(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    int renewed, stale = outdated(s, h);
    if (stale && multivalue_is_single(s) && !e->matrix.jacobian_fresh) e->matrix.jacobian_known = 0;
    int rc = renew_jacobian(s, h, &renewed);
    if (rc) return evaluation_result(s, rc);
    if (renewed) e->age = 0;
    return renewed || stale ? factor(s, h) : ATTEMPT_DONE;
}

/* sum_k U_ik y_k[n] */
static void carried_part(const multivalue_state *e, int i, double *psi)
{
    const multivalue_method *m = &e->method;
    memset(psi, 0, (size_t)e->n * sizeof *psi);
    for (int k = 0; k < m->r; k++)
        for (int j = 0; j < e->n; j++) psi[j] += m->U[i * m->r + k] * e->given[k * e->n + j];
}

/* psi_i */
static void known_part(const multivalue_state *e, int i, double *psi)
{
    const multivalue_method *m = &e->method;
    carried_part(e, i, psi);
    for (int l = 0; l < i; l++)
        for (int j = 0; j < e->n; j++) psi[j] += m->A[i * m->s + l] * e->slopes[l * e->n + j];
}

/* Adds the k-th entry of the Nordsieck vector to y, of algebraic unknowns or of the others. */
static void add_derivative(const multivalue_state *e, const double *values, int k, int algebraic,
                           double *y)
{
    const multivalue_method *m = &e->method;
    const double *readout = algebraic ? m->readout_algebraic : m->readout;
    const double *mass = e->matrix.local.diagonal && !m->nordsieck ? e->matrix.local.mass_diagonal : NULL;
    if (k >= (algebraic ? m->readable_algebraic : m->readable)) return;
    for (int i = 0; i < m->r; i++) {
        const double w = readout[k * m->r + i], *x = values + i * e->n;
        for (int j = 0; j < e->n && !mass && w != 0; j++) y[j] += w * x[j];
        for (int j = 0; j < e->n && mass && w != 0; j++) y[j] += (mass[j] == 0) == algebraic ? w * x[j] : 0;
    }
}

void multivalue_polynomial(const multivalue_state *e, const double *values, double x, double *y)
{
    int separate = e->matrix.local.diagonal && !e->method.nordsieck;
    memset(y, 0, (size_t)e->n * sizeof *y);
    for (int k = e->method.readable - 1; k >= 0; k--) {
        for (int j = 0; j < e->n; j++) y[j] *= x;
        add_derivative(e, values, k, 0, y);
        if (separate) add_derivative(e, values, k, 1, y);
    }
}

void multivalue_derivative(const multivalue_state *e, const double *values, int k, double *y)
{
    int separate = e->matrix.local.diagonal && !e->method.nordsieck;
    memset(y, 0, (size_t)e->n * sizeof *y);
    add_derivative(e, values, k, 0, y);
    if (separate) add_derivative(e, values, k, 1, y);
}

/* What a solution is off by comes back in the next prediction, multiplied by up to 2^(q+1) - 1, the sum of
 * the coefficients that extrapolate q + 1 values.  Of multipliers no error test sees it: it would grow to
 * Newton's tolerance, and what the velocities feel of it would keep steps short. */
attempt_result multivalue_solve(keel_solver *s, int limit, newton_step *step, void *context)
{
    multivalue_state *e = s->state;
    newton_begin(&e->newton, limit, s->options.step > 0);
    e->newton.loosest = solves_inexactly(s) ? 3 * SOLVE_LOOSEST / (ldexp(1, e->method.order + 1) - 1) : 0;
    e->matrix.newton = &e->newton;
    attempt_result result = newton_attempt(s, &e->newton, e->newton_tolerance, e->newton_floor,
                                           step, context);
    e->matrix.newton = NULL;
    if (result != ATTEMPT_NOT_CONVERGED) return result;
    report_worst(s, e->n, e->update, e->scaled);
    if (e->source) s->report.variable = e->source[s->report.variable];
    s->report.factor = 0.25;
    e->unsolved++;
    return result;
}

int multivalue_eliminates(const keel_solver *s)
{
    return s->formulated && s->formulated->index == 1 && !s->eval.dependence;
}

/* Multipliers that belong to x before each iteration, which then corrects both: what Newton's
 * method leaves of their errors would come back, larger, in the next prediction. */
static int eliminate(const stage_equation *q)
{
    evaluator *eval = q->matrix->eval;
    int n = eval->problem->n, first = eval->problem->group[0];
    for (int k = 0; k < first; k++) q->Y[k] = q->base[k] + q->Z[k];
    int rc = index1_multipliers(eval, q->t, q->Y, q->Y + first);
    for (int k = first; k < n && !rc; k++) q->Z[k] = q->Y[k] - q->base[k];
    return rc;
}

/* BDF steps of sparse mechanical problems, whose index is reduced as they are solved: the hidden constraint
 * instead of g, with the matrix of the problem itself.
 *
 *   0 = v - q',   0 = f - G^T l - M v',   0 = r = G v' + gamma
 *
 * With q' = sigma q + .., v' = sigma v + .. the matrix of index 3 gives dv = sigma dq - (v - q'),
 * so that r + G sigma dv = 0 is what it solves for the right-hand side
 *
 *   -G dq = (r - sigma G (v - q')) / sigma^2
 *
 * but for the derivatives of G and gamma, which are O(h) of it.  Projection removes the drift, and
 * multipliers follow from the new point. */
int multivalue_is_reduced(const keel_solver *s)
{
    const multivalue_state *e = s->state;
    return s->options.step == 0 && e->range.bdf && s->problem->levels > 1 &&
           mechanical_is_sparse(s->problem);
}

/* The third row, with G as the residual left it. */
static int reduced_row(const stage_equation *q)
{
    evaluator *eval = q->matrix->eval;
    const keel_problem *p = eval->problem;
    int n = p->group[0], m = p->constraints;
    double *x = q->scratch[0], *gamma = q->scratch[1];
    keel_mechanical_parts parts = {.curvature = gamma};
    memset(gamma, 0, (size_t)m * sizeof *gamma);
    for (int i = 0; i < n; i++) x[i] = q->rate[n + i] - q->sigma * q->update[i];
    level_product(p, eval->constraint_jacobian, gamma, x, q->update + 2 * n);
    int rc = eval_mechanical(eval, q->t, q->Y, q->Y + n, KEEL_CURVATURE, &parts);
    for (int k = 0; k < m && !rc; k++)
        q->update[2 * n + k] = (q->update[2 * n + k] + gamma[k]) / (q->sigma * q->sigma);
    return rc;
}

/* Where smaller steps do not make it converge faster, more iterations do it.  Where they do not lead back
 * into the domain of the equations, the accepted point is at fault, outside by less than the tolerance.
 * Then the step as it was, by one iteration from the last point that could be evaluated; the error test
 * judges it.  That is tried once. */
static attempt_result solve_stage(keel_solver *s, stage_equation *q, double h)
{
    multivalue_state *e = s->state;
    double size;
    if (e->outside == OUTSIDE_MOST + 1) {
        e->outside++;
        for (int k = 0; k < e->n; k++) q->Z[k] = e->evaluated[k] - q->base[k];
        s->stats.newton++;
        return evaluation_result(s, stage_iterate(q, &size));
    }
    int more = e->unsolved < UNSOLVED_MOST ? e->unsolved : UNSOLVED_MOST;
    attempt_result result = multivalue_solve(s, newton_limit(s, 1) * (1 + more), stage_iterate, q);
    if (result == ATTEMPT_DONE) memcpy(e->evaluated, q->Y, (size_t)e->n * sizeof *e->evaluated);
    if (result != ATTEMPT_CANNOT_EVALUATE || !e->steps_known || !multivalue_is_single(s))
        return result;
    if (e->h_outside == 0) e->h_outside = h;
    if (++e->outside == OUTSIDE_MOST + 1) s->report.factor = e->h_outside / h;
    return result;
}

static attempt_result all_stages(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    int n = e->n;
    for (int i = 0; i < m->s; i++) {
        carried_part(e, i, e->base + i * n);
        multivalue_polynomial(e, e->given, m->c[i], e->Z + i * n);
        for (int k = 0; k < n; k++) e->Z[i * n + k] -= e->base[i * n + k];
    }
    return coupled_solve(s, &e->coupled, h);
}

attempt_result multivalue_stages(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    const multivalue_method *m = &e->method;
    int n = e->n;
    newton_monitor worst = {0};
    if (!m->diagonal) return all_stages(s, h);
    for (int i = 0; i < m->s; i++) {
        double *Y = e->Y + i * n, a = m->A[i * m->s + i];
        stage_equation stage = {
            .matrix = &e->matrix, .weight = e->scaled, .t = s->t + m->c[i] * h,
            .sigma = 1 / (h * a), .base = e->base, .slot = slot_of(m, i), .Z = e->Z, .Y = Y,
            .relaxation = m->s > 1 ? 1 : 2 / (1 + e->factored / (h * a)), .rate = e->rate,
            .update = e->update, .prepare = multivalue_eliminates(s) ? eliminate : NULL,
            .reduce = multivalue_is_reduced(s) ? reduced_row : NULL, .scratch = {e->error, e->principal}};
        known_part(e, i, e->base);
        if (e->range.bdf) multivalue_polynomial(e, e->given, m->c[i], Y);
        else general_predict(e, i, Y);
        for (int k = 0; k < n; k++) e->Z[k] = Y[k] - e->base[k];
        attempt_result result = solve_stage(s, &stage, h);
        if (result != ATTEMPT_DONE) return result;
        for (int k = 0; k < n; k++) {
            Y[k] = e->base[k] + e->Z[k];
            e->slopes[i * n + k] = e->Z[k] / a;
        }
        if (i == 0 || e->newton.rate > worst.rate) worst = e->newton;
    }
    e->newton = worst;
    return ATTEMPT_DONE;
}
