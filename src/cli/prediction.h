/* prediction.h -- the orders that theory predicts for a target, a method and its projection. */
#ifndef KEEL_CLI_PREDICTION_H
#define KEEL_CLI_PREDICTION_H

#include "cli/target.h"

/* order[k] for the groups of `measured`, the problem that is integrated or the original:
 * KEEL_ORDER_NONE, KEEL_ORDER_UNKNOWN or the order at constant step size. */
void predict_orders(const target *t, const keel_problem *measured, const keel_options *options,
                    int order[3]);

/* Is f nonlinear in z, or k in lambda, at the start? */
bool nonlinear_in_multipliers(const target *t);

#endif
