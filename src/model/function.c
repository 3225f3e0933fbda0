/* function.c -- functions of the user, inserted where they are called; records; conversions to
 * enumerations (specification, chapter 12). */
#include "model/execute.h"

#include <string.h>

#include "model/builtin.h"
#include "model/reference.h"
#include "model/unit.h"

enum { MOST_FRAMES = 100 };

/* ---- what a function declares, inherited declarations first ---- */
typedef struct declared { const ast_component **item; int count, room; } declared;

static void declarations(reader *r, const ast_class *f, declared *d, int depth)
{
    int count = f->is_short ? !f->is_enumeration && f->base.parts > 0 : f->extend_count;
    for (int i = 0; i < count && depth < 50; i++) {
        const ast_class *base = scope_base(r, f, i);
        if (base) declarations(r, base, d, depth + 1);
    }
    for (int i = 0; i < f->components; i++) {
        GROW(&r->scratch, d->item, d->count, d->room);
        d->item[d->count++] = &f->component[i];
    }
}

int function_inputs(reader *r, const ast_class *f, const ast_component ***input)
{
    declared d = {0};
    int count = 0;
    declarations(r, f, &d, 0);
    for (int i = 0; i < d.count; i++)
        if (d.item[i]->prefix.input) d.item[count++] = d.item[i];
    *input = d.item;
    return count;
}

/* The class that has the algorithm: the function or the one that it extends. */
static const ast_class *body_of(reader *r, const ast_class *f, int depth)
{
    for (int i = 0; i < f->sections; i++)
        if (f->section[i].algorithm) return f;
    if (f->external) return f;
    int count = f->is_short ? !f->is_enumeration && f->base.parts > 0 : f->extend_count;
    for (int i = 0; i < count && depth < 50; i++) {
        const ast_class *base = scope_base(r, f, i), *found = base ? body_of(r, base, depth + 1) : NULL;
        if (found) return found;
    }
    return NULL;
}

/* Without an algorithm its results are what they are declared to be (specification, section 12.2). */
static int declares_results(reader *r, const ast_class *f)
{
    declared d = {0};
    int outputs = 0;
    declarations(r, f, &d, 0);
    for (int i = 0; i < d.count; i++) {
        if (!d.item[i]->prefix.output) continue;
        if (!d.item[i]->modification || !d.item[i]->modification->value) return 0;
        outputs++;
    }
    return outputs > 0;
}

const record *record_of_class(reader *r, const ast_class *c)
{
    ast_class *mutable_ = (ast_class *)(uintptr_t)c;
    if (!c->record) mutable_->record = record_of_instance(r, instance_ghost(r, c));
    return c->record;
}

/* ---- locals ---- */
static int local_shape(const context *c, local *l, const ast_expr **dimension, const ast_class **where,
                       const value *shape)
{
    reader *r = c->r;
    double size = 1;
    if (shape && shape->rank != l->rank) {
        complain(c, l->component->where, "the argument `%s` has %d dimension%s, not %d", l->component->name,
                 l->rank, l->rank == 1 ? "" : "s", shape->rank);
        return -1;
    }
    for (int d = 0; d < l->rank; d++) {
        context at = *c;
        at.lexical = where[d];
        const ast_class *t = dimension[d]->kind == AST_NAME
                           ? scope_class(r, where[d], &dimension[d]->name, dimension[d]->name.parts) : NULL;
        t = t ? scope_target(r, t) : NULL;
        if (dimension[d]->kind == AST_COLON) {
            l->flexible = 1;
            l->dim[d] = shape ? shape->dim[d] : 0;
        } else if (t && (t->is_enumeration || t->basic == VALUE_BOOLEAN)) l->dim[d] = t->basic ? 2 : t->literals;
        else if (known_integer(&at, dimension[d], &l->dim[d])) return -1;
        if (l->dim[d] < 0 || (shape && shape->dim[d] != l->dim[d])) {
            complain(c, dimension[d]->where, "dimension %d of `%s` is %d, the argument has %d", d + 1,
                     l->component->name, l->dim[d], shape ? shape->dim[d] : 0);
            return -1;
        }
        size *= l->dim[d];
    }
    if (size <= r->limits.scalars) return 0;
    complain(c, l->component->where, "`%s` has %.3g elements, more than the %d that can be read",
             l->component->name, size, r->limits.scalars);
    return -1;
}

static local *local_add(const context *c, frame *f, const ast_component *k, const value *shape)
{
    reader *r = c->r;
    const component_type *t = component_resolve(r, k);
    if (!t) return NULL;
    const ast_class *class_ = t->class_;
    local l = {.component = k, .type = t->type, .rank = t->dimensions, .unit = t->unit};
    if (class_) {
        if (class_->restriction == CLASS_FUNCTION) {
            complain(c, k->where, "functions as arguments are not supported yet");
            return NULL;
        }
        if (shape && shape->type.kind == VALUE_RECORD) l.type = shape->type;
        else {
            l.type = (value_type){.kind = VALUE_RECORD, .record = record_of_class(r, class_)};
        }
    }
    /* it is there while its dimensions are looked at: A[:, size(A, 1)] */
    local *made = &f->local[f->locals];
    l.dim = TAKE(&r->scratch, int, l.rank);
    for (int d = 0; shape && shape->rank == l.rank && d < l.rank; d++) l.dim[d] = shape->dim[d];
    *made = l;
    if (shape && shape->rank == l.rank) {
        made->count = shape->count;
        made->cell = TAKE(&r->scratch, expr, shape->count);
        f->locals++;
    }
    if (local_shape(c, made, t->dimension, t->where, shape)) return NULL;
    f->locals = (int)(made - f->local) + 1;
    made->count = value_size(made->rank, made->dim) * value_width(made->type);
    made->cell = TAKE(&r->scratch, expr, made->count);
    reader_work(r, made->count);
    return made;
}

static int give(const context *c, local *l, const value *v, span where)
{
    int number = l->type.kind == VALUE_REAL && v->type.kind == VALUE_INTEGER;
    region *s = &c->r->scratch;
    value shape = {.rank = l->rank, .dim = l->dim};
    if (!number && !value_same_type(l->type, v->type)) {
        complain(c, where, "`%s` of this function is %s, not %s", l->component->name, value_type_words(l->type),
                 value_type_words(v->type));
        return -1;
    }
    if (!value_same_shape(&shape, v) || v->count != l->count) {
        complain(c, where, "`%s` of this function is %s, not %s", l->component->name,
                 value_shape_words(s, l->rank, l->dim), value_shape_words(s, v->rank, v->dim));
        return -1;
    }
    unit_check(c->r, where, "the argument", l->unit, v->unit);
    for (int i = 0; i < l->count; i++) l->cell[i] = value_at(v, i);
    return 0;
}

/* Values of declarations; of an input: where there is no argument. */
static int give_default(const context *c, local *l)
{
    const ast_modification *m = l->component->modification;
    if (!m || !m->value) return 0;
    value v = scalar_value(c, m->value);
    if (value_failed(&v)) return -1;
    if (l->flexible && v.rank == l->rank) {
        int *dim = TAKE(&c->r->scratch, int, v.rank);
        for (int d = 0; d < v.rank; d++) dim[d] = v.dim[d];
        l->dim = dim;
        l->count = v.count;
        l->cell = TAKE(&c->r->scratch, expr, v.count);
    }
    return give(c, l, &v, m->value->where);
}

/* ---- execution ---- */
static int open_frame(const context *c, frame *f, const declared *d, const value *arg, span where)
{
    int input = 0;
    f->local = TAKE(&c->r->scratch, local, d->count);
    for (int i = 0; i < d->count; i++) {
        const ast_component *k = d->item[i];
        const value *given = k->prefix.input ? &arg[input++] : NULL;
        if (given && given->type.kind == VALUE_NOTHING) given = NULL;
        if (k->prefix.input && !given && !(k->modification && k->modification->value)) {
            complain(c, where, "the argument `%s` of `%s` is missing", k->name, f->function->name);
            return -1;
        }
        context inside = *c;
        inside.lexical = k->within;
        local *l = local_add(&inside, f, k, given);
        if (!l || (given ? give(c, l, given, where) : give_default(&inside, l))) return -1;
    }
    return 0;
}

int function_frame(const context *c, frame *f, const value *arg, span where)
{
    declared d = {0};
    declarations(c->r, f->function, &d, 0);
    return open_frame(c, f, &d, arg, where);
}

int function_complete(const context *c, span where, const ast_class *f, const value *arg, int args, value *all)
{
    frame inside = {.function = f, .caller = c->frame};
    context at = {.r = c->r, .lexical = f, .frame = &inside, .end = -1};
    int i = 0;
    if (function_frame(&at, &inside, arg, where)) return -1;
    for (int k = 0; k < inside.locals && i < args; k++) {
        const local *l = &inside.local[k];
        if (!l->component->prefix.input) continue;
        all[i++] = value_array(l->type, l->rank, l->dim, l->cell, l->count);
    }
    return 0;
}

static value result_of(const context *c, const frame *f, int outputs, span where)
{
    value *part = TAKE(&c->r->scratch, value, outputs ? outputs : 1);
    int found = 0;
    for (int i = 0; i < f->locals && found < (outputs ? outputs : 1); i++) {
        const local *l = &f->local[i];
        if (!l->component->prefix.output) continue;
        for (int k = 0; k < l->count; k++)
            if (!l->cell[k])
                return complain(c, where, "`%s` does not assign its result `%s`", f->function->name,
                                l->component->name);
        part[found] = value_array(l->type, l->rank, l->dim, l->cell, l->count);
        part[found++].unit = l->unit;
    }
    if (found < outputs)
        return complain(c, where, "`%s` has %d result%s, not %d", f->function->name, found, found == 1 ? "" : "s",
                        outputs);
    if (!found) return (value){.type = {.kind = VALUE_NOTHING}};
    if (outputs <= 1) return part[0];
    return (value){.type = {.kind = VALUE_TUPLE}, .count = outputs, .part = part};
}

static int recursive(const frame *f, const ast_class *function)
{
    for (; f; f = f->caller)
        if (f->function == function) return 1;
    return 0;
}

static executed run(const context *c, const ast_class *f)
{
    executed done = EXECUTE_ON;
    const ast_class *body = body_of(c->r, f, 0);
    context inside = *c;
    if (!body) return EXECUTE_ON;
    inside.lexical = body;
    for (int i = 0; i < body->sections && done == EXECUTE_ON; i++)
        if (body->section[i].algorithm)
            done = execute_all(&inside, body->section[i].equation, body->section[i].count);
    return done == EXECUTE_RETURN ? EXECUTE_ON : done;
}

static int can_be_called(const context *c, span where, const ast_class *f)
{
    const ast_class *body = body_of(c->r, f, 0);
    if (f->restriction != CLASS_FUNCTION) complain(c, where, "`%s` is not a function", f->name);
    else if (f->partial) complain(c, where, "`%s` is partial: it cannot be called", f->name);
    else if (!body && !declares_results(c->r, f))
        complain(c, where, "the function `%s` has no algorithm", f->name);
    else if (body && body->external)
        complain(c, where, "external functions are not supported: `%s`", f->name);
    else if (f->is_short && f->modification)
        complain(c, where, "functions with modifications are not supported yet: `%s`", f->name);
    else return 1;
    return 0;
}

value function_apply(const context *c, span where, const ast_class *f, const value *arg, int args, int outputs)
{
    reader *r = c->r;
    if (!can_be_called(c, where, f)) return value_error();
    int depth = c->frame ? c->frame->depth + 1 : 0;
    int again = recursive(c->frame, f);
    if (!r->numeric && again && r->undecided) return compute_call(c, where, f, arg, args, outputs);
    if (depth > MOST_FRAMES)
        return r->numeric ? value_error()
                          : complain(c, where, "functions call each other more than %d times here: does the recursion of "
                                     "`%s` end?", (int)MOST_FRAMES, f->name);
    frame frame_ = {.function = f, .depth = depth, .caller = c->frame};
    context inside = {.r = r, .lexical = f, .frame = &frame_, .end = -1};
    int trails = r->trails, assertions = r->m->assertions, errors = source_errors(r->s);
    struct actions *in_when = r->in_when;
    r->in_when = NULL;
    reader_enter(r);
    executed done = function_frame(&inside, &frame_, arg, where) ? EXECUTE_FAILED : run(&inside, f);
    reader_leave(r);
    r->trails = trails;
    r->in_when = in_when;
    if (done == EXECUTE_ON) return result_of(&inside, &frame_, outputs, where);
    if (done == EXECUTE_BREAK) return complain(c, where, "`break` can only stand in a loop");
    if (done == EXECUTE_FAILED || r->numeric || source_errors(r->s) > errors) {
        if (source_errors(r->s) > errors && !again)
            source_say(r->s, SEVERITY_NOTE, where, "in this call of `%s`", f->name);
        return value_error();
    }
    r->m->assertions = assertions;
    return compute_call(c, where, f, arg, args, outputs);
}

/* ---- arguments ---- */
static int place_of(const ast_component **input, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (input[i]->name == name) return i;
    return -1;
}

static int read_arguments(const context *c, const ast_expr *e, const char *function, const ast_component **input,
                          int count, value *arg)
{
    int bad = 0;
    for (int i = 0; i < count; i++) arg[i].type.kind = VALUE_NOTHING;
    if (e->items > count) {
        complain(c, e->where, "`%s` has %d argument%s, not %d", function, count, count == 1 ? "" : "s", e->items);
        return -1;
    }
    for (int i = 0; i < e->items; i++) {
        arg[i] = scalar_value(c, e->item[i]);
        bad |= value_failed(&arg[i]);
    }
    for (int i = 0; i < e->nameds; i++) {
        int at = place_of(input, count, e->named[i].name);
        if (at < 0) {
            const char **among = TAKE(&c->r->scratch, const char *, count);
            for (int k = 0; k < count; k++) among[k] = input[k]->name;
            const char *near = reader_suggestion(c->r, e->named[i].name, among, count);
            complain(c, e->named[i].where, "`%s` has no argument `%s`%s", function, e->named[i].name,
                     near);
            bad = 1;
        } else if (arg[at].type.kind != VALUE_NOTHING) {
            complain(c, e->named[i].where, "the argument `%s` is given twice", e->named[i].name);
            bad = 1;
        } else {
            arg[at] = scalar_value(c, e->named[i].value);
            bad |= value_failed(&arg[at]);
        }
    }
    return bad ? -1 : 0;
}

/* ---- records ---- */

/* A value that is given is the field's, also in the declarations of other fields. */
static void put_field(reader *r, instance *ghost, const field *f, const value *v)
{
    instance *m = instance_find(r, ghost, f->name);
    if (!m || !instance_is_leaf(m)) return;
    m->constant = TAKE(&r->keep, expr, f->count);
    for (int k = 0; k < f->count; k++) m->constant[k] = value_at(v, k);
    leaf_number(r, m);
    m->bind_state = DONE;
}

static int fits_field(const context *c, const ast_expr *e, const field *f, const value *v)
{
    region *s = &c->r->scratch;
    const int number = f->type.kind == VALUE_REAL && v->type.kind == VALUE_INTEGER;
    if ((number || value_same_type(f->type, v->type)) && v->count == f->count && v->rank == f->rank) return 1;
    complain(c, e->where, "the field `%s` is %s%s, not %s%s", f->name, value_type_words(f->type),
             f->rank ? value_shape_words(s, f->rank, f->dim) : "", value_type_words(v->type),
             v->rank ? value_shape_words(s, v->rank, v->dim) : "");
    return 0;
}

/* The value that a declaration gives. */
static value field_default(const context *c, const ast_expr *e, const ast_class *class_, instance *ghost,
                           const field *f)
{
    ast_part part = {.name = f->name, .where = e->where};
    ast_name name = {.part = &part, .parts = 1};
    context inside = context_of(c->r, ghost, class_);
    instance *m = instance_find(c->r, ghost, f->name);
    const layer *l = m ? m->layer : NULL;
    while (l && !l->modification->value) l = l->next;
    if (!l && instance_is_leaf(m))
        return complain(c, e->where, "the field `%s` of `%s` is missing", f->name, class_->name);
    return instance_value(&inside, m, &name, 0);
}

static value record_made(const context *c, const ast_expr *e, const ast_class *class_)
{
    reader *r = c->r;
    instance *ghost = instance_ghost(r, class_);
    const record *t = record_of_instance(r, ghost);
    const ast_component **input = TAKE(&r->scratch, const ast_component *, t->fields);
    value *arg = TAKE(&r->scratch, value, t->fields);
    for (int i = 0; i < t->fields; i++) input[i] = t->field[i].component;
    if (read_arguments(c, e, class_->name, input, t->fields, arg)) return value_error();
    for (int i = 0; i < t->fields; i++) {
        if (arg[i].type.kind == VALUE_NOTHING) continue;
        if (!fits_field(c, e, &t->field[i], &arg[i])) return value_error();
        put_field(r, ghost, &t->field[i], &arg[i]);
    }
    expr *x = TAKE(&r->scratch, expr, t->width);
    for (int i = 0; i < t->fields; i++) {
        const field *f = &t->field[i];
        if (arg[i].type.kind == VALUE_NOTHING) {
            arg[i] = field_default(c, e, class_, ghost, f);
            if (value_failed(&arg[i])) return arg[i];
            if (!fits_field(c, e, f, &arg[i])) return value_error();
        }
        for (int k = 0; k < f->count; k++) x[f->offset + k] = value_at(&arg[i], k);
    }
    return value_array((value_type){.kind = VALUE_RECORD, .record = t}, 0, NULL, x, t->width);
}

static value enumeration_made(const context *c, const ast_expr *e, const ast_class *class_)
{
    value v = e->items == 1 && !e->nameds ? scalar_value(c, e->item[0]) : value_error();
    if (e->items != 1 || e->nameds) return complain(c, e->where, "`%s` needs one Integer", class_->name);
    if (value_failed(&v)) return v;
    if (v.type.kind != VALUE_INTEGER) return complain(c, e->where, "`%s` needs one Integer", class_->name);
    v.type = (value_type){.kind = VALUE_ENUMERATION, .enumeration = class_};
    return v;
}

/* ---- arrays for scalar arguments: the function of every element ---- */
static int declared_rank(reader *r, const ast_component *k)
{
    const component_type *t = component_resolve(r, k);
    return t ? t->dimensions : 0;
}

static int more_dimensions(reader *r, const ast_component **input, int count, const value *arg, const value **model)
{
    int extra = 0;
    for (int i = 0; i < count; i++) {
        int more = arg[i].type.kind == VALUE_NOTHING ? 0 : arg[i].rank - declared_rank(r, input[i]);
        if (more <= 0) continue;
        if (!*model) *model = &arg[i], extra = more;
        else if (more != extra) return -1;
        for (int d = 0; d < extra; d++)
            if ((*model)->dim[d] != arg[i].dim[d]) return -1;
    }
    return extra;
}

static value element_at(const value *v, int extra, int element, int elements)
{
    int count = v->count / elements;
    return (value){.type = v->type, .unit = v->unit, .rank = v->rank - extra, .dim = v->dim + extra, .count = count,
                   .one = count == 1 ? value_at(v, element) : 0,
                   .element = v->element ? v->element + (size_t)element * (size_t)count : NULL};
}

static value vectorized(const context *c, span where, const ast_class *f, const ast_component **input, int count,
                        const value *arg, int extra, const value *model)
{
    reader *r = c->r;
    int elements = value_size(extra, model->dim), width = 1;
    value one = {0}, *each = TAKE(&r->scratch, value, count);
    expr *e = NULL;
    for (int i = 0; i < elements; i++) {
        for (int k = 0; k < count; k++) {
            int more = arg[k].type.kind != VALUE_NOTHING && arg[k].rank > declared_rank(r, input[k]);
            each[k] = more ? element_at(&arg[k], extra, i, elements) : arg[k];
        }
        one = function_apply(c, where, f, each, count, 1);
        if (value_failed(&one) || one.type.kind >= VALUE_TUPLE) return value_error();
        width = one.count;
        if (!e) e = TAKE(&r->scratch, expr, elements * width);
        for (int k = 0; k < width; k++) e[i * width + k] = value_at(&one, k);
    }
    if (!elements) return value_array((value_type){.kind = VALUE_REAL}, extra, model->dim, NULL, 0);
    int *dim = TAKE(&r->scratch, int, extra + one.rank);
    for (int d = 0; d < extra; d++) dim[d] = model->dim[d];
    for (int d = 0; d < one.rank; d++) dim[extra + d] = one.dim[d];
    value v = value_array(one.type, extra + one.rank, dim, e, elements * width);
    v.unit = one.unit;
    return v;
}

value function_call(const context *c, const ast_expr *e, const ast_class *f, int outputs)
{
    const ast_class *target = scope_target(c->r, f);
    const ast_component **input;
    if (target && target->is_enumeration) return enumeration_made(c, e, target);
    if (f->restriction == CLASS_RECORD || (target && target->restriction == CLASS_RECORD && f->is_short))
        return record_made(c, e, f);
    if (e->iterators) return complain(c, e->where, "`%s` has no iterators", f->name);
    if (target && target->where.text < 0 && target->external) {
        const builtin *b = builtin_find(target->name);
        if (b) return builtin_evaluate(c, e, b);
    }
    if (f->restriction != CLASS_FUNCTION) return complain(c, e->where, "`%s` is not a function", f->name);
    int count = function_inputs(c->r, f, &input);
    value *arg = TAKE(&c->r->scratch, value, count);
    const value *model = NULL;
    if (read_arguments(c, e, f->name, input, count, arg)) return value_error();
    int extra = more_dimensions(c->r, input, count, arg, &model);
    if (extra > 0 && outputs <= 1) return vectorized(c, e->where, f, input, count, arg, extra, model);
    return function_apply(c, e->where, f, arg, count, outputs);
}
