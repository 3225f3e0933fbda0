/* large.c -- 0 = r(t,y,y') of large problems, in their pattern, or by the systems of an engine.
 *
 * y' where M has a column, y where it has none, all other y held: (M - J') d = r with J' the columns
 * of J where M has none; where that is singular because M is, without an empty column, an implicit
 * Euler step of length 1/sigma: (sigma M - J) d = r, y := y + d, y' := y' + sigma d.  An engine of a
 * program knows nothing of columns: such a step, so short that y is off by rounding where M acts and is
 * held there; should it not be short enough, a shorter one.
 */
#include "consistent/consistent.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linear/columns.h"
#include "problem/local.h"

enum { DENSE_MOST = 400, SHORTER_STEPS = 3 };
static const double consistent_to = 1e-7; /* residuals beside the terms of the equations */
static const double solve_to = 1e-8, shortest = 1e8, shorter = 1e4;  /* of an engine: tolerance and sigma */

int start_is_large(const start_point *w)
{
    const keel_problem *p = w->p;
    if (w->e->engine) return 1;
    int derivatives = p->ops->mass && !form_has(p, FORM_ACCELERATIONS);
    return problem_is_sparse(p) || mechanical_is_sparse(p) ||
           (p->n > DENSE_MOST && (p->levels == 1 || derivatives));
}

/* The unknown with the largest entry in a row; -1: none. */
static int largest_in_row(const keel_matrix *J, int row)
{
    int best = -1;
    double most = 0;
    for (int j = 0; j < J->columns; j++) {
        column c = matrix_column(J, j);
        for (int k = 0; k < c.count; k++)
            if (column_row(&c, k) == row && fabs(c.values[k]) > most)
                most = fabs(c.values[k]), best = j;
    }
    return best;
}

typedef struct large {
    const keel_engine_spec *engine; /* that has J, M and the systems: of a program, or */
    keel_engine_spec own;        /* that of this machine,                                  */
    local_engine local;          /* whose data these are                                   */
    double *d, *c, *given;       /* [n], [n], [2 n]                                        */
    unsigned char *acts;         /* [n] does M have this column?                           */
    int begun, held;             /* held: y where M has a column                           */
    double sigma;                /* 0: J without those columns, < 0: yet to be found       */
    int lacking;                 /* unknown without a pivot, -1: not known                 */
} large;

static void large_layout(arena *a, large *s, const start_point *w)
{
    const keel_problem *p = w->p;
    local_engine_layout(a, &s->local, p, w->e->engine != NULL);
    s->d = ARENA(a, double, p->n);
    s->c = ARENA(a, double, p->n);
    s->given = ARENA(a, double, 2 * p->n);
    s->acts = ARENA(a, unsigned char, p->n);
}

static int large_residual(start_point *w, void *state, double *c)
{
    (void)state;
    return eval_residual(w->e, w->t, w->y, w->yp, c);
}

/* Columns of M, of which an entry that is not 0 is seen once; of an engine where M times a vector
 * without zeros is none. */
static int find_acting(start_point *w, large *s)
{
    const keel_engine_spec *engine = s->engine;
    int n = w->p->n, rc = 0, diagonal = s->local.diagonal, product = !diagonal && w->e->engine;
    memset(s->d, 0, (size_t)n * sizeof *s->d);
    for (int i = 0; i < n && product; i++) s->c[i] = 1 + 0.5 * sin(1.0 + i);
    if (product)
        rc = eval_engine(w->e, "multiply_mass", w->t, engine->multiply_mass(engine->context, 1, s->c, s->d));
    for (int j = 0; j < n; j++) {
        column c = {0};
        if (!diagonal && !product) c = matrix_column(&s->local.M, j);
        s->acts[j] = diagonal ? s->local.mass_diagonal[j] != 0 : s->d[j] != 0;
        for (int k = 0; k < c.count; k++) s->acts[j] |= c.values[k] != 0;
        if (!s->acts[j] && w->standard && w->marks[j] == KEEL_GUESS) w->marks[j] = KEEL_FREE;
    }
    return rc;
}

/* sigma such that sigma M outweighs J by 1/sqrt(eps) in every equation with y'. */
static double large_shift(const large *s, int n)
{
    double most = 0, least = INFINITY;
    const keel_matrix *J = &s->local.J, *M = &s->local.M;
    size_t entries = matrix_storage(n, n, &J->pattern);
    for (size_t k = 0; k < entries; k++) {
        most = fmax(most, fabs(J->values[k]));
        if (M->values[k] != 0) least = fmin(least, fabs(M->values[k]));
    }
    return (most + 1) / sqrt(DBL_EPSILON) / fmin(least, 1e300);
}

static void hold_columns(large *s, int n)
{
    for (int j = 0; j < n; j++) {
        column c = matrix_column(&s->local.J, j);
        for (int k = 0; k < c.count && s->acts[j]; k++) c.values[k] = 0;
    }
}

static double scale_of(const large *s) { return s->sigma > 0 ? s->sigma : 1; }

static int large_factor(start_point *w, void *state)
{
    large *s = state;
    const keel_engine_spec *engine = s->engine;
    int n = w->p->n;
    int rc = eval_engine(w->e, "linearize", w->t, engine->linearize(engine->context, w->t, w->y, w->yp));
    w->e->stats->jacobian += w->e->engine != NULL;               /* the others count themselves */
    if (!rc && !s->begun) rc = find_acting(w, s);
    if (rc) return rc;
    s->begun = 1;
    if (s->sigma < 0) s->sigma = large_shift(s, n);
    if (s->sigma == 0) hold_columns(s, n);
    rc = eval_engine(w->e, "prepare", w->t, engine->prepare(engine->context, 0, scale_of(s), 0));
    s->lacking = w->e->engine ? -1 : rc - 1;
    return rc > 0 ? START_SINGULAR : rc;
}

static int large_solve(start_point *w, void *state, const double *c, double *step)
{
    large *s = state;
    int n = w->p->n;
    memcpy(s->d, c, (size_t)n * sizeof *c);
    int rc = eval_engine(w->e, "solve", w->t, s->engine->solve(s->engine->context, 0, solve_to, s->d, NULL));
    for (int j = 0; j < n; j++) {
        step[j] = s->acts[j] && s->held ? 0 : s->d[j];
        step[n + j] = s->acts[j] ? scale_of(s) * s->d[j] : 0;
    }
    return rc;
}

/* Newton's method, and once more where another matrix may help. */
static int try_steps(start_point *w, large *s, start_system *system)
{
    const size_t n = (size_t)w->p->n, bytes = n * sizeof *w->y;
    const int other = w->e->engine != NULL, tries = other ? SHORTER_STEPS : s->local.diagonal ? 1 : 2;
    int rc = START_DONE;
    memcpy(s->given, w->y, bytes);
    memcpy(s->given + n, w->yp, bytes);
    for (int k = 0; k < tries; k++) {
        memcpy(w->y, s->given, bytes);
        memcpy(w->yp, s->given + n, bytes);
        s->held = other ? k + 1 < tries || !w->p->ops->mass : k == 0;
        s->sigma = other ? shortest * pow(shorter, k) / fmax(1, fabs(w->t)) : -k;
        if (k > 0 && k + 1 == tries) system->enough = 1e-6;
        rc = start_newton(w, system, s->c);
        if (rc != (other ? START_NOT_CONVERGED : START_SINGULAR)) break;
    }
    return rc;
}

static int search(start_point *w, large *s)
{
    int n = w->p->n;
    start_system system = {.state = s,
                           .rows = n,
                           .residual = large_residual,
                           .factor = large_factor,
                           .solve = large_solve,
                           .enough = 1e-8};
    const int settles = w->e->settles;
    if (settles) w->e->settles = SETTLE_DOUBTED;         /* or four evaluations a color */
    int rc = try_steps(w, s, &system);
    w->e->settles = settles;
    if (rc == START_SINGULAR && s->local.by_differences) {
        memcpy(w->y, s->given, (size_t)n * sizeof *w->y);
        memcpy(w->yp, s->given + n, (size_t)n * sizeof *w->yp);
        rc = try_steps(w, s, &system);
    }
    if (rc == START_SINGULAR) {
        char near[100] = "";
        if (s->lacking >= 0)
            snprintf(near, sizeof near, " (near %s)", keel_variable_name(w->p, s->lacking));
        return fail(
            w->message, KEEL_WRONG_INDEX,
            "t = %.10g: the algebraic equations do not determine the algebraic unknowns%s. The index is "
            "higher: set variable_index, or use a Hessenberg form",
            w->t, near);
    }
    if (rc == START_NOT_CONVERGED) {
        char name[40];
        int row = start_worst(n, s->c);
        snprintf(name, sizeof name, "equation[%d]", row);
        return start_diverged(w, name, s->c[row], w->e->engine ? -2 : largest_in_row(&s->local.J, row));
    }
    return rc ? start_fault(w, rc) : KEEL_OK;
}

static int remark(start_point *w, large *s)
{
    double terms = 0;
    int rc = eval_residual(w->e, w->t, w->y, w->yp, s->c);
    if (!rc) rc = eval_jacobian(w->e, &s->local.colors, w->t, w->y, w->yp, &s->local.J);
    if (rc) return start_fault(w, rc);
    for (int j = 0; j < w->p->n; j++) { /* what the terms of the equations amount to */
        column c = matrix_column(&s->local.J, j);
        for (int k = 0; k < c.count; k++)
            terms = fmax(terms, fabs(c.values[k]) * (1 + fabs(w->y[j])));
    }
    int worst = start_worst(w->p->n, s->c);
    if (fabs(s->c[worst]) <= consistent_to * terms) return KEEL_OK;
    return fail(w->message, KEEL_OK,
                "t = %.10g: the values given leave equation[%d] with the "
                "residual %.3g; initial = given takes them as they are, and the first step ends "
                "elsewhere",
                w->t, worst, s->c[worst]);
}

static int with_large(start_point *w, int (*part)(start_point *w, large *s), int factors)
{
    const keel_problem *p = w->p;
    arena a = {0};
    large s = {0};
    linear_memory memory;
    large_layout(&a, &s, w);
    void *block = arena_block(a.used);
    if (start_lacks(w, !block)) {
        arena_block_free(block);
        return start_no_memory(w);
    }
    a = (arena){.base = block};
    large_layout(&a, &s, w);
    s.own = local_engine_functions;
    s.own.context = &s.local;
    s.engine = w->e->engine ? &w->e->engine->spec : &s.own;
    s.local.diagonal = s.local.mass_constant = problem_mass_diagonal(p, s.local.mass_diagonal);
    linear_spec spec = {.storage = problem_storage(p), .real_slots = 1};
    int rc = KEEL_OK;
    if (!factors) coloring_build(&s.local.colors, p);
    else if (!w->e->engine) rc = local_engine_create(&s.local, w->e, spec, &memory);
    rc = rc ? start_unready(w, rc) : part(w, &s);
    local_engine_release(&s.local);
    arena_block_free(block);
    return rc;
}

int start_large(start_point *w)
{
    return with_large(w, search, 1);
}

int start_remark(start_point *w)
{
    return with_large(w, remark, 0);
}
