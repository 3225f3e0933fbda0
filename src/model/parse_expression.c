/* parse_expression.c -- expressions (Modelica Language Specification 3.6, appendix A.2.7).
 *
 *     expression  = simple | if c then e {elseif c then e} else e
 *     simple      = logical [: logical [: logical]]
 *     logical     = and {or and};  and = factor {and factor};  factor = [not] relation
 *     relation    = sum [rel sum];  sum = [+-] term {+- term};  term = power {* / power}
 *     power       = primary [^ primary]
 */
#include "model/parse.h"

#include <math.h>
#include <stdlib.h>

#include "core/number.h"

static ast_expr *make(parser *p, ast_kind kind, const token *first)
{
    ast_expr *e = TAKE(p->r, ast_expr, 1);
    e->kind = kind;
    e->where = span_since(p, first);
    return e;
}

/* A list that grows; items are copied when it does, so that lists are short-lived. */
typedef struct list { ast_expr **item; int count, room; token_kind *op; int op_room; } list;

static void put(parser *p, list *l, ast_expr *e)
{
    GROW(p->r, l->item, l->count, l->room);
    l->item[l->count++] = e;
}

static void put_op(parser *p, list *l, token_kind op)
{
    GROW(p->r, l->op, l->count - 1, l->op_room);
    l->op[l->count - 1] = op;
}

static ast_expr *chain(parser *p, ast_kind kind, const token *first, const list *l)
{
    ast_expr *e = make(p, kind, first);
    e->item = l->item;
    e->items = l->count;
    e->op = l->op;
    return e;
}

static ast_expr *parse_number(parser *p)
{
    const token *t = p->at++;
    ast_expr *e = make(p, t->kind == TOKEN_REAL ? AST_REAL : AST_INTEGER, t);
    char room[400];
    size_t length = t->to - t->from;
    if (length >= sizeof room) {
        source_say(p->s, SEVERITY_ERROR, e->where, "this number has more than %d characters",
                   (int)sizeof room - 1);
        return e;
    }
    for (size_t i = 0; i < length; i++) room[i] = p->chars[t->from + i];
    room[length] = '\0';
    e->number = number_read(room, NULL);
    if (!isfinite(e->number))
        source_say(p->s, SEVERITY_ERROR, e->where, "this number is too large: the largest is 1.8e308");
    else if (e->kind == AST_INTEGER && e->number > 9007199254740992.0) e->kind = AST_REAL;
    return e;
}

int parse_iterators(parser *p, ast_iterator **iterator)
{
    int count = 0, room = 0;
    *iterator = NULL;
    do {
        if (next(p) != TOKEN_NAME) {
            missing(p, "the name of a loop variable");
            return count;
        }
        GROW(p->r, *iterator, count, room);
        (*iterator)[count] = (ast_iterator){.name = p->at->text, .where = span_here(p)};
        p->at++;
        if (got(p, TOKEN_IN)) (*iterator)[count].range = parse_expr(p);
        count++;
    } while (got(p, TOKEN_COMMA));
    return count;
}

/* ( a, b, name = c ) or ( e for i in ... ), after the opening one. */
static void parse_call_arguments(parser *p, ast_expr *call)
{
    list l = {0};
    int room = 0;
    while (next(p) != TOKEN_CLOSE && !p->broken) {
        if (next(p) == TOKEN_NAME && p->at[1].kind == TOKEN_IS) {
            GROW(p->r, call->named, call->nameds, room);
            ast_named *named = &call->named[call->nameds++];
            *named = (ast_named){.name = p->at->text, .where = span_here(p)};
            p->at += 2;
            ast_expr *value = parse_expr(p);
            call->named[call->nameds - 1].value = value;
        } else if (call->nameds) {
            missing(p, "a named argument `name = value`: positions come first");
        } else {
            put(p, &l, parse_expr(p));
            if (l.count == 1 && got(p, TOKEN_FOR))
                call->iterators = parse_iterators(p, &call->iterator);
        }
        if (!got(p, TOKEN_COMMA)) break;
        if (next(p) == TOKEN_CLOSE) missing(p, "an argument after the comma");
    }
    call->item = l.item;
    call->items = l.count;
    need(p, TOKEN_CLOSE, "after the arguments");
}

int parse_name(parser *p, ast_name *name, int subscripts)
{
    int room = 0;
    *name = (ast_name){.global = got(p, TOKEN_DOT)};
    do {
        if (next(p) != TOKEN_NAME) {
            missing(p, "a name");
            return -1;
        }
        GROW(p->r, name->part, name->parts, room);
        ast_part *part = &name->part[name->parts++];
        *part = (ast_part){.name = p->at->text, .where = span_here(p)};
        p->at++;
        if (subscripts && got(p, TOKEN_OPEN_SQUARE)) {
            int count;
            ast_expr **subscript = parse_subscripts(p, &count);
            name->part[name->parts - 1].subscript = subscript;
            name->part[name->parts - 1].subscripts = count;
        }
    } while (next(p) == TOKEN_DOT && (p->at++, 1));
    return 0;
}

ast_expr **parse_subscripts(parser *p, int *count)
{
    list l = {0};
    do {
        const token *first = p->at;
        if (next(p) == TOKEN_COLON &&
            (p->at[1].kind == TOKEN_COMMA || p->at[1].kind == TOKEN_CLOSE_SQUARE)) {
            p->at++;
            put(p, &l, make(p, AST_COLON, first));
        } else put(p, &l, parse_expr(p));
    } while (got(p, TOKEN_COMMA));
    need(p, TOKEN_CLOSE_SQUARE, "after the subscripts");
    *count = l.count;
    return l.item;
}

static ast_expr *parse_named(parser *p)
{
    const token *first = p->at;
    ast_expr *e = make(p, AST_NAME, first);
    if (next(p) == TOKEN_DER || next(p) == TOKEN_INITIAL || next(p) == TOKEN_PURE) {
        e->name.part = TAKE(p->r, ast_part, 1);
        e->name.parts = 1;
        e->name.part[0] = (ast_part){.name = name_intern(p->r, p->n, p->at->text,
                                                         p->at->to - p->at->from),
                                     .where = span_here(p)};
        p->at++;
        if (next(p) != TOKEN_OPEN) missing(p, "`(`");
    } else if (parse_name(p, &e->name, 1)) return e;
    if (got(p, TOKEN_OPEN)) {
        e->kind = AST_CALL;
        parse_call_arguments(p, e);
    }
    e->where = span_since(p, first);
    return e;
}

/* {a, b}, {e for i in r}, and the rows of [a, b; c, d]. */
static ast_expr *parse_array(parser *p)
{
    const token *first = p->at++;
    ast_expr *e = make(p, AST_ARRAY, first);
    list l = {0};
    if (next(p) != TOKEN_CLOSE_CURLY) {
        do put(p, &l, parse_expr(p));
        while (!p->broken && got(p, TOKEN_COMMA));
        if (l.count == 1 && got(p, TOKEN_FOR)) e->iterators = parse_iterators(p, &e->iterator);
    }
    e->item = l.item;
    e->items = l.count;
    need(p, TOKEN_CLOSE_CURLY, "after the elements");
    e->where = span_since(p, first);
    return e;
}

static ast_expr *parse_matrix(parser *p)
{
    const token *first = p->at++;
    list rows = {0};
    do {
        const token *start = p->at;
        list l = {0};
        do put(p, &l, parse_expr(p));
        while (!p->broken && got(p, TOKEN_COMMA));
        put(p, &rows, chain(p, AST_ARRAY, start, &l));
    } while (!p->broken && got(p, TOKEN_SEMICOLON));
    need(p, TOKEN_CLOSE_SQUARE, "after the last row");
    return chain(p, AST_MATRIX, first, &rows);
}

/* ( e ) or ( a, , b ), the left sides of an equation with several results. */
static ast_expr *parse_parentheses(parser *p)
{
    const token *first = p->at++;
    list l = {0};
    do {
        int empty = next(p) == TOKEN_COMMA || next(p) == TOKEN_CLOSE;
        put(p, &l, empty ? NULL : parse_expr(p));
    } while (!p->broken && got(p, TOKEN_COMMA));
    need(p, TOKEN_CLOSE, "");
    if (l.count == 1 && l.item[0] && l.item[0]->kind != AST_RANGE) {
        l.item[0]->where = span_since(p, first);
        return l.item[0];
    }
    if (l.count == 1 && l.item[0]) return l.item[0];
    return chain(p, AST_TUPLE, first, &l);
}

static ast_expr *parse_primary(parser *p)
{
    const token *first = p->at;
    ast_expr *e = NULL;
    switch (next(p)) {
    case TOKEN_INTEGER: case TOKEN_REAL: return parse_number(p);
    case TOKEN_STRING:
        p->at++;
        e = make(p, AST_STRING, first);
        e->text = first->text;
        return e;
    case TOKEN_TRUE: case TOKEN_FALSE:
        p->at++;
        e = make(p, AST_BOOLEAN, first);
        e->number = first->kind == TOKEN_TRUE;
        return e;
    case TOKEN_END_WORD: p->at++; return make(p, AST_END, first);
    case TOKEN_NAME: case TOKEN_DOT: case TOKEN_DER: case TOKEN_INITIAL: case TOKEN_PURE:
        return parse_named(p);
    case TOKEN_OPEN: e = parse_parentheses(p); break;
    case TOKEN_OPEN_CURLY: e = parse_array(p); break;
    case TOKEN_OPEN_SQUARE: e = parse_matrix(p); break;
    default:
        if (next(p) == TOKEN_MINUS || next(p) == TOKEN_PLUS)
            missing(p, "parentheses: a sign after an operator is written `a*(-b)`");
        else missing(p, "an expression");
        return make(p, AST_INTEGER, first);
    }
    if (next(p) == TOKEN_OPEN_SQUARE && e->kind != AST_TUPLE)
        missing(p, "an operator: only names have subscripts");
    return e;
}

static ast_expr *parse_power(parser *p)
{
    const token *first = p->at;
    ast_expr *e = parse_primary(p);
    if (next(p) != TOKEN_POWER && next(p) != TOKEN_DOT_POWER) return e;
    list l = {0};
    put(p, &l, e);
    put_op(p, &l, next(p));
    p->at++;
    put(p, &l, parse_primary(p));
    if (next(p) == TOKEN_POWER || next(p) == TOKEN_DOT_POWER)
        missing(p, "parentheses: `a^b^c` has no meaning, write `(a^b)^c` or `a^(b^c)`");
    return chain(p, AST_POWER, first, &l);
}

static ast_expr *parse_product(parser *p)
{
    const token *first = p->at;
    list l = {0};
    put(p, &l, parse_power(p));
    while (!p->broken && (next(p) == TOKEN_TIMES || next(p) == TOKEN_DIVIDE ||
                          next(p) == TOKEN_DOT_TIMES || next(p) == TOKEN_DOT_DIVIDE)) {
        put_op(p, &l, next(p));
        p->at++;
        put(p, &l, parse_power(p));
    }
    return l.count == 1 ? l.item[0] : chain(p, AST_PRODUCT, first, &l);
}

static int is_sum(token_kind k)
{
    return k == TOKEN_PLUS || k == TOKEN_MINUS || k == TOKEN_DOT_PLUS || k == TOKEN_DOT_MINUS;
}

static ast_expr *parse_sum(parser *p)
{
    const token *first = p->at;
    list l = {0};
    int sign = is_sum(next(p)) ? next(p) == TOKEN_PLUS || next(p) == TOKEN_DOT_PLUS ? 1 : -1 : 0;
    if (sign) p->at++;
    ast_expr *e = parse_product(p);
    if (sign < 0) {
        list one = {0};
        put(p, &one, e);
        e = chain(p, AST_NEGATE, first, &one);
    }
    put(p, &l, e);
    while (!p->broken && is_sum(next(p))) {
        put_op(p, &l, next(p));
        p->at++;
        put(p, &l, parse_product(p));
    }
    return l.count == 1 ? l.item[0] : chain(p, AST_SUM, first, &l);
}

static int is_relation(token_kind k) { return k >= TOKEN_LESS && k <= TOKEN_NOT_EQUAL; }

static ast_expr *parse_relation(parser *p)
{
    const token *first = p->at;
    int negated = got(p, TOKEN_NOT);
    const token *start = p->at;
    list l = {0};
    put(p, &l, parse_sum(p));
    if (is_relation(next(p))) {
        put_op(p, &l, next(p));
        p->at++;
        put(p, &l, parse_sum(p));
        if (is_relation(next(p))) missing(p, "`and`: relations are not chained");
    }
    ast_expr *e = l.count == 1 ? l.item[0] : chain(p, AST_RELATION, start, &l);
    if (!negated) return e;
    list one = {0};
    put(p, &one, e);
    return chain(p, AST_NOT, first, &one);
}

static ast_expr *parse_and(parser *p)
{
    const token *first = p->at;
    list l = {0};
    do put(p, &l, parse_relation(p));
    while (!p->broken && got(p, TOKEN_AND));
    return l.count == 1 ? l.item[0] : chain(p, AST_AND, first, &l);
}

static ast_expr *parse_or(parser *p)
{
    const token *first = p->at;
    list l = {0};
    do put(p, &l, parse_and(p));
    while (!p->broken && got(p, TOKEN_OR));
    return l.count == 1 ? l.item[0] : chain(p, AST_OR, first, &l);
}

static ast_expr *parse_simple(parser *p)
{
    const token *first = p->at;
    list l = {0};
    do put(p, &l, parse_or(p));
    while (!p->broken && l.count < 3 && next(p) == TOKEN_COLON && (p->at++, 1));
    return l.count == 1 ? l.item[0] : chain(p, AST_RANGE, first, &l);
}

static ast_expr *parse_if(parser *p)
{
    const token *first = p->at++;
    list l = {0};
    do {
        put(p, &l, parse_expr(p));
        need(p, TOKEN_THEN, "after the condition");
        put(p, &l, parse_expr(p));
    } while (!p->broken && got(p, TOKEN_ELSEIF));
    if (need(p, TOKEN_ELSE, "of the if-expression")) put(p, &l, parse_expr(p));
    if (l.count % 2 == 0) put(p, &l, l.item[l.count - 1]);
    return chain(p, AST_IF, first, &l);
}

ast_expr *parse_expr(parser *p)
{
    const token *first = p->at;
    if (deeper(p)) return make(p, AST_INTEGER, first);
    ast_expr *e = next(p) == TOKEN_IF ? parse_if(p) : parse_simple(p);
    p->depth--;
    return e;
}
