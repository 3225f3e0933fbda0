/* builtin.c -- mathematical functions, events, conversions (specification, section 3.7). */
#include "model/builtin.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "model/unit.h"

static int is_number(const value *v)
{
    return v->type.kind == VALUE_REAL || v->type.kind == VALUE_INTEGER;
}

static value wrong(const builtin_call *b, int i, const char *wanted)
{
    const value *v = &b->arg[i];
    return complain(b->c, b->e->where, "argument %d of `%s` must be %s, not %s%s", i + 1,
                    b->e->name.part[b->e->name.parts - 1].name, wanted, v->rank ? "an array of " : "",
                    value_type_words(v->type));
}

static value map_one(const context *c, value_kind kind, expr_op op, const value *a)
{
    expr *e = TAKE(&c->r->scratch, expr, a->count);
    for (int i = 0; i < a->count; i++) e[i] = pool_one(c->r->p, op, value_at(a, i));
    return value_array((value_type){.kind = kind}, a->rank, a->dim, e, a->count);
}

/* sin(x), also of arrays, element by element */
static value call_one(const builtin_call *b)
{
    if (!is_number(&b->arg[0])) return wrong(b, 0, "a number");
    value v = map_one(b->c, VALUE_REAL, (expr_op)b->extra, &b->arg[0]);
    if (b->extra == EXPR_SQRT) v.unit = unit_power(b->c->r, b->arg[0].unit, 0.5);
    return v;
}

static value call_abs(const builtin_call *b)
{
    if (!is_number(&b->arg[0])) return wrong(b, 0, "a number");
    value v = map_one(b->c, b->arg[0].type.kind, EXPR_ABS, &b->arg[0]);
    v.unit = b->arg[0].unit;
    return v;
}

/* What would make an event does not make one in a function. */
static value quiet(const builtin_call *b, value v)
{
    if (!b->c->frame || !b->c->frame->function) return v;
    value w = map_one(b->c, v.type.kind, EXPR_NO_EVENT, &v);
    w.unit = v.unit;
    return w;
}

static value call_sign(const builtin_call *b)
{
    if (!is_number(&b->arg[0])) return wrong(b, 0, "a number");
    return quiet(b, map_one(b->c, VALUE_INTEGER, EXPR_SIGN, &b->arg[0]));
}

/* floor, ceil: Real; integer: Integer.  Of Integers they are nothing. */
static value call_round(const builtin_call *b)
{
    if (!is_number(&b->arg[0])) return wrong(b, 0, "a number");
    int integer = b->extra == EXPR_NONE;
    value_kind kind = integer ? VALUE_INTEGER : VALUE_REAL;
    if (b->arg[0].type.kind == VALUE_INTEGER) {
        value v = b->arg[0];
        v.type.kind = kind;
        return v;
    }
    value v = map_one(b->c, kind, integer ? EXPR_FLOOR : (expr_op)b->extra, &b->arg[0]);
    v.unit = b->arg[0].unit;
    return quiet(b, v);
}

static value map_scalars(const builtin_call *b, value_type type, expr_op op)
{
    const value *x = &b->arg[0], *y = &b->arg[1], *shape = x->rank ? x : y;
    if (!value_same_shape(x, y) && x->rank && y->rank) return wrong(b, 1, "of the same size");
    expr *e = TAKE(&b->c->r->scratch, expr, shape->count);
    for (int i = 0; i < shape->count; i++)
        e[i] = pool_two(b->c->r->p, op, x->rank ? value_at(x, i) : x->one, y->rank ? value_at(y, i) : y->one);
    return value_array(type, shape->rank, shape->dim, e, shape->count);
}

static value call_two(const builtin_call *b)
{
    if (!is_number(&b->arg[0])) return wrong(b, 0, "a number");
    if (!is_number(&b->arg[1])) return wrong(b, 1, "a number");
    int integer = b->arg[0].type.kind == VALUE_INTEGER && b->arg[1].type.kind == VALUE_INTEGER &&
                  b->extra != EXPR_ATAN2;
    const expr_node *divisor = pool_at(b->c->r->p, b->arg[1].rank ? 0 : b->arg[1].one);
    if (b->extra != EXPR_ATAN2 && divisor->op == EXPR_CONSTANT && divisor->value == 0)
        return complain(b->c, b->e->where, "`%s` divides by 0", b->e->name.part[0].name);
    value v = map_scalars(b, (value_type){.kind = integer ? VALUE_INTEGER : VALUE_REAL},
                          (expr_op)b->extra);
    if (b->extra == EXPR_ATAN2) unit_sum(b->c->r, b->e->where, b->arg[0].unit, b->arg[1].unit, "function");
    return b->extra == EXPR_ATAN2 ? v : quiet(b, v);
}

/* asinh(x) = log(x + sqrt(x^2 + 1)), acosh(x) = log(x + sqrt(x^2 - 1)) */
static value call_area(const builtin_call *b)
{
    pool *p = b->c->r->p;
    if (!is_number(&b->arg[0]) || b->arg[0].rank) return wrong(b, 0, "a number");
    expr x = b->arg[0].one, one = pool_constant(p, 1), two = pool_constant(p, 2);
    expr square = pool_two(p, EXPR_POWER, x, two);
    expr root = pool_one(p, EXPR_SQRT, pool_two(p, b->extra ? EXPR_ADD : EXPR_SUBTRACT, square, one));
    return value_scalar(VALUE_REAL, pool_one(p, EXPR_LOG, pool_two(p, EXPR_ADD, x, root)));
}

/* ---- der, pre and events ---- */
static int find_discrete(const context *c, expr e, const char **name)
{
    const expr_node *n = pool_at(c->r->p, e);
    if (n->op != EXPR_VARIABLE) return 0;
    const flat_variable *v = &c->r->m->variable[n->a];
    *name = v->name;
    return v->variability == FLAT_DISCRETE;
}

static value call_der(const builtin_call *b)
{
    const value *x = &b->arg[0];
    pool *p = b->c->r->p;
    if (!is_number(x)) return wrong(b, 0, "a Real");
    if (b->c->frame && b->c->frame->function)
        return complain(b->c, b->e->where, "a function cannot contain `der`");
    expr *e = TAKE(&b->c->r->scratch, expr, x->count);
    for (int i = 0; i < x->count; i++) {
        const char *name = NULL;
        expr at = value_at(x, i);
        const expr_node *n = pool_at(p, at);
        if (find_discrete(b->c, at, &name))
            return complain(b->c, b->e->where, "`%s` is discrete: it has no derivative", name);
        int fixed = n->op == EXPR_VARIABLE && b->c->r->m->variable[n->a].variability <= FLAT_PARAMETER;
        e[i] = fixed ? pool_constant(p, 0) : n->op == EXPR_TIME ? pool_constant(p, 1)
                     : pool_one(p, EXPR_DER, at);
    }
    value v = value_array((value_type){.kind = VALUE_REAL}, x->rank, x->dim, e, x->count);
    v.unit = unit_product(b->c->r, x->unit, unit_read(b->c->r, "s", b->e->where), -1);
    if (x->unit == UNIT_NUMBER) v.unit = UNIT_UNKNOWN;
    return v;
}

/* In an algorithm pre(x) is not the value that x has just been given. */
static value before_event(const context *c, const ast_expr *item)
{
    context outside = *c;
    if (c->frame && !c->frame->function) outside.frame = NULL;
    return scalar_value(&outside, item);
}

static expr pre_of(const builtin_call *b, expr e)
{
    const expr_node *n = pool_at(b->c->r->p, e);
    if (n->op == EXPR_CONSTANT) return e;
    if (n->op != EXPR_VARIABLE || n->b) {
        complain(b->c, b->e->where, "`%s` needs a variable", b->e->name.part[0].name);
        return 0;
    }
    if (b->c->r->m->variable[n->a].variability <= FLAT_PARAMETER) return e;
    return pool_leaf(b->c->r->p, EXPR_PRE, n->a);
}

/* pre(x), change(x), previous values; edge(b) */
static value call_pre(const builtin_call *b)
{
    pool *p = b->c->r->p;
    if (b->e->items != 1 || b->e->nameds)
        return complain(b->c, b->e->where, "`%s` has one argument", b->e->name.part[0].name);
    value x = before_event(b->c, b->e->item[0]), now = scalar_value(b->c, b->e->item[0]);
    if (value_failed(&x) || value_failed(&now)) return value_error();
    expr *e = TAKE(&b->c->r->scratch, expr, x.count);
    for (int i = 0; i < x.count; i++) {
        expr pre = b->extra == EXPR_EDGE ? value_at(&x, i) : pre_of(b, value_at(&x, i));
        if (!pre) return value_error();
        e[i] = b->extra == EXPR_PRE ? pre
             : b->extra == EXPR_EDGE ? pool_one(p, EXPR_EDGE, pre)
             : pool_two(p, EXPR_NOT_EQUAL, value_at(&now, i), pre);
    }
    if (b->extra == EXPR_EDGE && x.type.kind != VALUE_BOOLEAN)
        return complain(b->c, b->e->where, "`edge` needs a Boolean");
    value_type type = b->extra == EXPR_PRE ? x.type : (value_type){.kind = VALUE_BOOLEAN};
    value v = value_array(type, x.rank, x.dim, e, x.count);
    v.unit = b->extra == EXPR_PRE ? x.unit : UNIT_UNKNOWN;
    return v;
}

static value call_moment(const builtin_call *b)
{
    return value_scalar(VALUE_BOOLEAN, pool_leaf(b->c->r->p, (expr_op)b->extra, 0));
}

static value call_sample(const builtin_call *b)
{
    double interval;
    for (int i = 0; i < 2; i++) {
        if (!is_number(&b->arg[i]) || b->arg[i].rank) return wrong(b, i, "a number");
        if (!known_is_parameter(b->c->r, b->arg[i].one))
            return complain(b->c, b->e->where,
                            "start and interval of `sample` may contain parameters and constants only");
    }
    if (known_value(b->c->r, b->arg[1].one, &interval) && !(interval > 0))
        return complain(b->c, b->e->where, "the interval of `sample` is %g: it must be positive", interval);
    return value_scalar(VALUE_BOOLEAN, pool_node(b->c->r->p, EXPR_SAMPLE, b->arg[0].one, b->arg[1].one));
}

static value call_no_event(const builtin_call *b)
{
    value v = b->arg[0];
    expr *e = TAKE(&b->c->r->scratch, expr, v.count);
    for (int i = 0; i < v.count; i++) e[i] = pool_one(b->c->r->p, EXPR_NO_EVENT, value_at(&v, i));
    value result = value_array(v.type, v.rank, v.dim, e, v.count);
    result.unit = v.unit;
    return result;
}

static value call_smooth(const builtin_call *b)
{
    const value *order = &b->arg[0], *v = &b->arg[1];
    double p;
    if (order->rank || order->type.kind != VALUE_INTEGER || !known_structural(b->c->r, order->one, &p))
        return wrong(b, 0, "an Integer that is known before the run");
    expr *e = TAKE(&b->c->r->scratch, expr, v->count);
    for (int i = 0; i < v->count; i++)
        e[i] = pool_two(b->c->r->p, EXPR_SMOOTH, pool_constant(b->c->r->p, p), value_at(v, i));
    value result = value_array(v->type, v->rank, v->dim, e, v->count);
    result.unit = v->unit;
    return result;
}

static value call_homotopy(const builtin_call *b)
{
    if (!is_number(&b->arg[0])) return wrong(b, 0, "a number");
    if (!is_number(&b->arg[1]) || !value_same_shape(&b->arg[0], &b->arg[1]))
        return wrong(b, 1, "a number of the same size");
    value v = map_scalars(b, (value_type){.kind = VALUE_REAL}, EXPR_HOMOTOPY);
    v.unit = unit_sum(b->c->r, b->e->where, b->arg[0].unit, b->arg[1].unit, "homotopy");
    return v;
}

/* semiLinear(x, k+, k-) = if x >= 0 then k+ x else k- x */
static value call_semi_linear(const builtin_call *b)
{
    pool *p = b->c->r->p;
    for (int i = 0; i < 3; i++)
        if (!is_number(&b->arg[i]) || b->arg[i].rank) return wrong(b, i, "a number");
    expr x = b->arg[0].one;
    expr positive = pool_two(p, EXPR_LESS_EQUAL, pool_constant(p, 0), x);
    return value_scalar(VALUE_REAL, pool_if(p, positive, pool_two(p, EXPR_MULTIPLY, b->arg[1].one, x),
                                            pool_two(p, EXPR_MULTIPLY, b->arg[2].one, x)));
}

/* ---- conversions ---- */
static value call_integer_of(const builtin_call *b)
{
    if (b->arg[0].type.kind != VALUE_ENUMERATION) return wrong(b, 0, "of an enumeration");
    value v = b->arg[0];
    v.type = (value_type){.kind = VALUE_INTEGER};
    return v;
}

static const char *as_text(const builtin_call *b, const value *v)
{
    double x;
    region *scratch = &b->c->r->scratch;
    if (v->type.kind == VALUE_STRING) return reader_text_of(b->c->r, v->one);
    if (!known_structural(b->c->r, v->one, &x)) {        /* only messages contain such a text */
        size_t length;
        const ast_expr *item = b->e->item[0];
        const char *chars = source_text(b->c->r->s, item->where.text, &length);
        if (!chars || item->where.to > length) return "?";
        char *copy = region_take(scratch, item->where.to - item->where.from + 3, 1);
        copy[0] = '{';
        memcpy(copy + 1, chars + item->where.from, item->where.to - item->where.from);
        strcat(copy, "}");
        return copy;
    }
    if (v->type.kind == VALUE_BOOLEAN) return x != 0 ? "true" : "false";
    if (v->type.kind == VALUE_ENUMERATION && x >= 1 && x <= v->type.enumeration->literals)
        return v->type.enumeration->literal[(int)x - 1].name;
    return region_print(scratch, v->type.kind == VALUE_INTEGER ? "%.0f" : "%.6g", x);
}

static value call_string(const builtin_call *b)
{
    if (b->e->items < 1) return complain(b->c, b->e->where, "`String` has at least one argument");
    value v = scalar_value(b->c, b->e->item[0]);
    if (value_failed(&v)) return v;
    if (v.rank || v.type.kind > VALUE_ENUMERATION) return complain(b->c, b->e->where, "`String` needs a scalar");
    return value_scalar(VALUE_STRING, reader_text(b->c->r, as_text(b, &v)));
}

static value call_instance_name(const builtin_call *b)
{
    const char *path = b->c->self ? instance_path(b->c->r, b->c->self) : "";
    const char *name = b->c->r->m->name;
    return value_scalar(VALUE_STRING, reader_text(b->c->r, *path ? region_print(&b->c->r->scratch, "%s.%s",
                                                                               name, path) : name));
}

static value call_unsupported(const builtin_call *b)
{
    return complain(b->c, b->e->where, "`%s` is not supported yet", b->e->name.part[0].name);
}

static value call_statement(const builtin_call *b)
{
    return complain(b->c, b->e->where, "`%s` has no value: it stands alone, as an equation or statement",
                    b->e->name.part[0].name);
}

/* Sorted by name. */
static const builtin table[] = {
    {"Clock", call_unsupported, 0, LAZY, 0, NULL},
    {"Integer", call_integer_of, 1, 1, 0, NULL},
    {"String", call_string, 1, LAZY, 0, NULL},
    {"abs", call_abs, 1, 1, 0, NULL},
    {"acos", call_one, 1, 1, EXPR_ACOS, NULL},
    {"acosh", call_area, 1, 1, 0, NULL},
    {"actualStream", call_unsupported, 0, LAZY, 0, NULL},
    {"asin", call_one, 1, 1, EXPR_ASIN, NULL},
    {"asinh", call_area, 1, 1, 1, NULL},
    {"assert", call_statement, 0, LAZY, 0, NULL},
    {"atan", call_one, 1, 1, EXPR_ATAN, NULL},
    {"atan2", call_two, 2, 2, EXPR_ATAN2, NULL},
    {"backSample", call_unsupported, 0, LAZY, 0, NULL},
    {"cardinality", call_unsupported, 0, LAZY, 0, NULL},
    {"ceil", call_round, 1, 1, EXPR_CEIL, NULL},
    {"change", call_pre, 1, LAZY, EXPR_NOT_EQUAL, NULL},
    {"cos", call_one, 1, 1, EXPR_COS, NULL},
    {"cosh", call_one, 1, 1, EXPR_COSH, NULL},
    {"delay", call_unsupported, 0, LAZY, 0, NULL},
    {"der", call_der, 1, 1, 0, NULL},
    {"div", call_two, 2, 2, EXPR_QUOTIENT, NULL},
    {"edge", call_pre, 1, LAZY, EXPR_EDGE, NULL},
    {"exp", call_one, 1, 1, EXPR_EXP, NULL},
    {"floor", call_round, 1, 1, EXPR_FLOOR, NULL},
    {"getInstanceName", call_instance_name, 0, 0, 0, NULL},
    {"hold", call_unsupported, 0, LAZY, 0, NULL},
    {"homotopy", call_homotopy, 2, 2, 0, "actual simplified"},
    {"inStream", call_unsupported, 0, LAZY, 0, NULL},
    {"initial", call_moment, 0, 0, EXPR_INITIAL, NULL},
    {"integer", call_round, 1, 1, EXPR_NONE, NULL},
    {"log", call_one, 1, 1, EXPR_LOG, NULL},
    {"log10", call_one, 1, 1, EXPR_LOG10, NULL},
    {"mod", call_two, 2, 2, EXPR_MOD, NULL},
    {"noEvent", call_no_event, 1, 1, 0, NULL},
    {"pre", call_pre, 1, LAZY, EXPR_PRE, NULL},
    {"previous", call_unsupported, 0, LAZY, 0, NULL},
    {"reinit", call_statement, 0, LAZY, 0, NULL},
    {"rem", call_two, 2, 2, EXPR_REM, NULL},
    {"sample", call_sample, 2, 2, 0, "start interval"},
    {"semiLinear", call_semi_linear, 3, 3, 0, "x positiveSlope negativeSlope"},
    {"shiftSample", call_unsupported, 0, LAZY, 0, NULL},
    {"sign", call_sign, 1, 1, 0, NULL},
    {"sin", call_one, 1, 1, EXPR_SIN, NULL},
    {"sinh", call_one, 1, 1, EXPR_SINH, NULL},
    {"smooth", call_smooth, 2, 2, 0, "p expr"},
    {"spatialDistribution", call_unsupported, 0, LAZY, 0, NULL},
    {"sqrt", call_one, 1, 1, EXPR_SQRT, NULL},
    {"subSample", call_unsupported, 0, LAZY, 0, NULL},
    {"superSample", call_unsupported, 0, LAZY, 0, NULL},
    {"tan", call_one, 1, 1, EXPR_TAN, NULL},
    {"tanh", call_one, 1, 1, EXPR_TANH, NULL},
    {"terminal", call_moment, 0, 0, EXPR_TERMINAL, NULL},
    {"terminate", call_statement, 0, LAZY, 0, NULL},
};
enum { COUNT = sizeof table / sizeof *table };

static const builtin *search(const builtin *rows, int count, const char *name)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2, order = strcmp(rows[middle].name, name);
        if (order == 0) return &rows[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

const builtin *builtin_find(const char *name)
{
    const builtin *b = search(table, COUNT, name);
    return b ? b : search(builtin_arrays, builtin_array_count, name);
}

const char **builtin_names(reader *r, int *count)
{
    const char **name = TAKE(&r->scratch, const char *, COUNT + builtin_array_count);
    for (int i = 0; i < COUNT; i++) name[i] = table[i].name;
    for (int i = 0; i < builtin_array_count; i++) name[COUNT + i] = builtin_arrays[i].name;
    *count = COUNT + builtin_array_count;
    return name;
}

/* Which argument a name means: its place in the list of names, or -1. */
static int place_of(const char *names_, const char *name)
{
    size_t length = strlen(name);
    for (int place = 0; names_ && *names_; place++) {
        size_t here = strcspn(names_, " ");
        if (here == length && !strncmp(names_, name, length)) return place;
        names_ += here + (names_[here] == ' ');
    }
    return -1;
}

value builtin_evaluate(const context *c, const ast_expr *e, const builtin *b)
{
    builtin_call call = {.c = c, .e = e, .extra = b->extra};
    if (b->most == LAZY) return b->act(&call);
    int count = e->items + e->nameds, bad = 0;
    if (e->iterators) return complain(c, e->where, "`%s` has no iterators", b->name);
    if (count < b->least || (b->most >= 0 && count > b->most))
        return complain(c, e->where, "`%s` has %d argument%s, not %d", b->name,
                        count < b->least ? b->least : b->most,
                        (count < b->least ? b->least : b->most) == 1 ? "" : "s", count);
    value *arg = TAKE(&c->r->scratch, value, count);
    for (int i = 0; i < count; i++) {
        int at = i < e->items ? i : place_of(b->named, e->named[i - e->items].name);
        if (at < 0 || at >= count || (i >= e->items && at < e->items))
            return complain(c, e->named[i - e->items].where, "`%s` has no argument `%s` here", b->name,
                            e->named[i - e->items].name);
        arg[at] = scalar_value(c, i < e->items ? e->item[i] : e->named[i - e->items].value);
        bad |= value_failed(&arg[at]);
    }
    for (int i = 0; i < count; i++) bad |= value_failed(&arg[i]);
    if (bad) return value_error();
    call.arg = arg;
    call.args = count;
    return b->act(&call);
}
