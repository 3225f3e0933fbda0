/* prediction.c -- the orders that theory predicts for a target, a method and its projection. */
#include "cli/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/levels.h"

bool nonlinear_in_multipliers(const target *t)
{
    const size_t size = (size_t)keel_problem_size(t->original);
    double *y = calloc(size, sizeof *y);
    if (!y) return false;
    target_to_original(t, t->y, y);
    for (size_t i = 0; i < size; i++)
        if (isnan(y[i])) y[i] = 0;
    const bool nonlinear = keel_problem_nonlinear(t->original, t->t_start, y) > 0;
    free(y);
    return nonlinear;
}

/* Groups of a formulation of lower index: y holds all but the multipliers of the original.  A levelled
 * problem has positions and velocities in one group. */
static void orders_of_groups(const keel_problem *measured, int given, int *found, int order[3])
{
    int size[3];
    const char *name[3];
    const int groups = keel_problem_groups(measured, size, name);
    if (keel_problem_form(measured) == KEEL_FORM_LEVELLED && given == 3) {
        if (found[1] < found[0]) found[0] = found[1];
        if (found[2] == KEEL_ORDER_NONE) found[0] = KEEL_ORDER_UNKNOWN;
    }
    for (int k = 0; k < groups && k < 3; k++)
        order[k] = groups == given ? found[k] : k < groups - 1 ? found[0]
                 : given > 1 ? found[given - 1] : KEEL_ORDER_UNKNOWN;
}

void predict_orders(const target *t, const keel_problem *measured, const keel_options *options,
                    int order[3])
{
    const keel_projection projection = options->projection;
    const keel_form form = keel_problem_form(t->problem);
    keel_method *named = NULL;
    int found[3] = {KEEL_ORDER_UNKNOWN, KEEL_ORDER_UNKNOWN, KEEL_ORDER_UNKNOWN};

    for (int k = 0; k < 3; k++) order[k] = KEEL_ORDER_UNKNOWN;
    if (projection != KEEL_PROJECT_OBLIQUE && projection != KEEL_PROJECT_NONE) return;
    if (form == KEEL_FORM_QUASILINEAR || form == KEEL_FORM_IMPLICIT || form == KEEL_FORM_PROPER) return;
    if (form == KEEL_FORM_LEVELLED && projection == KEEL_PROJECT_NONE && target_stage_index(t) > 1)
        return;                                  /* levels below what stages solve drift */
    if (!options->tableau && (!options->method
                              || keel_method_named(&named, options->method) != KEEL_OK)) {
        keel_method_free(named);
        return;
    }
    const keel_order_case which = {
        .index = target_stage_index(t), .nonlinear = nonlinear_in_multipliers(t),
        .projected = projection != KEEL_PROJECT_NONE,
        .multipliers = (int)options->multipliers};
    const int groups = keel_method_orders(options->tableau ? options->tableau : named, &which,
                                          found);
    keel_method_free(named);
    orders_of_groups(measured, groups, found, order);
}
