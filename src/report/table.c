/* table.c -- a text table whose columns line up, two spaces apart. */
#include "report/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/number.h"
#include "report/shown.h"

/* Characters, not bytes: continuation bytes of UTF-8 take no room. */
static int display_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xC0) != 0x80) width++;
    return width;
}

/* Room for one more cell. */
static bool grow(table *t)
{
    if (t->cells < t->capacity) return true;
    const long capacity = t->capacity ? 2 * t->capacity : 64;
    char **grown = realloc(t->text, (size_t)capacity * sizeof *grown);
    if (!grown) return false;
    t->text = grown;
    t->capacity = capacity;
    return true;
}

void table_cell(table *t, const char *format, ...)
{
    if (t->ended || !grow(t)) {
        t->ended = true;
        return;
    }

    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    const int length = number_print_list(NULL, 0, format, values);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) number_print_list(text, (size_t)length + 1, format, again);
    char *shown = text ? shown_text(text) : NULL;
    if (shown) t->text[t->cells++] = shown;
    else t->ended = true;
    free(text);
    va_end(again);
    va_end(values);
}

static int column_width(const table *t, int column)
{
    int width = 0;
    for (long i = column; i < t->cells; i += t->columns) {
        const int w = display_width(t->text[i]);
        if (w > width) width = w;
    }
    return width;
}

void table_print(const table *t, FILE *file)
{
    for (long i = 0; i < t->cells; i++) {
        const int column = (int)(i % t->columns);
        const char *text = t->text[i];
        const bool last = column == t->columns - 1 || i == t->cells - 1;
        const int room = column_width(t, column) - display_width(text);

        fprintf(file, "%s", column ? "  " : t->indent ? t->indent : "");
        if (t->align[column] == 'r') fprintf(file, "%*s%s", room, "", text);
        else fprintf(file, "%s%*s", text, last ? 0 : room, "");
        if (last) fputc('\n', file);
    }
    if (t->ended) fprintf(file, "%s(no memory for the rest of this table)\n",
                          t->indent ? t->indent : "");
}

void table_free(table *t)
{
    for (long i = 0; i < t->cells; i++) free(t->text[i]);
    free(t->text);
    t->text = NULL;
    t->cells = t->capacity = 0;
}
