/* columns.h -- one column of a keel_matrix, whatever its storage.
 *
 * Entry p of column j is values[p]; its row is rows[p], or first + p when rows is NULL.
 */
#ifndef KEEL_LINEAR_COLUMNS_H
#define KEEL_LINEAR_COLUMNS_H

#include "keel/matrix.h"

#include <stddef.h>
#include <string.h>

typedef struct column {
    double *values;
    const int *rows;             /* ascending, or NULL: consecutive rows from `first` */
    int first, count;
} column;

/* Rows of column j; values stays NULL. */
static inline column pattern_column(const keel_pattern *pattern, int rows, int j)
{
    if (pattern->storage == KEEL_SPARSE) {
        int start = pattern->column_start[j];
        return (column){ NULL, pattern->row_index + start, 0,
                         pattern->column_start[j + 1] - start };
    }
    if (pattern->storage == KEEL_BAND) {
        int first = j > pattern->upper ? j - pattern->upper : 0;
        int end = j + pattern->lower + 1 < rows ? j + pattern->lower + 1 : rows;
        return (column){ NULL, NULL, first, end > first ? end - first : 0 };
    }
    return (column){ NULL, NULL, 0, rows };
}

/* Where the first of its entries is among the values of the matrix. */
static inline ptrdiff_t column_place(const keel_pattern *pattern, int rows, int j, const column *c)
{
    if (pattern->storage == KEEL_SPARSE) return pattern->column_start[j];
    if (pattern->storage == KEEL_DENSE) return (ptrdiff_t)j * rows;
    return (ptrdiff_t)j * (pattern->lower + pattern->upper + 1) + pattern->upper + c->first - j;
}

static inline column matrix_column(const keel_matrix *a, int j)
{
    column c = pattern_column(&a->pattern, a->rows, j);
    c.values = a->values + column_place(&a->pattern, a->rows, j, &c);
    return c;
}

static inline int column_row(const column *c, int p)
{
    return c->rows ? c->rows[p] : c->first + p;
}

/* How many rows column j has with j itself. */
static inline int rows_with_diagonal(const keel_pattern *pattern, int rows, int j)
{
    column c = pattern_column(pattern, rows, j);
    int present = 0;
    for (int p = 0; p < c.count; p++) present |= column_row(&c, p) == j;
    return c.count + !present;
}

/* The entries of a pattern by columns, row after row: by_row [rows + 2], where rows begin, and of each entry
 * `of`, its column, and unless that is NULL its place by columns. */
static inline void list_by_rows(int rows, int columns, const int *start, const int *row, int *by_row, int *of,
                                int *place)
{
    memset(by_row, 0, ((size_t)rows + 2) * sizeof *by_row);
    for (int p = 0; p < start[columns]; p++) by_row[row[p] + 2]++;
    for (int i = 0; i < rows; i++) by_row[i + 2] += by_row[i + 1];
    for (int j = 0; j < columns; j++)
        for (int p = start[j]; p < start[j + 1]; p++) {
            int at = by_row[row[p] + 1]++;
            of[at] = j;
            if (place) place[at] = p;
        }
}

#endif
