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

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/stencil.h"

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

int eval_leading_jacobian(evaluator *e, double t, const double *x, double *D)
{
    const keel_proper_spec *s = &e->problem->spec.proper;
    int n = s->size, m = s->leading, rc = 0;
    double *moved = e->work[0], *above = e->work[1], *below = e->work[2];
    if (s->leading_term_jacobian && !e->differences)
        return eval_check(e, "leading_term_jacobian", t,
                          s->leading_term_jacobian(t, x, D, e->context), m * n, D);
    memcpy(moved, x, (size_t)n * sizeof *moved);
    for (int j = 0; j < n && !rc; j++) {
        double delta = cbrt(DBL_EPSILON) * (1 + fabs(x[j]));
        double right = x[j] + delta, left = x[j] - delta;
        moved[j] = right;
        rc = eval_leading_term(e, t, moved, above);
        moved[j] = left;
        if (!rc) rc = eval_leading_term(e, t, moved, below);
        for (int k = 0; k < m && !rc; k++) D[k * n + j] = (above[k] - below[k]) / (right - left);
        moved[j] = x[j];
    }
    return rc;
}

int eval_leading_time(evaluator *e, double t, const double *x, double *d_t)
{
    int m = e->problem->group[1], rc = 0;
    double *d = e->work[0];
    stencil s = time_stencil(e, t, 0.01 * e->time_scale);
    memset(d_t, 0, (size_t)m * sizeof *d_t);
    for (int k = 0; k < s.points && !rc; k++) {
        rc = eval_leading_term(e, t + s.shift[k], x, d);
        for (int i = 0; i < m; i++) d_t[i] += s.weight[k] * d[i];
    }
    return rc;
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
    int n = e->problem->group[0], m = e->problem->group[1];
    int rc = eval_leading_matrix(e, t, y, e->square);
    for (int i = 0; i < n && !rc; i++)
        for (int k = 0; k < m; k++) keel_put(M, i, n + k, e->square[i * m + k]);
    return rc;
}
