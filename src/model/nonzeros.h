/* nonzeros.h -- matrices whose entries are expressions, as a list. */
#ifndef KEEL_MODEL_NONZEROS_H
#define KEEL_MODEL_NONZEROS_H

#include "model/pool.h"

typedef struct nonzeros {
    int count, room;
    int *row, *column;
    expr *value;
} nonzeros;

int nonzeros_add(nonzeros *z, int row, int column, expr value);      /* 0, or -1 without memory */
void nonzeros_free(nonzeros *z);

#endif
