/* programs.c -- the tapes of a model: rates, levels, Jacobians, signals, items, outputs. */
#include <stdlib.h>
#include <string.h>

#include "model/object.h"

static int added(keel_model *m, int number)
{
    if (number >= 0) return KEEL_OK;
    if (number == -1) return KEEL_NO_MEMORY;
    source_say(m->source, SEVERITY_ERROR, (span){.text = -1},
               "an expression contains a derivative that the equations do not determine");
    return KEEL_BAD_ARGUMENT;
}

static int add(keel_model *m, const expr *output, int count, int *number)
{
    return added(m, *number = evaluation_add(&m->evaluation, output, count));
}

static int add_one(keel_model *m, expr output, int *number)
{
    return added(m, *number = evaluation_add_one(&m->evaluation, output));
}

/* Entries of a row: the gradient of its expression. */
static int gradient_row(keel_model *m, nonzeros *z, gradient *g, int to, expr e)
{
    const evaluation *v = &m->evaluation;
    if (derivative_gradient(&m->system.derivation, e, g)) return -1;
    for (int k = 0; k < g->count; k++) {
        double unused;
        const int at = evaluation_leaf(&m->evaluation, pool_at(&m->flat->pool, g->leaf[k]), &unused);
        if (at < v->y_at) continue;
        const int column = at - v->y_at;         /* z follows y, in registers as in the problem */
        if (nonzeros_add(z, to, column, g->value[k])) return -1;
    }
    return 0;
}

static int collect_jacobians(keel_model *m)
{
    const levels *l = &m->levels;
    const int n = l->differential;
    gradient g = {0};
    int code = 0;
    for (int a = 0; a < n && !code; a++)
        code = l->next[a] >= 0 ? nonzeros_add(&m->jacobian, a, l->next[a], pool_constant(&m->flat->pool, 1))
                               : gradient_row(m, &m->jacobian, &g, a, l->f[a]);
    for (int k = 0; k <= l->depth; k++)
        for (int r = 0; r < l->algebraic && !code; r++)
            if (l->h[k][r])
                code = gradient_row(m, k ? &m->level_jacobian[k] : &m->jacobian, &g, n + r, l->h[k][r]);
    gradient_free(&g);
    return code || pool_full(&m->flat->pool) ? KEEL_NO_MEMORY : KEEL_OK;
}

static int compile_levels(keel_model *m)
{
    const levels *l = &m->levels;
    programs *p = &m->programs;
    pool *q = &m->flat->pool;
    expr *f = malloc(((size_t)l->differential + (size_t)l->algebraic + 1) * sizeof *f);
    if (!f) return KEEL_NO_MEMORY;
    for (int a = 0; a < l->differential; a++) f[a] = l->next[a] >= 0 ? pool_constant(q, 0) : l->f[a];
    int code = add(m, f, l->differential, &p->rate);
    for (int k = 0; k <= l->depth && code == KEEL_OK && l->algebraic; k++) {
        for (int r = 0; r < l->algebraic; r++) f[r] = l->h[k][r] ? l->h[k][r] : pool_constant(q, 0);
        code = add(m, f, l->algebraic, &p->level[k]);
    }
    free(f);
    if (code == KEEL_OK) code = collect_jacobians(m);
    if (code == KEEL_OK) code = add(m, m->jacobian.value, m->jacobian.count, &p->jacobian);
    for (int k = 1; k <= l->depth && code == KEEL_OK; k++)
        code = add(m, m->level_jacobian[k].value, m->level_jacobian[k].count, &p->level_jacobian[k]);
    return code;
}

/* Outputs of a tape: the parts in the order of their bits. */
static int list_parts(const keel_model *m, unsigned wanted, expr *to)
{
    const mechanical *f = &m->mechanical;
    const size_t n = (size_t)f->positions, c = (size_t)f->constraints;
    const struct { unsigned part; const expr *list; size_t count; } parts[] = {
        {KEEL_MASS, f->mass.value, (size_t)f->mass.count}, {KEEL_FORCE, f->force, n},
        {KEEL_CONSTRAINT, f->constraint, c},
        {KEEL_CONSTRAINT_JACOBIAN, f->jacobian.value, (size_t)f->jacobian.count},
        {KEEL_CONSTRAINT_TIME, f->time, c}, {KEEL_CURVATURE, f->curvature, c}};
    size_t count = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!(wanted & parts[k].part)) continue;
        if (to) memcpy(to + count, parts[k].list, parts[k].count * sizeof *to);
        count += parts[k].count;
    }
    return (int)count;
}

static int compile_mechanical(keel_model *m)
{
    gradient g = {0};
    int code = KEEL_OK;
    for (int k = 0; k < MECHANICAL_TAPES && code == KEEL_OK; k++) {
        const int count = list_parts(m, mechanical_tapes[k], NULL);
        expr *all = malloc(((size_t)count + 1) * sizeof *all);
        if (!all) return KEEL_NO_MEMORY;
        list_parts(m, mechanical_tapes[k], all);
        code = add(m, all, count, &m->programs.parts[k]);
        free(all);
    }
    for (int i = 0; i < m->mechanical.positions && code == KEEL_OK; i++)
        if (gradient_row(m, &m->jacobian, &g, i, m->mechanical.force[i])) code = KEEL_NO_MEMORY;
    gradient_free(&g);
    if (code == KEEL_OK) code = add(m, m->jacobian.value, m->jacobian.count, &m->programs.force_jacobian);
    return code;
}

/* Per signal the number that decides: b - a, what floor is of, the time of its change. */
static int compile_signals(keel_model *m)
{
    const discrete *d = &m->discrete;
    pool *q = &m->flat->pool;
    expr *e = malloc(((size_t)d->signals + 1) * sizeof *e);
    if (!e) return KEEL_NO_MEMORY;
    for (int k = 0; k < d->signals; k++) {
        const event_signal *s = &d->signal[k];
        e[k] = s->kind == SIGNAL_RELATION ? s->way == WAY_TIME ? s->time : make_subtract(q, s->b, s->a)
             : s->kind == SIGNAL_FLOOR ? s->a : pool_constant(q, 0);
    }
    const int code = add(m, e, d->signals, &m->programs.signals);
    free(e);
    return code;
}

static int compile_items(keel_model *m)
{
    const discrete *d = &m->discrete;
    programs *p = &m->programs;
    const flat_model *f = m->flat;
    p->item = calloc((size_t)d->items + 1, sizeof(int));
    p->fires = calloc((size_t)f->branches + 1, sizeof(int));
    p->action = calloc((size_t)f->actions + 1, sizeof(int));
    if (!p->item || !p->fires || !p->action) return KEEL_NO_MEMORY;
    int code = KEEL_OK;
    for (int i = 0; i < d->items && code == KEEL_OK; i++)
        if (d->item[i].value) code = add_one(m, d->item[i].value, &p->item[i]);
    for (int b = 0; b < f->branches && code == KEEL_OK; b++)
        if (d->fires[b]) code = add_one(m, d->fires[b], &p->fires[b]);
    for (int a = 0; a < f->actions && code == KEEL_OK; a++)
        if (d->action[a]) code = add_one(m, d->action[a], &p->action[a]);
    return code;
}

/* Relations of assertions are compared as they are: they make no events. */
static int compile_watch(keel_model *m)
{
    const flat_model *f = m->flat;
    expr *e = malloc(((size_t)f->assertions + 1) * sizeof *e);
    if (!e) return KEEL_NO_MEMORY;
    for (int k = 0; k < f->assertions; k++)
        e[k] = levels_finish(&m->levels, &m->system, f->assertion[k].condition);
    const int code = f->assertions ? add(m, e, f->assertions, &m->programs.watch) : KEEL_OK;
    free(e);
    return code;
}

static int compile_output(keel_model *m)
{
    const int n = m->system.variables;
    expr *e = malloc(((size_t)n + 1) * sizeof *e);
    if (!e) return KEEL_NO_MEMORY;
    for (int v = 0; v < n; v++)
        e[v] = levels_finish(&m->levels, &m->system, pool_variable(&m->flat->pool, (uint32_t)v, 0));
    const int code = pool_full(&m->flat->pool) ? KEEL_NO_MEMORY : add(m, e, n, &m->programs.output);
    free(e);
    return code;
}

/* Does anything that happens at events contain what is solved? */
static int acting_needs(const keel_model *m)
{
    const discrete *d = &m->discrete;
    const programs *p = &m->programs;
    const unsigned char *needs = m->evaluation.needs;
    int any = needs[p->signals];
    for (int i = 0; i < d->items; i++) any |= d->item[i].value && needs[p->item[i]];
    for (int b = 0; b < m->flat->branches; b++) any |= d->fires[b] && needs[p->fires[b]];
    for (int a = 0; a < m->flat->actions; a++) any |= d->action[a] && needs[p->action[a]];
    return any;
}

int programs_compile(keel_model *m)
{
    m->programs.watch = m->programs.start = m->programs.bounds = -1;
    evaluation_open(&m->evaluation, &m->system, &m->levels, &m->discrete);
    m->evaluation.owner = m;
    m->evaluation.solve = mechanical_accelerations;
    int code = m->mechanical.positions ? compile_mechanical(m) : compile_levels(m);
    m->programs.callbacks = m->evaluation.tapes;
    if (code == KEEL_OK) code = compile_signals(m);
    if (code == KEEL_OK) code = compile_items(m);
    if (code == KEEL_OK) m->programs.acting_needs = acting_needs(m);
    if (code == KEEL_OK) code = compile_watch(m);
    if (code == KEEL_OK) code = compile_output(m);
    if (code == KEEL_OK) code = bounds_compile(m);
    if (code == KEEL_OK) code = plan_make(m);
    if (code == KEEL_OK && m->plan.equations)
        code = add(m, m->plan.equation, m->plan.equations, &m->programs.start);
    if (code == KEEL_OK && evaluation_complete(&m->evaluation)) code = KEEL_NO_MEMORY;
    return code;
}
