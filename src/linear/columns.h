/* columns.h -- one column of a keel_matrix, whatever its storage.
 *
 * Entry p of column j is values[p]; its row is rows[p], or first + p when rows is NULL.
 */
#ifndef KEEL_LINEAR_COLUMNS_H
#define KEEL_LINEAR_COLUMNS_H

#include "keel/matrix.h"

#include <stddef.h>

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

#endif
