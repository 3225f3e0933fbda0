/* shapes.c -- expressions that are the same but for inputs and constants: see shapes.h. */
#include "model/shapes.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400 };                  /* steps of a program that may repeat */

typedef struct program {
    int output, step, length, input, inputs, constant, constants;
    uint64_t hash;
} program;

typedef struct finder {
    const tape_spec *spec;
    shapes *s;
    program *program;
    int programs;
    int steps, step_room, inputs, input_room, constants, constant_room;
    int *local;                          /* per node of the pool: its local number              */
    walk walk;
    int failed;
} finder;

static void *grown(finder *f, void *block, int count, int *room, size_t size)
{
    if (count < *room) return block;
    const int more = *room ? 2 * *room : 1024;
    void *moved = realloc(block, (size_t)more * size);
    if (!moved) return f->failed = 1, block;
    *room = more;
    return moved;
}

static int add_input(finder *f, const program *p, int input)
{
    for (int k = 0; k < p->inputs; k++)
        if (f->s->input[p->input + k] == input) return k;
    f->s->input = grown(f, f->s->input, f->inputs, &f->input_room, sizeof(int));
    if (!f->failed) f->s->input[f->inputs++] = input;
    return p->inputs;
}

static uint32_t add_constant(finder *f, program *p, double value)
{
    f->s->constant = grown(f, f->s->constant, f->constants, &f->constant_room, sizeof(double));
    if (!f->failed) f->s->constant[f->constants++] = value;
    return (uint32_t)p->constants++;
}

static int find_leaf(finder *f, program *p, expr e, shape_step *step)
{
    const expr_node *n = pool_at(f->spec->pool, e);
    double value = 0;
    const int input = n->op == EXPR_CONSTANT ? TAPE_CONSTANT : f->spec->leaf(f->spec->context, n, &value);
    if (input == TAPE_UNKNOWN) return -1;
    if (n->op == EXPR_CONSTANT) value = n->value;
    if (input == TAPE_CONSTANT) *step = (shape_step){.op = SHAPE_CONSTANT, .a = add_constant(f, p, value)};
    else {
        const int at = add_input(f, p, input);
        if (at == p->inputs) p->inputs++;
        *step = (shape_step){.op = SHAPE_INPUT, .a = (uint32_t)at};
    }
    return 0;
}

static int make_step(finder *f, program *p, expr e, shape_step *step)
{
    const pool *q = f->spec->pool;
    const expr_node *n = pool_at(q, e);
    const int operands = expr_operands((expr_op)n->op);
    if (n->op == EXPR_CALL || n->op == EXPR_ARGUMENT) return -1;
    if (operands == 0) return find_leaf(f, p, e, step);
    *step = (shape_step){.op = n->op, .a = (uint32_t)f->local[n->a]};
    if (n->op == EXPR_IF) {
        step->b = (uint32_t)f->local[pool_at(q, n->b)->a];
        step->c = (uint32_t)f->local[pool_at(q, n->b)->b];
    } else if (operands == 2) step->b = (uint32_t)f->local[n->b];
    if (n->op == EXPR_POWER && pool_op(q, n->b) == EXPR_CONSTANT) {
        step->known = 1;
        step->exponent = pool_at(q, n->b)->value;
    }
    return 0;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 31);
}

static uint64_t hash_step(uint64_t h, const shape_step *s)
{
    uint64_t bits;
    memcpy(&bits, &s->exponent, sizeof bits);
    h = mix(h, (uint64_t)s->op << 32 | s->a);
    return mix(mix(h, (uint64_t)s->b << 32 | s->c), bits + (uint64_t)s->known);
}

/* Writes the program of one output; it is dropped if it is too long or cannot be written. */
static void list_output(finder *f, int output)
{
    program p = {.output = output, .step = f->steps, .input = f->inputs, .constant = f->constants,
                 .hash = UINT64_C(0xC2B2AE3D27D4EB4F)};
    int dropped = 0;
    walk_begin(&f->walk, f->spec->pool);
    walk_add(&f->walk, f->spec->pool, f->spec->output[output]);
    if (f->walk.count > LONGEST) return;
    for (int k = 0; k < f->walk.count && !dropped && !f->failed; k++) {
        const expr e = f->walk.list[k];
        shape_step step;
        if (pool_op(f->spec->pool, e) == EXPR_BRANCHES) continue;
        dropped = make_step(f, &p, e, &step);
        f->s->steps = grown(f, f->s->steps, f->steps, &f->step_room, sizeof(shape_step));
        if (dropped || f->failed) break;
        f->local[e] = p.length++;
        f->s->steps[f->steps++] = step;
        p.hash = hash_step(p.hash, &step);
    }
    if (!dropped && !f->failed && p.length > 1) {
        f->program[f->programs++] = p;
        return;
    }
    f->steps = p.step;
    f->inputs = p.input;
    f->constants = p.constant;
}

static int by_hash(const void *a, const void *b)
{
    const program *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->output > y->output) - (x->output < y->output);
}

static int same_shape(const finder *f, const program *a, const program *b)
{
    if (a->hash != b->hash || a->length != b->length || a->inputs != b->inputs || a->constants != b->constants)
        return 0;
    for (int k = 0; k < a->length; k++) {
        const shape_step *x = &f->s->steps[a->step + k], *y = &f->s->steps[b->step + k];
        if (x->op != y->op || x->a != y->a || x->b != y->b || x->c != y->c || x->known != y->known
            || (x->known && x->exponent != y->exponent)) return 0;
    }
    return 1;
}

static void collect_groups(finder *f, int least)
{
    shapes *s = f->s;
    int members = 0;
    for (int k = 0; k < f->programs;) {
        int end = k + 1;
        while (end < f->programs && same_shape(f, &f->program[k], &f->program[end])) end++;
        if (end - k >= least) {
            const program *p = &f->program[k];
            s->group[s->groups++] = (shape_group){members, end - k, p->step, p->length, p->inputs, p->constants};
            for (int i = k; i < end; i++)
                s->member[members++] = (shape_member){f->program[i].output, f->program[i].input,
                                                      f->program[i].constant};
        }
        k = end;
    }
}

int shapes_find(shapes *s, const tape_spec *spec, int least)
{
    *s = (shapes){0};
    const size_t n = (size_t)spec->outputs + 1;
    finder f = {.spec = spec, .s = s, .program = malloc(n * sizeof *f.program),
                .local = malloc((size_t)spec->pool->count * sizeof(int))};
    s->group = malloc(n * sizeof *s->group);
    s->member = malloc(n * sizeof *s->member);
    if (!f.program || !f.local || !s->group || !s->member) f.failed = 1;
    for (int k = 0; k < spec->outputs && !f.failed; k++) list_output(&f, k);
    if (!f.failed && f.programs > 1) qsort(f.program, (size_t)f.programs, sizeof *f.program, by_hash);
    if (!f.failed) collect_groups(&f, least);
    const int failed = f.failed || f.walk.no_memory;
    walk_free(&f.walk);
    free(f.program);
    free(f.local);
    return failed ? -1 : 0;
}

void shapes_free(shapes *s)
{
    free(s->group);
    free(s->member);
    free(s->steps);
    free(s->input);
    free(s->constant);
    *s = (shapes){0};
}
