/* branch_point.c -- where another branch crosses: the linear equations are singular there.
 *
 * With the row of the step as one more equation they are regular at folds, and their determinant has
 * one sign along a branch, if the row points the way that is gone.  At a simple branch point it changes
 * [Allgower & Georg, Introduction to Numerical Continuation Methods, SIAM 2003, section 8.1].  It is
 * that of the conditions as functions of v_0, p and l (ends.h), which does not depend on the mesh.
 *
 * The place is a zero of it as a function of the length of the step, by the method of Anderson and
 * Bjoerck.  At the branch point itself nothing can be solved for: it is where a parabola through the
 * last three places has it, and so is the parameter.
 */
#include <math.h>
#include <string.h>

#include "boundary/branch.h"
#include "boundary/ends.h"
#include "boundary/modes.h"

int branch_determinant(keel_branch *b, determinant *of)
{
    ends e = {0};
    mesh *s = NULL;
    int rc = solution_linear(b->boundary, &s);
    if (!rc) rc = ends_make(b->boundary, s, &e);
    mesh_free(s);
    double along = b->how.arclength && b->points ? b->length : *branch_parameter(b, b->normal);
    of->sign = along < 0 ? -e.sign : e.sign;
    of->logarithm = e.logarithm;
    ends_free(&e);
    return rc;
}

/* A place of the step, and the determinant there, in units of the largest. */
typedef struct place { double s, value, l; } place;

static int solve_at(keel_branch *b, double s, double reference, place *to)
{
    determinant d;
    b->length = s;
    int rc = branch_solve(b);
    if (!rc) rc = branch_determinant(b, &d);
    if (!rc) *to = (place){s, d.sign * exp(d.logarithm - reference), *branch_parameter(b, b->q)};
    return rc;
}

/* The search: the zero is between left and right, q is the solution at `near`, the place solved for
 * last. */
typedef struct search {
    place left, right;
    double reference, length;    /* logarithm of the unit; of the step                     */
    double near;
    place known[3];              /* as they were solved for, the last first; two if nothing */
    int solved;                  /* was solved for in between                              */
} search;

static double secant(const place *a, const place *c)
{
    return a->s - a->value * (c->s - a->s) / (c->value - a->value);
}

/* The new place takes that of the end with its sign; the value of the other end is made smaller. */
static void narrow(search *k, place middle)
{
    int same = middle.value * k->right.value > 0;
    double factor = 1 - middle.value / (same ? k->right.value : k->left.value);
    if (!(factor > 0)) factor = 0.5;
    if (same) {
        k->left.value *= factor;
        k->right = middle;
    } else {
        k->right.value *= factor;
        k->left = middle;
    }
}

/* A place too near to be solved for ends the search, and the last one will do: its status. */
static int locate(keel_branch *b, search *k)
{
    enum { MOST = 20 };
    static const double enough = 1e-5;           /* of the step: an error of 1e-10 of it */
    int rc = KEEL_OK;
    for (int i = 0; i < MOST; i++) {
        place middle;
        double at = secant(&k->left, &k->right);
        if (i && fabs(at - k->near) <= enough * k->length) break;
        rc = solve_at(b, at, k->reference, &middle);
        if (rc) break;
        k->near = at;
        memmove(k->known + 1, k->known, 2 * sizeof *k->known);
        k->known[0] = middle;
        k->solved++;
        if (middle.value == 0) break;
        narrow(k, middle);
    }
    return rc;
}

/* What a parabola through three points has at `at`. */
static double parabola(const double x[3], const double y[3], double at)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double part = y[i];
        for (int j = 0; j < 3; j++)
            if (j != i) part *= (at - x[j]) / (x[i] - x[j]);
        sum += part;
    }
    return sum;
}

/* Of the branch point: s, as a function of the determinant, and l. */
static void estimate(const search *k, double *s, double *l)
{
    double at[3], value[3], parameter[3];
    const place *left = &k->left, *right = &k->right;
    if (!k->solved) {
        *s = secant(left, right);
        *l = left->l + (right->l - left->l) * (*s - left->s) / (right->s - left->s);
        return;
    }
    for (int i = 0; i < 3; i++) {
        at[i] = k->known[i].s;
        value[i] = k->known[i].value;
        parameter[i] = k->known[i].l;
    }
    *s = parabola(value, at, 0);
    if (!isfinite(*s)) *s = k->near;
    *l = parabola(at, parameter, *s);
}

/* The solution that is there, as a guess that outlives others; NULL without memory. */
static mesh *copy_of(keel_boundary *w, const mesh *s)
{
    mesh *c = NULL;
    size_t values = (size_t)s->N * (size_t)s->table.nodes * (size_t)w->flow.n;
    if (mesh_create_values(w, &c, s->N, &s->table)) return NULL;
    memcpy(c->t, s->t, (size_t)(s->N + 1) * sizeof *c->t);
    memcpy(c->p, s->p, (size_t)w->flow.np * sizeof *c->p);
    memcpy(c->value, s->value, values * sizeof *c->value);
    memcpy(c->estimate, s->estimate, (size_t)s->N * sizeof *c->estimate);
    memcpy(c->plain, s->plain, (size_t)s->N * sizeof *c->plain);
    c->resolved = s->resolved;
    return c;
}

/* Again the solution at s, beginning with that at the end of the step, which is given away. */
static int solve_from(keel_branch *b, mesh *from, double s)
{
    mesh_free(b->boundary->mesh);
    b->boundary->mesh = from;
    b->length = s;
    return branch_solve(b);
}

int branch_crossing(keel_branch *b, double arc, const determinant *now)
{
    const keel_branch_point *last = b->point[b->points - 1];
    double end = b->length, l = *branch_parameter(b, b->q), begin = last->arc;
    double reference = fmax(b->determinant.logarithm, now->logarithm);
    search k = {.left = {0, b->determinant.sign * exp(b->determinant.logarithm - reference),
                         *branch_parameter(b, b->last)},
                .right = {end, now->sign * exp(now->logarithm - reference), l},
                .reference = reference, .length = fabs(end), .near = end};
    k.known[0] = k.right;
    k.known[1] = k.left;
    double at, crossing;
    keel_boundary *w = b->boundary;
    mesh *first = copy_of(w, w->mesh), *second = first ? copy_of(w, w->mesh) : NULL;
    int rc = second ? KEEL_OK : KEEL_NO_MEMORY, missed = rc ? rc : locate(b, &k);
    if (missed == KEEL_NO_MEMORY) rc = missed;
    if (!rc && missed) {
        rc = solve_from(b, first, k.near);
        first = NULL;
    }
    estimate(&k, &at, &crossing);
    if (!rc) rc = branch_add(b, b->points, begin + at / end * (arc - begin), BRANCH_POINT);
    if (!rc) {
        b->point[b->points - 1]->parameter = crossing;
        rc = solve_from(b, second, end);
        second = NULL;
    }
    if (!rc) *branch_parameter(b, b->q) = l;
    mesh_free(first);
    mesh_free(second);
    return rc;
}
