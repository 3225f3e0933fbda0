/* branch_store.c -- a branch in a file, from which it goes on. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/branch.h"

typedef struct stored { keel_branch *b; mesh *s; } stored;

/* What has to be the same. */
static void pass_identity(tape *t, keel_branch *b)
{
    int32_t parameter = b->how.parameter, arclength = b->how.arclength != 0, size = b->size;
    double tolerance = b->boundary->tolerance;
    TAPE(t, parameter);
    TAPE(t, arclength);
    TAPE(t, size);
    TAPE(t, tolerance);
    if (t->status || !t->loading) return;
    if (parameter == b->how.parameter && arclength == (b->how.arclength != 0) && size == b->size &&
        tolerance == b->boundary->tolerance) return;
    t->status = fail(&b->message, KEEL_BAD_FILE, "the file is of another branch: parameter %d, %s, "
                     "tolerance %.3g; this one: parameter %d, %s, tolerance %.3g", parameter,
                     arclength ? "by arclength" : "natural", tolerance, b->how.parameter,
                     b->how.arclength ? "by arclength" : "natural", b->boundary->tolerance);
}

static void pass_point(tape *t, keel_branch *b, keel_branch_point *of)
{
    int32_t fold = of->fold, crossing = of->branch_point, intervals = of->mesh;
    TAPE(t, of->parameter);
    TAPE(t, of->arc);
    TAPE(t, fold);
    TAPE(t, crossing);
    TAPE(t, intervals);
    tape_pass(t, of + 1, ((size_t)b->np + 3 * (size_t)b->n) * sizeof(double));
    of->fold = fold;
    of->branch_point = crossing;
    of->mesh = intervals;
}

static void pass_branch(tape *t, void *object)
{
    stored *o = object;
    keel_branch *b = o->b;
    int32_t points = b->points;
    pass_identity(t, b);
    double *of_size[] = {b->q, b->last, b->before};
    for (int i = 0; i < 3; i++) tape_pass(t, of_size[i], (size_t)b->size * sizeof(double));
    double *one[] = {&b->begin, &b->range, &b->direction, &b->step};
    for (int i = 0; i < 4; i++) tape_pass(t, one[i], sizeof(double));
    int32_t sign = b->determinant.sign, crossed = b->crossed;
    TAPE(t, sign);
    TAPE(t, b->determinant.logarithm);
    TAPE(t, crossed);
    b->determinant.sign = sign;
    b->crossed = crossed;
    TAPE(t, points);
    for (int i = 0; i < points && !t->status; i++) {
        if (t->loading) t->status = branch_append(b);
        if (!t->status) pass_point(t, b, b->point[i]);
    }
    if (!t->status) mesh_tape(t, b->boundary, &o->s);
}

static int entered(keel_branch *b, const char *call, const char *path, int started)
{
    if (!b) return KEEL_BAD_ARGUMENT;
    if (!b->created || !path)
        return fail(&b->message, KEEL_BAD_ARGUMENT, "%s: %s", call, b->created ? "the path is NULL"
                    : "the branch was not created successfully");
    if ((b->points > 0) == started) return KEEL_OK;
    return fail(&b->message, KEEL_BAD_ARGUMENT, "%s: the branch has %s", call,
                started ? "no start" : "a start already");
}

int keel_branch_save(keel_branch *b, const char *path)
{
    int rc = entered(b, "keel_branch_save", path, 1);
    return rc ? rc : store_save(&b->message, path, "keel branch", pass_branch,
                                &(stored){b, b->boundary->mesh});
}

int keel_branch_load(keel_branch *b, const char *path)
{
    stored in = {b, NULL};
    int rc = entered(b, "keel_branch_load", path, 0);
    if (rc) return rc;
    b->boundary->message.text[0] = 0;
    rc = store_load(&b->message, path, "keel branch", pass_branch, &in);
    if (rc && *b->boundary->message.text)
        fail(&b->message, rc, "%s: %s", path, b->boundary->message.text);
    if (!rc) rc = result_record(b->boundary, in.s);
    if (rc) {
        mesh_free(in.s);
        branch_table_free(b);
        return rc;
    }
    mesh_free(b->boundary->mesh);
    b->boundary->mesh = in.s;
    b->boundary->following = 1;
    return KEEL_OK;
}
