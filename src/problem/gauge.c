#include "problem/gauge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/norm.h"
#include "problem/formulation.h"

enum { NAMES = 12 };

static const double
    dependent = 1e-6,            /* rows of length 1 leave no more to each other: f_z may  */
                                 /* be of one-sided differences                            */
    least_weight = 1e-3,         /* w beside the largest entry of S                        */
    reach = 1e-3;                /* relative distance of the point beside the start        */

void gauge_layout(arena *a, gauge *g, const keel_problem *p)
{
    int own = !p->original || formulation_attaches(p);   /* else its rows are the original's business */
    int serves = p->levels > 1 && p->ops != &mechanical_form && own &&
                 p->pattern.storage == KEEL_DENSE && !problem_is_sparse(p);
    size_t m = serves ? (size_t)p->constraints : 0, n = serves ? (size_t)p->level[0].count : 0;
    g->m = (int)m;
    ARENA_KEEP(a, g, count, weight);
    g->N = ARENA(a, double, m * m);
    g->R = ARENA(a, double, m * m);
    g->S = ARENA(a, double, m * m);
    g->y = ARENA(a, double, serves ? p->n : 0);
    g->f = ARENA(a, double, serves ? p->n : 0);
    g->A = ARENA(a, double, m * n);
    g->rows = ARENA(a, int, m);
    g->work = rank_layout(a, (int)m, (int)(m > n ? m : n));
}

static void subtract(const gauge *g, const double *z, double *value)
{
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

/* How many rows of the deepest level depend on others at (t,y); -1: it cannot be evaluated. */
static int dependent_rows(gauge *g, evaluator *e, double t, const double *y)
{
    int n = e->problem->level[0].count, rc = eval_level(e, 0, t, y, g->S);
    double distance = rc ? 0 : norm_max(g->m, g->S);
    if (!rc) rc = eval_level_gradient(e, 0, t, y, g->A);
    if (rc) return -1;
    return null_rows(g->work, g->m, n, g->A, fmin(1e-3, fmax(dependent, 10 * distance)), -1, g->S);
}

/* The same where the motion is about to arrive; KEEL_CALLBACK_FAILED, with its fault, where a
 * callback asks to stop. */
static int beside(gauge *g, evaluator *e, double t, const double *y)
{
    int n = e->problem->n - g->m;
    const fault before = e->fault;
    e->fault = (fault){0};
    memcpy(g->y, y, (size_t)e->problem->n * sizeof *y);
    int count = -1, rc = eval_rate(e, t, y, g->f);
    double rate = rc ? 0 : norm_relative(n, g->f, y) / reach;
    if (rate > 0 && isfinite(1 / rate)) {
        for (int i = 0; i < n; i++) g->y[i] += g->f[i] / rate;
        count = dependent_rows(g, e, t + 1 / rate, g->y);
    }
    if (e->fault.code < 0) return KEEL_CALLBACK_FAILED;
    e->fault = before;
    return count;
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

static void name_rows(const gauge *g, const keel_problem *p, char *text, size_t size)
{
    int found = dependent_set(g->m, g->count, g->N, 1e-6, g->rows), listed = 0;
    size_t used = 0;
    text[0] = 0;
    for (; listed < found && listed < NAMES; listed++) {
        const char *name = row_name(p, g->rows[listed]);
        if (used + strlen(name) + 32 > size) break;
        used += (size_t)snprintf(text + used, size - used, "%s%s", listed ? ", " : "", name);
    }
    if (listed < found) snprintf(text + used, size - used, " and %d more", found - listed);
}

int gauge_find(gauge *g, evaluator *e, directions *d, double t, const double *y, message *msg)
{
    char names[400];
    int m = g->m, expected = dependent_rows(g, e, t, y);
    int near = expected < 0 ? expected : beside(g, e, t, y);
    if (expected < 0 || near == KEEL_CALLBACK_FAILED || directions_evaluate(d, e, NULL, t, y))
        return KEEL_CALLBACK_FAILED;
    memcpy(g->S, d->S, (size_t)m * (size_t)m * sizeof *g->S);
    g->weight = least_weight * norm_max(m * m, g->S);
    int count = null_rows(g->work, m, m, g->S, dependent, -1, g->N);
    transpose(m, g->S);
    int idle = null_rows(g->work, m, m, g->S, dependent, -1, g->R);
    if (count <= 0 || count != expected || idle != count) return KEEL_WRONG_INDEX;
    g->count = count;
    name_rows(g, e->problem, names, sizeof names);
    if (near >= 0 && near < count)
        return fail(msg, KEEL_SINGULAR, "t = %.10g: the constraints lose rank at the initial "
                    "values, but not beside them: %s depend on each other (rank %d, not %d). Start "
                    "beside this singular position", t, names, m - count, m - near);
    e->gauge = g;
    return fail(msg, KEEL_OK, "t = %.10g: %s depend on each other: the constraints have rank %d, "
                "not %d. All of them are kept, and algebraic unknowns have no part that does not "
                "act", t, names, m - count, m);
}
