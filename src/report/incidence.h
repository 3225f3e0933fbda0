/* incidence.h -- a picture of a square matrix: where its entries are, and its diagonal blocks. */
#ifndef KEEL_REPORT_INCIDENCE_H
#define KEEL_REPORT_INCIDENCE_H

#include "report/gnuplot.h"

typedef struct incidence {
    const char *title;
    int size;
    const char **names;                  /* of the columns, or NULL: numbers    */
    int *row, *column, entries, entry_room;
    int *block, blocks, block_room;      /* first rows of the blocks, ascending */
} incidence;

/* Both return 0, or -1 without memory. */
int incidence_entry(incidence *p, int row, int column);
int incidence_block(incidence *p, int first);
void incidence_free(incidence *p);

/* Returns 0, or -1 with a sentence in message; a failed picture is not left behind. */
int incidence_write(const incidence *p, output *o, char *message, size_t size);

#endif
