#include "integrate/iteration.h"

#include <math.h>

#include "core/norm.h"
#include "linear/lanes.h"

void iteration_layout(arena *a, iteration *it, const keel_problem *problem)
{
    coloring_layout(a, &it->colors, problem);
    problem_matrix_layout(a, &it->J, problem);
    it->mass_diagonal = ARENA(a, double, problem->n);
    if (problem->ops->mass) problem_matrix_layout(a, &it->M, problem);
    ARENA_KEEP(a, it, diagonal, started);
    ARENA_OWN(a, it, system, linear_tape);
}

int iteration_create(iteration *it, evaluator *eval, keel_storage storage, int real_slots,
                     int complex_slots)
{
    const keel_problem *p = eval->problem;
    it->eval = eval;
    coloring_build(&it->colors, p);
    it->diagonal = problem_mass_diagonal(p, it->mass_diagonal);
    linear_spec spec = {p->n, p->pattern, storage, real_slots, complex_slots,
                        it->diagonal ? it->mass_diagonal : NULL};
    return linear_create(&it->system, &spec);
}

void iteration_release(iteration *it)
{
    linear_free(it->system);
}

int iteration_start(iteration *it, double t, const double *y, const double *yp)
{
    it->jacobian_known = it->jacobian_fresh = it->doubted = 0;
    it->started = 1;
    it->mass_constant = it->diagonal || problem_mass_constant(it->eval->problem);
    return it->diagonal ? 0 : eval_mass(it->eval, &it->colors, t, y, yp, &it->M);
}

int iteration_jacobian(iteration *it, double t, const double *y, const double *yp, int *renewed)
{
    *renewed = !it->jacobian_known;
    if (it->jacobian_known) return 0;
    long differences = it->eval->stats->rhs_for_jacobian;
    if (!it->jacobian_fresh) it->doubted = 0;
    int rc = eval_jacobian(it->eval, &it->colors, t, y, yp, &it->J);
    it->by_differences = it->eval->stats->rhs_for_jacobian > differences;
    if (!rc && !it->mass_constant) rc = eval_mass(it->eval, &it->colors, t, y, yp, &it->M);
    if (!rc) it->jacobian_known = it->jacobian_fresh = 1;
    return rc;
}

void iteration_outdate(iteration *it)
{
    if (!it->jacobian_fresh) it->jacobian_known = 0;
}

int iteration_doubt(iteration *it)
{
    int second = it->jacobian_fresh && it->by_differences && !it->doubted;
    int may_help = it->jacobian_known && (!it->jacobian_fresh || second);
    if (may_help && second) {
        it->doubted = 1;
        it->eval->backward = !it->eval->backward;
        it->jacobian_known = 0;
    }
    iteration_outdate(it);
    return may_help;
}

static linear_mass mass_of(const iteration *it)
{
    return (linear_mass){.diagonal = it->diagonal ? it->mass_diagonal : NULL, .matrix = &it->M};
}

/* Not when the start is made: should it fail, the factors may still be in use. */
static void forget_pivots(iteration *it)
{
    if (it->started) linear_forget(it->system);
    it->started = 0;
}

int iteration_factor(iteration *it, int slot, double shift)
{
    forget_pivots(it);
    return linear_factor(it->system, slot, shift, mass_of(it), &it->J);
}

int iteration_factor_complex(iteration *it, int slot, double shift_re, double shift_im)
{
    forget_pivots(it);
    return linear_factor_complex(it->system, slot, shift_re, shift_im, mass_of(it), &it->J);
}

void iteration_mass_add(const iteration *it, double alpha, const double *x, double *y)
{
    int n = it->eval->problem->n;
    if (!it->diagonal) matrix_multiply_add(&it->M, alpha, x, y);
    else for (int i = 0; i < n; i++) y[i] += alpha * it->mass_diagonal[i] * x[i];
}

int stage_iterate(void *equation, double *size)
{
    const stage_equation *q = equation;
    iteration *it = q->matrix;
    int n = it->eval->problem->n;
    for (int k = 0; k < n; k++) {
        q->Y[k] = q->base[k] + q->Z[k];
        q->rate[k] = q->sigma * q->Z[k] + (q->rest ? q->rest[k] : 0);
    }
    int rc = eval_residual(it->eval, q->t, q->Y, q->rate, q->update);
    if (rc) return rc;
    linear_solve(it->system, q->slot, q->update);
    it->eval->stats->solves++;
    for (int k = 0; k < n; k++) q->update[k] *= q->relaxation;
    *size = sqrt(norm_sum(n, q->update, q->weight) / n);
    for (int k = 0; k < n; k++) q->Z[k] += q->update[k];
    return 0;
}

double stages_add(int stages, int n, const double *update, const double *weight, double *Z)
{
    return sqrt(vectors_add(stages, n, update, weight, Z) / (n * stages));
}
