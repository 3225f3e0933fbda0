/* starting.c -- singly implicit starting procedures of any order [Weiss 2007, 4.1],
 *
 *     Y = y_0 + h A f(Y),   y[0] = e_1 y_0 + h B f(Y) = (h^k y^(k)) + O(h^(p+1)),   s = p + 1.
 *
 * With C_ik = c_i^k / k!, the shift K and J = K^T order and stage order are p when (4.3)
 *     1 e_1^T = C - A C K,   e_1 e_1^T = I - B C K,
 * which B = J C^-1 and A = C (J + a e_s^T) C^-1 fulfil for any a;
 *     a_i = (-1)^(s-i) binom(s, i-1) mu^(s+1-i)
 * makes J + a e_s^T a companion matrix with the one eigenvalue mu.  Principal vectors of A^-1 are
 * t_1 = C e_s, t_(i+1) = (A^-1 - 1/mu) t_i: the columns of T, here of length 1.
 */
#include "method/starting.h"

#include <string.h>

#include "method/known.h"
#include "method/real.h"

typedef struct starting_matrices {
    int s;
    real c[STAGES_MAX], at_start[STAGES_MAX], lower[STAGES_MAX];
    real_matrix A, A_inv, B, B_A_inv, T, T_inv;
} starting_matrices;

/* ---- exact matrices ------------------------------------------------------------------------ */

static void multiply(int s, real_matrix a, real_matrix b, real_matrix product)
{
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            product[i][j] = 0;
            for (int k = 0; k < s; k++) product[i][j] += a[i][k] * b[k][j];
        }
}

static void vandermonde(int s, const real *c, real_matrix C)
{
    for (int i = 0; i < s; i++) {
        C[i][0] = 1;
        for (int k = 1; k < s; k++) C[i][k] = C[i][k - 1] * c[i] / k;
    }
}

/* J + a e_s^T, and J alone with mu = 0. */
static void companion(int s, real mu, real_matrix m)
{
    memset(m, 0, sizeof(real_matrix));
    for (int i = 1; i < s; i++) m[i][i - 1] = 1;
    real a = 0;
    for (int i = s; i >= 1; i--) {
        a = i == s ? s * mu : -a * mu * i / (s - i + 1);
        m[i - 1][s - 1] += a;
    }
}

/* A, B and C; 0, or KEEL_SINGULAR for equal nodes. */
static int procedure(starting_matrices *m, real mu, real_matrix C)
{
    real_matrix C_inv, shift, product;
    vandermonde(m->s, m->c, C);
    if (real_invert(m->s, C, C_inv)) return KEEL_SINGULAR;
    companion(m->s, 0, shift);
    multiply(m->s, shift, C_inv, m->B);
    companion(m->s, mu, shift);
    multiply(m->s, C, shift, product);
    multiply(m->s, product, C_inv, m->A);
    return 0;
}

static real root_of(real square)
{
    real x = (real)1;
    while (x * x > 4 * square) x /= 2;
    while (4 * x * x < square) x *= 2;
    for (int i = 0; i < 8; i++) x = (x + square / x) / 2;
    return x;
}

static void principal_vectors(starting_matrices *m, real mu, real_matrix C)
{
    int s = m->s;
    real t[STAGES_MAX], next[STAGES_MAX];
    for (int i = 0; i < s; i++) t[i] = C[i][s - 1];
    for (int k = 0; k < s; k++) {
        real square = 0;
        for (int i = 0; i < s; i++) square += t[i] * t[i];
        real length = root_of(square);
        if (k > 0) m->lower[k - 1] = length;
        for (int i = 0; i < s; i++) m->T[i][k] = t[i] /= length;
        for (int i = 0; i < s; i++) {
            next[i] = -t[i] / mu;
            for (int j = 0; j < s; j++) next[i] += m->A_inv[i][j] * t[j];
        }
        memcpy(t, next, sizeof t);
    }
}

int keel_starting_procedure(int order, const double *c, double mu, double *A, double *B)
{
    real_matrix C;
    if (order < 1 || order >= STAGES_MAX || !c || !A || !B) return KEEL_BAD_ARGUMENT;
    starting_matrices m = {.s = order + 1};
    if (!(mu > 0 || mu < 0) || mu - mu != 0) return KEEL_BAD_ARGUMENT;
    for (int i = 0; i < m.s; i++) {
        if (c[i] - c[i] != 0) return KEEL_BAD_ARGUMENT;
        for (int j = 0; j < i; j++)
            if (c[i] == c[j]) return KEEL_BAD_ARGUMENT;
        m.c[i] = c[i];
    }
    if (procedure(&m, mu, C)) return KEEL_BAD_ARGUMENT;
    for (int i = 0; i < m.s; i++)
        for (int j = 0; j < m.s; j++) {
            A[i * m.s + j] = (double)m.A[i][j];
            B[i * m.s + j] = (double)m.B[i][j];
        }
    return KEEL_OK;
}

/* ---- for integrators ----------------------------------------------------------------------- */

/* mu with the smallest |A| |A^-1| |T| |T^-1| (row sum norms) for equidistant nodes, among multiples
 * of 1/100: the condition of the stage equations times that of their transformation.  |A| is then
 * at most 4 up to order 5 and 500 for order 8; the product grows from 4 for order 1 over 1.4e4 for
 * order 4 to 7.6e9 for order 8. */
static const double mu_hundredths[STARTING_ORDER_MOST] = {100, 50, 25, 25, 16, 18, 14, 15};

static void compute(starting_matrices *m, real mu)
{
    int s = m->s;
    real_matrix C;
    for (int i = 0; i < s; i++) m->c[i] = (real)i / (s - 1);
    procedure(m, mu, C);
    real_invert(s, m->A, m->A_inv);
    multiply(s, m->B, m->A_inv, m->B_A_inv);
    principal_vectors(m, mu, C);
    real_invert(s, m->T, m->T_inv);
    for (int i = 0; i < s; i++) {
        m->at_start[i] = i == 0;
        for (int j = 0; j < s; j++) m->at_start[i] -= m->B_A_inv[i][j];
    }
}

static const double *rounded(arena *a, int count, const real *x)
{
    double *out = ARENA(a, double, count);
    for (int i = 0; out && i < count; i++) out[i] = (double)x[i];
    return out;
}

static const double *rounded_matrix(arena *a, int s, real_matrix m)
{
    double *out = ARENA(a, double, s * s);
    for (int i = 0; out && i < s * s; i++) out[i] = (double)m[i / s][i % s];
    return out;
}

int starting_computed(arena *a, int order, starting_data *out)
{
    starting_matrices m = {.s = order + 1};
    if (order < 1 || order > STARTING_ORDER_MOST) return KEEL_UNSUPPORTED;
    real mu = (real)mu_hundredths[order - 1] / 100;
    if (a->base) compute(&m, mu);
    *out = (starting_data){.order = order, .s = m.s, .mu = (double)mu};
    out->c = rounded(a, m.s, m.c);
    out->at_start = rounded(a, m.s, m.at_start);
    out->lower = rounded(a, m.s - 1, m.lower);
    out->A = rounded_matrix(a, m.s, m.A);
    out->A_inv = rounded_matrix(a, m.s, m.A_inv);
    out->B = rounded_matrix(a, m.s, m.B);
    out->B_A_inv = rounded_matrix(a, m.s, m.B_A_inv);
    out->T = rounded_matrix(a, m.s, m.T);
    out->T_inv = rounded_matrix(a, m.s, m.T_inv);
    return KEEL_OK;
}

int starting_method(arena *a, int order, starting_data *out)
{
    (void)a;
    if (order < 1 || order > STARTING_ORDER_MOST) return KEEL_UNSUPPORTED;
    int s = order + 1;
    const double *known = known_starting[order], *A = known + 3 * s - 1;
    *out = (starting_data){
        .order = order, .s = s, .mu = (double)((real)mu_hundredths[order - 1] / 100),
        .c = known, .at_start = known + s, .lower = known + 2 * s, .A = A, .A_inv = A + s * s,
        .B = A + 2 * s * s, .B_A_inv = A + 3 * s * s, .T = A + 4 * s * s, .T_inv = A + 5 * s * s};
    return KEEL_OK;
}
