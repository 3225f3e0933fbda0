/* series.c -- a growing table of doubles; capacity doubles, so n rows cost O(n). */
#include "report/series.h"

#include <stdlib.h>

double *series_append(series *s)
{
    if (s->rows == s->capacity) {
        const long capacity = s->capacity ? 2 * s->capacity : 64;
        const size_t bytes = (size_t)capacity * (size_t)s->columns * sizeof(double);
        double *grown = realloc(s->values, bytes);
        if (!grown) return NULL;
        s->values = grown;
        s->capacity = capacity;
    }
    return s->values + (size_t)s->rows++ * (size_t)s->columns;
}

const double *series_row(const series *s, long row)
{
    return s->values + (size_t)row * (size_t)s->columns;
}

void series_free(series *s)
{
    free(s->values);
    *s = (series){.columns = s->columns};
}
