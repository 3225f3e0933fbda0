/* when.c -- when-equations to branches with actions (specification, section 8.3.5). */
#include "model/when.h"

#include <string.h>

void action_put(reader *r, actions *to, flat_action a)
{
    GROW(&r->keep, to->item, to->count, to->room);
    to->item[to->count++] = a;
}

/* What is already true only at an instant fires by itself, the rest when it becomes true. */
static expr fires_when(reader *r, expr condition)
{
    expr_op op = pool_op(r->p, condition);
    return op == EXPR_SAMPLE || op == EXPR_EDGE || op == EXPR_INITIAL
         ? condition : pool_one(r->p, EXPR_EDGE, condition);
}

expr when_condition(const context *c, const ast_expr *e)
{
    reader *r = c->r;
    value v = scalar_value(c, e);
    if (value_failed(&v)) return 0;
    if (v.type.kind != VALUE_BOOLEAN || v.rank > 1 || !v.count) {
        complain(c, e->where, "the condition of a `when` must be a Boolean or a vector of Booleans, not %s%s",
                 v.rank ? "an array of " : "", value_type_words(v.type));
        return 0;
    }
    expr any = 0;
    for (int i = 0; i < v.count; i++) {
        expr one = fires_when(r, value_at(&v, i));
        any = any ? pool_two(r->p, EXPR_OR, any, one) : one;
    }
    return any;
}

/* The variable that a scalar of a left side is, or -1. */
static int variable_of(const context *c, expr e, span where)
{
    const expr_node *n = pool_at(c->r->p, e);
    if (n->op == EXPR_VARIABLE && !n->b && c->r->m->variable[n->a].variability > FLAT_PARAMETER)
        return (int)n->a;
    complain(c, where, "in a `when` the left side of an equation must be a variable");
    return -1;
}

void when_assign(const context *c, span where, const value *left, const value *right, actions *to)
{
    reader *r = c->r;
    rows checked = {0};
    equation_add(c, where, left, right, &checked);       /* types, shapes, units */
    for (int i = 0; i < checked.count; i++) {
        int v = variable_of(c, checked.row[i].left, where);
        if (v < 0) return;
        r->m->variable[v].variability = FLAT_DISCRETE;
        action_put(r, to, (flat_action){.kind = ACTION_ASSIGN, .variable = (uint32_t)v,
                                        .value = checked.row[i].right, .where = where});
    }
}

static void reinit(const context *c, const ast_expr *e, actions *to)
{
    if (e->items != 2 || e->nameds) {
        complain(c, e->where, "`reinit` has two arguments: a variable and its new value");
        return;
    }
    value x = scalar_value(c, e->item[0]), v = scalar_value(c, e->item[1]);
    rows checked = {0};
    equation_add(c, e->where, &x, &v, &checked);
    for (int i = 0; i < checked.count; i++) {
        const expr_node *n = pool_at(c->r->p, checked.row[i].left);
        if (n->op != EXPR_VARIABLE || c->r->m->variable[n->a].variability != FLAT_CONTINUOUS || n->b) {
            complain(c, e->item[0]->where, "`reinit` needs a continuous variable");
            return;
        }
        action_put(c->r, to, (flat_action){.kind = ACTION_REINIT, .variable = n->a,
                                           .value = checked.row[i].right, .where = e->where});
    }
}

static void terminate(const context *c, const ast_expr *e, actions *to)
{
    value v = e->items == 1 ? scalar_value(c, e->item[0]) : value_error();
    if (e->items != 1 || (!value_failed(&v) && (v.type.kind != VALUE_STRING || v.rank)))
        complain(c, e->where, "`terminate` has one argument: a String");
    else if (!value_failed(&v))
        action_put(c->r, to, (flat_action){.kind = ACTION_TERMINATE, .where = e->where,
                                           .text = reader_text_of(c->r, v.one)});
}

/* reinit, terminate and assert, in equations and algorithms alike. */
int when_call(const context *c, const ast_expr *e, actions *to)
{
    const char *name = e->name.part[0].name;
    flat_assert a = {0};
    if (e->name.parts > 1) return 0;
    if (!strcmp(name, "reinit")) return reinit(c, e, to), 1;
    if (!strcmp(name, "terminate")) return terminate(c, e, to), 1;
    if (strcmp(name, "assert")) return 0;
    if (!assertion_read(c, e, &a))
        action_put(c->r, to, (flat_action){.kind = ACTION_ASSERT, .value = a.condition, .warning = a.warning,
                                           .text = a.text, .where = a.where});
    return 1;
}

static void translate(const context *c, const ast_equation *e, actions *to);

static void translate_all(const context *c, const ast_branch *b, actions *to)
{
    reader_enter(c->r);
    for (int i = 0; i < b->count; i++) translate(c, b->body[i], to);
    reader_leave(c->r);
}

/* The same action of another branch, or NULL. */
static const flat_action *same_action(const actions *in, const flat_action *a)
{
    for (int i = 0; i < in->count; i++)
        if (in->item[i].kind == a->kind && a->kind <= ACTION_REINIT && in->item[i].variable == a->variable)
            return &in->item[i];
    return NULL;
}

/* What happens to a variable that a branch leaves alone: it keeps its value. */
static expr unchanged(reader *r, const flat_action *a)
{
    if (a->kind > ACTION_REINIT) return 0;
    return a->kind == ACTION_ASSIGN ? pool_leaf(r->p, EXPR_PRE, a->variable)
                                    : pool_variable(r->p, a->variable, 0);
}

/* The action happens only if the condition holds. */
static flat_action guarded(reader *r, flat_action a, expr condition, expr other)
{
    pool *p = r->p;
    if (a.kind == ACTION_ASSERT) a.value = pool_two(p, EXPR_OR, pool_one(p, EXPR_NOT, condition), a.value);
    else if (a.kind == ACTION_TERMINATE) a.value = a.value ? pool_two(p, EXPR_AND, condition, a.value) : condition;
    else a.value = pool_if(p, condition, a.value, other);
    return a;
}

void actions_guard(reader *r, actions *a, int from, expr condition)
{
    for (int i = from; i < a->count && condition; i++)
        a->item[i] = guarded(r, a->item[i], condition, unchanged(r, &a->item[i]));
}

static void if_actions(const context *c, const ast_equation *e, int from, actions *to)
{
    reader *r = c->r;
    int decided, i = branches_decide(c, e, from, &decided);
    if (i < 0) return;
    if (decided) {
        translate_all(c, &e->branch[i], to);
        return;
    }
    actions yes = {0}, no = {0};
    expr condition = scalar_condition(c, e->branch[i].condition);
    translate_all(c, &e->branch[i], &yes);
    reader_enter(r);
    if (i + 1 < e->branches) if_actions(c, e, i + 1, &no);
    reader_leave(r);
    for (int k = 0; k < yes.count; k++) {
        const flat_action *other = same_action(&no, &yes.item[k]);
        action_put(r, to, guarded(r, yes.item[k], condition, other ? other->value : unchanged(r, &yes.item[k])));
    }
    for (int k = 0; k < no.count; k++)
        if (!same_action(&yes, &no.item[k]))
            action_put(r, to, guarded(r, no.item[k], pool_one(r->p, EXPR_NOT, condition), unchanged(r, &no.item[k])));
}

typedef struct looped { const ast_equation *e; actions *to; } looped;

static int loop_body(const context *c, void *data)
{
    const looped *l = data;
    translate_all(c, &l->e->branch[0], l->to);
    return 0;
}

static void tuple_actions(const context *c, const ast_equation *e, actions *to)
{
    const ast_class *f = e->right->kind == AST_CALL
                       ? scope_class_or_say(c->r, c->lexical, &e->right->name) : NULL;
    value v = f ? function_call(c, e->right, f, e->left->items) : value_error();
    for (int i = 0; i < e->left->items && !value_failed(&v); i++) {
        if (!e->left->item[i]) continue;
        value l = scalar_value(c, e->left->item[i]);
        when_assign(c, e->where, &l, v.type.kind == VALUE_TUPLE ? &v.part[i] : &v, to);
    }
}

static void translate(const context *c, const ast_equation *e, actions *to)
{
    value left, right;
    looped l = {e, to};
    reader_work(c->r, 1);
    switch (e->kind) {
    case AST_EQUAL:
        if (e->left->kind == AST_TUPLE) {
            tuple_actions(c, e, to);
            return;
        }
        left = scalar_value(c, e->left);
        right = scalar_value(c, e->right);
        when_assign(c, e->where, &left, &right, to);
        return;
    case AST_DO:
        if (!when_call(c, e->left, to))
            complain(c, e->where, "in a `when` only `reinit`, `assert` and `terminate` stand alone");
        return;
    case AST_FOR: scalar_each(c, e->iterator, e->iterators, loop_body, &l, NULL); return;
    case AST_IF_BRANCHES: if_actions(c, e, 0, to); return;
    case AST_WHEN: complain(c, e->where, "a `when` cannot stand in another `when`"); return;
    case AST_CONNECT: complain(c, e->where, "`connect` cannot stand in a `when`"); return;
    default: return;
    }
}

void when_open(reader *r)
{
    GROW(&r->keep, r->m->when, r->m->whens, r->when_room);
    r->m->when[r->m->whens++] = (flat_when){r->m->branches, 0};
}

void when_branch(reader *r, expr fires, span where, const actions *a)
{
    flat_model *m = r->m;
    GROW(&r->keep, m->branch, m->branches, r->branch_room);
    m->branch[m->branches++] = (flat_branch){fires, m->actions, a->count, where};
    for (int i = 0; i < a->count; i++) {
        GROW(&r->keep, m->action, m->actions, r->action_room);
        m->action[m->actions++] = a->item[i];
    }
    m->when[m->whens - 1].branches++;
}

void when_translate(const context *c, const ast_equation *e)
{
    when_open(c->r);
    for (int i = 0; i < e->branches; i++) {
        actions a = {0};
        expr fires = when_condition(c, e->branch[i].condition);
        translate_all(c, &e->branch[i], &a);
        if (fires) when_branch(c->r, fires, e->branch[i].condition->where, &a);
    }
}
