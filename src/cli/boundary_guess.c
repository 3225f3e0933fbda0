/* boundary_guess.c -- keel bvp --guess FILE: where Newton's method begins.
 *
 * FILE is one of `keel bvp --save`, or points: a line "t,NAME,...", then numbers, as --output of `keel bvp`
 * and `keel run` writes them.  Unknowns without a column are 0; columns that are no unknowns are ignored;
 * between points the guess is linear.
 */
#include "cli/boundary_guess.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "core/number.h"
#include "report/series.h"

/* The whole of a file, with a 0 behind it; to be freed. */
static char *read_text(const char *name)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    size_t used = 0, room = 0;
    while (file && !ferror(file) && !feof(file)) {
        if (used + 1 >= room) {
            char *more = realloc(text, room = 2 * room + 4096);
            if (!more) errno = ENOMEM;
            if (!more) break;
            text = more;
        }
        used += fread(text + used, 1, room - used - 1, file);
    }
    const bool whole = file && feof(file) && !ferror(file);
    if (file) fclose(file);
    if (whole) text[used] = 0;
    else free(text);
    return whole ? text : NULL;
}

/* ---- points -------------------------------------------------------------------------------- */

typedef struct points {
    const target *target;
    const char *file;
    int *unknown, columns;       /* of each column: which, -1: none            */
    series rows;                 /* t and all unknowns                         */
} points;

static int find(const target *t, const char *name, size_t length)
{
    for (int i = 0; i < t->size; i++)
        if (strlen(t->names[i]) == length && strncmp(t->names[i], name, length) == 0) return i;
    return -1;
}

/* Names of the first line, which ends at `end`; how many are unknowns. */
static int read_names(points *p, const char *at, const char *end)
{
    int known = 0;
    for (bool first = true; at < end; first = false) {
        const size_t length = strcspn(at, ",\r\n");
        if (!first) {
            p->unknown[p->columns] = find(p->target, at, length);
            known += p->unknown[p->columns++] >= 0;
        }
        at += length + 1;
    }
    return known;
}

/* One line of numbers; EXIT_DONE, or after a complaint. */
static int read_row(points *p, const char *at, long line)
{
    double *row = series_append(&p->rows);
    if (!row) return refuse_status("bvp", KEEL_NO_MEMORY, keel_status_text(KEEL_NO_MEMORY));
    memset(row, 0, (size_t)p->rows.columns * sizeof *row);
    for (int i = -1; i < p->columns; i++) {
        char *end;
        const double value = number_read(at, &end);
        if (end == at || !isfinite(value) || (*end && !strchr(",\r\n", *end)))
            return usage_error("bvp", "--guess %s: line %ld: '%.*s' is no number", p->file, line,
                               (int)strcspn(at, ",\r\n"), at);
        if (i < 0) row[0] = value;
        else if (p->unknown[i] >= 0) row[1 + p->unknown[i]] = value;
        at = *end == ',' ? end + 1 : end;
    }
    /* At events there are two lines of the same time: the values before them. */
    if (p->rows.rows > 1 && row[0] == series_row(&p->rows, p->rows.rows - 2)[0]) p->rows.rows--;
    return EXIT_DONE;
}

static int read_points(points *p, const char *text)
{
    const char *end = text + strcspn(text, "\n");
    p->unknown = malloc((size_t)(end - text + 1) * sizeof *p->unknown);
    if (!p->unknown) return refuse_status("bvp", KEEL_NO_MEMORY, keel_status_text(KEEL_NO_MEMORY));
    if (strncmp(text, "t,", 2) != 0 || read_names(p, text, end) == 0)
        return usage_error("bvp", "--guess %s: neither a solution that was saved nor a line "
                           "\"t,NAME,...\" with unknowns of %s", p->file, p->target->bundled->name);
    int code = EXIT_DONE;
    long line = 2;
    for (const char *at = *end ? end + 1 : end; *at && code == EXIT_DONE; line++) {
        if (*at != '\n' && *at != '\r') code = read_row(p, at, line);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return code;
}

static int take_points(const points *p, keel_boundary *boundary)
{
    const int n = p->target->size, rows = (int)p->rows.rows;
    double *t = malloc((size_t)(rows + 1) * sizeof *t);
    double *y = malloc((size_t)(rows + 1) * (size_t)n * sizeof *y);
    keel_solution *solution = NULL;
    for (int k = 0; t && y && k < rows; k++) {
        t[k] = series_row(&p->rows, k)[0];
        memcpy(y + (size_t)k * (size_t)n, series_row(&p->rows, k) + 1, (size_t)n * sizeof *y);
    }
    int status = t && y ? keel_solution_from_table(&solution, n, rows, t, y) : KEEL_NO_MEMORY;
    const char *why = status == KEEL_BAD_ARGUMENT
        ? "there must be two points or more, one after the other" : keel_status_text(status);
    if (status == KEEL_OK) {
        status = keel_boundary_guess(boundary, solution, NULL);
        why = keel_boundary_message(boundary);
    }
    const int code = status == KEEL_OK ? EXIT_DONE : refuse_status("bvp", status, why);
    keel_solution_free(solution);
    free(t);
    free(y);
    return code;
}

int boundary_guess(const target *t, keel_boundary *boundary, const char *file)
{
    char *text = read_text(file);
    if (!text) return usage_error("bvp", "--guess: cannot read %s: %s", file, strerror(errno));
    int code;
    if (strncmp(text, "keel boundary", 13) == 0) {
        const int status = keel_boundary_load(boundary, file);
        code = status == KEEL_OK ? EXIT_DONE
                                 : refuse_status("bvp", status, keel_boundary_message(boundary));
    } else {
        points p = {.target = t, .file = file, .rows = {.columns = t->size + 1}};
        code = read_points(&p, text);
        if (code == EXIT_DONE) code = take_points(&p, boundary);
        series_free(&p.rows);
        free(p.unknown);
    }
    free(text);
    return code;
}
