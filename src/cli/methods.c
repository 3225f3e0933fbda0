/* methods.c -- keel methods: list the integration methods and what is known about them. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/arguments.h"
#include "cli/method_report.h"
#include "cli/verbs.h"
#include "keel/keel.h"
#include "report/table.h"

typedef struct methods_settings {
    bool json;
} methods_settings;

static const argument arguments[] = {
    {"json", ARGUMENT_FLAG, offsetof(methods_settings, json), 0, NULL, "print JSON"},
};

static const syntax methods_syntax = {
    .verb = "methods",
    .purpose = "Lists the integration methods; 'keel method NAME' describes one.  All properties"
               " are\ncomputed from the coefficients.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
};

/* Calls `one` with each method, NULL for those that are no tableau, or more than one. */
typedef void each_method(void *to, const keel_method_info *info, const method_report *report);

static int visit(each_method *one, void *to)
{
    int code = EXIT_DONE;
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info info;
        keel_method *m = NULL;
        if (keel_method_at(i, &info) != KEEL_OK) continue;
        if (info.stages <= 0 || info.kind >= KEEL_METHOD_MULTISTEP) {
            one(to, &info, NULL);
        } else if (keel_method_named(&m, info.name) == KEEL_OK) {
            method_report report = {.method = m, .tableau = keel_method_tableau(m),
                                    .family = info.family, .summary = info.summary,
                                    .citation = info.citation};
            if (keel_method_analyse(m, &report.analysis) == KEEL_OK) one(to, &info, &report);
            else code = EXIT_FAILED;
        } else {
            fprintf(stderr, "keel methods: %s: %s\n", info.name, keel_method_message(m));
            code = EXIT_FAILED;
        }
        keel_method_free(m);
    }
    return code;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void yes_cell(table *list, int property)
{
    table_cell(list, "%s", property ? "yes" : "-");
}

static void list_row(void *to, const keel_method_info *info, const method_report *report)
{
    table *list = to;
    table_cell(list, "%s", info->name);
    if (!report && info->stages > 0) {
        table_cell(list, "%s", keel_method_kind_name(info->kind));
        table_cell(list, "%d", info->stages);
        table_cell(list, "%d", info->order);
        table_cell(list, "%d", info->stage_order);
        table_cell(list, "%.4g", info->r_infinity);
        for (int i = 6; i < list->columns; i++) table_cell(list, "-");
        return;
    }
    if (!report) {
        table_cell(list, "variable");
        for (int i = 2; i < list->columns; i++) table_cell(list, "-");
        return;
    }
    const keel_analysis *a = &report->analysis;
    table_cell(list, "%s", keel_method_kind_name(keel_method_kind_of(report->method)));
    table_cell(list, "%d", a->stages);
    table_cell(list, "%d", a->order);
    table_cell(list, "%d", a->stage_order);
    if (isnan(a->r_infinity)) table_cell(list, "inf");
    else table_cell(list, "%.4g", a->r_infinity);
    table_cell(list, "%s", a->l_stable ? "L" : a->a_stable ? "A" : "-");
    yes_cell(list, a->stiffly_accurate);
    yes_cell(list, a->symmetric);
    yes_cell(list, a->algebraically_stable);
    table_cell(list, "%s", estimate_word(keel_method_estimate(report->method)));
}

static int list_methods(void)
{
    static const char *const heading[] = {"name", "kind", "stages", "order", "stage order",
                                          "R(inf)", "A/L-stable", "stiffly acc.", "symmetric",
                                          "alg. stable", "estimate"};
    table list = {.columns = sizeof heading / sizeof *heading, .align = "llrrrrlllll"};
    for (int i = 0; i < list.columns; i++) table_cell(&list, "%s", heading[i]);
    const int code = visit(list_row, &list);
    table_print(&list, stdout);
    table_free(&list);
    return code;
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_row(void *to, const keel_method_info *info, const method_report *report)
{
    json_writer *w = to;
    if (report) {
        method_json(w, report, true);
        return;
    }
    json_begin_object(w, NULL);
    json_string(w, "name", info->name);
    json_string(w, "family", info->family);
    json_string(w, "summary", info->summary);
    json_string(w, "citation", info->citation);
    if (info->stages > 0) json_integer(w, "order", info->order);
    json_bool(w, "variable", info->stages == 0);
    json_end_object(w);
}

static int list_json(void)
{
    json_writer w = {.file = stdout};
    json_begin_array(&w, NULL);
    const int code = visit(json_row, &w);
    json_end_array(&w);
    return code;
}

int methods_command(int argc, char **argv)
{
    methods_settings set = {0};

    switch (parse_arguments(&methods_syntax, argc, argv, &set, NULL, NULL)) {
    case PARSED: break;
    case PARSED_HELP: return EXIT_DONE;
    default: return EXIT_USAGE;
    }
    return set.json ? list_json() : list_methods();
}
