/* structure.c -- matching, offsets, blocks; and what is wrong with models that have none.
 *
 * Signature sigma_ij: the highest derivative of unknown j in equation i.  Offsets c_i >= 0 (how often
 * equation i is differentiated) and d_j (the highest derivative of x_j then) are the smallest with
 *
 *     d_j - c_i >= sigma_ij,   equality on a transversal                     [Pryce, BIT 41 (2001) 364]
 *
 * They are found as by Pantelides [SIAM J. Sci. Stat. Comput. 9 (1988) 213]: equations are matched one
 * by one to unknowns along entries with equality; where no alternating path ends in a free unknown, all
 * that was reached is differentiated once more: d_j + 1, c_i + 1, and the matching there stays.
 *
 * Freedom is sum d - sum c; the index is max c, plus 1 if some d_j = 0.  Blocks of the triangular form
 * are the strong components of the entries with equality [Tarjan, SIAM J. Comput. 1 (1972) 146].
 */
#include <stdlib.h>
#include <string.h>

#include "keel/status.h"
#include "model/system.h"

/* ---- signature ------------------------------------------------------------------------------- */

typedef struct counting { entry *entry; int count, room; int *seen; } counting;

static int add_entry(counting *k, int start, int column, int order)
{
    const int at = k->seen[column];
    if (at >= start && at < k->count && k->entry[at].column == column) {
        if (k->entry[at].order < order) k->entry[at].order = order;
        return 0;
    }
    if (k->count == k->room) {
        const int room = k->room ? 2 * k->room : 256;
        entry *more = realloc(k->entry, (size_t)room * sizeof *more);
        if (!more) return -1;
        k->entry = more;
        k->room = room;
    }
    k->seen[column] = k->count;
    k->entry[k->count++] = (entry){column, order};
    return 0;
}

static int read_signature(model_system *s)
{
    const pool *p = &s->flat->pool;
    walk w = {0};
    counting k = {.seen = calloc((size_t)s->columns + 1, sizeof *k.seen)};
    s->first = calloc((size_t)s->rows + 1, sizeof *s->first);
    int code = s->first && k.seen ? 0 : -1;
    for (int i = 0; i < s->rows && !code; i++) {
        walk_begin(&w, p);
        walk_add(&w, p, s->row[i].left[0]);
        walk_add(&w, p, s->row[i].right[0]);
        for (int n = 0; n < w.count && !code; n++) {
            const expr_node *node = pool_at(p, w.list[n]);
            if (node->op != EXPR_VARIABLE || node->a >= (uint32_t)s->variables) continue;
            const int column = s->root_column[node->a];
            if (column >= 0) code = add_entry(&k, s->first[i], column, (int)node->b);
        }
        s->first[i + 1] = k.count;
    }
    code |= w.no_memory;
    s->entry = k.entry;
    free(k.seen);
    walk_free(&w);
    return code ? -1 : 0;
}

/* ---- augmenting paths -------------------------------------------------------------------------- */

typedef struct search {
    int *row_mark, *column_mark;         /* the search that reached it last                     */
    int now;
    int *from;                           /* per column: the row that it was reached from        */
    int *queue;                          /* rows                                                */
    int reached;
} search;

static int search_open(search *q, const model_system *s)
{
    *q = (search){.row_mark = calloc((size_t)s->rows + 1, sizeof(int)),
                  .column_mark = calloc((size_t)s->columns + 1, sizeof(int)),
                  .from = calloc((size_t)s->columns + 1, sizeof(int)),
                  .queue = calloc((size_t)s->rows + 1, sizeof(int))};
    return q->row_mark && q->column_mark && q->from && q->queue ? 0 : -1;
}

static void search_free(search *q)
{
    free(q->row_mark);
    free(q->column_mark);
    free(q->from);
    free(q->queue);
}

static int usable(const model_system *s, int i, const entry *e, int tight)
{
    return !tight || e->order + s->c[i] == s->d[e->column];
}

static void flip(model_system *s, const search *q, int column)
{
    for (int j = column; j >= 0;) {
        const int i = q->from[j], before = s->match_row[i];
        s->match_row[i] = j;
        s->match_column[j] = i;
        j = before;
    }
}

/* Matches row i along a shortest alternating path; 0: there is none, and what was reached is marked. */
static int augment(model_system *s, search *q, int i, int tight)
{
    int head = 0, tail = 0;
    q->now++;
    q->queue[tail++] = i;
    q->row_mark[i] = q->now;
    while (head < tail) {
        const int at = q->queue[head++];
        for (int k = s->first[at]; k < s->first[at + 1]; k++) {
            const int j = s->entry[k].column;
            if (q->column_mark[j] == q->now || !usable(s, at, &s->entry[k], tight)) continue;
            q->column_mark[j] = q->now;
            q->from[j] = at;
            if (s->match_column[j] < 0) return flip(s, q, j), 1;
            q->row_mark[s->match_column[j]] = q->now;
            q->queue[tail++] = s->match_column[j];
        }
    }
    q->reached = tail;
    return 0;
}

static void unmatch(model_system *s)
{
    for (int i = 0; i < s->rows; i++) s->match_row[i] = -1;
    for (int j = 0; j < s->columns; j++) s->match_column[j] = -1;
}

/* Equations first to unknowns that are free anyway. */
static void match_cheaply(model_system *s, int tight)
{
    for (int i = 0; i < s->rows; i++)
        for (int k = s->first[i]; k < s->first[i + 1] && s->match_row[i] < 0; k++)
            if (s->match_column[s->entry[k].column] < 0 && usable(s, i, &s->entry[k], tight)) {
                s->match_row[i] = s->entry[k].column;
                s->match_column[s->entry[k].column] = i;
            }
}

/* ---- what is wrong ------------------------------------------------------------------------------ */

enum { NAMED = 8 };

static void say_rows(const model_system *s, const int *mark, int now, int count)
{
    int said = 0;
    for (int i = 0; i < s->rows && said < NAMED; i++) {
        if (mark[i] != now) continue;
        buffer b = {.most = 300};
        row_print(s, &b, i, 0, 0);
        source_say(s->source, SEVERITY_NOTE, s->row[i].where, "%s of them: %s",
                   said ? "another" : "one", buffer_text(&b));
        buffer_free(&b);
        said++;
    }
    if (count > said)
        source_say(s->source, SEVERITY_NOTE, (span){.text = -1}, "and %d more", count - said);
}

static void name_columns(const model_system *s, buffer *b, const int *mark, int now)
{
    int named = 0, count = 0;
    for (int j = 0; j < s->columns; j++) count += mark[j] == now;
    for (int j = 0; j < s->columns && named < NAMED; j++) {
        if (mark[j] != now) continue;
        buffer_add(b, named++ ? ", " : "");
        column_print(s, b, j, 0);
    }
    if (count > named) buffer_print(b, " and %d more", count - named);
    if (count == 0) buffer_add(b, "none");
}

/* The discrete variable that one side of a row is, or UINT32_MAX. */
static uint32_t when_variable(const model_system *s, int i)
{
    const expr side[2] = {s->row[i].left[0], s->row[i].right[0]};
    for (int k = 0; k < 2; k++) {
        const expr_node *n = pool_at(&s->flat->pool, side[k]);
        if (n->op == EXPR_VARIABLE && n->a < (uint32_t)s->variables &&
            s->kind[n->a] == KIND_DISCRETE)
            return n->a;
    }
    return UINT32_MAX;
}

/* The over-determined part of [Dulmage, Mendelsohn, Can. J. Math. 10 (1958) 517]: what alternating
 * paths reach from an equation without an unknown. */
static void say_overdetermined(model_system *s, search *q, int i)
{
    buffer names = {.most = 600}, text = {.most = 300};
    augment(s, q, i, 0);
    int columns = 0;
    for (int j = 0; j < s->columns; j++) columns += q->column_mark[j] == q->now;
    name_columns(s, &names, q->column_mark, q->now);
    row_print(s, &text, i, 0, 0);
    const uint32_t v = when_variable(s, i);
    if (columns == 0 && v != UINT32_MAX)
        source_say(s->source, SEVERITY_ERROR, s->row[i].where,
                   "too many equations: %s is determined by a when-clause "
                   "already, and by %s",
                   s->flat->variable[v].name, buffer_text(&text));
    else if (columns == 0)
        source_say(s->source, SEVERITY_ERROR, s->row[i].where,
                   "too many equations: this one has no unknown and says %s", buffer_text(&text));
    else
        source_say(s->source, SEVERITY_ERROR, s->row[i].where,
                   "too many equations: %d for %d unknown%s (%s); %s is one too many",
                   q->reached, columns, columns == 1 ? "" : "s", buffer_text(&names), buffer_text(&text));
    if (q->reached > 1) say_rows(s, q->row_mark, q->now, q->reached);
    buffer_free(&names);
    buffer_free(&text);
}

/* Unknowns from which alternating paths lead to a free one; rows that contain them. */
static void say_underdetermined(model_system *s, search *q, int j)
{
    int changed = 1, rows = 0, columns = 1;
    q->now++;
    q->column_mark[j] = q->now;
    while (changed) {                            /* rows that contain a reached unknown */
        changed = 0;
        for (int i = 0; i < s->rows; i++) {
            if (q->row_mark[i] == q->now) continue;
            for (int k = s->first[i]; k < s->first[i + 1]; k++) {
                if (q->column_mark[s->entry[k].column] != q->now) continue;
                q->row_mark[i] = q->now;
                rows++;
                changed = 1;
                const int matched = s->match_row[i];
                if (matched >= 0 && q->column_mark[matched] != q->now) {
                    q->column_mark[matched] = q->now;
                    columns++;
                }
                break;
            }
        }
    }
    buffer names = {.most = 600};
    name_columns(s, &names, q->column_mark, q->now);
    const flat_variable *v = &s->flat->variable[s->column_root[j]];
    if (rows == 0)
        source_say(s->source, SEVERITY_ERROR, v->where, "no equation determines %s", v->name);
    else
        source_say(s->source, SEVERITY_ERROR, v->where,
                   "too few equations: %d for %d unknowns (%s); nothing is left to determine %s",
                   rows, columns, buffer_text(&names), v->name);
    if (rows > 0) say_rows(s, q->row_mark, q->now, rows);
    buffer_free(&names);
}

static int complain(model_system *s, search *q)
{
    int over = 0, under = 0;
    if (s->rows != s->columns)
        source_say(s->source, SEVERITY_ERROR, (span){.text = -1},
                   "%s has %d equation%s for %d unknown%s", s->flat->name,
                   s->equations_before, s->equations_before == 1 ? "" : "s", s->unknowns_before,
                   s->unknowns_before == 1 ? "" : "s");
    for (int i = 0; i < s->rows && over < 4; i++)
        if (s->match_row[i] < 0) say_overdetermined(s, q, i), over++;
    for (int j = 0; j < s->columns && under < 4; j++)
        if (s->match_column[j] < 0) say_underdetermined(s, q, j), under++;
    return KEEL_BAD_ARGUMENT;
}

static int match_all(model_system *s, search *q)
{
    int missing = 0;
    unmatch(s);
    match_cheaply(s, 0);
    for (int i = 0; i < s->rows; i++)
        if (s->match_row[i] < 0 && !augment(s, q, i, 0)) missing++;
    return missing > 0 || s->rows != s->columns ? complain(s, q) : KEEL_OK;
}

/* ---- offsets ------------------------------------------------------------------------------------ */

static void differentiate_reached(model_system *s, const search *q)
{
    for (int k = 0; k < q->reached; k++) {
        const int i = q->queue[k];
        s->c[i]++;
        if (s->match_row[i] >= 0) s->d[s->match_row[i]]++;
    }
}

static void find_offsets(model_system *s, search *q)
{
    for (int j = 0; j < s->columns; j++) s->d[j] = s->wanted[j];
    for (int i = 0; i < s->rows; i++) {
        s->c[i] = 0;
        for (int k = s->first[i]; k < s->first[i + 1]; k++)
            if (s->entry[k].order > s->d[s->entry[k].column]) s->d[s->entry[k].column] = s->entry[k].order;
    }
    unmatch(s);
    match_cheaply(s, 1);
    for (int i = 0; i < s->rows; i++)
        while (s->match_row[i] < 0 && !augment(s, q, i, 1)) differentiate_reached(s, q);
    int highest = 0, algebraic = 0;
    s->freedom = 0;
    for (int i = 0; i < s->rows; i++) {
        highest = s->c[i] > highest ? s->c[i] : highest;
        s->freedom += s->d[i] - s->c[i];
    }
    for (int v = 0; v < s->variables; v++)       /* variables that are leading derivatives count as d = 0 */
        algebraic |= s->varies[v] && (s->root_column[s->place[v].root] < 0
            || (int)s->place[v].order == s->d[s->root_column[s->place[v].root]]);
    s->index = highest + algebraic;
}

/* ---- blocks -------------------------------------------------------------------------------------- */

typedef struct tarjan {
    int *number, *low, *stack, *next, *path;
    int count, depth;
} tarjan;

/* Rows depend on the rows that are matched to their unknowns. */
static void visit(model_system *s, tarjan *t, int start)
{
    int level = 0;
    t->path[0] = start;
    t->number[start] = t->low[start] = ++t->count;
    t->next[start] = s->first[start];
    t->stack[t->depth++] = start;
    while (level >= 0) {
        const int i = t->path[level];
        int deeper = 0;
        while (t->next[i] < s->first[i + 1] && !deeper) {
            const entry *e = &s->entry[t->next[i]++];
            const int on = s->match_column[e->column];
            if (on == i || !usable(s, i, e, 1)) continue;
            if (t->number[on] == 0) {
                t->number[on] = t->low[on] = ++t->count;
                t->next[on] = s->first[on];
                t->stack[t->depth++] = on;
                t->path[++level] = on;
                deeper = 1;
            } else if (t->number[on] > 0 && t->number[on] < t->low[i]) t->low[i] = t->number[on];
        }
        if (deeper) continue;
        if (t->low[i] == t->number[i]) {
            int taken;
            do {
                taken = t->stack[--t->depth];
                t->number[taken] = -1;           /* in a block */
                s->block_row[s->block[s->blocks + 1]++] = taken;
            } while (taken != i);
            s->blocks++;
            s->block[s->blocks + 1] = s->block[s->blocks];
        }
        if (--level >= 0 && t->low[i] < t->low[t->path[level]]) t->low[t->path[level]] = t->low[i];
    }
}

static int find_blocks(model_system *s)
{
    const size_t n = (size_t)s->rows + 2;
    tarjan t = {.number = calloc(n, sizeof(int)), .low = calloc(n, sizeof(int)),
                .stack = calloc(n, sizeof(int)), .next = calloc(n, sizeof(int)),
                .path = calloc(n, sizeof(int))};
    const int there = t.number && t.low && t.stack && t.next && t.path;
    s->blocks = 0;
    for (int i = 0; i < s->rows && there; i++)
        if (t.number[i] == 0) visit(s, &t, i);
    free(t.number);
    free(t.low);
    free(t.stack);
    free(t.next);
    free(t.path);
    return there ? KEEL_OK : KEEL_NO_MEMORY;
}

static void forget(model_system *s)
{
    void *all[] = {s->first, s->entry, s->match_row, s->match_column, s->c, s->d, s->block, s->block_row};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    s->first = s->match_row = s->match_column = s->c = s->d = s->block = s->block_row = NULL;
    s->entry = NULL;
}

int structure_analyse(model_system *s)
{
    const size_t rows = (size_t)s->rows + 3, columns = (size_t)s->columns + 3;
    search q = {0};
    forget(s);
    s->match_row = calloc(rows, sizeof(int));
    s->match_column = calloc(columns, sizeof(int));
    s->c = calloc(rows, sizeof(int));
    s->d = calloc(columns, sizeof(int));
    s->block = calloc(rows, sizeof(int));
    s->block_row = calloc(rows, sizeof(int));
    int code = KEEL_NO_MEMORY;
    if (s->match_row && s->match_column && s->c && s->d && s->block && s->block_row
        && !search_open(&q, s) && !read_signature(s)) {
        code = match_all(s, &q);
        if (code == KEEL_OK) find_offsets(s, &q);
        if (code == KEEL_OK) code = find_blocks(s);
    }
    search_free(&q);
    return code;
}
