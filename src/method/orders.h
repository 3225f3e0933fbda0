/* orders.h -- predicted orders: what the kinds of methods share, and those with files of their
 * own. */
#ifndef KEEL_METHOD_ORDERS_H
#define KEEL_METHOD_ORDERS_H

#include "keel/method.h"

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

static inline void set_orders(int order[3], int first, int second, int third)
{
    order[0] = first;
    order[1] = second;
    order[2] = third;
}

/* As keel_method_orders; nonzero: no memory. */
int multivalue_orders(const keel_method *method, const keel_order_case *which, int order[3]);

int rosenbrock_orders(const keel_method *method, const keel_order_case *which, int order[3]);

/* Of the multipliers of the last stage on index 2, at most 5; nonzero: no memory. */
int half_explicit_order_z(const keel_tableau *t, int *order);

#endif
