#include "problem/local.h"

#include "linear/columns.h"
#include "problem/dependence.h"
#include "problem/gauge.h"

void local_engine_layout(arena *a, local_engine *l, const keel_problem *problem, int other)
{
    l->mass_diagonal = ARENA(a, double, problem->n);
    ARENA_KEEP(a, l, diagonal, started);
    if (other) return;
    coloring_layout(a, &l->colors, problem);
    problem_matrix_layout(a, &l->J, problem);
    if (problem->ops->mass) problem_matrix_layout(a, &l->M, problem);
    ARENA_OWN(a, l, system, linear_tape);
}

int local_engine_create(local_engine *l, evaluator *eval, linear_spec spec, linear_memory *memory)
{
    const keel_problem *p = eval->problem;
    l->eval = eval;
    coloring_build(&l->colors, p);
    spec.n = p->n;
    spec.pattern = p->pattern;
    spec.diagonal = l->diagonal ? l->mass_diagonal : NULL;
    spec.package = eval->package;
    int rc = linear_create(&l->system, &spec);
    if (!rc) *memory = linear_memory_of(l->system);
    return rc;
}

void local_engine_release(local_engine *l) { linear_free(l->system); }

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

int local_engine_start(local_engine *l, double t, const double *y, const double *yp)
{
    if (l->diagonal) return 0;
    int rc = eval_mass(l->eval, &l->colors, t, y, yp, &l->M);
    l->diagonal = !rc && l->mass_constant && l->eval->problem->ops == &quasilinear_form &&
                  is_diagonal(&l->M, l->mass_diagonal);
    return rc;
}

static int linearize(void *context, double t, const double *y, const double *yp)
{
    local_engine *l = context;
    long differences = l->eval->stats->rhs_for_jacobian;
    int rc = eval_jacobian(l->eval, &l->colors, t, y, yp, &l->J);
    l->by_differences = l->eval->stats->rhs_for_jacobian > differences;
    return rc || l->mass_constant ? rc : eval_mass(l->eval, &l->colors, t, y, yp, &l->M);
}

static int multiply_mass(void *context, double alpha, const double *x, double *y)
{
    const local_engine *l = context;
    if (l->eval->mass_known) eval_mass_add(l->eval, alpha, x, y);
    else matrix_multiply_add(&l->M, alpha, x, y);
    return 0;
}

/* Pivots are not forgotten when the start is made: should it fail, the factors may still be in use. */
static int prepare(void *context, int slot, double re, double im)
{
    local_engine *l = context;
    const dependence *d = l->eval->dependence;
    linear_mass mass = {.diagonal = l->diagonal ? l->mass_diagonal : NULL, .matrix = &l->M,
                        .loose = d && d->problem ? d->loose : gauge_loose(l->eval->gauge)};
    if (l->started) linear_forget(l->system);
    l->started = 0;
    return im == 0 ? linear_factor(l->system, slot, re, mass, &l->J)
                   : linear_factor_complex(l->system, slot, re, im, mass, &l->J);
}

static int solve(void *context, int slot, double tolerance, double *b_re, double *b_im)
{
    local_engine *l = context;
    (void)tolerance;
    if (b_im) linear_solve_complex(l->system, slot, b_re, b_im);
    else linear_solve(l->system, slot, b_re);
    return 0;
}

const keel_engine_spec local_engine_functions = {
    .exact = 1, .linearize = linearize, .multiply_mass = multiply_mass, .prepare = prepare, .solve = solve};
