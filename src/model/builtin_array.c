/* builtin_array.c -- functions of arrays (specification, section 10.3). */
#include "model/builtin.h"

#include <string.h>

#include "model/reference.h"
#include "model/unit.h"

static int is_number(const value *v)
{
    return v->type.kind == VALUE_REAL || v->type.kind == VALUE_INTEGER;
}

static const char *called(const builtin_call *b) { return b->e->name.part[b->e->name.parts - 1].name; }

static value wrong(const builtin_call *b, int i, const char *wanted)
{
    region *s = &b->c->r->scratch;
    const value *v = &b->arg[i];
    return complain(b->c, b->e->where, "argument %d of `%s` must be %s, not %s%s%s", i + 1, called(b), wanted,
                    value_type_words(v->type), v->rank ? " " : "",
                    v->rank ? value_shape_words(s, v->rank, v->dim) : "");
}

static int *dims(const builtin_call *b, int rank, int m, int n)
{
    int *dim = TAKE(&b->c->r->scratch, int, rank);
    if (rank > 0) dim[0] = m;
    if (rank > 1) dim[1] = n;
    return dim;
}

static value make(const builtin_call *b, value_type type, int rank, const int *dim, const expr *e)
{
    (void)b;
    return value_array(type, rank, dim, e, value_size(rank, dim) * value_width(type));
}

static int known_size(const builtin_call *b, int i, int *size)
{
    double x;
    const value *v = &b->arg[i];
    if (v->rank || v->type.kind != VALUE_INTEGER) return wrong(b, i, "an Integer"), -1;
    if (!known_structural(b->c->r, v->one, &x)) return wrong(b, i, "known before the run"), -1;
    if (x < 0 || x > b->c->r->limits.scalars) {
        complain(b->c, b->e->where, "`%s` of size %.0f", called(b), x);
        return -1;
    }
    *size = (int)x;
    return 0;
}

static expr *room(const builtin_call *b, double count)
{
    if (count > b->c->r->limits.scalars) {
        complain(b->c, b->e->where, "`%s` has %.3g elements, more than can be read", called(b), count);
        return NULL;
    }
    reader_work(b->c->r, (long)count);
    return TAKE(&b->c->r->scratch, expr, count);
}

/* fill(s, n1, n2, ...), zeros(n1, ...), ones(n1, ...) */
static value call_fill(const builtin_call *b)
{
    int first = b->extra == 2, rank = b->args - first, *dim = TAKE(&b->c->r->scratch, int, rank);
    double count = 1;
    for (int i = 0; i < rank; i++) {
        if (known_size(b, first + i, &dim[i])) return value_error();
        count *= dim[i];
    }
    value one = value_scalar(VALUE_INTEGER, pool_constant(b->c->r->p, b->extra == 1));
    if (first) one = b->arg[0];
    expr *e = room(b, count * one.count);
    if (!e) return value_error();
    int *all = TAKE(&b->c->r->scratch, int, rank + one.rank);
    for (int i = 0; i < rank; i++) all[i] = dim[i];
    for (int i = 0; i < one.rank; i++) all[rank + i] = one.dim[i];
    for (int i = 0; i < (int)count * one.count; i++) e[i] = value_at(&one, i % one.count);
    value v = make(b, one.type, rank + one.rank, all, e);
    v.unit = first ? one.unit : UNIT_NUMBER;
    return v;
}

static value call_identity(const builtin_call *b)
{
    int n;
    if (known_size(b, 0, &n)) return value_error();
    expr *e = room(b, (double)n * n);
    if (!e) return value_error();
    for (int i = 0; i < n * n; i++) e[i] = pool_constant(b->c->r->p, i % (n + 1) == 0);
    value v = make(b, (value_type){.kind = VALUE_INTEGER}, 2, dims(b, 2, n, n), e);
    v.unit = UNIT_NUMBER;
    return v;
}

static value call_diagonal(const builtin_call *b)
{
    const value *d = &b->arg[0];
    if (d->rank != 1 || !is_number(d)) return wrong(b, 0, "a vector of numbers");
    int n = d->count;
    expr *e = room(b, (double)n * n);
    if (!e) return value_error();
    for (int i = 0; i < n * n; i++)
        e[i] = i % (n + 1) == 0 ? value_at(d, i / (n + 1)) : pool_constant(b->c->r->p, 0);
    value v = make(b, d->type, 2, dims(b, 2, n, n), e);
    v.unit = d->unit;
    return v;
}

/* x1 + (x2 - x1) (i - 1)/(n - 1) */
static value call_linspace(const builtin_call *b)
{
    int n;
    pool *p = b->c->r->p;
    for (int i = 0; i < 2; i++)
        if (!is_number(&b->arg[i]) || b->arg[i].rank) return wrong(b, i, "a number");
    if (known_size(b, 2, &n)) return value_error();
    if (n < 2) return complain(b->c, b->e->where, "`linspace` needs at least 2 points");
    expr *e = room(b, n), width = pool_two(p, EXPR_SUBTRACT, b->arg[1].one, b->arg[0].one);
    for (int i = 0; i < n; i++)
        e[i] = pool_two(p, EXPR_ADD, b->arg[0].one, pool_two(p, EXPR_DIVIDE,
                        pool_two(p, EXPR_MULTIPLY, width, pool_constant(p, i)), pool_constant(p, n - 1)));
    value v = make(b, (value_type){.kind = VALUE_REAL}, 1, dims(b, 1, n, 0), e);
    v.unit = b->arg[0].unit;
    return v;
}

static value call_transpose(const builtin_call *b)
{
    const value *a = &b->arg[0];
    if (a->rank < 2) return wrong(b, 0, "a matrix");
    int m = a->dim[0], n = a->dim[1], rest = m && n ? a->count / m / n : 0;
    expr *e = TAKE(&b->c->r->scratch, expr, a->count);
    int *dim = TAKE(&b->c->r->scratch, int, a->rank);
    memcpy(dim, a->dim, (size_t)a->rank * sizeof *dim);
    dim[0] = n;
    dim[1] = m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < rest; k++) e[(j * m + i) * rest + k] = value_at(a, (i * n + j) * rest + k);
    value v = make(b, a->type, a->rank, dim, e);
    v.unit = a->unit;
    return v;
}

/* (A + A') by its upper triangle: the lower one is replaced */
static value call_symmetric(const builtin_call *b)
{
    const value *a = &b->arg[0];
    if (a->rank != 2 || a->dim[0] != a->dim[1]) return wrong(b, 0, "a square matrix");
    int n = a->dim[0];
    expr *e = TAKE(&b->c->r->scratch, expr, a->count);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) e[i * n + j] = value_at(a, i <= j ? i * n + j : j * n + i);
    value v = make(b, a->type, 2, a->dim, e);
    v.unit = a->unit;
    return v;
}

static expr two_products(pool *p, const value *a, const value *b, int i, int j)
{
    return pool_two(p, EXPR_SUBTRACT, pool_two(p, EXPR_MULTIPLY, value_at(a, i), value_at(b, j)),
                    pool_two(p, EXPR_MULTIPLY, value_at(a, j), value_at(b, i)));
}

static value call_cross(const builtin_call *b)
{
    for (int i = 0; i < 2; i++)
        if (!is_number(&b->arg[i]) || b->arg[i].rank != 1 || b->arg[i].count != 3)
            return wrong(b, i, "a vector of 3 numbers");
    expr *e = TAKE(&b->c->r->scratch, expr, 3);
    for (int i = 0; i < 3; i++)
        e[i] = two_products(b->c->r->p, &b->arg[0], &b->arg[1], (i + 1) % 3, (i + 2) % 3);
    value v = make(b, (value_type){.kind = VALUE_REAL}, 1, dims(b, 1, 3, 0), e);
    v.unit = unit_product(b->c->r, b->arg[0].unit, b->arg[1].unit, 1);
    return v;
}

/* skew(a) b = a x b */
static value call_skew(const builtin_call *b)
{
    const value *a = &b->arg[0];
    pool *p = b->c->r->p;
    if (!is_number(a) || a->rank != 1 || a->count != 3) return wrong(b, 0, "a vector of 3 numbers");
    expr *e = TAKE(&b->c->r->scratch, expr, 9);
    for (int i = 0; i < 9; i++) e[i] = pool_constant(p, 0);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        e[3 * k + j] = value_at(a, i);
        e[3 * j + k] = pool_one(p, EXPR_NEGATE, value_at(a, i));
    }
    value v = make(b, (value_type){.kind = VALUE_REAL}, 2, dims(b, 2, 3, 3), e);
    v.unit = a->unit;
    return v;
}

static value call_outer(const builtin_call *b)
{
    for (int i = 0; i < 2; i++)
        if (!is_number(&b->arg[i]) || b->arg[i].rank != 1) return wrong(b, i, "a vector of numbers");
    int m = b->arg[0].count, n = b->arg[1].count;
    expr *e = room(b, (double)m * n);
    if (!e) return value_error();
    for (int i = 0; i < m * n; i++)
        e[i] = pool_two(b->c->r->p, EXPR_MULTIPLY, value_at(&b->arg[0], i / n), value_at(&b->arg[1], i % n));
    value v = make(b, (value_type){.kind = VALUE_REAL}, 2, dims(b, 2, m, n), e);
    v.unit = unit_product(b->c->r, b->arg[0].unit, b->arg[1].unit, 1);
    return v;
}

/* ---- shapes ---- */
static value call_scalar(const builtin_call *b)
{
    value v = b->arg[0];
    if (value_size(v.rank, v.dim) != 1) return wrong(b, 0, "an array of one element");
    v.rank = 0;
    return v;
}

static value call_vector(const builtin_call *b)
{
    value v = b->arg[0];
    int large = 0;
    for (int i = 0; i < v.rank; i++) large += v.dim[i] != 1;
    if (large > 1) return wrong(b, 0, "an array with one dimension larger than 1");
    v.dim = dims(b, 1, value_size(v.rank, v.dim), 0);
    v.rank = 1;
    return v;
}

static value call_matrix(const builtin_call *b)
{
    value v = array_promoted(b->c, &b->arg[0], 2);
    for (int i = 2; i < v.rank; i++)
        if (v.dim[i] != 1) return wrong(b, 0, "a matrix");
    v.rank = 2;
    return v;
}

value array_promoted(const context *c, const value *v, int rank)
{
    value more = *v;
    if (v->rank >= rank) return more;
    int *dim = TAKE(&c->r->scratch, int, rank);
    for (int i = 0; i < rank; i++) dim[i] = i < v->rank ? v->dim[i] : 1;
    more.rank = rank;
    more.dim = dim;
    return more;
}

static int same_but(const value *a, const value *b, int along)
{
    if (a->rank != b->rank) return 0;
    for (int i = 0; i < a->rank; i++)
        if (i != along && a->dim[i] != b->dim[i]) return 0;
    return 1;
}

value array_concatenated(const context *c, span where, int along, const value *v, int count)
{
    reader *r = c->r;
    value all = v[0];
    int *dim = TAKE(&r->scratch, int, all.rank);
    memcpy(dim, all.dim, (size_t)all.rank * sizeof *dim);
    dim[along] = 0;
    for (int i = 0; i < count; i++) {
        if (!same_but(&v[0], &v[i], along))
            return complain(c, where, "arrays with dimensions %s and %s cannot be put together",
                            value_shape_words(&r->scratch, v[0].rank, v[0].dim),
                            value_shape_words(&r->scratch, v[i].rank, v[i].dim));
        if (!(is_number(&v[i]) && is_number(&all)) && !value_same_type(v[i].type, all.type))
            return complain(c, where, "%s and %s cannot be put together", value_type_words(all.type),
                            value_type_words(v[i].type));
        if (v[i].type.kind == VALUE_REAL) all.type = v[i].type;
        if (v[i].unit != all.unit) all.unit = UNIT_UNKNOWN;
        dim[along] += v[i].dim[along];
    }
    int outer = value_size(along, dim), total = 0, n = 0;
    for (int i = 0; i < count; i++) total += v[i].count;
    expr *e = TAKE(&r->scratch, expr, total);
    reader_work(r, total);
    for (int o = 0; o < outer; o++)
        for (int i = 0; i < count; i++) {
            int block = v[i].count / (outer ? outer : 1);
            for (int k = 0; k < block; k++) e[n++] = value_at(&v[i], o * block + k);
        }
    value result = value_array(all.type, all.rank, dim, e, total);
    result.unit = all.unit;
    return result;
}

static value call_cat(const builtin_call *b)
{
    int along;
    if (known_size(b, 0, &along)) return value_error();
    if (along < 1 || along > b->arg[1].rank)
        return complain(b->c, b->e->where, "`cat` along dimension %d of %d", along, b->arg[1].rank);
    return array_concatenated(b->c, b->e->where, along - 1, b->arg + 1, b->args - 1);
}

/* [a, b; c, d]: rows along dimension 2, then below each other */
value scalar_matrix(const context *c, const ast_expr *e);
value scalar_matrix(const context *c, const ast_expr *e)
{
    int rank = 2, bad = 0;
    value *row = TAKE(&c->r->scratch, value, e->items), **part = TAKE(&c->r->scratch, value *, e->items);
    for (int i = 0; i < e->items; i++) {
        part[i] = TAKE(&c->r->scratch, value, e->item[i]->items);
        for (int k = 0; k < e->item[i]->items; k++) {
            part[i][k] = scalar_value(c, e->item[i]->item[k]);
            bad |= value_failed(&part[i][k]) || part[i][k].type.kind >= VALUE_TUPLE;
            if (part[i][k].rank > rank) rank = part[i][k].rank;
        }
    }
    for (int i = 0; i < e->items && !bad; i++) {
        for (int k = 0; k < e->item[i]->items; k++) part[i][k] = array_promoted(c, &part[i][k], rank);
        row[i] = array_concatenated(c, e->item[i]->where, 1, part[i], e->item[i]->items);
        bad |= value_failed(&row[i]);
    }
    return bad || !e->items ? value_error() : array_concatenated(c, e->where, 0, row, e->items);
}

/* ---- sizes; the argument need not have a value yet ---- */
static int shape_of(const builtin_call *b, value *v)
{
    const ast_expr *item = b->e->item[0];
    const local *l = item->kind == AST_NAME && item->name.parts == 1 && !item->name.part[0].subscripts
                   ? frame_local(b->c->frame, item->name.part[0].name) : NULL;
    *v = l ? (value){.type = {.kind = VALUE_REAL}, .rank = l->rank, .dim = l->dim}
           : scalar_value(b->c, item);
    return value_failed(v) ? -1 : 0;
}

static value integer_of(const builtin_call *b, int n)
{
    value v = value_scalar(VALUE_INTEGER, pool_constant(b->c->r->p, n));
    v.unit = UNIT_NUMBER;
    return v;
}

static value call_size(const builtin_call *b)
{
    value v;
    int along;
    if (b->e->items < 1 || b->e->items > 2) return complain(b->c, b->e->where, "`size` has 1 or 2 arguments");
    if (shape_of(b, &v)) return value_error();
    if (b->e->items == 1) {
        expr *e = TAKE(&b->c->r->scratch, expr, v.rank);
        for (int i = 0; i < v.rank; i++) e[i] = pool_constant(b->c->r->p, v.dim[i]);
        return make(b, (value_type){.kind = VALUE_INTEGER}, 1, dims(b, 1, v.rank, 0), e);
    }
    if (known_integer(b->c, b->e->item[1], &along)) return value_error();
    if (along < 1 || along > v.rank)
        return complain(b->c, b->e->where, "`size` along dimension %d of %d", along, v.rank);
    return integer_of(b, v.dim[along - 1]);
}

static value call_ndims(const builtin_call *b)
{
    value v;
    if (b->e->items != 1) return complain(b->c, b->e->where, "`ndims` has 1 argument");
    return shape_of(b, &v) ? value_error() : integer_of(b, v.rank);
}

/* ---- sum, product, min, max: of an array, of two scalars, or with iterators ---- */
static expr_op reduction(int which)
{
    return which == 0 ? EXPR_ADD : which == 1 ? EXPR_MULTIPLY : which == 2 ? EXPR_MIN : EXPR_MAX;
}

static value reduce(const builtin_call *b, const value *v)
{
    pool *p = b->c->r->p;
    if (!is_number(v) && (b->extra < 2 || v->type.kind > VALUE_ENUMERATION))
        return complain(b->c, b->e->where, "`%s` needs numbers, not %s", called(b), value_type_words(v->type));
    if (!v->count && b->extra >= 2) {            /* specification: the neutral element */
        return value_scalar(v->type.kind, pool_constant(p, b->extra == 2 ? 1.7976931348623157e308 : -1.7976931348623157e308));
    }
    expr e = v->count ? value_at(v, 0) : pool_constant(p, b->extra);
    for (int i = 1; i < v->count; i++) e = pool_two(p, reduction(b->extra), e, value_at(v, i));
    reader_work(b->c->r, v->count);
    value result = value_scalar(v->type.kind, e);
    result.type = v->type;
    if (b->extra != 1) result.unit = v->unit;
    return result;
}

static value call_reduce(const builtin_call *b)
{
    const ast_expr *e = b->e;
    if (e->iterators && e->items == 1) {
        value v = scalar_comprehension(b->c, e);
        return value_failed(&v) ? v : reduce(b, &v);
    }
    if (e->items == 2 && b->extra >= 2 && !e->nameds) {
        value x = scalar_value(b->c, e->item[0]), y = scalar_value(b->c, e->item[1]);
        if (value_failed(&x) || value_failed(&y)) return value_error();
        const int literals = x.type.kind == VALUE_ENUMERATION && value_same_type(x.type, y.type);
        if (!(literals || (is_number(&x) && is_number(&y))) || x.rank || y.rank)
            return complain(b->c, e->where, "`%s` of two arguments needs two numbers", called(b));
        value v = value_scalar(x.type.kind == VALUE_REAL ? VALUE_REAL : y.type.kind,
                               pool_two(b->c->r->p, reduction(b->extra), x.one, y.one));
        if (literals) v.type = x.type;
        v.unit = unit_sum(b->c->r, e->where, x.unit, y.unit, called(b));
        return v;
    }
    if (e->items != 1 || e->nameds)
        return complain(b->c, e->where, "`%s` has 1 argument%s, not %d", called(b), b->extra >= 2 ? " or 2" : "",
                        e->items + e->nameds);
    value v = scalar_value(b->c, e->item[0]);
    return value_failed(&v) ? v : reduce(b, &v);
}

static value call_array(const builtin_call *b)
{
    ast_expr e = *b->e;
    e.kind = AST_ARRAY;
    return scalar_value(b->c, &e);
}

/* Sorted by name. */
const builtin builtin_arrays[] = {
    {"array", call_array, 1, LAZY, 0, NULL},
    {"cat", call_cat, 2, -1, 0, NULL},
    {"cross", call_cross, 2, 2, 0, NULL},
    {"diagonal", call_diagonal, 1, 1, 0, NULL},
    {"fill", call_fill, 2, -1, 2, NULL},
    {"identity", call_identity, 1, 1, 0, NULL},
    {"linspace", call_linspace, 3, 3, 0, NULL},
    {"matrix", call_matrix, 1, 1, 0, NULL},
    {"max", call_reduce, 1, LAZY, 3, NULL},
    {"min", call_reduce, 1, LAZY, 2, NULL},
    {"ndims", call_ndims, 1, LAZY, 0, NULL},
    {"ones", call_fill, 1, -1, 1, NULL},
    {"outerProduct", call_outer, 2, 2, 0, NULL},
    {"product", call_reduce, 1, LAZY, 1, NULL},
    {"scalar", call_scalar, 1, 1, 0, NULL},
    {"size", call_size, 1, LAZY, 0, NULL},
    {"skew", call_skew, 1, 1, 0, NULL},
    {"sum", call_reduce, 1, LAZY, 0, NULL},
    {"symmetric", call_symmetric, 1, 1, 0, NULL},
    {"transpose", call_transpose, 1, 1, 0, NULL},
    {"vector", call_vector, 1, 1, 0, NULL},
    {"zeros", call_fill, 1, -1, 0, NULL},
};
const int builtin_array_count = sizeof builtin_arrays / sizeof *builtin_arrays;
