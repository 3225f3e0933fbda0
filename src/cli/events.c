/* events.c -- the events of a run, for people and for programs; and those a problem may have. */
#include "cli/events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"

enum { ENDS_SHOWN = 10, TEXT_SHOWN = 48, NAMES_SHOWN = 8 };

/* ---- what a problem may have --------------------------------------------------------------- */

bool target_has_events(const target *t)
{
    return keel_switch_count(t->original) > 0 || keel_clock_count(t->original) > 0
        || keel_structure_count(t->original) > 1;
}

typedef const char *entry_name(const keel_problem *problem, int i);

/* What problems with events and frames have, by number and name. */
static const struct listing {
    const char *title, *key;
    entry_name *name;
} listings[] = {
    {"switches", "switches", keel_switch_name}, {"clocks", "clocks", keel_clock_name},
    {"modes", "modes", keel_mode_name}, {"discrete values", "values", keel_value_name},
    {"frame parameters", "frame_parameters", keel_parameter_name},
};
enum { LISTINGS = sizeof listings / sizeof *listings };

static int listing_count(const keel_problem *p, int k)
{
    const keel_frame none = {0}, *frame = keel_problem_frame(p);
    if (!frame) frame = &none;
    const int count[LISTINGS] = {keel_switch_count(p), keel_clock_count(p), frame->mode_count,
                                 frame->value_count, frame->parameter_count};
    return count[k];
}

void events_describe(const target *t, FILE *file)
{
    const keel_problem *p = t->original;
    for (int k = 0; k < LISTINGS; k++) {
        const int count = listing_count(p, k);
        if (count == 0) continue;
        fprintf(file, "  %-20s %d: ", listings[k].title, count);
        for (int i = 0; i < count && i < NAMES_SHOWN; i++)
            fprintf(file, "%s%s", i ? ", " : "", listings[k].name(p, i));
        fprintf(file, "%s\n", count > NAMES_SHOWN ? ", ..." : "");
    }
    const int structures = keel_structure_count(p);
    for (int i = 0; structures > 1 && i < structures; i++) {
        const keel_problem *part = keel_structure(p, i);
        fprintf(file, "  structure %-10d %s, index %d, %d unknowns\n", i,
                keel_form_name(keel_problem_form(part)), keel_problem_index(part),
                keel_problem_size(part));
    }
}

void events_describe_json(const target *t, json_writer *w)
{
    const keel_problem *p = t->original;
    for (int k = 0; k < LISTINGS; k++) {
        json_begin_array(w, listings[k].key);
        for (int i = 0; i < listing_count(p, k); i++) json_string(w, NULL, listings[k].name(p, i));
        json_end_array(w);
    }
    json_begin_array(w, "structures");
    for (int i = 0; i < keel_structure_count(p); i++) {
        const keel_problem *part = keel_structure(p, i);
        json_begin_object(w, NULL);
        json_string(w, "form", keel_form_name(keel_problem_form(part)));
        json_integer(w, "index", keel_problem_index(part));
        json_integer(w, "unknowns", keel_problem_size(part));
        json_end_object(w);
    }
    json_end_array(w);
}

/* ---- those of a run ------------------------------------------------------------------------ */

static void heading(table *list, bool impulses, bool structures)
{
    static const char *const always[] = {"t", "event", "iterations", "restarted", "jumped"};
    for (int i = 0; i < 5; i++) table_cell(list, "%s", always[i]);
    if (impulses) table_cell(list, "impulse");
    if (structures) table_cell(list, "structure");
}

static void row(table *list, const target *t, const keel_event_record *e, bool impulses,
                bool structures)
{
    const bool longer = strlen(e->text) > TEXT_SHOWN;
    table_cell(list, "%.12g", e->t);
    table_cell(list, "%.*s%s", TEXT_SHOWN, e->text, longer ? "..." : "");
    table_cell(list, "%d", e->iterations);
    table_cell(list, "%s", e->restarted ? "yes" : "no");
    if (e->variable >= 0)
        table_cell(list, "%s %.6g -> %.6g", t->names[e->variable], e->from, e->to);
    else
        table_cell(list, "-");
    if (impulses && e->impulse_row >= 0) table_cell(list, "%.6g", e->impulse);
    else if (impulses) table_cell(list, "-");
    if (structures) table_cell(list, "%d", e->structure);
}

static bool any_impulse(const outcome *o)
{
    for (long i = 0; i < o->event_count; i++)
        if (o->events[i].impulse_row >= 0) return true;
    return false;
}

void events_print(const target *t, const outcome *o, FILE *file)
{
    const bool impulses = any_impulse(o), structures = keel_structure_count(t->original) > 1;
    const long left_out = o->event_count - 2 * ENDS_SHOWN;
    const int columns = 5 + impulses + structures;
    table list = {.columns = columns, .align = "llrllrr", .indent = "  "};

    if (o->event_count == 0) return;
    fprintf(file, "\nevents\n");
    if (structures && !impulses) list.align = "llrllr";
    heading(&list, impulses, structures);
    for (long i = 0; i < o->event_count; i++) {
        if (left_out > 0 && i == ENDS_SHOWN) {
            table_cell(&list, "...");
            table_cell(&list, "%ld more", left_out);
            for (int k = 2; k < columns; k++) table_cell(&list, "%s", "");
            i += left_out;
        }
        row(&list, t, &o->events[i], impulses, structures);
    }
    table_print(&list, file);
    table_free(&list);
}

void events_json(const target *t, const outcome *o, json_writer *w)
{
    json_begin_array(w, "events");
    for (long i = 0; i < o->event_count; i++) {
        const keel_event_record *e = &o->events[i];
        const bool jumped = e->variable >= 0, pushed = e->impulse_row >= 0;
        json_begin_object(w, NULL);
        json_number(w, "t", e->t);
        json_string(w, "text", e->text);
        json_integer(w, "iterations", e->iterations);
        json_bool(w, "restarted", e->restarted);
        json_integer(w, "structure", e->structure);
        json_string(w, "variable", jumped ? t->names[e->variable] : NULL);
        json_number(w, "from", jumped ? e->from : NAN);
        json_number(w, "to", jumped ? e->to : NAN);
        json_number(w, "impulse", pushed ? e->impulse : NAN);
        if (pushed) json_integer(w, "impulse_row", e->impulse_row);
        json_number(w, "switch_value", e->switch_value);
        json_integer(w, "located", e->located);
        json_end_object(w);
    }
    json_end_array(w);
}

plot_marks events_marks(const outcome *o)
{
    double *t = malloc(((size_t)o->event_count + 1) * sizeof *t);
    const char **names = malloc(((size_t)o->event_count + 1) * sizeof *names);
    if (!t || !names) {
        free(t);
        free(names);
        return (plot_marks){0};
    }
    for (long i = 0; i < o->event_count; i++) {
        t[i] = o->events[i].t;
        names[i] = o->events[i].text;
    }
    return (plot_marks){o->event_count, t, names};
}

void events_marks_free(plot_marks *m)
{
    free((void *)m->t);
    free((void *)m->names);
}
