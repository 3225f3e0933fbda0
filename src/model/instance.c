/* instance.c -- the tree of instances: classes with their modifications (specification, chapter 7).
 *
 * A modification is not merged but kept as a layer: what is written outside comes first in the list
 * and wins.  layers_for() hands the part that concerns a member down to it.  Expressions are
 * evaluated where they were written: each layer knows the instance and the class.
 */
#include "model/reader.h"

#include <string.h>

#include "core/text.h"
#include "model/execute.h"
#include "model/layer.h"
#include "model/unit.h"

int instance_is_leaf(const instance *i)
{
    return i->type.kind >= VALUE_REAL && i->type.kind <= VALUE_ENUMERATION;
}

int instance_elements(const instance *i) { return value_size(i->rank, i->dim); }

/* ---- types ---- */
typedef struct resolved {
    value_type type;
    const ast_class *class_;
    layer *layer, **end;
    const ast_expr **dimension;
    int dimensions, room;
    const ast_class *dimension_class[32];
    ast_prefix prefix;
} resolved;

static void add_dimensions(reader *r, resolved *t, ast_expr *const *dimension, int count,
                           const ast_class *where)
{
    for (int i = 0; i < count && t->dimensions < 32; i++) {
        GROW(&r->keep, t->dimension, t->dimensions, t->room);
        t->dimension_class[t->dimensions] = where;
        t->dimension[t->dimensions++] = dimension[i];
    }
}

static void add_modification(reader *r, resolved *t, const ast_modification *m, instance *self,
                             const ast_class *lexical, span where)
{
    if (m) t->end = &layer_add(r, t->end, (layer){.modification = m, .self = self,
                                                  .lexical = lexical, .where = where})->next;
}

/* type T extends Real(...): the one base of a class without members */
static int extends_only(const ast_class *c)
{
    return !c->is_short && c->extend_count == 1 && !c->components && !c->sections &&
           (c->restriction == CLASS_TYPE || c->restriction == CLASS_CONNECTOR);
}

static void merge_prefix(ast_prefix *to, const ast_prefix *from)
{
    to->input |= from->input;
    to->output |= from->output;
    to->flow |= from->flow;
    to->stream |= from->stream;
    if (from->variability > to->variability) to->variability = from->variability;
}

/* Follows short classes to a basic type, an enumeration or a class with members. */
static int resolve(reader *r, resolved *t, const ast_class *c, instance *self)
{
    for (int i = 0; i < 100; i++) {
        if (c->basic) return t->type.kind = (value_kind)c->basic, 0;
        if (c->is_enumeration) {
            t->type = (value_type){.kind = VALUE_ENUMERATION, .enumeration = c};
            return 0;
        }
        const ast_class *lexical = c->outer ? c->outer : r->root;
        instance *scope = scope_is_package(lexical) || !lexical->name ? NULL : self;
        const ast_class *base = NULL;
        if (c->is_short) {
            add_modification(r, t, c->modification, scope, lexical, c->where);
            add_dimensions(r, t, c->dimension, c->dimensions, lexical);
            merge_prefix(&t->prefix, &c->base_prefix);
            base = scope_base(r, c, 0);
            if (!base && scope_class_or_say(r, lexical, &c->base)) break;
            if (!base) return -1;
            if (c->restriction == CLASS_CONNECTOR || c->restriction == CLASS_RECORD) t->class_ = c;
        } else if (extends_only(c)) {
            base = scope_base(r, c, 0);
            const ast_class *target = base ? scope_target(r, base) : NULL;
            if (!target || !(target->basic || target->is_enumeration || extends_only(target))) base = NULL;
            if (base) add_modification(r, t, c->extends[0].modification, scope, c, c->where);
        }
        if (!base) return t->class_ = c, 0;
        c = base;
    }
    source_say(r->s, SEVERITY_ERROR, c->where, "`%s` is defined by itself", c->name);
    return -1;
}

/* ---- members ---- */
static uint32_t slot_of(const instance *i, const char *name)
{
    return (uint32_t)(((uintptr_t)name >> 4) * UINT32_C(2654435761)) & (uint32_t)(i->slots - 1);
}

static void index_members(reader *r, instance *i)
{
    i->slots = 16;
    while (i->slots < 2 * i->members) i->slots *= 2;
    i->slot = TAKE(&r->keep, instance *, i->slots);
    for (int k = 0; k < i->members; k++) {
        uint32_t at = slot_of(i, i->member[k]->name);
        while (i->slot[at]) at = (at + 1) & (uint32_t)(i->slots - 1);
        i->slot[at] = i->member[k];
    }
}

static instance *find_member(const instance *i, const char *name)
{
    if (!i->slot) {
        for (int k = 0; k < i->members; k++)
            if (i->member[k]->name == name) return i->member[k];
        return NULL;
    }
    for (uint32_t at = slot_of(i, name); i->slot[at]; at = (at + 1) & (uint32_t)(i->slots - 1))
        if (i->slot[at]->name == name) return i->slot[at];
    return NULL;
}

static void put_member(reader *r, instance *i, instance *m)
{
    GROW(&r->keep, i->member, i->members, i->member_room);
    i->member[i->members++] = m;
    if (i->slot && 2 * i->members <= i->slots) {
        uint32_t at = slot_of(i, m->name);
        while (i->slot[at]) at = (at + 1) & (uint32_t)(i->slots - 1);
        i->slot[at] = m;
    } else if (i->members > 8) index_members(r, i);
}

instance *instance_find(reader *r, instance *i, const char *name)
{
    instance_expand(r, i);
    instance *m = find_member(i, name);
    return m && m->absent == 2 ? m->element[0] : m;      /* outer: the inner one */
}

/* A component of a class that is, further out, a component of itself would never end. */
static int contains_itself(reader *r, const instance *parent, const ast_component *k,
                           const ast_class *c)
{
    for (const instance *i = parent; i; i = i->parent) {
        if (i->class_ != c || i->in_class) continue;
        source_say(r->s, SEVERITY_ERROR, k->where, "`%s` contains a component of its own class `%s`",
                   c->name, k->name);
        return 1;
    }
    return 0;
}

static instance *find_inner(reader *r, const instance *from, const ast_component *k)
{
    for (instance *i = from->parent; i; i = i->parent) {
        instance *found = find_member(i, k->name);
        if (found && found->prefix.inner) return found;
    }
    source_say(r->s, SEVERITY_ERROR, k->where, "there is no `inner` component `%s` around this `outer` one",
               k->name);
    return NULL;
}

static instance *make_member(reader *r, instance *parent, const ast_class *within,
                             const ast_component *k, const layer *layers)
{
    instance *i = TAKE(&r->keep, instance, 1);
    *i = (instance){.name = k->name, .parent = parent, .component = k, .prefix = k->prefix,
                    .in_class = parent->in_class, .unit = -1};
    resolved t = {.prefix = k->prefix};
    t.end = &t.layer;
    layer *for_name = layers_for(r, layers, k->name);
    layers_copy(r, for_name, &t.end, &t.layer);
    add_modification(r, &t, k->modification, parent, within, k->where);
    add_dimensions(r, &t, k->dimension, k->dimensions, within);
    const ast_class *c = scope_class_or_say(r, within, &k->type);
    if (!c || resolve(r, &t, c, parent)) return i;
    if (k->prefix.stream) {
        source_say(r->s, SEVERITY_ERROR, k->where, "stream connectors are not supported yet");
        return i;
    }
    if (t.class_ && t.class_->expandable) {
        source_say(r->s, SEVERITY_ERROR, k->where, "expandable connectors are not supported yet");
        return i;
    }
    i->prefix = t.prefix;
    if (parent->prefix.variability > i->prefix.variability)
        i->prefix.variability = parent->prefix.variability;
    i->prefix.hidden |= parent->prefix.hidden;
    i->prefix.flow |= parent->prefix.flow && parent->class_->restriction == CLASS_RECORD;
    i->layer = t.layer;
    i->rank = t.dimensions;
    i->dimension = t.dimension;
    context *where = TAKE(&r->keep, context, t.dimensions);
    for (int d = 0; d < t.dimensions; d++) where[d] = context_of(r, parent, t.dimension_class[d]);
    i->dimension_context = where;
    i->connector = t.class_ && t.class_->restriction == CLASS_CONNECTOR;
    if (t.type.kind) i->type = t.type;
    if (i->type.kind == VALUE_STRING && i->prefix.variability < AST_PARAMETER)
        i->prefix.variability = AST_PARAMETER;               /* texts do not change in a run */
    if (t.type.kind) return i;
    if (t.class_ && !contains_itself(r, parent, k, t.class_)) {
        i->type.kind = VALUE_NOTHING;
        i->class_ = t.class_;
        if (c->restriction == CLASS_PACKAGE || c->restriction == CLASS_FUNCTION) {
            source_say(r->s, SEVERITY_ERROR, k->where, "`%s` is a %s, not a type of components", c->name,
                       c->restriction == CLASS_PACKAGE ? "package" : "function");
            i->type.kind = VALUE_ERROR;
        } else if (scope_target(r, t.class_) && scope_target(r, t.class_)->partial) {
            source_say(r->s, SEVERITY_ERROR, k->where,
                       "`%s` is partial: it cannot be the type of `%s`", c->name, k->name);
            i->type.kind = VALUE_ERROR;
        }
    }
    return i;
}

static void add_component(reader *r, instance *i, const ast_class *c, const ast_component *k,
                          const layer *layers)
{
    if (i->in_class == IN_CLASS && k->prefix.variability != AST_CONSTANT &&
        i->prefix.variability != AST_CONSTANT) return;       /* fields of a constant record are constants */
    instance *before = find_member(i, k->name);
    if (before) {
        if (before->component != k && before->component->within == c) {
            source_say(r->s, SEVERITY_ERROR, k->where, "`%s` is declared twice", k->name);
            source_say(r->s, SEVERITY_NOTE, before->component->where, "first here");
        } else if (before->component != k && before->component->type.part[0].name != k->type.part[0].name) {
            source_say(r->s, SEVERITY_ERROR, k->where,
                       "`%s` is inherited already, with another declaration", k->name);
            source_say(r->s, SEVERITY_NOTE, before->component->where, "inherited from here");
        }
        return;
    }
    instance *m = k->prefix.outer && !k->prefix.inner ? find_inner(r, i, k) : NULL;
    if (m) {
        instance *alias = TAKE(&r->keep, instance, 1);
        *alias = (instance){.name = k->name, .component = k, .parent = i, .absent = 2,
                            .element = TAKE(&r->keep, instance *, 1), .type = m->type};
        alias->element[0] = m;
        put_member(r, i, alias);
    } else put_member(r, i, make_member(r, i, c, k, layers));
}

/* Members of a class: inherited ones first, with the modification of the extends clause. */
static void collect(reader *r, instance *i, const ast_class *c, const layer *layers)
{
    ast_class *mutable_ = (ast_class *)(uintptr_t)c;
    if (c->busy > 0) {
        source_say(r->s, SEVERITY_ERROR, c->where, "`%s` extends itself", c->name);
        return;
    }
    reader_enter(r);
    int count = c->is_short ? !c->is_enumeration : c->extend_count;
    for (int k = 0; k < count; k++) {
        const ast_name *name = c->is_short ? &c->base : &c->extends[k].base;
        const ast_modification *m = c->is_short ? c->modification : c->extends[k].modification;
        const ast_class *base = scope_base(r, c, k);
        if (!base && scope_class(r, c, name, name->parts) == c) {
            source_say(r->s, SEVERITY_ERROR, c->is_short ? c->where : c->extends[k].where,
                       "`%s` extends itself", c->name);
            continue;
        }
        if (!base) {
            scope_class_or_say(r, c->is_short && c->outer ? c->outer : c, name);
            continue;
        }
        if (base->basic || base->is_enumeration) {
            source_say(r->s, SEVERITY_ERROR, c->where, "`%s` extends `%s` and has members of its own",
                       c->name, base->name);
            continue;
        }
        layer *first = NULL, **end = &first;
        layers_copy(r, layers, &end, &first);
        if (m) layer_add(r, end, (layer){.modification = m, .self = i, .lexical = c,
                                         .where = c->is_short ? c->where : c->extends[k].where});
        mutable_->busy++;
        collect(r, i, base, first);
        mutable_->busy--;
    }
    for (int k = 0; k < c->components; k++) add_component(r, i, c, &c->component[k], layers);
    reader_leave(r);
}

/* ---- conditional components, names that nothing has ---- */
static void decide(reader *r, instance *parent, instance *m)
{
    context c = context_of(r, parent, m->component->within);
    double yes = 1;
    value v = scalar_value(&c, m->component->condition);
    if (value_failed(&v)) return;
    if (v.type.kind != VALUE_BOOLEAN || v.rank)
        complain(&c, m->component->condition->where, "the condition of `%s` is no Boolean", m->name);
    else if (!known_structural(r, v.one, &yes))
        complain(&c, m->component->condition->where,
                 "the condition of `%s` must be known before the run: parameters and constants only",
                 m->name);
    m->absent = yes == 0;
}

static void check_names(reader *r, instance *i)
{
    for (const layer *l = i->layer; l; l = l->next)
        for (int k = 0; k < l->modification->arguments; k++) {
            const ast_argument *a = &l->modification->argument[k];
            if (find_member(i, a->name)) continue;
            const char **name = TAKE(&r->scratch, const char *, i->members);
            for (int m = 0; m < i->members; m++) name[m] = i->member[m]->name;
            const char *near = reader_suggestion(r, a->name, name, i->members);
            source_say(r->s, SEVERITY_ERROR, a->where, "`%s` has no component `%s`%s",
                       i->class_->name, a->name, near);
        }
}

static void check_binding(reader *r, const instance *i)
{
    if (!i->class_ || i->class_->restriction == CLASS_RECORD ||
        i->class_->restriction == CLASS_CONNECTOR) return;
    for (const layer *l = i->layer; l; l = l->next)
        if (l->modification->value)
            source_say(r->s, SEVERITY_ERROR, l->modification->value->where,
                       "`%s` is a %s: it has components, not a value", i->name,
                       i->class_->restriction == CLASS_BLOCK ? "block" : "model");
}

void instance_expand(reader *r, instance *i)
{
    if (i->members_state != FRESH || !i->class_ || i->type.kind == VALUE_ERROR) return;
    i->members_state = BUSY;
    reader_enter(r);
    reader_work(r, 1);
    check_binding(r, i);
    collect(r, i, i->class_, i->layer);
    i->members_state = DONE;
    for (int k = 0; k < i->members; k++)
        if (i->member[k]->component->condition && i->member[k]->absent != 2)
            decide(r, i, i->member[k]);
    if (!i->in_class) check_names(r, i);
    reader_leave(r);
}

/* ---- roots ---- */
instance *instance_root(reader *r, const ast_class *c)
{
    instance *i = TAKE(&r->keep, instance, 1);
    *i = (instance){.name = "", .class_ = c, .type = {.kind = VALUE_NOTHING}, .shape_state = DONE,
                    .path = ""};
    return i;
}

instance *instance_of_class(reader *r, const ast_class *c)
{
    if (c->instance) return c->instance;
    instance *i = instance_root(r, c);
    i->in_class = IN_CLASS;
    i->path = scope_path(r, c);
    ((ast_class *)(uintptr_t)c)->instance = i;
    return i;
}

const char *instance_path(reader *r, instance *i)
{
    if (i->path) return i->path;
    char room[1000] = "";
    const char *around = i->parent ? instance_path(r, i->parent) : "";
    text_append(room, sizeof room, *around ? "%s.%s" : "%s%s", around, i->name);
    for (int k = 0; i->is_element && k < i->rank; k++)
        text_append(room, sizeof room, "%s%d%s", k ? "," : "[", i->index[k], k + 1 == i->rank ? "]" : "");
    return i->path = region_text(&r->keep, room, strlen(room));
}

instance *instance_ghost(reader *r, const ast_class *c)
{
    instance *i = instance_root(r, c);
    i->in_class = GHOST;
    i->path = c->name;
    return i;
}

const component_type *component_resolve(reader *r, const ast_component *k)
{
    if (k->resolved) return k->resolved;
    resolved t = {.prefix = k->prefix};
    t.end = &t.layer;
    add_dimensions(r, &t, k->dimension, k->dimensions, k->within);
    add_modification(r, &t, k->modification, NULL, k->within, k->where);
    const ast_class *c = scope_class_or_say(r, k->within, &k->type);
    if (!c || resolve(r, &t, c, NULL)) return NULL;
    component_type *made = TAKE(&r->keep, component_type, 1);
    *made = (component_type){.type = t.type, .class_ = t.type.kind ? NULL : t.class_, .dimension = t.dimension,
                             .dimensions = t.dimensions,
                             .where = TAKE(&r->keep, const ast_class *, t.dimensions)};
    for (int d = 0; d < t.dimensions; d++) made->where[d] = t.dimension_class[d];
    instance leaf = {.name = k->name, .type = t.type, .layer = t.layer, .component = k, .unit = -1,
                     .in_class = GHOST};
    leaf_unit(r, &leaf);
    made->unit = leaf.unit;
    return ((ast_component *)(uintptr_t)k)->resolved = made;
}

/* ---- sizes ---- */
/* size(A, 1) in the declaration of A: a dimension before this one, from 0; -1: something else. */
static int own_dimension(const instance *i, const ast_expr *e, int d)
{
    if (e->kind != AST_CALL || e->items != 2 || e->nameds || e->name.parts != 1) return -1;
    const ast_expr *of = e->item[0], *along = e->item[1];
    if (strcmp(e->name.part[0].name, "size") != 0 || of->kind != AST_NAME || of->name.parts != 1) return -1;
    if (of->name.part[0].name != i->name || of->name.part[0].subscripts ||
        along->kind != AST_INTEGER)
        return -1;
    return along->number >= 1 && along->number <= d ? (int)along->number - 1 : -1;
}

static int one_dimension(reader *r, instance *i, int d, const value *binding)
{
    const ast_expr *e = i->dimension[d];
    const context *c = &i->dimension_context[d];
    if (e->kind == AST_COLON) {
        if (binding && binding->rank > d) return i->dim[d] = binding->dim[d], 0;
        if (!binding)
            complain(c, i->component->where, "the size `:` of `%s` needs a value that tells it", i->name);
        return -1;
    }
    if (e->kind == AST_NAME) {
        const ast_class *t = scope_class(r, c->lexical, &e->name, e->name.parts);
        t = t ? scope_target(r, t) : NULL;
        if (t && (t->is_enumeration || t->basic == VALUE_BOOLEAN)) {
            i->index_type[d] = t;
            return i->dim[d] = t->basic ? 2 : t->literals, 0;
        }
    }
    const int own = own_dimension(i, e, d);
    if (own >= 0) return i->dim[d] = i->dim[own], 0;
    if (known_integer(c, e, &i->dim[d])) return -1;
    if (i->dim[d] >= 0) return 0;
    complain(c, e->where, "the size of `%s` is %d", i->name, i->dim[d]);
    return -1;
}

static int too_large(reader *r, instance *i)
{
    double size = 1;
    int none = 0;
    for (int d = 0; d < i->rank; d++) {
        size *= i->dim[d];
        none |= i->dim[d] == 0;
    }
    if (none || size <= r->limits.scalars) return 0;
    source_say(r->s, SEVERITY_ERROR, i->component->where,
               "`%s` has %.3g elements, more than the %d that can be read", instance_path(r, i), size,
               r->limits.scalars);
    return 1;
}

static void make_elements(reader *r, instance *i)
{
    int count = instance_elements(i);
    i->element = TAKE(&r->keep, instance *, count);
    for (int k = 0; k < count; k++) {
        instance *e = TAKE(&r->keep, instance, 1);
        int *index = TAKE(&r->keep, int, i->rank), rest = k;
        *e = *i;
        for (int d = i->rank - 1; d >= 0; rest /= i->dim[d], d--) index[d] = rest % i->dim[d] + 1;
        e->index = index;
        e->is_element = 1;
        e->element = NULL;
        e->path = NULL;
        e->shape_state = DONE;
        e->layer = layers_of_element(r, i->layer, index, i->rank);
        i->element[k] = e;
    }
    reader_work(r, count);
}

int instance_shape(reader *r, instance *i)
{
    if (i->shape_state == DONE) return i->type.kind == VALUE_ERROR ? -1 : 0;
    if (i->shape_state == BUSY) {
        source_say(r->s, SEVERITY_ERROR, i->component->where, "the size of `%s` depends on itself", i->name);
        i->type.kind = VALUE_ERROR;
        return -1;
    }
    if (!i->type.kind) return -1;
    i->shape_state = BUSY;
    i->dim = TAKE(&r->keep, int, i->rank);
    i->index_type = TAKE(&r->keep, const ast_class *, i->rank);
    value binding = {0};
    int bad = 0, colon = 0;
    for (int d = 0; d < i->rank; d++) colon |= i->dimension[d]->kind == AST_COLON;
    const layer *l = i->layer;
    while (colon && l && !l->modification->value) l = l->next;
    if (colon && l) binding = layer_value(r, l);
    for (int d = 0; d < i->rank && !bad; d++)
        bad = one_dimension(r, i, d, colon && l ? &binding : NULL);
    if (bad || too_large(r, i)) i->type.kind = VALUE_ERROR;
    i->shape_state = DONE;
    if (i->type.kind == VALUE_ERROR) return -1;
    if (i->rank && !instance_is_leaf(i)) make_elements(r, i);
    return 0;
}
