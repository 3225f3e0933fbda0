/* irks.h -- general linear methods with inherent Runge-Kutta stability, to 34 digits.
 *
 * Y = U y[n] + h A f(Y), y[n+1] = V y[n] + h B f(Y), of order and stage order p with s = r = p + 1,
 * carrying y_k = h^k y^(k), k = 0..p.  With C = (c_i^k / k!), K the shift to the right, E = exp K,
 *   U = C - A C K,   V = E - B C K                                  (orders)                    (1)
 *   B A = X B,   B U = X V - V X,   rows 1..p                       (inherent stability)        (2)
 * [Butcher & Wright 2003; Wright 2002].  Row k of X is e_(k-1)^T - beta_(p+1-k) e_p^T, its first
 * one is free.  By (2) (I - zX) M(z) = V (I - zX) but for the first row, so that M(z) has the
 * eigenvalues of V without its first row and column, here 0, and one more, R(z).
 *
 * By (1), B U = X V - V X says y_k = h^k y^(k) - beta_(p+1-k) h^(p+1) y^(p+1) + O(h^(p+2)).  Here
 * beta = 0, X = K^T.  Then D K^T = r K^T D with D = diag(1, r, .., r^p): (2) survives the change of
 * the step to r h, and M(z_n) D(r_n) .. M(z_1) D(r_1) has one eigenvalue R(z_n) .. R(z_1) and zeros
 * for any sequence of steps h_n mu = z_n, if V is strictly lower triangular but for its first row;
 * so is M(inf), whose row k is row k + 1 of V K^T, k < p.  And no y_k needs a correction when the
 * step changes.
 *
 * Row p of B is called b.  (2) makes row k equal b A^(p-k), and with N = A - lambda I, which is
 * nilpotent, B = Psi L with L_k = b N^(p-k) lower triangular and Psi upper triangular, binomial.
 * All other conditions are linear in L:
 *   row 1 of B is e_s^T (the last slope is carried, and b A^p = e_s^T A: the last stage is too),
 *   (B c^p / p!)_k = 1/(p+1-k)!, k >= 2, from beta = 0; for k = 0 less C(lambda), R(inf) = 0,
 *   V_kl = 0 for l >= k >= 2.
 * As many equations as entries of L.  Then A = lambda I + L^-1 K^T L, rational if lambda and c are.
 */
#ifndef KEEL_STUDY_IRKS_H
#define KEEL_STUDY_IRKS_H

#include "study/quad.h"

enum { IRKS = 6, IRKS_UNKNOWNS = IRKS * (IRKS + 1) / 2 };

typedef quad irks_matrix[IRKS][IRKS];

typedef struct irks {
    int p, s;
    quad lambda, c[IRKS];
    irks_matrix A, U, B, V, A_inverse, M_infinity;
} irks;

static inline quad factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static inline quad binomial(int n, int k)
{
    return factorial(n) / (factorial(k) * factorial(n - k));
}

static inline quad power(quad x, int n)
{
    quad y = 1;
    while (n-- > 0) y *= x;
    return y;
}

/* C_ik */
static inline quad moment(const irks *m, int i, int k)
{
    return power(m->c[i], k) / factorial(k);
}

/* E_kl */
static inline quad shift(int k, int l)
{
    return l < k ? 0 : 1 / factorial(l - k);
}

/* C with R(z) = e^z - C z^(p+1) + .., for the denominator (1 - lambda z)^(p+1) and R(inf) = 0. */
static inline quad error_constant(int p, quad lambda)
{
    quad sum = 0;
    for (int j = 0; j <= p + 1; j++)
        sum += binomial(p + 1, j) * power(-lambda, j) / factorial(p + 1 - j);
    return sum;
}

/* Linear equations for the lower triangle of L. */
typedef struct irks_system {
    int unknowns, equations;
    quad matrix[IRKS_UNKNOWNS * IRKS_UNKNOWNS], right[IRKS_UNKNOWNS];
} irks_system;

/* sum_j B_kj weights_j = value, B = Psi L, Psi_(p-m)(p-j) = binomial(m, j) lambda^(m-j). */
static inline void equation(irks_system *e, const irks *m, int k, const quad *weights, quad value)
{
    quad *row = e->matrix + e->equations * e->unknowns;
    for (int i = 0; i < m->s; i++)
        for (int j = 0; j <= i; j++)
            row[i * (i + 1) / 2 + j] = i < k ? 0 : weights[j] * binomial(m->p - k, m->p - i) *
                                                       power(m->lambda, i - k);
    e->right[e->equations++] = value;
}

static inline void solve_for_L(const irks *m, irks_matrix L)
{
    int p = m->p, s = m->s;
    quad weights[IRKS];
    irks_system e = {.unknowns = s * (s + 1) / 2};
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) weights[j] = j == i;
        equation(&e, m, 1, weights, i == p);
    }
    for (int j = 0; j < s; j++) weights[j] = moment(m, j, p);
    for (int k = 0; k < s; k++)
        if (k != 1)
            equation(&e, m, k, weights,
                     1 / factorial(p + 1 - k) - (k == 0 ? error_constant(p, m->lambda) : 0));
    for (int l = 2; l < s; l++) {
        for (int j = 0; j < s; j++) weights[j] = moment(m, j, l - 1);
        for (int k = 2; k <= l; k++) equation(&e, m, k, weights, shift(k, l));
    }
    quad_solve(e.unknowns, e.matrix, e.right);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) L[i][j] = j > i ? 0 : e.right[i * (i + 1) / 2 + j];
}

static inline void product(int s, irks_matrix a, irks_matrix b, irks_matrix ab)
{
    irks_matrix sum = {{0}};
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            for (int k = 0; k < s; k++) sum[i][j] += a[i][k] * b[k][j];
    memcpy(ab, sum, sizeof sum);
}

/* X := L^-1 R, L lower triangular. */
static inline void forward(int s, irks_matrix L, irks_matrix R, irks_matrix X)
{
    for (int j = 0; j < s; j++)
        for (int i = 0; i < s; i++) {
            quad rest = R[i][j];
            for (int k = 0; k < i; k++) rest -= L[i][k] * X[k][j];
            X[i][j] = rest / L[i][i];
        }
}

/* A^-1 and M(inf) = V - B A^-1 U */
static inline void at_infinity(irks *m)
{
    irks_matrix identity = {{0}}, slopes;
    for (int i = 0; i < m->s; i++) identity[i][i] = 1;
    forward(m->s, m->A, identity, m->A_inverse);
    product(m->s, m->B, m->A_inverse, slopes);
    product(m->s, slopes, m->U, m->M_infinity);
    for (int i = 0; i < m->s; i++)
        for (int j = 0; j < m->s; j++) m->M_infinity[i][j] = m->V[i][j] - m->M_infinity[i][j];
}

/* All matrices from p, lambda, c.  Returns 0 where there is no such method. */
static inline int construct(irks *m)
{
    int p = m->p, s = m->s;
    irks_matrix L, shifted = {{0}};
    solve_for_L(m, L);
    for (int i = 0; i < s; i++)
        if (!(fabsq(L[i][i]) > 1e-20)) return 0;
    for (int i = 1; i < s; i++) memcpy(shifted[i], L[i - 1], sizeof L[0]);
    forward(s, L, shifted, m->A);
    for (int i = 0; i < s; i++) m->A[i][i] += m->lambda;
    for (int k = 0; k < s; k++)
        for (int j = 0; j < s; j++) {
            m->B[k][j] = 0;
            for (int i = k; i < s; i++)
                m->B[k][j] += binomial(p - k, p - i) * power(m->lambda, i - k) * L[i][j];
        }
    for (int i = 0; i < s; i++)
        for (int l = 0; l < s; l++) {
            m->U[i][l] = moment(m, i, l);
            m->V[i][l] = shift(i, l);
            for (int j = 0; l > 0 && j < s; j++) {
                m->U[i][l] -= m->A[i][j] * moment(m, j, l - 1);
                m->V[i][l] -= m->B[i][j] * moment(m, j, l - 1);
            }
        }
    at_infinity(m);
    return 1;
}

static inline quad norm(int s, irks_matrix a)
{
    quad most = 0;
    for (int i = 0; i < s; i++) {
        quad sum = 0;
        for (int j = 0; j < s; j++) sum += fabsq(a[i][j]);
        most = fmaxq(most, sum);
    }
    return most;
}

/* a := a D(r) */
static inline void rescale(int s, irks_matrix a, quad r)
{
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) a[i][j] *= power(r, j);
}

/* How much perturbations of the slopes move later stages when every step is r times the last:
 * max_k |U D (V' D)^k B|, V' = V without its eigenvector e_0, which no method damps.  Where a
 * constraint prescribes the stages (z = inf): max_k |U D (M(inf) D)^k B A^-1|. */
static inline quad growth(irks *m, quad r, int infinite)
{
    irks_matrix left, right, moved;
    quad most = 0;
    memcpy(left, m->U, sizeof left);
    memcpy(right, m->B, sizeof right);
    if (infinite) product(m->s, m->B, m->A_inverse, right);
    for (int k = 0; k <= m->s; k++) {
        rescale(m->s, left, r);
        product(m->s, left, right, moved);
        most = fmaxq(most, norm(m->s, moved));
        product(m->s, left, infinite ? m->M_infinity : m->V, left);
        for (int i = 0; !infinite && i < m->s; i++) left[i][0] = 0;
    }
    return most;
}

/* Spectral radius of M(inf) D(r) or, without its eigenvalue 1, of V D(r), from a high power. */
static inline quad radius(irks *m, quad r, int infinite)
{
    enum { SQUARINGS = 7 };
    irks_matrix a;
    quad logarithm = 0;
    memcpy(a, infinite ? m->M_infinity : m->V, sizeof a);
    rescale(m->s, a, r);
    for (int i = 0; !infinite && i < m->s; i++) a[i][0] = 0;
    for (int k = 0; k < SQUARINGS; k++) {
        quad size = norm(m->s, a);
        if (size < 1e-25) return 0;
        logarithm = 2 * (logarithm + logq(size));
        for (int i = 0; i < m->s; i++)
            for (int j = 0; j < m->s; j++) a[i][j] /= size;
        product(m->s, a, a, a);
    }
    quad size = norm(m->s, a);
    return size < 1e-25 ? 0 : expq((logarithm + logq(size)) / (1 << SQUARINGS));
}

/* phi: y_k[n] = h^k y^(k) + phi_k h^(p+1) y^(p+1) + .., steps being constant.  With the defects of
 * the slopes, F = c^p/p! (y' = f(y)) or A^-1 (c^(p+1)/(p+1)! - U phi) (y prescribed), it solves
 * phi_k + 1/(p+1-k)! = (V phi + B F)_k; phi_0 = 0 where it is arbitrary or prescribed. */
static inline void carried_errors(const irks *m, int infinite, quad *phi)
{
    int s = m->s, p = m->p;
    quad F[IRKS], matrix[IRKS * IRKS];
    for (int i = 0; i < s; i++) {
        F[i] = infinite ? 0 : moment(m, i, p);
        for (int j = 0; infinite && j < s; j++) F[i] += m->A_inverse[i][j] * moment(m, j, p + 1);
    }
    for (int k = 0; k < s; k++) {
        phi[k] = k == 0 ? 0 : -1 / factorial(p + 1 - k);
        for (int j = 0; j < s; j++) {
            if (k > 0) phi[k] += m->B[k][j] * F[j];
            matrix[k * s + j] = (k == j) - (k == 0 ? 0 : (infinite ? m->M_infinity : m->V)[k][j]);
        }
    }
    quad_solve(s, matrix, phi);
}

/* xi: Y_i = y(t_n + c_i h) - xi_i h^(p+1) y^(p+1) + .. after exact values with errors phi. */
static inline quad stage_error(const irks *m, int i, const quad *phi)
{
    quad xi = moment(m, i, m->p + 1);
    for (int j = 0; j < m->s; j++) xi -= m->A[i][j] * moment(m, j, m->p) + m->U[i][j] * phi[j];
    return xi;
}

#endif
