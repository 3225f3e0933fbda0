/* converging.c -- the order that a method has on the index its stages see, and the form of the
 * problem where it has one.
 *
 * Of the predictions of method/orders.c the least over the differential unknowns, p, and over all
 * groups.  A method does not converge where some group has none; and where p = 1 although the method
 * itself is of order 2 or more, a tolerance is out of reach as well: the steps for it are as many as
 * Euler's.  Stages of order 1 are like that on index 3 (SDIRK, Gauss with one stage), for there the
 * multipliers of the stages do not converge.  With variable steps such a method is moved to the
 * formulation of lower index where p is highest.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "integrate/integrator.h"

static const double rounding_borne = 0.1;

/* Of a Runge-Kutta method with implicit stages. */
typedef struct reached {
    int differential, all;       /* least order: see above                                 */
    int known;                   /* 0: no memory to find it out                            */
} reached;

static reached reached_on(const keel_solver *s, const keel_method *m, const keel_problem *p,
                          int index)
{
    int order[3], chained = has_manifold(p);
    keel_order_case which = {.index = index, .nonlinear = !form_has(p, FORM_ACCELERATIONS),
                             .projected = chained && s->options.projection != KEEL_PROJECT_NONE,
                             .multipliers = chained ? (int)s->options.multipliers
                                                    : KEEL_MULTIPLIERS_RECURSION};
    reached r = {m->tableau.order, m->tableau.order, 1};
    int groups = index < 2 ? 0 : keel_method_orders(m, &which, order);
    r.known = index < 2 || groups > 0;
    for (int i = 0; i < groups; i++) {
        if (order[i] == KEEL_ORDER_UNKNOWN) continue;
        if (order[i] < r.all) r.all = order[i];
        if (i < index - 1 && order[i] < r.differential) r.differential = order[i];
    }
    return r;
}

static int is_lost(const keel_method *m, reached r)
{
    return r.all < 1 || (r.differential < 2 && m->tableau.order >= 2);
}

/* On index 3 rounding in g enters velocities divided by h, and 1/h steps add it up: with steps
 * h = tol^(1/p) that is eps tol^(-2/p), of which a tolerance bears a tenth. */
static int is_rounding(const keel_solver *s, reached r)
{
    const keel_options *o = &s->options;
    double tol = o->rtol_each || o->atol_each ? 1 : o->rtol > 0 ? o->rtol : o->atol;
    return s->problem->index == 3 && r.differential > 0 &&
           pow(tol, 1 + 2.0 / r.differential) < rounding_borne * DBL_EPSILON;
}

int converging_order(const keel_solver *s, int index, int *order, int *lost)
{
    reached r = reached_on(s, s->method, s->problem, index);
    *order = r.differential < 1 ? 1 : r.differential;
    *lost = is_lost(s->method, r);
    return r.known ? KEEL_OK : KEEL_NO_MEMORY;
}

/* The index below that of the problem with the highest order; 0: none serves. */
static int best_index(const keel_solver *s, const keel_method *m)
{
    int best = 0, order = 0;
    for (int index = s->problem->index - 1; index > 0; index--) {
        reached r = reached_on(s, m, s->problem, index);
        if (is_lost(m, r) || r.differential <= order) continue;
        best = index;
        order = r.differential;
    }
    return best;
}

static int refuse(keel_solver *s, const keel_method *m, reached r, const char *instead)
{
    char order[24];
    snprintf(order, sizeof order, "order %d", r.all);
    return fail(&s->message, KEEL_UNSUPPORTED, "%s has %s on index %d, not %d, and no variable step "
                "makes up for it: %s, or a method whose stages are of higher order, like radau-iia; "
                "with a constant `step` it runs as it is", m->tableau.name,
                r.all < 1 ? "no order" : order, s->problem->index, m->tableau.order, instead);
}

int converging_form(keel_solver *s)
{
    const keel_method *m = s->mode[0].method;
    const keel_problem *p = s->problem;
    int levelled = p->ops == &levelled_form, index = levelled ? p->lag + 1 : p->index;
    int implicit = s->modes == 1 && m && kind_is_implicit(m->kind);
    if (!implicit || s->options.step > 0 || index < 2) return KEEL_OK;
    reached r = reached_on(s, m, p, index);
    if (!r.known) return fail(&s->message, KEEL_NO_MEMORY, "no memory for the orders of the method");
    int lost = is_lost(m, r), chained = form_has(p, FORM_HALF_EXPLICIT) && !p->original && !levelled;
    if (!lost && !(chained && !m->radau_iia && is_rounding(s, r))) return KEEL_OK;
    if (p->original) return refuse(s, m, r, "leave the formulation to the solver");
    if (!form_has(p, FORM_HALF_EXPLICIT))
        return refuse(s, m, r, "state the problem with its constraints (Hessenberg, mechanical, "
                      "levelled)");
    int lower = best_index(s, m);
    const keel_formulation wanted = {.name = lower == 2 ? "index2" : "index1"};
    if (!lower) return refuse(s, m, r, "take another method");
    int rc = keel_formulate(&s->formulated, p, &wanted);
    if (rc == KEEL_NO_MEMORY) return fail(&s->message, rc, "no memory for a formulation");
    if (rc) return refuse(s, m, r, keel_problem_message(s->formulated));
    s->problem = s->formulated;
    fail(&s->choice, KEEL_OK, "%s: on index %d %s, so the formulation %s is solved%s",
         m->tableau.name, p->index,
         lost ? "its stages are of too low an order" : "its order is too low for these tolerances",
         wanted.name, s->options.projection == KEEL_PROJECT_NONE ? "" : ", and projected");
    return KEEL_OK;
}
