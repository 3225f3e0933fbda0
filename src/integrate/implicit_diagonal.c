/* implicit_diagonal.c -- diagonally implicit stages, one after the other.
 *
 *   0 = r(t_i, y_n + Z_i, (h a_ii)^-1 Z_i + rest_i),
 *   rest_i = h^-1 sum_(j<i) (A^-1)_ij Z_j + slope_i y'_n,
 *
 * by simplified Newton with (h a_ii)^-1 M - J, one factorization for all stages of an SDIRK method.
 *
 * Over ranks a message is saved by going on before it: with a second iteration where the stage before needed
 * one, and after the last stage with the error estimate once it has had as many iterations as the one before.
 * Where that was too early, a solve was in vain, which is why nothing is foreseen where systems are solved by
 * iteration.
 */
#include <math.h>
#include <string.h>

#include "integrate/implicit.h"

/* rest_i, which needs the stages before i. */
static void known_rate(keel_solver *s, double h, int i, double *rest)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    for (int k = 0; k < e->n; k++) rest[k] = rk->explicit_first ? rk->slope[i] * e->slope[k] : 0;
    for (int j = 0; j < i; j++) {
        double factor = rk->A_inv[i * rk->s + j] / h;
        for (int k = 0; k < e->n; k++) rest[k] += factor * e->Z[j * e->n + k];
    }
}

/* With stage order 1, algebraic unknowns go on from those of the stage before, as they moved from end to
 * end of the last step: extrapolating its stages would amplify their errors. */
static void predict_algebraic(keel_solver *s, double h, int i)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    const interpolant *p = &s->dense;
    int known = p->points > 0 && h / p->h <= EXTRAPOLATE_MOST;
    double *Z = e->Z + i * e->n, ahead = (rk->c[i] - (i > 0 ? rk->c[i - 1] : 0)) * h;
    if (!e->matrix.local.diagonal || rk->stage_order > 1) return;
    for (int k = 0; k < e->n; k++)
        if (e->matrix.local.mass_diagonal[k] == 0)
            Z[k] = (i > 0 ? Z[k - e->n] : 0) + (known ? ahead * (s->y[k] - p->values[k]) / p->h : 0);
}

attempt_result diagonal_stages(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    newton_monitor worst = {0};
    double *rest = e->X;
    stage_rider rider = {.expected = e->newton.iterations, .s = s, .h = h};
    newton_step *step = s->eval.reducer && !solves_inexactly(s) ? stage_iterate_ahead : stage_iterate;
    implicit_predict(s, h);
    for (int i = 0; i < rk->s; i++) {
        newton_monitor monitor = e->newton;
        stage_equation stage = {
            .matrix = &e->matrix, .weight = e->scaled, .t = s->t + rk->c[i] * h,
            .sigma = rk->A_inv[i * rk->s + i] / h, .base = s->y,
            .rest = rest, .slot = rk->slot[i], .relaxation = 1, .Z = e->Z + i * e->n,
            .Y = e->stage, .rate = e->rate, .update = e->R, .rider = &rider};
        known_rate(s, h, i, rest);
        predict_algebraic(s, h, i);
        if (i == rk->s - 1 && rk->embedded) rider.part = implicit_embedded;
        attempt_result result = implicit_solve(s, &monitor, 3, step, &stage);
        if (result != ATTEMPT_DONE) return result;
        rider.expected = monitor.iterations;
        const int measured = monitor.iterations > 1;         /* else the rate is that of steps before */
        if (i == 0 || (measured && worst.iterations == 1)) {
            worst = monitor;
            continue;
        }
        if (!measured && worst.iterations > 1) continue;
        worst.iterations = monitor.iterations > worst.iterations ? monitor.iterations : worst.iterations;
        worst.rate = fmax(worst.rate, monitor.rate);
        worst.factor = fmax(worst.factor, monitor.factor);
    }
    e->newton = worst;
    memcpy(e->error_sum, rider.sum, sizeof e->error_sum);
    return ATTEMPT_DONE;
}
