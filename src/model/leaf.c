/* leaf.c -- scalars of basic type: numbers in the flat model, values and attributes of declarations
 * (specification, sections 4.4 and 4.8). */
#include "model/reader.h"

#include <string.h>

#include "core/text.h"
#include "model/unit.h"

static const layer *first_value(const layer *l)
{
    while (l && !l->modification->value) l = l->next;
    return l;
}

static flat_variability variability_of(const instance *i)
{
    if (i->prefix.variability == AST_CONSTANT) return FLAT_CONSTANT;
    if (i->prefix.variability == AST_PARAMETER) return FLAT_PARAMETER;
    if (i->prefix.variability == AST_DISCRETE || i->type.kind != VALUE_REAL) return FLAT_DISCRETE;
    return FLAT_CONTINUOUS;
}

static flat_type flat_type_of(value_kind kind)
{
    return kind == VALUE_INTEGER ? FLAT_INTEGER : kind == VALUE_BOOLEAN ? FLAT_BOOLEAN
         : kind == VALUE_ENUMERATION ? FLAT_ENUMERATION : FLAT_REAL;
}

/* x[2,3]; for an index of enumeration type the literal. */
static const char *element_name(reader *r, instance *leaf, int element)
{
    char room[1200] = "";
    int index[32], rest = element;
    for (int d = leaf->rank - 1; d >= 0; rest /= leaf->dim[d], d--) index[d] = rest % leaf->dim[d];
    text_append(room, sizeof room, "%s[", instance_path(r, leaf));
    for (int d = 0; d < leaf->rank; d++) {
        const ast_class *t = leaf->index_type[d];
        if (t && t->basic) text_append(room, sizeof room, "%s%s", d ? "," : "", index[d] ? "true" : "false");
        else if (t) text_append(room, sizeof room, "%s%s.%s", d ? "," : "", t->name, t->literal[index[d]].name);
        else text_append(room, sizeof room, "%s%d", d ? "," : "", index[d] + 1);
    }
    text_append(room, sizeof room, "]");
    return region_text(&r->keep, room, strlen(room));
}

static void add_variable(reader *r, instance *leaf, int element, const char *const *literals)
{
    flat_model *m = r->m;
    GROW(&r->keep, m->variable, m->variables, r->variable_room);
    GROW(&r->keep, r->leaf, m->variables, r->leaf_room);
    r->leaf[m->variables] = leaf;
    const ast_component *k = leaf->component;
    m->variable[m->variables++] = (flat_variable){
        .name = leaf->rank ? element_name(r, leaf, element) : instance_path(r, leaf),
        .comment = k->comment ? k->comment : "", .unit = "", .display_unit = "", .quantity = "",
        .literals = literals, .literal_count = literals ? leaf->type.enumeration->literals : 0,
        .where = k->where, .type = flat_type_of(leaf->type.kind), .variability = variability_of(leaf),
        .select = SELECT_DEFAULT, .fixed = -1,
        .input = leaf->prefix.input && leaf->parent == r->top,
        .output = leaf->prefix.output && leaf->parent == r->top, .hidden = leaf->prefix.hidden};
}

static const char *const *literals_of(reader *r, const ast_class *e)
{
    const char **name = TAKE(&r->keep, const char *, e->literals);
    for (int i = 0; i < e->literals; i++) name[i] = e->literal[i].name;
    return name;
}

void leaf_number(reader *r, instance *leaf)
{
    if (leaf->numbered || instance_shape(r, leaf)) return;
    leaf->numbered = 1;
    int count = instance_elements(leaf);
    leaf->first = (uint32_t)r->m->variables;
    if (leaf->in_class || leaf->type.kind == VALUE_STRING) return;
    if (count > r->limits.scalars - r->m->variables) {
        source_say(r->s, SEVERITY_ERROR, leaf->component->where,
                   "with `%s` the model has more than the %d scalars that can be read",
                   instance_path(r, leaf), r->limits.scalars);
        reader_stop(r, STOP_SCALARS);
    }
    const char *const *literals =
        leaf->type.kind == VALUE_ENUMERATION ? literals_of(r, leaf->type.enumeration) : NULL;
    for (int i = 0; i < count; i++) add_variable(r, leaf, i, literals);
    reader_work(r, count);
}

/* ---- values ---- */
static const char *declared(reader *r, const instance *leaf)
{
    char room[200];
    room[0] = '\0';
    text_append(room, sizeof room, "%s%s", value_type_words(leaf->type),
                leaf->rank ? value_shape_words(&r->scratch, leaf->rank, leaf->dim) : "");
    return region_text(&r->scratch, room, strlen(room));
}

static int fits(reader *r, const instance *leaf, const value *v, span where, const char *what)
{
    context c = context_of(r, NULL, r->root);
    int number = v->type.kind == VALUE_INTEGER && leaf->type.kind == VALUE_REAL;
    if (!number && !value_same_type(v->type, leaf->type)) {
        complain(&c, where, "%s `%s` is %s, but this value is %s", what, leaf->name,
                 value_type_words(leaf->type), value_type_words(v->type));
        return 0;
    }
    value shape = {.rank = leaf->rank, .dim = leaf->dim};
    if (value_same_shape(&shape, v)) return 1;
    complain(&c, where, "%s `%s` is %s, but this value is %s", what, leaf->name, declared(r, leaf),
             v->rank ? value_shape_words(&r->scratch, v->rank, v->dim) : "a scalar");
    return 0;
}

/* `x` or `x[2]` of the caller for this leaf: the value, or NULL. */
static const ast_expr *overriding(reader *r, instance *leaf, int element, span *where)
{
    const char *whole = instance_path(r, leaf);
    const char *one = leaf->rank && element >= 0 && leaf->numbered && !leaf->in_class &&
                      leaf->type.kind != VALUE_STRING
                    ? r->m->variable[leaf->first + (uint32_t)element].name : NULL;
    for (int i = r->overrides - 1; i >= 0; i--) {
        const char *name = r->override[i].name;
        if (element >= 0 ? !one || strcmp(name, one) : strcmp(name, whole)) continue;
        r->override_used[i] = 1;
        int text = source_add(r->s, name, r->override[i].value, strlen(r->override[i].value));
        if (text < 0) reader_stop(r, REGION_FULL);
        size_t length;
        const char *chars = source_text(r->s, text, &length);
        const ast_expr *e = parse_value(&r->keep, &r->names, r->s, text, chars, length);
        *where = (span){0, (uint32_t)length, text};
        return e;
    }
    return NULL;
}

/* Values that the caller gives replace those of the text. */
static void apply_overrides(reader *r, instance *leaf, expr *to, int count, const char *what)
{
    context c = context_of(r, NULL, r->root);
    span where;
    for (int k = -1; k < count && r->overrides; k++) {
        const ast_expr *e = overriding(r, leaf, k, &where);
        if (!e) continue;
        if (leaf->prefix.final_ || leaf->prefix.variability == AST_CONSTANT) {
            complain(&c, where, "`%s` is %s and cannot be changed", instance_path(r, leaf),
                     leaf->prefix.final_ ? "final" : "a constant");
            continue;
        }
        value v = scalar_value(&c, e);
        if (value_failed(&v)) continue;
        instance one = *leaf;
        if (k >= 0 || (!v.rank && what)) one.rank = 0;
        if (!fits(r, &one, &v, where, what ? what : "")) continue;
        for (int i = 0; i < count; i++)
            if (k < 0 || i == k) to[i] = v.count == 1 ? v.one : value_at(&v, i);
    }
}

static void check_final(reader *r, const layer *winner, const instance *leaf)
{
    if (leaf->prefix.final_ && winner->lexical != leaf->component->within)
        source_say(r->s, SEVERITY_ERROR, winner->where, "`%s` is final and cannot be modified", leaf->name);
    for (const layer *l = winner->next; l; l = l->next)
        if (l->final_ && l->modification->value) {
            source_say(r->s, SEVERITY_ERROR, winner->where, "`%s` was given a final value and cannot be modified",
                       leaf->name);
            source_say(r->s, SEVERITY_NOTE, l->where, "the final value");
            return;
        }
}

static void store_parameter(reader *r, instance *leaf, const value *v)
{
    int count = instance_elements(leaf);
    expr *binding = TAKE(&r->keep, expr, count);
    for (int i = 0; v && i < count; i++) binding[i] = value_at(v, i);
    apply_overrides(r, leaf, binding, count, "the parameter");
    if (leaf->prefix.variability == AST_CONSTANT || leaf->type.kind == VALUE_STRING || leaf->in_class)
        leaf->constant = binding;
    if (leaf->in_class || leaf->type.kind == VALUE_STRING) return;
    for (int i = 0; i < count; i++) r->m->variable[leaf->first + (uint32_t)i].binding = binding[i];
}

/* Constants are numbers at once, so that what is computed from them is folded. */
static void fold_constants(reader *r, instance *leaf)
{
    double x;
    for (int i = 0; i < instance_elements(leaf); i++) {
        if (!leaf->constant[i]) continue;
        if (known_value(r, leaf->constant[i], &x)) leaf->constant[i] = pool_constant(r->p, x);
        else if (!known_is_parameter(r, leaf->constant[i])) {
            source_say(r->s, SEVERITY_ERROR, leaf->component->where,
                       "the constant `%s` depends on something that is not constant", leaf->name);
            return;
        }
    }
}

void leaf_bind(reader *r, instance *leaf)
{
    if (leaf->bind_state == DONE) return;
    if (leaf->bind_state == BUSY) {
        if (leaf->prefix.variability == AST_CONSTANT || leaf->type.kind == VALUE_STRING)
            source_say(r->s, SEVERITY_ERROR, leaf->component->where,
                       "the value of `%s` depends on itself", leaf->name);
        return;
    }
    leaf->bind_state = BUSY;
    reader_enter(r);
    leaf_number(r, leaf);
    leaf_unit(r, leaf);
    const layer *l = first_value(leaf->layer);
    if (leaf->shape_state == DONE && leaf->type.kind &&
        (leaf->prefix.variability >= AST_PARAMETER || leaf->in_class == GHOST)) {
        value v = value_error();
        if (l) {
            check_final(r, l, leaf);
            v = layer_value(r, l);
            if (!value_failed(&v) &&
                !fits(r, leaf, &v, l->modification->value->where, "the value of")) v = value_error();
            if (!value_failed(&v))
                unit_check(r, l->modification->value->where, "the variable", leaf->unit, v.unit);
        }
        store_parameter(r, leaf, value_failed(&v) ? NULL : &v);
        if (leaf->constant && leaf->type.kind != VALUE_STRING && leaf->in_class != GHOST)
            fold_constants(r, leaf);
    }
    leaf->bind_state = DONE;
    reader_leave(r);
}

void leaf_equation(reader *r, instance *leaf)
{
    const layer *l = first_value(leaf->layer);
    if (!l || leaf->prefix.variability >= AST_PARAMETER || instance_shape(r, leaf)) return;
    region_mark mark = region_now(&r->scratch);
    leaf_unit(r, leaf);
    check_final(r, l, leaf);
    value v = layer_value(r, l);
    if (!value_failed(&v) && fits(r, leaf, &v, l->modification->value->where, "the value of")) {
        unit_check(r, l->modification->value->where, "the variable", leaf->unit, v.unit);
        for (int i = 0; i < instance_elements(leaf); i++) {
            span where = l->modification->value->where;
            if (l->lexical == leaf->component->within && leaf->component->where.text == where.text)
                where.from = leaf->component->where.from;
            GROW(&r->keep, r->m->equation, r->m->equations, r->equation_room);
            r->m->equation[r->m->equations++] = (flat_equation){
                pool_variable(r->p, leaf->first + (uint32_t)i, 0), value_at(&v, i), where, "",
                leaf->parent ? instance_path(r, leaf->parent) : ""};
        }
    }
    region_back(&r->scratch, mark);
}

/* ---- attributes ---- */
enum { AT_START, AT_MIN, AT_MAX, AT_NOMINAL, AT_FIXED, AT_UNIT, AT_DISPLAY, AT_QUANTITY, AT_SELECT,
       AT_UNBOUNDED, ATTRIBUTES };
static const char *const attribute_name[ATTRIBUTES] = {
    "start", "min", "max", "nominal", "fixed", "unit", "displayUnit", "quantity", "stateSelect",
    "unbounded"};

static value_kind attribute_kind(int which, value_kind leaf)
{
    return which <= AT_MAX ? leaf : which == AT_NOMINAL ? VALUE_REAL
         : which == AT_FIXED || which == AT_UNBOUNDED ? VALUE_BOOLEAN
         : which == AT_SELECT ? VALUE_ENUMERATION : VALUE_STRING;
}

static const layer *attribute_layer(reader *r, const instance *leaf, int which)
{
    layer without_value, *first = NULL, **end = &first;
    const char *name = reader_name(r, attribute_name[which]);
    for (const layer *l = leaf->layer; l; l = l->next) {
        if (!l->modification->arguments) continue;
        ast_modification *m = TAKE(&r->keep, ast_modification, 1);
        *m = *l->modification;
        m->value = NULL;
        without_value = *l;
        without_value.modification = m;
        without_value.next = NULL;
        layer *found = layers_for(r, &without_value, name);
        if (found) *end = found, end = &found->next;
    }
    return first_value(first);
}

static int attribute(reader *r, instance *leaf, int which, value *v)
{
    const layer *l = attribute_layer(r, leaf, which);
    if (!l) return 0;
    *v = layer_value(r, l);
    if (value_failed(v)) return 0;
    context c = context_of(r, NULL, r->root);
    span where = l->modification->value->where;
    value_kind kind = attribute_kind(which, leaf->type.kind);
    int number = kind == VALUE_REAL && v->type.kind == VALUE_INTEGER;
    if (v->type.kind != kind && !number) {
        complain(&c, where, "`%s` of `%s` must be %s, not %s", attribute_name[which], leaf->name,
                 value_type_words((value_type){.kind = kind == VALUE_ENUMERATION ? VALUE_NOTHING : kind}),
                 value_type_words(v->type));
        return 0;
    }
    value shape = {.rank = leaf->rank, .dim = leaf->dim};
    if (v->rank && !value_same_shape(&shape, v)) {
        complain(&c, where, "`%s` of `%s` has dimensions %s, not those of its declaration, %s",
                 attribute_name[which], leaf->name, value_shape_words(&r->scratch, v->rank, v->dim),
                 value_shape_words(&r->scratch, leaf->rank, leaf->dim));
        return 0;
    }
    for (int i = 0; i < v->count; i++)
        if (!known_is_parameter(r, value_at(v, i))) {
            complain(&c, where, "`%s` of `%s` may contain parameters and constants only",
                     attribute_name[which], leaf->name);
            return 0;
        }
    return 1;
}

static void check_attributes(reader *r, const instance *leaf)
{
    for (const layer *l = leaf->layer; l; l = l->next)
        for (int k = 0; k < l->modification->arguments; k++) {
            const ast_argument *a = &l->modification->argument[k];
            int i = 0;
            while (i < ATTRIBUTES && strcmp(attribute_name[i], a->name)) i++;
            if (i < ATTRIBUTES) continue;
            const char *near = reader_suggestion(r, a->name, attribute_name, ATTRIBUTES);
            source_say(r->s, SEVERITY_ERROR, a->where, "%s has no attribute `%s`%s",
                       value_type_words(leaf->type), a->name, near);
        }
}

static void put_numbers(reader *r, instance *leaf, int which, const value *v)
{
    for (int i = 0; i < instance_elements(leaf); i++) {
        flat_variable *x = &r->m->variable[leaf->first + (uint32_t)i];
        expr e = v->count == 1 ? v->one : value_at(v, i);
        double number;
        if (which == AT_START) x->start = e;
        else if (which == AT_MIN) x->min = e;
        else if (which == AT_MAX) x->max = e;
        else if (which == AT_NOMINAL) x->nominal = e;
        else if (!known_structural(r, e, &number)) continue;
        else if (which == AT_FIXED) x->fixed = number != 0;
        else if (which == AT_SELECT) x->select = (flat_select)((int)number - 1);
    }
}

static void put_text(reader *r, instance *leaf, int which, const value *v)
{
    for (int i = 0; i < instance_elements(leaf); i++) {
        flat_variable *x = &r->m->variable[leaf->first + (uint32_t)i];
        const char *text = reader_text_of(r, v->count == 1 ? v->one : value_at(v, i));
        if (which == AT_UNIT) x->unit = text;
        else if (which == AT_DISPLAY) x->display_unit = text;
        else x->quantity = text;
    }
}

void leaf_unit(reader *r, instance *leaf)
{
    value v;
    if (leaf->unit >= 0) return;
    leaf->unit = UNIT_UNKNOWN;
    if (leaf->type.kind != VALUE_REAL || !leaf->layer) return;
    const layer *l = attribute_layer(r, leaf, AT_UNIT);
    if (!l || l->modification->value->kind != AST_STRING) return;
    v = layer_value(r, l);
    leaf->unit = unit_read(r, reader_text_of(r, v.one), l->modification->value->where);
}

void leaf_describe(reader *r, instance *leaf)
{
    region_mark mark = region_now(&r->scratch);
    check_attributes(r, leaf);
    if (!instance_shape(r, leaf) && leaf->type.kind != VALUE_STRING)
        for (int which = 0; which < AT_UNBOUNDED; which++) {
            value v;
            if (!leaf->layer || !attribute(r, leaf, which, &v) || !v.count) continue;
            if (which == AT_UNIT || which == AT_DISPLAY || which == AT_QUANTITY) put_text(r, leaf, which, &v);
            else put_numbers(r, leaf, which, &v);
        }
    if (leaf->prefix.variability < AST_PARAMETER && leaf->numbered && r->overrides &&
        leaf->type.kind != VALUE_STRING && !leaf->in_class) {
        int count = instance_elements(leaf);
        expr *start = TAKE(&r->scratch, expr, count);
        for (int i = 0; i < count; i++) start[i] = r->m->variable[leaf->first + (uint32_t)i].start;
        apply_overrides(r, leaf, start, count, "the start value of");
        for (int i = 0; i < count; i++) r->m->variable[leaf->first + (uint32_t)i].start = start[i];
    }
    region_back(&r->scratch, mark);
}
