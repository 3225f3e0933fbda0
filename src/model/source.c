/* source.c -- texts, places in them, messages with the line and a caret: see source.h. */
#include "model/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

enum { MOST_ERRORS = 50, MOST_WARNINGS = 50, LINE_SHOWN = 160, BEFORE_CARET = 90 };

typedef struct text { char *name, *chars; size_t length; } text;

typedef struct said { severity how; span where; char *sentence; } said;

struct source {
    text *text;
    int texts;
    said *said;
    int count;
    int errors, warnings;
    int silent;                          /* the last message was not kept: nor are its notes   */
    int no_memory;
    char *all;
    size_t length, room;
};

source *source_create(void) { return calloc(1, sizeof(source)); }

void source_free(source *s)
{
    if (!s) return;
    for (int i = 0; i < s->texts; i++) {
        free(s->text[i].name);
        free(s->text[i].chars);
    }
    for (int i = 0; i < s->count; i++) free(s->said[i].sentence);
    free(s->text);
    free(s->said);
    free(s->all);
    free(s);
}

static char *copy(const char *from, size_t length)
{
    char *to = malloc(length + 1);
    if (!to) return NULL;
    if (length) memcpy(to, from, length);
    to[length] = '\0';
    return to;
}

int source_add(source *s, const char *name, const char *chars, size_t length)
{
    if (length >= UINT32_MAX) return -1;
    text *more = realloc(s->text, (size_t)(s->texts + 1) * sizeof *more);
    if (!more) return s->no_memory = 1, -1;
    s->text = more;
    text t = {copy(name, strlen(name)), copy(chars, length), length};
    if (t.name && t.chars) return s->text[s->texts] = t, s->texts++;
    free(t.name);
    free(t.chars);
    return s->no_memory = 1, -1;
}

const char *source_text(const source *s, int number, size_t *length)
{
    if (number < 0 || number >= s->texts) return NULL;
    if (length) *length = s->text[number].length;
    return s->text[number].chars;
}

/* Characters, not bytes: those that continue a character in UTF-8 do not count. */
static int characters(const char *from, const char *to)
{
    int count = 0;
    for (; from < to; from++) count += ((unsigned char)*from & 0xc0) != 0x80;
    return count;
}

static const text *text_of(const source *s, span where)
{
    return where.text >= 0 && where.text < s->texts ? &s->text[where.text] : NULL;
}

static const char *line_start(const text *t, span where)
{
    const char *at = t->chars + (where.from < t->length ? where.from : t->length);
    while (at > t->chars && at[-1] != '\n') at--;
    return at;
}

void source_place(const source *s, span where, int *line, int *column)
{
    const text *t = text_of(s, where);
    *line = *column = 0;
    if (!t) return;
    const char *start = line_start(t, where);
    *line = 1;
    for (const char *at = t->chars; at < start; at++) *line += *at == '\n';
    *column = 1 + characters(start, t->chars + (where.from < t->length ? where.from : t->length));
}

/* The message before last has to be looked at too: loops say the same of every iteration. */
static int already_said(const source *s, severity how, span where, const char *sentence)
{
    for (int i = s->count - 1; i >= 0; i--)
        if (s->said[i].how == how && s->said[i].where.from == where.from &&
            s->said[i].where.to == where.to && s->said[i].where.text == where.text &&
            !strcmp(s->said[i].sentence, sentence))
            return 1;
    return 0;
}

static void keep(source *s, severity how, span where, char *sentence)
{
    said *more = realloc(s->said, (size_t)(s->count + 1) * sizeof *more);
    if (!more) {
        free(sentence);
        s->no_memory = 1;
        return;
    }
    s->said = more;
    s->said[s->count++] = (said){how, where, sentence};
}

void source_say(source *s, severity how, span where, const char *format, ...)
{
    char room[2000];
    va_list values;
    va_start(values, format);
    number_print_list(room, sizeof room, format, values);
    va_end(values);
    if (how == SEVERITY_NOTE) {
        if (s->silent) return;
    } else {
        s->silent = already_said(s, how, where, room);
        if (s->silent) return;
        int *count = how == SEVERITY_ERROR ? &s->errors : &s->warnings;
        s->silent = *count >= (how == SEVERITY_ERROR ? MOST_ERRORS : MOST_WARNINGS);
        ++*count;
        if (s->silent) return;
    }
    size_t length = text_show(NULL, 0, room);
    char *sentence = malloc(length + 1);
    if (!sentence) {
        s->no_memory = 1;
        return;
    }
    text_show(sentence, length + 1, room);
    keep(s, how, where, sentence);
}

int source_errors(const source *s) { return s->errors; }
int source_warnings(const source *s) { return s->warnings; }
int source_no_memory(const source *s) { return s->no_memory; }
void source_set_no_memory(source *s) { s->no_memory = 1; }

__attribute__((format(printf, 2, 3)))
static void add(source *s, const char *format, ...)
{
    char room[3000];
    va_list values;
    va_start(values, format);
    number_print_list(room, sizeof room, format, values);
    va_end(values);
    size_t length = strlen(room);
    if (s->length + length + 1 > s->room) {
        size_t wanted = 2 * (s->length + length + 1);
        char *more = realloc(s->all, wanted);
        if (!more) {
            s->no_memory = 1;
            return;
        }
        s->all = more;
        s->room = wanted;
    }
    memcpy(s->all + s->length, room, length + 1);
    s->length += length;
}

/* A piece of a line as it is shown; tabs are one blank wide.  How many columns it takes. */
static int show_piece(char *to, size_t size, const char *from, const char *end)
{
    char piece[2 * LINE_SHOWN + 8];
    size_t length = (size_t)(end - from);
    if (length > sizeof piece - 1) length = sizeof piece - 1;
    for (size_t i = 0; i < length; i++)
        piece[i] = from[i] == '\t' || from[i] == '\r' || from[i] == '\0' ? ' ' : from[i];
    piece[length] = '\0';
    text_show(to, size, piece);
    return characters(to, to + strlen(to));
}

/* The line with a caret under the place; of a long line the part around it. */
static void add_line(source *s, span where)
{
    const text *t = text_of(s, where);
    if (!t) return;
    const char *end = t->chars + t->length, *start = line_start(t, where);
    const char *at = t->chars + (where.from < t->length ? where.from : t->length);
    const char *to = t->chars + (where.to < t->length ? where.to : t->length);
    char shown[4 * LINE_SHOWN + 40], gone[4 * LINE_SHOWN + 40];
    int line, column;
    source_place(s, where, &line, &column);
    if (at - start > BEFORE_CARET) {
        start = at - BEFORE_CARET;
        while (((unsigned char)*start & 0xc0) == 0x80 && start < at) start++;
    }
    const char *stop = start;
    while (stop < end && *stop != '\n' && stop - start < LINE_SHOWN) stop++;
    while (stop > at && ((unsigned char)*stop & 0xc0) == 0x80 && stop < end) stop--;
    if (to > stop) to = stop;
    int before = show_piece(gone, sizeof gone, start, at < stop ? at : stop);
    int under = at < to ? show_piece(gone, sizeof gone, at, to) : 1;
    show_piece(shown, sizeof shown, start, stop);
    add(s, "%5d | %s\n      | %*s^", line, shown, before, "");
    for (int i = 1; i < under; i++) add(s, "~");
    add(s, "\n");
}

static void add_said(source *s, const said *m)
{
    static const char *const word[] = {"note", "warning", "error"};
    const text *t = text_of(s, m->where);
    int line, column;
    source_place(s, m->where, &line, &column);
    if (t) {
        char name[400];
        text_show(name, sizeof name, t->name);
        add(s, "%s:%d:%d: ", name, line, column);
    }
    add(s, "%s: %s\n", word[m->how], m->sentence);
    add_line(s, m->where);
}

const char *source_messages(source *s)
{
    s->length = 0;
    if (s->all) s->all[0] = '\0';
    for (int i = 0; i < s->count; i++) add_said(s, &s->said[i]);
    if (s->errors > MOST_ERRORS)
        add(s, "and %d more errors\n", s->errors - MOST_ERRORS);
    if (s->warnings > MOST_WARNINGS)
        add(s, "and %d more warnings\n", s->warnings - MOST_WARNINGS);
    return s->all ? s->all : "";
}

/* Edits that turn a into b: insert, delete, change, exchange two neighbours (optimal string
 * alignment); case does not count much: half an edit. All counted double. */
static int distance(const char *a, const char *b)
{
    enum { MOST = 63 };
    int row[3][MOST + 1], n = (int)strlen(a), m = (int)strlen(b);
    if (n > MOST || m > MOST) return 1000;
    for (int j = 0; j <= m; j++) row[0][j] = 2 * j;
    for (int i = 1; i <= n; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *older = row[(i + 1) % 3];
        now[0] = 2 * i;
        for (int j = 1; j <= m; j++) {
            char p = a[i - 1], q = b[j - 1];
            int change = p == q ? 0 : (p ^ 32) == q && (p | 32) >= 'a' && (p | 32) <= 'z' ? 1 : 2;
            int best = last[j - 1] + change;
            if (last[j] + 2 < best) best = last[j] + 2;
            if (now[j - 1] + 2 < best) best = now[j - 1] + 2;
            if (i > 1 && j > 1 && p == b[j - 2] && a[i - 2] == q && older[j - 2] + 2 < best)
                best = older[j - 2] + 2;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *source_suggestion(const char *name, const char *const *names, int count)
{
    const char *nearest = NULL;
    int length = (int)strlen(name);
    int least = length <= 2 ? 2 : length <= 4 ? 3 : length <= 8 ? 5 : 7;
    for (int i = 0; i < count; i++) {
        int d = distance(name, names[i]);
        if (d > 0 && d < least) {
            least = d;
            nearest = names[i];
        }
    }
    return nearest;
}
