/* equations.c -- equations, for-equations, if-equations, assertions (specification, section 8.3). */
#include "model/equations.h"

#include <string.h>

#include "core/text.h"
#include "model/unit.h"

static int is_number(const value *v)
{
    return v->type.kind == VALUE_REAL || v->type.kind == VALUE_INTEGER;
}

const char *indices_words(reader *r, const loop *loops)
{
    char room[300] = "", one[80];
    const loop *all[16];
    int count = 0;
    for (; loops && count < 16; loops = loops->next) all[count++] = loops;
    while (count-- > 0) {
        const loop *l = all[count];
        double x = 0;
        if (!known_value(r, l->value.one, &x)) continue;
        one[0] = '\0';
        if (l->value.type.kind == VALUE_ENUMERATION)
            text_append(one, sizeof one, "%s", l->value.type.enumeration->literal[(int)x - 1].name);
        else text_append(one, sizeof one, "%.6g", x);
        text_append(room, sizeof room, "%s%s = %s", *room ? ", " : "", l->name, one);
    }
    return *room ? region_text(&r->keep, room, strlen(room)) : "";
}

static void put_row(const context *c, expr left, expr right, span where, rows *to)
{
    reader *r = c->r;
    GROW(&r->keep, to->row, to->count, to->room);
    to->row[to->count++] = (flat_equation){left, right, where, r->indices, r->from};
    if (to->count > r->limits.scalars) {
        source_say(r->s, SEVERITY_ERROR, where, "here the model has more than the %d equations that can be read",
                   r->limits.scalars);
        reader_stop(r, STOP_SCALARS);
    }
}

static int types_fit(const context *c, span where, const value *a, const value *b)
{
    if (is_number(a) && is_number(b)) {
        const expr_node *n = a->count ? pool_at(c->r->p, value_at(a, 0)) : NULL;
        const expr_node *m = b->count ? pool_at(c->r->p, value_at(b, 0)) : NULL;
        int integer = a->type.kind == VALUE_INTEGER && b->type.kind == VALUE_REAL;
        if (!integer || !n || n->op != EXPR_VARIABLE || m->op == EXPR_VARIABLE) return 1;
        complain(c, where, "the left side is an Integer variable, the right side a Real; use `integer(...)`");
        return 0;
    }
    if (value_same_type(a->type, b->type) && a->type.kind != VALUE_STRING && a->type.kind < VALUE_TUPLE)
        return 1;
    complain(c, where, "the left side is %s, the right side %s", value_type_words(a->type),
             value_type_words(b->type));
    return 0;
}

void equation_add(const context *c, span where, const value *left, const value *right, rows *to)
{
    if (value_failed(left) || value_failed(right) || !types_fit(c, where, left, right)) return;
    if (!value_same_shape(left, right)) {
        region *s = &c->r->scratch;
        complain(c, where, "the left side is %s, the right side %s",
                 value_shape_words(s, left->rank, left->dim), value_shape_words(s, right->rank, right->dim));
        return;
    }
    unit_sum(c->r, where, left->unit, right->unit, "equation");
    for (int i = 0; i < left->count; i++) put_row(c, value_at(left, i), value_at(right, i), where, to);
}

/* (a, b) = f(x) */
static void tuple_equation(const context *c, const ast_equation *e, rows *to)
{
    const ast_expr *left = e->left;
    if (e->right->kind != AST_CALL) {
        complain(c, e->right->where, "several results come from a function: `(a, b) = f(...)`");
        return;
    }
    const ast_name *name = &e->right->name;
    if (name->parts == 1 && !scope_class(c->r, c->lexical, name, 1)) {   /* of the language, or unknown */
        const value said = scalar_call(c, e->right);
        if (!value_failed(&said)) complain(c, e->right->where, "`%s` has one result", name->part[0].name);
        return;
    }
    const ast_class *f = scope_class_or_say(c->r, c->lexical, name);
    if (!f) return;
    value v = function_call(c, e->right, f, left->items);
    if (value_failed(&v)) return;
    for (int i = 0; i < left->items; i++) {
        if (!left->item[i]) continue;
        value l = scalar_value(c, left->item[i]);
        equation_add(c, e->where, &l, v.type.kind == VALUE_TUPLE ? &v.part[i] : &v, to);
    }
}

/* ---- assertions ---- */
int assertion_read(const context *c, const ast_expr *e, flat_assert *a)
{
    double level;
    const ast_expr *given[3] = {NULL, NULL, NULL};
    static const char *const name[] = {"condition", "message", "level"};
    if (e->items + e->nameds < 2 || e->items + e->nameds > 3) {
        complain(c, e->where, "`assert` has a condition, a message and possibly a level");
        return -1;
    }
    for (int i = 0; i < e->items; i++) given[i] = e->item[i];
    for (int i = 0; i < e->nameds; i++)
        for (int k = 0; k < 3; k++)
            if (!strcmp(name[k], e->named[i].name)) given[k] = e->named[i].value;
    if (!given[0] || !given[1]) {
        complain(c, e->where, "`assert` has a condition, a message and possibly a level");
        return -1;
    }
    a->where = e->where;
    a->condition = scalar_condition(c, given[0]);
    value text = scalar_value(c, given[1]);
    if (!a->condition || value_failed(&text)) return -1;
    if (text.type.kind != VALUE_STRING || text.rank) {
        complain(c, given[1]->where, "the message of `assert` must be a String");
        return -1;
    }
    a->text = reader_text_of(c->r, text.one);
    if (!given[2]) return 0;
    value v = scalar_value(c, given[2]);
    if (value_failed(&v)) return -1;
    if (v.type.kind != VALUE_ENUMERATION || !known_structural(c->r, v.one, &level)) {
        complain(c, given[2]->where, "the level of `assert` is AssertionLevel.error or AssertionLevel.warning");
        return -1;
    }
    a->warning = level == 1;
    return 0;
}

void assertion_add(const context *c, const ast_expr *e, expr guard)
{
    reader *r = c->r;
    flat_assert a = {0};
    if (assertion_read(c, e, &a)) return;
    if (guard) a.condition = pool_two(r->p, EXPR_OR, pool_one(r->p, EXPR_NOT, guard), a.condition);
    GROW(&r->keep, r->m->assertion, r->m->assertions, r->assert_room);
    r->m->assertion[r->m->assertions++] = a;
}

static void do_call(const context *c, const ast_equation *e, rows *to)
{
    const ast_name *name = &e->left->name;
    const char *first = name->part[0].name;
    if (name->parts == 1 && !strcmp(first, "assert")) assertion_add(c, e->left, to->guard);
    else if (name->parts == 1 && (!strcmp(first, "reinit") || !strcmp(first, "terminate")))
        complain(c, e->where, "`%s` can only stand in a `when`", first);
    else if (!strcmp(first, "Connections") || !strcmp(first, "transition") || !strcmp(first, "initialState"))
        complain(c, e->where, "`%s` is not supported yet", first);
    else {
        value v = scalar_call(c, e->left);
        if (!value_failed(&v))
            complain(c, e->where, "the result of this function is not used: an equation needs `=`");
    }
}

/* ---- branches ---- */
int branches_decide(const context *c, const ast_equation *e, int from, int *decided)
{
    *decided = 0;
    for (int i = from; i < e->branches; i++) {
        if (!e->branch[i].condition) return *decided = 1, i;
        expr condition = scalar_condition(c, e->branch[i].condition);
        double yes;
        if (!condition) return -1;
        if (!known_is_parameter(c->r, condition) || !known_structural(c->r, condition, &yes)) return i;
        if (yes != 0) return *decided = 1, i;
    }
    return -1;
}

/* Row k of the first branch belongs to the row with the same left side, if there is one in each. */
static int matching(const rows *first, const rows *other, int k)
{
    int found = -1, again = 0;
    for (int i = 0; i < other->count; i++)
        if (other->row[i].left == first->row[k].left) {
            again += found >= 0;
            found = i;
        }
    for (int i = 0; i < first->count; i++) again += i != k && first->row[i].left == first->row[k].left;
    return again ? -1 : found;
}

static int all_match(const rows *first, const rows *other)
{
    for (int k = 0; k < first->count; k++)
        if (matching(first, other, k) < 0) return 0;
    return 1;
}

/* if c then a else b, row by row: of the left sides and of the right sides. */
static void combine(const context *c, const ast_equation *e, expr condition, rows *a, const rows *b)
{
    pool *p = c->r->p;
    if (a->count != b->count) {
        complain(c, e->where, "the branches of this if-equation have %d and %d equations; they need the same "
                 "number because the condition changes in the run", a->count, b->count);
        return;
    }
    int by_name = a->count <= 200 && all_match(a, b);
    for (int k = 0; k < a->count; k++) {
        const flat_equation *other = &b->row[by_name ? matching(a, b, k) : k];
        a->row[k].left = pool_if(p, condition, a->row[k].left, other->left);
        a->row[k].right = pool_if(p, condition, a->row[k].right, other->right);
    }
}

static expr guarded(reader *r, expr guard, expr condition)
{
    return guard ? pool_two(r->p, EXPR_AND, guard, condition) : condition;
}

static void if_equation(const context *c, const ast_equation *e, int from, rows *to)
{
    int decided, i = branches_decide(c, e, from, &decided);
    reader *r = c->r;
    if (i < 0) return;
    if (decided) {
        equations_body(c, e->branch[i].body, e->branch[i].count, to);
        return;
    }
    expr condition = scalar_condition(c, e->branch[i].condition);
    rows yes = {.initial = to->initial, .branch = 1, .guard = guarded(r, to->guard, condition)};
    rows no = {.initial = to->initial, .branch = 1,
               .guard = guarded(r, to->guard, pool_one(r->p, EXPR_NOT, condition))};
    int errors = source_errors(r->s);
    equations_body(c, e->branch[i].body, e->branch[i].count, &yes);
    reader_enter(r);
    if (i + 1 < e->branches) if_equation(c, e, i + 1, &no);
    reader_leave(r);
    if (source_errors(r->s) > errors) return;
    combine(c, e, condition, &yes, &no);
    for (int k = 0; k < yes.count; k++)
        put_row(c, yes.row[k].left, yes.row[k].right, yes.row[k].where, to);
}

/* ---- loops ---- */
typedef struct body { const ast_equation *e; rows *to; } body;

static int loop_body(const context *c, void *data)
{
    const body *b = data;
    const char *before = c->r->indices;
    region_mark mark = region_now(&c->r->scratch);
    c->r->indices = indices_words(c->r, c->loops);
    equations_body(c, b->e->branch[0].body, b->e->branch[0].count, b->to);
    c->r->indices = before;
    region_back(&c->r->scratch, mark);
    return 0;
}

void equation_translate(const context *c, const ast_equation *e, rows *to)
{
    value left, right;
    body b = {e, to};
    switch (e->kind) {
    case AST_EQUAL:
        if (e->left->kind == AST_TUPLE) {
            tuple_equation(c, e, to);
            return;
        }
        left = scalar_value(c, e->left);
        right = scalar_value(c, e->right);
        equation_add(c, e->where, &left, &right, to);
        return;
    case AST_DO: do_call(c, e, to); return;
    case AST_FOR: scalar_each(c, e->iterator, e->iterators, loop_body, &b, NULL); return;
    case AST_IF_BRANCHES: if_equation(c, e, 0, to); return;
    case AST_WHEN:
        if (to->branch) complain(c, e->where, "a `when` cannot stand in an if-equation whose condition changes in the run");
        else if (to->initial) complain(c, e->where, "a `when` cannot stand in an initial equation");
        else when_translate(c, e);
        return;
    case AST_CONNECT:
        if (to->branch) complain(c, e->where, "`connect` cannot stand in an if-equation whose condition changes in the run");
        else if (to->initial) complain(c, e->where, "`connect` cannot stand in an initial equation");
        else connect_translate(c, e);
        return;
    default: return;
    }
}

void equations_body(const context *c, ast_equation *const *list, int count, rows *to)
{
    reader_enter(c->r);
    for (int i = 0; i < count; i++) {
        region_mark mark = region_now(&c->r->scratch);
        reader_work(c->r, 1);
        equation_translate(c, list[i], to);
        region_back(&c->r->scratch, mark);
    }
    reader_leave(c->r);
}

/* ---- sections of a class, of what it extends, of its members ---- */
static void sections(reader *r, instance *i, const ast_class *class_)
{
    context c = context_of(r, i, class_);
    flat_model *m = r->m;
    for (int k = 0; k < class_->sections; k++) {
        const ast_section *s = &class_->section[k];
        if (s->algorithm) {
            algorithm_translate(&c, s);
            continue;
        }
        rows to = s->initial ? (rows){m->initial, m->initials, r->initial_room, 1, 0, 0}
                             : (rows){m->equation, m->equations, r->equation_room, 0, 0, 0};
        equations_body(&c, s->equation, s->count, &to);
        if (s->initial) m->initial = to.row, m->initials = to.count, r->initial_room = to.room;
        else m->equation = to.row, m->equations = to.count, r->equation_room = to.room;
    }
}

static void inherited(reader *r, instance *i, const ast_class *class_, int depth)
{
    int count = class_->is_short ? !class_->is_enumeration && class_->base.parts > 0 : class_->extend_count;
    for (int k = 0; k < count && depth < 100; k++) {
        const ast_class *base = scope_base(r, class_, k);
        if (base && !base->basic) inherited(r, i, base, depth + 1);
    }
    sections(r, i, class_);
}

void equations_of(reader *r, instance *i)
{
    reader_enter(r);
    for (int k = 0; k < i->members; k++) {
        instance *m = i->member[k];
        if (m->absent || !m->type.kind) continue;
        if (instance_is_leaf(m)) leaf_equation(r, m);
        else if (!m->rank) equations_of(r, m);
        else for (int e = 0; m->element && e < instance_elements(m); e++) equations_of(r, m->element[e]);
    }
    r->from = instance_path(r, i);
    if (i->class_) inherited(r, i, i->class_, 0);
    reader_leave(r);
}
