/* implicit_order.c -- how many stages of Radau IIA: those with the least work per unit of time.
 *
 * Of the coefficients of y in powers of the step, a_(s-1) = |sum_j Z_j / prod_(k<>j) (c_j - c_k)| is
 * that of the polynomial through the stages, in the norm of the error test, and the error estimate is
 * kappa_s a_(s+1), kappa_s = c_1 ... c_s / gamma_s, c_1 ... c_s = 1 / binomial(2s-1, s).  Their decay,
 * r = sqrt(a_(s+1) / a_(s-1)), predicts the error of a step of the same size with two stages more or less:
 *
 *     err_(s+-2) = err kappa_(s+-2) / kappa_s r^(+-2) tol_s / tol_(s+-2).
 *
 * An error test lets a step grow by err^(-1/(s+1)), Newton's method until its rate is 0.4; an attempt
 * costs s (iterations + 1 + n/16) + 1 evaluations, and up to 1.7 iterations more with two stages more.
 * What single steps say about the quotient of work per unit of time is averaged.
 */
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/implicit.h"
#include "linear/lanes.h"

static const double
    least_decay = 0.05,
    more_iterations = 1.7,       /* measured: 3.1, 4.9, 6.4 with 3, 5, 7 stages, 2.1, 3.2  */
    share_of_iterations = 0.55,  /* with 5, 7 where one nearly is enough                   */
    share = 0.4,                 /* of the newest step in the mean                         */
    gain_of_more = 0.85, gain_of_fewer = 0.9,       /* in work, for a change               */
    loss_when_easy = 1.1,        /* borne where Newton's method converges at once: the     */
                                 /* iterations of more stages are fewer than predicted     */
    newton_rate = 0.4, growth_most = 6;

enum { STEPS_LEAST = 3 };

/* c_1 ... c_s / gamma_s, for 3, 5 and 7 stages [HW99]. */
static double kappa(int s)
{
    return s == 3 ? 1 / (10 * 3.637834252744496) : s == 5 ? 1 / (126 * 6.286704751729277)
                                                : 1 / (1716 * 8.936832788405216);
}

/* a_(s-1) */
static double coefficient(keel_solver *s)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    const double *barycentric = e->set.barycentric[e->stages] + 1;      /* of 0, c_1, ..., c_s */
    double weight[STAGES_MAX];
    for (int j = 0; j < rk->s; j++) weight[j] = barycentric[j] * rk->c[j];
    memset(e->error, 0, (size_t)e->n * sizeof *e->error);
    vectors_sum(rk->s, e->n, e->error, weight, e->Z, e->combined);
    return norm_root(s->eval.reducer, norm_sum(e->n, e->combined, e->tested), e->tested_count);
}

/* Of an attempt, in evaluations. */
static double work(const keel_solver *s, int stages, double iterations)
{
    return stages * (iterations + 1 + s->unknowns / 16) + 1;
}

/* The logarithm of work per unit of time with `other` stages over that with those in use, from those of
 * error, decay and the most that a step may grow. */
static double quotient(const keel_solver *s, int other, double error, double decay, double most)
{
    const implicit_state *e = s->state;
    int stages = e->stages;
    double rtol = s->least_tolerance, iterations = e->newton.iterations;
    double predicted = error + decay * (other - stages) +
                       log(kappa(other) / kappa(stages) * implicit_radau_rtol(s, stages, rtol) /
                           implicit_radau_rtol(s, other, rtol));
    double change = fmin(more_iterations, share_of_iterations * iterations) * (other - stages) / 2;
    return log(work(s, other, fmax(1, iterations + change)) / work(s, stages, iterations)) -
           fmin(most, -predicted / (other + 1)) + fmin(most, -error / (stages + 1));
}

int implicit_order_serves(const keel_solver *s)
{
    const implicit_state *e = s->state;
    return !s->stages && s->problem->index <= 1 && e->matrix.local.mass_constant;
}

void implicit_order_judge(keel_solver *s)
{
    implicit_state *e = s->state;
    double error = fmax(s->report.error, 1e-10), below = coefficient(s);
    double decay = below > 0 ? sqrt(error / kappa(e->stages) / below) : 0;
    decay = fmax(least_decay, decay);
    if (!isfinite(decay)) return;
    double most = e->newton.iterations > 1 ? fmin(growth_most, newton_rate / e->newton.rate) : growth_most;
    error = log(error), decay = log(decay), most = log(most);
    if (e->stages + 2 <= MOST_STAGES)
        e->more += share * (quotient(s, e->stages + 2, error, decay, most) - e->more);
    if (e->stages - 2 >= FEWEST_STAGES)
        e->fewer += share * (quotient(s, e->stages - 2, error, decay, most) - e->fewer);
}

int implicit_order_choose(const keel_solver *s, int easy)
{
    const implicit_state *e = s->state;
    if (e->steps_at_stages < STEPS_LEAST) return e->stages;
    if (e->stages - 2 >= FEWEST_STAGES && e->fewer < log(gain_of_fewer)) return e->stages - 2;
    int more = e->more < log(easy ? loss_when_easy : gain_of_more);
    return e->stages + 2 <= MOST_STAGES && more ? e->stages + 2 : e->stages;
}
