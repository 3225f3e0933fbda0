/* target.c -- what a run integrates: a bundled problem or one of a file, with the values the user
 * changed, possibly in another formulation. */
#include "cli/target.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"

int unknown_problem(const char *verb, const char *name)
{
    int count = 0, more = 0;
    const bundled_problem *const *all = bundled_problems(&count);
    const bundled_problem *const *boundary = bundled_boundary_problems(&more);
    const char **known = malloc((size_t)(count + more) * sizeof *known);
    for (int i = 0; known && i < count; i++) known[i] = all[i]->name;
    for (int i = 0; known && i < more; i++) known[count + i] = boundary[i]->name;
    const int code = unknown_name(verb, "problem", name, known, known ? count + more : 0,
                                  "'keel problems' lists them");
    free(known);
    return code;
}

/* Stores each value at the place of its name; marks (may be NULL) become KEEL_FIXED there. */
static int assign(const char *verb, const char *what, const assignments *list,
                  const char *const *names, int count, double *values, keel_mark *marks)
{
    for (int k = 0; k < list->count; k++) {
        const assignment *a = &list->each[k];
        const int i = assignment_position(a, names, count);
        if (i < 0) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", a->name_length, a->name);
            return unknown_name(verb, what, name, names, count,
                                count ? "'keel problems NAME' lists them" : "there are none");
        }
        values[i] = a->value;
        if (marks) marks[i] = KEEL_FIXED;
    }
    return EXIT_DONE;
}

static int check_bounds(const bundled_problem *b, const char *verb, const double *parameters)
{
    for (int i = 0; b->bounds && i < b->parameter_count; i++)
        if (!(parameters[i] >= b->bounds[i][0] && parameters[i] <= b->bounds[i][1]))
            return usage_error(verb, "--param %s takes a number from %g to %g, not %g",
                               b->parameters[i].name, b->bounds[i][0], b->bounds[i][1],
                               parameters[i]);
    return EXIT_DONE;
}

/* Names that are none of the target's are left to the frame of its problem. */
static int set_parameters(target *t, const char *verb, const assignments *given)
{
    const bundled_problem *b = t->bundled;
    if (!t->parameters)          /* else the problem points to them */
        t->parameters = malloc(((size_t)b->parameter_count + 1) * sizeof *t->parameters);
    if (!t->parameters) return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    for (int i = 0; i < b->parameter_count; i++) {
        t->parameters[i] = b->parameters[i].value;
        for (int k = 0; k < given->count; k++)
            if (assignment_position(&given->each[k], &b->parameters[i].name, 1) == 0)
                t->parameters[i] = given->each[k].value;
    }
    return check_bounds(b, verb, t->parameters);
}

/* As the library marks unknowns by itself: the last of several groups (multipliers, algebraic
 * unknowns) is free, the others are guesses. */
static void default_marks(const keel_problem *problem, keel_mark *marks)
{
    int group[3] = {0};
    const char *name[3];
    const int size = keel_problem_size(problem);
    const int groups = keel_problem_groups(problem, group, name);
    const int bound = groups > 1 ? size - group[groups - 1] : size;
    for (int i = 0; i < size; i++) marks[i] = i < bound ? KEEL_GUESS : KEEL_FREE;
}

static size_t largest_size(const target *t)
{
    size_t most = 1;
    for (int k = 0; k < t->links; k++)
        if ((size_t)keel_problem_size(t->chain[k]) > most) most = (size_t)keel_problem_size(t->chain[k]);
    return most;
}

/* Initial values of the original, or of a boundary value problem some that it can have. */
static void original_start(const target *t, double *y)
{
    const bundled_problem *b = t->bundled;
    if (b->exact) {
        b->exact(t->parameters, t->t_start, y);
    } else if (b->start) {
        b->start(t->parameters, y);
    } else {
        const keel_boundary_spec *spec = b->boundary->spec;
        double *p = calloc((size_t)spec->parameters + 1, sizeof *p);
        for (int i = 0; i < b->size; i++) y[i] = 0;
        if (spec->guess && p) spec->guess(t->t_start, y, p, t->parameters);
        free(p);
    }
}

/* The start of the original as that of the formulation. */
static int translate_start(target *t, const char *verb)
{
    if (t->links == 1) {
        original_start(t, t->y);
        return EXIT_DONE;
    }
    const size_t size = largest_size(t);
    double *y = malloc(size * sizeof *y), *next = malloc(size * sizeof *next);
    if (y) original_start(t, y);
    for (int k = 1; y && next && k < t->links; k++) {
        keel_formulation_from(t->chain[k], y, next);
        memcpy(y, next, (size_t)keel_problem_size(t->chain[k]) * sizeof *y);
    }
    const bool done = y && next;
    if (done) memcpy(t->y, y, (size_t)t->size * sizeof *y);
    free(y);
    free(next);
    return done ? EXIT_DONE : refuse_status(verb, KEEL_NO_MEMORY, "no memory");
}

/* Values, and marks where some are given: else the library knows which unknowns are algebraic. */
static int fill_start(target *t, const char *verb, const assignments *given)
{
    if (t->marks) default_marks(t->problem, t->marks);
    const int code = translate_start(t, verb);
    return code == EXIT_DONE ? assign(verb, "variable", given, t->names, t->size, t->y, t->marks) : code;
}

static int set_start(target *t, const char *verb, const assignments *given)
{
    const size_t size = (size_t)t->size + 1;
    const bool marked = given->count > 0;
    t->y = malloc(size * sizeof *t->y);
    t->marks = marked ? malloc(size * sizeof *t->marks) : NULL;
    t->names = malloc(size * sizeof *t->names);
    if (!t->y || (marked && !t->marks) || !t->names)
        return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    for (int i = 0; i < t->size; i++) t->names[i] = keel_variable_name(t->problem, i);
    t->shown = t->names;
    t->shown_count = t->size;
    return fill_start(t, verb, given);
}

/* ---- formulations -------------------------------------------------------------------------- */

static int unknown_formulation(const char *verb, const char *name)
{
    const int count = keel_formulation_count();
    const char **known = malloc(((size_t)count + 1) * sizeof *known);
    char all[200] = "choose one of";
    size_t used = strlen(all);
    int found = 0;
    for (int i = 0; known && i < count; i++) {
        keel_formulation_info info;
        if (keel_formulation_at(i, &info) != KEEL_OK) continue;
        known[found++] = info.name;
        const int wrote = snprintf(all + used, sizeof all - used, "%s %s", i ? "," : "", info.name);
        if (wrote > 0 && (size_t)wrote < sizeof all - used) used += (size_t)wrote;
    }
    const int code = unknown_name(verb, "formulation", name, known, found, all);
    free(known);
    return code;
}

static bool formulation_known(const char *name)
{
    keel_formulation_info info;
    for (int i = 0; i < keel_formulation_count(); i++)
        if (keel_formulation_at(i, &info) == KEEL_OK && strcmp(info.name, name) == 0) return true;
    return false;
}

static int read_embedding(target *t, const char *verb, const char *text)
{
    const int m = keel_problem_constraints(t->original), wanted = 4 * m * m;
    int count = 0;
    if (!text) return EXIT_DONE;
    const bool read = read_reals(text, &t->C, &count);
    if (count == REALS_NO_MEMORY) return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    if (!read)
        return usage_error(verb, "--embedding takes numbers with commas between, not '%s'", text);
    if (count == wanted) return EXIT_DONE;
    return usage_error(verb, "--embedding needs %d numbers for %d constraint%s (a matrix of %d "
                       "rows), not %d", wanted, m, m == 1 ? "" : "s", 2 * m, count);
}

/* Adds the formulation `name` of the last problem of the chain. */
static int add_link(target *t, const char *verb, const target_settings *set, const char *name)
{
    if (!formulation_known(name)) return unknown_formulation(verb, name);
    if (t->links > FORMULATIONS_MOST)
        return usage_error(verb, "--formulation takes at most %d names", FORMULATIONS_MOST);
    keel_problem **next = &t->chain[t->links++];
    const int status = keel_formulate(next, t->problem, &(keel_formulation){
        .name = name, .alpha = set->alpha, .beta = set->beta, .C = t->C});
    if (status != KEEL_OK)
        return refuse_status(verb, status, *next ? keel_problem_message(*next)
                                                 : keel_status_text(status));
    t->problem = *next;
    return EXIT_DONE;
}

static int reformulate(target *t, const char *verb, const target_settings *set)
{
    if (keel_problem_form(t->original) == KEEL_FORM_LEVELLED)
        snprintf(t->standard_name, sizeof t->standard_name, "levelled");
    else
        snprintf(t->standard_name, sizeof t->standard_name, "index%d",
                 keel_problem_index(t->original));
    t->formulation = t->standard_name;
    t->problem = t->chain[0] = t->original;
    t->links = 1;
    if (!set->formulation) {
        const char *orphan = set->alpha > 0 ? "alpha" : set->beta > 0 ? "beta"
                           : set->embedding ? "embedding" : NULL;
        return orphan ? usage_error(verb, "--%s needs --formulation NAME", orphan) : EXIT_DONE;
    }
    int code = read_embedding(t, verb, set->embedding);
    t->formulation = set->formulation;
    for (const char *at = set->formulation; at && code == EXIT_DONE;) {
        const size_t length = strcspn(at, ",");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), at);
        code = add_link(t, verb, set, name);
        at = at[length] ? at + length + 1 : NULL;
    }
    return code;
}

int target_start(const target *t, keel_solver *solver)
{
    keel_start_spec spec = {.t = t->t_start, .y = t->y, .marks = t->marks};
    if (t->modelled.model && t->problem == t->original) {
        spec = t->modelled.start;
        spec.t = t->t_start;
    }
    return keel_start_with(solver, &spec);
}

void target_to_original(const target *t, const double *y, double *y_original)
{
    const size_t size = largest_size(t);
    double *now = malloc(size * sizeof *now), *next = malloc(size * sizeof *next);
    if (now) memcpy(now, y, (size_t)t->size * sizeof *y);
    for (int k = t->links - 1; now && next && k > 0; k--) {
        keel_formulation_to(t->chain[k], now, next);
        memcpy(now, next, (size_t)keel_problem_size(t->chain[k - 1]) * sizeof *now);
    }
    for (int i = 0; i < keel_problem_size(t->original); i++)
        y_original[i] = now && next ? now[i] : NAN;
    free(now);
    free(next);
}

/* Multipliers that the formulation has not, from the hidden constraint of the original. */
static void complete(const target *t, double time, double *y)
{
    const int size = keel_problem_size(t->original);
    keel_solver *solver = NULL;
    double *guess = malloc(((size_t)size + 1) * sizeof *guess);

    for (int i = 0; guess && i < size; i++) guess[i] = isnan(y[i]) ? 0 : y[i];
    if (guess && keel_solver_create(&solver, t->original, &(keel_options){.method = "radau-iia"})
                    == KEEL_OK
        && target_prepare(t, solver) == KEEL_OK && keel_start(solver, time, guess) == KEEL_OK)
        for (int i = 0; i < size; i++)
            if (isnan(y[i])) y[i] = keel_state(solver)[i];
    keel_solver_free(solver);
    free(guess);
}

double target_scd(const target *t, double time, const double *y)
{
    if (!t->reference_applies) return NAN;
    double *y_original = malloc(((size_t)keel_problem_size(t->original) + 1) * sizeof *y);
    if (!y_original) return NAN;
    target_to_original(t, y, y_original);
    if (t->problem != t->original) complete(t, time, y_original);
    const double scd = bundled_scd_of_size(t->bundled, keel_problem_size(t->original), t->parameters,
                                           time, y_original, 0);
    free(y_original);
    return scd;
}

/* ---- models --------------------------------------------------------------------------------- */

void target_tolerances(const target *t, keel_options *options)
{
    const double tolerance = t->modelled.experiment.tolerance;
    if (!t->modelled.model) return;
    const bool scaled = t->modelled.atol_each && options->atol == 0 && t->problem == t->modelled.problem;
    if (tolerance > 0 && options->rtol == 0 && options->atol == 0 && options->step == 0)
        options->rtol = options->atol = tolerance;
    if (!scaled) return;
    const double atol = options->atol > 0 ? options->atol
                      : options->rtol > 0 ? options->rtol : option_standard("rtol");
    for (int i = 0; i < t->size; i++) t->modelled.atol_each[i] *= atol;
    options->atol_each = t->modelled.atol_each;
}

/* The problem belongs to the model; its start has marks, and perhaps equations of its own. */
static int open_model(target *t, const char *verb, const char *name, const target_settings *set)
{
    const modelled_settings own = {&set->parameters, &set->starts, set->class_name, set->levelled,
                                   set->variables};
    int code = modelled_open(&t->modelled, verb, name, &own);
    if (code != EXIT_DONE) return code;
    const keel_model_experiment *e = &t->modelled.experiment;
    t->own.target = (keel_target){.name = name,
                                  .title = modelled_title(&t->modelled),
                                  .t_start = isnan(e->start) ? 0 : e->start};
    t->own.target.t_end = isnan(e->stop) ? t->own.target.t_start + 1 : e->stop;
    t->bundled = &t->own.target;
    t->t_start = isnan(set->t_start) ? t->modelled.start.t : set->t_start;
    t->t_end = isnan(set->t_end) ? t->bundled->t_end : set->t_end;
    t->modelled.start.t = t->t_start;
    t->original = (keel_problem *)(uintptr_t)t->modelled.problem;
    t->own.target.size = keel_problem_size(t->original);
    t->own.target.index = keel_problem_index(t->original);
    code = framed_open(&t->frame, verb, t->original, NULL, 0, &(assignments){0}, &set->modes, &set->values);
    if (code == EXIT_DONE) code = reformulate(t, verb, set);
    if (code != EXIT_DONE) return code;
    t->size = keel_problem_size(t->problem);
    const size_t size = (size_t)t->size + 1;
    t->y = malloc(size * sizeof *t->y);
    t->marks = malloc(size * sizeof *t->marks);
    t->names = malloc(size * sizeof *t->names);
    if (!t->y || !t->marks || !t->names) return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    if (t->problem == t->original) {
        memcpy(t->y, t->modelled.start.y, (size_t)t->size * sizeof *t->y);
        memcpy(t->marks, t->modelled.start.marks, (size_t)t->size * sizeof *t->marks);
    } else {
        keel_formulation_from(t->problem, t->modelled.start.y, t->y);
        default_marks(t->problem, t->marks);
    }
    for (int i = 0; i < t->size; i++) t->names[i] = keel_variable_name(t->problem, i);
    t->shown = t->modelled.names;
    t->shown_count = t->modelled.count;
    return EXIT_DONE;
}

/* ---- opening ------------------------------------------------------------------------------- */

static int set_frame(target *t, const char *verb, const target_settings *set)
{
    return framed_open(&t->frame, verb, t->original, t->bundled->parameters, t->bundled->parameter_count,
                       &set->parameters, &set->modes, &set->values);
}

/* Once it is known which target it is. */
static int open_known(target *t, const char *verb, const char *name, const target_settings *set)
{
    if (!t->bundled->start && !set->without_start)
        return usage_error(verb, "%s is a boundary value problem, without initial values; 'keel "
                           "bvp %s' solves it", name, name);
    t->t_start = isnan(set->t_start) ? t->bundled->t_start : set->t_start;
    t->t_end = isnan(set->t_end) ? t->bundled->t_end : set->t_end;
    t->reference_applies = set->starts.count == 0
        && set->modes.count == 0 && set->values.count == 0
        && (t->bundled->exact || t->t_start == t->bundled->t_start);

    int code = set_parameters(t, verb, &set->parameters);
    if (code != EXIT_DONE) return code;
    const int status = t->bundled->create(&t->original, t->parameters);
    if (status != KEEL_OK)
        return refuse_status(verb, status, t->original ? keel_problem_message(t->original)
                                                : keel_status_text(status));
    if (t->own.library) code = own_complete(&t->own, verb, t->original);
    if (code == EXIT_DONE) code = set_frame(t, verb, set);
    if (code == EXIT_DONE) code = reformulate(t, verb, set);
    if (code != EXIT_DONE) return code;
    t->size = keel_problem_size(t->problem);
    return set_start(t, verb, &set->starts);
}

int target_open(target *t, const char *verb, const char *name, const target_settings *set)
{
    *t = (target){.bundled = bundled_problem_find(name)};
    int code = EXIT_DONE;
    if (!t->bundled && names_a_model(name)) return open_model(t, verb, name, set);
    if (!t->bundled && names_a_file(name)) {
        code = own_open(&t->own, verb, name);
        t->bundled = &t->own.target;
    }
    if (!t->bundled) return unknown_problem(verb, name);
    return code == EXIT_DONE ? open_known(t, verb, name, set) : code;
}

int target_open_again(target *t, const char *verb, const char *name, const target_settings *set,
                      const target *first)
{
    *t = (target){.bundled = first->bundled};
    return first->modelled.model ? open_model(t, verb, name, set) : open_known(t, verb, name, set);
}

/* A frame takes any value between two runs, the target's own parameters only where it says so, and a
 * model is analysed with the values it has. */
bool target_can_change(const target *t, const assignment *parameter)
{
    const bundled_problem *b = t->bundled;
    if (t->modelled.model) return false;
    for (int i = 0; i < b->parameter_count; i++)
        if (assignment_position(parameter, &b->parameters[i].name, 1) == 0) return b->live_parameters;
    return true;
}

int target_change(target *t, const char *verb, const target_settings *set)
{
    int code = set_parameters(t, verb, &set->parameters);
    if (code == EXIT_DONE && keel_problem_frame(t->original)) {
        framed_free(&t->frame);
        t->frame = (framed){0};
        code = set_frame(t, verb, set);
    }
    return code == EXIT_DONE ? fill_start(t, verb, &set->starts) : code;
}

void target_free(target *t)
{
    for (int k = t->links - 1; k > 0; k--) keel_problem_free(t->chain[k]);
    if (!t->modelled.model) keel_problem_free(t->original);
    modelled_free(&t->modelled);
    own_close(&t->own);
    framed_free(&t->frame);
    free(t->C);
    free(t->parameters);
    free(t->y);
    free(t->marks);
    free(t->names);
}

void target_settings_free(target_settings *settings)
{
    free(settings->parameters.each);
    free(settings->starts.each);
    free(settings->modes.each);
    free(settings->values.each);
    settings->parameters = settings->starts = settings->modes = settings->values = (assignments){0};
}
