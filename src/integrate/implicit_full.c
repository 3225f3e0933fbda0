/* implicit_full.c -- Newton's method with the Jacobian of every stage, for constant steps.
 *
 *   sum_j (h^-1 (A^-1)_ij M_i - delta_ij J_i) dZ_j = r_i
 *
 * with M_i and J_i at stage i, one dense system of all stages.  It serves where the simplified
 * iteration fails and the step cannot shrink: large steps of studies.
 */
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/implicit.h"

/* Unknowns of all stages up to which the matrix is kept. */
enum { FULL_MOST = 300 };

void full_newton_layout(arena *a, keel_solver *s, full_newton *f, int stages)
{
    int size = stages * s->n, wanted = s->options.step > 0 && size <= FULL_MOST;
    f->matrix = ARENA(a, double, wanted ? size * size : 0);
    f->pivot = ARENA(a, int, wanted ? size : 0);
    f->present = wanted;
    if (wanted) {
        problem_matrix_layout(a, &f->J, s->problem);
        problem_matrix_layout(a, &f->M, s->problem);
    }
}

/* The rows of stage i. */
static int fill_rows(keel_solver *s, double h, int i)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    full_newton *f = &e->full;
    int n = e->n, size = rk->s * n, rc;
    double t = s->t + rk->c[i] * h, *rate = e->X + i * n;
    for (int k = 0; k < n; k++) e->stage[k] = s->y[k] + e->Z[i * n + k];
    rc = eval_jacobian(&s->eval, &e->matrix.colors, t, e->stage, rate, &f->J);
    if (!rc && !e->matrix.diagonal)
        rc = eval_mass(&s->eval, &e->matrix.colors, t, e->stage, rate, &f->M);
    for (int row = 0; row < n && !rc; row++)
        for (int column = 0; column < n; column++) {
            double M = !e->matrix.diagonal ? matrix_get(&f->M, row, column)
                     : row == column ? e->matrix.mass_diagonal[row] : 0;
            double *at = f->matrix + (i * n + row) * size + column;
            for (int j = 0; j < rk->s; j++) at[j * n] = rk->A_inv[i * rk->s + j] / h * M;
            at[i * n] -= matrix_get(&f->J, row, column);
        }
    return rc;
}

attempt_result full_newton_stages(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    const stage_method *rk = implicit_method(s);
    full_newton *f = &e->full;
    int size = rk->s * e->n;
    attempt_result result = ATTEMPT_DONE;
    implicit_predict(s, h);
    newton_begin(&e->newton, newton_limit(s, rk->s), 1);
    for (int done = 0; !done && result == ATTEMPT_DONE;) {
        int rc = implicit_residuals(s, h);
        for (int i = 0; i < rk->s && !rc; i++) rc = fill_rows(s, h, i);
        if (rc) return evaluation_result(s, rc);
        rc = dense_factor(size, f->matrix, f->pivot);
        s->stats.factorizations++;
        s->stats.newton++;
        s->report.variable = rc ? (rc - 1) % e->n : -1;
        if (rc) return ATTEMPT_NOT_CONVERGED;        /* the iteration has gone astray */
        dense_solve(size, f->matrix, f->pivot, e->R);
        double sum = 0;
        for (int i = 0; i < rk->s; i++) sum += norm_sum(e->n, e->R + i * e->n, e->scaled);
        for (int k = 0; k < size; k++) e->Z[k] += e->R[k];
        result = implicit_judge(s, &e->newton, e->R, sqrt(sum / size), &done);
    }
    return result;
}
