/* elimination.c -- the rank of a sparse square matrix and a left null vector: see elimination.h.
 *
 * Gaussian elimination of rows scaled to 1.  The pivot row is the shortest one; in it, of the entries that
 * are large enough, the pivot is the one in the shortest column [Markowitz, Management Sci. 3 (1957)].  Rows
 * grow by at most 1 + 1/`threshold` in a step.  A row of which nothing is left but rounding errors is
 * dependent; which rows it is made of follows from the factors, back from the last step to the first.
 */
#include "model/elimination.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double threshold = 0.1;     /* a pivot, of the largest entry of its row            */
static const double nothing = 1e-12;     /* what is left of a row of size 1 that is dependent   */

enum { FILL = 60 };                      /* entries that may arise, per entry of the matrix     */

typedef struct entry { int column; double value; } entry;
typedef struct line { entry *at; int count, room; } line;
typedef struct list { int *at; int count, room; } list;
typedef struct factor { int row; double value; } factor;

typedef struct elimination {
    int n;
    long entries, most;
    line *row;
    list *column;                        /* rows that have it, also those that are done         */
    int *length;                         /* per column: of these, rows that are not done        */
    double *scale;
    unsigned char *done;
    int *next, *before, *first;          /* rows that are not done, by their lengths            */
    int *seen, stamp;                    /* per column                                          */
    double *spread;                      /* the pivot row, by columns                           */
    factor *factor;
    int *pivot;                          /* per step: its row                                   */
    long *begin, factors, room;          /* per step: its factors                               */
    int failed;
} elimination;

static void elimination_close(elimination *e)
{
    for (int i = 0; i < e->n; i++) {
        if (e->row) free(e->row[i].at);
        if (e->column) free(e->column[i].at);
    }
    void *const all[] = {e->row, e->column, e->length, e->scale, e->done, e->next, e->before, e->first,
                         e->seen, e->spread, e->factor, e->pivot, e->begin};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static void put(elimination *e, int i, int j, double value)
{
    line *r = &e->row[i];
    list *c = &e->column[j];
    if (r->count == r->room) {
        entry *more = realloc(r->at, (2 * (size_t)r->room + 4) * sizeof *more);
        if (!more) { e->failed = -1; return; }
        r->at = more;
        r->room = 2 * r->room + 4;
    }
    if (c->count == c->room) {
        int *more = realloc(c->at, (2 * (size_t)c->room + 4) * sizeof *more);
        if (!more) { e->failed = -1; return; }
        c->at = more;
        c->room = 2 * c->room + 4;
    }
    r->at[r->count++] = (entry){j, value};
    c->at[c->count++] = i;
    e->length[j]++;
    if (++e->entries > e->most) e->failed = -2;
}

/* ---- rows by their lengths ------------------------------------------------------------------------- */

static void enter(elimination *e, int i)
{
    const int k = e->row[i].count;
    e->before[i] = -1;
    e->next[i] = e->first[k];
    if (e->first[k] >= 0) e->before[e->first[k]] = i;
    e->first[k] = i;
}

static void leave(elimination *e, int i)
{
    if (e->next[i] >= 0) e->before[e->next[i]] = e->before[i];
    if (e->before[i] >= 0) e->next[e->before[i]] = e->next[i];
    else e->first[e->row[i].count] = e->next[i];
}

static int shortest(const elimination *e, int *from)
{
    if (*from > 0) --*from;                      /* a step shortens rows by one at most */
    while (*from <= e->n && e->first[*from] < 0) ++*from;
    return *from <= e->n ? e->first[*from] : -1;
}

/* ---- opening --------------------------------------------------------------------------------------- */

static void load(elimination *e, int count, const int *row, const int *column, const double *value)
{
    for (int k = 0; k < count && !e->failed; k++) {
        line *r = &e->row[row[k]];
        int at = 0;
        while (at < r->count && r->at[at].column != column[k]) at++;
        if (at < r->count) r->at[at].value += value[k];
        else put(e, row[k], column[k], value[k]);
    }
    for (int i = 0; i < e->n; i++) {
        double most = 0;
        for (int k = 0; k < e->row[i].count; k++) most = fmax(most, fabs(e->row[i].at[k].value));
        e->scale[i] = most > 0 ? 1 / most : 1;
        for (int k = 0; k < e->row[i].count; k++) e->row[i].at[k].value *= e->scale[i];
    }
}

static int elimination_open(elimination *e, int n, int count)
{
    const size_t m = (size_t)n + 1;
    *e = (elimination){.n = n, .most = (long)FILL * count + 1000,
        .row = calloc(m, sizeof *e->row), .column = calloc(m, sizeof *e->column),
        .length = calloc(m, sizeof(int)), .scale = calloc(m, sizeof(double)), .done = calloc(m, 1),
        .next = malloc(m * sizeof(int)), .before = malloc(m * sizeof(int)), .first = malloc(m * sizeof(int)),
        .seen = calloc(m, sizeof(int)), .spread = calloc(m, sizeof(double)), .pivot = malloc(m * sizeof(int)),
        .begin = malloc((m + 1) * sizeof(long))};
    if (!e->row || !e->column || !e->length || !e->scale || !e->done || !e->next || !e->before || !e->first
        || !e->seen || !e->spread || !e->pivot || !e->begin) return e->failed = -1;
    for (int k = 0; k <= n; k++) e->first[k] = -1;
    return 0;
}

/* ---- steps ----------------------------------------------------------------------------------------- */

static int choose(const elimination *e, int i)
{
    const line *r = &e->row[i];
    double most = 0;
    int best = -1;
    for (int k = 0; k < r->count; k++) most = fmax(most, fabs(r->at[k].value));
    if (most <= nothing) return -1;
    for (int k = 0; k < r->count; k++)
        if (fabs(r->at[k].value) >= threshold * most
            && (best < 0 || e->length[r->at[k].column] < e->length[r->at[best].column])) best = k;
    return best;
}

static void keep_factor(elimination *e, int row, double value)
{
    if (e->factors == e->room) {
        const long room = 2 * e->room + 64;
        factor *more = realloc(e->factor, (size_t)room * sizeof *more);
        if (!more) { e->failed = -1; return; }
        e->factor = more;
        e->room = room;
    }
    e->factor[e->factors++] = (factor){row, value};
}

/* Row i without column c: less f times row p, which is spread out. */
static void subtract(elimination *e, int i, int p, int c, double pivot)
{
    line *r = &e->row[i];
    const int stamp = ++e->stamp;
    double f = 0;
    for (int k = 0; k < r->count; k++)
        if (r->at[k].column == c) {
            f = r->at[k].value / pivot;
            r->at[k] = r->at[--r->count];
            break;
        }
    e->seen[c] = stamp;
    for (int k = 0; k < r->count; k++) {
        r->at[k].value -= f * e->spread[r->at[k].column];
        e->seen[r->at[k].column] = stamp;
    }
    for (int k = 0; k < e->row[p].count && f != 0 && !e->failed; k++) {
        const entry *x = &e->row[p].at[k];
        if (e->seen[x->column] != stamp) put(e, i, x->column, -f * x->value);
    }
    if (f != 0) keep_factor(e, i, f);
}

static void finish_row(elimination *e, int i)
{
    leave(e, i);
    e->done[i] = 1;
    for (int k = 0; k < e->row[i].count; k++) e->length[e->row[i].at[k].column]--;
}

static void step(elimination *e, int p, int at)
{
    const line *r = &e->row[p];
    const int c = r->at[at].column;
    const double pivot = r->at[at].value;
    finish_row(e, p);
    for (int k = 0; k < r->count; k++) e->spread[r->at[k].column] = r->at[k].value;
    for (int k = 0; k < e->column[c].count && !e->failed; k++) {
        const int i = e->column[c].at[k];
        if (e->done[i]) continue;
        leave(e, i);
        subtract(e, i, p, c, pivot);
        enter(e, i);
    }
    for (int k = 0; k < r->count; k++) e->spread[r->at[k].column] = 0;
}

/* u^T = e_r^T E_K ... E_1, where E_k takes its factors times the pivot row from rows, and of these as they
 * were before they were scaled. */
static void combination(const elimination *e, int dependent, int steps, double *u)
{
    double most = 0;
    memset(u, 0, (size_t)e->n * sizeof *u);
    u[dependent] = 1;
    for (int k = steps - 1; k >= 0; k--)
        for (long f = e->begin[k]; f < e->begin[k + 1]; f++)
            u[e->pivot[k]] -= e->factor[f].value * u[e->factor[f].row];
    for (int i = 0; i < e->n; i++) {
        u[i] *= e->scale[i];
        if (fabs(u[i]) > fabs(most) * (1 + 1e-9)) most = u[i];
    }
    for (int i = 0; i < e->n; i++) {
        u[i] /= most;
        if (fabs(u[i]) < 1e-9) u[i] = 0;
    }
}

int eliminate_sparse(int n, int count, const int *row, const int *column, const double *value, double *u)
{
    elimination e;
    int steps = 0, dependent = -1, from = 0;
    if (!elimination_open(&e, n, count)) load(&e, count, row, column, value);
    for (int i = 0; i < n && !e.failed; i++) enter(&e, i);
    for (int i; !e.failed && (i = shortest(&e, &from)) >= 0; ) {
        const int at = choose(&e, i);
        if (at < 0) {
            if (dependent < 0) dependent = i;
            finish_row(&e, i);
            continue;
        }
        e.begin[steps] = e.factors;
        e.pivot[steps++] = i;
        step(&e, i, at);
        e.begin[steps] = e.factors;
    }
    if (!e.failed && dependent >= 0) combination(&e, dependent, steps, u);
    const int code = e.failed;
    elimination_close(&e);
    return code ? code : steps;
}
