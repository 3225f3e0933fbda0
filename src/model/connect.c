/* connect.c -- connections to equations (specification, chapter 9).
 *
 * connect(a, b) joins the scalars of two connectors in sets.  Potentials of a set are equal, flows
 * add up to 0: + for connectors of components (inside), - for those of the class itself (outside).
 * A flow that nothing is connected to from without is 0.
 */
#include "model/equations.h"

#include "model/unit.h"

/* A scalar in its role: variable * 2 + outside.  Sets are rings that are joined; `root` finds out
 * whether two are the same (union by size would not pay: halving the paths is enough). */
struct connection { uint32_t root, next, source; span where; unsigned char member; };

static void prepare(reader *r)
{
    if (r->connection) return;
    r->connections = 2 * r->m->variables;
    r->connection = TAKE(&r->keep, connection, r->connections);
    for (int i = 0; i < r->connections; i++)
        r->connection[i] = (connection){(uint32_t)i, (uint32_t)i, 0, {0, 0, -1}, 0};
}

static uint32_t root_of(reader *r, uint32_t i)
{
    connection *c = r->connection;
    while (c[i].root != i) i = c[i].root = c[c[i].root].root;
    return i;
}

static void join(reader *r, uint32_t a, uint32_t b, span where)
{
    connection *c = r->connection;
    for (int k = 0; k < 2; k++) {
        connection *one = &c[k ? b : a];
        if (!one->member) one->where = where;
        one->member = 1;
    }
    uint32_t p = root_of(r, a), q = root_of(r, b);
    if (p == q) return;
    c[q].root = p;
    uint32_t swap = c[a].next;               /* two rings become one */
    c[a].next = c[b].next;
    c[b].next = swap;
}

/* ---- what a connector is ---- */
typedef struct end { value v; int outside, absent, is_connector; } end;

static instance *element_of(instance *i)
{
    return i->rank && !instance_is_leaf(i) && !i->is_element
         ? i->element && instance_elements(i) ? i->element[0] : NULL : i;
}

static int look(const context *c, const ast_expr *e, end *to)
{
    reader *r = c->r;
    *to = (end){0};
    if (e->kind != AST_NAME || !c->self) {
        complain(c, e->where, "`connect` needs the names of two connectors");
        return -1;
    }
    instance *i = c->self;
    for (int k = 0; k < e->name.parts && i; k++) {
        i = instance_find(r, i, e->name.part[k].name);
        if (!i) break;
        if (i->absent == 1) return to->absent = 1, 0;
        if (instance_shape(r, i)) return -1;
        if (i->connector) to->is_connector = 1;
        if (!k) to->outside = i->connector;
        i = element_of(i);
    }
    to->v = scalar_value(c, e);
    if (value_failed(&to->v)) return -1;
    if (to->is_connector || !to->v.count) return 0;
    complain(c, e->where, "`%s` is not a connector", e->name.part[e->name.parts - 1].name);
    return -1;
}

static int is_flow(reader *r, expr e)
{
    const expr_node *n = pool_at(r->p, e);
    return n->op == EXPR_VARIABLE && r->leaf[n->a]->prefix.flow;
}

static int is_variable(reader *r, expr e)
{
    const expr_node *n = pool_at(r->p, e);
    return n->op == EXPR_VARIABLE && r->m->variable[n->a].variability > FLAT_PARAMETER;
}

/* Signals have one source: an output of a component, or an input of the class itself; one that is protected
 * only hands on. */
static int check_sources(const context *c, const ast_equation *e, uint32_t x, uint32_t y,
                         int x_outside, int y_outside)
{
    reader *r = c->r;
    const ast_prefix *p = &r->leaf[x]->prefix, *q = &r->leaf[y]->prefix;
    if (p->input + p->output != 1 || q->input + q->output != 1) return 0;
    const int from_x = p->output != x_outside && !(x_outside && p->hidden);
    const int from_y = q->output != y_outside && !(y_outside && q->hidden);
    if (from_x && from_y && x != y) {
        complain(c, e->where, "`%s` and `%s` are connected, but both are sources of a signal",
                 r->m->variable[x].name, r->m->variable[y].name);
        return -1;
    }
    if (from_x == from_y) return 0;
    const uint32_t origin = from_x ? x : y, sink = from_x ? y : x;
    uint32_t *before = &r->connection[2 * sink].source;      /* 0: none, else variable + 1 */
    if (*before && *before != origin + 1) {
        complain(c, e->where, "`%s` has two sources: `%s` and `%s`", r->m->variable[sink].name,
                 r->m->variable[*before - 1].name, r->m->variable[origin].name);
        return -1;
    }
    *before = origin + 1;
    return 0;
}

static void join_scalars(const context *c, const ast_equation *e, const end *a, const end *b)
{
    reader *r = c->r;
    for (int i = 0; i < a->v.count; i++) {
        expr x = value_at(&a->v, i), y = value_at(&b->v, i);
        if (!is_variable(r, x) || !is_variable(r, y)) continue;
        int flow = is_flow(r, x);
        if (flow != is_flow(r, y)) {
            complain(c, e->where, "a flow variable is connected to one that is no flow: `%s` and `%s`",
                     r->m->variable[pool_at(r->p, x)->a].name, r->m->variable[pool_at(r->p, y)->a].name);
            return;
        }
        if (check_sources(c, e, pool_at(r->p, x)->a, pool_at(r->p, y)->a, a->outside, b->outside)) return;
        join(r, 2 * pool_at(r->p, x)->a + (uint32_t)(flow && a->outside),
             2 * pool_at(r->p, y)->a + (uint32_t)(flow && b->outside), e->where);
    }
}

void connect_translate(const context *c, const ast_equation *e)
{
    end a, b;
    prepare(c->r);
    int bad = look(c, e->left, &a) != 0;
    bad |= look(c, e->right, &b) != 0;
    if (bad || a.absent || b.absent) return;
    if (!value_same_type(a.v.type, b.v.type) && a.v.count && b.v.count) {
        complain(c, e->where, "the connectors are of different kinds: %s and %s", value_type_words(a.v.type),
                 value_type_words(b.v.type));
        return;
    }
    if (!value_same_shape(&a.v, &b.v)) {
        complain(c, e->where, "the connectors have dimensions %s and %s",
                 value_shape_words(&c->r->scratch, a.v.rank, a.v.dim),
                 value_shape_words(&c->r->scratch, b.v.rank, b.v.dim));
        return;
    }
    unit_sum(c->r, e->where, a.v.unit, b.v.unit, "connection");
    join_scalars(c, e, &a, &b);
}

/* ---- the equations ---- */
static void put(reader *r, expr left, expr right, span where)
{
    GROW(&r->keep, r->m->equation, r->m->equations, r->equation_room);
    r->m->equation[r->m->equations++] = (flat_equation){left, right, where, "", ""};
}

static expr variable(reader *r, uint32_t key) { return pool_variable(r->p, key / 2, 0); }

static void potentials(reader *r, uint32_t first)
{
    const connection *c = r->connection;
    for (uint32_t k = c[first].next; k != first; k = c[k].next)
        put(r, variable(r, first), variable(r, k), c[k].where);
}

static void flows(reader *r, uint32_t first)
{
    const connection *c = r->connection;
    expr sum = first % 2 ? pool_one(r->p, EXPR_NEGATE, variable(r, first)) : variable(r, first);
    for (uint32_t k = c[first].next; k != first; k = c[k].next)
        sum = pool_two(r->p, k % 2 ? EXPR_SUBTRACT : EXPR_ADD, sum, variable(r, k));
    put(r, sum, pool_constant(r->p, 0), c[first].where);
}

/* A connector that nothing is connected to: where it is declared, or the component that has it. */
static span place_of(const instance *i)
{
    span where = i->component->where;
    for (i = i->parent; i && i->component; i = i->parent) {
        where = i->component->where;
        if (where.text >= 0) break;
    }
    return where;
}

/* ---- is a connector balanced? ---- */

/* The outermost connector that a variable is a part of, in connectors and records; NULL: none. */
static const instance *connector_of(const instance *leaf)
{
    const instance *found = NULL;
    for (const instance *i = leaf->parent; i && i->parent; i = i->parent) {
        if (i->connector) found = i;
        else if (!i->class_ || i->class_->restriction != CLASS_RECORD) break;
    }
    return found;
}

static int is_signal(const instance *leaf, const instance *connector)
{
    const instance *i = leaf;
    while (i != connector && !(i->prefix.input || i->prefix.output)) i = i->parent;
    return i->prefix.input || i->prefix.output;
}

/* As many flows as potentials (specification 9.3.1), else the equations of connections do not suffice or are
 * too many.  Potentials alone can do no harm: a warning. */
static void check_balance(reader *r, const instance *connector, int flows, int potentials)
{
    ast_class *c = (ast_class *)(uintptr_t)scope_target(r, connector->class_);
    if (flows == potentials || !c || c->unbalanced) return;
    c->unbalanced = 1;
    source_say(r->s, flows ? SEVERITY_ERROR : SEVERITY_WARNING, c->where,
               "connector `%s` has %d flow variable%s and %d other%s: a connector needs as many of the one "
               "kind as of the other (input, output, parameters and constants apart)", c->name, flows,
               flows == 1 ? "" : "s", potentials, potentials == 1 ? "" : "s");
}

static void check_connectors(reader *r)
{
    const instance *before = NULL;
    int flows = 0, potentials = 0;
    for (int k = 0; k <= r->m->variables; k++) {
        const instance *leaf = k < r->m->variables ? r->leaf[k] : NULL;
        const instance *connector = leaf ? connector_of(leaf) : NULL;
        if (connector != before && before) check_balance(r, before, flows, potentials);
        if (connector != before) flows = potentials = 0;
        before = connector;
        if (!connector || r->m->variable[k].variability <= FLAT_PARAMETER) continue;
        if (leaf->prefix.flow) flows++;
        else if (!is_signal(leaf, connector)) potentials++;
    }
}

void connect_finish(reader *r)
{
    prepare(r);
    check_connectors(r);
    unsigned char *done = TAKE(&r->keep, unsigned char, r->connections);
    for (uint32_t k = 0; k < (uint32_t)r->connections; k++) {
        const flat_variable *v = &r->m->variable[k / 2];
        int flow = r->leaf[k / 2]->prefix.flow && v->variability > FLAT_PARAMETER;
        if (!r->connection[k].member) {
            if (flow && k % 2 == 0 && r->leaf[k / 2]->parent->connector)
                put(r, variable(r, k), pool_constant(r->p, 0), place_of(r->leaf[k / 2]));
            continue;
        }
        uint32_t root = root_of(r, k);
        if (done[root]) continue;
        done[root] = 1;
        if (flow) flows(r, k);
        else potentials(r, k);
    }
}
