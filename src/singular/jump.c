#include "singular/jump.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double
    behind = 1e-3,               /* of the impasse point, where stability is judged        */
    beyond = 1e-4,               /* of it, where the fibre begins                          */
    critical = 10,               /* G~: the smallest singular value, times the largest one */
    accuracy = 1e-3,             /* of the flow: it must find the right branch, no more, ...  */
    share = 0.05,                /* ... but leave the impasse point in the right direction */
    stationary = 1e-6,           /* Newton's update where the flow has ended               */
    bounds = 1e6,                /* of z in units of X                                     */
    kernel_rank = 1e-10, kept = 1e-8;

enum { STEPS_MOST = 5000, NEWTON_MOST = 20, BLOCK = 32 };

void jump_layout(arena *a, jump *j, const keel_problem *p)
{
    size_t n = (size_t)p->n, size = n + 1;
    double **squares[] = {&j->V, &j->C, &j->G, &j->product, &j->factors, &j->left, &j->right};
    for (int k = 0; k < 7; k++) *squares[k] = ARENA(a, double, n * n);
    double **vectors[] = {&j->z, &j->whole, &j->halves, &j->rate, &j->value, &j->X, &j->origin};
    for (int k = 0; k < 7; k++) *vectors[k] = ARENA(a, double, 2 * size);
    j->work_length = (BLOCK + 8) * (int)size;
    j->work = ARENA(a, double, j->work_length);
    j->pivot = ARENA(a, int, size);
}

/* ---- the flow ------------------------------------------------------------------------------- */

/* V, in units of X, from A as the equations have it. */
static int find_kernel(equations *q, double *V)
{
    int n = q->n, m = q->algebraic;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) q->square[k * n + i] = q->A[i * n + k] * q->unit[k];
    return null_rows(q->work, n, n, q->square, kernel_rank, m, V) == m ? 0 : JUMP_TURNS;
}

static void place(jump *j, const equations *q, const double *z)
{
    int n = q->n, m = q->algebraic;
    memcpy(j->X, j->origin, (size_t)(n + 1) * sizeof *j->X);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) j->X[i] += j->V[i * m + k] * z[k];
}

/* j->G = Dg2 V at X. */
static int find_slope(jump *j, curve *c, const double *X)
{
    int n = c->chart.q.n, m = c->chart.q.algebraic;
    int rc = equations_matrix(&c->chart.q, X, c->chart.K);
    for (int i = 0; i < m && !rc; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int l = 0; l < n; l++) sum += c->chart.K[i * (n + 1) + l] * j->V[l * m + k];
            j->G[i * m + k] = sum;
        }
    return rc;
}

static void multiply(int m, const double *a, const double *b, int columns, double *to)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < columns; k++) {
            double sum = 0;
            for (int l = 0; l < m; l++) sum += a[i * m + l] * b[l * columns + k];
            to[i * columns + k] = sum;
        }
}

/* j->rate = C g2 at z. */
static int find_rate(jump *j, curve *c, const double *z)
{
    place(j, &c->chart.q, z);
    int rc = equations_value(&c->chart.q, j->X, j->value);
    if (!rc) multiply(c->chart.q.algebraic, j->C, j->value, 1, j->rate);
    return rc;
}

/* The largest real part of the eigenvalues of C G, or of its transpose, and the smallest; NAN
 * without an answer. */
static void spectrum(jump *j, int m, double *largest, double *smallest)
{
    double *re = j->whole, *im = j->halves;
    multiply(m, j->C, j->G, m, j->factors);
    *largest = *smallest = NAN;
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', m, j->factors, m, re, im, NULL, m, NULL, m,
                           j->work, j->work_length)) return;
    *largest = -INFINITY, *smallest = INFINITY;
    for (int k = 0; k < m; k++) {
        *largest = fmax(*largest, re[k]);
        *smallest = fmin(*smallest, re[k]);
    }
}

/* ---- C -------------------------------------------------------------------------------------- */

/* C = -G~^-1 = -V_R S~^-1 V_L^T */
static int inverse_slope(jump *j, int m)
{
    double *singular = j->rate;
    memcpy(j->factors, j->G, (size_t)m * (size_t)m * sizeof *j->G);
    /* Rows are columns for LAPACK: it finds G^T = V_R S V_L^T. */
    if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', m, m, j->factors, m, singular, j->right, m,
                            j->left, m, j->work, j->work_length)) return JUMP_NOWHERE;
    singular[m - 1] = critical * singular[0];
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int l = 0; l < m; l++)
                sum -= j->right[l * m + i] / singular[l] * j->left[k * m + l];
            j->C[i * m + k] = sum;
        }
    return 0;
}

/* With j->G of the branch that ended. */
static int choose_flow(jump *j, const equations *q)
{
    int n = q->n, m = q->algebraic;
    double largest, smallest;
    if (q->general && m > 1) return inverse_slope(j, m);
    memset(j->C, 0, (size_t)m * (size_t)m * sizeof *j->C);
    for (int k = 0; k < m; k++)
        j->C[k * m + k] = 1 / (q->row_scale[k] * (q->general ? 1 : q->unit[n - m + k]));
    spectrum(j, m, &largest, &smallest);
    if (largest < 0) return 0;
    for (int k = 0; k < m && smallest > 0; k++) j->C[k * m + k] *= -1;
    return smallest > 0 ? 0 : inverse_slope(j, m);
}

/* Semi-explicit: V is the unit vectors of z, so that C = +-I means what it says. */
static int begin(jump *j, curve *c)
{
    equations *q = &c->chart.q;
    int n = q->n, m = q->algebraic, rc = 0;
    double error;
    if (q->general) rc = find_kernel(q, j->V);
    else {
        memset(j->V, 0, (size_t)n * (size_t)m * sizeof *j->V);
        for (int k = 0; k < m; k++) j->V[(n - m + k) * m + k] = 1;
    }
    memcpy(j->origin, c->X, (size_t)(n + 1) * sizeof *j->origin);
    if (!rc) rc = curve_attempt(c, -behind, &error);
    if (!rc) rc = find_slope(j, c, c->trial);
    return rc ? rc : choose_flow(j, q);
}

/* ---- the way -------------------------------------------------------------------------------- */

/* I - h C G, factored. */
static int factor(jump *j, int m, double h)
{
    for (int i = 0; i < m * m; i++) j->factors[i] = -h * j->product[i];
    for (int i = 0; i < m; i++) j->factors[i * m + i] += 1;
    return dense_factor(m, j->factors, j->pivot) ? JUMP_NOWHERE : 0;
}

/* to := from + h (I - h C G)^-1 C g2(from) */
static int euler(jump *j, curve *c, double h, const double *from, double *to)
{
    int m = c->chart.q.algebraic, rc = find_rate(j, c, from);
    if (rc) return rc;
    dense_solve(m, j->factors, j->pivot, j->rate);
    for (int k = 0; k < m; k++) to[k] = from[k] + h * j->rate[k];
    return 0;
}

static double distance(int m, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < m; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

static double size_of(int m, const double *z)
{
    double most = 0;
    for (int k = 0; k < m; k++) most = fmax(most, fabs(z[k]));
    return most;
}

/* One step of size *h in tau, which is then the next one's. */
static int flow_step(jump *j, curve *c, double *h)
{
    int m = c->chart.q.algebraic;
    double *middle = j->halves + c->chart.size, size = size_of(m, j->z);
    double allowed = fmin(accuracy * (1 + size), share * size);
    int rc = factor(j, m, *h);
    if (!rc) rc = euler(j, c, *h, j->z, j->whole);
    if (!rc) rc = factor(j, m, *h / 2);
    if (!rc) rc = euler(j, c, *h / 2, j->z, middle);
    if (!rc) rc = euler(j, c, *h / 2, middle, j->halves);
    if (rc < 0) return rc;
    double error = rc ? INFINITY : distance(m, j->whole, j->halves);
    if (!(error <= allowed)) {
        *h *= rc ? 0.2 : fmax(0.1, 0.8 * sqrt(allowed / error));
        return JUMP_NOWHERE;
    }
    for (int k = 0; k < m; k++) j->z[k] = 2 * j->halves[k] - j->whole[k];
    *h *= fmin(5, 0.8 * sqrt(allowed / fmax(error, 1e-30)));
    return size_of(m, j->z) > bounds ? JUMP_UNBOUNDED : 0;
}

/* Newton's update at z: how far the end is. */
static int update(jump *j, curve *c, double *size)
{
    int m = c->chart.q.algebraic, rc;
    place(j, &c->chart.q, j->z);
    rc = find_slope(j, c, j->X);
    if (!rc) rc = find_rate(j, c, j->z);
    if (rc) return rc;
    multiply(m, j->C, j->G, m, j->product);
    memcpy(j->factors, j->product, (size_t)m * (size_t)m * sizeof *j->factors);
    *size = INFINITY;
    if (dense_factor(m, j->factors, j->pivot)) return 0;
    dense_solve(m, j->factors, j->pivot, j->rate);
    *size = 0;
    for (int k = 0; k < m; k++) *size = fmax(*size, fabs(j->rate[k]));
    return 0;
}

static int is_stable(jump *j, int m)
{
    double largest, smallest;
    spectrum(j, m, &largest, &smallest);
    return largest < 0;
}

/* Newton's method to rounding. */
static int polish(jump *j, curve *c)
{
    int m = c->chart.q.algebraic;
    double size, before = INFINITY;
    for (int k = 0; k < NEWTON_MOST; k++) {
        int rc = update(j, c, &size);
        if (rc) return rc;
        if (!(size < before)) break;
        for (int i = 0; i < m; i++) j->z[i] -= j->rate[i];
        before = size;
    }
    place(j, &c->chart.q, j->z);
    return before < stationary && is_stable(j, m) ? 0 : JUMP_NOWHERE;
}

/* Does A still have the kernel V? */
static int is_kernel(jump *j, curve *c)
{
    equations *q = &c->chart.q;
    int n = q->n, m = q->algebraic;
    double most = 0, size = 0;
    for (int i = 0; i < n && !q->constant; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int l = 0; l < n; l++) {
                sum += q->A[i * n + l] * q->unit[l] * j->V[l * m + k];
                size = fmax(size, fabs(q->A[i * n + l] * q->unit[l]));
            }
            most = fmax(most, fabs(sum));
        }
    return most <= kept * size;
}

int jump_along(jump *j, curve *c)
{
    equations *q = &c->chart.q;
    int n = q->n, m = q->algebraic, rc = begin(j, c);
    if (rc) return rc;
    for (int k = 0; k < m; k++) {
        j->z[k] = 0;
        for (int i = 0; i < n; i++) j->z[k] += beyond * j->V[i * m + k] * c->T[i];
    }
    double size, h = 0, left = 0;
    for (int k = 0; k < STEPS_MOST; k++) {
        rc = update(j, c, &size);
        for (int i = 0; i < m * m && h == 0; i++) left = fmax(left, fabs(j->product[i]));
        if (h == 0) h = 0.1 / fmax(left, DBL_MIN);
        if (rc < 0) return rc;
        if (!rc && size < stationary && is_stable(j, m)) {
            rc = polish(j, c);
            return rc ? rc : is_kernel(j, c) ? 0 : JUMP_TURNS;
        }
        if (!rc) rc = flow_step(j, c, &h);
        if (rc < 0 || rc == JUMP_UNBOUNDED) return rc;
        if (!(h > 0) || !isfinite(h)) break;
    }
    return JUMP_NOWHERE;
}
