/* consistent.c -- which levels a form has, and the checks of its index. */
#include "integrate/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/stencil.h"

/* ---- workspace ---------------------------------------------------------------------------- */

/* Dense decompositions of an n x n matrix are affordable up to here. */
enum { DENSE_MOST = 400 };

/* Large systems of a form that may be sparse. */
static int is_large(const keel_problem *p)
{
    int sparse_form = p->levels == 1 || (p->ops->mass && !form_has(p, FORM_ACCELERATIONS));
    return sparse_form && p->n > DENSE_MOST;
}

static void layout(arena *a, consistent_work *w, const keel_problem *p)
{
    int n = p->n, quasi = p->ops->mass && !form_has(p, FORM_ACCELERATIONS);
    int k = is_large(p) ? 0 : quasi ? n : p->constraints;
    if (p->form != KEEL_FORM_MECHANICAL) problem_matrix_layout(a, &w->J, p);
    if (quasi) problem_matrix_layout(a, &w->M, p);
    coloring_layout(a, &w->colors, p);
    w->rows = ARENA(a, double, k * n);
    w->basis = ARENA(a, double, k * n);
    w->lower = ARENA(a, double, k * k + 2 * k);
    w->value = ARENA(a, double, n + k);
    w->step = ARENA(a, double, n + k);
    w->trial = ARENA(a, double, n + k);
    w->given = ARENA(a, double, n);
    w->order = ARENA(a, int, k + n);
    w->svd = ARENA(a, double, quasi && k > 0 ? 3 * n * n + 2 * n : 0);
}

/* ---- levels of the forms ------------------------------------------------------------------ */

static int level_zero(keel_solver *s, consistent_work *w, double *value)
{
    (void)w;
    return eval_level(&s->eval, 0, s->t, s->y, value);
}

static int level_one(keel_solver *s, consistent_work *w, double *value)
{
    (void)w;
    return eval_level(&s->eval, 1, s->t, s->y, value);
}

static int level_two(keel_solver *s, consistent_work *w, double *value)
{
    (void)w;
    return eval_level(&s->eval, 2, s->t, s->y, value);
}

static int full_jacobian(keel_solver *s, consistent_work *w)
{
    return eval_jacobian(&s->eval, &w->colors, s->t, s->y, s->yp,
                         &w->J);
}

/* [g_y g_z] of the semi-explicit form */
static int semi_explicit_jacobian(keel_solver *s, consistent_work *w, double *B)
{
    int n = s->n, m = s->problem->constraints, rc = full_jacobian(s, w);
    for (int i = 0; i < m && !rc; i++)
        for (int j = 0; j < n; j++) B[i * n + j] = matrix_get(&w->J, n - m + i, j);
    return rc;
}

static int position_jacobian(keel_solver *s, consistent_work *w, double *B)
{
    (void)w;
    return eval_constraint_jacobian(&s->eval, s->t, s->y, B);
}

/* G X with X the columns first.. of r_y in the rows of the first group: G f_z, G f_v. */
static int hessenberg_next_jacobian(keel_solver *s, consistent_work *w, double *B)
{
    int N = s->problem->group[0], M = s->problem->group[1], m = s->problem->constraints;
    double *G = s->eval.constraint_jacobian;
    int rc = full_jacobian(s, w);
    if (!rc) rc = eval_constraint_jacobian(&s->eval, s->t, s->y, G);
    for (int i = 0; i < m && !rc; i++)
        for (int j = 0; j < M; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += G[i * N + k] * matrix_get(&w->J, k, N + j);
            B[i * M + j] = sum;
        }
    return rc;
}

/* S = G f_v k_l of Hessenberg 3: the Jacobian of level 2 with respect to l. */
static int hessenberg3_multiplier_jacobian(keel_solver *s, consistent_work *w, double *B)
{
    int N = s->problem->group[0], M = s->problem->group[1], m = s->problem->constraints;
    double *left = w->basis;                     /* G f_v, m x M; basis is free here */
    int rc = hessenberg_next_jacobian(s, w, left);
    for (int i = 0; i < m && !rc; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < M; k++)
                sum += left[i * M + k] * matrix_get(&w->J, N + k, N + M + j);
            B[i * m + j] = sum;
        }
    return rc;
}

/* ---- forms -------------------------------------------------------------------------------- */

static int wrong_index(keel_solver *s, const char *matrix, const char *advice)
{
    return fail(&s->message, KEEL_WRONG_INDEX,
                "t = %.10g: the problem is declared %s (index %d), but %s is singular at the "
                "initial values. %s", s->t, keel_form_name(s->problem->form),
                keel_problem_index(s->problem), matrix, advice);
}

/* Rank of an m x m matrix in w->rows with every column active. */
static int full_rank(consistent_work *w, int m)
{
    unsigned char *mobile = (unsigned char *)(w->order + m);
    memset(mobile, 1, (size_t)m);
    return orthogonalize_rows(m, m, w->rows, mobile, w->basis, w->lower, w->order) == m;
}

static int semi_explicit_start(keel_solver *s, consistent_work *w)
{
    int n = s->n, m = s->problem->constraints;
    level_equations position = {.name = "constraint", .rows = m, .columns = n, .x = s->y,
                                .enough = 1e-10, .residual = level_zero, .jacobian = semi_explicit_jacobian};
    int rc = consistent_level(s, w, &position);
    if (rc == KEEL_REDUNDANT)
        return wrong_index(s, "[g_y g_z]", "Remove dependent constraints, or use another form");
    if (rc) return rc;
    rc = full_jacobian(s, w);
    if (rc) return consistent_fault(s, rc);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) w->rows[i * m + j] = matrix_get(&w->J, n - m + i, n - m + j);
    return full_rank(w, m) ? KEEL_OK
        : wrong_index(s, "g_z", "The index is higher: try the Hessenberg forms, or keel_quasilinear "
                                "with variable_index");
}

static int hessenberg_start(keel_solver *s, consistent_work *w)
{
    const keel_problem *p = s->problem;
    int N = p->group[0], M = p->group[1], m = p->constraints;
    int third = p->form == KEEL_FORM_HESSENBERG3;
    level_equations position = {.name = "position constraint", .rows = m, .columns = N, .x = s->y,
                                .enough = 1e-10, .residual = level_zero, .jacobian = position_jacobian};
    level_equations velocity = {.name = third ? "velocity constraint" : "hidden constraint",
                                .enough = 1e-9, .rows = m, .columns = M, .x = s->y + N, .first = N,
                                .residual = level_one, .jacobian = hessenberg_next_jacobian};
    level_equations acceleration = {.name = "acceleration constraint", .rows = m, .columns = m,
                                    .enough = 1e-6, .x = s->y + N + M, .first = N + M, .residual = level_two,
                                    .jacobian = hessenberg3_multiplier_jacobian};
    int rc = consistent_level(s, w, &position);
    if (!rc) rc = consistent_level(s, w, &velocity);
    if (rc == KEEL_REDUNDANT && s->message.text[0] && strstr(s->message.text, velocity.name))
        return wrong_index(s, third ? "g_u f_v" : "g_y f_z", "The index is higher than declared, "
                           "or an unknown does not act on the constraint");
    if (!rc && third) {
        rc = consistent_level(s, w, &acceleration);
        if (rc == KEEL_REDUNDANT)
            return wrong_index(s, "g_u f_v k_l", "The index is higher than declared, or a "
                               "multiplier does not act on the constraint");
    }
    return rc;
}

static int mechanical_start(keel_solver *s, consistent_work *w)
{
    int n = s->problem->group[0], m = s->problem->constraints;
    level_equations position = {.name = "position constraint", .rows = m, .columns = n, .x = s->y,
                                .enough = 1e-10, .residual = level_zero, .jacobian = position_jacobian};
    level_equations velocity = {.name = "velocity constraint", .rows = m, .columns = n,
                                .enough = 1e-9, .x = s->y + n, .first = n, .residual = level_one,
                                .jacobian = position_jacobian};
    int rc = consistent_level(s, w, &position);
    return rc ? rc : consistent_level(s, w, &velocity);
}

/* Multipliers and algebraic unknowns are free, the others guesses; an augmented problem keeps the
 * original's. */
static void standard_marks(keel_solver *s)
{
    const keel_problem *p = s->problem;
    for (int i = 0; i < s->n; i++)
        s->marks[i] = i < p->held ? KEEL_FIXED : i >= s->n - p->free ? KEEL_FREE : KEEL_GUESS;
}

typedef int consistent_part(keel_solver *s, consistent_work *w);

static int with_workspace(keel_solver *s, consistent_part *part)
{
    consistent_work w;
    arena a = {0};
    layout(&a, &w, s->problem);
    void *block = arena_block(a.used);
    if (!block) return fail(&s->message, KEEL_NO_MEMORY, "no memory for the initial values");
    a = (arena){.base = block};
    layout(&a, &w, s->problem);
    coloring_build(&w.colors, s->problem);
    int rc = part(s, &w);
    arena_block_free(block);
    return rc;
}

int consistent_start(keel_solver *s, const keel_mark *marks)
{
    const keel_problem *p = s->problem;
    if (marks) memcpy(s->marks, marks, (size_t)s->n * sizeof *s->marks);
    else standard_marks(s);
    int settled = settle_time_scale(&s->eval, s->t, s->y);
    if (settled) return consistent_fault(s, settled);
    if (p->form == KEEL_FORM_ODE || p->ops == &levelled_form) return KEEL_OK;
    return with_workspace(s, is_large(p) ? consistent_large
                           : p->form == KEEL_FORM_SEMI_EXPLICIT ? semi_explicit_start
                           : p->form == KEEL_FORM_MECHANICAL ? mechanical_start
                           : p->ops->mass ? consistent_implicit
                           : hessenberg_start);
}

int consistent_given(keel_solver *s, int derivative_given)
{
    int rc = KEEL_OK;
    if (!s->problem->ops->mass || form_has(s->problem, FORM_ACCELERATIONS)) return KEEL_OK;
    if (!derivative_given && !is_large(s->problem)) rc = with_workspace(s, consistent_derivative);
    return rc ? rc : with_workspace(s, consistent_remark);
}
