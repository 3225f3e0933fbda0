/* fitting.c -- keel bvp --fit FILE --vary NAMES: parameters from measurements.
 *
 * FILE begins with a line "t,NAME,...": the time and unknowns of the problem; an empty cell is no
 * measurement.  The files of --output are such files.
 */
#include "cli/fitting.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame_conditions.h"
#include "cli/verbs.h"
#include "core/number.h"
#include "report/json.h"
#include "report/table.h"

enum { LINE_MOST = 20000, COLUMNS_MOST = 1000 };

int fitting_check(const fitting *f)
{
    if (!f->file && f->vary) return usage_error("bvp", "--vary goes with --fit FILE");
    if (f->file && !f->vary)
        return usage_error("bvp", "--fit goes with --vary NAME,NAME,...: the parameters to be found");
    return EXIT_DONE;
}

/* ---- measurements ---------------------------------------------------------------------------- */

typedef struct measurements {
    keel_measurement *each;
    int count, room;
    int unknown[COLUMNS_MOST];   /* of each column behind t                    */
    int columns;
} measurements;

static int add(measurements *m, double t, int unknown, double value)
{
    if (m->count == m->room) {
        const int room = m->room ? 2 * m->room : 64;
        keel_measurement *more = realloc(m->each, (size_t)room * sizeof *more);
        if (!more) return -1;
        m->each = more;
        m->room = room;
    }
    m->each[m->count++] = (keel_measurement){.t = t, .unknown = unknown, .value = value};
    return 0;
}

/* The next cell of a line: *text then points behind it, the return value is its length. */
static size_t next_cell(const char **text, const char **cell)
{
    while (isblank((unsigned char)**text)) ++*text;
    *cell = *text;
    size_t length = strcspn(*text, ",\r\n");
    *text += length + ((*text)[length] == ',');
    while (length && isblank((unsigned char)(*cell)[length - 1])) length--;
    return length;
}

static int read_header(const target *t, const char *file, const char *line, measurements *m)
{
    const char *cell;
    size_t length = next_cell(&line, &cell);
    if (length != 1 || *cell != 't')
        return usage_error("bvp", "--fit %s: the first line is t and names of unknowns, not '%.*s'", file,
                           (int)length, cell);
    while ((length = next_cell(&line, &cell)) > 0) {
        int i = 0;
        while (i < t->size && (strlen(t->names[i]) != length || strncmp(t->names[i], cell, length))) i++;
        if (i == t->size || m->columns == COLUMNS_MOST)
            return usage_error("bvp", "--fit %s: '%.*s' is no unknown of %s", file, (int)length, cell,
                               t->bundled->name);
        m->unknown[m->columns++] = i;
    }
    return EXIT_DONE;
}

/* A number of the whole cell; NAN: it is empty, *wrong: it is none. */
static double number_of(const char *cell, size_t length, bool *wrong)
{
    char *end;
    if (length == 0) return NAN;
    const double value = number_read(cell, &end);
    *wrong = *wrong || end != cell + length || !isfinite(value);
    return value;
}

static int read_row(const char *file, int row, const char *line, measurements *m)
{
    const char *cell;
    bool wrong = false;
    size_t length = next_cell(&line, &cell);
    if (length == 0 && *line == 0) return EXIT_DONE;
    const double t = number_of(cell, length, &wrong);
    for (int i = 0; i < m->columns && !wrong; i++) {
        length = next_cell(&line, &cell);
        const double value = number_of(cell, length, &wrong);
        if (!wrong && length && add(m, t, m->unknown[i], value))
            return refuse_status("bvp", KEEL_NO_MEMORY, keel_status_text(KEEL_NO_MEMORY));
    }
    if (wrong || isnan(t))
        return usage_error("bvp", "--fit %s: line %d: '%.*s' is no number", file, row, (int)length, cell);
    return EXIT_DONE;
}

static int read_file(const target *t, const char *name, measurements *m)
{
    char line[LINE_MOST];
    FILE *file = fopen(name, "r");
    int code = EXIT_DONE, row = 0;
    if (!file) return usage_error("bvp", "--fit: cannot read %s", name);
    while (code == EXIT_DONE && fgets(line, sizeof line, file)) {
        row++;
        if (strlen(line) == sizeof line - 1) {
            code = usage_error("bvp", "--fit %s: line %d is longer than %d characters", name, row,
                               LINE_MOST - 2);
            break;
        }
        code = row == 1 ? read_header(t, name, line, m) : read_row(name, row, line, m);
    }
    if (code == EXIT_DONE && ferror(file)) code = usage_error("bvp", "--fit: cannot read %s", name);
    fclose(file);
    if (code == EXIT_DONE && row == 0) code = usage_error("bvp", "--fit %s: the file is empty", name);
    return code;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static int read_names(const target *t, const char *names, frame_conditions *f, int *which)
{
    const char *rest = names, *cell;
    size_t length;
    while ((length = next_cell(&rest, &cell)) > 0) {
        if (f->count == FRAME_CONDITIONS_MOST)
            return usage_error("bvp", "--vary takes at most %d names", FRAME_CONDITIONS_MOST);
        which[f->count] = frame_parameter(t, cell, length, &f->which[f->count]);
        if (which[f->count++] < 0)
            return usage_error("bvp", "--vary: %.*s is no parameter of the frame of the problem",
                               (int)length, cell);
    }
    return f->count ? EXIT_DONE : usage_error("bvp", "--vary takes NAME,NAME,...");
}

/* ---- reports --------------------------------------------------------------------------------- */

typedef struct fit_outcome {
    const target *target;
    const keel_boundary_options *options;
    const keel_fit_result *result;
    const int *which;
    int status;
    const char *message;
} fit_outcome;

static const char *name_of(const fit_outcome *o, int j)
{
    return keel_parameter_name(o->target->problem, o->which[j]);
}

static void print(const fit_outcome *o, FILE *file)
{
    const keel_fit_result *r = o->result;
    table list = {.columns = 4, .align = "llll", .indent = "  "};
    fprintf(file, "%s: %s\n\n", o->target->bundled->name, o->target->bundled->title);
    if (!r) return;
    for (int j = 0; j < r->parameters; j++) {
        table_cell(&list, "%s", name_of(o, j));
        table_cell(&list, "% .10g", r->value[j]);
        table_cell(&list, "+- %.3g", r->half_width[j]);
        table_cell(&list, "(95 %%; standard error %.3g)", r->deviation[j]);
    }
    table_print(&list, file);
    table_free(&list);
    fprintf(file, "\n  %d measurements, deviation %.4g, %d steps\n", r->measurements, r->noise, r->steps);
}

static void print_json(const fit_outcome *o, FILE *file)
{
    const keel_fit_result *r = o->result;
    json_writer w = {.file = file};
    char word[32];
    json_begin_object(&w, NULL);
    json_string(&w, "target", o->target->bundled->name);
    json_number(&w, "tol", o->options->rtol);
    json_string(&w, "status", status_word(o->status, word));
    json_string(&w, "message", o->message);
    json_begin_array(&w, "parameters");
    for (int j = 0; r && j < r->parameters; j++) {
        json_begin_object(&w, NULL);
        json_string(&w, "name", name_of(o, j));
        json_number(&w, "value", r->value[j]);
        json_number(&w, "deviation", r->deviation[j]);
        json_number(&w, "low", r->value[j] - r->half_width[j]);
        json_number(&w, "high", r->value[j] + r->half_width[j]);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_integer(&w, "measurements", r ? r->measurements : 0);
    json_integer(&w, "steps", r ? r->steps : 0);
    json_number(&w, "noise", r ? r->noise : NAN);
    json_end_object(&w);
}

static int report(const fit_outcome *o, const fitting *f)
{
    if (f->json) print_json(o, stdout);
    else if (!f->quiet) print(o, stdout);
    if (o->status != KEEL_OK)
        fprintf(stderr, "keel bvp: %s: %s\n", keel_status_name(o->status), o->message);
    return o->status == KEEL_OK ? EXIT_DONE : EXIT_FAILED;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int fit(const target *t, const keel_boundary_options *options, const fitting *f, progress *line,
               frame_conditions *c, const int *which, const measurements *m)
{
    const keel_boundary_spec spec = frame_conditions_spec(t, c);
    keel_fit *job = NULL;
    fit_outcome o = {.target = t, .options = options, .which = which};
    o.status = keel_fit_create(&job, &spec, options, &(keel_fit_options){
        .parameters = c->count, .parameter = which, .measurements = m->count, .measurement = m->each});
    if (o.status == KEEL_OK && t->frame.parameters)
        o.status = keel_boundary_set_frame(keel_fit_boundary(job), t->frame.parameters);
    if (o.status == KEEL_OK) o.status = keel_fit_run(job, NULL);
    progress_end(line);
    o.message = keel_fit_message(job);
    o.result = keel_fit_result_of(job);
    const int code = report(&o, f);
    keel_fit_free(job);
    return code;
}

int fitting_run(const target *t, const keel_boundary_options *options, const fitting *f, progress *line)
{
    frame_conditions c = {.spec = t->bundled->boundary->spec, .parameters = t->parameters};
    measurements m = {0};
    int which[FRAME_CONDITIONS_MOST], code = read_names(t, f->vary, &c, which);
    if (code == EXIT_DONE) code = read_file(t, f->file, &m);
    if (code == EXIT_DONE) code = fit(t, options, f, line, &c, which, &m);
    free(m.each);
    return code;
}
