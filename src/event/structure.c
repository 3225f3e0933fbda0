/* structure.c -- another problem goes on: a contact closes, a diode conducts.
 *
 * For each structure there is a solver, made when it is first needed.  They take turns in the one
 * that the user holds: the others lie on a shelf, complete with their buffers.  Values go over by
 * name; unknowns that the new structure alone has begin at 0 and are free.
 */
#include "event/event.h"

#include <math.h>
#include <string.h>

#include "integrate/integrator.h"

void structure_tolerances(keel_solver *s, int k)
{
    event_state *v = s->events;
    const int *place = v->how->place[k];
    for (int i = 0; i < v->how->structure[k]->n; i++) {
        v->y[i] = v->rtol[place[i]];
        v->yp[i] = v->atol[place[i]];
    }
    s->options.rtol_each = v->y;
    s->options.atol_each = v->yp;
}

/* What belongs to the run, not to the structure. */
static void carry(keel_solver *to, const keel_solver *from)
{
    to->face = from->face;
    to->events = from->events;
    to->options = from->options;
    to->message = from->message;
    keel_stats stats = from->stats;
    memcpy(stats.method, to->stats.method, sizeof stats.method);
    to->stats = stats;
    to->note = from->note;
    to->note_size = from->note_size;
    to->ready = from->ready;
    to->busy = from->busy;
    to->started = from->started;
    to->t = from->t;
    to->t_previous = from->t_previous;
    to->t_origin = from->t_origin;
    to->count = from->count;
    to->direction = from->direction;
    to->has_stop = from->has_stop;
    to->t_stop = from->t_stop;
    to->h_next = from->h_next;
}

/* A solver of structure k in the place of s, whose parts are on the shelf. */
static int build(keel_solver *s, const keel_solver *old, int k)
{
    event_state *v = s->events;
    const keel_method *own = old->options.tableau;
    *s = (keel_solver){.events = v, .face = old->face, .options = old->options,
                         .note = old->note, .note_size = old->note_size};
    s->eval.stats = &s->stats;
    s->eval.differences = s->options.jacobian_differences;
    s->options.tableau = own;
    structure_tolerances(s, k);
    int rc = solver_build(s, v->how->structure[k]);
    if (rc) solver_dismantle(s);
    return rc;
}

int structure_swap(keel_solver *s, int k)
{
    event_state *v = s->events;
    int from = v->structure, rc = KEEL_OK;
    if (k == from) return KEEL_OK;
    v->shelf[from] = *s;
    const keel_solver *old = &v->shelf[from];
    if (v->shelved[k]) *s = v->shelf[k];
    else rc = build(s, old, k);
    if (rc) {
        message why = s->message;
        *s = *old;
        s->message = why;
        return rc;
    }
    v->shelved[from] = 1;
    v->shelved[k] = 0;
    v->structure = k;
    carry(s, old);
    s->eval.limited = old->eval.limited;
    s->eval.t_limit = old->eval.t_limit;
    s->eval.limit_direction = old->eval.limit_direction;
    s->eval.time_scale = old->eval.time_scale;
    view_bind(s);
    return KEEL_OK;
}

int structure_enter(keel_solver *s, int k)
{
    event_state *v = s->events;
    view_of(v, s->n, s->y, v->state);
    int rc = structure_swap(s, k);
    if (rc) return rc;
    automatic_begin(s);                          /* `auto` knows nothing of it yet */
    memset(s->y, 0, (size_t)s->n * sizeof *s->y);
    view_back(v, s->n, v->state, s->y);
    for (int i = 0; i < KEEL_LEVELS_MOST; i++) s->residual[i] = -1;
    return KEEL_OK;
}

void structure_spec(keel_solver *s, keel_start_spec *spec)
{
    event_state *v = s->events;
    for (int i = 0; i < s->n; i++) {
        int j = v->source[i];
        if (spec->y) v->given_y[i] = spec->y[j];
        if (spec->yp) v->given_yp[i] = spec->yp[j];
        if (spec->marks) v->given_marks[i] = spec->marks[j];
        if (spec->yp_marks) v->given_yp_marks[i] = spec->yp_marks[j];
    }
    if (spec->y) spec->y = v->given_y;
    if (spec->yp) spec->yp = v->given_yp;
    if (spec->marks) spec->marks = v->given_marks;
    if (spec->yp_marks) spec->yp_marks = v->given_yp_marks;
}

void structure_free(keel_solver *s)
{
    event_state *v = s->events;
    for (int k = 0; has_structures(s) && v->block && k < v->how->structures; k++) {
        if (!v->shelved[k]) continue;
        *s = v->shelf[k];
        solver_dismantle(s);
        s->events = v;
    }
}

const double *structure_state(const keel_solver *s)
{
    view_of(s->events, s->n, s->y, s->events->state);
    return s->events->state;
}

void solver_face(const keel_solver *s, const double *y, double *face_y)
{
    if (has_structures(s)) view_of(s->events, s->n, y, face_y);
    else memcpy(face_y, y, (size_t)s->n * sizeof *y);
}
