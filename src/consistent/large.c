/* large.c -- 0 = r(t,y,y') of large problems, in their pattern.
 *
 * y' where M has a column, y where it has none, all other y held: (M - J') d = r with J' the columns
 * of J where M has none; where that is singular because M is, without an empty column, an implicit
 * Euler step of length 1/sigma: (sigma M - J) d = r, y := y + d, y' := y' + sigma d.
 */
#include "consistent/consistent.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linear/columns.h"

enum { DENSE_MOST = 400 };
static const double consistent_to = 1e-7; /* residuals beside the terms of the equations */

int start_is_large(const keel_problem *p)
{
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
    coloring colors;
    keel_matrix J, M;
    linear_system *system;
    double *diagonal, *d, *c, *given; /* [n], [n], [n], [2 n]                        */
    unsigned char *acts;              /* [n] does M have this column?                */
    int diagonal_known, begun;
    double sigma; /* 0: y where M has a column is held           */
    int lacking;  /* unknown without a pivot                     */
} large;

static void large_layout(arena *a, large *s, const keel_problem *p)
{
    coloring_layout(a, &s->colors, p);
    problem_matrix_layout(a, &s->J, p);
    if (p->ops->mass) problem_matrix_layout(a, &s->M, p);
    s->diagonal = ARENA(a, double, p->n);
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

/* Columns of M, of which an entry that is not 0 is seen once. */
static void find_acting(large *s, int n)
{
    for (int j = 0; j < n; j++) {
        if (s->diagonal_known) {
            s->acts[j] = s->diagonal[j] != 0;
            continue;
        }
        column c = matrix_column(&s->M, j);
        s->acts[j] = 0;
        for (int k = 0; k < c.count; k++) s->acts[j] |= c.values[k] != 0;
    }
}

/* sigma such that sigma M outweighs J by 1/sqrt(eps) in every equation with y'. */
static double large_shift(const large *s, int n)
{
    double most = 0, least = INFINITY;
    size_t entries = matrix_storage(n, n, &s->J.pattern);
    for (size_t k = 0; k < entries; k++) {
        most = fmax(most, fabs(s->J.values[k]));
        if (s->M.values[k] != 0) least = fmin(least, fabs(s->M.values[k]));
    }
    return (most + 1) / sqrt(DBL_EPSILON) / fmin(least, 1e300);
}

static void hold_columns(large *s, int n)
{
    for (int j = 0; j < n; j++) {
        column c = matrix_column(&s->J, j);
        for (int k = 0; k < c.count && s->acts[j]; k++) c.values[k] = 0;
    }
}

static int large_factor(start_point *w, void *state)
{
    large *s = state;
    int n = w->p->n, rc = eval_jacobian(w->e, &s->colors, w->t, w->y, w->yp, &s->J);
    if (!rc && !s->diagonal_known) rc = eval_mass(w->e, &s->colors, w->t, w->y, w->yp, &s->M);
    if (rc) return rc;
    if (!s->begun) find_acting(s, n);
    for (int j = 0; j < n && w->standard; j++)
        if (!s->acts[j] && w->marks[j] == KEEL_GUESS) w->marks[j] = KEEL_FREE;
    if (s->sigma < 0) s->sigma = large_shift(s, n);
    s->begun = 1;
    if (s->sigma == 0) hold_columns(s, n);
    linear_mass mass = {.diagonal = s->diagonal_known ? s->diagonal : NULL, .matrix = &s->M};
    rc = linear_factor(s->system, 0, s->sigma > 0 ? s->sigma : 1, mass, &s->J);
    if (rc > 0) s->lacking = rc - 1;
    return rc > 0 ? START_SINGULAR : rc;
}

static int large_solve(start_point *w, void *state, const double *c, double *step)
{
    large *s = state;
    int n = w->p->n;
    memcpy(s->d, c, (size_t)n * sizeof *c);
    linear_solve(s->system, 0, s->d);
    for (int j = 0; j < n; j++) {
        step[j] = s->acts[j] && s->sigma == 0 ? 0 : s->d[j];
        step[n + j] = s->acts[j] ? (s->sigma > 0 ? s->sigma : 1) * s->d[j] : 0;
    }
    return 0;
}

/* Fixed values have their values: what Newton's method made of them must be that, too. */
static int check_fixed(start_point *w, const large *s)
{
    int n = w->p->n;
    for (int k = 0; k < 2 * n; k++) {
        int i = k % n;
        double *x = k < n ? w->y + i : w->yp + i, change = fabs(*x - s->given[k]);
        keel_mark mark = k < n ? w->marks[i] : w->yp_marks ? w->yp_marks[i] : KEEL_FREE;
        if (mark == KEEL_FIXED && change > 1e-6 * (1 + fabs(*x)))
            return fail(w->message, KEEL_INCONSISTENT,
                        "t = %.10g: the initial value of %s%s is fixed at %.6g, but the algebraic "
                        "equations ask for %.6g",
                        w->t, keel_variable_name(w->p, i), k < n ? "" : "'", s->given[k], *x);
        if (mark == KEEL_FIXED) *x = s->given[k];
    }
    return KEEL_OK;
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
    memcpy(s->given, w->y, (size_t)n * sizeof *w->y);
    memcpy(s->given + n, w->yp, (size_t)n * sizeof *w->yp);
    int rc = start_newton(w, &system, s->c);
    if (rc == START_SINGULAR && !s->diagonal_known) {
        memcpy(w->y, s->given, (size_t)n * sizeof *w->y);
        memcpy(w->yp, s->given + n, (size_t)n * sizeof *w->yp);
        s->sigma = -1;
        system.enough = 1e-6;
        rc = start_newton(w, &system, s->c);
    }
    if (rc == START_SINGULAR)
        return fail(
            w->message, KEEL_WRONG_INDEX,
            "t = %.10g: the algebraic equations do not determine the algebraic unknowns (near "
            "%s). The index is higher: set variable_index, or use a Hessenberg form",
            w->t, keel_variable_name(w->p, s->lacking));
    if (rc == START_NOT_CONVERGED) {
        char name[40];
        int row = start_worst(n, s->c);
        snprintf(name, sizeof name, "equation[%d]", row);
        return start_diverged(w, name, s->c[row], largest_in_row(&s->J, row));
    }
    return rc ? start_fault(w, rc) : check_fixed(w, s);
}

static int remark(start_point *w, large *s)
{
    double terms = 0;
    int rc = eval_residual(w->e, w->t, w->y, w->yp, s->c);
    if (!rc) rc = eval_jacobian(w->e, &s->colors, w->t, w->y, w->yp, &s->J);
    if (rc) return start_fault(w, rc);
    for (int j = 0; j < w->p->n; j++) { /* what the terms of the equations amount to */
        column c = matrix_column(&s->J, j);
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
    large_layout(&a, &s, p);
    void *block = arena_block(a.used);
    if (!block) return start_no_memory(w);
    a = (arena){.base = block};
    large_layout(&a, &s, p);
    coloring_build(&s.colors, p);
    s.diagonal_known = problem_mass_diagonal(p, s.diagonal);
    linear_spec spec = {.n = p->n,
                        .pattern = p->pattern,
                        .storage = problem_storage(p),
                        .real_slots = 1,
                        .diagonal = s.diagonal_known ? s.diagonal : NULL};
    int rc = factors ? linear_create(&s.system, &spec) : KEEL_OK;
    rc = rc ? start_unready(w, rc) : part(w, &s);
    linear_free(s.system);
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
