#include "problem/level_stack.h"

#include <stdlib.h>
#include <string.h>

#include "linear/columns.h"
#include "problem/difference.h"
#include "problem/directions.h"
#include "problem/level_saddle.h"

int level_stack_applies(const keel_problem *p)
{
    return p->levels > 1 && (problem_is_sparse(p) || mechanical_is_sparse(p));
}

static int lower(const keel_problem *p) { return p->levels - 1; }

/* Is the gradient of the level K? */
static int by_differences(const keel_problem *p, int level)
{
    return level > 0 && p->ops != &levelled_form;
}

/* ---- patterns ----------------------------------------------------------------------------- */

/* Adds the rows that the constraint has in column i of the problem's pattern to `rows`, if not NULL; returns
 * how many. */
static int constraint_rows(const keel_problem *p, int i, int *rows)
{
    column c = pattern_column(&p->pattern, p->n, i);
    int first = p->n - p->constraints, count = 0;
    for (int k = 0; k < c.count; k++)
        if (column_row(&c, k) >= first) {
            if (rows) rows[count] = column_row(&c, k) - first;
            count++;
        }
    return count;
}

/* The same of column j of g_u + g_u (f_u f_v), some of them more than once. */
static int velocity_rows(const keel_problem *p, int j, int *rows)
{
    column c = pattern_column(&p->pattern, p->n, j);
    int count = constraint_rows(p, j, rows);
    for (int k = 0; k < c.count; k++)
        if (column_row(&c, k) < p->group[0])
            count += constraint_rows(p, column_row(&c, k), rows ? rows + count : NULL);
    return count;
}

static int ascending(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

static void build_velocity(level_stack *s)
{
    int at = 0;
    for (int j = 0; j < s->columns; j++) {
        int *rows = s->K_row + at, count = velocity_rows(s->problem, j, rows), kept = 0;
        qsort(rows, (size_t)count, sizeof *rows, ascending);
        for (int k = 0; k < count; k++)
            if (kept == 0 || rows[k] != rows[kept - 1]) rows[kept++] = rows[k];
        s->K_start[j + 1] = at += kept;
    }
    coloring_build_sparse(&s->apart, &s->K.pattern, s->K.rows, s->columns);
}

static void number_rows(level_stack *s)
{
    const keel_problem *p = s->problem;
    int m = p->constraints;
    s->rows = 0;
    for (int k = 0; k < lower(p); k++) {
        s->first[k] = s->rows;
        for (int i = 0; i < m; i++) {
            int absent = p->ops == &levelled_form && p->links[i] < p->levels - 1 - k;
            s->place[k * m + i] = absent ? -1 : s->rows++;
        }
        s->first[k + 1] = s->rows;
    }
}

static void build(level_stack *s)
{
    const keel_problem *p = s->problem;
    int at = 0, m = p->constraints;
    for (int j = 0; j < s->columns; s->start[++j] = at)
        for (int level = 0; level < lower(p); level++) {
            const keel_matrix *a = by_differences(p, level) ? &s->K : &s->J;
            if (j >= a->columns) continue;               /* velocities, which G does not have */
            column c = matrix_column(a, j);
            for (int k = 0; k < c.count; k++) {
                int row = column_row(&c, k) - (a->rows - m);
                if (row < 0 || s->place[level * m + row] < 0) continue;
                s->row[at] = s->place[level * m + row];
                s->source[at++] = (int)(c.values + k - a->values);
            }
        }
}

/* ---- life --------------------------------------------------------------------------------- */

static void velocity_layout(arena *a, level_stack *s)
{
    const keel_problem *p = s->problem;
    int m = p->constraints;
    size_t most = 0;
    for (int j = 0; j < s->columns; j++) most += (size_t)velocity_rows(p, j, NULL);
    s->K_start = ARENA(a, int, s->columns + 1);
    s->K_row = ARENA(a, int, most);
    s->K = (keel_matrix){.rows = m, .columns = s->columns, .values = ARENA(a, double, most),
                         .pattern = {.storage = KEEL_SPARSE, .column_start = s->K_start,
                                     .row_index = s->K_row}};
    s->apart = (coloring){.color = ARENA(a, int, s->columns), .taken = ARENA(a, int, s->columns + 1),
                          .row_start = ARENA(a, int, m + 2), .row_column = ARENA(a, int, most)};
    s->moved = ARENA(a, double, p->n);
    s->delta = ARENA(a, double, s->columns);
    s->one = ARENA(a, double, m);
    s->sum = ARENA(a, double, m);
}

static size_t entries_most(const keel_problem *p, int columns)
{
    size_t most = 0;
    for (int level = 0; level < lower(p); level++)
        for (int j = 0; j < columns; j++)
            most += (size_t)(by_differences(p, level) ? velocity_rows : constraint_rows)(p, j, NULL);
    return most;
}

void level_stack_layout(arena *a, level_stack *s, const keel_problem *p)
{
    s->problem = p;
    s->columns = p->n - p->constraints;
    ARENA_OWN(a, s, saddle, saddle_tape);
    level_matrix_layout(a, &s->J, &s->colors, p);
    if (by_differences(p, lower(p) - 1)) velocity_layout(a, s);
    size_t rows = (size_t)lower(p) * (size_t)p->constraints, most = entries_most(p, s->columns);
    s->place = ARENA(a, int, rows);
    s->start = ARENA(a, int, s->columns + 1);
    s->row = ARENA(a, int, most);
    s->source = ARENA(a, int, most);
    s->C = ARENA(a, double, most);
    s->x = ARENA(a, double, s->columns);
    s->mu = ARENA(a, double, rows);
    s->loose = ARENA(a, double, rows);
    s->zero = ARENA(a, double, p->n);
}

int level_stack_create(level_stack *s)
{
    if (s->colors.color) coloring_build(&s->colors, s->problem);
    if (s->K_start) build_velocity(s);
    number_rows(s);
    build(s);
    keel_pattern C = {.storage = KEEL_SPARSE, .column_start = s->start, .row_index = s->row};
    return saddle_create_sparse(&s->saddle, s->columns, s->rows, NULL, &C);
}

void level_stack_release(level_stack *s)
{
    saddle_free(s->saddle);
}

/* ---- values ------------------------------------------------------------------------------- */

int level_stack_values(const level_stack *s, evaluator *e, double t, const double *y, double *c)
{
    int rc = 0;
    for (int k = 0; k < lower(s->problem) && !rc; k++)
        rc = eval_level(e, k, t, y, c + k * s->problem->constraints);
    return rc;
}

static int moved_velocity(void *context, double t, const double *y, double *w)
{
    return eval_level(context, 1, t, y, w);
}

/* K by central differences; multipliers, which it does not depend on, stay. */
static int velocity_gradient(level_stack *s, evaluator *e, double t, const double *y)
{
    difference d = {.value = moved_velocity, .context = e, .rows = s->K.rows, .size = s->columns, .t = t,
                    .x = y, .moved = s->moved, .one = s->one};
    memcpy(s->moved, y, (size_t)s->problem->n * sizeof *y);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .colors = &s->apart, .sum = s->sum, .delta = s->delta, .matrix = &s->K});
}

/* The gradient of a level, into its rows of C. */
static int take_level(level_stack *s, evaluator *e, int level, const double *unit, double t, const double *y)
{
    int apart = by_differences(s->problem, level), rc;
    const double *values = apart ? s->K.values : s->J.values;
    if (apart) rc = velocity_gradient(s, e, t, y);
    else rc = level_matrix(e, level, t, y, s->zero, &s->colors, &s->J);
    for (int j = 0; j < s->columns && !rc; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++)
            if (s->row[k] >= s->first[level] && s->row[k] < s->first[level + 1])
                s->C[k] = unit[j] * values[s->source[k]];
    return rc;
}

static void loosen(level_stack *s, const double *W)
{
    int m = s->problem->constraints;
    for (int i = 0; i < lower(s->problem) * m && W; i++)
        if (s->place[i] >= 0) s->loose[s->place[i]] = W[i % m];
    saddle_set_loose(s->saddle, W ? s->loose : NULL);
}

int level_stack_factor(level_stack *s, evaluator *e, const double *unit, double t, const double *y)
{
    int rc = 0;
    for (int level = 0; level < lower(s->problem) && !rc; level++)
        rc = take_level(s, e, level, unit, t, y);
    if (rc) return rc;
    loosen(s, level_loose(e));
    rc = saddle_factor(s->saddle, NULL, s->C);
    return rc == 0 ? 0 : rc < 0 ? eval_no_memory(e, t) : DIRECTIONS_SINGULAR;
}

void level_stack_nearest(level_stack *s, const double *c, double *x)
{
    int rows = lower(s->problem) * s->problem->constraints;
    memset(s->mu, 0, (size_t)s->rows * sizeof *s->mu);
    for (int i = 0; i < rows && c; i++)
        if (s->place[i] >= 0) s->mu[s->place[i]] = -c[i];
    saddle_solve(s->saddle, 1, x, s->mu);
}
