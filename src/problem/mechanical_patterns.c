/* mechanical_patterns.c -- where a sparse mechanical problem has nonzeros.
 *
 *   r = (v - q', f - G^T l - M v', g),    r_y and r_y' together in the pattern of
 *
 *            q     v    l
 *   q      [ I     I    .    ]     K = F + M + G^T G + I: (G^T l)_q couples the positions of a
 *   v      [ K   F + M  G^T  ]     constraint with each other, (M a)_q those of an entry of M
 *   l      [ G     .    .    ]     F: of f_q and f_v; where it is not given, F = K
 */
#include "problem/pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the patterns of the spec --------------------------------------------------------------- */

static int gives_mass(const keel_mechanical_spec *s)
{
    return s->evaluate ? !s->provides || (s->provides & KEEL_MASS) : s->mass != NULL;
}

static int take(keel_problem *p, const char *name, const keel_pattern *given, int rows,
                keel_pattern *copy)
{
    if (given->storage != KEEL_SPARSE)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "mechanical: %s must be sparse, because "
                    "another pattern is", name);
    int rc = pattern_check(&p->message, name, given, rows, p->group[0]);
    return rc ? rc : pattern_copy(copy, given, p->group[0]);
}

/* No constraints, no nonzeros. */
static int take_none(keel_problem *p)
{
    int none = 0, rc;
    int *start = calloc((size_t)p->group[0] + 1, sizeof *start);
    if (!start) return KEEL_NO_MEMORY;
    rc = pattern_copy(&p->jacobian_pattern,
                      &(keel_pattern){.column_start = start, .row_index = &none}, p->group[0]);
    free(start);
    return rc;
}

static int take_patterns(keel_problem *p)
{
    const keel_mechanical_spec *s = &p->spec.mechanical;
    int n = p->group[0], m = p->constraints, rc = KEEL_OK;
    if (gives_mass(s)) rc = take(p, "mass_pattern", &s->mass_pattern, n, &p->mass_pattern);
    if (!rc && m > 0)
        rc = take(p, "constraint_pattern", &s->constraint_pattern, m, &p->jacobian_pattern);
    if (!rc && m == 0) rc = take_none(p);
    if (!rc && s->force_pattern.storage != KEEL_DENSE)
        rc = take(p, "force_pattern", &s->force_pattern, n, &p->force_pattern);
    if (!rc && s->force_jacobian && !p->force_pattern.column_start)
        rc = fail(&p->message, KEEL_BAD_ARGUMENT, "mechanical: force_jacobian of a sparse problem "
                  "fills in the nonzeros of force_pattern, which is missing");
    return rc;
}

/* ---- the whole ------------------------------------------------------------------------------ */

typedef struct union_work {
    int n, m;
    const keel_pattern *mass, *jacobian, *force;
    int *start, *column;         /* [m + 1], [entries] G by rows                           */
    int *seen;                   /* [n] the last column that had this row                  */
    int *rows;                   /* [n] rows of the column at hand                         */
    int count, mark;
} union_work;

static void add_row(union_work *w, int row)
{
    if (w->seen[row] == w->mark) return;
    w->seen[row] = w->mark;
    w->rows[w->count++] = row;
}

static void add_column(union_work *w, const keel_pattern *p, int j)
{
    if (!p->column_start) return;
    for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++) add_row(w, p->row_index[k]);
}

static int ascending(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

/* Column j of K or, for velocities, of F + M and the diagonal, into w->rows. */
static void unite(union_work *w, int j, int velocities)
{
    w->count = 0;
    w->mark++;
    add_row(w, j);
    add_column(w, w->mass, j);
    add_column(w, w->force, j);
    const int *start = w->jacobian->column_start;
    for (int k = start[j]; k < start[j + 1] && !(velocities && w->force->column_start); k++) {
        int row = w->jacobian->row_index[k];
        for (int i = w->start[row]; i < w->start[row + 1]; i++) add_row(w, w->column[i]);
    }
    qsort(w->rows, (size_t)w->count, sizeof *w->rows, ascending);
}

static void list_by_rows(union_work *w)
{
    const int *start = w->jacobian->column_start, *row = w->jacobian->row_index;
    for (int k = 0; k < start[w->n]; k++) w->start[row[k] + 1]++;
    for (int i = 0; i < w->m; i++) w->start[i + 1] += w->start[i];
    for (int j = 0; j < w->n; j++)
        for (int k = start[j]; k < start[j + 1]; k++) w->column[w->start[row[k]]++] = j;
    for (int i = w->m; i > 0; i--) w->start[i] = w->start[i - 1];
    w->start[0] = 0;
}

/* All columns, into start and row unless NULL; returns the number of entries. */
static size_t whole(union_work *w, int *start, int *row)
{
    int n = w->n;
    const keel_pattern *g = w->jacobian;
    size_t at = 0;
    for (int j = 0; j < 2 * n + w->m; j++) {
        int of = j < n ? j : j - n, l = j - 2 * n;
        if (start) start[j] = (int)at;
        if (l < 0) unite(w, of, j >= n);
        if (l < 0 && row) row[at] = of;          /* q' and v in the equation of q' */
        at += l < 0;
        int count = l < 0 ? w->count : w->start[l + 1] - w->start[l];
        const int *rows = l < 0 ? w->rows : w->column + w->start[l];
        for (int k = 0; k < count && row; k++) row[at + (size_t)k] = n + rows[k];
        at += (size_t)count;
        for (int k = j < n ? g->column_start[j] : 0; j < n && k < g->column_start[j + 1]; k++, at++)
            if (row) row[at] = 2 * n + g->row_index[k];
    }
    if (start) start[2 * n + w->m] = (int)at;
    return at;
}

static int build(keel_problem *p, union_work *w)
{
    list_by_rows(w);
    size_t entries = whole(w, NULL, NULL);
    if (entries > INT_MAX)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "mechanical: constraint_pattern has rows so "
                    "full that the matrix of K = G^T G ... has %.3g nonzeros", (double)entries);
    int *start = malloc(((size_t)p->n + 1) * sizeof *start), *row = malloc(entries * sizeof *row);
    p->pattern = (keel_pattern){.storage = KEEL_SPARSE, .column_start = start, .row_index = row};
    if (!start || !row) return KEEL_NO_MEMORY;
    whole(w, start, row);
    return KEEL_OK;
}

int mechanical_patterns(keel_problem *p)
{
    const keel_mechanical_spec *s = &p->spec.mechanical;
    if (s->mass_pattern.storage == KEEL_DENSE && s->constraint_pattern.storage == KEEL_DENSE &&
        s->force_pattern.storage == KEEL_DENSE) return KEEL_OK;
    int rc = take_patterns(p), n = p->group[0], m = p->constraints;
    if (rc) return rc;
    size_t entries = (size_t)p->jacobian_pattern.column_start[n];
    int *block = calloc((size_t)m + 1 + entries + 2 * (size_t)n, sizeof *block);
    if (!block) return KEEL_NO_MEMORY;
    union_work w = {n, m, &p->mass_pattern, &p->jacobian_pattern, &p->force_pattern, .start = block,
                    .column = block + m + 1, .seen = block + (size_t)m + 1 + entries,
                    .rows = block + (size_t)m + 1 + entries + n};
    rc = build(p, &w);
    free(block);
    return rc;
}
