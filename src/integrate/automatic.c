/* automatic.c -- the method `auto`: which integrator begins, and when an implicit one takes over.
 *
 *   mechanical, ODE and index-1 problems   Verner's explicit 8(7) -- mechanical ones through their
 *                                          index-1 form, index 1 in state-space form -- until
 *                                          stability rather than accuracy limits the step
 *   all other forms, constant steps,       the implicit method from the beginning
 *   sparse or band matrices (but of
 *   mechanical problems), options that
 *   only implicit stages have
 *
 * Of a large sparse problem the factors decide: BDF makes one for some ten steps where Radau IIA makes a
 * real and a complex one for each.  Else the implicit method is Radau IIA with variable order; at loose
 * tolerances, where one Jacobian and one factorization per step are less than Newton's iterations, a
 * Rosenbrock method if it serves.
 *
 * A solver then has two modes, each with an integrator and its state.  The change is made between
 * two steps, once: what was stiff may stop to be, but an implicit step costs little there.
 */
#include "integrate/integrator.h"

#include <math.h>
#include <string.h>

static const char explicit_name[] = "verner8", rosenbrock_name[] = "rodas-5p";

/* Digits for instructions: below it radau-iia is ahead on transistor-amplifier and akzo. */
static const double loose = 1e-5;
#define LOOSELY " (loose tolerances)"
/* J of more unknowns by differences, at every step, costs more than keeping it for some; and what it is off
 * by, 1e-8, is an error of the step beside absolute tolerances below this. */
enum { DIFFERENCES_MOST = 10 };
static const double differences_least = 1e-9;

static int options_for_stages(const keel_options *o)
{
    return o->step > 0 || o->linear != KEEL_LINEAR_AUTO || o->iteration != KEEL_ITERATION_AUTO ||
           o->sweeps || o->newton_limit || o->multipliers > KEEL_MULTIPLIERS_HIDDEN;
}

/* Why an explicit method is out of question, or NULL. */
static const char *obstacle(const keel_solver *s)
{
    const keel_problem *p = s->problem;
    const keel_options *o = &s->options;
    if (!form_has(p, FORM_STATE_SPACE)) return "this form needs implicit stages";
    if (p->constraints > ALGEBRAIC_MOST && !form_has(p, FORM_ACCELERATIONS))
        return "it has too many algebraic unknowns to be solved for at every stage";
    if (o->step > 0) return "a constant step cannot follow the limits of stability";
    if (p->pattern.storage != KEEL_DENSE && p->form != KEEL_FORM_MECHANICAL)
        return "its matrices are band or sparse";
    if (options_for_stages(o)) return "options for implicit stages are given";
    return NULL;
}

static int asks_little(const keel_solver *s, double atol_least)
{
    const keel_options *o = &s->options;
    int little = 1;
    for (int i = 0; i < s->n; i++)
        little &= (o->rtol_each ? o->rtol_each[i] : o->rtol) >= loose &&
                  (o->atol_each ? o->atol_each[i] : o->atol) >= atol_least;
    return little;
}

/* The implicit method: its name, or NULL: Radau IIA. */
static const char *implicit_name(const keel_solver *s)
{
    const keel_problem *p = s->problem;
    int given = problem_gives_jacobian(p);
    int cheap = given ? !s->options.jacobian_differences : p->n <= DIFFERENCES_MOST;
    return rosenbrock_obstacle(p) || options_for_stages(&s->options) || !cheap ||
                   !asks_little(s, given ? 0 : differences_least)
               ? NULL : rosenbrock_name;
}

/* From this size on a sparse factorization costs more than the steps that it saves: flow through 32 x 32
 * cells (3040 unknowns) takes BDF 0.6, 64 x 64 cells 0.4 of the time of Radau IIA at equal error. */
enum { FACTORS_DECIDE = 2000 };

static int prefers_bdf(const keel_solver *s)
{
    const keel_problem *p = s->problem;
    const keel_options *o = &s->options;
    int plain = !(o->step > 0) && !o->sweeps && o->multipliers <= KEEL_MULTIPLIERS_HIDDEN;
    return plain && p->pattern.storage == KEEL_SPARSE && p->n >= FACTORS_DECIDE &&
           !form_has(p, FORM_ACCELERATIONS) && keel_problem_index(p) <= 2 && o->linear != KEEL_LINEAR_DENSE;
}

static const char *form_text(const keel_problem *p)
{
    return p->levels > 1 ? " on the index-1 form" : p->levels == 1 ? " in state-space form" : "";
}

/* What every start says; printing it would be a fiftieth of a short run. */
static void say(keel_solver *s, const char *method, const char *form, const char *why)
{
    const char *parts[] = {"auto: ", method, form, why};
    size_t used = 0;
    for (int k = 0; k < 4; used += strlen(parts[k++]))
        memcpy(s->choice.text + used, parts[k], strlen(parts[k]) + 1);
}

static void say_explicit(keel_solver *s)
{
    say(s, explicit_name, form_text(s->problem), " while accuracy limits the step");
}

/* Of a range of methods, of which an integrator chooses. */
static const char *range_name(method_range range)
{
    return range == METHOD_BDF ? "bdf" : range == METHOD_DIMSIM ? "dimsim" : "radau-iia";
}

/* Real systems alone, and few of them: what iterations like best.  On index 3 bdf needs a formulation. */
static int choose_for_engine(keel_solver *s)
{
    const int index3 = s->problem->index > 2;
    s->modes = 1;
    if (!index3) s->range = METHOD_BDF;
    say(s, range_name(s->range), index3 ? ", because the index is 3 and" : ", because",
        " the systems are those of an engine");
    return KEEL_OK;
}

int automatic_choose(keel_solver *s)
{
    if (s->options.engine) return choose_for_engine(s);
    const char *why = obstacle(s), *implicit = implicit_name(s);
    s->modes = why ? 1 : 2;
    if (why && !implicit && prefers_bdf(s)) {
        s->range = METHOD_BDF;
        return fail(&s->choice, KEEL_OK, "auto: bdf, because its matrices are sparse and large");
    }
    int rc = why ? KEEL_OK : keel_method_named(&s->mode[0].method, explicit_name);
    if (!rc && implicit) rc = keel_method_named(&s->mode[s->modes - 1].method, implicit);
    if (rc) return rc;
    if (why) say(s, implicit ? implicit : "radau-iia", implicit ? LOOSELY ", because " : ", because ", why);
    else say_explicit(s);
    return KEEL_OK;
}

/* The text of the last run serves where it says this already: a start in a sweep is a tenth of a run. */
void automatic_begin(keel_solver *s)
{
    int changed = s->active != 0 || s->lag_raised;
    mode_enter(s, 0);
    if (s->modes > 1 && changed) say_explicit(s);
}

void mode_enter(keel_solver *s, int k)
{
    solver_mode *mode = &s->mode[k];
    s->active = k;
    s->method = mode->method;
    s->stages = mode->method ? mode->method->tableau.stages : 0;
    s->integrator = mode->integrator;
    s->state = mode->state;
    s->dense.values = mode->values;
    const char *name = mode->method ? mode->method->tableau.name : range_name(s->range);
    if (!name) return;                           /* no memory for it: the solver is not used */
    strncpy(s->stats.method, name, sizeof s->stats.method - 1);
}

attempt_result automatic_switch(keel_solver *s, const char *why)
{
    const interpolant dense = s->dense;
    const controller control = s->control;
    int due = s->dense_due;
    double h = fabs(s->h_next);
    mode_enter(s, 1);
    lag_expect_stiff(s);
    attempt_result result = solver_restart(s);
    if (!s->fresh || result != ATTEMPT_DONE) s->h_next = h;
    if (result != ATTEMPT_DONE) {                /* as before: the next step may try again */
        mode_enter(s, 0);
        s->dense = dense;
        s->dense_due = due;
        s->control = control;
        return result;
    }
    s->stats.method_switches++;
    s->stats.switch_time = s->t;
    const char *lag = s->eval.lag ? " with stages that solve h_1 (index 2)" : s->method ? LOOSELY : "";
    if (s->fresh) say(s, s->stats.method, lag, ", because stability would limit explicit steps");
    else
        fail(&s->choice, KEEL_OK, "auto: %s%s until t = %.6g, %s%s from there on, because %s "
             "(h = %.3g)", explicit_name, form_text(s->problem), s->t, s->stats.method, lag, why, h);
    return result;
}
