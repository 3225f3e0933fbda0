/* levelled.c -- y' = f(t,y,z), 0 = g(t,y,z), 0 = h_k(t,y) with d/dt h_k = h_(k-1), h_0 = g.
 *
 * Stages solve h_lag, or the last of a chain that is shorter:
 *
 *   r = (f - y', h_min(lag, chain_i),i),   index lag + 1
 *
 * A component of y is of depth p if its p-th derivative is the first that f gives; h_k moves the
 * components of depth k, each along its row of f_z [Pryce, BIT 41 (2001) 364: the Jacobian of every
 * level is a part of that of the last].
 */
#include "problem/forms.h"

#include <string.h>

#include "linear/columns.h"
#include "problem/difference.h"

static const int *chain_of(const keel_problem *p) { return p->links; }
static const int *next_of(const keel_problem *p) { return p->links + p->constraints; }

int levelled_depth(const keel_problem *p)
{
    int depth = 0;
    for (int i = 0; i < p->constraints; i++)
        if (chain_of(p)[i] > depth) depth = chain_of(p)[i];
    return depth;
}

/* ---- values ---------------------------------------------------------------------------------- */

int levelled_rate(evaluator *e, double t, const double *y, double *f)
{
    const keel_problem *p = e->problem;
    const keel_levelled_spec *s = &p->spec.levelled;
    const int *next = next_of(p);
    int n = p->group[0];
    memset(f, 0, (size_t)n * sizeof *f);
    int rc = eval_check(e, "rate", t, s->rate(t, y, y + n, f, e->context), n, f);
    for (int i = 0; i < n; i++)
        if (next[i] >= 0) f[i] = y[next[i]];
    return rc;
}

/* h_k, 0 in the rows whose chain is shorter. */
static int hidden(evaluator *e, int k, double t, const double *y, double *h)
{
    const keel_problem *p = e->problem;
    const keel_levelled_spec *s = &p->spec.levelled;
    int m = p->constraints;
    memset(h, 0, (size_t)m * sizeof *h);
    int code = s->level(t, y, y + p->group[0], k, h, e->context);
    for (int i = 0; i < m; i++)
        if (chain_of(p)[i] < k) h[i] = 0;
    return eval_check(e, k ? "level" : "level (g)", t, code, m, h);
}

int levelled_level(evaluator *e, int level, double t, const double *y, double *value)
{
    e->stats->constraint++;
    return hidden(e, e->problem->levels - 1 - level, t, y, value);
}

/* h_min(lag, chain_i),i for all i */
static int solved_rows(evaluator *e, double t, const double *y, double *value)
{
    const keel_problem *p = e->problem;
    int m = p->constraints, rc = hidden(e, e->lag, t, y, value);
    double *shorter = e->work[0];
    for (int k = e->lag - 1; k >= 0 && !rc; k--) {
        int wanted = 0;
        for (int i = 0; i < m; i++) wanted |= chain_of(p)[i] == k;
        if (wanted) rc = hidden(e, k, t, y, shorter);
        for (int i = 0; i < m && wanted && !rc; i++)
            if (chain_of(p)[i] == k) value[i] = shorter[i];
    }
    return rc;
}

int problem_is_algebraic(const keel_problem *p, int row)
{
    return p->levels == 1 || (p->ops == &levelled_form && chain_of(p)[row] == 0);
}

int levelled_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    int n = e->problem->group[0], rc = levelled_rate(e, t, y, r);
    if (!rc) rc = solved_rows(e, t, y, r + n);
    for (int i = 0; i < n && !rc; i++) r[i] -= yp[i];
    return rc;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* [f_y f_z; g_y g_z] as the user gives it, with the rows y_i' = y_next. */
static int given_jacobian(evaluator *e, double t, const double *y, keel_matrix *J)
{
    const keel_problem *p = e->problem;
    const keel_levelled_spec *s = &p->spec.levelled;
    if (!s->jacobian || e->differences) return 2;
    int code = s->jacobian(t, y, y + p->group[0], J, e->context);
    int rc = eval_check_matrix(e, "jacobian", t, code, J);
    for (int i = 0; i < p->group[0] && !rc; i++)
        if (next_of(p)[i] >= 0) keel_put(J, i, next_of(p)[i], 1);
    return rc;
}

/* Makes room for h_k in the rows of chains that long. */
static void clear_rows(const keel_problem *p, int k, keel_matrix *J)
{
    int n = p->group[0];
    for (int j = 0; j < p->n; j++) {
        column c = matrix_column(J, j);
        for (int i = 0; i < c.count; i++) {
            int row = column_row(&c, i) - n;
            if (row >= 0 && chain_of(p)[row] >= k) c.values[i] = 0;
        }
    }
}

int levelled_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J)
{
    const keel_levelled_spec *s = &e->problem->spec.levelled;
    (void)yp;
    if (e->lag > 0 && !s->level_jacobian) return 2;
    int rc = given_jacobian(e, t, y, J);
    for (int k = 1; k <= e->lag && !rc; k++) {
        clear_rows(e->problem, k, J);
        int code = s->level_jacobian(t, y, k, J, e->context);
        rc = eval_check_matrix(e, "level_jacobian", t, code, J);
    }
    return rc;
}

/* A point of which only some unknowns move. */
typedef struct partial {
    evaluator *e;
    int k;                       /* of h_k                                                 */
    const constraint_level *moves;
    double *y;
} partial;

static int moved_algebraic(void *context, double t, const double *z, double *fg)
{
    const partial *q = context;
    int n = q->e->problem->group[0];
    memcpy(q->y + n, z, (size_t)q->e->problem->constraints * sizeof *z);
    q->e->stats->rhs_for_jacobian++;
    int rc = levelled_rate(q->e, t, q->y, fg);
    return rc ? rc : hidden(q->e, 0, t, q->y, fg + n);
}

static int moved_level(void *context, double t, const double *x, double *h)
{
    const partial *q = context;
    for (int i = 0; i < q->moves->count; i++) q->y[q->moves->moves[i]] = x[i];
    return hidden(q->e, q->k, t, q->y, h);
}

/* [f_z; g_z] by central differences in z. */
static int differenced(evaluator *e, double t, const double *y, double *FS)
{
    const keel_problem *p = e->problem;
    int n = p->group[0], m = p->constraints;
    partial q = {.e = e, .y = e->work[5]};
    difference d = {.value = moved_algebraic, .context = &q, .rows = n + m, .size = m, .t = t,
                    .x = y + n, .moved = e->work[6], .one = e->work[7]};
    memcpy(q.y, y, (size_t)p->n * sizeof *y);
    memset(FS, 0, (size_t)(n + m) * (size_t)m * sizeof *FS);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .typical = eval_sizes(e, n), .settling = eval_settling(e), .sum = e->work[8],
        .delta = e->work[9], .dense = FS});
}

int eval_levelled_directions(evaluator *e, double t, const double *y, double *FS)
{
    const keel_problem *p = e->problem;
    int n = p->group[0], m = p->constraints;
    matrix_zero(&e->mass);
    int rc = given_jacobian(e, t, y, &e->mass);
    if (rc == 2) return differenced(e, t, y, FS);
    memset(FS, 0, (size_t)(n + m) * (size_t)m * sizeof *FS);
    for (int k = 0; k < m && !rc; k++) {
        column c = matrix_column(&e->mass, n + k);
        for (int i = 0; i < c.count; i++) FS[column_row(&c, i) * m + k] = c.values[i];
    }
    return rc;
}

/* (h_k)_x out of the user's matrix. */
static int given_gradient(evaluator *e, int k, double t, const double *y,
                          const constraint_level *l, double *A)
{
    const keel_problem *p = e->problem;
    const keel_levelled_spec *s = &p->spec.levelled;
    matrix_zero(&e->mass);
    int rc = eval_check_matrix(e, "level_jacobian", t,
                               s->level_jacobian(t, y, k, &e->mass, e->context), &e->mass);
    for (int j = 0; j < l->count && !rc; j++) {
        column c = matrix_column(&e->mass, l->moves[j]);
        for (int i = 0; i < c.count; i++) {
            int row = column_row(&c, i) - p->group[0];
            if (row >= 0 && chain_of(p)[row] >= k) A[row * l->count + j] = c.values[i];
        }
    }
    return rc;
}

int eval_levelled_gradient(evaluator *e, int level, double t, const double *y, double *A)
{
    const keel_problem *p = e->problem;
    const constraint_level *l = &p->level[level];
    int m = p->constraints, k = p->levels - 1 - level;
    memset(A, 0, (size_t)m * (size_t)l->count * sizeof *A);
    if (p->spec.levelled.level_jacobian && !e->differences)
        return given_gradient(e, k, t, y, l, A);
    partial q = {.e = e, .k = k, .moves = l, .y = e->work[5]};
    double *x = e->work[4];
    difference d = {.value = moved_level, .context = &q, .rows = m, .size = l->count, .t = t,
                    .x = x, .moved = e->work[6], .one = e->work[7]};
    memcpy(q.y, y, (size_t)p->n * sizeof *y);
    for (int i = 0; i < l->count; i++) x[i] = y[l->moves[i]];
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = e->work[8], .delta = e->work[9], .dense = A});
}

/* ---- the lag --------------------------------------------------------------------------------- */

/* With lag s, z has the index s + 1, and components of depth p at most s + 1 - p.  With lag 0 z counts
 * as of index 2 all the same: it is found anew after the step, so that its errors in the stages
 * matter by what they change in y, which is h times as much. */
void eval_set_lag(evaluator *e, int lag)
{
    const keel_problem *p = e->problem;
    memcpy(e->variable_index, p->variable_index, (size_t)p->n * sizeof *e->variable_index);
    e->lag = 0;
    if (p->ops != &levelled_form) return;
    int depth = levelled_depth(p);
    e->lag = lag < depth ? lag : depth;
    for (int i = 0; i < p->n; i++) e->variable_index[i] = 1;
    for (int i = 0; i < p->constraints; i++) {
        int own = chain_of(p)[i] < e->lag ? chain_of(p)[i] : e->lag;
        e->variable_index[p->group[0] + i] = own > 1 ? own + 1 : 2;
    }
    for (int k = 0; k < p->levels - 1; k++)
        for (int i = 0; i < p->level[k].count; i++) {
            int index = e->lag + 1 - (p->levels - 1 - k);
            if (index > 1) e->variable_index[p->level[k].moves[i]] = index;
        }
}
