/* model_check.c -- the structure of a model: see model_check.h. */
#include "cli/model_check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/verbs.h"
#include "report/incidence.h"

#ifdef KEEL_WITH_MODELS

enum { ROWS_SHOWN = 40 };        /* of a level, and of the start plan */

static const char *const given_names[] = {"fixed", "equation", "guess", "free"};

/* Rows of level k: those differentiated at least so often that k are below. */
static void print_level(keel_model *m, const keel_model_structure *s, int k, FILE *file)
{
    int shown = 0, rows = 0;
    for (int i = 0; i < s->left; i++) {
        keel_model_row r;
        if (keel_model_row_at(m, i, 0, &r) != KEEL_OK || r.offset < k || r.offset == 0) continue;
        rows++;
        if (shown >= ROWS_SHOWN || keel_model_row_at(m, i, r.offset - k, &r) != KEEL_OK) continue;
        char name[16] = "";
        if (shown == 0 && k == 0) snprintf(name, sizeof name, "g");
        else if (shown == 0) snprintf(name, sizeof name, "h_%d", k);
        fprintf(file, "    %-5s %s", name, r.text);
        if (r.line && r.offset == k) fprintf(file, "   (line %d)", r.line);
        fprintf(file, "\n");
        shown++;
    }
    if (rows > shown) fprintf(file, "          and %d more\n", rows - shown);
}

/* The size of the next block with several rows from row *at on, which moves behind it; 0: there is none. */
static int next_loop(keel_model *m, const keel_model_structure *s, int *at)
{
    while (*at < s->left) {
        keel_model_row first, r;
        int size = 1;
        keel_model_row_in_order(m, (*at)++, &first);
        while (*at < s->left && keel_model_row_in_order(m, *at, &r) >= 0 && r.block == first.block) {
            (*at)++;
            size++;
        }
        if (size > 1) return size;
    }
    return 0;
}

static void print_loops(keel_model *m, const keel_model_structure *s, FILE *file)
{
    fprintf(file, "  blocks               %d", s->blocks);
    if (s->loops == 0) fprintf(file, ", no loops");
    for (int at = 0, said = 0, size = 1; said < 10 && (size = next_loop(m, s, &at)) > 0; said++)
        fprintf(file, "%s%d", said ? ", " : "; loops of sizes ", size);
    fprintf(file, "\n");
}

static void print_plan(keel_model *m, FILE *file)
{
    keel_model_plan p;
    int shown = 0, i = 0;
    fprintf(file, "  start plan\n");
    for (; keel_model_plan_at(m, i, &p) == KEEL_OK; i++) {
        if (shown >= ROWS_SHOWN) continue;
        fprintf(file, "    %-9s %s", given_names[p.given], p.text);
        if (p.line) fprintf(file, "   (line %d)", p.line);
        fprintf(file, "\n");
        shown++;
    }
    if (i > shown) fprintf(file, "    and %d more\n", i - shown);
    if (*keel_model_plan_remark(m)) fprintf(file, "    %s\n", keel_model_plan_remark(m));
}

static void print_remarks(const char *lines, FILE *file)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        fprintf(file, "  remark               %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void model_describe(const target *t, FILE *file)
{
    keel_model *m = t->modelled.model;
    keel_model_structure s;
    if (keel_model_structure_of(m, &s) != KEEL_OK) return;
    fprintf(file, "%s: %s%s%s, index %d\n\n", t->bundled->name, s.name, *s.comment ? ", " : "", s.comment,
            s.index);
    fprintf(file, "  equations, unknowns  %d, %d; %d after %d alias%s and %d definition%s\n", s.equations,
            s.unknowns, s.left, s.aliases, s.aliases == 1 ? "" : "es", s.definitions,
            s.definitions == 1 ? "" : "s");
    fprintf(file, "  degrees of freedom   %d\n", s.freedom);
    fprintf(file, "  form                 %s, %d unknown%s: %s\n", s.form, keel_problem_size(t->original),
            keel_problem_size(t->original) == 1 ? "" : "s",
            s.reason);
    print_loops(m, &s, file);
    fprintf(file, "  assignments          %d\n", s.assignments);
    if (s.levels) fprintf(file, "  levels\n");
    for (int k = s.levels; s.levels && k >= 0; k--) print_level(m, &s, k, file);
    print_plan(m, file);
    if (s.signals) fprintf(file, "  events\n");
    for (int i = 0; i < s.signals && i < ROWS_SHOWN; i++)
        fprintf(file, "    %s\n", keel_model_event(m, i));
    if (s.signals > ROWS_SHOWN) fprintf(file, "    and %d more\n", s.signals - ROWS_SHOWN);
    print_remarks(s.remarks, file);
}

/* ---- for programs ----------------------------------------------------------------------------- */

static void json_rows(json_writer *w, keel_model *m, const keel_model_structure *s)
{
    json_begin_array(w, "equations_left");
    for (int i = 0; i < s->left; i++) {
        keel_model_row r;
        if (keel_model_row_at(m, i, 0, &r) != KEEL_OK) continue;
        json_begin_object(w, NULL);
        json_string(w, "text", r.text);
        json_integer(w, "line", r.line);
        json_integer(w, "differentiated", r.offset);
        json_integer(w, "block", r.block);
        json_bool(w, "assignment", r.assignment);
        int order = 0;
        json_string(w, "matched", keel_model_column_name(m, r.column, &order));
        json_integer(w, "derivative", order);
        json_begin_array(w, "levels");
        for (int k = 1, most = r.offset; k <= most; k++)
            if (keel_model_row_at(m, i, k, &r) == KEEL_OK) json_string(w, NULL, r.text);
        json_end_array(w);
        json_end_object(w);
    }
    json_end_array(w);
}

static void json_plan(json_writer *w, keel_model *m)
{
    keel_model_plan p;
    json_begin_array(w, "start_plan");
    for (int i = 0; keel_model_plan_at(m, i, &p) == KEEL_OK; i++) {
        json_begin_object(w, NULL);
        json_string(w, "given", given_names[p.given]);
        json_string(w, "text", p.text);
        json_number(w, "value", p.value);
        json_integer(w, "line", p.line);
        json_end_object(w);
    }
    json_end_array(w);
    json_string(w, "start_remark", keel_model_plan_remark(m));
}

void model_describe_json(const target *t, json_writer *w)
{
    keel_model *m = t->modelled.model;
    keel_model_structure s;
    if (keel_model_structure_of(m, &s) != KEEL_OK) return;
    json_begin_object(w, "model");
    json_string(w, "name", s.name);
    json_string(w, "comment", s.comment);
    json_integer(w, "equations", s.equations);
    json_integer(w, "unknowns", s.unknowns);
    json_integer(w, "aliases", s.aliases);
    json_integer(w, "definitions", s.definitions);
    json_integer(w, "left", s.left);
    json_integer(w, "index", s.index);
    json_integer(w, "freedom", s.freedom);
    json_integer(w, "assignments", s.assignments);
    json_integer(w, "levels", s.levels);
    json_integer(w, "blocks", s.blocks);
    json_integer(w, "loops", s.loops);
    json_begin_array(w, "loop_sizes");
    for (int at = 0, size = 1; (size = next_loop(m, &s, &at)) > 0;) json_integer(w, NULL, size);
    json_end_array(w);
    json_integer(w, "largest_block", s.largest_block);
    json_string(w, "form", s.form);
    json_string(w, "reason", s.reason);
    json_string(w, "remarks", s.remarks);
    json_rows(w, m, &s);
    json_plan(w, m);
    json_begin_array(w, "events");
    for (int i = 0; i < s.signals; i++) json_string(w, NULL, keel_model_event(m, i));
    json_end_array(w);
    json_end_object(w);
}

/* ---- a picture ---------------------------------------------------------------------------------- */

static int fill_incidence(keel_model *m, const keel_model_structure *s, incidence *p)
{
    const size_t size = (size_t)s->left + 1;
    int *place = malloc(size * sizeof *place), *columns = malloc(size * sizeof *columns);
    int code = place && columns ? 0 : -1;
    for (int i = 0, block = -1; i < s->left && !code; i++) {       /* columns in the order of their rows */
        keel_model_row r;
        keel_model_row_in_order(m, i, &r);
        place[r.column] = i;
        p->names[i] = keel_model_column_name(m, r.column, NULL);
        if (r.block != block) code = incidence_block(p, i);
        block = r.block;
    }
    for (int i = 0; i < s->left && !code; i++) {
        keel_model_row r;
        const int number = keel_model_row_in_order(m, i, &r);
        const int count = keel_model_row_columns(m, number, columns, s->left);
        for (int k = 0; k < count && !code; k++) code = incidence_entry(p, i, place[columns[k]]);
    }
    free(place);
    free(columns);
    return code;
}

int model_incidence(const target *t, const char *verb, const char *path)
{
    keel_model *m = t->modelled.model;
    keel_model_structure s;
    char message[500];
    output file = {0};
    if (keel_model_structure_of(m, &s) != KEEL_OK)
        return refuse_status(verb, KEEL_BAD_ARGUMENT, "the model has no structure");
    incidence p = {.title = t->bundled->name, .size = s.left,
                   .names = malloc(((size_t)s.left + 1) * sizeof *p.names)};
    int code = open_output(&file, verb, path, 0);
    if (code == EXIT_DONE && (!p.names || fill_incidence(m, &s, &p)))
        code = refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    if (code == EXIT_DONE && incidence_write(&p, &file, message, sizeof message)) {
        fprintf(stderr, "keel %s: no picture: %s\n", verb, message);
        code = EXIT_FAILED;
    }
    incidence_free(&p);
    free(p.names);
    output_abandon(&file);
    return code;
}

#else

void model_describe(const target *t, FILE *file) { (void)t, (void)file; }
void model_describe_json(const target *t, json_writer *w) { (void)t, (void)w; }

int model_incidence(const target *t, const char *verb, const char *path)
{
    (void)t, (void)path;
    return usage_error(verb, "there are no models in this build");
}

#endif
