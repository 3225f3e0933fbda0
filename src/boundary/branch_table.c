/* branch_table.c -- the points of a branch: parameters, values at both ends, largest values.
 *
 * These are looked for among samples; where one is larger than its neighbours, the solution is
 * evaluated at the vertex of the parabola through the three, too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/branch.h"

enum { SAMPLES_OF_INTERVAL = 8 };

/* A point and its numbers in one block. */
static keel_branch_point *new_point(const keel_branch *b)
{
    size_t n = (size_t)b->n, np = (size_t)b->np;
    keel_branch_point *of = calloc(1, sizeof *of + (np + 3 * n) * sizeof(double));
    if (!of) return NULL;
    double *number = (double *)(of + 1);
    of->p = number;
    of->from = number + np;
    of->to = of->from + n;
    of->largest = of->to + n;
    return of;
}

/* Three samples in a row. */
typedef struct samples { double t[3], *y[3]; } samples;

static double sample_time(const keel_solution *solution, int i)
{
    int at = i / SAMPLES_OF_INTERVAL, part = i % SAMPLES_OF_INTERVAL;
    double t = keel_solution_time(solution, at);
    if (!part) return t;
    return t + (keel_solution_time(solution, at + 1) - t) * part / SAMPLES_OF_INTERVAL;
}

/* The sample in the middle is extreme for unknown j: what it is at the vertex. */
static int look_at_vertex(keel_branch *b, keel_solution *solution, const samples *s, int j,
                          double *largest)
{
    double left = s->t[0] - s->t[1], right = s->t[2] - s->t[1], *y = b->y + 3 * (ptrdiff_t)b->n;
    double rise_left = (s->y[0][j] - s->y[1][j]) / left;
    double rise_right = (s->y[2][j] - s->y[1][j]) / right;
    double curvature = (rise_right - rise_left) / (right - left);
    double at = -(rise_left - curvature * left) / (2 * curvature);
    if (!isfinite(at)) return KEEL_OK;           /* a constant */
    int rc = keel_solution_at(solution, s->t[1] + at, y);
    if (!rc) *largest = fmax(*largest, fabs(y[j]));
    return rc;
}

static int fill_largest(keel_branch *b, keel_solution *solution, double *largest)
{
    int count = keel_solution_steps(solution) * SAMPLES_OF_INTERVAL + 1, n = b->n, rc = KEEL_OK;
    samples s = {.y = {b->y, b->y + n, b->y + 2 * (ptrdiff_t)n}};
    for (int i = 0; i < count && !rc; i++) {
        double *oldest = s.y[0];
        s.y[0] = s.y[1], s.y[1] = s.y[2], s.y[2] = oldest;
        s.t[0] = s.t[1], s.t[1] = s.t[2], s.t[2] = sample_time(solution, i);
        rc = keel_solution_at(solution, s.t[2], s.y[2]);
        for (int j = 0; j < n && !rc; j++) {
            double size = fabs(s.y[1][j]);
            largest[j] = fmax(largest[j], fabs(s.y[2][j]));
            if (i > 1 && size >= largest[j] && size > fabs(s.y[0][j]))
                rc = look_at_vertex(b, solution, &s, j, &largest[j]);
        }
    }
    return rc;
}

static int fill_point(keel_branch *b, keel_branch_point *of)
{
    keel_solution *solution = keel_boundary_solution(b->boundary);
    double *number = (double *)(of + 1), *from = number + b->np, *to = from + b->n;
    int steps = keel_solution_steps(solution);
    memcpy(number, keel_boundary_parameters(b->boundary), (size_t)b->np * sizeof *number);
    of->parameter = *branch_parameter(b, b->q);
    of->mesh = steps;
    int rc = keel_solution_at(solution, keel_solution_time(solution, 0), from);
    if (!rc) rc = keel_solution_at(solution, keel_solution_time(solution, steps), to);
    return rc ? rc : fill_largest(b, solution, to + b->n);
}

static int make_room(keel_branch *b)
{
    if (b->points < b->room) return KEEL_OK;
    int room = b->room ? 2 * b->room : 64;
    keel_branch_point **more = realloc(b->point, (size_t)room * sizeof(keel_branch_point *));
    if (!more) return KEEL_NO_MEMORY;
    b->point = more;
    b->room = room;
    return KEEL_OK;
}

int branch_append(keel_branch *b)
{
    keel_branch_point *of = make_room(b) ? NULL : new_point(b);
    if (!of) return KEEL_NO_MEMORY;
    b->point[b->points++] = of;
    return KEEL_OK;
}

int branch_add(keel_branch *b, int at, double arc, int kind)
{
    keel_branch_point *of = make_room(b) ? NULL : new_point(b);
    if (!of) return fail(&b->message, KEEL_NO_MEMORY, "no memory for %d points", b->points + 1);
    int rc = fill_point(b, of);
    if (rc) {
        free(of);
        return fail(&b->message, rc, "%s",
                    keel_solution_message(keel_boundary_solution(b->boundary)));
    }
    of->arc = arc;
    of->fold = kind == BRANCH_FOLD;
    of->branch_point = kind == BRANCH_POINT;
    for (int i = b->points; i > at; i--) b->point[i] = b->point[i - 1];
    b->point[at] = of;
    b->points++;
    return KEEL_OK;
}

void branch_table_free(keel_branch *b)
{
    for (int i = 0; i < b->points; i++) free(b->point[i]);
    free(b->point);
    b->point = NULL;
    b->points = b->room = 0;
}
