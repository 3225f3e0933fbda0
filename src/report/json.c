/* json.c -- write one JSON document [RFC 8259].
 *
 * Members of the outermost object or array stand on lines of their own, deeper ones on one line:
 * short to read, easy to compare.  Numbers carry all their digits; what JSON cannot say (NaN,
 * infinity) becomes null.  Characters beyond ASCII are escaped, so that the document survives every
 * terminal; bytes that are not UTF-8 become U+FFFD, so it always parses.
 */
#include "report/json.h"

#include <math.h>
#include <string.h>

#include "report/number.h"

/* Length of the well-formed UTF-8 sequence at s [Unicode 15, table 3-7], or 0. */
static int utf8_length(const unsigned char *s)
{
    const int length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3
                     : s[0] < 0xF5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)
        || (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return length;
}

/* \uXXXX, or two of them for the characters that UTF-16 has pairs for. */
static void write_escaped(FILE *file, const unsigned char *s, int length)
{
    static const unsigned char mask[] = {0, 0, 0x1F, 0x0F, 0x07};
    unsigned code = s[0] & mask[length];
    for (int i = 1; i < length; i++) code = code << 6 | (s[i] & 0x3FU);
    if (code < 0x10000) {
        fprintf(file, "\\u%04x", code);
        return;
    }
    code -= 0x10000;
    fprintf(file, "\\u%04x\\u%04x", 0xD800 | code >> 10, 0xDC00 | (code & 0x3FF));
}

static void write_quoted(FILE *file, const char *text, bool in_page)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const unsigned char *s = (const unsigned char *)text;

    fputc('"', file);
    while (*s) {
        const char *special = strchr(escaped, *s);
        const int length = utf8_length(s);
        if (special)
            fprintf(file, "\\%c", letter[special - escaped]);
        else if (*s < 0x20 || *s == 0x7F || (in_page && *s == '<'))
            fprintf(file, "\\u%04x", *s);
        else if (length == 1)
            fputc(*s, file);
        else if (length)
            write_escaped(file, s, length);
        else
            fputs("\\ufffd", file);
        s += length ? length : 1;
    }
    fputc('"', file);
}

/* What stands before a value: comma, place and key. */
static void begin_member(json_writer *w, const char *key)
{
    if (w->follows) fputc(',', w->file);
    if (w->depth == 1) fputs("\n  ", w->file);
    else if (w->follows) fputc(' ', w->file);
    if (key) {
        write_quoted(w->file, key, w->in_page);
        fputs(": ", w->file);
    }
    w->follows = true;
}

static void begin_nested(json_writer *w, const char *key, char bracket)
{
    begin_member(w, key);
    fputc(bracket, w->file);
    w->depth++;
    w->follows = false;
}

static void end_nested(json_writer *w, char bracket)
{
    w->depth--;
    if (w->depth == 0 && w->follows) fputc('\n', w->file);
    fputc(bracket, w->file);
    if (w->depth == 0) fputc('\n', w->file);
    w->follows = true;
}

void json_begin_object(json_writer *w, const char *key) { begin_nested(w, key, '{'); }
void json_end_object(json_writer *w) { end_nested(w, '}'); }
void json_begin_array(json_writer *w, const char *key) { begin_nested(w, key, '['); }
void json_end_array(json_writer *w) { end_nested(w, ']'); }

void json_string(json_writer *w, const char *key, const char *text)
{
    begin_member(w, key);
    if (text) write_quoted(w->file, text, w->in_page);
    else fputs("null", w->file);
}

void json_number(json_writer *w, const char *key, double value)
{
    char text[NUMBER_LENGTH];

    begin_member(w, key);
    fputs(isfinite(value) ? number_format(text, value) : "null", w->file);
}

void json_integer(json_writer *w, const char *key, long value)
{
    begin_member(w, key);
    fprintf(w->file, "%ld", value);
}

void json_bool(json_writer *w, const char *key, bool value)
{
    begin_member(w, key);
    fputs(value ? "true" : "false", w->file);
}

void json_numbers(json_writer *w, const char *key, const double *values, int count)
{
    json_begin_array(w, key);
    for (int i = 0; i < count; i++) json_number(w, NULL, values[i]);
    json_end_array(w);
}

void json_strings(json_writer *w, const char *key, const char *const *texts, int count)
{
    json_begin_array(w, key);
    for (int i = 0; i < count; i++) json_string(w, NULL, texts[i]);
    json_end_array(w);
}
