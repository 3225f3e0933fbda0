/* csv.c -- points as comma-separated values [RFC 4180].
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

void csv_header(FILE *file, const char *const *names, int count)
{
    fputs("t", file);
    for (int i = 0; i < count; i++) {
        fputc(',', file);
        write_field(file, names[i]);
    }
    fputc('\n', file);
}

size_t csv_row(FILE *file, double t, const double *values, int count)
{
    char text[NUMBER_LENGTH];
    size_t length = 1;

    for (int i = -1; i < count; i++) {
        if (i >= 0) fputc(',', file);
        fputs(number_format(text, i < 0 ? t : values[i]), file);
        length += strlen(text) + (i >= 0);
    }
    fputc('\n', file);
    return length;
}
