/* multivalue_branch.c -- which branch of 0 = g(t,y,z) a run is on.
 *
 * Where g_z is regular along a solution, sign det g_z is the same all along it; branches that come
 * close to each other in a narrow spot have opposite signs, as beside a fold.  A step across such
 * a spot onto the other branch is as smooth as can be, and nothing else tells: so every J is
 * looked at, and one with the other sign means half the step.  Between two of them simplified
 * Newton's method
 *
 *   z := z + d,  S d = -g(t,y,z),   g(t,y,z + d) = (I - g_z S^-1) g(t,y,z) + O(d^2)
 *
 * with det S of one sign does not converge to a root with the other: g_z S^-1 then has an
 * eigenvalue mu < 0, and g grows by 1 - mu.  Where settling z has not made g smaller, J is
 * evaluated anew.
 *
 * Newton's method can also leap to a branch far away.  The error test of BDF formulas leaves z
 * out, so where z is far from its prediction the step is repeated with smaller ones; a jump that
 * stays is one of the solution.
 */
#include "integrate/multivalue.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "linear/columns.h"

static const double noise_most = 1e-14,          /* relative change of z                    */
                    contracting = 0.9,           /* g after and before                      */
                    leap_most = 100;             /* z before its prediction, in tolerances  */
enum { LEAPS_MOST = 6 };                         /* one after the other                     */

/* How many algebraic unknowns are watched: factoring g_z of more is dear. */
static int watched(const multivalue_state *e)
{
    const keel_problem *p = e->eval->problem;
    int known = p->ops == &semi_explicit_form || (p->ops == &levelled_form && e->eval->lag == 0);
    return known && !e->source && p->constraints <= INDEX1_MOST ? p->constraints : 0;
}

void branch_layout(arena *a, multivalue_state *e, const keel_problem *problem)
{
    int m = problem->constraints <= INDEX1_MOST ? problem->constraints : 0;
    e->g_z = ARENA(a, double, m * m);
    e->g_z_pivot = ARENA(a, int, m);
}

/* sign det g_z of J, 0 where it is singular. */
static int orientation(multivalue_state *e, int m)
{
    int first = e->n - m;
    memset(e->g_z, 0, (size_t)(m * m) * sizeof *e->g_z);
    for (int j = 0; j < m; j++) {
        column c = matrix_column(&e->matrix.J, first + j);
        for (int k = 0; k < c.count; k++)
            if (column_row(&c, k) >= first)
                e->g_z[(column_row(&c, k) - first) * m + j] = c.values[k];
    }
    return dense_factor(m, e->g_z, e->g_z_pivot) ? 0 : dense_sign(m, e->g_z, e->g_z_pivot);
}

static attempt_result other_branch(keel_solver *s, int m)
{
    multivalue_state *e = s->state;
    s->report.factor = 0.5;
    s->report.variable = e->n - m;
    e->matrix.jacobian_known = 0;
    return ATTEMPT_NOT_CONVERGED;
}

attempt_result branch_check(keel_solver *s)
{
    multivalue_state *e = s->state;
    int m = watched(e), sign = m > 0 ? orientation(e, m) : 0;
    if (e->orientation == 0) e->orientation = sign;
    return sign * e->orientation < 0 ? other_branch(s, m) : ATTEMPT_DONE;
}

attempt_result branch_leap(keel_solver *s, const double *P)
{
    multivalue_state *e = s->state;
    int m = watched(e);
    double sum = norm_sum(m, P + e->n - m, e->weight + e->n - m);
    if (e->method.error_constant * sqrt(sum / fmax(1, m)) <= leap_most || e->leaps >= LEAPS_MOST)
        return ATTEMPT_DONE;
    e->leaps++;
    s->report.factor = 0.25;
    s->report.variable = e->n - m + norm_worst(m, P + e->n - m, e->weight + e->n - m);
    return ATTEMPT_NOT_CONVERGED;
}

/* max |S d|, d: what settling changed; 0: no more than rounding. */
static double removed(const multivalue_state *e, int m)
{
    int first = e->n - m, noise = 1;
    double largest = 0;
    for (int j = first; j < e->n; j++)
        noise &= fabs(e->settled[j] - e->y_new[j]) <= noise_most * (1 + fabs(e->settled[j]));
    memset(e->g_z, 0, (size_t)m * sizeof *e->g_z);
    for (int j = first; j < e->n && !noise; j++) {
        column c = matrix_column(&e->matrix.J, j);
        for (int k = 0; k < c.count; k++)
            if (column_row(&c, k) >= first)
                e->g_z[column_row(&c, k) - first] += c.values[k] * (e->settled[j] - e->y_new[j]);
    }
    for (int k = 0; k < m; k++) largest = fmax(largest, fabs(e->g_z[k]));
    return largest;
}

attempt_result branch_settled(keel_solver *s, double t, double left)
{
    multivalue_state *e = s->state;
    int m = watched(e), renewed;
    double change = m > 0 && s->options.step == 0 ? removed(e, m) : 0;
    if (change == 0 || left < contracting * change) return ATTEMPT_DONE;
    e->matrix.jacobian_known = 0;
    e->newton.rate = 1;                          /* its factors are of another J */
    int rc = iteration_jacobian(&e->matrix, t, e->settled, e->yp, &renewed);
    return rc ? evaluation_result(s, rc) : branch_check(s);
}
