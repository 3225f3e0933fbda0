/* approach.c -- roundabout ways to a solution, where Newton's method fails from the guess.
 *
 *   interval    x' = f on [from, from + tau (to - from)], tau from a fifth, where almost any guess is
 *               good, to 1, each solution stretched being the guess of the next
 *   parameter   one of the frame, from a value that makes the problem easy to the one it has, by its
 *               logarithm if both have the same sign and are far apart
 *
 * A step that succeeds makes the next one larger, one that fails is halved.
 */
#include <math.h>

#include "boundary/boundary.h"

static const double growth = 1.5, least_step = 0.01, first_step = 0.2;
static const double fine_enough = 1e-2;          /* error of solutions on the way          */

/* ---- the interval -------------------------------------------------------------------------- */

/* Up to `part` of the interval, from the last solution or the guess. */
static int solve_part(keel_boundary *w, double part, const mesh *last, mesh **out)
{
    enum { INTERVALS = 30 };
    w->to = part < 1 ? w->spec.from + part * (w->spec.to - w->spec.from) : w->spec.to;
    if (mesh_first(w, out, INTERVALS, &w->table)) return KEEL_NO_MEMORY;
    int rc = last ? guess_transfer(w, *out, last) : guess_user(w, *out);
    if (!rc) rc = solve_mesh(w, *out);
    if (!rc) return 0;
    mesh_free(*out);
    *out = NULL;
    return rc;
}

int approach_interval(keel_boundary *w, mesh **out)
{
    double step = first_step, *tau = &w->progress.interval;
    mesh *s = NULL, *next = NULL;
    if (w->flow.stretch.pieces) return 1;        /* breaks at unknown times may be anywhere */
    *tau = 0;
    while (*tau < 1 && step >= least_step) {
        double part = fmin(1, *tau + step);
        mesh_shed(s);
        int rc = solve_part(w, part, s, &next);
        if (rc < 0) break;
        step = rc ? step / 2 : growth * step;
        if (rc) continue;
        mesh_free(s);
        s = next;
        *tau = part;
    }
    w->to = w->spec.to;
    *out = *tau < 1 ? NULL : s;
    if (*tau < 1) mesh_free(s);
    return *tau < 1;
}

/* ---- a parameter --------------------------------------------------------------------------- */

/* From `easy` to `hard`, 0 <= part <= 1. */
static double between(double easy, double hard, double part)
{
    if (part == 1) return hard;
    if (easy * hard > 0 && fabs(log(hard / easy)) > log(3.0))
        return easy * pow(hard / easy, part);
    return easy + part * (hard - easy);
}

/* The problem with another value of the parameter, from the last solution or the guess. */
static int solve_with(keel_boundary *w, double value, const mesh *last, mesh **out)
{
    int N = first_intervals(w, w->table.k), status;
    w->flow.parameters[w->easy] = value;
    status = last ? mesh_next(w, out, last, last->estimate, &w->table) : mesh_first(w, out, N, &w->table);
    if (status) return status;
    int rc = last ? guess_transfer(w, *out, last) : guess_user(w, *out);
    if (!rc) rc = solve_mesh(w, *out);
    if (!rc) rc = refine(w, out);
    if (!rc) return 0;
    mesh_free(*out);
    *out = NULL;
    return rc == KEEL_NO_MEMORY ? rc : 1;
}

int approach_parameter(keel_boundary *w, mesh **out)
{
    if (w->easy < 0) return 1;
    double hard = w->flow.parameters[w->easy], part = 0, step = 0;
    mesh *s = NULL, *next = NULL;
    w->ease = fmax(1, fine_enough / w->tolerance);
    while (part < 1) {
        double to = fmin(1, part + step), value = between(w->options.easy_value, hard, to);
        mesh_shed(s);
        int rc = solve_with(w, value, s, &next);
        if (rc < 0 || (rc && !s)) break;         /* the easy problem is not easy */
        step = rc ? step / 2 : step > 0 ? growth * step : first_step;
        if (step < least_step) break;
        if (rc) continue;
        mesh_free(s);
        s = next;
        part = to;
        w->progress.parameter = value;
    }
    w->ease = 1;
    w->flow.parameters[w->easy] = hard;
    *out = part < 1 ? NULL : s;
    if (part < 1) mesh_free(s);
    return part < 1;
}
