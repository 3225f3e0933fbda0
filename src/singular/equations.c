#include "singular/equations.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/difference.h"

static const double mass_rank = 1e-10;           /* of rows of A of length 1               */

enum { DIFFERENCE_ORDER = 4 };

int equations_apply(const keel_problem *p)
{
    int index1 = p->ops == &semi_explicit_form && p->levels == 1;
    int general = p->ops == &quasilinear_form && p->index == 1;
    return (index1 || general) && p->n <= CURVE_MOST && p->attached.rows == 0;
}

void equations_layout(arena *a, equations *q, const keel_problem *p)
{
    size_t n = (size_t)p->n;
    q->n = p->n;
    q->general = p->ops->mass != NULL;
    q->constant = !q->general || problem_mass_constant(p);
    coloring_layout(a, &q->colors, p);
    problem_matrix_layout(a, &q->J, p);
    q->unit = ARENA(a, double, n + 1);
    double **vectors[] = {&q->row_scale, &q->x, &q->f, &q->w, &q->f_t, &q->sum, &q->moved,
                          &q->delta};
    for (int k = 0; k < 8; k++) *vectors[k] = ARENA(a, double, n);
    double **squares[] = {&q->A, &q->N, &q->P, &q->N_anchor, &q->P_anchor, &q->square, &q->rows};
    for (int k = 0; k < 7; k++) *squares[k] = ARENA(a, double, n * n);
    q->pivot = ARENA(a, int, n);
    q->work = rank_layout(a, p->n, p->n);
}

void equations_create(equations *q, const keel_problem *p) { coloring_build(&q->colors, p); }

double equations_point(const equations *q, const double *X, double *x)
{
    for (int i = 0; i < q->n; i++) x[i] = X[i] * q->unit[i];
    return X[q->n] * q->unit[q->n];
}

void equations_scaled(const equations *q, double t, const double *x, double *X)
{
    for (int i = 0; i < q->n; i++) X[i] = x[i] / q->unit[i];
    X[q->n] = t / q->unit[q->n];
}

/* ---- bases of the rows ---------------------------------------------------------------------- */

/* basis (n x k) := basis (anchor^T basis)^-1, so that it changes smoothly with A. */
static int match(equations *q, int k, const double *anchor, double *basis)
{
    int n = q->n;
    for (int c = 0; c < k; c++)
        for (int d = 0; d < k; d++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += anchor[i * k + c] * basis[i * k + d];
            q->square[d * k + c] = sum;          /* transposed: it is solved from the right */
        }
    if (k > 0 && dense_factor(k, q->square, q->pivot)) return RANK_CHANGED;
    for (int i = 0; i < n && k > 0; i++) dense_solve(k, q->square, q->pivot, basis + i * k);
    return 0;
}

static int find_mass(equations *q, double t)
{
    int rc = eval_quasilinear_mass(q->e, t, q->x);
    for (int i = 0; i < q->n && !rc; i++)
        for (int j = 0; j < q->n; j++) q->A[i * q->n + j] = matrix_get(&q->e->mass, i, j);
    return rc;
}

/* N and P at (t, q->x), with that many columns of N, or as many as there are (-1). */
static int find_bases(equations *q, double t, int algebraic)
{
    int n = q->n, rc = find_mass(q, t);
    if (rc) return rc;
    int found = null_rows(q->work, n, n, q->A, mass_rank, -1, q->N);
    if (found < 0 || (algebraic >= 0 && found != algebraic)) return RANK_CHANGED;
    q->algebraic = found;
    q->rank = n - found;
    found = null_rows(q->work, n, q->algebraic, q->N, mass_rank, q->rank, q->P);
    return found == q->rank ? 0 : RANK_CHANGED;
}

/* The same at any other point, turned to match the anchor. */
static int renew_bases(equations *q, double t)
{
    if (q->constant && q->known) return 0;
    int rc = find_bases(q, t, q->algebraic);
    if (!rc) rc = match(q, q->algebraic, q->N_anchor, q->N);
    return rc ? rc : match(q, q->rank, q->P_anchor, q->P);
}

/* Gram-Schmidt keeps the orientation of a basis. */
static void orthonormalize(int n, int k, double *basis)
{
    for (int c = 0; c < k; c++)
        for (int d = 0; d <= c; d++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += basis[i * k + c] * basis[i * k + d];
            double factor = d < c ? -sum : 1 / sqrt(sum) - 1;
            for (int i = 0; i < n; i++) basis[i * k + c] += factor * basis[i * k + d];
        }
}

/* Of a semi-explicit problem: its first equations are differential, the last ones algebraic. */
static void plain_bases(equations *q)
{
    int n = q->n, m = q->algebraic, r = q->rank;
    size_t bytes = (size_t)n * sizeof *q->A;
    memset(q->A, 0, bytes * (size_t)n);
    memset(q->N, 0, bytes * (size_t)m);
    memset(q->P, 0, bytes * (size_t)r);
    for (int k = 0; k < r; k++) q->A[k * n + k] = q->P[k * r + k] = 1;
    for (int k = 0; k < m; k++) q->N[(r + k) * m + k] = 1;
}

static void keep_bases(equations *q)
{
    size_t bytes = (size_t)q->n * sizeof *q->N;
    memcpy(q->N_anchor, q->N, bytes * (size_t)q->algebraic);
    memcpy(q->P_anchor, q->P, bytes * (size_t)q->rank);
}

/* sum_i basis_ik v_i */
static double component(const equations *q, const double *basis, int columns, int k,
                        const double *v, int stride)
{
    double sum = 0;
    for (int i = 0; i < q->n; i++) sum += basis[i * columns + k] * v[i * stride];
    return sum;
}

/* ---- units ---------------------------------------------------------------------------------- */

static double power_of_two(double size)
{
    int exponent;
    if (!(size > 0) || !isfinite(size)) return 1;
    frexp(size, &exponent);
    return ldexp(1, exponent - 1);
}

/* The time in which P^T A x' = P^T f moves x by its units. */
static double time_unit(const equations *q)
{
    double moved = 0, rate = 0;
    for (int k = 0; k < q->rank; k++) {
        double f = component(q, q->P, q->rank, k, q->f, 1);
        rate += f * f;
        for (int j = 0; j < q->n; j++) {
            double entry = component(q, q->P, q->rank, k, q->A + j, q->n) * q->unit[j];
            moved += entry * entry;
        }
    }
    return rate > 0 && moved > 0 ? sqrt(moved / rate) : 1;
}

int equations_begin(equations *q, evaluator *e, double t, const double *x, const double *floor)
{
    int n = q->n;
    q->e = e;
    q->known = 0;
    q->algebraic = e->problem->constraints;
    q->rank = n - q->algebraic;
    for (int i = 0; i < n; i++) {
        q->unit[i] = power_of_two(fabs(x[i]) + floor[i]);
        q->row_scale[i] = 1;
        q->x[i] = x[i];
    }
    memset(q->w, 0, (size_t)n * sizeof *q->w);
    int rc = eval_residual(e, t, q->x, q->w, q->f);
    if (!rc && q->general) rc = find_bases(q, t, -1);
    if (rc) return rc;
    if (!q->general) plain_bases(q);
    keep_bases(q);
    q->known = 1;
    q->unit[n] = power_of_two(time_unit(q));
    return 0;
}

/* ---- values --------------------------------------------------------------------------------- */

/* q->x, q->f and bases at X; *t. */
static int move_to(equations *q, const double *X, double *t)
{
    const evaluator *e = q->e;
    *t = equations_point(q, X, q->x);
    if (e->limited && (*t - e->t_limit) * e->limit_direction > 0) return TIME_LIMITED;
    memset(q->w, 0, (size_t)q->n * sizeof *q->w);
    int rc = eval_residual(q->e, *t, q->x, q->w, q->f);
    return rc ? rc : renew_bases(q, *t);
}

int equations_value(equations *q, const double *X, double *value)
{
    double t;
    int rc = move_to(q, X, &t);
    for (int k = 0; k < q->algebraic && !rc; k++)
        value[k] = q->row_scale[k] * component(q, q->N, q->algebraic, k, q->f, 1);
    return rc;
}

/* ---- matrices ------------------------------------------------------------------------------- */

static int residual_at(void *context, double t, const double *x, double *r)
{
    equations *q = context;
    return eval_residual(q->e, t, x, q->w, r);
}

/* q->J = (f - A w)_x, by central differences where it is not given, and q->f_t. */
static int find_jacobian(equations *q, double t)
{
    evaluator *e = q->e;
    difference d = {.value = residual_at, .context = q, .rows = q->n, .size = q->n, .t = t,
                    .x = q->x, .moved = q->moved, .one = q->f_t};
    matrix_zero(&q->J);
    e->counting = COUNT_FOR_JACOBIAN;
    int rc = e->differences ? 2 : e->problem->ops->jacobian(e, t, q->x, q->w, &q->J);
    if (rc == 2) {
        difference_columns c = {.order = DIFFERENCE_ORDER, .colors = &q->colors, .sum = q->sum,
                                .delta = q->delta, .matrix = &q->J, .reach = q->unit};
        matrix_zero(&q->J);
        rc = difference_matrix(&d, &c);
    }
    stencil line = time_stencil(e, t, 1, DIFFERENCE_ORDER,
                                central_increment(1, DIFFERENCE_ORDER, q->unit[q->n]));
    d.one = q->sum;
    if (!rc) rc = difference_along(&d, &line, 1, NULL, q->f_t);
    e->counting = COUNT_RHS;
    return rc;
}

/* q->w := (P^T A)^T v with (P^T A)(P^T A)^T v = P^T f: A w = f where g2 = 0. */
static int find_rate(equations *q)
{
    int n = q->n, r = q->rank;
    double *v = q->sum;
    if (q->constant || r == 0) return 0;         /* A w does not depend on x */
    for (int k = 0; k < r; k++) {
        v[k] = component(q, q->P, r, k, q->f, 1);
        for (int j = 0; j < n; j++) q->rows[k * n + j] = component(q, q->P, r, k, q->A + j, n);
    }
    for (int k = 0; k < r; k++)
        for (int l = 0; l < r; l++) {
            q->square[k * r + l] = 0;
            for (int j = 0; j < n; j++)
                q->square[k * r + l] += q->rows[k * n + j] * q->rows[l * n + j];
        }
    if (dense_factor(r, q->square, q->pivot)) return RANK_CHANGED;
    dense_solve(r, q->square, q->pivot, v);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < r; k++) q->w[j] += q->rows[k * n + j] * v[k];
    return 0;
}

int equations_matrix(equations *q, const double *X, double *K)
{
    double t;
    int n = q->n, m = q->algebraic, r = q->rank, rc = move_to(q, X, &t);
    if (!rc) rc = find_rate(q);
    if (!rc) rc = find_jacobian(q, t);
    if (rc) return rc;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) q->square[i * n + j] = matrix_get(&q->J, i, j);
    for (int k = 0; k < n; k++) {
        int algebraic = k < m, columns = algebraic ? m : r, at = algebraic ? k : k - m;
        const double *basis = algebraic ? q->N : q->P, *matrix = algebraic ? q->square : q->A;
        double *row = K + k * (n + 1), scale = q->row_scale[k];
        for (int j = 0; j < n; j++)
            row[j] = scale * q->unit[j] * component(q, basis, columns, at, matrix + j, n);
        row[n] = scale * q->unit[n] * (algebraic ? component(q, basis, columns, at, q->f_t, 1)
                                                 : -component(q, basis, columns, at, q->f, 1));
    }
    return 0;
}

int equations_anchor(equations *q, const double *X, double *K)
{
    double t;
    int n = q->n, rc = move_to(q, X, &t);
    if (rc) return rc;
    if (!q->constant) {
        orthonormalize(n, q->algebraic, q->N);
        orthonormalize(n, q->rank, q->P);
        keep_bases(q);
    }
    for (int k = 0; k < n; k++) q->row_scale[k] = 1;
    rc = equations_matrix(q, X, K);
    for (int k = 0; k < n && !rc; k++) {
        double *row = K + k * (n + 1), sum = 0;
        for (int j = 0; j <= n; j++) sum += row[j] * row[j];
        if (!(sum > 0)) continue;
        q->row_scale[k] = 1 / sqrt(sum);
        for (int j = 0; j <= n; j++) row[j] *= q->row_scale[k];
    }
    return rc;
}
