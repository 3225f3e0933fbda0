/* claims.c -- claimed orders against the order conditions [HNW93 II.2].
 *
 * An order p is refused if Phi(t) = 1/gamma(t) fails for a tree t of at most p vertices.  Trees are
 * listed up to order 10; what neither they nor the simplifying assumptions decide is believed.
 */
#include "method/conditions.h"
#include "method/method.h"

/* Coefficients are typed with ten digits at least. */
static const double typed_tolerance = 1e-10;

/* *claimed, 0: not at all, against the order of the weights b. */
static int check_order(message *m, const char *what, const keel_tableau *t, const double *b,
                       int *claimed)
{
    order_conditions o = find_order_within(typed_tolerance, t, b);
    if (o.order < 0) return fail(m, KEEL_NO_MEMORY, "no memory for the order conditions");
    if (*claimed > o.order && o.failed.tree[0])
        return fail(m, KEEL_BAD_ARGUMENT, "%s claims order %d, but has order %d: the condition of "
                    "the tree %s fails by %.3g. Check the coefficients", what, *claimed, o.order,
                    o.failed.tree, o.failed.defect);
    if (*claimed == 0) *claimed = o.order;
    return KEEL_OK;
}

int method_check_orders(keel_method *m)
{
    keel_tableau *t = &m->tableau;
    int rc = check_order(&m->message, "the method", t, t->b, &t->order);
    m->general.order = t->order;
    if (rc || !t->b_hat) return rc;
    return check_order(&m->message, "the embedded method b_hat", t, t->b_hat, &t->order_hat);
}
