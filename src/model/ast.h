/* ast.h -- a text after parsing: classes, declarations, equations, expressions as they were written.
 *
 * Chains of operators of one priority are one node with many items, so that the depth of a tree is
 * the depth of the parentheses in the text, which the parser bounds.
 */
#ifndef KEEL_MODEL_AST_H
#define KEEL_MODEL_AST_H

#include "model/lexer.h"

typedef struct ast_expr ast_expr;
typedef struct ast_class ast_class;
typedef struct ast_equation ast_equation;
typedef struct ast_modification ast_modification;

typedef enum ast_kind {
    AST_REAL, AST_INTEGER, AST_STRING, AST_BOOLEAN, AST_NAME, AST_CALL, AST_NEGATE, AST_NOT,
    AST_SUM, AST_PRODUCT, AST_POWER, AST_RELATION, AST_AND, AST_OR,      /* items, tokens between */
    AST_IF,                              /* condition, value, condition, value, ..., else      */
    AST_ARRAY, AST_MATRIX,               /* {...}; [...]: items are rows, AST_ARRAY            */
    AST_RANGE,                           /* from : to, or from : step : to                     */
    AST_TUPLE,                           /* (a, , b): items may be NULL                        */
    AST_COLON, AST_END                   /* : and end in subscripts                            */
} ast_kind;

typedef struct ast_part { const char *name; span where; ast_expr **subscript; int subscripts; } ast_part;

typedef struct ast_name { ast_part *part; int parts; int global; } ast_name;    /* .A.B: global */

typedef struct ast_named { const char *name; span where; ast_expr *value; } ast_named;

typedef struct ast_iterator { const char *name; span where; ast_expr *range; } ast_iterator;

struct ast_expr {
    ast_kind kind;
    span where;
    double number;                       /* REAL, INTEGER, BOOLEAN                             */
    const char *text;                    /* STRING                                             */
    ast_name name;                       /* NAME, CALL                                         */
    ast_expr **item;                     /* operands, arguments                                */
    int items;
    token_kind *op;                      /* between items: one fewer                           */
    ast_named *named;                    /* CALL: named arguments                              */
    int nameds;
    ast_iterator *iterator;              /* CALL, ARRAY: item[0] for i in ...                  */
    int iterators;
};

typedef enum ast_equation_kind {
    AST_EQUAL, AST_ASSIGN, AST_CONNECT, AST_DO,                         /* DO: a call alone    */
    AST_IF_BRANCHES, AST_WHEN, AST_FOR, AST_WHILE, AST_BREAK, AST_RETURN
} ast_equation_kind;

typedef struct ast_branch { ast_expr *condition; ast_equation **body; int count; } ast_branch;

struct ast_equation {
    ast_equation_kind kind;
    span where;
    ast_expr *left, *right;
    ast_branch *branch;                  /* else: condition NULL; FOR, WHILE: one              */
    int branches;
    ast_iterator *iterator;
    int iterators;
};

typedef struct ast_section { int initial, algorithm; ast_equation **equation; int count; } ast_section;

typedef struct ast_argument {            /* name(...) = value; a.b = 1 is a(b = 1)             */
    const char *name;
    span where;
    unsigned char each, final_;
    ast_modification *modification;
} ast_argument;

struct ast_modification {
    ast_argument *argument;
    int arguments;
    ast_expr *value;
};

typedef enum ast_variability { AST_CONTINUOUS, AST_DISCRETE, AST_PARAMETER, AST_CONSTANT } ast_variability;

typedef struct ast_prefix {
    ast_variability variability;
    unsigned char flow, stream, input, output, final_, inner, outer, replaceable, hidden;
} ast_prefix;

typedef struct ast_component {
    const char *name, *comment;
    span where;
    ast_prefix prefix;
    ast_name type;
    ast_expr **dimension;                /* of the type, then of the name: Real[3] x[2] has 2, 3 */
    int dimensions;
    ast_modification *modification;      /* NULL: none                                         */
    ast_expr *condition;                 /* if ...; NULL: none                                 */
    const ast_class *within;             /* where it is declared                               */
    struct component_type *resolved;     /* what the reader remembers of its type              */
} ast_component;

typedef struct ast_extends { ast_name base; span where; ast_modification *modification; } ast_extends;

typedef enum ast_import_kind { IMPORT_NAME, IMPORT_ALL } ast_import_kind;

typedef struct ast_import { ast_import_kind kind; const char *alias; ast_name name; span where; } ast_import;

typedef enum ast_restriction {
    CLASS_CLASS, CLASS_MODEL, CLASS_BLOCK, CLASS_RECORD, CLASS_TYPE, CLASS_CONNECTOR, CLASS_PACKAGE,
    CLASS_FUNCTION, CLASS_OPERATOR
} ast_restriction;

typedef struct ast_literal { const char *name, *comment; span where; } ast_literal;

struct ast_class {
    const char *name, *comment;
    span where;
    ast_restriction restriction;
    unsigned char partial, encapsulated, expandable, hidden, external, replaceable;
    ast_class *outer;                    /* the class around; NULL: top level                  */
    ast_class **class_;
    int classes, class_room;
    ast_component *component;
    int components, component_room;
    ast_extends *extends;
    int extend_count, extend_room;
    ast_import *import;
    int imports, import_room;
    ast_section *section;
    int sections, section_room;
    ast_modification *annotation;
    /* class X = base[dimension](modification), or enumeration(literal, ...) */
    int is_short, is_enumeration;
    ast_name base;
    ast_prefix base_prefix;
    ast_expr **dimension;
    int dimensions;
    ast_modification *modification;
    ast_literal *literal;
    int literals;
    /* what the reader remembers of it */
    int basic;                           /* value_kind of Real, Integer, Boolean, String       */
    struct instance *instance;           /* its constants                                      */
    const struct record *record;
    int busy;                            /* it is being looked into: for cycles                */
    int unbalanced;                      /* a connector, and this was said                     */
};

/* Parses one text; its classes are added to those of `root`.  Messages go to `s`. */
void parse_text(region *r, names *n, source *s, int text, const char *chars, size_t length,
                ast_class *root);
/* One expression, nothing after it; NULL: a message says why not. */
ast_expr *parse_value(region *r, names *n, source *s, int text, const char *chars, size_t length);

#endif
