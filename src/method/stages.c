/* stages.c -- what implicit stages need of a tableau: A^-1 and its eigenvalues.
 *
 * An explicit first stage (Lobatto IIIA, ESDIRK) has Y_1 = y_n and slope y'_n.  With A^ = (a_ij) and
 * a = (a_i1), i, j >= 2,
 *     Z = h A^ Y' + h a y'_n,   so   Y' = h^-1 A^-1 Z + slope y'_n,   slope = -A^-1 a,
 *     y_(n+1) = y_n + (b^T A^-1) Z + h (b_1 - b^T A^-1 a) y'_n.
 *
 * Diagonally implicit methods solve stage by stage and need one real system for each different a_ii;
 * all others are transformed, see method.h.
 */
#include "method/method.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linear/linear.h"
#include "linear/small.h"

enum { N = STAGES_MAX };

/* T with a larger product |T| |T^-1| than this would spoil Newton's method: A is (nearly) defective. */
static const double condition_most = 1e10;

typedef struct stage_data {
    int s, reals, pairs;
    double c[N], b[N], first[N];             /* first: a_i1 of the explicit stage, or 0     */
    double A[N * N], A_inv[N * N], T[N * N], T_inv[N * N];
    double gamma, real[N], alpha[N], beta[N];
    double at_zero[N], at_one[N], error[N], b_A_inv[N], slope[N];
    double error_slope, b_slope;
    int slot[N], nodes;                      /* different ones                              */
} stage_data;

static int invert(int s, const double *a, double *inverse)
{
    double lu[N * N], column[N];
    int pivot[N];
    memcpy(lu, a, (size_t)(s * s) * sizeof *lu);
    if (dense_factor(s, lu, pivot)) return KEEL_SINGULAR;
    for (int j = 0; j < s; j++) {
        for (int i = 0; i < s; i++) column[i] = i == j;
        dense_solve(s, lu, pivot, column);
        for (int i = 0; i < s; i++) inverse[i * s + j] = column[i];
    }
    return KEEL_OK;
}

/* x^T A^-1 */
static void times_inverse(const stage_data *d, const double *x, double *product)
{
    for (int j = 0; j < d->s; j++) {
        product[j] = 0;
        for (int i = 0; i < d->s; i++) product[j] += x[i] * d->A_inv[i * d->s + j];
    }
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* ---- eigenvalues --------------------------------------------------------------------------- */

/* One slot for each different diagonal element. */
static void diagonal_slots(stage_data *d)
{
    for (int i = 0; i < d->s; i++) {
        double gamma = 1 / d->A[i * d->s + i];
        int k = 0;
        while (k < d->reals && fabs(d->real[k] - gamma) > 4 * DBL_EPSILON * fabs(gamma)) k++;
        if (k == d->reals) d->real[d->reals++] = gamma;
        d->slot[i] = k;
    }
    d->gamma = d->real[d->slot[0]];
}

/* Columns of T: v for a real eigenvalue, Re v and -Im v for alpha + i beta; v NULL: T is known. */
static void sort_eigenvalues(stage_data *d, const double *re, const double *im, const double *v)
{
    int s = d->s;
    for (int k = 0; k < s; k++) d->reals += im[k] == 0;
    d->pairs = (s - d->reals) / 2;
    for (int k = 0, real = 0, pair = 0; k < s; k++) {
        int column = im[k] == 0 ? real : d->reals + 2 * pair;
        for (int i = 0; v && i < s; i++) {
            d->T[i * s + column] = v[i * s + k];
            if (im[k] != 0) d->T[i * s + column + 1] = -v[i * s + k + 1];
        }
        if (im[k] == 0) d->real[real++] = re[k];
        else d->alpha[pair] = re[k], d->beta[pair++] = im[k], k++;
    }
}

static int eigensystem(stage_data *d, const double *known)
{
    int s = d->s;
    double re[N], im[N], v[N * N];
    if (known) {
        memcpy(d->T, known, (size_t)(s * s) * sizeof *d->T);
        memcpy(d->T_inv, known + s * s, (size_t)(s * s) * sizeof *d->T_inv);
        memcpy(re, known + 2 * s * s, (size_t)s * sizeof *re);
        memcpy(im, known + 2 * s * s + s, (size_t)s * sizeof *im);
    } else if (small_eigenvalues(s, d->A_inv, re, im, v)) {
        return KEEL_UNSUPPORTED;
    }
    sort_eigenvalues(d, re, im, known ? NULL : v);
    if (!known && invert(s, d->T, d->T_inv)) return KEEL_UNSUPPORTED;
    double T = 0, T_inv = 0, mean = 0;
    for (int k = 0; k < s * s; k++) T = fmax(T, fabs(d->T[k])), T_inv = fmax(T_inv, fabs(d->T_inv[k]));
    for (int k = 0; k < s; k++) mean += log(hypot(re[k], im[k])) / s;
    d->gamma = d->reals ? d->real[0] : exp(mean);
    return T * T_inv < condition_most ? KEEL_OK : KEEL_UNSUPPORTED;
}

/* ---- weights ------------------------------------------------------------------------------- */

/* Is stage i the last one at its node? */
static int represents(const stage_data *d, int i)
{
    for (int j = i + 1; j < d->s; j++)
        if (fabs(d->c[i] - d->c[j]) < 1e-10) return 0;
    return 1;
}

/* w_i with sum_i w_i p(c_i) = p(x) for polynomials of a degree below the number of different nodes,
 * which is returned; of several stages at a node the last one counts. */
static int weights_at(const stage_data *d, double x, double *w)
{
    int count = 0;
    for (int i = 0; i < d->s; i++) {
        w[i] = represents(d, i);
        count += represents(d, i);
        for (int j = 0; j < d->s && w[i] != 0; j++)
            if (j != i && represents(d, j)) w[i] *= (x - d->c[j]) / (d->c[i] - d->c[j]);
    }
    return count;
}

/* The two estimates of the local error: with embedded weights, or f(y_n) against the stages. */
static void error_weights_of(stage_data *d, const keel_method *m)
{
    const keel_tableau *t = &m->tableau;
    int skip = m->explicit_first;
    double weight[N] = {0};
    for (int i = 0; i < d->s; i++)
        weight[i] = t->b_hat ? t->b[i + skip] - t->b_hat[i + skip] : d->at_zero[i];
    times_inverse(d, weight, d->error);
    d->error_slope = dot(d->s, weight, d->slope);
    if (t->b_hat && skip) d->error_slope += t->b[0] - t->b_hat[0];
}

static int compute(stage_data *d, const keel_method *m)
{
    const keel_tableau *t = &m->tableau;
    int all = t->stages, skip = m->explicit_first, s = d->s;
    for (int i = 0; i < s; i++) {
        d->c[i] = t->c[i + skip];
        d->b[i] = t->b[i + skip];
        d->first[i] = skip ? t->A[(i + 1) * all] : 0;
        for (int j = 0; j < s; j++) d->A[i * s + j] = t->A[(i + skip) * all + j + skip];
    }
    int rc = invert(s, d->A, d->A_inv);
    if (rc) return rc;
    if (m->kind == KEEL_METHOD_DIAGONAL) diagonal_slots(d);
    else rc = eigensystem(d, m->eigensystem);
    for (int i = 0; i < s; i++) d->slope[i] = -dot(s, d->A_inv + i * s, d->first);
    d->nodes = weights_at(d, 0, d->at_zero);
    for (int i = 0; i < s; i++) d->at_zero[i] = -d->at_zero[i];
    weights_at(d, 1, d->at_one);
    times_inverse(d, d->b, d->b_A_inv);
    d->b_slope = dot(s, d->b, d->slope) + (skip ? t->b[0] : 0);
    if (m->stiffly_accurate) {                   /* exactly */
        for (int i = 0; i < s; i++) d->b_A_inv[i] = i == s - 1;
        d->b_slope = 0;
    }
    error_weights_of(d, m);
    return rc;
}

static const double *copy(arena *a, int count, const double *x)
{
    double *out = ARENA(a, double, count);
    return out ? memcpy(out, x, (size_t)count * sizeof *x) : NULL;
}

/* Of what is below, no more than s stages are read. */
static void clear(stage_data *d, int s)
{
    double *const vectors[] = {d->real, d->alpha, d->beta, d->slope, d->error, d->b_A_inv,
                               d->at_zero, d->at_one};
    memset(d, 0, offsetof(stage_data, c));
    d->s = s;
    d->gamma = d->error_slope = d->b_slope = d->nodes = 0;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        memset(vectors[k], 0, (size_t)s * sizeof **vectors);
    memset(d->slot, 0, (size_t)s * sizeof *d->slot);
    memset(d->A_inv, 0, (size_t)(s * s) * sizeof *d->A_inv);
    memset(d->T, 0, (size_t)(s * s) * sizeof *d->T);
    memset(d->T_inv, 0, (size_t)(s * s) * sizeof *d->T_inv);
}

int stage_method_of(arena *a, const keel_method *m, stage_method *method)
{
    stage_data d;
    int s = m->tableau.stages - m->explicit_first, rc = KEEL_OK;
    if (s < 1 || s > STAGES_MAX || !kind_is_implicit(m->kind) || !m->tableau.A)
        return KEEL_UNSUPPORTED;
    clear(&d, s);
    if (a->base) rc = compute(&d, m);
    *method = (stage_method){
        .s = s, .order = m->tableau.order, .stage_order = m->stage_order,
        .diagonal = m->kind == KEEL_METHOD_DIAGONAL, .stiffly_accurate = m->stiffly_accurate,
        .embedded = m->tableau.b_hat != NULL,
        .estimate_order = m->tableau.b_hat ? m->tableau.order_hat : d.nodes,
        .explicit_first = m->explicit_first, .reals = d.reals, .pairs = d.pairs,
        .gamma = d.gamma, .error_slope = d.error_slope, .b_slope = d.b_slope};
    method->c = copy(a, s, d.c);
    method->b = copy(a, s, d.b);
    method->A = copy(a, s * s, d.A);
    method->A_inv = copy(a, s * s, d.A_inv);
    method->real = copy(a, s, d.real);
    method->alpha = copy(a, s, d.alpha);
    method->beta = copy(a, s, d.beta);
    method->T = copy(a, s * s, d.T);
    method->T_inv = copy(a, s * s, d.T_inv);
    method->at_zero = copy(a, s, d.at_zero);
    method->at_one = copy(a, s, d.at_one);
    method->error = copy(a, s, d.error);
    method->b_A_inv = copy(a, s, d.b_A_inv);
    method->slope = copy(a, s, d.slope);
    int *slot = ARENA(a, int, s);
    if (slot) memcpy(slot, d.slot, (size_t)s * sizeof *slot);
    method->slot = slot;
    for (int i = 0; i < s; i++) method->r_infinity -= d.b_A_inv[i];
    method->r_infinity += 1;
    return rc;
}
