/* mechanism.h -- a particle on a circle of varying radius, with a known motion.
 *
 *   M(q) q'' = f(t,q,v) - G^T l,  0 = g = (|q|^2 - r(t)^2) / 2,  M = [2, sin(q1)/2; ., 3 + q2^2]
 *   q = r (sin w, -cos w),  r = 1 + sin(t)/5,  w = t + t^2/4,  l = 1 + cos(t)/2
 *
 * and f = M(q) a(t) + l(t) q(t) - (1 + q1)(v - v(t)) - 2 (q - q(t)) is made to fit.
 */
#ifndef KEEL_TEST_SUPPORT_MECHANISM_H
#define KEEL_TEST_SUPPORT_MECHANISM_H

#include <stddef.h>

#include "test/support/probe.h"

/* Whether the optional callbacks are given. */
typedef enum derivatives { BY_DIFFERENCES, GIVEN } derivatives;

typedef struct motion { double q[2], v[2], a[2], l; } motion;

static inline motion motion_at(double t)
{
    double r = 1 + 0.2 * sin(t), r1 = 0.2 * cos(t), r2 = -0.2 * sin(t);
    double w = t + 0.25 * t * t, w1 = 1 + 0.5 * t, w2 = 0.5, s = sin(w), c = cos(w);
    return (motion){
        .q = {r * s, -r * c},
        .v = {r1 * s + r * c * w1, -r1 * c + r * s * w1},
        .a = {r2 * s + 2 * r1 * c * w1 + r * (c * w2 - s * w1 * w1),
              -r2 * c + 2 * r1 * s * w1 + r * (s * w2 + c * w1 * w1)},
        .l = 1 + 0.5 * cos(t)};
}

static inline void mechanism_exact(double t, double *y)
{
    motion x = motion_at(t);
    double all[5] = {x.q[0], x.q[1], x.v[0], x.v[1], x.l};
    for (int i = 0; i < 5; i++) y[i] = all[i];
}

static inline void fill_mass(const double *q, double *M)
{
    M[0] = 2;
    M[1] = M[2] = 0.5 * sin(q[0]);
    M[3] = 3 + q[1] * q[1];
}

static inline void fill_force(double t, const double *q, const double *v, double *f)
{
    double M[4];
    motion x = motion_at(t);
    fill_mass(q, M);
    for (int i = 0; i < 2; i++)
        f[i] = M[2 * i] * x.a[0] + M[2 * i + 1] * x.a[1] + x.l * x.q[i] -
               (1 + q[0]) * (v[i] - x.v[i]) - 2 * (q[i] - x.q[i]);
}

static inline int mechanism_mass(double t, const double *q, double *M, void *context)
{
    fill_mass(q, M);
    return probed(context, MASS, t, M, 4);
}

static inline int mechanism_force(double t, const double *q, const double *v, double *f,
                                  void *context)
{
    fill_force(t, q, v, f);
    return probed(context, FORCE, t, f, 2);
}

static inline double mechanism_g(double t, const double *q)
{
    double r = 1 + 0.2 * sin(t);
    return 0.5 * (q[0] * q[0] + q[1] * q[1] - r * r);
}

static inline double mechanism_g_t(double t) { return -(1 + 0.2 * sin(t)) * 0.2 * cos(t); }

static inline double mechanism_gamma(double t, const double *v)
{
    double r = 1 + 0.2 * sin(t), r1 = 0.2 * cos(t), r2 = -0.2 * sin(t);
    return v[0] * v[0] + v[1] * v[1] - r1 * r1 - r * r2;
}

static inline int mechanism_constraint(double t, const double *q, double *g, void *context)
{
    g[0] = mechanism_g(t, q);
    return probed(context, CONSTRAINT, t, g, 1);
}

static inline int mechanism_G(double t, const double *q, double *G, void *context)
{
    G[0] = q[0];
    G[1] = q[1];
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 2);
}

static inline int mechanism_time(double t, const double *q, double *g_t, void *context)
{
    (void)q;
    g_t[0] = mechanism_g_t(t);
    return probed(context, CONSTRAINT_TIME, t, g_t, 1);
}

static inline int mechanism_curvature(double t, const double *q, const double *v, double *gamma,
                                      void *context)
{
    (void)q;
    gamma[0] = mechanism_gamma(t, v);
    return probed(context, CURVATURE, t, gamma, 1);
}

/* f_q and f_v at fixed t */
static inline int mechanism_force_jacobian(double t, const double *q, const double *v, double *f_q,
                                           double *f_v, void *context)
{
    motion x = motion_at(t);
    f_q[0] = 0.5 * cos(q[0]) * x.a[1] - (v[0] - x.v[0]) - 2;
    f_q[1] = 0;
    f_q[2] = 0.5 * cos(q[0]) * x.a[0] - (v[1] - x.v[1]);
    f_q[3] = 2 * q[1] * x.a[1] - 2;
    f_v[0] = f_v[3] = -(1 + q[0]);
    f_v[1] = f_v[2] = 0;
    return probed(context, FORCE_JACOBIAN, t, f_q, 4);
}

static inline int mechanism_evaluate(double t, const double *q, const double *v, unsigned wanted,
                                     const keel_mechanical_parts *p, void *context)
{
    double *last = NULL;
    int count = 1;
    if (wanted & KEEL_CONSTRAINT) *(last = p->constraint) = mechanism_g(t, q);
    if (wanted & KEEL_CONSTRAINT_TIME) *(last = p->constraint_time) = mechanism_g_t(t);
    if (wanted & KEEL_CURVATURE) *(last = p->curvature) = mechanism_gamma(t, v);
    if (wanted & KEEL_CONSTRAINT_JACOBIAN) {
        last = p->constraint_jacobian;
        last[0] = q[0];
        last[1] = q[1];
        count = 2;
    }
    if (wanted & KEEL_MASS) fill_mass(q, last = p->mass), count = 4;
    if (wanted & KEEL_FORCE) fill_force(t, q, v, last = p->force), count = 2;
    return probed(context, EVALUATE, t, last, count);
}

static inline int make_separate(keel_problem **problem, derivatives given, probe *context)
{
    return keel_mechanical(problem, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .mass = mechanism_mass, .force = mechanism_force, .constraint = mechanism_constraint,
        .constraint_jacobian = given == GIVEN ? mechanism_G : NULL,
        .constraint_time = given == GIVEN ? mechanism_time : NULL,
        .curvature = given == GIVEN ? mechanism_curvature : NULL,
        .force_jacobian = given == GIVEN ? mechanism_force_jacobian : NULL, .context = context});
}

static inline int make_evaluate(keel_problem **problem, derivatives given, probe *context)
{
    return keel_mechanical(problem, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .evaluate = mechanism_evaluate,
        .provides = given == GIVEN ? 0 : KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT,
        .context = context});
}

#endif
