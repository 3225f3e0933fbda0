/* modes.c -- tangent spaces of the constraint manifold, and the linearised flow in them.
 *
 * h is collocated, so that c_x v keeps its value along a solution v of the linearised equations, up
 * to the error of the discretisation: what begins in the tangent space stays there.  Of what errors
 * add to it in other directions, which neither grows nor decays, each T_n^T takes nothing along.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/modes.h"
#include "boundary/rows.h"

/* ---- orthonormal bases ----------------------------------------------------------------------- */

/* Twice, as once need not be enough [Daniel, Gragg, Kaufman & Stewart, Math. Comp. 30 (1976)]. */
void modes_orthonormal(int rows, int d, double *Q, double *R)
{
    memset(R, 0, (size_t)d * (size_t)d * sizeof *R);
    for (int j = 0; j < d; j++) {
        double length = 0;
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < j; i++) {
                double sum = 0;
                for (int l = 0; l < rows; l++) sum += Q[(ptrdiff_t)l * d + i] * Q[(ptrdiff_t)l * d + j];
                for (int l = 0; l < rows; l++) Q[(ptrdiff_t)l * d + j] -= sum * Q[(ptrdiff_t)l * d + i];
                R[(ptrdiff_t)i * d + j] += sum;
            }
        for (int l = 0; l < rows; l++) length = hypot(length, Q[(ptrdiff_t)l * d + j]);
        R[(ptrdiff_t)j * d + j] = length;
        for (int l = 0; l < rows && length > 0; l++) Q[(ptrdiff_t)l * d + j] /= length;
    }
}

void modes_turn(int d, const double *R, int transposed, double *U, double *next, double *T)
{
    memset(next, 0, (size_t)d * (size_t)d * sizeof *next);
    for (int i = 0; i < d; i++)
        for (int l = 0; l < d; l++) {
            double factor = transposed ? R[(ptrdiff_t)l * d + i] : R[(ptrdiff_t)i * d + l];
            for (int j = 0; j < d; j++) next[(ptrdiff_t)i * d + j] += factor * U[(ptrdiff_t)l * d + j];
        }
    memcpy(U, next, (size_t)d * (size_t)d * sizeof *U);
    modes_orthonormal(d, d, U, T);
}

/* ---- tangent spaces -------------------------------------------------------------------------- */

static double *basis(const modes *m, int j) { return m->T + (ptrdiff_t)j * m->nx * m->d; }

/* Rows of c_x at mesh point j, made orthonormal. */
static int normals(keel_boundary *w, const mesh *s, int j, modes *m)
{
    int nx = m->nx, rows = w->flow.hidden, width = nx + w->flow.np;
    memcpy(w->y, s->u.x + (ptrdiff_t)j * nx, (size_t)nx * sizeof *w->y);
    memset(w->y + nx, 0, (size_t)w->flow.m * sizeof *w->y);     /* c does not depend on z */
    int rc = flow_gradient(&w->flow, s->t[j], w->y, w->project);
    for (int i = 0; i < rows && !rc; i++)
        memcpy(m->G + (ptrdiff_t)i * nx, w->project + (ptrdiff_t)i * width, (size_t)nx * sizeof *m->G);
    for (int i = 0; i < rows && !rc; i++) {
        double *row = m->G + (ptrdiff_t)i * nx, before = 0, length = 0;
        for (int l = 0; l < nx; l++) before = hypot(before, row[l]);
        for (int round = 0; round < 2; round++)
            for (int k = 0; k < i; k++) {
                double sum = 0, *other = m->G + (ptrdiff_t)k * nx;
                for (int l = 0; l < nx; l++) sum += other[l] * row[l];
                for (int l = 0; l < nx; l++) row[l] -= sum * other[l];
            }
        for (int l = 0; l < nx; l++) length = hypot(length, row[l]);
        if (!(length > 1e-9 * before)) rc = 1;
        for (int l = 0; l < nx && !rc; l++) row[l] /= length;
    }
    return rc;
}

/* Columns of Q, nx x columns, without their parts along the normals. */
static void to_tangent(const modes *m, int rows, int columns, double *Q)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            const double *row = m->G + (ptrdiff_t)i * m->nx;
            double sum = 0;
            for (int l = 0; l < m->nx; l++) sum += row[l] * Q[(ptrdiff_t)l * columns + j];
            for (int l = 0; l < m->nx; l++) Q[(ptrdiff_t)l * columns + j] -= sum * row[l];
        }
}

/* d of the unit vectors, those farthest from the normals: the largest of what is left each time. */
static void first_basis(modes *m, int rows)
{
    int nx = m->nx, d = m->d;
    double *T = basis(m, 0), *unit = m->work;
    for (int j = 0; j < d; j++) {
        double best = -1;
        for (int e = 0; e < nx; e++) {
            double length = 0;
            memset(unit, 0, (size_t)nx * sizeof *unit);
            unit[e] = 1;
            for (int round = 0; round < 2; round++) {
                to_tangent(m, rows, 1, unit);
                for (int i = 0; i < j; i++) {
                    double sum = 0;
                    for (int l = 0; l < nx; l++) sum += T[(ptrdiff_t)l * d + i] * unit[l];
                    for (int l = 0; l < nx; l++) unit[l] -= sum * T[(ptrdiff_t)l * d + i];
                }
            }
            for (int l = 0; l < nx; l++) length = hypot(length, unit[l]);
            if (!(length > best)) continue;
            best = length;
            for (int l = 0; l < nx; l++) T[(ptrdiff_t)l * d + j] = unit[l] / length;
        }
    }
}

static int fill_bases(keel_boundary *w, const mesh *s, modes *m)
{
    int rows = w->flow.hidden, rc = 0;
    size_t bytes = (size_t)m->nx * (size_t)m->d * sizeof *m->T;
    flow_set_parameters(&w->flow, s->u.p);
    for (int j = 0; j <= s->N && !rc; j++) {
        rc = normals(w, s, j, m);
        if (rc > 0)
            return fail(&w->message, KEEL_SINGULAR, "t = %.10g: the constraints depend on each other "
                        "there, and have no tangent space of dimension %d", s->t[j], m->d);
        if (rc) return boundary_failure(w, NULL, rc);
        if (!j) first_basis(m, rows);
        else {
            memcpy(basis(m, j), basis(m, j - 1), bytes);
            to_tangent(m, rows, m->d, basis(m, j));
            modes_orthonormal(m->nx, m->d, basis(m, j), m->work);
        }
    }
    return KEEL_OK;
}

int solution_linear(keel_boundary *w, mesh **out)
{
    keel_boundary_stats before = w->stats;       /* a question is no work of the solver's */
    keel_stats calls = w->flow.stats;
    const mesh *from = w->mesh;
    mesh *s = NULL;
    *out = NULL;
    int rc = mesh_create(w, &s, from->N, &from->table);
    if (rc) return rc;
    memcpy(s->t, from->t, (size_t)(from->N + 1) * sizeof *s->t);
    w->from = s->t[0];                           /* it may be one of a file */
    w->to = s->t[s->N];
    mesh_bind(w, s);
    rc = guess_transfer(w, s, from);
    if (!rc) rc = collocation_residual(w, s, &s->u, &s->residual);
    if (!rc) rc = collocation_linear(w, s);
    s->reduced = 0;                              /* right-hand sides are other ones */
    if (rc) rc = boundary_failure(w, s, rc);
    if (rc) mesh_free(s);
    else *out = s;
    w->stats = before;
    w->flow.stats = calls;
    return rc;
}

int modes_begin(keel_boundary *w, mesh *s, modes *m)
{
    size_t nx = (size_t)w->flow.nx, hidden = (size_t)w->flow.hidden, d = nx - hidden;
    size_t points = hidden ? (size_t)s->N + 1 : 0;
    *m = (modes){.nx = (int)nx, .d = (int)d};
    m->block = calloc((points + 3) * nx * nx + hidden * nx + 1, sizeof(double));
    if (!m->block) return fail(&w->message, KEEL_NO_MEMORY, "no memory for %d modes", m->d);
    m->work = m->block;
    m->other = m->work + nx * nx;
    m->A = m->other + nx * nx;
    m->G = m->A + nx * nx;
    m->T = m->G + hidden * nx;
    return hidden ? fill_bases(w, s, m) : KEEL_OK;
}

void modes_free(modes *m)
{
    free(m->block);
    m->block = NULL;
}

/* ---- the flow in them ------------------------------------------------------------------------- */

/* R := left^T M right, M [nx nx] */
static void restrict_to(const modes *m, const double *left, const double *M, const double *right,
                        double *R)
{
    int nx = m->nx, d = m->d;
    memset(m->work, 0, (size_t)nx * (size_t)d * sizeof *m->work);
    memset(R, 0, (size_t)d * (size_t)d * sizeof *R);
    add_product(nx, nx, d, 1, M, right, d, m->work);
    for (int l = 0; l < nx; l++)
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
                R[(ptrdiff_t)i * d + j] += left[(ptrdiff_t)l * d + i] * m->work[(ptrdiff_t)l * d + j];
}

void modes_map(const modes *m, const mesh *s, int i, double *R)
{
    const double *F = s->F + (ptrdiff_t)i * m->nx * m->nx;
    if (m->d == m->nx) memcpy(R, F, (size_t)m->nx * (size_t)m->nx * sizeof *R);
    else restrict_to(m, basis(m, i + 1), F, basis(m, i), R);
}

int stage_linear(keel_boundary *w, const mesh *s, int i, int stage)
{
    double t = stage_values(w, s, &s->u, i, stage, w->y);
    int rc = flow_value(&w->flow, t, w->y, w->fh);
    return rc ? rc : local_linear(w, t, w->y, w->fh, &w->local);
}

int modes_reduced(keel_boundary *w, const modes *m, const mesh *s, int i, double *B)
{
    int nx = m->nx, d = m->d, k = s->table.k, rc = 0;
    double h = s->t[i + 1] - s->t[i], *middle = m->other, *A = m->A;
    memset(A, 0, (size_t)nx * (size_t)nx * sizeof *A);
    for (int side = 0; side < 2; side++) {       /* of the middle, the same for odd k */
        rc = stage_linear(w, s, i, (k - 1 + side) / 2);
        if (rc) return rc;
        rc = local_add_rates(w, &w->local, 0.5, A);
        if (rc) return rc;
    }
    if (d == nx) {
        memcpy(B, A, (size_t)nx * (size_t)nx * sizeof *B);
        return 0;
    }
    const double *left = basis(m, i), *right = basis(m, i + 1);
    for (ptrdiff_t l = 0; l < (ptrdiff_t)nx * d; l++) middle[l] = left[l] + right[l];
    modes_orthonormal(nx, d, middle, m->work);
    restrict_to(m, middle, A, middle, B);
    for (int l = 0; l < nx; l++)
        for (int r = 0; r < d; r++)
            for (int j = 0; j < d; j++)
                B[(ptrdiff_t)r * d + j] -= middle[(ptrdiff_t)l * d + r] *
                    (right[(ptrdiff_t)l * d + j] - left[(ptrdiff_t)l * d + j]) / h;
    return 0;
}
