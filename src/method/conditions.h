/* conditions.h -- simplifying assumptions, order and error constant of a tableau. */
#ifndef KEEL_CONDITIONS_H
#define KEEL_CONDITIONS_H

#include <float.h>

#include "keel/method.h"
#include "method/trees.h"

/* A condition holds when its residual is at most this part of the sum of the magnitudes of its
 * terms: a handful of roundings of coefficients given with 15 or 16 digits. */
#define CONDITION_TOLERANCE (16 * DBL_EPSILON)

typedef struct order_conditions {
    int order;                   /* -1: no memory                                            */
    int B, C, D;                 /* of the simplifying assumptions [HW96 IV.5]               */
    order_defect failed;
    double error_constant;       /* C of e^z - R(z) = C z^(order+1) + ...                    */
} order_conditions;

/* Of the tableau's A and c with the weights b, its own or those of its embedded method. */
order_conditions find_order(const keel_tableau *tableau, const double *b);
/* With another tolerance, for coefficients of fewer digits. */
order_conditions find_order_within(double tolerance, const keel_tableau *tableau, const double *b);

#endif
