/* projection_levels.c -- each level by simplified Newton, x := x + D mu, S mu = -level(t, y), S = (level)_x D.
 *
 * Alone, a level is met to rounding before the next one.  Where vectors are spread over ranks a pass
 * corrects every level once and sends one message with what it came to and with whatever else is wanted
 * at the point (projection_rider); then come the same verdicts.  A correction of size s that takes a level
 * from |g_0| to |g_1| would be followed by one of size s |g_1| / |g_0|, which is not made where it is
 * rounding.
 */
#include "step/projection_levels.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

enum { PASSES = 40 };

/* Corrections with matrices of the point itself shrink quadratically.  Where they stay below what
 * some units in the last place of the unknowns make, or below the first of these, they are rounding errors of
 * an ill-conditioned level; the second is the most that is believed [diodes of 1e-5 Ohm and 1e-5 S: condition
 * 1e10, corrections of 3e-9 at 100 V]. */
static const double conditioned = 1e-9, conditioned_most = 1e-6, units = 8;

/* Reduction of a level that speaks for the matrix of an earlier point, and how exact systems are solved that
 * are not factored. */
static const double fresh = 1e-2, tightest = 1e-12, first_solve = 1e-10, loosest = 1e-3;

typedef enum verdict { LEVEL_AGAIN, LEVEL_MET, LEVEL_DIVERGES } verdict;

/* Largest |step_i| / (1 + |x_i|) over the unknowns of a level; NaN if any is not finite. */
static double relative_size(const constraint_level *l, const double *step, const double *y)
{
    if (!l->moves) return norm_relative(l->count, step, y + l->first);
    double size = 0;
    for (int i = 0; i < l->count; i++) {
        double part = fabs(step[i]) / (1 + fabs(y[l->moves[i]]));
        if (!(part <= size)) size = part;
    }
    return size;
}

/* The correction that is expected next, by how much the level has become less. */
static double next_size(const level_move *v) { return v->last * v->now / v->before; }

/* Can it be told without a solve that there is nothing left but rounding errors?  Solves with large sparse
 * matrices are dear. */
static int is_met(const projection *p, const level_move *v, const double *y)
{
    const directions *d = &p->directions;
    if (!d->sparse || v->own) return 0;
    return next_size(v) <= v->negligible || directions_met(d, v->level, y, p->value);
}

static verdict judge(level_move *v)
{
    const double last = v->last;
    v->last = v->size;
    if (v->size <= 2 * DBL_EPSILON) return LEVEL_MET;
    if (v->size < v->shrink * last) return LEVEL_AGAIN;
    return v->size <= v->enough ? LEVEL_MET : LEVEL_DIVERGES;
}

/* An engine has no product D mu of its own. */
static void resume(projection *p, const constraint_level *l, level_move *v, double *y)
{
    if (p->directions.engine) memset(p->step, 0, (size_t)l->count * sizeof *p->step);
    else directions_step(&p->directions, v->level, v->own, p->mu[v->level], p->step);
    for (int i = 0; i < l->count; i++) {
        int at = level_unknown(l, i);
        y[at] = p->before[at] + p->step[i];
    }
    v->resumes = 0;
}

/* p->step := -D S^-1 level(t, y), whose value is in p->value, and its size.  The system is solved to rounding
 * of y, not more: the correction expected is that of the last time.  A code of eval_*. */
static int find_step(projection *p, evaluator *e, double t, const double *y, level_move *v)
{
    const double expected = p->expected[v->level];
    const double tolerance = expected == 0 ? first_solve
                                           : fmax(tightest, fmin(loosest, DBL_EPSILON / expected));
    for (int k = 0; k < e->problem->constraints; k++) p->shaken[k] = p->value[k], p->value[k] = -p->value[k];
    int rc = directions_solve(&p->directions, e, v->level, v->own, t, tolerance, p->value);
    if (rc) return rc;
    directions_step(&p->directions, v->level, v->own, p->value, p->step);
    v->before = v->now;
    v->size = relative_size(&e->problem->level[v->level], p->step, y);
    return 0;
}

/* x := x + D mu, x being a part of y, until the level is met to rounding; where ranks have to agree on what a
 * correction came to, one.  A code of eval_*. */
static int correct(projection *p, evaluator *e, double t, double *y, level_move *v, verdict *found)
{
    const constraint_level *l = &e->problem->level[v->level];
    const int m = e->problem->constraints, alone = !e->reducer, passes = alone ? PASSES : 1;
    if (v->resumes) resume(p, l, v, y);
    p->left[v->level] = -1;
    for (int pass = 0;; pass++) {
        int rc = v->known && pass == 0 ? 0 : eval_level(e, v->level, t, y, p->value);
        if (rc) return rc;
        v->now = norm_max(m, p->value);
        const int met = alone && is_met(p, v, y);
        if (met) p->left[v->level] = v->now;
        *found = !alone ? LEVEL_AGAIN : met || v->last <= v->enough ? LEVEL_MET : LEVEL_DIVERGES;
        if (met || pass == passes) return 0;
        rc = find_step(p, e, t, y, v);
        if (rc) return rc;
        *found = alone ? judge(v) : LEVEL_AGAIN;
        if (*found == LEVEL_MET && e->problem->levels == 1 && !e->gauge)         /* y stays, and so does g */
            memcpy(p->value, p->shaken, (size_t)m * sizeof *p->value), p->left[v->level] = v->now;
        if (*found != LEVEL_AGAIN) return 0;
        for (int i = 0; i < l->count; i++) y[level_unknown(l, i)] += p->step[i];
        for (int k = 0; k < m; k++) p->mu[v->level][k] += p->value[k];
    }
}

/* Relative size of the correction that some units in the last place of the unknowns call for, as they come to
 * be: all alike, then to and fro, so that neither sums nor differences hide it. */
static double rounding_size(projection *p, evaluator *e, double t, const double *y, const level_move *move)
{
    const constraint_level *l = &e->problem->level[move->level];
    const int n = e->problem->n, m = e->problem->constraints;
    double size = 0;
    for (int pattern = 0; pattern < 2; pattern++) {
        int rc = eval_level(e, move->level, t, y, p->value);
        for (int i = 0; i < n; i++) {
            const double golden = fmod(0.6180339887498949 * i, 1), way = golden < 0.5 ? golden - 1 : golden;
            p->shaken[i] = y[i] * (1 + (pattern ? way : 1) * units * DBL_EPSILON);
        }
        if (!rc) rc = eval_level(e, move->level, t, p->shaken, p->shaken + n);
        if (rc) return 0;
        for (int k = 0; k < m; k++) p->value[k] -= p->shaken[n + k];
        directions_solve(&p->directions, e, move->level, move->own, t, 0, p->value);
        directions_step(&p->directions, move->level, move->own, p->value, p->step);
        size = fmax(size, relative_size(l, p->step, y));
    }
    return size;
}

int level_is_rounding(projection *p, evaluator *e, double t, const double *y, const level_move *v)
{
    if (!(v->size <= conditioned_most)) return 0;
    return v->size <= conditioned || (!e->reducer && v->size <= rounding_size(p, e, t, y, v));
}

/* ---- all levels --------------------------------------------------------------------------- */

int levels_agree(projection *p, evaluator *e, const projection_plan *plan, double t, const double *y,
                 level_move *moves, int count)
{
    enum { EACH = 3, OF_LEVELS = 3 * EACH };     /* of a Hessenberg form */
    projection_rider none = {.sums = 0}, *rider = plan->rider ? plan->rider : &none;
    double most[OF_LEVELS + RIDER_MOST] = {0};
    const int levels = e->problem->levels, measured = levels - (plan->brief && levels > 1);
    int rc = 0, moved = 0;
    for (int k = 0; k < count; k++) {
        double part[EACH] = {moves[k].now, moves[k].before, moves[k].size};
        memcpy(most + EACH * moves[k].level, part, sizeof part);
        moved |= 1 << moves[k].level;
    }
    for (int k = 0; k < measured && !rc; k++) {
        if (moved & 1 << k) continue;
        rc = eval_level(e, k, t, y, p->shaken);
        most[EACH * k] = norm_max(e->problem->constraints, p->shaken);
    }
    if (!rc && plan->rider) rc = rider->evaluate(rider->context, t, y, rider->sum, rider->most);
    if (rc) return rc;
    memcpy(most + EACH * levels, rider->most, (size_t)rider->maxima * sizeof *most);
    ranks_reduce(e->reducer, rider->sums, rider->sum, EACH * levels + rider->maxima, most);
    memcpy(rider->most, most + EACH * levels, (size_t)rider->maxima * sizeof *most);
    for (int k = 0; k < levels; k++) p->left[k] = k < measured || (moved & 1 << k) ? most[EACH * k] : -1;
    for (int k = 0; k < count; k++) {
        const double *part = most + EACH * moves[k].level;
        moves[k].now = part[0], moves[k].before = part[1], moves[k].size = part[2];
    }
    return eval_outcome(e);
}

/* The verdict on a pass: a level is met where those before it are.  With the matrix of an earlier point
 * a level must become less by a hundred. */
static verdict judge_pass(projection *p, level_move *moves, int count)
{
    int met = 1;
    double contraction = 0;
    for (int k = 0; k < count; k++) {
        level_move *v = &moves[k];
        if (v->met) continue;
        if (v->last == INFINITY) p->expected[v->level] = v->size;
        verdict found = judge(v);
        if (found == LEVEL_DIVERGES) return LEVEL_DIVERGES;
        int done = found == LEVEL_MET || next_size(v) <= v->negligible;
        met = v->met = met && done;
        if (!done && v->size > v->enough) contraction = fmax(contraction, v->now / v->before);
    }
    return met ? LEVEL_MET : p->stale && contraction > fresh ? LEVEL_DIVERGES : LEVEL_AGAIN;
}

projection_result levels_meet(projection *p, evaluator *e, const projection_plan *plan, double t, double *y,
                              level_move *moves, int count)
{
    verdict found = LEVEL_MET;
    for (int k = 0; k < count; k++) moves[k].last = INFINITY, moves[k].before = 0, moves[k].known = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        int alone = 1;                           /* no other level moves y on or needs p->value */
        for (int k = 0, rc; k < count && found != LEVEL_DIVERGES; k++) {
            if (moves[k].met) continue;
            moves[k].known &= alone;
            rc = correct(p, e, t, y, &moves[k], &found);
            if (rc) return projection_code(rc);
            moves[k].met = found == LEVEL_MET;
            moves[k].known = k == count - 1;
            alone = 0;
        }
        if (e->reducer) {
            int rc = levels_agree(p, e, plan, t, y, moves, count);
            if (rc) return projection_code(rc);
            found = judge_pass(p, moves, count);
        }
        if (found != LEVEL_AGAIN) break;
    }
    return found == LEVEL_MET ? PROJECTION_DONE : PROJECTION_DIVERGES;
}
