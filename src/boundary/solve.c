/* solve.c -- from mesh to mesh, until the error is what was asked for.
 *
 * If Newton's method fails from the guess, the interval grows from a fifth of its length, where
 * almost any guess is good, to all of it.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"

/* A first mesh has no other to be compared with; and one that follows an unresolved one may have
 * missed what that did not show.  [Of the tolerance; found on layers of width 1e-2 to 1e-4.] */
static const double first_part = 0.1, after_unresolved = 1.0 / 30, honest = 3;
enum { MESHES_MOST = 60, CONTINUATION_MESH = 30 };

/* ---- one mesh ------------------------------------------------------------------------------ */

static int solve_mesh(keel_boundary *w, mesh *s)
{
    w->flow.e.time_scale = fabs(w->to - w->from) / s->N;
    w->flow.e.limited = 1;
    w->flow.e.t_limit = w->to;
    w->flow.e.limit_direction = w->to > w->from ? 1 : -1;
    int rc = newton_solve(w, s);
    if (!rc) {
        flow_set_parameters(&w->flow, s->u.p);
        rc = enrich_mesh(w, s);
    }
    w->stats.meshes_tried++;
    return rc;
}

/* Were the errors of the old mesh what was estimated?  If not, neither will those of the new. */
static void compare(const keel_boundary *w, mesh *s, const mesh *old)
{
    double difference = 0, estimate = fmax(mesh_error(old), 1e-3);
    if (!old->resolved || !s->resolved) return;
    for (int j = 0; j < s->N; j++) {
        const double *y = s->edge_y + (ptrdiff_t)2 * j * w->flow.n;
        mesh_value(w, old, s->t[j], w->y);
        for (int i = 0; i < w->flow.n && !is_break(w, s->t[j]); i++)
            difference = fmax(difference, fabs(y[i] - w->y[i]) * error_weight(w, i, y[i]));
    }
    double ratio = difference / estimate;
    for (int i = 0; i < s->N && ratio > honest; i++) s->estimate[i] *= ratio;
}

static int accepted(const mesh *s, const mesh *old)
{
    double part = !old ? first_part : !old->resolved ? after_unresolved : 1;
    return s->resolved && mesh_error(s) <= part;
}

/* The smallest error so far, and with how many intervals. */
typedef struct progress { double error; int N; } progress;

/* Twice the intervals, but not half of the error, where k stages would have made it 2^-k. */
static int is_useless(progress *best, const mesh *s)
{
    if (!s->resolved) return 0;
    if (best->N && mesh_error(s) > 0.5 * best->error) return s->N > 2 * best->N;
    *best = (progress){mesh_error(s), s->N};
    return 0;
}

/* ---- stages -------------------------------------------------------------------------------- */

static int stages_of(const keel_boundary *w, const mesh *s)
{
    static const double nearly = 30;
    if (w->options.stages) return w->options.stages;
    if (w->tolerance < 1e-10) return 8;
    int easy = w->tolerance >= 1e-6 && (!s || (s->table.k == 4 && mesh_error(s) <= nearly));
    return easy ? 4 : 6;
}

/* ---- from mesh to mesh --------------------------------------------------------------------- */

static int no_accuracy(keel_boundary *w, const mesh *s, const char *why)
{
    return fail(&w->message, KEEL_NOT_CONVERGED, "the error is %.3g times what was asked for with "
                "%d intervals, and %s", mesh_error(s), s->N, why);
}

/* `s`, on which Newton's method has converged, is the first mesh; it is owned here. */
static int refine(keel_boundary *w, mesh *s)
{
    mesh *old = NULL, *next = NULL;
    int rc = KEEL_OK, status = KEEL_OK;
    progress best = {0};
    for (int tried = 1; !w->options.uniform && !accepted(s, old); tried++) {
        if (w->rounding > 1 && s->resolved)
            status = no_accuracy(w, s, "rounding errors are as large: conditioning does not allow "
                                 "that accuracy; ask for less");
        else if (tried >= MESHES_MOST || is_useless(&best, s))
            status = no_accuracy(w, s, "more do not make it smaller: rounding errors are as large, or "
                                 "the right-hand side is not smooth (break_at); ask for less");
        if (!status) status = table_make(&w->table, stages_of(w, s), w->options.points);
        if (!status) status = mesh_next(w, &next, s, &w->table);
        if (!status && next->N > w->options.most) {
            status = no_accuracy(w, s, "more are not allowed: raise `most`, or ask for less");
            mesh_free(next);
        }
        if (status) break;
        mesh_free(old);
        old = s;
        s = next;
        rc = guess_transfer(w, s, old);
        if (!rc) rc = solve_mesh(w, s);
        if (rc) break;
        compare(w, s, old);
    }
    if (rc) {                                    /* the last mesh that has a solution stays */
        status = boundary_failure(w, s, rc);
        mesh_free(s);
        s = old;
        old = NULL;
    }
    mesh_free(old);
    mesh_free(w->mesh);
    w->mesh = s;
    return status;
}

/* ---- the interval, from short to long ------------------------------------------------------ */

static int grow_interval(keel_boundary *w, mesh **out)
{
    double tau = 0, step = 0.2, length = w->spec.to - w->spec.from;
    mesh *s = NULL, *next = NULL;
    int rc = 0;
    while (tau < 1) {
        double to = fmin(1, tau + step);
        w->to = to < 1 ? w->from + to * length : w->spec.to;
        if (mesh_first(w, &next, CONTINUATION_MESH, &w->table)) break;
        rc = s ? guess_transfer(w, next, s) : guess_user(w, next);
        if (!rc) rc = solve_mesh(w, next);
        if (rc < 0) break;
        if (!rc) {
            mesh_free(s);
            s = next;
            tau = to;
            step *= 1.5;
        } else {
            mesh_free(next);
            step /= 2;
        }
        next = NULL;
        if (step < 0.01) break;
    }
    mesh_free(next);
    w->to = w->spec.to;
    if (tau < 1) mesh_free(s);
    *out = tau < 1 ? NULL : s;
    return tau < 1;
}

int boundary_solve(keel_boundary *w)
{
    mesh *s = NULL;
    int N = w->options.mesh ? w->options.mesh : 6, rc;
    int status = table_make(&w->table, stages_of(w, NULL), w->options.points);
    w->from = w->spec.from;
    w->to = w->spec.to;
    if (!status)
        status = w->mesh && !w->options.uniform ? mesh_next(w, &s, w->mesh, &w->table)
                                                : mesh_first(w, &s, N, &w->table);
    if (status) return status;
    rc = w->mesh ? guess_transfer(w, s, w->mesh) : guess_user(w, s);
    status = rc ? KEEL_OK : derivatives_check(w, s);
    if (status) {
        mesh_free(s);
        return status;
    }
    if (!rc) rc = solve_mesh(w, s);
    if (rc > 0 && rc != BOUNDARY_SINGULAR_FIELD && !w->options.uniform && !w->following &&
        !w->flow.stretch.pieces) {
        mesh *grown = NULL;
        fault first = w->flow.e.fault;
        int worst = w->worst;
        double worst_t = w->worst_t;
        if (!grow_interval(w, &grown)) {
            mesh_free(s);
            return refine(w, grown);
        }
        w->flow.e.fault = first;
        w->worst = worst;
        w->worst_t = worst_t;
    }
    if (!rc) return refine(w, s);
    status = boundary_failure(w, s, rc);
    mesh_free(s);
    return status;
}
