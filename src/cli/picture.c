/* picture.c -- which unknowns a picture of a run shows, and drawing it. */
#include "cli/picture.h"

#include <string.h>

#include "cli/events.h"
#include "cli/levels.h"
#include "cli/method_choice.h"
#include "cli/verbs.h"
#include "report/plot.h"

/* Of a model, curves are numbers of what is shown: the variables that are these unknowns. */
static void show_unknowns(picture *p, const target *t)
{
    int kept = 0;
    for (int k = 0; k < p->count; k++)
        for (int i = 0; i < t->shown_count; i++)
            if (strcmp(t->shown[i], t->names[p->curves[k]]) == 0) {
                p->curves[kept++] = i;
                break;
            }
    for (int i = 0; kept == 0 && i < t->shown_count && i < PICTURE_CURVES; i++) p->curves[kept++] = i;
    p->count = kept;
}

static void choose_first_group(picture *p, const target *t)
{
    int group[3] = {0};
    const char *name[3];
    const int groups = keel_problem_groups(t->problem, group, name);
    const int candidates = groups > 0 && group[0] > 0 ? group[0] : t->size;

    p->count = candidates < PICTURE_CURVES ? candidates : PICTURE_CURVES;
    for (int k = 0; k < p->count; k++)
        p->curves[k] = p->count > 1 ? (int)((long)k * (candidates - 1) / (p->count - 1)) : 0;
    if (t->modelled.model) show_unknowns(p, t);
}

static int choose_one(picture *p, const target *t, const char *name, size_t length)
{
    char text[64];
    if (p->count == PICTURE_MOST)
        return usage_error("run", "--plot-variables takes at most %d names", PICTURE_MOST);
    for (int i = 0; i < t->shown_count; i++)
        if (strlen(t->shown[i]) == length && strncmp(t->shown[i], name, length) == 0) {
            p->curves[p->count++] = i;
            return EXIT_DONE;
        }
    snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), name);
    return unknown_name("run", "variable", text, t->shown, t->shown_count,
                        "'keel problems NAME' lists them");
}

int picture_choose(picture *p, const target *t, const char *names)
{
    int code = EXIT_DONE;
    p->count = 0;
    p->chosen = names != NULL;
    if (!names) choose_first_group(p, t);
    while (names && code == EXIT_DONE) {
        const size_t length = strcspn(names, ",");
        code = choose_one(p, t, names, length);
        names = names[length] ? names + length + 1 : NULL;
    }
    return code;
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

int picture_draw(const summary *s, const picture *shown, const outcome *unprojected, output *file)
{
    const target *t = s->target;
    const char *names[PICTURE_MOST], *levels[RESIDUAL_CURVES];
    char level[RESIDUAL_CURVES][LEVEL_NAME];
    char title[200], subtitle[200], tolerance[64], message[500];

    for (int k = 0; k < shown->count; k++) names[k] = t->shown[shown->curves[k]];
    for (int k = 0; k < residual_curves(t->problem); k++)
        levels[k] = residual_curve_name(t->problem, k, level[k]);
    snprintf(title, sizeof title, "%s: %s", t->bundled->name, t->bundled->title);
    snprintf(subtitle, sizeof subtitle, "%s, %s%s", method_name(s->options),
             tolerance_text(s->options, tolerance), projection_text(t, s->options));
    plot_marks events = events_marks(s->outcome);
    const plot p = {
        .title = title, .subtitle = subtitle, .names = names,
        .ordinate = shown->chosen ? "unknowns" : ordinate(t),
        .trajectories = &s->outcome->curves, .residuals = &s->outcome->residuals,
        .level_names = levels,
        .residual = residual_curve_row(t->problem, 0) == 0 ? "deviation" : "constraint residual",
        .unprojected = unprojected ? &unprojected->residuals : NULL,
        .log_time = shown->log_time, .t_start = t->t_start, .events = events,
    };
    const int status = plot_write(&p, file, message, sizeof message);
    events_marks_free(&events);
    if (status == 0) return 0;
    fprintf(stderr, "keel run: no picture: %s\n", message);
    return -1;
}
