/* lexer.h -- text to tokens (Modelica Language Specification 3.6, chapter 2). */
#ifndef KEEL_MODEL_LEXER_H
#define KEEL_MODEL_LEXER_H

#include "model/region.h"
#include "model/source.h"

typedef enum token_kind {
    TOKEN_END, TOKEN_NAME, TOKEN_INTEGER, TOKEN_REAL, TOKEN_STRING,
    /* symbols */
    TOKEN_PLUS, TOKEN_MINUS, TOKEN_TIMES, TOKEN_DIVIDE, TOKEN_POWER,
    TOKEN_DOT_PLUS, TOKEN_DOT_MINUS, TOKEN_DOT_TIMES, TOKEN_DOT_DIVIDE, TOKEN_DOT_POWER,
    TOKEN_LESS, TOKEN_LESS_EQUAL, TOKEN_GREATER, TOKEN_GREATER_EQUAL, TOKEN_EQUAL, TOKEN_NOT_EQUAL,
    TOKEN_IS, TOKEN_ASSIGN, TOKEN_COMMA, TOKEN_SEMICOLON, TOKEN_COLON, TOKEN_DOT,
    TOKEN_OPEN, TOKEN_CLOSE, TOKEN_OPEN_SQUARE, TOKEN_CLOSE_SQUARE, TOKEN_OPEN_CURLY,
    TOKEN_CLOSE_CURLY,
    /* keywords, in the order of the table in lexer.c */
    TOKEN_ALGORITHM, TOKEN_AND, TOKEN_ANNOTATION, TOKEN_BLOCK, TOKEN_BREAK, TOKEN_CLASS,
    TOKEN_CONNECT, TOKEN_CONNECTOR, TOKEN_CONSTANT, TOKEN_CONSTRAINEDBY, TOKEN_DER, TOKEN_DISCRETE,
    TOKEN_EACH, TOKEN_ELSE, TOKEN_ELSEIF, TOKEN_ELSEWHEN, TOKEN_ENCAPSULATED, TOKEN_END_WORD,
    TOKEN_ENUMERATION, TOKEN_EQUATION, TOKEN_EXPANDABLE, TOKEN_EXTENDS, TOKEN_EXTERNAL, TOKEN_FALSE,
    TOKEN_FINAL, TOKEN_FLOW, TOKEN_FOR, TOKEN_FUNCTION, TOKEN_IF, TOKEN_IMPORT, TOKEN_IMPURE,
    TOKEN_IN, TOKEN_INITIAL, TOKEN_INNER, TOKEN_INPUT, TOKEN_LOOP, TOKEN_MODEL, TOKEN_NOT,
    TOKEN_OPERATOR, TOKEN_OR, TOKEN_OUTER, TOKEN_OUTPUT, TOKEN_PACKAGE, TOKEN_PARAMETER,
    TOKEN_PARTIAL, TOKEN_PROTECTED, TOKEN_PUBLIC, TOKEN_PURE, TOKEN_RECORD, TOKEN_REDECLARE,
    TOKEN_REPLACEABLE, TOKEN_RETURN, TOKEN_STREAM, TOKEN_THEN, TOKEN_TRUE, TOKEN_TYPE, TOKEN_WHEN,
    TOKEN_WHILE, TOKEN_WITHIN,
    TOKEN_KINDS
} token_kind;

typedef struct token {
    token_kind kind;
    uint32_t from, to;
    const char *text;                    /* NAME, STRING: interned, quotes and escapes removed */
} token;

/* Names are interned: equal names are equal pointers. */
typedef struct names { const char **slot; int count, slots; } names;
const char *name_intern(region *r, names *n, const char *text, size_t length);

/* All tokens, TOKEN_END last; what is no token is said to `s` and left out. */
token *lexer_read(region *r, names *n, source *s, int text, const char *chars, size_t length,
                  int *count);
/* "`+`", "`end`", "a name": for messages. */
const char *token_words(token_kind kind);

#endif
