/* alias.c -- variables that are others: a = b, a = -b, a + b = 0, and der(x) = v.
 *
 * Every unknown is sign * d^order/dt^order of a root.  An equation x^(p) = +-y^(q) between two roots
 * with p = 0 or q = 0 makes one of them the derivative of the other and disappears; with p > 0 and
 * q > 0 it stays, for it leaves a constant open.  So does one that joins what is already joined: it
 * says too much or the same again, and the analysis of the structure names it.
 */
#include "model/system.h"

#include <stdlib.h>
#include <string.h>

#include "keel/status.h"

typedef struct term { uint32_t variable, order; int sign; } term;

/* Terms of a sum of variables with signs: how many, at most 2, or -1: it is something else. */
static int collect(const model_system *s, expr e, int sign, term *t, int count, int depth)
{
    const expr_node n = *pool_at(&s->flat->pool, e);
    if (count < 0 || depth > 4) return -1;
    switch ((expr_op)n.op) {
    case EXPR_CONSTANT: return n.value == 0 ? count : -1;
    case EXPR_NEGATE: return collect(s, n.a, -sign, t, count, depth + 1);
    case EXPR_ADD: return collect(s, n.b, sign, t, collect(s, n.a, sign, t, count, depth + 1), depth + 1);
    case EXPR_SUBTRACT:
        return collect(s, n.b, -sign, t, collect(s, n.a, sign, t, count, depth + 1), depth + 1);
    case EXPR_VARIABLE:
        if (count == 2 || n.a >= (uint32_t)s->variables || s->kind[n.a] != KIND_UNKNOWN) return -1;
        t[count] = (term){n.a, n.b, sign};
        return count + 1;
    default: return -1;
    }
}

/* Follows the links to the root and shortens them. */
static place find(model_system *s, uint32_t v)
{
    uint32_t root = v, order = 0;
    int sign = 1;
    while (s->place[root].root != root) {
        order += s->place[root].order;
        sign *= s->place[root].sign;
        root = s->place[root].root;
    }
    const place whole = {root, order, sign};
    place rest = whole;
    while (s->place[v].root != v) {
        const place step = s->place[v];
        s->place[v] = rest;
        rest.order -= step.order;
        rest.sign *= step.sign;
        v = step.root;
    }
    return whole;
}

/* Which of two names is the better one for both: with fewer parts, then the first declared. */
static int better(const model_system *s, uint32_t a, uint32_t b)
{
    int dots[2] = {0, 0};
    const uint32_t which[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (const char *at = s->flat->variable[which[k]].name; *at; at++) dots[k] += *at == '.';
    return dots[0] != dots[1] ? dots[0] < dots[1] : a < b;
}

/* root b = sign * d^order/dt^order root a */
static void hang(model_system *s, uint32_t b, uint32_t a, uint32_t order, int sign)
{
    s->place[b] = (place){a, order, sign};
}

/* Is the equation an alias, and are the two now joined? */
static int join(model_system *s, const term *t)
{
    const place a = find(s, t[0].variable), b = find(s, t[1].variable);
    const uint32_t p = a.order + t[0].order, q = b.order + t[1].order;
    const int sign = -t[0].sign * t[1].sign * a.sign * b.sign;
    if (a.root == b.root || (p > 0 && q > 0)) return 0;
    if (p == 0 && (q > 0 || better(s, b.root, a.root))) hang(s, a.root, b.root, q, sign);
    else hang(s, b.root, a.root, p, sign);
    return 1;
}

static int resolve_rows(model_system *s)
{
    for (int i = 0; i < s->rows; i++) {
        row *r = &s->row[i];
        r->left[0] = system_resolve(s, r->left[0]);
        r->right[0] = system_resolve(s, r->right[0]);
        if (!r->left[0] || !r->right[0]) return KEEL_NO_MEMORY;
    }
    return KEEL_OK;
}

static void want(model_system *s, walk *w, expr e)
{
    if (!e) return;
    walk_begin(w, &s->flat->pool);
    walk_add(w, &s->flat->pool, e);
    for (int i = 0; i < w->count; i++) {
        const expr_node *n = pool_at(&s->flat->pool, w->list[i]);
        if (n->op != EXPR_VARIABLE || n->a >= (uint32_t)s->variables) continue;
        const place at = s->place[n->a];
        const int column = s->root_column[at.root], order = (int)(at.order + n->b);
        if (column >= 0 && s->wanted[column] < order) s->wanted[column] = order;
    }
}

/* Derivatives that no equation has, but variables that are shown, initial equations or events. */
static void want_all(model_system *s)
{
    const flat_model *m = s->flat;
    walk w = {0};
    for (int v = 0; v < s->variables; v++) {
        const int column = s->varies[v] ? s->root_column[s->place[v].root] : -1;
        if (column >= 0 && s->wanted[column] < (int)s->place[v].order)
            s->wanted[column] = (int)s->place[v].order;
    }
    for (int i = 0; i < m->initials; i++) {
        want(s, &w, m->initial[i].left);
        want(s, &w, m->initial[i].right);
    }
    for (int i = 0; i < m->equations; i++) {
        if (!s->discrete_equation[i]) continue;
        want(s, &w, m->equation[i].left);
        want(s, &w, m->equation[i].right);
    }
    for (int i = 0; i < m->branches; i++) want(s, &w, m->branch[i].fires);
    for (int i = 0; i < m->actions; i++) want(s, &w, m->action[i].value);
    for (int i = 0; i < m->assertions; i++) want(s, &w, m->assertion[i].condition);
    for (int i = 0; i < s->extras; i++) want(s, &w, s->extra[i]);
    walk_free(&w);
}

int aliases_eliminate(model_system *s)
{
    int kept = 0;
    for (int i = 0; i < s->rows; i++) {
        row *r = &s->row[i];
        term t[2];
        const int terms = collect(s, r->right[0], -1, t, collect(s, r->left[0], 1, t, 0, 0), 0);
        if (r->kind == ROW_EQUATION && terms == 2 && join(s, t)) {
            free(r->left);
            free(r->right);
            s->aliases++;
            continue;
        }
        s->row[kept++] = *r;
    }
    s->rows = kept;
    for (int v = 0; v < s->variables; v++) s->place[v] = find(s, (uint32_t)v);
    for (int v = 0; v < s->variables; v++) {
        s->root_column[v] = -1;
        if (!s->varies[v] || s->place[v].root != (uint32_t)v) continue;
        s->root_column[v] = s->columns;
        s->column_root[s->columns++] = (uint32_t)v;
    }
    want_all(s);
    return resolve_rows(s);
}
