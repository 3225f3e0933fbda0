/* sweep_table.c -- the rows of a sweep as lines of a table. */
#include "cli/sweep_table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/verbs.h"
#include "core/number.h"
#include "report/json.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static bool grow(line *l, size_t more)
{
    const size_t room = 2 * (l->length + more + 1);
    char *grown = realloc(l->text, room);
    l->failed |= !grown;
    if (!grown) return false;
    l->text = grown;
    l->room = room;
    return true;
}

/* Room for so many characters more. */
static inline bool reserve(line *l, size_t more) { return l->length + more + 1 <= l->room || grow(l, more); }

static void add(line *l, const char *text, size_t length)
{
    if (!reserve(l, length)) return;
    memcpy(l->text + l->length, text, length);
    l->text[l->length += length] = '\0';
}

/* Numbers and counts, by hand, because there are many of them in a row and rows are short runs.  Each has
 * this much room, and what has been put ends at `end`. */
enum { FIELD = 1 + NUMBER_ROOM };

static inline char *put_number(char *end, double value)
{
    *end++ = ',';
    return end + number_exact(end, value);
}

static inline char *put_count(char *end, unsigned long count)
{
    *end++ = ',';
    if (count >= 10) return end + number_whole(end, count);
    *end++ = (char)('0' + count);                /* as most of them are */
    return end;
}

/* Most characters are behind the comma. */
static inline bool is_plain(char c)
{
    return c > ',' || (c != '\0' && c != ',' && c != '"' && c != '\n' && c != '\r');
}

/* Quoted where RFC 4180 wants it; a line stays a line. */
static void add_text(line *l, const char *text)
{
    size_t plain = 0;
    while (is_plain(text[plain])) plain++;
    if (text[plain] == '\0') {
        if (!reserve(l, 1 + plain)) return;
        char *end = l->text + l->length;
        *end++ = ',';
        while (*text) *end++ = *text++;
        l->length = (size_t)(end - l->text);
        return;
    }
    add(l, ",\"", 2);
    for (; *text; text++) {
        const bool breaks = *text == '\n' || *text == '\r';
        add(l, *text == '"' ? "\"\"" : breaks ? " " : text, *text == '"' ? 2 : 1);
    }
    add(l, "\"", 1);
}

static const struct { const char *name; size_t offset; } counts[] = {
    {"steps", offsetof(keel_stats, steps)},
    {"accepted", offsetof(keel_stats, accepted)},
    {"rejected_error", offsetof(keel_stats, rejected_error)},
    {"rejected_newton", offsetof(keel_stats, rejected_newton)},
    {"rhs", offsetof(keel_stats, rhs)},
    {"rhs_for_jacobian", offsetof(keel_stats, rhs_for_jacobian)},
    {"jacobian", offsetof(keel_stats, jacobian)},
    {"factorizations", offsetof(keel_stats, factorizations)},
    {"solves", offsetof(keel_stats, solves)},
    {"newton", offsetof(keel_stats, newton)},
    {"projections", offsetof(keel_stats, projections)},
    {"events", offsetof(keel_stats, events)},
};
enum { COUNTS = sizeof counts / sizeof *counts };

static const char *const levels[] = {"residual_position", "residual_velocity", "residual_acceleration"};
enum { RESIDUALS = sizeof levels / sizeof *levels };

static long count_of(const keel_stats *stats, int i)
{
    long value;
    memcpy(&value, (const char *)stats + counts[i].offset, sizeof value);
    return value;
}

/* A parameter of a model is one of its variables, too, and stands in the row already. */
static bool is_swept(const sweep_plan *plan, const target *first, int shown)
{
    for (int i = 0; first->modelled.model && i < plan->columns; i++)
        if (!plan->column[i].is_start && strcmp(plan->column[i].name, first->shown[shown]) == 0) return true;
    return false;
}

void line_header(line *l, const sweep_plan *plan, const target *first)
{
    l->length = 0;
    add(l, "row", 3);
    for (int i = 0; i < plan->columns; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s%s", plan->column[i].is_start ? "start " : "", plan->column[i].name);
        add_text(l, name);
    }
    add_text(l, "status");
    add_text(l, "message");
    add_text(l, "t");
    for (int i = 0; i < first->shown_count; i++)
        if (!is_swept(plan, first, i)) add_text(l, first->shown[i]);
    for (int i = 0; i < COUNTS; i++) add_text(l, counts[i].name);
    for (int i = 0; i < RESIDUALS; i++) add_text(l, levels[i]);
    add(l, "\n", 1);
}

/* The time, the values, the counts and the residuals. */
static char *put_results(char *end, const sweep_plan *plan, const target *first, const keel_sweep_row *row)
{
    const double *values = row->values;
    const bool named_twice = first->modelled.model != NULL;
    end = put_number(end, row->t);
    for (int i = 0; i < first->shown_count; i++) {
        if (named_twice && is_swept(plan, first, i)) continue;
        if (values && !isnan(values[i])) end = put_number(end, values[i]);
        else *end++ = ',';
    }
    for (int i = 0; i < COUNTS; i++) end = put_count(end, (unsigned long)count_of(row->stats, i));
    for (int i = 0; i < RESIDUALS; i++)
        if (values && row->stats->residual[i] >= 0) end = put_number(end, row->stats->residual[i]);
        else *end++ = ',';
    return end;
}

void line_row(line *l, const sweep_plan *plan, const target *first, const keel_sweep_row *row)
{
    char text[32];
    l->length = 0;
    if (!reserve(l, ((size_t)plan->columns + 1) * FIELD)) return;
    char *end = l->text + number_whole(l->text, (unsigned long)row->row);
    for (int i = 0; i < plan->columns; i++) end = put_number(end, row->parameters[i]);
    l->length = (size_t)(end - l->text);
    add_text(l, status_word(row->status, text));
    add_text(l, row->message);
    if (!reserve(l, ((size_t)first->shown_count + COUNTS + RESIDUALS + 1) * FIELD + 1)) return;
    end = put_results(l->text + l->length, plan, first, row);
    *end++ = '\n';
    *end = '\0';
    l->length = (size_t)(end - l->text);
}

void line_json(line *l, const sweep_plan *plan, const target *first, const keel_sweep_row *row)
{
    char word[32], *text = NULL;
    size_t length = 0;
    json_writer w = {.file = open_memstream(&text, &length)};
    l->length = 0;
    l->failed |= !w.file;
    if (!w.file) return;
    json_begin_object(&w, NULL);
    json_integer(&w, "row", row->row);
    json_begin_object(&w, "parameters");
    for (int i = 0; i < plan->columns; i++)
        if (!plan->column[i].is_start) json_number(&w, plan->column[i].name, row->parameters[i]);
    json_end_object(&w);
    json_begin_object(&w, "start");
    for (int i = 0; i < plan->columns; i++)
        if (plan->column[i].is_start) json_number(&w, plan->column[i].name, row->parameters[i]);
    json_end_object(&w);
    json_string(&w, "status", status_word(row->status, word));
    json_string(&w, "message", row->message);
    json_number(&w, "t", row->t);
    if (row->values) json_numbers(&w, "y", row->values, first->shown_count);
    else json_string(&w, "y", NULL);
    json_begin_object(&w, "stats");
    for (int i = 0; i < COUNTS; i++) json_integer(&w, counts[i].name, count_of(row->stats, i));
    json_end_object(&w);
    json_begin_object(&w, "residual");
    for (int i = 0; i < RESIDUALS; i++) {
        const double r = row->values ? row->stats->residual[i] : -1;
        json_number(&w, levels[i] + strlen("residual_"), r >= 0 ? r : NAN);
    }
    json_end_object(&w);
    json_end_object(&w);
    if (fclose(w.file) == 0) add(l, text, length);
    else l->failed = true;
    free(text);
}

void line_free(line *l)
{
    free(l->text);
    *l = (line){0};
}

/* ---- the journal ----------------------------------------------------------------------------- */

static int cannot(const char *path, int error)
{
    return refuse(EXIT_FAILED, "sweep", "cannot-write", "cannot write %s: %s", path, strerror(error));
}

/* A file that another process is writing is not taken from it. */
static int open_locked(journal *j, bool resume)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int descriptor = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return cannot(j->path, errno);
    const bool locked = fcntl(descriptor, F_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
    if (!locked || (!resume && ftruncate(descriptor, 0) != 0) ||
        !(j->file = fdopen(descriptor, "r+"))) {
        const int error = locked ? errno : EBUSY;
        close(descriptor);
        return cannot(j->path, error);
    }
    return EXIT_DONE;
}

/* Is the line row number `row` of this sweep, whole and with its parameters? */
static bool is_row(const char *text, const sweep_plan *plan, long row)
{
    char *end;
    if (strtol(text, &end, 10) != row || end == text) return false;
    for (int i = 0; i < plan->columns; i++) {
        if (*end != ',') return false;
        const char *number = end + 1;
        const double value = strtod(number, &end);
        if (end == number || value != plan->values[(size_t)row * (size_t)plan->columns + (size_t)i])
            return false;
    }
    return *end == ',';
}

/* Did the run of this line fail?  Its status follows the parameters. */
static bool tells_failure(const char *text, int columns)
{
    for (int i = 0; i <= columns; i++) text = strchr(text, ',') + 1;
    return strncmp(text, "ok,", 3) != 0 && strncmp(text, "event,", 6) != 0;
}

/* Reads the rows that are there and leaves the file at the end of the last whole one. */
static int read_rows(journal *j, const char *identity, const sweep_plan *plan)
{
    char *text = NULL;
    size_t room = 0;
    long end = 0;
    ssize_t got = getline(&text, &room, j->file);
    int code = EXIT_DONE;
    if (got > 0 && text[got - 1] == '\n') {
        text[got - 1] = '\0';
        if (strcmp(text, identity) != 0)
            code = usage_error("sweep", "%s is of another sweep: %s", j->path, text);
        end = (long)got;
    }
    while (code == EXIT_DONE && end > 0 && j->rows < plan->rows &&
           (got = getline(&text, &room, j->file)) > 0 && text[got - 1] == '\n') {
        if (!is_row(text, plan, j->rows)) {
            code = refuse(EXIT_FAILED, "sweep", "cannot-load", "line %ld of %s is not row %ld of this sweep",
                          j->rows + 2, j->path, j->rows);
            break;
        }
        j->failed += tells_failure(text, plan->columns);
        j->rows++;
        end += (long)got;
    }
    free(text);
    if (code != EXIT_DONE) return code;
    if (fseek(j->file, end, SEEK_SET) != 0 || ftruncate(fileno(j->file), end) != 0)
        return cannot(j->path, errno);
    if (end == 0 && (fprintf(j->file, "%s\n", identity) < 0 || fflush(j->file) != 0))
        return cannot(j->path, errno);
    const bool at_end = lseek(fileno(j->file), 0, SEEK_END) >= 0;        /* where journal_add writes */
    return at_end ? EXIT_DONE : cannot(j->path, errno);
}

int journal_open(journal *j, const char *name, const char *identity, const sweep_plan *plan, bool resume)
{
    const size_t length = strlen(name) + sizeof ".rows";
    *j = (journal){.name = name, .path = malloc(length)};
    if (!j->path) return refuse_status("sweep", KEEL_NO_MEMORY, "no memory");
    snprintf(j->path, length, "%s.rows", name);
    const int code = open_locked(j, resume);
    return code == EXIT_DONE ? read_rows(j, identity, plan) : code;
}

bool journal_add(journal *j, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(fileno(j->file), text, length);
        if (written < 0 && errno != EINTR) {
            j->error = errno;
            return false;
        }
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* The lines behind the first into the table. */
static int copy_rows(journal *j, FILE *table)
{
    char block[1 << 14];
    int c;
    rewind(j->file);
    while ((c = getc(j->file)) != EOF && c != '\n') continue;
    for (size_t got; (got = fread(block, 1, sizeof block, j->file)) > 0;)
        if (fwrite(block, 1, got, table) != got) return -1;
    return ferror(j->file) ? -1 : 0;
}

int journal_finish(journal *j, const char *header)
{
    output table;
    char message[500];
    int code = open_output(&table, "sweep", j->name, 0);
    if (code != EXIT_DONE) return code;
    fputs(header, table.file);
    if (copy_rows(j, table.file) != 0 && ferror(j->file)) {
        output_abandon(&table);
        return refuse(EXIT_FAILED, "sweep", "cannot-load", "cannot read %s", j->path);
    }
    if (output_finish(&table, false, message, sizeof message) != 0)
        code = refuse(EXIT_FAILED, "sweep", "cannot-write", "%s; its rows are in %s", message, j->path);
    else remove(j->path);
    return code;
}

void journal_close(journal *j)
{
    if (j->file) fclose(j->file);
    free(j->path);
    *j = (journal){0};
}
