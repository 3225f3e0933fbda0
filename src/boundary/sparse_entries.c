/* sparse_entries.c -- from a list of entries to a sparse matrix and its factors. */
#include "boundary/sparse_entries.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/columns.h"

void entries_free(entries *e)
{
    void *all[] = {e->row, e->column, e->place, e->start, e->row_index, e->values, e->right, e->mass};
    linear_free(e->system);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    *e = (entries){.size = e->size};
}

/* Positions 0..count-1, in the order of `from`, by ascending key; stable.  next: [keys + 1]. */
static void sort_by(size_t count, const int *key, int keys, const int *from, int *to, int *next)
{
    memset(next, 0, ((size_t)keys + 1) * sizeof *next);
    for (size_t e = 0; e < count; e++) next[key[e] + 1]++;
    for (int i = 0; i < keys; i++) next[i + 1] += next[i];
    for (size_t e = 0; e < count; e++) {
        int at = from ? from[e] : (int)e;
        to[next[key[at]]++] = at;
    }
}

/* start, row_index and place from the list; entries of the same place are one.  order: scratch [2 count]. */
static void compress(entries *e, int *order)
{
    int count = (int)e->count, *by_row = order, *sorted = order + count, at = -1, j = 0;
    sort_by(e->count, e->row, e->size, NULL, by_row, e->start);
    sort_by(e->count, e->column, e->size, by_row, sorted, e->start);
    for (int q = 0; q < count; q++) {
        int now = sorted[q], row = e->row[now], unknown = e->column[now];
        int same = q && e->row[sorted[q - 1]] == row && e->column[sorted[q - 1]] == unknown;
        if (!same) e->row_index[++at] = row;
        while (j <= unknown) e->start[j++] = at;
        e->place[now] = at;
    }
    while (j <= e->size) e->start[j++] = at + 1;
}

static int make_room(entries *e)
{
    size_t size = (size_t)e->size;
    if (e->count > INT_MAX / 2) return KEEL_NO_MEMORY;
    e->room = e->count;
    int **lists[] = {&e->row, &e->column, &e->place, &e->row_index};
    for (int i = 0; i < 4; i++) {
        *lists[i] = malloc((e->room + 1) * sizeof **lists[i]);
        if (!*lists[i]) return KEEL_NO_MEMORY;
    }
    e->values = malloc((e->room + 1) * sizeof *e->values);
    e->start = malloc((size + 2) * sizeof *e->start);
    e->right = malloc((size + 1) * sizeof *e->right);
    e->mass = calloc(size + 1, sizeof *e->mass);
    return e->values && e->start && e->right && e->mass ? KEEL_OK : KEEL_NO_MEMORY;
}

static keel_pattern pattern_of(const entries *e)
{
    return (keel_pattern){.storage = KEEL_SPARSE, .column_start = e->start,
                          .row_index = e->row_index};
}

int entries_make(keel_boundary *w, mesh *s, entries *e, lister *list, int slots)
{
    entries_free(e);
    list(w, s, COUNT);
    int rc = make_room(e);
    int *order = rc ? NULL : malloc((2 * e->room + 1) * sizeof *order);
    if (!order) return KEEL_NO_MEMORY;
    e->count = 0;
    list(w, s, LIST);
    compress(e, order);
    free(order);
    return linear_create(&e->system, &(linear_spec){
        .n = e->size, .pattern = pattern_of(e), .storage = KEEL_SPARSE, .real_slots = slots,
        .diagonal = e->mass});
}

int entries_factor(keel_boundary *w, mesh *s, entries *e, lister *list, int slot)
{
    keel_matrix J = {.rows = e->size, .columns = e->size, .pattern = pattern_of(e),
                     .values = e->values};
    memset(e->values, 0, e->room * sizeof *e->values);
    e->count = 0;
    list(w, s, FILL);
    for (int i = 0; i < e->start[e->size]; i++)
        if (!isfinite(e->values[i])) return BOUNDARY_SINGULAR_ENDS;
    int rc = linear_factor(e->system, slot, 0, (linear_mass){.diagonal = e->mass}, &J);
    return rc == KEEL_NO_MEMORY ? BOUNDARY_NO_MEMORY : rc ? BOUNDARY_SINGULAR_ENDS : 0;
}

/* ---- equations ----------------------------------------------------------------------------- */

void enter_jacobian(const keel_boundary *w, entries *e, listing how, const local *l, double factor,
                    int row, int x, int z)
{
    int nx = w->flow.nx;
    keel_matrix J = w->flow.J;
    J.values = l->J;
    for (int j = 0; j < w->flow.n; j++) {
        column c = matrix_column(&J, j);
        int unknown = j < nx ? x + j : z + j - nx;
        for (int p = 0; p < c.count; p++) {
            int i = column_row(&c, p);
            if (i < nx && factor != 0) enter(e, how, row + i, unknown, factor * c.values[p]);
            else if (i >= nx) enter(e, how, row + i, unknown, c.values[p]);
        }
    }
}

void enter_parameters(const keel_boundary *w, entries *e, listing how, const double *J_p,
                      double factor, int row, int p)
{
    int nx = w->flow.nx, np = w->flow.np;
    for (int i = factor != 0 ? 0 : nx; i < w->flow.n; i++)
        for (int j = 0; j < np; j++)
            enter(e, how, row + i, p + j, (i < nx ? factor : 1) * J_p[(ptrdiff_t)i * np + j]);
}

void enter_stages(const keel_boundary *w, const mesh *s, entries *e, listing how, int i, int first)
{
    int nx = w->flow.nx, n = w->flow.n, k = s->table.k;
    for (int c = 0; c < k; c++) {
        int row = first + c * n;
        for (int j = 0; j < k; j++)
            for (int r = 0; r < nx; r++)
                enter(e, how, row + r, first + j * n + r, s->table.A_inv[c * k + j]);
        enter_jacobian(w, e, how, stage_of(s, i, c), s->t[i] - s->t[i + 1], row, row, row + nx);
    }
}
