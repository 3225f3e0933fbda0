/* solution.c -- a recording of accepted steps: their interpolants, evaluated anywhere later. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/integrator.h"

typedef struct recorded_step {
    double t0, t1, h;
    int points;
    size_t at;                   /* offset in data: nodes, barycentric weights, values     */
} recorded_step;

struct keel_solution {
    int n;
    double t_start, *y_start;
    recorded_step *steps;
    int count, capacity;
    double *data;
    size_t used, room;
    message message;
};

int keel_solution_create(keel_solution **solution, const keel_solver *s)
{
    if (!solution) return KEEL_BAD_ARGUMENT;
    keel_solution *r = *solution = calloc(1, sizeof *r);
    if (!r) return KEEL_NO_MEMORY;
    r->t_start = NAN;
    if (!s || !s->started)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "a recording begins where a run does: call "
                    "keel_start successfully first");
    r->y_start = malloc((size_t)s->n * sizeof *r->y_start);
    if (!r->y_start)
        return fail(&r->message, KEEL_NO_MEMORY, "no memory for a recording of %d unknowns", s->n);
    r->n = s->n;
    r->t_start = s->t;
    memcpy(r->y_start, s->y, (size_t)s->n * sizeof *r->y_start);
    return KEEL_OK;
}

void keel_solution_free(keel_solution *r)
{
    if (!r) return;
    free(r->y_start);
    free(r->steps);
    free(r->data);
    free(r);
}

/* Room for one more step of `need` numbers. */
static int grow(keel_solution *r, size_t need)
{
    if (r->count == r->capacity) {
        int capacity = r->capacity ? 2 * r->capacity : 64;
        recorded_step *steps = realloc(r->steps, (size_t)capacity * sizeof *steps);
        if (!steps) return KEEL_NO_MEMORY;
        r->steps = steps;
        r->capacity = capacity;
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
    if (s->n != r->n)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "the recording is of %d unknowns, the solver of "
                    "%d", r->n, s->n);
    if (s->dense.points == 0)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "t = %.10g: there is no step to record yet",
                    s->t);
    double end = r->count ? r->steps[r->count - 1].t1 : r->t_start;
    if (s->t_previous == end) return KEEL_OK;
    return fail(&r->message, KEEL_BAD_ARGUMENT, "the recording ends at t = %.10g, but the last step "
                "is from %.10g to %.10g: append every step, once", end, s->t_previous, s->t);
}

static int append(keel_solution *r, keel_solver *s)
{
    int rc = follows(r, s);
    if (rc) return rc;
    size_t points = (size_t)s->dense.points, values = points * (size_t)r->n;
    rc = solver_dense(s);
    if (rc) r->message = s->message;
    if (!rc && (rc = grow(r, 2 * points + values)))
        fail(&r->message, rc, "t = %.10g: no memory to record the step", s->t);
    if (rc) return rc;
    double *at = r->data + r->used;
    memcpy(at, s->dense.nodes, points * sizeof *at);
    memcpy(at + points, s->dense.barycentric, points * sizeof *at);
    memcpy(at + 2 * points, s->dense.values, values * sizeof *at);
    r->steps[r->count++] = (recorded_step){.t0 = s->t_previous, .t1 = s->t, .h = s->dense.h,
                                           .points = s->dense.points, .at = r->used};
    r->used += 2 * points + values;
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

const char *keel_solution_message(const keel_solution *r) { return r ? r->message.text : ""; }

int keel_solution_steps(const keel_solution *r) { return r ? r->count : 0; }

double keel_solution_time(const keel_solution *r, int step)
{
    if (!r || step < 0 || step > r->count) return NAN;
    return step == 0 ? r->t_start : r->steps[step - 1].t1;
}

/* The step that contains t, by bisection; -1 outside. */
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

/* Threads may share a recording: nothing is written to it while all is well. */
int keel_solution_at(keel_solution *r, double t, double *y)
{
    if (!r) return KEEL_BAD_ARGUMENT;
    if (!y || !r->y_start)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "keel_solution_at: %s",
                    !y ? "y is NULL" : "the recording was not created successfully");
    if (r->message.text[0]) r->message.text[0] = 0;
    if (t == r->t_start) {
        memcpy(y, r->y_start, (size_t)r->n * sizeof *y);
        return KEEL_OK;
    }
    int step = r->count && isfinite(t) ? find(r, t) : -1;
    if (step < 0)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "t = %.10g lies outside the recording, from "
                    "%.10g to %.10g", t, r->t_start, keel_solution_time(r, r->count));
    const recorded_step *p = &r->steps[step];
    double *at = r->data + p->at;
    interpolant polynomial = {.t0 = p->t0, .h = p->h, .points = p->points, .nodes = at,
                              .barycentric = at + p->points, .values = at + 2 * p->points};
    interpolant_at(&polynomial, r->n, t == p->t1 ? 1 : (t - p->t0) / p->h, y);
    return KEEL_OK;
}

/* Values of steps are left as they were accepted. */
static int is_step(const keel_solution *r, double t)
{
    return t == r->t_start || t == r->steps[find(r, t)].t1;
}

static int project_recorded(keel_solution *r, keel_solver *s, double t, double *y)
{
    if (s->n != r->n)
        return fail(&r->message, KEEL_BAD_ARGUMENT, "keel_solution_at_projected: the solver has %d "
                    "unknowns, the recording %d", s->n, r->n);
    int rc = keel_solution_at(r, t, y);
    if (rc || is_step(r, t)) return rc;
    rc = solver_project(s, t, y);
    if (!rc) return KEEL_OK;
    keel_solution_at(r, t, y);
    return fail(&r->message, rc, "%s", s->message.text);
}

int keel_solution_at_projected(keel_solution *r, keel_solver *s, double t, double *y)
{
    if (!r) return KEEL_BAD_ARGUMENT;
    int rc = solver_enter(s);
    if (!rc) return solver_leave(s, project_recorded(r, s, t, y));
    return fail(&r->message, rc, "%s", s ? s->message.text : "keel_solution_at_projected: no solver");
}
