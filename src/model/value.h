/* value.h -- what an expression of the text becomes: scalars of the pool with a shape and a type.
 *
 * Arrays are stored row by row.  An element of a record is `width` scalars wide: its fields in the
 * order of their declaration.  Texts are constants: numbers of the reader's table of texts.
 */
#ifndef KEEL_MODEL_VALUE_H
#define KEEL_MODEL_VALUE_H

#include "model/ast.h"
#include "model/pool.h"

typedef enum value_kind {
    VALUE_ERROR,                         /* said already: whatever is made of it stays silent  */
    VALUE_REAL, VALUE_INTEGER, VALUE_BOOLEAN, VALUE_STRING, VALUE_ENUMERATION, VALUE_RECORD,
    VALUE_TUPLE, VALUE_NOTHING
} value_kind;

typedef struct record record;

typedef struct value_type {
    value_kind kind;
    const ast_class *enumeration;
    const record *record;
} value_type;

enum { UNIT_UNKNOWN, UNIT_NUMBER, UNIT_FIRST };          /* NUMBER: a literal, of any unit */

typedef struct value {
    value_type type;
    int unit;
    int rank;
    const int *dim;
    int count;                           /* scalars: elements times width                      */
    expr one;                            /* count == 1                                         */
    const expr *element;                 /* else                                               */
    const struct value *part;            /* VALUE_TUPLE: count of them                         */
} value;

typedef struct field {
    const char *name;
    value_type type;
    int unit;
    int rank;
    const int *dim;
    int offset, count;
    const ast_component *component;
} field;

struct record {
    const ast_class *class_;
    const field *field;
    int fields, width;
};

static inline expr value_at(const value *v, int i) { return v->count == 1 ? v->one : v->element[i]; }
static inline int value_width(value_type t) { return t.kind == VALUE_RECORD ? t.record->width : 1; }
static inline int value_failed(const value *v) { return v->type.kind == VALUE_ERROR; }

value value_error(void);
value value_scalar(value_kind kind, expr e);
value value_array(value_type type, int rank, const int *dim, const expr *element, int count);
int value_same_shape(const value *a, const value *b);
int value_size(int rank, const int *dim);                /* product of the dimensions */
/* "[2, 3]"; "a scalar" without dimensions. */
const char *value_shape_words(region *r, int rank, const int *dim);
const char *value_type_words(value_type t);
int value_same_type(value_type a, value_type b);
/* One element along the first dimension, and a field of a record or of all records in an array. */
value value_index(const value *v, int i);
const field *record_field(const record *r, const char *name);
value value_field(region *r, const value *v, const field *f);

#endif
