/* csv.c -- points as comma-separated values [RFC 4180].
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

void csv_names(FILE *file, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (i) fputc(',', file);
        write_field(file, names[i]);
    }
    fputc('\n', file);
}

void csv_header(FILE *file, const char *const *names, int count)
{
    fputs(count ? "t," : "t", file);
    csv_names(file, names, count);
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
