/* multivalue_dense.c -- dense output: the Taylor polynomial at the new point,
 *
 *   y(t_(n+1) + x h) = sum_k x^k y_k,   -1 <= x <= 0,
 *
 * as values at equidistant nodes, those at the ends the accepted ones.  Where the carried values
 * tell nothing but y, the cubic with the slopes at the ends, if the last stage gives the new one;
 * algebraic unknowns, whose slopes are not known, are then linear.
 */
#include <string.h>

#include "integrate/multivalue.h"

int dense_points_most(const multivalue_range *range)
{
    int points = range->last + 1;
    return points > HERMITE_POINTS ? points : HERMITE_POINTS;
}

static int is_cubic(const multivalue_state *e)
{
    return e->method.readable < 2 && e->method.c[e->method.s - 1] == 1;
}

/* The step at t_n + x h. */
static void inside(const multivalue_state *e, double h, double x, double *y)
{
    if (!is_cubic(e)) {
        multivalue_polynomial(e, e->made, x - 1, y);
        return;
    }
    for (int i = 0; i < e->n; i++) {
        int algebraic = e->matrix.diagonal && e->matrix.mass_diagonal[i] == 0;
        y[i] = algebraic ? e->y[i] + x * (e->y_new[i] - e->y[i])
                         : hermite(x, h, e->y[i], e->y_new[i], e->yp[i], e->yp_new[i]);
    }
}

void multivalue_dense(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    int points = is_cubic(e) ? HERMITE_POINTS : e->method.readable > 1 ? e->method.readable : 2;
    for (int j = 0; j < points; j++) e->nodes[j] = j / (points - 1.0);
    barycentric_weights(points, e->nodes, e->barycentric);
    s->dense.t0 = s->t;
    s->dense.h = h;
    s->dense.points = points;
    s->dense.nodes = e->nodes;
    s->dense.barycentric = e->barycentric;
    memcpy(s->dense.values, s->y, (size_t)s->n * sizeof *s->y);
    memcpy(s->dense.values + (points - 1) * s->n, e->settled, (size_t)s->n * sizeof *s->y);
    for (int j = 1; j < points - 1; j++) {
        inside(e, h, e->nodes[j], e->base);
        multivalue_to_problem(s, e->base, s->dense.values + j * s->n);
    }
}
