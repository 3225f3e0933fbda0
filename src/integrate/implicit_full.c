/* implicit_full.c -- Newton's method with the Jacobian of every stage, for constant steps.
 *
 *   sum_j (h^-1 (A^-1)_ij M_i - delta_ij J_i) dZ_j = r_i
 *
 * with M_i and J_i at stage i, one dense system of all stages.  It serves where the simplified
 * iteration fails and the step cannot shrink: large steps of studies.
 */
#include <math.h>

#include "integrate/implicit.h"

/* Unknowns of all stages up to which the matrix is kept. */
enum { FULL_MOST = 300 };

void full_newton_layout(arena *a, keel_solver *s, full_newton *f, int stages)
{
    int size = stages * s->n;
    f->present = s->options.step > 0 && size <= FULL_MOST && !s->eval.engine;
    if (!f->present) return;
    f->matrix = ARENA(a, double, size * size);
    f->pivot = ARENA(a, int, size);
    problem_matrix_layout(a, &f->J, s->problem);
    problem_matrix_layout(a, &f->M, s->problem);
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
    rc = eval_jacobian(&s->eval, &e->matrix.local.colors, t, e->stage, rate, &f->J);
    if (!rc && !e->matrix.local.diagonal)
        rc = eval_mass(&s->eval, &e->matrix.local.colors, t, e->stage, rate, &f->M);
    for (int row = 0; row < n && !rc; row++)
        for (int column = 0; column < n; column++) {
            double M = !e->matrix.local.diagonal ? matrix_get(&f->M, row, column)
                     : row == column ? e->matrix.local.mass_diagonal[row] : 0;
            double *at = f->matrix + (i * n + row) * size + column;
            for (int j = 0; j < rk->s; j++) at[j * n] = rk->A_inv[i * rk->s + j] / h * M;
            at[i * n] -= matrix_get(&f->J, row, column);
        }
    return rc;
}

static int improve(void *context, double *update)
{
    stage_system *q = context;
    keel_solver *s = q->s;
    implicit_state *e = s->state;
    full_newton *f = &e->full;
    int size = e->stages * e->n, rc = implicit_residuals(s, q->h);
    for (int i = 0; i < e->stages && !rc; i++) rc = fill_rows(s, q->h, i);
    if (rc) return rc;
    s->stats.factorizations++;
    *update = INFINITY;                          /* singular: the iteration has gone astray */
    if (dense_factor(size, f->matrix, f->pivot)) return 0;
    dense_solve(size, f->matrix, f->pivot, e->R);
    *update = stages_add(NULL, e->stages, e->n, e->R, e->scaled, e->Z);
    return 0;
}

attempt_result full_newton_stages(keel_solver *s, double h)
{
    implicit_state *e = s->state;
    implicit_predict(s, h);
    return implicit_solve(s, &e->newton, e->stages, improve, &(stage_system){s, h});
}
