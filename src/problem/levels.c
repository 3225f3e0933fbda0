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

#include "core/norm.h"
#include "problem/stencil.h"

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

int eval_difference_jacobian(evaluator *e, double t, const double *y, double *G)
{
    int n = e->problem->group[0], m = e->problem->constraints, rc = 0;
    double *moved = e->work[0], *above = e->work[1], *below = e->work[2];
    memcpy(moved, y, (size_t)n * sizeof *moved);
    for (int j = 0; j < n && !rc; j++) {
        double delta = cbrt(DBL_EPSILON) * (1 + fabs(y[j]));
        double right = y[j] + delta, left = y[j] - delta;
        moved[j] = right;
        rc = eval_level(e, 0, t, moved, above);
        moved[j] = left;
        if (!rc) rc = eval_level(e, 0, t, moved, below);
        for (int k = 0; k < m && !rc; k++) G[k * n + j] = (above[k] - below[k]) / (right - left);
        moved[j] = y[j];
    }
    return rc;
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
    int m = p->constraints, rc = 0;
    if (p->form == KEEL_FORM_MECHANICAL)
        return eval_mechanical(e, t, y, y, KEEL_CONSTRAINT_TIME,
                               &(keel_mechanical_parts){.constraint_time = g_t});
    if (p->form == KEEL_FORM_HESSENBERG2 && s->hessenberg2.constraint_time)
        return eval_check(e, "constraint_time", t,
                          s->hessenberg2.constraint_time(t, y, g_t, e->context), m, g_t);
    if (p->form == KEEL_FORM_HESSENBERG3 && s->hessenberg3.constraint_time)
        return eval_check(e, "constraint_time", t,
                          s->hessenberg3.constraint_time(t, y, g_t, e->context), m, g_t);
    double *g = e->work[0];
    stencil d = time_stencil(e, t, 0.01 * e->time_scale);
    memset(g_t, 0, (size_t)m * sizeof *g_t);
    for (int k = 0; k < d.points && !rc; k++) {
        rc = constraint(e, t + d.shift[k], y, g);
        for (int i = 0; i < m; i++) g_t[i] += d.weight[k] * g[i];
    }
    return rc;
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

/* Largest e with |e rate_i| <= reach (1 + |y_i|). */
static double reach_time(double start, double reach, int n, const double *y, const double *y_rate)
{
    double time = start;
    for (int i = 0; i < n; i++) {
        double limit = reach * (1 + fabs(y[i]));
        if (fabs(y_rate[i]) * time > limit) time = limit / fabs(y_rate[i]);
    }
    return time;
}

/* Level 2 of Hessenberg 3, by a directional difference of w along (1, f, k). */
static int acceleration(evaluator *e, double t, const double *y, double *value)
{
    const keel_hessenberg3_spec *s = &e->problem->spec.hessenberg3;
    int N = s->positions, M = s->velocities, m = s->multipliers;
    double *along = e->work[4], *moved = e->work[5], *w = e->work[1];
    int rc = rate(e, t, y, along);
    if (!rc)
        rc = eval_check(e, "velocity_rate", t,
                        s->velocity_rate(t, y, y + N, y + N + M, along + N, e->context), M,
                        along + N);
    double reach = s->constraint_jacobian ? 2e-4 : 1e-3;     /* truncation against noise in g_u */
    double delta = rc ? 1 : reach_time(0.1 * e->time_scale, reach, N + M, y, along);
    memset(value, 0, (size_t)m * sizeof *value);
    memcpy(moved, y, (size_t)e->problem->n * sizeof *moved);
    stencil d = time_stencil(e, t, delta);
    for (int k = 0; k < d.points && !rc; k++) {
        for (int i = 0; i < N + M; i++) moved[i] = y[i] + d.shift[k] * along[i];
        rc = velocity(e, t + d.shift[k], moved, w);
        for (int i = 0; i < m; i++) value[i] += d.weight[k] * w[i];
    }
    return rc;
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

/* D = f_z or k_l at (t,y) by one-sided differences, rows x m. */
static int multiplier_directions(evaluator *e, double t, const double *y, int rows, double *D)
{
    int m = e->problem->constraints;
    const double *z = y + e->problem->n - m;
    double *moved = e->work[6], *base = e->work[7], *changed = e->work[8];
    memcpy(moved, z, (size_t)m * sizeof *moved);
    int rc = multiplied_rate(e, t, y, moved, base);
    for (int k = 0; k < m && !rc; k++) {
        volatile double shifted = z[k] + sqrt(DBL_EPSILON) * (1 + fabs(z[k]));
        double delta = shifted - z[k];
        moved[k] = shifted;
        rc = multiplied_rate(e, t, y, moved, changed);
        for (int i = 0; i < rows && !rc; i++) D[i * m + k] = (changed[i] - base[i]) / delta;
        moved[k] = z[k];
    }
    return rc;
}

/* D0 = f_v D1 by central differences of f along the columns of D1: exact, but for rounding, where f
 * is linear (or quadratic) in v. */
static int position_directions(evaluator *e, double t, const double *y, const double *D1, double *D0)
{
    int N = e->problem->group[0], M = e->problem->group[1], m = e->problem->constraints, rc = 0;
    double *moved = e->work[6], *above = e->work[7], *below = e->work[8], *along = e->work[9];
    memcpy(moved, y, (size_t)e->problem->n * sizeof *moved);
    for (int k = 0; k < m && !rc; k++) {
        for (int j = 0; j < M; j++) along[j] = D1[j * m + k];
        double delta = reach_time(DBL_MAX, cbrt(DBL_EPSILON), M, y + N, along);
        for (int j = 0; j < M; j++) moved[N + j] = y[N + j] + delta * along[j];
        rc = rate(e, t, moved, above);
        for (int j = 0; j < M; j++) moved[N + j] = y[N + j] - delta * along[j];
        if (!rc) rc = rate(e, t, moved, below);
        for (int i = 0; i < N && !rc; i++) D0[i * m + k] = (above[i] - below[i]) / delta / 2;
    }
    return rc;
}

int eval_directions(evaluator *e, double t, const double *y, double *D0, double *D1)
{
    const keel_problem *p = e->problem;
    if (p->form == KEEL_FORM_HESSENBERG2)
        return multiplier_directions(e, t, y, p->group[0], D0);
    int rc = multiplier_directions(e, t, y, p->group[1], D1);
    return rc ? rc : position_directions(e, t, y, D1, D0);
}

int eval_velocity_jacobian(evaluator *e, double t, const double *y, const double *G, double *B)
{
    int N = e->problem->group[0], M = e->problem->group[1], m = e->problem->constraints, rc = 0;
    double *moved = e->work[6], *above = e->work[7], *below = e->work[8];
    if (e->problem->form == KEEL_FORM_MECHANICAL) {              /* f = v */
        memcpy(B, G, (size_t)(m * N) * sizeof *B);
        return 0;
    }
    memcpy(moved, y, (size_t)e->problem->n * sizeof *moved);
    for (int j = 0; j < M && !rc; j++) {
        double delta = cbrt(DBL_EPSILON) * (1 + fabs(y[N + j]));
        double right = y[N + j] + delta, left = y[N + j] - delta;
        moved[N + j] = right;
        rc = rate(e, t, moved, above);
        moved[N + j] = left;
        if (!rc) rc = rate(e, t, moved, below);
        for (int k = 0; k < m && !rc; k++) {
            double sum = 0;
            for (int i = 0; i < N; i++) sum += G[k * N + i] * (above[i] - below[i]);
            B[k * M + j] = sum / (right - left);
        }
        moved[N + j] = y[N + j];
    }
    return rc;
}
