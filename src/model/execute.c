/* execute.c -- see execute.h (specification, section 11.2). */
#include "model/execute.h"

#include <string.h>

#include "model/reference.h"
#include "model/unit.h"

static executed execute(const context *c, const ast_equation *e);

void execute_set(reader *r, expr *at, expr e)
{
    GROW(&r->keep, r->trail, r->trails, r->trail_room);
    r->trail[r->trails++] = (trail){at, *at};
    *at = e;
}

/* ---- assignments ---- */
static int assignable(const context *c, const value *to, const value *v, span where)
{
    int number = to->type.kind == VALUE_REAL && v->type.kind == VALUE_INTEGER;
    region *s = &c->r->scratch;
    if (!number && !value_same_type(to->type, v->type))
        complain(c, where, "the left side is %s, the right side %s", value_type_words(to->type),
                 value_type_words(v->type));
    else if (!value_same_shape(to, v))
        complain(c, where, "the left side is %s, the right side %s", value_shape_words(s, to->rank, to->dim),
                 value_shape_words(s, v->rank, v->dim));
    else {
        unit_sum(c->r, where, to->unit, v->unit, "assignment");
        return 1;
    }
    return 0;
}

/* A subscript that changes in the run cannot say what is assigned. */
static int subscripts_known(const context *c, const ast_name *name)
{
    for (int k = 0; k < name->parts; k++)
        for (int d = 0; d < name->part[k].subscripts; d++) {
            const ast_expr *e = name->part[k].subscript[d];
            context inside = *c;
            inside.end = 1;
            if (e->kind == AST_COLON) continue;
            value v = scalar_value(&inside, e);
            for (int i = 0; i < v.count; i++)
                if (!known_is_parameter(c->r, value_at(&v, i))) return 0;
        }
    return 1;
}

/* The cells of a local as a value whose scalars are their numbers: subscripts and fields then say
 * which of them are meant. */
static value local_cells(const context *c, const local *l, const ast_name *name)
{
    expr *number = TAKE(&c->r->scratch, expr, l->count);
    for (int i = 0; i < l->count; i++) number[i] = (expr)i;
    value v = value_array(l->type, l->rank, l->dim, number, l->count);
    v.unit = l->unit;
    v = value_select(c, &v, &name->part[0]);
    for (int k = 1; k < name->parts && !value_failed(&v); k++) {
        const field *f = v.type.kind == VALUE_RECORD ? record_field(v.type.record, name->part[k].name) : NULL;
        if (!f) return complain(c, name->part[k].where, "`%s` has no component `%s`", name->part[k - 1].name,
                                name->part[k].name);
        v = value_field(&c->r->scratch, &v, f);
        v = value_select(c, &v, &name->part[k]);
    }
    return v;
}

/* Real y[:]: the first whole assignment decides its size. */
static int resize(const context *c, local *l, const value *v, const ast_name *name)
{
    if (!l->flexible || name->parts > 1 || name->part[0].subscripts || v->rank != l->rank) return 0;
    int *dim = TAKE(&c->r->scratch, int, v->rank);
    for (int d = 0; d < v->rank; d++) dim[d] = v->dim[d];
    l->dim = dim;
    l->count = v->count;
    l->cell = TAKE(&c->r->scratch, expr, v->count);
    return 0;
}

static executed assign_local(const context *c, const ast_equation *e, const ast_expr *left, local *l,
                             const value *v)
{
    if (l->component->prefix.input) {
        complain(c, left->where, "`%s` is an input: it cannot be assigned", l->component->name);
        return EXECUTE_FAILED;
    }
    if (!subscripts_known(c, &left->name)) return EXECUTE_CALL;
    resize(c, l, v, &left->name);
    value cells = local_cells(c, l, &left->name);
    if (value_failed(&cells) || !assignable(c, &cells, v, e->where)) return EXECUTE_FAILED;
    for (int i = 0; i < cells.count; i++)
        execute_set(c->r, &l->cell[value_at(&cells, i)], value_at(v, i));
    return EXECUTE_ON;
}

/* Parameters that are not fixed are found at the start. */
static int assignable_variable(const context *c, const flat_variable *v)
{
    return v->variability > FLAT_PARAMETER || (c->frame->initial && v->fixed == 0);
}

static executed assign_variables(const context *c, const ast_equation *e, const ast_expr *left, const value *v)
{
    reader *r = c->r;
    context outside = *c;
    outside.frame = NULL;
    if (!subscripts_known(c, &left->name)) return EXECUTE_CALL;
    /* subscripts may contain what the algorithm has assigned, the name itself means the variable */
    value to = scalar_value(&outside, left);
    if (value_failed(&to) || !assignable(c, &to, v, e->where)) return EXECUTE_FAILED;
    for (int i = 0; i < to.count; i++) {
        const expr_node *n = pool_at(r->p, value_at(&to, i));
        if (n->op != EXPR_VARIABLE || n->b || !assignable_variable(c, &r->m->variable[n->a])) {
            complain(c, left->where, "only variables can be assigned");
            return EXECUTE_FAILED;
        }
        if (r->in_when) r->assignment[n->a].when |= (unsigned short)(1 << 15);
        else if (r->assignment[n->a].plain < 1000) r->assignment[n->a].plain++;
        execute_set(r, &r->assigned[n->a], value_at(v, i));
    }
    return EXECUTE_ON;
}

static executed assign(const context *c, const ast_equation *e, const ast_expr *left, const value *v)
{
    if (left->kind != AST_NAME) {
        complain(c, left->where, "the left side of `:=` must be a variable");
        return EXECUTE_FAILED;
    }
    for (const loop *l = c->loops; l; l = l->next)
        if (l->name == left->name.part[0].name && left->name.parts == 1) {
            complain(c, left->where, "the loop variable `%s` cannot be assigned", l->name);
            return EXECUTE_FAILED;
        }
    local *l = frame_local(c->frame, left->name.part[0].name);
    if (l) return assign_local(c, e, left, l, v);
    if (!c->frame->function) return assign_variables(c, e, left, v);
    scalar_reference(c, left);               /* says that it is not declared */
    complain(c, left->where, "`%s` is no variable of this function", left->name.part[0].name);
    return EXECUTE_FAILED;
}

static executed assign_tuple(const context *c, const ast_equation *e)
{
    const ast_expr *left = e->left;
    const ast_class *f = e->right->kind == AST_CALL
                       ? scope_class_or_say(c->r, c->lexical, &e->right->name) : NULL;
    if (e->right->kind != AST_CALL)
        complain(c, e->right->where, "several results come from a function: `(a, b) := f(...)`");
    value v = f ? function_call(c, e->right, f, left->items) : value_error();
    if (value_failed(&v)) return EXECUTE_FAILED;
    for (int i = 0; i < left->items; i++) {
        if (!left->item[i]) continue;
        executed done = assign(c, e, left->item[i], v.type.kind == VALUE_TUPLE ? &v.part[i] : &v);
        if (done != EXECUTE_ON) return done;
    }
    return EXECUTE_ON;
}

/* ---- branches ---- */
typedef struct change { expr *at; expr value; } change;

/* What was assigned since `mark`, and back to how it was. */
static change *take_back(reader *r, int mark, int *count)
{
    change *made = TAKE(&r->scratch, change, r->trails - mark);
    *count = r->trails - mark;
    for (int i = mark; i < r->trails; i++) made[i - mark] = (change){r->trail[i].at, *r->trail[i].at};
    while (r->trails > mark) {
        r->trails--;
        *r->trail[r->trails].at = r->trail[r->trails].old;
    }
    return made;
}

static void apply(reader *r, const change *made, int count)
{
    for (int i = 0; i < count; i++)
        if (*made[i].at != made[i].value) execute_set(r, made[i].at, made[i].value);
}

/* if c then a else b for everything that one of the branches has changed */
static void join(reader *r, expr condition, const change *yes, int yeses, const change *no, int nos)
{
    int mark = r->trails;
    apply(r, no, nos);
    for (int i = 0; i < yeses; i++) {
        expr other = *yes[i].at;
        /* a second assignment of the same cell: it is joined already */
        int again = 0;
        for (int k = 0; k < i && !again; k++) again = yes[k].at == yes[i].at;
        if (again) continue;
        execute_set(r, yes[i].at, other ? pool_if(r->p, condition, yes[i].value, other) : yes[i].value);
    }
    for (int i = 0; i < nos; i++) {
        int both = 0;
        for (int k = 0; k < yeses && !both; k++) both = yes[k].at == no[i].at;
        if (both) continue;
        expr old = 0;
        for (int k = mark; k < r->trails; k++)
            if (r->trail[k].at == no[i].at) {
                old = r->trail[k].old;
                break;
            }
        if (old) execute_set(r, no[i].at, pool_if(r->p, condition, old, no[i].value));
    }
}

static executed execute_if(const context *c, const ast_equation *e, int from)
{
    reader *r = c->r;
    for (int i = from; i < e->branches; i++) {
        if (!e->branch[i].condition) return execute_all(c, e->branch[i].body, e->branch[i].count);
        expr condition = scalar_condition(c, e->branch[i].condition);
        if (!condition) return EXECUTE_FAILED;
        const expr_node *n = pool_at(r->p, condition);
        if (n->op == EXPR_CONSTANT && n->value == 0) continue;
        if (n->op == EXPR_CONSTANT) return execute_all(c, e->branch[i].body, e->branch[i].count);
        int mark = r->trails, yeses, nos;
        expr guard = r->guard;
        r->undecided++;
        r->guard = guard ? pool_two(r->p, EXPR_AND, guard, condition) : condition;
        executed a = execute_all(c, e->branch[i].body, e->branch[i].count);
        change *yes = take_back(r, mark, &yeses);
        expr not = pool_one(r->p, EXPR_NOT, condition);
        r->guard = guard ? pool_two(r->p, EXPR_AND, guard, not) : not;
        reader_enter(r);
        executed b = a == EXECUTE_ON ? execute_if(c, e, i + 1) : a;
        reader_leave(r);
        change *no = take_back(r, mark, &nos);
        r->undecided--;
        r->guard = guard;
        if (a == EXECUTE_FAILED || b == EXECUTE_FAILED) return EXECUTE_FAILED;
        if (a != EXECUTE_ON || b != EXECUTE_ON) return EXECUTE_CALL;
        join(r, condition, yes, yeses, no, nos);
        return EXECUTE_ON;
    }
    return EXECUTE_ON;
}

/* ---- loops ---- */
static int range_known(const context *c, const ast_iterator *it)
{
    const ast_expr *e = it->range;
    for (int i = 0; e && e->kind == AST_RANGE && i < e->items; i++) {
        value v = scalar_value(c, e->item[i]);
        double x;
        if (value_failed(&v) || v.rank) return 1;            /* said where the loop is read */
        if (!known_structural(c->r, v.one, &x)) return 0;
    }
    return 1;
}

typedef struct repeated { const ast_equation *e; executed done; } repeated;

static int loop_body(const context *c, void *data)
{
    repeated *w = data;
    reader_work(c->r, 10);
    w->done = execute_all(c, w->e->branch[0].body, w->e->branch[0].count);
    return w->done != EXECUTE_ON;
}

static executed execute_for(const context *c, const ast_equation *e)
{
    repeated w = {e, EXECUTE_ON};
    for (int i = 0; i < e->iterators; i++)
        if (i == 0 && !range_known(c, &e->iterator[i])) return EXECUTE_CALL;
    int errors = source_errors(c->r->s);
    int stopped = scalar_each(c, e->iterator, e->iterators, loop_body, &w, NULL);
    if (w.done == EXECUTE_BREAK) return EXECUTE_ON;
    if (stopped && w.done == EXECUTE_ON) w.done = EXECUTE_FAILED;
    (void)errors;
    return w.done;
}

static executed execute_while(const context *c, const ast_equation *e)
{
    enum { ROUNDS = 1000000 };
    for (int round = 0;; round++) {
        double yes;
        if (round == ROUNDS) {
            complain(c, e->where, "this loop has not ended after %d rounds: does it ever?", ROUNDS);
            return EXECUTE_FAILED;
        }
        reader_work(c->r, 10);
        expr condition = scalar_condition(c, e->branch[0].condition);
        if (!condition) return EXECUTE_FAILED;
        if (!known_is_parameter(c->r, condition) || !known_structural(c->r, condition, &yes)) return EXECUTE_CALL;
        if (yes == 0) return EXECUTE_ON;
        executed done = execute_all(c, e->branch[0].body, e->branch[0].count);
        if (done == EXECUTE_BREAK) return EXECUTE_ON;
        if (done != EXECUTE_ON) return done;
    }
}

/* ---- calls that stand alone ---- */
static executed execute_call(const context *c, const ast_equation *e)
{
    const ast_name *name = &e->left->name;
    reader *r = c->r;
    if (r->in_when) {
        int before = r->in_when->count;
        int done = when_call(c, e->left, r->in_when);
        actions_guard(r, r->in_when, before, r->guard);
        if (done) return EXECUTE_ON;
    }
    if (name->parts == 1 && !strcmp(name->part[0].name, "assert")) {
        flat_assert a = {0};
        if (assertion_read(c, e->left, &a)) return EXECUTE_FAILED;
        if (pool_is(r->p, a.condition, 1)) return EXECUTE_ON;
        if (r->numeric) return pool_is(r->p, a.condition, 0) && !a.warning ? EXECUTE_FAILED : EXECUTE_ON;
        assertion_add(c, e->left, r->guard);
        return EXECUTE_ON;
    }
    if (name->parts == 1 && (!strcmp(name->part[0].name, "reinit") || !strcmp(name->part[0].name, "terminate"))) {
        complain(c, e->where, "`%s` can only stand in a `when`", name->part[0].name);
        return EXECUTE_FAILED;
    }
    value v = scalar_call(c, e->left);
    return value_failed(&v) ? EXECUTE_FAILED : EXECUTE_ON;
}

static executed execute(const context *c, const ast_equation *e)
{
    value v;
    reader_work(c->r, 1);
    switch (e->kind) {
    case AST_ASSIGN:
        if (e->left->kind == AST_TUPLE) return assign_tuple(c, e);
        v = scalar_value(c, e->right);
        return value_failed(&v) ? EXECUTE_FAILED : assign(c, e, e->left, &v);
    case AST_IF_BRANCHES: return execute_if(c, e, 0);
    case AST_FOR: return execute_for(c, e);
    case AST_WHILE: return execute_while(c, e);
    case AST_BREAK: return EXECUTE_BREAK;
    case AST_RETURN:
        if (c->frame->function) return EXECUTE_RETURN;
        complain(c, e->where, "`return` can only stand in a function");
        return EXECUTE_FAILED;
    case AST_WHEN:
        if (!c->frame->function && !c->r->in_when && !c->r->undecided) return execute_when(c, e), EXECUTE_ON;
        complain(c, e->where, "a `when` cannot stand in %s", c->frame->function ? "a function" :
                 c->r->in_when ? "another `when`" : "an `if` whose condition changes in the run");
        return EXECUTE_FAILED;
    case AST_DO: return execute_call(c, e);
    default: return EXECUTE_ON;
    }
}

executed execute_all(const context *c, ast_equation *const *body, int count)
{
    executed done = EXECUTE_ON;
    reader_enter(c->r);
    for (int i = 0; i < count && done == EXECUTE_ON; i++) done = execute(c, body[i]);
    reader_leave(c->r);
    return done;
}
