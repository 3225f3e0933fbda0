/* formulation_mechanical.c -- what reducing the index of a mechanical problem needs.
 *
 *   x' = (v, a),  M a = f - G^T l,   g' = G v + g_t,   g'' = G a + gamma
 *
 * gamma(v) = B(v,v) + 2 C v + d with B = g_qq, C = g_qt, d = g_tt gives all derivatives of g':
 *
 *   (g')_q w = B(v,w) + C w = (gamma(v + w) - gamma(v - w)) / 4
 *   (g')_t   = C v + d      = (gamma(v) - gamma(-v)) / 4 + gamma(0)
 */
#include "problem/formulation.h"

#include <string.h>

#include "core/norm.h"
#include "problem/dependence.h"

/* The wanted parts at (t,x); the force goes to s->rate, the curvature to s->known. */
static int evaluate(formulation_state *s, double t, const double *x, unsigned wanted)
{
    keel_mechanical_parts parts = {.mass = s->mass, .force = s->rate, .constraint_jacobian = s->G,
                                   .curvature = s->known};
    return eval_mechanical(s->inner, t, x, x + s->nx / 2, wanted, &parts);
}

static int unit_mass(const formulation_state *s)
{
    return !mechanical_gives(s->inner->problem, KEEL_MASS);
}

/* Parts and a factored mass matrix; the hidden level asks for them where x' has been evaluated. */
static int ready(formulation_state *s, double t, const double *x, unsigned wanted)
{
    size_t bytes = (size_t)s->nx * sizeof *x;
    int unit = unit_mass(s);
    if (s->parts == wanted && s->t == t && memcmp(s->x, x, bytes) == 0) return 0;
    s->parts = 0;
    int rc = evaluate(s, t, x, unit ? wanted : wanted | KEEL_MASS);
    if (!rc && !unit && dense_factor(s->nx / 2, s->mass, s->pivot))
        return formulation_fault(s, t, FAULT_SINGULAR_MASS, "mass");
    if (rc) return rc;
    s->parts = s->how->kind->create == create_index1 ? wanted : 0;
    s->t = t;
    memcpy(s->x, x, bytes);
    return 0;
}

/* a := M^-1 (a - G^T l) */
static void accelerate(formulation_state *s, const double *l, double *a)
{
    int n = s->nx / 2;
    for (int k = 0; k < s->m; k++)
        for (int j = 0; j < n; j++) a[j] -= s->G[k * n + j] * l[k];
    if (!unit_mass(s)) dense_solve(n, s->mass, s->pivot, a);
}

static int rate(formulation_state *s, double t, const double *x, const double *l, double *f)
{
    size_t bytes = (size_t)(s->nx / 2) * sizeof *f;
    unsigned curvature = s->how->kind->create == create_index1 ? KEEL_CURVATURE : 0;
    int rc = ready(s, t, x, KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN | curvature);
    if (rc) return rc;
    memcpy(f, x + s->nx / 2, bytes);
    memcpy(f + s->nx / 2, s->rate, bytes);
    accelerate(s, l, f + s->nx / 2);
    return 0;
}

static int prepare(formulation_state *s, double t, const double *x)
{
    return ready(s, t, x, KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN | KEEL_CURVATURE);
}

static int hidden(formulation_state *s, double t, const double *x, const double *l, double *value)
{
    int n = s->nx / 2;
    (void)t, (void)x;
    memcpy(s->along, s->rate, (size_t)n * sizeof *s->along);
    accelerate(s, l, s->along);
    for (int k = 0; k < s->m; k++) {
        value[k] = s->known[k];
        for (int j = 0; j < n; j++) value[k] += s->G[k * n + j] * s->along[j];
    }
    if (s->outer->dependence) dependence_regularise(s->outer->dependence, s->G, l, value);
    return 0;
}

/* (G M^-1 G^T) l = G M^-1 f + gamma, with independent rows */
int index1_multipliers(evaluator *e, double t, const double *x, double *l)
{
    formulation_state *s = formulation_enter(e->context);
    int n = s->nx / 2, m = s->m, rc = prepare(s, t, x);
    for (int k = 0; k < m; k++) s->trial[k] = 0;
    if (!rc) rc = hidden(s, t, x, s->trial, l);
    for (int k = 0; k < m && !rc; k++) {
        memcpy(s->along, s->G + k * n, (size_t)n * sizeof *s->along);
        if (!unit_mass(s)) dense_solve(n, s->mass, s->pivot, s->along);
        for (int i = 0; i < m; i++) {
            s->S[i * m + k] = 0;
            for (int j = 0; j < n; j++) s->S[i * m + k] += s->G[i * n + j] * s->along[j];
        }
    }
    if (!rc && dense_factor(m, s->S, s->multiplier_pivot))
        rc = formulation_fault(s, t, FAULT_MULTIPLIERS, "constraint");
    if (!rc) dense_solve(m, s->S, s->multiplier_pivot, l);
    if (rc) e->fault = s->inner->fault;
    return formulation_leave(s, rc);
}

/* [M G^T; G 0] (a, l) = (f, -gamma): M need not be invertible */
static int eliminate(formulation_state *s, double t, const double *x, double *f)
{
    int n = s->nx / 2;
    int rc = evaluate(s, t, x, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN | KEEL_CURVATURE);
    if (rc) return rc;
    if (saddle_factor(s->saddle, s->mass, s->G))
        return formulation_fault(s, t, FAULT_MULTIPLIERS, "constraint");
    memcpy(f, x + n, (size_t)n * sizeof *f);
    memcpy(f + n, s->rate, (size_t)n * sizeof *f);
    for (int k = 0; k < s->m; k++) s->l[k] = -s->known[k];
    saddle_solve(s->saddle, 1, f + n, s->l);
    return 0;
}

/* (gamma(v + w) - gamma(v - w)) / (4 size) with w = size e_j; gamma(v - w) is left in s->value. */
static int polarised(formulation_state *s, double t, const double *x, int j, double size,
                     double *value)
{
    int n = s->nx / 2, rc;
    keel_mechanical_parts plus = {.curvature = value}, minus = {.curvature = s->value};
    memcpy(s->moved, x + n, (size_t)n * sizeof *s->moved);
    s->moved[j] = x[n + j] + size;
    rc = eval_mechanical(s->inner, t, x, s->moved, KEEL_CURVATURE, &plus);
    s->moved[j] = x[n + j] - size;
    if (!rc) rc = eval_mechanical(s->inner, t, x, s->moved, KEEL_CURVATURE, &minus);
    for (int k = 0; k < s->m && !rc; k++) value[k] = (value[k] - s->value[k]) / (4 * size);
    return rc;
}

static int level_jacobian(formulation_state *s, int level, double t, const double *x, double *J)
{
    int n = s->nx / 2, m = s->m;
    if (level == 1 && !mechanical_gives(s->inner->problem, KEEL_CURVATURE))
        return difference_level_jacobian(s, level, t, x, J);
    int rc = evaluate(s, t, x, KEEL_CONSTRAINT_JACOBIAN);
    if (rc) return rc;
    for (int k = 0; k < m; k++) {
        double *in_q = J + 2 * n * k, *in_v = in_q + n;
        memcpy(level == 0 ? in_q : in_v, s->G + k * n, (size_t)n * sizeof *J);
        if (level == 0) memset(in_v, 0, (size_t)n * sizeof *J);
    }
    double size = 1 + norm_max(n, x + n);
    for (int j = 0; j < n && level == 1 && !rc; j++) {
        rc = polarised(s, t, x, j, size, s->known);
        for (int k = 0; k < m; k++) J[2 * n * k + j] = s->known[k];
    }
    return rc;
}

/* gamma at (t, q) with the velocity factor v */
static int curvature(formulation_state *s, double t, const double *x, double factor, double *value)
{
    int n = s->nx / 2;
    keel_mechanical_parts parts = {.curvature = value};
    for (int j = 0; j < n; j++) s->moved[j] = factor * x[n + j];
    return eval_mechanical(s->inner, t, x, s->moved, KEEL_CURVATURE, &parts);
}

static int level_time(formulation_state *s, int level, double t, const double *x, double *value)
{
    if (level == 0) return eval_constraint_time(s->inner, t, x, value);
    if (!mechanical_gives(s->inner->problem, KEEL_CURVATURE))
        return difference_level_time(s, level, t, x, value);
    int rc = curvature(s, t, x, 0, value);
    if (!rc) rc = curvature(s, t, x, 1, s->known);
    if (!rc) rc = curvature(s, t, x, -1, s->base);
    for (int k = 0; k < s->m && !rc; k++) value[k] += (s->known[k] - s->base[k]) / 4;
    return rc;
}

/* M q' = M v - G^T mu [HW96 VII.1, after Gear, Gupta & Leimkuhler] */
static int stabilise(formulation_state *s, double t, const double *x, const double *mu, double *f)
{
    int n = s->nx / 2;
    (void)t, (void)x;
    memset(s->along, 0, (size_t)n * sizeof *s->along);
    accelerate(s, mu, s->along);
    for (int j = 0; j < n; j++) f[j] += s->along[j];
    return 0;
}

/* ---- index 2 with accelerations as unknowns ------------------------------------------------ */

/* q' and v' of the unknowns (q, v, l, w). */
static int unit_rows(double t, const double *y, keel_matrix *M, void *context)
{
    const formulation_state *s = context;
    (void)t, (void)y;
    for (int i = 0; i < s->nx; i++) keel_put(M, i, i, 1);
    return 0;
}

/* (v, w, f - G^T l - M w, G v + g_t) */
static int accelerated(double t, const double *y, double *r, void *context)
{
    formulation_state *s = formulation_enter(context);
    int n = s->nx / 2, m = s->m;
    const double *l = y + 2 * n, *w = l + m;
    memcpy(r, y + n, (size_t)n * sizeof *r);
    memcpy(r + n, w, (size_t)n * sizeof *r);
    int rc = evaluate(s, t, y, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN);
    for (int i = 0; i < n && !rc; i++) {
        r[2 * n + i] = s->rate[i];
        for (int j = 0; j < n; j++) r[2 * n + i] -= s->mass[i * n + j] * w[j];
        for (int k = 0; k < m; k++) r[2 * n + i] -= s->G[k * n + i] * l[k];
    }
    if (!rc) rc = lower_level(s, 1, t, y, r + 3 * n);
    return formulation_leave(s, rc);
}

int create_index2_augmented(keel_problem **problem, const keel_problem *original,
                            const formulation *how, const char *const *names)
{
    int n = original->group[0], size = 3 * n + original->constraints, *index = how->source + size;
    for (int i = 0; i < size; i++) index[i] = i < 2 * n ? 1 : 2;
    return keel_quasilinear(problem, &(keel_quasilinear_spec){
        .size = size, .mass = unit_rows, .constant_mass = 1, .rhs = accelerated,
        .variable_index = index, .names = names});
}

const reduction mechanical_reduction = {
    .rate = rate, .prepare = prepare, .hidden = hidden, .eliminate = eliminate,
    .level_jacobian = level_jacobian, .level_time = level_time, .stabilise = stabilise};
