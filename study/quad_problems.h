/* quad_problems.h -- the problems order-* in 34 digits: values only, no derivatives.
 *
 * Unknowns: `differential` many with y' = rate(t,y), the others from constraint(t,y) = 0.  The
 * equations are those of problems/order_*.c, written once more.
 */
#ifndef KEEL_STUDY_QUAD_PROBLEMS_H
#define KEEL_STUDY_QUAD_PROBLEMS_H

#include "study/quad.h"

typedef struct quad_problem {
    const char *name;
    int index, groups, size[3];
    int differential, n;         /* unknowns with a rate; all                              */
    double e[3];                 /* how nonlinear in the multiplier                        */
    double curve[QUAD_UNKNOWNS][3];      /* amplitude, frequency, phase                    */
    void (*drift)(const double *e, const quad *y, quad *F);
    void (*balance)(quad t, const quad *y, quad *G);
} quad_problem;

static inline quad curve_value(const double *x, quad t)
{
    return 1 + (quad)x[0] * sinq((quad)x[1] * t + (quad)x[2]);
}

static inline quad curve_rate(const double *x, quad t)
{
    return (quad)x[0] * (quad)x[1] * cosq((quad)x[1] * t + (quad)x[2]);
}

static inline void drift_ode(const double *e, const quad *y, quad *F)
{
    (void)e;
    F[0] = -y[0] * y[2] + y[1];
    F[1] = sinq(y[0] * y[1]) - y[2];
    F[2] = y[0] * y[0] - y[1] * y[2];
}

static inline void drift_index1(const double *e, const quad *y, quad *F)
{
    (void)e;
    F[0] = -y[0] * y[3] + sinq(y[1]);
    F[1] = y[0] * y[1] - y[2] * y[2] / 2;
}

static inline void balance_index1(quad t, const quad *y, quad *G)
{
    (void)t;
    G[0] = y[2] + 0.3 * y[2] * y[3] - y[0] * y[1];
    G[1] = y[3] + 0.2 * y[2] * y[2] + y[1] * y[1] / 2 - y[0];
}

static inline void drift_index2(const double *e, const quad *y, quad *F)
{
    quad z = y[3];
    F[0] = -y[1] * y[2] + (1 + 0.2 * y[2]) * (z + e[0] * z * z);
    F[1] = y[0] - y[1] * y[1] / 2 + 0.4 * y[1] * (z + e[1] * z * z);
    F[2] = sinq(y[0] * y[1]) - y[2] - 0.1 * y[0] * (z + e[2] * z * z);
}

static inline void balance_index2(quad t, const quad *y, quad *G)
{
    (void)t;
    G[0] = y[0] * y[1] + y[2] * y[2] / 2;
}

static inline void drift_index3(const double *e, const quad *y, quad *F)
{
    const quad *u = y, *v = y + 3, l = y[5];
    F[0] = v[0] * (1 + 0.2 * u[1]) + 0.3 * u[2];
    F[1] = v[1] + 0.2 * v[0] * v[0] - u[0] * u[1];
    F[2] = 0.3 * v[0] * v[1] + sinq(u[0]);
    F[3] = -u[0] * v[1] + (1 + 0.2 * u[2]) * (l + e[0] * l * l);
    F[4] = u[1] * u[2] - v[0] * v[1] + (0.3 * u[0] + 0.1 * u[1]) * (l + e[1] * l * l);
}

static inline void balance_index3(quad t, const quad *u, quad *G)
{
    (void)t;
    G[0] = u[0] + 0.3 * u[0] * u[1] + u[2] * u[2] / 4;
}

static inline void balance_mechanical(quad t, const quad *q, quad *G)
{
    G[0] = q[0] * q[1] + q[2] * q[2] / 2 + 0.3 * q[0] * sinq(t);
}

#define Q1 {0.5, 2.3, 0.4}
#define Q2 {0.4, 1.9, 1.3}
#define Q3 {0.5, 2.7, 2.5}
#define CURVES2 {Q1, Q2, Q3, {0.5, 2.1, 0.9}}
#define CURVES3 {Q1, Q2, Q3, {0.4, 2.1, 0.9}, {0.5, 1.7, 2.0}, {0.5, 2.5, 1.7}}

/* In the order of study_problem; the mechanical system has no drift, see below. */
static const quad_problem quad_problems[] = {
    {"order-ode", 0, 1, {3}, 3, 3, {0}, {Q1, Q2, Q3}, drift_ode, NULL},
    {"order-index1", 1, 2, {2, 2}, 2, 4, {0}, {Q1, Q2, Q3, {0.4, 2.1, 0.9}},
     drift_index1, balance_index1},
    {"order-index2", 2, 2, {3, 1}, 3, 4, {0}, CURVES2, drift_index2, balance_index2},
    {"order-index2-nonlinear", 2, 2, {3, 1}, 3, 4, {0.15, 0.5, -0.3}, CURVES2, drift_index2,
     balance_index2},
    {"order-index3", 3, 3, {3, 2, 1}, 5, 6, {0}, CURVES3, drift_index3, balance_index3},
    {"order-index3-nonlinear", 3, 3, {3, 2, 1}, 5, 6, {0.25, -0.3}, CURVES3, drift_index3,
     balance_index3},
    {"order-mechanical", 3, 3, {3, 3, 1}, 6, 7, {0},
     {Q1, Q2, Q3, {0}, {0}, {0}, {0.5, 2.1, 0.9}}, NULL, balance_mechanical},
};

/* Velocities of the mechanical system are the rates of its positions. */
static inline void quad_exact(const quad_problem *p, quad t, quad *x)
{
    for (int i = 0; i < p->n; i++)
        x[i] = !p->drift && i >= 3 && i < 6 ? curve_rate(p->curve[i - 3], t)
                                            : curve_value(p->curve[i], t);
}

/* P - G^T l, and M [3 3] */
static inline void mechanical_terms(quad t, const quad *y, quad *M, quad *force)
{
    const quad *q = y, *v = y + 3, l = y[6];
    const quad m[9] = {2 + q[1] / 2, 0.3 * q[0], 0, 0.3 * q[0], 1.5, 0.2,
                       0, 0.2, 1 + 0.2 * q[2] * q[2]};
    memcpy(M, m, sizeof m);
    force[0] = -q[0] * q[1] - 0.3 * v[0] * v[1] - (q[1] + 0.3 * sinq(t)) * l;
    force[1] = sinq(q[2]) - 0.2 * v[1] - q[0] * l;
    force[2] = 0.3 * v[0] * v[0] - q[2] - q[2] * l;
}

/* What makes x the solution: y' = F(y) + r, or M(q) v' = P - G^T l + r, and 0 = G(y) - G(x). */
typedef struct quad_forcing {
    const quad_problem *p;
    quad t, r[QUAD_UNKNOWNS], G[2];
} quad_forcing;

static inline void find_forcing(const quad_problem *p, quad t, quad_forcing *forcing)
{
    quad x[QUAD_UNKNOWNS], F[QUAD_UNKNOWNS] = {0}, M[9], *r = forcing->r;
    *forcing = (quad_forcing){.p = p, .t = t};
    quad_exact(p, t, x);
    if (p->balance) p->balance(t, x, forcing->G);
    if (p->drift) {
        p->drift(p->e, x, F);
        for (int i = 0; i < p->differential; i++) r[i] = curve_rate(p->curve[i], t) - F[i];
        return;
    }
    mechanical_terms(t, x, M, F);
    for (int i = 0; i < 3; i++) {
        r[i] = -F[i];
        for (int j = 0; j < 3; j++) {
            quad w = p->curve[j][1];
            r[i] -= M[3 * i + j] * w * w * (x[j] - 1);
        }
    }
}

/* Differences ask for the same few times again and again, and sines are dear. */
static inline const quad_forcing *forcing_at(const quad_problem *p, quad t)
{
    enum { KEPT = 64 };
    static quad_forcing kept[KEPT];
    quad scaled = t * 1048573;
    quad_forcing *slot = &kept[(int)((scaled - floorq(scaled)) * KEPT)];
    if (slot->p != p || slot->t != t) find_forcing(p, t, slot);
    return slot;
}

static inline void quad_constraint(const quad_problem *p, quad t, const quad *y, quad *g)
{
    const quad_forcing *forcing = forcing_at(p, t);
    p->balance(t, y, g);
    for (int k = 0; k < p->n - p->differential; k++) g[k] -= forcing->G[k];
}

static inline void quad_rate(const quad_problem *p, quad t, const quad *y, quad *f)
{
    const quad_forcing *forcing = forcing_at(p, t);
    quad M[9];
    if (p->drift) {
        p->drift(p->e, y, f);
        for (int i = 0; i < p->differential; i++) f[i] += forcing->r[i];
        return;
    }
    mechanical_terms(t, y, M, f + 3);
    for (int i = 0; i < 3; i++) {
        f[i] = y[3 + i];
        f[3 + i] += forcing->r[i];
    }
    quad_solve(3, M, f + 3);
}

#endif
