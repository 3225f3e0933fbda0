/* value.c -- see value.h. */
#include "model/value.h"

#include <string.h>

#include "core/text.h"

value value_error(void) { return (value){.type = {.kind = VALUE_ERROR}}; }

value value_scalar(value_kind kind, expr e)
{
    return (value){.type = {.kind = kind}, .count = 1, .one = e};
}

value value_array(value_type type, int rank, const int *dim, const expr *element, int count)
{
    value v = {.type = type, .rank = rank, .dim = dim, .count = count, .element = element};
    if (count == 1) v.one = element[0];
    return v;
}

int value_same_shape(const value *a, const value *b)
{
    if (a->rank != b->rank) return 0;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i]) return 0;
    return 1;
}

int value_size(int rank, const int *dim)
{
    int size = 1;
    for (int i = 0; i < rank; i++) size *= dim[i];
    return size;
}

const char *value_shape_words(region *r, int rank, const int *dim)
{
    char room[200] = "[";
    if (rank == 0) return "a scalar";
    for (int i = 0; i < rank; i++) text_append(room, sizeof room, i ? ", %d" : "%d", dim[i]);
    text_append(room, sizeof room, "]");
    return region_text(r, room, strlen(room));
}

const char *value_type_words(value_type t)
{
    switch (t.kind) {
    case VALUE_REAL: return "Real";
    case VALUE_INTEGER: return "Integer";
    case VALUE_BOOLEAN: return "Boolean";
    case VALUE_STRING: return "String";
    case VALUE_ENUMERATION: return t.enumeration->name;
    case VALUE_RECORD: return t.record->class_->name;
    case VALUE_TUPLE: return "several results";
    default: return "nothing";
    }
}

int value_same_type(value_type a, value_type b)
{
    if (a.kind != b.kind) return 0;
    if (a.kind == VALUE_ENUMERATION) return a.enumeration == b.enumeration;
    if (a.kind != VALUE_RECORD || a.record == b.record) return 1;
    if (a.record->fields != b.record->fields || a.record->width != b.record->width) return 0;
    for (int i = 0; i < a.record->fields; i++)
        if (a.record->field[i].name != b.record->field[i].name ||
            a.record->field[i].count != b.record->field[i].count)
            return 0;
    return 1;
}

value value_index(const value *v, int i)
{
    if (v->rank == 0) return *v;
    int count = v->count / v->dim[0];
    return (value){.type = v->type, .unit = v->unit, .rank = v->rank - 1, .dim = v->dim + 1,
                   .count = count, .one = count == 1 ? value_at(v, i) : 0,
                   .element = v->element ? v->element + (size_t)i * (size_t)count : NULL};
}

const field *record_field(const record *r, const char *name)
{
    for (int i = 0; i < r->fields; i++)
        if (r->field[i].name == name) return &r->field[i];
    return NULL;
}

value value_field(region *r, const value *v, const field *f)
{
    int width = v->type.record->width, elements = width ? v->count / width : 0;
    int *dim = TAKE(r, int, v->rank + f->rank);
    expr *e = TAKE(r, expr, elements * f->count);
    for (int i = 0; i < v->rank; i++) dim[i] = v->dim[i];
    for (int i = 0; i < f->rank; i++) dim[v->rank + i] = f->dim[i];
    for (int i = 0; i < elements; i++)
        for (int k = 0; k < f->count; k++)
            e[i * f->count + k] = value_at(v, i * width + f->offset + k);
    value result = value_array(f->type, v->rank + f->rank, dim, e, elements * f->count);
    result.unit = f->unit;
    return result;
}
