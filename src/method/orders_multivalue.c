/* orders_multivalue.c -- the orders that theory predicts for multistep and general linear methods
 * on differential-algebraic equations, at constant step size and with starting values of that
 * order.
 *
 * Multistep, order p.  z of index 1 solves g at the new point: p.
 *   BDF       p in all components, index 0 to 3 [Brenan, Campbell & Petzold 1996, 3.2; HW96 VII.3];
 *             in index 3 lambda after the first k steps.  A projection moves v by O(h^p), which is
 *             O(h^(p-1)) in lambda of the formula.
 *   others    on index 2 errors of z obey sigma(E) z = ..., blocked (sigma - tau)(E) z = ...: they
 *             die out if all roots are inside the unit circle, and p is reached in y and z; blocked
 *             z + O(h^m), where tau has the root 1 m times, and y has min(p, m + 1) [Arevalo,
 *             Fuhrer & Soderlind 1996; Bendtsen & Thomsen 1999, theorem 5.1]: tau perturbs y along
 *             f_z, where the constraint holds it.  If f is nonlinear in z, f(y, z + O(h^m)) leaves
 *             the square of this error, O(h^(2m)), and m + 1 <= 2m.  They grow with a root outside.
 *             The trapezoidal rule, root -1, is Lobatto IIIA with two stages: errors alternate, and
 *             from consistent values it has order 2 in both.
 *   constrain-last replaces sigma by zeta^k for the whole of f_z z, an error O(h^m) along the
 *             manifold as well, where sigma - zeta^k has the root 1 m times: min(p, m) in y and z.
 *
 * General linear, order p, stage order q, A invertible, V power bounded, rho(M(inf)) < 1.
 *   index 1   z[n+1] = M(inf) z[n] + B A^-1 Z with Z of order q + 1: min(p, q + 1).
 *   index 2   theorem 3.25 of [Weiss 2007] for y: local errors O(h^(q+1)) across the manifold,
 *             O(h^(p+1)) along it: p.  Theorem 3.27 for z: O(h^r) with local errors O(h^(r+1)) in y
 *             and O(h^r) in z; Z has order q: min(p, q).
 *   index 3   one order less in lambda: p, p, p - 1 for p = q, as measured for the methods of
 *             [Weiss 2007, 4.3].
 * Where k is nonlinear in lambda the square of an error O(h^(p-1)) enters.  Multipliers that grow
 * by M(inf) spoil all; where rho(M(inf)) = 1 nothing is known.  From the hidden constraint they are
 * as good as the other unknowns.
 */
#include "method/orders.h"

#include <math.h>

#include "keel/solver.h"
#include "method/multistep.h"

static const double on_circle = 1e-8;            /* roots come out this close to it */

static void set_all(int order[3], int value)
{
    set_orders(order, value, value, value);
}

/* Index 3 with lambda of order p - 1. */
static void lose_one(int p, const keel_order_case *which, int order[3])
{
    int u = which->nonlinear ? smaller(p, 2 * (p - 1)) : p;
    set_orders(order, u, u, u == KEEL_ORDER_NONE ? KEEL_ORDER_NONE : p - 1);
}

/* ---- multistep ----------------------------------------------------------------------------- */

static int trapezoidal(const keel_multistep *f)
{
    return f->steps == 1 && fabs(f->beta[0] - f->beta[1]) <= on_circle * fabs(f->beta[1]);
}

/* Of z under constrain-last. */
static int order_of_difference(const keel_multistep *f)
{
    double difference[COEFFICIENTS], sum = 0;
    for (int j = 0; j <= f->steps; j++) sum += difference[j] = f->beta[j];
    difference[f->steps] -= sum;
    keel_multistep blocked = *f;
    blocked.blocking = KEEL_BLOCKED;
    blocked.gamma = difference;
    return multistep_order_z(&blocked);
}

static int index2(const keel_multistep *f, const keel_order_case *which, int order[3])
{
    double difference[COEFFICIENTS];
    complex_root largest;
    int last = f->blocking == KEEL_CONSTRAIN_LAST, p = f->order;
    set_all(order, KEEL_ORDER_UNKNOWN);
    multistep_sigma_tau(f, difference);
    if (largest_root(f->steps, difference, &largest)) return KEEL_NO_MEMORY;
    if (!last && largest.modulus > 1 + on_circle) {
        set_all(order, KEEL_ORDER_NONE);
    } else if (last) {                           /* which has to know f_z z from the rest of f */
        if (!which->nonlinear) set_all(order, smaller(p, order_of_difference(f)));
    } else if (largest.modulus < 1 - on_circle) {
        int z = multistep_order_z(f);
        set_orders(order, smaller(p, z + 1), smaller(p, z), 0);
    } else if (trapezoidal(f)) {
        set_all(order, p);
    }
    return KEEL_OK;
}

static void bdf_index3(int p, const keel_order_case *which, int order[3])
{
    set_all(order, p);
    if (which->projected) lose_one(p, which, order);
}

static int multistep_orders(const keel_multistep *f, const keel_order_case *which, int order[3])
{
    set_all(order, f->order);
    if (multistep_is_bdf(f) && which->index == 3) bdf_index3(f->order, which, order);
    if (which->index <= 1 || multistep_is_bdf(f)) return KEEL_OK;
    if (which->index == 2) return index2(f, which, order);
    set_all(order, KEEL_ORDER_UNKNOWN);
    return KEEL_OK;
}

/* ---- general linear ------------------------------------------------------------------------ */

static void general_orders_of(const keel_method *m, const keel_order_case *which, int order[3])
{
    int p = m->general.order, q = m->general.stage_order, index = which->index;
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
    } else if (p == q) {
        lose_one(p, which, order);
    } else {
        set_all(order, KEEL_ORDER_UNKNOWN);
    }
}

/* ---- all ----------------------------------------------------------------------------------- */

int multivalue_orders(const keel_method *m, const keel_order_case *which, int order[3])
{
    int index = which->index, rc = KEEL_OK;
    if (m->kind == KEEL_METHOD_MULTISTEP) rc = multistep_orders(&m->multistep, which, order);
    else general_orders_of(m, which, order);
    if (index == 0 || which->multipliers != KEEL_MULTIPLIERS_HIDDEN) return rc;
    if (index == 3) order[2] = smaller(order[0], order[1]);
    else order[1] = order[0];
    return rc;
}
