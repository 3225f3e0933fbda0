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

/* ---- signals --------------------------------------------------------------------------------------- */

/* Nothing inside of noEvent makes events, but for relations of time alone, which change when they are known to:
 * a step that ends there is all that it is.  What its author calls smooth has kinks in some derivative, which
 * the error estimate of a long step may miss: it is looked at like anything else. */
static int opaque(const pool *p, expr e) { return pool_op(p, e) == EXPR_NO_EVENT; }

static int is_continuous(const pool *p, expr e, void *given)
{
    const model_system *s = given;
    const expr_node *n = pool_at(p, e);
    return n->op == EXPR_TIME
        || (n->op == EXPR_VARIABLE && n->a < (uint32_t)s->variables && s->varies[n->a]);
}

static int is_unknown(const pool *p, expr e, void *given)
{
    return pool_op(p, e) != EXPR_TIME && is_continuous(p, e, given);
}

/* Place of a signal in the table of numbers + 1, or where it belongs. */
static int *signal_place(const discrete *d, signal_kind kind, expr shown)
{
    const uint32_t mask = 2 * (uint32_t)d->signal_room - 1;      /* room is a power of 2 */
    uint32_t at = (shown * UINT32_C(2654435761) + (uint32_t)kind) & mask;
    for (; d->signal_at[at]; at = (at + 1) & mask) {
        const event_signal *g = &d->signal[d->signal_at[at] - 1];
        if (g->kind == kind && g->shown == shown) break;
    }
    return &d->signal_at[at];
}

/* Room for one more signal, in a table that is never more than half full. */
static int signal_room(discrete *d)
{
    if (d->signals < d->signal_room) return 0;
    const int room = d->signal_room ? 2 * d->signal_room : 16;
    event_signal *more = realloc(d->signal, (size_t)room * sizeof *more);
    if (more) d->signal = more;
    int *table = more ? calloc(2 * (size_t)room, sizeof *table) : NULL;
    if (!table) return -1;
    free(d->signal_at);
    d->signal_at = table;
    d->signal_room = room;
    for (int k = 0; k < d->signals; k++) *signal_place(d, d->signal[k].kind, d->signal[k].shown) = k + 1;
    return 0;
}

static uint32_t signal_add(discrete *d, event_signal s)
{
    if (signal_room(d)) return d->system->no_memory = 1, 0;
    int *found = signal_place(d, s.kind, s.shown);
    if (!*found) {
        s.first_switch = s.clock = -1;
        d->signal[d->signals] = s;
        *found = ++d->signals;
    }
    return (uint32_t)(d->system->variables + *found - 1);
}

static expr zero_time(pool *p, expr e, void *context)
{
    (void)context;
    return pool_op(p, e) == EXPR_TIME ? pool_constant(p, 0) : 0;
}

/* a < b whose difference is linear in time and else changes at events only: when it changes. */
static void time_of_change(discrete *d, event_signal *s)
{
    model_system *y = d->system;
    walk *w = &d->walk;
    pool *p = &y->flat->pool;
    const expr difference = make_subtract(p, s->b, s->a);
    if (walk_any(w, p, difference, is_unknown, y)) return;
    const expr rate = derivative_by_time(&y->derivation, difference);
    if (!rate || walk_any(w, p, rate, is_continuous, y)) return;
    const double slope = parameter_value(y, rate);
    if (!isfinite(slope) || slope == 0) return;
    d->at_zero.leaf = zero_time;
    const expr offset = rewrite_expr(&d->at_zero, p, difference);
    s->way = WAY_TIME;
    s->rises = slope > 0;
    s->time = slope == 1 ? make_negate(p, offset) : slope == -1 ? offset
            : make_divide(p, make_negate(p, offset), rate);
}

static expr signal_variable(discrete *d, event_signal s)
{
    const uint32_t v = signal_add(d, s);
    return v ? pool_variable(&d->system->flat->pool, v, 0) : 0;
}

static expr relation_signal(discrete *d, expr whole, expr a, expr b)
{
    model_system *s = d->system;
    pool *p = &s->flat->pool;
    event_signal found = {.kind = SIGNAL_RELATION, .shown = whole, .a = a, .b = b, .way = WAY_SWITCH};
    const expr difference = make_subtract(p, b, a);
    if (!walk_any(&d->walk, p, difference, is_continuous, s))
        return expr_with(p, whole, a, b);        /* compares what events change: no signal needed */
    time_of_change(d, &found);
    return signal_variable(d, found);
}

/* floor(a) of something continuous; others as they are. */
static expr floor_signal(discrete *d, expr a)
{
    model_system *s = d->system;
    pool *p = &s->flat->pool;
    const int moves = walk_any(&d->walk, p, a, is_continuous, s);
    const expr shown = pool_one(p, EXPR_FLOOR, a);
    return moves ? signal_variable(d, (event_signal){.kind = SIGNAL_FLOOR, .shown = shown, .a = a}) : shown;
}

/* div towards zero: floor where the quotient is not negative, else ceil. */
static expr truncation(discrete *d, expr quotient)
{
    pool *p = &d->system->flat->pool;
    const expr zero = pool_constant(p, 0);
    const expr negative = relation_signal(d, pool_two(p, EXPR_LESS, quotient, zero), quotient, zero);
    return pool_if(p, negative, make_negate(p, floor_signal(d, make_negate(p, quotient))),
                   floor_signal(d, quotient));
}

/* a < b, which makes an event if it may change between events. */
static expr less_signal(discrete *d, expr a, expr b)
{
    return relation_signal(d, pool_two(&d->system->flat->pool, EXPR_LESS, a, b), a, b);
}

/* abs(a), and max(a, 0) as a guard of what follows, make no events: they may rest where they bend, and would
 * chatter there.  Of time alone they are known beforehand. */
static int bends_quietly(discrete *d, expr a)
{
    return walk_any(&d->walk, &d->system->flat->pool, a, is_unknown, d->system);
}

static expr abs_signal(discrete *d, expr a)
{
    pool *p = &d->system->flat->pool;
    if (bends_quietly(d, a)) return pool_one(p, EXPR_ABS, a);
    return pool_if(p, less_signal(d, a, pool_constant(p, 0)), make_negate(p, a), a);
}

/* min and max bend where their operands meet: an error estimate may miss that within a long step. */
static expr extreme_signal(discrete *d, expr_op op, expr a, expr b)
{
    pool *p = &d->system->flat->pool;
    if ((pool_is(p, a, 0) && bends_quietly(d, b)) || (pool_is(p, b, 0) && bends_quietly(d, a)))
        return pool_two(p, op, a, b);
    const expr less = less_signal(d, a, b);
    return op == EXPR_MIN ? pool_if(p, less, a, b) : pool_if(p, less, b, a);
}

/* sign(a): a jump. */
static expr sign_signal(discrete *d, expr a)
{
    pool *p = &d->system->flat->pool;
    const expr zero = pool_constant(p, 0), positive = less_signal(d, zero, a),
               negative = less_signal(d, a, zero);
    return pool_if(p, positive, pool_constant(p, 1),
                   pool_if(p, negative, pool_constant(p, -1), zero));
}

static expr memo(const discrete *d, expr e) { return d->rewrite.memo[e]; }

/* Inside of noEvent. */
static expr timed_rule(pool *p, expr e, void *context)
{
    discrete *d = context;
    const expr_node n = *pool_at(p, e);
    if (n.op != EXPR_LESS && n.op != EXPR_LESS_EQUAL) return 0;
    const expr a = d->quiet.memo[n.a], b = d->quiet.memo[n.b];
    return walk_any(&d->walk, p, make_subtract(p, b, a), is_unknown, d->system) ? 0
         : relation_signal(d, e, a, b);
}

static expr quiet_signals(discrete *d, expr e)
{
    pool *p = &d->system->flat->pool;
    d->quiet.leaf = timed_rule;
    d->quiet.context = d;
    const expr inside = rewrite_expr(&d->quiet, p, e);
    return inside ? pool_one(p, EXPR_NO_EVENT, inside) : 0;
}

static expr signal_rule(pool *p, expr e, void *context)
{
    discrete *d = context;
    const expr_node n = *pool_at(p, e);
    switch ((expr_op)n.op) {
    case EXPR_LESS: case EXPR_LESS_EQUAL: return relation_signal(d, e, memo(d, n.a), memo(d, n.b));
    case EXPR_FLOOR: return floor_signal(d, memo(d, n.a));
    case EXPR_CEIL: return make_negate(p, floor_signal(d, make_negate(p, memo(d, n.a))));
    case EXPR_QUOTIENT: return truncation(d, make_divide(p, memo(d, n.a), memo(d, n.b)));
    case EXPR_MOD: {
        const expr a = memo(d, n.a), b = memo(d, n.b);
        return make_subtract(p, a, make_multiply(p, floor_signal(d, make_divide(p, a, b)), b));
    }
    case EXPR_REM: {
        const expr a = memo(d, n.a), b = memo(d, n.b);
        return make_subtract(p, a, make_multiply(p, truncation(d, make_divide(p, a, b)), b));
    }
    case EXPR_ABS: return abs_signal(d, memo(d, n.a));
    case EXPR_SIGN: return sign_signal(d, memo(d, n.a));
    case EXPR_MIN: case EXPR_MAX: return extreme_signal(d, (expr_op)n.op, memo(d, n.a), memo(d, n.b));
    case EXPR_NO_EVENT: return d->rewrite.walk.opaque ? quiet_signals(d, n.a) : 0;
    case EXPR_SAMPLE:
        return signal_variable(d, (event_signal){.kind = SIGNAL_SAMPLE, .shown = e, .a = n.a, .b = n.b});
    case EXPR_EDGE: {
        const expr now = signal_variable(d, (event_signal){.kind = SIGNAL_EDGE, .shown = n.a, .a = memo(d, n.a)});
        if (!now) return 0;
        const expr before = pool_leaf(p, EXPR_PRE, pool_at(p, now)->a);
        return pool_two(p, EXPR_AND, now, pool_one(p, EXPR_NOT, before));
    }
    default: return 0;
    }
}

static expr with_signals(discrete *d, expr e)
{
    d->rewrite.leaf = signal_rule;
    d->rewrite.context = d;
    d->rewrite.walk.opaque = opaque;
    return e ? rewrite_expr(&d->rewrite, &d->system->flat->pool, e) : 0;
}

/* The value of a discrete variable: it cannot change but at events, so nothing in it is without them. */
static expr with_all_signals(discrete *d, expr e)
{
    const rewrite usual = d->rewrite;
    d->rewrite = d->strict;
    d->rewrite.leaf = signal_rule;
    d->rewrite.context = d;
    const expr made = rewrite_expr(&d->rewrite, &d->system->flat->pool, e);
    d->strict = d->rewrite;
    d->rewrite = usual;
    return made;
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
            next.value = with_all_signals(d, on_left ? m->equation[i].right : m->equation[i].left);
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
            d->fires[b] = with_signals(d, m->branch[b].fires);
            for (int a = m->branch[b].action; a < m->branch[b].action + m->branch[b].actions; a++) {
                const flat_action *act = &m->action[a];
                d->action[a] = with_signals(d, act->value);
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
                           .value = with_signals(d, value)};
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
        s->row[i].left[0] = with_signals(d, s->row[i].left[0]);
        s->row[i].right[0] = with_signals(d, s->row[i].right[0]);
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
