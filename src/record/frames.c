/* frames.c -- which frame (keel/frame.h) and structure were in force when.
 *
 * A point of a recording is moved to the constraints that held where it was recorded, whatever the
 * solver is at by now: for the time of the question the solver gets the frame of that step.  Where
 * the structure was another one, a solver of its own is made for the question.
 */
#include "record/frames.h"

#include <stdlib.h>
#include <string.h>

#include "event/event.h"

/* ---- numbers ------------------------------------------------------------------------------- */

static void read_numbers(const event_state *v, double *numbers)
{
    const keel_frame *f = &v->frame;
    int at = 0;
    for (int i = 0; v->framed && i < f->parameter_count; i++) numbers[at++] = v->parameters[i];
    for (int i = 0; v->framed && i < f->value_count; i++) numbers[at++] = v->values[i];
    for (int i = 0; v->framed && i < f->mode_count; i++) numbers[at++] = v->modes[i];
    numbers[at] = v->structure;
}

static void write_numbers(event_state *v, const double *numbers)
{
    const keel_frame *f = &v->frame;
    int at = 0;
    for (int i = 0; v->framed && i < f->parameter_count; i++) v->parameters[i] = numbers[at++];
    for (int i = 0; v->framed && i < f->value_count; i++) v->values[i] = numbers[at++];
    for (int i = 0; v->framed && i < f->mode_count; i++) v->modes[i] = (int)numbers[at++];
}

/* Room for one more. */
static int grow(frames *f, const keel_solver *s)
{
    const keel_frame *frame = keel_solver_frame(s);
    f->length = frame ? frame->parameter_count + frame->value_count + frame->mode_count + 1 : 1;
    if (f->count < f->capacity) return KEEL_OK;
    int capacity = f->capacity ? 2 * f->capacity : 8;
    double *numbers = realloc(f->numbers, (size_t)capacity * (size_t)f->length * sizeof *numbers);
    if (!numbers) return KEEL_NO_MEMORY;
    f->numbers = numbers;
    f->capacity = capacity;
    return KEEL_OK;
}

int frames_note(frames *f, const keel_solver *s)
{
    if (!s->events) return KEEL_OK;
    int rc = grow(f, s);
    if (rc) return rc;
    size_t length = (size_t)f->length;
    double *now = f->numbers + (size_t)f->count * length;
    read_numbers(s->events, now);
    if (f->count == 0 || memcmp(now - length, now, length * sizeof *now) != 0) f->count++;
    return KEEL_OK;
}

void frames_free(frames *f) { free(f->numbers); }

/* ---- projection ---------------------------------------------------------------------------- */

/* In the order of the structure and back, around a projection by the solver. */
static int project_inside(keel_solver *s, double t, double *y, double *inner)
{
    if (!has_structures(s)) return solver_project(s, t, y);
    memcpy(inner, s->y, (size_t)s->n * sizeof *inner);
    view_back(s->events, s->n, y, inner);
    int rc = solver_project(s, t, inner);
    if (!rc) solver_face(s, inner, y);
    return rc;
}

/* By the solver itself, which has the frame for so long. */
static int project_here(keel_solver *s, const frames *f, const double *numbers, double t, double *y)
{
    double *now = malloc(((size_t)f->length + (size_t)s->n) * sizeof *now);
    if (!now) return fail(&s->message, KEEL_NO_MEMORY, "t = %.10g: no memory to project a recorded "
                          "point", t);
    read_numbers(s->events, now);
    write_numbers(s->events, numbers);
    int rc = project_inside(s, t, y, now + f->length);
    write_numbers(s->events, now);
    free(now);
    return rc;
}

/* By a solver of structure k alone, at values in its own order. */
static int project_apart(keel_solver **other, const keel_solver *s, int k, const double *numbers,
                         double t, double *inner)
{
    const keel_frame *frame = keel_solver_frame(s);
    keel_options options = s->options;
    options.rtol_each = options.atol_each = NULL;
    options.initial = KEEL_INITIAL_GIVEN;
    options.check = KEEL_CHECK_NONE;
    int rc = keel_solver_create(other, keel_structure(s->face, k), &options);
    if (!rc && frame) {
        rc = keel_set_frame(*other, NULL, NULL, NULL);
        write_numbers((*other)->events, numbers);
        const keel_frame *set = keel_solver_frame(*other);
        if (!rc) rc = keel_set_frame(*other, set->parameters, set->modes, set->values);
    }
    if (!rc) rc = keel_start(*other, t, inner);
    return rc ? rc : keel_project(*other, t, inner);
}

static int project_other(keel_solver *s, int k, const double *numbers, double t, double *y)
{
    const switching *how = s->events->how;
    const keel_problem *problem = how->structure[k];
    keel_solver *other = NULL;
    double *inner = malloc((size_t)problem->n * sizeof *inner);
    for (int i = 0; inner && i < problem->n; i++) inner[i] = y[how->place[k][i]];
    int rc = inner ? project_apart(&other, s, k, numbers, t, inner) : KEEL_NO_MEMORY;
    for (int i = 0; !rc && i < problem->n; i++) y[how->place[k][i]] = inner[i];
    if (rc) fail(&s->message, rc, "%s", other ? other->message.text : "no memory to project a "
                 "recorded point");
    keel_solver_free(other);
    free(inner);
    return rc;
}

int frames_project(const frames *f, int i, keel_solver *s, double t, double *y)
{
    if (!s->events || i < 0) return solver_project(s, t, y);
    const double *numbers = f->numbers + (size_t)i * (size_t)f->length;
    int structure = (int)numbers[f->length - 1];
    return structure == s->events->structure ? project_here(s, f, numbers, t, y)
                                             : project_other(s, structure, numbers, t, y);
}
