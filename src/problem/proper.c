/* proper.c -- properly stated leading terms, with u = d(t,x) carried as an unknown.
 *
 *   A(t,x) d(t,x)' + b(t,x) = 0   as   A(t,x) u' + b(t,x) = 0,  0 = u - d(t,x)
 *
 *   r = (-A u' - b, d - u),   J = [-(A u' + b)_x 0; d_x -I],   M = [0 A; 0 0]   for y = (x,u)
 *
 * Introducing u' = w as well does not raise the index [Maerz, Results Math. 42 (2002) 308; Weiss
 * 2007, examples 3.2 and 3.32], and is not needed: the stages eliminate it.
 */
#include "problem/forms.h"

#include <string.h>

#include "problem/difference.h"

/* ---- the parts ----------------------------------------------------------------------------- */

int eval_leading_matrix(evaluator *e, double t, const double *x, double *A)
{
    const keel_proper_spec *s = &e->problem->spec.proper;
    return eval_check(e, "leading_matrix", t, s->leading_matrix(t, x, A, e->context),
                      s->size * s->leading, A);
}

int eval_leading_term(evaluator *e, double t, const double *x, double *d)
{
    const keel_proper_spec *s = &e->problem->spec.proper;
    return eval_check(e, "leading_term", t, s->leading_term(t, x, d, e->context), s->leading, d);
}

int eval_rest(evaluator *e, double t, const double *x, double *b)
{
    const keel_proper_spec *s = &e->problem->spec.proper;
    return eval_check(e, "rest", t, s->rest(t, x, b, e->context), s->size, b);
}

static int moved_leading_term(void *context, double t, const double *x, double *d)
{
    return eval_leading_term(context, t, x, d);
}

int eval_leading_jacobian(evaluator *e, double t, const double *x, double *D)
{
    const keel_proper_spec *s = &e->problem->spec.proper;
    int n = s->size, m = s->leading;
    if (s->leading_term_jacobian && !e->differences)
        return eval_check(e, "leading_term_jacobian", t,
                          s->leading_term_jacobian(t, x, D, e->context), m * n, D);
    difference d = {.value = moved_leading_term, .context = e, .rows = m, .size = n, .t = t, .x = x,
                    .moved = e->work[0], .one = e->work[1]};
    memset(D, 0, (size_t)m * (size_t)n * sizeof *D);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = e->work[2], .delta = e->work[3], .dense = D});
}

int eval_leading_time(evaluator *e, double t, const double *x, double *d_t)
{
    difference d = {.value = moved_leading_term, .context = e, .rows = e->problem->group[1],
                    .t = t, .x = x, .one = e->work[0]};
    stencil s = time_stencil(e, t, 1, 4, 0.01 * e->time_scale);
    return difference_along(&d, &s, 1, NULL, d_t);
}

/* ---- the residual and its matrices --------------------------------------------------------- */

int eval_proper_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    int n = e->problem->group[0], m = e->problem->group[1];
    const double *u = y + n, *w = yp + n;
    double *A = e->square;
    int rc = eval_leading_matrix(e, t, y, A);
    if (!rc) rc = eval_rest(e, t, y, r);
    if (!rc) rc = eval_leading_term(e, t, y, r + n);
    if (rc) return rc;
    for (int i = 0; i < n; i++) {
        r[i] = -r[i];
        for (int k = 0; k < m; k++) r[i] -= A[i * m + k] * w[k];
    }
    for (int k = 0; k < m; k++) r[n + k] -= u[k];
    return 0;
}

int eval_proper_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J)
{
    const keel_proper_spec *s = &e->problem->spec.proper;
    int n = s->size, m = s->leading;
    double *D = e->constraint_jacobian;
    if (!s->jacobian || !s->leading_term_jacobian) return 2;
    matrix_zero(&e->mass);
    int code = s->jacobian(t, y, yp + n, &e->mass, e->context);
    int rc = eval_check_matrix(e, "jacobian", t, code, &e->mass);
    if (!rc) rc = eval_leading_jacobian(e, t, y, D);
    for (int j = 0; j < n && !rc; j++) {
        for (int i = 0; i < n; i++) keel_put(J, i, j, -matrix_get(&e->mass, i, j));
        for (int k = 0; k < m; k++) keel_put(J, n + k, j, D[k * n + j]);
    }
    for (int k = 0; k < m && !rc; k++) keel_put(J, n + k, n + k, -1);
    return rc;
}

int proper_mass(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
                keel_matrix *M)
{
    (void)c, (void)yp;
    matrix_zero(M);
    int n = e->problem->group[0], m = e->problem->group[1];
    int rc = eval_leading_matrix(e, t, y, e->square);
    for (int i = 0; i < n && !rc; i++)
        for (int k = 0; k < m; k++) keel_put(M, i, n + k, e->square[i * m + k]);
    return rc;
}
