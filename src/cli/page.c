/* page.c -- a run as one HTML file: see page.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/levels.h"
#include "cli/method_choice.h"
#include "cli/model_check.h"
#include "cli/verbs.h"
#include "report/json.h"
#include "report/page.h"

enum { TEXT_MOST = 1 << 20 };    /* bytes of a model's text that are shown     */

/* ---- what is shown ------------------------------------------------------------------------- */

static bool changes(const target *t, int shown)
{
    return !t->modelled.model || modelled_varies(&t->modelled, shown);
}

int page_choose(page *p, const target *t)
{
    *p = (page){.curves = malloc(PAGE_CURVES * sizeof *p->curves)};
    if (!p->curves) return refuse_status("run", KEEL_NO_MEMORY, keel_status_text(KEEL_NO_MEMORY));
    for (int i = 0; i < t->shown_count; i++) {
        if (!changes(t, i)) continue;
        if (p->count < PAGE_CURVES) p->curves[p->count++] = i;
        else p->left_out++;
    }
    return EXIT_DONE;
}

void page_free(page *p)
{
    free(p->curves);
    *p = (page){0};
}

/* ---- its data ------------------------------------------------------------------------------ */

/* A column of a table; values that are negative where that means "not measured" are left out. */
static void column(json_writer *w, const char *key, const series *s, int k, bool measured)
{
    json_begin_array(w, key);
    for (long i = 0; i < s->rows; i++) {
        const double value = series_row(s, i)[k];
        json_number(w, NULL, measured && value <= 0 ? NAN : value);
    }
    json_end_array(w);
}

static void put_curves(json_writer *w, const summary *s, const page *p)
{
    const target *t = s->target;
    json_begin_object(w, "curves");
    column(w, "t", &s->outcome->curves, 0, false);
    json_begin_array(w, "names");
    for (int k = 0; k < p->count; k++) json_string(w, NULL, t->shown[p->curves[k]]);
    json_end_array(w);
    json_begin_array(w, "units");
    for (int k = 0; k < p->count; k++)
        json_string(w, NULL, t->modelled.model ? modelled_unit(&t->modelled, p->curves[k]) : "");
    json_end_array(w);
    json_begin_array(w, "values");
    for (int k = 0; k < p->count; k++) column(w, NULL, &s->outcome->curves, k + 1, false);
    json_end_array(w);
    json_integer(w, "left_out", p->left_out);
    json_end_object(w);
}

static void put_chosen(json_writer *w, const page *p, const picture *first)
{
    json_begin_array(w, "chosen");
    for (int k = 0; k < first->count; k++)
        for (int i = 0; i < p->count; i++)
            if (p->curves[i] == first->curves[k]) json_integer(w, NULL, i);
    json_end_array(w);
}

static void put_residuals(json_writer *w, const summary *s)
{
    const keel_problem *problem = s->target->problem;
    const series *r = &s->outcome->residuals;
    char text[LEVEL_NAME];
    json_begin_object(w, "residuals");
    json_string(w, "title", "Constraint residuals");
    column(w, "t", r, 0, false);
    json_begin_array(w, "names");
    for (int k = 0; k < r->columns - 1; k++) json_string(w, NULL, residual_curve_name(problem, k, text));
    json_end_array(w);
    json_begin_array(w, "values");
    for (int k = 1; k < r->columns; k++) column(w, NULL, r, k, true);
    json_end_array(w);
    json_end_object(w);
}

/* Of a long run, a row of residuals stands for several steps. */
static void put_steps(json_writer *w, const outcome *o)
{
    const series *r = &o->residuals;
    json_begin_object(w, "steps");
    json_begin_array(w, "t");
    for (long i = 1; i < r->rows; i++) json_number(w, NULL, series_row(r, i)[0]);
    json_end_array(w);
    json_begin_array(w, "h");
    for (long i = 1; i < r->rows; i++) {
        const double h = fabs(series_row(r, i)[0] - series_row(r, i - 1)[0]) / (double)o->steps_of_row;
        json_number(w, NULL, h > 0 ? h : NAN);
    }
    json_end_array(w);
    json_end_object(w);
}

static void put_events(json_writer *w, const outcome *o)
{
    json_begin_array(w, "events");
    for (long i = 0; i < o->event_count; i++) {
        json_begin_object(w, NULL);
        json_number(w, "t", o->events[i].t);
        json_string(w, "text", o->events[i].text);
        json_bool(w, "restarted", o->events[i].restarted != 0);
        json_end_object(w);
    }
    json_end_array(w);
    json_number(w, "switch_time", o->stats.method_switches ? o->stats.switch_time : NAN);
}

static void statistic(json_writer *w, const char *name, double value, const char *format)
{
    char text[40];
    snprintf(text, sizeof text, format, value);
    json_begin_array(w, NULL);
    json_string(w, NULL, name);
    json_string(w, NULL, text);
    json_end_array(w);
}

static void put_statistics(json_writer *w, const outcome *o)
{
    const keel_stats *n = &o->stats;
    const struct { const char *name; long value; } counts[] = {
        {"accepted steps", n->accepted}, {"rejected by error", n->rejected_error},
        {"rejected by Newton", n->rejected_newton}, {"right-hand sides", n->rhs},
        {"for differences", n->rhs_for_jacobian}, {"Jacobians", n->jacobian},
        {"factorizations", n->factorizations}, {"solves", n->solves}, {"Newton iterations", n->newton},
        {"projections", n->projections}, {"events", o->event_count}};
    json_begin_array(w, "statistics");
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        statistic(w, counts[k].name, (double)counts[k].value, "%.0f");
    statistic(w, "CPU seconds", o->cpu_seconds, "%.4g");
    json_end_array(w);
}

/* A text that a function writes to a file, or NULL without memory. */
static void put_structure(json_writer *w, const target *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = t->modelled.model ? open_memstream(&text, &size) : NULL;
    if (memory) {
        model_describe(t, memory);
        fclose(memory);
    }
    json_string(w, "structure", text);
    free(text);
}

/* The file as it is; a long one is cut. */
static void put_text(json_writer *w, const char *path)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    char *text = file ? malloc(TEXT_MOST + 1) : NULL;
    if (text) text[fread(text, 1, TEXT_MOST, file)] = 0;
    json_string(w, "text", text);
    if (file) fclose(file);
    free(text);
}

static void put_run(const summary *s, const page *p, const picture *first, FILE *file)
{
    const target *t = s->target;
    const outcome *o = s->outcome;
    char title[200], subtitle[300], tolerance[64];
    json_writer w = {.file = file, .in_page = true};
    snprintf(title, sizeof title, "%s%s%s", t->bundled->name, *t->bundled->title ? ": " : "",
             t->bundled->title);
    snprintf(subtitle, sizeof subtitle, "%s, %s%s, t = %.10g to %.10g", method_name(s->options),
             tolerance_text(s->options, tolerance), projection_text(t, s->options), t->t_start, o->t);
    json_begin_object(&w, NULL);
    json_string(&w, "title", title);
    json_string(&w, "subtitle", subtitle);
    json_string(&w, "choice", o->choice);
    json_string(&w, "failure", outcome_ended(o) && !o->interrupted ? NULL
                               : o->interrupted ? "interrupted" : o->message);
    json_string(&w, "time_label", "t");
    put_curves(&w, s, p);
    put_chosen(&w, p, first);
    put_residuals(&w, s);
    put_steps(&w, o);
    put_events(&w, o);
    put_statistics(&w, o);
    put_structure(&w, t);
    put_text(&w, t->modelled.model ? t->bundled->name : NULL);
    json_end_object(&w);
}

int page_draw(const summary *s, const page *p, const picture *first, output *file)
{
    char message[500];
    page_begin(file->file, s->target->bundled->name);
    put_run(s, p, first, file->file);
    page_end(file->file);
    if (output_finish(file, false, message, sizeof message) == 0) return 0;
    fprintf(stderr, "keel run: no page: %s\n", message);
    return -1;
}
