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
#include <limits.h>
#include <string.h>

#include "problem/difference.h"
#include "problem/gauge.h"

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

static int moved_constraint(void *context, double t, const double *y, double *g)
{
    return eval_level(context, 0, t, y, g);
}

int eval_difference_jacobian(evaluator *e, double t, const double *y, double *G)
{
    int n = e->problem->group[0], m = e->problem->constraints;
    difference d = {.value = moved_constraint, .context = e, .rows = m, .size = n, .t = t, .x = y,
                    .moved = e->work[0], .one = e->work[1]};
    memset(G, 0, (size_t)m * (size_t)n * sizeof *G);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = e->work[2], .delta = e->work[3], .dense = G});
}

int eval_constraint_jacobian(evaluator *e, double t, const double *y, double *G)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    size_t entries = (size_t)p->constraints * (size_t)p->group[0];
    int code;
    if (p->ops == &mechanical_form)
        return eval_mechanical(e, t, y, y, KEEL_CONSTRAINT_JACOBIAN,
                               &(keel_mechanical_parts){.constraint_jacobian = G});
    if (p->ops == &hessenberg2_form && s->hessenberg2.constraint_jacobian)
        code = s->hessenberg2.constraint_jacobian(t, y, G, e->context);
    else if (p->ops == &hessenberg3_form && s->hessenberg3.constraint_jacobian)
        code = s->hessenberg3.constraint_jacobian(t, y, G, e->context);
    else return eval_difference_jacobian(e, t, y, G);
    return eval_check(e, "constraint_jacobian", t, code, entries > INT_MAX ? INT_MAX : (int)entries, G);
}

int eval_constraint_time(evaluator *e, double t, const double *y, double *g_t)
{
    const keel_problem *p = e->problem;
    const form_spec *s = &p->spec;
    int m = p->constraints;
    if (p->ops == &mechanical_form)
        return eval_mechanical(e, t, y, y, KEEL_CONSTRAINT_TIME,
                               &(keel_mechanical_parts){.constraint_time = g_t});
    if (p->ops == &hessenberg2_form && s->hessenberg2.constraint_time)
        return eval_check(e, "constraint_time", t,
                          s->hessenberg2.constraint_time(t, y, g_t, e->context), m, g_t);
    if (p->ops == &hessenberg3_form && s->hessenberg3.constraint_time)
        return eval_check(e, "constraint_time", t,
                          s->hessenberg3.constraint_time(t, y, g_t, e->context), m, g_t);
    difference d = {.value = moved_constraint, .context = e, .rows = m, .t = t, .x = y,
                    .one = e->work[0]};
    stencil line = time_stencil(e, t, 1, 4, 0.01 * e->time_scale);
    return difference_along(&d, &line, 1, NULL, g_t);
}

void eval_keep_levels(evaluator *e, int keep)
{
    e->levels_kept = keep && e->problem->ops == &hessenberg2_form;
    e->level_known = 0;
}

/* J with g_y at (t,y) into e->mass; it does not depend on z. */
static int level_jacobian(evaluator *e, double t, const double *y, const double *f)
{
    size_t bytes = (size_t)e->problem->group[0] * sizeof *y;
    double *at = e->level_point;
    if (e->levels_kept && e->level_known && at[0] == t && !memcmp(at + 1, y, bytes)) return 0;
    matrix_zero(&e->mass);
    int rc = e->problem->ops->jacobian(e, t, y, f, &e->mass);
    e->level_known = e->levels_kept && rc == 0;
    if (!e->level_known) return rc;
    at[0] = t;
    memcpy(at + 1, y, bytes);
    return 0;
}

/* The last m of sum := g_y f, with g_y out of a sparse J or by an engine; a code of eval_*, or 2: neither
 * is given. */
static int given_product(evaluator *e, double t, const double *y, const double *f, double *sum)
{
    const keel_engine_spec *engine = e->engine ? &e->engine->spec : NULL;
    int n = e->problem->n, m = e->problem->constraints;
    if (engine && engine->constraint_times)
        return eval_engine(e, "constraint_times", t,
                           engine->constraint_times(engine->context, t, y, f, sum + n - m));
    int rc = engine || e->differences ? 2 : level_jacobian(e, t, y, f);
    if (!rc) matrix_multiply_add(&e->mass, 1, f, sum);
    return rc;
}

/* The length of a difference is the same on all ranks. */
static int agree_on(evaluator *e, double *length)
{
    if (e->reducer) *length = -norm_most(e->reducer, -*length);
    return eval_outcome(e);
}

/* w = g_y f + g_t with a product that is given, or all of it as one difference along (1, f); f NULL: it is
 * evaluated. */
static int sparse_velocity(evaluator *e, double t, const double *y, const double *known, double *w)
{
    int n = e->problem->n, m = e->problem->constraints, N = e->problem->group[0], rc = 0;
    double *f = e->work[3], *sum = e->work[7];
    memset(f, 0, (size_t)n * sizeof *f);
    memset(sum, 0, (size_t)n * sizeof *sum);
    if (known) memcpy(f, known, (size_t)N * sizeof *f);
    else rc = eval_position_rate(e, t, y, f);
    int given = rc ? rc : given_product(e, t, y, f, sum);
    if (given == 0) {
        rc = eval_constraint_time(e, t, y, w);
        for (int k = 0; k < m; k++) w[k] += sum[n - m + k];
        return rc;
    }
    double length = line_increment(0.1 * e->time_scale, 1e-3, N, y, NULL, f);
    rc = given == 2 ? agree_on(e, &length) : given;
    if (rc) return rc;
    difference d = {.value = moved_constraint, .context = e, .rows = m, .size = n, .t = t, .x = y,
                    .moved = e->work[8], .one = sum};
    stencil line = time_stencil(e, t, 1, 4, length);
    return difference_along(&d, &line, 1, f, w);
}

/* w = G f + g_t; f NULL: it is evaluated. */
static int velocity_along(evaluator *e, double t, const double *y, const double *f, double *w)
{
    if (e->engine || problem_is_sparse(e->problem)) return sparse_velocity(e, t, y, f, w);
    int n = e->problem->group[0], m = e->problem->constraints;
    double *G = e->constraint_jacobian;
    int rc = eval_constraint_jacobian(e, t, y, G);
    if (!rc && !f) {
        rc = eval_position_rate(e, t, y, e->work[3]);
        f = e->work[3];
    }
    if (!rc) rc = eval_constraint_time(e, t, y, w);       /* last: w may be scratch of the others */
    for (int k = 0; k < m && !rc; k++)
        for (int j = 0; j < n; j++) w[k] += G[k * n + j] * f[j];
    return rc;
}

static int velocity(evaluator *e, double t, const double *y, double *w)
{
    return velocity_along(e, t, y, NULL, w);
}

int eval_velocity(evaluator *e, double t, const double *y, const double *f, double *w)
{
    if (e->problem->ops != &hessenberg2_form || e->gauge) return eval_level(e, 1, t, y, w);
    return velocity_along(e, t, y, f, w);
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
    int rc = eval_position_rate(e, t, y, along);
    if (!rc) rc = velocity_rate(e, t, y, y + N + M, along + N);
    if (rc) return rc;
    int exact = e->engine ? e->engine->spec.constraint_times != NULL : s->constraint_jacobian != NULL;
    double part = exact ? 2e-4 : 1e-3;                       /* truncation against noise in g_u */
    double delta = line_increment(0.1 * e->time_scale, part, N + M, y, NULL, along);
    rc = agree_on(e, &delta);
    if (rc) return rc;
    stencil line = time_stencil(e, t, 1, 4, delta);
    memset(along + N + M, 0, (size_t)m * sizeof *along);
    return difference_along(&d, &line, 1, along, value);
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
    if (e->gauge) return gauge_level(e, level, t, y, value);
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
    memset(D, 0, (size_t)rows * (size_t)m * sizeof *D);
    int rc = multiplied_rate(e, t, y, d.x, base);
    return rc ? rc : difference_matrix(&d, &(difference_columns){
        .order = 1, .unit = 1, .typical = eval_sizes(e, e->problem->n - m),
        .settling = eval_settling(e), .base = base, .sum = e->work[8], .delta = e->work[9], .dense = D});
}

static int moved_velocities(void *context, double t, const double *v, double *f)
{
    const moving_point *p = context;
    int N = p->e->problem->group[0], M = p->e->problem->group[1];
    memcpy(p->y + N, v, (size_t)M * sizeof *v);
    return eval_position_rate(p->e, t, p->y, f);
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
    if (p->ops == &hessenberg2_form)
        return multiplier_directions(e, t, y, p->group[0], D0);
    int rc = multiplier_directions(e, t, y, p->group[1], D1);
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
    if (e->problem->ops == &mechanical_form) {              /* f = v */
        memcpy(B, G, (size_t)m * (size_t)N * sizeof *B);
        return 0;
    }
    moving_point point = {e, e->work[5], G};
    difference d = {.value = moved_product, .context = &point, .rows = m, .size = M, .t = t,
                    .x = y + N, .moved = e->work[6], .one = e->work[7]};
    memcpy(point.y, y, (size_t)e->problem->n * sizeof *y);
    memset(B, 0, (size_t)m * (size_t)M * sizeof *B);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = e->work[8], .delta = e->work[9], .dense = B});
}

/* G for the first level, G f_v for the second; rows of a levelled problem that a level has not are 0. */
int eval_level_gradient(evaluator *e, int level, double t, const double *y, double *A)
{
    if (e->problem->ops == &levelled_form) return eval_levelled_gradient(e, level, t, y, A);
    if (level == 0) return eval_constraint_jacobian(e, t, y, A);
    int rc = eval_constraint_jacobian(e, t, y, e->constraint_jacobian);
    return rc ? rc : eval_velocity_jacobian(e, t, y, e->constraint_jacobian, A);
}
