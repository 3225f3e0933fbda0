/* stability.c -- the stability function R(z) = 1 + z b^T (I - zA)^-1 1 [HW96 IV.3].
 *
 * R = P/Q with Q(z) = det(I - zA).  A method is A-stable when R has no poles with Re z < 0 and
 * E(y) = |Q(iy)|^2 - |P(iy)|^2 >= 0, that is |R(iy)| <= 1, for all y; then the maximum principle
 * does the rest.  E vanishes identically for symmetric methods and has tiny coefficients for
 * others of high order, so the sign of E/|Q|^2 = 1 - |R|^2 is taken, which is well conditioned:
 * along the imaginary axis, as along the rays that bound sectors (rays.c).
 */
#include "method/stability.h"

#include <complex.h>
#include <math.h>

#include "method/locus.h"
#include "method/method.h"
#include "method/rays.h"

enum { S = KEEL_STAGES_MOST };

typedef long double real;
typedef long double complex number;

static const double round_to = 1e-10;            /* R(inf) this close to 0, 1 or -1 is it     */

/* ---- the function -------------------------------------------------------------------------- */

/* R(z) = 1 + z w^T (I - zH)^-1 u with H = X^-1 A^T X upper Hessenberg, u = X^-1 b, w = X^T 1: from
 * the transposed A, so that nothing is to be done for triangular ones. */
typedef struct stability_function {
    int s;
    real H[S][S], u[S], w[S];
} stability_function;

static void exchange(real *a, real *b)
{
    real keep = *a;
    *a = *b;
    *b = keep;
}

/* Exchanges stages k and l. */
static void exchange_stages(stability_function *f, int k, int l)
{
    for (int j = 0; j < f->s; j++) exchange(&f->H[k][j], &f->H[l][j]);
    for (int i = 0; i < f->s; i++) exchange(&f->H[i][k], &f->H[i][l]);
    exchange(&f->u[k], &f->u[l]);
    exchange(&f->w[k], &f->w[l]);
}

/* Row i minus factor times row k, and the opposite for columns. */
static void eliminate_row(stability_function *f, int i, int k, real factor)
{
    for (int j = 0; j < f->s; j++) f->H[i][j] -= factor * f->H[k][j];
    for (int j = 0; j < f->s; j++) f->H[j][k] += factor * f->H[j][i];
    f->u[i] -= factor * f->u[k];
    f->w[k] += factor * f->w[i];
}

static void prepare(stability_function *f, const keel_tableau *t)
{
    int s = f->s = t->stages;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) f->H[i][j] = t->A[j * s + i];
        f->u[i] = t->b[i];
        f->w[i] = 1;
    }
    for (int k = 1; k + 1 < s; k++) {
        int pivot = k;
        for (int i = k + 1; i < s; i++)
            if (fabsl(f->H[i][k - 1]) > fabsl(f->H[pivot][k - 1])) pivot = i;
        if (f->H[pivot][k - 1] == 0) continue;
        if (pivot != k) exchange_stages(f, k, pivot);
        for (int i = k + 1; i < s; i++) {
            if (f->H[i][k - 1] == 0) continue;
            eliminate_row(f, i, k, f->H[i][k - 1] / f->H[k][k - 1]);
            f->H[i][k - 1] = 0;
        }
    }
}

/* CMPLXL, which not all compilers have. */
static number complex_of(real re, real im)
{
    const union { real part[2]; number whole; } z = {.part = {re, im}};
    return z.whole;
}

/* Products without the care for infinities that those of the language take. */
static number times(number a, number b)
{
    return complex_of(creall(a) * creall(b) - cimagl(a) * cimagl(b),
                  creall(a) * cimagl(b) + cimagl(a) * creall(b));
}

static real size_of(number a)
{
    return fabsl(creall(a)) + fabsl(cimagl(a));
}

/* One step of elimination in the Hessenberg matrix, with the row below brought up if larger. */
static void eliminate_below(int s, number M[S][S], number *x, int k)
{
    if (size_of(M[k + 1][k]) > size_of(M[k][k])) {
        for (int j = k; j < s; j++) {
            number keep = M[k][j];
            M[k][j] = M[k + 1][j];
            M[k + 1][j] = keep;
        }
        number keep = x[k];
        x[k] = x[k + 1];
        x[k + 1] = keep;
    }
    if (M[k + 1][k] == 0) return;
    number factor = M[k + 1][k] / M[k][k];
    for (int j = k + 1; j < s; j++) M[k + 1][j] -= times(factor, M[k][j]);
    x[k + 1] -= times(factor, x[k]);
}

/* R(z); INFINITY at a pole. */
static number stability(const stability_function *f, number z)
{
    int s = f->s;
    number M[S][S], x[S], sum = 0;
    for (int i = 0; i < s; i++) {
        for (int j = i > 0 ? i - 1 : 0; j < s; j++) M[i][j] = (i == j) - z * f->H[i][j];
        x[i] = f->u[i];
    }
    for (int k = 0; k + 1 < s; k++) eliminate_below(s, M, x, k);
    for (int i = s - 1; i >= 0; i--) {
        for (int j = i + 1; j < s; j++) x[i] -= times(M[i][j], x[j]);
        if (M[i][i] == 0) return INFINITY;
        x[i] /= M[i][i];
        sum += f->w[i] * x[i];
    }
    return 1 + times(z, sum);
}

void keel_method_stability(const keel_method *method, double re, double im, double *r_re,
                           double *r_im)
{
    stability_function f;
    if (!r_re || !r_im) return;
    *r_re = *r_im = NAN;
    if (!method || !method->block) return;
    if (kind_carries_values(method->kind)) {
        dominant_eigenvalue(&method->general, re, im, r_re, r_im);
        return;
    }
    prepare(&f, &method->tableau);
    number r = stability(&f, complex_of(re, im));
    *r_re = (double)creall(r);
    *r_im = (double)cimagl(r);
}

/* ---- at infinity --------------------------------------------------------------------------- */

static double rounded(real r)
{
    double value = (double)r, whole = nearbyint(value);
    return fabs(value - whole) <= round_to && fabs(whole) <= 1 ? whole + 0.0 : value;
}

/* Solves M x = x; returns nonzero where M, with entries up to 1, is singular up to rounding. */
static int solve(int n, real M[S][S], real *x)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(M[i][k]) > fabsl(M[pivot][k])) pivot = i;
        if (fabsl(M[pivot][k]) <= 1e-14L) return 1;
        for (int j = k; j < n; j++) exchange(&M[k][j], &M[pivot][j]);
        exchange(&x[k], &x[pivot]);
        for (int i = k + 1; i < n; i++) {
            real factor = M[i][k] / M[k][k];
            for (int j = k + 1; j < n; j++) M[i][j] -= factor * M[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= M[i][j] * x[j];
        x[i] /= M[i][i];
    }
    return 0;
}

/* A^-1 x over the stages from `first` on. */
static int apply_inverse(const keel_tableau *t, int first, real *x)
{
    int s = t->stages, n = s - first;
    real M[S][S];
    double scale = 0;
    for (int i = first * s; i < s * s; i++) scale = fmax(scale, fabs(t->A[i]));
    if (n == 0 || scale == 0) return 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) M[i][j] = t->A[(i + first) * s + j + first] / (real)scale;
        x[i] /= scale;
    }
    return solve(n, M, x);
}

/* With an explicit first stage, a its column below and b^ the other weights,
 *     R(z) = z (b_1 - b^T A^-1 a) + 1 - b^T A^-1 1 - b^T A^-2 a + O(1/z). */
static int expand(const keel_tableau *t, int first, real *slope, real *value)
{
    int s = t->stages, n = s - first;
    real x[S], y[S];
    *slope = first ? t->b[0] : 0;
    *value = 1;
    for (int i = 0; i < n; i++) {
        x[i] = 1;
        y[i] = first ? t->A[(i + first) * s] : 0;
    }
    if (apply_inverse(t, first, x) || apply_inverse(t, first, y)) return 1;
    for (int i = 0; i < n; i++) {
        *value -= t->b[i + first] * x[i];
        *slope -= t->b[i + first] * y[i];
    }
    if (apply_inverse(t, first, y)) return 1;
    for (int i = 0; i < n; i++) *value -= t->b[i + first] * y[i];
    return 0;
}

/* Other singular A: by extrapolation from two large arguments. */
static double far_value(const keel_tableau *t)
{
    stability_function f;
    prepare(&f, t);
    real near = creall(stability(&f, -1e6L)), far = creall(stability(&f, -2e6L));
    return !(fabsl(far) < 1e3L && fabsl(far - near) < 1e-3L) ? NAN : rounded(2 * far - near);
}

static int explicit_first(const keel_tableau *t)
{
    int first = 1;
    for (int j = 0; j < t->stages; j++) first &= t->A[j] == 0;
    return first;
}

int stages_invertible(const keel_tableau *t)
{
    real x[S] = {0};
    return apply_inverse(t, explicit_first(t), x) == 0;
}

double r_infinity_of(const keel_tableau *t)
{
    real slope, value;
    if (expand(t, explicit_first(t), &slope, &value)) return far_value(t);
    return fabsl(slope) > round_to ? NAN : rounded(value);
}

/* ---- along rays ---------------------------------------------------------------------------- */

static double size_at(const void *of, real re, real im)
{
    return (double)cabsl(stability(of, complex_of(re, im)));
}

/* r_k of R(z) = sum r_k z^k: b^T A^(k-1) 1. */
static void taylor_coefficients(const keel_tableau *t, int terms, real *r)
{
    int s = t->stages;
    real v[S], next[S];
    for (int i = 0; i < s; i++) v[i] = 1;
    r[0] = 1;
    for (int k = 1; k <= terms; k++) {
        r[k] = 0;
        for (int i = 0; i < s; i++) {
            r[k] += t->b[i] * v[i];
            next[i] = 0;
            for (int j = 0; j < s; j++) next[i] += t->A[i * s + j] * v[j];
        }
        for (int i = 0; i < s; i++) v[i] = next[i];
    }
}

/* ---- what follows -------------------------------------------------------------------------- */

/* Whether R is large next to 1/mu: reducible methods have eigenvalues that cancel. */
static int is_pole(const stability_function *f, number mu)
{
    return !(cabsl(stability(f, (1 + 1e-8L) / mu)) < 1e3L);
}

/* The angle between the negative real axis and the pole next to it; poles are 1/mu, mu the
 * eigenvalues of A.  180 without poles. */
static double angle_of_poles(const stability_function *f, const keel_analysis *a)
{
    const double degree = 57.295779513082321;
    double largest = 0, angle = 180;
    for (int i = 0; i < a->stages; i++)
        largest = fmax(largest, hypot(a->eigenvalue_re[i], a->eigenvalue_im[i]));
    for (int i = 0; i < a->stages; i++) {
        double re = a->eigenvalue_re[i], im = a->eigenvalue_im[i];
        if (hypot(re, im) <= 1e-7 * largest) continue;      /* a pole at infinity, if any */
        double seen = degree * atan2(fabs(im), -re);
        if (seen < angle && (seen >= 90 || is_pole(f, complex_of(re, im)))) angle = seen;
    }
    return angle;
}

static int stable_along(const stability_function *f, double angle)
{
    const double degree = 57.295779513082321;
    ray along = {size_at, f, -cosl(angle / degree), sinl(angle / degree)};
    return isinf(first_excess(&along));
}

/* By bisection: a sector is stable when its boundary is. */
static double widest_sector(const stability_function *f, double most)
{
    double stable = 0, unstable = most;
    while (unstable - stable > 1e-4) {
        double middle = 0.5 * (stable + unstable);
        if (stable_along(f, middle)) stable = middle;
        else unstable = middle;
    }
    return stable;
}

void find_stability(const keel_tableau *t, keel_analysis *a)
{
    stability_function f;
    real r[2 * S + 1];
    prepare(&f, t);
    double poles = angle_of_poles(&f, a);
    int bounded = fabs(a->r_infinity) <= 1;                 /* false for NAN */
    taylor_coefficients(t, 2 * t->stages, r);
    a->imaginary_limit = leaves_at_once(r, 2 * t->stages, a->order) ? 0
                       : first_excess(&(ray){size_at, &f, 0, 1});
    a->a_stable = bounded && poles >= 90 - 1e-6 && isinf(a->imaginary_limit);
    a->l_stable = a->a_stable && a->r_infinity == 0;
    a->real_limit = a->a_stable ? INFINITY : first_excess(&(ray){size_at, &f, -1, 0});
    a->alpha = a->a_stable ? 90
             : bounded && poles > 0 && isinf(a->real_limit) ? widest_sector(&f, fmin(poles, 90))
             : 0;
}
