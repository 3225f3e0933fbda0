/* triplets.h -- sparse matrices put together entry by entry, for the tests of src/linear. */
#ifndef KEEL_TEST_LINEAR_TRIPLETS_H
#define KEEL_TEST_LINEAR_TRIPLETS_H

#include "keel/matrix.h"

#include <stdlib.h>

typedef struct triplet { int row, column; double value; } triplet;

typedef struct triplets { triplet *entry; int count, room; } triplets;

static inline void put(triplets *t, int row, int column, double value)
{
    if (t->count == t->room) {
        t->room = 2 * t->room + 64;
        t->entry = realloc(t->entry, (size_t)t->room * sizeof *t->entry);
        if (!t->entry) abort();
    }
    t->entry[t->count++] = (triplet){ row, column, value };
}

/* a and b joined by a conductor */
static inline void join(triplets *t, int a, int b, double value)
{
    put(t, a, a, value);
    put(t, b, b, value);
    put(t, a, b, -value);
    put(t, b, a, -value);
}

static inline int by_column(const void *a_, const void *b_)
{
    const triplet *a = a_, *b = b_;
    return a->column != b->column ? a->column - b->column : a->row - b->row;
}

/* The sum of the entries as a sparse matrix; t is freed. */
static inline keel_matrix compress(triplets *t, int rows, int columns)
{
    int *start = calloc((size_t)columns + 1, sizeof *start), count = 0;
    int *row = calloc((size_t)t->count + 1, sizeof *row);
    double *values = calloc((size_t)t->count + 1, sizeof *values);
    if (!start || !row || !values) abort();
    if (t->count) qsort(t->entry, (size_t)t->count, sizeof *t->entry, by_column);
    for (int p = 0; p < t->count; p++) {
        const triplet *e = t->entry + p;
        if (p == 0 || by_column(e - 1, e) != 0) {
            row[count++] = e->row;
            start[e->column + 1] = count;
        }
        values[count - 1] += e->value;
    }
    for (int j = 0; j < columns; j++)
        if (start[j + 1] < start[j]) start[j + 1] = start[j];
    free(t->entry);
    *t = (triplets){ 0 };
    return (keel_matrix){ rows, columns, { KEEL_SPARSE, 0, 0, start, row }, values, -1, -1 };
}

static inline void matrix_free(keel_matrix *a)
{
    free((int *)(uintptr_t)a->pattern.column_start);
    free((int *)(uintptr_t)a->pattern.row_index);
    free(a->values);
}

#endif
