/* frames.c -- which frame (keel/frame.h) and structure were in force when.
 *
 * A point of a recording is moved to the constraints that held where it was recorded, whatever the
 * solver is at by now: for the time of the question it gets frame and structure of that step.
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

/* In the order of the structure, and back. */
static int project(keel_solver *s, double t, double *y)
{
    double *inner = s->interpolated;
    if (!has_structures(s)) return solver_project(s, t, y);
    view_back(s->events, s->n, y, inner);
    int rc = solver_project(s, t, inner);
    if (!rc) solver_face(s, inner, y);
    return rc;
}

int frames_project(const frames *f, int i, keel_solver *s, double t, double *y)
{
    event_state *v = s->events;
    if (!v || i < 0) return solver_project(s, t, y);
    const double *numbers = f->numbers + (size_t)i * (size_t)f->length;
    int then = (int)numbers[f->length - 1], now = v->structure;
    if (then != now && !v->shelved[then])
        return fail(&s->message, KEEL_BAD_ARGUMENT, "t = %.10g: the recording is in structure %d "
                    "there, in which this solver has not been yet: ask with the one that was "
                    "recorded", t, then);
    double *kept = malloc((size_t)f->length * sizeof *kept);
    if (!kept)
        return fail(&s->message, KEEL_NO_MEMORY, "t = %.10g: no memory to project a recorded point",
                    t);
    read_numbers(v, kept);
    write_numbers(v, numbers);
    (void)structure_swap(s, then);               /* it is on the shelf: nothing can fail */
    int rc = project(s, t, y);
    (void)structure_swap(s, now);
    write_numbers(v, kept);
    free(kept);
    return rc;
}
