/* faults.h -- runs in which a callback fails, once or from a certain call on.
 *
 * A run may end well or with a sentence that names the callback and the time; it must never hang,
 * crash or end with a wrong value.
 */
#ifndef KEEL_TEST_FAULTS_H
#define KEEL_TEST_FAULTS_H

#ifndef SPARSE_FROM
#define SPARSE_FROM 25           /* single faults: every call to here, then sparser */
#endif
#ifndef PERSISTING_FROM
#define PERSISTING_FROM 4        /* lasting faults: likewise                         */
#endif

/* Calls in a run of a few dozen steps; formulations may need several for each of their own. */
enum { CALLS_MOST = 20000, CALLS_FORMULATED = 10 * CALLS_MOST };

#include "test/support/run.h"

enum { LARGEST_PROBLEM = 64 };    /* of a formulation, or sparse */

static const double t_end = 0.4;
static const keel_options loose = {.rtol = 1e-4, .atol = 1e-4};
static const double error_allowed = 1e-2;

typedef struct setting {
    const form *form;
    derivatives derivatives;
    keel_options options;
    const char *formulation;     /* or NULL */
} setting;

typedef struct outcome {
    int status, started;
    double error;
    char message[640];
} outcome;

/* The problem to solve; *original is to be freed after it. */
static keel_problem *problem_of(const setting *x, probe *context, keel_problem **original)
{
    keel_problem *p = *original = new_problem(x->form, x->derivatives, context);
    if (!x->formulation) return p;
    int rc = keel_formulate(&p, *original, &(keel_formulation){.name = x->formulation});
    if (rc) fail_msg("%s, %s: %s", x->form->name, x->formulation, keel_problem_message(p));
    return p;
}

/* Distance to the exact solution, as far as all formulations have it: without multipliers, which
 * may also be of low order. */
static double error_at(const setting *x, const keel_problem *p, double t, const double *state)
{
    double exact[LARGEST_PROBLEM], y[LARGEST_PROBLEM];
    const keel_problem *original = keel_problem_original(p);
    int without = !x->formulation ? keel_problem_index(p) == 3
                : keel_problem_form(original) == KEEL_FORM_PROPER ? 1          /* u */
                : keel_problem_constraints(original);
    x->form->exact(t, exact);
    keel_formulation_to(p, state, y);
    return distance(y, exact, 0, x->form->size - without);
}

static keel_solver *solver_of(const setting *x, const keel_problem *p, double *y)
{
    double exact[LARGEST_PROBLEM];
    keel_solver *s = NULL;
    x->form->exact(0, exact);
    keel_formulation_from(p, exact, y);
    expect_ok(keel_solver_create(&s, p, &x->options), s, x->form->name);
    return s;
}

static outcome run(const setting *x, probe *context)
{
    outcome result = {0};
    double y[LARGEST_PROBLEM];
    keel_problem *original, *p = problem_of(x, context, &original);
    keel_solver *s = solver_of(x, p, y);
    result.status = keel_start(s, 0, y);
    if (!result.status) {
        result.started = 1;
        result.status = keel_advance_to(s, t_end);
    }
    if (!result.status) result.error = error_at(x, p, t_end, keel_state(s));
    snprintf(result.message, sizeof result.message, "%s", keel_message(s));
    keel_solver_free(s);
    if (p != original) keel_problem_free(p);
    keel_problem_free(original);
    return result;
}

static void explain(const char *complaint, const setting *x, const probe *p, const outcome *r)
{
    fail_msg("%s: %s, %s, %s, %s, `%s` call %ld, kind %d, %s: %s %s (error %g)", complaint,
             x->form->name, x->options.method ? x->options.method : "auto",
             x->formulation ? x->formulation : "as it is",
             x->derivatives == GIVEN ? "given" : "differences", callback_name(p->target), p->at,
             (int)p->kind, p->persists ? "persisting" : "once", keel_status_name(r->status),
             r->message, r->error);
}

static void check_failure(const setting *x, const probe *p, const outcome *r)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "`%s", callback_name(p->target));
    if (!strstr(r->message, quoted))
        explain("the message does not name the callback", x, p, r);
    if (!strstr(r->message, "t = ")) explain("the message does not name the time", x, p, r);
    if (r->status != KEEL_CALLBACK_FAILED && r->status != KEEL_NOT_FINITE)
        explain("unexpected status", x, p, r);
}

/* A failure that happened once; returns 1 if it happened after the start and was not survived. */
static int check_once(const setting *x, const probe *p, const outcome *r)
{
    if (p->kind == RETURNS_NEGATIVE) {
        if (r->status != KEEL_CALLBACK_FAILED) explain("stopping was ignored", x, p, r);
        if (p->calls[p->target] != p->at) explain("called again after -1", x, p, r);
    }
    if (r->status == KEEL_OK) {
        if (!(r->error <= error_allowed)) explain("wrong result", x, p, r);
        return 0;
    }
    check_failure(x, p, r);
    return r->started && p->kind != RETURNS_NEGATIVE;
}

static void every_call_of(const setting *x, callback target)
{
    int lost = 0, runs = 0;
    for (long at = 1, going = 1; going; at += 1 + at / SPARSE_FROM)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
            probe p = {.armed = 1, .target = target, .kind = (spoiling)kind, .at = at};
            outcome r = run(x, &p);
            going = p.spoiled > 0;
            if (!going) {
                if (r.status) explain("fails without any fault", x, &p, &r);
                break;
            }
            lost += check_once(x, &p, &r);
            runs++;
        }
    if (20 * lost > runs)
        fail_msg("%s, %s: `%s`: %d of %d single faults after the start were fatal", x->form->name,
                 x->options.method ? x->options.method : "auto", callback_name(target), lost, runs);
}

static void from_call_on(const setting *x, callback target)
{
    for (long at = 1, going = 1; going; at += 1 + at / PERSISTING_FROM)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
            probe p = {.armed = 1, .target = target, .kind = (spoiling)kind, .at = at,
                       .persists = 1};
            outcome r = run(x, &p);
            going = p.spoiled > 0;
            if (!going) break;
            if (p.total > (x->formulation ? CALLS_FORMULATED : CALLS_MOST))
                explain("too many calls", x, &p, &r);
            if (r.status > 0) explain("not a failure", x, &p, &r);
            if (r.status == 0 && !(r.error <= error_allowed)) explain("wrong result", x, &p, &r);
            if (r.status == 0 && p.spoiled > 4) explain("a dead callback was ignored", x, &p, &r);
            if (r.status < 0) check_failure(x, &p, &r);
        }
}

static void all_callbacks(const form *f, derivatives d, const keel_options *o,
                          const char *formulation)
{
    probe clean = {0};
    setting x = {.form = f, .derivatives = d, .options = *o, .formulation = formulation};
    outcome r = run(&x, &clean);
    if (r.status || !(r.error <= error_allowed))
        explain("fails without any fault", &x, &clean, &r);
    for (int c = 0; c < CALLBACKS; c++) {
        if (clean.calls[c] == 0) continue;
        every_call_of(&x, (callback)c);
        from_call_on(&x, (callback)c);
    }
}

/* ---- an ODE with an invariant ---------------------------------------------------------------- */

/* y = (cos t, sin t), y' = |y|^2 (-y2, y1), 0 = |y|^2 - 1 */
static void circle_exact(double t, double *y)
{
    y[0] = cos(t);
    y[1] = sin(t);
}

static int circle_rhs(double t, const double *y, double *f, void *context)
{
    double square = y[0] * y[0] + y[1] * y[1];
    f[0] = -square * y[1];
    f[1] = square * y[0];
    return probed(context, RHS, t, f, 2);
}

static int circle_invariant(double t, const double *y, double *phi, void *context)
{
    phi[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return probed(context, INVARIANT, t, phi, 1);
}

static int circle_invariant_jacobian(double t, const double *y, double *phi_y, void *context)
{
    phi_y[0] = 2 * y[0];
    phi_y[1] = 2 * y[1];
    return probed(context, INVARIANT_JACOBIAN, t, phi_y, 2);
}

static int make_circle(keel_problem **problem, derivatives d, probe *context)
{
    return keel_ode(problem, &(keel_ode_spec){.size = 2, .rhs = circle_rhs, .invariants = 1,
        .invariant = circle_invariant,
        .invariant_jacobian = d == GIVEN ? circle_invariant_jacobian : NULL, .context = context});
}

static const form circle = {"ODE with an invariant", 2, make_circle, circle_exact};

#endif
