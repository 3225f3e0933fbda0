/* flat_text.h -- models as texts in tests: read, shown as text again, evaluated. */
#ifndef KEEL_TEST_SUPPORT_FLAT_TEXT_H
#define KEEL_TEST_SUPPORT_FLAT_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/flat.h"

typedef struct flat_text { source *s; flat_model *m; int status; char *shown; size_t length, room; } flat_text;

static inline void flat_text_read(flat_text *t, const char *text, const char *class_name,
                                  const flat_override *override, int overrides)
{
    *t = (flat_text){.s = source_create()};
    assert_non_null(t->s);
    int number = source_add(t->s, "test.mo", text, strlen(text));
    assert_int_equal(number, 0);
    t->status = flat_read(&t->m, t->s, number, class_name, override, overrides);
}

static inline void flat_text_free(flat_text *t)
{
    flat_free(t->m);
    source_free(t->s);
    free(t->shown);
}

__attribute__((format(printf, 2, 3)))
static inline void flat_add(flat_text *t, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (t->room - t->length < 2000) {
        t->room = 2 * t->room + 4000;
        t->shown = realloc(t->shown, t->room);
        assert_non_null(t->shown);
    }
    t->length += (size_t)vsnprintf(t->shown + t->length, t->room - t->length, format, values);
    va_end(values);
}

static inline void flat_show(flat_text *t, expr e);

static inline void flat_show_leaf(flat_text *t, const expr_node *n)
{
    const flat_variable *v = t->m->variable;
    if (n->op == EXPR_CONSTANT) flat_add(t, "%.12g", n->value);
    else if (n->op == EXPR_TIME) flat_add(t, "time");
    else if (n->op == EXPR_PRE) flat_add(t, "pre(%s)", v[n->a].name);
    else if (n->op == EXPR_INITIAL || n->op == EXPR_TERMINAL)
        flat_add(t, n->op == EXPR_INITIAL ? "initial()" : "terminal()");
    else if (n->op == EXPR_VARIABLE)
        flat_add(t, n->b == 0 ? "%s" : n->b == 1 ? "der(%s)" : "der(der(%s))", v[n->a].name);
    else flat_add(t, "?");
}

/* Every operator with its operands in parentheses. */
static inline void flat_show(flat_text *t, expr e)
{
    static const char *const name[EXPR_OPS] = {
        [EXPR_NEGATE] = "-", [EXPR_NOT] = "not ", [EXPR_ABS] = "abs", [EXPR_SIGN] = "sign",
        [EXPR_SQRT] = "sqrt", [EXPR_EXP] = "exp", [EXPR_LOG] = "log", [EXPR_LOG10] = "log10",
        [EXPR_SIN] = "sin", [EXPR_COS] = "cos", [EXPR_TAN] = "tan", [EXPR_ASIN] = "asin",
        [EXPR_ACOS] = "acos", [EXPR_ATAN] = "atan", [EXPR_SINH] = "sinh", [EXPR_COSH] = "cosh",
        [EXPR_TANH] = "tanh", [EXPR_FLOOR] = "floor", [EXPR_CEIL] = "ceil", [EXPR_DER] = "der",
        [EXPR_NO_EVENT] = "noEvent", [EXPR_EDGE] = "edge", [EXPR_ADD] = "+", [EXPR_SUBTRACT] = "-",
        [EXPR_MULTIPLY] = "*", [EXPR_DIVIDE] = "/", [EXPR_POWER] = "^", [EXPR_LESS] = "<",
        [EXPR_LESS_EQUAL] = "<=", [EXPR_EQUAL] = "==", [EXPR_NOT_EQUAL] = "<>", [EXPR_AND] = " and ",
        [EXPR_OR] = " or ", [EXPR_ATAN2] = "atan2", [EXPR_MIN] = "min", [EXPR_MAX] = "max",
        [EXPR_QUOTIENT] = "div", [EXPR_MOD] = "mod", [EXPR_REM] = "rem", [EXPR_SMOOTH] = "smooth",
        [EXPR_SAMPLE] = "sample", [EXPR_HOMOTOPY] = "homotopy"};
    const expr_node n = *pool_at(&t->m->pool, e);
    if (n.op == EXPR_IF) {
        const expr_node b = *pool_at(&t->m->pool, n.b);
        flat_add(t, "(if ");
        flat_show(t, n.a);
        flat_add(t, " then ");
        flat_show(t, b.a);
        flat_add(t, " else ");
        flat_show(t, b.b);
        flat_add(t, ")");
    } else if (n.op == EXPR_CALL) {
        flat_output o = t->m->called[n.b];
        flat_add(t, "%s.%d(", t->m->function[o.function].name, o.output + 1);
        for (expr a = n.a; a; a = pool_at(&t->m->pool, a)->b) {
            if (a != n.a) flat_add(t, ", ");
            flat_show(t, pool_at(&t->m->pool, a)->a);
        }
        flat_add(t, ")");
    } else if (n.op < EXPR_NEGATE) flat_show_leaf(t, &n);
    else if (expr_operands((expr_op)n.op) == 1) {
        flat_add(t, n.op == EXPR_NEGATE || n.op == EXPR_NOT ? "%s" : "%s(", name[n.op]);
        flat_show(t, n.a);
        if (n.op != EXPR_NEGATE && n.op != EXPR_NOT) flat_add(t, ")");
    } else {
        int word = strlen(name[n.op]) > 2 && name[n.op][0] != ' ';
        flat_add(t, word ? "%s(" : "(", name[n.op]);
        flat_show(t, n.a);
        flat_add(t, word ? ", " : "%s", name[n.op]);
        flat_show(t, n.b);
        flat_add(t, ")");
    }
}

static inline void flat_show_rows(flat_text *t, const flat_equation *row, int rows, const char *before)
{
    for (int i = 0; i < rows; i++) {
        flat_add(t, "%s", before);
        flat_show(t, row[i].left);
        flat_add(t, " = ");
        flat_show(t, row[i].right);
        flat_add(t, "\n");
    }
}

static inline void flat_show_branch(flat_text *t, const flat_branch *b)
{
    static const char *const kind[] = {"", "reinit ", "assert ", "terminate "};
    flat_show(t, b->fires);
    flat_add(t, ":");
    for (int i = 0; i < b->actions; i++) {
        const flat_action *a = &t->m->action[b->action + i];
        flat_add(t, " %s", kind[a->kind]);
        if (a->kind <= ACTION_REINIT) flat_add(t, "%s := ", t->m->variable[a->variable].name);
        if (a->value) flat_show(t, a->value);
        if (a->text) flat_add(t, " \"%s\"%s", a->text, a->warning ? " warning" : "");
        flat_add(t, ";");
    }
    flat_add(t, "\n");
}

/* Equations, initial equations, whens and assertions, a line each. */
static inline const char *flat_shown(flat_text *t)
{
    flat_model *m = t->m;
    t->length = 0;
    flat_add(t, "%s", "");
    flat_show_rows(t, m->equation, m->equations, "");
    flat_show_rows(t, m->initial, m->initials, "initial ");
    for (int w = 0; w < m->whens; w++)
        for (int k = 0; k < m->when[w].branches; k++) {
            flat_add(t, k ? "elsewhen " : "when ");
            flat_show_branch(t, &m->branch[m->when[w].branch + k]);
        }
    for (int i = 0; i < m->assertions; i++) {
        flat_add(t, "assert ");
        flat_show(t, m->assertion[i].condition);
        flat_add(t, " \"%s\"%s\n", m->assertion[i].text, m->assertion[i].warning ? " warning" : "");
    }
    return t->shown;
}

static inline int flat_find(const flat_model *m, const char *name)
{
    for (int i = 0; i < m->variables; i++)
        if (!strcmp(m->variable[i].name, name)) return i;
    return -1;
}

/* The number of an expression of parameters, or, for variables, of the given values. */
static inline double flat_number(const flat_model *m, expr e, const double *value)
{
    const expr_node n = *pool_at(&m->pool, e);
    if (n.op == EXPR_CONSTANT) return n.value;
    if (n.op == EXPR_VARIABLE && m->variable[n.a].variability <= FLAT_PARAMETER)
        return flat_number(m, m->variable[n.a].binding, value);
    if (n.op == EXPR_VARIABLE) return value ? value[n.a] : NAN;
    if (n.op == EXPR_IF) {
        const expr_node b = *pool_at(&m->pool, n.b);
        return flat_number(m, flat_number(m, n.a, value) != 0 ? b.a : b.b, value);
    }
    if (n.op < EXPR_NEGATE || n.op >= EXPR_IF) return NAN;
    double a = flat_number(m, n.a, value);
    return expr_fold((expr_op)n.op, a, expr_operands((expr_op)n.op) == 2 ? flat_number(m, n.b, value) : 0);
}

/* The value of a parameter or constant. */
static inline double flat_parameter(const flat_model *m, const char *name)
{
    int i = flat_find(m, name);
    if (i < 0) fail_msg("no %s", name);
    return flat_number(m, m->variable[i].binding, NULL);
}

/* Reads a model that must be right and compares what it becomes. */
static inline void flat_expect(const char *text, const char *expected)
{
    flat_text t;
    flat_text_read(&t, text, NULL, NULL, 0);
    if (t.status) fail_msg("%s\n%s", text, source_messages(t.s));
    assert_string_equal(flat_shown(&t), expected);
    flat_text_free(&t);
}

/* The declarations and equations of a model M. */
static inline void flat_expect_model(const char *declarations, const char *equations, const char *expected)
{
    char text[4000];
    snprintf(text, sizeof text, "model M\n%s\nequation\n%s\nend M;\n", declarations, equations);
    flat_expect(text, expected);
}

/* Reads a model that must be wrong; the first message must begin with `expected`. */
static inline void flat_refuse(const char *text, const char *expected)
{
    flat_text t;
    flat_text_read(&t, text, NULL, NULL, 0);
    const char *said = source_messages(t.s);
    if (t.status == 0) fail_msg("accepted:\n%s", text);
    assert_null(t.m);
    if (strncmp(said, expected, strlen(expected))) fail_msg("%s\nsaid     %s\nexpected %s", text, said, expected);
    flat_text_free(&t);
}

#endif
