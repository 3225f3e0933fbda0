/* csv.c -- a series as comma-separated values [RFC 4180].
 *
 * Numbers carry all their digits, so reading the file back gives the same doubles.
 * Lines end in a plain newline, as every reader on every system accepts.
 */
#include "report/csv.h"

#include <string.h>

#include "report/number.h"

/* A field that contains a comma, a quote or a line break is quoted, its quotes doubled. */
static void write_field(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
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
