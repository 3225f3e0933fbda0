/* act.c -- what happens at an event.
 *
 *   action        changes unknowns, frame, structure
 *   consistent    all levels and equations with the new frame; velocities of mechanical problems
 *                 along M^-1 G^T
 *   sides         which switches have changed theirs by that; pre copies := what is
 *
 * again, until the action changes nothing; then the method begins anew.  Modes, sides and structure
 * that come back within one event are a cycle, which would not end.
 *
 * A step is cut at an event only if the action changed something; until then the run is as the step
 * left it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "event/occasion.h"

/* ---- words --------------------------------------------------------------------------------- */

static void list_names(const event_state *v, const int *which, char *text, size_t size)
{
    int first = 1;
    text[0] = 0;
    for (int i = 0; i < v->count; i++) {
        if (!which[i]) continue;
        text_append(text, size, "%s%s", first ? "" : ", ", v->how->names[i]);
        first = 0;
    }
}

static void name_occasion(const keel_solver *s, occasion *o)
{
    const event_state *v = s->events;
    list_names(v, v->crossed, o->names, sizeof o->names);
    for (int i = 0; i < v->how->spec.clocks; i++)
        if (v->ticked[i])
            text_append(o->names, sizeof o->names, "%s%s", o->names[0] ? ", " : "",
                        v->how->clock_names[i]);
    if (v->timed)
        text_append(o->names, sizeof o->names, "%stime", o->names[0] ? ", " : "");
    if (!o->names[0])
        text_append(o->names, sizeof o->names, o->initial ? "start" : "change");
}

/* Status and message of what failed in an event, with its name before the reason. */
static int failed(keel_solver *s, const occasion *o, int rc)
{
    message why = s->message;
    char *reason = why.text;
    if (strncmp(reason, "t = ", 4) == 0 && strstr(reason, ": ")) reason = strstr(reason, ": ") + 2;
    return fail(&s->message, rc, "t = %.10g: after the event %s: %s", o->t, o->names, reason);
}

/* ---- the action ---------------------------------------------------------------------------- */

static void keep_frame(event_state *v)
{
    const keel_frame *f = &v->frame;
    if (!v->framed) return;
    memcpy(v->kept_parameters, v->parameters, (size_t)f->parameter_count * sizeof(double));
    memcpy(v->kept_values, v->values, (size_t)f->value_count * sizeof(double));
    memcpy(v->kept_modes, v->modes, (size_t)f->mode_count * sizeof(int));
}

static void agree_frame(event_state *v)
{
    const keel_frame *f = &v->frame;
    if (!v->framed) return;
    memcpy(v->pre_parameters, v->parameters, (size_t)f->parameter_count * sizeof(double));
    memcpy(v->pre_values, v->values, (size_t)f->value_count * sizeof(double));
    memcpy(v->pre_modes, v->modes, (size_t)f->mode_count * sizeof(int));
}

void frame_recall(event_state *v)
{
    const keel_frame *f = &v->frame;
    if (!v->framed) return;
    memcpy(v->parameters, v->kept_parameters, (size_t)f->parameter_count * sizeof(double));
    memcpy(v->values, v->kept_values, (size_t)f->value_count * sizeof(double));
    memcpy(v->modes, v->kept_modes, (size_t)f->mode_count * sizeof(int));
    agree_frame(v);
}

static int frame_changed(const event_state *v)
{
    const keel_frame *f = &v->frame;
    return v->framed &&
           (memcmp(v->pre_values, v->values, (size_t)f->value_count * sizeof(double)) ||
            memcmp(v->pre_modes, v->modes, (size_t)f->mode_count * sizeof(int)) ||
            memcmp(v->pre_parameters, v->parameters, (size_t)f->parameter_count * sizeof(double)));
}

/* Multipliers and algebraic unknowns are free, others guesses. */
static void standard_marks(const keel_solver *s)
{
    event_state *v = s->events;
    for (int j = 0; j < v->view->n; j++) v->view_marks[j] = KEEL_GUESS;
    for (int i = s->n - s->problem->free; i < s->n; i++)
        if (v->source[i] >= 0) v->view_marks[v->source[i]] = KEEL_FREE;
}

static int state_changed(const event_state *v)
{
    int changed = memcmp(v->view_y, v->view_before, (size_t)v->view->n * sizeof(double)) != 0;
    for (int j = 0; j < v->view->n && !changed; j++) changed = v->view_marks[j] == KEEL_FIXED;
    return changed;
}

static int check_answer(keel_solver *s, const occasion *o, const keel_event *e, int code)
{
    const event_state *v = s->events;
    if (code)
        return fail(&s->message, KEEL_CALLBACK_FAILED, "t = %.10g: the action of the event %s "
                    "returned %d%s%s", o->t, o->names, code, e->text[0] ? ": " : "", e->text);
    if (e->structure < 0 || e->structure >= v->how->structures)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "t = %.10g: the action of the event %s asks for "
                    "structure %d; there are 0 to %d", o->t, o->names, e->structure,
                    v->how->structures - 1);
    for (int i = 0; i < s->n; i++) {
        int j = v->source[i];
        if (j >= 0 && e->structure == v->structure && isfinite(v->view_before[j]) &&
            !isfinite(v->view_y[j]))
            return fail(&s->message, KEEL_NOT_FINITE, "t = %.10g: the action of the event %s set %s "
                        "to a value that is not finite", o->t, o->names,
                        keel_variable_name(v->view, j));
    }
    return KEEL_OK;
}

int occasion_action(keel_solver *s, occasion *o, const double *y, int *changed, int *structure)
{
    event_state *v = s->events;
    const keel_switching_spec *spec = &v->how->spec;
    *changed = 0;
    *structure = v->structure;
    for (int i = 0; i < v->count; i++) {
        v->positive[i] = v->side[i] > 0;
        o->stop |= v->crossed[i] && v->how->terminal[i];
    }
    s->stats.event_iterations++;
    o->record.iterations++;
    if (!spec->action) return KEEL_OK;
    view_of(v, s->n, y, v->view_before);
    memcpy(v->view_y, v->view_before, (size_t)v->view->n * sizeof(double));
    if (spec->rates) view_of(v, s->n, v->yp, v->view_yp);
    standard_marks(s);
    keel_event e = {.t = o->t, .initial = o->initial, .iteration = o->iteration,
                    .crossed = v->crossed, .positive = v->positive, .ticked = v->ticked,
                    .timed = v->timed, .yp = spec->rates ? v->view_yp : NULL,
                    .frame = v->framed ? &v->frame : NULL, .y = v->view_y, .marks = v->view_marks,
                    .parameters = v->parameters, .modes = v->modes, .values = v->values,
                    .structure = v->structure};
    int rc = check_answer(s, o, &e, spec->action(&e, v->context));
    if (rc) return rc;
    o->stop |= e.stop != 0;
    if (e.text[0]) text_show(o->said, sizeof o->said, e.text);
    *structure = e.structure;
    int moved = state_changed(v);
    *changed = !e.smooth && (frame_changed(v) || moved || e.structure != v->structure);
    o->moved |= *changed && moved;
    return KEEL_OK;
}

/* ---- going on ------------------------------------------------------------------------------ */

void cut_step(keel_solver *s, double t)
{
    event_state *v = s->events;
    const interpolant *p = &s->dense;
    size_t points = (size_t)p->points, n = (size_t)s->n;
    v->kept_structure = v->structure;
    v->h = v->whole > 0 ? v->whole : fabs(s->stats.last_step);
    memcpy(v->kept_nodes, p->nodes, points * sizeof(double));
    memcpy(v->kept_weights, p->barycentric, points * sizeof(double));
    memcpy(v->kept_points, p->values, points * n * sizeof(double));
    v->kept = (interpolant){.t0 = p->t0, .h = p->h, .points = p->points, .nodes = v->kept_nodes,
                            .barycentric = v->kept_weights, .values = v->kept_points};
    s->t = s->t_origin = t;
    s->count = 0;
    v->length = 0;
    memcpy(s->y, v->left, n * sizeof(double));
    view_of(v, s->n, v->left, v->view_left);
}

static void end_step(keel_solver *s, occasion *o)
{
    o->cut = 1;
    if (!o->initial) cut_step(s, o->t);
}

int occasion_settle(keel_solver *s, occasion *o, int structure)
{
    event_state *v = s->events;
    int rc = KEEL_OK;
    if (structure != v->structure) rc = structure_enter(s, structure);
    if (rc) return failed(s, o, rc);
    memcpy(v->y, s->y, (size_t)s->n * sizeof(double));
    view_back(v, s->n, v->view_y, v->y);
    for (int i = 0; i < s->n; i++) {
        int j = v->source[i];
        v->marks[i] = j >= 0 ? v->view_marks[j] : KEEL_GUESS;
        /* What is algebraic here, or new and not set, is free unless the action fixes it. */
        int free = i >= s->n - s->problem->free || (j >= 0 && isnan(v->view_y[j]));
        if (free && v->marks[i] == KEEL_GUESS) v->marks[i] = KEEL_FREE;
    }
    rc = impact_settle(s, v->y, v->marks);
    if (rc || s->message.text[0]) (void)failed(s, o, rc);    /* or a remark */
    if (rc) return rc;
    agree_frame(v);
    return KEEL_OK;
}

/* Modes, sides and structure as they are now; was it so before in this event? */
static int comes_back(event_state *v, int iteration)
{
    int modes = v->framed ? v->frame.mode_count : 0;
    size_t size = (size_t)modes + (size_t)v->count + 1;
    int *now = v->history + size * (size_t)iteration;
    for (int k = 0; k < modes; k++) now[k] = v->modes[k];
    for (int i = 0; i < v->count; i++) now[modes + i] = v->side[i];
    now[size - 1] = v->structure;
    for (int k = 0; k < iteration; k++)
        if (memcmp(v->history + size * (size_t)k, now, size * sizeof *now) == 0) return k;
    return -1;
}

/* What changes from one round of a cycle to the next: switches, in events->fired, and the names of modes. */
static void list_flipping(event_state *v, int from, int last, char *flipped, size_t room)
{
    int modes = v->framed ? v->frame.mode_count : 0;
    size_t size = (size_t)modes + (size_t)v->count + 1;
    memset(v->fired, 0, (size_t)v->count * sizeof *v->fired);
    for (int k = from > 0 ? from : 0; k < last; k++) {
        const int *a = v->history + size * (size_t)k, *b = a + size;
        for (int i = 0; i < v->count; i++) v->fired[i] |= a[modes + i] != b[modes + i];
        for (int i = 0; i < modes; i++)
            if (a[i] != b[i] && !strstr(flipped, keel_mode_name(v->view, i)))
                text_append(flipped, room, "%s%s", flipped[0] ? ", " : "", keel_mode_name(v->view, i));
    }
}

/* Actions come back to where they were, or do not end.  Relations may have values with which they rest;
 * otherwise the names of what flips.  A status. */
static int cycle(keel_solver *s, occasion *o, int from)
{
    event_state *v = s->events;
    const int last = o->iteration, relations = v->how->spec.relations && !o->moved;
    char names[200] = "", flipped[160] = "";
    list_flipping(v, from, last, flipped, sizeof flipped);
    list_names(v, v->fired, names, sizeof names);
    int found = relations && names[0] ? rest_search(s, o) : 0;
    if (found) return found > 0 ? KEEL_OK : found;
    return fail(&s->message, KEEL_EVENT_CYCLE, "t = %.10g: the event %s does not come to an end: "
                "after %d actions %s%s%s%s%s%s", o->t, o->names, last + 1,
                from >= 0 ? "modes and switches are as they were before" : "something still changes",
                names[0] ? "; switches that keep flipping: " : "", names,
                flipped[0] ? "; modes that change: " : "", flipped,
                relations ? ". No values of these relations are consistent with the equations that they "
                "choose: the solution would have to stay where they change. What sticks there needs a mode of "
                "its own"
                : ". The action has no state in which it rests");
}

/* Action after action until nothing changes. */
static int iterate(keel_solver *s, occasion *o)
{
    event_state *v = s->events;
    for (;; o->iteration++) {
        int changed, structure;
        const double *y = o->cut ? s->y : v->left;
        int rc = occasion_action(s, o, y, &changed, &structure);
        if (rc) return rc;
        if (o->iteration == 0 && changed && !o->cut) end_step(s, o);
        if (!changed) break;
        rc = occasion_settle(s, o, structure);
        if (rc) return rc;
        rc = side_renew(s);
        if (rc < 0) return failed(s, o, rc);
        for (int i = 0; i < v->count; i++) v->fired[i] |= v->crossed[i] != 0;
        for (int i = 0; i < v->how->spec.clocks; i++) v->ticked[i] = 0;
        v->timed = 0;
        int before = comes_back(v, o->iteration);
        if (o->iteration + 1 >= v->how->spec.iterations || (before >= 0 && !o->moved)) {
            rc = cycle(s, o, before);
            if (rc) return rc;
            break;
        }
    }
    agree_frame(v);
    return KEEL_OK;
}

/* A step as before suits most often what follows a jump; a new fast motion is found by rejections,
 * of which there are to be few. */
static void keep_step(keel_solver *s)
{
    double h = s->events->h, own = fabs(s->h_next);
    int keeps = s->integrator != &multivalue_integrator && s->options.first_step == 0;
    if (keeps && h > own) s->h_next = copysign(h <= 1e3 * own ? h : sqrt(h * own), s->h_next);
}

static int go_on(keel_solver *s, occasion *o)
{
    event_state *v = s->events;
    int rc = solver_begin(s, "after an event");
    if (rc) return failed(s, o, rc);
    if (!o->initial) keep_step(s);
    v->at_event = !o->initial;
    s->stats.restarts++;
    o->record.restarted = 1;
    return KEEL_OK;
}

/* ---- the log ------------------------------------------------------------------------------- */

static void note_jump(keel_solver *s, occasion *o)
{
    event_state *v = s->events;
    double most = 1;                             /* tolerances: less is not a jump */
    for (int i = 0; i < s->n && o->cut; i++) {
        int j = v->source[i];
        double from = v->how->structures > 1 ? (j >= 0 ? v->view_left[j] : NAN) : v->left[i];
        double size = fabs(s->y[i] - from) / (s->atol[i] + s->rtol[i] * fabs(from));
        if (!(size > most)) continue;
        most = size;
        o->record.variable = v->how->structures > 1 ? j : i;
        o->record.from = from;
        o->record.to = s->y[i];
    }
    for (int k = 0; k < v->impulses && o->cut; k++)
        if (o->record.impulse_row < 0 || fabs(v->impulse[k]) > fabs(o->record.impulse)) {
            o->record.impulse = v->impulse[k];
            o->record.impulse_row = k;
        }
}

static int enter_log(keel_solver *s, occasion *o)
{
    event_state *v = s->events;
    if (v->logged == v->room) {
        long room = v->room ? 2 * v->room : 64;
        keel_event_record *log = realloc(v->log, (size_t)room * sizeof *log);
        if (!log) return fail(&s->message, KEEL_NO_MEMORY, "t = %.10g: no memory for the log of "
                              "events", o->t);
        v->log = log;
        v->room = room;
    }
    o->record.structure = v->structure;
    text_append(o->record.text, sizeof o->record.text, "%s%s%s", o->names, o->said[0] ? ": " : "",
                o->said);
    v->log[v->logged++] = o->record;
    s->stats.events++;
    return KEEL_OK;
}

/* ---- one event ----------------------------------------------------------------------------- */

static int ended(keel_solver *s, const occasion *o)
{
    return fail(&s->message, KEEL_EVENT, "t = %.10g: the run ends at the event %s%s%s", o->t,
                o->names, o->said[0] ? ": " : "", o->said);
}

/* The point and the frame are as before the event; the method can go on from there. */
static int undo(keel_solver *s, occasion *o, int rc)
{
    event_state *v = s->events;
    message why = s->message;
    frame_recall(v);
    if (!o->cut || o->initial || v->structure != o->record.structure) return rc;
    memcpy(s->y, v->left, (size_t)s->n * sizeof(double));
    (void)solver_begin(s, "before an event");
    s->message = why;
    return rc;
}

int act(keel_solver *s, double t, int initial, int *cut)
{
    event_state *v = s->events;
    occasion o = {.t = t, .initial = initial, .cut = initial,
                  .record = {.t = t, .variable = -1, .impulse_row = -1, .switch_value = NAN,
                             .located = (int)v->located, .structure = v->structure}};
    v->impulses = 0;
    name_occasion(s, &o);
    int resolved = 1;
    for (int i = 0; i < v->count; i++) {
        v->fired[i] = v->crossed[i] != 0;
        if (!v->crossed[i]) continue;
        resolved = v->peak[i] > v->blur[i];
        v->side[i] = v->crossed[i];
        if (isnan(o.record.switch_value)) o.record.switch_value = v->high[i];
    }
    v->unresolved = resolved ? 0 : v->unresolved + 1;
    keep_frame(v);
    int quiet = initial && strcmp(o.names, "start") == 0;
    int rc = iterate(s, &o), changed = o.iteration > 0;
    if (!rc && o.stop && !o.cut) end_step(s, &o);
    *cut = o.cut && (changed || !initial);
    if (rc) return undo(s, &o, rc);
    o.cut = *cut;
    if (o.cut) rc = go_on(s, &o);
    if (!rc) note_jump(s, &o);
    if (!rc && (changed || !quiet)) rc = enter_log(s, &o);
    if (!rc && o.cut && !initial) rc = accumulate(s, t);
    if (rc) return rc;
    return o.stop ? ended(s, &o) : KEEL_OK;
}
