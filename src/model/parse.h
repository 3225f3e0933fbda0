/* parse.h -- what the files of the parser share. */
#ifndef KEEL_MODEL_PARSE_H
#define KEEL_MODEL_PARSE_H

#include "model/ast.h"

/* The library has other functions of these names. */
#define parse_expression model_parse_expression
#define parse_arguments model_parse_arguments

/* Nested classes, equations and parentheses: deeper ones are refused, the stack is not endless. */
enum { MOST_DEPTH = 200 };

typedef struct parser {
    region *r;
    names *n;
    source *s;
    int text;
    const char *chars;
    const token *first, *at;
    int depth;
    int annotation;                      /* in an annotation: what is not known is skipped    */
    int broken;                          /* an error was said and the tokens up to the next     */
                                         /* statement are to be left out                       */
} parser;

static inline token_kind next(const parser *p) { return p->at->kind; }
span span_here(const parser *p);
span span_since(const parser *p, const token *first);
int got(parser *p, token_kind kind);
int need(parser *p, token_kind kind, const char *after);
/* Says once per statement what was expected instead of the next token. */
void missing(parser *p, const char *what);
int deeper(parser *p);                    /* 0, or -1: too deep                                 */

ast_expr *parse_expr(parser *p);
ast_expr **parse_subscripts(parser *p, int *count);     /* after [, to ] */
int parse_name(parser *p, ast_name *name, int subscripts);
int parse_iterators(parser *p, ast_iterator **iterator);
ast_modification *parse_modification(parser *p);        /* (...) = value; NULL: none */
ast_modification *parse_modifiers(parser *p);           /* (...) */
const char *parse_comment(parser *p, ast_modification **annotation);
void parse_section(parser *p, ast_section *section);
int section_ends(const parser *p);

#endif
