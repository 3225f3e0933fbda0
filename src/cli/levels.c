/* levels.c -- constraint levels of a target: their names, and whether steps leave them. */
#include "cli/levels.h"

#include <stdio.h>
#include <string.h>

/* Levels of g and its derivatives, all but that of attached rows. */
static int linked_levels(const keel_problem *problem)
{
    if (keel_problem_constraints(problem) == 0) return 0;
    switch (keel_problem_form(problem)) {
    case KEEL_FORM_SEMI_EXPLICIT: return 1;
    case KEEL_FORM_HESSENBERG2: return 2;
    case KEEL_FORM_HESSENBERG3:
    case KEEL_FORM_MECHANICAL: return 3;
    case KEEL_FORM_LEVELLED: return keel_problem_index(problem);
    default: return 0;
    }
}

static const keel_problem *root_of(const keel_problem *problem)
{
    const keel_problem *original = keel_problem_original(problem);
    return original ? root_of(original) : problem;
}

const char *level_name(const keel_problem *problem, int level, char text[LEVEL_NAME])
{
    static const char *const name[] = {"position", "velocity", "acceleration"};
    const keel_problem *root = root_of(problem);
    const int linked = linked_levels(root), k = linked - 1 - level;
    if (level >= linked) return "attached";
    if (keel_problem_form(root) != KEEL_FORM_LEVELLED) return name[level];
    if (k == 0) return "g";
    snprintf(text, LEVEL_NAME, "h_%d", k);
    return text;
}

bool level_has_multipliers(const keel_problem *problem, int level)
{
    return level == linked_levels(root_of(problem)) - 1;
}

const char *level_row(const keel_problem *problem, int level)
{
    const char *name = keel_level_rows(problem, level) == 1 ? keel_row_name(problem, level, 0) : "";
    const bool standard = strcmp(name, "g[0]") == 0 || strcmp(name, "h[0]") == 0
                       || strcmp(name, "phi[0]") == 0;
    return *name && !standard ? name : NULL;
}

int attached_rows(const keel_problem *problem)
{
    return keel_level_rows(problem, linked_levels(root_of(problem)));
}

int residual_curves(const keel_problem *problem)
{
    const int rows = attached_rows(problem), levels = keel_problem_levels(problem);
    return rows > 0 && rows <= RESIDUAL_CURVES - KEEL_LEVELS_MOST ? levels - 1 + rows : levels;
}

int residual_curve_row(const keel_problem *problem, int curve)
{
    const int linked = linked_levels(root_of(problem)), curves = residual_curves(problem);
    return curve >= linked && curves - linked == attached_rows(problem) ? curve - linked : -1;
}

const char *residual_curve_name(const keel_problem *problem, int curve, char text[LEVEL_NAME])
{
    const int row = residual_curve_row(problem, curve);
    return row < 0 ? level_name(problem, curve, text)
                   : keel_row_name(problem, linked_levels(root_of(problem)), row);
}

bool target_has_hidden_levels(const target *t)
{
    return linked_levels(t->original) > 0 && keel_problem_index(t->problem) >= 2;
}

bool target_has_manifold(const target *t)
{
    return target_has_hidden_levels(t)
        || keel_problem_levels(t->original) > linked_levels(t->original);
}

int target_stage_index(const target *t)
{
    const int index = keel_problem_index(t->problem);
    if (keel_problem_form(t->problem) != KEEL_FORM_LEVELLED) return index;
    const int wanted = strncmp(t->formulation, "index", 5) == 0 ? t->formulation[5] - '0' : 1;
    return wanted < index ? wanted : index;
}
