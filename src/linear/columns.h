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

static inline column matrix_column(const keel_matrix *a, int j)
{
    const keel_pattern *pattern = &a->pattern;
    column c = pattern_column(pattern, a->rows, j);
    ptrdiff_t at;
    if (pattern->storage == KEEL_SPARSE)
        at = pattern->column_start[j];
    else if (pattern->storage == KEEL_BAND)
        at = (ptrdiff_t)j * (pattern->lower + pattern->upper + 1) + pattern->upper + c.first - j;
    else
        at = (ptrdiff_t)j * a->rows;
    c.values = a->values + at;
    return c;
}

static inline int column_row(const column *c, int p)
{
    return c->rows ? c->rows[p] : c->first + p;
}

#endif
