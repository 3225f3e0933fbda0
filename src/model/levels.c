/* levels.c -- the levelled form of a model: see levels.h. */
#include "model/levels.h"

#include <math.h>
#include <stdlib.h>

#include "keel/status.h"
#include "model/nearby.h"

void levels_free(levels *l)
{
    free(l->y_of);
    free(l->y_column);
    free(l->y_order);
    free(l->next);
    free(l->z_of);
    free(l->z_column);
    free(l->assigned);
    free(l->by_assignment);
    free(l->g_row);
    free(l->chain);
    free(l->f);
    for (int k = 0; l->h && k <= l->depth; k++) free(l->h[k]);
    free(l->h);
    rewrite_free(&l->finish);
    rewrite_free(&l->expand);
    *l = (levels){0};
}

/* ---- rewriting ---------------------------------------------------------------------------------- */

typedef struct context { levels *l; model_system *s; } context;

static expr finish_variable(const levels *l, model_system *s, uint32_t variable, uint32_t times)
{
    pool *p = &s->flat->pool;
    const place at = s->place[variable];
    const int column = s->root_column[at.root];
    const uint32_t order = at.order + times;
    expr value = pool_variable(p, at.root, order);
    if ((int)order == s->d[column] && l->assigned[column]) value = l->assigned[column];
    return at.sign < 0 ? make_negate(p, value) : value;
}

/* der() of expressions; pre() of what is continuous is its present value, the limit from before. */
static expr expand_leaf(pool *p, expr e, void *given)
{
    const context *c = given;
    model_system *s = c->s;
    const expr_node n = *pool_at(p, e);
    if (n.op == EXPR_DER) return derivative_by_time(&s->derivation, c->l->expand.memo[n.a]);
    if (n.op != EXPR_PRE || n.a >= (uint32_t)s->variables || !s->varies[n.a]) return 0;
    return pool_variable(p, n.a, 0);
}

static expr finish_leaf(pool *p, expr e, void *given)
{
    const context *c = given;
    const expr_node n = *pool_at(p, e);
    if (n.op != EXPR_VARIABLE || n.a >= (uint32_t)c->s->variables) return 0;
    return c->s->root_column[c->s->place[n.a].root] < 0 ? e : finish_variable(c->l, c->s, n.a, n.b);
}

expr levels_finish(levels *l, model_system *s, expr e)
{
    context c = {l, s};
    l->expand.leaf = expand_leaf;
    l->expand.context = &c;
    l->finish.leaf = finish_leaf;
    l->finish.context = &c;
    const expr expanded = rewrite_expr(&l->expand, &s->flat->pool, e);
    return expanded ? rewrite_expr(&l->finish, &s->flat->pool, system_define(s, system_resolve(s, expanded))) : 0;
}

int levels_knows(const levels *l, const model_system *s, const expr_node *n)
{
    if (n->op != EXPR_VARIABLE || n->a >= (uint32_t)s->variables) return 1;
    const int column = s->root_column[n->a];
    return column < 0 || (int)n->b < s->d[column]
        || ((int)n->b == s->d[column] && l->z_of[column] >= 0);
}

/* ---- assignments ---------------------------------------------------------------------------------- */

static int constant_valued(const pool *p, expr e, void *given)
{
    const model_system *s = given;
    const expr_node *n = pool_at(p, e);
    return n->op == EXPR_TIME || n->op == EXPR_PRE || n->op == EXPR_INITIAL
        || (n->op == EXPR_VARIABLE && (n->a >= (uint32_t)s->variables || s->kind[n->a] != KIND_KNOWN));
}

static int is_number(model_system *s, walk *w, expr e)
{
    return !walk_any(w, &s->flat->pool, e, constant_valued, s);
}

static int same_leaf(const pool *p, expr e, void *given)
{
    (void)p;
    return e == *(const expr *)given;
}

/* e without its terms in the leaf w, of which it is a sum; 0: it is none. */
static expr without(model_system *s, walk *w, expr e, expr leaf, int depth)
{
    pool *p = &s->flat->pool;
    if (e == leaf) return pool_constant(p, 0);
    if (!walk_any(w, p, e, same_leaf, &leaf)) return e;
    const expr_node n = *pool_at(p, e);
    if (depth > 60) return 0;
    if (n.op == EXPR_MULTIPLY || n.op == EXPR_DIVIDE) {
        const int left = walk_any(w, p, n.a, same_leaf, &leaf);
        const expr other = left ? n.b : n.a;
        if ((n.op == EXPR_DIVIDE && !left) || walk_any(w, p, other, same_leaf, &leaf)) return 0;
        const expr part = without(s, w, left ? n.a : n.b, leaf, depth + 1);
        if (!part || !pool_is(p, part, 0)) return 0;      /* a (w + b) would have to be multiplied out */
        return part;
    }
    if (n.op != EXPR_ADD && n.op != EXPR_SUBTRACT && n.op != EXPR_NEGATE) return 0;
    const expr a = without(s, w, n.a, leaf, depth + 1);
    if (n.op == EXPR_NEGATE) return a ? make_negate(p, a) : 0;
    const expr b = a ? without(s, w, n.b, leaf, depth + 1) : 0;
    if (!a || !b) return 0;
    return n.op == EXPR_ADD ? make_add(p, a, b) : make_subtract(p, a, b);
}

/* Row i solved for a leading unknown that it contains linearly with a constant factor; 0: it cannot.
 * g is the gradient of its residual. */
static expr solve_row(model_system *s, walk *w, const gradient *g, int i, expr leaf)
{
    pool *p = &s->flat->pool;
    const expr left = s->row[i].left[0], right = s->row[i].right[0];
    if (left == leaf && !walk_any(w, p, right, same_leaf, &leaf)) return right;
    if (right == leaf && !walk_any(w, p, left, same_leaf, &leaf)) return left;
    expr factor = 0;
    for (int k = 0; k < g->count; k++)
        if (g->leaf[k] == leaf) factor = g->value[k];
    if (!factor || !is_number(s, w, factor)) return 0;
    const double value = parameter_value(s, factor);
    if (!isfinite(value) || fabs(value) < 1e-100) return 0;
    const expr on_left = without(s, w, left, leaf, 0), on_right = on_left ? without(s, w, right, leaf, 0) : 0;
    if (!on_right) return 0;
    return make_divide(p, make_subtract(p, on_right, on_left), factor);
}

/* Assignments in a loop are a recursion, which may amplify errors without bound: x[i+1] = 3 x[i] - x[i-1]
 * from one end of a rod to the other.  So each carries how much it may change with the z it depends on, its
 * gain |a_1| gain_1 + |a_2| gain_2 + ..., and the same in the most favourable unit, min |a_k| unit_k: a
 * quotient beyond `steep` costs as many digits, and the unknown is left to the solver.  A mere factor changes
 * both alike.  [1e4, 4 of 16 digits, was not tuned; judged on rods and ladders of 25 to 600 cells.] */
static const double steep = 1e4;

typedef struct reach { double gain, unit; } reach;

typedef struct assigning {
    unsigned char *stays;                /* per column: an assignment needs it, it is in z      */
    int *block;                          /* per column: of the triangular form                  */
    reach *reach;                        /* per column that is assigned in a loop               */
    walk walk;
    gradient gradient;
} assigning;

/* What column j may be if row i, in a loop, assigns it; gain 0: it should not. */
static reach reach_of(const levels *l, model_system *s, const assigning *a, int j)
{
    nearby at = nearby_point(s, 1);
    reach sum = {0, INFINITY};
    double pivot = NAN;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < a->gradient.count; k++) {
            const expr_node n = *pool_at(&s->flat->pool, a->gradient.leaf[k]);
            const int other = n.a < (uint32_t)s->variables ? s->root_column[n.a] : -1;
            if (other < 0 || (int)n.b != s->d[other] || a->block[other] != a->block[j]) continue;
            if ((other == j) != (pass == 0)) continue;
            const double value = fabs(nearby_value(&at, a->gradient.value[k]));
            const reach r = l->assigned[other] ? a->reach[other] : (reach){1, 1};
            if (pass == 0) pivot = value;
            if (pass == 0 || value == 0) continue;
            sum.gain += value / pivot * r.gain;
            sum.unit = fmin(sum.unit, value / pivot * r.unit);
        }
    if (sum.gain == 0) return (reach){1, 1};     /* it does not depend on the loop */
    return sum.gain <= steep * sum.unit ? sum : (reach){0, 0};
}

/* Can the leading derivative of a column be assigned by row i?  Blocks come in order: what the row
 * contains and is not assigned by then belongs to its own block, or to a constraint. */
static int candidate(const model_system *s, const levels *l, const assigning *a, int i, const entry *e)
{
    const int j = e->column;
    return e->order + s->c[i] == s->d[j] && !a->stays[j] && !l->assigned[j];
}

/* Derivatives before algebraic unknowns, so that what is left are multipliers and their like. */
static expr choose(levels *l, model_system *s, assigning *a, int i, int *column)
{
    pool *p = &s->flat->pool;
    for (int derivative = 1; derivative >= 0; derivative--)
        for (int k = s->first[i]; k < s->first[i + 1]; k++) {
            const int j = s->entry[k].column;
            if ((s->d[j] > 0) != derivative || !candidate(s, l, a, i, &s->entry[k])) continue;
            const expr leaf = pool_variable(p, s->column_root[j], (uint32_t)s->d[j]);
            const expr value = solve_row(s, &a->walk, &a->gradient, i, leaf);
            if (pool_full(p)) return 0;
            if (!value) continue;
            a->reach[j] = reach_of(l, s, a, j);
            if (a->reach[j].gain > 0) return *column = j, value;
        }
    return 0;
}

/* Leading unknowns that row i contains beside column j, and that are not assigned, are z for good: so no
 * assignment depends on itself. */
static void settle_others(const model_system *s, const levels *l, assigning *a, int i, int j)
{
    for (int k = s->first[i]; k < s->first[i + 1]; k++)
        if (s->entry[k].column != j && candidate(s, l, a, i, &s->entry[k])) a->stays[s->entry[k].column] = 1;
}

static int assign_row(levels *l, model_system *s, assigning *a, int i)
{
    int j = -1;
    if (s->c[i] > 0 || s->row[i].kind == ROW_SHARED) return KEEL_OK;
    if (derivative_gradient(&s->derivation, row_residual(s, i, 0), &a->gradient)) return KEEL_NO_MEMORY;
    const expr value = choose(l, s, a, i, &j);
    if (pool_full(&s->flat->pool)) return KEEL_NO_MEMORY;
    if (!value) return KEEL_OK;
    settle_others(s, l, a, i, j);
    l->assigned[j] = levels_finish(l, s, value);
    l->by_assignment[i] = 1;
    l->assignments++;
    return l->assigned[j] ? KEEL_OK : KEEL_NO_MEMORY;
}

static int assign_all(levels *l, model_system *s)
{
    const size_t n = (size_t)s->columns + 1;
    assigning a = {.stays = calloc(n, 1), .block = calloc(n, sizeof *a.block),
                   .reach = calloc(n, sizeof *a.reach)};
    int code = a.stays && a.block && a.reach ? KEEL_OK : KEEL_NO_MEMORY;
    for (int b = 0; b < s->blocks && code == KEEL_OK; b++)
        for (int k = s->block[b]; k < s->block[b + 1]; k++) a.block[s->match_row[s->block_row[k]]] = b;
    for (int k = 0; k < s->rows && code == KEEL_OK; k++) code = assign_row(l, s, &a, s->block_row[k]);
    free(a.stays);
    free(a.block);
    free(a.reach);
    gradient_free(&a.gradient);
    walk_free(&a.walk);
    return code;
}

/* ---- y, z, f, g, h ------------------------------------------------------------------------------- */

static void number_in_order(levels *l, const model_system *s)
{
    l->apart = 1;
    for (int j = 0; j < s->columns; j++) {
        l->y_of[j] = s->d[j] > 0 ? l->differential : -1;
        l->differential += s->d[j];
        l->z_of[j] = l->assigned[j] ? -1 : l->algebraic++;
    }
}

/* y = (q, v), z = (l, q''). */
static void number_mechanical(levels *l, const mechanical *f)
{
    const int n = f->positions, m = f->constraints;
    l->apart = n;
    l->differential = 2 * n;
    l->algebraic = m + n;
    l->solved = n;
    for (int k = 0; k < n; k++) {
        l->y_of[f->position[k]] = k;
        l->z_of[f->position[k]] = m + k;
    }
    for (int k = 0; k < m; k++) {
        l->y_of[f->multiplier[k]] = -1;
        l->z_of[f->multiplier[k]] = k;
    }
}

static int list_unknowns(levels *l, model_system *s)
{
    const size_t n = (size_t)l->differential + 1, m = (size_t)l->algebraic + 1;
    l->y_column = malloc(n * sizeof(int));
    l->y_order = malloc(n * sizeof(int));
    l->next = malloc(n * sizeof(int));
    l->f = calloc(n, sizeof(expr));
    l->z_column = malloc(m * sizeof(int));
    l->g_row = malloc(m * sizeof(int));
    l->chain = malloc(m * sizeof(int));
    if (!l->y_column || !l->y_order || !l->next || !l->f || !l->z_column || !l->g_row || !l->chain)
        return KEEL_NO_MEMORY;
    for (int j = 0; j < s->columns; j++) {
        for (int k = 0; k < s->d[j]; k++) {
            const int a = levels_y(l, j, k);
            l->y_column[a] = j;
            l->y_order[a] = k;
            l->next[a] = k + 1 < s->d[j] ? a + l->apart : -1;
        }
        if (l->z_of[j] >= 0) l->z_column[l->z_of[j]] = j;
    }
    return KEEL_OK;
}

static int collect_rates(levels *l, model_system *s)
{
    for (int a = 0; a < l->differential; a++) {
        if (l->next[a] >= 0) continue;
        const int j = l->y_column[a];
        l->f[a] = levels_finish(l, s, pool_variable(&s->flat->pool, s->column_root[j], (uint32_t)s->d[j]));
        if (!l->f[a]) return KEEL_NO_MEMORY;
    }
    return KEEL_OK;
}

/* Rows that are no assignments, as many as there are z. */
static int collect_constraints(levels *l, model_system *s)
{
    int r = 0;
    for (int i = 0; i < s->rows; i++) {
        if (l->by_assignment[i]) continue;
        l->g_row[r] = i;
        l->chain[r] = s->c[i];
        if (l->chain[r] > l->depth) l->depth = l->chain[r];
        r++;
    }
    l->h = calloc((size_t)l->depth + 1, sizeof *l->h);
    for (int k = 0; l->h && k <= l->depth; k++) {
        l->h[k] = calloc((size_t)l->algebraic + 1, sizeof **l->h);
        if (!l->h[k]) return KEEL_NO_MEMORY;
        for (r = 0; r < l->algebraic; r++) {
            if (l->chain[r] < k) continue;
            const expr e = row_residual(s, l->g_row[r], l->chain[r] - k);
            l->h[k][r] = e ? levels_finish(l, s, e) : 0;
            if (!l->h[k][r]) return KEEL_NO_MEMORY;
        }
    }
    return l->h ? KEEL_OK : KEEL_NO_MEMORY;
}

int levels_build(levels *l, model_system *s, const mechanical *f)
{
    const size_t n = (size_t)s->columns + 1;
    *l = (levels){.y_of = malloc(n * sizeof(int)), .z_of = malloc(n * sizeof(int)),
                  .assigned = calloc(n, sizeof(expr)),
                  .by_assignment = calloc((size_t)s->rows + 1, 1)};
    if (!l->y_of || !l->z_of || !l->assigned || !l->by_assignment) return KEEL_NO_MEMORY;
    int code = f->positions ? KEEL_OK : assign_all(l, s);
    if (f->positions) number_mechanical(l, f);
    else number_in_order(l, s);
    if (code == KEEL_OK) code = list_unknowns(l, s);
    l->depth = f->positions ? 2 : 0;
    if (code == KEEL_OK && !f->positions) code = collect_rates(l, s);
    if (code == KEEL_OK && !f->positions) code = collect_constraints(l, s);
    return pool_full(&s->flat->pool) ? KEEL_NO_MEMORY : code;
}
