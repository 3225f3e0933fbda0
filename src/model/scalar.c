/* scalar.c -- expressions of the text to scalars of the pool: operators and constructors
 * (specification, chapters 3 and 10). */
#include "model/reader.h"

#include <math.h>
#include <string.h>

#include "model/unit.h"

static int is_number(const value *v)
{
    return v->type.kind == VALUE_REAL || v->type.kind == VALUE_INTEGER;
}

value scalar_real(const context *c, value v)
{
    (void)c;
    if (v.type.kind == VALUE_INTEGER) v.type.kind = VALUE_REAL;
    return v;
}

/* The wider of two types of elements, or VALUE_ERROR. */
static value_type common_type(const value *a, const value *b)
{
    if (is_number(a) && is_number(b))
        return a->type.kind == VALUE_REAL ? a->type : b->type;
    return value_same_type(a->type, b->type) ? a->type : (value_type){.kind = VALUE_ERROR};
}

/* ---- element by element ---- */
static value map_two(const context *c, value_type type, expr_op op, const value *a, const value *b)
{
    reader *r = c->r;
    const value *shape = a->rank ? a : b;
    if (!shape->rank) {
        value v = value_scalar(type.kind, pool_two(r->p, op, a->one, b->one));
        v.type = type;
        return v;
    }
    expr *e = TAKE(&r->scratch, expr, shape->count);
    for (int i = 0; i < shape->count; i++)
        e[i] = pool_two(r->p, op, a->rank ? value_at(a, i) : a->one, b->rank ? value_at(b, i) : b->one);
    reader_work(r, shape->count);
    return value_array(type, shape->rank, shape->dim, e, shape->count);
}

static value mismatch(const context *c, span where, const char *op, const value *a, const value *b)
{
    region *r = &c->r->scratch;
    return complain(c, where, "`%s` of %s and %s", op, value_shape_words(r, a->rank, a->dim),
                    value_shape_words(r, b->rank, b->dim));
}

static value wrong_type(const context *c, span where, const char *op, const value *a, const value *b)
{
    const value *bad = is_number(a) ? b : a;
    return complain(c, where, "`%s` needs numbers, not %s", op, value_type_words(bad->type));
}

static value negate(const context *c, const value *a)
{
    expr *e = a->count > 1 ? TAKE(&c->r->scratch, expr, a->count) : NULL;
    value v = *a;
    if (a->count == 1) v.one = pool_one(c->r->p, EXPR_NEGATE, a->one);
    for (int i = 0; e && i < a->count; i++) e[i] = pool_one(c->r->p, EXPR_NEGATE, a->element[i]);
    if (e) v.element = e;
    return v;
}

/* ---- products of vectors and matrices ---- */
static expr dot(reader *r, const value *a, int first, int stride, const value *b, int start, int stride_b,
                int count)
{
    expr sum = pool_constant(r->p, 0);
    for (int k = 0; k < count; k++)
        sum = pool_two(r->p, EXPR_ADD, sum,
                       pool_two(r->p, EXPR_MULTIPLY, value_at(a, first + k * stride),
                                value_at(b, start + k * stride_b)));
    return sum;
}

static value product(const context *c, span where, value_type type, const value *a, const value *b)
{
    reader *r = c->r;
    if (!a->rank || !b->rank) return map_two(c, type, EXPR_MULTIPLY, a, b);
    int inner = a->dim[a->rank - 1];
    if (a->rank > 2 || b->rank > 2 || inner != b->dim[0]) return mismatch(c, where, "*", a, b);
    int rows = a->rank == 2 ? a->dim[0] : 1, columns = b->rank == 2 ? b->dim[1] : 1;
    if ((double)rows * columns > r->limits.scalars)
        return complain(c, where, "this product has %.3g elements", (double)rows * columns);
    int *dim = TAKE(&r->scratch, int, 2), rank = 0;
    if (a->rank == 2) dim[rank++] = rows;
    if (b->rank == 2) dim[rank++] = columns;
    expr *e = TAKE(&r->scratch, expr, rows * columns);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            e[i * columns + j] = dot(r, a, i * inner, 1, b, j, columns, inner);
    reader_work(r, (long)rows * columns * inner);
    return value_array(type, rank, dim, e, rows * columns);
}

/* M^n by repeated products. */
static value matrix_power(const context *c, span where, const value *a, const value *b)
{
    double n;
    if (a->rank != 2 || a->dim[0] != a->dim[1] || b->rank || b->type.kind != VALUE_INTEGER)
        return complain(c, where, "`^` of an array needs a square matrix and an Integer; use `.^` for elements");
    if (!known_structural(c->r, b->one, &n) || n < 0 || n > 1000)
        return complain(c, where, "the power of a matrix must be known before the run, 0 to 1000");
    value v = {.type = a->type, .rank = 2, .dim = a->dim, .count = a->count};
    expr *e = TAKE(&c->r->scratch, expr, a->count);
    for (int i = 0; i < a->count; i++) e[i] = pool_constant(c->r->p, i % (a->dim[0] + 1) == 0);
    v = value_array(a->type, 2, a->dim, e, a->count);
    for (int k = 0; k < (int)n; k++) v = product(c, where, a->type, &v, a);
    return v;
}

static const char *op_words(token_kind op) { return token_words(op); }

static int is_elementwise(token_kind op) { return op >= TOKEN_DOT_PLUS && op <= TOKEN_DOT_POWER; }

/* x^2, x^n with a number n: the unit is known then. */
static int power_unit(const context *c, const value *a, const value *b)
{
    const expr_node *n = b->rank ? NULL : pool_at(c->r->p, b->one);
    if (a->unit == UNIT_NUMBER) return UNIT_NUMBER;
    return n && n->op == EXPR_CONSTANT ? unit_power(c->r, a->unit, n->value) : UNIT_UNKNOWN;
}

static value join_texts(const context *c, const value *a, const value *b)
{
    const char *left = reader_text_of(c->r, a->one), *right = reader_text_of(c->r, b->one);
    size_t m = strlen(left), n = strlen(right);
    char *both = region_take(&c->r->scratch, m + n + 1, 1);
    memcpy(both, left, m);
    memcpy(both + m, right, n);
    return value_scalar(VALUE_STRING, reader_text(c->r, both));
}

value scalar_binary(const context *c, span where, token_kind op, const value *a, const value *b)
{
    int dotted = is_elementwise(op);
    token_kind plain = dotted ? (token_kind)(op - TOKEN_DOT_PLUS + TOKEN_PLUS) : op;
    if (plain == TOKEN_PLUS && a->type.kind == VALUE_STRING && b->type.kind == VALUE_STRING &&
        !a->rank && !b->rank) return join_texts(c, a, b);
    if (!is_number(a) || !is_number(b)) return wrong_type(c, where, op_words(op), a, b);
    value_type type = common_type(a, b);
    if (plain == TOKEN_DIVIDE || plain == TOKEN_POWER) type = (value_type){.kind = VALUE_REAL};
    int fit = value_same_shape(a, b), mixed = !a->rank || !b->rank;
    value v;
    switch (plain) {
    case TOKEN_PLUS: case TOKEN_MINUS:
        if (!fit && !(dotted && mixed)) return mismatch(c, where, op_words(op), a, b);
        v = map_two(c, type, plain == TOKEN_PLUS ? EXPR_ADD : EXPR_SUBTRACT, a, b);
        v.unit = unit_sum(c->r, where, a->unit, b->unit, plain == TOKEN_PLUS ? "sum" : "difference");
        return v;
    case TOKEN_TIMES:
        if (dotted && !fit && !mixed) return mismatch(c, where, op_words(op), a, b);
        v = dotted ? map_two(c, type, EXPR_MULTIPLY, a, b) : product(c, where, type, a, b);
        v.unit = unit_product(c->r, a->unit, b->unit, 1);
        return v;
    case TOKEN_DIVIDE:
        if (dotted ? !fit && !mixed : b->rank) return mismatch(c, where, op_words(op), a, b);
        v = map_two(c, type, EXPR_DIVIDE, a, b);
        v.unit = unit_product(c->r, a->unit, b->unit, -1);
        return v;
    default:
        if (!dotted && (a->rank || b->rank)) return matrix_power(c, where, a, b);
        if (!fit && !mixed) return mismatch(c, where, op_words(op), a, b);
        v = map_two(c, type, EXPR_POWER, a, b);
        v.unit = power_unit(c, a, b);
        return v;
    }
}

static value chain(const context *c, const ast_expr *e)
{
    value v = scalar_value(c, e->item[0]);
    for (int i = 1; i < e->items; i++) {
        value next = scalar_value(c, e->item[i]);
        if (value_failed(&v) || value_failed(&next)) {
            v = value_error();
            continue;
        }
        span where = {e->item[0]->where.from, e->item[i]->where.to, e->where.text};
        v = scalar_binary(c, where, e->op[i - 1], &v, &next);
    }
    return v;
}

/* ---- relations and logic ---- */
static value texts_compared(const context *c, token_kind op, const value *a, const value *b)
{
    int order = strcmp(reader_text_of(c->r, a->one), reader_text_of(c->r, b->one));
    int yes = op == TOKEN_EQUAL ? order == 0 : op == TOKEN_NOT_EQUAL ? order != 0
            : op == TOKEN_LESS ? order < 0 : op == TOKEN_LESS_EQUAL ? order <= 0
            : op == TOKEN_GREATER ? order > 0 : order >= 0;
    return value_scalar(VALUE_BOOLEAN, pool_constant(c->r->p, yes));
}

static value relation(const context *c, const ast_expr *e)
{
    value a = scalar_value(c, e->item[0]), b = scalar_value(c, e->item[1]);
    token_kind op = e->op[0];
    if (value_failed(&a) || value_failed(&b)) return value_error();
    if (a.rank || b.rank) return complain(c, e->where, "`%s` compares scalars, not arrays", op_words(op));
    if (!common_type(&a, &b).kind || a.type.kind >= VALUE_RECORD)
        return complain(c, e->where, "`%s` of %s and %s", op_words(op), value_type_words(a.type),
                        value_type_words(b.type));
    if (a.type.kind == VALUE_STRING) return texts_compared(c, op, &a, &b);
    unit_sum(c->r, e->where, a.unit, b.unit, "relation");
    int swap = op == TOKEN_GREATER || op == TOKEN_GREATER_EQUAL;
    expr_op x = op == TOKEN_EQUAL ? EXPR_EQUAL : op == TOKEN_NOT_EQUAL ? EXPR_NOT_EQUAL
              : op == TOKEN_LESS || op == TOKEN_GREATER ? EXPR_LESS : EXPR_LESS_EQUAL;
    expr is = pool_two(c->r->p, x, swap ? b.one : a.one, swap ? a.one : b.one);
    /* functions make no events, but at times that are known beforehand they cost nothing */
    int quiet = c->frame && c->frame->function && !c->r->numeric && !known_is_timed(c->r, is);
    return value_scalar(VALUE_BOOLEAN, quiet ? pool_one(c->r->p, EXPR_NO_EVENT, is) : is);
}

static value logic(const context *c, const ast_expr *e)
{
    expr_op op = e->kind == AST_AND ? EXPR_AND : EXPR_OR;
    value all = {0};
    int bad = 0;
    for (int i = 0; i < e->items; i++) {
        value v = scalar_value(c, e->item[i]);
        bad |= value_failed(&v);
        if (bad) continue;
        if (v.type.kind != VALUE_BOOLEAN) {
            complain(c, e->item[i]->where, "`%s` needs Booleans, not %s", e->kind == AST_AND ? "and" : "or",
                     value_type_words(v.type));
            bad = 1;
        } else if (i && !value_same_shape(&all, &v)) {
            mismatch(c, e->where, e->kind == AST_AND ? "and" : "or", &all, &v);
            bad = 1;
        } else all = i ? map_two(c, v.type, op, &all, &v) : v;
    }
    return bad ? value_error() : all;
}

static value not_value(const context *c, const ast_expr *e)
{
    value v = scalar_value(c, e->item[0]);
    if (value_failed(&v)) return v;
    if (v.type.kind != VALUE_BOOLEAN)
        return complain(c, e->item[0]->where, "`not` needs a Boolean, not %s", value_type_words(v.type));
    expr *x = TAKE(&c->r->scratch, expr, v.count);
    for (int i = 0; i < v.count; i++) x[i] = pool_one(c->r->p, EXPR_NOT, value_at(&v, i));
    return value_array(v.type, v.rank, v.dim, x, v.count);
}

expr scalar_condition(const context *c, const ast_expr *e)
{
    value v = scalar_value(c, e);
    if (value_failed(&v)) return 0;
    if (v.type.kind == VALUE_BOOLEAN && !v.rank) return v.one;
    complain(c, e->where, "a condition must be a Boolean, not %s%s", v.rank ? "an array of " : "",
             value_type_words(v.type));
    return 0;
}

/* ---- if-expressions ---- */
value scalar_if(const context *c, span where, expr condition, const value *a, const value *b)
{
    value_type type = common_type(a, b);
    if (!type.kind)
        return complain(c, where, "the branches are %s and %s", value_type_words(a->type),
                        value_type_words(b->type));
    if (!value_same_shape(a, b)) {
        double yes;
        if (known_structural(c->r, condition, &yes)) return yes != 0 ? *a : *b;
        return complain(c, where, "the branches have dimensions %s and %s",
                        value_shape_words(&c->r->scratch, a->rank, a->dim),
                        value_shape_words(&c->r->scratch, b->rank, b->dim));
    }
    expr *e = TAKE(&c->r->scratch, expr, a->count);
    for (int i = 0; i < a->count; i++) {
        if (type.kind == VALUE_STRING && value_at(a, i) != value_at(b, i)) {
            double yes;
            if (known_structural(c->r, condition, &yes)) return yes != 0 ? *a : *b;
        }
        e[i] = pool_if(c->r->p, condition, value_at(a, i), value_at(b, i));
    }
    value v = value_array(type, a->rank, a->dim, e, a->count);
    v.unit = unit_sum(c->r, where, a->unit, b->unit, "if-expression");
    return v;
}

static value if_value(const context *c, const ast_expr *e)
{
    int last = e->items - 1, bad = 0, open = 0;
    value v;
    double yes;
    expr *all = TAKE(&c->r->scratch, expr, e->items);
    /* a condition that is known decides what is looked at: the rest may have other sizes or subscripts */
    for (int i = 0; i + 1 < e->items && i < last; i += 2) {
        all[i] = scalar_condition(c, e->item[i]);
        bad |= !all[i];
        const int known = all[i] && known_choice(c->r, all[i], &yes);
        open |= all[i] && !known;
        if (!known) continue;
        if (yes != 0) last = i + 1;
        else all[i] = 0;
    }
    c->r->undecided += open;
    v = scalar_value(c, e->item[last]);
    for (int i = (last % 2 ? last - 1 : last) - 2; i >= 0; i -= 2) {
        if (!all[i]) continue;
        value a = scalar_value(c, e->item[i + 1]);
        bad |= value_failed(&a) || value_failed(&v);
        if (!bad) v = scalar_if(c, e->where, all[i], &a, &v);
    }
    c->r->undecided -= open;
    return bad ? value_error() : v;
}

/* ---- constructors ---- */
static value stack_values(const context *c, const ast_expr *e, const value *v, int count)
{
    reader *r = c->r;
    value first = v[0];
    long total = 0;
    for (int i = 0; i < count; i++) {
        value_type type = common_type(&first, &v[i]);
        if (!type.kind)
            return complain(c, e->where, "the elements are %s and %s", value_type_words(first.type),
                            value_type_words(v[i].type));
        if (!value_same_shape(&first, &v[i]))
            return complain(c, e->where, "the elements have dimensions %s and %s",
                            value_shape_words(&r->scratch, first.rank, first.dim),
                            value_shape_words(&r->scratch, v[i].rank, v[i].dim));
        first.type = type;
        if (v[i].unit != first.unit) first.unit = UNIT_UNKNOWN;
        total += v[i].count;
    }
    if (total > r->limits.scalars) return complain(c, e->where, "this array has too many elements");
    int *dim = TAKE(&r->scratch, int, first.rank + 1), n = 0;
    expr *x = TAKE(&r->scratch, expr, total);
    dim[0] = count;
    for (int d = 0; d < first.rank; d++) dim[d + 1] = first.dim[d];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < v[i].count; k++) x[n++] = value_at(&v[i], k);
    value all = value_array(first.type, first.rank + 1, dim, x, n);
    all.unit = first.unit;
    return all;
}

static value array_value(const context *c, const ast_expr *e)
{
    if (e->iterators) return scalar_comprehension(c, e);
    if (!e->items) {                         /* {}: no elements, of any type */
        int *dim = TAKE(&c->r->scratch, int, 1);
        return value_array((value_type){.kind = VALUE_REAL}, 1, dim, NULL, 0);
    }
    value *v = TAKE(&c->r->scratch, value, e->items);
    int bad = 0;
    for (int i = 0; i < e->items; i++) {
        v[i] = scalar_value(c, e->item[i]);
        bad |= value_failed(&v[i]);
    }
    return bad ? value_error() : stack_values(c, e, v, e->items);
}

typedef struct collected { const ast_expr *item; value *v; int count, room; int bad; } collected;

static int collect_one(const context *c, void *data)
{
    collected *all = data;
    value v = scalar_value(c, all->item);
    all->bad |= value_failed(&v);
    GROW(&c->r->scratch, all->v, all->count, all->room);
    all->v[all->count++] = v;
    return all->bad;
}

/* {e for i in r, j in s} has dimensions [size s, size r, ...]: the last iterator comes first. */
value scalar_comprehension(const context *c, const ast_expr *e)
{
    collected all = {.item = e->item[0]};
    int *sizes = TAKE(&c->r->scratch, int, e->iterators);
    ast_iterator *turned = TAKE(&c->r->scratch, ast_iterator, e->iterators);
    for (int i = 0; i < e->iterators; i++) turned[i] = e->iterator[e->iterators - 1 - i];
    if (scalar_each(c, turned, e->iterators, collect_one, &all, sizes) || all.bad) return value_error();
    value flat = {.type = {.kind = VALUE_REAL}};
    int *dim, rest = 0;
    if (all.count) {
        flat = stack_values(c, e, all.v, all.count);
        if (value_failed(&flat)) return flat;
        rest = flat.rank - 1;
    }
    dim = TAKE(&c->r->scratch, int, e->iterators + rest);
    for (int i = 0; i < e->iterators; i++) dim[i] = sizes[i];
    for (int i = 0; i < rest; i++) dim[e->iterators + i] = flat.dim[i + 1];
    flat.rank = e->iterators + rest;
    flat.dim = dim;
    return flat;
}

value scalar_range(const context *c, const ast_expr *e)
{
    value v[3];
    double x[3] = {0, 1, 0};
    int real = 0, enumeration = 0;
    reader *r = c->r;
    for (int i = 0; i < e->items; i++) {
        v[i] = scalar_value(c, e->item[i]);
        if (value_failed(&v[i])) return v[i];
        enumeration |= v[i].type.kind == VALUE_ENUMERATION || v[i].type.kind == VALUE_BOOLEAN;
        if (v[i].rank || (!is_number(&v[i]) && !enumeration))
            return complain(c, e->item[i]->where, "a range needs scalar numbers");
        real |= v[i].type.kind == VALUE_REAL;
        int at = e->items == 3 ? i : 2 * i;
        if (!known_structural(r, v[i].one, &x[at]))
            return complain(c, e->item[i]->where,
                            "a range must be known before the run: parameters and constants only");
    }
    if (x[1] == 0) return complain(c, e->item[1]->where, "the step of a range is 0");
    double steps = floor((x[2] - x[0]) / x[1] + (real ? 1e-10 : 0));
    if (!(steps < r->limits.scalars)) return complain(c, e->where, "this range has %.3g elements", steps + 1);
    int count = steps < 0 ? 0 : (int)steps + 1, *dim = TAKE(&r->scratch, int, 1);
    expr *all = TAKE(&r->scratch, expr, count);
    dim[0] = count;
    for (int i = 0; i < count; i++) all[i] = pool_constant(r->p, x[0] + i * x[1]);
    reader_work(r, count);
    value_type type = enumeration ? v[0].type : (value_type){.kind = real ? VALUE_REAL : VALUE_INTEGER};
    value result = value_array(type, 1, dim, all, count);
    if (real) result.unit = v[0].unit;
    return result;
}

value scalar_matrix(const context *c, const ast_expr *e);

static value leaf_value(const context *c, const ast_expr *e)
{
    pool *p = c->r->p;
    value v;
    switch (e->kind) {
    case AST_REAL: case AST_INTEGER:
        v = value_scalar(e->kind == AST_REAL ? VALUE_REAL : VALUE_INTEGER, pool_constant(p, e->number));
        v.unit = UNIT_NUMBER;
        return v;
    case AST_STRING: return value_scalar(VALUE_STRING, reader_text(c->r, e->text));
    case AST_BOOLEAN: return value_scalar(VALUE_BOOLEAN, pool_constant(p, e->number));
    case AST_END:
        if (c->end >= 0) return value_scalar(VALUE_INTEGER, pool_constant(p, c->end));
        return complain(c, e->where, "`end` has a meaning in subscripts only");
    case AST_COLON: return complain(c, e->where, "`:` has a meaning in subscripts only");
    default: return value_error();
    }
}

static value tuple_value(const context *c, const ast_expr *e)
{
    return complain(c, e->where, "a list in parentheses can only be the left side of `= f(...)`");
}

value scalar_value(const context *c, const ast_expr *e)
{
    value v;
    reader_work(c->r, 1);
    reader_enter(c->r);
    switch (e->kind) {
    case AST_NAME: v = scalar_reference(c, e); break;
    case AST_CALL: v = scalar_call(c, e); break;
    case AST_NEGATE:
        v = scalar_value(c, e->item[0]);
        if (value_failed(&v)) break;
        v = is_number(&v) ? negate(c, &v)
                          : complain(c, e->where, "`-` needs a number, not %s", value_type_words(v.type));
        break;
    case AST_NOT: v = not_value(c, e); break;
    case AST_SUM: case AST_PRODUCT: case AST_POWER: v = chain(c, e); break;
    case AST_RELATION: v = relation(c, e); break;
    case AST_AND: case AST_OR: v = logic(c, e); break;
    case AST_IF: v = if_value(c, e); break;
    case AST_ARRAY: v = array_value(c, e); break;
    case AST_MATRIX: v = scalar_matrix(c, e); break;
    case AST_RANGE: v = scalar_range(c, e); break;
    case AST_TUPLE: v = tuple_value(c, e); break;
    default: v = leaf_value(c, e); break;
    }
    reader_leave(c->r);
    return v;
}
