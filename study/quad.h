/* quad.h -- 34-digit numbers, linear systems, and collocation methods to that accuracy.
 *
 * Nodes are the zeros of P_s (Gauss), P_s - w P_(s-1) (Radau IIA: w = 1, Radau IA: w = -1) and
 * P_s - P_(s-2) (Lobatto); weights follow from B(s), matrices from C(s), Lobatto IIIC from C(s-1)
 * and a_i1 = b_1, Radau IA from D(s) [HW96 IV.5].  Diagonally implicit tables are taken as they
 * are: their 16 digits are enough for the orders they have.
 */
#ifndef KEEL_STUDY_QUAD_H
#define KEEL_STUDY_QUAD_H

#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/method.h"

typedef __float128 quad;

enum { QUAD_STAGES = 8, QUAD_UNKNOWNS = 7, QUAD_SYSTEM = QUAD_STAGES * QUAD_UNKNOWNS };

/* x := M^-1 x by Gaussian elimination with row interchanges; M [n n] is destroyed. */
static inline void quad_solve(int n, quad *M, quad *x)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsq(M[i * n + k]) > fabsq(M[pivot * n + k])) pivot = i;
        for (int j = k; j < n; j++) {
            quad swapped = M[k * n + j];
            M[k * n + j] = M[pivot * n + j];
            M[pivot * n + j] = swapped;
        }
        quad swapped = x[k];
        x[k] = x[pivot];
        x[pivot] = swapped;
        for (int i = k + 1; i < n; i++) {
            quad factor = M[i * n + k] / M[k * n + k];
            if (factor == 0) continue;
            for (int j = k + 1; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= M[k * n + j] * x[j];
        x[k] /= M[k * n + k];
    }
}

typedef struct quad_method {
    int s, explicit_first, stiffly_accurate;
    quad A[QUAD_STAGES][QUAD_STAGES], b[QUAD_STAGES], c[QUAD_STAGES];
    quad end[QUAD_STAGES];       /* b^T A^-1: multipliers are R(inf) z_n + sum end_i Z_i    */
    quad at_one[QUAD_STAGES];    /* the polynomial through the Z_i at the new point         */
    quad r_infinity;
} quad_method;

/* P_s(2 x - 1) */
static inline quad legendre(int s, quad x)
{
    quad before = 0, value = 1, y = 2 * x - 1;
    for (int k = 1; k <= s; k++) {
        quad next = ((2 * k - 1) * y * value - (k - 1) * before) / k;
        before = value;
        value = next;
    }
    return value;
}

typedef enum quad_family { TABLE, COLLOCATION, RADAU_IA, LOBATTO_IIIC } quad_family;

/* P_s - w P_(s-back) is the polynomial of the nodes. */
typedef struct quad_nodes { quad_family family; double w; int back; } quad_nodes;

static inline quad_nodes nodes_of(const char *name)
{
    const char *colon = strchr(name, ':');
    if (strncmp(name, "gauss", 5) == 0) return (quad_nodes){COLLOCATION, 0, 1};
    if (strncmp(name, "radau-ia-", 9) == 0) return (quad_nodes){RADAU_IA, -1, 1};
    if (strncmp(name, "radau-iia", 9) == 0) return (quad_nodes){COLLOCATION, 1, 1};
    if (strncmp(name, "lobatto-iiia", 12) == 0) return (quad_nodes){COLLOCATION, 1, 2};
    if (strncmp(name, "lobatto-iiic", 12) == 0) return (quad_nodes){LOBATTO_IIIC, 1, 2};
    if (colon) return (quad_nodes){COLLOCATION, strtod(colon + 1, NULL), 1};
    return (quad_nodes){TABLE, 0, 0};
}

/* Newton's method from 16 digits; the slope by differences is good enough to double them. */
static inline quad refine_node(int s, quad_nodes n, quad x)
{
    const quad delta = 1e-10;
    for (int k = 0; k < 4; k++) {
        quad value = legendre(s, x) - n.w * legendre(s - n.back, x);
        quad right = legendre(s, x + delta) - n.w * legendre(s - n.back, x + delta);
        quad left = legendre(s, x - delta) - n.w * legendre(s - n.back, x - delta);
        x -= value * 2 * delta / (right - left);
    }
    return x;
}

/* sum_j a_j c_j^(k-1) = c^k / k for the s - known last a_j, the first ones being known. */
static inline void integrate_to(const quad_method *m, quad c, int known, quad *a)
{
    int n = m->s - known;
    quad M[QUAD_STAGES * QUAD_STAGES], x[QUAD_STAGES];
    for (int k = 0; k < n; k++) {
        x[k] = powq(c, k + 1) / (k + 1);
        for (int j = 0; j < m->s; j++) {
            quad power = k == 0 ? 1 : powq(m->c[j], k);
            if (j < known) x[k] -= power * a[j];
            else M[k * n + j - known] = power;
        }
    }
    quad_solve(n, M, x);
    memcpy(a + known, x, (size_t)n * sizeof *x);
}

/* D(s): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k */
static inline void adjoint_column(quad_method *m, int j)
{
    quad M[QUAD_STAGES * QUAD_STAGES], x[QUAD_STAGES];
    for (int k = 0; k < m->s; k++) {
        x[k] = m->b[j] * (1 - powq(m->c[j], k + 1)) / (k + 1);
        for (int i = 0; i < m->s; i++)
            M[k * m->s + i] = m->b[i] * (k == 0 ? 1 : powq(m->c[i], k));
    }
    quad_solve(m->s, M, x);
    for (int i = 0; i < m->s; i++) m->A[i][j] = x[i];
}

static inline void family_matrix(quad_method *m, quad_family family)
{
    integrate_to(m, 1, 0, m->b);
    for (int i = 0; i < m->s; i++) {
        if (family == RADAU_IA) adjoint_column(m, i);
        if (family == COLLOCATION) integrate_to(m, m->c[i], 0, m->A[i]);
        if (family != LOBATTO_IIIC) continue;
        m->A[i][0] = m->b[0];
        integrate_to(m, m->c[i], 1, m->A[i]);
    }
}

/* b^T A^-1; the last unit vector for stiffly accurate methods. */
static inline void find_end(quad_method *m)
{
    int s = m->s;
    quad M[QUAD_STAGES * QUAD_STAGES];
    m->r_infinity = m->stiffly_accurate ? 0 : 1;
    for (int i = 0; i < s; i++) m->end[i] = m->stiffly_accurate ? i == s - 1 : m->b[i];
    if (m->stiffly_accurate) return;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) M[i * s + j] = m->A[j][i];
    quad_solve(s, M, m->end);
    for (int i = 0; i < s; i++) m->r_infinity -= m->end[i];
}

/* Lagrange polynomials; the last unit vector for stiffly accurate methods, c_s = 1. */
static inline void find_at_one(quad_method *m)
{
    for (int i = 0; i < m->s; i++) {
        m->at_one[i] = m->stiffly_accurate ? i == m->s - 1 : 1;
        for (int j = 0; j < m->s && !m->stiffly_accurate; j++)
            if (j != i) m->at_one[i] *= (1 - m->c[j]) / (m->c[i] - m->c[j]);
    }
}

/* Returns 0, or a keel status. */
static inline int quad_method_named(quad_method *m, const char *name)
{
    keel_method *method = NULL;
    int rc = keel_method_named(&method, name);
    *m = (quad_method){0};
    if (!rc) {
        const keel_tableau *t = keel_method_tableau(method);
        quad_nodes nodes = nodes_of(name);
        m->s = t->stages;
        for (int i = 0; i < m->s; i++) {
            m->c[i] = nodes.family ? refine_node(m->s, nodes, t->c[i]) : t->c[i];
            m->b[i] = t->b[i];
            for (int j = 0; j < m->s; j++) m->A[i][j] = t->A[i * m->s + j];
        }
        if (nodes.family) family_matrix(m, nodes.family);
        m->explicit_first = m->stiffly_accurate = 1;
        for (int j = 0; j < m->s; j++) {
            m->explicit_first &= fabsq(m->A[0][j]) < 1e-20;
            m->stiffly_accurate &= fabsq(m->A[m->s - 1][j] - m->b[j]) < 1e-15;
        }
        m->stiffly_accurate &= fabsq(m->c[m->s - 1] - 1) < 1e-10;
        find_end(m);
        find_at_one(m);
    }
    keel_method_free(method);
    return rc;
}

#endif
