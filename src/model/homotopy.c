/* homotopy.c -- a start that is reached from an easier one.
 *
 * homotopy(actual, simplified) is `actual`.  Only where the start is not found that way, it is solved with
 * lambda*actual + (1 - lambda)*simplified, from lambda = 0 on, each time from the values found before, in
 * steps that double after a success and are halved after a failure [Modelica 3.5, 3.7.2.4].  What is found at
 * lambda = 1 takes the place of the start values that are not fixed.  The structure may change on the way
 * (`simplified` can contain other variables), so each lambda is a model of its own, and the values of its
 * variables are handed on.
 */
#include "keel/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/object.h"

int homotopy_occurs(const pool *p)
{
    for (expr e = 1; e < p->count; e++)
        if (pool_op(p, e) == EXPR_HOMOTOPY) return 1;
    return 0;
}

/* The nodes become sums in their places, so that nothing that contains them changes. */
void homotopy_mix(pool *p, double lambda)
{
    const uint32_t count = p->count;
    for (expr e = 1; e < count; e++) {
        if (pool_op(p, e) != EXPR_HOMOTOPY) continue;
        const expr_node n = *pool_at(p, e);
        const expr actual = pool_two(p, EXPR_MULTIPLY, pool_constant(p, lambda), n.a);
        const expr simplified = pool_two(p, EXPR_MULTIPLY, pool_constant(p, 1 - lambda), n.b);
        if (pool_full(p)) return;
        p->node[e] = (expr_node){.op = EXPR_ADD, .a = actual, .b = simplified};
    }
}

/* A place on the way: its model, its unknowns and all its variables there. */
typedef struct reached {
    keel_model *model;
    double *y, *values;
} reached;

static int make_room(reached *r)
{
    r->y = malloc(((size_t)levels_unknowns(&r->model->levels) + 1) * sizeof *r->y);
    r->values = malloc(((size_t)r->model->system.variables + 1) * sizeof *r->values);
    return r->y && r->values ? KEEL_OK : KEEL_NO_MEMORY;
}

static void leave(reached *r)
{
    free(r->y);
    free(r->values);
    keel_model_free(r->model);
    *r = (reached){0};
}

/* The start of a model as planned: KEEL_OK and the values, or why not. */
static int solve(reached *r, message *why)
{
    keel_start_spec spec;
    keel_solver *solver = NULL;
    model_start_spec(r->model, &spec);
    int code = keel_solver_create(&solver, r->model->problem, NULL);
    if (code == KEEL_OK) code = keel_start_with(solver, &spec);
    if (code == KEEL_OK) {
        memcpy(r->y, keel_state(solver), (size_t)levels_unknowns(&r->model->levels) * sizeof *r->y);
        keel_model_values(r->model, spec.t, r->y, keel_solver_frame(solver), r->values);
    }
    if (code != KEEL_OK) fail(why, code, "%s", solver ? keel_message(solver) : keel_status_text(code));
    keel_solver_free(solver);
    return code;
}

/* Values there as the start values of another model, but for fixed ones: of variables, and before of
 * derivatives that are no variables, which have names only. */
static void hand_on(const reached *from, keel_model *to)
{
    const keel_model *m = from->model;
    const int before = levels_unknowns(&m->levels), size = levels_unknowns(&to->levels);
    for (int u = 0; u < size; u++)
        for (int k = 0; k < before && to->plan.marks[u] != KEEL_FIXED; k++)
            if (strcmp(m->names[k], to->names[u]) == 0) to->plan.y[u] = from->y[k];
    for (int v = 0; v < to->system.variables; v++) {
        const int u = model_unknown(to, v);
        if (u < 0 || to->plan.marks[u] == KEEL_FIXED || !isfinite(from->values[v])) continue;
        to->plan.y[u] = to->system.place[v].sign * from->values[v];
    }
}

/* From there to lambda; on success `at` is the new place. */
static int go(const keel_model *m, double lambda, reached *at, message *why)
{
    reached to = {.model = model_at(m, lambda)};
    if (!to.model) return KEEL_NO_MEMORY;
    int code = keel_model_problem(to.model) ? make_room(&to) : to.model->status;
    if (code != KEEL_OK) fail(why, code, "%s", keel_model_message(to.model));
    else {
        if (at->model) hand_on(at, to.model);
        code = solve(&to, why);
    }
    leave(code == KEEL_OK ? at : &to);
    if (code == KEEL_OK) *at = to;
    return code;
}

/* lambda from 0 to 1; where it ended. */
static int follow(const keel_model *m, reached *at, double *lambda, message *why)
{
    static const double smallest = 1e-5;
    double step = 0.25;
    *lambda = 0;
    int code = go(m, 0, at, why);
    while (code == KEEL_OK && *lambda < 1) {
        const double next = *lambda + step < 1 ? *lambda + step : 1;
        code = go(m, next, at, why);
        if (code == KEEL_OK) {
            *lambda = next;
            step *= 2;
        } else if (code != KEEL_NO_MEMORY && step > smallest) {
            step /= 2;
            code = KEEL_OK;
        }
    }
    return code;
}

int homotopy_start(keel_model *m)
{
    if (m->lambda_set || m->start_sought || !homotopy_occurs(&m->flat->pool)) return KEEL_OK;
    double lambda = 0;
    message why = {0};
    reached plain = {.model = m}, at = {0};
    m->start_sought = 1;
    int code = make_room(&plain);
    if (code == KEEL_OK) code = solve(&plain, &why);
    if (code != KEEL_OK && code != KEEL_NO_MEMORY) {
        code = follow(m, &at, &lambda, &why);
        if (code == KEEL_OK) hand_on(&at, m);
        else fail(&m->message, code, "the start was found neither with actual expressions of homotopy nor "
                  "from the simplified ones: lambda stopped at %.5g. Give start values that are nearer, or "
                  "another simplified expression. There: %s", lambda, why.text);
    }
    leave(&at);
    plain.model = NULL;
    leave(&plain);
    return code;
}
