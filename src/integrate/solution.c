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
};

int keel_solution_create(keel_solution **solution, const keel_solver *s)
{
    if (!solution || !s || !s->started) return KEEL_BAD_ARGUMENT;
    keel_solution *r = *solution = calloc(1, sizeof *r);
    if (!r) return KEEL_NO_MEMORY;
    r->n = s->n;
    r->t_start = s->t;
    r->y_start = malloc((size_t)s->n * sizeof *r->y_start);
    if (!r->y_start) {
        keel_solution_free(r);
        *solution = NULL;
        return KEEL_NO_MEMORY;
    }
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

int keel_solution_append(keel_solution *r, keel_solver *s)
{
    if (!r || !s || s->n != r->n || s->dense.points == 0) return KEEL_BAD_ARGUMENT;
    double end = r->count ? r->steps[r->count - 1].t1 : r->t_start;
    if (s->t_previous != end) return KEEL_BAD_ARGUMENT;          /* a step is missing or twice */
    size_t points = (size_t)s->dense.points, values = points * (size_t)r->n;
    int rc = solver_dense(s);
    if (!rc) rc = grow(r, 2 * points + values);
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

int keel_solution_at(const keel_solution *r, double t, double *y)
{
    if (!r || !y) return KEEL_BAD_ARGUMENT;
    if (t == r->t_start) {
        memcpy(y, r->y_start, (size_t)r->n * sizeof *y);
        return KEEL_OK;
    }
    int step = r->count && isfinite(t) ? find(r, t) : -1;
    if (step < 0) return KEEL_BAD_ARGUMENT;
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

int keel_solution_at_projected(const keel_solution *r, keel_solver *s, double t, double *y)
{
    if (!s || !s->started || (r && s->n != r->n)) return KEEL_BAD_ARGUMENT;
    int rc = keel_solution_at(r, t, y);
    if (rc || is_step(r, t)) return rc;
    rc = solver_project(s, t, y);
    if (rc) keel_solution_at(r, t, y);
    return rc;
}
