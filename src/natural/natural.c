#include "natural/natural.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

enum { PASSES = 20, LOOK_AGAIN = 64 };

static const move_limits rows_limits = {2 * DBL_EPSILON, 8 * DBL_EPSILON, 1e-11};

static const double
    depth_tolerance = 1e-7,      /* h_y D_p that count as zero                             */
    far_beside = 0.01,           /* relative: where a row that is hidden keeps its depth     */
    slow_rate = 0.1,             /* contraction from which on directions are found anew     */
    unseen = 1e-9;               /* of algebraic unknowns: rows without them do not notice   */

int natural_applies(const keel_problem *p)
{
    return p->attached.rows > 0 && !form_has(p, FORM_ALGEBRAIC_KNOWN) && p->n <= NATURAL_MOST;
}

void natural_layout(arena *a, natural_directions *d, const keel_problem *p)
{
    int n = p->n, rows = p->attached.rows;
    problem_matrix_layout(a, &d->M, p);
    problem_matrix_layout(a, &d->J, p);
    coloring_layout(a, &d->colors, p);
    kernel_layout(a, &d->kernel, n);
    for (int k = 0; k < DEPTH_MOST; k++) {
        d->D[k] = ARENA(a, double, (size_t)n * (size_t)n);
        rows_layout(a, &d->along[k], rows, n);
    }
    rows_layout(a, &d->algebraic, rows + n, n);
    double **vectors[] = {&d->moved, &d->before, &d->yp, &d->r, &d->other, &d->own};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = ARENA(a, double, n);
    d->H = ARENA(a, double, (size_t)rows * (size_t)n);
    d->h = ARENA(a, double, rows);
    d->b = ARENA(a, double, rows + n);
    d->depth = ARENA(a, int, rows);
    d->beside = ARENA(a, int, rows);
    d->acts = ARENA(a, int, n);
    ARENA_KEEP(a, d, kernel_known, acting);
    ARENA_KEEP(a, d, begun, known);
}

void natural_create(natural_directions *d, const keel_problem *p) { coloring_build(&d->colors, p); }

void natural_forget(natural_directions *d)
{
    d->begun = d->kept = d->kernel_known = 0;
    d->moves = 0;
}

int natural_derivative(natural_directions *d, evaluator *e, double t, const double *y)
{
    int n = e->problem->n, linear = e->problem->ops == &quasilinear_form;
    double last = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        int rc = eval_residual(e, t, y, d->yp, d->r);
        if (rc) return rc;
        memcpy(d->moved, d->r, (size_t)n * sizeof *d->moved);
        kernel_solve(&d->kernel, d->moved);
        double size = norm_relative(n, d->moved, d->yp);
        if (size <= 4 * DBL_EPSILON || !(size < 0.7 * last)) return 0;
        for (int j = 0; j < n; j++) d->yp[j] += d->moved[j];
        if (linear) return 0;                    /* U_0^T r does not know y' */
        last = size;
    }
    return 0;
}

/* ---- directions ----------------------------------------------------------------------------- */

/* Unknowns of index 1 do not act, if any others do. */
static void choose_acting(natural_directions *d, const evaluator *e)
{
    const mass_kernel *k = &d->kernel;
    int count = e->problem->n - k->rank;
    d->acting = 0;
    for (int j = 0; j < count && k->plain; j++)
        if (e->variable_index[k->column[k->rank + j]] > 1) d->acts[d->acting++] = j;
    if (d->acting > 0) return;
    for (d->acting = 0; d->acting < count; d->acting++) d->acts[d->acting] = d->acting;
}

/* D_1, ..., D_depths */
static void find_directions(natural_directions *d, int n, int depths)
{
    for (int k = 0; k < d->acting; k++)
        for (int p = 0; p < depths; p++) {
            double *to = d->D[p] + k * n;
            memset(d->moved, 0, (size_t)n * sizeof *d->moved);
            memset(to, 0, (size_t)n * sizeof *to);
            if (p == 0) kernel_add(&d->kernel, d->acts[k], 1, d->moved);
            matrix_multiply_add(&d->J, 1, p ? d->D[p - 1] + k * n : d->moved, to);
            kernel_solve(&d->kernel, to);
        }
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

/* The first p that moves row i, or 0: it is free. */
static int depth_of(const natural_directions *d, int n, int i)
{
    const double *row = d->H + i * n;
    for (int p = 0; p < DEPTH_MOST; p++)
        for (int k = 0; k < d->acting; k++) {
            const double *direction = d->D[p] + k * n;
            double whole = norm_max(n, row) * norm_max(n, direction);
            if (fabs(dot(n, row, direction)) > depth_tolerance * whole) return p + 1;
        }
    return 0;
}

/* Depths of all rows with what was evaluated last.  Where the index is 1 no row is hidden. */
static void find_depths(natural_directions *d, const keel_problem *p, int *depth)
{
    find_directions(d, p->n, DEPTH_MOST);
    for (int i = 0; i < p->attached.rows; i++)
        depth[i] = p->index > 1 ? depth_of(d, p->n, i) : 0;
}

/* Depths are found once: h_y D_p may vanish on the way.  What is hidden has its depth off the manifold,
 * too; an invariant may be moved by D_1 there alone, as an energy that velocities normal to the
 * constraint would change, and is free. */
static void settle_depths(natural_directions *d, const keel_problem *p)
{
    d->deepest = d->free_rows = 0;
    find_depths(d, p, d->depth);
    for (int i = 0; i < p->attached.rows; i++) {
        if (d->beside_known && d->beside[i] != d->depth[i]) d->depth[i] = 0;
        d->free_rows += d->depth[i] == 0;
        if (d->depth[i] > d->deepest) d->deepest = d->depth[i];
    }
    d->begun = 1;
}

/* Of D_p, p = depth, only the unknowns in rows of that depth; and the rows along them. */
static void find_rows(natural_directions *d, const keel_problem *p, int depth)
{
    int n = p->n;
    double *D = d->D[depth - 1];
    row_system *q = &d->along[depth - 1];
    memset(d->moved, 0, (size_t)n * sizeof *d->moved);
    for (int i = 0; i < p->attached.rows; i++)
        for (int j = 0; j < n && d->depth[i] == depth; j++) d->moved[j] += fabs(d->H[i * n + j]);
    for (int k = 0; k < d->acting; k++)
        for (int j = 0; j < n; j++)
            if (d->moved[j] == 0) D[k * n + j] = 0;
    q->rows = 0;
    q->columns = d->acting;
    for (int i = 0; i < p->attached.rows; i++) {
        if (d->depth[i] != depth) continue;
        double *row = q->A + q->rows * q->columns;
        for (int k = 0; k < d->acting; k++) row[k] = dot(n, d->H + i * n, D + k * n);
        q->scale[q->rows++] = norm_max(d->acting, row);
    }
    rows_factor(q, 0);
}

/* M and its kernel, y', J and the rows' derivatives at (t,y). */
static int evaluate(natural_directions *d, evaluator *e, double t, const double *y)
{
    const keel_problem *p = e->problem;
    int rc = 0;
    if (!d->kernel_known || !problem_mass_constant(p)) {
        rc = eval_mass(e, &d->colors, t, y, d->yp, &d->M);
        if (!rc) rc = kernel_find(&d->kernel, &d->M);
        d->kernel_known = rc == 0;
    }
    if (!rc) rc = natural_derivative(d, e, t, y);
    if (!rc) rc = eval_jacobian(e, &d->colors, t, y, d->yp, &d->J);
    return rc ? rc : eval_attached_jacobian(e, t, y, d->H);
}

/* Depths at a place beside y, off the manifold, where F can be evaluated there. */
static int look_beside(natural_directions *d, evaluator *e, double t, const double *y)
{
    const keel_problem *p = e->problem;
    const fault before = e->fault;
    for (int j = 0; j < p->n; j++) d->own[j] = y[j] + far_beside * (1 + fabs(y[j])) * cos(1.7 * j + 0.3);
    int rc = evaluate(d, e, t, d->own);
    d->beside_known = rc == 0;
    if (rc > 0) e->fault = before;
    if (!rc) {
        choose_acting(d, e);
        find_depths(d, p, d->beside);
    }
    memset(d->yp, 0, (size_t)p->n * sizeof *d->yp);
    return rc < 0 ? rc : 0;
}

/* Directions and matrices of (t,y).  Depths are decided by what is zero: by differences of second
 * order, since the increments of unknowns that vanish leave 1e-5 of noise in those of first order. */
static int renew(natural_directions *d, evaluator *e, double t, const double *y)
{
    const keel_problem *p = e->problem;
    e->central = !d->begun;
    int rc = d->begun || p->index < 2 ? 0 : look_beside(d, e, t, y);
    if (!rc) rc = evaluate(d, e, t, y);
    e->central = 0;
    if (rc) return rc;
    choose_acting(d, e);
    if (!d->begun) settle_depths(d, p);
    else find_directions(d, p->n, d->deepest);
    d->mixed = 0;
    algebraic_matrix(d, p);
    for (int depth = 1; depth <= d->deepest; depth++) find_rows(d, p, depth);
    d->slow = 0;
    return 0;
}

/* ---- moves ----------------------------------------------------------------------------------- */

move_verdict natural_judge(natural_directions *d, double size, double last,
                           const move_limits *limits)
{
    if (size <= 2 * DBL_EPSILON) return MOVE_NONE;
    if (size > slow_rate * last && size > limits->still) d->slow = 1;
    if (!(size < 0.7 * last)) return size <= limits->noise ? MOVE_NONE : MOVE_DIVERGES;
    double rate = isfinite(last) ? size / last : slow_rate;
    return rate * size <= limits->done ? MOVE_LAST : MOVE_GO_ON;
}

/* Meets the rows of one depth along its directions. */
static int meet(natural_directions *d, evaluator *e, int depth, double t, double *y)
{
    int n = e->problem->n, rows = e->problem->attached.rows;
    const double *D = d->D[depth - 1];
    row_system *q = &d->along[depth - 1];
    double last = INFINITY;
    for (int pass = 0; pass < PASSES && q->rows > 0; pass++) {
        int rc = d->known ? 0 : attached_level(e, t, y, d->h);
        if (rc) return rc;
        d->known = 1;
        for (int i = 0, at = 0; i < rows; i++)
            if (d->depth[i] == depth) d->b[at++] = -d->h[i];
        if (rows_solve(q, d->b)) return NATURAL_DIVERGES;
        memset(d->moved, 0, (size_t)n * sizeof *d->moved);
        for (int k = 0; k < q->columns; k++)
            for (int j = 0; j < n; j++) d->moved[j] += D[k * n + j] * d->b[k];
        double size = norm_relative(n, d->moved, y);
        move_verdict verdict = natural_judge(d, size, last, &rows_limits);
        if (verdict == MOVE_DIVERGES) return NATURAL_DIVERGES;
        if (verdict == MOVE_NONE) return 0;
        for (int j = 0; j < n; j++) y[j] += d->moved[j];
        d->known = 0;
        if (verdict == MOVE_LAST) return 0;
        last = size;
    }
    return q->rows > 0 ? NATURAL_DIVERGES : 0;
}

/* The deepest rows first. */
static int meet_all(natural_directions *d, evaluator *e, double t, double *y)
{
    int rc = 0;
    for (int depth = d->deepest; depth > 0 && !rc; depth--) rc = meet(d, e, depth, t, y);
    return rc;
}

/* And once more where they may know of the algebraic unknowns, which come last. */
static int move(natural_directions *d, evaluator *e, int algebraic, double t, double *y)
{
    double change = 0;
    d->known = 0;
    int rc = meet_all(d, e, t, y);
    if (!rc && algebraic) rc = algebraic_find(d, e, t, y, &change);
    return !rc && algebraic && (d->mixed || change > unseen) ? meet_all(d, e, t, y) : rc;
}

static int move_anew(natural_directions *d, evaluator *e, int rounds, int algebraic, double t,
                     double *y)
{
    size_t size = (size_t)e->problem->n * sizeof *y;
    int rc = 0;
    for (int round = 0; round < rounds && !rc; round++) {
        rc = renew(d, e, t, y);
        if (round > 0) memcpy(y, d->before, size);
        if (!rc) rc = move(d, e, algebraic, t, y);
    }
    return rc;
}

/* Derivatives that vanish where a run begins, at rest for instance, do so no longer after a few
 * steps, which convergence need not show: the moves 1, 2, 4, ..., 64, 128, 192, ... look again. */
static int is_due(natural_directions *d)
{
    unsigned count = ++d->moves;
    return count > LOOK_AGAIN ? count % LOOK_AGAIN == 0 : (count & (count - 1)) == 0;
}

int natural_move(natural_directions *d, evaluator *e, int stiffly_accurate, int algebraic, double t,
                 double *y)
{
    size_t size = (size_t)e->problem->n * sizeof *y;
    int rc = 0;
    memset(d->yp, 0, size);
    memcpy(d->before, y, size);
    if (!stiffly_accurate || e->problem->index > 2)
        return move_anew(d, e, stiffly_accurate ? 1 : 2, algebraic, t, y);
    if (is_due(d)) d->kept = 0;
    if (d->kept) rc = move(d, e, algebraic, t, y);
    if (d->kept && (rc ? rc != NATURAL_DIVERGES : !d->slow)) return rc;
    memset(d->yp, 0, size);
    memcpy(y, d->before, size);
    rc = renew(d, e, t, y);
    d->kept = rc == 0;
    return rc ? rc : move(d, e, algebraic, t, y);
}
