/* ctext.c -- expressions as C text: see ctext.h.
 *
 * Outputs whose straight-line programs are the same but for the inputs and constants they begin with have
 * one shape (shapes.c).  Eight or more of them become a loop over tables; the rest is straight code, which
 * shares common subexpressions, in functions of at most 200 statements: compilers take more than linear
 * time in the length of a function.  Nothing of the model's text gets here but numbers.
 */
#include "model/ctext.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "model/shapes.h"

enum { LEAST_GROUP = 8, STATEMENTS = 200, MOST_STATEMENTS = 100000 };   /* the last: w is on the stack */

void ctext_begin(buffer *b)
{
    buffer_add(b, "#include <math.h>\n"
                  "#define POWER(a, n) pow(a, n)\n"
                  "static inline double sign_of(double a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }\n"
                  "static inline double least(double a, double b) { return a < b ? a : b; }\n"
                  "static inline double most(double a, double b) { return a > b ? a : b; }\n");
}

/* ---- one operation ------------------------------------------------------------------------------------ */

static const char *const patterns[EXPR_OPS] = {   /* @ and # stand for the operands */
    [EXPR_NEGATE] = "-@", [EXPR_NOT] = "@ == 0", [EXPR_ABS] = "fabs(@)", [EXPR_SIGN] = "sign_of(@)",
    [EXPR_SQRT] = "sqrt(@)", [EXPR_EXP] = "exp(@)", [EXPR_LOG] = "log(@)", [EXPR_LOG10] = "log10(@)",
    [EXPR_SIN] = "sin(@)", [EXPR_COS] = "cos(@)", [EXPR_TAN] = "tan(@)", [EXPR_ASIN] = "asin(@)",
    [EXPR_ACOS] = "acos(@)", [EXPR_ATAN] = "atan(@)", [EXPR_SINH] = "sinh(@)", [EXPR_COSH] = "cosh(@)",
    [EXPR_TANH] = "tanh(@)", [EXPR_FLOOR] = "floor(@)", [EXPR_CEIL] = "ceil(@)", [EXPR_NO_EVENT] = "@",
    [EXPR_ADD] = "@ + #", [EXPR_SUBTRACT] = "@ - #", [EXPR_MULTIPLY] = "@ * #", [EXPR_DIVIDE] = "@ / #",
    [EXPR_POWER] = "POWER(@, #)", [EXPR_ATAN2] = "atan2(@, #)", [EXPR_MIN] = "least(@, #)",
    [EXPR_MAX] = "most(@, #)", [EXPR_QUOTIENT] = "trunc(@ / #)", [EXPR_MOD] = "@ - floor(@ / #) * #",
    [EXPR_REM] = "@ - trunc(@ / #) * #", [EXPR_LESS] = "@ < #", [EXPR_LESS_EQUAL] = "@ <= #",
    [EXPR_EQUAL] = "@ == #", [EXPR_NOT_EQUAL] = "@ != #", [EXPR_AND] = "@ != 0 && # != 0",
    [EXPR_OR] = "@ != 0 || # != 0", [EXPR_SMOOTH] = "#", [EXPR_HOMOTOPY] = "@",
};

static void write_operation(buffer *b, expr_op op, const char *first, const char *second)
{
    for (const char *at = patterns[op]; *at; at++) {
        const char one[2] = {*at, 0};
        buffer_add(b, *at == '@' ? first : *at == '#' ? second : one);
    }
}

/* Small whole exponents as the tape computes them. */
static int write_power(buffer *b, double exponent, const char *a)
{
    const char *form = exponent == 2 ? "%s * %s" : exponent == 3 ? "%s * %s * %s"
                     : exponent == 4 ? "%s * %s * %s * %s" : exponent == 0.5 ? "sqrt(%s)"
                     : exponent == -1 ? "1 / %s" : NULL;
    if (!form) return 0;
    for (const char *at = form; *at; at++) {
        const char one[2] = {*at, 0};
        if (at[0] == '%') buffer_add(b, a), at++;
        else buffer_add(b, one);
    }
    return 1;
}

static void number_text(char text[48], double value)
{
    number_print(text, 48, value < 0 ? "(%a)" : "%a", value);
}

/* ---- loops --------------------------------------------------------------------------------------------- */


/* Column j of the inputs of member k, or, if j < 0, its output. */
static int index_of(const shapes *s, const shape_group *g, int k, int j)
{
    return j < 0 ? shape_output(s, g, k) : shape_inputs(s, g, k)[j];
}

/* Is column j of the members base + step k? */
static int is_affine(const shapes *s, const shape_group *g, int j, int *base, int *step)
{
    *base = index_of(s, g, 0, j);
    *step = index_of(s, g, 1, j) - *base;
    for (int k = 0; k < g->count; k++)
        if (index_of(s, g, k, j) != *base + k * *step) return 0;
    return 1;
}

static int same_constant(const shapes *s, const shape_group *g, int j)
{
    for (int k = 1; k < g->count; k++)
        if (shape_constants(s, g, k)[j] != shape_constants(s, g, 0)[j]) return 0;
    return 1;
}

static void write_tables(buffer *b, const shapes *s, const shape_group *g, int number)
{
    buffer_print(b, "static const int i%d[] = {", number);
    for (int k = 0; k < g->count; k++)
        for (int j = 0; j < g->inputs; j++) buffer_print(b, "%d,", shape_inputs(s, g, k)[j]);
    buffer_print(b, "0};\nstatic const int o%d[] = {", number);
    for (int k = 0; k < g->count; k++) buffer_print(b, "%d,", shape_output(s, g, k));
    buffer_print(b, "0};\nstatic const double c%d[] = {", number);
    for (int k = 0; k < g->count; k++)
        for (int j = 0; j < g->constants; j++) {
            char text[48];
            number_text(text, shape_constants(s, g, k)[j]);
            buffer_add(b, text);
            buffer_add(b, ",");
        }
    buffer_add(b, "0};\n");
}

static void operand_text(char text[48], int local) { snprintf(text, 48, "v%d", local); }

static void write_body(buffer *b, const shapes *s, const shape_group *g, int number)
{
    for (int i = 0; i < g->length; i++) {
        const shape_step *step = &shape_steps(s, g)[i];
        char first[48], second[48];
        int base, stride;
        operand_text(first, (int)step->a);
        operand_text(second, (int)step->b);
        buffer_print(b, "        const double v%d = ", i);
        if (step->op == SHAPE_INPUT && is_affine(s, g, (int)step->a, &base, &stride))
            buffer_print(b, "x[%d + %d * k]", base, stride);
        else if (step->op == SHAPE_INPUT) buffer_print(b, "x[i%d[%d * k + %d]]", number, g->inputs, (int)step->a);
        else if (step->op == SHAPE_CONSTANT && same_constant(s, g, (int)step->a)) {
            number_text(first, shape_constants(s, g, 0)[step->a]);
            buffer_add(b, first);
        } else if (step->op == SHAPE_CONSTANT)
            buffer_print(b, "c%d[%d * k + %d]", number, g->constants, (int)step->a);
        else if (step->op == EXPR_IF) {
            char third[48];
            operand_text(third, (int)step->c);
            buffer_print(b, "%s != 0 ? %s : %s", first, second, third);
        } else if (step->op != EXPR_POWER || !step->known || !write_power(b, step->exponent, first))
            write_operation(b, (expr_op)step->op, first, second);
        buffer_add(b, ";\n");
    }
}

static void write_loop(buffer *b, const shapes *s, const shape_group *g, const char *name, int number)
{
    int base, stride;
    write_tables(b, s, g, number);
    buffer_print(b, "static void %s_%d(const double *restrict x, double *restrict r)\n{\n"
                 "    for (int k = 0; k < %d; k++) {\n", name, number, g->count);
    write_body(b, s, g, number);
    if (is_affine(s, g, -1, &base, &stride)) buffer_print(b, "        r[%d + %d * k]", base, stride);
    else buffer_print(b, "        r[o%d[k]]", number);
    buffer_print(b, " = v%d;\n    }\n}\n", g->length - 1);
}

/* ---- straight code --------------------------------------------------------------------------------------- */

typedef struct straight {
    buffer *text;
    const tape_spec *spec;
    walk walk;
    int *number, *last_use;              /* per node of the pool: its statement, the last that reads it */
    int statements;
    const char *name;
    int failed;
} straight;

/* A statement's value is v in its own function, w elsewhere. */
static void value_text(const straight *s, expr e, int chunk, char text[48])
{
    const expr_node *n = pool_at(s->spec->pool, e);
    double value;
    if (n->op == EXPR_CONSTANT) {
        number_text(text, n->value);
        return;
    }
    const int at = s->number[e];
    if (at < 0) {
        const int input = s->spec->leaf(s->spec->context, n, &value);
        if (input >= 0) snprintf(text, 48, "x[%d]", input);
        else number_text(text, value);
        return;
    }
    snprintf(text, 48, at / STATEMENTS == chunk ? "v%d" : "w[%d]", at);
}

static void write_statement(straight *s, expr e)
{
    const pool *p = s->spec->pool;
    const expr_node *n = pool_at(p, e);
    const int at = s->number[e], chunk = at / STATEMENTS;
    char first[48] = "", second[48] = "", third[48] = "";
    value_text(s, n->a, chunk, first);
    buffer_print(s->text, "    const double v%d = ", at);
    if (n->op == EXPR_IF) {
        value_text(s, pool_at(p, n->b)->a, chunk, second);
        value_text(s, pool_at(p, n->b)->b, chunk, third);
        buffer_print(s->text, "%s != 0 ? %s : %s", first, second, third);
    } else {
        if (expr_operands((expr_op)n->op) == 2) value_text(s, n->b, chunk, second);
        if (n->op != EXPR_POWER || pool_op(p, n->b) != EXPR_CONSTANT
            || !write_power(s->text, pool_at(p, n->b)->value, first))
            write_operation(s->text, (expr_op)n->op, first, second);
    }
    buffer_add(s->text, ";\n");
    if (s->last_use[e] / STATEMENTS > chunk) buffer_print(s->text, "    w[%d] = v%d;\n", at, at);
}

static int is_statement(const pool *p, expr e)
{
    const expr_op op = pool_op(p, e);
    return op != EXPR_BRANCHES && expr_operands(op) > 0;
}

static void use(straight *s, expr e, int by)
{
    if (s->number[e] >= 0 && s->last_use[e] < by) s->last_use[e] = by;
}

static void number_statements(straight *s)
{
    const pool *p = s->spec->pool;
    for (int k = 0; k < s->walk.count; k++) {
        const expr e = s->walk.list[k];
        const expr_node *n = pool_at(p, e);
        s->number[e] = -1;
        if (n->op == EXPR_CALL) s->failed = 1;
        if (!is_statement(p, e)) continue;
        s->number[e] = s->last_use[e] = s->statements++;
        use(s, n->a, s->number[e]);
        if (n->op == EXPR_IF) {
            use(s, pool_at(p, n->b)->a, s->number[e]);
            use(s, pool_at(p, n->b)->b, s->number[e]);
        } else if (expr_operands((expr_op)n->op) == 2) use(s, n->b, s->number[e]);
    }
}

/* Outputs are stored at the end of the chunk that makes them; constants and inputs in the last. */
static void write_chunk(straight *s, int chunk, const unsigned char *grouped)
{
    const int last = s->statements > 0 ? (s->statements - 1) / STATEMENTS : 0;
    buffer_print(s->text, "static void %s_part%d(const double *restrict x, double *restrict r, double *restrict w)\n"
                 "{\n    (void)x, (void)r, (void)w;\n", s->name, chunk);
    for (int k = 0; k < s->walk.count; k++)
        if (s->number[s->walk.list[k]] >= 0 && s->number[s->walk.list[k]] / STATEMENTS == chunk)
            write_statement(s, s->walk.list[k]);
    for (int k = 0; k < s->spec->outputs; k++) {
        const int at = s->number[s->spec->output[k]];
        if (grouped[k] || (at < 0 ? last : at / STATEMENTS) != chunk) continue;
        char text[48];
        value_text(s, s->spec->output[k], chunk, text);
        buffer_print(s->text, "    r[%d] = %s;\n", k, text);
    }
    buffer_add(s->text, "}\n");
}

/* How many parts there are. */
static int write_straight(straight *s, const unsigned char *grouped)
{
    walk_begin(&s->walk, s->spec->pool);
    for (int k = 0; k < s->spec->outputs; k++)
        if (!grouped[k]) walk_add(&s->walk, s->spec->pool, s->spec->output[k]);
    s->number = malloc((size_t)s->spec->pool->count * sizeof(int));
    s->last_use = malloc((size_t)s->spec->pool->count * sizeof(int));
    if (!s->number || !s->last_use || s->walk.no_memory) return s->failed = -1, 0;
    for (int k = 0; k < s->spec->outputs; k++) s->number[s->spec->output[k]] = -1;
    number_statements(s);
    if (s->statements > MOST_STATEMENTS) s->failed = 1;
    const int parts = s->walk.count == 0 ? 0 : s->statements == 0 ? 1 : (s->statements - 1) / STATEMENTS + 1;
    for (int k = 0; k < parts && !s->failed; k++) write_chunk(s, k, grouped);
    return parts;
}

static void free_straight(straight *s)
{
    walk_free(&s->walk);
    free(s->number);
    free(s->last_use);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

int ctext_function(buffer *text, const char *name, const tape_spec *spec)
{
    shapes groups;
    unsigned char *grouped = calloc((size_t)spec->outputs + 1, 1);
    int code = grouped ? shapes_find(&groups, spec, LEAST_GROUP) : -1;
    straight s = {.text = text, .spec = spec, .name = name};
    if (code == 0) {
        for (int g = 0; g < groups.groups; g++) {
            for (int k = 0; k < groups.group[g].count; k++) grouped[shape_output(&groups, &groups.group[g], k)] = 1;
            buffer_print(text, "#define i%d %s_i%d\n#define o%d %s_o%d\n#define c%d %s_c%d\n", g, name, g, g, name, g,
                         g, name, g);
            write_loop(text, &groups, &groups.group[g], name, g);
            buffer_print(text, "#undef i%d\n#undef o%d\n#undef c%d\n", g, g, g);
        }
        const int parts = write_straight(&s, grouped);
        buffer_print(text, "void %s(const double *x, double *r)\n{\n    double w[%d];\n    (void)w;\n", name,
                     parts > 1 ? s.statements : 1);
        for (int g = 0; g < groups.groups; g++) buffer_print(text, "    %s_%d(x, r);\n", name, g);
        for (int k = 0; k < parts; k++) buffer_print(text, "    %s_part%d(x, r, w);\n", name, k);
        buffer_add(text, "}\n");
        code = s.failed ? s.failed : text->no_memory ? -1 : 0;
    }
    if (grouped) shapes_free(&groups);
    free_straight(&s);
    free(grouped);
    return code;
}
