/* options.c -- one row per option: name, field, default, range, choices, help.
 *
 * Defaults, validation, command-line flags and the manual's option page all read this table.
 */
#include "core/options.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/sized.h"

#define FIELD(name) offsetof(keel_options, name)

static const keel_option table[] = {
    {"method", KEEL_OPTION_TEXT, FIELD(method), 0, 0, 0, NULL,
     "integration method; see `keel methods` (default auto)"},
    {"rtol", KEEL_OPTION_REAL, FIELD(rtol), 1e-6, 1e-14, 0.1, NULL, "relative tolerance"},
    {"atol", KEEL_OPTION_REAL, FIELD(atol), 0, DBL_MIN, DBL_MAX, NULL,
     "absolute tolerance (default: rtol)"},
    {"step", KEEL_OPTION_REAL, FIELD(step), 0, DBL_MIN, DBL_MAX, NULL,
     "constant step size, without error test"},
    {"first-step", KEEL_OPTION_REAL, FIELD(first_step), 0, DBL_MIN, DBL_MAX, NULL,
     "first step size (default: automatic)"},
    {"max-step", KEEL_OPTION_REAL, FIELD(max_step), 0, DBL_MIN, DBL_MAX, NULL,
     "largest step size (default: no limit)"},
    {"max-steps", KEEL_OPTION_COUNT, FIELD(max_steps), 10000000, 1, 1e15, NULL,
     "attempted steps before giving up"},
    {"projection", KEEL_OPTION_CHOICE, FIELD(projection), 0, 0, 0, 
     "oblique|none|explicit|orthogonal|velocity|position",
     "projection onto the constraints after each step"},
    {"metric", KEEL_OPTION_CHOICE, FIELD(metric), 0, 0, 0, "euclidean|tolerance|mass",
     "inner product of the orthogonal projection"},
    {"multipliers", KEEL_OPTION_CHOICE, FIELD(multipliers), 0, 0, 0,
     "auto|hidden|recursion|polynomial",
     "multipliers from the hidden constraint, the recursion of the method or the stage polynomial"},
    {"linear", KEEL_OPTION_CHOICE, FIELD(linear), 0, 0, 0, "auto|dense|band|sparse|mechanical|umfpack|krylov",
     "linear algebra; sparse: by KLU, umfpack: by UMFPACK where the build has it, krylov: by GMRES with "
     "ILU(0), auto: by size"},
    {"iteration", KEEL_OPTION_CHOICE, FIELD(iteration), 0, 0, 0, "auto|saddle|full",
     "Newton matrix of mechanical problems"},
    {"sweeps", KEEL_OPTION_INTEGER, FIELD(sweeps), 0, -1, 8, NULL,
     "refinement sweeps per Newton iteration of mechanical problems; -1: none (default: 1 with 3 "
     "stages, else 2)"},
    {"newton-limit", KEEL_OPTION_INTEGER, FIELD(newton_limit), 0, 1, 100, NULL,
     "Newton iterations per attempt (default: 7 for 3 stages, more for more)"},
    {"initial", KEEL_OPTION_CHOICE, FIELD(initial), 0, 0, 0, "consistent|given|formulation",
     "initial values: consistent on all levels, as given, or for the formulation alone"},
    {"safety", KEEL_OPTION_REAL, FIELD(safety), 0, 0.1, 0.999, NULL,
     "safety factor of the step size control, not of general linear methods (default: 0.9; explicit "
     "0.8, mechanical 0.85)"},
    {"jacobian-differences", KEEL_OPTION_FLAG, FIELD(jacobian_differences), 0, 0, 1, NULL,
     "finite differences instead of the problem's Jacobian"},
    {"check", KEEL_OPTION_CHOICE, FIELD(check), 0, 0, 0, "auto|none",
     "compare given derivatives with differences at the start"},
    {"accumulation", KEEL_OPTION_CHOICE, FIELD(accumulation), 0, 0, 0, "fail|end",
     "where events accumulate, infinitely many in a finite time: the run fails, or ends there"},
    {"impasse", KEEL_OPTION_CHOICE, FIELD(impasse), 0, 0, 0, "stop|follow|jump",
     "at an impasse point: end, follow the curve as time turns round, or jump to the next stable "
     "branch"},
};

static const sized options_size =
    {"keel_options", sizeof(keel_options), FIELD_END(keel_options, engine),
     FIELD_END(keel_options, jacobian_differences)};

enum { ROWS = sizeof table / sizeof *table };

const keel_option *keel_option_table(int *count)
{
    if (count) *count = ROWS;
    return table;
}

/* Of tolerances 0 means the default, and this one 0. */
static int is_zero(const keel_option *row, double value)
{
    return value == KEEL_ZERO && (row->offset == FIELD(rtol) || row->offset == FIELD(atol));
}

/* The number in the field of a numeric row. */
static double field_value(const keel_options *o, const keel_option *row)
{
    const char *field = (const char *)o + row->offset;
    switch (row->kind) {
    case KEEL_OPTION_REAL: return *(const double *)(const void *)field;
    case KEEL_OPTION_COUNT: return (double)*(const long *)(const void *)field;
    case KEEL_OPTION_TEXT: return 0;
    default: return *(const int *)(const void *)field;
    }
}

static void field_store(keel_options *o, const keel_option *row, double value)
{
    char *field = (char *)o + row->offset;
    switch (row->kind) {
    case KEEL_OPTION_REAL: *(double *)(void *)field = value; break;
    case KEEL_OPTION_COUNT: *(long *)(void *)field = (long)value; break;
    case KEEL_OPTION_TEXT: break;
    default: *(int *)(void *)field = (int)value; break;
    }
}

static int choice_count(const char *choices)
{
    int count = 1;
    for (; *choices; choices++) count += *choices == '|';
    return count;
}

static int in_range(const keel_option *row, double value)
{
    if (row->kind == KEEL_OPTION_CHOICE) return value >= 0 && value < choice_count(row->choices);
    if (row->kind == KEEL_OPTION_FLAG || is_zero(row, value)) return 1;
    return value >= row->least && value <= row->most;      /* false for NaN */
}

static int range_message(const keel_option *row, double value, message *m)
{
    if (row->kind == KEEL_OPTION_CHOICE)
        return fail(m, KEEL_BAD_ARGUMENT, "%s = %g is none of the choices %s", row->name, value,
                    row->choices);
    if (row->most < 1e15)
        return fail(m, KEEL_BAD_ARGUMENT, "%s = %g is out of range: it must lie between %g and %g",
                    row->name, value, row->least, row->most);
    return fail(m, KEEL_BAD_ARGUMENT, "%s = %g is out of range: it must be positive and finite",
                row->name, value);
}

int options_resolve(keel_options *resolved, const keel_options *given, size_t size, message *m)
{
    *resolved = (keel_options){0};
    int rc = given ? sized_copy(m, options_size, resolved, given, size) : KEEL_OK;
    if (rc) return rc;
    for (int i = 0; i < ROWS; i++) {
        const keel_option *row = &table[i];
        double value = field_value(resolved, row);
        if (row->kind == KEEL_OPTION_TEXT) continue;
        if (value == 0) field_store(resolved, row, row->standard);
        else if (!in_range(row, value)) return range_message(row, value, m);
    }
    if (!resolved->method) resolved->method = "auto";
    if (resolved->atol == 0) resolved->atol = resolved->rtol;
    if (resolved->rtol == KEEL_ZERO) resolved->rtol = 0;
    if (resolved->atol == KEEL_ZERO) resolved->atol = 0;
    return KEEL_OK;
}

/* Position of `word` among "a|b|c", or -1. */
static int choice_position(const char *choices, const char *word)
{
    size_t length = strlen(word);
    for (int k = 0; choices; k++) {
        const char *bar = strchr(choices, '|');
        size_t width = bar ? (size_t)(bar - choices) : strlen(choices);
        if (width == length && strncmp(choices, word, width) == 0) return k;
        choices = bar ? bar + 1 : NULL;
    }
    return -1;
}

static int set_choice(keel_options *o, const keel_option *row, const char *value, message *m)
{
    int position = choice_position(row->choices, value);
    if (position < 0)
        return fail(m, KEEL_BAD_ARGUMENT, "%s = %s is unknown: choose one of %s", row->name, value,
                    row->choices);
    field_store(o, row, position);
    return KEEL_OK;
}

static int set_number(keel_options *o, const keel_option *row, const char *value, message *m)
{
    char *end;
    double number = number_read(value, &end);
    int whole = row->kind == KEEL_OPTION_REAL || number == floor(number);
    if (end == value || *end || !whole)
        return fail(m, KEEL_BAD_ARGUMENT, "%s = %s is not a%s number", row->name, value,
                    row->kind == KEEL_OPTION_REAL ? "" : " whole");
    if (number == 0 && is_zero(row, KEEL_ZERO)) number = KEEL_ZERO;
    int flag = row->kind == KEEL_OPTION_FLAG;    /* 0 or 1 as text, anything in the structure */
    if (flag ? number != 0 && number != 1 : !in_range(row, number))
        return range_message(row, number, m);
    field_store(o, row, number);
    return KEEL_OK;
}

static size_t field_bytes(const keel_option *row)
{
    return row->kind == KEEL_OPTION_REAL ? sizeof(double)
         : row->kind == KEEL_OPTION_COUNT ? sizeof(long)
         : row->kind == KEEL_OPTION_TEXT ? sizeof(const char *) : sizeof(int);
}

static int set(keel_options *options, size_t bytes, const char *name, const char *value, message *m)
{
    for (int i = 0; i < ROWS; i++) {
        const keel_option *row = &table[i];
        if (strcmp(row->name, name) != 0) continue;
        if (row->offset + field_bytes(row) > bytes) break;    /* newer than the program */
        if (row->kind == KEEL_OPTION_TEXT) {
            *(const char **)(void *)((char *)options + row->offset) = value;
            return KEEL_OK;
        }
        return row->kind == KEEL_OPTION_CHOICE ? set_choice(options, row, value, m)
                                               : set_number(options, row, value, m);
    }
    return fail(m, KEEL_UNKNOWN_NAME, "there is no option %s", name);
}

int keel_option_set_sized(keel_options *options, size_t bytes, const char *name,
                          const char *value, char *text, int size)
{
    message m = {""};
    if (!options || !name || !value || !text || size < 1) return KEEL_BAD_ARGUMENT;
    int rc = set(options, bytes, name, value, &m);
    if (rc) snprintf(text, (size_t)size, "%s", m.text);
    return rc;
}
