/* modelled.c -- a target that is a model in Modelica: see modelled.h. */
#include "cli/modelled.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"

bool names_a_model(const char *name)
{
    const size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".mo") == 0;
}

#ifdef KEEL_WITH_MODELS

/* Messages have several lines, with places: as they are, and one sentence for programs; the first line for a
 * row of a table. */
static int refuse_model(const modelled *m, const char *verb, const char *name)
{
    const int status = keel_model_status(m->model);
    const char *message = keel_model_message(m->model);
    if (status == KEEL_NO_MEMORY) return refuse_status(verb, status, keel_status_text(status));
    if (refused_into_text())
        return refuse(EXIT_FAILED, verb, "cannot-load", "%.*s", (int)strcspn(message, "\n"), message);
    fputs(message, stderr);
    return refuse(EXIT_FAILED, verb, "cannot-load", "%s is not a model that can be run", name);
}

void modelled_remark(const modelled *m)
{
    const char *message = m->model ? keel_model_message(m->model) : NULL;
    if (message && *message && !refused_into_text()) fputs(message, stderr);
}

static int change(modelled *m, const modelled_settings *set)
{
    int status = keel_model_levelled(m->model, set->levelled);
    for (int k = 0; k < set->parameters->count && status == KEEL_OK; k++) {
        const assignment *a = &set->parameters->each[k];
        char name[256];
        snprintf(name, sizeof name, "%.*s", a->name_length, a->name);
        status = keel_model_parameter_text(m->model, name, a->text);
    }
    for (int k = 0; k < set->starts->count && status == KEEL_OK; k++) {
        const assignment *a = &set->starts->each[k];
        char name[256];
        snprintf(name, sizeof name, "%.*s", a->name_length, a->name);
        status = keel_model_start_value(m->model, name, a->value);
    }
    return status;
}

int modelled_open(modelled *m, const char *verb, const char *name, const modelled_settings *set)
{
    *m = (modelled){0};
    int status = keel_model_read(&m->model, name, set->class_name);
    if (status != KEEL_OK) {                     /* one line, and its end */
        char text[512];
        const char *message = m->model ? keel_model_message(m->model) : keel_status_text(status);
        snprintf(text, sizeof text, "%.*s", (int)strcspn(message, "\n"), message);
        return refuse_status(verb, status, text);
    }
    status = change(m, set);
    if (status != KEEL_OK) return refuse_status(verb, status, keel_status_text(status));
    const keel_problem *problem = m->problem = keel_model_problem(m->model);
    if (!problem) return refuse_model(m, verb, name);
    keel_model_start(m->model, &m->start);       /* what it says of homotopy is one of the messages */
    modelled_remark(m);
    keel_model_experiment_of(m->model, &m->experiment);
    const keel_frame *frame = keel_problem_frame(problem);
    m->atol_each = malloc(((size_t)keel_problem_size(problem) + 1) * sizeof *m->atol_each);
    if (m->atol_each && keel_model_nominal(m->model, m->atol_each) == 0) {
        free(m->atol_each);
        m->atol_each = NULL;
    }
    m->values = malloc(((size_t)keel_model_variable_count(m->model) + 1) * sizeof *m->values);
    m->modes_before = calloc((size_t)(frame ? frame->mode_count : 0) + 1, sizeof *m->modes_before);
    m->values_before = calloc((size_t)(frame ? frame->value_count : 0) + 1, sizeof *m->values_before);
    m->before = calloc(1, sizeof *m->before);
    if (!m->values || !m->modes_before || !m->values_before || !m->before)
        return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    return modelled_choose(m, verb, set->variables);
}

int modelled_choose(modelled *m, const char *verb, const char *variables)
{
    const int all = keel_model_variable_count(m->model);
    regex_t wanted;
    if (variables && regcomp(&wanted, variables, REG_EXTENDED | REG_NOSUB))
        return usage_error(verb, "--variables takes a regular expression, not '%s'", variables);
    free(m->shown);
    free(m->names);
    m->count = 0;
    m->shown = malloc(((size_t)all + 1) * sizeof *m->shown);
    m->names = malloc(((size_t)all + 1) * sizeof *m->names);
    for (int i = 0; i < all && m->shown && m->names; i++) {
        keel_model_variable v;
        keel_model_variable_at(m->model, i, &v);
        if (variables ? regexec(&wanted, v.name, 0, NULL, 0) : v.hidden) continue;
        m->shown[m->count] = i;
        m->names[m->count++] = v.name;
    }
    if (variables) regfree(&wanted);
    if (!m->shown || !m->names) return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    return m->count > 0 || !variables ? EXIT_DONE
         : usage_error(verb, "--variables %s: no variable has such a name", variables);
}

/* The place of a variable among the shown ones, which are in order; -1: it is not shown. */
static int place_of(const modelled *m, int variable)
{
    int first = 0, end = m->count;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (m->shown[middle] < variable) first = middle + 1;
        else end = middle;
    }
    return first < m->count && m->shown[first] == variable ? first : -1;
}

/* Aliases of one variable have one representative; so have those of its derivative, `rate` [variables]. */
static int representative(const modelled *m, const keel_model_variable *v, int k, int *rate)
{
    if (v->alias < 0) return -1;
    if (v->order == 0) return place_of(m, v->alias);
    if (v->order > 1 || !rate) return -1;
    if (rate[v->alias] == 0 && v->sign > 0) rate[v->alias] = k + 1;
    return rate[v->alias] == k + 1 ? -1 : rate[v->alias] - 1;
}

void modelled_describe(const modelled *m, mat_variable *variable)
{
    int *rate = calloc((size_t)keel_model_variable_count(m->model) + 1, sizeof *rate);
    for (int k = 0; k < m->count; k++) {
        keel_model_variable v;
        keel_model_variable_at(m->model, m->shown[k], &v);
        variable[k] = (mat_variable){.name = v.name, .comment = v.comment, .unit = v.unit,
                                     .same_as = representative(m, &v, k, rate), .sign = v.sign,
                                     .constant = v.kind <= KEEL_MODEL_PARAMETER};
    }
    free(rate);
}

const char *modelled_title(const modelled *m)
{
    keel_model_structure s;
    return keel_model_structure_of(m->model, &s) != KEEL_OK ? "" : *s.comment ? s.comment : s.name;
}

bool modelled_varies(const modelled *m, int k)
{
    keel_model_variable v;
    return keel_model_variable_at(m->model, m->shown[k], &v) == KEEL_OK && v.kind > KEEL_MODEL_PARAMETER;
}

const char *modelled_unit(const modelled *m, int k)
{
    keel_model_variable v;
    return keel_model_variable_at(m->model, m->shown[k], &v) == KEEL_OK ? v.unit : "";
}

/* The variable that has no finite value. */
static void say_not_finite(const modelled *m, double t, char *message, size_t size)
{
    keel_model_variable v;
    const int count = keel_model_variable_count(m->model);
    for (int k = 0; k < count; k++) {
        if (isfinite(m->values[k]) || keel_model_variable_at(m->model, k, &v) != KEEL_OK) continue;
        snprintf(message, size, "t = %.10g: %s is %s. Check the equation that determines it", t, v.name,
                 isnan(m->values[k]) ? "not a number" : "infinite");
        return;
    }
}

int modelled_row(const modelled *m, double t, const double *y, const keel_frame *frame, double *row,
                 char *message, size_t size)
{
    const int status = keel_model_values(m->model, t, y, frame, m->values);
    const bool there = status == KEEL_OK || status == KEEL_NOT_FINITE;
    for (int k = 0; k < m->count && there; k++) row[k] = m->values[m->shown[k]];
    if (status == KEEL_NOT_FINITE) say_not_finite(m, t, message, size);
    return status;
}

void modelled_remember(const modelled *m, const keel_solver *solver)
{
    const keel_frame *now = keel_solver_frame(solver);
    if (!now) return;
    for (int k = 0; k < now->mode_count; k++) m->modes_before[k] = now->modes[k];
    for (int k = 0; k < now->value_count; k++) m->values_before[k] = now->values[k];
    *m->before = *now;
    m->before->modes = m->before->pre_modes = m->modes_before;
    m->before->values = m->before->pre_values = m->values_before;
}

void modelled_warn(const modelled *m, const keel_solver *solver, char *text, size_t size)
{
    keel_model_warning(m->model, keel_time(solver), keel_state(solver), keel_solver_frame(solver), text, size);
}

void modelled_hurry(const modelled *m, double seconds, int *state)
{
    enum { WAITING, COMPILING, SETTLED };
    static const double worth_it = 0.5;
    if (*state == WAITING && seconds > worth_it)
        *state = keel_model_compile(m->model) == KEEL_OK ? COMPILING : SETTLED;
    if (*state == COMPILING && keel_model_compiled(m->model) != 0) *state = SETTLED;
}

void modelled_free(modelled *m)
{
    keel_model_free(m->model);
    free(m->shown);
    free(m->names);
    free(m->values);
    free(m->modes_before);
    free(m->values_before);
    free(m->atol_each);
    free(m->before);
    *m = (modelled){0};
}

#else

int modelled_open(modelled *m, const char *verb, const char *name, const modelled_settings *set)
{
    (void)set;
    *m = (modelled){0};
    return refuse(EXIT_FAILED, verb, "cannot-load", "cannot use %s: this keel was built without models "
                  "(KEEL_WITH_MODELS)", name);
}

int modelled_choose(modelled *m, const char *verb, const char *variables)
{
    (void)m;
    (void)variables;
    return usage_error(verb, "there are no models in this build");
}

int modelled_row(const modelled *m, double t, const double *y, const keel_frame *frame, double *row,
                 char *message, size_t size)
{
    (void)m, (void)t, (void)y, (void)frame, (void)row, (void)message, (void)size;
    return KEEL_UNSUPPORTED;
}

void modelled_describe(const modelled *m, mat_variable *variable) { (void)m, (void)variable; }
void modelled_remark(const modelled *m) { (void)m; }

void modelled_remember(const modelled *m, const keel_solver *solver) { (void)m, (void)solver; }

void modelled_hurry(const modelled *m, double seconds, int *state) { (void)m, (void)seconds, (void)state; }

void modelled_warn(const modelled *m, const keel_solver *solver, char *text, size_t size)
{
    (void)m, (void)solver, (void)text, (void)size;
}

const char *modelled_title(const modelled *m) { return (void)m, ""; }

bool modelled_varies(const modelled *m, int k) { return (void)m, (void)k, false; }

const char *modelled_unit(const modelled *m, int k) { return (void)m, (void)k, ""; }

void modelled_free(modelled *m) { (void)m; }

#endif
