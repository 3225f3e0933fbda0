#include "problem/loose.h"

#include <math.h>
#include <string.h>

#include "linear/columns.h"
#include "problem/forms.h"

static const double
    finest = 1e-7,               /* as far as a sparse elimination can tell                */
    poor = 1e-3;                 /* what remains of rows that ask for another choice       */

/* ---- patterns ------------------------------------------------------------------------------ */

static int count_entries(const keel_pattern *pattern, int n, int m, int side)
{
    int count = 0;
    for (int j = side == LOOSE_ROWS ? 0 : n - m; j < n; j++) {
        column c = pattern_column(pattern, n, j);
        for (int k = 0; k < c.count; k++) count += side == LOOSE_COLUMNS || column_row(&c, k) >= n - m;
    }
    return count;
}

/* The last m rows, by columns. */
static void list_rows(const keel_matrix *J, int m, int *start, int *row, int *source)
{
    int count = 0, first = J->rows - m;
    for (int j = 0; j < J->columns; j++) {
        column c = matrix_column(J, j);
        for (int k = 0; k < c.count; k++) {
            if (column_row(&c, k) < first) continue;
            row[count] = column_row(&c, k) - first;
            source[count++] = (int)(c.values + k - J->values);
        }
        start[j + 1] = count;
    }
}

/* The last m columns as rows. */
static void list_columns(const keel_matrix *J, int m, int *start, int *row, int *source)
{
    int n = J->columns, first = n - m;
    for (int j = first; j < n; j++) {
        column c = matrix_column(J, j);
        for (int k = 0; k < c.count; k++) start[column_row(&c, k) + 1]++;
    }
    for (int i = 0; i < n; i++) start[i + 1] += start[i];
    for (int j = first; j < n; j++) {            /* start[i] runs on to start[i + 1] */
        column c = matrix_column(J, j);
        for (int k = 0; k < c.count; k++) {
            int at = start[column_row(&c, k)]++;
            row[at] = j - first;
            source[at] = (int)(c.values + k - J->values);
        }
    }
    memmove(start + 1, start, (size_t)n * sizeof *start);
    start[0] = 0;
}

/* ---- life ---------------------------------------------------------------------------------- */

void loose_layout(arena *a, loose_rows *l, const keel_problem *p)
{
    l->problem = p;
    if (!p) return;
    int n = p->n, m = l->m = p->constraints;
    ARENA_KEEP(a, l, count, count);
    coloring_layout(a, &l->colors, p);
    problem_matrix_layout(a, &l->J, p);
    for (int side = 0; side < LOOSE_SIDES; side++) {
        int entries = count_entries(&p->pattern, n, m, side);
        l->start[side] = ARENA(a, int, n + 1);
        l->row[side] = ARENA(a, int, entries);
        l->source[side] = ARENA(a, int, entries);
        l->values[side] = ARENA(a, double, entries);
    }
    l->W = ARENA(a, double, n);
    l->zero = ARENA(a, double, n);
    l->negative = ARENA(a, double, m);
    l->reference = ARENA(a, double, m);
    l->part = ARENA(a, double, m);
    l->left = ARENA(a, unsigned char, m);
    l->found = ARENA(a, unsigned char, m);
    l->tried = ARENA(a, unsigned char, m);
}

int loose_create(loose_rows *l)
{
    if (!l->problem) return KEEL_OK;
    int rc = KEEL_OK;
    coloring_build(&l->colors, l->problem);
    list_rows(&l->J, l->m, l->start[LOOSE_ROWS], l->row[LOOSE_ROWS], l->source[LOOSE_ROWS]);
    list_columns(&l->J, l->m, l->start[LOOSE_COLUMNS], l->row[LOOSE_COLUMNS], l->source[LOOSE_COLUMNS]);
    for (int side = 0; side < LOOSE_SIDES && !rc; side++) {
        keel_pattern pattern = {.storage = KEEL_SPARSE, .column_start = l->start[side],
                                .row_index = l->row[side]};
        rc = sparse_rank_create(&l->rank[side], l->m, l->problem->n, &pattern);
    }
    return rc;
}

void loose_release(loose_rows *l)
{
    for (int side = 0; side < LOOSE_SIDES; side++) {
        sparse_rank_free(l->rank[side]);
        l->rank[side] = NULL;
    }
}

/* ---- matrices ------------------------------------------------------------------------------ */

static void take(const loose_rows *l, int side)
{
    for (int k = 0; k < l->start[side][l->problem->n]; k++)
        l->values[side][k] = l->J.values[l->source[side][k]];
}

/* Rows of the constraint, those of the longest lag of a levelled problem, or columns, those of no lag. */
static int evaluate(const loose_rows *l, evaluator *e, int side, double t, const double *y)
{
    int levelled = l->problem->ops == &levelled_form, lag = e->lag;
    keel_matrix J = l->J;
    if (levelled) eval_set_lag(e, side == LOOSE_ROWS ? l->problem->levels - 1 : 0);
    int rc = eval_jacobian(e, &l->colors, t, y, l->zero, &J);
    if (levelled) eval_set_lag(e, lag);
    if (!rc) take(l, side);
    if (!rc && !levelled) take(l, LOOSE_SIDES - 1 - side);       /* the same matrix */
    return rc;
}

static int evaluate_both(const loose_rows *l, evaluator *e, double t, const double *y)
{
    int rc = evaluate(l, e, LOOSE_ROWS, t, y);
    return rc || l->problem->ops != &levelled_form ? rc : evaluate(l, e, LOOSE_COLUMNS, t, y);
}

/* What remains of the others without these rows. */
static double remains(const loose_rows *l, int side, const unsigned char *left)
{
    memcpy(l->tried, left, (size_t)l->m);
    return sparse_rank_factor(l->rank[side], l->values[side], l->tried);
}

/* ---- the choice ---------------------------------------------------------------------------- */

int loose_count(loose_rows *l, evaluator *e, double t, const double *y, double tolerance)
{
    int rc = evaluate(l, e, LOOSE_ROWS, t, y);
    if (rc) return KEEL_CALLBACK_FAILED;
    return sparse_rank_find(l->rank[LOOSE_ROWS], l->values[LOOSE_ROWS], fmax(tolerance, finest), l->tried);
}

int loose_list(loose_rows *l, int *rows)
{
    int found = 0;
    (void)sparse_rank_remainder(l->rank[LOOSE_ROWS], l->part);
    for (int k = 0; k < l->m; k++)
        if (fabs(l->part[k]) > 1e-6) rows[found++] = k;
    return found;
}

/* C by the rows or by the columns, from large tolerances on, so that as much as possible remains of both:
 * that; 0: the one of before stays, as nothing does. */
static double choose(loose_rows *l)
{
    double best = 0;
    for (double tolerance = 1e-2; tolerance > finest / 2 && best < tolerance; tolerance /= 10)
        for (int side = 0; side < LOOSE_SIDES && best < tolerance; side++) {
            if (sparse_rank_find(l->rank[side], l->values[side], tolerance, l->found) != l->count) continue;
            double score = fmin(tolerance, remains(l, LOOSE_SIDES - 1 - side, l->found));
            if (score > best) memcpy(l->left, l->found, (size_t)l->m);
            best = fmax(best, score);
        }
    return best;
}

/* The largest entry of each row of C. */
static void set_weights(loose_rows *l)
{
    int n = l->problem->n;
    double *W = l->W + n - l->m;
    memset(W, 0, (size_t)l->m * sizeof *W);
    for (int k = 0; k < l->start[LOOSE_ROWS][n]; k++) {
        int i = l->row[LOOSE_ROWS][k];
        if (l->left[i]) W[i] = fmax(W[i], fabs(l->values[LOOSE_ROWS][k]));
    }
    for (int i = 0; i < l->m; i++) {
        if (l->left[i] && W[i] == 0) W[i] = 1;   /* a row of zeros */
        l->negative[i] = -W[i];
    }
}

int loose_choose(loose_rows *l, evaluator *e, int count, double t, const double *y, double tolerance)
{
    const int columns = LOOSE_COLUMNS;
    if (evaluate_both(l, e, t, y)) return KEEL_CALLBACK_FAILED;
    int idle = sparse_rank_find(l->rank[columns], l->values[columns], fmax(tolerance, finest), l->tried);
    if (idle == KEEL_NO_MEMORY) return idle;
    l->count = count;
    if (idle != count || !(choose(l) > finest)) return KEEL_WRONG_INDEX;
    set_weights(l);
    memset(l->reference, 0, (size_t)l->m * sizeof *l->reference);
    return KEEL_OK;
}

/* ---- a run --------------------------------------------------------------------------------- */

static void make_smallest(const loose_rows *l, double *y)
{
    if (remains(l, LOOSE_COLUMNS, l->left) > 0)
        sparse_rank_smallest(l->rank[LOOSE_COLUMNS], y + l->problem->n - l->m);
}

int loose_smallest(const loose_rows *l, evaluator *e, double t, double *y)
{
    int rc = evaluate(l, e, LOOSE_COLUMNS, t, y);
    if (!rc) make_smallest(l, y);
    return rc;
}

int loose_renew(loose_rows *l, evaluator *e, double t, double *y)
{
    int rc = evaluate_both(l, e, t, y);
    if (rc) return rc < 0 ? rc : 0;              /* those of before serve on */
    if (remains(l, LOOSE_ROWS, l->left) < poor || remains(l, LOOSE_COLUMNS, l->left) < poor)
        (void)choose(l);
    set_weights(l);
    make_smallest(l, y);
    memcpy(l->reference, y + l->problem->n - l->m, (size_t)l->m * sizeof *y);
    return 0;
}
