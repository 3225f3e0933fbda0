/* tape.c -- compiles expressions to a tape: see tape.h.
 *
 * Nodes are visited operands first.  What depends on constants alone is folded (parameters are
 * constants here); a product that is used once becomes part of the sum or product around it; sine and
 * cosine of the same are computed together.
 */
#include "model/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/tape_ops.h"

typedef struct compiled {                        /* a node: a constant, or a register */
    double value;
    int constant, reg;
    int uses;
} compiled;

typedef struct compiler {
    const tape_spec *spec;
    eval_tape *t;
    walk own, *walk;                             /* borrowed, or its own */
    compiled *node;                              /* by number of the node */
    struct { double value; int reg; } *table;    /* constants, hashed */
    int table_size;
    int next;                                    /* register */
    int failed;                                  /* -1 no memory, 1 unknown leaf */
} compiler;

void tape_free(eval_tape *t)
{
    if (!t) return;
    free(t->code);
    free(t->constant);
    free(t->site);
    free(t->input);
    free(t);
}

int tape_registers(const eval_tape *t) { return t->registers; }
int tape_outputs_at(const eval_tape *t) { return t->outputs_at; }
long tape_instructions(const eval_tape *t) { return t->count - 1; }

void tape_prepare(const eval_tape *t, double *registers)
{
    if (t->constants)
        memcpy(registers + t->inputs, t->constant, (size_t)t->constants * sizeof *registers);
}

/* ---- constants: the same number has one register ------------------------------------------------ */

static uint64_t bits(double value)
{
    uint64_t b;
    memcpy(&b, &value, sizeof b);
    return b;
}

static int constant_register(compiler *c, double value)
{
    const uint64_t key = bits(value);
    uint64_t at = (key * UINT64_C(0x9E3779B97F4A7C15)) >> 40;
    for (;; at++) {
        const int place = (int)(at & (uint64_t)(c->table_size - 1));
        if (c->table[place].reg < 0) {
            c->table[place].reg = c->t->inputs + c->t->constants;
            c->table[place].value = value;
            c->t->constant[c->t->constants++] = value;
            return c->table[place].reg;
        }
        if (bits(c->table[place].value) == key) return c->table[place].reg;
    }
}

static int reg(compiler *c, expr e)
{
    compiled *n = &c->node[e];
    return n->constant ? constant_register(c, n->value) : n->reg;
}

/* ---- instructions ------------------------------------------------------------------------------ */

static int emit(compiler *c, enum tape_op op, int to, const int *from)
{
    eval_tape *t = c->t;
    if (t->count == t->room) {
        const long room = t->room ? 2 * t->room : 256;
        instruction *more = realloc(t->code, (size_t)room * sizeof *more);
        if (!more) return c->failed = -1;
        t->code = more;
        t->room = room;
    }
    const uint32_t size = (uint32_t)sizeof(double);
    t->code[t->count++] = (instruction){.what.op = (uintptr_t)op, .to = size * (uint32_t)to,
        .a = size * (uint32_t)from[0], .b = size * (uint32_t)from[1],
        .c = size * (uint32_t)from[2], .d = size * (uint32_t)from[3]};
    return 0;
}

static const int plain[EXPR_OPS] = {
    [EXPR_NEGATE] = TAPE_NEGATE, [EXPR_NOT] = TAPE_NOT, [EXPR_ABS] = TAPE_ABS,
    [EXPR_SIGN] = TAPE_SIGN, [EXPR_SQRT] = TAPE_SQRT, [EXPR_EXP] = TAPE_EXP, [EXPR_LOG] = TAPE_LOG,
    [EXPR_LOG10] = TAPE_LOG10, [EXPR_SIN] = TAPE_SIN, [EXPR_COS] = TAPE_COS, [EXPR_TAN] = TAPE_TAN,
    [EXPR_ASIN] = TAPE_ASIN, [EXPR_ACOS] = TAPE_ACOS, [EXPR_ATAN] = TAPE_ATAN,
    [EXPR_SINH] = TAPE_SINH, [EXPR_COSH] = TAPE_COSH, [EXPR_TANH] = TAPE_TANH,
    [EXPR_FLOOR] = TAPE_FLOOR, [EXPR_CEIL] = TAPE_CEIL, [EXPR_ADD] = TAPE_ADD,
    [EXPR_SUBTRACT] = TAPE_SUBTRACT, [EXPR_MULTIPLY] = TAPE_MULTIPLY, [EXPR_DIVIDE] = TAPE_DIVIDE,
    [EXPR_POWER] = TAPE_POWER, [EXPR_ATAN2] = TAPE_ATAN2, [EXPR_MIN] = TAPE_MIN,
    [EXPR_MAX] = TAPE_MAX, [EXPR_QUOTIENT] = TAPE_QUOTIENT, [EXPR_MOD] = TAPE_MOD,
    [EXPR_REM] = TAPE_REM, [EXPR_LESS] = TAPE_LESS, [EXPR_LESS_EQUAL] = TAPE_LESS_EQUAL,
    [EXPR_EQUAL] = TAPE_EQUAL, [EXPR_NOT_EQUAL] = TAPE_NOT_EQUAL, [EXPR_AND] = TAPE_AND,
    [EXPR_OR] = TAPE_OR,
};

/* The last instruction, if it made this register and nothing else needs it. */
static instruction *last_of(compiler *c, expr e)
{
    const compiled *n = &c->node[e];
    if (n->constant || n->uses != 1 || c->t->count == 0) return NULL;
    instruction *last = &c->t->code[c->t->count - 1];
    return last->to == (uint32_t)sizeof(double) * (uint32_t)n->reg && n->reg >= 0 ? last : NULL;
}

/* op of the merged instruction when `inner` is operand number `side` of `outer`, else -1; the other
 * operand of outer then comes behind those of inner. */
static int merged(uintptr_t inner, expr_op outer, int side)
{
    if (outer == EXPR_ADD)
        return inner == TAPE_MULTIPLY ? TAPE_MULTIPLY_ADD : inner == TAPE_ADD && side == 0 ? TAPE_ADD_ADD
             : inner == TAPE_SUBTRACT && side == 0 ? TAPE_SUBTRACT_ADD
             : inner == TAPE_MULTIPLY_MULTIPLY ? TAPE_THREE_TIMES_ADD : -1;
    if (outer == EXPR_SUBTRACT && side == 0)
        return inner == TAPE_MULTIPLY ? TAPE_MULTIPLY_SUBTRACT : inner == TAPE_ADD ? TAPE_ADD_SUBTRACT
             : inner == TAPE_SUBTRACT ? TAPE_SUBTRACT_SUBTRACT
             : inner == TAPE_MULTIPLY_MULTIPLY ? TAPE_THREE_TIMES_SUBTRACT : -1;
    if (outer == EXPR_SUBTRACT)
        return inner == TAPE_MULTIPLY ? TAPE_SUBTRACT_MULTIPLY
             : inner == TAPE_MULTIPLY_MULTIPLY ? TAPE_SUBTRACT_THREE_TIMES : -1;
    if (outer == EXPR_MULTIPLY)
        return inner == TAPE_ADD ? TAPE_SUM_TIMES : inner == TAPE_SUBTRACT ? TAPE_DIFFERENCE_TIMES
             : inner == TAPE_MULTIPLY && side == 0 ? TAPE_MULTIPLY_MULTIPLY
             : inner == TAPE_MULTIPLY_MULTIPLY && side == 0 ? TAPE_FOUR_TIMES : -1;
    if (outer == EXPR_DIVIDE && side == 0)
        return inner == TAPE_ADD ? TAPE_SUM_BY : inner == TAPE_SUBTRACT ? TAPE_DIFFERENCE_BY
             : inner == TAPE_MULTIPLY ? TAPE_PRODUCT_BY : inner == TAPE_MULTIPLY_ADD ? TAPE_MULTIPLY_ADD_BY
             : inner == TAPE_MULTIPLY_SUBTRACT ? TAPE_MULTIPLY_SUBTRACT_BY
             : inner == TAPE_SUBTRACT_MULTIPLY ? TAPE_SUBTRACT_MULTIPLY_BY : -1;
    if (outer == EXPR_NEGATE) return inner == TAPE_MULTIPLY ? TAPE_NEGATE_MULTIPLY : -1;
    return -1;
}

/* a*b +- c*d: the product before the last one, when it too is used once. */
static int merge_products(compiler *c, expr_op op, expr a, expr b, int to)
{
    const uint32_t size = (uint32_t)sizeof(double);
    instruction *second = last_of(c, b);
    if ((op != EXPR_ADD && op != EXPR_SUBTRACT) || !second || second->what.op != TAPE_MULTIPLY
        || c->t->count < 2) return 0;
    instruction *first = second - 1;
    const compiled *n = &c->node[a];
    if (n->constant || n->uses != 1 || first->what.op != TAPE_MULTIPLY
        || first->to != size * (uint32_t)n->reg) return 0;
    first->what.op = op == EXPR_ADD ? TAPE_TWO_PRODUCTS : TAPE_PRODUCT_DIFFERENCE;
    first->c = second->a;
    first->d = second->b;
    first->to = size * (uint32_t)to;
    c->t->count--;
    return 1;
}

static int merge(compiler *c, expr_op op, expr a, expr b, int to)
{
    if (merge_products(c, op, a, b, to)) return 1;
    const expr operand[2] = {a, b};
    for (int side = 0; side < 2 && operand[side]; side++) {
        instruction *last = last_of(c, operand[side]);
        const int code = last ? merged(last->what.op, op, side) : -1;
        if (code < 0) continue;
        const expr other = operand[1 - side];
        const int place = other ? reg(c, other) : 0;
        const uint32_t offset = (uint32_t)sizeof(double) * (uint32_t)place;
        if (last->what.op == TAPE_MULTIPLY_MULTIPLY || last->what.op == TAPE_MULTIPLY_ADD
            || last->what.op == TAPE_MULTIPLY_SUBTRACT || last->what.op == TAPE_SUBTRACT_MULTIPLY) last->d = offset;
        else last->c = offset;
        last->what.op = (uintptr_t)code;
        last->to = (uint32_t)sizeof(double) * (uint32_t)to;
        return 1;
    }
    return 0;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static int emit_power(compiler *c, const expr_node *n, int to)
{
    const compiled *exponent = &c->node[n->b];
    const int a = reg(c, n->a);
    int from[4] = {a, a, a, a};
    if (exponent->constant && exponent->value == 2) return emit(c, TAPE_SQUARE, to, from);
    if (exponent->constant && exponent->value == 3) return emit(c, TAPE_CUBE, to, from);
    if (exponent->constant && exponent->value == 4) return emit(c, TAPE_FOUR_TIMES, to, from);
    if (exponent->constant && exponent->value == 0.5) return emit(c, TAPE_SQRT, to, from);
    if (exponent->constant && exponent->value == -1) {
        from[0] = constant_register(c, 1);
        return emit(c, TAPE_DIVIDE, to, from);
    }
    from[1] = reg(c, n->b);
    return emit(c, TAPE_POWER, to, from);
}

static int call_site(compiler *c, const expr_node *n)
{
    eval_tape *t = c->t;
    const int function = c->spec->calls->called[n->b].function;
    for (int k = t->sites - 1; k >= 0 && k >= t->sites - 32; k--)
        if (t->site[k].function == function && t->site[k].arguments == n->a) return k;
    const call_function *f = &c->spec->calls->function[function];
    if (t->sites == t->site_room) {
        const int room = t->site_room ? 2 * t->site_room : 16;
        tape_call_site *more = realloc(t->site, (size_t)room * sizeof *more);
        if (!more) return c->failed = -1;
        t->site = more;
        t->site_room = room;
    }
    if (t->input_count + f->inputs > t->input_room) {
        const int room = 2 * (t->input_count + f->inputs);
        uint32_t *more = realloc(t->input, (size_t)room * sizeof *more);
        if (!more) return c->failed = -1;
        t->input = more;
        t->input_room = room;
    }
    t->site[t->sites] = (tape_call_site){function, n->a, (uint32_t)t->input_count, (uint32_t)c->next};
    c->next += f->outputs;
    int k = 0;
    for (expr at = n->a; at && k < f->inputs; at = pool_at(c->spec->pool, at)->b, k++)
        t->input[t->input_count++] = (uint32_t)reg(c, pool_at(c->spec->pool, at)->a);
    if (k != f->inputs) return c->failed = 1;
    const int zero[4] = {0};
    emit(c, TAPE_CALL, 0, zero);
    t->code[t->count - 1].a = (uint32_t)t->sites;
    return t->sites++;
}

/* sin(a) where cos(a) is needed, too, or the other way round: one instruction for both. */
static int emit_sin_cos(compiler *c, const expr_node *n, int to)
{
    const expr twin = pool_seek(c->spec->pool, n->op == EXPR_SIN ? EXPR_COS : EXPR_SIN, n->a, 0);
    const int known = twin && c->walk->stamp[twin] == c->walk->now;
    int from[4] = {reg(c, n->a), 0, 0, 0};
    if (!known || c->node[twin].constant || c->node[twin].reg >= 0)
        return emit(c, n->op == EXPR_SIN ? TAPE_SIN : TAPE_COS, to, from);
    c->node[twin].reg = c->next++;
    const int sine = n->op == EXPR_SIN ? to : c->node[twin].reg;
    from[1] = n->op == EXPR_SIN ? c->node[twin].reg : to;
    return emit(c, TAPE_SIN_COS, sine, from);
}

static int fold_node(compiler *c, const expr_node *n, compiled *node)
{
    const int operands = expr_operands((expr_op)n->op);
    const compiled *a = &c->node[n->a], *b = operands == 2 ? &c->node[n->b] : NULL;
    if (n->op == EXPR_IF || !a->constant || (b && !b->constant)) return 0;
    node->value = expr_fold((expr_op)n->op, a->value, b ? b->value : 0);
    node->constant = 1;
    return 1;
}

static void compile_leaf(compiler *c, const expr_node *n, compiled *node)
{
    if (n->op == EXPR_CONSTANT) {
        node->constant = 1;
        node->value = n->value;
        return;
    }
    node->reg = c->spec->leaf(c->spec->context, n, &node->value);
    if (node->reg == TAPE_CONSTANT) node->constant = 1;
    if (node->reg == TAPE_UNKNOWN) c->failed = 1;
}

/* x + 0, 1 x and their like, where a parameter is 0 or 1: the register of the operand, else 0. */
static int same_as_operand(const compiler *c, const expr_node *n, compiled *node)
{
    const compiled *a = &c->node[n->a], *b = &c->node[n->b];
    const compiled *same = NULL;
    if (n->op == EXPR_ADD)
        same = a->constant && a->value == 0 ? b : b->constant && b->value == 0 ? a : NULL;
    else if (n->op == EXPR_SUBTRACT) same = b->constant && b->value == 0 ? a : NULL;
    else if (n->op == EXPR_MULTIPLY) {
        if ((a->constant && a->value == 0) || (b->constant && b->value == 0)) {
            node->constant = 1;
            node->value = 0;
            return 1;
        }
        same = a->constant && a->value == 1 ? b : b->constant && b->value == 1 ? a : NULL;
    } else if (n->op == EXPR_DIVIDE) same = b->constant && b->value == 1 ? a : NULL;
    if (!same) return 0;
    node->constant = same->constant;
    node->value = same->value;
    node->reg = same->reg;
    return 1;
}

static void compile_if(compiler *c, const expr_node *n, compiled *node, int to)
{
    const expr_node *branches = pool_at(c->spec->pool, n->b);
    const compiled *condition = &c->node[n->a];
    if (condition->constant) {
        const compiled *taken = &c->node[condition->value != 0 ? branches->a : branches->b];
        const int uses = node->uses;
        *node = *taken;
        node->uses = uses + 1;
        return;
    }
    const int from[4] = {reg(c, branches->a), reg(c, branches->b), reg(c, n->a), 0};
    node->reg = to;
    emit(c, TAPE_SELECT, to, from);
}

static void compile_node(compiler *c, expr e)
{
    const expr_node *n = pool_at(c->spec->pool, e);
    compiled *node = &c->node[e];
    if (node->reg >= 0 || node->constant) return;                 /* the twin of a sine */
    if (n->op == EXPR_ARGUMENT || n->op == EXPR_BRANCHES) return;
    if (n->op == EXPR_CALL) {
        const int site = call_site(c, n);
        if (!c->failed) node->reg = (int)c->t->site[site].to + c->spec->calls->called[n->b].output;
        return;
    }
    const int operands = expr_operands((expr_op)n->op);
    if (operands == 0 || n->op == EXPR_SAMPLE || n->op == EXPR_DER || n->op == EXPR_EDGE) {
        compile_leaf(c, n, node);
        return;
    }
    if (fold_node(c, n, node)) return;
    if (n->op == EXPR_NO_EVENT || n->op == EXPR_SMOOTH || n->op == EXPR_HOMOTOPY) {
        const int uses = node->uses;
        *node = c->node[n->op == EXPR_SMOOTH ? n->b : n->a];
        node->uses = uses + 1;                   /* its register has another user */
        return;
    }
    if (operands == 2 && n->op != EXPR_IF && same_as_operand(c, n, node)) {
        node->uses += 2;
        return;
    }
    const int to = c->next++;
    if (n->op == EXPR_IF) {
        compile_if(c, n, node, to);
        return;
    }
    if (n->op == EXPR_SIN || n->op == EXPR_COS) emit_sin_cos(c, n, to);
    else if (n->op == EXPR_POWER) emit_power(c, n, to);
    else if (!merge(c, (expr_op)n->op, n->a, operands == 2 ? n->b : 0, to)) {
        const int from[4] = {reg(c, n->a), operands == 2 ? reg(c, n->b) : 0, 0, 0};
        emit(c, (enum tape_op)plain[n->op], to, from);
    }
    node->reg = to;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void count_uses(compiler *c)
{
    const pool *p = c->spec->pool;
    for (int k = 0; k < c->walk->count; k++) {
        const expr_node *n = pool_at(p, c->walk->list[k]);
        expr child[2];
        const int children = expr_children(p, c->walk->list[k], child);
        for (int i = 0; i < children; i++) c->node[child[i]].uses += n->op == EXPR_BRANCHES ? 2 : 1;
        if (n->op == EXPR_ARGUMENT) c->node[n->a].uses++;
    }
    for (int k = 0; k < c->spec->outputs; k++) c->node[c->spec->output[k]].uses++;
}

static int open_compiler(compiler *c, const tape_spec *spec)
{
    *c = (compiler){.spec = spec, .t = calloc(1, sizeof *c->t), .walk = spec->walk ? spec->walk : &c->own};
    walk_begin(c->walk, spec->pool);
    for (int k = 0; k < spec->outputs; k++) walk_add(c->walk, spec->pool, spec->output[k]);
    if (!c->t || c->walk->no_memory) return -1;
    c->table_size = 64;
    while (c->table_size < 4 * c->walk->count) c->table_size *= 2;
    c->t->inputs = spec->inputs;
    c->t->calls = spec->calls;
    c->node = malloc((size_t)spec->pool->count * sizeof *c->node);
    c->table = malloc((size_t)c->table_size * sizeof *c->table);
    c->t->constant = malloc(2 * ((size_t)c->walk->count + (size_t)spec->outputs + 2) * sizeof(double));
    if (!c->node || !c->table || !c->t->constant) return -1;
    for (int k = 0; k < c->table_size; k++) c->table[k].reg = -1;
    for (int k = 0; k < c->walk->count; k++)
        c->node[c->walk->list[k]] = (compiled){.reg = -1};
    for (int k = 0; k < spec->outputs; k++) c->node[spec->output[k]] = (compiled){.reg = -1};
    return 0;
}

/* Results side by side: copied there, unless the instruction that makes one can put it there. */
static void place_outputs(compiler *c)
{
    const uint32_t size = (uint32_t)sizeof(double);
    eval_tape *t = c->t;
    long *maker = malloc(((size_t)c->next + 1) * sizeof *maker);
    if (!maker) {
        c->failed = -1;
        return;
    }
    for (int k = 0; k < c->next; k++) maker[k] = -1;
    for (long i = 0; i < t->count; i++) {
        const uintptr_t op = t->code[i].what.op;
        if (op != TAPE_CALL && op != TAPE_SIN_COS) maker[t->code[i].to / size] = i;
    }
    t->outputs_at = c->next;
    c->next += c->spec->outputs;
    for (int k = 0; k < c->spec->outputs; k++) {
        const expr e = c->spec->output[k];
        const compiled *n = &c->node[e];
        const int at = n->constant || n->uses != 1 ? -1 : n->reg;
        if (at >= 0 && maker[at] >= 0) {
            t->code[maker[at]].to = size * (uint32_t)(t->outputs_at + k);
            continue;
        }
        const int from[4] = {reg(c, e), 0, 0, 0};
        emit(c, TAPE_COPY, t->outputs_at + k, from);
    }
    free(maker);
}

/* Constants were numbered from the inputs on while it was not known how many there are: what comes
 * behind them was numbered from `shift` on. */
static void renumber(eval_tape *t, int shift)
{
    const uint32_t size = (uint32_t)sizeof(double), from = size * (uint32_t)shift;
    const uint32_t by = size * (uint32_t)(shift - (t->inputs + t->constants));
    for (long i = 0; i < t->count; i++) {
        instruction *n = &t->code[i];
        uint32_t *each[] = {&n->to, &n->b, &n->c, &n->d, &n->a};
        const int places = n->what.op == TAPE_CALL ? 4 : 5;
        for (int k = 0; k < places; k++)
            if (*each[k] >= from) *each[k] -= by;
    }
    for (int k = 0; k < t->input_count; k++)
        if (t->input[k] >= (uint32_t)shift) t->input[k] -= by / size;
    for (int k = 0; k < t->sites; k++) t->site[k].to -= by / size;
    t->outputs_at -= (int)(by / size);
}

int tape_compile(eval_tape **tape, const tape_spec *spec)
{
    compiler c;
    *tape = NULL;
    if (open_compiler(&c, spec)) c.failed = -1;
    const int shift = spec->inputs + 2 * (c.walk->count + spec->outputs + 2);
    c.next = shift;
    if (!c.failed) count_uses(&c);
    for (int k = 0; k < c.walk->count && !c.failed; k++) compile_node(&c, c.walk->list[k]);
    if (!c.failed) place_outputs(&c);
    const int none[4] = {0};
    if (!c.failed) emit(&c, TAPE_END, 0, none);
    if (!c.failed) {
        renumber(c.t, shift);
        int inputs = 0, outputs = 0;
        if (spec->calls) calls_largest(spec->calls, &inputs, &outputs);
        c.t->call_at = c.next - (shift - spec->inputs - c.t->constants);
        c.t->registers = c.t->call_at + 3 * inputs + 6 * outputs + 2;
        c.t->outputs = spec->outputs;
        tape_thread(c.t);
        *tape = c.t;
    } else tape_free(c.t);
    walk_free(&c.own);
    free(c.node);
    free(c.table);
    return c.failed;
}
