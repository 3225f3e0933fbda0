/* initial.c -- the start: which values are given, and how.
 *
 * All unknowns of the problem (y, z) take part, with all levels of constraints.  A variable with fixed =
 * true is held; an initial equation x = number is the same; other initial equations are solved along.
 * Start values that are not fixed are kept as far as the equations allow, unknowns without one give way
 * first.  What is fixed and no unknown but computed from them is an equation, too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/object.h"

int model_unknown(const keel_model *m, int variable)
{
    const model_system *s = &m->system;
    if (!s->varies[variable]) return -1;
    const place at = s->place[variable];
    const int column = s->root_column[at.root];
    if (column < 0) return -1;
    if ((int)at.order < s->d[column]) return levels_y(&m->levels, column, (int)at.order);
    if ((int)at.order > s->d[column] || m->levels.z_of[column] < 0) return -1;
    const int unknown = m->levels.differential + m->levels.z_of[column];
    return unknown < levels_unknowns(&m->levels) ? unknown : -1;
}

static int add_entry(plan *p, plan_entry e)
{
    if (p->entries == p->room) {
        const int room = p->room ? 2 * p->room : 32;
        plan_entry *more = realloc(p->entry, (size_t)room * sizeof *more);
        if (!more) return KEEL_NO_MEMORY;
        p->entry = more;
        p->room = room;
    }
    p->entry[p->entries++] = e;
    p->conditions += e.given == KEEL_MODEL_FIXED || e.given == KEEL_MODEL_EQUATION;
    return KEEL_OK;
}

static int add_equation(keel_model *m, expr residual, const char *name, plan_entry e)
{
    plan *p = &m->plan;
    const size_t n = (size_t)p->equations + 1;
    expr *equations = realloc(p->equation, n * sizeof *equations);
    if (equations) p->equation = equations;
    char **names = realloc(p->name, n * sizeof *names);
    if (names) p->name = names;
    const expr finished = levels_finish(&m->levels, &m->system, residual);
    if (!equations || !names || !finished) return KEEL_NO_MEMORY;
    const size_t length = strlen(name) + 1;
    p->name[p->equations] = malloc(length);
    if (!p->name[p->equations]) return KEEL_NO_MEMORY;
    memcpy(p->name[p->equations], name, length);
    p->equation[p->equations++] = finished;
    return add_entry(p, e);
}

/* The entry that fixed an unknown before, or NULL. */
static const plan_entry *fixed_before(const plan *p, int unknown)
{
    for (int k = 0; k < p->entries; k++)
        if (p->entry[k].given == KEEL_MODEL_FIXED && p->entry[k].unknown == unknown) return &p->entry[k];
    return NULL;
}

static int fix(keel_model *m, int variable, int initial, double value, span where)
{
    plan *p = &m->plan;
    const flat_variable *f = &m->flat->variable[variable];
    const int unknown = model_unknown(m, variable);
    const plan_entry e = {KEEL_MODEL_FIXED, variable, initial, unknown, value};
    if (unknown < 0) {
        pool *q = &m->flat->pool;
        buffer name = {0};
        buffer_print(&name, "%s = %g", f->name, value);
        const int code = add_equation(m, make_subtract(q, pool_variable(q, (uint32_t)variable, 0),
                                                       pool_constant(q, value)), buffer_text(&name), e);
        buffer_free(&name);
        return code;
    }
    const double here = m->system.place[variable].sign * value;
    if (p->marks[unknown] == KEEL_FIXED) {
        const plan_entry *other = fixed_before(p, unknown);
        if (fabs(p->y[unknown] - here) <= 1e-12 * (fabs(here) + fabs(p->y[unknown]))) return KEEL_OK;
        source_say(m->source, SEVERITY_ERROR, where, "the start contradicts itself: %s = %g here, but "
                   "%s = %g, and they are the same unknown; let only one of them be fixed", f->name,
                   value, other ? m->flat->variable[other->variable].name : "another",
                   other ? other->value : p->y[unknown]);
        return KEEL_BAD_ARGUMENT;
    }
    p->y[unknown] = here;
    p->marks[unknown] = KEEL_FIXED;
    return add_entry(p, e);
}

static const start_override *overridden(const keel_model *m, int variable)
{
    for (int k = m->starts - 1; k >= 0; k--)
        if (strcmp(m->start[k].name, m->flat->variable[variable].name) == 0) return &m->start[k];
    return NULL;
}

static double start_of(keel_model *m, int variable)
{
    const flat_variable *f = &m->flat->variable[variable];
    const start_override *o = overridden(m, variable);
    return o ? o->value : f->start ? parameter_value(&m->system, f->start) : 0;
}

/* The start value nearest to the given one, or to 0, that min and max allow. */
static double guess_of(keel_model *m, int variable)
{
    const model_bound b = bound_of(m, variable);
    return fmax(b.least, fmin(b.most, start_of(m, variable)));
}

static int fixed_values(keel_model *m)
{
    int code = KEEL_OK;
    for (int v = 0; v < m->system.variables && code != KEEL_NO_MEMORY; v++) {
        const flat_variable *f = &m->flat->variable[v];
        if (!m->system.varies[v] || (f->fixed != 1 && !overridden(m, v))) continue;
        const int one = fix(m, v, -1, start_of(m, v), f->where);
        if (one != KEEL_OK) code = one;
    }
    return code;
}

static int is_discrete(const keel_model *m, expr e)
{
    const expr_node *n = pool_at(&m->flat->pool, e);
    return n->op == EXPR_PRE || (n->op == EXPR_VARIABLE && n->a < (uint32_t)m->system.variables
                                 && m->system.kind[n->a] == KIND_DISCRETE);
}

/* x = number: the variable, or -1. */
static int fixes(keel_model *m, expr left, expr right, double *value)
{
    const expr_node *n = pool_at(&m->flat->pool, left);
    if (n->op != EXPR_VARIABLE || n->b > 0 || !m->system.varies[n->a]) return -1;
    *value = parameter_value(&m->system, right);
    return isfinite(*value) ? (int)n->a : -1;
}

static int initial_equations(keel_model *m)
{
    const flat_model *f = m->flat;
    int code = KEEL_OK;
    for (int i = 0; i < f->initials && code != KEEL_NO_MEMORY; i++) {
        const flat_equation *q = &f->initial[i];
        double value;
        if (is_discrete(m, q->left) || is_discrete(m, q->right)) continue;
        int variable = fixes(m, q->left, q->right, &value), one;
        if (variable < 0) variable = fixes(m, q->right, q->left, &value);
        if (variable >= 0) one = fix(m, variable, i, value, q->where);
        else {
            const printer how = system_printer(&m->system);
            buffer name = {.most = 200};
            print_equation(&name, &how, q->left, q->right);
            one = add_equation(m, make_subtract(&m->flat->pool, q->left, q->right), buffer_text(&name),
                               (plan_entry){KEEL_MODEL_EQUATION, -1, i, -1, 0});
            buffer_free(&name);
        }
        if (one != KEEL_OK) code = one;
    }
    return code;
}

/* Of several variables that are one unknown, the first whose start value is given; without any, one
 * that cannot be 0. */
static int guesses(keel_model *m)
{
    plan *p = &m->plan;
    const int n = m->levels.differential, size = levels_unknowns(&m->levels);
    int *source_of = malloc(((size_t)size + 1) * sizeof *source_of);
    if (!source_of) return KEEL_NO_MEMORY;
    for (int u = 0; u < size; u++) source_of[u] = -1;
    for (int v = 0; v < m->system.variables; v++) {
        const int u = model_unknown(m, v);
        if (u < 0 || p->marks[u] == KEEL_FIXED) continue;
        if (!m->flat->variable[v].start) {
            if (guess_of(m, v) != 0 && source_of[u] < 0) p->y[u] = m->system.place[v].sign * guess_of(m, v);
            continue;
        }
        const int root = m->system.place[v].root == (uint32_t)v;
        if (source_of[u] < 0 || root) source_of[u] = v;
    }
    int code = KEEL_OK;
    for (int u = 0; u < size && code == KEEL_OK; u++) {
        if (p->marks[u] == KEEL_FIXED) continue;
        const int v = source_of[u];
        if (v >= 0) {
            const double value = guess_of(m, v);
            p->y[u] = m->system.place[v].sign * value;
            if (u < n) p->marks[u] = KEEL_GUESS;
            code = add_entry(p, (plan_entry){KEEL_MODEL_GUESS, v, -1, u, value});
        } else if (u < n && !m->clock_only)
            code = add_entry(p, (plan_entry){KEEL_MODEL_FREE, -1, -1, u, p->y[u]});
    }
    free(source_of);
    return code;
}

static void remark(keel_model *m)
{
    plan *p = &m->plan;
    const int freedom = m->system.freedom, given = p->conditions;
    int named = 0;
    if (given == freedom) return;
    if (given > freedom) {
        buffer_print(&p->remark, "%d conditions for a freedom of %d: %d must follow from the others, or "
                     "they contradict each other", given, freedom, given - freedom);
        return;
    }
    buffer_print(&p->remark, "%d condition%s for a freedom of %d: kept as near as the equations allow are",
                 given, given == 1 ? "" : "s", freedom);
    for (int k = 0; k < p->entries; k++) {
        const plan_entry *e = &p->entry[k];
        if (e->unknown < 0 || e->unknown >= m->levels.differential) continue;
        if (e->given != KEEL_MODEL_GUESS && e->given != KEEL_MODEL_FREE) continue;
        if (named++ == 8) {
            buffer_add(&p->remark, ", ...");
            break;
        }
        buffer_add(&p->remark, named > 1 ? ", " : " ");
        buffer_print(&p->remark, "%s = %g", m->names[e->unknown], p->y[e->unknown]);
    }
    buffer_add(&p->remark, "; fixed = true or an initial equation says more");
}

int plan_make(keel_model *m)
{
    plan *p = &m->plan;
    const size_t size = (size_t)levels_unknowns(&m->levels) + 1;
    p->y = calloc(size, sizeof *p->y);
    p->marks = calloc(size, sizeof *p->marks);
    if (!p->y || !p->marks) return KEEL_NO_MEMORY;
    for (size_t u = 0; u < size; u++) p->marks[u] = KEEL_FREE;
    int code = fixed_values(m);
    if (code == KEEL_OK) code = initial_equations(m);
    if (code == KEEL_OK) code = guesses(m);
    if (code == KEEL_OK) remark(m);
    for (size_t u = 0; u + 1 < size && code == KEEL_OK; u++)
        if (!isfinite(p->y[u])) {
            source_say(m->source, SEVERITY_ERROR, (span){.text = -1},
                       "the start value of %s is not a number", m->names[u]);
            code = KEEL_BAD_ARGUMENT;
        }
    return pool_full(&m->flat->pool) ? KEEL_NO_MEMORY : code;
}

/* Equations of the start are asked for with the model as context: modes as the run begins with. */
int plan_equations(double t, const double *y, const double *yp, double *value, void *context)
{
    keel_model *m = context;
    (void)yp;
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return -1;
    const model_point at = {t, y, y + m->levels.differential, m->mode_start, m->mode_start, m->value_start,
                      m->value_start, 1};
    const double *r = evaluation_run(&m->evaluation, w, m->programs.start, &at);
    memcpy(value, r, (size_t)m->plan.equations * sizeof *value);
    evaluation_give(&m->evaluation, w);
    return 0;
}
