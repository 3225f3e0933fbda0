/* sparse_flow.c -- one point of a problem with a sparse Jacobian.
 *
 *   [I 0; h_x h_z] (dx, dz) = (dx, H)          dz = h_z^-1 (H - h_x dx)
 *   (I + b^2 A^2)^-1 d = Re (I - i b A)^-1 d,  the filter of estimate.c, with z eliminated by
 *   (s M - J) (u, v) = (s d, 0),               s = -i/b,  M = diag(I, 0)
 *
 * One set of factors each: whoever asks for another point has it made anew, with the same pivots.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/rows.h"
#include "boundary/sparse.h"
#include "linear/columns.h"

/* Fewer unknowns are solved for faster as dense ones [docs/boundary-large.md]. */
enum { SPARSE_FROM = 50 };

struct sparse_flow {
    size_t nonzeros;
    double *below;               /* J without the rows of f, negative                      */
    double *mass;                /* [n] 1 of x, 0 of z                                     */
    double *re, *im, *other;     /* [n]                                                    */
    const local *at;             /* whose factors are there, or NULL                       */
    double near, far;            /* -1/b of the filter, times h                            */
    linear_system *algebraic, *filter;
};

static void layout(arena *a, struct sparse_flow *q, int n)
{
    q->below = ARENA(a, double, q->nonzeros);
    double **of_size[] = {&q->mass, &q->re, &q->im, &q->other};
    for (int i = 0; i < 4; i++) *of_size[i] = ARENA(a, double, n);
}

size_t sparse_flow_nonzeros(const keel_boundary *w) { return w->sparse ? w->sparse->nonzeros : 0; }

void sparse_flow_free(struct sparse_flow *q)
{
    if (!q) return;
    linear_free(q->algebraic);
    linear_free(q->filter);
    arena_block_free(q);
}

static int make_systems(struct sparse_flow *q, const keel_problem *p, int nx)
{
    linear_spec spec = {.n = p->n, .pattern = p->pattern, .storage = KEEL_SPARSE, .real_slots = 1,
                        .diagonal = q->mass};
    for (int i = 0; i < p->n; i++) q->mass[i] = i < nx;
    int rc = linear_create(&q->algebraic, &spec);
    spec.real_slots = 0;
    spec.complex_slots = 2;
    return rc ? rc : linear_create(&q->filter, &spec);
}

int sparse_flow_create(keel_boundary *w)
{
    const keel_problem *p = w->spec.problem;
    struct sparse_flow size = {0};
    arena measure = {.used = sizeof size};
    if (p->pattern.storage != KEEL_SPARSE || !flow_is_direct(p) || w->direct || p->n < SPARSE_FROM ||
        w->options.dense)
        return KEEL_OK;
    size.nonzeros = matrix_storage(p->n, p->n, &p->pattern);
    layout(&measure, &size, p->n);
    struct sparse_flow *q = arena_block(measure.used);
    if (!q) return KEEL_NO_MEMORY;
    q->nonzeros = size.nonzeros;
    layout(&(arena){.base = (char *)q, .used = sizeof *q}, q, p->n);
    int rc = make_systems(q, p, p->n - p->constraints);
    if (!rc) w->sparse = q;
    else sparse_flow_free(q);
    return rc == KEEL_UNSUPPORTED ? KEEL_OK : rc;        /* without KLU: dense */
}

/* ---- one point ----------------------------------------------------------------------------- */

static keel_matrix matrix_of(const keel_boundary *w, double *values)
{
    keel_matrix J = w->flow.J;
    J.values = values;
    return J;
}

static int failed(keel_boundary *w, int rc)
{
    if (rc == KEEL_NO_MEMORY) return BOUNDARY_NO_MEMORY;
    w->flow.dependent = rc > w->flow.nx ? rc - w->flow.nx : 1;
    return BOUNDARY_SINGULAR_FIELD;
}

/* The factors of [I 0; h_x h_z]. */
static int factor_algebraic(keel_boundary *w, const local *l)
{
    struct sparse_flow *q = w->sparse;
    int nx = w->flow.nx;
    if (q->at == l) return 0;
    keel_matrix J = matrix_of(w, l->J), below = matrix_of(w, q->below);
    for (int j = 0; j < w->flow.n; j++) {
        column from = matrix_column(&J, j), to = matrix_column(&below, j);
        for (int p = 0; p < from.count; p++)
            to.values[p] = column_row(&from, p) < nx ? 0 : -from.values[p];
    }
    int rc = linear_factor(q->algebraic, 0, 1, (linear_mass){.diagonal = q->mass}, &below);
    q->at = rc ? NULL : l;
    return rc ? failed(w, rc) : 0;
}

int sparse_flow_algebraic(keel_boundary *w, const local *l, const double *dx, double *z)
{
    int nx = w->flow.nx, m = w->flow.m, rc = m ? factor_algebraic(w, l) : 0;
    double *b = w->sparse->other;
    if (rc || !m) return rc;
    memset(b, 0, (size_t)w->flow.n * sizeof *b);
    for (int i = 0; i < nx && dx; i++) b[i] = -dx[i];
    if (!dx) memcpy(b + nx, z, (size_t)m * sizeof *b);
    linear_solve(w->sparse->algebraic, 0, b);
    memcpy(z, b + nx, (size_t)m * sizeof *b);
    return 0;
}

void sparse_flow_push(const keel_boundary *w, const local *l, const double *z, double *f)
{
    int nx = w->flow.nx;
    keel_matrix J = matrix_of(w, l->J);
    for (int j = 0; j < w->flow.m; j++) {
        column c = matrix_column(&J, nx + j);
        for (int p = 0; p < c.count && column_row(&c, p) < nx; p++)
            f[column_row(&c, p)] -= c.values[p] * z[j];
    }
}

void sparse_flow_move(const keel_boundary *w, const local *l, const double *dx, const double *dz,
                      const double *dp, double *f)
{
    int nx = w->flow.nx, np = w->flow.np;
    keel_matrix J = matrix_of(w, l->J);
    for (int j = 0; j < w->flow.n; j++) {
        column c = matrix_column(&J, j);
        double size = j < nx ? dx[j] : dz[j - nx];
        for (int p = 0; p < c.count && column_row(&c, p) < nx; p++)
            f[column_row(&c, p)] += c.values[p] * size;
    }
    add_times(nx, np, 1, l->J_p, dp, f);
}

void sparse_flow_sizes(const keel_boundary *w, const local *l, const double *x, const double *z,
                       double *f)
{
    int nx = w->flow.nx;
    keel_matrix J = matrix_of(w, l->J);
    for (int j = 0; j < w->flow.n; j++) {
        column c = matrix_column(&J, j);
        double size = fabs(j < nx ? x[j] : z[j - nx]);
        for (int p = 0; p < c.count && column_row(&c, p) < nx; p++)
            f[column_row(&c, p)] += fabs(c.values[p]) * size;
    }
}

int sparse_flow_rates(keel_boundary *w, const local *l, const double *v, double *to)
{
    int nx = w->flow.nx, rc = local_follow(w, l, v, to + nx);
    keel_matrix J = matrix_of(w, l->J);
    memset(to, 0, (size_t)nx * sizeof *to);
    if (rc) return rc;
    for (int j = 0; j < nx; j++) {
        column c = matrix_column(&J, j);
        for (int p = 0; p < c.count && column_row(&c, p) < nx; p++)
            to[column_row(&c, p)] += c.values[p] * v[j];
    }
    local_push(w, l, to + nx, to);
    return 0;
}

double sparse_flow_square(keel_boundary *w, double h, const local *l)
{
    double *v = w->sparse->re, *to = w->sparse->im, largest = 0;
    unsigned bits = 1;
    for (int i = 0; i < w->flow.nx; i++) {
        bits = 1664525u * bits + 1013904223u;    /* Knuth's generator */
        v[i] = bits >> 31 ? -h : h;
    }
    if (sparse_flow_rates(w, l, v, to)) return NAN;
    for (int i = 0; i < w->flow.nx; i++) to[i] *= h;
    if (sparse_flow_rates(w, l, to, v)) return NAN;
    for (int i = 0; i < w->flow.nx; i++) largest = fmax(largest, fabs(v[i]));
    return largest;
}

int sparse_flow_linear(keel_boundary *w, double t, const double *y, const double *fh, local *l)
{
    w->sparse->at = NULL;
    int rc = flow_sparse(&w->flow, t, y, fh, l->J, l->J_p);
    if (!rc && w->flow.m) rc = factor_algebraic(w, l);   /* is the index what it should be? */
    if (rc == BOUNDARY_SINGULAR_FIELD) w->flow.e.fault.t = t;
    return rc;
}

int sparse_flow_columns(keel_boundary *w, local *l)
{
    int nx = w->flow.nx, m = w->flow.m, np = w->flow.np, rc = 0;
    double *unit = w->y2, *z = w->work;
    memset(unit, 0, (size_t)nx * sizeof *unit);
    for (int j = 0; j < nx + np && m && !rc; j++) {
        double *to = j < nx ? l->C + j : l->C_p + j - nx;
        if (j < nx) unit[j] = 1;
        for (int i = 0; i < m && j >= nx; i++) z[i] = l->J_p[(ptrdiff_t)(nx + i) * np + j - nx];
        rc = sparse_flow_algebraic(w, l, j < nx ? unit : NULL, z);
        for (int i = 0; i < m; i++) to[(ptrdiff_t)i * (j < nx ? nx : np)] = z[i];
        if (j < nx) unit[j] = 0;
    }
    return rc;
}

/* ---- the filter ---------------------------------------------------------------------------- */

/* b = 0.1 h and 0.01 h; without factors nothing is filtered, which is the safe side. */
void sparse_flow_filter_make(keel_boundary *w, double h, const local *l)
{
    struct sparse_flow *q = w->sparse;
    keel_matrix J = matrix_of(w, l->J);
    linear_mass mass = {.diagonal = q->mass};
    q->near = -10 / h;
    q->far = -100 / h;
    w->interval.filtered = !linear_factor_complex(q->filter, 0, 0, q->near, mass, &J) &&
                           !linear_factor_complex(q->filter, 1, 0, q->far, mass, &J);
}

/* to += part Re (I - i b A)^-1 d */
static void apply(const keel_boundary *w, int slot, double shift, double part, const double *d,
                  double *to)
{
    struct sparse_flow *q = w->sparse;
    int nx = w->flow.nx;
    memset(q->re, 0, (size_t)w->flow.n * sizeof *q->re);
    memset(q->im, 0, (size_t)w->flow.n * sizeof *q->im);
    for (int i = 0; i < nx; i++) q->im[i] = shift * d[i];
    linear_solve_complex(q->filter, slot, q->re, q->im);
    for (int i = 0; i < nx; i++) to[i] += part * q->re[i];
}

void sparse_flow_filter_apply(const keel_boundary *w, double *d)
{
    struct sparse_flow *q = w->sparse;
    int nx = w->flow.nx;
    memset(q->other, 0, (size_t)nx * sizeof *d);
    apply(w, 0, q->near, 0.9, d, q->other);
    apply(w, 1, q->far, 0.1, d, q->other);
    memcpy(d, q->other, (size_t)nx * sizeof *d);
}
