#include "linear/ilu.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/columns.h"

void row_pattern_layout(arena *a, row_pattern *p, const keel_pattern *pattern, int n)
{
    p->n = n;
    p->entries = 0;
    for (int j = 0; j < n; j++) p->entries += rows_with_diagonal(pattern, n, j);
    p->start = ARENA(a, int, n + 2);
    ARENA_INTEGERS(a, p->entries, &p->column, &p->source);
    ARENA_INTEGERS(a, n, &p->diagonal, &p->place);
}

/* Column after column, so that they ascend in each row. */
void row_pattern_build(row_pattern *p, const keel_pattern *pattern)
{
    int n = p->n;
    memset(p->start, 0, (size_t)(n + 2) * sizeof *p->start);
    for (int j = 0; j < n; j++) {
        column c = pattern_column(pattern, n, j);
        for (int k = 0; k < c.count; k++) p->start[column_row(&c, k) + 2]++;
        p->start[j + 2] += rows_with_diagonal(pattern, n, j) - c.count;
    }
    for (int i = 0; i < n; i++) p->start[i + 2] += p->start[i + 1];
    for (int j = 0; j < n; j++) {
        column c = pattern_column(pattern, n, j);
        for (int k = 0, rows = rows_with_diagonal(pattern, n, j); k < rows; k++) {
            int extra = k == c.count, i = extra ? j : column_row(&c, k), at = p->start[i + 1]++;
            p->column[at] = j;
            p->source[at] = extra ? -1 : (int)column_place(pattern, n, j, &c) + k;
            if (i == j) p->diagonal[i] = at;
        }
    }
    for (int i = 0; i < n; i++) p->place[i] = -1;
}

void ilu_factor(row_pattern *p, double *a)
{
    for (int i = 0; i < p->n; i++) {
        int from = p->start[i], to = p->start[i + 1], middle = p->diagonal[i];
        double size = 0;
        for (int k = from; k < to; k++) {
            p->place[p->column[k]] = k;
            size = fmax(size, fabs(a[k]));
        }
        for (int k = from; k < middle; k++) {
            int row = p->column[k];
            double factor = a[k] *= a[p->diagonal[row]];
            for (int l = p->diagonal[row] + 1; factor != 0 && l < p->start[row + 1]; l++)
                if (p->place[p->column[l]] >= 0) a[p->place[p->column[l]]] -= factor * a[l];
        }
        int vanishes = !(fabs(a[middle]) > DBL_EPSILON * size);
        a[middle] = vanishes ? (size > 0 ? 1 / size : 1) : 1 / a[middle];
        for (int k = from; k < to; k++) p->place[p->column[k]] = -1;
    }
}

void ilu_solve(const row_pattern *p, const double *lu, const double *b, double *x)
{
    for (int i = 0; i < p->n; i++) {
        double sum = b[i];
        for (int k = p->start[i]; k < p->diagonal[i]; k++) sum -= lu[k] * x[p->column[k]];
        x[i] = sum;
    }
    for (int i = p->n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = p->diagonal[i] + 1; k < p->start[i + 1]; k++) sum -= lu[k] * x[p->column[k]];
        x[i] = sum * lu[p->diagonal[i]];
    }
}
