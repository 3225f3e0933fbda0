/* problems.c -- keel problems: list the bundled problems, or describe one of them or of a file. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/arguments.h"
#include "cli/events.h"
#include "cli/levels.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "report/json.h"
#include "report/table.h"

typedef struct problems_settings {
    bool json;
} problems_settings;

static const argument arguments[] = {
    {"json", ARGUMENT_FLAG, offsetof(problems_settings, json), 0, NULL, "print JSON"},
};

static const syntax problems_syntax = {
    .verb = "problems", .operand = "NAME",
    .purpose = "Lists the bundled problems, or describes the one called NAME or of the file NAME: "
               "its parameters,\nvariables, constraint levels, sources and reference values.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
};

/* Opens the problem with its own parameters; complains if it cannot. */
static int open_problem(target *t, const char *name)
{
    target_settings standard = TARGET_STANDARD;
    standard.without_start = true;
    return target_open(t, "problems", name, &standard);
}

static const char *form_of(const target *t)
{
    return keel_form_name(keel_problem_form(t->problem));
}

/* ---- for people ---------------------------------------------------------------------------- */

static int list_one(table *list, const bundled_problem *b)
{
    target t;
    const int code = open_problem(&t, b->name);
    if (code == EXIT_DONE) {
        table_cell(list, "%s", b->name);
        table_cell(list, "%d", b->index);
        table_cell(list, "%s%s%s", form_of(&t), target_has_events(&t) ? ", events" : "",
                   b->boundary ? ", boundary" : "");
        table_cell(list, "%d", b->size);
        table_cell(list, "%g to %g", b->t_start, b->t_end);
        table_cell(list, "%s", b->title);
    }
    target_free(&t);
    return code == EXIT_DONE ? EXIT_DONE : EXIT_FAILED;
}

static int list_problems(void)
{
    table list = {.columns = 6, .align = "lrlrll"};
    static const char *const heading[] = {"name", "index", "form", "unknowns", "interval", "title"};
    int count = 0, more = 0, code = EXIT_DONE;
    const bundled_problem *const *all = bundled_problems(&count);
    const bundled_problem *const *boundary = bundled_boundary_problems(&more);

    for (int i = 0; i < list.columns; i++) table_cell(&list, "%s", heading[i]);
    for (int i = 0; i < count + more; i++) {
        const int listed = list_one(&list, i < count ? all[i] : boundary[i - count]);
        if (listed != EXIT_DONE) code = listed;
    }
    table_print(&list, stdout);
    table_free(&list);
    return code;
}

static void describe_parameters(const bundled_problem *b)
{
    table list = {.columns = 3, .align = "lll", .indent = "  "};
    if (b->parameter_count == 0) return;
    printf("\nparameters\n");
    for (int i = 0; i < b->parameter_count; i++) {
        table_cell(&list, "%s", b->parameters[i].name);
        table_cell(&list, "%.10g", b->parameters[i].value);
        table_cell(&list, "%s", b->parameters[i].meaning);
    }
    table_print(&list, stdout);
    table_free(&list);
}

static void describe_variables(const target *t)
{
    table list = {.columns = 4, .align = "lrll", .indent = "  "};
    int group[3] = {0}, g = 0, left = 0;
    const char *name[3] = {""};
    const int groups = keel_problem_groups(t->problem, group, name);

    printf("\nvariables, index, initial value, group\n");
    for (int i = 0; i < t->size; i++) {
        if (i == 0) left = group[0];
        while (left == 0 && g + 1 < groups) left = group[++g];
        left--;
        table_cell(&list, "%s", t->names[i]);
        table_cell(&list, "%d", keel_variable_index(t->problem, i));
        table_cell(&list, "% .10g", t->y[i]);
        table_cell(&list, "%s", name[g]);
    }
    table_print(&list, stdout);
    table_free(&list);
}

/* Rows of all levels but the attached ones have the same names. */
static void describe_levels(const target *t)
{
    enum { ROWS_NAMED = 8 };
    const int levels = keel_problem_levels(t->problem);
    table list = {.columns = 3, .align = "lrl", .indent = "  "};

    if (levels == 0) return;
    printf("\nconstraint levels, rows, names\n");
    for (int k = 0; k < levels; k++) {
        char text[LEVEL_NAME], names[200] = "";
        const int rows = keel_level_rows(t->problem, k);
        size_t used = 0;
        for (int i = 0; i < rows && i < ROWS_NAMED && used < sizeof names; i++)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                     keel_row_name(t->problem, k, i));
        table_cell(&list, "%s", level_name(t->problem, k, text));
        table_cell(&list, "%d", rows);
        table_cell(&list, "%s%s", names, rows > ROWS_NAMED ? ", ..." : "");
    }
    table_print(&list, stdout);
    table_free(&list);
}

static void describe_boundary(const target *t)
{
    const keel_boundary_target *boundary = t->bundled->boundary;
    if (!boundary) return;
    const keel_boundary_spec *spec = boundary->spec;
    printf("\nboundary conditions ('keel bvp %s')\n", t->bundled->name);
    for (int i = 0; i < spec->conditions; i++)
        if (spec->condition_names) printf("  %s\n", spec->condition_names[i]);
        else printf("  b[%d]\n", i);
    for (int i = 0; i < spec->parameters; i++)
        printf("  unknown: %s\n", keel_parameter_name(t->original,
                                                     spec->parameter ? spec->parameter[i] : i));
}

static void describe_problem(const target *t)
{
    const bundled_problem *b = t->bundled;

    printf("%s: %s\n\n", b->name, b->title);
    printf("  form        %s, index %d\n", form_of(t), b->index);
    printf("  unknowns    %d\n", b->size);
    printf("  constraints %d\n", keel_problem_constraints(t->problem));
    printf("  interval    %.10g to %.10g\n", b->t_start, b->t_end);
    if (b->source) printf("  source      %s\n", b->source);
    if (b->exact) printf("  reference   exact solution\n");
    for (int i = 0; i < b->reference_count; i++)
        printf("  reference   t = %.10g, %g digits: %s\n", b->references[i].t,
               b->references[i].digits, b->references[i].source);
    if (b->remark) printf("\n%s", b->remark);
    describe_parameters(b);
    describe_variables(t);
    describe_levels(t);
    describe_boundary(t);
    if (target_has_events(t) || keel_problem_frame(t->original))
        printf("\nevents and discrete state\n");
    events_describe(t, stdout);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_levels(json_writer *w, const target *t)
{
    json_begin_array(w, "levels");
    for (int k = 0; k < keel_problem_levels(t->problem); k++) {
        char text[LEVEL_NAME];
        json_begin_object(w, NULL);
        json_string(w, "name", level_name(t->problem, k, text));
        json_begin_array(w, "rows");
        for (int i = 0; i < keel_level_rows(t->problem, k); i++)
            json_string(w, NULL, keel_row_name(t->problem, k, i));
        json_end_array(w);
        json_end_object(w);
    }
    json_end_array(w);
}

/* null: it is none. */
static void json_boundary(json_writer *w, const target *t)
{
    const keel_boundary_target *boundary = t->bundled->boundary;
    if (!boundary) {
        json_string(w, "boundary", NULL);
        return;
    }
    const keel_boundary_spec *spec = boundary->spec;
    json_begin_object(w, "boundary");
    json_begin_array(w, "conditions");
    for (int i = 0; i < spec->conditions; i++)
        json_string(w, NULL, spec->condition_names ? spec->condition_names[i] : NULL);
    json_end_array(w);
    json_begin_array(w, "unknown");
    for (int i = 0; i < spec->parameters; i++)
        json_string(w, NULL, keel_parameter_name(t->original,
                                                 spec->parameter ? spec->parameter[i] : i));
    json_end_array(w);
    json_end_object(w);
}

static void json_problem(json_writer *w, const target *t)
{
    const bundled_problem *b = t->bundled;

    json_begin_object(w, NULL);
    json_string(w, "name", b->name);
    json_string(w, "title", b->title);
    json_string(w, "form", form_of(t));
    json_integer(w, "index", b->index);
    json_integer(w, "unknowns", b->size);
    json_integer(w, "constraints", keel_problem_constraints(t->problem));
    json_number(w, "t_start", b->t_start);
    json_number(w, "t_end", b->t_end);
    json_string(w, "source", b->source);
    json_begin_array(w, "parameters");
    for (int i = 0; i < b->parameter_count; i++) {
        json_begin_object(w, NULL);
        json_string(w, "name", b->parameters[i].name);
        json_number(w, "value", b->parameters[i].value);
        json_string(w, "meaning", b->parameters[i].meaning);
        json_end_object(w);
    }
    json_end_array(w);
    json_strings(w, "variables", t->names, t->size);
    json_numbers(w, "start", t->y, t->size);
    json_levels(w, t);
    events_describe_json(t, w);
    json_bool(w, "exact", b->exact != NULL);
    json_begin_array(w, "references");
    for (int i = 0; i < b->reference_count; i++) {
        json_begin_object(w, NULL);
        json_number(w, "t", b->references[i].t);
        json_number(w, "digits", b->references[i].digits);
        json_string(w, "source", b->references[i].source);
        json_end_object(w);
    }
    json_end_array(w);
    json_boundary(w, t);
    json_end_object(w);
}

static int list_json(void)
{
    json_writer w = {.file = stdout};
    int count = 0, more = 0, code = EXIT_DONE;
    const bundled_problem *const *all = bundled_problems(&count);
    const bundled_problem *const *boundary = bundled_boundary_problems(&more);

    json_begin_array(&w, NULL);
    for (int i = 0; i < count + more; i++) {
        target t;
        const bundled_problem *b = i < count ? all[i] : boundary[i - count];
        if (open_problem(&t, b->name) == EXIT_DONE) json_problem(&w, &t);
        else code = EXIT_FAILED;
        target_free(&t);
    }
    json_end_array(&w);
    return code;
}

int problems_command(int argc, char **argv)
{
    problems_settings set = {0};
    const char *name;

    switch (parse_arguments(&problems_syntax, argc, argv, &set, NULL, &name)) {
    case PARSED: break;
    case PARSED_HELP: return EXIT_DONE;
    default: return EXIT_USAGE;
    }
    if (!name) return set.json ? list_json() : list_problems();

    target t;
    const int code = open_problem(&t, name);
    if (code == EXIT_DONE && set.json) json_problem(&(json_writer){.file = stdout}, &t);
    else if (code == EXIT_DONE) describe_problem(&t);
    target_free(&t);
    return code;
}
