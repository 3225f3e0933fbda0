/* methods.c -- keel methods: list the integration methods and what is known about them. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/method_facts.h"
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

/* Is called with each method, NULL for those that are more than one; a status. */
typedef int each_method(void *to, const keel_method_info *info, const keel_method *method);

static int visit_one(each_method *one, void *to, const keel_method_info *info)
{
    keel_method *m = NULL;
    int code = EXIT_DONE;
    if ((info->stages > 0 && keel_method_named(&m, info->name) != KEEL_OK) || one(to, info, m) != KEEL_OK) {
        fprintf(stderr, "keel methods: %s: %s\n", info->name, keel_method_message(m));
        code = EXIT_FAILED;
    }
    keel_method_free(m);
    return code;
}

static int visit(each_method *one, void *to)
{
    const int count = keel_method_count();
    int code = EXIT_DONE;
    for (int i = 0; i < count; i++) {
        keel_method_info info;
        if (keel_method_at(i, &info) != KEEL_OK || visit_one(one, to, &info) != EXIT_DONE)
            code = EXIT_FAILED;
    }
    return code;
}

/* ---- for people ---------------------------------------------------------------------------- */

typedef struct listing {
    table table;
    const char *family;          /* of the row before                                  */
} listing;

/* The family, once for all its members. */
static void family_cell(listing *l, const char *family)
{
    const bool same = l->family && strcmp(l->family, family) == 0;
    table_cell(&l->table, "%s", same ? "" : family);
    l->family = family;
}

static void stability_cell(table *list, const keel_general_analysis *a)
{
    if (a->a_stable) table_cell(list, "%s", a->l_stable ? "L" : "A");
    else if (a->alpha > 0) table_cell(list, "A(%.1f)", a->alpha);
    else table_cell(list, "-");
}

static int list_row(void *to, const keel_method_info *info, const keel_method *method)
{
    listing *l = to;
    table *list = &l->table;
    keel_general_analysis of, *a = &of;
    const int status = method ? keel_method_analyse_general(method, a) : KEEL_OK;
    if (status != KEEL_OK) return status;
    family_cell(l, info->family);
    table_cell(list, "%s", info->name);
    if (!method) {
        table_cell(list, "variable");
        for (int i = 3; i < list->columns; i++) table_cell(list, "-");
        return KEEL_OK;
    }
    table_cell(list, "%d", a->stages);
    facts_cells(list, a);
    if (isnan(a->rho_infinity)) table_cell(list, "inf");
    else table_cell(list, "%.4g", a->rho_infinity);
    stability_cell(list, a);
    table_cell(list, "%s", a->stiffly_accurate ? "yes" : "-");
    return KEEL_OK;
}

static int list_methods(void)
{
    listing l = {.table = {.columns = 6 + FACTS_COLUMNS, .align = "llr" FACTS_ALIGN "rll"}};
    table *list = &l.table;
    table_cell(list, "family");
    table_cell(list, "name");
    table_cell(list, "stages");
    facts_headings(list);
    table_cell(list, "|M(inf)|");
    table_cell(list, "stable");
    table_cell(list, "stiffly acc.");
    const int code = visit(list_row, &l);
    table_print(list, stdout);
    table_free(list);
    printf("\nrhs: right-hand sides an iteration over all stages; LU: systems to factor; values: "
           "carried from\nstep to step; |M(inf)|: spectral radius at infinity, |R(inf)|; stable: "
           "L-, A- or A(alpha)-stable.\n");
    return code;
}

/* ---- for programs -------------------------------------------------------------------------- */

static int json_row(void *to, const keel_method_info *info, const keel_method *method)
{
    json_writer *w = to;
    method_report report;
    const int status = method ? method_report_of(&report, method, info) : KEEL_OK;
    if (status != KEEL_OK) return status;
    if (method) method_json(w, &report, true);
    else variable_json(w, info);
    return KEEL_OK;
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
