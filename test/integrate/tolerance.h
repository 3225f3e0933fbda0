/* tolerance.h -- errors in units of the tolerance, group by group, on problems with exact solutions.
 *
 *   e = max_i |y_i(t) - x_i(t)| / (tol + tol |x_i(t)|)
 *
 * over the unknowns of a group, at the end and at twenty times before it, rtol = atol = tol.  The
 * bundled order problems, on which constants may have been tuned, and three more:
 *
 *   reaction   y1' = y2 z1 - y1 + p1,  y2' = -y1 y2 + z2 + p2,                          index 1
 *              0 = z1 + z1^3 / 3 - y1 z2 + p3,  0 = z2 (2 + y2^2) - y1 + p4
 *   circuit    C v1' = i - (v1 - v2) - v1^3 / 2,  v2' = (v1 - v2) - sinh(v2) / 2 + p,   index 2
 *              0 = v1 - E(t): a capacitor beside a voltage source, whose current is i
 *   sphere     M(q) v' = f - G^T l,  0 = (q^T q - 1) / 2,  q(t) in space,               mechanical
 *              springs and dampers to x(t) against the centrifugal force, which drives apart
 *
 * with p and f such that given functions x(t) are the solution.
 */
#ifndef KEEL_TEST_INTEGRATE_TOLERANCE_H
#define KEEL_TEST_INTEGRATE_TOLERANCE_H

#include <math.h>

#include "problems/problems.h"
#include "test/support/run.h"

enum { TOLERANCE_UNKNOWNS = 12, TOLERANCE_GROUPS = 3, TOLERANCE_TIMES = 20 };

typedef struct tolerance_problem {
    const char *name;
    int (*create)(keel_problem **problem);       /* NULL: the bundled problem of that name  */
    void (*exact)(double t, double *y);
    double t_end;
    int groups, end[TOLERANCE_GROUPS];           /* one past the last unknown of each       */
} tolerance_problem;

/* ---- reaction ------------------------------------------------------------------------------ */

static inline void reaction_exact(double t, double *x)
{
    x[0] = 1 + 0.5 * exp(-t) * cos(3 * t);
    x[1] = 0.7 + 0.3 * tanh(2 * t - 1);
    x[2] = 0.4 * sin(2.5 * t + 0.3);
    x[3] = 0.6 + 0.2 * cos(4 * t);
}

static inline void reaction_drift(const double *y, const double *z, double *F)
{
    F[0] = y[1] * z[0] - y[0];
    F[1] = -y[0] * y[1] + z[1];
}

static inline void reaction_balance(const double *y, const double *z, double *G)
{
    G[0] = z[0] + z[0] * z[0] * z[0] / 3 - y[0] * z[1];
    G[1] = z[1] * (2 + y[1] * y[1]) - y[0];
}

static inline int reaction_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    double x[4], F[2], c = cosh(2 * t - 1);
    (void)context;
    reaction_exact(t, x);
    reaction_drift(x, x + 2, F);
    reaction_drift(y, z, f);
    f[0] += -0.5 * exp(-t) * (cos(3 * t) + 3 * sin(3 * t)) - F[0];
    f[1] += 0.6 / (c * c) - F[1];
    return 0;
}

static inline int reaction_constraint(double t, const double *y, const double *z, double *g,
                                      void *context)
{
    double x[4], G[2];
    (void)context;
    reaction_exact(t, x);
    reaction_balance(x, x + 2, G);
    reaction_balance(y, z, g);
    for (int i = 0; i < 2; i++) g[i] -= G[i];
    return 0;
}

static inline int reaction_create(keel_problem **problem)
{
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 2, .rhs = reaction_rhs, .constraint = reaction_constraint});
}

/* ---- circuit ------------------------------------------------------------------------------- */

static const double circuit_capacitance = 0.6;

static inline double circuit_source(double t) { return sin(3 * t) + 0.3 * sin(7 * t); }
static inline double circuit_source_rate(double t) { return 3 * cos(3 * t) + 2.1 * cos(7 * t); }

static inline void circuit_exact(double t, double *x)
{
    double E = circuit_source(t);
    x[0] = E;
    x[1] = 0.5 * exp(-0.5 * t) + 0.3 * cos(4 * t);
    x[2] = circuit_capacitance * circuit_source_rate(t) + E - x[1] + E * E * E / 2;
}

static inline int circuit_rhs(double t, const double *v, const double *i, double *f, void *context)
{
    double x[3];
    (void)context;
    circuit_exact(t, x);
    f[0] = (i[0] - (v[0] - v[1]) - v[0] * v[0] * v[0] / 2) / circuit_capacitance;
    f[1] = (v[0] - v[1]) - (x[0] - x[1]) - (sinh(v[1]) - sinh(x[1])) / 2
         - 0.25 * exp(-0.5 * t) - 1.2 * sin(4 * t);
    return 0;
}

static inline int circuit_constraint(double t, const double *v, double *g, void *context)
{
    (void)context;
    g[0] = v[0] - circuit_source(t);
    return 0;
}

static inline int circuit_jacobian(double t, const double *v, double *g_v, void *context)
{
    (void)t, (void)v, (void)context;
    g_v[0] = 1, g_v[1] = 0;
    return 0;
}

static inline int circuit_time(double t, const double *v, double *g_t, void *context)
{
    (void)v, (void)context;
    g_t[0] = -circuit_source_rate(t);
    return 0;
}

static inline int circuit_create(keel_problem **problem)
{
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){
        .differential = 2, .multipliers = 1, .rhs = circuit_rhs, .constraint = circuit_constraint,
        .constraint_jacobian = circuit_jacobian, .constraint_time = circuit_time});
}

/* ---- sphere -------------------------------------------------------------------------------- */

/* A direction by its two angles a and b, with the first and second derivatives of both. */
static inline void sphere_motion(double t, double *q, double *v, double *w)
{
    double a = 1.2 + 0.3 * sin(2 * t), a1 = 0.6 * cos(2 * t), a2 = -1.2 * sin(2 * t);
    double b = 0.8 * t + 0.1 * cos(3 * t), b1 = 0.8 - 0.3 * sin(3 * t), b2 = -0.9 * cos(3 * t);
    double sa = sin(a), ca = cos(a), sb = sin(b), cb = cos(b);
    double r1 = ca * a1, r2 = ca * a2 - sa * a1 * a1;        /* derivatives of sin a */
    q[0] = sa * cb, q[1] = sa * sb, q[2] = ca;
    v[0] = r1 * cb - sa * sb * b1;
    v[1] = r1 * sb + sa * cb * b1;
    v[2] = -sa * a1;
    w[0] = r2 * cb - 2 * r1 * sb * b1 - sa * (cb * b1 * b1 + sb * b2);
    w[1] = r2 * sb + 2 * r1 * cb * b1 - sa * (sb * b1 * b1 - cb * b2);
    w[2] = -sa * a2 - ca * a1 * a1;
}

static inline void sphere_exact(double t, double *x)
{
    double w[3];
    sphere_motion(t, x, x + 3, w);
    x[6] = 2 + cos(1.3 * t);
}

static inline int sphere_mass(double t, const double *q, double *M, void *context)
{
    (void)t, (void)context;
    memset(M, 0, 9 * sizeof *M);
    for (int i = 0; i < 3; i++) M[4 * i] = 1 + 0.3 * i + 0.2 * q[i] * q[i];
    M[1] = M[3] = 0.1 * q[2];
    return 0;
}

static inline int sphere_force(double t, const double *q, const double *v, double *f, void *context)
{
    double x[7], position[3], velocity[3], w[3], M[9];
    sphere_exact(t, x);
    sphere_motion(t, position, velocity, w);
    sphere_mass(t, q, M, context);
    for (int i = 0; i < 3; i++) {
        f[i] = q[i] * x[6] - 3 * sin(q[i] - x[i]) - 0.5 * sinh(v[i] - x[3 + i]);
        for (int j = 0; j < 3; j++) f[i] += M[3 * i + j] * w[j];
    }
    return 0;
}

static inline int sphere_constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2;
    return 0;
}

static inline int sphere_jacobian(double t, const double *q, double *G, void *context)
{
    (void)t, (void)context;
    memcpy(G, q, 3 * sizeof *G);
    return 0;
}

static inline int sphere_create(keel_problem **problem)
{
    return keel_mechanical(problem, &(keel_mechanical_spec){
        .positions = 3, .constraints = 1, .mass = sphere_mass, .force = sphere_force,
        .constraint = sphere_constraint, .constraint_jacobian = sphere_jacobian});
}

/* ---- all ------------------------------------------------------------------------------------ */

static const tolerance_problem tolerance_problems[] = {
    {"order-ode", NULL, NULL, 2, 1, {3}},
    {"order-index1", NULL, NULL, 2, 2, {2, 4}},
    {"order-index2", NULL, NULL, 2, 2, {3, 4}},
    {"order-index2-nonlinear", NULL, NULL, 2, 2, {3, 4}},
    {"order-index3", NULL, NULL, 2, 3, {3, 5, 6}},
    {"order-index3-nonlinear", NULL, NULL, 2, 3, {3, 5, 6}},
    {"order-mechanical", NULL, NULL, 2, 3, {3, 6, 7}},
    {"order-levelled", NULL, NULL, 2, 1, {0}},
    {"reaction", reaction_create, reaction_exact, 3, 2, {2, 4}},
    {"circuit", circuit_create, circuit_exact, 3, 2, {2, 3}},
    {"sphere", sphere_create, sphere_exact, 3, 3, {3, 6, 7}},
};

enum { TOLERANCE_PROBLEMS = sizeof tolerance_problems / sizeof *tolerance_problems };

/* A problem with its exact solution, bundled or not. */
typedef struct tolerance_case {
    const tolerance_problem *problem;
    const bundled_problem *bundled;
    double parameters[8];
    keel_problem *keel;
    int groups, end[TOLERANCE_GROUPS];
} tolerance_case;

static inline void tolerance_open(tolerance_case *c, const tolerance_problem *p)
{
    *c = (tolerance_case){.problem = p, .groups = p->groups};
    if (!p->create) c->bundled = bundled_problem_find(p->name);
    for (int i = 0; c->bundled && i < c->bundled->parameter_count; i++)
        c->parameters[i] = c->bundled->parameters[i].value;
    int rc = p->create ? p->create(&c->keel) : c->bundled->create(&c->keel, c->parameters);
    if (rc) fail_msg("%s: %s", p->name, keel_problem_message(c->keel));
    memcpy(c->end, p->end, sizeof c->end);
    if (c->end[0] == 0) c->end[0] = keel_problem_size(c->keel);
}

static inline void tolerance_exact(const tolerance_case *c, double t, double *x)
{
    if (c->bundled) c->bundled->exact(c->parameters, t, x);
    else c->problem->exact(t, x);
}

/* Raises the errors of the groups by those of y at t. */
static inline void tolerance_compare(const tolerance_case *c, double t, const double *y, double tol,
                                     double *error)
{
    double x[TOLERANCE_UNKNOWNS];
    tolerance_exact(c, t, x);
    for (int k = 0, i = 0; k < c->groups; k++)
        for (; i < c->end[k]; i++) {
            double e = fabs(y[i] - x[i]) / (tol + tol * fabs(x[i]));
            if (!(e <= error[k])) error[k] = e;
        }
}

/* Largest errors of a run: at every accepted point of one that knows its end alone, and at twenty stop
 * times of another.  Returns the status, of creation or of the run. */
static inline int tolerance_run(const tolerance_case *c, const char *method, double tol,
                                double error[TOLERANCE_GROUPS])
{
    int rc = KEEL_OK;
    for (int stops = 0; stops < 2 && !rc; stops++) {
        double y[TOLERANCE_UNKNOWNS], t_end = c->problem->t_end;
        keel_solver *s = NULL;
        if (stops == 0) memset(error, 0, TOLERANCE_GROUPS * sizeof *error);
        tolerance_exact(c, 0, y);
        rc = keel_solver_create(&s, c->keel, &(keel_options){.method = method, .rtol = tol,
                                                             .atol = tol});
        if (!rc) rc = keel_start(s, 0, y);
        if (!rc && !stops) rc = keel_set_stop_time(s, t_end);
        for (int k = 1; stops && k <= TOLERANCE_TIMES + 1 && !rc; k++) {
            rc = keel_advance_to(s, k * t_end / (TOLERANCE_TIMES + 1));
            if (!rc) tolerance_compare(c, keel_time(s), keel_state(s), tol, error);
        }
        while (!stops && !rc && keel_time(s) < t_end) {
            rc = keel_step(s);
            if (!rc) tolerance_compare(c, keel_time(s), keel_state(s), tol, error);
        }
        keel_solver_free(s);
    }
    return rc;
}

/* The acceptance: no group of the problem is off by more than `most` tolerances, at 1e-4 .. 1e-10. */
static inline void tolerance_expect(const tolerance_problem *p, const char *method, double most)
{
    tolerance_case c;
    tolerance_open(&c, p);
    for (int digits = 4; digits <= 10; digits++) {
        double error[TOLERANCE_GROUPS], tol = pow(10, -digits);
        int rc = tolerance_run(&c, method, tol, error);
        if (rc) fail_msg("%s on %s at %g: %s", method, p->name, tol, keel_status_name(rc));
        for (int k = 0; k < c.groups; k++)
            if (!(error[k] <= most))
                fail_msg("%s on %s at %g: group %d is off by %.3g tolerances", method, p->name, tol,
                         k, error[k]);
    }
    keel_problem_free(c.keel);
}

#endif
