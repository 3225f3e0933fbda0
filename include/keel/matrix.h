/* matrix.h -- the matrix that Jacobian callbacks fill in.
 *
 * The library zeroes it first; keel_put and keel_add address entries by row and
 * column from 0, whatever the storage.  An entry outside the declared pattern
 * is remembered and reported as an error of the callback.
 */
#ifndef KEEL_MATRIX_H
#define KEEL_MATRIX_H

#include <stddef.h>

#include "keel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum keel_storage {
    KEEL_DENSE = 0, KEEL_BAND = 1, KEEL_SPARSE = 2,
    KEEL_UNFORMED = 3            /* of a problem: no matrix is formed, an engine has them (engine.h) */
} keel_storage;

/* Where nonzeros may be.  All zero: dense.  The arrays are copied.  It is a part of the specs and
 * never grows. */
typedef struct keel_pattern {
    keel_storage storage;
    int lower, upper;            /* KEEL_BAND: number of sub- and superdiagonals            */
    const int *column_start;     /* KEEL_SPARSE: columns + 1 entries, from 0                */
    const int *row_index;        /* KEEL_SPARSE: row of each nonzero, ascending in a column */
} keel_pattern;

typedef struct keel_matrix {
    int rows, columns;
    keel_pattern pattern;
    double *values;              /* dense: column-major, rows x columns;                    */
                                 /* band:  (lower + upper + 1) x columns, a(i,j) at         */
                                 /*        values[j*(lower+upper+1) + upper + i - j];       */
                                 /* sparse: in the order of row_index                       */
    int stray_row, stray_column; /* first entry written outside the pattern, or -1          */
} keel_matrix;

/* Address of a(row, column), or NULL outside the pattern (which is then recorded). */
KEEL_API double *keel_entry(keel_matrix *a, int row, int column);

/* The same without a call where storage is dense, or band and the entry inside it. */
static inline double *keel_entry_inline(keel_matrix *a, int row, int column)
{
    if (!a || row < 0 || row >= a->rows || column < 0 || column >= a->columns)
        return keel_entry(a, row, column);
    if (a->pattern.storage == KEEL_DENSE) return a->values + (size_t)column * (size_t)a->rows + row;
    int below = row - column, lower = a->pattern.lower, upper = a->pattern.upper;
    if (a->pattern.storage == KEEL_BAND && below <= lower && -below <= upper)
        return a->values + (size_t)column * (size_t)(lower + upper + 1) + (upper + below);
    return keel_entry(a, row, column);
}

static inline void keel_put(keel_matrix *a, int row, int column, double value)
{
    double *entry = keel_entry_inline(a, row, column);
    if (entry) *entry = value;
}

static inline void keel_add(keel_matrix *a, int row, int column, double value)
{
    double *entry = keel_entry_inline(a, row, column);
    if (entry) *entry += value;
}

#ifdef __cplusplus
}
#endif
#endif
