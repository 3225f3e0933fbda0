/* known.c -- expressions of parameters and constants as numbers, where reading depends on them.
 *
 * Sizes, conditions of components and of if-equations, ranges of loops.  The parameters that such a
 * value was computed from are marked as structural: they cannot change without reading again.
 */
#include "model/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

enum { UNSEEN, OPEN, NUMBER, NO_NUMBER };

static void more_room(reader *r)
{
    if (r->p->count <= r->known_room) return;
    uint32_t room = r->known_room ? r->known_room : 1024;
    while (room < r->p->count) room *= 2;
    double *known = TAKE(&r->keep, double, room);
    unsigned char *state = TAKE(&r->keep, unsigned char, room);
    uint32_t *visited = TAKE(&r->keep, uint32_t, room);
    if (r->known_room) {
        memcpy(visited, r->visited, r->known_room * sizeof *visited);
        memcpy(known, r->known, r->known_room * sizeof *known);
        memcpy(state, r->known_state, r->known_room);
    }
    r->known = known;
    r->known_state = state;
    r->visited = visited;
    r->known_room = room;
}

/* What the value of a parameter is computed from; 0: it has none, or it is no parameter. */
static expr definition(reader *r, uint32_t variable)
{
    flat_variable *v = &r->m->variable[variable];
    if (v->variability > FLAT_PARAMETER) return 0;
    leaf_bind(r, r->leaf[variable]);
    v = &r->m->variable[variable];
    if (!v->binding && !v->start) leaf_describe(r, r->leaf[variable]);     /* its start value */
    v = &r->m->variable[variable];
    if (v->fixed == 0) return 0;
    return v->binding ? v->binding : v->start;
}

/* The operands of a node that a number depends on; how many, or -1: it is never a number. */
static int operands(reader *r, expr e, expr operand[3])
{
    const expr_node *n = pool_at(r->p, e);
    switch ((expr_op)n->op) {
    case EXPR_CONSTANT: return 0;
    case EXPR_VARIABLE: {
        uint32_t derivative = n->b;
        operand[0] = definition(r, n->a);
        return operand[0] && !derivative ? 1 : -1;
    }
    case EXPR_IF: {
        const expr_node *branches = pool_at(r->p, n->b);
        operand[0] = n->a;
        operand[1] = branches->a;
        operand[2] = branches->b;
        return 3;
    }
    case EXPR_TIME: case EXPR_PRE: case EXPR_INITIAL: case EXPR_TERMINAL: case EXPR_DER:
    case EXPR_EDGE: case EXPR_SAMPLE: case EXPR_CALL: case EXPR_ARGUMENT: case EXPR_BRANCHES:
    case EXPR_NONE: return -1;
    default:
        operand[0] = n->a;
        operand[1] = n->b;
        return expr_operands((expr_op)n->op);
    }
}

static double compute(reader *r, expr e, const expr operand[3])
{
    const expr_node *n = pool_at(r->p, e);
    if (n->op == EXPR_CONSTANT) return n->value;
    if (n->op == EXPR_VARIABLE) return r->known[operand[0]];
    if (n->op == EXPR_IF) return r->known[operand[0]] != 0 ? r->known[operand[1]] : r->known[operand[2]];
    return expr_fold((expr_op)n->op, r->known[operand[0]],
                     expr_operands((expr_op)n->op) == 2 ? r->known[operand[1]] : 0);
}

typedef struct stack { expr *item; int count, room; } stack;

static void push(reader *r, stack *s, expr e)
{
    GROW(&r->scratch, s->item, s->count, s->room);
    s->item[s->count++] = e;
}

/* A branch of an if-expression that is not taken need not be a number. */
static int ready(reader *r, expr e, const expr operand[3], int count, stack *s, expr *again)
{
    int waits = 0, is_if = pool_op(r->p, e) == EXPR_IF;
    for (int k = 0; k < count; k++) {
        if (is_if && k && r->known_state[operand[0]] == NUMBER &&
            (r->known[operand[0]] != 0) != (k == 1)) continue;
        unsigned char state = r->known_state[operand[k]];
        if (state == NO_NUMBER) return -1;
        if (state == OPEN) return *again = operand[k], -2;
        if (state == NUMBER) continue;
        push(r, s, operand[k]);
        waits = 1;
        if (is_if && !k) return 0;
    }
    return !waits;
}

/* The parameters from `again` to the top of the stack are a ring: each needs the next. */
static void cycle(reader *r, const stack *s, expr again)
{
    const flat_variable *first = NULL;
    char ring[200] = "";
    int k = s->count - 1;
    while (k > 0 && s->item[k] != again) k--;
    for (; k < s->count; k++) {
        const expr_node *n = pool_at(r->p, s->item[k]);
        if (n->op != EXPR_VARIABLE || r->known_state[s->item[k]] != OPEN) continue;
        const flat_variable *v = &r->m->variable[n->a];
        if (!first) first = v;
        else text_append(ring, sizeof ring, "%s`%s`", *ring ? ", " : ", by way of ", v->name);
    }
    if (first)
        source_say(r->s, SEVERITY_ERROR, first->where, "the value of `%s` depends on itself%s",
                   first->name, ring);
}

int known_value(reader *r, expr e, double *number)
{
    if (!e) return 0;
    if (pool_op(r->p, e) == EXPR_CONSTANT) return *number = pool_at(r->p, e)->value, 1;
    region_mark mark = region_now(&r->scratch);
    stack s = {0};
    push(r, &s, e);
    while (s.count) {
        expr at = s.item[s.count - 1], operand[3] = {0};
        int count = operands(r, at, operand);
        more_room(r);
        reader_work(r, 1);
        if (r->known_state[at] >= NUMBER) {
            s.count--;
            continue;
        }
        r->known_state[at] = OPEN;
        expr again = 0;
        int state = count < 0 ? -1 : ready(r, at, operand, count, &s, &again);
        if (state == 0) continue;
        if (state == -2) cycle(r, &s, again);
        if (state > 0) r->known[at] = compute(r, at, operand);
        r->known_state[at] = state > 0 && isfinite(r->known[at]) ? NUMBER : NO_NUMBER;
        s.count--;
    }
    region_back(&r->scratch, mark);
    if (r->known_state[e] != NUMBER) return 0;
    *number = r->known[e];
    return 1;
}

/* The same without remembering what was seen: for the few nodes of a subscript or a condition.  -1: more. */
static int visit_few(reader *r, expr e, int (*see)(reader *r, const expr_node *n))
{
    enum { FEW = 60 };
    expr waits[FEW + 3];
    int count = 1, seen = 0;
    waits[0] = e;
    while (count) {
        expr at = waits[--count], operand[3] = {0};
        if (++seen > FEW || count > FEW - 3) return -1;
        if (!see(r, pool_at(r->p, at))) return 0;
        const int more = operands(r, at, operand);
        for (int k = 0; k < more; k++) waits[count++] = operand[k];
    }
    return 1;
}

/* Visits what an expression depends on, parameters with their definitions; 0: stop.  Looking at a definition
 * may visit others meanwhile: what these have marked is visited again. */
static int visit(reader *r, expr e, int (*see)(reader *r, const expr_node *n))
{
    int go_on = visit_few(r, e, see);
    if (go_on >= 0) return go_on;
    region_mark mark = region_now(&r->scratch);
    const uint32_t now = ++r->visit;
    stack s = {0};
    push(r, &s, e);
    for (go_on = 1; s.count && go_on;) {
        expr at = s.item[--s.count], operand[3] = {0};
        more_room(r);
        if (r->visited[at] == now) continue;
        r->visited[at] = now;
        go_on = see(r, pool_at(r->p, at));
        int count = operands(r, at, operand);
        for (int k = 0; k < count; k++) push(r, &s, operand[k]);
    }
    region_back(&r->scratch, mark);
    return go_on;
}

static int mark_structural(reader *r, const expr_node *n)
{
    if (n->op == EXPR_VARIABLE) r->m->variable[n->a].structural = 1;
    return 1;
}

int known_structural(reader *r, expr e, double *number)
{
    if (!known_value(r, e, number)) return 0;
    if (pool_op(r->p, e) != EXPR_CONSTANT) visit(r, e, mark_structural);
    return 1;
}

/* Integers, Booleans and enumerations choose; so do numbers that reading depends on anyway. */
static int is_choice(reader *r, const expr_node *n)
{
    if (n->op != EXPR_VARIABLE) return n->op != EXPR_TIME && n->op != EXPR_CALL;
    const flat_variable *v = &r->m->variable[n->a];
    return v->variability <= FLAT_PARAMETER && (v->type != FLAT_REAL || v->structural);
}

int known_choice(reader *r, expr e, double *number)
{
    if (pool_op(r->p, e) == EXPR_CONSTANT) return known_value(r, e, number);
    return visit(r, e, is_choice) && known_structural(r, e, number);
}

static int is_fixed_before(reader *r, const expr_node *n)
{
    if (n->op == EXPR_VARIABLE) return r->m->variable[n->a].variability <= FLAT_PARAMETER;
    return n->op != EXPR_TIME && n->op != EXPR_PRE && n->op != EXPR_INITIAL &&
           n->op != EXPR_TERMINAL && n->op != EXPR_EDGE && n->op != EXPR_SAMPLE;
}

int known_is_parameter(reader *r, expr e)
{
    const expr_node *n = pool_at(r->p, e);
    if (n->op == EXPR_CONSTANT) return 1;
    if (!is_fixed_before(r, n)) return 0;
    if (n->op == EXPR_VARIABLE) return 1;
    return visit(r, e, is_fixed_before);
}

static int is_timed(reader *r, const expr_node *n)
{
    return n->op == EXPR_TIME || is_fixed_before(r, n);
}

int known_is_timed(reader *r, expr e) { return visit(r, e, is_timed); }

int known_integer(const context *c, const ast_expr *e, int *number)
{
    value v = scalar_value(c, e);
    double x;
    *number = 0;
    if (value_failed(&v)) return -1;
    if (v.rank || (v.type.kind != VALUE_INTEGER && v.type.kind != VALUE_ENUMERATION)) {
        complain(c, e->where, "this must be a single Integer, not %s%s", v.rank ? "an array of " : "",
                 value_type_words(v.type));
        return -1;
    }
    if (!known_structural(c->r, v.one, &x)) {
        if (pool_op(c->r->p, v.one) == EXPR_VARIABLE &&
            c->r->m->variable[pool_at(c->r->p, v.one)->a].variability <= FLAT_PARAMETER)
            complain(c, e->where, "the parameter `%s` has no value, but reading depends on it",
                     c->r->m->variable[pool_at(c->r->p, v.one)->a].name);
        else complain(c, e->where,
                      "this must be known before the run: an Integer of parameters and constants");
        return -1;
    }
    /* written so that a size of 10^12 is refused by its name and not by its digits */
    *number = x > 2147483647.0 ? 2147483647 : x < -2147483647.0 ? -2147483647 : (int)x;
    return 0;
}
