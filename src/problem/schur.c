#include "problem/schur.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Rows of column k of S, marked in `mark` with k + 1 as they are met: how many, and which. */
static size_t product_column(const keel_pattern *K, int first, int k, int *mark, int *row)
{
    size_t count = 0;
    for (int p = K->column_start[first + k]; p < K->column_start[first + k + 1]; p++) {
        int j = K->row_index[p];
        for (int q = K->column_start[j]; q < K->column_start[j + 1]; q++) {
            int i = K->row_index[q] - first;
            if (mark[i] == k + 1) continue;
            mark[i] = k + 1;
            if (row) row[count] = i;
            count++;
        }
    }
    return count;
}

static int ascending(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

static void layout(arena *a, schur *s, const keel_matrix *K, int m, size_t count, int **start, int **row)
{
    s->formed = ARENA(a, double, K->pattern.column_start[K->columns]);
    *start = ARENA(a, int, m + 1);
    *row = ARENA(a, int, count);
    s->S.values = ARENA(a, double, count);
    s->sum = ARENA(a, double, m);
}

static schur *make(const keel_matrix *K, int m, size_t count, int *mark)
{
    schur made = {.first = K->columns - m};
    int *start, *row;
    arena measure = {0};
    (void)ARENA(&measure, schur, 1);
    layout(&measure, &made, K, m, count, &start, &row);
    arena block = {.base = arena_block(measure.used)};
    if (!block.base) return NULL;
    schur *s = ARENA(&block, schur, 1);
    layout(&block, &made, K, m, count, &start, &row);
    made.S = (keel_matrix){m, m, {KEEL_SPARSE, 0, 0, start, row}, made.S.values, -1, -1};
    memset(mark, 0, (size_t)m * sizeof *mark);
    for (int k = 0; k < m; k++) {
        size_t rows = product_column(&K->pattern, made.first, k, mark, row + start[k]);
        qsort(row + start[k], rows, sizeof *row, ascending);
        start[k + 1] = start[k] + (int)rows;
    }
    *s = made;
    return s;
}

int schur_create(schur **out, const keel_matrix *K, int m)
{
    size_t count = 0, most = (size_t)K->pattern.column_start[K->columns];
    int *mark = calloc((size_t)m + 1, sizeof *mark);
    *out = NULL;
    if (!mark) return KEEL_NO_MEMORY;
    for (int k = 0; k < m && count <= most; k++)
        count += product_column(&K->pattern, K->columns - m, k, mark, NULL);
    if (count <= most) *out = make(K, m, count, mark);
    free(mark);
    return *out || count > most ? KEEL_OK : KEEL_NO_MEMORY;
}

void schur_free(schur *s)
{
    arena_block_free(s);
}

void schur_form(schur *s, const keel_matrix *K)
{
    const int *start = K->pattern.column_start, *row = K->pattern.row_index;
    const keel_pattern *own = &s->S.pattern;
    const size_t bytes = (size_t)start[K->columns] * sizeof *s->formed;
    if (memcmp(s->formed, K->values, bytes) == 0) return;
    memcpy(s->formed, K->values, bytes);
    for (int k = 0; k < s->S.columns; k++) {
        for (int p = start[s->first + k]; p < start[s->first + k + 1]; p++)
            for (int q = start[row[p]]; q < start[row[p] + 1]; q++)
                s->sum[row[q] - s->first] -= K->values[q] * K->values[p];
        for (int p = own->column_start[k]; p < own->column_start[k + 1]; p++) {
            s->S.values[p] = s->sum[own->row_index[p]];
            s->sum[own->row_index[p]] = 0;
        }
    }
}
