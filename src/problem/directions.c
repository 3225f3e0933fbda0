#include "problem/directions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/columns.h"
#include "problem/difference.h"
#include "problem/dependence.h"
#include "problem/gauge.h"
#include "problem/level_saddle.h"
#include "problem/schur.h"

/* ---- workspace ---------------------------------------------------------------------------- */

static int group_of(const keel_problem *p, int i)
{
    return i < p->group[0] ? 0 : i < p->group[0] + p->group[1] ? 1 : 2;
}

/* Is the block in the saddle matrix?  f_z or f_v and k_l, right above the diagonal, and the
 * constraint: g_y, g_u in the first group, or g_z. */
static int has_block(const keel_problem *p, int row, int col)
{
    int last = p->groups - 1;
    if (row == last) return col == (p->ops == &levelled_form ? last : 0);
    return col == row + 1;
}

int saddle_has(const keel_problem *p, int row, int col)
{
    return has_block(p, group_of(p, row), group_of(p, col));
}

/* The saddle matrix in a pattern of its own: f_y would fill the factors.  Returns the number of
 * entries; `start` NULL: only that. */
static int saddle_pattern(const keel_problem *p, int *start, int *row, int *source)
{
    int count = 0;
    for (int j = 0; j < p->n; j++) {
        column c = pattern_column(&p->pattern, p->n, j);
        int group = group_of(p, j);
        for (int i = 0; i < c.count; i++) {
            if (!has_block(p, group_of(p, column_row(&c, i)), group)) continue;
            if (start) row[count] = column_row(&c, i);
            if (start) source[count] = p->pattern.column_start[j] + i;
            count++;
        }
        if (start) start[j + 1] = count;
    }
    return count;
}

static void sparse_layout(arena *a, directions *d, const keel_problem *p)
{
    int listed = p->pattern.storage == KEEL_SPARSE;
    int count = listed ? saddle_pattern(p, NULL, NULL, NULL) : 0;
    int *start = ARENA(a, int, listed ? p->n + 1 : 0), *row = ARENA(a, int, count);
    d->source = ARENA(a, int, count);
    d->K = (keel_matrix){.rows = p->n, .columns = p->n, .stray_row = -1, .stray_column = -1,
                         .values = ARENA(a, double, count), .pattern = {.storage = KEEL_SPARSE,
                         .column_start = start, .row_index = row}};
    if (listed && start) saddle_pattern(p, start, row, d->source);
    coloring_layout(a, &d->colors, p);
    problem_matrix_layout(a, &d->J, p);
    d->diagonal = ARENA(a, double, p->n);
    d->y = ARENA(a, double, p->n);
}

static void own_layout(arena *a, directions *d, const keel_problem *p)
{
    d->own = ARENA_OBJECT(a, level_saddle, p->levels - 1);
    for (int k = 0; k + 1 < p->levels; k++) {
        level_saddle measured = {0};
        level_saddle_layout(a, d->own ? &d->own[k] : &measured, p, k);
    }
}

void directions_layout(arena *a, directions *d, const keel_problem *p, int orthogonal,
                       const keel_engine *engine)
{
    size_t m = (size_t)p->constraints, N = (size_t)p->group[0], widest = 0;
    d->problem = p;
    d->m = p->constraints;
    d->engine = engine ? &engine->spec : NULL;
    if (engine) {
        d->x = ARENA(a, double, p->n);
        return;
    }
    ARENA_OWN(a, d, system, linear_tape);
    d->sparse = problem_is_sparse(p) || mechanical_is_sparse(p);
    if (d->sparse) {
        d->x = ARENA(a, double, p->n);
        if (p->ops != &mechanical_form) sparse_layout(a, d, p);
        if (orthogonal && p->levels > 1) own_layout(a, d, p);
        return;
    }
    int linked = p->levels > 1, levelled = p->ops == &levelled_form;
    d->G = ARENA(a, double, linked && !levelled ? m * N : 0);
    d->D[0] = ARENA(a, double, levelled ? (N + m) * m : linked ? N * m : 0);
    d->D[1] = ARENA(a, double, p->levels > 2 && !levelled ? (size_t)p->group[1] * m : 0);
    d->S = levelled ? d->D[0] : ARENA(a, double, m * m);
    if (levelled && d->S) d->S += N * m;         /* [f_z; g_z] */
    d->pivot = ARENA(a, int, m);
    for (int k = 0; k + 1 < p->levels; k++) {
        size_t count = (size_t)p->level[k].count;
        if (count > widest) widest = count;
        d->own_D[k] = ARENA(a, double, count * m);
        d->own_S[k] = ARENA(a, double, m * m);
        d->own_pivot[k] = ARENA(a, int, m);
    }
    d->gradient = ARENA(a, double, m * widest);
}

static int is_listed(const directions *d)
{
    return d->problem->pattern.storage == KEEL_SPARSE;
}

/* Zeros: S has no mass. */
static const double *multiplier_mass(const directions *d)
{
    return d->diagonal + d->problem->n - d->m;
}

int directions_create(directions *d)
{
    const keel_problem *p = d->problem;
    int rc = KEEL_OK;
    for (int k = 0; d->own && k + 1 < p->levels && !rc; k++) rc = level_saddle_create(&d->own[k]);
    if (rc || !d->sparse || p->ops == &mechanical_form) return rc;
    coloring_build(&d->colors, p);
    for (int i = 0; i < p->n; i++) d->diagonal[i] = i < p->n - p->constraints;
    keel_pattern pattern = p->pattern.storage == KEEL_SPARSE ? d->K.pattern : p->pattern;
    if (is_listed(d) && p->ops == &hessenberg2_form) rc = schur_create(&d->schur, &d->K, d->m);
    if (rc) return rc;
    linear_spec spec = {.n = p->n, .pattern = pattern, .storage = pattern.storage, .real_slots = 1,
                        .diagonal = d->diagonal};
    if (d->schur)
        spec = (linear_spec){.n = d->m, .pattern = d->schur->S.pattern, .storage = KEEL_SPARSE,
                             .real_slots = 1, .diagonal = multiplier_mass(d)};
    return linear_create(&d->system, &spec);
}

void directions_release(directions *d)
{
    linear_free(d->system);
    schur_free(d->schur);
    for (int k = 0; d->own && k + 1 < d->problem->levels; k++) level_saddle_release(&d->own[k]);
}

/* ---- sparse ------------------------------------------------------------------------------- */

static const keel_matrix *saddle_matrix(const directions *d)
{
    return is_listed(d) ? &d->K : &d->J;
}

/* The blocks out of J, which is that of d unless the pattern is listed. */
static void keep_blocks(directions *d, const keel_matrix *J)
{
    const keel_problem *p = d->problem;
    for (int k = 0; is_listed(d) && k < d->K.pattern.column_start[p->n]; k++)
        d->K.values[k] = J->values[d->source[k]];
    if (is_listed(d)) return;
    for (int j = 0; j < p->n; j++) {
        column c = matrix_column(&d->J, j);
        int group = group_of(p, j);
        for (int i = 0; i < c.count; i++)
            if (!has_block(p, group_of(p, column_row(&c, i)), group)) c.values[i] = 0;
    }
}

/* g itself, whatever the stages solve. */
static int evaluate_sparse(directions *d, evaluator *e, double t, const double *y)
{
    int lag = e->lag;
    memset(d->x, 0, (size_t)d->problem->n * sizeof *d->x);
    if (lag) eval_set_lag(e, 0);
    int rc = eval_jacobian(e, &d->colors, t, y, d->x, &d->J);
    if (lag) eval_set_lag(e, lag);
    return rc;
}

static int prepare_sparse(directions *d, evaluator *e, const keel_matrix *J, double t, const double *y,
                          int *row)
{
    const keel_problem *p = d->problem;
    int n = p->n, near_by = J && !e->lag, rc = near_by ? 0 : evaluate_sparse(d, e, t, y);
    if (rc) return rc;
    if (near_by && !is_listed(d))
        memcpy(d->J.values, J->values, matrix_storage(n, n, &p->pattern) * sizeof *J->values);
    keep_blocks(d, near_by && is_listed(d) ? J : &d->J);
    int before = d->schur ? 0 : n - d->m;        /* unknowns before the multipliers */
    linear_mass mass = {.diagonal = d->diagonal, .loose = gauge_loose(e->gauge)};
    if (d->schur) {
        schur_form(d->schur, &d->K);
        mass.diagonal = multiplier_mass(d);
        if (mass.loose) mass.loose = e->gauge->loose.negative;
        rc = linear_factor(d->system, 0, 0, mass, &d->schur->S);
    } else {
        rc = linear_factor(d->system, 0, 1, mass, saddle_matrix(d));
    }
    if (rc == 0) return 0;
    *row = rc > before ? rc - 1 - before : 0;
    return rc < 0 ? eval_no_memory(e, t) : DIRECTIONS_SINGULAR;
}

/* (0, ..., mu) times the blocks, once for every level above this one. */
static void sparse_step(directions *d, int level, const double *mu, double *step)
{
    const keel_problem *p = d->problem;
    const constraint_level *l = &p->level[level];
    int n = p->n, times = p->ops == &levelled_form ? 1 : p->levels - 1 - level;
    double *x = d->x, *y = d->y;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(x + n - d->m, mu, (size_t)d->m * sizeof *mu);
    for (int k = 0; k < times; k++) {
        memset(y, 0, (size_t)n * sizeof *y);
        matrix_multiply_add(saddle_matrix(d), 1, x, y);
        memset(y + n - d->m, 0, (size_t)d->m * sizeof *y);
        memcpy(x, y, (size_t)n * sizeof *x);
    }
    for (int i = 0; i < l->count; i++) step[i] = x[l->lead ? l->lead[i] : l->first + i];
}

int directions_met(const directions *d, int level, const double *y, const double *value)
{
    const keel_problem *p = d->problem;
    int n = p->n, first = n - d->m, count = p->group[0];
    if (!d->sparse || level || p->ops == &levelled_form || p->ops == &mechanical_form) return 0;
    memset(d->x + first, 0, (size_t)d->m * sizeof *d->x);
    for (int j = 0; j < count; j++) {
        column c = matrix_column(saddle_matrix(d), j);
        for (int k = 0; k < c.count; k++)
            if (column_row(&c, k) >= first) d->x[column_row(&c, k)] += fabs(c.values[k] * y[j]);
    }
    for (int k = 0; k < d->m; k++)
        if (!(fabs(value[k]) <= 2 * DBL_EPSILON * d->x[first + k])) return 0;
    return 1;
}

/* ---- of an engine ------------------------------------------------------------------------- */

static int prepare_engine(directions *d, evaluator *e, double t, const double *y, int *row)
{
    int rc = eval_engine(e, "prepare_saddle", t, d->engine->prepare_saddle(d->engine->context, t, y));
    *row = d->m;
    return rc > 0 ? DIRECTIONS_SINGULAR : rc;
}

/* d->x := (D mu, mu) for mu := S^-1 mu; the matrix has -g_y. */
static int solve_engine(directions *d, evaluator *e, double t, double tolerance, double *mu)
{
    int first = d->problem->n - d->m;
    memset(d->x, 0, (size_t)first * sizeof *d->x);
    for (int k = 0; k < d->m; k++) d->x[first + k] = -mu[k];
    int rc = eval_engine(e, "solve_saddle", t,
                         d->engine->solve_saddle(d->engine->context, tolerance, d->x, d->x + first));
    memcpy(mu, d->x + first, (size_t)d->m * sizeof *mu);
    return rc;
}

/* ---- dense -------------------------------------------------------------------------------- */

static int factor(int m, double *S, int *pivot, int *row)
{
    int rc = dense_factor(m, S, pivot);
    if (rc) *row = rc - 1;
    return rc ? DIRECTIONS_SINGULAR : 0;
}

/* S = A D, A [m n] and D [n m] */
static void multiply(int m, int n, const double *A, const double *D, double *S)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += A[i * n + j] * D[j * m + k];
            S[i * m + k] = sum;
        }
}

/* g with other algebraic unknowns than those of e->work[5]. */
static int moved_constraint(void *context, double t, const double *z, double *g)
{
    evaluator *e = context;
    int m = e->problem->constraints;
    memcpy(e->work[5] + e->problem->n - m, z, (size_t)m * sizeof *z);
    return eval_level(e, 0, t, e->work[5], g);
}

/* g_z of a semi-explicit problem by central differences. */
static int differenced(directions *d, evaluator *e, double t, const double *y)
{
    int m = d->m, n = d->problem->n;
    difference z = {.value = moved_constraint, .context = e, .rows = m, .size = m, .t = t,
                    .x = y + n - m, .moved = e->work[6], .one = e->work[7]};
    memcpy(e->work[5], y, (size_t)n * sizeof *y);
    memset(d->S, 0, (size_t)m * (size_t)m * sizeof *d->S);
    return difference_matrix(&z, &(difference_columns){
        .order = 2, .typical = eval_sizes(e, n - m), .settling = eval_settling(e), .sum = e->work[8],
        .delta = e->work[9], .dense = d->S});
}

static int algebraic_matrix(directions *d, evaluator *e, const keel_matrix *J, double t,
                            const double *y)
{
    int m = d->m, N = d->problem->group[0];
    if (!J) return differenced(d, e, t, y);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) d->S[i * m + k] = matrix_get(J, N + i, N + k);
    return 0;
}

int directions_evaluate(directions *d, evaluator *e, const keel_matrix *J, double t, const double *y)
{
    const keel_problem *p = d->problem;
    if (p->ops == &levelled_form) return eval_levelled_directions(e, t, y, d->D[0]);
    if (p->levels == 1) return algebraic_matrix(d, e, J, t, y);
    int rc = eval_constraint_jacobian(e, t, y, d->G);
    if (!rc) rc = eval_directions(e, t, y, d->D[0], d->D[1]);
    if (!rc) multiply(d->m, p->group[0], d->G, d->D[0], d->S);
    return rc;
}

/* Of index 2 from a mechanical problem: g_y f_z = -G M^-1 G^T, of ggl twice, where multipliers that
 * do not act are the smallest. */
static void add_dependence(directions *d, const dependence *dependent)
{
    for (int k = 0; k < d->m; k += dependent->m)
        dependence_add(dependent, -1, d->S + k * (d->m + 1), d->m, 1);
}

int directions_prepare(directions *d, evaluator *e, const keel_matrix *J, double t, const double *y,
                       int *row)
{
    if (d->engine) return prepare_engine(d, e, t, y, row);
    if (d->sparse) return prepare_sparse(d, e, J, t, y, row);
    int rc = directions_evaluate(d, e, J, t, y);
    if (rc) return rc;
    if (e->gauge) gauge_add(e->gauge, d->S);
    if (e->dependence && d->problem->levels > 1) add_dependence(d, e->dependence);
    return factor(d->m, d->S, d->pivot, row);
}

int directions_gradient(directions *d, evaluator *e, int level, const double *weight, double t,
                        const double *y, int *row)
{
    const constraint_level *l = &d->problem->level[level];
    if (d->own) {
        for (int j = 0; j < d->problem->n; j++) d->x[j] = weight ? 1 / weight[j] : 1;
        return level_saddle_factor(&d->own[level], e, d->x, t, y, row);
    }
    int m = d->m, n = l->count, rc = eval_level_gradient(e, level, t, y, d->gradient);
    double *D = d->own_D[level], *S = d->own_S[level];
    for (int j = 0; j < n && !rc; j++) {
        double w = weight ? weight[level_unknown(l, j)] : 1;
        for (int k = 0; k < m; k++) D[j * m + k] = d->gradient[k * n + j] / (w * w);
    }
    if (rc) return rc;
    multiply(m, n, d->gradient, D, S);
    for (int i = 0; i < m; i++) {                /* rows that the level has not */
        int empty = 1;
        for (int j = 0; j < n; j++) empty &= d->gradient[i * n + j] == 0;
        if (empty && l->moves) S[i * m + i] = 1;
    }
    if (e->dependence) dependence_add(e->dependence, 1, S, m, 1);
    return factor(m, S, d->own_pivot[level], row);
}

/* ---- solve -------------------------------------------------------------------------------- */

int directions_solve(directions *d, evaluator *e, int level, int own, double t, double tolerance, double *mu)
{
    int n = d->problem->n;
    if (d->engine) return solve_engine(d, e, t, tolerance, mu);
    if (own && d->own) level_saddle_multipliers(&d->own[level], mu);
    else if (d->schur) linear_solve(d->system, 0, mu);
    else if (d->sparse) {
        memset(d->x, 0, (size_t)n * sizeof *d->x);
        for (int k = 0; k < d->m; k++) d->x[n - d->m + k] = -mu[k];  /* the matrix has -g_y, -g_z */
        linear_solve(d->system, 0, d->x);
        memcpy(mu, d->x + n - d->m, (size_t)d->m * sizeof *mu);
    } else if (own) dense_solve(d->m, d->own_S[level], d->own_pivot[level], mu);
    else dense_solve(d->m, d->S, d->pivot, mu);
    return 0;
}

void directions_step(directions *d, int level, int own, const double *mu, double *step)
{
    const keel_problem *p = d->problem;
    const constraint_level *l = &p->level[level];
    int m = d->m;
    if (level == p->levels - 1) memcpy(step, mu, (size_t)m * sizeof *step);
    else if (d->engine) memcpy(step, d->x + l->first, (size_t)l->count * sizeof *step);
    else if (own && d->own) level_saddle_step(&d->own[level], mu, step);
    else if (d->sparse) sparse_step(d, level, mu, step);
    else {
        const double *D = own ? d->own_D[level] : l->lead ? d->D[0] : d->D[level];
        for (int i = 0; i < l->count; i++) {
            const double *row = D + (size_t)(l->lead && !own ? l->lead[i] : i) * (size_t)m;
            double sum = 0;
            for (int k = 0; k < m; k++) sum += row[k] * mu[k];
            step[i] = sum;
        }
    }
}
