/* verdict.c -- which conditions depend on each other, and what nothing determines, by name.
 *
 *   l^T A = 0,   A r = 0      for A the rows of ends.h
 *
 * Rows with a large part in l say the same, or contradict each other: l^T (their residuals) tells
 * which.  Unknowns with a large part in r can be changed without any equation noticing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/ends.h"
#include "core/number.h"

/* Derivatives by differences have errors of 1e-10; directions below are not told from 0. */
static const double tolerance = 1e-8;
static const double part = 1e-3;                 /* of the longest row: worth naming        */
enum { NAMES_MOST = 6 };

/* ---- sentences ------------------------------------------------------------------------------ */

static void append(message *m, const char *text)
{
    size_t used = strlen(m->text);
    number_print(m->text + used, sizeof m->text - used, "%s", text);
}

/* "condition [1] (u(1) = 0)", "the constraint rod" */
static void row_name(const keel_boundary *w, int carried, int i, char *text, size_t size)
{
    int own = i - carried, inner = i - w->flow.nx, hidden = own - w->spec.conditions;
    int which = i >= carried ? own : inner + w->spec.conditions;
    if (i >= carried && hidden >= 0) {
        number_print(text, size, "%sthe constraint %s",
                     w->flow.level[hidden] > 0 ? "a derivative of " : "",
                     keel_row_name(w->spec.problem, 0, w->flow.row[hidden]));
        return;
    }
    const char *name = w->names && w->names[which] ? w->names[which] : NULL;
    number_print(text, size, "%s [%d]%s%s%s", i >= carried ? "condition" : "inner condition",
                 i >= carried ? own : inner, name ? " (" : "", name ? name : "", name ? ")" : "");
}

/* "x2 at t = 1", "the parameter T" */
static void column_name(const keel_boundary *w, int j, char *text, size_t size)
{
    int nx = w->flow.nx, parameter = j - 2 * nx;
    const keel_problem *p = w->spec.problem;
    if (parameter >= 0)
        number_print(text, size, "the parameter %s", keel_parameter_name(p, w->flow.which[parameter]));
    else
        number_print(text, size, "%s at t = %.6g", keel_variable_name(p, j % nx),
                     j < nx ? w->spec.to : w->spec.from);
}

static void list(message *m, int i, int count, const char *name)
{
    append(m, i == 0 ? "" : i == count - 1 ? " and " : ", ");
    append(m, name);
}

/* ---- dependent rows ------------------------------------------------------------------------- */

/* A basis of the null space, rows x count, and the rows with a part in it. */
typedef struct dependence_of {
    int rows, count, members;
    double *N;
    int *member;
    void *block;
} dependence_of;

static int find(dependence_of *d, int rows, int columns, const double *a)
{
    arena measure = {0};
    for (int pass = 0; pass < 2; pass++) {
        arena at = {.base = d->block};
        rank_work *work = rank_layout(pass ? &at : &measure, rows, columns);
        d->N = ARENA(pass ? &at : &measure, double, (size_t)rows * (size_t)rows);
        d->member = ARENA(pass ? &at : &measure, int, rows);
        if (!pass && !(d->block = arena_block(measure.used))) return KEEL_NO_MEMORY;
        if (!pass) continue;
        d->rows = rows;
        d->count = null_rows(work, rows, columns, a, tolerance, -1, d->N);
        if (d->count > 0) d->members = dependent_set(rows, d->count, d->N, part, d->member);
    }
    return d->count < 0 ? KEEL_NOT_FINITE : KEEL_OK;
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Rows of intervals have no names; are they needed for the dependence? */
static int leave_unnamed(const keel_boundary *w, dependence_of *d)
{
    int kept = 0, others = 0;
    for (int i = 0; i < d->members; i++) {
        if (d->member[i] < w->flow.nx) others++;
        else d->member[kept++] = d->member[i];
    }
    d->members = kept;
    qsort(d->member, (size_t)kept, sizeof *d->member, ascending);
    return others > 0;
}

/* l^T r of one combination, relative to the terms of it: 0 where rows say the same. */
static double contradiction(const keel_boundary *w, const mesh *s, const ends *e,
                            const dependence_of *d)
{
    double sum = 0, size = 0;
    if (d->count != 1 || e->carried != w->flow.nx) return NAN;
    for (int i = 0; i < w->rows; i++) {
        double term = d->N[(ptrdiff_t)(e->carried + i) * d->count] * s->residual.condition[i];
        sum += term;
        size += fabs(d->N[(ptrdiff_t)(e->carried + i) * d->count]);
    }
    return fabs(sum) / fmax(size, 1e-300);
}

static void say_dependent(const keel_boundary *w, const mesh *s, const ends *e, dependence_of *d,
                          message *m)
{
    char name[160];
    int through = leave_unnamed(w, d), one = d->members == 1;
    if (!d->members) return;
    double apart = through ? NAN : contradiction(w, s, e, d);
    for (int i = 0; i < d->members && i < NAMES_MOST; i++) {
        row_name(w, e->carried, d->member[i], name, sizeof name);
        list(m, i, d->members < NAMES_MOST ? d->members : NAMES_MOST, name);
    }
    if (d->members > NAMES_MOST) append(m, ", ...,");
    if (one && !through) append(m, " does not depend on what is left free");
    else if (through) append(m, one ? " follows from the equations alone, or contradicts them"
                                    : " follow from each other by the equations, or contradict them");
    else if (apart > 1e-6) append(m, " contradict each other");
    else append(m, isnan(apart) ? " depend on each other" : " say the same");
}

/* ---- undetermined unknowns ------------------------------------------------------------------- */

static void say_undetermined(const keel_boundary *w, const dependence_of *d, message *m)
{
    char name[160];
    int shown = d->members < NAMES_MOST ? d->members : NAMES_MOST;
    append(m, *m->text ? ", and nothing determines " : "nothing determines ");
    for (int i = 0; i < shown; i++) {
        column_name(w, d->member[i], name, sizeof name);
        list(m, i, shown, name);
    }
    if (d->members > shown) append(m, ", ...");
}

/* A^T, e->columns x e->rows */
static double *transposed(const ends *e)
{
    double *a = malloc(((size_t)e->rows * (size_t)e->columns + 1) * sizeof *a);
    for (int i = 0; a && i < e->rows; i++)
        for (int j = 0; j < e->columns; j++)
            a[(ptrdiff_t)j * e->rows + i] = e->a[(ptrdiff_t)i * e->columns + j];
    return a;
}

/* Rows of intervals, whose size means nothing, to 1: so that it shows which are needed. */
static void scale_carried(ends *e)
{
    for (int i = 0; i < e->carried; i++) {
        double *row = e->a + (ptrdiff_t)i * e->columns, largest = 0;
        for (int j = 0; j < e->columns; j++) largest = fmax(largest, fabs(row[j]));
        for (int j = 0; j < e->columns && largest > 0; j++) row[j] /= largest;
    }
}

int ends_grow(keel_boundary *w, const mesh *s)
{
    ends e;
    dependence_of rows = {0}, right = {0};
    int nx = w->flow.nx, needed = 0, rc = ends_make(w, s, &e);
    if (!rc) scale_carried(&e);
    if (!rc) rc = find(&rows, e.rows, e.columns, e.a);
    for (int i = 0; i < rows.members && !rc; i++) needed += rows.member[i] < nx;
    for (int i = 1; i < nx && needed; i++)       /* D alone, in the place of all */
        memmove(e.a + (ptrdiff_t)i * nx, e.a + (ptrdiff_t)i * e.columns, (size_t)nx * sizeof *e.a);
    if (!rc && needed) rc = find(&right, nx, nx, e.a);
    arena_block_free(rows.block);
    arena_block_free(right.block);
    ends_free(&e);
    return !rc && needed && right.count > 0;
}

int ends_verdict(keel_boundary *w, const mesh *s, message *m)
{
    ends e;
    dependence_of rows = {0}, columns = {0};
    double *turned = NULL;
    m->text[0] = 0;
    int rc = ends_make(w, s, &e);
    if (!rc) scale_carried(&e);
    if (!rc) rc = find(&rows, e.rows, e.columns, e.a);
    if (!rc && !(turned = transposed(&e))) rc = KEEL_NO_MEMORY;
    if (!rc) rc = find(&columns, e.columns, e.rows, turned);
    if (!rc && rows.count) say_dependent(w, s, &e, &rows, m);
    if (!rc && columns.count) say_undetermined(w, &columns, m);
    int found = rows.count > columns.count ? rows.count : columns.count;
    arena_block_free(rows.block);
    arena_block_free(columns.block);
    free(turned);
    ends_free(&e);
    return rc == KEEL_NOT_FINITE ? 0 : rc ? -1 : found;
}

void ends_count_verdict(keel_boundary *w, message *m)
{
    enum { STAGES = 4, INTERVALS = 10 };
    table a = {0};
    mesh *s = NULL;
    m->text[0] = 0;
    w->from = w->spec.from;
    w->to = w->spec.to;
    int rc = table_make(&a, STAGES, KEEL_POINTS_GAUSS, NULL);
    if (!rc) rc = mesh_first(w, &s, INTERVALS, &a);
    if (!rc) rc = guess_user(w, s);
    if (!rc) rc = collocation_residual(w, s, &s->u, &s->residual);
    if (!rc) rc = collocation_linear(w, s);
    if (!rc && ends_verdict(w, s, m) < 0) m->text[0] = 0;
    mesh_free(s);
}
