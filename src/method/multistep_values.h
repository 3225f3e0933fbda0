/* multistep_values.h -- the values that a multistep method carries from step to step. */
#ifndef KEEL_METHOD_MULTISTEP_VALUES_H
#define KEEL_METHOD_MULTISTEP_VALUES_H

#include "method/general_linear.h"
#include "method/multistep.h"

enum { W_COLUMNS = KEEL_STEPS_MOST + 3 };            /* order <= k + 2 */

typedef struct multistep_values {
    double A, c, U[KEEL_VALUES_MOST], B[KEEL_VALUES_MOST];
    double V[KEEL_VALUES_MOST * KEEL_VALUES_MOST], W[KEEL_VALUES_MOST * W_COLUMNS];
} multistep_values;

/* The formula, whose order is known, as a general linear method with coefficients in *values. */
keel_general_linear multistep_general(const keel_multistep *f, multistep_values *values);

#endif
