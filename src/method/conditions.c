/* conditions.c -- simplifying assumptions, order and error constant [HW96 IV.5].
 *
 *     B(p): sum_i b_i c_i^(k-1) = 1/k,   C(q): sum_j a_ij c_j^(k-1) = c_i^k/k,
 *     D(r): sum_i b_i c_i^(k-1) a_ij = b_j/k (1 - c_j^k)      for k = 1 .. p, q, r.
 * They say that b integrates all polynomials of degree k - 1 over [0,1], A over [0,c_i], and so on.
 * Here the polynomials are the Legendre polynomials P_k on [0,1], with
 *     int_0^x P_k = (P_(k+1) - P_(k-1)) / (2(2k+1)),
 * because a violated condition then shows by a residual of the size of its terms; with powers it
 * drowns in rounding from about 12 stages on.
 *
 * B(p), C(q), D(r) with p <= q + r + 1 and p <= 2q + 2 give order p [HW96 IV.5 theorem 5.1]; what
 * they leave open is decided by the trees.
 */
#include "method/conditions.h"

#include <math.h>
#include <stdio.h>

enum { S = KEEL_STAGES_MOST, DEGREES = 2 * S + 2 };

typedef long double real;

typedef struct nodes {
    int s;
    real tolerance;
    const double *A, *b, *c;
    real P[S][DEGREES], slope[S][DEGREES];       /* P_k(c_i) and its derivative              */
} nodes;

static void legendre(int degrees, real x, real *P, real *slope)
{
    P[0] = 1;
    slope[0] = 0;
    P[1] = 2 * x - 1;
    slope[1] = 2;
    for (int k = 1; k + 1 < degrees; k++) {
        P[k + 1] = ((2 * k + 1) * (2 * x - 1) * P[k] - k * P[k - 1]) / (k + 1);
        slope[k + 1] = slope[k - 1] + 2 * (2 * k + 1) * P[k];
    }
}

/* int_0^(c_i) P_k */
static real integral(const nodes *n, int i, int k)
{
    return k == 0 ? n->c[i] : (n->P[i][k + 1] - n->P[i][k - 1]) / (2 * (2 * k + 1));
}

/* What P_k(c_i) can lose, in units of the rounding of c_i, besides its own magnitude. */
static real magnitude(const nodes *n, int i, int k)
{
    return fabsl(n->P[i][k]) + fabsl(n->c[i] * n->slope[i][k]);
}

static int vanishes(const nodes *n, real residual, real size)
{
    return fabsl(residual) <= n->tolerance * size;
}

/* ---- the assumptions ----------------------------------------------------------------------- */

/* sum_i b_i P_k(c_i) - int_0^1 P_k */
static real quadrature_defect(const nodes *n, int k, real *size)
{
    real sum = k == 0 ? -1 : 0;
    *size = -sum;
    for (int i = 0; i < n->s; i++) {
        sum += n->b[i] * n->P[i][k];
        *size += fabsl(n->b[i] * magnitude(n, i, k));
    }
    return sum;
}

static int holds_B(const nodes *n, int k)
{
    real size, defect = quadrature_defect(n, k, &size);
    return vanishes(n, defect, size);
}

static int holds_C(const nodes *n, int k)
{
    for (int i = 0; i < n->s; i++) {
        real sum = -integral(n, i, k), size = fabsl(sum) + fabsl(n->c[i] * n->P[i][k]);
        for (int j = 0; j < n->s; j++) {
            sum += n->A[i * n->s + j] * n->P[j][k];
            size += fabsl(n->A[i * n->s + j] * magnitude(n, j, k));
        }
        if (!vanishes(n, sum, size)) return 0;
    }
    return 1;
}

static int holds_D(const nodes *n, int k)
{
    for (int j = 0; j < n->s; j++) {
        real rest = (k == 0) - integral(n, j, k);
        real sum = -n->b[j] * rest, size = fabsl(sum) + fabsl(n->b[j] * n->c[j] * n->P[j][k]);
        for (int i = 0; i < n->s; i++) {
            real weight = (real)n->b[i] * n->A[i * n->s + j];
            sum += weight * n->P[i][k];
            size += fabsl(weight * magnitude(n, i, k));
        }
        if (!vanishes(n, sum, size)) return 0;
    }
    return 1;
}

static int count(const nodes *n, int (*holds)(const nodes *, int), int most)
{
    int k = 0;
    while (k < most && holds(n, k)) k++;
    return k;
}

/* ---- order --------------------------------------------------------------------------------- */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Beyond the trees the bushy one of order p + 1, [t,t,...,t], is the quadrature. */
static void report_quadrature(const nodes *n, int p, order_defect *failed)
{
    real sum = -1 / (real)(p + 1);
    for (int i = 0; i < n->s; i++) sum += n->b[i] * powl(n->c[i], p);
    failed->defect = (double)sum;
    snprintf(failed->tree, sizeof failed->tree, "[t^%d]", p);
}

/* 1/(p+1)! - b^T A^p 1.  With C(q) and D(r), q + r = p, it is the quadrature of
 * x^q/q! (1-x)^r/r!, whose error is that of the leading power: the defect of P_p divided by its
 * leading coefficient (2p)!/p!^2.  So large methods keep their digits. */
static real error_constant(const nodes *n, const order_conditions *o)
{
    int p = o->order, s = n->s;
    if (o->B >= p && o->C + o->D >= p && p + 1 < DEGREES) {
        int q = smaller(o->C, p), r = p - q;
        real size, factor = r % 2 ? 1 : -1;
        for (int k = 2; k <= q; k++) factor /= k;
        for (int k = 2; k <= r; k++) factor /= k;
        for (int k = 1; k <= p; k++) factor *= k / (real)(p + k);
        return factor * quadrature_defect(n, p, &size);
    }
    real v[S], next[S], sum = 0, size = 0, exact = 1;
    for (int i = 0; i < s; i++) v[i] = 1;
    for (int k = 1; k <= p + 1; k++) {
        exact /= k;
        sum = size = 0;
        for (int i = 0; i < s; i++) {
            sum += n->b[i] * v[i];
            size += fabsl(n->b[i] * v[i]);
            next[i] = 0;
            for (int j = 0; j < s; j++) next[i] += n->A[i * s + j] * v[j];
        }
        for (int i = 0; i < s; i++) v[i] = next[i];
    }
    return vanishes(n, exact - sum, exact + size) ? 0 : exact - sum;
}

order_conditions find_order_within(double tolerance, const keel_tableau *tableau, const double *b)
{
    nodes n = {.s = tableau->stages, .tolerance = tolerance, .A = tableau->A, .b = b,
               .c = tableau->c};
    order_conditions o = {0};
    for (int i = 0; i < n.s; i++) legendre(2 * n.s + 2, n.c[i], n.P[i], n.slope[i]);
    o.B = count(&n, holds_B, 2 * n.s);
    int rosenbrock = tableau->A_explicit != NULL;           /* the trees decide alone */
    o.C = rosenbrock ? 1 : count(&n, holds_C, n.s);
    o.D = rosenbrock ? 0 : count(&n, holds_D, n.s);
    int p = rosenbrock ? 0 : smaller(o.B, smaller(o.C + o.D + 1, 2 * o.C + 2));
    if (p >= TREE_ORDER_MAX) {
        o.order = p;
        if (p == o.B) report_quadrature(&n, p, &o.failed);
    } else {
        o.order = order_by_trees(tableau, b, p, tolerance, &o.failed);
    }
    if (o.order >= 0) o.error_constant = (double)error_constant(&n, &o);
    return o;
}

order_conditions find_order(const keel_tableau *tableau, const double *b)
{
    return find_order_within(CONDITION_TOLERANCE, tableau, b);
}
