/* multivalue.c -- from the coefficients of a general linear method to what the integrator runs. */
#include "method/multivalue.h"

#include <math.h>
#include <string.h>

#include "linear/small.h"
#include "method/general_linear.h"
#include "method/principal.h"
#include "method/real.h"
#include "method/spectrum.h"

enum { VALUES = KEEL_VALUES_MOST };

static const double readable_to = 1e-10;         /* of what W allows to read, beside rounding */

void multivalue_layout(arena *a, multivalue_method *m, int s, int r, int order)
{
    m->A = ARENA(a, double, s * s);
    m->U = ARENA(a, double, s * r);
    m->B = ARENA(a, double, r * s);
    m->V = ARENA(a, double, r * r);
    m->c = ARENA(a, double, s);
    m->readout = ARENA(a, double, (order + 1) * r);
    m->readout_algebraic = ARENA(a, double, (order + 1) * r);
    m->estimate = ARENA(a, double, s);
    m->lead = ARENA(a, double, s);
    m->phi = ARENA(a, double, r);
    ARENA_KEEP(a, m, s, ratio_most);
    ARENA_LINKS(a, m, A, phi);                   /* the one in use may be a copy of another */
}

/* x of least norm with T x = e_wanted, T [columns r], as T^T = Q R in q and R: x = Q R^-T e_wanted. */
static void least_norm(int columns, int r, const double *q, const double *R, int wanted, double *x)
{
    double u[VALUES];
    memset(x, 0, (size_t)r * sizeof *x);
    for (int k = wanted; k < columns; k++) {     /* 0 before */
        u[k] = k == wanted;
        for (int j = wanted; j < k; j++) u[k] -= R[j * columns + k] * u[j];
        u[k] /= R[k * columns + k];
        for (int i = 0; i < r; i++) x[i] += u[k] * q[k * r + i];
    }
}

/* T^T = Q R by Gram and Schmidt, twice, for rows of T that are far from dependent: else 0. */
static int orthogonal_rows(int columns, int r, const double *T, double *q, double *R)
{
    static const double independent = 1e-6;
    for (int k = 0; k < columns; k++) {
        double *row = q + k * r, length = 0, left = 0;
        for (int i = 0; i < r; i++) row[i] = T[k * r + i], length += row[i] * row[i];
        for (int j = 0; j < k; j++) R[j * columns + k] = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++) {
                double part = 0;
                for (int i = 0; i < r; i++) part += q[j * r + i] * row[i];
                for (int i = 0; i < r; i++) row[i] -= part * q[j * r + i];
                R[j * columns + k] += part;
            }
        for (int i = 0; i < r; i++) left += row[i] * row[i];
        if (!(left > independent * independent * length)) return 0;
        R[k * columns + k] = sqrt(left);
        for (int i = 0; i < r; i++) row[i] /= sqrt(left);
    }
    return 1;
}

/* The first `columns` powers of h in values that are to be `used`, and zeros, transposed. */
typedef struct readable {
    int columns, r, independent; /* those of q and R below, if ...                         */
    double T[VALUES * VALUES], q[VALUES * VALUES], R[VALUES * VALUES];
} readable;

static void prepare_readout(const keel_general_linear *g, int columns, const int *used, readable *w)
{
    int r = w->r = g->values, width = g->order + 1;
    w->columns = columns;
    for (int k = 0; k < columns; k++)
        for (int i = 0; i < r; i++) w->T[k * r + i] = used[i] ? g->W[i * width + k] : 0;
    w->independent = orthogonal_rows(columns, r, w->T, w->q, w->R);
}

/* Row `wanted` of the readout: x W = e_wanted, x of least norm.  0: there is none. */
static int read_derivative(const readable *w, int wanted, double *x)
{
    int r = w->r;
    double unit[VALUES] = {0}, worst = 0;
    unit[wanted] = 1;
    if (w->independent) least_norm(w->columns, r, w->q, w->R, wanted, x);
    else if (small_least_squares(w->columns, r, w->T, unit, 1e-12, x)) return 0;
    for (int k = 0; k < w->columns; k++) {
        double sum = k == wanted ? -1 : 0;
        for (int i = 0; i < r; i++) sum += x[i] * w->T[k * r + i];
        worst = fmax(worst, fabs(sum));
    }
    return worst <= readable_to;
}

/* The value that is h^k y^(k) itself, or -1. */
static int carried_as(const keel_general_linear *g, int wanted)
{
    int width = g->order + 1;
    for (int i = 0; i < g->values; i++) {
        int same = 1;
        for (int k = 0; k < width && same; k++) same = g->W[i * width + k] == (k == wanted);
        if (same) return i;
    }
    return -1;
}

/* Rows of the readout from the values to be used; returns how many. */
static int read_derivatives(const keel_general_linear *g, int columns, const int *used,
                            double *rows)
{
    int r = g->values, k = 0;
    readable w;
    prepare_readout(g, columns, used, &w);
    for (; k < columns; k++) {
        int own = carried_as(g, k);
        if (own < 0 || !used[own]) {
            if (!read_derivative(&w, k, rows + k * r)) break;
            continue;
        }
        for (int i = 0; i < r; i++) rows[k * r + i] = i == own;
    }
    return k;
}

/* Slopes of algebraic unknowns are not to be relied upon: their past values are, where there are
 * such. */
static int make_readouts(const keel_general_linear *g, multivalue_method *m)
{
    int all[VALUES], values[VALUES], count = 0, width = g->order + 1;
    for (int i = 0; i < g->values; i++) {
        all[i] = 1;
        count += values[i] = g->W[i * width] != 0;
    }
    m->readable = read_derivatives(g, width, all, m->readout);
    m->readable_algebraic = read_derivatives(g, count < width ? count : width, values,
                                             m->readout_algebraic);
    return m->readable > 0 && m->readable_algebraic > 0 ? KEEL_OK : KEEL_UNSUPPORTED;
}

/* out [rows cols] := X [rows n] Y [n cols] */
static void matrix_product(int rows, int n, int cols, const double *X, const double *Y,
                           double *out)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += X[i * n + k] * Y[k * cols + j];
            out[i * cols + j] = sum;
        }
}

/* Carries h^k y^(k) instead of what it did: U := U W, B := W^-1 B, V := W^-1 V W. */
static void make_nordsieck(multivalue_method *m, const double *W)
{
    double left[VALUES * VALUES], work[VALUES * VALUES];
    int s = m->s, r = m->r;
    memcpy(left, m->readout, (size_t)(r * r) * sizeof *left);
    matrix_product(s, r, r, m->U, W, work);
    memcpy(m->U, work, (size_t)(s * r) * sizeof *work);
    matrix_product(r, r, s, left, m->B, work);
    memcpy(m->B, work, (size_t)(r * s) * sizeof *work);
    matrix_product(r, r, r, left, m->V, work);
    matrix_product(r, r, r, work, W, m->V);
}

/* y_k / k! instead of y_k. */
static void use_factorials(multivalue_method *m)
{
    for (int k = 0; k < m->r; k++) {
        double f = factorial(k);
        for (int i = 0; i < m->s; i++) m->U[i * m->r + k] *= f;
        for (int i = 0; i < m->s; i++) m->B[k * m->s + i] /= f;
        for (int j = 0; j < m->r; j++) m->V[j * m->r + k] *= f;
        for (int j = 0; j < m->r; j++) m->V[k * m->r + j] /= f;
    }
}

static void identity_readout(multivalue_method *m)
{
    int rows = m->readable = m->readable_algebraic = m->r <= m->order ? m->r : m->order + 1;
    size_t bytes = (size_t)(rows * m->r) * sizeof *m->readout;
    memset(m->readout, 0, bytes);
    for (int k = 0; k < rows; k++) m->readout[k * m->r + k] = 1;
    memcpy(m->readout_algebraic, m->readout, bytes);
}

/* Of methods that carry the Nordsieck vector, all that variable steps are taken with. */
static double error_constant(const multivalue_method *m, const keel_general_linear *g)
{
    double u[VALUES];
    if (!m->nordsieck || m->r != m->order + 1) return NAN;
    preconsistency_vector(g, u);
    return principal_error(g, u, m->order);
}

int multivalue_of(const keel_method *method, multivalue_method *m)
{
    const keel_general_linear *g = &method->general;
    int s = m->s = g->stages, r = m->r = g->values;
    m->order = g->order;
    m->stiffly_accurate = method->stiffly_accurate;
    memcpy(m->A, g->A, (size_t)(s * s) * sizeof *m->A);
    memcpy(m->U, g->U, (size_t)(s * r) * sizeof *m->U);
    memcpy(m->B, g->B, (size_t)(r * s) * sizeof *m->B);
    memcpy(m->V, g->V, (size_t)(r * r) * sizeof *m->V);
    memcpy(m->c, g->c, (size_t)s * sizeof *m->c);
    m->diagonal = lower_triangular(s, m->A);
    m->nordsieck = !g->W;
    if (g->W && (m->order >= VALUES || make_readouts(g, m))) return KEEL_UNSUPPORTED;
    int formula = method->multistep.steps > 0;   /* its values have to stay what they are */
    if (g->W && !formula && r == m->order + 1 && m->readable == r) {
        make_nordsieck(m, g->W);
        m->nordsieck = 1;
    }
    for (int k = 0; k <= m->order && !m->nordsieck; k++)           /* h^k y^(k) / k! */
        for (int i = 0; i < r; i++) {
            m->readout[k * r + i] /= factorial(k);
            m->readout_algebraic[k * r + i] /= factorial(k);
        }
    if (m->nordsieck) {
        use_factorials(m);
        identity_readout(m);
    }
    m->error_constant = method->facts ? method->facts->error_constant : error_constant(m, g);
    m->principal = factorial(m->order);
    principal_errors(m, g->stage_order, method->facts ? method->facts->ratio_most : 0);
    return KEEL_OK;
}

/* ---- BDF ----------------------------------------------------------------------------------- */

static double harmonic(int q)
{
    return q < 1 ? 0 : 1.0 / q + harmonic(q - 1);
}

/* l(x) in ascending powers; *last: 1/xi_q; returns sum_(i<q) 1/xi_i. */
static double bdf_polynomial(int q, double h, const double *past, int known, double *l,
                             double *last)
{
    double distance = h, sum = 0;
    memset(l, 0, (size_t)(q + 1) * sizeof *l);
    l[0] = 1;
    *last = 1;
    for (int i = 1; i <= q; i++) {
        double inverse = h / distance, factor = inverse;
        if (i == q) *last = inverse, factor = harmonic(q) - sum;
        else sum += inverse;
        for (int k = i; k > 0; k--) l[k] += factor * l[k - 1];
        distance += i <= known ? past[i - 1] : h;
    }
    return sum;
}

void bdf_follow(multivalue_method *m, int q, double h, const double *past, int known)
{
    double l[VALUES], last;
    double sum = bdf_polynomial(q, h, past, known, l, &last), binomial;
    int r = q + 1;
    m->s = 1, m->r = r, m->order = q;
    m->nordsieck = m->diagonal = m->stiffly_accurate = 1;
    m->A[0] = 1 / l[1];
    m->c[0] = 1;
    for (int k = 0; k < r; k++) {
        m->U[k] = 1 - k / l[1];
        m->B[k] = l[k] / l[1];
        binomial = 1;
        for (int j = 0; j < r; j++) {            /* binom(k, j) */
            m->V[j * r + k] = binomial - l[j] / l[1] * k;
            binomial = binomial * (k - j) / (j + 1);
        }
    }
    identity_readout(m);
    /* Local error of the formula over e [Jackson & Sacks-Davis 1980], and what e would be with
     * equal steps, h^(q+1) y^(q+1). */
    double leading = harmonic(q), shift = 1 + sum + last - leading;
    double per_e = fabs(shift / (leading * (1 + q * shift)));
    m->error_constant = 1 / ((q + 1) * leading);
    m->principal = per_e / m->error_constant / l[q];
}
