/* matrix.c -- dense, band and sparse matrices as Jacobian callbacks fill them in. */
#include "linear/linear.h"
#include "linear/columns.h"

#include <string.h>

/* Listed rows: by bisection as long as they are many. */
static double *find_listed(const keel_matrix *a, int row, int j)
{
    enum { FEW = 8 };
    const int *rows = a->pattern.row_index;
    int low = a->pattern.column_start[j], end = a->pattern.column_start[j + 1], high = end;
    while (high - low > FEW) {
        int middle = low + (high - low) / 2;
        if (rows[middle] < row) low = middle + 1;
        else high = middle;
    }
    while (low < high && rows[low] < row) low++;
    return low < end && rows[low] == row ? a->values + low : NULL;
}

static double *find_entry(const keel_matrix *a, int row, int j)
{
    if (row < 0 || row >= a->rows || j < 0 || j >= a->columns) return NULL;
    if (a->pattern.storage == KEEL_SPARSE) return find_listed(a, row, j);
    column c = matrix_column(a, j);
    return row >= c.first && row < c.first + c.count ? c.values + (row - c.first) : NULL;
}

double *keel_entry(keel_matrix *a, int row, int j)
{
    double *entry = a ? find_entry(a, row, j) : NULL;
    if (!entry && a && a->stray_row == -1 && a->stray_column == -1) {
        a->stray_row = row;
        a->stray_column = j;
    }
    return entry;
}

double matrix_get(const keel_matrix *a, int row, int j)
{
    const double *entry = find_entry(a, row, j);
    return entry ? *entry : 0;
}

size_t matrix_storage(int rows, int columns, const keel_pattern *pattern)
{
    switch (pattern->storage) {
    case KEEL_BAND:
        return (size_t)(pattern->lower + pattern->upper + 1) * (size_t)columns;
    case KEEL_SPARSE:
        return (size_t)pattern->column_start[columns];
    default:
        return (size_t)rows * (size_t)columns;
    }
}

void matrix_zero(keel_matrix *a)
{
    size_t count = matrix_storage(a->rows, a->columns, &a->pattern);
    if (count) memset(a->values, 0, count * sizeof *a->values);
    a->stray_row = a->stray_column = -1;
}

void matrix_multiply_add(const keel_matrix *a, double alpha, const double *x, double *y)
{
    for (int j = 0; j < a->columns; j++) {
        column c = matrix_column(a, j);
        double factor = alpha * x[j];
        if (c.rows) {
            for (int p = 0; p < c.count; p++) y[c.rows[p]] += factor * c.values[p];
        } else {
            double *target = y + c.first;
            for (int p = 0; p < c.count; p++) target[p] += factor * c.values[p];
        }
    }
}
