/* nonzeros.c -- matrices whose entries are expressions: see nonzeros.h. */
#include "model/nonzeros.h"

#include <stdlib.h>

int nonzeros_add(nonzeros *z, int row, int column, expr value)
{
    if (z->count == z->room) {
        const int room = z->room ? 2 * z->room : 64;
        int *rows = realloc(z->row, (size_t)room * sizeof *rows);
        if (rows) z->row = rows;
        int *columns = realloc(z->column, (size_t)room * sizeof *columns);
        if (columns) z->column = columns;
        expr *values = realloc(z->value, (size_t)room * sizeof *values);
        if (values) z->value = values;
        if (!rows || !columns || !values) return -1;
        z->room = room;
    }
    z->row[z->count] = row;
    z->column[z->count] = column;
    z->value[z->count++] = value;
    return 0;
}

void nonzeros_free(nonzeros *z)
{
    free(z->row);
    free(z->column);
    free(z->value);
    *z = (nonzeros){0};
}
