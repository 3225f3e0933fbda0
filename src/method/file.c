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
 * '#' begins a comment.  Keys are the fields of keel_tableau: only A and b are needed.
 */
#include "method/expression.h"
#include "method/method.h"
#include "method/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MOST = 1 << 20, VALUES_MOST = 4 * KEEL_STAGES_MOST * KEEL_STAGES_MOST };

typedef enum key {
    NAME, FAMILY, SUMMARY, CITATION,
    ORDER, ORDER_HAT, ORDER_INDEX2, DENSE_ORDER, HALF_EXPLICIT,
    MATRIX_A, A_EXTRA, A_CONSTRAINT, DENSE, B, C, B_HAT, B_SECOND, C_EXTRA, C_CONSTRAINT, KEYS
} key;

static const char *const key_names[KEYS] = {
    "name", "family", "summary", "citation",
    "order", "order_hat", "order_index2", "dense_order", "half_explicit",
    "A", "A_extra", "A_constraint", "dense",
    "b", "c", "b_hat", "b_second", "c_extra", "c_constraint",
};

typedef struct entry {
    int line;                        /* 0: not given                        */
    const char *text;
    int number;
    int rows, columns, count;        /* of a vector: one column             */
    double values[VALUES_MOST];
} entry;

typedef struct reader {
    message *message;
    const char *file;
    char *text;                      /* the whole file, cut into lines      */
    int line;
    key open;                        /* whose numbers go on, or KEYS        */
    entry entries[KEYS];
} reader;

static int is_text(key k) { return k <= CITATION; }
static int is_matrix(key k) { return k >= MATRIX_A && k <= DENSE; }

/* "FILE:LINE: ..." */
#define COMPLAIN(r, at, format, ...)                                                          \
    fail((r)->message, KEEL_BAD_ARGUMENT, "%s:%d: " format, (r)->file, (at), __VA_ARGS__)

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
        if (e->count == VALUES_MOST)
            return COMPLAIN(r, r->line, "%s has more than %d numbers", key_names[k], VALUES_MOST);
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

static int read_flag(reader *r, const char *at)
{
    char word[32];
    int yes = strcmp(at, "yes") == 0;
    r->entries[HALF_EXPLICIT].number = yes;
    if (yes || strcmp(at, "no") == 0) return KEEL_OK;
    return COMPLAIN(r, r->line, "half_explicit is yes or no, not '%s'", shown(at, word));
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
    if (is_text(k)) {
        e->text = value;
        return *value ? KEEL_OK : COMPLAIN(r, r->line, "%s has no value", key_names[k]);
    }
    if (k == HALF_EXPLICIT) return read_flag(r, value);
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

/* ---- the tableau --------------------------------------------------------------------------- */

/* The key, if given, must have that many rows and columns. */
static int check_shape(const reader *r, key k, int rows, int columns)
{
    const entry *e = &r->entries[k];
    if (!e->line) return KEEL_OK;
    if (!is_matrix(k) && e->count != rows)
        return COMPLAIN(r, e->line, "%s has %d numbers instead of %d", key_names[k], e->count,
                        rows);
    if (is_matrix(k) && (e->rows != rows || e->columns != columns))
        return COMPLAIN(r, e->line, "%s has %d rows of %d numbers instead of %d of %d",
                        key_names[k], e->rows, e->columns, rows, columns);
    return KEEL_OK;
}

static int check_shapes(const reader *r)
{
    static const key vectors[] = {B, C, B_HAT, B_SECOND, C_CONSTRAINT};
    const entry *A = &r->entries[MATRIX_A];
    int s = A->rows, extra = r->entries[A_EXTRA].rows, rc;
    if (!A->line || !r->entries[B].line)
        return fail(r->message, KEEL_BAD_ARGUMENT, "%s: '%s:' is missing", r->file,
                    key_names[A->line ? B : MATRIX_A]);
    if (s == 0 || s > KEEL_STAGES_MOST || A->columns != s)
        return COMPLAIN(r, A->line, "A has %d rows of %d numbers; it must be square, 1 to %d rows",
                        s, A->columns, KEEL_STAGES_MOST);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if ((rc = check_shape(r, vectors[i], s, 1))) return rc;
    if ((rc = check_shape(r, A_CONSTRAINT, s, s))) return rc;
    if (r->entries[A_EXTRA].line && (extra == 0 || extra > KEEL_STAGES_MOST))
        return COMPLAIN(r, r->entries[A_EXTRA].line, "A_extra has %d rows: 1 to %d are possible",
                        extra, KEEL_STAGES_MOST);
    if ((rc = check_shape(r, A_EXTRA, extra, s + extra))) return rc;
    if ((rc = check_shape(r, C_EXTRA, extra, 1))) return rc;
    int degree = r->entries[DENSE].columns;
    return check_shape(r, DENSE, s + extra, degree > KEEL_STAGES_MOST ? KEEL_STAGES_MOST : degree);
}

static const double *values_of(const reader *r, key k)
{
    return r->entries[k].line ? r->entries[k].values : NULL;
}

static keel_tableau tableau_of(const reader *r)
{
    const entry *e = r->entries;
    return (keel_tableau){
        .name = e[NAME].text ? e[NAME].text : r->file, .family = e[FAMILY].text,
        .summary = e[SUMMARY].text, .citation = e[CITATION].text,
        .stages = e[MATRIX_A].rows, .order = e[ORDER].number,
        .A = values_of(r, MATRIX_A), .b = values_of(r, B), .c = values_of(r, C),
        .b_hat = values_of(r, B_HAT), .order_hat = e[ORDER_HAT].number,
        .b_second = values_of(r, B_SECOND),
        .extra = e[A_EXTRA].rows, .A_extra = values_of(r, A_EXTRA),
        .c_extra = values_of(r, C_EXTRA),
        .dense_degree = e[DENSE].columns, .dense_order = e[DENSE_ORDER].number,
        .dense = values_of(r, DENSE),
        .half_explicit = e[HALF_EXPLICIT].number, .order_index2 = e[ORDER_INDEX2].number,
        .A_constraint = values_of(r, A_CONSTRAINT), .c_constraint = values_of(r, C_CONSTRAINT),
    };
}

/* Replaces *method, which holds only a message, by the method of the file. */
static int make(const reader *r, keel_method **method)
{
    keel_tableau t = tableau_of(r);
    keel_method *made;
    int rc = keel_method_create(&made, &t);
    if (!made) return fail(r->message, KEEL_NO_MEMORY, "no memory for the method of %s", r->file);
    if (rc) {
        fail(r->message, rc, "%s: %s", r->file, keel_method_message(made));
        keel_method_free(made);
        return rc;
    }
    keel_method_free(*method);
    *method = made;
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
    int rc = load(r);
    if (!rc) rc = read_lines(r);
    if (!rc) rc = check_shapes(r);
    if (!rc) rc = make(r, method);
    free(r->text);
    free(r);
    return rc;
}
