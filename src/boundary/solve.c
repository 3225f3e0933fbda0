/* solve.c -- from mesh to mesh, until the error is what was asked for and all equations hold.
 *
 * If Newton's method fails from the guess, roundabout ways are tried (approach.c); never a finer
 * mesh, on which it would fail as well.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"

/* A first mesh has no other to be compared with; and one that follows an unresolved one may have
 * missed what that did not show.  [Of the tolerance; found on layers of width 1e-2 to 1e-4.]  Others have
 * estimates that may be too small by a little. */
static const double first_part = 0.1, after_unresolved = 1.0 / 30, usual_part = 0.8, honest = 3;
enum { MESHES_MOST = 60 };

/* ---- one mesh ------------------------------------------------------------------------------ */

/* With an odd number of stages their matrix is singular at one h lambda, 4.644 for three, of growing
 * solutions.  Other widths are as good. */
static int newton_on(keel_boundary *w, mesh *s)
{
    enum { ATTEMPTS = 3 };
    int rc = newton_solve(w, s);
    for (int i = 1; i <= ATTEMPTS && rc == BOUNDARY_SINGULAR_STAGES; i++)
        if (mesh_shift(w, s, i)) rc = newton_solve(w, s);
    return rc;
}

static int enrich(keel_boundary *w, mesh *s)
{
    memcpy(s->p, s->u.p, (size_t)w->flow.np * sizeof *s->p);
    flow_set_parameters(&w->flow, s->p);
    return enrich_mesh(w, s);
}

int solve_mesh(keel_boundary *w, mesh *s)
{
    static const double polished = 2;            /* larger errors do not need that         */
    w->flow.e.time_scale = fabs(w->to - w->from) / s->N;
    w->flow.e.limited = 1;
    w->flow.e.t_limit = w->to;
    w->flow.e.limit_direction = w->to > w->from ? 1 : -1;
    w->broken = 0;
    w->unfinished = 0;
    int rc = newton_on(w, s);
    if (!rc) rc = enrich(w, s);
    if (!rc && w->unfinished > 0 && s->resolved && mesh_error(s) <= polished) {
        rc = newton_finish(w, s);
        if (!rc) rc = enrich(w, s);
    }
    w->stats.meshes_tried++;
    return w->broken ? w->broken : rc;
}

/* Were the errors of the old mesh what was estimated?  If not, neither will those of the new. */
static int compare(const keel_boundary *w, mesh *s, const mesh *old)
{
    double difference = 0, estimate = fmax(mesh_error(old), 1e-3);
    if (!old->resolved || !s->resolved) return 1;
    for (int j = 0; j < s->N; j++) {
        const double *y = s->edge_y + (ptrdiff_t)2 * j * w->flow.n;
        mesh_value(w, old, s->t[j], w->y);
        for (int i = 0; i < w->flow.n && !is_break(w, s->t[j]); i++)
            difference = fmax(difference, fabs(y[i] - w->y[i]) * error_weight(w, i, y[i]));
    }
    for (int i = 0; i < w->flow.np; i++)
        difference = fmax(difference, fabs(s->p[i] - old->p[i]) * parameter_weight(w, s->p[i]));
    double ratio = difference / estimate;
    for (int i = 0; i < s->N && ratio > honest; i++) {
        s->estimate[i] *= ratio;
        s->source[i] *= ratio;
    }
    return ratio <= honest;
}

/* On the way to somewhere else a mesh need only be fine enough for the next guess. */
static int accepted(const keel_boundary *w, const mesh *s, const mesh *old)
{
    double part = w->ease > 1 ? w->ease : !old ? first_part
                : !old->resolved ? after_unresolved : usual_part;
    return w->options.uniform || (s->resolved && mesh_error(s) <= part && w->rounding <= part);
}

/* Newton's method has ended, and the estimates are small: do the equations hold, too? */
static int verify(keel_boundary *w, mesh *s)
{
    enum { AGAIN = 2 };
    int rc = equations_hold(w, s);
    for (int i = 0; i < AGAIN && rc == BOUNDARY_UNSOLVED; i++) {
        rc = solve_mesh(w, s);
        if (!rc) rc = equations_hold(w, s);
    }
    return rc;
}

/* The smallest error so far, with how many intervals, and how many before it were small by chance. */
typedef struct record { double error; int N, doubted; } record;

/* Twice the intervals, but not half of the error, where k stages would have made it 2^-k; as long as
 * nothing is resolved, estimates need not decrease.  One that more intervals contradict was small by chance,
 * as errors of mesh values are where they cancel, and those of meshes that are too coarse to see a layer.
 * A few more intervals are cheap.  [Found with a corner layer, two stages, test_fresh.c; and with a layer
 * inside, test_textbook.c.] */
static int is_useless(const keel_boundary *w, record *best, const mesh *s)
{
    enum { DOUBTS_MOST = 2, CHEAP = 32 };
    double rough = fmin(1e4, fmax(30, 0.1 / w->tolerance)), error = mesh_error(s);
    if (!s->resolved && s->N >= best->N) best->N = 0;
    if (!s->resolved || error > rough) return 0;
    int chance = best->N && s->N >= best->N && error > honest * best->error && best->doubted < DOUBTS_MOST;
    if (best->N && error > 0.5 * best->error && !chance)
        return s->N > 2 * (best->N > CHEAP ? best->N : CHEAP);
    *best = (record){error, s->N, best->doubted + chance};
    return 0;
}

/* Where the last mesh of the same kind, resolved or not, had as many intervals and hardly a larger error, it
 * goes round in circles. */
static int is_stalled(record last[2], const mesh *s)
{
    record *before = last + !!s->resolved;
    int stalled = s->N <= before->N && mesh_error(s) > 0.5 * before->error;
    *before = (record){.error = mesh_error(s), .N = s->N};
    return stalled;
}

/* ---- stages -------------------------------------------------------------------------------- */

static int stages_of(const keel_boundary *w, const mesh *s)
{
    static const double nearly = 30;
    if (w->options.stages) return w->options.stages;
    int few = w->tolerance >= 1e-8 ? 6 : 8, many = w->tolerance >= 1e-5 ? 6 : 8;
    return !s || (s->table.k == few && mesh_error(s) <= nearly) ? few : many;
}

/* ---- from mesh to mesh --------------------------------------------------------------------- */

static int no_accuracy(keel_boundary *w, const mesh *s, int status, const char *why)
{
    return fail(&w->message, status, "the error is %.3g times what was asked for with %d intervals, "
                "and %s", mesh_error(s), s->N, why);
}

/* A mesh after which no other helps is taken for what it is, not for what would be on the safe side. */
static int suffices(const keel_boundary *w, const mesh *s, const mesh *old)
{
    return s->resolved && old && old->resolved && mesh_error(s) <= 1 && w->rounding <= 1;
}

/* Is another mesh worth trying? */
static int give_up(keel_boundary *w, const mesh *s, int last)
{
    if (w->rounding > 1 && s->resolved)
        return no_accuracy(w, s, KEEL_ILL_CONDITIONED, "rounding errors are as large: conditioning "
                           "does not allow that accuracy; ask for less");
    if (last)
        return no_accuracy(w, s, KEEL_NOT_CONVERGED, "more do not make it smaller: rounding errors "
                           "are as large, or the right-hand side is not smooth (break_at); ask for "
                           "less");
    return KEEL_OK;
}

/* The next mesh, not yet filled. */
static int next_mesh(keel_boundary *w, mesh *s, mesh **next)
{
    int status = table_make(&w->table, stages_of(w, s), w->options.points, w->nodes);
    if (!status) mesh_shed(s);
    if (!status) status = mesh_next(w, next, s, s->source, &w->table);
    if (!status && (*next)->N > w->options.most) {
        status = no_accuracy(w, s, KEEL_NOT_CONVERGED, "more are not allowed: raise `most`, or ask "
                             "for less");
        mesh_free(*next);
    }
    return status;
}

static int from_guess(keel_boundary *w, mesh *s)
{
    int rc = guess_user(w, s);
    return rc ? rc : solve_mesh(w, s);
}

/* What a mesh that is too coarse has found may be of the mesh alone, and lead nowhere on a better one,
 * where the guess of the user does; or does with more equal intervals, as that mesh does not tell where
 * they belong. */
static int from_mesh(keel_boundary *w, mesh **s, const mesh *old)
{
    enum { MORE = 4 };
    mesh *equal = NULL;
    int N = MORE * first_intervals(w, w->table.k), rc = guess_transfer(w, *s, old);
    w->hasty = !old->resolved;
    if (!rc) rc = solve_mesh(w, *s);
    w->hasty = 0;
    if (rc <= 0 || old->resolved || w->mesh || w->following) return rc;
    rc = from_guess(w, *s);
    if (rc <= 0 || old->N >= N || N > w->options.most || mesh_first(w, &equal, N, &w->table)) return rc;
    mesh_free(*s);
    *s = equal;
    return from_guess(w, *s);
}

int refine(keel_boundary *w, mesh **last)
{
    mesh *s = *last, *old = NULL, *next = NULL;
    int rc = 0, status = KEEL_OK;
    record best = {0}, last_two[2] = {0};
    for (int tried = 1;; tried++) {
        if (accepted(w, s, old)) rc = verify(w, s);
        if (rc || accepted(w, s, old)) break;
        w->stalled = is_stalled(last_two, s);
        int end = tried >= MESHES_MOST || is_useless(w, &best, s);
        if (end && suffices(w, s, old)) {
            rc = verify(w, s);
            break;
        }
        status = give_up(w, s, end);
        if (!status) status = next_mesh(w, s, &next);
        if (status) break;
        mesh_free(old);
        old = s;
        s = next;
        rc = from_mesh(w, &s, old);
        if (rc) break;
        if (!compare(w, s, old)) best = (record){0};     /* as small as it never was */
    }
    if (rc) {                                    /* the last mesh that has a solution stays */
        status = boundary_failure(w, s, rc);
        mesh_free(s);
        s = rc == BOUNDARY_UNSOLVED ? NULL : old;
    }
    if (s != old) mesh_free(old);
    w->stalled = 0;
    *last = s;
    return status;
}

/* ---- from the guess ------------------------------------------------------------------------ */

/* Could another way lead to a solution where Newton's method met with rc? */
static int is_hopeless(const keel_boundary *w, int rc)
{
    return rc < 0 || rc == BOUNDARY_SINGULAR_FIELD || w->options.uniform || w->following;
}

/* *s is a mesh on which Newton's method failed with rc; replaced if there is another way. */
static int other_ways(keel_boundary *w, mesh **s, int rc)
{
    int (*const way[])(keel_boundary *, mesh **) = {approach_interval, approach_parameter};
    fault first = w->flow.e.fault;
    int worst = w->worst;
    double worst_t = w->worst_t;
    for (int i = 0; i < 2 && !is_hopeless(w, rc); i++) {
        mesh *found = NULL;
        if (way[i](w, &found)) continue;
        mesh_free(*s);
        *s = found;
        return 0;
    }
    w->flow.e.fault = first;
    w->worst = worst;
    w->worst_t = worst_t;
    return rc;
}

int boundary_solve(keel_boundary *w)
{
    mesh *s = NULL;
    int rc, k = stages_of(w, NULL);
    if (w->mesh && !w->options.stages && w->mesh->table.k > k) k = w->mesh->table.k; /* it was worth them */
    int status = table_make(&w->table, k, w->options.points, w->nodes);
    w->from = w->spec.from;
    w->to = w->spec.to;
    w->ease = 1;
    w->progress = (progress){-1, NAN};
    mesh_shed(w->mesh);
    if (!status)
        status = w->mesh && !w->options.uniform ? mesh_next(w, &s, w->mesh, w->mesh->estimate, &w->table)
                                                : mesh_first(w, &s, first_intervals(w, k), &w->table);
    if (status) return status;
    rc = w->mesh ? guess_transfer(w, s, w->mesh) : guess_user(w, s);
    status = rc ? KEEL_OK : derivatives_check(w, s);
    if (status) {
        mesh_free(s);
        return status;
    }
    if (!rc) rc = solve_mesh(w, s);
    if (rc) rc = other_ways(w, &s, rc);
    if (rc) {
        status = boundary_failure(w, s, rc);
        mesh_free(s);
        return status;
    }
    status = refine(w, &s);
    if (!s) return status;
    mesh_free(w->mesh);
    w->mesh = s;
    return status;
}
