/* explicit_stiffness.c -- does stability, rather than accuracy, limit explicit steps?  For `auto`.
 *
 * After a step: |h lambda| from its new point and last stage [HW96 IV.2 (2.9)].  Before the first: a
 * few steps of the power method on the Jacobian of x' = f(t,x), products by differences, that begin
 * with v = f and find rho, the modulus of its largest eigenvalue; the first product is x'' but for
 * f_t.  A method whose error is O(h^p) can then make steps
 *
 *     h ~ tol^(1/p) / max(|x'| / |x|, sqrt(|x''| / |x|)),
 *
 * and h rho is judged like the |h lambda| of steps: of the explicit method beside a Rosenbrock method; beside
 * Radau IIA, whose steps of order 13 need not be as short at tight tolerances, of that one.
 *
 * Mechanical systems are of second order: two products give rho^2, and at rest x' and x'' say little of the
 * motion to come.  Sparse ones, whose explicit steps cost almost as much as implicit ones, are looked at all
 * the same, with another limit: on chains implicit steps begin to pay at 25 to 35, whatever the tolerance.
 */
#include "integrate/explicit.h"

#include <float.h>
#include <math.h>

#include "core/norm.h"

/* Where stability limits the steps, |h lambda| wavers about 5.86, the end of the real interval of
 * Verner's 8(7), or lies above 3.1 for weakly damped oscillations; where accuracy does, it is less.
 * Single estimates scatter: those for q'' = -w^2 q as a system of first order lie between h and
 * h w^2, evenly about h w in the logarithm.  So a running geometric mean decides, in which outliers
 * are cut and rejected attempts, also a symptom, count as the limit or as what the last |lambda| makes of
 * them. */
static const double
    stability_limit = 3,
    foreseen_limit = 50,                         /* of h rho of sparse mechanical problems  */
    least_seen = 0.3, most_seen = 10,            /* outliers                                */
    share = 0.2,                                 /* of the newest step in the mean          */
    settled = 1.1,                               /* quotient of two estimates of rho        */
    turned = 0.5,                                /* |change of x'| / |x'| over a step that  */
    turned_by = 20;                              /* follows a fast motion, and h times it   */
                                                 /* in units of the tolerances              */

enum { PRODUCTS_MOST = 6, RADAU_MOST = 13 };

/* ---- after a step ---------------------------------------------------------------------------- */

/* |x'_end - x'_last| / |x_end - x_last|, an estimate of |lambda| from the new point and the last
 * stage, both at the end of the step [HNW93 II.10; HW96 IV.2 (2.9)]; of mechanical systems the
 * velocities alone, whose derivatives show damping as well as springs. */
static double largest_eigenvalue(const keel_solver *s)
{
    const explicit_state *e = s->state;
    int from = e->d - e->n;                      /* velocities, or all */
    const double *last = e->K + (e->stages - 1) * e->padded;
    double above = 0, below = 0;
    for (int i = from; i < e->d; i++) {
        double change = e->slope_new[i] - last[i], distance = e->x_new[i] - e->stage[i];
        above += change * change;
        below += distance * distance;
    }
    return below > 0 ? sqrt(above / below) : 0;
}

/* At loose tolerances a method of high order takes steps of half an oscillation, the end of its stable
 * interval, and needs no shorter ones.  That is no stiffness if the oscillation counts: where x' turns
 * within the step, and moves the point by many tolerances thereby, no other method could take longer
 * steps. */
static int turns(const explicit_state *e, double h)
{
    double change = 0, whole = 0;
    for (int i = 0; i < e->d; i++) {
        double difference = (e->slope_new[i] - e->slope[i]) * e->weight[i];
        double size = (fabs(e->slope_new[i]) + fabs(e->slope[i])) * e->weight[i];
        change += difference * difference;
        whole += size * size;
    }
    return change > turned * turned * whole && h * h * change > turned_by * turned_by * e->d;
}

void explicit_judge(keel_solver *s, double h)
{
    explicit_state *e = s->state;
    e->turning = turns(e, h);
    e->stability = fabs(h) * largest_eigenvalue(s);
    double seen = log(fmin(most_seen, fmax(least_seen, e->stability)));
    e->mean_stability += share * (seen - e->mean_stability);
}

void explicit_suspect(keel_solver *s, double h)
{
    explicit_state *e = s->state;
    double last = s->stats.last_step, tried = last != 0 ? e->stability * fabs(h / last) : 0;
    double seen = log(fmax(stability_limit, fmin(most_seen, tried)));
    e->mean_stability += share * fmax(0, seen - e->mean_stability);
}

int explicit_stiff(const keel_solver *s)
{
    const explicit_state *e = s->state;
    return e->stability > stability_limit && e->mean_stability > log(stability_limit) && !e->turning;
}

/* ---- before the first ------------------------------------------------------------------------ */

static double size_of(const explicit_state *e, const double *v)
{
    return sqrt(norm_sum(e->d, v, e->weight) / e->d);
}

/* v := f_x v by a difference over so many tolerances. */
static attempt_result multiply(keel_solver *s, double reach, double *v)
{
    explicit_state *e = s->state;
    double epsilon = reach / size_of(e, v);
    if (!isfinite(epsilon)) return ATTEMPT_NOT_FINITE;
    for (int i = 0; i < s->n; i++) e->stage[i] = e->x[i] + (i < e->d ? epsilon * v[i] : 0);
    attempt_result result = explicit_rate(s, s->t, e->stage, e->half_slope, 1);
    for (int i = 0; i < e->d; i++) v[i] = (e->half_slope[i] - e->slope[i]) / epsilon;
    return result;
}

/* Three evaluations are little beside what a run costs, but not beside the steps between two events: there
 * only a Rosenbrock method, which costs little itself, is foreseen. */
static int may_foresee(const keel_solver *s)
{
    int looks = s->problem->index <= 1 || mechanical_is_sparse(s->problem);
    return s->modes > 1 && looks && (s->mode[1].method || s->stats.accepted == 0);
}

attempt_result explicit_foresee(keel_solver *s)
{
    explicit_state *e = s->state;
    if (!may_foresee(s)) return ATTEMPT_DONE;
    double tolerance = s->least_tolerance, reach = sqrt(DBL_EPSILON) / tolerance;
    double *v = e->half, rate = tolerance * size_of(e, e->slope), rho = 0;
    double limit = e->mechanical ? foreseen_limit : stability_limit;
    attempt_result result = ATTEMPT_DONE;
    for (int i = 0; i < e->d; i++) v[i] = e->slope[i];
    for (int k = 0; k < PRODUCTS_MOST && result == ATTEMPT_DONE; k++) {
        double before = size_of(e, v), last = rho;
        result = multiply(s, reach, v);
        if (k == 0) rate = fmax(rate, sqrt(tolerance * size_of(e, v)));
        if (e->mechanical && result == ATTEMPT_DONE) result = multiply(s, reach, v);
        rho = e->mechanical ? sqrt(size_of(e, v) / before) : size_of(e, v) / before;
        if (k > 1 && rho < settled * last) break;
    }
    double seen = rho * pow(tolerance, s->mode[1].method ? e->exponent : 1.0 / RADAU_MOST) / rate;
    if (result == ATTEMPT_DONE && isfinite(seen) && seen > limit) {
        e->stability = seen;
        e->mean_stability = log(seen);
    }
    if (result == ATTEMPT_STOP) return result;   /* with its fault */
    s->eval.fault = (fault){0};
    return ATTEMPT_DONE;                         /* what is not known is not stiff */
}
