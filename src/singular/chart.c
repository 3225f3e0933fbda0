#include "singular/chart.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { NEWTON_MOST = 12, BLOCK = 32 };

static const double
    slow = 0.1,                  /* convergence of Newton's method that asks for a new matrix */
    rounding = 8 * DBL_EPSILON,  /* of X in its units: there the iteration ends            */
    stalled = 1e-10,             /* below it, an update that does not shrink is rounding   */
    vanishing = 1e-14;           /* |v|: the field has no direction                        */

void chart_layout(arena *a, chart *c, const keel_problem *p)
{
    size_t size = (size_t)p->n + 1;
    c->size = p->n + 1;
    equations_layout(a, &c->q, p);
    double **squares[] = {&c->K_c, &c->K, &c->Q, &c->C, &c->Dphi, &c->svd};
    for (int k = 0; k < 6; k++) *squares[k] = ARENA(a, double, size * size);
    c->bordered = ARENA(a, double, (size + 1) * (size + 1));
    double **vectors[] = {&c->centre, &c->tangent, &c->e, &c->c1, &c->c2, &c->value, &c->step,
                          &c->tau};
    for (int k = 0; k < 8; k++) *vectors[k] = ARENA(a, double, size);
    c->pair = ARENA(a, double, 2 * (size + 1));
    c->work_length = (BLOCK + 8) * (int)size;
    c->work = ARENA(a, double, c->work_length);
    c->pivot = ARENA(a, int, size + 1);
}

static double length_of(int size, const double *x)
{
    double sum = 0;
    for (int i = 0; i < size; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static double product(int size, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < size; i++) sum += x[i] * y[i];
    return sum;
}

/* Columns of Q, column by column in memory. */
static const double *column(const chart *c, int k) { return c->Q + (size_t)k * (size_t)c->size; }

/* Q of Dg2^T, whose columns are the first rows of K_c. */
static int find_basis(chart *c)
{
    int m = c->q.algebraic, size = c->size;
    memcpy(c->Q, c->K_c, (size_t)m * (size_t)size * sizeof *c->Q);
    if (m > 0 && LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, size, m, c->Q, size, c->tau, c->work,
                                     c->work_length)) return CHART_LOST;
    return LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, size, size, m, c->Q, size, c->tau, c->work,
                               c->work_length) ? CHART_LOST : 0;
}

/* ---- the chart ------------------------------------------------------------------------------ */

/* C = [Dg2; Q2^T], factored. */
static int factor_chart(chart *c)
{
    int size = c->size, m = c->q.algebraic;
    memcpy(c->C, c->K, (size_t)m * (size_t)size * sizeof *c->C);
    memcpy(c->C + m * size, column(c, m), (size_t)(size - m) * (size_t)size * sizeof *c->C);
    return dense_factor(size, c->C, c->pivot) ? CHART_LOST : 0;
}

/* Newton's method for g2(X) = 0 across the chart; K and C are renewed where it is slow. */
static int land(chart *c, double *X)
{
    int size = c->size, m = c->q.algebraic, rc = 0;
    double before = INFINITY;
    for (int k = 0; k < NEWTON_MOST && !rc; k++) {
        rc = equations_value(&c->q, X, c->step);
        if (rc) return rc;
        memset(c->step + m, 0, (size_t)(size - m) * sizeof *c->step);
        dense_solve(size, c->C, c->pivot, c->step);
        double moved = length_of(size, c->step), at = 1 + length_of(size, X);
        if (!isfinite(moved)) return CHART_LOST;
        if (moved >= before && moved <= stalled * at) return 0;
        for (int i = 0; i < size; i++) X[i] -= c->step[i];
        if (moved <= rounding * at) return 0;
        if (moved > slow * before) {
            rc = equations_matrix(&c->q, X, c->K);
            if (!rc) rc = factor_chart(c);
        }
        before = moved;
    }
    return rc ? rc : CHART_LOST;
}

int chart_point(chart *c, const double *y, double *X)
{
    int size = c->size, m = c->q.algebraic;
    memcpy(X, c->centre, (size_t)size * sizeof *X);
    for (int k = 0; k < size - m; k++)
        for (int i = 0; i < size; i++) X[i] += y[k] * column(c, m + k)[i];
    int rc = equations_matrix(&c->q, X, c->K);
    if (!rc) rc = factor_chart(c);
    if (!rc) rc = land(c, X);
    if (!rc) rc = equations_matrix(&c->q, X, c->K);
    return rc ? rc : factor_chart(c);
}

int chart_land(chart *c, double *X)
{
    int rc = equations_anchor(&c->q, X, c->K_c);
    if (!rc) rc = find_basis(c);
    memcpy(c->K, c->K_c, (size_t)c->q.n * (size_t)c->size * sizeof *c->K);
    if (!rc) rc = factor_chart(c);
    return rc ? rc : land(c, X);
}

void chart_project(const chart *c, const double *T, double *rate)
{
    for (int k = c->q.algebraic; k < c->size; k++)
        rate[k - c->q.algebraic] = product(c->size, column(c, k), T);
}

/* ---- the field ------------------------------------------------------------------------------ */

/* Dphi (size x (r+1)), column by column. */
static void find_derivative(chart *c)
{
    int size = c->size, m = c->q.algebraic;
    for (int k = 0; k < size - m; k++) {
        double *to = c->Dphi + (size_t)k * (size_t)size;
        memset(to, 0, (size_t)size * sizeof *to);
        to[m + k] = 1;
        dense_solve(size, c->C, c->pivot, to);
    }
}

/* e, c1, c2 from B_c = (rows of K_c below Dg2) Q2, whose columns are rows for LAPACK. */
static int find_border(chart *c)
{
    int r = c->q.rank, m = c->q.algebraic, size = c->size, wide = r + 1;
    double *B = c->bordered, *left = c->svd, *right = c->Dphi;
    for (int i = 0; i < r; i++)
        for (int k = 0; k < wide; k++)
            B[k * r + i] = product(size, c->K_c + (m + i) * size, column(c, m + k));
    if (r == 0) {
        c->c1[0] = 1;
        return 0;
    }
    if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', r, wide, B, r, c->tau, left, r, right, wide,
                            c->work, c->work_length)) return CHART_LOST;
    for (int i = 0; i < r; i++) c->e[i] = left[(r - 1) * r + i];
    for (int k = 0; k < wide; k++) {
        c->c1[k] = right[k * wide + r];
        c->c2[k] = right[k * wide + r - 1];
    }
    return 0;
}

/* v of (7.16), in c->pair. */
static int find_direction(chart *c)
{
    int r = c->q.rank, m = c->q.algebraic, size = c->size, wide = r + 2;
    double *S = c->bordered, *one = c->pair, *two = c->pair + wide;
    if (r == 0) {
        one[0] = 1;
        return 0;
    }
    memset(S, 0, (size_t)wide * (size_t)wide * sizeof *S);
    for (int i = 0; i < r; i++) {
        for (int k = 0; k <= r; k++)
            S[i * wide + k] = product(size, c->K + (m + i) * size, c->Dphi + k * size);
        S[i * wide + r + 1] = c->e[i];
    }
    memcpy(S + r * wide, c->c1, (size_t)(r + 1) * sizeof *S);
    memcpy(S + (r + 1) * wide, c->c2, (size_t)(r + 1) * sizeof *S);
    if (dense_factor(wide, S, c->pivot)) return CHART_LOST;
    memset(c->pair, 0, 2 * (size_t)wide * sizeof *c->pair);
    one[r] = two[r + 1] = 1;
    dense_solve(wide, S, c->pivot, one);
    dense_solve(wide, S, c->pivot, two);
    double z1 = one[r + 1], z2 = two[r + 1];
    for (int k = 0; k <= r; k++) one[k] = z2 * one[k] - z1 * two[k];
    return 0;
}

/* T at the last point, of either sign. */
static int find_tangent(chart *c, double *T)
{
    int size = c->size, wide = c->q.rank + 1;
    find_derivative(c);
    int rc = find_direction(c);
    if (rc) return rc;
    memset(T, 0, (size_t)size * sizeof *T);
    for (int k = 0; k < wide; k++)
        for (int i = 0; i < size; i++) T[i] += c->pair[k] * c->Dphi[k * size + i];
    double length = length_of(size, T);
    if (!(length > vanishing)) return CHART_LOST;
    for (int i = 0; i < size; i++) T[i] /= length;
    return 0;
}

static void turn(int size, double *T)
{
    for (int i = 0; i < size; i++) T[i] = -T[i];
}

int chart_tangent(chart *c, double *T)
{
    int rc = find_tangent(c, T);
    if (!rc && product(c->size, T, c->tangent) < 0) turn(c->size, T);
    return rc;
}

int chart_begin(chart *c, const double *X, const double *along)
{
    int size = c->size;
    double direction[CURVE_MOST + 1];
    if (along) memcpy(direction, along, (size_t)size * sizeof *direction);
    memcpy(c->centre, X, (size_t)size * sizeof *X);
    int rc = equations_anchor(&c->q, X, c->K_c);
    if (!rc) rc = find_basis(c);
    if (!rc) rc = find_border(c);
    memcpy(c->K, c->K_c, (size_t)c->q.n * (size_t)size * sizeof *c->K);
    if (!rc) rc = factor_chart(c);
    if (!rc) rc = find_tangent(c, c->tangent);
    if (rc) return rc;
    double ahead = along ? product(size, c->tangent, direction) : c->tangent[size - 1];
    if (ahead < 0) turn(size, c->tangent);
    return 0;
}
