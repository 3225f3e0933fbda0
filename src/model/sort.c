/* sort.c -- which equations are solved in continuous time and which at events; rows.
 *
 * An equation is discrete if both sides can change at events only (Modelica, section 3.8) and one of
 * them is a discrete variable, which it then assigns.
 */
#include "model/system.h"

#include <stdlib.h>

#include "keel/status.h"

/* Values of relations jump whatever they compare; so do whole numbers made of reals. */
static int always_discrete(expr_op op)
{
    return (op >= EXPR_LESS && op <= EXPR_NOT_EQUAL) || op == EXPR_FLOOR || op == EXPR_CEIL
        || op == EXPR_QUOTIENT || op == EXPR_SAMPLE || op == EXPR_EDGE || op == EXPR_SIGN
        || op == EXPR_PRE || op == EXPR_INITIAL || op == EXPR_TERMINAL || op == EXPR_CONSTANT;
}

/* Can e change at events only?  Looks at values, not into what relations compare. */
static int jumps_only(const model_system *s, expr e, int depth)
{
    const pool *p = &s->flat->pool;
    const expr_node *n = pool_at(p, e);
    expr child[2];
    if (depth > 200) return 0;
    if (always_discrete((expr_op)n->op)) return 1;
    if (n->op == EXPR_TIME) return 0;
    if (n->op == EXPR_VARIABLE)
        return n->a < (uint32_t)s->variables && n->b == 0 && s->kind[n->a] != KIND_UNKNOWN;
    const int children = expr_children(p, e, child);
    for (int i = 0; i < children; i++)
        if (!jumps_only(s, child[i], depth + 1)) return 0;
    return children > 0;
}

static int discrete_variable(const model_system *s, expr e)
{
    const pool *p = &s->flat->pool;
    if (pool_op(p, e) == EXPR_NOT) e = pool_at(p, e)->a;
    const expr_node *n = pool_at(p, e);
    return n->op == EXPR_VARIABLE && n->a < (uint32_t)s->variables && s->kind[n->a] == KIND_DISCRETE
        && s->assigned[n->a] == 0;
}

static void mark_whens(model_system *s)
{
    const flat_model *m = s->flat;
    for (int w = 0; w < m->whens; w++)
        for (int b = m->when[w].branch; b < m->when[w].branch + m->when[w].branches; b++)
            for (int a = m->branch[b].action; a < m->branch[b].action + m->branch[b].actions; a++)
                if (m->action[a].kind == ACTION_ASSIGN) s->assigned[m->action[a].variable] |= 1;
}

typedef struct expanding { rewrite rewrite; model_system *s; } expanding;

/* der(e) of expressions becomes what it is; a der() inside of e did before. */
static expr expand_leaf(pool *p, expr e, void *context)
{
    expanding *x = context;
    if (pool_op(p, e) != EXPR_DER) return 0;
    return derivative_by_time(&x->s->derivation, x->rewrite.memo[pool_at(p, e)->a]);
}

static int add_row(model_system *s, rewrite *expand, int i)
{
    const flat_equation *q = &s->flat->equation[i];
    row r = {.equation = i, .where = q->where, .known = 1,
             .left = malloc(sizeof *r.left), .right = malloc(sizeof *r.right)};
    if (r.left && r.right) {
        r.left[0] = rewrite_expr(expand, &s->flat->pool, q->left);
        r.right[0] = rewrite_expr(expand, &s->flat->pool, q->right);
        if (row_add(s, r) >= 0) return 0;
    }
    free(r.left);
    free(r.right);
    return -1;
}

/* Inputs of the model that nothing determines stay at their start values. */
static void settle_inputs(model_system *s)
{
    walk w = {0};
    unsigned char *seen = calloc((size_t)s->variables + 1, 1);
    if (!seen) return;
    for (int i = 0; i < s->flat->equations; i++) {
        const expr left = s->flat->equation[i].left, right = s->flat->equation[i].right;
        const expr side[2] = {left, right};
        for (int k = 0; k < 2; k++) {
            const expr_node *n = pool_at(&s->flat->pool, side[k]);
            if (n->op == EXPR_VARIABLE && n->a < (uint32_t)s->variables
                && s->flat->variable[n->a].input) seen[n->a]++;
        }
    }
    for (int v = 0; v < s->variables; v++) {
        const flat_variable *f = &s->flat->variable[v];
        if (!f->input || s->kind[v] != KIND_UNKNOWN || seen[v]) continue;
        s->kind[v] = KIND_KNOWN;
        s->value[v] = f->start ? parameter_value(s, f->start) : 0;
        source_say(s->source, SEVERITY_WARNING, f->where,
                   "nothing gives the input %s a value; it stays %g", f->name, s->value[v]);
    }
    free(seen);
    walk_free(&w);
}

static int add_constants(model_system *s)
{
    pool *p = &s->flat->pool;
    for (int v = 0; v < s->variables; v++) {
        if (s->kind[v] != KIND_CONSTANT) continue;
        row r = {.kind = ROW_CONSTANT, .equation = -1, .where = s->flat->variable[v].where,
                 .known = 1, .left = malloc(sizeof *r.left), .right = malloc(sizeof *r.right)};
        if (!r.left || !r.right) return -1;
        r.left[0] = pool_variable(p, (uint32_t)v, 1);
        r.right[0] = pool_constant(p, 0);
        if (row_add(s, r) < 0) return -1;
    }
    return 0;
}

int equations_sort(model_system *s)
{
    expanding expand = {.rewrite = {.leaf = expand_leaf, .context = &expand}, .s = s};
    int code = KEEL_OK;
    mark_whens(s);
    settle_inputs(s);
    for (int v = 0; v < s->variables; v++)
        s->varies[v] = s->kind[v] == KIND_UNKNOWN || s->kind[v] == KIND_CONSTANT;
    for (int i = 0; i < s->flat->equations && code == KEEL_OK; i++) {
        const flat_equation *q = &s->flat->equation[i];
        if ((discrete_variable(s, q->left) || discrete_variable(s, q->right))
            && jumps_only(s, q->left, 0) && jumps_only(s, q->right, 0)) {
            s->discrete_equation[i] = 1;
            continue;
        }
        if (add_row(s, &expand.rewrite, i)) code = KEEL_NO_MEMORY;
    }
    if (code == KEEL_OK && add_constants(s)) code = KEEL_NO_MEMORY;
    rewrite_free(&expand.rewrite);
    s->equations_before = s->rows;
    for (int v = 0; v < s->variables; v++) s->unknowns_before += s->varies[v];
    return pool_full(&s->flat->pool) ? KEEL_NO_MEMORY : code;
}
