/* target.c -- what a run integrates: a bundled problem with the values the user changed. */
#include "cli/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"

int unknown_problem(const char *verb, const char *name)
{
    int count = 0;
    const bundled_problem *const *all = bundled_problems(&count);
    const char **known = malloc((size_t)count * sizeof *known);
    for (int i = 0; known && i < count; i++) known[i] = all[i]->name;
    const int code = unknown_name(verb, "problem", name, known, known ? count : 0,
                                  "'keel problems' lists them");
    free(known);
    return code;
}

static int failed(const char *verb, int status, const char *message)
{
    fprintf(stderr, "keel %s: %s: %s\n", verb, keel_status_name(status), message);
    return EXIT_FAILED;
}

static int position(const assignment *a, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == (size_t)a->name_length
            && strncmp(names[i], a->name, (size_t)a->name_length) == 0) return i;
    return -1;
}

/* Stores each value at the place of its name; marks (may be NULL) become KEEL_FIXED there. */
static int assign(const char *verb, const char *what, const assignments *list,
                  const char *const *names, int count, double *values, keel_mark *marks)
{
    for (int k = 0; k < list->count; k++) {
        const assignment *a = &list->each[k];
        const int i = position(a, names, count);
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

static int set_parameters(target *t, const char *verb, const assignments *given)
{
    const bundled_problem *b = t->bundled;
    const char **names = malloc(((size_t)b->parameter_count + 1) * sizeof *names);
    t->parameters = malloc(((size_t)b->parameter_count + 1) * sizeof *t->parameters);
    int code = names && t->parameters ? EXIT_DONE : failed(verb, KEEL_NO_MEMORY, "no memory");

    for (int i = 0; code == EXIT_DONE && i < b->parameter_count; i++) {
        names[i] = b->parameters[i].name;
        t->parameters[i] = b->parameters[i].value;
    }
    if (code == EXIT_DONE)
        code = assign(verb, "parameter", given, names, b->parameter_count, t->parameters, NULL);
    free(names);
    return code;
}

/* As the library marks unknowns by itself: the last of several groups (multipliers, algebraic
 * unknowns) is free, the others are guesses. */
static void default_marks(const keel_problem *problem, int size, keel_mark *marks)
{
    int group[3] = {0};
    const char *name[3];
    const int groups = keel_problem_groups(problem, group, name);
    const int bound = groups > 1 ? size - group[groups - 1] : size;
    for (int i = 0; i < size; i++) marks[i] = i < bound ? KEEL_GUESS : KEEL_FREE;
}

static int set_start(target *t, const char *verb, const assignments *given)
{
    const size_t size = (size_t)t->size + 1;
    t->y = malloc(size * sizeof *t->y);
    t->marks = malloc(size * sizeof *t->marks);
    t->names = malloc(size * sizeof *t->names);
    if (!t->y || !t->marks || !t->names) return failed(verb, KEEL_NO_MEMORY, "no memory");

    for (int i = 0; i < t->size; i++) t->names[i] = keel_variable_name(t->problem, i);
    default_marks(t->problem, t->size, t->marks);
    if (t->bundled->exact) t->bundled->exact(t->parameters, t->t_start, t->y);
    else t->bundled->start(t->parameters, t->y);
    return assign(verb, "variable", given, t->names, t->size, t->y, t->marks);
}

int target_open(target *t, const char *verb, const char *name, double t_start, double t_end,
                const assignments *parameters, const assignments *starts)
{
    *t = (target){.bundled = bundled_problem_find(name)};
    if (!t->bundled) return unknown_problem(verb, name);
    t->t_start = isnan(t_start) ? t->bundled->t_start : t_start;
    t->t_end = isnan(t_end) ? t->bundled->t_end : t_end;
    t->reference_applies = starts->count == 0
        && (t->bundled->exact || t->t_start == t->bundled->t_start);

    int code = set_parameters(t, verb, parameters);
    if (code != EXIT_DONE) return code;
    const int status = t->bundled->create(&t->problem, t->parameters);
    if (status != KEEL_OK)
        return failed(verb, status, t->problem ? keel_problem_message(t->problem)
                                               : keel_status_text(status));
    t->size = keel_problem_size(t->problem);
    return set_start(t, verb, starts);
}

void target_free(target *t)
{
    keel_problem_free(t->problem);
    free(t->parameters);
    free(t->y);
    free(t->marks);
    free(t->names);
}
