#include "integrate/iteration.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/norm.h"
#include "integrate/integrator.h"
#include "linear/columns.h"
#include "linear/lanes.h"
#include "problem/dependence.h"

void iteration_layout(arena *a, iteration *it, const keel_problem *problem, const keel_engine *engine)
{
    it->mass_diagonal = ARENA(a, double, problem->n);
    ARENA_KEEP(a, it, diagonal, started);
    if (engine) return;
    coloring_layout(a, &it->colors, problem);
    problem_matrix_layout(a, &it->J, problem);
    if (problem->ops->mass) problem_matrix_layout(a, &it->M, problem);
    ARENA_OWN(a, it, system, linear_tape);
}

/* Is there so much at all?  Pages that are not touched cost nothing. */
static int can_have(double bytes)
{
    void *block = bytes < (double)PTRDIFF_MAX ? malloc((size_t)bytes + 1) : NULL;
    free(block);
    return block != NULL;
}

int iteration_create(iteration *it, keel_solver *s, evaluator *eval, int real_slots, int complex_slots)
{
    const keel_problem *p = eval->problem;
    it->eval = eval;
    it->diagonal = problem_mass_diagonal(p, it->mass_diagonal);
    if (eval->engine) return KEEL_OK;
    coloring_build(&it->colors, p);
    linear_spec spec = {p->n, p->pattern, choose_storage(s), real_slots, complex_slots,
                        it->diagonal ? it->mass_diagonal : NULL, eval->package};
    int rc = linear_create(&it->system, &spec);
    if (rc || spec.storage != KEEL_SPARSE) return rc;
    linear_memory memory = linear_memory_of(it->system);
    s->factor_bytes += memory.most;
    return can_have(memory.least) ? KEEL_OK : KEEL_NO_MEMORY;
}

void iteration_release(iteration *it)
{
    linear_free(it->system);
}

/* Is the matrix of a constant mass a diagonal of zeros and ones?  Then that is used. */
static int is_diagonal(const keel_matrix *M, double *diagonal)
{
    for (int j = 0; j < M->columns; j++) {
        column c = matrix_column(M, j);
        diagonal[j] = 0;
        for (int k = 0; k < c.count; k++) {
            if (column_row(&c, k) == j) diagonal[j] = c.values[k];
            else if (c.values[k] != 0) return 0;
        }
        if (diagonal[j] != 0 && diagonal[j] != 1) return 0;
    }
    return 1;
}

int iteration_start(iteration *it, double t, const double *y, const double *yp)
{
    const keel_problem *p = it->eval->problem;
    it->jacobian_known = it->jacobian_fresh = it->doubted = 0;
    it->started = 1;
    it->diagonal = problem_mass_diagonal(p, it->mass_diagonal);
    it->mass_constant = it->diagonal || problem_mass_constant(p);
    if (it->diagonal || it->eval->engine) return 0;
    int rc = eval_mass(it->eval, &it->colors, t, y, yp, &it->M);
    it->diagonal = !rc && it->mass_constant && p->ops == &quasilinear_form &&
                   is_diagonal(&it->M, it->mass_diagonal);
    return rc;
}

static int linearize(iteration *it, double t, const double *y, const double *yp)
{
    const keel_engine_spec *engine = &it->eval->engine->spec;
    it->eval->stats->jacobian++;
    int rc = eval_engine(it->eval, "linearize", t, engine->linearize(engine->context, t, y, yp));
    if (!rc) it->jacobian_known = it->jacobian_fresh = 1;
    return rc;
}

int iteration_jacobian(iteration *it, double t, const double *y, const double *yp, int *renewed)
{
    *renewed = !it->jacobian_known;
    if (it->jacobian_known) return 0;
    if (it->eval->engine) return linearize(it, t, y, yp);
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
    const dependence *d = it->eval->dependence;
    return (linear_mass){.diagonal = it->diagonal ? it->mass_diagonal : NULL, .matrix = &it->M,
                         .loose = d && d->problem ? d->loose : NULL};
}

/* Not when the start is made: should it fail, the factors may still be in use. */
static void forget_pivots(iteration *it)
{
    if (it->started) linear_forget(it->system);
    it->started = 0;
}

/* A code > 0 of an engine names no unknown, so one that there is not. */
static int prepare(iteration *it, int slot, double re, double im)
{
    const keel_engine_spec *engine = &it->eval->engine->spec;
    int rc = eval_engine(it->eval, "prepare", it->eval->fault.t,
                         engine->prepare(engine->context, slot, re, im));
    return rc < 0 ? KEEL_CALLBACK_FAILED : rc > 0 ? it->eval->problem->n + 1 : 0;
}

int iteration_factor(iteration *it, int slot, double shift)
{
    if (it->eval->engine) return prepare(it, slot, shift, 0);
    forget_pivots(it);
    return linear_factor(it->system, slot, shift, mass_of(it), &it->J);
}

int iteration_factor_complex(iteration *it, int slot, double shift_re, double shift_im)
{
    if (it->eval->engine) return prepare(it, slot, shift_re, shift_im);
    forget_pivots(it);
    return linear_factor_complex(it->system, slot, shift_re, shift_im, mass_of(it), &it->J);
}

static int solve(iteration *it, int slot, double *b_re, double *b_im)
{
    const keel_engine_spec *engine = &it->eval->engine->spec;
    double tolerance = it->newton && it->newton->solve_to > 0 ? it->newton->solve_to : SOLVE_LOOSEST;
    return eval_engine(it->eval, "solve", it->eval->fault.t,
                       engine->solve(engine->context, slot, tolerance, b_re, b_im));
}

int iteration_solve(iteration *it, int slot, double *b)
{
    if (it->eval->engine) return solve(it, slot, b, NULL);
    linear_solve(it->system, slot, b);
    return 0;
}

int iteration_solve_complex(iteration *it, int slot, double *b_re, double *b_im)
{
    if (it->eval->engine) return solve(it, slot, b_re, b_im);
    linear_solve_complex(it->system, slot, b_re, b_im);
    return 0;
}

int iteration_mass_add(const iteration *it, double alpha, const double *x, double *y)
{
    int n = it->eval->problem->n;
    if (it->diagonal) {
        for (int i = 0; i < n; i++) y[i] += alpha * it->mass_diagonal[i] * x[i];
        return 0;
    }
    if (it->eval->engine) {
        const keel_engine_spec *engine = &it->eval->engine->spec;
        return eval_engine(it->eval, "multiply_mass", it->eval->fault.t,
                           engine->multiply_mass(engine->context, alpha, x, y));
    }
    if (it->eval->mass_known) eval_mass_add(it->eval, alpha, x, y);
    else matrix_multiply_add(&it->M, alpha, x, y);
    return 0;
}

int iteration_begin(const iteration *it, double *Z)
{
    const keel_engine_spec *engine = it->eval->engine ? &it->eval->engine->spec : NULL;
    int first = !it->newton || it->newton->iterations == 0;
    if (!engine || !engine->determine || !first) return 0;
    return eval_engine(it->eval, "determine", it->eval->fault.t, engine->determine(engine->context, Z));
}

int stage_iterate(void *equation, double *size)
{
    const stage_equation *q = equation;
    iteration *it = q->matrix;
    int n = it->eval->problem->n, rc = iteration_begin(it, q->Z);
    for (int k = 0; k < n; k++) {
        q->Y[k] = q->base[k] + q->Z[k];
        q->rate[k] = q->sigma * q->Z[k] + (q->rest ? q->rest[k] : 0);
    }
    if (!rc) rc = eval_residual(it->eval, q->t, q->Y, q->rate, q->update);
    if (!rc) rc = iteration_solve(it, q->slot, q->update);
    if (rc) return rc;
    it->eval->stats->solves++;
    for (int k = 0; k < n; k++) q->update[k] *= q->relaxation;
    *size = norm_root(it->eval->reducer, norm_sum(n, q->update, q->weight), n);
    for (int k = 0; k < n; k++) q->Z[k] += q->update[k];
    return eval_outcome(it->eval);
}

double stages_add(reducer *r, int stages, int n, const double *update, const double *weight, double *Z)
{
    return norm_root(r, vectors_add(stages, n, update, weight, Z), (double)n * stages);
}
