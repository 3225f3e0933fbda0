/* sparse_expect.c -- how many entries L and U have at most, whatever the pivots are.
 *
 * Rows are merged [A. George & E. Ng, SIAM J. Sci. Stat. Comput. 8 (1987)]: all rows left that have an entry in
 * column k are candidates for its pivot, and each may take the entries of all.  So row k of U has no more than their
 * union and column k of L no more than there are candidates; those that are not the pivot go on as one group
 * of rows with the same entries, which waits for its next column.
 */
#include "linear/sparse.h"

typedef struct row_merge {
    int *due;                    /* [n] when a column is eliminated; below, columns are named by that     */
    int *column, *link;          /* [entries] of the matrix, and the next one of the same group, or -1    */
    int *head, *rows;            /* [n] of a group: its first entry, how many rows                        */
    int *first, *next;           /* [n] the groups that wait for a column, and further ones, or -1        */
    int *seen;                   /* [n] the last union that a column was in                               */
} row_merge;

static void merge_layout(arena *a, row_merge *m, const sparse_shape *s)
{
    size_t n = (size_t)s->n, entries = (size_t)s->start[s->n];
    ARENA_INTEGERS(a, n, &m->due, &m->head, &m->rows, &m->first, &m->next, &m->seen);
    ARENA_INTEGERS(a, entries, &m->column, &m->link);
}

static void wait_for(row_merge *m, int group, int column)
{
    m->next[group] = m->first[column];
    m->first[column] = group;
}

/* Every row is a group. */
static void merge_begin(row_merge *m, const sparse_shape *s, const int *order)
{
    for (int k = 0; k < s->n; k++) {
        m->due[order[k]] = k;
        m->head[k] = m->first[k] = m->seen[k] = -1;
        m->rows[k] = 1;
    }
    for (int k = s->n - 1; k >= 0; k--)          /* the first column of a row last: the head of its list */
        for (int p = s->start[order[k]]; p < s->start[order[k] + 1]; p++) {
            m->column[p] = k;
            m->link[p] = m->head[s->row[p]];
            m->head[s->row[p]] = p;
        }
    for (int i = 0; i < s->n; i++)
        if (m->head[i] >= 0) wait_for(m, i, m->column[m->head[i]]);
}

/* Eliminates column k: entries of its row of U and its column of L. */
static double merge_column(row_merge *m, int n, int k)
{
    int candidates = 0, list = -1, earliest = n;
    double entries = 0;
    for (int group = m->first[k]; group >= 0; group = m->next[group]) {
        candidates += m->rows[group];
        for (int p = m->head[group], after; p >= 0; p = after) {
            int column = m->column[p];
            after = m->link[p];
            if (column == k || m->seen[column] == k) continue;
            m->seen[column] = k;
            m->link[p] = list;
            list = p;
            entries++;
            if (column < earliest) earliest = column;
        }
    }
    if (candidates > 1 && list >= 0) {
        int group = m->first[k];
        m->rows[group] = candidates - 1;
        m->head[group] = list;
        wait_for(m, group, earliest);
    }
    return entries + candidates;
}

linear_memory expect_any_pivots(const sparse_shape *s, const int *order)
{
    row_merge m;
    arena measure = {0};
    merge_layout(&measure, &m, s);
    arena block = {.base = arena_block_unset(measure.used)};
    if (!block.base) return (linear_memory){-1, -1};
    merge_layout(&block, &m, s);
    merge_begin(&m, s, order);
    double most = s->n;                          /* the ones of L are stored, too */
    for (int k = 0; k < s->n; k++) most += merge_column(&m, s->n, k);
    arena_block_free(block.base);
    return (linear_memory){s->start[s->n], most};
}
