/* file.c -- methods from text files.
 *
 *   # Kutta's 3/8 rule
 *   name:  kutta-38
 *   order: 4
 *   A:
 *      0    0   0   0
 *      1/3  0   0   0
 *     -1/3  1   0   0
 *      1   -1   1   0
 *   b: 1/8 3/8 3/8 1/8
 *
 * Lines are "key: value"; numbers may go on in the following lines, a row of a matrix in each, and
 * are separated by blanks or commas; each is an expression without blanks, (16-sqrt(6))/36 say.
 * '#' begins a comment.  Keys are the fields of keel_tableau, keel_multistep or
 * keel_general_linear; file_methods.c makes the method.
 */
#include "core/number.h"
#include "core/text.h"
#include "method/expression.h"
#include "method/file.h"
#include "method/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MOST = 1 << 20 };

const char *const key_names[KEYS] = {
    "name", "family", "summary", "citation",
    "order", "stage_order", "order_hat", "order_index2", "dense_order", "half_explicit", "blocking",
    "A", "A_explicit", "A_extra", "A_constraint", "dense", "dense_rest", "corner", "U", "B", "V", "W",
    "b", "c", "b_hat", "b_second", "c_extra", "c_constraint", "alpha", "beta", "gamma",
};

static int is_text(key k) { return k <= CITATION; }

/* ---- the file ------------------------------------------------------------------------------ */

static int load_stream(reader *r, FILE *stream)
{
    r->text = malloc(BYTES_MOST + 1);
    if (!r->text) return fail(r->message, KEEL_NO_MEMORY, "no memory to read %s", r->file);
    size_t bytes = fread(r->text, 1, BYTES_MOST, stream);
    if (ferror(stream))
        return fail(r->message, KEEL_BAD_ARGUMENT, "cannot read %s: %s", r->file, strerror(errno));
    if (bytes == BYTES_MOST)
        return fail(r->message, KEEL_BAD_ARGUMENT, "%s is too large for a method: over %d bytes",
                    r->file, BYTES_MOST - 1);
    r->text[bytes] = '\0';
    if (strlen(r->text) != bytes)
        return fail(r->message, KEEL_BAD_ARGUMENT, "%s is not a text file", r->file);
    return KEEL_OK;
}

static int load(reader *r)
{
    FILE *stream = fopen(r->file, "rb");
    if (!stream && errno == ENOMEM)
        return fail(r->message, KEEL_NO_MEMORY, "no memory to read %s", r->file);
    if (!stream)
        return fail(r->message, KEEL_BAD_ARGUMENT, "cannot open %s: %s", r->file, strerror(errno));
    int rc = load_stream(r, stream);
    fclose(stream);
    return rc;
}

/* ---- values -------------------------------------------------------------------------------- */

/* The word at `text` as it may be shown: short, and without control characters. */
static const char *shown(const char *text, char word[32])
{
    int n = 0;
    for (; text[n] && !isspace((unsigned char)text[n]) && text[n] != ',' && n < 28; n++)
        word[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
    if (n == 28) memcpy(word + n, "...", 3), n += 3;
    word[n] = '\0';
    return word;
}

static const char *skip(const char *at)
{
    while (isspace((unsigned char)*at) || *at == ',') at++;
    return at;
}

static int read_number(const reader *r, const char **at, double *value)
{
    char word[32];
    const char *start = *at;
    int done = parse_expression(at, value);
    if (!done || (**at && !isspace((unsigned char)**at) && **at != ','))
        return COMPLAIN(r, r->line, "'%s' is not a number", shown(start, word));
    if (!isfinite(*value))
        return COMPLAIN(r, r->line, "'%s' is not finite: a division by zero or the root of a "
                        "negative number", shown(start, word));
    return KEEL_OK;
}

/* The numbers of a line: a row of a matrix, or more of a vector. */
static int read_row(reader *r, key k, const char *at)
{
    entry *e = &r->entries[k];
    int columns = 0;
    for (at = skip(at); *at; at = skip(at), columns++) {
        if (e->count == FILE_VALUES_MOST)
            return COMPLAIN(r, r->line, "%s has more than %d numbers", key_names[k],
                            FILE_VALUES_MOST);
        int rc = read_number(r, &at, &e->values[e->count++]);
        if (rc) return rc;
    }
    if (columns == 0) return KEEL_OK;
    e->rows++;
    if (!is_matrix(k)) return KEEL_OK;
    if (e->rows == 1) e->columns = columns;
    if (columns == e->columns) return KEEL_OK;
    return COMPLAIN(r, r->line, "row %d of %s has %d numbers, the first row %d", e->rows,
                    key_names[k], columns, e->columns);
}

static int read_order(reader *r, key k, const char *at)
{
    double value;
    int rc = read_number(r, &at, &value);
    if (rc) return rc;
    if (*skip(at) || !(value >= 1 && value <= 100) || value != floor(value))
        return COMPLAIN(r, r->line, "%s must be one whole number from 1 to 100", key_names[k]);
    r->entries[k].number = (int)value;
    return KEEL_OK;
}

static int read_text(reader *r, key k, const char *value)
{
    size_t size = text_show(NULL, 0, value) + 1;
    if (size == 1) return COMPLAIN(r, r->line, "%s has no value", key_names[k]);
    r->shown[k] = malloc(size);
    if (!r->shown[k]) return fail(r->message, KEEL_NO_MEMORY, "no memory to read %s", r->file);
    text_show(r->shown[k], size, value);
    r->entries[k].text = r->shown[k];
    return KEEL_OK;
}

/* One of the words of half_explicit or blocking, by its place. */
static int read_choice(reader *r, key k, const char *at)
{
    static const char *const flags[] = {"no", "yes", NULL};
    static const char *const blockings[] = {"constrain-first", "blocked", "constrain-last", NULL};
    const char *const *words = k == BLOCKING ? blockings : flags;
    char word[32];
    for (int i = 0; words[i]; i++)
        if (strcmp(at, words[i]) == 0) {
            r->entries[k].number = i;
            return KEEL_OK;
        }
    return COMPLAIN(r, r->line, "%s is %s, not '%s'", key_names[k], k == BLOCKING
                    ? "constrain-first, blocked or constrain-last" : "yes or no", shown(at, word));
}

/* ---- lines --------------------------------------------------------------------------------- */

static int find_key(const reader *r, const char *name, key *found)
{
    char word[32];
    for (int k = 0; k < KEYS; k++)
        if (strcmp(key_names[k], name) == 0) {
            *found = (key)k;
            return KEEL_OK;
        }
    return COMPLAIN(r, r->line, "there is no key '%s'; did you mean '%s'?", shown(name, word),
                    closest_name(name, key_names, KEYS));
}

/* "key: value", with the colon at `colon`. */
static int read_entry(reader *r, char *line, char *colon)
{
    char *end = colon;
    key k = KEYS;
    while (end > line && isspace((unsigned char)end[-1])) end--;
    *end = '\0';
    int rc = find_key(r, line, &k);
    if (rc) return rc;
    entry *e = &r->entries[k];
    if (e->line)
        return COMPLAIN(r, r->line, "%s was given before, in line %d", key_names[k], e->line);
    e->line = r->line;
    const char *value = skip(colon + 1);
    r->open = KEYS;
    if (is_text(k)) return read_text(r, k, value);
    if (k == HALF_EXPLICIT || k == BLOCKING) return read_choice(r, k, value);
    if (k < MATRIX_A) return read_order(r, k, value);
    r->open = k;
    return read_row(r, k, value);
}

/* Cuts off the comment and blanks at both ends. */
static char *trim(char *line)
{
    char *end = line + strcspn(line, "#");
    while (end > line && isspace((unsigned char)end[-1])) end--;
    *end = '\0';
    while (isspace((unsigned char)*line)) line++;
    return line;
}

static int read_line(reader *r, char *line)
{
    char word[32], *colon;
    line = trim(line);
    if (*line == '\0') return KEEL_OK;
    colon = strchr(line, ':');
    if (colon) return read_entry(r, line, colon);
    if (r->open < KEYS) return read_row(r, r->open, line);
    return COMPLAIN(r, r->line, "'%s' belongs to no key: lines are 'key: value', and only numbers "
                    "go on in further lines", shown(line, word));
}

static int read_lines(reader *r)
{
    char *line = r->text;
    while (line) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        r->line++;
        int rc = read_line(r, line);
        if (rc) return rc;
        line = end ? end + 1 : NULL;
    }
    return KEEL_OK;
}

int keel_method_read(keel_method **method, const char *file)
{
    if (!method) return KEEL_BAD_ARGUMENT;
    keel_method *m = *method = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    if (!file) return fail(&m->message, KEEL_BAD_ARGUMENT, "the file name is NULL");
    reader *r = calloc(1, sizeof *r);
    if (!r) return fail(&m->message, KEEL_NO_MEMORY, "no memory to read %s", file);
    r->message = &m->message;
    r->file = file;
    r->open = KEYS;
    plain_numbers now = plain_numbers_begin();   /* and blanks, whatever the locale takes for them */
    int rc = load(r);
    if (!rc) rc = read_lines(r);
    if (!rc) rc = file_make(r, method);
    plain_numbers_end(now);
    for (int k = 0; k <= CITATION; k++) free(r->shown[k]);
    free(r->text);
    free(r);
    return rc;
}
