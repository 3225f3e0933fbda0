/* methods.c -- keel methods: list the integration methods. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/arguments.h"
#include "cli/verbs.h"
#include "keel/keel.h"
#include "report/json.h"
#include "report/table.h"

typedef struct methods_settings {
    bool json;
} methods_settings;

static const argument arguments[] = {
    {"json", ARGUMENT_FLAG, offsetof(methods_settings, json), 0, NULL, "print JSON"},
};

static const syntax methods_syntax = {
    .verb = "methods",
    .purpose = "Lists the integration methods with stages, order, stage order and R(inf).",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
};

/* A number that is 0 for methods that choose it as they go. */
static void variable_cell(table *list, int number)
{
    if (number > 0) table_cell(list, "%d", number);
    else table_cell(list, "variable");
}

static void list_methods(void)
{
    table list = {.columns = 6, .align = "lrrrrl"};
    static const char *const heading[] = {"name", "stages", "order", "stage order", "R(inf)",
                                          "summary"};
    keel_method_info m;

    for (int i = 0; i < list.columns; i++) table_cell(&list, "%s", heading[i]);
    for (int i = 0; i < keel_method_count(); i++) {
        if (keel_method_at(i, &m) != KEEL_OK) continue;
        table_cell(&list, "%s", m.name);
        variable_cell(&list, m.stages);
        variable_cell(&list, m.order);
        variable_cell(&list, m.stage_order);
        table_cell(&list, "%g", m.r_infinity);
        table_cell(&list, "%s", m.summary);
    }
    table_print(&list, stdout);
    table_free(&list);
}

static void list_json(void)
{
    json_writer w = {.file = stdout};
    keel_method_info m;

    json_begin_array(&w, NULL);
    for (int i = 0; i < keel_method_count(); i++) {
        if (keel_method_at(i, &m) != KEEL_OK) continue;
        json_begin_object(&w, NULL);
        json_string(&w, "name", m.name);
        json_string(&w, "family", m.family);
        json_string(&w, "summary", m.summary);
        json_string(&w, "citation", m.citation);
        json_integer(&w, "stages", m.stages);
        json_integer(&w, "order", m.order);
        json_integer(&w, "stage_order", m.stage_order);
        json_bool(&w, "stiffly_accurate", m.stiffly_accurate != 0);
        json_number(&w, "r_infinity", m.r_infinity);
        json_end_object(&w);
    }
    json_end_array(&w);
}

int methods_command(int argc, char **argv)
{
    methods_settings set = {0};

    switch (parse_arguments(&methods_syntax, argc, argv, &set, NULL, NULL)) {
    case PARSED: break;
    case PARSED_HELP: return EXIT_DONE;
    default: return EXIT_USAGE;
    }
    if (set.json) list_json();
    else list_methods();
    return EXIT_DONE;
}
