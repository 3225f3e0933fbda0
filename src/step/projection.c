#include "step/projection.h"

#include <float.h>
#include <math.h>

#include "core/norm.h"

enum { PASSES = 12 };

void projection_layout(arena *a, projection *p, const keel_problem *problem)
{
    int m = problem->constraints, index1 = problem->levels == 1;
    size_t N = index1 ? 0 : (size_t)problem->group[0], M = index1 ? 0 : (size_t)problem->group[1];
    size_t rows = index1 && m > INDEX1_MOST ? 0 : (size_t)m;
    p->G = ARENA(a, double, rows * N);
    p->D0 = ARENA(a, double, N * rows);
    p->D1 = ARENA(a, double, M * rows);
    p->S = ARENA(a, double, rows * rows);
    p->pivot = ARENA(a, int, m);
    p->value = ARENA(a, double, problem->n);
    p->step = ARENA(a, double, problem->n);
}

static projection_result from_evaluation(int rc)
{
    return rc == 0 ? PROJECTION_DONE : rc > 0 ? PROJECTION_CANNOT_EVALUATE : PROJECTION_STOP;
}

static projection_result prepare(projection *p, evaluator *e, const keel_matrix *J, double t,
                                 const double *y, int *row)
{
    const keel_problem *problem = e->problem;
    int m = problem->constraints, N = problem->group[0], rc;
    if (problem->form == KEEL_FORM_SEMI_EXPLICIT) {              /* S = g_z */
        for (int i = 0; i < m; i++)
            for (int k = 0; k < m; k++) p->S[i * m + k] = matrix_get(J, N + i, N + k);
        rc = dense_factor(m, p->S, p->pivot);
        if (rc) *row = rc - 1;
        return rc ? PROJECTION_SINGULAR : PROJECTION_DONE;
    }
    rc = eval_constraint_jacobian(e, t, y, p->G);
    if (rc) return from_evaluation(rc);
    rc = eval_directions(e, J, t, y, p->D0, p->D1);
    if (rc) return from_evaluation(rc);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += p->G[i * N + j] * p->D0[j * m + k];
            p->S[i * m + k] = sum;
        }
    rc = dense_factor(m, p->S, p->pivot);
    if (rc) *row = rc - 1;
    return rc ? PROJECTION_SINGULAR : PROJECTION_DONE;
}

/* step = D mu, or mu itself where D is NULL */
static void direction_step(int n, int m, const double *D, const double *mu, double *step)
{
    for (int i = 0; i < n; i++) {
        double sum = D ? 0 : mu[i];
        for (int k = 0; D && k < m; k++) sum += D[i * m + k] * mu[k];
        step[i] = sum;
    }
}

/* x := x - D S^-1 level(t, y), to rounding; x is a part of y.  `enough`: relative size of a
 * correction that may remain when corrections stop shrinking (difference noise at level 2). */
static projection_result correct(projection *p, evaluator *e, double t, double *y, int level,
                                 double *x, int n, const double *D, double enough)
{
    int m = e->problem->constraints;
    double last = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        int rc = eval_level(e, level, t, y, p->value);
        if (rc) return from_evaluation(rc);
        for (int k = 0; k < m; k++) p->value[k] = -p->value[k];
        dense_solve(m, p->S, p->pivot, p->value);
        direction_step(n, m, D, p->value, p->step);
        double size = norm_relative(n, p->step, x);
        if (size <= 2 * DBL_EPSILON) return PROJECTION_DONE;
        if (!(size < 0.7 * last)) return size <= enough ? PROJECTION_DONE : PROJECTION_DIVERGES;
        last = size;
        for (int i = 0; i < n; i++) x[i] += p->step[i];
    }
    return last <= enough ? PROJECTION_DONE : PROJECTION_DIVERGES;
}

static projection_result apply(projection *p, evaluator *e, double t, double *y, int multipliers)
{
    const keel_problem *problem = e->problem;
    int N = problem->group[0], M = problem->group[1], m = problem->constraints;
    if (problem->form == KEEL_FORM_SEMI_EXPLICIT)
        return correct(p, e, t, y, 0, y + N, m, NULL, INFINITY);
    projection_result result = correct(p, e, t, y, 0, y, N, p->D0, 1e-11);
    if (result) return result;
    if (problem->form == KEEL_FORM_HESSENBERG2)
        return multipliers ? correct(p, e, t, y, 1, y + N, m, NULL, 1e-9) : PROJECTION_DONE;
    result = correct(p, e, t, y, 1, y + N, M, p->D1, 1e-11);
    if (result || !multipliers) return result;
    return correct(p, e, t, y, 2, y + N + M, m, NULL, 1e-6);
}

projection_result projection_move(projection *p, evaluator *e, const projection_plan *plan,
                                  const keel_matrix *J, double t, double *y, int *row)
{
    projection_result result = prepare(p, e, J, t, y, row);
    return result ? result : apply(p, e, t, y, plan->multipliers);
}

projection_result projection_residuals(projection *p, evaluator *e, double t, const double *y,
                                       double residual[3])
{
    for (int level = 0; level < e->problem->levels; level++) {
        int rc = eval_level(e, level, t, y, p->value);
        if (rc) return from_evaluation(rc);
        residual[level] = norm_max(e->problem->constraints, p->value);
    }
    return PROJECTION_DONE;
}
