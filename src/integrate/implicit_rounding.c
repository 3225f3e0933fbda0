/* implicit_rounding.c -- the accuracy below which rounding in the equations leaves no unknown.
 *
 *   rho_i = eps (sum_j |J_ij| |y_j| + sum_j |M_ij| |y'_j|),    delta = |(h^-1 gamma M - J)^-1 (+-rho)|
 *
 * rho is what rounding leaves of the terms of each equation, delta what that does to the unknowns,
 * with equal and with alternating signs.  An unknown that is far smaller than the terms it is computed
 * from, y_3 = 1 - y_1 - y_2 near 0, cannot be known better; a tolerance below would let Newton's
 * method and the error test fail for ever.  Looked at only after failures in a row.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/implicit.h"
#include "linear/columns.h"

static const double
    newton_noise = 3,            /* updates may wander by so many delta                    */
    largest_share = 1e-3;        /* of the tolerance of the largest unknown: more is not   */
                                 /* rounding, but a matrix that is nearly singular         */

/* out += |A| |x| */
static void add_magnitudes(const keel_matrix *A, const double *x, double *out)
{
    for (int j = 0; j < A->columns; j++) {
        column c = matrix_column(A, j);
        double size = fabs(x[j]), *own = out + c.first;
        for (int k = 0; k < c.count && c.rows; k++) out[c.rows[k]] += fabs(c.values[k]) * size;
        for (int k = 0; k < c.count && !c.rows; k++) own[k] += fabs(c.values[k]) * size;
    }
}

static void terms(const keel_solver *s, double *rho)
{
    const implicit_state *e = s->state;
    memset(rho, 0, (size_t)s->n * sizeof *rho);
    add_magnitudes(&e->matrix.local.J, s->y, rho);
    if (!e->matrix.local.diagonal) add_magnitudes(&e->matrix.local.M, s->yp, rho);
    for (int i = 0; i < s->n; i++) {
        if (e->matrix.local.diagonal) rho[i] += fabs(e->matrix.local.mass_diagonal[i] * e->slope[i]);
        rho[i] *= DBL_EPSILON;
    }
}

/* What is said of the first unknown that this concerns. */
static void tell(keel_solver *s, int i)
{
    implicit_state *e = s->state;
    message before = s->choice;
    if (e->floors) return;
    e->said = (int)strlen(before.text);
    fail(&s->choice, KEEL_OK, "%s%st = %.6g: the tolerance of %s is held at %.2g, because rounding in "
         "the equations leaves no more of it", before.text, before.text[0] ? "; " : "", s->t,
         keel_variable_name(s->problem, i), e->floor[i]);
}

void implicit_rounding(keel_solver *s)
{
    implicit_state *e = s->state;
    double *rho = e->combined, *delta = e->error, largest = 0;
    if (e->factored_h == 0 || s->options.step > 0) return;
    terms(s, rho);
    memset(e->floor, 0, (size_t)s->n * sizeof *e->floor);
    for (int i = 0; i < s->n; i++) largest = fmax(largest, fabs(s->y[i]));
    for (int signs = 0; signs < 2; signs++) {
        for (int i = 0; i < s->n; i++) delta[i] = signs && i % 2 ? -rho[i] : rho[i];
        iteration_solve(&e->matrix, 0, delta, NULL);
        for (int i = 0; i < s->n; i++) e->floor[i] = fmax(e->floor[i], fabs(delta[i]));
    }
    for (int i = 0; i < s->n; i++) {
        e->floor[i] *= newton_noise / fmin(e->newton_tolerance, 1);
        int acts = e->floor[i] * e->weight[i] > 1 &&
                   e->floor[i] <= largest_share * (s->atol[i] + s->rtol[i] * largest);
        if (!acts) e->floor[i] = 0;
        if (acts) tell(s, i);
        e->floors |= acts;
    }
}

void implicit_hold(keel_solver *s)
{
    implicit_state *e = s->state;
    for (int i = 0; i < s->n && e->floors; i++)
        if (e->floor[i] > 0) e->weight[i] = fmin(e->weight[i], 1 / e->floor[i]);
}
