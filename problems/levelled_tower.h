/* levelled_tower.h -- problems of index 2, 3 and 4 in the levelled form with a chosen solution, for
 * measuring orders of convergence.
 *
 *   x^(K) = phi, w' = phi_w of (y,z),   y = (x, x', ..., x^(K-1), w),  two x, one w, one z
 *   Gamma(s + x^(j)) as on the curves,  j < K,  s = 0 for j = 0, else 1
 *
 * z is cubed in phi unless the tower is linear, phi_z is nowhere along the gradient of Gamma, and w moves
 * freely.  The constraint
 * is differentiated K - j times before z appears: the index is K - j + 1.
 *
 * Every unknown follows a curve 1 + a sin(w t + p): the differences phi(y,z) - phi at the curves and
 * Gamma - Gamma at the curves take the place of phi and Gamma, as in problems/order.h.
 */
#ifndef KEEL_PROBLEMS_LEVELLED_TOWER_H
#define KEEL_PROBLEMS_LEVELLED_TOWER_H

#include <math.h>
#include <string.h>

#include "keel/keel.h"

/* ---- chosen curves ------------------------------------------------------------------------ */

/* Derivative number d of curve i at t. */
static inline double levelled_curve(int i, int d, double t)
{
    static const double amplitude[] = {0.4, 0.3, 0.35, 0.3, 0.25, 0.3, 0.35};
    static const double frequency[] = {1.3, 1.7, 0.9, 1.1, 1.9, 0.7, 1.5};
    static const double phase[] = {0.3, 1.1, 2.3, 0.7, 1.9, 3.1, 0.1};
    const double quarter = 1.5707963267948966;
    return (d == 0) + amplitude[i] * pow(frequency[i], d)
                          * sin(frequency[i] * t + phase[i] + d * quarter);
}

/* ---- Gamma(x) = x_1^2 + x_1 x_2 + x_2^3/3 and its derivatives in time ---------------------- */

static inline void gamma_gradient(const double *x, double *d)
{
    d[0] = 2 * x[0] + x[1];
    d[1] = x[0] + x[1] * x[1];
}

/* sum += factor Gamma_xx a */
static inline void gamma_add_second(const double *x, double factor, const double *a, double *sum)
{
    sum[0] += factor * (2 * a[0] + a[1]);
    sum[1] += factor * (a[0] + 2 * x[1] * a[1]);
}

static inline double dot2(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

/* d^k/dt^k Gamma, with X[d] derivative number d of x:
 *   Gamma_x x',  Gamma_x x'' + Gamma_xx(x',x'),  Gamma_x x''' + 3 Gamma_xx(x',x'') + Gamma_xxx */
static inline double gamma_derivative(int k, double X[4][2])
{
    const double *x = X[0];
    double gradient[2], turned[2] = {0};
    if (k == 0) return x[0] * x[0] + x[0] * x[1] + x[1] * x[1] * x[1] / 3;
    gamma_gradient(x, gradient);
    if (k > 1) gamma_add_second(x, k == 2 ? 1 : 3, X[1], turned);
    return dot2(gradient, X[k]) + (k > 1 ? dot2(turned, X[k - 1]) : 0)
           + (k == 3 ? 2 * X[1][1] * X[1][1] * X[1][1] : 0);
}

/* Its derivatives by X[0], ..., X[k], for k = 0, 1, 2, 3. */
static inline void gamma_derivative_by(int k, double X[4][2], double by[4][2])
{
    const double *x = X[0];
    memset(by, 0, 4 * sizeof *by);
    gamma_gradient(x, by[k]);
    if (k > 0) gamma_add_second(x, 1, X[k], by[0]);
    if (k == 2) {
        by[0][1] += 2 * X[1][1] * X[1][1];
        gamma_add_second(x, 2, X[1], by[1]);
    }
    if (k == 3) {
        by[0][1] += 6 * X[1][1] * X[2][1];
        gamma_add_second(x, 3, X[2], by[1]);
        by[1][1] += 6 * X[1][1] * X[1][1];
        gamma_add_second(x, 3, X[1], by[2]);
    }
}

/* ---- the tower ------------------------------------------------------------------------ */

enum { TOWER_MOST = 8 };                    /* unknowns, y and z together                    */

typedef struct tower {
    int K;                                  /* derivatives of x that are unknowns, 1 to 3    */
    int constrained;                        /* j: the constraint is on x^(j)                 */
    int linear;                             /* in z: without z^3                             */
} tower;

/* phi = (-x_1 x_2 - b_1/2 + (1 + w^2/4)(z + z^3),  x_1 - x_2^2 + 3/10 b_1 b_2 + z/5 + z^3/2,
 *        -w + x_1 z - x_2/2),  b = x^(K-1) */
static inline void tower_terms(const tower *p, const double *y, const double *z, double *phi)
{
    const int K = p->K;
    const double *b = y + 2 * K - 2, w = y[2 * K], cube = p->linear ? 0 : z[0] * z[0] * z[0];
    phi[0] = -y[0] * y[1] - b[0] / 2 + (1 + w * w / 4) * (z[0] + cube);
    phi[1] = y[0] - y[1] * y[1] + 0.3 * b[0] * b[1] + z[0] / 5 + cube / 2;
    phi[2] = -w + y[0] * z[0] - y[1] / 2;
}

/* phi by (y, z), three rows. */
static inline void tower_terms_by(const tower *p, const double *y, const double *z,
                                  double by[3][TOWER_MOST])
{
    const int K = p->K, b = 2 * K - 2, w = 2 * K, last = 2 * K + 1;
    const double square = p->linear ? 0 : z[0] * z[0];
    memset(by, 0, 3 * sizeof *by);
    by[0][0] = -y[1];
    by[0][1] = -y[0];
    by[0][b] -= 0.5;
    by[0][w] = y[w] / 2 * (z[0] + square * z[0]);
    by[0][last] = (1 + y[w] * y[w] / 4) * (1 + 3 * square);
    by[1][0] = 1;
    by[1][1] = -2 * y[1];
    by[1][b] += 0.3 * y[b + 1];
    by[1][b + 1] += 0.3 * y[b];
    by[1][last] = 0.2 + 1.5 * square;
    by[2][0] = z[0];
    by[2][1] = -0.5;
    by[2][w] = -1;
    by[2][last] = y[0];
}

/* Curves 0 and 1 are x, 2 is w, 3 is z. */
static inline void tower_exact(double t, double *yz, void *context)
{
    const int K = ((const tower *)context)->K;
    for (int a = 0; a < 2 * K; a++) yz[a] = levelled_curve(a % 2, a / 2, t);
    yz[2 * K] = levelled_curve(2, 0, t);
    yz[2 * K + 1] = levelled_curve(3, 0, t);
}

static inline int tower_rate(double t, const double *y, const double *z, double *f, void *context)
{
    const int K = ((const tower *)context)->K;
    double there[TOWER_MOST], phi[3], known[3];
    tower_exact(t, there, context);
    tower_terms(context, there, there + 2 * K + 1, known);
    tower_terms(context, y, z, phi);
    for (int a = 0; a < 2 * K - 2; a++) f[a] = y[a + 2];
    for (int i = 0; i < 3; i++)
        f[2 * K - 2 + i] = phi[i] - known[i] + levelled_curve(i, i < 2 ? K : 1, t);
    return 0;
}

/* s + x^(j), x^(j+1), ..., x^(K) from y and its rate; returns how many follow the first. */
static inline int tower_derivatives(const tower *p, const double *y, const double *f, double X[4][2])
{
    const int K = p->K, j = p->constrained;
    memcpy(X, y + 2 * j, (size_t)(2 * (K - j)) * sizeof *y);
    memcpy(X[K - j], f + 2 * K - 2, 2 * sizeof *f);
    for (int i = 0; i < 2 && j > 0; i++) X[0][i] += 1;
    return K - j;
}

/* h_k, with the derivatives of x on the curves in the place of those that y and f tell. */
static inline double tower_on_curves(const tower *p, int k, double t)
{
    double X[4][2] = {{0}};
    for (int d = 0; d <= p->K - p->constrained - k; d++)
        for (int i = 0; i < 2; i++)
            X[d][i] = levelled_curve(i, p->constrained + d, t) + (d == 0 && p->constrained > 0);
    return gamma_derivative(p->K - p->constrained - k, X);
}

static inline int tower_level(double t, const double *y, const double *z, int k, double *h,
                              void *context)
{
    double X[4][2] = {{0}}, f[TOWER_MOST] = {0};
    if (k == 0) tower_rate(t, y, z, f, context);
    const int chain = tower_derivatives(context, y, f, X);
    h[0] = gamma_derivative(chain - k, X) - tower_on_curves(context, k, t);
    return 0;
}

static inline int tower_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                                 void *context)
{
    const tower *p = context;
    const int K = p->K, j0 = 2 * p->constrained, n = 2 * K + 2;
    double f[TOWER_MOST], X[4][2] = {{0}}, by_X[4][2], by[3][TOWER_MOST];
    tower_rate(t, y, z, f, context);
    const int chain = tower_derivatives(p, y, f, X);
    gamma_derivative_by(chain, X, by_X);
    tower_terms_by(p, y, z, by);
    for (int a = 0; a < 2 * K - 2; a++) keel_put(J, a, a + 2, 1);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < 3; i++) keel_put(J, 2 * K - 2 + i, j, by[i][j]);
        keel_put(J, n - 1, j, (j >= j0 && j < 2 * K ? by_X[(j - j0) / 2][j % 2] : 0)
                              + by_X[chain][0] * by[0][j] + by_X[chain][1] * by[1][j]);
    }
    return 0;
}

static inline int tower_level_jacobian(double t, const double *y, int k, keel_matrix *J,
                                       void *context)
{
    const tower *p = context;
    const double none[TOWER_MOST] = {0};
    double X[4][2] = {{0}}, by_X[4][2];
    (void)t;
    const int order = tower_derivatives(p, y, none, X) - k;
    gamma_derivative_by(order, X, by_X);
    for (int a = 0; a < 2 * (order + 1); a++)
        keel_put(J, 2 * p->K + 1, 2 * p->constrained + a, by_X[a / 2][a % 2]);
    return 0;
}

/* The spec for K and constrained, which is borrowed. */
static inline keel_levelled_spec tower_spec(const tower *p)
{
    static const int next[4][7] = {{0}, {-1, -1, -1}, {2, 3, -1, -1, -1}, {2, 3, 4, 5, -1, -1, -1}};
    static const int length[] = {0, 1, 2, 3};
    return (keel_levelled_spec){
        .differential = 2 * p->K + 1, .algebraic = 1, .next = next[p->K],
        .chain = &length[p->K - p->constrained], .rate = tower_rate, .level = tower_level,
        .jacobian = tower_jacobian, .level_jacobian = tower_level_jacobian, .context = (void *)p};
}

#endif
