/* multivalue_reduced.c -- BDF steps of sparse mechanical problems, whose index is reduced as they
 * are solved: the hidden constraint instead of g, with the matrix of the problem itself.
 *
 *   0 = v - q',   0 = f - G^T l - M v',   0 = r = G v' + gamma
 *
 * With q' = sigma q + .., v' = sigma v + .. the matrix of index 3 gives dv = sigma dq - (v - q'),
 * so that r + G sigma dv = 0 is what it solves for the right-hand side
 *
 *   -G dq = (r - sigma G (v - q')) / sigma^2
 *
 * but for the derivatives of G and gamma, which are O(h) of it.  Projection removes the drift, and
 * multipliers follow from the new point.
 */
#include <math.h>

#include "core/norm.h"
#include "integrate/multivalue.h"
#include "problem/products.h"

int multivalue_is_reduced(const keel_solver *s)
{
    const multivalue_state *e = s->state;
    return s->options.step == 0 && e->range.bdf && s->problem->levels > 1 &&
           mechanical_is_sparse(s->problem);
}

/* The third row, with G as the residual left it. */
static int hidden_row(const stage_equation *q, double *x, double *gamma)
{
    evaluator *eval = q->matrix->eval;
    const keel_problem *p = eval->problem;
    int n = p->group[0];
    keel_mechanical_parts parts = {.curvature = gamma};
    for (int i = 0; i < n; i++) x[i] = q->rate[n + i] - q->sigma * q->update[i];
    level_product(p, eval->constraint_jacobian, gamma, x, q->update + 2 * n);
    int rc = eval_mechanical(eval, q->t, q->Y, q->Y + n, KEEL_CURVATURE, &parts);
    for (int k = 0; k < p->constraints && !rc; k++)
        q->update[2 * n + k] = (q->update[2 * n + k] + gamma[k]) / (q->sigma * q->sigma);
    return rc;
}

int reduced_iterate(void *equation, double *size)
{
    const reduced_equation *r = equation;
    const stage_equation *q = &r->stage;
    iteration *it = q->matrix;
    int n = it->eval->problem->n, m = it->eval->problem->constraints;
    for (int k = 0; k < n; k++) {
        q->Y[k] = q->base[k] + q->Z[k];
        q->rate[k] = q->sigma * q->Z[k];
    }
    for (int k = 0; k < m; k++) r->gamma[k] = 0;
    int rc = eval_residual(it->eval, q->t, q->Y, q->rate, q->update);
    if (!rc) rc = hidden_row(q, r->x, r->gamma);
    if (!rc) rc = iteration_solve(it, q->slot, q->update, NULL);
    if (rc) return rc;
    it->eval->stats->solves++;
    for (int k = 0; k < n; k++) q->update[k] *= q->relaxation;
    *size = sqrt(norm_sum(n, q->update, q->weight) / n);
    for (int k = 0; k < n; k++) q->Z[k] += q->update[k];
    return 0;
}
