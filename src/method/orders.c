/* orders.c -- the orders that theory predicts for Runge-Kutta methods on differential-algebraic
 * equations; orders_multivalue.c, orders_half_explicit.c and orders_rosenbrock.c have those of the
 * others.
 *
 * From B(p), C(q), D(r), stiff accuracy (a_si = b_i) and R(inf), at constant step size:
 *   index 1    [HLR89 theorems 3.1-3.4], [HW96 VI.1 theorem 1.1]
 *   index 2    [HLR89 section 4], [HW96 VII.4 theorems 4.5, 4.6, table 4.1]; projected: Ascher &
 *              Petzold, SIAM J. Numer. Anal. 28 (1991) 1097, Lubich, BIT 31 (1991) 545
 *   index 3    [HLR89 section 6], Jay, BIT 33 (1993) 137; projected: Schropp, Konstanzer
 *              Schriften in Mathematik und Informatik 191 (2003) and 226
 * Multipliers follow z_(n+1) = R(inf) z_n + ..., so that their errors, and what differentiating
 * the constraint makes of them, die out for |R(inf)| < 1, alternate for -1 and add up for +1; or
 * they are solved from the hidden constraint and are as good as the other unknowns; or they are
 * the end of the polynomial through the stages, which do not know the multipliers of the step
 * before.  Where the first stage is explicit its slope does: there they act on all unknowns.
 * Where the equations are nonlinear in the multipliers, the square of the error of those of the
 * stages enters, and, if the method is not stiffly accurate, their own at the new point: it turns
 * the direction of the projection.  "None" and order 0 are one: no convergence.
 */
#include "method/method.h"

#include <math.h>

#include "keel/solver.h"
#include "method/conditions.h"
#include "method/orders.h"
#include "method/real.h"
#include "method/stability.h"

static const double exactness = 1e-10;           /* of a sum that should vanish */

/* How errors of the multipliers propagate. */
typedef enum damping { DAMPED, ALTERNATING, CONSTANT, GROWING, NOT_KNOWN } damping;

typedef struct facts {
    const keel_method *method;
    int p, q, r, stiffly_accurate, explicit_first;
    int exact_end;               /* see end_is_exact                                         */
    damping damping;
} facts;

static int at_least_none(int order)
{
    return order < KEEL_ORDER_NONE ? KEEL_ORDER_NONE : order;
}

static int by_recursion(const keel_order_case *which)
{
    return which->multipliers == KEEL_MULTIPLIERS_RECURSION;
}

/* Implicit Euler with its node at 0, Radau IA with one stage: what it finds is what implicit Euler
 * found a step before, all of it O(h) off -- until a projection comes between. */
static int late_euler(const facts *f)
{
    const keel_tableau *t = &f->method->tableau;
    return t->stages == 1 && t->A[0] == 1 && t->b[0] == 1 && t->c[0] == 0;
}

/* ---- index 1 ------------------------------------------------------------------------------- */

/* z is solved from g where projection is allowed to.  Stages are of order q + 1, and interpolated
 * to the new point of order s at most. */
static void index1(const facts *f, const keel_order_case *which, int order[3])
{
    int z = f->p, hidden = which->projected && which->multipliers != KEEL_MULTIPLIERS_POLYNOMIAL
                           && !by_recursion(which);
    if (which->multipliers == KEEL_MULTIPLIERS_POLYNOMIAL && !f->stiffly_accurate)
        z = smaller(f->p, smaller(f->q + 1, f->method->tableau.stages));
    else if (!hidden && !f->stiffly_accurate)
        switch (f->damping) {
        case DAMPED: case ALTERNATING: z = smaller(f->p, f->q + 1); break;
        case CONSTANT: z = at_least_none(smaller(f->p - 1, f->q)); break;
        case GROWING: z = KEEL_ORDER_NONE; break;
        case NOT_KNOWN: z = KEEL_ORDER_UNKNOWN; break;
        }
    set_orders(order, f->p, z, 0);
}

/* ---- index 2 ------------------------------------------------------------------------------- */

/* On the manifold, at least; the term in 2q comes from second derivatives of f with respect to z,
 * and from f_z, the direction of projection, at a z of order q - 1 one worse. */
static int projected_index2(const facts *f, const keel_order_case *which)
{
    int rough = !f->stiffly_accurate && by_recursion(which) && f->damping == CONSTANT;
    int quadratic = which->nonlinear ? 2 * f->q - rough : 2 * f->q + 1;
    return smaller(f->p, smaller(quadratic, f->q + f->r + 1));
}

/* z of the stages is of order q [Ascher & Petzold 1991, theorem 4], no better than g(y_n) / h. */
static void index2(const facts *f, const keel_order_case *which, int order[3])
{
    int p = f->p, q = f->q, constant = f->damping == CONSTANT;
    int on_manifold = which->projected || f->stiffly_accurate;
    int y = on_manifold ? projected_index2(f, which) : smaller(p, constant ? q : q + 1);
    int z = constant ? q - 1 : q;
    if (!on_manifold && f->damping != DAMPED) z--;
    if (!on_manifold && late_euler(f)) y = z = 1;
    else if (which->multipliers == KEEL_MULTIPLIERS_POLYNOMIAL && !f->stiffly_accurate)
        z = on_manifold ? q : smaller(q, y - 1);
    else if (!by_recursion(which)) z = y;
    set_orders(order, y, at_least_none(z), 0);
}

/* ---- index 3 ------------------------------------------------------------------------------- */

/* Without projection, k linear in lambda, by the recursion; where the first stage is explicit,
 * better multipliers make u better. */
static void plain_index3(const facts *f, const keel_order_case *which, int order[3])
{
    int p = f->p, q = f->q, u = smaller(p, q + f->r);
    if (f->stiffly_accurate)
        switch (f->damping) {
        case DAMPED: set_orders(order, u, q, q - 1); break;
        case ALTERNATING: set_orders(order, u, q, q - 2); break;
        default: set_orders(order, u - (by_recursion(which) ? 2 : 1), q - 1, q - 3); break;
        }
    else
        switch (f->damping) {
        case DAMPED: set_orders(order, smaller(p, q + 1), q, q - 1); break;
        case ALTERNATING: set_orders(order, smaller(p, q + 1), q - 1, q - 3); break;
        default: set_orders(order, smaller(p, q), q - 2, q - 4); break;
        }
}

/* With R(inf) = +1, multipliers by the recursion lose an order; so does a stiffly accurate method
 * that takes the slope of its first stage from them. */
static void projected_index3(const facts *f, const keel_order_case *which, int order[3])
{
    int q = f->q, u = f->stiffly_accurate ? smaller(f->p, q + f->r) : smaller(f->p, q);
    int adding_up = by_recursion(which) && f->damping == CONSTANT;
    if (f->stiffly_accurate && adding_up) u--;
    set_orders(order, u, u, smaller(u, q - 1 - adding_up + f->exact_end));
}

/* The square of the error of the stages' multipliers, that of v over h.  Turned by an error of
 * lambda, the direction in which v is moved by O(h^q) leaves that much times O(h^q) within the
 * manifold. */
static int nonlinear_index3(const facts *f, const keel_order_case *which, const int order[3])
{
    int v = which->projected ? f->q : order[1], stages = v - 1, limit;
    if (f->explicit_first && by_recursion(which)) stages = smaller(stages, order[2]);
    limit = 2 * stages;
    if (which->projected && !f->stiffly_accurate && by_recursion(which))
        limit = smaller(limit, f->q + order[2] - 1);
    return limit;
}

static void index3(const facts *f, const keel_order_case *which, int order[3])
{
    /* The implicit Euler method is also the BDF of order 1, whose multipliers converge after the
     * first step [Loetstedt & Petzold 1986] unless a projection comes between; late by a step, it
     * begins with multipliers O(1/h). */
    int late = late_euler(f);
    if (f->method->tableau.stages == 1 && (f->stiffly_accurate || late) && !which->projected) {
        int known = late && which->nonlinear ? KEEL_ORDER_NONE : 1;
        set_orders(order, known, known, known);
        return;
    }
    if (which->projected) projected_index3(f, which, order);
    else plain_index3(f, which, order);
    int limit = which->nonlinear ? nonlinear_index3(f, which, order) : f->p;
    for (int i = 0; i < 2; i++) order[i] = at_least_none(smaller(order[i], limit));
    if (which->multipliers == KEEL_MULTIPLIERS_POLYNOMIAL && !f->stiffly_accurate)
        order[2] = (which->projected ? f->q : order[1]) - 1;
    else if (!by_recursion(which)) order[2] = smaller(order[0], order[1]);
    order[2] = limit <= 0 ? KEEL_ORDER_NONE : at_least_none(order[2]);
}

/* ---- all ----------------------------------------------------------------------------------- */

/* State-space form for index 1, the index-1 form for mechanical systems: all unknowns as accurate
 * as the state. */
static void explicit_orders(const facts *f, const keel_order_case *which, int order[3])
{
    int p = which->index == 2 ? KEEL_ORDER_UNKNOWN : f->p;
    set_orders(order, p, p, p);
}

/* The index-2 form; multipliers of the last stage or from the hidden constraint, and no polynomial.
 * Nonzero: no memory. */
static int half_explicit_orders(const keel_tableau *t, const keel_order_case *which, int order[3])
{
    int p = t->order_index2, z = p;
    set_orders(order, KEEL_ORDER_UNKNOWN, KEEL_ORDER_UNKNOWN, KEEL_ORDER_UNKNOWN);
    if (p == 0 || which->multipliers == KEEL_MULTIPLIERS_POLYNOMIAL)
        return KEEL_OK;
    if (by_recursion(which) && half_explicit_order_z(t, &z)) return KEEL_NO_MEMORY;
    z = smaller(p, z);
    set_orders(order, p, which->index == 2 ? z : p, z);
    return KEEL_OK;
}

static void implicit_orders(const facts *f, const keel_order_case *which, int order[3])
{
    if (which->index == 0) {
        set_orders(order, f->p, 0, 0);
    } else if (which->index == 1) {
        index1(f, which, order);
    } else if (f->damping == GROWING) {
        set_orders(order, KEEL_ORDER_NONE, KEEL_ORDER_NONE, KEEL_ORDER_NONE);
    } else if (f->damping == NOT_KNOWN || f->p == 0) {
        set_orders(order, KEEL_ORDER_UNKNOWN, KEEL_ORDER_UNKNOWN, KEEL_ORDER_UNKNOWN);
    } else if (which->index == 2) {
        index2(f, which, order);
    } else {
        index3(f, which, order);
    }
}

static damping damping_of(const keel_method *m)
{
    double r = r_infinity_of(&m->tableau);
    if (isnan(r) || !stages_invertible(&m->tableau)) return NOT_KNOWN;
    if (m->explicit_first && !m->stiffly_accurate) return NOT_KNOWN;
    return r == 1 ? CONSTANT : r == -1 ? ALTERNATING : fabs(r) < 1 ? DAMPED : GROWING;
}

/* Where y_n is on the manifold, the multipliers of the stages of index 3 are
 *   L - lambda = -h^(q-1) A^-2 d w + O(h^q),   d_i = sum_j a_ij c_j^q - c_i^(q+1) / (q+1),
 * because g = 0 makes the error of V  -h^q A^-1 d w, and its difference from v_n is h A L.  If the
 * last of them vanishes, as it does for TR-BDF2, lambda has the order q.  (An explicit first stage
 * is left out of A; c_1 = 0 there.) */
static int end_is_exact(const facts *f)
{
    const keel_tableau *t = &f->method->tableau;
    const int s = t->stages, first = f->explicit_first, n = s - first;
    real_matrix A = {{0}}, inverse;
    double d[STAGES_MAX], sum = 0, size = 0;
    if (!f->stiffly_accurate || f->damping != DAMPED || n > STAGES_MAX) return 0;
    for (int i = 0; i < n; i++) {
        d[i] = -pow(t->c[i + first], f->q + 1) / (f->q + 1);
        for (int j = 0; j < n; j++) {
            double a = t->A[(i + first) * s + j + first];
            A[i][j] = a;
            d[i] += a * pow(t->c[j + first], f->q);
        }
    }
    if (real_invert(n, A, inverse)) return 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double term = (double)(inverse[n - 1][i] * inverse[i][j]) * d[j];
            sum += term;
            size += fabs(term);
        }
    return fabs(sum) <= exactness * size;
}

/* Runge-Kutta methods.  Nonzero: no memory. */
static int runge_kutta_orders(const keel_method *method, const keel_order_case *which, int order[3])
{
    int half_explicit = method->kind == KEEL_METHOD_HALF_EXPLICIT;
    if (method->kind == KEEL_METHOD_ROSENBROCK) return rosenbrock_orders(method, which, order);
    if (half_explicit && which->index > 1)
        return half_explicit_orders(&method->tableau, which, order);
    order_conditions o = find_order(&method->tableau, method->tableau.b);
    if (o.order < 0) return KEEL_NO_MEMORY;
    facts f = {.method = method, .p = o.order, .q = smaller(o.B, o.C), .r = o.D,
               .stiffly_accurate = method->stiffly_accurate,
               .explicit_first = method->explicit_first, .damping = damping_of(method)};
    if (method->kind == KEEL_METHOD_EXPLICIT || half_explicit) {
        explicit_orders(&f, which, order);
        return KEEL_OK;
    }
    keel_order_case chosen = *which;
    if (which->multipliers == KEEL_MULTIPLIERS_POLYNOMIAL && f.stiffly_accurate)
        chosen.multipliers = KEEL_MULTIPLIERS_RECURSION;     /* the last stage, by either name */
    f.exact_end = end_is_exact(&f);
    implicit_orders(&f, &chosen, order);
    return KEEL_OK;
}

int keel_method_orders(const keel_method *method, const keel_order_case *which, int order[3])
{
    static const int groups[] = {1, 2, 2, 3};
    if (!method || !method->block || !which || !order) return 0;
    if (which->index < 0 || which->index > 3) return 0;
    int rc = !kind_carries_values(method->kind) ? runge_kutta_orders(method, which, order)
           : multivalue_orders(method, which, order);
    if (rc) return 0;
    for (int i = groups[which->index]; i < 3; i++) order[i] = KEEL_ORDER_NONE;
    return groups[which->index];
}
