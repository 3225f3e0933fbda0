/* print.c -- expressions as the user would write them: der(x), der(der(x)), no generated names.
 *
 * Parentheses stand where precedence needs them (Modelica, section 3.2).  Very long expressions end
 * in "..." (buffer.most), and so does what is nested more deeply than any reader follows.
 */
#include "model/print.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

enum { DEEPEST = 200 };

void buffer_free(buffer *b)
{
    free(b->text);
    *b = (buffer){0};
}

void buffer_add(buffer *b, const char *text)
{
    size_t length = strlen(text);
    if (b->most && b->length > b->most) return;
    if (b->most && b->length + length > b->most) text = " ...", length = 4;
    if (b->length + length + 1 > b->room) {
        const size_t room = 2 * (b->length + length + 1);
        char *more = realloc(b->text, room);
        if (!more) {
            b->no_memory = 1;
            return;
        }
        b->text = more;
        b->room = room;
    }
    memcpy(b->text + b->length, text, length + 1);
    b->length += length;
    if (b->most && b->length > b->most - 4 && strcmp(text, " ...") == 0) b->length = b->most + 1;
}

void buffer_print(buffer *b, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    number_print_list(text, sizeof text, format, values);
    va_end(values);
    buffer_add(b, text);
}

const char *buffer_text(const buffer *b) { return b->text ? b->text : ""; }

static const char *const functions[EXPR_OPS] = {
    [EXPR_ABS] = "abs", [EXPR_SIGN] = "sign", [EXPR_SQRT] = "sqrt", [EXPR_EXP] = "exp",
    [EXPR_LOG] = "log", [EXPR_LOG10] = "log10", [EXPR_SIN] = "sin", [EXPR_COS] = "cos",
    [EXPR_TAN] = "tan", [EXPR_ASIN] = "asin", [EXPR_ACOS] = "acos", [EXPR_ATAN] = "atan",
    [EXPR_SINH] = "sinh", [EXPR_COSH] = "cosh", [EXPR_TANH] = "tanh", [EXPR_FLOOR] = "floor",
    [EXPR_CEIL] = "ceil", [EXPR_DER] = "der", [EXPR_NO_EVENT] = "noEvent", [EXPR_EDGE] = "edge",
    [EXPR_ATAN2] = "atan2", [EXPR_MIN] = "min", [EXPR_MAX] = "max", [EXPR_QUOTIENT] = "div",
    [EXPR_MOD] = "mod", [EXPR_REM] = "rem", [EXPR_SMOOTH] = "smooth", [EXPR_SAMPLE] = "sample",
    [EXPR_HOMOTOPY] = "homotopy",
};

typedef struct infix { const char *text; int binds; } infix;

static const infix infixes[EXPR_OPS] = {
    [EXPR_OR] = {" or ", 1}, [EXPR_AND] = {" and ", 2},
    [EXPR_LESS] = {" < ", 4}, [EXPR_LESS_EQUAL] = {" <= ", 4},
    [EXPR_EQUAL] = {" == ", 4}, [EXPR_NOT_EQUAL] = {" <> ", 4},
    [EXPR_ADD] = {" + ", 5}, [EXPR_SUBTRACT] = {" - ", 5},
    [EXPR_MULTIPLY] = {"*", 6}, [EXPR_DIVIDE] = {"/", 6}, [EXPR_POWER] = {"^", 7},
};

static void print_at(buffer *b, const printer *how, expr e, int binds, int depth);

static void print_number(buffer *b, double value, int binds)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        number_print(text, sizeof text, "%.*g", digits, value);
        if (number_read(text, NULL) == value) break;
    }
    const int enclosed = value < 0 && binds > 5;
    if (enclosed) buffer_add(b, "(");
    buffer_add(b, text);
    if (enclosed) buffer_add(b, ")");
}

static const char *name_of(const printer *how, uint32_t variable)
{
    return variable < (uint32_t)how->model->variables ? how->model->variable[variable].name : "?";
}

static void print_leaf(buffer *b, const printer *how, const expr_node *n, int binds)
{
    switch ((expr_op)n->op) {
    case EXPR_CONSTANT: print_number(b, n->value, binds); break;
    case EXPR_TIME: buffer_add(b, "time"); break;
    case EXPR_INITIAL: buffer_add(b, "initial()"); break;
    case EXPR_TERMINAL: buffer_add(b, "terminal()"); break;
    case EXPR_PRE:
        buffer_add(b, "pre(");
        buffer_add(b, name_of(how, n->a));
        buffer_add(b, ")");
        break;
    case EXPR_VARIABLE:
        for (uint32_t k = 0; k < n->b; k++) buffer_add(b, "der(");
        buffer_add(b, name_of(how, n->a));
        for (uint32_t k = 0; k < n->b; k++) buffer_add(b, ")");
        break;
    default: buffer_add(b, "?"); break;
    }
}

static void print_call(buffer *b, const printer *how, const expr_node *n, int depth)
{
    const pool *p = &how->model->pool;
    const int known = (int)n->b < how->model->calls;
    const flat_output called = known ? how->model->called[n->b] : (flat_output){0, 0};
    buffer_add(b, known ? how->model->function[called.function].name : "?");
    buffer_add(b, "(");
    for (expr at = n->a; at; at = pool_at(p, at)->b) {
        print_at(b, how, pool_at(p, at)->a, 0, depth);
        if (pool_at(p, at)->b) buffer_add(b, ", ");
    }
    buffer_add(b, ")");
}

static void print_infix(buffer *b, const printer *how, const expr_node *n, int binds, int depth)
{
    const infix *i = &infixes[n->op];
    const int right = i->binds + (n->op != EXPR_ADD && n->op != EXPR_AND && n->op != EXPR_OR);
    if (i->binds < binds) buffer_add(b, "(");
    print_at(b, how, n->a, i->binds + (n->op == EXPR_POWER || i->binds == 4), depth);
    buffer_add(b, i->text);
    print_at(b, how, n->b, n->op == EXPR_MULTIPLY ? i->binds : right, depth);
    if (i->binds < binds) buffer_add(b, ")");
}

static void print_if(buffer *b, const printer *how, const expr_node *n, int binds, int depth)
{
    const expr_node branches = *pool_at(&how->model->pool, n->b);
    if (binds > 0) buffer_add(b, "(");
    buffer_add(b, "if ");
    print_at(b, how, n->a, 0, depth);
    buffer_add(b, " then ");
    print_at(b, how, branches.a, 0, depth);
    buffer_add(b, " else ");
    print_at(b, how, branches.b, 0, depth);
    if (binds > 0) buffer_add(b, ")");
}

static void print_at(buffer *b, const printer *how, expr e, int binds, int depth)
{
    const expr_node *n = pool_at(&how->model->pool, e);
    if (++depth > DEEPEST || (b->most && b->length > b->most)) {
        buffer_add(b, "...");
        return;
    }
    if ((n->op == EXPR_VARIABLE || n->op == EXPR_PRE) && n->a >= (uint32_t)how->model->variables
        && how->shown && how->shown(how->context, n->a)) {
        if (n->op == EXPR_PRE) buffer_add(b, "pre(");
        print_at(b, how, how->shown(how->context, n->a), n->op == EXPR_PRE ? 0 : binds, depth);
        if (n->op == EXPR_PRE) buffer_add(b, ")");
        return;
    }
    if (n->op == EXPR_IF) print_if(b, how, n, binds, depth);
    else if (n->op == EXPR_CALL) print_call(b, how, n, depth);
    else if (n->op == EXPR_NEGATE || n->op == EXPR_NOT) {
        const int own = n->op == EXPR_NEGATE ? 5 : 3;
        if (own < binds) buffer_add(b, "(");
        buffer_add(b, n->op == EXPR_NEGATE ? "-" : "not ");
        print_at(b, how, n->a, 6, depth);
        if (own < binds) buffer_add(b, ")");
    } else if (infixes[n->op].text) print_infix(b, how, n, binds, depth);
    else if (functions[n->op]) {
        buffer_add(b, functions[n->op]);
        buffer_add(b, "(");
        print_at(b, how, n->a, 0, depth);
        if (expr_operands((expr_op)n->op) == 2) {
            buffer_add(b, ", ");
            print_at(b, how, n->b, 0, depth);
        }
        buffer_add(b, ")");
    } else print_leaf(b, how, n, binds);
}

void print_expr(buffer *b, const printer *how, expr e) { print_at(b, how, e, 0, 0); }

void print_equation(buffer *b, const printer *how, expr left, expr right)
{
    print_at(b, how, left, 0, 0);
    buffer_add(b, " = ");
    print_at(b, how, right, 0, 0);
}
