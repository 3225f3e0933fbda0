/* multivalue_start.c -- the first carried values.
 *
 * Order 1 begins with (y, h y'), and variable order grows from there.  Constant steps, and a method
 * of one order, begin with the singly implicit starting procedure [Weiss 2007, 4.1]
 *
 *   Y = y_0 + h A Y',   y[0] = e_1 y_0 + h B Y',
 *
 * which gives the Nordsieck vector to its order, also on index 2, from one factorization.
 *
 * Its nodes are h/p apart, so y_k has rounding errors p^k times those of y: 5e4 with p = k = 6,
 * and on index 3 they come back over h^2.  High orders begin with a longer step H = x h where that
 * converges, and y_k := x^-k y_k: rounding errors fall by x^k, 700 here, while those of the
 * procedure, O(H^(p+1)), stay below those of the method.
 */
#include <math.h>
#include <string.h>

#include "integrate/multivalue.h"

enum { ROUNDING_FROM = 5,        /* order from which rounding errors of a step h show          */
       LONGER = 3 };             /* H / h there, if there is room before the stop time         */

/* Its transformation as coupled stages have it, from the last row to the first. */
void starting_coupled(coupled_stages *c, const starting_data *d)
{
    int s = d->s, last = s - 1;
    c->s = s;
    c->c = d->c;
    memset(c->L, 0, (size_t)s * (size_t)s * sizeof *c->L);
    memcpy(c->A_inv, d->A_inv, (size_t)s * (size_t)s * sizeof *c->A_inv);
    for (int i = 0; i < s; i++) {
        c->slot[i] = 0;
        c->L[i * s + i] = 1 / d->mu;
        if (i < last) c->L[i * s + i + 1] = d->lower[last - 1 - i];
        for (int j = 0; j < s; j++) {
            c->T[i * s + j] = d->T[i * s + last - j];
            c->T_inv[i * s + j] = d->T_inv[(last - i) * s + j];
        }
    }
}

static double starting_step(const keel_solver *s, double h)
{
    const multivalue_state *e = s->state;
    double x = e->range.starting >= ROUNDING_FROM ? LONGER : 1;
    if (s->has_stop) x = fmax(1, fmin(x, floor((s->t_stop - s->t) / h)));
    return x * h;
}

/* The Nordsieck vector h^k y^(k) / k! at the start, into e->made, from that of a step x h. */
static void nordsieck(multivalue_state *e, double x)
{
    const starting_data *d = &e->starting;
    int n = e->n;
    double factorial = 1;                        /* k! x^k */
    memcpy(e->made, e->y, (size_t)n * sizeof *e->y);
    for (int k = 1; k < d->s; k++) {
        double *y = e->made + k * n;
        factorial *= k * x;
        memset(y, 0, (size_t)n * sizeof *y);
        for (int j = 0; j < d->s; j++)
            for (int i = 0; i < n; i++)
                y[i] += d->B[k * d->s + j] / factorial * e->slopes[j * n + i];
    }
}

/* What the method carries, from the Nordsieck vector. */
static void fill_carried(keel_solver *s)
{
    multivalue_state *e = s->state;
    int n = e->n, known = e->starting.s < e->range.r ? e->starting.s : e->range.r;
    memset(e->carried, 0, (size_t)e->range.r * (size_t)n * sizeof *e->carried);
    if (e->range.bdf || e->range.table[e->range.last].nordsieck) {
        memcpy(e->carried, e->made, (size_t)known * (size_t)n * sizeof *e->carried);
        return;
    }
    const keel_general_linear *g = &s->method->general;
    for (int i = 0; i < g->values; i++) {
        double factorial = 1;
        for (int k = 0; k <= g->order; k++) {
            factorial *= k > 1 ? k : 1;
            double w = g->W[i * (g->order + 1) + k] * factorial;
            for (int j = 0; j < n && w != 0; j++) e->carried[i * n + j] += w * e->made[k * n + j];
        }
    }
}

static attempt_result start_stages(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    const starting_data *d = &e->starting;
    int renewed, n = e->n;
    int rc = iteration_jacobian(&e->matrix, s->t, e->y, e->yp, &renewed);
    if (rc) return evaluation_result(s, rc);
    s->stats.factorizations++;
    attempt_result result = coupled_factor(s, &e->start_coupled, h);
    e->factored = 0;                             /* for the method it is another one */
    if (result != ATTEMPT_DONE) return result;
    for (int i = 0; i < d->s; i++)
        for (int k = 0; k < n; k++) {
            e->base[i * n + k] = e->y[k];
            e->Z[i * n + k] = d->c[i] * h * e->yp[k];
        }
    return coupled_solve(s, &e->start_coupled, h);
}

attempt_result multivalue_begin(keel_solver *s, double h)
{
    multivalue_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    int n = e->n;
    e->h = h;
    if (!e->range.starting) {
        memcpy(e->carried, e->y, (size_t)n * sizeof *e->y);
        for (int i = 0; i < n && e->range.r > 1; i++) e->carried[n + i] = h * e->yp[i];
        e->begun = 1;
        return ATTEMPT_DONE;
    }
    double longer = starting_step(s, h);
    result = start_stages(s, longer);
    if (result != ATTEMPT_DONE && result != ATTEMPT_STOP && longer != h)
        result = start_stages(s, longer = h);
    if (result != ATTEMPT_DONE) return result;
    nordsieck(e, longer / h);
    fill_carried(s);
    result = blocked_begin(s, h);
    e->begun = result == ATTEMPT_DONE;
    return result;
}
