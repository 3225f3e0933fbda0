/* radau.c -- Radau IIA: collocation at the zeros of P_s - P_(s-1) [HW96 IV.5].
 *
 * P_k are the Legendre polynomials on [0,1].  With int_0^x P_k = (P_(k+1) - P_(k-1)) / (2(2k+1)),
 * P_(-1) = -1, and the exactness of the quadrature for degree 2s - 2,
 *     b_j    = 1 / sum_(k<s) (2k+1) P_k(c_j)^2
 *     l_j(x) = b_j sum_(k<s) (2k+1) P_k(c_j) P_k(x)                  (Lagrange polynomials)
 *     a_ij   = b_j/2 sum_(k<s) P_k(c_j) (P_(k+1)(c_i) - P_(k-1)(c_i)).
 * In the same basis A is tridiagonal (the W-transformation, [HW96 IV.5 (5.16)]), and the
 * eigenvector v_i = sum_k (2k+1) r_k P_k(c_i) to the eigenvalue mu of A obeys
 *     r_0 = 1,  r_1 = 1 - 2 mu,  r_(k+1) = r_(k-1) - 2(2k+1) mu r_k,  r_s + r_(s-1) = 0,
 * where the last equation determines mu: up to a factor the denominator of the Pade
 * approximant R(z) = P_(s-1)/Q_s of exp(z) at z = 1/mu.
 *
 * Everything is computed with 113 bits, where the compiler has them (real.h), and rounded once at
 * the end.  With long double of 64 bits: 1 unit up to s = 7, 1e-12 at s = 20.
 */
#include "method/known.h"
#include "method/real.h"

#include <math.h>
#include <string.h>

enum { N = STAGES_MAX, SWEEPS_MAX = 100 };

typedef struct cplx { real re, im; } cplx;

typedef struct radau_data {
    int s, odd, pairs;
    real P[N][N + 1];                    /* P[i][k] = P_k(c_i)                             */
    real c[N], A[N][N], A_inv[N][N], A2[N][N], A2_inv[N][N], T[N][N], T_inv[N][N];
    real at_zero[N], error[N];
    cplx mu[N];                          /* eigenvalues of A: real first, then im < 0      */
    real gamma, alpha[N], beta[N];
} radau_data;

static cplx times(cplx a, cplx b)
{
    return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static cplx inverse(cplx a)
{
    real square = a.re * a.re + a.im * a.im;
    return (cplx){a.re / square, -a.im / square};
}

/* ---- nodes, weights, coefficients ------------------------------------------------------- */

/* Newton from the asymptotic zeros cos((k + 1/4) pi / s) of the Jacobi polynomial P^(1,0)_(s-1);
 * the last node is 1. */
static void nodes(radau_data *d)
{
    const double pi = 3.14159265358979323846;
    real slope[N + 1];
    int s = d->s;
    for (int i = 0; i < s - 1; i++) {
        real x = 0.5 + 0.5 * cos((s - 1 - i + 0.25) * pi / s);
        for (int k = 0; k < 8; k++) {
            legendre(s, x, d->P[i], slope);
            x -= (d->P[i][s] - d->P[i][s - 1]) / (slope[s] - slope[s - 1]);
        }
        d->c[i] = x;
        legendre(s, x, d->P[i], slope);
    }
    d->c[s - 1] = 1;
    legendre(s, 1, d->P[s - 1], slope);
}

static void coefficients(radau_data *d)
{
    int s = d->s;
    for (int j = 0; j < s; j++) {
        real norm = 0, zero = 0;
        const real *Pj = d->P[j];
        for (int k = 0; k < s; k++) {
            norm += (2 * k + 1) * Pj[k] * Pj[k];
            zero += (2 * k + 1) * Pj[k] * (k % 2 ? -1 : 1);    /* P_k(0) = (-1)^k */
        }
        d->at_zero[j] = -zero / norm;
        for (int i = 0; i < s; i++) {
            real sum = d->P[i][1] + 1;
            for (int k = 1; k < s; k++) sum += Pj[k] * (d->P[i][k + 1] - d->P[i][k - 1]);
            d->A[i][j] = sum / (2 * norm);
        }
    }
}

/* ---- eigenvalues and eigenvectors ------------------------------------------------------- */

/* r_0 .. r_s at mu; returns r_s + r_(s-1) and its derivative. */
static cplx secular(int s, cplx mu, cplx *r, cplx *slope)
{
    cplx d0 = {0, 0}, d1 = {-2, 0};
    r[0] = (cplx){1, 0};
    r[1] = (cplx){1 - 2 * mu.re, -2 * mu.im};
    for (int k = 1; k < s; k++) {
        real w = 2 * (2 * k + 1);
        cplx m = times(mu, r[k]), dm = times(mu, d1);
        cplx d2 = {d0.re - w * (dm.re + r[k].re), d0.im - w * (dm.im + r[k].im)};
        r[k + 1] = (cplx){r[k - 1].re - w * m.re, r[k - 1].im - w * m.im};
        d0 = d1;
        d1 = d2;
    }
    *slope = (cplx){d1.re + d0.re, d1.im + d0.im};
    return (cplx){r[s].re + r[s - 1].re, r[s].im + r[s - 1].im};
}

/* Sum over the other eigenvalues, conjugates included, of 1 / (mu_i - mu_j). */
static cplx repulsion(const radau_data *d, int i)
{
    cplx sum = {0, 0}, z = d->mu[i];
    for (int j = 0; j < d->odd + d->pairs; j++) {
        for (int side = 0; side < (j < d->odd ? 1 : 2); side++) {
            if (j == i && side == 0) continue;
            cplx term = inverse((cplx){z.re - d->mu[j].re,
                                       z.im - (side ? -1 : 1) * d->mu[j].im});
            sum.re += term.re;
            sum.im += term.im;
        }
    }
    return sum;
}

/* All eigenvalues of A at once by Aberth's iteration; the product of all, (s-1)!/(2s-1)!, gives
 * the radius of the half circle to start from. */
static void eigenvalues(radau_data *d)
{
    const double pi = 3.14159265358979323846;
    int s = d->s, count = d->odd + d->pairs, moving = 1;
    double logarithm = 0;
    for (int k = s; k < 2 * s; k++) logarithm -= log(k);
    double radius = exp(logarithm / s);
    for (int i = 0; i < count; i++) {
        double angle = pi * (d->odd ? i : i + 0.5) / s;
        d->mu[i] = (cplx){radius * cos(angle), i < d->odd ? 0 : -radius * sin(angle)};
    }
    for (int k = 0; moving && k < SWEEPS_MAX; k++) {
        moving = 0;
        for (int i = 0; i < count; i++) {
            cplx r[N + 1], slope, value = secular(s, d->mu[i], r, &slope);
            cplx newton = times(value, inverse(slope)), push = times(newton, repulsion(d, i));
            cplx step = times(newton, inverse((cplx){1 - push.re, -push.im}));
            d->mu[i].re -= step.re;
            d->mu[i].im -= step.im;
            moving |= magnitude(step.re) + magnitude(step.im) > 1e-18 * d->mu[i].re;
        }
    }
    for (int i = 0; i < count; i++) d->mu[i].im = -magnitude(d->mu[i].im);
}

/* v for 1/mu = alpha + i beta, scaled to last component 1 (the largest: v samples a polynomial
 * near exp(x / mu)).  Re v, -Im v are the columns to the block [alpha -beta; beta alpha]. */
static void eigenvector(radau_data *d, int i, int column)
{
    int s = d->s, pair = i >= d->odd;
    cplx r[N + 1], slope, v[N];
    secular(s, d->mu[i], r, &slope);
    for (int j = 0; j < s; j++) {
        v[j] = (cplx){0, 0};
        for (int k = 0; k < s; k++) {
            v[j].re += (2 * k + 1) * r[k].re * d->P[j][k];
            v[j].im += (2 * k + 1) * r[k].im * d->P[j][k];
        }
    }
    cplx scale = inverse(v[s - 1]);
    for (int j = 0; j < s; j++) {
        cplx x = j < s - 1 ? times(v[j], scale) : (cplx){1, 0};
        d->T[j][column] = x.re;
        if (pair) d->T[j][column + 1] = -x.im;
    }
}

static void eigensystem(radau_data *d)
{
    eigenvalues(d);
    for (int i = 1; i < d->pairs; i++) {                       /* by increasing beta */
        cplx *mu = d->mu + d->odd;
        for (int j = i; j > 0 && inverse(mu[j]).im < inverse(mu[j - 1]).im; j--) {
            cplx swap = mu[j];
            mu[j] = mu[j - 1];
            mu[j - 1] = swap;
        }
    }
    for (int i = 0; i < d->odd + d->pairs; i++) {
        cplx lambda = inverse(d->mu[i]);
        if (i < d->odd) {
            d->gamma = lambda.re;
        } else {
            d->alpha[i - d->odd] = lambda.re;
            d->beta[i - d->odd] = lambda.im;
        }
        eigenvector(d, i, i < d->odd ? 0 : d->odd + 2 * (i - d->odd));
    }
}

/* The real eigenvalue of A^-1 for odd s; the eigenvalues grow by nearly 2.65 for two stages. */
static real real_eigenvalue(int s)
{
    cplx r[N + 2], slope, mu = {1 / (1 + 1.325 * (s - 1)), 0};
    for (int k = 0; k < 6; k++) {
        real value = secular(s, mu, r, &slope).re;
        mu.re -= value / slope.re;
    }
    return 1 / mu.re;
}

/* ---- small matrices --------------------------------------------------------------------- */

/* Sums that cancel down to rounding are 0, as (A^2)_ss = b_s (1 - c_s) is by D(1). */
static void multiply(int s, real a[N][N], real b[N][N], real product[N][N])
{
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            real sum = 0, size = 0;
            for (int k = 0; k < s; k++) {
                sum += a[i][k] * b[k][j];
                size += magnitude(a[i][k] * b[k][j]);
            }
            product[i][j] = magnitude(sum) > NOISE * size ? sum : 0;
        }
}

/* ---- slices ----------------------------------------------------------------------------- */

static const double *vector(arena *a, int n, const real *x)
{
    double *out = ARENA(a, double, n);
    for (int i = 0; out && i < n; i++) out[i] = (double)x[i];
    return out;
}

static const double *matrix(arena *a, int s, real x[N][N])
{
    double *out = ARENA(a, double, s * s);
    for (int i = 0; out && i < s; i++)
        for (int j = 0; j < s; j++) out[i * s + j] = (double)x[i][j];
    return out;
}

static void compute(radau_data *d)
{
    int s = d->s;
    nodes(d);
    coefficients(d);
    real_invert(s, d->A, d->A_inv);
    multiply(s, d->A, d->A, d->A2);
    multiply(s, d->A_inv, d->A_inv, d->A2_inv);
    eigensystem(d);
    real_invert(s, d->T, d->T_inv);
    if (!d->odd) d->gamma = (real_eigenvalue(s - 1) + real_eigenvalue(s + 1)) / 2;
    for (int j = 0; j < s; j++)
        for (int i = 0; i < s; i++) d->error[j] += d->at_zero[i] * d->A_inv[i][j];
}

int radau_iia_computed(arena *a, int s, stage_method *method)
{
    if (s < 1 || s > STAGES_MAX) return KEEL_UNSUPPORTED;
    radau_data d = {.s = s, .odd = s % 2, .pairs = s / 2};
    real last[N] = {0};
    last[s - 1] = 1;
    if (a->base) compute(&d);

    *method = (stage_method){
        .s = s, .order = 2 * s - 1, .stage_order = s,
        .stiffly_accurate = 1, .estimate_order = s,
        .reals = d.odd, .pairs = d.pairs, .gamma = (double)d.gamma, .r_infinity = 0
    };
    method->real = vector(a, 1, &d.gamma);
    method->c = vector(a, s, d.c);
    method->b = vector(a, s, d.A[s - 1]);
    method->A = matrix(a, s, d.A);
    method->A_inv = matrix(a, s, d.A_inv);
    method->A2 = matrix(a, s, d.A2);
    method->A2_inv = matrix(a, s, d.A2_inv);
    method->alpha = vector(a, d.pairs, d.alpha);
    method->beta = vector(a, d.pairs, d.beta);
    method->T = matrix(a, s, d.T);
    method->T_inv = matrix(a, s, d.T_inv);
    method->at_zero = vector(a, s, d.at_zero);
    method->error = vector(a, s, d.error);
    method->b_A_inv = method->at_one = vector(a, s, last);
    return 0;
}

int radau_iia(arena *a, int s, stage_method *method)
{
    static const double unit[2 * KNOWN_RADAU_MOST] = {[KNOWN_RADAU_MOST - 1] = 1};
    const double *known = known_family(FAMILY_RADAU_IIA, s);
    if (!known) return radau_iia_computed(a, s, method);
    const double *square = known + 2 * s, *rest = square + 6 * s * s, *gamma = rest + 2 * s;
    *method = (stage_method){
        .s = s, .order = 2 * s - 1, .stage_order = s,
        .stiffly_accurate = 1, .estimate_order = s,
        .reals = s % 2, .pairs = s / 2, .gamma = *gamma, .real = gamma,
        .alpha = gamma + 1, .beta = gamma + 1 + s / 2, .c = known, .b = known + s,
        .A = square, .A_inv = square + s * s, .A2 = square + 2 * s * s,
        .A2_inv = square + 3 * s * s, .T = square + 4 * s * s, .T_inv = square + 5 * s * s,
        .at_zero = rest, .error = rest + s,
        .b_A_inv = unit + KNOWN_RADAU_MOST - s, .at_one = unit + KNOWN_RADAU_MOST - s
    };
    return 0;
}
