/* branch_table.c -- the points of a branch: parameters, values at both ends, largest values. */
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

/* Largest absolute values at mesh points and at others between. */
static int fill_largest(keel_branch *b, keel_solution *solution, double *largest)
{
    int steps = keel_solution_steps(solution), rc = KEEL_OK;
    for (int i = 0; i < steps * SAMPLES_OF_INTERVAL + 1 && !rc; i++) {
        int at = i / SAMPLES_OF_INTERVAL, part = i % SAMPLES_OF_INTERVAL;
        double t = keel_solution_time(solution, at);
        if (part)
            t += (keel_solution_time(solution, at + 1) - t) * part / SAMPLES_OF_INTERVAL;
        rc = keel_solution_at(solution, t, b->y);
        for (int j = 0; j < b->n && !rc; j++) largest[j] = fmax(largest[j], fabs(b->y[j]));
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

int branch_add(keel_branch *b, int at, double arc, int fold)
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
    of->fold = fold;
    for (int i = b->points; i > at; i--) b->point[i] = b->point[i - 1];
    b->point[at] = of;
    b->points++;
    return KEEL_OK;
}

void branch_table_free(keel_branch *b)
{
    for (int i = 0; i < b->points; i++) free(b->point[i]);
    free(b->point);
}
