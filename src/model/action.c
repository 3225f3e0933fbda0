/* action.c -- what happens at an event: signals, discrete equations, whens, reinit, assert, terminate.
 *
 * `env` are the inputs of all tapes (evaluation.h).  pre() is what was when the action was called: the
 * library calls it again until nothing changes, which is the event iteration of the language [Modelica
 * 3.6, section 8.6].  At the initial event no edge fires; a clock that ticks there does so after it.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "model/object.h"

typedef struct acting {
    keel_model *m;
    workspace *w;
    double *env;
    keel_event *event;                   /* NULL: only where modes and values begin             */
    int failed;
} acting;

static double run_one(const acting *a, int tape)
{
    return evaluation_run_one(&a->m->evaluation, a->w, tape, a->env);
}

static const double *run_signals(const acting *a)
{
    evaluation *e = &a->m->evaluation;
    const int tape = a->m->programs.signals;
    double *r = a->w->registers[tape];
    memcpy(r, a->env, (size_t)e->inputs * sizeof *r);
    tape_run(e->tape[tape], r);
    return r + tape_outputs_at(e->tape[tape]);
}

/* Register of a variable or signal in env; pre: of its value before. */
static double *register_of(const acting *a, uint32_t variable, int pre)
{
    const evaluation *e = &a->m->evaluation;
    int real;
    const int slot = discrete_slot(&a->m->discrete, variable, &real);
    return a->env + slot + (real ? pre ? e->pre_value_at : e->value_at : pre ? e->pre_mode_at : e->mode_at);
}

static int timed_value(const event_signal *s, double t, double at) { return s->rises ? t >= at : t < at; }

/* The whole number below a; at an event on the side where the switch functions are. */
static double floor_value(const acting *a, const event_signal *s, double x, double before)
{
    if (!a->event) return floor(x);
    const int *positive = a->event->positive + s->first_switch;
    if (a->event->initial && a->event->iteration == 0)       /* a whole number: where does it leave to? */
        return floor(x) == x && before == x && !positive[0] ? x - 1 : floor(x);
    if (!positive[0]) return fmin(floor(x), before - 1);
    return positive[1] ? fmax(floor(x), before + 1) : before;
}

/* a <= b: its switch is a - b and it holds where that is not positive; of a < b it is b - a.  So both are right
 * where their sides are equal. */
static int holds_at_zero(const keel_model *m, const event_signal *s)
{
    return pool_op(&m->flat->pool, s->shown) == EXPR_LESS_EQUAL;
}

static void set_signals(const acting *a, const int *ticked)
{
    const discrete *d = &a->m->discrete;
    const double *x = run_signals(a);
    for (int k = 0; k < d->signals; k++) {
        const event_signal *s = &d->signal[k];
        double *to = register_of(a, (uint32_t)(a->m->system.variables + k), 0);
        if (s->kind == SIGNAL_SAMPLE) *to = ticked && ticked[s->clock];
        else if (s->kind == SIGNAL_FLOOR) *to = floor_value(a, s, x[k], *to);
        else if (s->kind == SIGNAL_RELATION && s->way == WAY_TIME) *to = timed_value(s, a->env[0], x[k]);
        else if (s->kind == SIGNAL_RELATION && a->event)
            *to = a->event->positive[s->first_switch] != holds_at_zero(a->m, s);
        else if (s->kind == SIGNAL_RELATION) *to = holds_at_zero(a->m, s) ? x[k] >= 0 : x[k] > 0;
    }
}

/* ---- whens ------------------------------------------------------------------------------------------- */

static void reinit(acting *a, const flat_action *act, double value)
{
    const int unknown = model_unknown(a->m, (int)act->variable);
    keel_event *event = a->event;
    if (!event) return;
    if (unknown < 0) {
        text_append(event->text, sizeof event->text, "reinit(%s): it follows from others, which have to "
                    "be set instead", a->m->flat->variable[act->variable].name);
        a->failed = -1;
        return;
    }
    event->y[unknown] = a->m->system.place[act->variable].sign * value;
    event->marks[unknown] = KEEL_FIXED;
}

static void act_once(acting *a, int number)
{
    const flat_action *act = &a->m->flat->action[number];
    const int tape = a->m->programs.action[number];
    const double value = a->m->discrete.action[number] ? run_one(a, tape) : 0;
    keel_event *event = a->event;
    switch (act->kind) {
    case ACTION_ASSIGN: *register_of(a, act->variable, 0) = value; break;
    case ACTION_REINIT: reinit(a, act, value); break;
    case ACTION_ASSERT:
        if (value != 0 || act->warning || !event) break;
        text_append(event->text, sizeof event->text, "assertion: %s (in line %d)", act->text,
                    model_line(a->m, act->where));
        a->failed = -1;
        break;
    case ACTION_TERMINATE:
        if (!event || (a->m->discrete.action[number] && value == 0)) break;
        event->stop = 1;
        text_append(event->text, sizeof event->text, "%s", act->text);
        break;
    }
}

/* Of each chain the first branch that fires.  Values are taken before any is assigned: equations. */
static void run_when(acting *a, int number)
{
    const flat_when *when = &a->m->flat->when[number];
    for (int b = when->branch; b < when->branch + when->branches; b++) {
        if (!a->m->discrete.fires[b] || run_one(a, a->m->programs.fires[b]) == 0) continue;
        const flat_branch *branch = &a->m->flat->branch[b];
        for (int k = branch->action; k < branch->action + branch->actions; k++) act_once(a, k);
        return;
    }
}

static void run_items(acting *a, int starting)
{
    const discrete *d = &a->m->discrete;
    for (int i = 0; i < d->items; i++) {
        const item *it = &d->item[i];
        if (it->kind == ITEM_WHEN) run_when(a, it->number);
        else {
            const uint32_t v = it->kind == ITEM_SIGNAL ? (uint32_t)(a->m->system.variables + it->number)
                                                       : it->variable;
            if (it->kind == ITEM_INITIAL && !starting) continue;
            const double value = run_one(a, a->m->programs.item[i]);
            *register_of(a, v, 0) = value;
            if (starting && it->kind != ITEM_EQUATION) *register_of(a, v, 1) = value;
        }
    }
}

/* ---- the action ---------------------------------------------------------------------------------------- */

static void now_is_before(const acting *a)
{
    const evaluation *e = &a->m->evaluation;
    memcpy(a->env + e->pre_mode_at, a->env + e->mode_at, (size_t)e->modes * sizeof *a->env);
    memcpy(a->env + e->pre_value_at, a->env + e->value_at, (size_t)e->values * sizeof *a->env);
}

static void open_env(acting *a, const keel_event *event)
{
    evaluation *e = &a->m->evaluation;
    const keel_frame *f = event->frame;
    double *r = a->env;
    r[0] = event->t;
    model_point at = {.t = event->t, .y = event->y, .z = event->y + e->differential};
    if (f) at.modes = at.pre_modes = f->modes, at.values = at.pre_values = f->values;
    evaluation_unknowns(e, a->w, &at, a->m->programs.acting_needs, r);
    for (int k = 0; k < e->modes; k++) r[e->mode_at + k] = f->modes[k];
    if (e->values) memcpy(r + e->value_at, f->values, (size_t)e->values * sizeof *r);
    r[e->initial_at] = event->initial && event->iteration == 0;
    now_is_before(a);
}

static int ticks(const acting *a, const keel_event *event)
{
    for (int c = 0; c < a->m->discrete.clocks && event->iteration == 0; c++)
        if (event->ticked[c]) return 1;
    return 0;
}

/* Ticks last no time: they are no part of what the frame keeps. */
static void forget_ticks(const acting *a)
{
    const discrete *d = &a->m->discrete;
    for (int k = 0; k < d->signals; k++)
        if (d->signal[k].kind == SIGNAL_SAMPLE)
            *register_of(a, (uint32_t)(a->m->system.variables + k), 0) = 0;
}

/* The int that a value is, or the nearest one. */
static int whole(double value)
{
    return value >= INT_MAX ? INT_MAX : value <= INT_MIN ? INT_MIN : value == value ? (int)value : 0;
}

/* What changes ends the step here, also where no equation depends on it: results have the values on both
 * sides of the instant at which a variable jumps. */
static void store(acting *a, keel_event *event)
{
    const evaluation *e = &a->m->evaluation;
    for (int k = 0; k < e->modes; k++) {
        const double value = a->env[e->mode_at + k];
        event->modes[k] = whole(value);
        if (event->modes[k] == value || a->failed) continue;
        text_append(event->text, sizeof event->text, "%s = %.10g is beyond the whole numbers of 32 bits",
                    a->m->mode_names[k], value);
        a->failed = -1;
    }
    for (int k = 0; k < e->values; k++) event->values[k] = a->env[e->value_at + k];
}

int model_action(keel_event *event, void *context)
{
    keel_model *m = model_of(context);
    acting a = {.m = m, .event = event, .w = evaluation_take(&m->evaluation)};
    if (!a.w) return -1;
    a.env = malloc((size_t)m->evaluation.inputs * sizeof *a.env);
    if (a.env) {
        open_env(&a, event);
        const int ticking = ticks(&a, event), begins = event->initial && event->iteration == 0;
        set_signals(&a, begins || !ticking ? NULL : event->ticked);
        run_items(&a, begins);
        if (begins && ticking && !a.failed) {
            now_is_before(&a);
            a.env[m->evaluation.initial_at] = 0;
            set_signals(&a, event->ticked);
            run_items(&a, 0);
        }
        forget_ticks(&a);
        store(&a, event);
    }
    evaluation_give(&m->evaluation, a.w);
    const int code = a.env ? a.failed : -1;
    free(a.env);
    return code;
}

int model_switches(double t, const double *y, const double *yp, double *s, void *context)
{
    keel_model *m = model_of(context);
    const discrete *d = &m->discrete;
    (void)yp;
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return -1;
    const model_point at = point_at(context, t, y, y + m->levels.differential);
    const double *x = evaluation_run(&m->evaluation, w, m->programs.signals, &at);
    for (int k = 0; k < d->signals; k++) {
        const event_signal *g = &d->signal[k];
        if (g->first_switch < 0) continue;
        s[g->first_switch] = g->kind == SIGNAL_RELATION && holds_at_zero(m, g) ? -x[k] : x[k];
        if (g->kind != SIGNAL_FLOOR) continue;
        s[g->first_switch] -= at.values[g->slot];
        s[g->first_switch + 1] = x[k] - at.values[g->slot] - 1;
    }
    evaluation_give(&m->evaluation, w);
    return 0;
}

int model_next_time(double t, double *next, void *context)
{
    keel_model *m = model_of(context);
    const discrete *d = &m->discrete;
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return -1;
    const model_point at = point_at(context, t, m->plan.y, m->plan.y + m->levels.differential);
    const double *x = evaluation_run(&m->evaluation, w, m->programs.signals, &at);
    *next = INFINITY;
    for (int k = 0; k < d->signals; k++)
        if (d->signal[k].kind == SIGNAL_RELATION && d->signal[k].way == WAY_TIME && x[k] > t && x[k] < *next)
            *next = x[k];
    evaluation_give(&m->evaluation, w);
    return 0;
}

int model_watch(double t, const double *y, const double *yp, char *text, int size, void *context)
{
    keel_model *m = model_of(context);
    int code = 0;
    (void)yp;
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return -1;
    const model_point at = point_at(context, t, y, y + m->levels.differential);
    const double *x = evaluation_run(&m->evaluation, w, m->programs.watch, &at);
    for (int k = 0; k < m->flat->assertions && !code; k++) {
        if (x[k] != 0 || m->flat->assertion[k].warning) continue;
        text[0] = 0;
        text_append(text, (size_t)size, "%s (assert in line %d)", m->flat->assertion[k].text,
                    model_line(m, m->flat->assertion[k].where));
        code = -1;
    }
    evaluation_give(&m->evaluation, w);
    return code;
}

/* ---- where modes and values begin ---------------------------------------------------------------------- */

static double discrete_start(keel_model *m, int v)
{
    const flat_variable *f = &m->flat->variable[v];
    const pool *p = &m->flat->pool;
    for (int k = m->starts - 1; k >= 0; k--)
        if (strcmp(m->start[k].name, f->name) == 0) return m->start[k].value;
    for (int i = 0; i < m->flat->initials; i++) {
        const flat_equation *q = &m->flat->initial[i];
        const expr side[2] = {q->left, q->right};
        for (int k = 0; k < 2; k++) {
            const expr_node *n = pool_at(p, side[k]);
            if ((n->op != EXPR_VARIABLE && n->op != EXPR_PRE) || n->a != (uint32_t)v) continue;
            const double value = parameter_value(&m->system, side[1 - k]);
            if (isfinite(value)) return value;
        }
    }
    const double value = f->start ? parameter_value(&m->system, f->start) : NAN;
    return isfinite(value) ? value : f->type == FLAT_ENUMERATION ? 1 : 0;
}

int discrete_begin(keel_model *m)
{
    enum { PASSES = 4 };
    evaluation *e = &m->evaluation;
    m->mode_start = calloc((size_t)e->modes + 1, sizeof *m->mode_start);
    m->value_start = calloc((size_t)e->values + 1, sizeof *m->value_start);
    acting a = {.m = m, .env = calloc((size_t)e->inputs + 1, sizeof *a.env)};
    if (!m->mode_start || !m->value_start || !a.env) return free(a.env), KEEL_NO_MEMORY;
    a.w = evaluation_take(e);
    if (!a.w) return free(a.env), KEEL_NO_MEMORY;
    const double start = m->flat->experiment.start;
    a.env[0] = isfinite(start) ? start : 0;
    memcpy(a.env + e->y_at, m->plan.y, (size_t)levels_unknowns(&m->levels) * sizeof *a.env);
    for (int v = 0; v < m->system.variables; v++)
        if (m->system.kind[v] == KIND_DISCRETE) *register_of(&a, (uint32_t)v, 0) = discrete_start(m, v);
    a.env[e->initial_at] = 1;
    for (int k = 0; k < PASSES && (m->discrete.signals || m->discrete.items); k++) {
        set_signals(&a, NULL);
        now_is_before(&a);
        for (int i = 0; i < m->discrete.items; i++) {
            const item *it = &m->discrete.item[i];
            if (it->kind == ITEM_SIGNAL)
                *register_of(&a, (uint32_t)(m->system.variables + it->number), 0) =
                    run_one(&a, m->programs.item[i]);
            if (it->kind == ITEM_INITIAL)
                *register_of(&a, it->variable, 0) = run_one(&a, m->programs.item[i]);
        }
    }
    for (int k = 0; k < e->modes; k++) m->mode_start[k] = whole(a.env[e->mode_at + k]);
    for (int k = 0; k < e->values; k++) m->value_start[k] = a.env[e->value_at + k];
    evaluation_give(e, a.w);
    free(a.env);
    return KEEL_OK;
}
