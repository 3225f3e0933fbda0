/* multivalue_create.c -- which methods and problems go together, and what they need. */
#include "event/event.h"
#include "integrate/multivalue.h"

#include <stdio.h>

#include "problem/formulation.h"

enum { BDF_MOST = 5, DIMSIM_MOST = 4 };          /* orders that `bdf` and `dimsim` go up to */

/* ---- checks ---------------------------------------------------------------------------------- */

/* A method that carries something else has a readout, but no other step size. */
static int check_steps(keel_solver *s)
{
    if (s->options.step > 0 || s->method->estimate != KEEL_ESTIMATE_NONE) return KEEL_OK;
    return fail(&s->message, KEEL_UNSUPPORTED,
                "%s does not carry the Nordsieck vector, so it needs constant steps: give `step`, "
                "or take bdf or dimsim", s->method->tableau.name);
}

/* Of the starting procedure; 0: none is needed.  On index 3 orders 1 and 2 need values of one order
 * more; higher ones would only suffer from rounding errors, which grow with the order. */
static int starting_order(const keel_solver *s, const multivalue_range *r)
{
    int own = r->first == 1 && s->options.step == 0;         /* order 1 begins by itself, */
    int alone = r->r == 1 && s->method && !s->method->general.W;     /* y with itself */
    return own || alone ? 0 : r->last + (s->problem->index == 3 && r->last <= 2);
}

/* Orders, and the largest numbers of stages and values. */
static multivalue_range range_of(const keel_solver *s)
{
    const keel_method *m = s->method;
    int constant = s->options.step > 0, own = m && m->kind == KEEL_METHOD_MULTISTEP && !m->general.W;
    multivalue_range r = {.first = 1, .bdf = s->range == METHOD_BDF || own};
    if (m) r.last = m->tableau.order;
    else r.last = r.bdf ? BDF_MOST : DIMSIM_MOST;
    if (constant || (m && !r.bdf)) r.first = r.last;
    r.s = m ? m->general.stages : r.bdf ? 1 : r.last + 1;
    r.r = m ? m->general.values : r.last + 1;
    r.starting = starting_order(s, &r);
    return r;
}

static int check_start(keel_solver *s)
{
    const multivalue_range range = range_of(s);
    if (range.starting <= STARTING_ORDER_MOST) return KEEL_OK;
    return fail(&s->message, KEEL_UNSUPPORTED,
                "%s of order %d cannot begin here: it needs a starting procedure of order %d, and "
                "these go to %d. Take a method of lower order", s->method->tableau.name,
                range.last, range.starting, STARTING_ORDER_MOST);
}

/* Why a blocked multistep method cannot be used, or NULL. */
static const char *blocked_obstacle(const keel_solver *s)
{
    const keel_problem *p = s->problem;
    if (p->index < 2 || form_has(p, FORM_INDEX2)) return NULL;
    return p->index == 3 ? "the problem has index 3: try the formulation index2 or ggl"
                         : "its multipliers must be seen: it needs y' = f(t,y,z), 0 = g(t,y)";
}

/* Errors of algebraic unknowns are multiplied by M(inf) in every step, unless they can be told from
 * the others: multistep methods then carry no slopes of theirs. */
static int check_damping(keel_solver *s)
{
    const keel_method *m = s->method;
    int hidden = !form_has(s->problem, FORM_ALGEBRAIC_KNOWN);
    int seen = m->kind == KEEL_METHOD_MULTISTEP && !hidden;
    if (!(m->r_infinity > 1 + 1e-6) || seen || s->problem->index < 1) return KEEL_OK;
    return fail(&s->message, KEEL_UNSUPPORTED,
                "%s lets errors of algebraic unknowns grow by %.3g in every step%s: take bdf-%d",
                m->tableau.name, m->r_infinity,
                hidden ? ", and this form does not say which unknowns are algebraic" : "",
                m->tableau.order < BDF_MOST ? m->tableau.order : BDF_MOST);
}

/* Index 3 with variable steps: mechanical problems in index 1, whose drift projection removes;
 * others, whose hidden constraint takes differences, and what is not projected, as Gear, Gupta &
 * Leimkuhler do. */
static int formulate(keel_solver *s)
{
    int projected = s->options.projection != KEEL_PROJECT_NONE;
    int reduced = projected && form_has(s->problem, FORM_ACCELERATIONS);
    int as_it_is = projected && mechanical_is_sparse(s->problem) && range_of(s).bdf;
    const char *name = reduced ? "index1" : "ggl";
    int rc = as_it_is ? KEEL_OK
                      : keel_formulate(&s->formulated, s->problem, &(keel_formulation){.name = name});
    if (rc == KEEL_NO_MEMORY)
        return fail(&s->message, rc, "no memory for the formulation %s", name);
    if (rc) return fail(&s->message, rc, "%s", keel_problem_message(s->formulated));
    return fail(&s->choice, KEEL_OK, "%s: with variable steps it need not converge on index 3, so the %s%s "
                "is solved%s", s->method ? s->method->tableau.name : s->options.method,
                as_it_is ? "hidden constraint" : "formulation ", as_it_is ? "" : name,
                projected ? ", and projected" : "");
}

int multivalue_check(keel_solver *s)
{
    const keel_method *m = s->method;
    int rc = m ? check_steps(s) : KEEL_OK;
    if (!rc && m) rc = check_damping(s);
    if (!rc) rc = check_start(s);
    if (rc) return rc;
    if (m && m->multistep.steps > 0 && m->general.W && blocked_obstacle(s))
        return fail(&s->message, KEEL_UNSUPPORTED, "%s is made for index 2, but %s",
                    m->tableau.name, blocked_obstacle(s));
    if (s->options.step > 0 || s->problem->index < 3 || s->formulated ||
        !form_has(s->problem, FORM_HALF_EXPLICIT) || s->problem->ops == &levelled_form)
        return KEEL_OK;
    return formulate(s);
}

/* ---- buffers and matrices -------------------------------------------------------------------- */

static void range_layout(arena *a, multivalue_range *r)
{
    int tables = r->bdf ? 0 : r->last + 1;
    r->table = ARENA_OBJECT(a, multivalue_method, tables);
    r->error_constant = ARENA(a, double, r->last + 1);
    for (int p = r->first; p < tables; p++) {
        multivalue_method measured = {0};
        multivalue_layout(a, r->table ? &r->table[p] : &measured, r->s, r->r, r->last);
    }
}

void multivalue_buffers(arena *a, keel_solver *s)
{
    multivalue_state *e = s->state;
    const keel_problem *p = s->formulated ? s->formulated : s->problem;
    int n = e->n = p->n, steps = s->method ? s->method->multistep.steps : 0;
    e->range = range_of(s);
    ARENA_LINKS(a, e, carried, made);            /* which change places, as do these: */
    ARENA_LINKS(a, e, principal, principal_before);
    ARENA_KEEP(a, e, came, shrinks);
    range_layout(a, &e->range);
    multivalue_layout(a, &e->method, e->range.s, e->range.r, e->range.last);
    if (e->range.starting) starting_method(a, e->range.starting, &e->starting);
    int stages = e->range.s > e->range.starting ? e->range.s : e->range.starting + 1;
    int values = e->range.r > e->range.starting ? e->range.r : e->range.starting + 1;
    coupled_layout(a, &e->coupled, e->range.s);
    coupled_layout(a, &e->start_coupled, e->range.starting + 1);
    iteration_layout(a, &e->matrix, p, s->eval.engine);
    ARENA_VECTORS(a, n, &e->weight, &e->scaled, &e->tested, &e->rate, &e->y, &e->yp, &e->y_new, &e->yp_new,
                  &e->error, &e->evaluated, &e->principal, &e->principal_before);
    ARENA_VECTORS(a, (size_t)stages * (size_t)n, &e->Y, &e->slopes, &e->Z, &e->base, &e->update);
    ARENA_VECTORS(a, (size_t)values * (size_t)n, &e->carried, &e->given, &e->made);
    e->settled = ARENA(a, double, s->n);
    e->past = ARENA(a, double, (size_t)steps * (size_t)p->constraints);
    settle_layout(a, &e->settlement, s);
    if (s->formulated) evaluator_layout(a, &e->formulated, s->formulated);
    if (s->formulated && a->base) event_frame(s, &e->formulated);
    s->dense.values = ARENA(a, double, (e->range.last + DENSE_MORE) * s->n);
}

/* The methods by order; of BDF formulas with variable steps the error constants alone. */
static int create_range(keel_solver *s, multivalue_range *r)
{
    int rc = KEEL_OK;
    for (int p = r->first; p <= r->last && !r->bdf && !rc; p++) {
        char name[16];
        keel_method *named = NULL;
        snprintf(name, sizeof name, "irks-%d", p);
        if (!s->method) rc = keel_method_named(&named, name);
        if (!rc) rc = multivalue_of(named ? named : s->method, &r->table[p]);
        keel_method_free(named);
        if (rc == KEEL_UNSUPPORTED)
            fail(&s->message, rc, "%s: y(t_n) cannot be told from what is carried",
                 s->method->tableau.name);
        r->error_constant[p] = r->table[p].error_constant;
    }
    for (int p = 1; p <= r->last && r->bdf; p++) {
        double sum = 0;
        for (int j = 1; j <= p; j++) sum += 1.0 / j;
        r->error_constant[p] = 1 / ((p + 1) * sum);
    }
    return rc;
}

int multivalue_create(keel_solver *s)
{
    multivalue_state *e = s->state;
    int reals = e->range.s, pairs = 0;
    int rc = create_range(s, &e->range);
    if (rc) return rc;
    if (!e->range.bdf && !e->range.table[e->range.last].diagonal) {
        rc = coupled_create(&e->coupled, &e->range.table[e->range.last]);
        if (rc) return rc;
        reals = e->coupled.reals > 1 ? e->coupled.reals : 1;
        pairs = e->coupled.pairs;
    }
    if (e->range.starting) starting_coupled(&e->start_coupled, &e->starting);
    e->eval = s->formulated ? &e->formulated : &s->eval;
    e->source = s->formulated ? s->formulated->formulation->source : NULL;
    e->formulated.stats = &s->stats;
    e->settlement.at_new = multivalue_at_new;
    return iteration_create(&e->matrix, s, e->eval, reals, pairs);
}
