/* projections.h -- problems to project, with formulas for the directions, and a projection at hand.
 *
 *   index 2      f = (y2 y3 + z (1 + 0.3 y2), z^2/2 - y1, y1 y2 - t + z y3)
 *                g = y1^2 + 2 y2^2 + y3^2 + y1 y3 / 2 - 3 - sin t
 *   index 3      f = (v1 + v2 v3 / 2 + t u2, v2 - v1^2 / 4)
 *                k = (l + u1, l v1 + l^2/4 - 1.7, u2 - l v2),   g = u1^2 + u1 u2 + 2 u2^2 - 2 - t
 *   mechanical   M = [2 + q1^2, 0.3, 0; 0.3, 1, 0.2 q2; 0, 0.2 q2, 1.5]
 *                g = (q1^2 + q2^2 + q3^2 - 1 - 0.1 sin t, q1 + q2 q3 - 0.2)
 *   index 1      0 = (z1^3 + z1 + z2 - y, z2 + z1 z2 / 4 - y^2)
 */
#ifndef KEEL_TEST_STEP_PROJECTIONS_H
#define KEEL_TEST_STEP_PROJECTIONS_H

#include "core/norm.h"
#include "step/projection.h"

#include "test/problem/evaluators.h"

#include <float.h>
#include <string.h>

/* ---- index 2 ------------------------------------------------------------------------------ */

static inline int surface_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    f[0] = y[1] * y[2] + z[0] * (1 + 0.3 * y[1]);
    f[1] = 0.5 * z[0] * z[0] - y[0];
    f[2] = y[0] * y[1] - t + z[0] * y[2];
    return probed(context, RHS, t, f, 3);
}

static inline int surface_g(double t, const double *y, double *g, void *context)
{
    g[0] = y[0] * y[0] + 2 * y[1] * y[1] + y[2] * y[2] + 0.5 * y[0] * y[2] - 3 - sin(t);
    return probed(context, CONSTRAINT, t, g, 1);
}

static inline int surface_G(double t, const double *y, double *G, void *context)
{
    G[0] = 2 * y[0] + 0.5 * y[2];
    G[1] = 4 * y[1];
    G[2] = 2 * y[2] + 0.5 * y[0];
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 3);
}

static inline int surface_g_t(double t, const double *y, double *g_t, void *context)
{
    (void)y;
    g_t[0] = -cos(t);
    return probed(context, CONSTRAINT_TIME, t, g_t, 1);
}

static inline void surface_f_z(const double *y, double *D)
{
    D[0] = 1 + 0.3 * y[1];
    D[1] = y[3];
    D[2] = y[2];
}

static inline keel_problem *make_surface(probe *context)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 3,
        .multipliers = 1, .rhs = surface_rhs, .constraint = surface_g,
        .constraint_jacobian = surface_G, .constraint_time = surface_g_t, .context = context}),
        KEEL_OK);
    return p;
}

/* ---- index 3 ------------------------------------------------------------------------------ */

static inline int chain_f(double t, const double *u, const double *v, double *f, void *context)
{
    f[0] = v[0] + 0.5 * v[1] * v[2] + t * u[1];
    f[1] = v[1] - 0.25 * v[0] * v[0];
    return probed(context, POSITION_RATE, t, f, 2);
}

static inline int chain_k(double t, const double *u, const double *v, const double *l, double *k,
                          void *context)
{
    k[0] = l[0] + u[0];
    k[1] = l[0] * v[0] + 0.25 * l[0] * l[0] - 1.7;
    k[2] = u[1] - l[0] * v[1];
    return probed(context, VELOCITY_RATE, t, k, 3);
}

static inline int chain_g(double t, const double *u, double *g, void *context)
{
    g[0] = u[0] * u[0] + u[0] * u[1] + 2 * u[1] * u[1] - 2 - t;
    return probed(context, CONSTRAINT, t, g, 1);
}

static inline int chain_G(double t, const double *u, double *G, void *context)
{
    G[0] = 2 * u[0] + u[1];
    G[1] = u[0] + 4 * u[1];
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 2);
}

static inline int chain_g_t(double t, const double *u, double *g_t, void *context)
{
    (void)u;
    g_t[0] = -1;
    return probed(context, CONSTRAINT_TIME, t, g_t, 1);
}

/* y = (u, v, l) */
static inline void chain_k_l(const double *y, double *D)
{
    D[0] = 1;
    D[1] = y[2] + 0.5 * y[5];
    D[2] = -y[3];
}

static inline void chain_f_v(const double *y, double f_v[2][3])
{
    double values[2][3] = {{1, 0.5 * y[4], 0.5 * y[3]}, {-0.5 * y[2], 1, 0}};
    memcpy(f_v, values, sizeof values);
}

static inline void chain_f_v_k_l(const double *y, double *D)
{
    double f_v[2][3], k_l[3];
    chain_f_v(y, f_v);
    chain_k_l(y, k_l);
    for (int i = 0; i < 2; i++)
        D[i] = f_v[i][0] * k_l[0] + f_v[i][1] * k_l[1] + f_v[i][2] * k_l[2];
}

static inline keel_problem *make_chain(probe *context)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 2, .velocities = 3,
        .multipliers = 1, .position_rate = chain_f, .velocity_rate = chain_k,
        .constraint = chain_g, .constraint_jacobian = chain_G, .constraint_time = chain_g_t,
        .context = context}), KEEL_OK);
    return p;
}

/* ---- mechanical --------------------------------------------------------------------------- */

static inline int bodies_mass(double t, const double *q, double *M, void *context)
{
    double values[9] = {2 + q[0] * q[0], 0.3, 0, 0.3, 1, 0.2 * q[1], 0, 0.2 * q[1], 1.5};
    memcpy(M, values, sizeof values);
    return probed(context, MASS, t, M, 9);
}

static inline int bodies_force(double t, const double *q, const double *v, double *f, void *context)
{
    f[0] = -q[0] - 0.1 * v[0];
    f[1] = 1 - v[1];
    f[2] = cos(t) - q[2] * v[2];
    return probed(context, FORCE, t, f, 3);
}

static inline int bodies_g(double t, const double *q, double *g, void *context)
{
    g[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1 - 0.1 * sin(t);
    g[1] = q[0] + q[1] * q[2] - 0.2;
    return probed(context, CONSTRAINT, t, g, 2);
}

static inline int bodies_G(double t, const double *q, double *G, void *context)
{
    double values[6] = {2 * q[0], 2 * q[1], 2 * q[2], 1, q[2], q[1]};
    memcpy(G, values, sizeof values);
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 6);
}

static inline int bodies_g_t(double t, const double *q, double *g_t, void *context)
{
    (void)q;
    g_t[0] = -0.1 * cos(t);
    g_t[1] = 0;
    return probed(context, CONSTRAINT_TIME, t, g_t, 2);
}

static inline int bodies_curvature(double t, const double *q, const double *v, double *gamma,
                                   void *context)
{
    (void)q;
    gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 0.1 * sin(t);
    gamma[1] = 2 * v[1] * v[2];
    return probed(context, CURVATURE, t, gamma, 2);
}

static inline keel_problem *make_bodies(probe *context)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 3, .constraints = 2,
        .mass = bodies_mass, .force = bodies_force, .constraint = bodies_g,
        .constraint_jacobian = bodies_G, .constraint_time = bodies_g_t,
        .curvature = bodies_curvature, .context = context}), KEEL_OK);
    return p;
}

/* D = W^-1 G^T [3 2] at q, W = M(q) or, with weight NULL and no mass, the identity. */
static inline void bodies_directions(const double *q, int mass, const double *weight, double *D)
{
    double G[6], M[9], column[3];
    int pivot[3];
    bodies_G(0, q, G, &(probe){0});
    for (int k = 0; k < 2; k++) {
        bodies_mass(0, q, M, &(probe){0});
        for (int j = 0; j < 3; j++) column[j] = G[k * 3 + j];
        if (mass) {
            assert_int_equal(dense_factor(3, M, pivot), 0);
            dense_solve(3, M, pivot, column);
        }
        for (int j = 0; j < 3; j++)
            D[j * 2 + k] = weight ? column[j] / (weight[j] * weight[j]) : column[j];
    }
}

/* ---- index 1 ------------------------------------------------------------------------------ */

static inline int pair_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    f[0] = z[0] - y[0];
    return probed(context, RHS, t, f, 1);
}

static inline int pair_g(double t, const double *y, const double *z, double *g, void *context)
{
    g[0] = z[0] * z[0] * z[0] + z[0] + z[1] - y[0];
    g[1] = z[1] + 0.25 * z[0] * z[1] - y[0] * y[0];
    return probed(context, CONSTRAINT, t, g, 2);
}

static inline keel_problem *make_pair(probe *context)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1,
        .algebraic = 2, .rhs = pair_rhs, .constraint = pair_g, .context = context}), KEEL_OK);
    return p;
}

/* Some percent off. */
static const double bodies_point[8] = {-0.2, 0.6, 0.75, 0.3, -0.5, 0.4, 0, 0}, bodies_time = 0.2;

/* ---- a projection at hand ----------------------------------------------------------------- */

typedef struct rig {
    bench at;
    projection projection;
    void *block;
    int row;
} rig;

/* r must stay where it is until rig_free. */
static inline void rig_open(rig *r, const keel_problem *p)
{
    arena a = {0};
    *r = (rig){.row = -1};
    bench_open(&r->at, p);
    projection_layout(&a, &r->projection, p, 1, NULL);
    r->block = arena_block(a.used);
    a = (arena){.base = r->block};
    projection_layout(&a, &r->projection, p, 1, NULL);
}

static inline void rig_free(rig *r)
{
    arena_block_free(r->block);
    bench_free(&r->at);
}

static inline projection_result rig_move(rig *r, projection_plan plan, double t, double *y)
{
    return projection_move(&r->projection, &r->at.eval, &plan, NULL, t, y, &r->row);
}

static inline double rig_level(rig *r, int level, double t, const double *y)
{
    double value[8];
    assert_int_equal(eval_level(&r->at.eval, level, t, y, value), 0);
    return norm_max(r->at.problem->constraints, value);
}

/* The part of d outside of the range of D [n m], relative to d. */
static inline double outside(int n, int m, const double *D, const double *d)
{
    double basis[2][3], rest[3], all = 0, left = 0;
    for (int i = 0; i < n; i++) rest[i] = d[i];
    for (int k = 0; k < m; k++) {
        double norm = 0, along = 0;
        for (int i = 0; i < n; i++) basis[k][i] = D[i * m + k];
        for (int j = 0; j < k; j++) {
            double dot = 0;
            for (int i = 0; i < n; i++) dot += basis[j][i] * basis[k][i];
            for (int i = 0; i < n; i++) basis[k][i] -= dot * basis[j][i];
        }
        for (int i = 0; i < n; i++) norm += basis[k][i] * basis[k][i];
        for (int i = 0; i < n; i++) basis[k][i] /= sqrt(norm);
        for (int i = 0; i < n; i++) along += basis[k][i] * rest[i];
        for (int i = 0; i < n; i++) rest[i] -= along * basis[k][i];
    }
    for (int i = 0; i < n; i++) {
        all += d[i] * d[i];
        left += rest[i] * rest[i];
    }
    return sqrt(left / all);
}

static inline void subtract(int n, const double *x, const double *y, double *d)
{
    for (int i = 0; i < n; i++) d[i] = x[i] - y[i];
}

#endif
