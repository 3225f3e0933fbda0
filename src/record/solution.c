/* solution.c -- a recording of accepted steps: their interpolants, evaluated anywhere later.
 *
 * A step that an event ended is a part [t0,t1] of the step that was computed.  The polynomial there
 * is the same one, by its values at nodes of the part, of which the last is the value before the
 * event as the run has it; that after the event begins the next step.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"
#include "event/event.h"
#include "record/frames.h"
#include "record/solution.h"

typedef struct recorded_step {
    double t0, t1, h;
    int points;
    int frame;                   /* in force in it; -1: there is none                      */
    size_t at;                   /* offset in data: nodes, barycentric weights, values     */
} recorded_step;

struct keel_solution {
    int n;
    double t_start, *y_start, *y_end;            /* y_end: after an event there            */
    recorded_step *steps;
    int count, capacity;
    double *data;
    size_t used, room;
    frames frames;
    double *events;              /* their times                                            */
    int event_count, event_room;
    message message;
};

/* ---- creation ------------------------------------------------------------------------------ */

static int begin(keel_solution *r, const keel_solver *s)
{
    size_t n = (size_t)keel_problem_size(keel_solver_problem(s));
    r->n = (int)n;
    r->y_end = malloc(n * sizeof *r->y_end);
    r->y_start = r->y_end ? malloc(n * sizeof *r->y_start) : NULL;
    if (!r->y_start || frames_note(&r->frames, s))
        return fail(&r->message, KEEL_NO_MEMORY, "no memory for a recording of %d unknowns", r->n);
    r->t_start = s->t;
    memcpy(r->y_start, keel_state(s), n * sizeof *r->y_start);
    memcpy(r->y_end, r->y_start, n * sizeof *r->y_end);
    return KEEL_OK;
}

int keel_solution_create(keel_solution **solution, const keel_solver *s)
{
    if (!solution) return KEEL_BAD_ARGUMENT;
    keel_solution *r = *solution = calloc(1, sizeof *r);
    if (!r) return KEEL_NO_MEMORY;
    r->t_start = NAN;
    if (!s || !s->started)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "a recording begins where a run does: call "
                    "keel_start successfully first");
    int rc = begin(r, s);
    if (!rc) return KEEL_OK;
    free(r->y_start);                            /* which says that all went well */
    r->y_start = NULL;
    return rc;
}

void keel_solution_free(keel_solution *r)
{
    if (!r) return;
    free(r->y_start);
    free(r->y_end);
    free(r->steps);
    free(r->data);
    free(r->events);
    frames_free(&r->frames);
    free(r);
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Room for one more step of `need` numbers, and for an event. */
static int grow(keel_solution *r, size_t need)
{
    if (r->count == r->capacity) {
        int capacity = r->capacity ? 2 * r->capacity : 64;
        recorded_step *steps = realloc(r->steps, (size_t)capacity * sizeof *steps);
        if (!steps) return KEEL_NO_MEMORY;
        r->steps = steps;
        r->capacity = capacity;
    }
    if (r->event_count == r->event_room) {
        int room = r->event_room ? 2 * r->event_room : 8;
        double *events = realloc(r->events, (size_t)room * sizeof *events);
        if (!events) return KEEL_NO_MEMORY;
        r->events = events;
        r->event_room = room;
    }
    if (r->used + need > r->room) {
        size_t room = 2 * r->room + need;
        double *data = realloc(r->data, room * sizeof *data);
        if (!data) return KEEL_NO_MEMORY;
        r->data = data;
        r->room = room;
    }
    return KEEL_OK;
}

/* Does the last step of the solver follow what is recorded? */
static int follows(keel_solution *r, const keel_solver *s)
{
    if (!r->y_start)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "the recording was not created successfully");
    int n = keel_problem_size(keel_solver_problem(s));
    if (n != r->n)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "the recording is of %d unknowns, the solver of "
                    "%d", r->n, n);
    if (!solver_polynomial(s))
        return fail(&r->message, KEEL_BAD_ARGUMENT, "t = %.10g: there is no step to record yet",
                    s->t);
    double end = r->count ? r->steps[r->count - 1].t1 : r->t_start;
    if (s->t_previous == end) return KEEL_OK;
    return fail(&r->message, KEEL_BAD_ARGUMENT, "the recording ends at t = %.10g, but the last step "
                "is from %.10g to %.10g: append every step, once", end, s->t_previous, s->t);
}

/* The polynomial of a whole step. */
static int copy_values(keel_solution *r, keel_solver *s, double *values)
{
    int rc = solver_dense(s);
    size_t n = (size_t)r->n;
    for (int k = 0; k < s->dense.points && !rc; k++)
        solver_face(s, s->dense.values + (size_t)k * (size_t)s->n, values + (size_t)k * n);
    return rc;
}

/* That of a part of a step, by its values at nodes of the part. */
static int sample_values(keel_solution *r, keel_solver *s, const interpolant *p, double *values)
{
    size_t n = (size_t)r->n;
    double length = s->t - s->t_previous;
    int rc = KEEL_OK;
    for (int k = 0; k < p->points - 1 && !rc; k++)
        rc = solver_interpolate(s, s->t_previous + p->nodes[k] * length, 0, values + (size_t)k * n);
    memcpy(values + (size_t)(p->points - 1) * n, keel_state_before(s), n * sizeof *values);
    return rc;
}

/* Room for all of the step, and the frame that it had. */
static int prepare(keel_solution *r, keel_solver *s, size_t need, int *frame)
{
    int rc = grow(r, need);
    event_rewind(s);
    if (!rc) rc = frames_note(&r->frames, s);
    event_forward(s);
    *frame = r->frames.count - 1;
    return rc ? fail(&r->message, rc, "t = %.10g: no memory to record the step", s->t) : KEEL_OK;
}

static int append(keel_solution *r, keel_solver *s)
{
    int rc = follows(r, s), event = keel_state_before(s) != NULL, frame;
    if (rc) return rc;
    const interpolant *p = solver_polynomial(s);
    size_t points = (size_t)p->points, need = (2 + (size_t)r->n) * points;
    rc = prepare(r, s, need, &frame);
    if (rc) return rc;
    double *at = r->data + r->used;
    memcpy(at, p->nodes, points * sizeof *at);
    memcpy(at + points, p->barycentric, points * sizeof *at);
    rc = event ? sample_values(r, s, p, at + 2 * points) : copy_values(r, s, at + 2 * points);
    if (rc) {
        r->message = s->message;
        return rc;
    }
    double h = event && s->t != s->t_previous ? s->t - s->t_previous : p->h;
    r->steps[r->count++] = (recorded_step){.t0 = s->t_previous, .t1 = s->t, .h = h,
                                           .points = p->points, .frame = frame, .at = r->used};
    r->used += need;
    memcpy(r->y_end, keel_state(s), (size_t)r->n * sizeof *r->y_end);
    if (event) r->events[r->event_count++] = s->t;
    return KEEL_OK;
}

int keel_solution_append(keel_solution *r, keel_solver *s)
{
    if (!r) return KEEL_BAD_ARGUMENT;
    r->message.text[0] = 0;
    int rc = solver_enter(s);
    if (!rc) return solver_leave(s, append(r, s));
    return fail(&r->message, rc, "%s", s ? s->message.text : "keel_solution_append: no solver");
}

/* ---- without a solver ---------------------------------------------------------------------- */

int solution_begin(keel_solution **solution, int n, double t, const double *y)
{
    keel_solution *r = *solution = calloc(1, sizeof *r);
    if (!r) return KEEL_NO_MEMORY;
    r->n = n;
    r->t_start = t;
    r->y_start = malloc((size_t)n * sizeof *y);
    r->y_end = malloc((size_t)n * sizeof *y);
    if (r->y_start && r->y_end) {
        memcpy(r->y_start, y, (size_t)n * sizeof *y);
        memcpy(r->y_end, y, (size_t)n * sizeof *y);
        return KEEL_OK;
    }
    keel_solution_free(r);
    *solution = NULL;
    return KEEL_NO_MEMORY;
}

int keel_solution_unknowns(const keel_solution *r) { return r && r->y_start ? r->n : 0; }

int keel_solution_begin(keel_solution **solution, int n, double t, const double *y)
{
    if (!solution) return KEEL_BAD_ARGUMENT;
    *solution = NULL;
    if (n < 1 || !y || !isfinite(t)) return KEEL_BAD_ARGUMENT;
    return solution_begin(solution, n, t, y);
}

/* Is it a piece that can follow what is recorded? */
static int check_piece(keel_solution *r, const keel_piece *p)
{
    if (!r->y_start)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "the recording was not created successfully");
    if (p->points < 2 || p->points > POINTS_MOST || !p->nodes || !p->weights || !p->values)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "a piece has 2 to %d nodes, weights and values, "
                    "not %d", POINTS_MOST, p->points);
    const double end = keel_solution_time(r, r->count);
    if (p->t0 == end && isfinite(p->t1) && isfinite(p->h) && p->h != 0 &&
        (p->t1 - p->t0) * p->h >= 0 && (r->count == 0 || r->steps[0].h * p->h > 0))
        return KEEL_OK;
    return fail(&r->message, KEEL_BAD_ARGUMENT, "the piece from t = %.10g to %.10g with h = %.10g "
                "does not follow the recording, which ends at %.10g", p->t0, p->t1, p->h, end);
}

static void evaluate(const keel_solution *r, const recorded_step *p, double theta, double *y);

int keel_solution_join_sized(keel_solution *r, const keel_piece *given, size_t size)
{
    keel_piece p;
    if (!r || !given) return KEEL_BAD_ARGUMENT;
    r->message.text[0] = 0;
    int rc = sized_copy(&r->message, SIZED(keel_piece, event, event), &p, given, size);
    if (!rc) rc = check_piece(r, &p);
    if (!rc && solution_add(r, p.t1, p.points, p.nodes, p.weights, p.values, 0))
        rc = fail(&r->message, KEEL_NO_MEMORY, "t = %.10g: no memory to record the step", p.t1);
    if (rc) return rc;
    recorded_step *last = &r->steps[r->count - 1];
    last->h = p.h;
    if (p.after) memcpy(r->y_end, p.after, (size_t)r->n * sizeof *r->y_end);
    else evaluate(r, last, (p.t1 - p.t0) / p.h, r->y_end);
    if (p.event) r->events[r->event_count++] = p.t1;
    return KEEL_OK;
}

static int event_at(const keel_solution *r, double t)
{
    for (int i = 0; i < r->event_count; i++)
        if (r->events[i] == t) return 1;
    return 0;
}

int keel_solution_piece_sized(const keel_solution *r, int step, keel_piece *piece, size_t size)
{
    if (!r || !piece || step < 0 || step >= r->count) return KEEL_BAD_ARGUMENT;
    const recorded_step *s = &r->steps[step];
    const double *at = r->data + s->at;
    const keel_piece answer = {
        .t0 = s->t0, .t1 = s->t1, .h = s->h, .nodes = at, .weights = at + s->points,
        .values = at + 2 * s->points, .after = step == r->count - 1 ? r->y_end : NULL,
        .points = s->points, .event = event_at(r, s->t1)};
    sized_answer(piece, size, &answer, sizeof answer);
    return KEEL_OK;
}

int solution_add(keel_solution *r, double t, int points, const double *nodes,
                 const double *barycentric, const double *values, int last)
{
    size_t n = (size_t)r->n, count = (size_t)points, need = (2 + n) * count;
    int rc = grow(r, need);
    if (rc) return rc;
    double *at = r->data + r->used, t0 = r->count ? r->steps[r->count - 1].t1 : r->t_start;
    memcpy(at, nodes, count * sizeof *at);
    memcpy(at + count, barycentric, count * sizeof *at);
    memcpy(at + 2 * count, values, count * n * sizeof *at);
    r->steps[r->count++] = (recorded_step){.t0 = t0, .t1 = t, .h = t - t0, .points = points,
                                           .frame = -1, .at = r->used};
    r->used += need;
    memcpy(r->y_end, values + (size_t)last * n, n * sizeof *values);
    return KEEL_OK;
}

int keel_solution_from_table(keel_solution **solution, int n, int rows, const double *t,
                             const double *y)
{
    static const double nodes[2] = {0, 1}, barycentric[2] = {-1, 1};
    if (!solution) return KEEL_BAD_ARGUMENT;
    *solution = NULL;
    if (n < 1 || rows < 2 || !t || !y) return KEEL_BAD_ARGUMENT;
    for (int i = 0; i < rows; i++)
        if (!isfinite(t[i]) || (i && !((t[i] - t[i - 1]) * (t[rows - 1] - t[0]) > 0)))
            return KEEL_BAD_ARGUMENT;
    int rc = solution_begin(solution, n, t[0], y);
    for (int i = 1; i < rows && !rc; i++)
        rc = solution_add(*solution, t[i], 2, nodes, barycentric, y + (size_t)(i - 1) * (size_t)n, 1);
    if (!rc) return KEEL_OK;
    keel_solution_free(*solution);
    *solution = NULL;
    return rc;
}

/* ---- questions ----------------------------------------------------------------------------- */

const char *keel_solution_message(const keel_solution *r) { return r ? r->message.text : ""; }

int keel_solution_steps(const keel_solution *r) { return r ? r->count : 0; }

double keel_solution_time(const keel_solution *r, int step)
{
    if (!r || step < 0 || step > r->count) return NAN;
    return step == 0 ? r->t_start : r->steps[step - 1].t1;
}

int keel_solution_events(const keel_solution *r) { return r ? r->event_count : 0; }

double keel_solution_event(const keel_solution *r, int i)
{
    return r && i >= 0 && i < r->event_count ? r->events[i] : NAN;
}

/* The step that contains t, by bisection, the first of two; -1 outside. */
static int find(const keel_solution *r, double t)
{
    double sign = r->steps[0].h < 0 ? -1 : 1;
    int low = 0, high = r->count - 1;
    if ((t - r->steps[0].t0) * sign < 0 || (t - r->steps[high].t1) * sign > 0) return -1;
    while (low < high) {
        int middle = (low + high) / 2;
        if ((t - r->steps[middle].t1) * sign <= 0) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* y at theta of a step. */
static void evaluate(const keel_solution *r, const recorded_step *p, double theta, double *y)
{
    double *at = r->data + p->at;
    interpolant polynomial = {.t0 = p->t0, .h = p->h, .points = p->points, .nodes = at,
                              .barycentric = at + p->points, .values = at + 2 * p->points};
    interpolant_at(&polynomial, r->n, theta, y);
}

/* Threads may share a recording: nothing is written to it while all is well.  *step: that of t; -1:
 * the start. */
static int find_step(keel_solution *r, double t, const double *y, const char *call, int *step)
{
    if (!y || !r->y_start)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "%s: %s", call,
                    !y ? "y is NULL" : "the recording was not created successfully");
    if (r->message.text[0]) r->message.text[0] = 0;
    *step = r->count && isfinite(t) ? find(r, t) : -1;
    if (t == r->t_start) *step = -1;
    else if (*step < 0)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "t = %.10g lies outside the recording, from "
                    "%.10g to %.10g", t, r->t_start, keel_solution_time(r, r->count));
    return KEEL_OK;
}

static int value_at(keel_solution *r, double t, double *y, int *step)
{
    int rc = find_step(r, t, y, "keel_solution_at", step);
    if (rc) return rc;
    const recorded_step *p = &r->steps[*step < 0 ? 0 : *step];
    if (*step < 0) memcpy(y, r->y_start, (size_t)r->n * sizeof *y);
    else evaluate(r, p, t == p->t1 ? 1 : (t - p->t0) / p->h, y);
    return KEEL_OK;
}

int keel_solution_at(keel_solution *r, double t, double *y)
{
    int step;
    return r ? value_at(r, t, y, &step) : KEEL_BAD_ARGUMENT;
}

int keel_solution_beyond(keel_solution *r, double t, double *y)
{
    if (!r || !y || !r->y_start || !isfinite(t)) return KEEL_BAD_ARGUMENT;
    if (r->count == 0) memcpy(y, r->y_start, (size_t)r->n * sizeof *y);
    if (r->count == 0 || find(r, t) >= 0) return r->count ? keel_solution_at(r, t, y) : KEEL_OK;
    const recorded_step *first = &r->steps[0];
    const int before = (t - first->t0) * (first->h < 0 ? -1 : 1) < 0;
    const recorded_step *p = before ? first : &r->steps[r->count - 1];
    evaluate(r, p, (t - p->t0) / p->h, y);
    return KEEL_OK;
}

int keel_solution_after(keel_solution *r, double t, double *y)
{
    int step;
    if (!r) return KEEL_BAD_ARGUMENT;
    int rc = find_step(r, t, y, "keel_solution_after", &step);
    if (rc) return rc;
    while (step + 1 < r->count && r->steps[step + 1].t0 == t) step++;
    if (step + 1 == r->count && t == keel_solution_time(r, r->count))
        memcpy(y, r->y_end, (size_t)r->n * sizeof *y);
    else
        evaluate(r, &r->steps[step], (t - r->steps[step].t0) / r->steps[step].h, y);
    return KEEL_OK;
}

/* Values of steps are left as they were accepted. */
static int project_recorded(keel_solution *r, keel_solver *s, double t, double *y)
{
    int step, n = keel_problem_size(keel_solver_problem(s));
    if (n != r->n)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "keel_solution_at_projected: the solver has %d "
                    "unknowns, the recording %d", n, r->n);
    int rc = value_at(r, t, y, &step);
    if (rc || step < 0 || t == r->steps[step].t1) return rc;
    rc = frames_project(&r->frames, r->steps[step].frame, s, t, y);
    if (!rc) return KEEL_OK;
    keel_solution_at(r, t, y);
    return fail(&r->message, rc, "%s", s->message.text);
}

int keel_solution_at_projected(keel_solution *r, keel_solver *s, double t, double *y)
{
    if (!r) return KEEL_BAD_ARGUMENT;
    int rc = solver_enter(s);
    if (!rc) return solver_leave(s, project_recorded(r, s, t, y));
    return fail(&r->message, rc, "%s",
                s ? s->message.text : "keel_solution_at_projected: no solver");
}
