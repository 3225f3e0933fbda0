/* orders.c -- the orders that theory predicts for Runge-Kutta methods on differential-algebraic
 * equations; orders_multivalue.c has those of the others.
 *
 * From B(p), C(q), D(r), stiff accuracy (a_si = b_i) and R(inf), at constant step size:
 *   index 1    [HLR89 theorems 3.1-3.4], [HW96 VI.1 theorem 1.1]
 *   index 2    [HLR89 section 4], [HW96 VII.4 theorems 4.5, 4.6, table 4.1]; projected: Ascher &
 *              Petzold, SIAM J. Numer. Anal. 28 (1991) 1097, Lubich, BIT 31 (1991) 545
 *   index 3    [HLR89 section 6], Jay, BIT 33 (1993) 137; projected: Schropp, Konstanzer
 *              Schriften in Mathematik und Informatik 191 (2003) and 226
 * Multipliers follow z_(n+1) = R(inf) z_n + ..., so that their errors, and what differentiating
 * the constraint makes of them, die out for |R(inf)| < 1, alternate for -1 and add up for +1; or
 * they are solved from the hidden constraint and are as good as the other unknowns.
 * A quadratic term in the multipliers' error, h^(2(q-1)) in index 3, is there only where the
 * equations are nonlinear in them.  "None" and order 0 are one: no convergence.
 */
#include "method/method.h"

#include <math.h>

#include "keel/solver.h"
#include "method/conditions.h"
#include "method/orders.h"
#include "method/stability.h"

/* How errors of the multipliers propagate. */
typedef enum damping { DAMPED, ALTERNATING, CONSTANT, GROWING, NOT_KNOWN } damping;

typedef struct facts {
    const keel_method *method;
    int p, q, r, stiffly_accurate;
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

/* ---- index 1 ------------------------------------------------------------------------------- */

static void index1(const facts *f, const keel_order_case *which, int order[3])
{
    int z = f->p;
    if (by_recursion(which) && !f->stiffly_accurate)
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

static void index2(const facts *f, const keel_order_case *which, int order[3])
{
    int p = f->p, q = f->q, constant = f->damping == CONSTANT;
    int on_manifold = which->projected || f->stiffly_accurate;
    int y = on_manifold ? projected_index2(f, which) : smaller(p, constant ? q : q + 1);
    int z = constant ? q - 1 : q;
    if (!on_manifold && f->damping != DAMPED) z--;
    set_orders(order, y, by_recursion(which) ? at_least_none(z) : y, 0);
}

/* ---- index 3 ------------------------------------------------------------------------------- */

/* Without projection, k linear in lambda. */
static void plain_index3(const facts *f, int order[3])
{
    int p = f->p, q = f->q, r = f->r;
    if (f->stiffly_accurate)
        switch (f->damping) {
        case DAMPED: set_orders(order, smaller(p, q + r), q, at_least_none(q - 1)); break;
        case ALTERNATING: set_orders(order, smaller(p, q + r), q, at_least_none(q - 2)); break;
        default:
            set_orders(order, at_least_none(smaller(p, q + r) - 2), q - 1, at_least_none(q - 3));
            break;
        }
    else
        switch (f->damping) {
        case DAMPED: set_orders(order, smaller(p, q + 1), q, at_least_none(q - 1)); break;
        case ALTERNATING:
            set_orders(order, smaller(p, q + 1), at_least_none(q - 1), at_least_none(q - 3)); break;
        default:
            set_orders(order, smaller(p, q), at_least_none(q - 2), at_least_none(q - 4));
            break;
        }
}

/* The square of the multipliers' error enters; where they do not converge, nothing does.  Of the
 * methods that do not damp it, those that are not stiffly accurate may cancel it in part. */
static void nonlinear_index3(const facts *f, int order[3])
{
    int quadratic = 2 * order[2], cancelling = !f->stiffly_accurate && f->damping != DAMPED;
    for (int i = 0; i < 2; i++)
        if (quadratic < order[i]) order[i] = cancelling ? KEEL_ORDER_UNKNOWN : quadratic;
}

/* With R(inf) = +1, multipliers by the recursion lose an order; so does a stiffly accurate method
 * that takes the slope of its first stage from them. */
static void projected_index3(const facts *f, const keel_order_case *which, int order[3])
{
    int q = f->q, u = f->stiffly_accurate ? smaller(f->p, q + f->r) : smaller(f->p, q);
    int adding_up = by_recursion(which) && f->damping == CONSTANT;
    if (which->nonlinear) u = at_least_none(smaller(u, 2 * q - 2));
    if (f->stiffly_accurate && adding_up) u = at_least_none(u - 1);
    set_orders(order, u, u,
               u == KEEL_ORDER_NONE ? KEEL_ORDER_NONE : at_least_none(q - 1 - adding_up));
}

static void index3(const facts *f, const keel_order_case *which, int order[3])
{
    /* The implicit Euler method is also the BDF of order 1, whose multipliers converge after the
     * first step [Loetstedt & Petzold 1986] unless a projection comes between. */
    if (f->stiffly_accurate && f->method->tableau.stages == 1 && !which->projected) {
        set_orders(order, 1, 1, 1);
        return;
    }
    if (which->projected) {
        projected_index3(f, which, order);
    } else {
        plain_index3(f, order);
        if (which->nonlinear) nonlinear_index3(f, order);
    }
    if (!by_recursion(which)) order[2] = smaller(order[0], order[1]);   /* or unknown */
}

/* Multipliers at the end of the polynomial through the stages, whose values are of order q + 1, q
 * and q - 1 for index 1, 2 and 3 [Ascher & Petzold 1991, theorem 4]; errors of earlier steps do not
 * enter unless they make v worse. */
static void polynomial_multipliers(const facts *f, const keel_order_case *which, int order[3])
{
    int group = which->index == 3 ? 2 : 1, values = f->q + 2 - which->index;
    int known = which->index < 3 || which->projected || f->damping == DAMPED;
    if (order[0] <= KEEL_ORDER_NONE) return;
    values = smaller(values, f->method->tableau.stages);
    order[group] = known ? at_least_none(values) : KEEL_ORDER_UNKNOWN;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* State-space form for index 1, the index-1 form for mechanical systems, with half-explicit methods
 * the index-2 form: all unknowns as accurate as the state. */
static void explicit_orders(const facts *f, int index, int order[3])
{
    int half = f->method->kind == KEEL_METHOD_HALF_EXPLICIT, p = f->p;
    if (index >= 2 && half) p = f->method->tableau.order_index2;
    if (p == 0 || (index == 2 && !half)) p = KEEL_ORDER_UNKNOWN;
    set_orders(order, p, p, p);
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

/* Runge-Kutta methods.  Nonzero: no memory. */
static int runge_kutta_orders(const keel_method *method, const keel_order_case *which, int order[3])
{
    order_conditions o = find_order(&method->tableau, method->tableau.b);
    if (o.order < 0) return KEEL_NO_MEMORY;
    facts f = {.method = method, .p = o.order, .q = smaller(o.B, o.C), .r = o.D,
               .stiffly_accurate = method->stiffly_accurate, .damping = damping_of(method)};
    keel_order_case chosen = *which;
    int polynomial = which->multipliers == KEEL_MULTIPLIERS_POLYNOMIAL;
    if (polynomial && f.stiffly_accurate)                /* the last stage, by either name */
        chosen.multipliers = KEEL_MULTIPLIERS_RECURSION;
    if (method->kind >= KEEL_METHOD_DIAGONAL) implicit_orders(&f, &chosen, order);
    else explicit_orders(&f, which->index, order);
    if (method->kind >= KEEL_METHOD_DIAGONAL && polynomial && !f.stiffly_accurate
        && which->index > 0)
        polynomial_multipliers(&f, which, order);
    return KEEL_OK;
}

int keel_method_orders(const keel_method *method, const keel_order_case *which, int order[3])
{
    static const int groups[] = {1, 2, 2, 3};
    if (!method || !method->block || !which || !order) return 0;
    if (which->index < 0 || which->index > 3) return 0;
    int rc = method->kind < KEEL_METHOD_MULTISTEP ? runge_kutta_orders(method, which, order)
           : multivalue_orders(method, which, order);
    if (rc) return 0;
    for (int i = groups[which->index]; i < 3; i++) order[i] = KEEL_ORDER_NONE;
    return groups[which->index];
}
