/* matrices.c -- J = r_y and M = -r_y' of r(t,y,y'), from the user or by differences.
 *
 * The differences are one-sided; columns that share no row are differenced together.
 */
#include "problem/forms.h"

#include <math.h>
#include <string.h>

#include "linear/columns.h"
#include "linear/kernels.h"
#include "problem/dependence.h"
#include "problem/gauge.h"
#include "problem/difference.h"

/* ---- coloring -------------------------------------------------------------------------- */

void coloring_layout_sparse(arena *a, coloring *c, const keel_pattern *pattern, int rows,
                            int columns)
{
    int sparse = pattern->storage == KEEL_SPARSE;
    int entries = sparse && pattern->column_start ? pattern->column_start[columns] : 0;
    c->color = ARENA(a, int, columns);
    c->taken = ARENA(a, int, columns + 1);
    c->row_start = ARENA(a, int, sparse ? rows + 2 : 0);
    c->row_column = ARENA(a, int, entries);
}

void coloring_layout(arena *a, coloring *c, const keel_problem *p)
{
    coloring_layout_sparse(a, c, &p->pattern, p->n, p->n);
}

/* Greedy: each column takes the first color that no column sharing a row with it has. */
void coloring_build_sparse(coloring *c, const keel_pattern *pattern, int rows, int columns)
{
    const int *start = pattern->column_start, *row = pattern->row_index;
    list_by_rows(rows, columns, start, row, c->row_start, c->row_column, NULL);
    c->count = 0;
    for (int j = 0; j < columns; j++) c->color[j] = -1, c->taken[j] = -1;
    for (int j = 0; j < columns; j++) {
        for (int k = start[j]; k < start[j + 1]; k++)
            for (int l = c->row_start[row[k]]; l < c->row_start[row[k] + 1]; l++) {
                int other = c->color[c->row_column[l]];
                if (other >= 0) c->taken[other] = j;
            }
        int color = 0;
        while (c->taken[color] == j) color++;
        c->color[j] = color;
        if (color >= c->count) c->count = color + 1;
    }
}

void coloring_build(coloring *c, const keel_problem *p)
{
    int width = p->pattern.storage == KEEL_BAND ? p->pattern.lower + p->pattern.upper + 1 : p->n;
    if (p->pattern.storage == KEEL_SPARSE) {
        coloring_build_sparse(c, &p->pattern, p->n, p->n);
        return;
    }
    for (int j = 0; j < p->n; j++) c->color[j] = j % width;
    c->count = width < p->n ? width : p->n;
}

/* ---- storage ---------------------------------------------------------------------------- */

void problem_matrix_layout(arena *a, keel_matrix *m, const keel_problem *p)
{
    *m = (keel_matrix){.rows = p->n, .columns = p->n, .pattern = p->pattern, .stray_row = -1,
                       .stray_column = -1};
    m->values = ARENA(a, double, matrix_storage(p->n, p->n, &p->pattern));
}

/* ---- differences ----------------------------------------------------------------------- */

typedef struct residual_point {
    evaluator *e;
    const double *y, *yp;        /* NULL: what moves                                       */
} residual_point;

static int moved_residual(void *context, double t, const double *x, double *r)
{
    const residual_point *p = context;
    return eval_residual(p->e, t, p->y ? p->y : x, p->yp ? p->yp : x, r);
}

/* Does the residual contain derivatives that are differences themselves?  Their noise, 1e-10, would be
 * all that increments as small as those of vanishing unknowns see. */
static int is_noisy(const evaluator *e)
{
    const unsigned parts = KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME | KEEL_CURVATURE;
    const keel_problem *p = e->problem->original;
    return p && form_has(p, FORM_ACCELERATIONS) && !mechanical_gives(p, parts);
}

/* How far columns may be off the difference with all unknowns moved at once. */
typedef struct agreement {
    double share;                /* of each increment, that all unknowns are moved by       */
    double most;                 /* of the sum of their magnitudes                          */
    double floor;                /* of the rows                                             */
} agreement;

/* rest := rest - factor x, size := size + |factor x|; blocks as in kernels.h. */
KERNEL void take_part(int count, double factor, const double *restrict x, double *restrict rest,
                      double *restrict size)
{
    int k = 0;
    for (; k + 1 < count; k += 2)
        for (int c = 0; c < 2; c++) {
            double part = factor * x[k + c];
            rest[k + c] -= part;
            size[k + c] += fabs(part);
        }
    if (k == count) return;
    rest[k] -= factor * x[k];
    size[k] += fabs(factor * x[k]);
}

/* Do the columns add up to the difference with all unknowns moved at once?  A single one that met a
 * jump, or a value that the callback got wrong, shows.  Returns as eval_* for *agree. */
static int columns_agree(evaluator *e, const difference *d, const difference_columns *c, agreement a,
                         int *agree)
{
    double *rest = c->sum, *size = d->moved;
    const fault before = e->fault;
    *agree = 1;
    for (int j = 0; j < d->size; j++) d->moved[j] = d->x[j] + a.share * c->delta[j];
    int rc = d->value(d->context, d->t, d->moved, rest);
    if (rc > 0) e->fault = before;               /* outside the domain: nothing is learnt */
    if (rc) return rc < 0 ? rc : 0;
    for (int i = 0; i < d->rows; i++) {
        rest[i] -= c->base[i];
        size[i] = 0;
    }
    for (int j = 0; j < d->size; j++) {
        column own = matrix_column(c->matrix, j);
        const double scale = a.share * c->delta[j] / c->factor;
        for (int k = 0; k < own.count && own.rows; k++)
            take_part(1, scale, own.values + k, rest + own.rows[k], size + own.rows[k]);
        if (!own.rows) take_part(own.count, scale, own.values, rest + own.first, size + own.first);
    }
    for (int i = 0; i < d->rows; i++)
        *agree &= fabs(rest[i]) <= 1e-12 * fabs(c->base[i]) + a.floor + a.most * size[i];
    return 0;
}

/* All unknowns are there, also those that do not move. */
static int difference_moving(const difference *d, const difference_columns *c)
{
    if (d->size < d->rows) memcpy(d->moved, d->x, (size_t)d->rows * sizeof *d->moved);
    return difference_matrix(d, c);
}

/* One-sided; where columns disagree with sizes yet to be found, else the other way, as where they lead out
 * of the domain. */
static int one_sided(evaluator *e, const difference *d, difference_columns *c, const residual_point *p)
{
    double *settling = c->settling, share = settling ? 0.25 : 1;
    int agree = 1;
    c->order = 1;
    c->settling = NULL;
    int rc = eval_residual(e, d->t, p->y ? p->y : d->x, p->yp ? p->yp : d->x, e->work[6]);
    if (rc) return rc;
    rc = difference_moving(d, c);
    if (!rc && p->yp) rc = columns_agree(e, d, c, (agreement){share, 0.5, 1e-9}, &agree);
    if (agree && !(rc > 0 && e->backward)) return rc;
    if (!agree && settling) {
        c->order = 2;
        c->settling = settling;
        return difference_moving(d, c);
    }
    c->backward = !c->backward;
    return difference_moving(d, c);
}

/* Almost every F(t,y,y') is affine in y'.  Then increments may be as long as y', and F_y' is right to
 * rounding; where short ones leave sqrt(eps) of it, sigma F_y' + F_y with sigma = 1/h of a short step is wrong
 * in the directions in which F_y' is singular.  Returns as eval_*, > 0 also where F is not affine. */
static int affine(evaluator *e, const difference *d, difference_columns *c, const residual_point *p)
{
    double *settling = c->settling;
    int agree = 1;
    c->order = 1;
    c->at_length = 1;
    c->settling = NULL;
    int rc = eval_residual(e, d->t, p->y, d->x, e->work[6]);
    if (!rc) rc = difference_matrix(d, c);
    if (!rc) rc = columns_agree(e, d, c, (agreement){0.375, 1e-12, 0}, &agree);
    c->order = 2;
    c->at_length = 0;
    c->settling = settling;
    return rc || agree ? rc : 1;
}

/* a = sign d r / d x with x the first `size` of y, or y' */
static int differences(evaluator *e, const coloring *c, double t, const double *y,
                       const double *yp, int in_derivative, double sign, int size, keel_matrix *a)
{
    int n = e->problem->n;
    residual_point point = {e, in_derivative ? y : NULL, in_derivative ? NULL : yp};
    difference d = {.value = moved_residual, .context = &point, .rows = n, .size = size, .t = t,
                    .x = in_derivative ? yp : y, .moved = e->work[8], .one = e->work[6]};
    difference_columns columns = {
        .order = 2, .backward = e->backward, .unit = is_noisy(e),
        .typical = eval_sizes(e, in_derivative ? n : 0), .settling = eval_settling(e), .colors = c,
        .base = e->work[6], .sum = e->work[7], .delta = e->work[9], .factor = sign, .matrix = a};
    e->counting = COUNT_FOR_JACOBIAN;
    const fault before = e->fault;
    int rc = in_derivative ? affine(e, &d, &columns, &point) : 1;
    if (rc > 0 && (e->central || e->settles == SETTLE_ALWAYS)) rc = difference_moving(&d, &columns);
    if (rc > 0) {                                /* or a longer one leads out of the domain */
        e->fault = before;
        rc = one_sided(e, &d, &columns, &point);
    }
    if (!rc) e->fault = before;                  /* sizes that led out of the domain are left out */
    e->counting = COUNT_RHS;
    return rc;
}

/* ---- the user's matrices --------------------------------------------------------------- */

int eval_check_matrix(evaluator *e, const char *callback, double t, int code, keel_matrix *a)
{
    int entries = (int)matrix_storage(a->rows, a->columns, &a->pattern);
    int rc = eval_check(e, callback, t, code, entries, a->values);
    if (!rc && a->stray_row >= 0) {
        e->fault = (fault){.callback = callback, .code = FAULT_STRAY, .component = a->stray_row,
                           .column = a->stray_column, .t = t};
        return -1;
    }
    return rc;
}

int ode_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J)
{
    const keel_ode_spec *s = &e->problem->spec.ode;
    (void)yp;
    if (!s->jacobian) return 2;
    return eval_check_matrix(e, "jacobian", t, s->jacobian(t, y, J, e->context), J);
}

int semi_explicit_jacobian(evaluator *e, double t, const double *y, const double *yp,
                           keel_matrix *J)
{
    const keel_semi_explicit_spec *s = &e->problem->spec.semi_explicit;
    (void)yp;
    if (!s->jacobian) return 2;
    int code = s->jacobian(t, y, y + s->differential, J, e->context);
    return eval_check_matrix(e, "jacobian", t, code, J);
}

int hessenberg2_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J)
{
    const keel_hessenberg2_spec *s = &e->problem->spec.hessenberg2;
    (void)yp;
    if (!s->jacobian) return 2;
    int code = s->jacobian(t, y, y + s->differential, J, e->context);
    return eval_check_matrix(e, "jacobian", t, code, J);
}

int hessenberg3_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J)
{
    const keel_hessenberg3_spec *s = &e->problem->spec.hessenberg3;
    const double *v = y + s->positions, *l = v + s->velocities;
    (void)yp;
    if (!s->jacobian) return 2;
    return eval_check_matrix(e, "jacobian", t, s->jacobian(t, y, v, l, J, e->context), J);
}

int quasilinear_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J)
{
    const keel_quasilinear_spec *s = &e->problem->spec.quasilinear;
    if (!s->jacobian || (!s->constant_mass && !s->mass_jacobian)) return 2;
    int rc = eval_check_matrix(e, "jacobian", t, s->jacobian(t, y, J, e->context), J);
    if (rc || s->constant_mass) return rc;
    return eval_check_matrix(e, "mass_jacobian", t, s->mass_jacobian(t, y, yp, J, e->context), J);
}

int implicit_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J)
{
    const keel_implicit_spec *s = &e->problem->spec.implicit;
    if (!s->jacobian) return 2;
    int rc = eval_check_matrix(e, "jacobian", t, s->jacobian(t, y, yp, 0, J, e->context), J);
    size_t entries = matrix_storage(J->rows, J->columns, &J->pattern);
    for (size_t k = 0; k < entries && !rc; k++) J->values[k] = -J->values[k];
    return rc;
}

int no_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J)
{
    (void)e, (void)t, (void)y, (void)yp, (void)J;
    return 2;
}

/* J += the block (v, from ...) with the nonzeros of f_q or f_v. */
static void add_force_block(const keel_problem *p, const double *values, int from, keel_matrix *J)
{
    const int *start = p->force_pattern.column_start, n = p->group[0];
    for (int j = 0; j < n; j++)
        for (int k = start[j]; k < start[j + 1]; k++)
            keel_add(J, n + p->force_pattern.row_index[k], from + j, values[k]);
}

/* Columns of positions, or of positions and velocities; q' = v is known, and G is put in its place
 * afterwards. */
static int first_columns(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
                         int size, keel_matrix *J)
{
    int n = e->problem->group[0];
    coloring moving = *c;
    moving.count = 0;
    for (int j = 0; j < size; j++)
        if (c->color[j] >= moving.count) moving.count = c->color[j] + 1;
    int rc = differences(e, &moving, t, y, yp, 0, 1, size, J);
    for (int j = n; j < 2 * n && size == n; j++) J->values[J->pattern.column_start[j]] = 1;
    return rc;
}

/* Sparse mechanical problems: f_q and f_v as given, (M a + G^T l)_q by differences. */
static int with_given_force(evaluator *e, const coloring *c, double t, const double *y,
                            const double *yp, keel_matrix *J)
{
    const keel_problem *p = e->problem;
    int n = p->group[0], entries = p->force_pattern.column_start[n];
    double *f_q = e->force_jacobian, *f_v = f_q + entries;
    int code = p->spec.mechanical.force_jacobian(t, y, y + n, f_q, f_v, e->context);
    int rc = eval_check(e, "force_jacobian", t, code, 2 * entries, f_q);
    if (rc) return rc;
    e->forceless = 1;
    rc = first_columns(e, c, t, y, yp, n, J);
    e->forceless = 0;
    add_force_block(p, f_q, 0, J);
    add_force_block(p, f_v, n, J);
    return rc;
}

/* Sparse mechanical problems: G as it is given, the last rows of its columns.  Its differences, off by
 * 1e-8 / (length of a rod), would be amplified by the condition of G M^-1 G^T, which grows with the square of
 * the links. */
static int put_constraint(evaluator *e, double t, const double *y, keel_matrix *J)
{
    const keel_problem *p = e->problem;
    const int *start = p->jacobian_pattern.column_start, *row = p->jacobian_pattern.row_index;
    const double *G = e->constraint_jacobian;
    int n = p->group[0], rc = eval_constraint_jacobian(e, t, y, e->constraint_jacobian);
    for (int j = 0; j < n && !rc; j++) {
        double *below = J->values + J->pattern.column_start[j + 1] - start[j + 1];
        for (int k = start[j]; k < start[j + 1]; k++) {
            below[k] = G[k];
            keel_put(J, n + j, 2 * n + row[k], -G[k]);
        }
    }
    return rc;
}

int eval_jacobian(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
                  keel_matrix *J)
{
    const keel_problem *p = e->problem;
    e->stats->jacobian++;
    matrix_zero(J);
    if (e->dependence && dependence_hold(e->dependence, e, t, y)) return -1;
    if (mechanical_is_sparse(p)) {
        int given = p->spec.mechanical.force_jacobian && !e->differences;
        const struct dependence *found = e->dependence;  /* its W is not in the pattern */
        e->dependence = NULL;
        int failed = given ? with_given_force(e, c, t, y, yp, J)
                           : first_columns(e, c, t, y, yp, 2 * p->group[0], J);
        e->dependence = found;
        return failed || p->constraints == 0 ? failed : put_constraint(e, t, y, J);
    }
    const struct gauge *found = e->gauge;
    int outside = gauge_loose(found) != NULL;            /* the pattern */
    if (outside) e->gauge = NULL;
    int rc = e->differences ? 2 : p->ops->jacobian(e, t, y, yp, J);
    if (rc == 0 && e->gauge) gauge_add_block(e->gauge, J);
    if (rc == 2) rc = differences(e, c, t, y, yp, 0, 1, p->n, J);
    e->gauge = found;
    return rc;
}

/* The nonzeros of M, by columns, or M = I. */
static void put_sparse_mass(const keel_problem *p, const double *values, keel_matrix *M)
{
    const int *start = p->mass_pattern.column_start, n = p->group[0];
    for (int j = 0; j < n; j++) {
        if (!start) keel_put(M, n + j, n + j, 1);
        for (int k = start ? start[j] : 0; start && k < start[j + 1]; k++)
            keel_put(M, n + p->mass_pattern.row_index[k], n + j, values[k]);
    }
}

/* diag(I, M, 0) for (q, v, l). */
int mechanical_mass(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
                    keel_matrix *M)
{
    int n = e->problem->group[0];
    keel_mechanical_parts parts = {.mass = e->square};
    (void)c, (void)yp;
    matrix_zero(M);
    int rc = eval_mechanical(e, t, y, y + n, KEEL_MASS, &parts);
    int sparse = mechanical_is_sparse(e->problem);
    for (int i = 0; i < n && !rc; i++) {
        keel_put(M, i, i, 1);
        for (int j = 0; j < n && !sparse; j++) keel_put(M, n + i, n + j, e->square[i * n + j]);
    }
    if (!rc && sparse) put_sparse_mass(e->problem, e->square, M);
    return rc;
}

/* F_y' = (F_y + F_y') - F_y with the user's F_y + shift F_y'. */
int implicit_mass(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
                  keel_matrix *M)
{
    const keel_implicit_spec *s = &e->problem->spec.implicit;
    if (!s->jacobian || e->differences) return differences(e, c, t, y, yp, 1, -1, e->problem->n, M);
    matrix_zero(M);
    int rc = eval_check_matrix(e, "jacobian", t, s->jacobian(t, y, yp, 1, M, e->context), M);
    if (rc) return rc;
    matrix_zero(&e->mass);
    int code = s->jacobian(t, y, yp, 0, &e->mass, e->context);
    rc = eval_check_matrix(e, "jacobian", t, code, &e->mass);
    size_t entries = matrix_storage(M->rows, M->columns, &M->pattern);
    for (size_t k = 0; k < entries && !rc; k++) M->values[k] -= e->mass.values[k];
    return rc;
}

int quasilinear_mass(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
                     keel_matrix *M)
{
    int rc = eval_quasilinear_mass(e, t, y);
    (void)c, (void)yp;
    size_t entries = matrix_storage(M->rows, M->columns, &M->pattern);
    if (!rc) memcpy(M->values, e->mass.values, entries * sizeof *M->values);
    return rc;
}

int eval_mass(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
              keel_matrix *M)
{
    return e->problem->ops->mass(e, c, t, y, yp, M);
}
