/* csv.c -- a series as comma-separated values [RFC 4180].
 *
 * Numbers carry all their digits, so reading the file back gives the same doubles.
 * Lines end in a plain newline, as every reader on every system accepts.
 */
#include "report/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/number.h"
#include "report/shown.h"

/* A field with a comma or a quote is quoted, its quotes doubled; there are no line breaks. */
static void write_field(FILE *file, const char *name)
{
    char *shown = shown_text(name);
    const char *text = shown ? shown : "";
    bool quoted = strpbrk(text, ",\"") != NULL;
    if (quoted) fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    if (quoted) fputc('"', file);
    free(shown);
}

int csv_write(FILE *file, const series *points, const char *const *names)
{
    char text[NUMBER_LENGTH];

    fputs("t", file);
    for (int i = 0; i < points->columns - 1; i++) {
        fputc(',', file);
        write_field(file, names[i]);
    }
    fputc('\n', file);

    for (long row = 0; row < points->rows; row++) {
        const double *values = series_row(points, row);
        for (int i = 0; i < points->columns; i++) {
            if (i) fputc(',', file);
            fputs(number_format(text, values[i]), file);
        }
        fputc('\n', file);
    }
    return ferror(file) ? -1 : 0;
}
