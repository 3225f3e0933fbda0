/* multivalue_errors.c -- principal errors of a method that carries the Nordsieck vector.
 *
 * With X = h^(p+1) y^(p+1)(t_n), a method of order and stage order p has
 *
 *   y_k[n] = h^k y^(k) / k! + phi_k X,   Y_i = y(t_n + c_i h) - c_i^(p+1)/(p+1)! X + eta_i X,
 *   eta = A c^p / p! + U phi,    (I - V) phi = B c^p / p! - 1 / (k! (p+1-k)!)  for k = 1..p,
 *
 * up to O(h^(p+2)), phi_0 = 0 at the beginning of a step.  Hence for d with sum_i d_i c_i^k = 0,
 * k = 1..p, and sum_i d_i eta_i = 1
 *
 *   X = sum_i d_i (Y_i - y_0[n]) + O(h^(p+2)).
 *
 * The stages lie on the constraints and follow stiff components.  Where d compares two stages with
 * one node, X does not see them therefore: what is left of it on index 2 is the part of y^(p+1) in
 * the tangent space, in which the error of y_n+1 is.
 */
#include "method/multivalue.h"

#include <math.h>
#include <string.h>

#include "linear/small.h"
#include "method/general_linear.h"
#include "method/real.h"
#include "method/roots.h"

enum { VALUES = KEEL_VALUES_MOST };

/* Step ratios above which sequences of steps may become unstable: see ratio_limit. */
static const double ratio_most = 4, ratio_factor = 1.1;

/* (X c^p)_i / p! */
static double top_moment(const multivalue_method *m, const double *X, int i)
{
    double sum = 0;
    for (int j = 0; j < m->s; j++) sum += X[i * m->s + j] * integer_power(m->c[j], m->order);
    return sum / factorial(m->order);
}

static int find_phi(multivalue_method *m)
{
    int p = m->order, r = m->r;
    double T[VALUES * VALUES], x[VALUES];
    memset(m->phi, 0, (size_t)r * sizeof *m->phi);
    for (int k = 1; k <= p; k++) {
        x[k - 1] = top_moment(m, m->B, k) - 1 / (factorial(k) * factorial(p + 1 - k));
        for (int j = 1; j <= p; j++) T[(k - 1) * p + j - 1] = (k == j) - m->V[k * r + j];
    }
    if (small_solve(p, T, x)) return 0;
    for (int k = 1; k <= p; k++) m->phi[k] = fabs(x[k - 1]) > 1e-12 ? x[k - 1] : 0;
    return 1;
}

/* d with d_s = 1, unless nodes coincide otherwise. */
static int find_moments(const multivalue_method *m, double *d)
{
    int p = m->order;
    double T[VALUES * VALUES];
    T[0] = 0;                                    /* p > 0 */
    if (m->s != p + 1) return 0;
    for (int k = 1; k <= p; k++) {
        d[k - 1] = -integer_power(m->c[p], k);
        for (int i = 0; i < p; i++) T[(k - 1) * p + i] = integer_power(m->c[i], k);
    }
    if (small_solve(p, T, d)) return 0;
    d[p] = 1;
    for (int i = 0; i < p; i++) if (fabs(d[i]) < 1e-10) d[i] = 0;
    return 1;
}

static void find_estimate(multivalue_method *m)
{
    double *d = m->estimate, total = 0;
    int twin = 1;
    for (int i = 0; i < m->s; i++) {
        double eta = top_moment(m, m->A, i), taylor = 0;
        for (int k = 1; k < m->r; k++) {
            eta += m->U[i * m->r + k] * m->phi[k];
            taylor += integer_power(m->c[i], k) * m->phi[k];
        }
        m->lead[i] = eta - taylor;
        total += d[i] * eta;
        twin &= d[i] == 0 || fabs(m->c[i] - 1) < 1e-12;
    }
    if (fabs(total) < 1e-8) return;
    for (int i = 0; i < m->s; i++) d[i] /= total;
    m->estimates = twin ? ESTIMATE_TWIN : ESTIMATE_STAGES;
}

/* ---- step ratios ----------------------------------------------------------------------------- */

/* Is X zero on and above the diagonal, from row and column `from` on? */
static int strictly_lower(int r, const double *X, int from)
{
    double size = 0, upper = 0;
    for (int i = from; i < r; i++)
        for (int j = from; j < r; j++) {
            size = fmax(size, fabs(X[i * r + j]));
            if (j >= i) upper = fmax(upper, fabs(X[i * r + j]));
        }
    return upper <= 1e-12 * size;
}

/* The spectral radius of X D(ratio), D = diag(1, ratio, ..), from row and column `from` on. */
static double radius(int r, const double *X, int from, double ratio)
{
    double T[VALUES * VALUES], largest;
    int n = r - from;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            T[i * n + j] = X[(i + from) * r + j + from] * pow(ratio, j + from);
    return spectral_radius(n, T, NULL, &largest) ? INFINITY : largest;
}

/* Steps that grow by one ratio again and again stay stable for y' = 0, where V D(ratio) decides on
 * y_1, y_2, .., and at infinity, where M(inf) D(ratio) does. */
static double ratio_limit(const multivalue_method *m)
{
    double M[VALUES * VALUES], ratio = 1;
    const keel_general_linear g = {.stages = m->s, .values = m->r, .A = m->A, .U = m->U, .B = m->B,
                                   .V = m->V};
    if (general_linear_at_infinity(&g, M, NULL)) return 1;
    if (strictly_lower(m->r, m->V, 1) && strictly_lower(m->r, M, 0)) return INFINITY;
    while (ratio < ratio_most && radius(m->r, m->V, 1, ratio * ratio_factor) < 1 &&
           radius(m->r, M, 0, ratio * ratio_factor) < 1)
        ratio *= ratio_factor;
    return ratio;
}

void principal_errors(multivalue_method *m, int stage_order, double ratio_most_known)
{
    m->estimates = ESTIMATE_TOP;
    m->ratio_most = 1;
    if (!m->nordsieck || m->r != m->order + 1) return;
    m->ratio_most = ratio_most_known > 0 ? ratio_most_known : ratio_limit(m);
    if (stage_order >= m->order && find_phi(m) && find_moments(m, m->estimate)) find_estimate(m);
}
