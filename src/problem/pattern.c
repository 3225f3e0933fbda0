#include "problem/pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int pattern_check(message *m, const char *name, const keel_pattern *given, int rows, int columns)
{
    const int *start = given->column_start, *row = given->row_index;
    if (!start || !row || start[0] != 0)
        return fail(m, KEEL_BAD_ARGUMENT, "a sparse %s needs column_start, from 0, and row_index",
                    name);
    for (int j = 0; j < columns; j++)
        if (start[j + 1] < start[j])
            return fail(m, KEEL_BAD_ARGUMENT, "sparse %s: column_start[%d] is below "
                        "column_start[%d]", name, j + 1, j);
    for (int j = 0; j < columns; j++)
        for (int k = start[j]; k < start[j + 1]; k++)
            if (row[k] < 0 || row[k] >= rows || (k > start[j] && row[k] <= row[k - 1]))
                return fail(m, KEEL_BAD_ARGUMENT, "sparse %s: the rows of column %d must ascend "
                            "and lie between 0 and %d", name, j, rows - 1);
    return KEEL_OK;
}

int pattern_copy(keel_pattern *copy, const keel_pattern *given, int columns)
{
    size_t entries = (size_t)given->column_start[columns];
    int *start = malloc(((size_t)columns + 1) * sizeof *start);
    int *rows = malloc((entries + 1) * sizeof *rows);
    *copy = (keel_pattern){.storage = KEEL_SPARSE, .column_start = start, .row_index = rows};
    if (!start || !rows) return KEEL_NO_MEMORY;
    memcpy(start, given->column_start, ((size_t)columns + 1) * sizeof *start);
    if (entries) memcpy(rows, given->row_index, entries * sizeof *rows);
    return KEEL_OK;
}

void pattern_free(keel_pattern *pattern)
{
    free((void *)(uintptr_t)pattern->column_start);
    free((void *)(uintptr_t)pattern->row_index);
}
