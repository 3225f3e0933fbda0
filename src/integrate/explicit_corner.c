/* explicit_corner.c -- corners of the solution that the error estimate does not see.
 *
 * A corner of x' at t_n + tau h, x' = ... + a (t - t_n - tau h)_+, costs a method the error a h^2 E(tau),
 * and an estimate sum_i w_i k_i sees a h^2 V(tau), with Peano's kernels
 *
 *     E(tau) = sum_i b_i (c_i - tau)_+ - (1 - tau)^2 / 2,   V(tau) = sum_i w_i (c_i - tau)_+ .
 *
 * Where the nodes of b - b_hat lie in a small part of the step its V is next to nothing in the others
 * (Verner's 8(7): below E/1000).  Weights of lower order that see all corners exist, but on smooth
 * solutions they are of the size z = O(h^5), far above the tolerance where the estimate is below it.  So
 * they are compared with what each of the last two steps lets expect, by its step size or its estimate:
 *
 *     z = z_n (h / h_n)^5   or   z = z_n (err / err_n)^(5/8).
 *
 * More than all four is a corner if its error may exceed 20 tolerances, and the step is repeated with a
 * smaller h.  What is not seen: a corner whose z is below `unlike` times the smooth one, and whatever
 * lies between two nodes.
 */
#include "integrate/explicit.h"

#include <math.h>

#include "core/norm.h"

static const double
    unlike = 5,                  /* pendulum, andrews, car-axis, kepler, three-body, 1e-3 to 1e-10: */
                                 /* 4 of 8000 steps exceed it; chosen there, and seen on truck, too */
    least_error = 1e-3,          /* estimates below it say nothing of how smooth a solution is      */
    cut_short = 0.25;            /* h / h_next of a step that a stop time made: no example          */

/* Is that more than a smooth solution would show after the step before? */
static int is_unlike(const explicit_state *e, const sighting *before)
{
    double ratio = e->now.h / before->h, growth = 1;
    if (before->h == 0) return 1;                /* no such step */
    for (int k = 0; k < CORNER_POWER; k++) growth *= ratio;
    if (e->now.size <= unlike * before->size * growth) return 0;
    growth = pow(e->now.error / before->error, e->exponent * CORNER_POWER);
    return e->now.size > unlike * before->size * growth;
}

void explicit_watch(keel_solver *s, double h)
{
    explicit_state *e = s->state;
    double squares = weighted_squares(e->corner, e->padded, e->K, e->weight);
    e->now = (sighting){.h = fabs(h), .error = fmax(s->report.error, least_error),
                        .size = fabs(h) * norm_root(s->eval.reducer, squares, e->d)};
    e->corner_found = e->now.size > 1 && e->smooth[0].h > 0 && is_unlike(e, &e->smooth[0]) &&
                      is_unlike(e, &e->smooth[1]);
    if (e->corner_found) s->report.error = e->now.size;
}

void explicit_watch_accept(keel_solver *s)
{
    explicit_state *e = s->state;
    if (e->now.h < cut_short * fabs(s->h_next)) return;
    e->smooth[1] = e->smooth[0];
    e->smooth[0] = e->now;
}
