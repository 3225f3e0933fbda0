/* store.c -- solutions in files.
 *
 *   kind of file, byte order, length, checksum of what follows; names of unknowns; mesh and values
 *
 * A file is read and verified completely before anything is taken from it.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint/checkpoint.h"
#include "boundary/boundary.h"

typedef struct heading {
    char kind[16];
    uint32_t format, order;
    uint64_t length, sum;        /* of the rest                                            */
} heading;

enum { FORMAT = 1 };

static heading heading_of(const char *kind, size_t length, const char *rest)
{
    heading h = {.format = FORMAT, .order = 0x01020304, .length = length,
                 .sum = checksum(CHECKSUM_BEGIN, rest, length)};
    size_t size = strlen(kind);
    memcpy(h.kind, kind, size < sizeof h.kind ? size : sizeof h.kind);
    return h;
}

/* ---- files --------------------------------------------------------------------------------- */

static int failed(message *m, const char *path, const char *what, int error)
{
    return fail(m, error == ENOMEM ? KEEL_NO_MEMORY : KEEL_BAD_FILE, "%s cannot be %s: %s", path, what,
                strerror(error));
}

int store_save(message *m, const char *path, const char *kind, store_way *pass, void *object)
{
    tape measured = {0};
    pass(&measured, object);
    bytes all = {malloc(sizeof(heading) + measured.at), sizeof(heading) + measured.at};
    if (!all.data) return fail(m, KEEL_NO_MEMORY, "no memory to save %s", path);
    tape out = {.bytes = all.data + sizeof(heading)};
    pass(&out, object);
    heading h = heading_of(kind, measured.at, out.bytes);
    memcpy(all.data, &h, sizeof h);
    int error = file_replace(path, &all);
    free(all.data);
    return error ? failed(m, path, "written", error) : KEEL_OK;
}

/* Is it one of ours, and whole? */
static const char *damage(const bytes *all, const char *kind)
{
    heading h, wanted;
    if (all->size < sizeof h) return "is no such file: too short";
    memcpy(&h, all->data, sizeof h);
    if (h.length != all->size - sizeof h && memcmp(h.kind, kind, strlen(kind)) == 0)
        return "is damaged: its length is wrong";
    wanted = heading_of(kind, all->size - sizeof h, all->data + sizeof h);
    if (memcmp(h.kind, wanted.kind, sizeof h.kind) != 0) return "was not written for this";
    if (h.order != wanted.order || h.format != wanted.format)
        return "is of another machine or another version";
    return h.sum == wanted.sum ? NULL : "is damaged: its checksum is wrong";
}

int store_load(message *m, const char *path, const char *kind, store_way *pass, void *object)
{
    bytes all = {0};
    m->text[0] = 0;
    int error = file_read(path, &all);
    if (error) return failed(m, path, "read", error);
    const char *why = damage(&all, kind);
    int rc = why ? fail(m, KEEL_BAD_FILE, "%s %s", path, why) : KEEL_OK;
    if (!rc) {
        tape in = {.bytes = all.data + sizeof(heading), .size = all.size - sizeof(heading),
                   .loading = 1};
        pass(&in, object);
        if (!in.status && in.at != in.size) in.status = KEEL_BAD_FILE;
        rc = in.status == KEEL_NO_MEMORY ? KEEL_NO_MEMORY : in.status ? KEEL_BAD_FILE : KEEL_OK;
        if (rc && !*m->text)
            fail(m, rc, rc == KEEL_NO_MEMORY ? "no memory for what %s has"
                                             : "%s: its parts do not fit", path);
    }
    free(all.data);
    return rc;
}

/* ---- a mesh -------------------------------------------------------------------------------- */

/* A tape that is loading stops at a difference, and says what it is. */
static void pass_names(tape *t, keel_boundary *w)
{
    const keel_problem *p = w->spec.problem;
    for (int i = 0; i < w->flow.n + w->flow.np && !t->status; i++) {
        char name[64] = "", there[64];
        const char *own = i < w->flow.n ? keel_variable_name(p, i)
                                        : keel_parameter_name(p, w->flow.which[i - w->flow.n]);
        strncpy(name, own, sizeof name - 1);
        memcpy(there, name, sizeof there);
        tape_pass(t, there, sizeof there);
        there[sizeof there - 1] = 0;
        if (t->status || strcmp(name, there) == 0) continue;
        t->status = fail(&w->message, KEEL_BAD_FILE, "the file is of another problem: it has `%s` where "
                         "this one has `%s`", there, name);
    }
}

/* Sizes, and room for a mesh with these. */
static void pass_sizes(tape *t, keel_boundary *w, mesh **s)
{
    int32_t n = w->flow.n, np = w->flow.np, N = 0, k = 0, points = 0;
    double nodes[STAGES_MOST] = {0};
    table a = {0};
    if (!t->loading) {
        N = (*s)->N, k = (*s)->table.k, points = (int32_t)(*s)->table.points;
        memcpy(nodes, (*s)->table.c, (size_t)k * sizeof *nodes);
    }
    TAPE(t, n);
    TAPE(t, np);
    TAPE(t, N);
    TAPE(t, k);
    TAPE(t, points);
    if (points == KEEL_POINTS_GIVEN) tape_pass(t, nodes, sizeof nodes);
    if (!t->loading || t->status) return;
    if (n != w->flow.n || np != w->flow.np) {
        t->status = fail(&w->message, KEEL_BAD_FILE, "the file is of a problem with %d unknowns and %d "
                         "parameters, this one has %d and %d", n, np, w->flow.n, w->flow.np);
        return;
    }
    int known = N > 0 && k > 0 && k <= STAGES_MOST && points >= 0 && points <= KEEL_POINTS_GIVEN;
    if (!known || 8.0 * N * n * k > (double)(t->size - t->at)) t->status = KEEL_BAD_FILE;
    else t->status = table_make(&a, k, (keel_points)points, nodes);
    if (!t->status) t->status = mesh_create_values(w, s, N, &a);
}

void mesh_tape(tape *t, keel_boundary *w, mesh **s)
{
    pass_sizes(t, w, s);
    pass_names(t, w);
    if (t->status) return;
    mesh *a = *s;
    size_t N = (size_t)a->N, n = (size_t)w->flow.n;
    tape_pass(t, a->t, (N + 1) * sizeof *a->t);
    tape_pass(t, a->value, N * (size_t)a->table.nodes * n * sizeof *a->value);
    tape_pass(t, a->estimate, N * sizeof *a->estimate);
    tape_pass(t, a->plain, N * sizeof *a->plain);
    tape_pass(t, a->p, (size_t)w->flow.np * sizeof *a->p);
    double tolerance = w->tolerance;             /* the unit of estimates */
    TAPE(t, tolerance);
    for (int i = 0; t->loading && i < a->N; i++) a->estimate[i] *= tolerance / w->tolerance;
    TAPE(t, a->resolved);
    TAPE(t, a->error_x);
    TAPE(t, a->error_y);
    TAPE(t, a->error_global);
}

/* ---- a solution ---------------------------------------------------------------------------- */

typedef struct stored { keel_boundary *w; mesh *s; } stored;

static void pass_solution(tape *t, void *object)
{
    stored *o = object;
    mesh_tape(t, o->w, &o->s);
}

static int entered(keel_boundary *w, const char *call, const char *path)
{
    int rc = boundary_entered(w, call);
    if (rc || path) return rc;
    return fail(&w->message, KEEL_BAD_ARGUMENT, "%s: the path is NULL", call);
}

int keel_boundary_save(keel_boundary *w, const char *path)
{
    int rc = entered(w, "keel_boundary_save", path);
    if (rc) return rc;
    if (!w->solution || !w->mesh)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_save: there is no solution");
    return store_save(&w->message, path, "keel boundary", pass_solution, &(stored){w, w->mesh});
}

int keel_boundary_load(keel_boundary *w, const char *path)
{
    stored in = {w, NULL};
    int rc = entered(w, "keel_boundary_load", path);
    if (!rc) rc = store_load(&w->message, path, "keel boundary", pass_solution, &in);
    if (!rc) rc = result_record(w, in.s);
    if (rc) {
        mesh_free(in.s);
        return rc;
    }
    mesh_free(w->mesh);
    w->mesh = in.s;
    return KEEL_OK;
}

/* ---- solving again ------------------------------------------------------------------------- */

int keel_boundary_set_interval(keel_boundary *w, double from, double to)
{
    int rc = entered(w, "keel_boundary_set_interval", "");
    if (rc) return rc;
    double direction = to > from ? 1 : -1;
    int inside = isfinite(from) && isfinite(to) && from != to;
    for (int i = 0; i < w->spec.inner + w->spec.breaks && inside; i++) {
        double t = i < w->spec.inner ? w->inner_at[i] : w->break_at[i - w->spec.inner];
        inside = (t - from) * direction > 0 && (to - t) * direction > 0;
    }
    if (inside && w->spec.inner > 1 && (w->inner_at[1] - w->inner_at[0]) * direction < 0) inside = 0;
    if (!inside)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_set_interval: from %.10g to %.10g is "
                    "no interval with all inner conditions and breaks inside", from, to);
    stretch *r = &w->flow.stretch;
    if (r->pieces && to < from)
        return fail(&w->message, KEEL_UNSUPPORTED, "keel_boundary_set_interval: breaks at unknown times "
                    "need from < to");
    w->spec.from = from;
    w->spec.to = to;
    if (r->pieces) r->s[0] = from, r->s[r->pieces] = to;
    return KEEL_OK;
}

/* The estimates of the solution that is there are in units of what was asked for. */
int keel_boundary_set_tolerances(keel_boundary *w, double rtol, double atol)
{
    int rc = entered(w, "keel_boundary_set_tolerances", "");
    if (rc) return rc;
    if (!(rtol >= 0) || !(atol >= 0) || !(rtol < 1) || !isfinite(atol) || !(rtol + atol > 0))
        return fail(&w->message, KEEL_BAD_ARGUMENT, "rtol = %.3g and atol = %.3g are out of range", rtol,
                    atol);
    double before = w->tolerance;
    if (atol == 0) atol = rtol;
    for (int i = 0; i < w->flow.n; i++) w->rtol[i] = rtol, w->atol[i] = atol;
    w->options.rtol = rtol;
    w->options.atol = atol;
    w->tolerance = fmin(rtol > 0 ? rtol : 1, atol > 0 ? atol : 1);
    w->loosest = fmax(rtol, atol);
    for (int i = 0; w->mesh && i < w->mesh->N; i++) w->mesh->estimate[i] *= before / w->tolerance;
    return KEEL_OK;
}
