/* reference.c -- names with subscripts: x, a.b[2].c, table[:, k] (specification, sections 5.3, 10.5).
 *
 * A name leads through instances, one part after the other; every part that is an array adds
 * dimensions to the result.  A subscript that is only known in the run selects by if-expressions.
 */
#include "model/reference.h"

#include <string.h>

#include "model/unit.h"

/* ---- subscripts ---- */
typedef struct subscript {
    int size;                            /* of the dimension                                   */
    int count, *index;                   /* which, from 0                                      */
    int keeps;                           /* a slice: the dimension stays                       */
    expr chosen;                         /* known in the run only: the others are all of them   */
} subscript;

static void whole(region *r, subscript *s)
{
    s->count = s->size;
    s->index = TAKE(r, int, s->size);
    for (int i = 0; i < s->size; i++) s->index[i] = i;
}

static int put_index(const context *c, subscript *s, int at, expr e, span where)
{
    double x;
    if (!known_structural(c->r, e, &x)) {
        complain(c, where, "a slice must be known before the run");
        return -1;
    }
    if (!(x >= 1 && x <= s->size)) {
        if (s->size) complain(c, where, "subscript %.0f is outside of 1 to %d", x, s->size);
        else complain(c, where, "subscript %.0f of an array that has no elements", x);
        return -1;
    }
    s->index[at] = (int)x - 1;
    return 0;
}

static int read_subscript(const context *c, const ast_expr *e, int size, subscript *s)
{
    double x;
    *s = (subscript){.size = size, .keeps = 1};
    if (!e || e->kind == AST_COLON) return whole(&c->r->scratch, s), 0;
    context inside = *c;
    inside.end = size;
    value v = scalar_value(&inside, e);
    if (value_failed(&v)) return -1;
    expr first = v.count ? value_at(&v, 0) : 0;
    if (v.type.kind != VALUE_INTEGER && v.type.kind != VALUE_ENUMERATION &&
        v.type.kind != VALUE_BOOLEAN) {
        complain(c, e->where, "a subscript must be an Integer, not %s", value_type_words(v.type));
        return -1;
    }
    if (v.rank > 1) {
        complain(c, e->where, "a subscript is a scalar or a vector, not %s",
                 value_shape_words(&c->r->scratch, v.rank, v.dim));
        return -1;
    }
    if (v.rank == 0 && v.type.kind == VALUE_BOOLEAN)     /* false is 1, true is 2 */
        v.one = first = pool_two(c->r->p, EXPR_ADD, v.one, pool_constant(c->r->p, 1));
    s->keeps = v.rank;
    if (v.rank == 0 && !known_is_parameter(c->r, first)) {
        s->chosen = first;
        return whole(&c->r->scratch, s), 0;
    }
    if (v.rank == 0 && !known_value(c->r, first, &x)) {
        s->chosen = first;
        return whole(&c->r->scratch, s), 0;
    }
    s->count = v.count;
    s->index = TAKE(&c->r->scratch, int, v.count);
    for (int i = 0; i < v.count; i++)
        if (put_index(c, s, i, value_at(&v, i), e->where)) return -1;
    return 0;
}

static int read_subscripts(const context *c, const ast_part *part, int rank, const int *dim,
                           subscript *s)
{
    if (part->subscripts > rank) {
        if (rank) complain(c, part->where, "`%s` has %d dimension%s, but %d subscripts", part->name, rank,
                           rank == 1 ? "" : "s", part->subscripts);
        else complain(c, part->where, "`%s` is no array", part->name);
        return -1;
    }
    for (int d = 0; d < rank; d++)
        if (read_subscript(c, d < part->subscripts ? part->subscript[d] : NULL, dim[d], &s[d])) return -1;
    return 0;
}

/* ---- choosing in the run ---- */
/* Element k of the first of `blocks` blocks of `size` scalars: if k == 1 then ... else ... */
static expr choose(reader *r, expr k, const expr *e, int size, int blocks, int at)
{
    expr result = e[(blocks - 1) * size + at];
    for (int i = blocks - 2; i >= 0; i--) {
        expr is = pool_two(r->p, EXPR_EQUAL, k, pool_constant(r->p, i + 1));
        result = pool_if(r->p, is, e[i * size + at], result);
    }
    return result;
}

/* Removes dimension d of v by choosing element k along it. */
static value choose_along(const context *c, const value *v, int d, expr k)
{
    reader *r = c->r;
    int outer = value_size(d, v->dim), blocks = v->dim[d];
    int size = blocks && outer ? v->count / outer / blocks : 0, *dim = TAKE(&r->scratch, int, v->rank);
    if (!blocks) return value_error();
    expr *all = TAKE(&r->scratch, expr, v->count), *e = TAKE(&r->scratch, expr, outer * size);
    for (int i = 0; i < v->count; i++) all[i] = value_at(v, i);
    for (int o = 0; o < outer; o++)
        for (int i = 0; i < size; i++)
            e[o * size + i] = choose(r, k, all + o * blocks * size, size, blocks, i);
    reader_work(r, v->count);
    for (int i = 0, n = 0; i < v->rank; i++)
        if (i != d) dim[n++] = v->dim[i];
    value result = value_array(v->type, v->rank - 1, dim, e, outer * size);
    result.unit = v->unit;
    return result;
}

static value choose_all(const context *c, value v, const expr *chosen, int rank)
{
    for (int d = rank - 1; d >= 0; d--)
        if (chosen[d] && !value_failed(&v)) v = choose_along(c, &v, d, chosen[d]);
    return v;
}

/* ---- a part of a value: locals of functions, constants ---- */
value value_select(const context *c, const value *v, const ast_part *part)
{
    enum { MOST_RANK = 32 };
    subscript s[MOST_RANK];
    expr chosen[MOST_RANK] = {0};
    reader *r = c->r;
    if (!part->subscripts) return *v;
    if (v->rank > MOST_RANK || read_subscripts(c, part, v->rank, v->dim, s)) return value_error();
    int rank = 0, count = 1, *dim = TAKE(&r->scratch, int, v->rank), at[MOST_RANK] = {0};
    for (int d = 0; d < v->rank; d++) {
        count *= s[d].count;
        if (s[d].chosen) chosen[rank] = s[d].chosen;
        if (s[d].keeps || s[d].chosen) dim[rank++] = s[d].count;
    }
    int width = value_width(v->type);
    expr *e = TAKE(&r->scratch, expr, count * width);
    for (int i = 0; i < count; i++) {
        int offset = 0;
        for (int d = 0; d < v->rank; d++) offset = offset * v->dim[d] + s[d].index[at[d]];
        for (int k = 0; k < width; k++) e[i * width + k] = value_at(v, offset * width + k);
        for (int d = v->rank - 1; d >= 0 && ++at[d] == s[d].count; d--) at[d] = 0;
    }
    value result = value_array(v->type, rank, dim, e, count * width);
    result.unit = v->unit;
    return choose_all(c, result, chosen, rank);
}

/* The parts from k on, applied to a value: fields and subscripts. */
static value select_parts(const context *c, value v, const ast_name *name, int k)
{
    for (; k < name->parts && !value_failed(&v); k++) {
        const ast_part *part = &name->part[k];
        const field *f = v.type.kind == VALUE_RECORD ? record_field(v.type.record, part->name) : NULL;
        if (!f) {
            const char *near = "";
            if (v.type.kind == VALUE_RECORD) {
                const char **among = TAKE(&c->r->scratch, const char *, v.type.record->fields);
                for (int i = 0; i < v.type.record->fields; i++) among[i] = v.type.record->field[i].name;
                near = reader_suggestion(c->r, part->name, among, v.type.record->fields);
            }
            return complain(c, part->where, "`%s` has no component `%s`%s", name->part[k - 1].name,
                            part->name, near);
        }
        int before = v.rank;
        v = value_field(&c->r->scratch, &v, f);
        if (!part->subscripts) continue;
        if (before) return complain(c, part->where, "subscripts of a field of an array are not supported");
        v = value_select(c, &v, part);
    }
    return v;
}

/* ---- through instances ---- */
enum { MOST_DIMENSIONS = 64 };

typedef struct gather {
    const context *c;
    const ast_name *name;
    expr *e;
    int count, room;
    int dim[MOST_DIMENSIONS];
    expr chosen[MOST_DIMENSIONS];
    int rank, has_rank;                  /* of the whole; has_rank: an element has been seen   */
    value_type type;
    int unit;
} gather;

static void put(gather *g, expr e)
{
    GROW(&g->c->r->scratch, g->e, g->count, g->room);
    g->e[g->count++] = e;
}

static expr leaf_element(const context *c, instance *leaf, int offset)
{
    reader *r = c->r;
    if (leaf->constant) return leaf->constant[offset];
    uint32_t variable = leaf->first + (uint32_t)offset;
    if (c->frame && !c->frame->function && r->assigned && r->assigned[variable])
        return r->assigned[variable];
    return pool_variable(r->p, variable, 0);
}

/* Ready to be read: numbered, constants with their values. */
static int prepare(const context *c, instance *leaf, span where)
{
    reader *r = c->r;
    leaf_unit(r, leaf);
    leaf_number(r, leaf);
    if (leaf->shape_state != DONE || !leaf->type.kind) return -1;
    int constant = leaf->prefix.variability == AST_CONSTANT || leaf->type.kind == VALUE_STRING ||
                   leaf->in_class == GHOST;
    if (!constant) return 0;
    leaf_bind(r, leaf);
    if (leaf->bind_state == BUSY || !leaf->constant) return -1;
    for (int i = 0; i < instance_elements(leaf); i++)
        if (!leaf->constant[i]) {
            complain(c, where, "the %s `%s` has no value",
                     leaf->prefix.variability == AST_CONSTANT ? "constant" : "String parameter", leaf->name);
            return -1;
        }
    return 0;
}

static int put_record(gather *g, instance *i)
{
    instance_expand(g->c->r, i);
    for (int k = 0; k < i->members; k++) {
        instance *m = i->member[k];
        if (m->absent == 2) m = m->element[0];
        if (m->absent || instance_shape(g->c->r, m)) return -1;
        if (instance_is_leaf(m)) {
            if (prepare(g->c, m, m->component->where)) return -1;
            for (int e = 0; e < instance_elements(m); e++) put(g, leaf_element(g->c, m, e));
        } else if (!m->rank) {
            if (put_record(g, m)) return -1;
        } else for (int e = 0; e < instance_elements(m); e++)
            if (put_record(g, m->element[e])) return -1;
    }
    return 0;
}

const record *record_of_instance(reader *r, instance *i)
{
    instance_expand(r, i);
    record *made = TAKE(&r->keep, record, 1);
    field *f = TAKE(&r->keep, field, i->members);
    made->class_ = i->class_;
    made->field = f;
    for (int k = 0; k < i->members; k++) {
        instance *m = i->member[k];
        if (m->absent || instance_shape(r, m)) continue;
        field one = {.name = m->name, .type = m->type, .rank = m->rank, .dim = m->dim,
                     .offset = made->width, .component = m->component, .unit = UNIT_UNKNOWN};
        if (instance_is_leaf(m)) {
            leaf_unit(r, m);
            one.unit = m->unit;
        } else {
            instance *element = m->rank ? instance_elements(m) ? m->element[0] : NULL : m;
            if (!element) continue;
            one.type = (value_type){.kind = VALUE_RECORD, .record = record_of_instance(r, element)};
        }
        one.count = value_size(m->rank, m->dim) * value_width(one.type);
        made->width += one.count;
        f[made->fields++] = one;
    }
    return made;
}

static int gather_part(gather *g, instance *i, int k, int rank);

static int gather_element(gather *g, instance *i, int offset, int k, int rank)
{
    const ast_name *name = g->name;
    reader *r = g->c->r;
    int last = k + 1 == name->parts;
    if (last && (!g->has_rank || rank != g->rank)) {
        if (g->has_rank) return complain(g->c, name->part[k].where,
                                         "elements of this slice have different dimensions"), -1;
        g->rank = rank;
    }
    if (instance_is_leaf(i)) {
        if (!last) return complain(g->c, name->part[k + 1].where, "`%s` is %s and has no component `%s`",
                                   i->name, value_type_words(i->type), name->part[k + 1].name), -1;
        g->type = i->type;
        g->unit = i->unit;
        g->has_rank = 1;
        return put(g, leaf_element(g->c, i, offset)), 0;
    }
    instance *e = i->rank && !i->is_element ? i->element[offset] : i;
    if (last) {
        if (!g->has_rank)
            g->type = (value_type){.kind = VALUE_RECORD, .record = record_of_instance(r, e)};
        g->has_rank = 1;
        return put_record(g, e);
    }
    instance *m = instance_find(r, e, name->part[k + 1].name);
    if (m && m->component && m->component->prefix.hidden)
        return complain(g->c, name->part[k + 1].where,
                        "`%s` is protected: it can be used inside of `%s` only", m->name,
                        e->class_ ? e->class_->name : e->name),
               -1;
    if (m) return gather_part(g, m, k + 1, rank);
    const char **among = TAKE(&r->scratch, const char *, e->members);
    for (int n = 0; n < e->members; n++) among[n] = e->member[n]->name;
    const char *near = reader_suggestion(r, name->part[k + 1].name, among, e->members);
    complain(g->c, name->part[k + 1].where, "`%s` has no component `%s`%s", name->part[k].name,
             name->part[k + 1].name, near);
    return -1;
}

static int gather_part(gather *g, instance *i, int k, int rank)
{
    enum { MOST_RANK = 32 };
    const context *c = g->c;
    const ast_part *part = &g->name->part[k];
    subscript s[MOST_RANK];
    int at[MOST_RANK] = {0}, count = 1;
    if (i->absent == 1)
        return complain(c, part->where, "`%s` is not there: its condition is false", i->name), -1;
    if (instance_shape(c->r, i)) return -1;
    if (instance_is_leaf(i) && prepare(c, i, part->where)) return -1;
    if (i->rank > MOST_RANK || read_subscripts(c, part, i->rank, i->dim, s)) return -1;
    for (int d = 0; d < i->rank; d++) {
        count *= s[d].count;
        if (!s[d].keeps && !s[d].chosen) continue;
        if (rank >= MOST_DIMENSIONS) return complain(c, part->where, "too many dimensions"), -1;
        if (g->has_rank && g->dim[rank] != s[d].count)
            return complain(c, part->where, "elements of this slice have different dimensions"), -1;
        g->chosen[rank] = s[d].chosen;
        g->dim[rank++] = s[d].count;
    }
    if (count == 0 && !g->has_rank) {
        g->rank = rank;
        g->type = instance_is_leaf(i) ? i->type : (value_type){.kind = VALUE_REAL};
    }
    reader_work(c->r, count);
    for (int n = 0; n < count; n++) {
        int offset = 0;
        for (int d = 0; d < i->rank; d++) offset = offset * i->dim[d] + s[d].index[at[d]];
        if (gather_element(g, i, offset, k, rank)) return -1;
        for (int d = i->rank - 1; d >= 0 && ++at[d] == s[d].count; d--) at[d] = 0;
    }
    return 0;
}

/* The most frequent case by itself: a leaf with all subscripts known scalars, or none. */
static value simple_leaf(const context *c, instance *i, const ast_part *part, int *done)
{
    int offset = 0;
    double x;
    *done = 0;
    if (!instance_is_leaf(i) || i->absent || i->shape_state != DONE || !i->numbered || i->constant ||
        i->unit < 0 || i->prefix.variability == AST_CONSTANT || i->type.kind == VALUE_STRING ||
        part->subscripts != i->rank) return value_error();
    for (int d = 0; d < i->rank; d++) {
        const ast_expr *e = part->subscript[d];
        if (e->kind == AST_COLON) return value_error();
        context inside = *c;
        inside.end = i->dim[d];
        value v = scalar_value(&inside, e);
        if (v.type.kind != VALUE_INTEGER || v.rank || pool_op(c->r->p, v.one) != EXPR_CONSTANT)
            return value_error();
        x = pool_at(c->r->p, v.one)->value;
        if (!(x >= 1 && x <= i->dim[d])) return value_error();
        offset = offset * i->dim[d] + (int)x - 1;
    }
    *done = 1;
    value v = value_scalar(i->type.kind, leaf_element(c, i, offset));
    v.type = i->type;
    v.unit = i->unit;
    return v;
}

value instance_value(const context *c, instance *i, const ast_name *name, int k)
{
    int done;
    if (k + 1 == name->parts) {
        value v = simple_leaf(c, i, &name->part[k], &done);
        if (done) return v;
    }
    gather g = {.c = c, .name = name};
    if (gather_part(&g, i, k, 0)) return value_error();
    int *dim = TAKE(&c->r->scratch, int, g.rank);
    memcpy(dim, g.dim, (size_t)g.rank * sizeof *dim);
    value v = value_array(g.type, g.rank, dim, g.e, g.count);
    v.unit = g.unit;
    return choose_all(c, v, g.chosen, g.rank);
}

/* ---- what the first part means ---- */
static value all_assigned(const context *c, value v, const ast_part *part)
{
    for (int i = 0; i < v.count && !value_failed(&v); i++)
        if (!value_at(&v, i))
            return complain(c, part->where, "`%s` is used before it has a value", part->name);
    return v;
}

/* Parts that are not assigned yet are 0: what is selected of it is looked at afterwards. */
static value local_value(const context *c, const local *l)
{
    value v = value_array(l->type, l->rank, l->dim, l->cell, l->count);
    v.unit = l->unit;
    if (l->count > 1) {                      /* a copy: the cells change */
        expr *e = TAKE(&c->r->scratch, expr, l->count);
        memcpy(e, l->cell, (size_t)l->count * sizeof *e);
        v.element = e;
    }
    return v;
}

local *frame_local(const frame *f, const char *name)
{
    for (int i = 0; f && i < f->locals; i++)
        if (f->local[i].component->name == name) return &f->local[i];
    return NULL;
}

static value literal_value(const context *c, const ast_class *e, const ast_part *part)
{
    for (int i = 0; i < e->literals; i++) {
        if (e->literal[i].name != part->name) continue;
        value v = value_scalar(VALUE_ENUMERATION, pool_constant(c->r->p, i + 1));
        v.type.enumeration = e;
        return v;
    }
    const char **among = TAKE(&c->r->scratch, const char *, e->literals);
    for (int i = 0; i < e->literals; i++) among[i] = e->literal[i].name;
    const char *near = reader_suggestion(c->r, part->name, among, e->literals);
    return complain(c, part->where, "`%s` has no literal `%s`%s", e->name, part->name,
                    near);
}

/* Constants of packages and of the classes around, and literals. */
static instance *class_constant(const context *c, const ast_name *name, int *k, const ast_class **literal)
{
    reader *r = c->r;
    *literal = NULL;
    for (const ast_class *s = c->lexical; s && !name->global; s = s->outer) {
        const ast_component *found = scope_component(r, s, name->part[0].name);
        if (found && found->prefix.variability == AST_CONSTANT) {
            *k = 0;
            return instance_find(r, instance_of_class(r, s), name->part[0].name);
        }
        for (int i = 0; i < s->imports; i++) {
            const ast_import *m = &s->import[i];
            int all = m->kind == IMPORT_ALL;
            if (!all && (m->alias != name->part[0].name || m->name.parts < 2)) continue;
            const ast_class *from = scope_class(r, r->root, &m->name, m->name.parts - !all);
            const char *what = all ? name->part[0].name : m->name.part[m->name.parts - 1].name;
            if (!from || !scope_component(r, from, what)) continue;
            *k = 0;
            return instance_find(r, instance_of_class(r, from), what);
        }
    }
    for (int parts = name->parts - 1; parts > 0; parts--) {
        const ast_class *s = scope_class(r, c->lexical, name, parts);
        if (!s) continue;
        const ast_class *target = scope_target(r, s);
        if (target && target->is_enumeration) {
            *literal = target;
            *k = parts;
            return NULL;
        }
        const ast_component *found = scope_component(r, s, name->part[parts].name);
        if (!found || found->prefix.variability != AST_CONSTANT) return NULL;
        *k = parts;
        return instance_find(r, instance_of_class(r, s), name->part[parts].name);
    }
    return NULL;
}

static value unknown(const context *c, const ast_name *name)
{
    int count, parts = name->parts - 1;
    region *scratch = &c->r->scratch;
    region_mark mark = region_now(scratch);
    for (; parts > 0; parts--) {
        const ast_class *s = scope_class(c->r, c->lexical, name, parts);
        if (!s) continue;
        complain(c, name->part[parts].where, "`%s` has no constant `%s`", scope_path(c->r, s),
                 name->part[parts].name);
        return value_error();
    }
    const char *first = name->part[0].name;
    const char **among = scope_names(c, &count), *near = reader_suggestion(c->r, first, among, count);
    if (c->frame && c->frame->function && scope_class(c->r, c->lexical, name, 1))
        complain(c, name->part[0].where, "`%s` is a class, not a value", first);
    else if (scope_class(c->r, c->lexical, name, 1))
        complain(c, name->part[0].where, "`%s` is a class, not a component", first);
    else complain(c, name->part[0].where, "`%s` is not declared%s", first,
                  near);
    region_back(scratch, mark);
    return value_error();
}

value scalar_reference(const context *c, const ast_expr *e)
{
    const ast_name *name = &e->name;
    const char *first = name->part[0].name;
    if (!name->global) {
        for (const loop *l = c->loops; l; l = l->next)
            if (l->name == first) return select_parts(c, value_select(c, &l->value, &name->part[0]), name, 1);
        local *found = frame_local(c->frame, first);
        if (found) {
            value v = local_value(c, found);
            v = value_select(c, &v, &name->part[0]);
            return all_assigned(c, select_parts(c, v, name, 1), &name->part[0]);
        }
        instance *i = c->self ? instance_find(c->r, c->self, first) : NULL;
        if (i) return instance_value(c, i, name, 0);
        if (name->parts == 1 && !strcmp(first, "time")) {
            value v = value_scalar(VALUE_REAL, pool_leaf(c->r->p, EXPR_TIME, 0));
            v.unit = unit_read(c->r, "s", e->where);
            return v;
        }
    }
    int k;
    const ast_class *literal;
    instance *i = class_constant(c, name, &k, &literal);
    if (literal) return literal_value(c, literal, &name->part[k]);
    if (i) return instance_value(c, i, name, k);
    return unknown(c, name);
}
