#include "problem/gauge.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/dependence.h"
#include "problem/formulation.h"

static const double
    dependent = 1e-6,            /* rows of length 1 leave no more to each other: f_z may  */
                                 /* be of one-sided differences                            */
    idle_most = 1e-5,            /* what combinations of z do that do not act              */
    least_weight = 1e-3,         /* w beside the largest entry of S                        */
    reach = 1e-3;                /* relative distance of the point beside the start        */

void gauge_layout(arena *a, gauge *g, const keel_problem *p)
{
    int own = !p->original || formulation_attaches(p);   /* else its rows are the original's business */
    int serves = p->levels > 1 && p->ops != &mechanical_form && own, dense = p->pattern.storage == KEEL_DENSE;
    if (!dense && p->original) serves = 0;
    g->m = serves ? p->constraints : 0;
    loose_layout(a, &g->loose, serves && !dense ? p : NULL);
    size_t m = dense ? (size_t)g->m : 0, n = serves && dense ? (size_t)p->level[0].count : 0;
    ARENA_KEEP(a, g, count, weight);
    g->N = ARENA(a, double, m * m);
    g->R = ARENA(a, double, m * m);
    g->S = ARENA(a, double, dense ? m * m : (size_t)g->m);
    g->y = ARENA(a, double, serves ? p->n : 0);
    g->f = ARENA(a, double, serves ? p->n : 0);
    g->A = ARENA(a, double, m * n);
    g->rows = ARENA(a, int, g->m);
    g->work = rank_layout(a, (int)m, (int)(m > n ? m : n));
}

int gauge_create(gauge *g)
{
    int rc = loose_create(&g->loose);
    if (rc == KEEL_UNSUPPORTED) g->m = 0;
    return rc == KEEL_UNSUPPORTED ? KEEL_OK : rc;
}

void gauge_release(gauge *g) { loose_release(&g->loose); }

int gauge_smallest(const gauge *g, evaluator *e, double t, double *y)
{
    return g->loose.problem ? loose_smallest(&g->loose, e, t, y) : 0;
}

int gauge_renew(gauge *g, evaluator *e, double t, double *y)
{
    return g->loose.problem ? loose_renew(&g->loose, e, t, y) : 0;
}

static void subtract(const gauge *g, const double *z, double *value)
{
    const loose_rows *l = &g->loose;
    for (int k = 0; l->problem && k < g->m; k++)
        if (l->left[k]) value[k] += l->negative[k] * (z[k] - l->reference[k]);
    if (l->problem) return;
    for (int c = 0; c < g->count; c++) {
        double sum = 0;
        for (int k = 0; k < g->m; k++) sum += g->R[k * g->count + c] * z[k];
        for (int k = 0; k < g->m; k++) value[k] -= g->weight * sum * g->N[k * g->count + c];
    }
}

int gauge_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    int rc = e->problem->ops->residual(e, t, y, yp, r), first = e->problem->n - e->gauge->m;
    if (!rc) subtract(e->gauge, y + first, r + first);
    return rc;
}

int gauge_level(evaluator *e, int level, double t, const double *y, double *value)
{
    int rc = e->problem->ops->level(e, level, t, y, value);
    if (level == e->problem->levels - 1 && !rc)
        subtract(e->gauge, y + e->problem->n - e->gauge->m, value);
    return rc;
}

static double entry(const gauge *g, int i, int k)
{
    double sum = 0;
    for (int c = 0; c < g->count; c++) sum += g->N[i * g->count + c] * g->R[k * g->count + c];
    return -g->weight * sum;
}

void gauge_add(const gauge *g, double *S)
{
    for (int i = 0; g->loose.problem && i < g->m; i++) S[i * g->m + i] += g->loose.negative[i];
    if (g->loose.problem) return;
    for (int i = 0; i < g->m; i++)
        for (int k = 0; k < g->m; k++) S[i * g->m + k] += entry(g, i, k);
}

void gauge_add_block(const gauge *g, keel_matrix *J)
{
    int first = J->rows - g->m;
    for (int i = 0; i < g->m; i++)
        for (int k = 0; k < g->m; k++) keel_add(J, first + i, first + k, entry(g, i, k));
}

/* ---- the start ------------------------------------------------------------------------------ */

/* How many rows of the deepest level depend on others at (t,y), to what tolerance; < 0: a status. */
static int dependent_rows(gauge *g, evaluator *e, double t, const double *y, double *tolerance)
{
    int n = e->problem->level[0].count, rc = eval_level(e, 0, t, y, g->S);
    if (rc) return KEEL_CALLBACK_FAILED;
    *tolerance = fmin(1e-3, fmax(dependent, 10 * norm_max(g->m, g->S)));
    if (g->loose.problem) return loose_count(&g->loose, e, t, y, *tolerance);
    if (eval_level_gradient(e, 0, t, y, g->A)) return KEEL_CALLBACK_FAILED;
    return null_rows(g->work, g->m, n, g->A, *tolerance, -1, g->S);
}

/* The same where the motion is about to arrive, -1: that cannot be told; KEEL_CALLBACK_FAILED, with its
 * fault, where a callback asks to stop. */
static int beside(gauge *g, evaluator *e, double t, const double *y)
{
    double tolerance;
    int n = e->problem->n - g->m;
    const fault before = e->fault;
    e->fault = (fault){0};
    memcpy(g->y, y, (size_t)e->problem->n * sizeof *y);
    int count = -1, rc = eval_rate(e, t, y, g->f);
    double rate = rc ? 0 : norm_relative(n, g->f, y) / reach;
    if (rate > 0 && isfinite(1 / rate)) {
        for (int i = 0; i < n; i++) g->y[i] += g->f[i] / rate;
        count = dependent_rows(g, e, t + 1 / rate, g->y, &tolerance);
    }
    if (e->fault.code < 0) return KEEL_CALLBACK_FAILED;
    e->fault = before;
    return count < 0 ? -1 : count;
}

static void transpose(int m, double *S)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < i; k++) {
            double kept = S[i * m + k];
            S[i * m + k] = S[k * m + i];
            S[k * m + i] = kept;
        }
}

/* Those of a formulation are the levels of its original, one after the other, and attached rows. */
static const char *row_name(const keel_problem *p, int row)
{
    const keel_problem *root = p;
    while (root->original) root = root->original;
    int m = root->constraints, linked = root->levels > 0 ? (root->levels - 1) * m : 0;
    if (root == p) return keel_row_name(p, 0, row);
    return row < linked ? keel_row_name(root, row / m, row % m)
                        : keel_row_name(root, root->levels, row - linked);
}

/* Of g->rows. */
static void name_rows(const gauge *g, const keel_problem *p, int found, char *text, size_t size)
{
    dependence_names(p, row_name, found, g->rows, text, size);
}

/* Does R, which S does not see, act on y' or g?  F = f_z, k_l or [f_z; g_z], by rows. */
static int acts(const gauge *g, const directions *d, int count)
{
    const keel_problem *p = d->problem;
    int third = p->levels == 3 && p->ops != &levelled_form, m = g->m;
    int rows = third ? p->group[1] : p->ops == &levelled_form ? p->n : p->group[0];
    const double *F = third ? d->D[1] : d->D[0];
    double most = 0, largest = norm_max(rows * m, F);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < count; c++) {
            double sum = 0;
            for (int k = 0; k < m; k++) sum += F[i * m + k] * g->R[k * count + c];
            most = fmax(most, fabs(sum));
        }
    return most > idle_most * largest;
}

/* N and R of S; KEEL_OK, KEEL_WRONG_INDEX or KEEL_CALLBACK_FAILED. */
static int find_spaces(gauge *g, evaluator *e, directions *d, int expected, double t, const double *y)
{
    int m = g->m;
    if (directions_evaluate(d, e, NULL, t, y)) return KEEL_CALLBACK_FAILED;
    memcpy(g->S, d->S, (size_t)m * (size_t)m * sizeof *g->S);
    g->weight = least_weight * norm_max(m * m, g->S);
    int count = null_rows(g->work, m, m, g->S, dependent, -1, g->N);
    transpose(m, g->S);
    int idle = null_rows(g->work, m, m, g->S, dependent, -1, g->R);
    g->count = expected;
    return count != expected || idle != count || acts(g, d, count) ? KEEL_WRONG_INDEX : KEEL_OK;
}

int gauge_find(gauge *g, evaluator *e, directions *d, double t, const double *y, message *msg)
{
    char names[400];
    double tolerance = 0;
    int m = g->m, expected = dependent_rows(g, e, t, y, &tolerance), sparse = g->loose.problem != NULL;
    if (expected == KEEL_CALLBACK_FAILED) return expected;
    if (expected == KEEL_NO_MEMORY) return fail(msg, expected, "no memory to look at dependent constraints");
    if (expected <= 0) return KEEL_WRONG_INDEX;
    int listed = sparse ? loose_list(&g->loose, g->rows) : dependent_set(m, expected, g->S, 1e-6, g->rows);
    int near = beside(g, e, t, y);
    if (near == KEEL_CALLBACK_FAILED) return near;
    int rc = sparse ? loose_choose(&g->loose, e, expected, t, y, tolerance)
                    : find_spaces(g, e, d, expected, t, y);
    if (rc == KEEL_NO_MEMORY) return fail(msg, rc, "no memory to look at dependent constraints");
    if (rc == KEEL_CALLBACK_FAILED) return rc;
    name_rows(g, e->problem, listed, names, sizeof names);
    if (near >= 0 && near < expected)
        return fail(msg, KEEL_SINGULAR, "t = %.10g: the constraints lose rank at the initial "
                    "values, but not beside them: %s depend on each other (rank %d, not %d). Start "
                    "beside this singular position", t, names, m - expected, m - near);
    if (rc)
        return fail(msg, KEEL_REDUNDANT, "t = %.10g: %s depend on each other: the constraints have rank %d, "
                    "not %d, and do not determine algebraic unknowns that act. Constraints are missing, or "
                    "the index is higher than declared", t, names, m - expected, m);
    g->count = expected;
    e->gauge = g;
    return fail(msg, KEEL_OK, "t = %.10g: %s depend on each other: the constraints have rank %d, "
                "not %d. All of them are kept, and algebraic unknowns have no part that does not "
                "act", t, names, m - expected, m);
}
