/* derivatives.c -- a wrong derivative is named before it spoils a solution.
 *
 * Those of the problem are compared with differences along one direction at the guess in the middle
 * of the interval, and entry by entry where that looks wrong (problem/check.h), as keel_start does;
 * those of the conditions entry by entry, with two increments that must agree.  Whether the levels of
 * a constraint are derivatives of each other can be told at a solution only.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "problem/check.h"

static int stopped(keel_boundary *w, const check *k)
{
    char reason[256];
    if (k->no_memory) return fail(&w->message, KEEL_NO_MEMORY, "no memory to check the derivatives");
    w->flow.e.fault = k->e->fault;
    fault_text(&w->flow.e, reason, (int)sizeof reason);
    return fail(&w->message, KEEL_CALLBACK_FAILED, "t = %.10g: %s, where derivatives are compared with "
                "differences", w->flow.e.fault.t, reason);
}

/* A status, and k is released. */
static int conclude(keel_boundary *w, check *k, int rc)
{
    int status = KEEL_OK;
    if (rc < 0) status = stopped(w, k);
    else if (k->found > 0)
        status = fail(&w->message, KEEL_WRONG_DERIVATIVE, "t = %.10g: %s%s.  keel_check lists all that "
                      "does not fit; option `unchecked` solves all the same", k->t_given,
                      k->findings[0].text, k->found > 1 ? " (and more)" : "");
    check_release(k);
    return status;
}

/* With the frame that is solved for, not that of the problem. */
static int begin(keel_boundary *w, check *k, double t, const double *y)
{
    int rc = check_create(k, w->spec.problem, t, y, NULL);
    if (rc) {
        check_release(k);
        return fail(&w->message, rc, "no memory to check the derivatives");
    }
    if (w->flow.framed && k->bare.context == frame_context(w->spec.problem))
        k->bare.context = &w->flow.frame;
    return KEEL_OK;
}

static int check_problem(keel_boundary *w, double t, const double *y)
{
    check k;
    int rc = begin(w, &k, t, y);
    if (rc) return rc;
    for (int i = 0; i < k.count && rc >= 0 && k.found == 0; i++) {
        rc = k.claims[i].given ? check_direction(&k, &k.claims[i]) : 0;
        if (rc > 0) rc = check_claim(&k, &k.claims[i]);
    }
    return conclude(w, &k, rc);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static int accuse(keel_boundary *w, int row, int column, double given, double expected)
{
    int n = w->flow.n, parameter = column - 2 * n;
    const keel_problem *p = w->spec.problem;
    const char *name = w->names && w->names[row] ? w->names[row] : NULL;
    const char *of = parameter >= 0 ? keel_parameter_name(p, w->flow.which[parameter])
                                    : keel_variable_name(p, column % n);
    return fail(&w->message, KEEL_WRONG_DERIVATIVE, "condition_jacobian: the derivative of condition "
                "[%d]%s%s%s by %s%s is %.10g, but differences of `condition` give %.10g; option "
                "`unchecked` solves all the same", row, name ? " (" : "", name ? name : "",
                name ? ")" : "", of,
                parameter >= 0 ? "" : column < n ? " at the left end" : " at the right end", given,
                expected);
}

static int check_conditions(keel_boundary *w, mesh *s)
{
    /* Differences are right to about 1e-10, wrong derivatives are wrong by more than this. */
    static const double apart = 1e-4, agree = 1e-5;
    int rows = w->spec.conditions, width = 2 * w->flow.n + w->flow.np;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < rows; i++) {
            double near, far, given = s->b_y[(ptrdiff_t)i * width + j];
            int rc = conditions_difference(w, s, &s->u, i, j, 1, &near);
            if (!rc) rc = conditions_difference(w, s, &s->u, i, j, 4, &far);
            if (rc < 0) return boundary_failure(w, s, rc);
            double size = 1e-3 + fabs(near) + fabs(given);
            if (rc || !(fabs(near - far) <= agree * size)) continue;     /* not smooth here */
            if (!(fabs(near - given) <= apart * size)) return accuse(w, i, j, given, near);
        }
    return KEEL_OK;
}

/* ---- before and after ------------------------------------------------------------------------- */

int derivatives_check(keel_boundary *w, mesh *s)
{
    if (w->options.unchecked || w->checked) return KEEL_OK;
    flow_set_parameters(&w->flow, s->u.p);
    double *y = w->y2, t = stage_values(w, s, &s->u, s->N / 2, 0, y);
    int rc = check_problem(w, flow_time(&w->flow, t, NULL), y);
    if (rc || !w->spec.condition_jacobian || !w->spec.conditions) {
        w->checked = !rc;
        return rc;
    }
    rc = conditions_linear(w, s, &s->u);
    rc = rc ? boundary_failure(w, s, rc) : check_conditions(w, s);
    w->checked = !rc;
    return rc;
}

int derivatives_check_links(keel_boundary *w, const mesh *s)
{
    const keel_problem *p = w->spec.problem;
    check k;
    keel_check_item items[KEEL_LEVELS_MOST + 2];
    int count = 0, n = w->flow.n, middle = s->N / 2;
    if (w->options.unchecked || p->ops != &levelled_form || p->levels < 2) return KEEL_OK;
    const double *y = s->value + (ptrdiff_t)middle * s->table.nodes * n;
    int rc = begin(w, &k, flow_time(&w->flow, s->t[middle], NULL), y);
    return rc ? rc : conclude(w, &k, check_links(&k, items, &count));
}
