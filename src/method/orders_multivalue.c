/* orders_multivalue.c -- the orders that theory predicts for multistep and general linear methods on
 * differential-algebraic equations, at constant step size and with starting values of that order.
 *
 * Multistep, order p.  z of index 1 solves g at the new point: p.
 *   BDF       p in all components, index 0 to 3 [Brenan, Campbell & Petzold 1996, 3.2; HW96 VII.3]; in
 *             index 3 lambda after the first k steps.
 *   others    on index 2 errors of z obey sigma(E) z = ..., blocked (sigma - tau)(E) z = ...: they
 *             die out if all roots are inside the unit circle, and p is reached in y and z; blocked
 *             z + O(h^m), where tau has the root 1 m times, and y has min(p, m + 1) [Arevalo, Fuhrer &
 *             Soderlind 1996; Bendtsen & Thomsen 1999, theorem 5.1], f linear in z.  They grow with a
 *             root outside.
 *             The trapezoidal rule, root -1, is Lobatto IIIA with two stages: errors alternate, and
 *             from consistent values it has order 2 in both.
 *
 * General linear, order p, stage order q, A invertible, V power bounded, rho(M(inf)) < 1.
 *   index 1   z[n+1] = M(inf) z[n] + B A^-1 Z with Z of order q + 1: min(p, q + 1).
 *   index 2   theorem 3.25 of [Weiss 2007] for y: local errors O(h^(q+1)) across the manifold, O(h^(p+1))
 *             along it: p.  Theorem 3.27 for z: O(h^r) with local errors O(h^(r+1)) in y and O(h^r) in z;
 *             Z has order q: min(p, q).
 *   index 3   one order less in lambda: p, p, p - 1 for p = q >= 2, as was measured for the methods 2 and
 *             3 of [Weiss 2007, 4.3].
 * Multipliers that grow by M(inf) spoil all; where rho(M(inf)) = 1 nothing is known.  From the hidden
 * constraint they are as good as the other unknowns.
 */
#include "method/orders.h"

#include <math.h>

#include "keel/solver.h"
#include "method/multistep.h"

static const double on_circle = 1e-8;            /* roots come out this close to it */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void set(int order[3], int first, int second, int third)
{
    order[0] = first;
    order[1] = second;
    order[2] = third;
}

static void set_all(int order[3], int value)
{
    set(order, value, value, value);
}

/* ---- multistep ----------------------------------------------------------------------------- */

static int trapezoidal(const keel_multistep *f)
{
    return f->steps == 1 && fabs(f->beta[0] - f->beta[1]) <= on_circle * fabs(f->beta[1]);
}

static int multistep_orders(const keel_multistep *f, const keel_order_case *which, int order[3])
{
    int index = which->index, linear_only = f->blocking == KEEL_BLOCKED && which->nonlinear;
    double difference[COEFFICIENTS];
    complex_root largest;
    set_all(order, f->order);
    if (index <= 1 || multistep_is_bdf(f)) return KEEL_OK;
    set_all(order, KEEL_ORDER_UNKNOWN);
    if (f->blocking == KEEL_CONSTRAIN_LAST) return KEEL_OK;
    multistep_sigma_tau(f, difference);
    if (largest_root(f->steps, difference, &largest)) return KEEL_NO_MEMORY;
    if (largest.modulus > 1 + on_circle) {
        set_all(order, KEEL_ORDER_NONE);
    } else if (index == 2 && largest.modulus < 1 - on_circle && !linear_only) {
        int z = multistep_order_z(f);
        set(order, smaller(f->order, z + 1), smaller(f->order, z), 0);
    } else if (index == 2 && f->blocking == KEEL_CONSTRAIN_FIRST && trapezoidal(f)) {
        set_all(order, f->order);
    }
    return KEEL_OK;
}

/* ---- general linear ------------------------------------------------------------------------ */

static void general_orders_of(const keel_method *m, int index, int order[3])
{
    int p = m->general.order, q = m->general.stage_order;
    double rho = m->r_infinity;
    set_all(order, p);
    if (index == 0) return;
    if (rho > 1 + on_circle) {
        set_all(order, KEEL_ORDER_NONE);
        if (index == 1) order[0] = p;            /* which does not need the z of the last step */
    } else if (!(rho < 1 - on_circle)) {
        set_all(order, KEEL_ORDER_UNKNOWN);
        if (index == 1) order[0] = p;
    } else if (index == 1) {
        order[1] = smaller(p, q + 1);
    } else if (index == 2) {
        order[1] = smaller(p, q);
    } else if (p == q && p >= 2) {
        order[2] = p - 1;
    } else {
        set_all(order, KEEL_ORDER_UNKNOWN);
    }
}

/* ---- all ----------------------------------------------------------------------------------- */

int multivalue_orders(const keel_method *m, const keel_order_case *which, int order[3])
{
    int index = which->index, rc = KEEL_OK;
    if (m->kind == KEEL_METHOD_MULTISTEP) rc = multistep_orders(&m->multistep, which, order);
    else general_orders_of(m, index, order);
    if (index == 0 || which->multipliers != KEEL_MULTIPLIERS_HIDDEN) return rc;
    if (index == 3) order[2] = smaller(order[0], order[1]);
    else order[1] = order[0];
    return rc;
}
