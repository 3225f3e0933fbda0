/* levels.c -- constraint levels of semi-explicit and Hessenberg forms (mechanical: mechanical.c).
 *
 *   level 0  g(t,y)
 *   level 1  w = g_y f + g_t                        along y' = f(t,y,z) or u' = f(t,u,v)
 *   level 2  d/de w(t + e, u + e f, v + e k)        = g_uu(f,f) + ... + g_u (f_u f + f_v k + f_t)
 *
 * Level 1 needs g, f and g_y only; level 2 is a directional difference (five points).
 * [Schropp 2003, (2.1)-(2.3) and assumption (A2); time derivatives added for g(t,u).]
 */
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/difference.h"

static int constraint(evaluator *e, double t, const double *y, double *g)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int code;
    e->stats->constraint++;
    if (p->form == KEEL_FORM_ODE)
        return eval_check(e, "invariant", t, s->ode.invariant(t, y, g, e->context),
                          p->constraints, g);
    if (p->form == KEEL_FORM_SEMI_EXPLICIT)
        code = s->semi_explicit.constraint(t, y, y + p->group[0], g, e->context);
    else if (p->form == KEEL_FORM_HESSENBERG2)
        code = s->hessenberg2.constraint(t, y, g, e->context);
    else
        code = s->hessenberg3.constraint(t, y, g, e->context);
    return eval_check(e, "constraint", t, code, p->constraints, g);
}

/* f(t,y,z) or f(t,u,v): the rate of the unknowns that g depends on. */
static int rate(evaluator *e, double t, const double *y, double *f)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int n = p->group[0];
    if (p->form == KEEL_FORM_HESSENBERG2) {
        e->stats->rhs++;
        return eval_check(e, "rhs", t, s->hessenberg2.rhs(t, y, y + n, f, e->context),
                          n, f);
    }
    e->stats->constraint++;
    return eval_check(e, "position_rate", t,
                      s->hessenberg3.position_rate(t, y, y + n, f, e->context), n, f);
}

int eval_rate(evaluator *e, double t, const double *y, double *f, double *k)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int N = p->group[0], M = p->group[1], rc;
    e->stats->rhs++;
    if (p->form == KEEL_FORM_ODE)
        return eval_check(e, "rhs", t, s->ode.rhs(t, y, f, e->context), N, f);
    if (p->form == KEEL_FORM_SEMI_EXPLICIT)
        return eval_check(e, "rhs", t, s->semi_explicit.rhs(t, y, y + N, f, e->context), N, f);
    if (p->form == KEEL_FORM_HESSENBERG2)
        return eval_check(e, "rhs", t, s->hessenberg2.rhs(t, y, y + N, f, e->context), N, f);
    rc = eval_check(e, "position_rate", t,
                    s->hessenberg3.position_rate(t, y, y + N, f, e->context), N, f);
    if (rc || !k) return rc;
    int code = s->hessenberg3.velocity_rate(t, y, y + N, y + N + M, k, e->context);
    return eval_check(e, "velocity_rate", t, code, M, k);
}

static int moved_constraint(void *context, double t, const double *y, double *g)
{
    return eval_level(context, 0, t, y, g);
}

int eval_difference_jacobian(evaluator *e, double t, const double *y, double *G)
{
    int n = e->problem->group[0], m = e->problem->constraints;
    difference d = {.value = moved_constraint, .context = e, .rows = m, .size = n, .t = t, .x = y,
                    .moved = e->work[0], .one = e->work[1]};
    memset(G, 0, (size_t)(m * n) * sizeof *G);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = e->work[2], .delta = e->work[3], .dense = G});
}

int eval_constraint_jacobian(evaluator *e, double t, const double *y, double *G)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int entries = p->constraints * p->group[0], code;
    if (p->form == KEEL_FORM_MECHANICAL)
        return eval_mechanical(e, t, y, y, KEEL_CONSTRAINT_JACOBIAN,
                               &(keel_mechanical_parts){.constraint_jacobian = G});
    if (p->form == KEEL_FORM_ODE && s->ode.invariant_jacobian)
        return eval_check(e, "invariant_jacobian", t,
                          s->ode.invariant_jacobian(t, y, G, e->context), entries, G);
    if (p->form == KEEL_FORM_HESSENBERG2 && s->hessenberg2.constraint_jacobian)
        code = s->hessenberg2.constraint_jacobian(t, y, G, e->context);
    else if (p->form == KEEL_FORM_HESSENBERG3 && s->hessenberg3.constraint_jacobian)
        code = s->hessenberg3.constraint_jacobian(t, y, G, e->context);
    else return eval_difference_jacobian(e, t, y, G);
    return eval_check(e, "constraint_jacobian", t, code, entries, G);
}

int eval_constraint_time(evaluator *e, double t, const double *y, double *g_t)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int m = p->constraints;
    if (p->form == KEEL_FORM_MECHANICAL)
        return eval_mechanical(e, t, y, y, KEEL_CONSTRAINT_TIME,
                               &(keel_mechanical_parts){.constraint_time = g_t});
    if (p->form == KEEL_FORM_HESSENBERG2 && s->hessenberg2.constraint_time)
        return eval_check(e, "constraint_time", t,
                          s->hessenberg2.constraint_time(t, y, g_t, e->context), m, g_t);
    if (p->form == KEEL_FORM_HESSENBERG3 && s->hessenberg3.constraint_time)
        return eval_check(e, "constraint_time", t,
                          s->hessenberg3.constraint_time(t, y, g_t, e->context), m, g_t);
    difference d = {.value = moved_constraint, .context = e, .rows = m, .t = t, .x = y,
                    .one = e->work[0]};
    stencil line = time_stencil(e, t, 1, 4, 0.01 * e->time_scale);
    return difference_along(&d, &line, 1, NULL, g_t);
}

/* w = G f + g_t */
static int velocity(evaluator *e, double t, const double *y, double *w)
{
    int n = e->problem->group[0], m = e->problem->constraints;
    double *f = e->work[3], *G = e->constraint_jacobian;
    int rc = eval_constraint_jacobian(e, t, y, G);
    if (!rc) rc = rate(e, t, y, f);
    if (!rc) rc = eval_constraint_time(e, t, y, w);       /* last: w may be scratch of the others */
    for (int k = 0; k < m && !rc; k++)
        for (int j = 0; j < n; j++) w[k] += G[k * n + j] * f[j];
    return rc;
}

static int moved_velocity(void *context, double t, const double *y, double *w)
{
    return velocity(context, t, y, w);
}

/* Level 2 of Hessenberg 3, by a directional difference of w along (1, f, k). */
static int acceleration(evaluator *e, double t, const double *y, double *value)
{
    const keel_hessenberg3_spec *s = &e->problem->spec.hessenberg3;
    int N = s->positions, M = s->velocities, m = s->multipliers;
    double *along = e->work[4];
    difference d = {.value = moved_velocity, .context = e, .rows = m, .size = e->problem->n, .t = t,
                    .x = y, .moved = e->work[5], .one = e->work[6]};
    int rc = rate(e, t, y, along);
    if (!rc)
        rc = eval_check(e, "velocity_rate", t,
                        s->velocity_rate(t, y, y + N, y + N + M, along + N, e->context), M,
                        along + N);
    if (rc) return rc;
    double part = s->constraint_jacobian ? 2e-4 : 1e-3;      /* truncation against noise in g_u */
    double delta = line_increment(0.1 * e->time_scale, part, N + M, y, NULL, along);
    stencil line = time_stencil(e, t, 1, 4, delta);
    memset(along + N + M, 0, (size_t)m * sizeof *along);
    return difference_along(&d, &line, 1, along, value);
}

int eval_level(evaluator *e, int level, double t, const double *y, double *value)
{
    if (e->problem->form == KEEL_FORM_MECHANICAL)
        return eval_mechanical_level(e, level, t, y, value);
    if (level == 0) return constraint(e, t, y, value);
    return level == 1 ? velocity(e, t, y, value) : acceleration(e, t, y, value);
}

/* f(t,y,z) or k(t,u,v,l) with other multipliers: the part of y' that they act on. */
static int multiplied_rate(evaluator *e, double t, const double *y, const double *multipliers,
                           double *value)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int N = p->group[0], M = p->group[1];
    e->stats->rhs_for_jacobian++;
    if (p->form == KEEL_FORM_HESSENBERG2)
        return eval_check(e, "rhs", t, s->hessenberg2.rhs(t, y, multipliers, value,
                                                          e->context), N, value);
    return eval_check(e, "velocity_rate", t,
                      s->hessenberg3.velocity_rate(t, y, y + N, multipliers, value,
                                                   e->context), M, value);
}

typedef struct moving_point {
    evaluator *e;
    double *y;
    const double *G;
} moving_point;

static int moved_multipliers(void *context, double t, const double *multipliers, double *value)
{
    const moving_point *p = context;
    return multiplied_rate(p->e, t, p->y, multipliers, value);
}

/* D = f_z or k_l at (t,y) by one-sided differences, rows x m. */
static int multiplier_directions(evaluator *e, double t, const double *y, int rows, double *D)
{
    int m = e->problem->constraints;
    double *here = e->work[5], *base = e->work[7];
    moving_point point = {.e = e, .y = here};
    difference d = {.value = moved_multipliers, .context = &point, .rows = rows, .size = m, .t = t,
                    .x = here + e->problem->n - m, .moved = e->work[6]};
    memcpy(here, y, (size_t)e->problem->n * sizeof *y);
    memset(D, 0, (size_t)(rows * m) * sizeof *D);
    int rc = multiplied_rate(e, t, y, d.x, base);
    return rc ? rc : difference_matrix(&d, &(difference_columns){
        .order = 1, .unit = 1, .base = base, .sum = e->work[8], .delta = e->work[9], .dense = D});
}

static int moved_velocities(void *context, double t, const double *v, double *f)
{
    const moving_point *p = context;
    int N = p->e->problem->group[0], M = p->e->problem->group[1];
    memcpy(p->y + N, v, (size_t)M * sizeof *v);
    return rate(p->e, t, p->y, f);
}

/* D0 = f_v D1 by central differences of f along the columns of D1: exact, but for rounding, where f
 * is linear (or quadratic) in v. */
static int position_directions(evaluator *e, double t, const double *y, const double *D1, double *D0)
{
    int N = e->problem->group[0], M = e->problem->group[1], m = e->problem->constraints, rc = 0;
    double *along = e->work[9], *column = e->work[8];
    moving_point point = {.e = e, .y = e->work[5]};
    difference d = {.value = moved_velocities, .context = &point, .rows = N, .size = M, .t = t,
                    .x = y + N, .moved = e->work[6], .one = e->work[7]};
    memcpy(point.y, y, (size_t)e->problem->n * sizeof *y);
    for (int k = 0; k < m && !rc; k++) {
        for (int j = 0; j < M; j++) along[j] = D1[j * m + k];
        double delta = line_increment(DBL_MAX, cbrt(DBL_EPSILON), M, y + N, NULL, along);
        stencil line = central_stencil(1, 2, delta);
        rc = difference_along(&d, &line, 0, along, column);
        for (int i = 0; i < N && !rc; i++) D0[i * m + k] = column[i];
    }
    return rc;
}

int eval_directions(evaluator *e, double t, const double *y, double *D0, double *D1)
{
    const keel_problem *p = e->problem;
    int N = p->group[0], M = p->group[1], m = p->constraints;
    if (p->form == KEEL_FORM_HESSENBERG2) return multiplier_directions(e, t, y, N, D0);
    if (p->form == KEEL_FORM_MECHANICAL) {
        int failed = eval_mechanical_directions(e, t, y, D1);
        if (!failed) memcpy(D0, D1, (size_t)(N * m) * sizeof *D0);
        return failed;
    }
    int rc = multiplier_directions(e, t, y, M, D1);
    return rc ? rc : position_directions(e, t, y, D1, D0);
}

/* G f with other velocities */
static int moved_product(void *context, double t, const double *v, double *value)
{
    const moving_point *p = context;
    const evaluator *e = p->e;
    int N = e->problem->group[0], m = e->problem->constraints;
    int rc = moved_velocities(context, t, v, e->work[4]);
    for (int k = 0; k < m && !rc; k++) {
        value[k] = 0;
        for (int i = 0; i < N; i++) value[k] += p->G[k * N + i] * e->work[4][i];
    }
    return rc;
}

int eval_velocity_jacobian(evaluator *e, double t, const double *y, const double *G, double *B)
{
    int N = e->problem->group[0], M = e->problem->group[1], m = e->problem->constraints;
    if (e->problem->form == KEEL_FORM_MECHANICAL) {              /* f = v */
        memcpy(B, G, (size_t)(m * N) * sizeof *B);
        return 0;
    }
    moving_point point = {e, e->work[5], G};
    difference d = {.value = moved_product, .context = &point, .rows = m, .size = M, .t = t,
                    .x = y + N, .moved = e->work[6], .one = e->work[7]};
    memcpy(point.y, y, (size_t)e->problem->n * sizeof *y);
    memset(B, 0, (size_t)(m * M) * sizeof *B);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = e->work[8], .delta = e->work[9], .dense = B});
}
