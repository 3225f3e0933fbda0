/* check.c -- keel check TARGET: what a problem is, and whether its derivatives are right.
 *
 * Exit status: 0 all fits, 1 something does not or the start fails, 2 wrong usage.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/events.h"
#include "cli/levels.h"
#include "cli/model_check.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "report/json.h"
#include "report/table.h"

typedef struct check_settings {
    target_settings target;
    const char *plot;
    bool json;
} check_settings;

#define FIELD(name) offsetof(check_settings, name)

static const argument arguments[] = {
    {"t-start", ARGUMENT_REAL, FIELD(target.t_start), -INFINITY, "T", "initial time"},
    {"param", ARGUMENT_ASSIGNMENT, FIELD(target.parameters), 0, "NAME=VALUE",
     "change a parameter of the problem (repeatable)"},
    {"start", ARGUMENT_ASSIGNMENT, FIELD(target.starts), 0, "NAME=VALUE",
     "fix the initial value of a variable (repeatable)"},
    {"mode", ARGUMENT_ASSIGNMENT, FIELD(target.modes), 0, "NAME=VALUE",
     "begin with another discrete mode (repeatable)"},
    {"value", ARGUMENT_ASSIGNMENT, FIELD(target.values), 0, "NAME=VALUE",
     "begin with another discrete value (repeatable)"},
    {"class", ARGUMENT_TEXT, FIELD(target.class_name), 0, "NAME",
     "of a model FILE.mo: the class to take (default: the last model)"},
    {"levelled", ARGUMENT_FLAG, FIELD(target.levelled), 0, NULL,
     "of a model FILE.mo: do not look for a special form, which is for speed only"},
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "of a model: draw which unknowns its equations contain, with its blocks, to FILE.svg or FILE.png"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL, "print the result as one JSON object"},
};

static const syntax check_syntax = {
    .verb = "check", .operand = "TARGET", .operand_required = true,
    .purpose = "Describes the structure of TARGET, makes its start consistent, and compares there\n"
               "every derivative that comes with the problem with differences; the symmetry and\n"
               "constancy of M, patterns and the links between constraint levels, too.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
};

/* What is reported. */
typedef struct checked {
    const target *target;
    keel_solver *solver;         /* at the start, if that succeeded          */
    int start_status, status;
    const keel_check_report *report;
} checked;

static const char *const outcome_names[] = {"fits", "wrong", "could not be checked"};
static const char *const kind_names[] = {"derivative", "pattern", "not-finite", "symmetry",
                                         "constancy", "link"};

/* ---- for people ---------------------------------------------------------------------------- */

/* At the start, if there is one: dependent rows bind nothing. */
static int freedom_of(const checked *c)
{
    return c->start_status == KEEL_OK ? keel_solver_freedom(c->solver)
                                      : keel_problem_freedom(c->target->problem);
}

static void print_structure(const checked *c)
{
    const target *t = c->target;
    const keel_problem *p = t->problem;
    const int freedom = freedom_of(c);
    printf("%s: %s, index %d\n\n", t->bundled->name, keel_form_name(keel_problem_form(p)),
           keel_problem_index(p));
    printf("  unknowns, equations  %d\n", keel_problem_size(p));
    if (freedom >= 0) printf("  degrees of freedom   %d\n", freedom);
    for (int k = 0; k < keel_problem_levels(p); k++) {
        enum { ROWS_NAMED = 6 };
        char text[LEVEL_NAME];
        const int rows = keel_level_rows(p, k);
        printf("  %-20s %d: ", level_name(p, k, text), rows);
        for (int i = 0; i < rows && i < ROWS_NAMED; i++)
            printf("%s%s", i ? ", " : "", keel_row_name(p, k, i));
        printf("%s\n", rows > ROWS_NAMED ? ", ..." : "");
    }
    events_describe(t, stdout);
}

/* A solver that was not made has no message. */
static const char *start_message(const checked *c)
{
    return c->start_status != KEEL_OK && !c->solver ? keel_status_text(c->start_status)
                                                    : keel_message(c->solver);
}

static void print_start(const checked *c)
{
    const target *t = c->target;
    if (c->start_status != KEEL_OK) {
        printf("  start                %s: %s\n", keel_status_name(c->start_status),
               start_message(c));
        return;
    }
    const int moves = keel_moved_count(c->solver);
    printf("  start                consistent at t = %.10g", t->t_start);
    for (int i = 0; i < moves; i++) {
        keel_move move;
        keel_moved(c->solver, i, &move);
        printf("%s %s from %.6g to %.6g", i ? "," : ", after moving", t->names[move.variable],
               move.from, move.to);
    }
    printf("\n");
    if (keel_message(c->solver)[0]) printf("  remark               %s\n", keel_message(c->solver));
}

static void print_checks(const keel_check_report *r)
{
    table list = {.columns = 5, .align = "llrll", .indent = "  "};
    const int items = keel_check_item_count(r), findings = keel_check_finding_count(r);
    static const char *const heading[] = {"given", "against", "entries", "deviation", ""};

    printf("\n");
    for (int i = 0; items && i < list.columns; i++) table_cell(&list, "%s", heading[i]);
    for (int i = 0; i < items; i++) {
        const keel_check_item *item = keel_check_item_at(r, i);
        table_cell(&list, "%s", item->callback);
        table_cell(&list, "%s", item->with);
        table_cell(&list, "%ld", item->entries);
        table_cell(&list, "%.1e", item->deviation);
        table_cell(&list, "%s", outcome_names[item->outcome]);
    }
    table_print(&list, stdout);
    table_free(&list);
    if (items == 0) printf("  no derivatives are given\n");
    if (findings) printf("\n");
    for (int i = 0; i < findings; i++) printf("  %s\n", keel_check_finding(r, i)->text);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_structure(json_writer *w, const checked *c)
{
    const target *t = c->target;
    const keel_problem *p = t->problem;
    const int freedom = freedom_of(c);
    json_string(w, "target", t->bundled->name);
    json_string(w, "form", keel_form_name(keel_problem_form(p)));
    json_integer(w, "index", keel_problem_index(p));
    json_integer(w, "unknowns", keel_problem_size(p));
    if (freedom >= 0) json_integer(w, "degrees_of_freedom", freedom);
    else json_string(w, "degrees_of_freedom", NULL);
    json_begin_array(w, "levels");
    for (int k = 0; k < keel_problem_levels(p); k++) {
        char text[LEVEL_NAME];
        json_begin_object(w, NULL);
        json_string(w, "name", level_name(p, k, text));
        json_begin_array(w, "rows");
        for (int i = 0; i < keel_level_rows(p, k); i++)
            json_string(w, NULL, keel_row_name(p, k, i));
        json_end_array(w);
        json_end_object(w);
    }
    json_end_array(w);
    events_describe_json(t, w);
}

static void json_start(json_writer *w, const checked *c)
{
    json_begin_object(w, "start");
    json_string(w, "status", keel_status_name(c->start_status));
    json_string(w, "message", start_message(c));
    json_number(w, "t", c->target->t_start);
    json_begin_array(w, "moved");
    for (int i = 0; i < keel_moved_count(c->solver); i++) {
        keel_move move;
        keel_moved(c->solver, i, &move);
        json_begin_object(w, NULL);
        json_string(w, "variable", c->target->names[move.variable]);
        json_number(w, "from", move.from);
        json_number(w, "to", move.to);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void json_finding(json_writer *w, const target *t, const keel_finding *f)
{
    json_begin_object(w, NULL);
    json_string(w, "kind", kind_names[f->kind]);
    json_string(w, "callback", f->callback);
    json_integer(w, "row", f->row);
    json_string(w, "column", f->column >= 0 ? t->names[f->column] : NULL);
    json_number(w, "given", f->given);
    json_number(w, "expected", f->expected);
    json_string(w, "text", f->text);
    json_end_object(w);
}

static void print_json(const checked *c)
{
    json_writer w = {.file = stdout};
    json_begin_object(&w, NULL);
    json_structure(&w, c);
    if (c->target->modelled.model) model_describe_json(c->target, &w);
    json_start(&w, c);
    json_string(&w, "status", keel_status_name(c->status));
    json_begin_array(&w, "checked");
    for (int i = 0; i < keel_check_item_count(c->report); i++) {
        const keel_check_item *item = keel_check_item_at(c->report, i);
        json_begin_object(&w, NULL);
        json_string(&w, "callback", item->callback);
        json_string(&w, "against", item->with);
        json_integer(&w, "entries", item->entries);
        json_number(&w, "deviation", item->deviation);
        json_string(&w, "outcome", outcome_names[item->outcome]);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_begin_array(&w, "findings");
    for (int i = 0; i < keel_check_finding_count(c->report); i++)
        json_finding(&w, c->target, keel_check_finding(c->report, i));
    json_end_array(&w);
    json_end_object(&w);
}

/* ---- both ---------------------------------------------------------------------------------- */

/* At the consistent start, or at the values given if there is none: that may be the derivatives'
 * fault, which is why the start does not check them. */
static int check_target(const target *t, bool json)
{
    const keel_options options = {.check = KEEL_CHECK_NONE};
    keel_check_report *report = NULL;
    checked c = {.target = t};
    int rc = keel_solver_create(&c.solver, t->problem, &options);
    if (rc == KEEL_OK) rc = target_prepare(t, c.solver);
    c.start_status = rc ? rc : target_start(t, c.solver);
    const double *y = c.start_status == KEEL_OK ? keel_state(c.solver) : t->y;
    c.status = keel_check(t->problem, t->t_start, y, NULL, &report);
    c.report = report;
    if (json) print_json(&c);
    else {
        if (t->modelled.model) model_describe(t, stdout);
        else print_structure(&c);
        print_start(&c);
        print_checks(report);
    }
    fflush(stdout);
    const bool judged = c.status == KEEL_OK || c.status == KEEL_WRONG_DERIVATIVE;
    if (!judged) fprintf(stderr, "keel check: %s\n", keel_status_text(c.status));
    keel_check_free(report);
    keel_solver_free(c.solver);
    return c.status == KEEL_OK && c.start_status == KEEL_OK ? EXIT_DONE : EXIT_FAILED;
}

int check_command(int argc, char **argv)
{
    check_settings set = {.target = TARGET_STANDARD};
    const char *name = NULL;
    int code = EXIT_USAGE;

    set.target.without_start = true;
    switch (parse_arguments(&check_syntax, argc, argv, &set, NULL, &name)) {
    case PARSED: code = EXIT_DONE; break;
    case PARSED_HELP: code = EXIT_DONE; name = NULL; break;
    default: name = NULL; break;
    }
    if (name) {
        target t;
        code = target_open(&t, "check", name, &set.target);
        if (code == EXIT_DONE && set.plot && !t.modelled.model)
            code = usage_error("check", "--plot is for models, FILE.mo");
        if (code == EXIT_DONE) code = check_target(&t, set.json);
        if (t.problem && set.plot && t.modelled.model) {
            const int drawn = model_incidence(&t, "check", set.plot);
            if (code == EXIT_DONE) code = drawn;
        }
        target_free(&t);
    }
    target_settings_free(&set.target);
    return code;
}
