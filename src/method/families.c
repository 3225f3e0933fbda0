/* families.c -- Runge-Kutta families generated to any number of stages.
 *
 * With nodes c_i and Legendre polynomials P_k on [0,1], the Lagrange polynomials of the nodes are
 * l_j = sum_(k<s) V^-1_kj P_k, V_ik = P_k(c_i), so that collocation [HNW93 II.7] is
 *     b_j = V^-1_0j,    a_ij = sum_(k<s) I_k(c_i) V^-1_kj,
 *     I_k(x) = int_0^x P_k = (P_(k+1) - P_(k-1)) / (2(2k+1)),  I_0 = x.
 * All nodes here are zeros of F = P_s - w P_(s-1) - v P_(s-2) [HW96 IV.5]:
 *     Gauss w = v = 0, Radau IIA w = 1, Radau IA w = -1, Lobatto w = 0, v = 1;
 * between two zeros of P_(s-1) lies exactly one of them.  From the collocation method,
 *     Radau IA      a_ij := b_j - b_j a_ji / b_i                      (it then obeys D(s)),
 *     Lobatto IIIC  a_ij := a_ij + (b_1 - a_i1) n_j / n_1,  n_j = b_j P_(s-1)(c_j),
 * where n is orthogonal to polynomials of degree s - 2, so that C(s-1) and a_i1 = b_1 hold.
 */
#include "method/known.h"
#include "method/real.h"

#include <math.h>
#include <string.h>

enum { N = STAGES_MAX, HALVINGS = 12, NEWTON = 8 };

typedef struct family_data {
    int s;
    real c[N], b[N];
    real_matrix P, A;                    /* P[i][k] = P_k(c_i), k < s */
} family_data;

typedef struct node_polynomial { int s; real w, v; } node_polynomial;

/* ---- nodes ------------------------------------------------------------------------------- */

/* F(x) and F'(x). */
static real node_value(const node_polynomial *f, real x, real *slope)
{
    real P[N + 1], D[N + 1];
    int s = f->s;
    legendre(s, x, P, D);
    *slope = D[s] - f->w * D[s - 1] - (f->v != 0 ? f->v * D[s - 2] : 0);
    return P[s] - f->w * P[s - 1] - (f->v != 0 ? f->v * P[s - 2] : 0);
}

/* The zero between left and right, where F changes its sign once: halving, then Newton, whose last
 * steps are rounding and may leave the halved interval. */
static real node_between(const node_polynomial *f, real left, real right)
{
    real slope, a = left, b = right;
    int rising = node_value(f, b, &slope) > 0;
    for (int k = 0; k < HALVINGS; k++) {
        real middle = (a + b) / 2;
        if ((node_value(f, middle, &slope) > 0) == rising) b = middle;
        else a = middle;
    }
    real x = (a + b) / 2;
    for (int k = 0; k < NEWTON; k++) {
        real step = node_value(f, x, &slope) / slope;
        if (x - step > left && x - step < right) x -= step;
    }
    return x;
}

/* Zeros of P_n from their asymptotic values cos((i + 3/4) pi / (n + 1/2)). */
static void legendre_zeros(int n, real *x)
{
    const double pi = 3.14159265358979323846;
    node_polynomial f = {.s = n};
    for (int i = 0; i < n; i++) {
        x[i] = 0.5 + 0.5 * cos((n - i - 0.25) * pi / (n + 0.5));
        for (int k = 0; k < NEWTON; k++) {
            real slope, value = node_value(&f, x[i], &slope);
            x[i] -= value / slope;
        }
    }
}

/* For |w| > 1 one zero lies outside [0,1], but |2x - 1| <= |w| there. */
static void nodes(const node_polynomial *f, real *c)
{
    int s = f->s;
    real zero[N] = {0}, reach = magnitude(f->w) / 2;
    if (s > 1) legendre_zeros(s - 1, zero);
    for (int i = 0; i < s; i++)
        c[i] = node_between(f, i > 0 ? zero[i - 1] : -reach, i < s - 1 ? zero[i] : 1 + reach);
    if (f->w == -1 || f->v == 1) c[0] = 0;
    if (f->w == 1 || f->v == 1) c[s - 1] = 1;
}

/* ---- coefficients ------------------------------------------------------------------------ */

/* A and b of collocation at d->c; KEEL_SINGULAR for equal nodes. */
static int collocation(family_data *d)
{
    int s = d->s;
    real_matrix V_inv, I;
    for (int i = 0; i < s; i++) {
        real P[N + 1], slope[N + 1];
        legendre(s, d->c[i], P, slope);
        I[i][0] = d->c[i];
        for (int k = 1; k < s; k++) I[i][k] = (P[k + 1] - P[k - 1]) / (2 * (2 * k + 1));
        memcpy(d->P[i], P, (size_t)s * sizeof *P);
    }
    int rc = real_invert(s, d->P, V_inv);
    if (rc) return rc;
    for (int j = 0; j < s; j++) {
        d->b[j] = V_inv[0][j];
        for (int i = 0; i < s; i++) {
            real sum = 0;
            for (int k = 0; k < s; k++) sum += I[i][k] * V_inv[k][j];
            d->A[i][j] = sum;
        }
    }
    return 0;
}

static void to_radau_ia(family_data *d)
{
    real_matrix A;
    memcpy(A, d->A, sizeof A);
    for (int i = 0; i < d->s; i++)
        for (int j = 0; j < d->s; j++) d->A[i][j] = d->b[j] - d->b[j] * A[j][i] / d->b[i];
}

static void to_lobatto_iiic(family_data *d)
{
    int s = d->s;
    real first = d->b[0] * d->P[0][s - 1];
    for (int i = 0; i < s; i++) {
        real lift = (d->b[0] - d->A[i][0]) / first;
        for (int j = 0; j < s; j++) d->A[i][j] += lift * d->b[j] * d->P[j][s - 1];
    }
}

/* What theory knows exactly: the first row of Lobatto IIIA, the last of stiffly accurate methods,
 * the first column of Radau IA and Lobatto IIIC. */
static void settle(family_data *d, family_kind family)
{
    int s = d->s;
    for (int j = 0; j < s; j++) {
        if (family == FAMILY_LOBATTO_IIIA) d->A[0][j] = 0;
        if (d->c[s - 1] == 1 && family != FAMILY_RADAU_IA) d->A[s - 1][j] = d->b[j];
        if (family == FAMILY_RADAU_IA || family == FAMILY_LOBATTO_IIIC) d->A[j][0] = d->b[0];
    }
}

static void round_off(const family_data *d, double *A, double *b)
{
    int s = d->s;
    for (int i = 0; i < s; i++) {
        b[i] = (double)d->b[i];
        for (int j = 0; j < s; j++) A[i * s + j] = (double)d->A[i][j];
    }
}

int family_computed(family_kind family, int s, double weight, double *A, double *b, double *c)
{
    int lobatto = family == FAMILY_LOBATTO_IIIA || family == FAMILY_LOBATTO_IIIC;
    int least = lobatto ? 2 : 1;
    if (s < least || s > STAGES_MAX) return KEEL_UNSUPPORTED;
    if (family == FAMILY_COLLOCATION && !(weight > -1 && isfinite(weight))) return KEEL_UNSUPPORTED;
    node_polynomial f = {.s = s, .v = lobatto};
    f.w = family == FAMILY_RADAU_IIA ? 1 : family == FAMILY_RADAU_IA ? -1
        : family == FAMILY_COLLOCATION ? (real)weight : 0;

    family_data d = {.s = s};
    nodes(&f, d.c);
    int rc = collocation(&d);
    if (rc) return rc;
    if (family == FAMILY_RADAU_IA) to_radau_ia(&d);
    if (family == FAMILY_LOBATTO_IIIC) to_lobatto_iiic(&d);
    settle(&d, family);
    round_off(&d, A, b);
    for (int i = 0; i < s; i++) c[i] = (double)d.c[i];
    return KEEL_OK;
}

const double *known_family(family_kind family, int s)
{
    const double *const *const lists[] = {
        [FAMILY_GAUSS] = known_gauss, [FAMILY_RADAU_IA] = known_radau_ia,
        [FAMILY_RADAU_IIA] = known_radau_iia, [FAMILY_LOBATTO_IIIA] = known_lobatto_iiia,
        [FAMILY_LOBATTO_IIIC] = known_lobatto_iiic};
    int most = family == FAMILY_RADAU_IIA ? KNOWN_RADAU_MOST : KNOWN_FAMILY_MOST;
    return family == FAMILY_COLLOCATION || s < 1 || s > most ? NULL : lists[family][s];
}

int family_coefficients(family_kind family, int s, double weight, double *A, double *b, double *c)
{
    const double *known = known_family(family, s);
    if (!known) return family_computed(family, s, weight, A, b, c);
    memcpy(c, known, (size_t)s * sizeof *c);
    memcpy(b, known + s, (size_t)s * sizeof *b);
    memcpy(A, known + 2 * s, (size_t)(s * s) * sizeof *A);
    return KEEL_OK;
}

int collocation_coefficients(int s, const double *given, double *A, double *b)
{
    if (s < 1 || s > STAGES_MAX) return KEEL_UNSUPPORTED;
    family_data d = {.s = s};
    for (int i = 0; i < s; i++) {
        if (!isfinite(given[i])) return KEEL_BAD_ARGUMENT;
        d.c[i] = given[i];
    }
    if (collocation(&d)) return KEEL_BAD_ARGUMENT;
    for (int j = 0; j < s && d.c[0] == 0; j++) d.A[0][j] = 0;
    for (int j = 0; j < s && d.c[s - 1] == 1; j++) d.A[s - 1][j] = d.b[j];
    round_off(&d, A, b);
    return KEEL_OK;
}
