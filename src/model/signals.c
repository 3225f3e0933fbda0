/* signals.c -- what makes events in an expression becomes a signal: see discrete.h.
 *
 * Relations, floors, ticks and edges are replaced by variables beyond those of the model, each by the same
 * one wherever it occurs.
 */
#include "model/discrete.h"

#include <math.h>
#include <stdlib.h>

/* Nothing inside of noEvent makes events, but for relations of time alone, of which it is known when they
 * change: a step that ends there is all that it is.  What its author calls smooth has kinks in some
 * derivative, which the error estimate of a long step may miss: it is looked at like anything else. */
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
        const event_signal edge = {.kind = SIGNAL_EDGE, .shown = n.a, .a = memo(d, n.a)};
        const expr now = signal_variable(d, edge);
        if (!now) return 0;
        const expr before = pool_leaf(p, EXPR_PRE, pool_at(p, now)->a);
        return pool_two(p, EXPR_AND, now, pool_one(p, EXPR_NOT, before));
    }
    default: return 0;
    }
}

expr signals_put(discrete *d, expr e)
{
    d->rewrite.leaf = signal_rule;
    d->rewrite.context = d;
    d->rewrite.walk.opaque = opaque;
    return e ? rewrite_expr(&d->rewrite, &d->system->flat->pool, e) : 0;
}

expr signals_put_all(discrete *d, expr e)
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
