/* explicit_rate.c -- x' at a point, whatever the form.
 *
 *   mechanical     [M G^T; G 0][a; l] = [f; -gamma], all parts from one evaluation
 *   semi-explicit  z from g(t,x,z) = 0, then f
 *
 * The sign of det g_z is that of the initial point for ever: between two points where it differs
 * the solution ends, or z is that of another branch.  It is looked at where g_z is factored; between
 * two factorizations it cannot change while A^-1 g_z is near I, which is why simplified Newton with
 * A converges.
 */
#include "integrate/explicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

/* ---- mechanical ----------------------------------------------------------------------------- */

static attempt_result mechanical_rate(keel_solver *s, double t, const double *x, double *K, int full)
{
    explicit_state *e = s->state;
    mechanical_point *p = &e->point;
    int n = e->n, m = e->m;
    unsigned wanted = KEEL_FORCE | (KEEL_MASS & ~p->kept) |
                      (m > 0 ? KEEL_CONSTRAINT_JACOBIAN | KEEL_CURVATURE : 0u);
    double *f = p->f;
    p->f = K + n;
    int rc = eval_mechanical(&s->eval, t, x, x + n, wanted, &p->parts);
    p->f = f;
    if (rc) return evaluation_result(s, rc);
    memcpy(K, x + n, (size_t)n * sizeof *K);
    double *l = p->l;
    for (int k = 0; k < m; k++) l[k] = -p->gamma[k];
    s->stats.solves++;
    if (!full && m > 0) {
        s->stats.factorizations++;
        p->exact = 0;
        if (s->eval.dependence) dependence_tell(s->eval.dependence, p->kkt);
        rc = saddle_solve_once(p->kkt, p->M, p->G, K + n, l);
        return rc ? point_attempt(s, p, point_unfactored(&s->eval, p, rc)) : ATTEMPT_DONE;
    }
    p->kept = p->constant;
    if (wanted != KEEL_FORCE) p->exact = 0;
    projection_result factored = point_factor(&s->eval, p);
    if (factored) return point_attempt(s, p, factored);
    saddle_solve(p->kkt, 1, K + n, l);
    if (s->eval.dependence) dependence_smallest(s->eval.dependence, p->G, l);
    return ATTEMPT_DONE;
}

/* ---- semi-explicit -------------------------------------------------------------------------- */

enum { ITERATIONS = 20 };

static const double
    slow = 0.1,                  /* a contraction that asks for a new g_z                  */
    rounding = 4 * DBL_EPSILON,  /* a relative update that cannot be improved              */
    noise = 1e-12,               /* ... that rounding in g may cause                       */
    conditioned = 1e-9;          /* ... where g_z of the point itself is ill-conditioned   */

/* With d = z - z_n: does g_z^-1 of the old factors make the new g_z d point back?  Then the way
 * from one matrix to the other leads past a singular one, also where two changes of sign hide from
 * the determinant, or is longer than a step should be. */
static int has_turned(const explicit_state *e, const double *x)
{
    const algebraic_solver *a = &e->algebraic;
    const double *z = x + e->d, *before = e->x + e->d, *weight = e->weight + e->d;
    double sum = 0;
    for (int i = 0; i < e->m; i++) {
        a->step[i] = 0;
        for (int j = 0; j < e->m; j++)
            a->step[i] += matrix_get(&a->J, e->d + i, e->d + j) * (z[j] - before[j]);
    }
    dense_solve(e->m, a->use->g_z, a->use->pivot, a->step);
    for (int i = 0; i < e->m; i++)
        sum += a->step[i] * (z[i] - before[i]) * weight[i] * weight[i];
    return sum < 0;
}

attempt_result explicit_factor(keel_solver *s, double t, const double *x)
{
    explicit_state *e = s->state;
    algebraic_solver *a = &e->algebraic;
    int d = e->d, m = e->m, watched = a->use == a->factors, known = a->use->known;
    a->use->known = 0;                /* a dead callback is to be noticed, not crawled past */
    int rc = eval_jacobian(&s->eval, &a->colors, t, x, s->yp, &a->J);
    if (rc) return evaluation_result(s, rc);
    int turned = watched && known && m > 1 && s->options.step == 0 && has_turned(e, x);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) a->use->g_z[i * m + j] = matrix_get(&a->J, d + i, d + j);
    if (gauge_loose(s->eval.gauge)) gauge_add(s->eval.gauge, a->use->g_z);
    rc = dense_factor(m, a->use->g_z, a->use->pivot);
    s->stats.factorizations++;
    int sign = rc ? 0 : dense_sign(m, a->use->g_z, a->use->pivot);
    if (a->sign == 0) a->sign = sign;
    a->use->known = rc == 0 && !turned && (sign == a->sign || !watched);
    if (a->use->known) return ATTEMPT_DONE;
    s->report.variable = rc ? d + rc - 1 : -1;
    s->report.factor = 0.5;
    return rc ? ATTEMPT_SINGULAR : ATTEMPT_BRANCH;
}

/* z := z - g_z^-1 g; the sizes of the update in units of the tolerances and of z. */
static attempt_result improve(keel_solver *s, double t, double *x, double *update, double *relative)
{
    explicit_state *e = s->state;
    algebraic_solver *a = &e->algebraic;
    double *z = x + e->d;
    int hidden = s->problem->levels - 1, rc = eval_level(&s->eval, hidden, t, x, a->step);
    if (rc) return evaluation_result(s, rc);
    dense_solve(e->m, a->use->g_z, a->use->pivot, a->step);
    s->stats.solves++;
    s->stats.newton++;
    *update = sqrt(norm_sum(e->m, a->step, e->weight + e->d) / e->m);
    *relative = norm_relative(e->m, a->step, z);
    for (int k = 0; k < e->m; k++) z[k] -= a->step[k];
    return ATTEMPT_DONE;
}

attempt_result explicit_algebraic(keel_solver *s, double t, double *x, int exact)
{
    explicit_state *e = s->state;
    algebraic_solver *a = &e->algebraic;
    double last = INFINITY, update = 0, relative = 0;
    double tolerance = exact ? 0 : a->tolerance;
    int fresh = !a->use->known;
    attempt_result result = fresh ? explicit_factor(s, t, x) : ATTEMPT_DONE;
    for (int pass = 0; pass < ITERATIONS && result == ATTEMPT_DONE; pass++) {
        result = improve(s, t, x, &update, &relative);
        if (result != ATTEMPT_DONE) break;
        double rate = update / last;             /* 0 as long as it is not known */
        int judged = rate > 0 && rate < 0.9, poor = !(rate <= slow);
        if (relative <= rounding || (poor && relative <= (fresh ? conditioned : noise))) return ATTEMPT_DONE;
        if (judged && rate / (1 - rate) * update <= tolerance) return ATTEMPT_DONE;
        if (poor && fresh && !judged) break;
        last = update;
        if (!poor || fresh) continue;
        result = explicit_factor(s, t, x);
        fresh = 1;
        last = INFINITY;
    }
    if (result != ATTEMPT_DONE) return result;
    a->use->known = 0;
    s->report.variable = e->d + norm_worst(e->m, a->step, e->weight + e->d);
    s->report.factor = 0.5;
    return ATTEMPT_NOT_CONVERGED;
}

/* ---- any form ------------------------------------------------------------------------------- */

attempt_result explicit_rate(keel_solver *s, double t, double *x, double *K, int full)
{
    const explicit_state *e = s->state;
    if (e->mechanical) return mechanical_rate(s, t, x, K, full);
    attempt_result result = e->algebraic.Z ? explicit_algebraic(s, t, x, full) : ATTEMPT_DONE;
    return result == ATTEMPT_DONE ? evaluation_result(s, eval_rate(&s->eval, t, x, K)) : result;
}
