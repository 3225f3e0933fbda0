/* sparse_pivots.c -- which pivots of a sparse factorization are noise (see pivots.h).
 *
 * That needs L and U, which are copied only if a pivot is suspiciously small.
 */
#include "linear/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "linear/pivots.h"

static void copy_layout(arena *a, factor_copy *f, size_t n, size_t l_count, size_t u_count)
{
    f->l_start = ARENA(a, int, n + 2);
    ARENA_INTEGERS(a, n + 1, &f->u_start, &f->column_start);
    ARENA_INTEGERS(a, l_count, &f->l_column, &f->column_row, &f->place);
    ARENA_VECTORS(a, 2 * l_count, &f->l, &f->l_by_column);
    f->u_row = ARENA(a, int, u_count);
    f->u = ARENA(a, double, 2 * u_count);
    f->column = ARENA(a, int, n);
    f->s = ARENA(a, double, n);
}

int pivot_room_take(pivot_room *room, factor_copy *f, size_t n, size_t l_count, size_t u_count)
{
    arena measure = {0};
    copy_layout(&measure, f, n, l_count, u_count);
    if (measure.used > room->bytes) {
        arena_block_free(room->block);
        room->block = arena_block(measure.used);
        room->bytes = room->block ? measure.used : 0;
        if (!room->block) return KEEL_NO_MEMORY;
    }
    arena block = {.base = room->block};
    copy_layout(&block, f, n, l_count, u_count);
    memset(f->s, 0, n * sizeof *f->s);
    return KEEL_OK;
}

static int ascending(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

/* sum of |l(i,j)| s(j) over j < i, s being 0 outside column k of U */
static double cancelled_terms(const factor_copy *f, int i)
{
    double sum = 0;
    for (int p = f->l_start[i]; p < f->l_start[i + 1]; p++)
        if (f->l_column[p] < i) sum += f->l[p] * f->s[f->l_column[p]];
    return sum;
}

/* Compares pivot k with the terms that cancelled in it. */
static int is_significant(const factor_copy *f, int k, double tolerance)
{
    int start = f->u_start[k], count = f->u_start[k + 1] - start;
    double size = 0, cancelled = 0;
    for (int p = start; p < start + count; p++) {
        f->s[f->u_row[p]] = f->u[p];
        f->column[p - start] = f->u_row[p];
    }
    qsort(f->column, (size_t)count, sizeof *f->column, ascending);
    for (int p = 0; p < count; p++) {
        int j = f->column[p];
        size = f->s[j];
        cancelled = cancelled_terms(f, j);
        if (!pivot_is_significant(tolerance, size, cancelled)) f->s[j] = cancelled;
    }
    for (int p = 0; p < count; p++) f->s[f->column[p]] = 0;
    return pivot_is_significant(tolerance, size, cancelled);
}

/* The largest entry of column j, where each row is divided by its own largest. */
static double scaled_size(const sparse_shape *s, int width, const double *values, const double *row_size,
                          int j)
{
    double largest = 0;
    for (int p = s->start[j]; p < s->start[j + 1]; p++) {
        double size = modulus(values + width * (ptrdiff_t)p, width), row = row_size[s->row[p]];
        if (size > largest * row) largest = size / row;
    }
    return largest;
}

static void row_sizes(const sparse_shape *s, int width, const double *values, double *row_size)
{
    memset(row_size, 0, (size_t)s->n * sizeof *row_size);
    for (int p = 0; p < s->start[s->n]; p++) {
        double size = modulus(values + width * (ptrdiff_t)p, width);
        if (!(size <= row_size[s->row[p]])) row_size[s->row[p]] = size;
    }
}

int missing_pivot(const sparse_shape *s, const sparse_factors *f, const double *values,
                  double tolerance, pivot_room *room)
{
    factor_copy copy;
    int width = slot_width(s, f->slot), copied = 0, scaled = 0;
    for (int k = 0; k < s->n; k++) {
        double pivot = modulus(f->diagonal + width * (ptrdiff_t)k, width);
        if (!pivot_is_suspicious(pivot, 1)) continue;   /* entries of scaled rows are 1 at most */
        if (pivot == 0) return f->order[k] + 1;
        if (!scaled) row_sizes(s, width, values, room->row_size);
        scaled = 1;
        if (!pivot_is_suspicious(pivot, scaled_size(s, width, values, room->row_size, f->order[k]))) continue;
        if (!copied && f->copy(f->factors, f->slot, room, &copy)) return KEEL_NO_MEMORY;
        copied = 1;
        if (!is_significant(&copy, k, tolerance)) return f->order[k] + 1;
    }
    return 0;
}
