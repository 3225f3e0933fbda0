#include "problem/invariant_field.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

enum { PASSES = 4 };             /* of a pencil: its index, and one to see the end */

static const double
    dependent_least = 1e-6,      /* what a row of length 1 leaves of another that depends on it: */
    dependent_most = 1e-3,       /* noise of differences, ten times the distance, at most ...    */
    tangent_least = 1e-7,        /* the same of C, which is of differences only                  */
    kernel_least = 1e-6,         /* ... of M                                                     */
    pencil_least = 1e-4,         /* ... and of M V, whose V has been differentiated twice        */
    idle = 1e-8,                 /* W of unknowns that M does not see: they follow from others    */
    implied_most = 1e-4;         /* of a row that the equations imply, as far as d/dt C1 is known */

int field_is_pencil(const keel_problem *p) { return !form_has(p, FORM_ALGEBRAIC_KNOWN); }

/* ---- sizes --------------------------------------------------------------------------------- */

/* Is row i one of the level?  Chains of the levelled form differ in length. */
static int in_level(const keel_problem *p, int level, int i)
{
    return p->links[i] >= p->levels - 1 - level;
}

static int linked_rows(const keel_problem *p)
{
    int rows = 0;
    for (int k = 0; k + 1 < p->levels && p->ops == &levelled_form; k++)
        for (int i = 0; i < p->constraints; i++) rows += in_level(p, k, i);
    return rows;
}

int field_rows(const keel_problem *p) { return linked_rows(p) + p->attached.rows; }

/* Rows of C, at most. */
static int tangents_most(const keel_problem *p)
{
    if (p->ops == &ode_form) return 0;
    if (field_is_pencil(p)) return p->n;
    return p->ops == &levelled_form || p->levels < 2 ? p->constraints
                                                     : (p->levels - 1) * p->constraints;
}

void field_layout(arena *a, formulation_state *s, const keel_problem *p, int ranked)
{
    invariant_field *f = ARENA(a, invariant_field, 1), measured = {0};
    s->field = f;
    if (!f) f = &measured;
    size_t n = (size_t)p->n, rows = (size_t)field_rows(p), most = (size_t)tangents_most(p);
    int pencil = p->ops != &ode_form && field_is_pencil(p);
    int algebraic = p->ops == &semi_explicit_form || p->ops == &levelled_form;
    f->rows = (int)rows;
    f->linked = linked_rows(p);
    f->ranked = ranked;
    double **vectors[] = {&f->phi, &f->scale, &f->weight};
    for (int k = 0; k < 3; k++) *vectors[k] = ARENA(a, double, rows);
    double **unknowns[] = {&f->y, &f->rate, &f->weighted, &f->delta};
    for (int k = 0; k < 4; k++) *unknowns[k] = ARENA(a, double, n);
    f->gradient = ARENA(a, double, rows * n);
    f->D = ARENA(a, double, rows * n);
    f->Q = ARENA(a, double, (most + 1) * n);
    f->S = ARENA(a, double, rows * rows);
    f->N = ARENA(a, double, rows * rows);
    f->pivot = ARENA(a, int, rows);
    f->implied = ARENA(a, int, rows);
    f->level = ARENA(a, double, (size_t)p->constraints * n);
    f->rank = rank_layout(a, (int)rows, (int)(n > rows ? n : rows));
    if (pencil || algebraic) {
        problem_matrix_layout(a, &f->J, p);
        coloring_layout(a, &f->colors, p);
        if (a->base) coloring_build(&f->colors, p);
        f->A = ARENA(a, double, n * n);
        f->Y = ARENA(a, double, most * n);
        f->T = ARENA(a, double, most * most);
        f->order = ARENA(a, int, n + most);
    }
    if (!pencil) return;
    problem_matrix_layout(a, &f->M, p);
    f->left = ARENA(a, double, n * n);
    f->R = ARENA(a, double, n * n);
    if (p->index > 2) {
        problem_matrix_layout(a, &f->ahead, p);
        double **squares[] = {&f->C1, &f->change, &f->U};
        for (int k = 0; k < 3; k++) *squares[k] = ARENA(a, double, n * n);
    }
    f->pencil = rank_layout(a, (int)n, (int)n);
}

/* ---- phi ----------------------------------------------------------------------------------- */

int field_values(formulation_state *s, double t, const double *y)
{
    const keel_problem *p = s->inner->problem;
    invariant_field *f = s->field;
    double *phi = f->phi;
    int rc = 0;
    for (int k = 0; k + 1 < p->levels && f->linked > 0 && !rc; k++) {
        rc = eval_level(s->inner, k, t, y, f->level);
        for (int i = 0; i < p->constraints && !rc; i++)
            if (in_level(p, k, i)) *phi++ = f->level[i];
    }
    if (!rc && p->attached.rows > 0) rc = attached_level(s->inner, t, y, phi);
    for (int i = 0; i < f->rows && f->count > 0 && !rc; i++) f->phi[i] *= f->scale[i];
    return rc;
}

/* phi_y */
static int gradients(formulation_state *s, double t, const double *y)
{
    const keel_problem *p = s->inner->problem;
    invariant_field *f = s->field;
    double *row = f->gradient;
    size_t bytes = (size_t)s->nx * sizeof *row;
    int rc = 0;
    for (int k = 0; k + 1 < p->levels && f->linked > 0 && !rc; k++) {
        rc = difference_level_jacobian(s, k, t, y, f->level);
        for (int i = 0; i < p->constraints && !rc; i++) {
            if (!in_level(p, k, i)) continue;
            memset(row, 0, (size_t)s->n * sizeof *row);
            memcpy(row, f->level + i * s->nx, bytes);
            row += s->n;
        }
    }
    return rc || p->attached.rows == 0 ? rc : eval_attached_jacobian(s->inner, t, y, row);
}

/* ---- C ------------------------------------------------------------------------------------- */

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += a[j] * b[j];
    return sum;
}

/* row := row (1 - Q^T Q), twice for rounding errors' sake */
static void make_tangential(const invariant_field *f, int n, double *row)
{
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < f->tangents; k++) {
            double part = product(n, row, f->Q + k * n);
            for (int j = 0; j < n; j++) row[j] -= part * f->Q[k * n + j];
        }
}

/* The row behind the last of Q becomes one of it, unless it depends on the others. */
static void add_tangent(invariant_field *f, int n)
{
    double *row = f->Q + f->tangents * n, before = sqrt(product(n, row, row));
    make_tangential(f, n, row);
    double length = sqrt(product(n, row, row));
    if (!(length > tangent_least * before)) return;
    for (int j = 0; j < n; j++) row[j] /= length;
    f->tangents++;
}

static int level_tangents(formulation_state *s, double t, const double *y)
{
    invariant_field *f = s->field;
    int rc = 0;
    for (int level = 0; level < s->lower && !rc; level++) {
        rc = s->reduction->level_jacobian(s, level, t, y, f->level);
        for (int k = 0; k < s->m && !rc; k++) {
            double *row = f->Q + f->tangents * s->n;
            memset(row, 0, (size_t)s->n * sizeof *row);
            memcpy(row, f->level + k * s->nx, (size_t)s->nx * sizeof *row);
            add_tangent(f, s->n);
        }
    }
    return rc;
}

/* [g_y g_z], unless phi does not depend on z. */
static int algebraic_tangents(formulation_state *s, double t, const double *y)
{
    invariant_field *f = s->field;
    int n = s->n, depends = 0;
    for (int i = 0; i < f->rows; i++)
        for (int j = s->nx; j < n; j++) depends |= f->gradient[i * n + j] != 0;
    if (!depends) return 0;
    memset(f->delta, 0, (size_t)n * sizeof *f->delta);
    int rc = eval_jacobian(s->inner, &f->colors, t, y, f->delta, &f->J);
    for (int k = s->nx; k < n && !rc; k++) {
        for (int j = 0; j < n; j++) f->Q[f->tangents * n + j] = matrix_get(&f->J, k, j);
        add_tangent(f, n);
    }
    return rc;
}

/* A := M (1 - Q^T Q), where rows that are next to nothing of M's vanish */
static void restrict_mass(invariant_field *f, int n)
{
    for (int i = 0; i < n; i++) {
        double *row = f->A + i * n;
        for (int j = 0; j < n; j++) row[j] = matrix_get(&f->M, i, j);
        double before = sqrt(product(n, row, row));
        make_tangential(f, n, row);
        if (sqrt(product(n, row, row)) <= pencil_least * before)
            memset(row, 0, (size_t)n * sizeof *row);
    }
}

/* rows := U^T J, count x n, with U n x count */
static void project_rows(int n, int count, const double *U, const keel_matrix *J, double *rows)
{
    memset(rows, 0, (size_t)count * (size_t)n * sizeof *rows);
    for (int c = 0; c < count; c++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n && U[i * count + c] != 0; j++)
                rows[c * n + j] += U[i * count + c] * matrix_get(J, i, j);
}

/* The kernel of M, into R: n x kernel. */
static int find_kernel(invariant_field *f, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) f->A[i * n + j] = matrix_get(&f->M, j, i);
    f->kernel = null_rows(f->pencil, n, n, f->A, kernel_least, -1, f->R);
    return f->kernel < 0;
}

/* y' as far as M determines it, into f->delta: y' + M^+ r(t,y,y'), by (M^T M + R R^T) x = M^T r. */
static int differential_rate(formulation_state *s, double t, const double *y, const double *yp)
{
    invariant_field *f = s->field;
    int n = s->n, rc = eval_residual(s->inner, t, y, yp, f->weighted);
    if (rc) return rc;
    for (int i = 0; i < n; i++) {
        f->delta[i] = 0;
        for (int k = 0; k < n; k++) f->delta[i] += matrix_get(&f->M, k, i) * f->weighted[k];
        for (int j = 0; j < n; j++) {
            double sum = product(f->kernel, f->R + i * f->kernel, f->R + j * f->kernel);
            for (int k = 0; k < n; k++) sum += matrix_get(&f->M, k, i) * matrix_get(&f->M, k, j);
            f->A[i * n + j] = sum;
        }
    }
    if (dense_factor(n, f->A, f->order))
        return formulation_fault(s, t, FAULT_MULTIPLIERS, "invariant");
    dense_solve(n, f->A, f->order, f->delta);
    for (int j = 0; j < n; j++) f->delta[j] += yp[j];
    for (int k = 0; k < f->kernel; k++) {                  /* what M does not see is not known */
        double part = 0;
        for (int j = 0; j < n; j++) part += f->R[j * f->kernel + k] * f->delta[j];
        for (int j = 0; j < n; j++) f->delta[j] -= part * f->R[j * f->kernel + k];
    }
    return 0;
}

/* C1, and how it changes along (1, y'), by differences that move y by 1e-3. */
static int find_change(formulation_state *s, double t, const double *y, const double *yp)
{
    invariant_field *f = s->field;
    int n = s->n, k = f->first, rc = differential_rate(s, t, y, yp);
    double rate = norm_relative(n, f->delta, y);
    stencil d = time_stencil(s->inner, t, 1, 2, rate > 0 ? 1e-3 / rate : s->inner->time_scale);
    project_rows(n, k, f->U, &f->J, f->C1);
    memset(f->change, 0, (size_t)k * (size_t)n * sizeof *f->change);
    for (int p = 0; p < d.points && !rc; p++) {
        for (int j = 0; j < n; j++) f->weighted[j] = y[j] + d.shift[p] * f->delta[j];
        rc = eval_jacobian(s->inner, &f->colors, t + d.shift[p], f->weighted, yp, &f->ahead);
        project_rows(n, k, f->U, &f->ahead, f->A);
        for (int i = 0; i < k * n && !rc; i++) f->change[i] += d.weight[p] * f->A[i];
    }
    return rc;
}

/* row += a d/dt C1 with a C1 = u^T M for the u in column c of `left` */
static int add_change(invariant_field *f, int n, int count, int c, double *row)
{
    int k = f->first;
    memset(f->delta, 0, (size_t)n * sizeof *f->delta);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            f->delta[j] += f->left[i * count + c] * matrix_get(&f->M, i, j);
    for (int i = 0; i < k; i++) {
        f->weighted[i] = product(n, f->C1 + i * n, f->delta);
        for (int j = 0; j < k; j++)
            f->T[i * k + j] = product(n, f->C1 + i * n, f->C1 + j * n);
    }
    if (dense_factor(k, f->T, f->order)) return 1;
    dense_solve(k, f->T, f->order, f->weighted);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n; j++) row[j] += f->weighted[i] * f->change[i * n + j];
    return 0;
}

static int pencil_tangents(formulation_state *s, double t, const double *y, const double *yp)
{
    invariant_field *f = s->field;
    int n = s->n, last = -1, rc = eval_mass(s->inner, &f->colors, t, y, yp, &f->M);
    if (!rc) rc = eval_jacobian(s->inner, &f->colors, t, y, yp, &f->J);
    if (!rc && find_kernel(f, n)) return formulation_fault(s, t, FAULT_MULTIPLIERS, "invariant");
    for (int pass = 0; pass < PASSES && !rc; pass++) {
        restrict_mass(f, n);
        double least = pass > 0 ? pencil_least : kernel_least;
        int count = null_rows(f->pencil, n, n, f->A, least, -1, f->left), failed = count < 0;
        if (count == last) break;
        f->tangents = 0;
        for (int c = 0; c < count && !failed; c++) {
            double *row = f->Q + f->tangents * n;
            memset(row, 0, (size_t)n * sizeof *row);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    row[j] += f->left[i * count + c] * matrix_get(&f->J, i, j);
            if (pass > 0 && f->C1) failed = add_change(f, n, count, c, row);
            add_tangent(f, n);
        }
        if (failed) return formulation_fault(s, t, FAULT_MULTIPLIERS, "invariant");
        last = count;
        if (pass > 0 || !f->C1) continue;
        f->first = count;
        memcpy(f->U, f->left, (size_t)n * (size_t)count * sizeof *f->U);
        rc = find_change(s, t, y, yp);
    }
    return rc;
}

static int tangents(formulation_state *s, double t, const double *y, const double *yp)
{
    const keel_problem *p = s->inner->problem;
    s->field->tangents = 0;
    if (p->ops == &ode_form) return 0;
    if (field_is_pencil(p)) return pencil_tangents(s, t, y, yp);
    return p->ops == &semi_explicit_form || p->ops == &levelled_form ? algebraic_tangents(s, t, y)
                                                                     : level_tangents(s, t, y);
}

/* ---- D and N ------------------------------------------------------------------------------- */

/* Rows that the equations imply do not act. */
static void drop_implied(formulation_state *s)
{
    invariant_field *f = s->field;
    int n = s->n;
    for (int i = 0; i < f->rows && !f->begun; i++) {
        const double *row = f->D + i * n, *whole = f->gradient + i * n;
        f->implied[i] = product(n, row, row) <= implied_most * implied_most * product(n, whole, whole);
    }
    for (int i = 0; i < f->rows; i++)
        if (f->implied[i]) memset(f->D + i * n, 0, (size_t)n * sizeof *f->D);
}

/* How many rows depend on others where the run begins. */
static int begin(formulation_state *s, double t, const double *y)
{
    invariant_field *f = s->field;
    int n = s->n, rc = field_values(s, t, y);
    double relative = 0;
    for (int i = 0; i < f->rows && !rc; i++) {
        double part = DBL_MIN, *row = f->gradient + i * n, length = sqrt(product(n, row, row));
        for (int j = 0; j < n; j++) part = fmax(part, fabs(row[j]) * (1 + fabs(y[j])));
        relative = fmax(relative, fabs(f->phi[i]) / part);
        f->scale[i] = length >= DBL_MIN && length <= DBL_MAX ? 1 / length : 1;
    }
    double tolerance = fmin(dependent_most, fmax(dependent_least, 10 * relative));
    if (!rc) f->count = null_rows(f->rank, f->rows, n, f->D, tolerance, -1, f->N);
    if (f->count >= 0) {
        f->begun = rc == 0;
        return rc;
    }
    f->count = 0;
    return formulation_fault(s, t, FAULT_MULTIPLIERS, "invariant");
}

static void scale_rows(invariant_field *f, int n, double *A)
{
    for (int i = 0; i < f->rows; i++)
        for (int j = 0; j < n; j++) A[i * n + j] *= f->scale[i];
}

/* W into A: of the pencil, 1 - R R^T with the R that M does not see. */
static void differential_part(formulation_state *s)
{
    invariant_field *f = s->field;
    int n = s->n;
    memset(f->A, 0, (size_t)n * (size_t)n * sizeof *f->A);
    for (int i = 0; i < n; i++) f->A[i * n + i] = f->left || i < s->nx ? 1 : idle;
    for (int i = 0; i < n && f->left; i++)
        for (int j = 0; j < n; j++)
            f->A[i * n + j] -= (1 - idle) * product(f->kernel, f->R + i * f->kernel,
                                                    f->R + j * f->kernel);
}

/* D := K^-1 D - Y T^-1 Q K^-1 D,  K = W + Q^T Q,  Y = K^-1 Q^T,  T = Q Y */
static int weigh(formulation_state *s, double t)
{
    invariant_field *f = s->field;
    int n = s->n, m = f->tangents;
    differential_part(s);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) f->A[i * n + j] += f->Q[k * n + i] * f->Q[k * n + j];
    int failed = dense_factor(n, f->A, f->order) != 0;
    for (int k = 0; k < m && !failed; k++) {
        memcpy(f->Y + k * n, f->Q + k * n, (size_t)n * sizeof *f->Y);
        dense_solve(n, f->A, f->order, f->Y + k * n);
        for (int i = 0; i < m; i++) f->T[i * m + k] = product(n, f->Q + i * n, f->Y + k * n);
    }
    if (!failed && m > 0) failed = dense_factor(m, f->T, f->order + n) != 0;
    for (int i = 0; i < f->rows && !failed; i++) {
        double *row = f->D + i * n;
        dense_solve(n, f->A, f->order, row);
        for (int k = 0; k < m; k++) f->weighted[k] = product(n, f->Q + k * n, row);
        if (m > 0) dense_solve(m, f->T, f->order + n, f->weighted);
        for (int k = 0; k < m; k++)
            for (int j = 0; j < n; j++) row[j] -= f->weighted[k] * f->Y[k * n + j];
    }
    return failed ? formulation_fault(s, t, FAULT_MULTIPLIERS, "invariant") : 0;
}

static int directions(formulation_state *s, double t)
{
    invariant_field *f = s->field;
    int n = s->n, multipliers = s->lower > 0 && f->linked == 0;  /* which the hidden level has */
    memcpy(f->D, f->gradient, (size_t)f->rows * (size_t)n * sizeof *f->D);
    if (f->left || (f->A && f->tangents > 0)) return weigh(s, t);
    for (int i = 0; i < f->rows && (multipliers || f->tangents > 0); i++) {
        for (int j = s->nx; j < n && multipliers; j++) f->D[i * n + j] = 0;
        make_tangential(f, n, f->D + i * n);
    }
    return 0;
}

int field_directions(formulation_state *s, double t, const double *y, const double *yp)
{
    invariant_field *f = s->field;
    int n = s->n, rc = gradients(s, t, y);
    if (!rc) rc = tangents(s, t, y, yp);
    if (!rc) rc = directions(s, t);
    if (!rc && f->ranked) drop_implied(s);
    if (!rc && f->ranked && !f->begun) rc = begin(s, t, y);
    if (rc || f->count == 0) return rc;
    scale_rows(f, n, f->gradient);
    scale_rows(f, n, f->D);
    int found = null_rows(f->rank, f->rows, n, f->D, dependent_least, f->count, f->N);
    return found < 0 ? formulation_fault(s, t, FAULT_MULTIPLIERS, "invariant") : 0;
}

void field_move(const formulation_state *s, double factor, const double *mu, double *out)
{
    const invariant_field *f = s->field;
    for (int k = 0; k < f->rows; k++)
        for (int j = 0; j < s->n; j++) out[j] += factor * mu[k] * f->D[k * s->n + j];
}

void field_restrict(const formulation_state *s, double *x)
{
    const invariant_field *f = s->field;
    for (int c = 0; c < f->count; c++) {
        double sum = 0;
        for (int k = 0; k < f->rows; k++) sum += f->N[k * f->count + c] * x[k];
        for (int k = 0; k < f->rows; k++) x[k] -= sum * f->N[k * f->count + c];
    }
}

void field_rows_with(const formulation_state *s, const double *mu, double *c)
{
    const invariant_field *f = s->field;
    for (int k = 0; k < f->rows; k++) c[k] = f->phi[k] - mu[k];
    field_restrict(s, c);
    for (int k = 0; k < f->rows; k++) c[k] += mu[k];
    if (f->count == 0) memcpy(c, f->phi, (size_t)f->rows * sizeof *c);
}

int field_delta(formulation_state *s, double t)
{
    invariant_field *f = s->field;
    int rows = f->rows;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k <= i; k++) {
            double sum = product(s->n, f->gradient + i * s->n, f->D + k * s->n);
            for (int c = 0; c < f->count; c++)
                sum += f->N[i * f->count + c] * f->N[k * f->count + c];
            f->S[i * rows + k] = f->S[k * rows + i] = sum;
        }
    if (dense_factor(rows, f->S, f->pivot))
        return formulation_fault(s, t, FAULT_MULTIPLIERS, "invariant");
    memcpy(f->weight, f->phi, (size_t)rows * sizeof *f->weight);
    field_restrict(s, f->weight);
    dense_solve(rows, f->S, f->pivot, f->weight);
    memset(f->delta, 0, (size_t)s->n * sizeof *f->delta);
    field_move(s, 1, f->weight, f->delta);
    return 0;
}
