/* multivalue_dense.c -- dense output: the Taylor polynomial at the new point,
 *
 *   y(t_(n+1) + x h) = sum_k x^k y_k,   -1 <= x <= 0,
 *
 * as values at equidistant nodes, those at the ends the accepted ones.  Where the carried values
 * tell nothing but y, the cubic with the slopes at the ends, if the last stage gives the new one;
 * algebraic unknowns, whose slopes are not known, are then linear.
 */
#include "integrate/multivalue.h"

static int is_cubic(const multivalue_state *e)
{
    return e->method.readable < 2 && e->method.c[e->method.s - 1] == 1;
}

/* Of several stages, with variable steps. */
static int is_blended(const multivalue_state *e)
{
    return e->method.nordsieck && e->method.s > 1 && e->method.readable > 1;
}

/* The Taylor polynomials at both ends, each where it is good: off by (h/2)^(q+1) at most. */
static void blended(multivalue_state *e, double x, double *y)
{
    double late = x * x * (3 - 2 * x);
    multivalue_polynomial(e, e->given, x, e->error);
    multivalue_polynomial(e, e->made, x - 1, y);
    for (int i = 0; i < e->n; i++) y[i] = late * y[i] + (1 - late) * e->error[i];
}

/* The step at t_n + x h.  A first step knows no slopes of algebraic unknowns: they are linear in it. */
static void inside(multivalue_state *e, int first, double h, double x, double *y)
{
    int cubic = is_cubic(e), blend = is_blended(e);
    if (blend) blended(e, x, y);
    else if (!cubic) multivalue_polynomial(e, e->made, x - 1, y);
    for (int i = 0; i < e->n && (cubic || (blend && first)); i++) {
        int algebraic = e->matrix.local.diagonal && e->matrix.local.mass_diagonal[i] == 0;
        if (algebraic) y[i] = e->y[i] + x * (e->y_new[i] - e->y[i]);
        else if (cubic) y[i] = hermite(x, h, e->y[i], e->y_new[i], e->yp[i], e->yp_new[i]);
    }
}

void multivalue_dense(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    int points = is_cubic(e) ? HERMITE_POINTS : e->method.readable > 1 ? e->method.readable : 2;
    if (is_blended(e)) points += 2;
    for (int j = 0; j < points; j++) e->nodes[j] = j / (points - 1.0);
    barycentric_weights(points, e->nodes, e->barycentric);
    dense_ends(s, h, points, e->nodes, e->barycentric, e->settled);
    for (int j = 1; j < points - 1; j++) {
        inside(e, s->fresh, h, e->nodes[j], e->base);
        multivalue_to_problem(s, e->base, s->dense.values + j * s->n);
    }
    s->dense_due = s->problem->levels > 1 && s->options.multipliers == KEEL_MULTIPLIERS_HIDDEN;
}

/* bdf on large problems finds multipliers where they are seen: the hidden level takes a solve by iteration,
 * or a Jacobian, which is a fifth of the instructions of a run of flow through 32 x 32 cells. */
int multivalue_completes(const keel_solver *s)
{
    if (s->options.multipliers != KEEL_MULTIPLIERS_HIDDEN || s->problem->levels < 2) return 0;
    return solves_inexactly(s) ||
           (s->problem->ops == &hessenberg2_form && (s->eval.engine || problem_is_sparse(s->problem)) &&
            multivalue_is_single(s) && !s->formulated && !s->attached && !s->eval.gauge && !s->events);
}

/* Multipliers inside the step: from the hidden constraint, as at its ends.  Their polynomial would
 * be off by what the method's own multipliers are. */
attempt_result multivalue_dense_multipliers(keel_solver *s)
{
    interpolant *d = &s->dense;
    int n = s->n, first = s->problem->original ? n : n - s->problem->constraints, row = 0;
    projection_plan plan = projection_plan_of(s, 1);
    plan.kind = KEEL_PROJECT_NONE;
    attempt_result result = ATTEMPT_DONE;
    int ends = multivalue_completes(s) ? 0 : 1;  /* that are known                           */
    for (int j = ends; j < d->points - ends && result == ATTEMPT_DONE; j++) {
        double x = d->nodes[j], *y = d->values + j * n;
        const double *y_0 = d->values, *y_1 = y_0 + (d->points - 1) * n;
        for (int i = first; i < n; i++) y[i] = y_0[i] + x * (y_1[i] - y_0[i]);
        result = projection_attempt(s, projection_move(projection_of(s), &s->eval, &plan,
                                                       NULL, d->t0 + x * d->h, y, &row), row);
    }
    s->dense_due = result != ATTEMPT_DONE;
    return result;
}
