/* levels.c -- constraint levels of semi-explicit and Hessenberg forms (mechanical: mechanical.c).
 *
 *   level 0  g(t,y)
 *   level 1  w = g_y f + g_t                        along y' = f(t,y,z) or u' = f(t,u,v)
 *   level 2  d/de w(t + e, u + e f, v + e k)        = g_uu(f,f) + ... + g_u (f_u f + f_v k + f_t)
 *
 * Level 1 needs g, f and g_y only; level 2 is a directional difference (five points).
 * [Schropp 2003, (2.1)-(2.3) and assumption (A2); time derivatives added for g(t,u).]
 */
#include "problem/forms.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/stencil.h"

/* g(t,y), g(t,y,z) or g(t,u). */
static int constraint(evaluator *e, double t, const double *y, double *g)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int code;
    e->stats->constraint++;
    if (p->ops == &semi_explicit_form)
        code = s->semi_explicit.constraint(t, y, y + p->group[0], g, e->context);
    else if (p->ops == &hessenberg2_form)
        code = s->hessenberg2.constraint(t, y, g, e->context);
    else
        code = s->hessenberg3.constraint(t, y, g, e->context);
    return eval_check(e, "constraint", t, code, p->constraints, g);
}

/* ---- rates --------------------------------------------------------------------------------- */

int ode_rate(evaluator *e, double t, const double *y, double *f)
{
    return eval_check(e, "rhs", t, e->problem->spec.ode.rhs(t, y, f, e->context), e->problem->n, f);
}

int semi_explicit_rate(evaluator *e, double t, const double *y, double *f)
{
    const keel_semi_explicit_spec *s = &e->problem->spec.semi_explicit;
    int code = s->rhs(t, y, y + s->differential, f, e->context);
    return eval_check(e, "rhs", t, code, s->differential, f);
}

int hessenberg2_rate(evaluator *e, double t, const double *y, double *f)
{
    const keel_hessenberg2_spec *s = &e->problem->spec.hessenberg2;
    int code = s->rhs(t, y, y + s->differential, f, e->context);
    return eval_check(e, "rhs", t, code, s->differential, f);
}

/* f(t,u,v) alone. */
static int position_rate(evaluator *e, double t, const double *y, double *f)
{
    const keel_hessenberg3_spec *s = &e->problem->spec.hessenberg3;
    int code = s->position_rate(t, y, y + s->positions, f, e->context);
    return eval_check(e, "position_rate", t, code, s->positions, f);
}

static int velocity_rate(evaluator *e, double t, const double *y, const double *l, double *k)
{
    const keel_hessenberg3_spec *s = &e->problem->spec.hessenberg3;
    int code = s->velocity_rate(t, y, y + s->positions, l, k, e->context);
    return eval_check(e, "velocity_rate", t, code, s->velocities, k);
}

int hessenberg3_rate(evaluator *e, double t, const double *y, double *f)
{
    int N = e->problem->group[0], M = e->problem->group[1];
    int rc = position_rate(e, t, y, f);
    return rc ? rc : velocity_rate(e, t, y, y + N + M, f + N);
}

int eval_rate(evaluator *e, double t, const double *y, double *f)
{
    if (!form_has(e->problem, FORM_ACCELERATIONS)) e->stats->rhs++;    /* else counted by its parts */
    return e->problem->ops->rate(e, t, y, f);
}

int eval_position_rate(evaluator *e, double t, const double *y, double *f)
{
    if (e->problem->ops != &hessenberg3_form) return eval_rate(e, t, y, f);
    e->stats->constraint++;
    return position_rate(e, t, y, f);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

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
    if (p->ops == &mechanical_form)
        return eval_mechanical(e, t, y, y, KEEL_CONSTRAINT_JACOBIAN,
                               &(keel_mechanical_parts){.constraint_jacobian = G});
    if (p->ops == &hessenberg2_form && s->hessenberg2.constraint_jacobian)
        code = s->hessenberg2.constraint_jacobian(t, y, G, e->context);
    else if (p->ops == &hessenberg3_form && s->hessenberg3.constraint_jacobian)
        code = s->hessenberg3.constraint_jacobian(t, y, G, e->context);
    else return eval_difference_jacobian(e, t, y, G);
    return eval_check(e, "constraint_jacobian", t, code, entries, G);
}

int eval_constraint_time(evaluator *e, double t, const double *y, double *g_t)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int m = p->constraints, rc = 0;
    if (p->ops == &mechanical_form)
        return eval_mechanical(e, t, y, y, KEEL_CONSTRAINT_TIME,
                               &(keel_mechanical_parts){.constraint_time = g_t});
    if (p->ops == &hessenberg2_form && s->hessenberg2.constraint_time)
        return eval_check(e, "constraint_time", t,
                          s->hessenberg2.constraint_time(t, y, g_t, e->context), m, g_t);
    if (p->ops == &hessenberg3_form && s->hessenberg3.constraint_time)
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

/* w = g_y f + g_t with a sparse g_y out of J, or all of it as one difference along (1, f). */
static int sparse_velocity(evaluator *e, double t, const double *y, double *w)
{
    int n = e->problem->n, m = e->problem->constraints, N = e->problem->group[0];
    double *f = e->work[3], *sum = e->work[4], *moved = e->work[5];
    memset(f, 0, (size_t)n * sizeof *f);
    memset(sum, 0, (size_t)n * sizeof *sum);
    matrix_zero(&e->mass);
    int rc = eval_position_rate(e, t, y, f);
    int given = rc ? rc : e->differences ? 2 : e->problem->ops->jacobian(e, t, y, f, &e->mass);
    if (given == 0) {
        matrix_multiply_add(&e->mass, 1, f, sum);
        rc = eval_constraint_time(e, t, y, w);
        for (int k = 0; k < m; k++) w[k] += sum[n - m + k];
        return rc;
    }
    if (given != 2) return given;
    stencil d = time_stencil(e, t, reach_time(0.1 * e->time_scale, 1e-3, N, y, f));
    memset(w, 0, (size_t)m * sizeof *w);
    memcpy(moved, y, (size_t)n * sizeof *moved);
    for (int k = 0; k < d.points && !rc; k++) {
        for (int i = 0; i < N; i++) moved[i] = y[i] + d.shift[k] * f[i];
        rc = constraint(e, t + d.shift[k], moved, sum);
        for (int i = 0; i < m; i++) w[i] += d.weight[k] * sum[i];
    }
    return rc;
}

/* w = G f + g_t */
static int velocity(evaluator *e, double t, const double *y, double *w)
{
    if (problem_is_sparse(e->problem)) return sparse_velocity(e, t, y, w);
    int n = e->problem->group[0], m = e->problem->constraints;
    double *f = e->work[3], *G = e->constraint_jacobian;
    int rc = eval_constraint_jacobian(e, t, y, G);
    if (!rc) rc = eval_position_rate(e, t, y, f);
    if (!rc) rc = eval_constraint_time(e, t, y, w);       /* last: w may be scratch of the others */
    for (int k = 0; k < m && !rc; k++)
        for (int j = 0; j < n; j++) w[k] += G[k * n + j] * f[j];
    return rc;
}

/* Level 2 of Hessenberg 3, by a directional difference of w along (1, f, k). */
static int acceleration(evaluator *e, double t, const double *y, double *value)
{
    const keel_hessenberg3_spec *s = &e->problem->spec.hessenberg3;
    int N = s->positions, M = s->velocities, m = s->multipliers;
    double *along = e->work[4], *moved = e->work[5], *w = e->work[1];
    int rc = eval_position_rate(e, t, y, along);
    if (!rc) rc = velocity_rate(e, t, y, y + N + M, along + N);
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

int semi_explicit_level(evaluator *e, int level, double t, const double *y, double *value)
{
    (void)level;
    return constraint(e, t, y, value);
}

int hessenberg2_level(evaluator *e, int level, double t, const double *y, double *value)
{
    return level == 0 ? constraint(e, t, y, value) : velocity(e, t, y, value);
}

int hessenberg3_level(evaluator *e, int level, double t, const double *y, double *value)
{
    return level == 2 ? acceleration(e, t, y, value) : hessenberg2_level(e, level, t, y, value);
}

int eval_level(evaluator *e, int level, double t, const double *y, double *value)
{
    int attached = level == e->problem->levels && e->problem->attached.rows > 0;
    if (attached) return attached_level(e, t, y, value);
    return e->problem->ops->level(e, level, t, y, value);
}

/* f(t,y,z) or k(t,u,v,l) with other multipliers: the part of y' that they act on. */
static int multiplied_rate(evaluator *e, double t, const double *y, const double *multipliers,
                           double *value)
{
    const keel_problem *p = e->problem;
    e->stats->rhs_for_jacobian++;
    if (p->ops == &hessenberg3_form) return velocity_rate(e, t, y, multipliers, value);
    return eval_check(e, "rhs", t, p->spec.hessenberg2.rhs(t, y, multipliers, value, e->context),
                      p->group[0], value);
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
        rc = eval_position_rate(e, t, moved, above);
        for (int j = 0; j < M; j++) moved[N + j] = y[N + j] - delta * along[j];
        if (!rc) rc = eval_position_rate(e, t, moved, below);
        for (int i = 0; i < N && !rc; i++) D0[i * m + k] = (above[i] - below[i]) / delta / 2;
    }
    return rc;
}

int eval_directions(evaluator *e, double t, const double *y, double *D0, double *D1)
{
    const keel_problem *p = e->problem;
    int N = p->group[0], M = p->group[1], m = p->constraints;
    if (p->ops == &hessenberg2_form) return multiplier_directions(e, t, y, N, D0);
    if (p->ops == &mechanical_form) {
        int failed = eval_mechanical_directions(e, t, y, D1);
        if (!failed) memcpy(D0, D1, (size_t)(N * m) * sizeof *D0);
        return failed;
    }
    int rc = multiplier_directions(e, t, y, M, D1);
    return rc ? rc : position_directions(e, t, y, D1, D0);
}

int eval_velocity_jacobian(evaluator *e, double t, const double *y, const double *G, double *B)
{
    int N = e->problem->group[0], M = e->problem->group[1], m = e->problem->constraints, rc = 0;
    double *moved = e->work[6], *above = e->work[7], *below = e->work[8];
    if (e->problem->ops == &mechanical_form) {              /* f = v */
        memcpy(B, G, (size_t)(m * N) * sizeof *B);
        return 0;
    }
    memcpy(moved, y, (size_t)e->problem->n * sizeof *moved);
    for (int j = 0; j < M && !rc; j++) {
        double delta = cbrt(DBL_EPSILON) * (1 + fabs(y[N + j]));
        double right = y[N + j] + delta, left = y[N + j] - delta;
        moved[N + j] = right;
        rc = eval_position_rate(e, t, moved, above);
        moved[N + j] = left;
        if (!rc) rc = eval_position_rate(e, t, moved, below);
        for (int k = 0; k < m && !rc; k++) {
            double sum = 0;
            for (int i = 0; i < N; i++) sum += G[k * N + i] * (above[i] - below[i]);
            B[k * M + j] = sum / (right - left);
        }
        moved[N + j] = y[N + j];
    }
    return rc;
}

/* G for the first level, G f_v for the second; rows of a levelled problem that a level has not are 0. */
int eval_level_gradient(evaluator *e, int level, double t, const double *y, double *A)
{
    if (e->problem->ops == &levelled_form) return eval_levelled_gradient(e, level, t, y, A);
    if (level == 0) return eval_constraint_jacobian(e, t, y, A);
    int rc = eval_constraint_jacobian(e, t, y, e->constraint_jacobian);
    return rc ? rc : eval_velocity_jacobian(e, t, y, e->constraint_jacobian, A);
}
