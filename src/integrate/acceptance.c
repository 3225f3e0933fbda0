/* acceptance.c -- what a new point must be, and when steps get nowhere.
 *
 *   finite    in every unknown
 *   near      projection moved it by no more than `far` in the norm of the error test: what it
 *             corrects is a part of the local error, which has just passed that test.  The stages
 *             of an implicit tableau of stage order q leave constraints by O(h^q), one order less
 *             than the estimate tol ~ h^(q+1), which the projection makes good: `far` over
 *             h ~ tol^(1/(q+1)), at least tol^(1/3)
 *
 * Rows that the equations do not keep make that happen again and again, with steps of any size: then
 * the run ends and names them.  Progress is time: a thousand attempts that advance it by less than a
 * hundred units in its last place each, on the average, are a collapse.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/norm.h"
#include "core/number.h"
#include "integrate/integrator.h"

enum { ATTEMPTS_MOST = 1000,
       FAR_WEIGHS = 5, FAR_MOST = 100 };         /* twenty, if more than every sixth attempt ends so */

static const double
    far = 10,                    /* measured: at most 6 over the bundled problems          */
    ulps = 100,                  /* average step that counts as progress                   */
    origin = 1e-6;               /* part of the way so far that counts as |t| near t = 0   */

/* ---- a new point ---------------------------------------------------------------------------- */

void acceptance_begin(keel_solver *s, const double *y)
{
    memcpy(s->unprojected, y, (size_t)s->n * sizeof *y);
}

/* Differential unknowns; all where the form does not tell them apart. */
static int moved_unknowns(const keel_solver *s) { return s->n - s->problem->constraints; }

/* (y - unprojected) over its tolerance in the error test, where unknowns of index 2 and 3 count
 * times h and h^2. */
static double move_of(const keel_solver *s, double h, const double *y, const double *weight, int i)
{
    double moved = fabs(y[i] - s->unprojected[i]);
    moved *= weight ? weight[i] : norm_weight(s->atol[i] + s->rtol[i] * fabs(y[i]));
    for (int k = 1; k < s->eval.variable_index[i]; k++) moved *= fmin(1, fabs(h));
    return moved;
}

/* The sum of their squares; report.variable becomes the one that moved most. */
static double squares_of_move(keel_solver *s, double h, const double *y, const double *weight)
{
    int n = moved_unknowns(s);
    double sum = 0, most = 0;
    for (int i = 0; i < n; i++) {
        double moved = move_of(s, h, y, weight, i);
        sum += moved * moved;
        if (moved > most) most = moved, s->report.variable = i;
    }
    return sum;
}

/* Without factors of h; where that is small, and it nearly always is, the move is by any account. */
static double squares_at_most(const keel_solver *s, const double *y, const double *weight)
{
    int n = moved_unknowns(s);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double moved = (y[i] - s->unprojected[i]) * weight[i];
        sum += moved * moved;
    }
    return sum;
}

/* Stages that see an index beyond 1 leave constraints by more than the local error. */
static double allowed_move(const keel_solver *s)
{
    int index = s->problem->ops == &levelled_form ? s->eval.lag + 1 : s->problem->index;
    if (index < 2 || !s->method || !kind_is_implicit(s->method->kind)) return far;
    return s->method->stage_order < 2 ? far / sqrt(s->least_tolerance) : far / cbrt(s->least_tolerance);
}

static int move_counts(const keel_solver *s)
{
    int projected = s->options.projection != KEEL_PROJECT_NONE && has_manifold(s->problem);
    return projected && s->options.step == 0;
}

/* Finite and near, as can be told without further ado? */
static int is_near(const keel_solver *s, const double *y, const double *weight)
{
    int counts = move_counts(s);
    if (s->eval.reducer || (counts && !weight) || !all_finite(s->n, y)) return 0;
    return !counts || squares_at_most(s, y, weight) <= far * far * moved_unknowns(s);
}

attempt_result acceptance_check(keel_solver *s, double h, const double *y, const double *weight)
{
    double sum[2], most;
    int variable = s->report.variable, rc = 0;
    s->report.factor = 0.5;
    if (is_near(s, y, weight)) return ATTEMPT_DONE;
    acceptance_parts(s, h, y, weight, sum, &most);
    if (s->eval.reducer) {                       /* one message, which tells of failures there, too */
        ranks_reduce(s->eval.reducer, 2, sum, 1, &most);
        rc = eval_outcome(&s->eval);
    }
    attempt_result result = rc ? evaluation_result(s, rc) : acceptance_judge(s, sum, most);
    if (result == ATTEMPT_DONE) s->report.variable = variable;
    return result;
}

void acceptance_parts(keel_solver *s, double h, const double *y, const double *weight, double *sum,
                      double *most)
{
    *most = !all_finite(s->n, y);
    sum[0] = sum[1] = 0;
    s->report.variable = *most > 0 ? first_not_finite(s->n, y) : -1;
    s->report.share = INFINITY;
    if (*most > 0) return;
    sum[0] = move_counts(s) ? squares_of_move(s, h, y, weight) : 0;
    sum[1] = moved_unknowns(s);
    if (s->eval.reducer && s->report.variable >= 0)
        s->report.share = move_of(s, h, y, weight, s->report.variable);
}

attempt_result acceptance_judge(keel_solver *s, const double *sum, double most)
{
    s->report.factor = 0.5;
    if (!(most == 0)) return ATTEMPT_NOT_FINITE;
    s->report.moved = sqrt(sum[0] / sum[1]);
    return s->report.moved > far && !(s->report.moved <= allowed_move(s)) ? ATTEMPT_FAR : ATTEMPT_DONE;
}

/* The row that the point before projection violates most; "" where a formulation hides it. */
static void violated_row(keel_solver *s, double t, char *text, size_t size)
{
    const keel_problem *p = s->problem;
    int last = p->levels - 1, level = -1, row = -1;
    double most = 0;
    text[0] = 0;
    for (int k = 0; k < keel_problem_levels(p) && !p->original; k++) {
        if (k == last || eval_level(&s->eval, k, t, s->unprojected, s->violation)) continue;
        for (int i = 0; i < level_rows(p, k); i++)
            if (fabs(s->violation[i]) > most)
                most = fabs(s->violation[level = k, row = i]);
    }
    if (level >= 0)
        number_print(text, size, " from level %d, where %s was %.3g", level,
                 keel_row_name(p, level, row), most);
}

/* ---- progress ------------------------------------------------------------------------------- */

void headway_begin(keel_solver *s)
{
    headway *p = &s->headway;
    *p = (headway){.t = {s->t, s->t}, .first = s->t, .y = {p->y[0], p->y[1]},
                   .start = p->start};
    double *copies[] = {p->y[0], p->y[1], p->start};
    for (int k = 0; k < 3; k++) memcpy(copies[k], s->y, (size_t)s->n * sizeof *s->y);
}

double headway_size(const keel_solver *s)
{
    return fmax(fabs(s->t), origin * fabs(s->t - s->headway.first));
}

int headway_is_lost(keel_solver *s, attempt_result result, int accepted)
{
    headway *p = &s->headway;
    p->far = result == ATTEMPT_FAR ? p->far + FAR_WEIGHS : p->far - (p->far > 0);
    if (fabs(s->t - p->t[0]) > ATTEMPTS_MOST * ulps * DBL_EPSILON * headway_size(s)) {
        double *oldest = p->y[1];
        p->t[1] = p->t[0];
        p->y[1] = p->y[0];
        p->t[0] = s->t;
        p->y[0] = memcpy(oldest, s->y, (size_t)s->n * sizeof *s->y);
        p->attempts = p->by_error = p->by_newton = p->by_evaluation = 0;
        return 0;
    }
    if (accepted && s->has_stop && s->t == s->t_stop) p->attempts = 0;   /* as it was asked for */
    p->attempts++;
    if (!accepted && result == ATTEMPT_DONE) p->by_error++;
    else if (!accepted && result == ATTEMPT_CANNOT_EVALUATE) p->by_evaluation++;
    else if (!accepted) p->by_newton++;
    return p->attempts >= ATTEMPTS_MOST;
}

int headway_is_far(const keel_solver *s) { return s->headway.far >= FAR_MOST; }

void headway_text(const keel_solver *s, char *text, size_t size)
{
    const headway *p = &s->headway;
    number_print(text, size, "of the last %ld attempts, which advanced t by %.3g, %ld failed in the "
             "error test, %ld in Newton's method or projection, %ld in a callback", p->attempts,
             fabs(s->t - p->t[0]), p->by_error, p->by_newton, p->by_evaluation);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

void blamed_variable(keel_solver *s, char *text, size_t size)
{
    int i = s->report.variable;
    if (s->eval.engine) ranks_variable(&s->eval, i, s->report.share, text, (int)size);
    else snprintf(text, size, "%s", i >= 0 && i < s->n ? keel_variable_name(s->problem, i) : "an unknown");
}

int far_verdict(keel_solver *s, double h)
{
    char row[160] = "", variable[80];
    const fault kept = s->eval.fault;
    blamed_variable(s, variable, sizeof variable);
    if (!s->eval.engine) violated_row(s, s->t + h, row, sizeof row);
    s->eval.fault = kept;
    return fail(&s->message, KEEL_STEP_TOO_SMALL, "t = %.10g: even with h = %.3g projection moves "
                "the new point by %.3g times what the error test allows, %s most%s. The constraints or "
                "their derivatives may not belong to these equations", s->t, h, s->report.moved,
                variable, row);
}
