/* projection.c -- one level after the other, and again with directions at the new point.
 *
 *   a level    x := x^ + D mu, level(t, y) = 0, by simplified Newton with S = (level)_x D
 *   a round    D and S at the point of the last round; levels in their order; multipliers
 *
 * The direction of a round is off by the change of D over the correction of the round before: the
 * rounds converge like powers of the correction.  For stiffly accurate methods with s stages of
 * stage order s the first round is the last: y and u are corrected by Newton's error only, v by
 * O(h^(s+1)), which with l off by O(h^(s-1)) makes O(h^(2s)), no more than the local error.
 */
#include "step/projection.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

enum { PASSES = 40, ROUNDS = 20, REFRESHES = 8 };

/* A change of the directions matters if it is expected to move the point by more than this. */
static const double negligible = 1e-14;

/* ---- workspace ---------------------------------------------------------------------------- */

static const keel_problem *root_of(const keel_problem *problem)
{
    return problem->original ? root_of(problem->original) : problem;
}

/* Buffers of the problem whose constraints count; vectors for all its formulations on the way. */
void projection_layout(arena *a, projection *p, const keel_problem *problem)
{
    const keel_problem *root = root_of(problem);
    keel_form form = root->form;
    int m = root->constraints, widest = root->n;
    int index1 = form == KEEL_FORM_SEMI_EXPLICIT, levels = form != KEEL_FORM_ODE && !index1;
    size_t N = index1 ? 0 : (size_t)root->group[0], M = levels ? (size_t)root->group[1] : 0;
    size_t rows = index1 && m > INDEX1_MOST ? 0 : (size_t)m;
    for (; problem != root; problem = problem->original)
        if (problem->n > widest) widest = problem->n;
    p->G = ARENA(a, double, rows * N);
    p->B = ARENA(a, double, rows * M);
    p->D[0] = ARENA(a, double, levels ? N * rows : 0);
    p->D[1] = ARENA(a, double, M * rows);
    for (int k = 0; k < 3; k++) {
        int needed = levels || (index1 && k == 0);
        p->S[k] = ARENA(a, double, needed ? rows * rows : 0);
        p->pivot[k] = ARENA(a, int, needed ? rows : 0);
    }
    for (int k = 0; k < 2; k++) p->mu[k] = ARENA(a, double, m);
    double **vectors[] = {&p->before, &p->last, &p->value, &p->step, &p->weight};
    for (int k = 0; k < 5; k++) *vectors[k] = ARENA(a, double, widest + m);
    if (form == KEEL_FORM_ODE && m > 0) invariants_layout(a, &p->fit, m, root->n);
}

projection_result projection_code(int rc)
{
    return rc == 0 ? PROJECTION_DONE : rc > 0 ? PROJECTION_CANNOT_EVALUATE : PROJECTION_STOP;
}

/* ---- a level ------------------------------------------------------------------------------ */

/* Unknowns first, first + 1, ... that a level moves. */
typedef struct level_move {
    int level, first, count;
    const double *D;             /* [count m], NULL: the identity                          */
    const double *S;             /* factored                                               */
    const int *pivot;
    double *mu;                  /* sum of the coefficients, NULL: not wanted              */
    double shrink;               /* corrections that shrink by less will not do            */
    double enough;               /* relative size of a correction that may remain when     */
                                 /* corrections stop shrinking (difference noise)          */
} level_move;

/* step = D mu, or mu itself where D is NULL */
static void direction_step(const level_move *move, int m, const double *mu, double *step)
{
    for (int i = 0; i < move->count; i++) {
        double sum = move->D ? 0 : mu[i];
        for (int k = 0; move->D && k < m; k++) sum += move->D[i * m + k] * mu[k];
        step[i] = sum;
    }
}

/* x := x - D S^-1 level(t, y), to rounding; x is a part of y. */
static projection_result correct(projection *p, evaluator *e, double t, double *y,
                                 const level_move *move)
{
    int m = e->problem->constraints, n = move->count;
    double last = INFINITY, *x = y + move->first;
    for (int pass = 0; pass < PASSES; pass++) {
        int rc = eval_level(e, move->level, t, y, p->value);
        if (rc) return projection_code(rc);
        for (int k = 0; k < m; k++) p->value[k] = -p->value[k];
        dense_solve(m, move->S, move->pivot, p->value);
        direction_step(move, m, p->value, p->step);
        double size = norm_relative(n, p->step, x);
        if (size <= 2 * DBL_EPSILON) return PROJECTION_DONE;
        if (!(size < move->shrink * last))
            return size <= move->enough ? PROJECTION_DONE : PROJECTION_DIVERGES;
        last = size;
        for (int i = 0; i < n; i++) x[i] += p->step[i];
        for (int k = 0; move->mu && k < m; k++) move->mu[k] += p->value[k];
    }
    return last <= move->enough ? PROJECTION_DONE : PROJECTION_DIVERGES;
}

static projection_result factor(projection *p, int which, int m, int *row)
{
    int rc = dense_factor(m, p->S[which], p->pivot[which]);
    if (rc) *row = rc - 1;
    return rc ? PROJECTION_SINGULAR : PROJECTION_DONE;
}

/* ---- index 1 ------------------------------------------------------------------------------ */

/* S = g_z by central differences */
static int difference_matrix(projection *p, evaluator *e, double t, const double *y)
{
    int m = e->problem->constraints, N = e->problem->group[0], rc = 0;
    double *moved = p->before, *above = p->value, *below = p->step;
    memcpy(moved, y, (size_t)(N + m) * sizeof *moved);
    for (int k = 0; k < m && !rc; k++) {
        double z = y[N + k], delta = cbrt(DBL_EPSILON) * (1 + fabs(z));
        double right = z + delta, left = z - delta;
        moved[N + k] = right;
        rc = eval_level(e, 0, t, moved, above);
        moved[N + k] = left;
        if (!rc) rc = eval_level(e, 0, t, moved, below);
        for (int i = 0; i < m; i++) p->S[0][i * m + k] = (above[i] - below[i]) / (right - left);
        moved[N + k] = z;
    }
    return rc;
}

/* z from g(t,y,z) = 0 */
static projection_result move_algebraic(projection *p, evaluator *e, const keel_matrix *J, double t,
                                        double *y, int *row)
{
    int m = e->problem->constraints, N = e->problem->group[0];
    if (m > INDEX1_MOST) return PROJECTION_DONE;
    int rc = J ? 0 : difference_matrix(p, e, t, y);
    if (rc) return projection_code(rc);
    for (int i = 0; i < m && J; i++)
        for (int k = 0; k < m; k++) p->S[0][i * m + k] = matrix_get(J, N + i, N + k);
    projection_result result = factor(p, 0, m, row);
    level_move move = {.first = N, .count = m, .S = p->S[0], .pivot = p->pivot[0],
                       .shrink = 0.7, .enough = INFINITY};
    return result ? result : correct(p, e, t, y, &move);
}

/* ---- index 2 and 3 ------------------------------------------------------------------------ */

/* The mass of a mechanical system makes orthogonal what oblique is anyway: D = M^-1 G^T. */
static int is_orthogonal(const keel_problem *problem, const projection_plan *plan)
{
    return plan->kind == KEEL_PROJECT_ORTHOGONAL &&
           !(problem->form == KEEL_FORM_MECHANICAL && plan->metric == KEEL_METRIC_MASS);
}

/* The moves of a round, in their order; returns how many. */
static int list_moves(projection *p, const keel_problem *problem, const projection_plan *plan,
                      level_move moves[3])
{
    int N = problem->group[0], M = problem->group[1], m = problem->constraints, count = 0;
    int index3 = problem->form != KEEL_FORM_HESSENBERG2, own = is_orthogonal(problem, plan);
    int none = plan->kind == KEEL_PROJECT_NONE;
    if (!none && plan->kind != KEEL_PROJECT_VELOCITY)
        moves[count++] = (level_move){.level = 0, .first = 0, .count = N, .D = p->D[0],
                                      .S = p->S[0], .pivot = p->pivot[0], .mu = p->mu[0],
                                      .shrink = 0.7, .enough = 1e-11};
    if (!none && index3 && plan->kind != KEEL_PROJECT_POSITION)
        moves[count++] = (level_move){.level = 1, .first = N, .count = M, .D = p->D[1],
                                      .S = p->S[own ? 1 : 0], .pivot = p->pivot[own ? 1 : 0],
                                      .mu = p->mu[1], .shrink = 0.7, .enough = 1e-11};
    if (plan->multipliers)
        moves[count++] = (level_move){.level = index3 ? 2 : 1, .first = problem->n - m, .count = m,
                                      .S = p->S[own ? 2 : 0], .pivot = p->pivot[own ? 2 : 0],
                                      .shrink = 0.5, .enough = index3 ? 1e-6 : 1e-9};
    return count;
}

/* S = A D, A [m n] and D [n m] */
static void multiply(int m, int n, const double *A, const double *D, double *S)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += A[i * n + j] * D[j * m + k];
            S[i * m + k] = sum;
        }
}

/* D = W^-1 A^T, and S = A D factored; unknowns are counted from `first` in W. */
static projection_result gradient_directions(projection *p, const projection_plan *plan, int which,
                                             int m, int n, int first, const double *A, int *row)
{
    for (int j = 0; j < n; j++) {
        double w = plan->metric == KEEL_METRIC_TOLERANCE ? plan->weight[first + j] : 1;
        for (int k = 0; k < m; k++) p->D[which][j * m + k] = A[k * n + j] / (w * w);
    }
    multiply(m, n, A, p->D[which], p->S[which]);
    return factor(p, which, m, row);
}

/* Directions and factored matrices at (t,y). */
static projection_result prepare(projection *p, evaluator *e, const projection_plan *plan, double t,
                                 const double *y, int *row)
{
    const keel_problem *problem = e->problem;
    int m = problem->constraints, N = problem->group[0], M = problem->group[1];
    int own = is_orthogonal(problem, plan);
    projection_result result = projection_code(eval_constraint_jacobian(e, t, y, p->G));
    if (result) return result;
    if (!own || plan->multipliers) {
        result = projection_code(eval_directions(e, t, y, p->D[0], p->D[1]));
        if (result) return result;
        multiply(m, N, p->G, p->D[0], p->S[own ? 2 : 0]);
        result = factor(p, own ? 2 : 0, m, row);
    }
    if (result || !own) return result;
    result = gradient_directions(p, plan, 0, m, N, 0, p->G, row);
    if (result || problem->form == KEEL_FORM_HESSENBERG2) return result;
    result = projection_code(eval_velocity_jacobian(e, t, y, p->G, p->B));
    return result ? result : gradient_directions(p, plan, 1, m, M, N, p->B, row);
}

/* Multipliers may be far off: new matrices at the new point, where the old ones will not do. */
static projection_result find_multipliers(projection *p, evaluator *e, const projection_plan *plan,
                                          double t, double *y, const level_move *move, int *row)
{
    projection_result result = correct(p, e, t, y, move);
    for (int k = 0; k < REFRESHES && result == PROJECTION_DIVERGES; k++) {
        result = prepare(p, e, plan, t, y, row);
        if (!result) result = correct(p, e, t, y, move);
    }
    return result;
}

/* Each level in turn, from x^ + D mu with the mu of the round before; then the multipliers. */
static projection_result move_once(projection *p, evaluator *e, const projection_plan *plan,
                                   double t, double *y, const level_move *moves, int count,
                                   int *row)
{
    int m = e->problem->constraints;
    projection_result result = PROJECTION_DONE;
    for (int k = 0; k < count && !result; k++) {
        const level_move *move = &moves[k];
        if (!move->D) return find_multipliers(p, e, plan, t, y, move, row);
        direction_step(move, m, move->mu, p->step);
        for (int i = 0; i < move->count; i++)
            y[move->first + i] = p->before[move->first + i] + p->step[i];
        result = correct(p, e, t, y, move);
    }
    return result;
}

/* Largest relative change of the first n unknowns since the last round. */
static double change_since(projection *p, int n, const double *y)
{
    for (int i = 0; i < n; i++) p->step[i] = y[i] - p->last[i];
    return norm_relative(n, p->step, y);
}

/* Directions at the point as given? */
static int only_once(const projection_plan *plan)
{
    return plan->kind == KEEL_PROJECT_EXPLICIT ||
           (plan->stiffly_accurate && plan->kind != KEEL_PROJECT_ORTHOGONAL);
}

static projection_result move_levels(projection *p, evaluator *e, const projection_plan *plan,
                                     double t, double *y, int *row)
{
    int n = e->problem->n, m = e->problem->constraints;
    double whole = 0, change = 0, before = 0;
    level_move moves[3];
    int count = list_moves(p, e->problem, plan, moves);
    memcpy(p->before, y, (size_t)n * sizeof *y);
    for (int k = 0; k < 2; k++) memset(p->mu[k], 0, (size_t)m * sizeof *p->mu[k]);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(p->last, y, (size_t)n * sizeof *y);
        projection_result result = prepare(p, e, plan, t, y, row);
        if (!result) result = move_once(p, e, plan, t, y, moves, count, row);
        if (result || only_once(plan)) return result;
        change = change_since(p, n - m, y);
        if (round == 0) whole = change_since(p, n, y);
        double rate = round == 0 ? whole : change / before;
        if (change <= 4 * DBL_EPSILON || change * rate <= negligible) return PROJECTION_DONE;
        if (round > 0 && !(rate < 0.7)) break;
        before = change;
    }
    /* one-sided differences leave 1e-8 of the correction, which is at most `whole`, uncertain */
    return change <= 1e-11 + 1e-7 * fmin(1, whole) ? PROJECTION_DONE : PROJECTION_DIVERGES;
}

/* ---- formulations ------------------------------------------------------------------------- */

/* e->original_y from y; multipliers that the formulation has not as last found.  Has it all? */
static int to_original(evaluator *e, const double *y)
{
    int n = e->problem->original->n, first = n - e->problem->original->constraints, complete = 1;
    keel_formulation_to(e->problem, y, e->original_y);
    for (int i = 0; i < n; i++) {
        if (!isnan(e->original_y[i])) continue;
        e->original_y[i] = i >= first ? e->found[i - first] : 0;
        complete = 0;
    }
    return complete;
}

/* y from e->original_y; unknowns that the original has not stay: those that are no NaN here. */
static void from_original(projection *p, const evaluator *e, double *y)
{
    for (int i = 0; i < e->problem->original->n; i++) p->last[i] = NAN;
    keel_formulation_from(e->problem, p->last, p->value);
    keel_formulation_from(e->problem, e->original_y, p->step);
    for (int i = 0; i < e->problem->n; i++)
        if (isnan(p->value[i])) y[i] = p->step[i];
}

/* Tolerances travel on the way of the values. */
static const double *original_weight(projection *p, const evaluator *e, const double *weight)
{
    memcpy(p->value, weight, (size_t)e->problem->n * sizeof *weight);
    keel_formulation_to(e->problem, p->value, p->weight);
    for (int i = 0; i < e->problem->original->n; i++)
        if (isnan(p->weight[i])) p->weight[i] = 1;
    return p->weight;
}

static projection_result move_original(projection *p, evaluator *e, const projection_plan *plan,
                                       double t, double *y, int *row)
{
    const keel_problem *original = e->problem->original;
    evaluator *inner = eval_original(e);
    int m = original->constraints, complete = to_original(e, y);
    if (!complete && original->form == KEEL_FORM_SEMI_EXPLICIT) return PROJECTION_DONE;
    projection_plan inner_plan = *plan;
    if (plan->metric == KEEL_METRIC_TOLERANCE)
        inner_plan.weight = original_weight(p, e, plan->weight);
    projection_result result = projection_move(p, inner, &inner_plan, NULL, t, e->original_y, row);
    if (result) e->fault = inner->fault;
    if (result) return result;
    if (!complete) memcpy(e->found, e->original_y + original->n - m, (size_t)m * sizeof *e->found);
    from_original(p, e, y);
    return PROJECTION_DONE;
}

/* ---- any form ----------------------------------------------------------------------------- */

projection_result projection_move(projection *p, evaluator *e, const projection_plan *plan,
                                  const keel_matrix *J, double t, double *y, int *row)
{
    if (e->problem->original) return move_original(p, e, plan, t, y, row);
    switch (e->problem->constraints ? e->problem->form : KEEL_FORM_IMPLICIT) {
    case KEEL_FORM_ODE:
        if (plan->kind == KEEL_PROJECT_NONE) return PROJECTION_DONE;
        return invariants_move(p, e, plan, t, y);
    case KEEL_FORM_SEMI_EXPLICIT: return move_algebraic(p, e, J, t, y, row);
    case KEEL_FORM_HESSENBERG2:
    case KEEL_FORM_HESSENBERG3:
    case KEEL_FORM_MECHANICAL: return move_levels(p, e, plan, t, y, row);
    default: return PROJECTION_DONE;
    }
}

/* With `complete` = 0 the last level contains multipliers that are not known, or is not wanted. */
static projection_result find_residuals(projection *p, evaluator *e, double t, const double *y,
                                        int complete, double residual[3])
{
    if (e->problem->original) {
        evaluator *inner = eval_original(e);
        complete &= to_original(e, y);
        projection_result result = find_residuals(p, inner, t, e->original_y, complete, residual);
        if (result) e->fault = inner->fault;
        return result;
    }
    for (int level = 0; level < e->problem->levels - !complete; level++) {
        int rc = eval_level(e, level, t, y, p->value);
        if (rc) return projection_code(rc);
        residual[level] = norm_max(e->problem->constraints, p->value);
    }
    return PROJECTION_DONE;
}

projection_result projection_residuals(projection *p, evaluator *e, double t, const double *y,
                                       double residual[3])
{
    for (int level = 0; level < 3; level++) residual[level] = -1;
    return find_residuals(p, e, t, y, 1, residual);
}

projection_result projection_kept_residuals(projection *p, evaluator *e, double t, const double *y,
                                            double residual[3])
{
    const keel_problem *innermost = e->problem;
    while (innermost->original) innermost = innermost->original;
    for (int level = 0; level < 3; level++) residual[level] = -1;
    return find_residuals(p, e, t, y, innermost->levels < 2, residual);
}
