/* picture.c -- which unknowns a picture of a run shows, and drawing it. */
#include "cli/picture.h"

#include "cli/levels.h"
#include "cli/method_choice.h"
#include "report/plot.h"

int picture_curves(const target *t, int curves[PICTURE_CURVES])
{
    int group[3] = {0};
    const char *name[3];
    const int groups = keel_problem_groups(t->problem, group, name);
    const int candidates = groups > 0 && group[0] > 0 ? group[0] : t->size;
    const int count = candidates < PICTURE_CURVES ? candidates : PICTURE_CURVES;

    for (int k = 0; k < count; k++)
        curves[k] = count > 1 ? (int)((long)k * (candidates - 1) / (count - 1)) : 0;
    return count;
}

static const char *ordinate(const target *t)
{
    switch (keel_problem_form(t->problem)) {
    case KEEL_FORM_MECHANICAL:
    case KEEL_FORM_HESSENBERG3: return "positions";
    case KEEL_FORM_SEMI_EXPLICIT:
    case KEEL_FORM_LEVELLED:
    case KEEL_FORM_HESSENBERG2: return "differential unknowns";
    default: return "unknowns";
    }
}

int picture_draw(const summary *s, const int *curves, int count, const outcome *unprojected,
                 const char *file)
{
    const target *t = s->target;
    const char *names[PICTURE_CURVES], *levels[KEEL_LEVELS_MOST];
    char level[KEEL_LEVELS_MOST][LEVEL_NAME];
    char title[200], subtitle[200], tolerance[64], message[300];

    for (int k = 0; k < count; k++) names[k] = t->names[curves[k]];
    for (int k = 0; k < keel_problem_levels(t->problem); k++)
        levels[k] = level_name(t->problem, k, level[k]);
    snprintf(title, sizeof title, "%s: %s", t->bundled->name, t->bundled->title);
    snprintf(subtitle, sizeof subtitle, "%s, %s%s", method_name(s->options),
             tolerance_text(s->options, tolerance), projection_text(t, s->options));
    const plot p = {
        .title = title, .subtitle = subtitle, .ordinate = ordinate(t), .names = names,
        .trajectories = &s->outcome->curves, .residuals = &s->outcome->residuals,
        .level_names = levels,
        .unprojected = unprojected ? &unprojected->residuals : NULL,
    };
    if (plot_write(&p, file, message, sizeof message) == 0) return 0;
    fprintf(stderr, "keel run: no picture: %s\n", message);
    return -1;
}
