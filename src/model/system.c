/* system.c -- a flat model on its way to a problem: rows and their names. */
#include "model/system.h"

#include <stdlib.h>
#include <string.h>

#include "keel/status.h"
#include "model/discrete.h"

int system_open(model_system *s, flat_model *flat, source *src)
{
    const size_t n = (size_t)flat->variables + 1;
    *s = (model_system){.flat = flat, .source = src, .variables = flat->variables};
    s->kind = calloc(n, 1);
    s->varies = calloc(n, 1);
    s->value = calloc(n, sizeof *s->value);
    s->assigned = calloc(n, sizeof *s->assigned);
    s->place = calloc(n, sizeof *s->place);
    s->discrete_equation = calloc((size_t)flat->equations + 1, 1);
    s->root_column = calloc(n, sizeof *s->root_column);
    s->column_root = calloc(n, sizeof *s->column_root);
    s->wanted = calloc(n, sizeof *s->wanted);
    if (calls_open(&s->calls, flat) || !s->kind || !s->varies || !s->value || !s->assigned
        || !s->place || !s->discrete_equation || !s->root_column || !s->column_root || !s->wanted)
        return KEEL_NO_MEMORY;
    for (int v = 0; v < flat->variables; v++) s->place[v] = (place){(uint32_t)v, 0, 1};
    derivation_open(&s->derivation, &flat->pool, &s->calls, s->varies, (uint32_t)flat->variables);
    return KEEL_OK;
}

static void free_structure(model_system *s)
{
    free(s->first);
    free(s->entry);
    free(s->match_row);
    free(s->match_column);
    free(s->c);
    free(s->d);
    free(s->block);
    free(s->block_row);
}

void system_free(model_system *s)
{
    for (int i = 0; i < s->rows; i++) {
        free(s->row[i].left);
        free(s->row[i].right);
    }
    free(s->row);
    free(s->kind);
    free(s->varies);
    free(s->value);
    free(s->assigned);
    free(s->place);
    free(s->discrete_equation);
    free(s->root_column);
    free(s->column_root);
    free(s->wanted);
    free(s->extra);
    free_structure(s);
    rewrite_free(&s->resolve);
    rewrite_free(&s->define);
    free(s->definition);
    walk_free(&s->value_walk);
    walk_free(&s->near_walk);
    derivation_free(&s->derivation);
    calls_free(&s->calls);
    buffer_free(&s->remarks);
    *s = (model_system){0};
}

int row_add(model_system *s, row r)
{
    if (s->rows == s->row_room) {
        const int room = s->row_room ? 2 * s->row_room : 64;
        row *more = realloc(s->row, (size_t)room * sizeof *more);
        if (!more) return -1;
        s->row = more;
        s->row_room = room;
    }
    s->row[s->rows] = r;
    return s->rows++;
}

int row_derive(model_system *s, int i, int k)
{
    row *r = &s->row[i];
    if (k < r->known) return 0;
    expr *left = realloc(r->left, ((size_t)k + 1) * sizeof *left);
    if (left) r->left = left;
    expr *right = realloc(r->right, ((size_t)k + 1) * sizeof *right);
    if (right) r->right = right;
    if (!left || !right) return s->no_memory = 1, -1;
    for (; r->known <= k; r->known++) {
        r->left[r->known] = derivative_by_time(&s->derivation, r->left[r->known - 1]);
        r->right[r->known] = derivative_by_time(&s->derivation, r->right[r->known - 1]);
    }
    return pool_full(&s->flat->pool) ? -1 : 0;
}

expr row_residual(model_system *s, int i, int k)
{
    if (row_derive(s, i, k)) return 0;
    return make_subtract(&s->flat->pool, s->row[i].left[k], s->row[i].right[k]);
}

static expr shown(void *context, uint32_t variable)
{
    const model_system *s = context;
    return s->discrete ? discrete_shown(s->discrete, variable) : 0;
}

printer system_printer(const model_system *s)
{
    return (printer){.model = s->flat, .shown = shown, .context = (void *)(uintptr_t)s};
}

void row_print(const model_system *s, buffer *b, int i, int k, int with_line)
{
    const row *r = &s->row[i];
    const printer how = system_printer(s);
    const flat_equation *written = k == 0 && r->kind == ROW_EQUATION ? &s->flat->equation[r->equation] : NULL;
    print_equation(b, &how, written ? written->left : r->left[k], written ? written->right : r->right[k]);
    if (!with_line || r->where.text < 0) return;
    int line, column;
    source_place(s->source, r->where, &line, &column);
    buffer_print(b, " (line %d", line);
    const char *indices = r->equation >= 0 ? s->flat->equation[r->equation].indices : "";
    if (indices && *indices) buffer_print(b, ", %s", indices);
    buffer_add(b, ")");
}

void column_print(const model_system *s, buffer *b, int j, int k)
{
    for (int l = 0; l < k; l++) buffer_add(b, "der(");
    buffer_add(b, s->flat->variable[s->column_root[j]].name);
    for (int l = 0; l < k; l++) buffer_add(b, ")");
}

static expr resolve_leaf(pool *p, expr e, void *context)
{
    const model_system *s = context;
    const expr_node n = *pool_at(p, e);
    if (n.op != EXPR_VARIABLE || n.a >= (uint32_t)s->variables) return 0;
    const place at = s->place[n.a];
    if (at.root == n.a && at.order == 0) return e;
    const expr root = pool_variable(p, at.root, at.order + n.b);
    return at.sign < 0 ? pool_one(p, EXPR_NEGATE, root) : root;
}

expr system_resolve(model_system *s, expr e)
{
    s->resolve.leaf = resolve_leaf;
    s->resolve.context = s;
    return rewrite_expr(&s->resolve, &s->flat->pool, e);
}
