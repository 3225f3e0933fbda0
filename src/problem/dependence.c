/* dependence.c -- see dependence.h.
 *
 * Rows that depend on each other at the start may do so there only, in a singular position.  From
 * beside it, on the manifold again,
 *
 *   q + d v + d^2/2 a,   then   M dq + G^T mu = 0,  G dq - N N^T mu = -g,
 *
 * these look independent, while redundant ones still depend on each other to rounding.
 */
#include "problem/dependence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/norm.h"

enum { NAMES = 12, CORRECTIONS = 5 };

static const double
    dependent = 1e-9,            /* rows of length 1 leave no more than this to each other */
    dependent_most = 1e-3,       /* ... at most, at the distance |g| from the manifold     */
    nearly = 3e-3,               /* ... where the rank is about to fall                    */
    resolved = 1e-7,             /* ... as far as a sparse elimination can tell            */
    poor = 1e-3,                 /* what remains of rows that ask for another choice       */
    reach = 1e-3;                /* relative distance of the point beside the start        */

/* Formulations of mechanical problems begin with q and v. */
static evaluator *root_of(evaluator *e)
{
    while (e->original) e = eval_original(e);
    return e;
}

void dependence_layout(arena *a, dependence *d, const keel_problem *p)
{
    while (p->original) p = p->original;
    int linked = p->ops == &mechanical_form, sparse = mechanical_is_sparse(p);
    d->m = linked ? p->constraints : 0;
    d->n = linked ? p->group[0] : 0;
    d->problem = sparse && d->m > 0 ? p : NULL;
    size_t m = sparse ? 0 : (size_t)d->m, kept = sparse ? (size_t)d->m : 0;
    ARENA_KEEP(a, d, count, nearly);
    d->N = ARENA(a, double, m * m);
    d->held = ARENA(a, double, m * m);
    d->other = ARENA(a, double, m * m);
    d->G = ARENA(a, double, linked ? p->jacobian_entries : 0);
    d->excess = ARENA(a, double, d->m);
    d->rows = ARENA(a, int, d->m);
    d->work = rank_layout(a, (int)m, sparse ? 0 : d->n);
    d->loose = ARENA(a, double, sparse ? p->n : 0);
    d->reference = ARENA(a, double, kept);
    d->left = ARENA(a, unsigned char, kept);
    d->tried = ARENA(a, unsigned char, kept);
}

int dependence_create(dependence *d)
{
    return d->problem ? sparse_rank_create(&d->rank, d->m, d->n, &d->problem->jacobian_pattern) : KEEL_OK;
}

void dependence_release(dependence *d)
{
    sparse_rank_free(d->rank);
    d->rank = NULL;
}

/* ---- N N^T ----------------------------------------------------------------------------------- */

static void subtract(int m, int count, const double *N, const double *l, double *r)
{
    for (int c = 0; c < count; c++) {
        double sum = 0;
        for (int k = 0; k < m; k++) sum += N[k * count + c] * l[k];
        for (int k = 0; k < m; k++) r[k] -= N[k * count + c] * sum;
    }
}

static void subtract_loose(const dependence *d, const double *l, const double *l_0, double *r)
{
    const double *W = dependence_loose(d);
    for (int k = 0; k < d->m; k++)
        if (W[k] > 0) r[k] -= W[k] * (l[k] - (l_0 ? l_0[k] : 0));
}

void dependence_subtract(const dependence *d, const double *l, double *r)
{
    if (d->problem) subtract_loose(d, l, NULL, r);
    else subtract(d->m, d->count, d->N, l, r);
}

void dependence_smallest(const dependence *d, const double *G, double *l)
{
    if (d->problem) {
        memcpy(d->tried, d->left, (size_t)d->m);
        if (sparse_rank_factor(d->rank, G, d->tried) > 0) sparse_rank_smallest(d->rank, l);
        return;
    }
    int found = null_rows(d->work, d->m, d->n, G, 0, d->count, d->other);
    subtract(d->m, d->count, found < 0 ? d->N : d->other, l, l);
}

void dependence_regularise(const dependence *d, const double *G, const double *l, double *r)
{
    double *excess = d->excess;
    if (d->problem) {
        subtract_loose(d, l, d->reference, r);
        return;
    }
    memcpy(excess, l, (size_t)d->m * sizeof *l);
    dependence_smallest(d, G, excess);
    for (int k = 0; k < d->m; k++) excess[k] = l[k] - excess[k];
    subtract(d->m, d->count, d->held, excess, r);
}

int dependence_hold(const dependence *d, evaluator *e, double t, const double *y)
{
    if (d->problem) return 0;                    /* W is that of the accepted point */
    evaluator *root = root_of(e);
    int rc = eval_constraint_jacobian(root, t, y, d->G);
    if (rc == 0) null_rows(d->work, d->m, d->n, d->G, 0, d->count, d->held);
    if (rc < 0) e->fault = root->fault;
    return rc < 0 ? rc : 0;
}

void dependence_add(const dependence *d, double factor, double *block, int stride, int step)
{
    for (int k = 0; k < d->m; k++)
        for (int i = 0; i < d->m; i++) {
            double sum = 0;
            for (int c = 0; c < d->count; c++)
                sum += d->N[k * d->count + c] * d->N[i * d->count + c];
            block[k * stride + i * step] += factor * sum;
        }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* How many rows of G leave no more than `tolerance` to others: N, or d->tried of a sparse one; < 0: that
 * cannot be told. */
static int count_rows(dependence *d, const double *G, double tolerance, double *N)
{
    if (d->problem) return sparse_rank_find(d->rank, G, fmax(tolerance, resolved), d->tried);
    return null_rows(d->work, d->m, d->n, G, tolerance, -1, N);
}

/* All rows that have a part in it, into d->rows; how many. */
static int list_rows(dependence *d, int count, const double *N)
{
    int found = 0;
    if (!d->problem) return dependent_set(d->m, count, N, 1e-6, d->rows);
    (void)sparse_rank_remainder(d->rank, d->excess);
    for (int k = 0; k < d->m; k++)
        if (fabs(d->excess[k]) > 1e-6) d->rows[found++] = k;
    return found;
}

void dependence_names(const keel_problem *p, const char *(*name_of)(const keel_problem *p, int row),
                      int found, const int *rows, char *text, size_t size)
{
    int listed = 0;
    size_t used = 0;
    text[0] = 0;
    for (; listed < found && listed < NAMES; listed++) {
        const char *name = name_of(p, rows[listed]);
        if (used + strlen(name) + 32 > size) break;
        used += (size_t)snprintf(text + used, size - used, "%s%s", listed ? ", " : "", name);
    }
    if (listed < found) snprintf(text + used, size - used, " and %d more", found - listed);
}

static const char *row_name(const keel_problem *p, int row) { return keel_row_name(p, 0, row); }

/* Those of d->rows. */
static void name_rows(const dependence *d, const keel_problem *p, int found, char *text, size_t size)
{
    dependence_names(p, row_name, found, d->rows, text, size);
}

/* ---- beside the start ------------------------------------------------------------------------ */

typedef struct neighbour {
    double t, *q, *v;            /* [n]                                                    */
    double *x, *l;               /* [n], [m]                                               */
    keel_mechanical_parts at;
    saddle *kkt;
} neighbour;

static void neighbour_layout(arena *a, neighbour *b, const keel_problem *p)
{
    int n = p->group[0], m = p->constraints;
    double **nodal[] = {&b->q, &b->v, &b->x, &b->at.force};
    double **constraint[] = {&b->l, &b->at.constraint, &b->at.curvature};
    for (int k = 0; k < 4; k++) *nodal[k] = ARENA(a, double, n);
    for (int k = 0; k < 3; k++) *constraint[k] = ARENA(a, double, m);
    b->at.mass = ARENA(a, double, p->mass_entries);
    b->at.constraint_jacobian = ARENA(a, double, p->jacobian_entries);
    if (!mechanical_is_sparse(p)) b->kkt = saddle_layout(a, n, m);
}

/* 0, or it cannot be solved here. */
static int solve(const dependence *d, neighbour *b)
{
    dependence_tell(d, b->kkt);
    int rc = saddle_factor(b->kkt, b->at.mass, b->at.constraint_jacobian);
    if (!rc) saddle_solve(b->kkt, 1, b->x, b->l);
    return rc;
}

/* To a point that the motion is about to reach.  0, or it stays where it is. */
static int move_on(const dependence *d, evaluator *e, neighbour *b)
{
    int n = d->n, m = d->m;
    int rc = eval_mechanical(e, b->t, b->q, b->v, KEEL_MASS | KEEL_FORCE | KEEL_CURVATURE |
                             KEEL_CONSTRAINT_JACOBIAN, &b->at);
    memcpy(b->x, b->at.force, (size_t)n * sizeof *b->x);
    for (int k = 0; k < m; k++) b->l[k] = -b->at.curvature[k];
    if (!rc) rc = solve(d, b);
    if (rc) return rc;
    double rate = fmax(norm_relative(n, b->v, b->q) / reach,
                       sqrt(norm_relative(n, b->x, b->q) / (2 * reach)));
    if (!(rate > 0) || !isfinite(1 / rate)) return 1;
    b->t += 1 / rate;
    for (int i = 0; i < n; i++) b->q[i] += (b->v[i] + b->x[i] / (2 * rate)) / rate;
    for (int pass = 0; pass < CORRECTIONS; pass++) {
        rc = eval_mechanical(e, b->t, b->q, b->v, KEEL_MASS | KEEL_CONSTRAINT |
                             KEEL_CONSTRAINT_JACOBIAN, &b->at);
        memset(b->x, 0, (size_t)n * sizeof *b->x);
        for (int k = 0; k < m; k++) b->l[k] = -b->at.constraint[k];
        if (!rc) rc = solve(d, b);
        if (rc) return rc;
        for (int i = 0; i < n; i++) b->q[i] += b->x[i];
    }
    return 0;
}

/* How many rows depend on others beside (t,y), as many as there where that cannot be found out;
 * KEEL_NO_MEMORY, or KEEL_CALLBACK_FAILED with its fault where a callback asks to stop. */
static int count_beside(dependence *d, evaluator *e, double t, const double *y, double tolerance)
{
    arena measure = {0};
    neighbour b = {.t = t};
    neighbour_layout(&measure, &b, e->problem);
    arena block = {.base = arena_block(measure.used)};
    if (!block.base) return KEEL_NO_MEMORY;
    neighbour_layout(&block, &b, e->problem);
    if (d->problem && mechanical_saddle(&b.kkt, e->problem, 1)) {
        arena_block_free(block.base);
        return KEEL_NO_MEMORY;
    }
    memcpy(b.q, y, (size_t)d->n * sizeof *y);
    memcpy(b.v, y + d->n, (size_t)d->n * sizeof *y);
    const fault before = e->fault;
    int count = d->count;
    e->fault = (fault){0};
    if (move_on(d, e, &b) == 0)
        count = count_rows(d, b.at.constraint_jacobian, tolerance, d->other);
    const int stopped = e->fault.code < 0;
    if (!stopped) e->fault = before;
    if (d->problem) saddle_free(b.kkt);
    arena_block_free(block.base);
    return stopped ? KEEL_CALLBACK_FAILED : count < 0 ? d->count : count;
}

/* ---- rows in W ------------------------------------------------------------------------------- */

/* d->count rows, so that as much as possible remains of the others: the first tolerance, from large ones
 * on, that leaves as many.  The ones of before stay where none does.  Then W. */
static void choose_rows(dependence *d)
{
    const keel_pattern *pattern = &d->problem->jacobian_pattern;
    double *W = d->loose + 2 * d->n;
    for (double tolerance = 1e-2; tolerance > resolved / 2; tolerance /= 10)
        if (sparse_rank_find(d->rank, d->G, tolerance, d->tried) == d->count) {
            memcpy(d->left, d->tried, (size_t)d->m);
            break;
        }
    memset(W, 0, (size_t)d->m * sizeof *W);
    for (int p = 0; p < pattern->column_start[d->n]; p++) {
        int k = pattern->row_index[p];
        if (d->left[k]) W[k] = fmax(W[k], fabs(d->G[p]));
    }
    for (int k = 0; k < d->m; k++)
        if (d->left[k] && W[k] == 0) W[k] = 1;   /* a row of zeros */
}

/* What remains of the other rows with those of W left out, all with d->G. */
static double remains(dependence *d)
{
    memcpy(d->tried, d->left, (size_t)d->m);
    return sparse_rank_factor(d->rank, d->G, d->tried);
}

/* N or W with d->G of an accepted point. */
static void renew(dependence *d)
{
    if (!d->problem) null_rows(d->work, d->m, d->n, d->G, dependent, d->count, d->N);
    else if (remains(d) < poor) choose_rows(d);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Rows that are not independent to working precision, but not dependent, either. */
static int nearly_dependent(dependence *d, evaluator *e, double t, double left, message *msg)
{
    char names[400];
    name_rows(d, e->problem, list_rows(d, 0, NULL), names, sizeof names);
    return fail(msg, KEEL_SINGULAR, "t = %.10g: %s nearly depend on each other: all but %.1g of one of them "
                "follows from the others, too little to solve with and too much to be left out", t, names,
                left);
}

/* (t,y) is a point beside which as many rows depend on each other, or why not. */
static int confirm(dependence *d, evaluator *e, double t, const double *y, double tolerance, message *msg)
{
    char names[400];
    int count = d->count, rank = d->m - count, listed = list_rows(d, count, d->N);
    int beside = count_beside(d, e, t, y, tolerance);
    name_rows(d, e->problem, listed, names, sizeof names);
    if (beside < count) {
        d->count = 0;
        e->dependence = NULL;
    }
    if (beside == KEEL_CALLBACK_FAILED) return beside;
    if (beside == KEEL_NO_MEMORY)
        return fail(msg, KEEL_NO_MEMORY, "no memory to look at the constraints beside the start");
    if (beside < count)
        return fail(msg, KEEL_SINGULAR, "t = %.10g: the constraints lose rank at the initial "
                    "values, but not beside them: %s depend on each other (rank %d, not %d). In such a "
                    "singular position accelerations are not determined: start beside it", t, names,
                    rank, d->m - beside);
    return fail(msg, KEEL_OK, "t = %.10g: %s depend on each other: the constraints have rank %d, "
                "not %d. All of them are kept, and multipliers are the smallest that exert their force",
                t, names, rank, d->m);
}

int dependence_find(dependence *d, evaluator *e, double t, const double *y, message *msg)
{
    double *value = d->excess;
    e->dependence = NULL;
    d->count = 0;
    int rc = eval_level(e, 0, t, y, value);
    double distance = rc ? 0 : norm_max(d->m, value);
    if (!rc) rc = eval_constraint_jacobian(e, t, y, d->G);
    if (rc) return KEEL_CALLBACK_FAILED;
    double tolerance = fmin(dependent_most, fmax(dependent, 10 * distance));
    d->nearly = count_rows(d, d->G, nearly, d->other);
    int count = count_rows(d, d->G, tolerance, d->N);
    if (count == KEEL_NO_MEMORY) return fail(msg, count, "no memory to look at dependent constraints");
    if (count <= 0) return KEEL_OK;
    double left = d->problem ? sparse_rank_remainder(d->rank, d->excess) : 0;
    if (left > fmax(tolerance, dependent)) return nearly_dependent(d, e, t, left, msg);
    d->count = count;
    e->dependence = d;
    if (d->problem) {
        memcpy(d->left, d->tried, (size_t)d->m);
        choose_rows(d);
        memset(d->reference, 0, (size_t)d->m * sizeof *d->reference);
        (void)remains(d);
    } else {
        memcpy(d->held, d->N, (size_t)d->m * (size_t)count * sizeof *d->N);
    }
    return confirm(d, e, t, y, tolerance, msg);
}

int dependence_renew(dependence *d, evaluator *e, double t, double *y)
{
    evaluator *root = root_of(e);
    int rc = eval_constraint_jacobian(root, t, y, d->G);
    if (rc == 0) renew(d);
    if (rc < 0) e->fault = root->fault;
    for (int k = 2 * d->n; k + d->m <= e->problem->n; k += d->m) {
        if (!d->problem) dependence_subtract(d, y + k, y + k);
        else dependence_smallest(d, d->G, y + k);
    }
    if (d->problem) memcpy(d->reference, y + 2 * d->n, (size_t)d->m * sizeof *y);
    return rc < 0 ? rc : 0;
}

int dependence_lost(dependence *d, evaluator *e, double t, const double *y, char *text, size_t size)
{
    e = root_of(e);
    const fault before = e->fault;
    int count = d->m > 0 && eval_constraint_jacobian(e, t, y, d->G) == 0
              ? count_rows(d, d->G, nearly, d->other) : 0;
    e->fault = before;
    if (count <= d->nearly) return 0;
    name_rows(d, e->problem, list_rows(d, count, d->other), text, size);
    return count - d->nearly;
}
