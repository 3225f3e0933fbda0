/* prediction.c -- the orders that theory predicts for a target, a method and its projection.
 *
 * They depend on whether f is nonlinear in z (index 2) or k in lambda (index 3), which a second
 * difference of the right-hand side tells.
 */
#include "cli/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/problem.h"

static const double nonlinear_from = 1e-7;       /* second differences over first ones */

/* The rows of the right-hand side in which the multipliers `l` stand; returns their callback's. */
static int rate(const keel_problem *p, double t, const double *y, const double *l, double *value)
{
    const keel_hessenberg2_spec *second = &p->spec.hessenberg2;
    const keel_hessenberg3_spec *third = &p->spec.hessenberg3;
    if (p->form == KEEL_FORM_HESSENBERG2) return second->rhs(t, y, l, value, second->context);
    return third->velocity_rate(t, y, y + p->group[0], l, value, third->context);
}

/* Does f(l + d) - 2 f(l) + f(l - d) vanish beside f(l + d) - f(l - d)? */
static bool is_nonlinear(const target *t, const double *y, double *room)
{
    const keel_problem *p = t->original;
    const int m = p->constraints, rows = p->form == KEEL_FORM_HESSENBERG2 ? p->group[0] : p->group[1];
    const double *l = y + p->n - m;
    double *moved = room, *up = room + p->n, *down = up + p->n, *middle = down + p->n;
    double first = 0, second = 0;

    for (int i = 0; i < m; i++) moved[i] = l[i] + 0.1 * (1 + fabs(l[i]));
    if (rate(p, t->t_start, y, moved, up) || rate(p, t->t_start, y, l, middle)) return false;
    for (int i = 0; i < m; i++) moved[i] = l[i] - 0.1 * (1 + fabs(l[i]));
    if (rate(p, t->t_start, y, moved, down)) return false;
    for (int i = 0; i < rows; i++) {
        first = fmax(first, fabs(up[i] - down[i]));
        second = fmax(second, fabs(up[i] - 2 * middle[i] + down[i]));
    }
    return second > nonlinear_from * first;
}

bool nonlinear_in_multipliers(const target *t)
{
    const keel_form form = keel_problem_form(t->original);
    if (form != KEEL_FORM_HESSENBERG2 && form != KEEL_FORM_HESSENBERG3) return false;
    const size_t size = (size_t)keel_problem_size(t->original);
    double *y = calloc(5 * size, sizeof *y);
    if (!y) return false;
    target_to_original(t, t->y, y);
    for (size_t i = 0; i < size; i++)
        if (isnan(y[i])) y[i] = 0;
    const bool nonlinear = is_nonlinear(t, y, y + size);
    free(y);
    return nonlinear;
}

/* Groups of a formulation of lower index: y holds all but the multipliers of the original. */
static void orders_of_original(const target *t, int given, const int *found, int order[3])
{
    int size[3];
    const char *name[3];
    const int groups = keel_problem_groups(t->original, size, name);
    for (int k = 0; k < groups && k < 3; k++)
        order[k] = groups == given ? found[k] : k < groups - 1 ? found[0]
                 : given > 1 ? found[given - 1] : KEEL_ORDER_UNKNOWN;
}

void predict_orders(const target *t, const keel_options *options, int order[3])
{
    const keel_projection projection = options->projection;
    const keel_form form = keel_problem_form(t->problem);
    keel_method *named = NULL;
    int found[3] = {KEEL_ORDER_UNKNOWN, KEEL_ORDER_UNKNOWN, KEEL_ORDER_UNKNOWN};

    for (int k = 0; k < 3; k++) order[k] = KEEL_ORDER_UNKNOWN;
    if (projection != KEEL_PROJECT_OBLIQUE && projection != KEEL_PROJECT_NONE) return;
    if (form == KEEL_FORM_QUASILINEAR || form == KEEL_FORM_IMPLICIT) return;
    if (!options->tableau && (!options->method
                              || keel_method_named(&named, options->method) != KEEL_OK)) {
        keel_method_free(named);
        return;
    }
    const keel_order_case which = {
        .index = keel_problem_index(t->problem), .nonlinear = nonlinear_in_multipliers(t),
        .projected = projection != KEEL_PROJECT_NONE,
        .multipliers = (int)options->multipliers};
    const int groups = keel_method_orders(options->tableau ? options->tableau : named, &which,
                                          found);
    keel_method_free(named);
    orders_of_original(t, groups, found, order);
}
