/* orders.h -- predicted orders of the methods that carry several values. */
#ifndef KEEL_METHOD_ORDERS_H
#define KEEL_METHOD_ORDERS_H

#include "keel/method.h"

/* As keel_method_orders; nonzero: no memory. */
int multivalue_orders(const keel_method *method, const keel_order_case *which, int order[3]);

#endif
