/* sweep_plan.c -- which runs a sweep makes. */
#include "cli/sweep_plan.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "core/number.h"

static const double most_rows = 1e8;

static int no_memory(void)
{
    return refuse_status("sweep", KEEL_NO_MEMORY, "no memory for the rows");
}

static int wrong_range(const assignment *a, const char *flag, bool sampled)
{
    return usage_error("sweep", "--%s takes NAME=NUMBER, NAME=A,B,... or NAME=%s, not '%s'", flag,
                       sampled ? "FROM:TO" : "FROM:TO:COUNT", a->name);
}

/* FROM:TO:COUNT, with samples FROM:TO. */
static bool read_range(const char *text, bool sampled, keel_sweep_axis *axis)
{
    char *end;
    axis->from = number_read(text, &end);
    if (end == text || *end != ':') return false;
    const char *to = end + 1;
    axis->to = number_read(to, &end);
    if (end == to || !isfinite(axis->from) || !isfinite(axis->to)) return false;
    axis->count = 2;
    if (*end == '\0') return sampled;
    if (*end != ':' || !end[1]) return false;
    const char *count = end + 1;
    axis->count = strtol(count, &end, 10);
    return *end == '\0' && axis->count >= 1 && (axis->count > 1 || axis->from == axis->to);
}

/* A text that is not read as numbers, though it begins with one or with NaN or infinity. */
static bool is_wrong_number(const char *text)
{
    char *end;
    number_read(text, &end);
    return end != text && (*end == ',' || *end == '\0');
}

static int add_column(sweep_plan *plan, const assignments *list, int place, bool is_start, bool sampled)
{
    const assignment *a = &list->each[place];
    keel_sweep_axis axis = {0};
    int count = 0;
    double *values = NULL;
    if (strchr(a->text, ':')) {
        if (!read_range(a->text, sampled, &axis)) return wrong_range(a, is_start ? "start" : "param", sampled);
    } else {
        const bool read = strchr(a->text, ',') && read_reals(a->text, &values, &count);
        if (count == REALS_NO_MEMORY) return no_memory();
        if (!read) {                             /* a text, for a model, but for numbers that are none */
            free(values);
            return is_wrong_number(a->text) ? wrong_range(a, is_start ? "start" : "param", sampled) : EXIT_DONE;
        }
        axis.count = count;
        axis.values = values;
    }
    char *name = malloc((size_t)a->name_length + 1);
    if (!name) {
        free(values);
        return no_memory();
    }
    snprintf(name, (size_t)a->name_length + 1, "%s", a->name);
    plan->axes[plan->columns] = axis;
    plan->column[plan->columns++] = (sweep_column){is_start, place, name};
    return EXIT_DONE;
}

/* The table would show values of which only the last is used. */
static int refuse_twice(const assignments *list, bool is_start)
{
    for (int i = 1; i < list->count; i++)
        for (int k = 0; k < i; k++) {
            const assignment *a = &list->each[i], *b = &list->each[k];
            if (a->name_length == b->name_length && memcmp(a->name, b->name, (size_t)a->name_length) == 0)
                return usage_error("sweep", "--%s %.*s is given twice", is_start ? "start" : "param",
                                   a->name_length, a->name);
        }
    return EXIT_DONE;
}

static int add_columns(sweep_plan *plan, const assignments *list, bool is_start, bool sampled)
{
    int code = refuse_twice(list, is_start);
    for (int i = 0; i < list->count && code == EXIT_DONE; i++)
        if (isnan(list->each[i].value)) code = add_column(plan, list, i, is_start, sampled);
    return code;
}

static int lay_out(sweep_plan *plan, long samples, unsigned long seed)
{
    plan->rows = samples > 0 ? samples : keel_sweep_grid_rows(plan->axes, plan->columns);
    if (plan->rows < 0 || (double)plan->rows > most_rows)
        return usage_error("sweep", "the values of --param and --start make more than %g runs", most_rows);
    plan->values = malloc(((size_t)plan->rows * (size_t)plan->columns + 1) * sizeof *plan->values);
    if (!plan->values) return no_memory();
    if (samples > 0) keel_sweep_samples(plan->axes, plan->columns, samples, seed, plan->values);
    else keel_sweep_grid(plan->axes, plan->columns, plan->values);
    return EXIT_DONE;
}

int sweep_plan_make(sweep_plan *plan, const target_settings *base, long samples, unsigned long seed)
{
    const size_t most = (size_t)base->parameters.count + (size_t)base->starts.count + 1;
    *plan = (sweep_plan){.base = base, .column = calloc(most, sizeof *plan->column),
                         .axes = calloc(most, sizeof *plan->axes)};
    if (!plan->column || !plan->axes) return no_memory();
    int code = add_columns(plan, &base->parameters, false, samples > 0);
    if (code == EXIT_DONE) code = add_columns(plan, &base->starts, true, samples > 0);
    if (code != EXIT_DONE) return code;
    if (plan->columns == 0)
        return usage_error("sweep", "nothing differs from run to run: give a range, such as --param "
                           "NAME=FROM:TO:COUNT or --start NAME=A,B,...");
    return lay_out(plan, samples, seed);
}

void sweep_plan_free(sweep_plan *plan)
{
    for (int i = 0; i < plan->columns; i++) {
        free((void *)(uintptr_t)plan->column[i].name);
        free((void *)(uintptr_t)plan->axes[i].values);
    }
    free(plan->column);
    free(plan->axes);
    free(plan->values);
}

/* ---- settings of one row --------------------------------------------------------------------- */

static bool copy_assignments(assignments *to, const assignments *from)
{
    *to = (assignments){from->count, malloc(((size_t)from->count + 1) * sizeof *to->each)};
    if (to->each && from->count > 0) memcpy(to->each, from->each, (size_t)from->count * sizeof *to->each);
    return to->each != NULL;
}

bool row_settings_make(row_settings *r, const sweep_plan *plan)
{
    *r = (row_settings){.settings = *plan->base};
    target_settings *set = &r->settings;
    set->parameters = set->starts = set->modes = set->values = (assignments){0};
    r->texts = calloc((size_t)plan->columns + 1, sizeof *r->texts);
    return r->texts && copy_assignments(&set->parameters, &plan->base->parameters)
        && copy_assignments(&set->starts, &plan->base->starts)
        && copy_assignments(&set->modes, &plan->base->modes)
        && copy_assignments(&set->values, &plan->base->values);
}

void row_settings_fill(row_settings *r, const sweep_plan *plan, const double *values, bool texts)
{
    for (int i = 0; i < plan->columns; i++) {
        const sweep_column *c = &plan->column[i];
        assignments *list = c->is_start ? &r->settings.starts : &r->settings.parameters;
        list->each[c->place].value = values[i];
        list->each[c->place].text = r->texts[i];
        if (texts) number_exact(r->texts[i], values[i]);
    }
}

void row_settings_free(row_settings *r)
{
    target_settings_free(&r->settings);
    free(r->texts);
}
