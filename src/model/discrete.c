/* discrete.c -- what changes at events: see discrete.h. */
#include "model/discrete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/status.h"

void discrete_free(discrete *d)
{
    free(d->signal);
    free(d->signal_at);
    free(d->slot);
    free(d->real);
    free(d->item);
    free(d->fires);
    free(d->action);
    free(d->determined);
    rewrite_free(&d->rewrite);
    rewrite_free(&d->strict);
    rewrite_free(&d->quiet);
    rewrite_free(&d->at_zero);
    walk_free(&d->walk);
    *d = (discrete){0};
}

/* ---- items --------------------------------------------------------------------------------------- */

static int item_add(discrete *d, item i)
{
    item *more = realloc(d->item, ((size_t)d->items + 1) * sizeof *more);
    if (!more) return -1;
    d->item = more;
    d->item[d->items++] = i;
    return 0;
}

/* The discrete variable that one side is, or -1; *negated: it is its negation. */
static int sole_variable(const discrete *d, expr e, int *negated)
{
    const model_system *s = d->system;
    const pool *p = &s->flat->pool;
    *negated = pool_op(p, e) == EXPR_NOT;
    const expr_node *n = pool_at(p, *negated ? pool_at(p, e)->a : e);
    if (n->op != EXPR_VARIABLE || n->a >= (uint32_t)s->variables) return -1;
    return s->kind[n->a] == KIND_DISCRETE && !s->assigned[n->a] && !d->determined[n->a] ? (int)n->a : -1;
}

/* Equations with one candidate first: what they take is none for the others any more. */
static int assign_equations(discrete *d)
{
    model_system *s = d->system;
    const flat_model *m = s->flat;
    unsigned char *done = calloc((size_t)m->equations + 1, 1);
    int code = done ? KEEL_OK : KEEL_NO_MEMORY, found = 1, least = 1;
    while (code == KEEL_OK && (found || least < 2)) {
        if (!found) least++;
        found = 0;
        for (int i = 0; i < m->equations && code == KEEL_OK; i++) {
            if (!s->discrete_equation[i] || done[i]) continue;
            int not_left, not_right;
            const int left = sole_variable(d, m->equation[i].left, &not_left);
            const int right = sole_variable(d, m->equation[i].right, &not_right);
            if ((left >= 0) + (right >= 0) > least || (left < 0 && right < 0)) continue;
            const int on_left = left >= 0;
            item next = {.kind = ITEM_EQUATION, .number = i, .negated = on_left ? not_left : not_right,
                         .variable = (uint32_t)(on_left ? left : right)};
            next.value = signals_put_all(d, on_left ? m->equation[i].right : m->equation[i].left);
            if (next.negated) next.value = pool_one(&s->flat->pool, EXPR_NOT, next.value);
            d->determined[next.variable] = done[i] = 1;
            found = 1;
            if (item_add(d, next)) code = KEEL_NO_MEMORY;
        }
    }
    for (int i = 0; i < m->equations && code != KEEL_NO_MEMORY; i++)
        if (s->discrete_equation[i] && !done[i]) {
            source_say(s->source, SEVERITY_ERROR, m->equation[i].where, "too many equations: the "
                       "discrete variables here are determined by others already");
            code = KEEL_BAD_ARGUMENT;
        }
    free(done);
    return code;
}

static int assign_whens(discrete *d)
{
    model_system *s = d->system;
    const flat_model *m = s->flat;
    int code = KEEL_OK;
    for (int w = 0; w < m->whens; w++) {
        for (int b = m->when[w].branch; b < m->when[w].branch + m->when[w].branches; b++) {
            d->fires[b] = signals_put(d, m->branch[b].fires);
            for (int a = m->branch[b].action; a < m->branch[b].action + m->branch[b].actions; a++) {
                const flat_action *act = &m->action[a];
                d->action[a] = signals_put(d, act->value);
                if (act->kind == ACTION_REINIT && !s->varies[act->variable]) {
                    source_say(s->source, SEVERITY_ERROR, act->where, "reinit(%s, ...): %s is not "
                               "continuous", m->variable[act->variable].name,
                               m->variable[act->variable].name);
                    code = KEEL_BAD_ARGUMENT;
                }
                if (act->kind != ACTION_ASSIGN) continue;
                if (s->kind[act->variable] != KIND_DISCRETE) {
                    source_say(s->source, SEVERITY_ERROR, act->where, "%s is not discrete and cannot be "
                               "determined by a when-clause", m->variable[act->variable].name);
                    code = KEEL_BAD_ARGUMENT;
                    continue;
                }
                if (d->determined[act->variable] == 1 + 2 * (w + 1) % 254) continue;
                if (d->determined[act->variable]) {
                    source_say(s->source, SEVERITY_ERROR, act->where, "%s is determined twice: by "
                               "this when-clause and by another equation",
                               m->variable[act->variable].name);
                    code = KEEL_BAD_ARGUMENT;
                }
                d->determined[act->variable] = (unsigned char)(1 + 2 * (w + 1) % 254);
            }
        }
        if (item_add(d, (item){.kind = ITEM_WHEN, .number = w})) return KEEL_NO_MEMORY;
    }
    return code;
}

/* The discrete variable v or pre(v) that a side of an initial equation is, or -1. */
static int initial_variable(const discrete *d, expr e)
{
    const model_system *s = d->system;
    const expr_node *n = pool_at(&s->flat->pool, e);
    if ((n->op != EXPR_VARIABLE && n->op != EXPR_PRE) || n->a >= (uint32_t)s->variables) return -1;
    return s->kind[n->a] == KIND_DISCRETE ? (int)n->a : -1;
}

/* Initial equations of discrete variables whose value is known only at the start: heat = T < 20. */
static int assign_initial(discrete *d)
{
    model_system *s = d->system;
    for (int i = 0; i < s->flat->initials; i++) {
        const flat_equation *q = &s->flat->initial[i];
        const int left = initial_variable(d, q->left), right = left < 0 ? initial_variable(d, q->right) : -1;
        const expr value = left >= 0 ? q->right : q->left;
        if ((left < 0 && right < 0) || isfinite(parameter_value(s, value))) continue;
        const item next = {.kind = ITEM_INITIAL,
                           .number = i,
                           .variable = (uint32_t)(left >= 0 ? left : right),
                           .value = signals_put(d, value)};
        if (item_add(d, next)) return KEEL_NO_MEMORY;
    }
    return KEEL_OK;
}

/* The equation v = ... of a variable that nothing determines: its other side is continuous. */
static const flat_equation *continuous_equation(const model_system *s, int v)
{
    for (int i = 0; i < s->flat->equations; i++) {
        const expr_node *n = pool_at(&s->flat->pool, s->flat->equation[i].left);
        if (n->op == EXPR_VARIABLE && n->a == (uint32_t)v && n->b == 0) return &s->flat->equation[i];
    }
    return NULL;
}

static int check_determined(discrete *d)
{
    const model_system *s = d->system;
    int code = KEEL_OK;
    for (int v = 0; v < s->variables; v++) {
        if (s->kind[v] != KIND_DISCRETE || d->determined[v]) continue;
        const flat_variable *f = &s->flat->variable[v];
        if (f->input) continue;
        const flat_equation *q = continuous_equation(s, v);
        if (q)
            source_say(s->source, SEVERITY_ERROR, q->where,
                       "%s changes at events only, but the other side may change "
                       "at any time: put it into a `when`",
                       f->name);
        else source_say(s->source, SEVERITY_ERROR, f->where, "no equation determines %s", f->name);
        code = KEEL_BAD_ARGUMENT;
    }
    return code;
}

int discrete_collect(discrete *d, model_system *s)
{
    const flat_model *m = s->flat;
    *d = (discrete){.system = s};
    d->determined = calloc((size_t)s->variables + 1, 1);
    d->fires = calloc((size_t)m->branches + 1, sizeof *d->fires);
    d->action = calloc((size_t)m->actions + 1, sizeof *d->action);
    if (!d->determined || !d->fires || !d->action) return KEEL_NO_MEMORY;
    for (int i = 0; i < s->rows; i++) {
        s->row[i].left[0] = signals_put(d, s->row[i].left[0]);
        s->row[i].right[0] = signals_put(d, s->row[i].right[0]);
    }
    int code = assign_initial(d);
    if (code == KEEL_OK) code = assign_equations(d);
    if (code == KEEL_OK) code = assign_whens(d);
    if (code == KEEL_OK) code = check_determined(d);
    s->discrete = d;
    s->extra = malloc((3 * (size_t)d->signals + 1) * sizeof *s->extra);
    if (!s->extra) return KEEL_NO_MEMORY;
    for (int k = 0; k < d->signals; k++) {
        s->extra[s->extras++] = d->signal[k].a;
        s->extra[s->extras++] = d->signal[k].b;
    }
    return s->no_memory || pool_full(&s->flat->pool) ? KEEL_NO_MEMORY : code;
}

/* ---- slots and order ------------------------------------------------------------------------------ */

static int number_slots(discrete *d)
{
    const model_system *s = d->system;
    const size_t n = (size_t)(s->variables + d->signals) + 1;
    d->slot = malloc(n * sizeof *d->slot);
    d->real = calloc(n, 1);
    if (!d->slot || !d->real) return KEEL_NO_MEMORY;
    for (int v = 0; v < s->variables + d->signals; v++) {
        const int k = v - s->variables;
        d->slot[v] = -1;
        if (k < 0 && s->kind[v] != KIND_DISCRETE) continue;
        d->real[v] = k < 0 ? s->flat->variable[v].type == FLAT_REAL : d->signal[k].kind == SIGNAL_FLOOR;
        d->slot[v] = d->real[v] ? d->values++ : d->modes++;
        if (k < 0) continue;
        event_signal *g = &d->signal[k];
        g->slot = d->slot[v];
        if (g->kind == SIGNAL_FLOOR || (g->kind == SIGNAL_RELATION && g->way == WAY_SWITCH)) {
            g->first_switch = d->switches;
            d->switches += g->kind == SIGNAL_FLOOR ? 2 : 1;
        }
        if (g->kind == SIGNAL_SAMPLE) g->clock = d->clocks++;
        d->timed += g->kind == SIGNAL_RELATION && g->way == WAY_TIME;
    }
    return KEEL_OK;
}

int discrete_slot(const discrete *d, uint32_t variable, int *real)
{
    if (!d->slot || variable >= (uint32_t)(d->system->variables + d->signals)) return -1;
    *real = d->real[variable];
    return d->slot[variable];
}

expr discrete_shown(const discrete *d, uint32_t variable)
{
    const int k = (int)variable - d->system->variables;
    return k >= 0 && k < d->signals ? d->signal[k].shown : 0;
}

/* Signals whose values are computed from other discrete ones are items, too. */
static int add_signal_items(discrete *d)
{
    for (int k = 0; k < d->signals; k++)
        if (d->signal[k].kind == SIGNAL_EDGE
            && item_add(d, (item){.kind = ITEM_SIGNAL, .number = k, .value = d->signal[k].a})) return -1;
    return 0;
}

typedef struct ordering {
    int *maker;                          /* per variable and signal: the item that makes it, -1 */
    unsigned char *state;
    item *sorted;
    int count;
} ordering;

static void order_item(discrete *d, ordering *o, int i, int depth);

static void order_needed(discrete *d, ordering *o, expr e, int depth)
{
    const pool *p = &d->system->flat->pool;
    const uint32_t most = (uint32_t)(d->system->variables + d->signals);
    if (!e) return;
    walk *w = &d->walk;
    walk_begin(w, p);
    walk_add(w, p, e);
    int *first = malloc(((size_t)w->count + 1) * sizeof *first), count = 0;
    if (!first) {
        d->system->no_memory = 1;
        return;
    }
    for (int k = 0; k < w->count; k++) {
        const expr_node *n = pool_at(p, w->list[k]);
        if (n->op == EXPR_VARIABLE && n->a < most && o->maker[n->a] >= 0 && !o->state[o->maker[n->a]])
            first[count++] = o->maker[n->a];
    }
    for (int k = 0; k < count; k++) order_item(d, o, first[k], depth + 1);   /* they use the walk */
    free(first);
}

/* Depth first; a loop is left where it closes: the iteration at an event goes around it. */
static void order_item(discrete *d, ordering *o, int i, int depth)
{
    enum { DEEPEST = 2000 };
    if (o->state[i] || depth > DEEPEST) return;
    o->state[i] = 1;
    const item *it = &d->item[i];
    const flat_model *m = d->system->flat;
    order_needed(d, o, it->value, depth);
    for (int b = 0; it->kind == ITEM_WHEN && b < m->when[it->number].branches; b++) {
        const flat_branch *branch = &m->branch[m->when[it->number].branch + b];
        order_needed(d, o, d->fires[m->when[it->number].branch + b], depth);
        for (int a = branch->action; a < branch->action + branch->actions; a++)
            order_needed(d, o, d->action[a], depth);
    }
    o->sorted[o->count++] = *it;
}

static int order_items(discrete *d)
{
    const model_system *s = d->system;
    const flat_model *m = s->flat;
    const size_t n = (size_t)(s->variables + d->signals) + 1;
    ordering o = {.maker = malloc(n * sizeof *o.maker), .state = calloc((size_t)d->items + 1, 1),
                  .sorted = calloc((size_t)d->items + 1, sizeof *o.sorted)};
    if (!o.maker || !o.state || !o.sorted) {
        free(o.maker);
        free(o.state);
        free(o.sorted);
        return KEEL_NO_MEMORY;
    }
    for (size_t k = 0; k < n; k++) o.maker[k] = -1;
    for (int i = 0; i < d->items; i++) {
        const item *it = &d->item[i];
        if (it->kind == ITEM_EQUATION) o.maker[it->variable] = i;
        if (it->kind == ITEM_SIGNAL) o.maker[s->variables + it->number] = i;
        for (int b = 0; it->kind == ITEM_WHEN && b < m->when[it->number].branches; b++) {
            const flat_branch *branch = &m->branch[m->when[it->number].branch + b];
            for (int a = branch->action; a < branch->action + branch->actions; a++)
                if (m->action[a].kind == ACTION_ASSIGN) o.maker[m->action[a].variable] = i;
        }
    }
    for (int i = 0; i < d->items; i++) order_item(d, &o, i, 0);
    free(d->item);
    d->item = o.sorted;
    free(o.maker);
    free(o.state);
    return d->system->no_memory ? KEEL_NO_MEMORY : KEEL_OK;
}

int discrete_complete(discrete *d, model_system *s, levels *l)
{
    int code = add_signal_items(d) ? KEEL_NO_MEMORY : number_slots(d);
    if (code == KEEL_OK) code = order_items(d);
    if (code != KEEL_OK) return code;
    for (int k = 0; k < d->signals; k++) {
        event_signal *g = &d->signal[k];
        expr *each[] = {&g->a, &g->b, &g->time};
        for (int i = 0; i < 3; i++)
            if (*each[i]) *each[i] = levels_finish(l, s, *each[i]);
    }
    for (int i = 0; i < d->items; i++)
        if (d->item[i].value) d->item[i].value = levels_finish(l, s, d->item[i].value);
    for (int b = 0; b < s->flat->branches; b++)
        if (d->fires[b]) d->fires[b] = levels_finish(l, s, d->fires[b]);
    for (int a = 0; a < s->flat->actions; a++)
        if (d->action[a]) d->action[a] = levels_finish(l, s, d->action[a]);
    return pool_full(&s->flat->pool) ? KEEL_NO_MEMORY : KEEL_OK;
}
