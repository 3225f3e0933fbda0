/* formulation_hessenberg.c -- what reducing the index of semi-explicit and Hessenberg forms needs.
 *
 *   semi-explicit   hidden level  g(t,y,z)
 *   Hessenberg 2                  g' = G f(t,y,z) + g_t
 *   Hessenberg 3                  g'' = (g')_u f + (g')_t + G f_v k(t,u,v,l),   g' = G f + g_t
 *
 * The terms without l are found once for each (t,x); f_v k is a directional difference, exact for f
 * linear in v.  [Schropp 2003, (2.2)-(2.4)]
 */
#include "problem/formulation.h"

#include <string.h>

#include "problem/difference.h"

static void put_unknowns(formulation_state *s, const double *x, const double *l)
{
    memcpy(s->y, x, (size_t)s->nx * sizeof *s->y);
    memcpy(s->y + s->nx, l, (size_t)s->m * sizeof *s->y);
}

static int rate(formulation_state *s, double t, const double *x, const double *l, double *f)
{
    put_unknowns(s, x, l);
    return eval_rate(s->inner, t, s->y, f);
}

static int eliminate(formulation_state *s, double t, const double *x, double *f)
{
    int rc = solve_multipliers(s, t, x);
    return rc ? rc : rate(s, t, x, s->l, f);
}

/* value += G d */
static void add_product(const formulation_state *s, const double *d, double *value)
{
    int N = s->inner->problem->group[0];
    for (int k = 0; k < s->m; k++)
        for (int j = 0; j < N; j++) value[k] += s->G[k * N + j] * d[j];
}

static int level_jacobian(formulation_state *s, int level, double t, const double *x, double *J)
{
    int N = s->inner->problem->group[0], nx = s->nx;
    if (level > 0) return difference_level_jacobian(s, level, t, x, J);
    int rc = eval_constraint_jacobian(s->inner, t, x, s->G);
    memset(J, 0, (size_t)s->m * (size_t)nx * sizeof *J);
    for (int k = 0; k < s->m && !rc; k++)
        memcpy(J + k * nx, s->G + k * N, (size_t)N * sizeof *J);
    return rc;
}

static int level_time(formulation_state *s, int level, double t, const double *x, double *value)
{
    return level == 0 ? eval_constraint_time(s->inner, t, x, value)
                      : difference_level_time(s, level, t, x, value);
}

/* ---- semi-explicit ------------------------------------------------------------------------ */

static int nothing_to_prepare(formulation_state *s, double t, const double *x)
{
    (void)s, (void)t, (void)x;
    return 0;
}

static int constraint_itself(formulation_state *s, double t, const double *x, const double *l,
                             double *value)
{
    put_unknowns(s, x, l);
    return eval_level(s->inner, 0, t, s->y, value);
}

const reduction semi_explicit_reduction = {
    .rate = rate, .prepare = nothing_to_prepare, .hidden = constraint_itself,
    .eliminate = eliminate};

/* ---- Hessenberg 2 ------------------------------------------------------------------------- */

static int prepare2(formulation_state *s, double t, const double *x)
{
    int rc = eval_constraint_jacobian(s->inner, t, x, s->G);
    return rc ? rc : eval_constraint_time(s->inner, t, x, s->known);
}

static int hidden2(formulation_state *s, double t, const double *x, const double *l, double *value)
{
    int rc = rate(s, t, x, l, s->rate);
    memcpy(value, s->known, (size_t)s->m * sizeof *value);
    if (!rc) add_product(s, s->rate, value);
    return rc;
}

const reduction hessenberg2_reduction = {
    .rate = rate, .prepare = prepare2, .hidden = hidden2, .eliminate = eliminate,
    .level_jacobian = level_jacobian, .level_time = level_time};

/* ---- Hessenberg 3 ------------------------------------------------------------------------- */

/* Five-point differences along w that move no x_j by more than 2e-3 (1 + |x_j|). */
static stencil directional_stencil(int n, const double *x, const double *w)
{
    return central_stencil(1, 4, line_increment(1, 1e-3, n, x, NULL, w));
}

/* G, and in s->known (g')_u f + (g')_t */
static int prepare3(formulation_state *s, double t, const double *x)
{
    int N = s->inner->problem->group[0];
    size_t bytes = (size_t)s->nx * sizeof *s->along;
    int rc = difference_level_time(s, 1, t, x, s->known);
    memset(s->along, 0, bytes);
    memcpy(s->y, x, bytes);
    if (!rc) rc = eval_position_rate(s->inner, t, s->y, s->along);
    if (rc) return rc;
    stencil d = directional_stencil(N, x, s->along);
    rc = level_derivative(s, 1, t, x, &d, 0, s->along, s->trial);
    for (int k = 0; k < s->m; k++) s->known[k] += s->trial[k];
    return rc ? rc : eval_constraint_jacobian(s->inner, t, x, s->G);
}

/* f with another v, in s->y */
static int moved_rate(void *context, double t, const double *v, double *f)
{
    formulation_state *s = context;
    int N = s->inner->problem->group[0], M = s->inner->problem->group[1];
    memcpy(s->y + N, v, (size_t)M * sizeof *v);
    return eval_position_rate(s->inner, t, s->y, f);
}

/* s->moved := f_v k by differences of f along k, which is in s->rate + N */
static int transported(formulation_state *s, double t, const double *x)
{
    int N = s->inner->problem->group[0], M = s->inner->problem->group[1];
    difference d = {.value = moved_rate, .context = s, .rows = N, .size = M, .t = t, .x = x + N,
                    .moved = s->moved + N, .one = s->along};
    stencil line = directional_stencil(M, x + N, s->rate + N);
    return difference_along(&d, &line, 0, s->rate + N, s->moved);
}

static int hidden3(formulation_state *s, double t, const double *x, const double *l, double *value)
{
    int rc = rate(s, t, x, l, s->rate);
    if (!rc) rc = transported(s, t, x);
    memcpy(value, s->known, (size_t)s->m * sizeof *value);
    if (!rc) add_product(s, s->moved, value);
    return rc;
}

/* u' = f - g_u^T mu */
static int stabilise3(formulation_state *s, double t, const double *x, const double *mu, double *f)
{
    int N = s->inner->problem->group[0], rc = eval_constraint_jacobian(s->inner, t, x, s->G);
    for (int k = 0; k < s->m && !rc; k++)
        for (int j = 0; j < N; j++) f[j] -= s->G[k * N + j] * mu[k];
    return rc;
}

const reduction hessenberg3_reduction = {
    .rate = rate, .prepare = prepare3, .hidden = hidden3, .eliminate = eliminate,
    .level_jacobian = level_jacobian, .level_time = level_time, .stabilise = stabilise3};
