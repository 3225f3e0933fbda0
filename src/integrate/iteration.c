#include "integrate/iteration.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/integrator.h"
#include "linear/lanes.h"

void iteration_layout(arena *a, iteration *it, const keel_problem *problem, const keel_engine *engine)
{
    local_engine_layout(a, &it->local, problem, engine != NULL);
    ARENA_KEEP(a, it, jacobian_known, doubted);
}

/* Is there so much at all?  Pages that are not touched cost nothing. */
static int can_have(double bytes)
{
    void *block = bytes < (double)PTRDIFF_MAX ? malloc((size_t)bytes + 1) : NULL;
    free(block);
    return block != NULL;
}

/* What is known of M without evaluating it. */
static void describe_mass(iteration *it)
{
    const keel_problem *p = it->eval->problem;
    it->local.diagonal = problem_mass_diagonal(p, it->local.mass_diagonal);
    it->local.mass_constant = it->local.diagonal || problem_mass_constant(p);
}

int iteration_create(iteration *it, keel_solver *s, evaluator *eval, int real_slots, int complex_slots)
{
    linear_spec spec = {.storage = choose_storage(s), .real_slots = real_slots,
                        .complex_slots = complex_slots};
    linear_memory memory = {0};
    it->eval = eval;
    it->own = local_engine_functions;
    it->own.context = &it->local;
    it->engine = eval->engine ? &eval->engine->spec : &it->own;
    describe_mass(it);
    s->mode[s->active].iteration = it;
    if (eval == &s->eval) s->mode[s->active].J = &it->local.J;
    if (eval->engine) return KEEL_OK;
    int rc = local_engine_create(&it->local, eval, spec, &memory);
    if (rc || spec.storage != KEEL_SPARSE) return rc;
    s->factor_bytes += memory.most;
    return can_have(memory.least) ? KEEL_OK : KEEL_NO_MEMORY;
}

int iteration_start(iteration *it, double t, const double *y, const double *yp)
{
    it->jacobian_known = it->jacobian_fresh = it->doubted = 0;
    it->local.started = 1;
    describe_mass(it);
    return it->eval->engine ? 0 : local_engine_start(&it->local, t, y, yp);
}

int iteration_jacobian(iteration *it, double t, const double *y, const double *yp, int *renewed)
{
    const keel_engine_spec *engine = it->engine;
    *renewed = !it->jacobian_known;
    if (it->jacobian_known) return 0;
    if (!it->jacobian_fresh) it->doubted = 0;
    it->eval->stats->jacobian += it->eval->engine != NULL;       /* the others count themselves */
    int rc = engine->linearize(engine->context, t, y, yp);
    if (rc) rc = eval_engine(it->eval, "linearize", t, rc);
    else it->jacobian_known = it->jacobian_fresh = 1;
    return rc;
}

void iteration_outdate(iteration *it)
{
    if (!it->jacobian_fresh) it->jacobian_known = 0;
}

int iteration_doubt(iteration *it)
{
    int second = it->jacobian_fresh && it->local.by_differences && !it->doubted;
    int may_help = it->jacobian_known && (!it->jacobian_fresh || second);
    if (may_help && second) {
        it->doubted = 1;
        it->eval->backward = !it->eval->backward;
        it->jacobian_known = 0;
    }
    iteration_outdate(it);
    return may_help;
}

/* A code > 0 of another engine names no unknown, so one that there is not. */
int iteration_factor(iteration *it, int slot, double re, double im)
{
    const keel_engine_spec *engine = it->engine;
    int code = engine->prepare(engine->context, slot, re, im);
    if (code == 0 || !it->eval->engine) return code;
    int rc = eval_engine(it->eval, "prepare", it->eval->fault.t, code);
    return rc < 0 ? KEEL_CALLBACK_FAILED : it->eval->problem->n + 1;
}

int iteration_mass_add(const iteration *it, double alpha, const double *x, double *y)
{
    const keel_engine_spec *engine = it->engine;
    int n = it->eval->problem->n;
    if (!it->local.diagonal)
        return iteration_told(it, "multiply_mass", engine->multiply_mass(engine->context, alpha, x, y));
    for (int i = 0; i < n; i++) y[i] += alpha * it->local.mass_diagonal[i] * x[i];
    return 0;
}

int iteration_begin(const iteration *it, double *Z)
{
    const keel_engine_spec *engine = it->engine;
    if (!engine->determine || (it->newton && it->newton->iterations > 0)) return 0;
    return iteration_told(it, "determine", engine->determine(engine->context, Z));
}

/* One iteration, its part of the norm, and what Z was in `kept`. */
static inline int iterate_once(const stage_equation *q, double *kept, double *sum)
{
    iteration *it = q->matrix;
    int n = it->eval->problem->n, rc = q->prepare ? q->prepare(q) : 0;
    if (rc) return rc;
    for (int k = 0; k < n; k++) {
        q->Y[k] = q->base[k] + q->Z[k];
        q->rate[k] = q->sigma * q->Z[k] + (q->rest ? q->rest[k] : 0);
    }
    rc = eval_residual(it->eval, q->t, q->Y, q->rate, q->update);
    if (!rc && q->reduce) rc = q->reduce(q);
    if (!rc) rc = iteration_solve(it, q->slot, q->update, NULL);
    if (rc) return rc;
    it->eval->stats->solves++;
    for (int k = 0; k < n; k++) q->update[k] *= q->relaxation;
    *sum = norm_sum(n, q->update, q->weight);
    if (kept) memcpy(kept, q->Z, (size_t)n * sizeof *kept);
    for (int k = 0; k < n; k++) q->Z[k] += q->update[k];
    return 0;
}

int stage_iterate(void *equation, double *size)
{
    const stage_equation *q = equation;
    evaluator *eval = q->matrix->eval;
    double sum = 0;
    int rc = iteration_begin(q->matrix, q->Z);
    if (!rc) rc = iterate_once(q, NULL, &sum);
    if (rc) return rc;
    *size = norm_root(eval->reducer, sum, eval->problem->n);
    return eval_outcome(eval);
}

/* What the second iteration came to waits in Y until the first one has been judged. */
int stage_iterate_ahead(void *equation, double *size)
{
    const stage_equation *q = equation;
    evaluator *eval = q->matrix->eval;
    stage_rider *r = q->rider;
    const int made = q->matrix->newton->iterations, both = r->expected > 1;
    const size_t bytes = (size_t)eval->problem->n * sizeof *q->Z;
    double sum[5] = {0, 0, eval->problem->n};
    if (both && made == 1) {
        memcpy(q->Z, q->Y, bytes);
        memcpy(r->sum, r->ahead + 1, sizeof r->sum);
        *size = r->ahead[0];
        return 0;
    }
    const int twice = both && made == 0;
    int rc = iteration_begin(q->matrix, q->Z);
    if (!rc) rc = iterate_once(q, NULL, sum);
    if (!rc && twice) rc = iterate_once(q, q->rate, sum + 1);
    if (!rc && r->part && made + 1 + twice >= r->expected) rc = r->part(r->s, r->h, sum + 3);
    if (rc) return rc;
    ranks_reduce(eval->reducer, 5, sum, 0, NULL);
    if (twice) {
        memcpy(q->Y, q->Z, bytes);
        memcpy(q->Z, q->rate, bytes);
        r->ahead[0] = sqrt(sum[1] / sum[2]);
    }
    memcpy(twice ? r->ahead + 1 : r->sum, sum + 3, sizeof r->sum);
    *size = sqrt(sum[0] / sum[2]);
    return eval_outcome(eval);
}

double stages_add(reducer *r, int stages, int n, const double *update, const double *weight, double *Z)
{
    return norm_root(r, vectors_add(stages, n, update, weight, Z), (double)n * stages);
}
