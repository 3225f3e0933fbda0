/* evaluation.c -- the tapes of a model and the registers that they run on: see evaluation.h. */
#include "model/evaluation.h"

#include <stdlib.h>
#include <string.h>

void evaluation_open(evaluation *e, const model_system *s, const levels *l, const discrete *d)
{
    *e = (evaluation){.differential = l->differential, .algebraic = l->algebraic, .modes = d->modes,
                      .values = d->values, .system = s, .levels = l, .discrete = d,
                      .pool = &s->flat->pool};
    e->y_at = 1;
    e->z_at = e->y_at + e->differential;
    e->mode_at = e->z_at + e->algebraic;
    e->value_at = e->mode_at + e->modes;
    e->pre_mode_at = e->value_at + e->values;
    e->pre_value_at = e->pre_mode_at + e->modes;
    e->initial_at = e->pre_value_at + e->values;
    e->inputs = e->initial_at + 1;
    for (int k = 0; k < WORKSPACES; k++) {
        atomic_flag_clear(&e->space[k].busy);
        atomic_init(&e->space[k].made, 0);
    }
}

static void release(workspace *w)
{
    free(w->registers);
    free(w->block);
    free(w->square);
    free(w->pivot);
}

void evaluation_free(evaluation *e)
{
    for (int k = 0; k < e->tapes; k++) tape_free(e->tape[k]);
    for (int k = 0; k < e->tapes; k++) free(e->output[k]);
    for (int k = 0; k < e->tapes; k++) free(e->gather[k]);
    free(e->gather);
    free(e->output);
    free(e->outputs);
    free(e->native);
    free(e->needs);
    free(e->tape);
    for (int k = 0; k < WORKSPACES; k++) release(&e->space[k]);
    walk_free(&e->walk);
    *e = (evaluation){0};
}

static int unknown_leaf(evaluation *e, const expr_node *n)
{
    const int column = e->system->root_column[n->a];
    if (column < 0) return TAPE_UNKNOWN;
    const int order = (int)n->b, d = e->system->d[column];
    if (order < d) return e->y_at + levels_y(e->levels, column, order);
    if (order > d || e->levels->z_of[column] < 0) return TAPE_UNKNOWN;
    e->touched |= e->levels->z_of[column] >= e->algebraic - e->levels->solved;
    return e->z_at + e->levels->z_of[column];
}

int evaluation_leaf(void *context, const expr_node *n, double *value)
{
    evaluation *e = context;
    const model_system *s = e->system;
    int real = 0;
    switch ((expr_op)n->op) {
    case EXPR_TIME: return 0;
    case EXPR_INITIAL: return e->initial_at;
    case EXPR_TERMINAL: *value = 0; return TAPE_CONSTANT;
    case EXPR_PRE: case EXPR_VARIABLE: break;
    default: return TAPE_UNKNOWN;
    }
    if (n->a < (uint32_t)s->variables && s->kind[n->a] == KIND_KNOWN) {
        *value = n->op == EXPR_VARIABLE && n->b > 0 ? 0 : s->value[n->a];
        return TAPE_CONSTANT;
    }
    const int slot = discrete_slot(e->discrete, n->a, &real);
    if (slot < 0) return n->op == EXPR_VARIABLE ? unknown_leaf(e, n) : TAPE_UNKNOWN;
    if (n->op == EXPR_PRE) return slot + (real ? e->pre_value_at : e->pre_mode_at);
    return slot + (real ? e->value_at : e->mode_at);
}

/* The lists of tapes grow together. */
static int make_room(evaluation *e)
{
    if (e->tapes < e->room) return 0;
    const size_t n = 2 * (size_t)e->room + 16;
    eval_tape **tapes = realloc(e->tape, n * sizeof *tapes);
    if (tapes) e->tape = tapes;
    expr **lists = realloc(e->output, n * sizeof *lists);
    if (lists) e->output = lists;
    int *counts = realloc(e->outputs, n * sizeof *counts);
    if (counts) e->outputs = counts;
    void (**natives)(const double *, double *) = realloc(e->native, n * sizeof *natives);
    if (natives) e->native = natives;
    unsigned char *needs = realloc(e->needs, n);
    if (needs) e->needs = needs;
    int **gathers = realloc(e->gather, n * sizeof *gathers);
    if (gathers) e->gather = gathers;
    if (!tapes || !lists || !counts || !natives || !needs || !gathers) return -1;
    e->room = (int)n;
    return 0;
}

/* For one more tape, with a copy of what it computes. */
static int make_place(evaluation *e, const expr *output, int outputs)
{
    if (make_room(e)) return -1;
    e->native[e->tapes] = NULL;
    e->gather[e->tapes] = NULL;
    e->outputs[e->tapes] = outputs;
    e->output[e->tapes] = malloc(((size_t)outputs + 1) * sizeof **e->output);
    if (!e->output[e->tapes]) return -1;
    if (outputs) memcpy(e->output[e->tapes], output, (size_t)outputs * sizeof *output);
    return 0;
}

/* Its number, or -1, -2. */
static int compile(evaluation *e, const tape_spec *spec)
{
    e->touched = 0;
    const int code = tape_compile(&e->tape[e->tapes], spec);
    e->needs[e->tapes] = (unsigned char)e->touched;
    if (!code) return e->tapes++;
    free(e->output[e->tapes]);
    free(e->gather[e->tapes]);
    return code < 0 ? -1 : -2;
}

int evaluation_add(evaluation *e, const expr *output, int outputs)
{
    if (make_place(e, output, outputs)) return -1;
    return compile(e, &(tape_spec){.pool = e->pool, .calls = &e->system->calls, .inputs = e->inputs,
                                   .leaf = evaluation_leaf, .context = e, .output = output,
                                   .outputs = outputs});
}

/* ---- tapes with few inputs ------------------------------------------------------------------------- */

typedef struct few { evaluation *e; int *input, count; } few;

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

static int few_leaf(void *context, const expr_node *n, double *value)
{
    const few *f = context;
    const int input = evaluation_leaf(f->e, n, value);
    if (input < 0) return input;
    const int *found = bsearch(&input, f->input, (size_t)f->count, sizeof *f->input, ascending);
    return found ? (int)(found - f->input) : TAPE_UNKNOWN;
}

/* Numbers of the inputs in an expression, ascending, ended by -1. */
static int list_inputs(evaluation *e, expr output, few *f)
{
    walk *w = &e->walk;
    walk_begin(w, e->pool);
    walk_add(w, e->pool, output);
    f->input = w->no_memory ? NULL : malloc(((size_t)w->count + 1) * sizeof *f->input);
    if (!f->input) return -1;
    int all = 0;
    for (int k = 0; k < w->count; k++) {
        double unused;
        const int input = evaluation_leaf(e, pool_at(e->pool, w->list[k]), &unused);
        if (input >= 0) f->input[all++] = input;
    }
    if (all) qsort(f->input, (size_t)all, sizeof *f->input, ascending);
    for (int k = 0; k < all; k++)
        if (f->count == 0 || f->input[f->count - 1] != f->input[k]) f->input[f->count++] = f->input[k];
    f->input[f->count] = -1;
    return 0;
}

int evaluation_add_one(evaluation *e, expr output)
{
    few f = {.e = e};
    if (make_place(e, &output, 1)) return -1;
    if (list_inputs(e, output, &f)) return free(e->output[e->tapes]), -1;
    e->gather[e->tapes] = f.input;
    return compile(e, &(tape_spec){.pool = e->pool, .calls = &e->system->calls, .inputs = f.count,
                                   .leaf = few_leaf, .context = &f, .output = &output, .outputs = 1,
                                   .walk = &e->walk});
}

double evaluation_run_one(const evaluation *e, workspace *w, int tape, const double *inputs)
{
    double *r = w->registers[tape];
    const int *from = e->gather[tape];
    for (int k = 0; from[k] >= 0; k++) r[k] = inputs[from[k]];
    tape_run(e->tape[tape], r);
    return r[tape_outputs_at(e->tape[tape])];
}

static int make(const evaluation *e, workspace *w)
{
    size_t size = 1;
    for (int k = 0; k < e->tapes; k++) size += (size_t)tape_registers(e->tape[k]);
    w->registers = calloc((size_t)e->tapes + 1, sizeof *w->registers);
    w->block = calloc(size, sizeof *w->block);
    const size_t solved = (size_t)e->levels->solved;
    w->square = solved ? malloc((solved + 1) * solved * sizeof *w->square) : NULL;
    w->pivot = solved ? malloc(solved * sizeof *w->pivot) : NULL;
    if (!w->registers || !w->block || (solved && (!w->square || !w->pivot))) {
        release(w);
        w->registers = NULL;
        w->block = w->square = NULL;
        w->pivot = NULL;
        return -1;
    }
    double *at = w->block;
    for (int k = 0; k < e->tapes; k++) {
        w->registers[k] = at;
        tape_prepare(e->tape[k], at);
        at += tape_registers(e->tape[k]);
    }
    return 0;
}

int evaluation_complete(evaluation *e)
{
    if (make(e, &e->space[0])) return -1;
    atomic_store(&e->space[0].made, 1);
    return 0;
}

/* The first that is free: whose thread makes it, if nobody has. */
workspace *evaluation_take(evaluation *e)
{
    for (;;)
        for (int k = 0; k < WORKSPACES; k++) {
            workspace *w = &e->space[k];
            if (atomic_flag_test_and_set_explicit(&w->busy, memory_order_acquire)) continue;
            if (atomic_load_explicit(&w->made, memory_order_relaxed)) return w;
            if (make(e, w)) {
                atomic_flag_clear_explicit(&w->busy, memory_order_release);
                return NULL;
            }
            atomic_store_explicit(&w->made, 1, memory_order_relaxed);
            return w;
        }
}

void evaluation_give(evaluation *e, workspace *w)
{
    (void)e;
    atomic_flag_clear_explicit(&w->busy, memory_order_release);
}

double *evaluation_frame(const evaluation *e, workspace *w, int tape, const model_point *p)
{
    double *r = w->registers[tape];
    r[0] = p->t;
    for (int k = 0; k < e->modes; k++) {
        r[e->mode_at + k] = p->modes[k];
        r[e->pre_mode_at + k] = p->pre_modes[k];
    }
    if (e->values) {
        memcpy(r + e->value_at, p->values, (size_t)e->values * sizeof *r);
        memcpy(r + e->pre_value_at, p->pre_values, (size_t)e->values * sizeof *r);
    }
    r[e->initial_at] = p->initial;
    return r;
}

void evaluation_unknowns(const evaluation *e, workspace *w, const model_point *p, int with_solved, double *r)
{
    const int given = e->algebraic - e->levels->solved;
    memcpy(r + e->y_at, p->y, (size_t)e->differential * sizeof *r);
    if (given && p->z) memcpy(r + e->z_at, p->z, (size_t)given * sizeof *r);
    if (with_solved) e->solve(e->owner, w, p, r + e->z_at + given);
}

double *evaluation_execute(const evaluation *e, int tape, double *r)
{
    double *to = r + tape_outputs_at(e->tape[tape]);
    if (e->native[tape]) e->native[tape](r, to);
    else tape_run(e->tape[tape], r);
    return to;
}

double *evaluation_run(evaluation *e, workspace *w, int tape, const model_point *p)
{
    double *r = evaluation_frame(e, w, tape, p);
    evaluation_unknowns(e, w, p, e->needs[tape], r);
    return evaluation_execute(e, tape, r);
}
