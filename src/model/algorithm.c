/* algorithm.c -- algorithm sections of models: an equation for every variable that they assign
 * (specification, section 11.1).
 *
 * The section is executed twice: first to find out what it assigns, then with the values that these
 * variables have at the beginning: pre(v) if v is discrete, else its start value.
 */
#include "model/execute.h"

#include <string.h>

typedef struct counts { int assertions, whens, branches, actions; } counts;

static counts count_of(const flat_model *m)
{
    return (counts){m->assertions, m->whens, m->branches, m->actions};
}

static void back_to(flat_model *m, counts n)
{
    m->assertions = n.assertions;
    m->whens = n.whens;
    m->branches = n.branches;
    m->actions = n.actions;
}

/* What the branches of a when-statement assign acts when they fire.  If nothing else assigns the
 * variable, the branch has an action, and the variable is its own value; otherwise it becomes
 * if fires then new else old, from the last branch to the first. */
typedef struct fired { expr fires; trail *made; expr *now; int count; actions a; } fired;

static int by_action(const assignments *n)
{
    return n->start == 2 && (n->when & 0x7fff) == 1 && !n->plain;
}

static int seen_before(const fired *f, int i)
{
    for (int k = 0; k < i; k++)
        if (f->made[k].at == f->made[i].at) return 1;
    return 0;
}

static void settle(reader *r, fired *f, span where)
{
    for (int i = 0; i < f->count; i++) {
        uint32_t v = (uint32_t)(f->made[i].at - r->assigned);
        expr before = r->assigned[v];
        if (seen_before(f, i)) continue;
        if (by_action(&r->assignment[v]))
            action_put(r, &f->a, (flat_action){.kind = ACTION_ASSIGN, .variable = v, .value = f->now[i],
                                               .where = where});
        else execute_set(r, &r->assigned[v], before ? pool_if(r->p, f->fires, f->now[i], before) : f->now[i]);
    }
}

static void count_when(reader *r, int mark)
{
    for (int i = mark; i < r->trails; i++) {
        assignments *n = &r->assignment[r->trail[i].at - r->assigned];
        if (!(n->when & 1 << 15)) continue;
        n->when = (unsigned short)((n->when & ~(1 << 15)) + 1);
    }
}

/* Executes a branch, keeps what it has assigned, and takes it back. */
static int fire(const context *c, const ast_branch *b, fired *f)
{
    reader *r = c->r;
    int mark = r->trails;
    f->fires = when_condition(c, b->condition);
    if (!f->fires) return -1;
    r->in_when = &f->a;
    execute_all(c, b->body, b->count);
    r->in_when = NULL;
    f->count = r->trails - mark;
    f->made = TAKE(&r->scratch, trail, f->count);
    f->now = TAKE(&r->scratch, expr, f->count);
    if (f->count) memcpy(f->made, r->trail + mark, (size_t)f->count * sizeof *f->made);
    for (int i = 0; i < f->count; i++) f->now[i] = *f->made[i].at;
    while (r->trails > mark) r->trails--, *r->trail[r->trails].at = r->trail[r->trails].old;
    return 0;
}

void execute_when(const context *c, const ast_equation *e)
{
    reader *r = c->r;
    int first = r->trails;
    fired *f = TAKE(&r->scratch, fired, e->branches);
    for (int b = 0; b < e->branches; b++)
        if (fire(c, &e->branch[b], &f[b])) return;
    for (int b = e->branches - 1; b >= 0; b--) settle(r, &f[b], e->where);
    when_open(r);
    for (int b = 0; b < e->branches; b++) {
        when_branch(r, f[b].fires, e->branch[b].condition->where, &f[b].a);
        for (int i = 0; i < f[b].count; i++) {
            uint32_t v = (uint32_t)(f[b].made[i].at - r->assigned);
            if (by_action(&r->assignment[v])) execute_set(r, &r->assigned[v], pool_variable(r->p, v, 0));
        }
    }
    count_when(r, first);
}

/* ---- the value at the beginning ---- */
static expr start_of(reader *r, uint32_t v, int initial)
{
    const flat_variable *x = &r->m->variable[v];
    if (x->variability == FLAT_DISCRETE && !initial) return pool_leaf(r->p, EXPR_PRE, v);
    if (x->start) return x->start;
    return pool_constant(r->p, x->type == FLAT_ENUMERATION);
}

static void assigned_to_start(reader *r, int initial)
{
    for (int v = 0; v < r->m->variables; v++) {
        assignments *n = &r->assignment[v];
        if (!n->when && !n->plain) continue;
        /* one element of an array is assigned: the algorithm determines all of them */
        instance *leaf = r->leaf[v];
        int count = instance_elements(leaf);
        if (n->when) for (int i = 0; i < count; i++) r->m->variable[leaf->first + (uint32_t)i].variability = FLAT_DISCRETE;
        for (int i = 0; i < count; i++) {
            uint32_t w = leaf->first + (uint32_t)i;
            if (r->assignment[w].start) continue;
            r->assignment[w].start = 2;
            r->assigned[w] = start_of(r, w, initial);
        }
        v = (int)leaf->first + count - 1;
    }
}

static void put_equations(const context *c, const ast_section *s)
{
    reader *r = c->r;
    span where = s->equation[0]->where;
    for (int v = 0; v < r->m->variables; v++) {
        const assignments *n = &r->assignment[v];
        if (!n->start || (n->when == 1 && !n->plain)) continue;
        flat_equation row = {pool_variable(r->p, (uint32_t)v, 0), r->assigned[v], where, "", r->from};
        if (s->initial) {
            GROW(&r->keep, r->m->initial, r->m->initials, r->initial_room);
            r->m->initial[r->m->initials++] = row;
        } else {
            GROW(&r->keep, r->m->equation, r->m->equations, r->equation_room);
            r->m->equation[r->m->equations++] = row;
        }
    }
}

void algorithm_translate(const context *c, const ast_section *s)
{
    reader *r = c->r;
    frame f = {.initial = s->initial};
    context inside = *c;
    inside.frame = &f;
    if (!s->count) return;
    counts before = count_of(r->m);
    int errors = source_errors(r->s);
    region_mark mark = region_now(&r->scratch);
    r->assigned = TAKE(&r->scratch, expr, r->m->variables);
    r->assignment = TAKE(&r->scratch, assignments, r->m->variables);
    executed done = execute_all(&inside, s->equation, s->count);
    if (done == EXECUTE_ON && source_errors(r->s) == errors) {
        back_to(r->m, before);
        r->trails = 0;
        memset(r->assigned, 0, (size_t)r->m->variables * sizeof *r->assigned);
        assigned_to_start(r, s->initial);
        for (int v = 0; v < r->m->variables; v++)    /* counted already */
            r->assignment[v].when &= 0x7fff;
        assignments *found = TAKE(&r->scratch, assignments, r->m->variables);
        memcpy(found, r->assignment, (size_t)r->m->variables * sizeof *found);
        done = execute_all(&inside, s->equation, s->count);
        memcpy(r->assignment, found, (size_t)r->m->variables * sizeof *found);
        put_equations(c, s);
    }
    if (done == EXECUTE_CALL)
        complain(c, s->equation[0]->where, "a loop or a subscript in this algorithm depends on what is only known in "
                 "the run: put it into a function");
    else if (done == EXECUTE_BREAK) complain(c, s->equation[0]->where, "`break` can only stand in a loop");
    r->trails = 0;
    r->in_when = NULL;
    r->assigned = NULL;
    r->assignment = NULL;
    region_back(&r->scratch, mark);
}
