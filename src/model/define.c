/* define.c -- variables that are only names of expressions: v = f(...), v never differentiated.
 *
 * They are put in where they occur.  That changes no solution and no index, and spares the analysis: in a
 * constraint that is to be differentiated, x = L sin(phi) is not one more equation with derivatives of its
 * own.  Expressions are shared, so nothing is computed twice.
 *
 * Definitions that depend on themselves by way of others are loops and stay equations: candidates are
 * visited depth first, and one that closes a circle is no definition.
 */
#include <stdlib.h>
#include <string.h>

#include "keel/status.h"
#include "model/system.h"

typedef struct defining {
    model_system *s;
    int *row_of;                         /* per variable: the row that defines it, -1           */
    expr *value;                         /* per variable: of that row                           */
    unsigned char *state;                /* per variable                                        */
    uint32_t *order;                     /* variables, those that others need first             */
    int count;
    walk walk;
} defining;

enum { NEW, OPEN, CLOSED };

/* Unknowns that occur differentiated, or are to be known so. */
static int mark_differentiated(model_system *s, unsigned char *differentiated)
{
    walk w = {0};
    walk_begin(&w, &s->flat->pool);
    for (int i = 0; i < s->rows; i++) {
        walk_add(&w, &s->flat->pool, s->row[i].left[0]);
        walk_add(&w, &s->flat->pool, s->row[i].right[0]);
    }
    for (int k = 0; k < w.count; k++) {
        const expr_node *n = pool_at(&s->flat->pool, w.list[k]);
        if (n->op == EXPR_VARIABLE && n->a < (uint32_t)s->variables && n->b > 0) differentiated[n->a] = 1;
    }
    for (int j = 0; j < s->columns; j++)
        if (s->wanted[j] > 0) differentiated[s->column_root[j]] = 1;
    const int code = w.no_memory;
    walk_free(&w);
    return code;
}

static int defines(const defining *d, expr side, const unsigned char *differentiated)
{
    const expr_node *n = pool_at(&d->s->flat->pool, side);
    return n->op == EXPR_VARIABLE && n->b == 0 && n->a < (uint32_t)d->s->variables
        && d->s->kind[n->a] == KIND_UNKNOWN && !differentiated[n->a] && d->row_of[n->a] < 0;
}

static void find_candidates(defining *d, const unsigned char *differentiated)
{
    model_system *s = d->s;
    for (int i = 0; i < s->rows; i++) {
        const expr left = s->row[i].left[0], right = s->row[i].right[0];
        if (s->row[i].kind != ROW_EQUATION) continue;
        const int on_left = defines(d, left, differentiated);
        if (!on_left && !defines(d, right, differentiated)) continue;
        const uint32_t v = pool_at(&s->flat->pool, on_left ? left : right)->a;
        d->row_of[v] = i;
        d->value[v] = on_left ? right : left;
    }
}

/* The next candidate that v needs and that was not visited; -1: none.  A circle ends v's candidacy. */
static int needed(defining *d, uint32_t v)
{
    const pool *p = &d->s->flat->pool;
    walk_begin(&d->walk, p);
    walk_add(&d->walk, p, d->value[v]);
    for (int k = 0; k < d->walk.count; k++) {
        const expr_node *n = pool_at(p, d->walk.list[k]);
        if (n->op != EXPR_VARIABLE || n->a >= (uint32_t)d->s->variables || d->row_of[n->a] < 0) continue;
        if (d->state[n->a] == OPEN) return d->row_of[v] = -1, -1;
        if (d->state[n->a] == NEW) return (int)n->a;
    }
    return -1;
}

/* Each look at an expression is paid by a definition below it: deep ones cost no more than wide ones. */
static int visit(defining *d, uint32_t first, uint32_t *stack)
{
    int depth = 0;
    stack[depth++] = first;
    d->state[first] = OPEN;
    while (depth > 0) {
        const uint32_t v = stack[depth - 1];
        const int next = needed(d, v);
        if (next >= 0) {
            d->state[next] = OPEN;
            stack[depth++] = (uint32_t)next;
            continue;
        }
        d->state[v] = CLOSED;
        if (d->row_of[v] >= 0) d->order[d->count++] = v;
        depth--;
    }
    return d->walk.no_memory ? -1 : 0;
}

static expr definition_leaf(pool *p, expr e, void *context)
{
    const model_system *s = context;
    const expr_node *n = pool_at(p, e);
    if (n->op != EXPR_VARIABLE || n->a >= (uint32_t)s->variables || n->b > 0) return 0;
    return s->definition[n->a];
}

expr system_define(model_system *s, expr e)
{
    s->define.leaf = definition_leaf;
    s->define.context = s;
    return rewrite_expr(&s->define, &s->flat->pool, e);
}

/* Derivatives that occur in definitions only have to be known all the same. */
static void want_derivatives(defining *d)
{
    model_system *s = d->s;
    const pool *p = &s->flat->pool;
    walk_begin(&d->walk, p);
    for (int k = 0; k < d->count; k++) walk_add(&d->walk, p, s->definition[d->order[k]]);
    for (int k = 0; k < d->walk.count; k++) {
        const expr_node *n = pool_at(p, d->walk.list[k]);
        if (n->op != EXPR_VARIABLE || n->a >= (uint32_t)s->variables) continue;
        const int column = s->root_column[n->a];
        if (column >= 0 && s->wanted[column] < (int)n->b) s->wanted[column] = (int)n->b;
    }
}

/* Puts them in, those that others need first; their rows and columns disappear. */
static int put_in(defining *d)
{
    model_system *s = d->s;
    unsigned char *gone = calloc((size_t)s->rows + 1, 1);
    if (!gone) return -1;
    for (int k = 0; k < d->count; k++) {
        const uint32_t v = d->order[k];
        s->definition[v] = system_define(s, d->value[v]);
        if (!s->definition[v]) return free(gone), -1;
        gone[d->row_of[v]] = 1;
        s->root_column[v] = -1;
    }
    int kept = 0, columns = 0;
    for (int i = 0; i < s->rows; i++) {
        row *r = &s->row[i];
        if (gone[i]) {
            free(r->left);
            free(r->right);
            continue;
        }
        r->left[0] = system_define(s, r->left[0]);
        r->right[0] = system_define(s, r->right[0]);
        r->known = 1;
        if (!r->left[0] || !r->right[0]) return free(gone), -1;
        s->row[kept++] = *r;
    }
    free(gone);
    s->rows = kept;
    for (int j = 0; j < s->columns; j++) {
        const uint32_t root = s->column_root[j];
        if (s->root_column[root] < 0) continue;
        s->root_column[root] = columns;
        s->wanted[columns] = s->wanted[j];
        s->column_root[columns++] = root;
    }
    s->columns = columns;
    s->definitions = d->count;
    want_derivatives(d);
    return d->walk.no_memory ? -1 : 0;
}

int definitions_eliminate(model_system *s)
{
    const size_t n = (size_t)s->variables + 1;
    defining d = {.s = s, .row_of = malloc(n * sizeof(int)), .value = calloc(n, sizeof(expr)),
                  .state = calloc(n, 1), .order = malloc(n * sizeof *d.order)};
    unsigned char *differentiated = calloc(n, 1);
    uint32_t *stack = malloc(n * sizeof *stack);
    s->definition = calloc(n, sizeof *s->definition);
    int code = d.row_of && d.value && d.state && d.order && differentiated && stack && s->definition ? 0 : -1;
    for (size_t v = 0; v < n && !code; v++) d.row_of[v] = -1;
    if (!code) code = mark_differentiated(s, differentiated);
    if (!code) find_candidates(&d, differentiated);
    for (int v = 0; v < s->variables && !code; v++)
        if (d.row_of[v] >= 0 && d.state[v] == NEW) code = visit(&d, (uint32_t)v, stack);
    if (!code) code = put_in(&d);
    walk_free(&d.walk);
    free(d.row_of);
    free(d.value);
    free(d.state);
    free(d.order);
    free(differentiated);
    free(stack);
    return code || pool_full(&s->flat->pool) ? KEEL_NO_MEMORY : KEEL_OK;
}
