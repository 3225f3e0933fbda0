/* arguments.c -- command lines, parsed and explained from tables. */
#include "cli/arguments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "core/number.h"
#include "core/text.h"
#include "method/suggest.h"
#include "report/table.h"

int unknown_name(const char *verb, const char *what, const char *name,
                 const char *const *known, int count, const char *otherwise)
{
    const char *closest = closest_name(name, known, count);
    if (closest)
        return usage_error(verb, "unknown %s '%s'; did you mean '%s'?", what, name, closest);
    return usage_error(verb, "unknown %s '%s'; %s", what, name, otherwise);
}

/* ---- values -------------------------------------------------------------------------------- */

static bool read_real(const char *text, double *value)
{
    char *end;
    *value = number_read(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool read_count(const char *text, long *value)
{
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return end != text && *end == '\0' && errno == 0;
}

enum { REALS_MOST = 10000 };

static bool append_real(double **values, int *count, double value)
{
    if (*count >= REALS_MOST) return false;
    double *grown = realloc(*values, (size_t)(*count + 1) * sizeof *grown);
    if (!grown) return *count = REALS_NO_MEMORY, false;
    *values = grown;
    grown[(*count)++] = value;
    return true;
}

/* What "..." stands for between the numbers so far and `last`. */
static bool append_progression(double **values, int *count, double last)
{
    if (*count == 0) return false;
    const double before = (*values)[*count - 1];
    const double ratio = *count > 1 ? before / (*values)[*count - 2] : last < before ? 0.1 : 10;
    if (!(before > 0) || !(last > 0) || !(ratio > 0) || ratio == 1) return false;
    const double terms = log(last / before) / log(ratio);
    if (!(terms > 0) || terms > REALS_MOST) return false;
    for (int k = 1; k < terms - 0.5; k++)
        if (!append_real(values, count, before * pow(ratio, k))) return false;
    return append_real(values, count, last);
}

bool read_reals(const char *text, double **values, int *count)
{
    bool elliptic = false;
    *count = 0;
    while (text) {
        const char *comma = strchr(text, ',');
        char word[64];
        double value;
        snprintf(word, sizeof word, "%.*s", comma ? (int)(comma - text) : (int)strlen(text), text);
        text = comma ? comma + 1 : NULL;
        if (strcmp(word, "...") == 0 && !elliptic && text) {
            elliptic = true;
            continue;
        }
        if (!read_real(word, &value)) return false;
        if (!(elliptic ? append_progression(values, count, value)
                       : append_real(values, count, value))) return false;
        elliptic = false;
    }
    return true;
}

/* False after a complaint. */
static bool append_assignment(const syntax *s, const argument *row, assignments *list,
                              const char *text)
{
    const char *equals = strchr(text, '=');
    assignment a = {.name = text};
    if (!equals || equals == text || !equals[1])
        return usage_error(s->verb, "--%s takes NAME=NUMBER, not '%s'", row->name, text), false;
    a.text = equals + 1;
    if (!read_real(a.text, &a.value)) a.value = NAN;
    a.name_length = (int)(equals - text);

    assignment *grown = realloc(list->each, (size_t)(list->count + 1) * sizeof *grown);
    if (!grown) return usage_error(s->verb, "no memory for --%s", row->name), false;
    list->each = grown;
    list->each[list->count++] = a;
    return true;
}

static int wrong_number(const syntax *s, const argument *row, const char *value, const char *what)
{
    if (row->above > -INFINITY)
        return usage_error(s->verb, "--%s takes a %s above %g, not '%s'", row->name, what,
                           row->above, value);
    return usage_error(s->verb, "--%s takes a %s, not '%s'", row->name, what, value);
}

/* Stores `value` into the field of `row`; false after a complaint. */
static bool apply_argument(const syntax *s, const argument *row, const char *value, void *settings)
{
    void *field = (char *)settings + row->offset;
    double real;
    long count;

    switch (row->kind) {
    case ARGUMENT_FLAG:
        *(bool *)field = true;
        return true;
    case ARGUMENT_REAL:
        if (!read_real(value, &real) || !(real > row->above))
            return wrong_number(s, row, value, "number"), false;
        *(double *)field = real;
        return true;
    case ARGUMENT_COUNT:
        if (!read_count(value, &count) || !((double)count > row->above))
            return wrong_number(s, row, value, "whole number"), false;
        *(long *)field = count;
        return true;
    case ARGUMENT_TEXT:
        *(const char **)field = value;
        return true;
    case ARGUMENT_ASSIGNMENT:
        return append_assignment(s, row, field, value);
    }
    return false;
}

static bool apply_option(const syntax *s, const keel_option *row, const char *value,
                         keel_options *solver)
{
    char message[256] = "";
    const char *given = row->kind == KEEL_OPTION_FLAG ? "1" : value;
    if (keel_option_set(solver, row->name, given, message, sizeof message) == KEEL_OK) return true;
    usage_error(s->verb, "%s", message);
    return false;
}

/* ---- the command line ---------------------------------------------------------------------- */

bool argument_given(int argc, char **argv, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, length) == 0
            && (argv[i][2 + length] == '\0' || argv[i][2 + length] == '=')) return true;
    return false;
}

static const argument *find_argument(const syntax *s, const char *name, size_t length)
{
    for (int i = 0; i < s->argument_count; i++) {
        const argument *row = &s->arguments[i];
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0) return row;
    }
    return NULL;
}

static const keel_option *find_option(const syntax *s, const char *name, size_t length)
{
    int count = 0;
    const keel_option *rows = keel_option_table(&count);
    for (int i = 0; s->solver_options && i < count; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

double option_standard(const char *name)
{
    int count = 0;
    const keel_option *rows = keel_option_table(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0) return rows[i].standard;
    return 0;
}

static void unknown_argument(const syntax *s, const char *name, size_t length)
{
    int options = 0, count = 0;
    const keel_option *rows = keel_option_table(&options);
    const char **known = malloc((size_t)(s->argument_count + options + 1) * sizeof *known);
    char given[64];

    snprintf(given, sizeof given, "%.*s", (int)length, name);
    for (int i = 0; known && i < s->argument_count; i++) known[count++] = s->arguments[i].name;
    for (int i = 0; known && s->solver_options && i < options; i++) known[count++] = rows[i].name;
    const char *closest = known ? closest_name(given, known, count) : NULL;
    if (closest)
        usage_error(s->verb, "unknown option '--%s'; did you mean '--%s'?", given, closest);
    else
        usage_error(s->verb, "unknown option '--%s'; 'keel %s --help' lists them", given, s->verb);
    free(known);
}

/* One `--name value` or `--name=value`; returns the words used, 0 after a complaint. */
static int parse_option(const syntax *s, char **argv, void *settings, keel_options *solver)
{
    const char *name = argv[0] + 2, *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const argument *row = find_argument(s, name, length);
    const keel_option *option = row ? NULL : find_option(s, name, length);
    if (!row && !option) return unknown_argument(s, name, length), 0;

    const bool is_flag = row ? row->kind == ARGUMENT_FLAG : option->kind == KEEL_OPTION_FLAG;
    const char *value = equals ? equals + 1 : is_flag ? NULL : argv[1];
    if (is_flag && value)
        return usage_error(s->verb, "--%.*s takes no value", (int)length, name), 0;
    if (!is_flag && !value)
        return usage_error(s->verb, "--%s needs a value", name), 0;

    const bool applied = row ? apply_argument(s, row, value, settings)
                             : apply_option(s, option, value, solver);
    return !applied ? 0 : is_flag || equals ? 1 : 2;
}

/* ---- help ---------------------------------------------------------------------------------- */

static void describe_argument(table *list, const argument *row)
{
    table_cell(list, "--%s%s%s", row->name, row->value_name ? " " : "",
               row->value_name ? row->value_name : "");
    table_cell(list, "%s", row->help);
}

static void describe_option(table *list, const keel_option *row)
{
    static const char *const value_name[] = {
        [KEEL_OPTION_REAL] = " X", [KEEL_OPTION_INTEGER] = " N", [KEEL_OPTION_COUNT] = " N",
        [KEEL_OPTION_CHOICE] = " NAME", [KEEL_OPTION_TEXT] = " NAME", [KEEL_OPTION_FLAG] = "",
    };
    table_cell(list, "--%s%s", row->name, value_name[row->kind]);
    if (row->kind == KEEL_OPTION_CHOICE)
        table_cell(list, "%s: %s", row->help, row->choices);
    else if (row->standard != 0)
        table_cell(list, "%s (default %g)", row->help, row->standard);
    else
        table_cell(list, "%s", row->help);
}

static void print_help(const syntax *s)
{
    table list = {.columns = 2, .align = "ll", .indent = "  "};
    table options = list;
    int count = 0;
    const keel_option *rows = keel_option_table(&count);

    printf("usage: keel %s", s->verb);
    if (s->operand) printf(s->operand_required ? " %s" : " [%s]", s->operand);
    printf(" [options]\n\n%s\n\noptions\n", s->purpose);
    for (int i = 0; i < s->argument_count; i++) describe_argument(&list, &s->arguments[i]);
    table_cell(&list, "--help");
    table_cell(&list, "print this help");
    table_print(&list, stdout);
    table_free(&list);

    if (!s->solver_options) return;
    printf("\noptions of the solver\n");
    for (int i = 0; i < count; i++)              /* a verb's own meaning goes first */
        if (!find_argument(s, rows[i].name, strlen(rows[i].name)))
            describe_option(&options, &rows[i]);
    table_print(&options, stdout);
    table_free(&options);
}

/* Only parameters of models take values that are no numbers: true, {1, 2}, a + b. */
static bool check_assignments(const syntax *s, const void *settings, const char *operand)
{
    const size_t length = operand ? strlen(operand) : 0;
    const bool model = length > 3 && strcmp(operand + length - 3, ".mo") == 0;
    if (s->ranges) return true;
    for (int i = 0; i < s->argument_count; i++) {
        const argument *row = &s->arguments[i];
        if (row->kind != ARGUMENT_ASSIGNMENT || (model && strcmp(row->name, "param") == 0)) continue;
        const assignments *list = (const assignments *)((const char *)settings + row->offset);
        for (int k = 0; k < list->count; k++)
            if (isnan(list->each[k].value))
                return usage_error(s->verb, "--%s takes NAME=NUMBER, not '%s'", row->name,
                                   list->each[k].name), false;
    }
    return true;
}

parse_outcome parse_arguments(const syntax *s, int argc, char **argv, void *settings,
                              keel_options *solver, const char **operand)
{
    if (operand) *operand = NULL;
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return print_help(s), PARSED_HELP;

    for (int i = 0; i < argc;) {
        if (strncmp(argv[i], "--", 2) == 0) {
            const int used = parse_option(s, argv + i, settings, solver);
            if (used == 0) return PARSED_WRONG;
            i += used;
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            return usage_error(s->verb, "unknown option '%s'; options begin with two dashes",
                               argv[i]), PARSED_WRONG;
        } else if (!s->operand || *operand) {
            return usage_error(s->verb, "unexpected argument '%s'", argv[i]), PARSED_WRONG;
        } else {
            *operand = argv[i++];
        }
    }
    if (s->operand_required && !*operand)
        return usage_error(s->verb, "%s is missing", s->operand), PARSED_WRONG;
    return check_assignments(s, settings, operand ? *operand : NULL) ? PARSED : PARSED_WRONG;
}
