/* table.h -- a text table whose columns line up.
 *
 *   table list = { .columns = 2, .align = "lr" };
 *   table_cell(&list, "%s", "name");  table_cell(&list, "%d", 7);    row by row
 *   table_print(&list, stdout);  table_free(&list);
 */
#ifndef KEEL_REPORT_TABLE_H
#define KEEL_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct table {
    int columns;
    const char *align;           /* 'l' or 'r' per column                    */
    const char *indent;          /* before each line, NULL: nothing          */
    long cells, capacity;
    char **text;
    bool ended;                  /* there was no memory for a cell           */
} table;

/* Appends a cell; a table without memory for one ends before it, and says so. */
__attribute__((format(printf, 2, 3))) void table_cell(table *t, const char *format, ...);
void table_print(const table *t, FILE *file);
void table_free(table *t);

#endif
