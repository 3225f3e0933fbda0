/* forms.h -- a small nonlinear problem with a known solution for every form.
 *
 *   ODE            y = (1/(1+t), e^(t/2))             y1' = -y1^2 y2^2 e^-t, y2' = y2 y1 (1+t)/2
 *   semi-explicit  y = z = 1/(1+t)                    y' = -y z, 0 = z^3 + z - y/(1+t)^2 - y
 *   Hessenberg 2   (e^t, e^-2t; e^2t)                 [Hairer, Lubich & Roche 1989, ch. 8 type]
 *   Hessenberg 3   (e^2t, e^-t; e^2t, e^-t; e^t)      likewise, k linear or quadratic in l
 *   quasilinear    as the ODE, with a singular constant or state-dependent mass matrix
 *   implicit       as the ODE, y1' + y1'^3 = ..., second equation algebraic
 *   proper         x as the ODE, A = (1+x1^2; x2), d = (1+t) x1^2 x2 = e^(t/2)/(1+t), index 1
 *   mechanical     see mechanism.h
 */
#ifndef KEEL_TEST_SUPPORT_FORMS_H
#define KEEL_TEST_SUPPORT_FORMS_H

#include <stddef.h>

#include "test/support/mechanism.h"
#include "test/support/probe.h"

typedef struct form {
    const char *name;
    int size;
    int (*make)(keel_problem **problem, derivatives d, probe *context);
    void (*exact)(double t, double *y);
} form;

/* ---- ODE ---------------------------------------------------------------------------------- */

static inline void ode_exact(double t, double *y)
{
    y[0] = 1 / (1 + t);
    y[1] = exp(t / 2);
}

static inline int ode_rhs(double t, const double *y, double *f, void *context)
{
    f[0] = -y[0] * y[0] * y[1] * y[1] * exp(-t);
    f[1] = 0.5 * y[1] * y[0] * (1 + t);
    return probed(context, RHS, t, f, 2);
}

static inline int ode_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    keel_put(J, 0, 0, -2 * y[0] * y[1] * y[1] * exp(-t));
    keel_put(J, 0, 1, -2 * y[0] * y[0] * y[1] * exp(-t));
    keel_put(J, 1, 0, 0.5 * y[1] * (1 + t));
    keel_put(J, 1, 1, 0.5 * y[0] * (1 + t));
    return probed_matrix(context, JACOBIAN, t, J);
}

static inline int make_ode(keel_problem **problem, derivatives d, probe *context)
{
    return keel_ode(problem, &(keel_ode_spec){.size = 2, .rhs = ode_rhs,
        .jacobian = d == GIVEN ? ode_jacobian : NULL, .context = context});
}

/* ---- semi-explicit ------------------------------------------------------------------------ */

static inline void semi_exact(double t, double *y) { y[0] = y[1] = 1 / (1 + t); }

static inline int semi_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    f[0] = -y[0] * z[0];
    return probed(context, RHS, t, f, 1);
}

static inline int semi_constraint(double t, const double *y, const double *z, double *g,
                                  void *context)
{
    g[0] = z[0] * z[0] * z[0] + z[0] - y[0] / ((1 + t) * (1 + t)) - y[0];
    return probed(context, CONSTRAINT, t, g, 1);
}

static inline int semi_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                                void *context)
{
    keel_put(J, 0, 0, -z[0]);
    keel_put(J, 0, 1, -y[0]);
    keel_put(J, 1, 0, -1 / ((1 + t) * (1 + t)) - 1);
    keel_put(J, 1, 1, 3 * z[0] * z[0] + 1);
    return probed_matrix(context, JACOBIAN, t, J);
}

static inline int make_semi(keel_problem **problem, derivatives d, probe *context)
{
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){.differential = 1,
        .algebraic = 1, .rhs = semi_rhs, .constraint = semi_constraint,
        .jacobian = d == GIVEN ? semi_jacobian : NULL, .context = context});
}

/* ---- Hessenberg 2 ------------------------------------------------------------------------- */

static inline void hess2_exact(double t, double *y)
{
    y[0] = exp(t);
    y[1] = exp(-2 * t);
    y[2] = exp(2 * t);
}

static inline int hess2_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    double a = y[0], b = y[1];
    f[0] = a * b * b * z[0] * z[0];
    f[1] = a * a * b * b - 3 * b * b * z[0];
    return probed(context, RHS, t, f, 2);
}

static inline int hess2_constraint(double t, const double *y, double *g, void *context)
{
    g[0] = y[0] * y[0] * y[1] - 1;
    return probed(context, CONSTRAINT, t, g, 1);
}

static inline int hess2_g_y(double t, const double *y, double *G, void *context)
{
    G[0] = 2 * y[0] * y[1];
    G[1] = y[0] * y[0];
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 2);
}

static inline int zero_g_t(double t, const double *y, double *g_t, void *context)
{
    (void)y;
    g_t[0] = 0;
    return probed(context, CONSTRAINT_TIME, t, g_t, 1);
}

static inline int hess2_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                                 void *context)
{
    double a = y[0], b = y[1], c = z[0];
    keel_put(J, 0, 0, b * b * c * c);
    keel_put(J, 0, 1, 2 * a * b * c * c);
    keel_put(J, 0, 2, 2 * a * b * b * c);
    keel_put(J, 1, 0, 2 * a * b * b);
    keel_put(J, 1, 1, 2 * a * a * b - 6 * b * c);
    keel_put(J, 1, 2, -3 * b * b);
    keel_put(J, 2, 0, 2 * a * b);
    keel_put(J, 2, 1, a * a);
    return probed_matrix(context, JACOBIAN, t, J);
}

static inline int make_hess2(keel_problem **problem, derivatives d, probe *context)
{
    int given = d == GIVEN;
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
        .rhs = hess2_rhs, .constraint = hess2_constraint,
        .constraint_jacobian = given ? hess2_g_y : NULL, .constraint_time = given ? zero_g_t : NULL,
        .jacobian = given ? hess2_jacobian : NULL, .context = context});
}

/* ---- Hessenberg 3 ------------------------------------------------------------------------- */

static inline void hess3_exact(double t, double *y)
{
    y[0] = y[2] = exp(2 * t);
    y[1] = y[3] = exp(-t);
    y[4] = exp(t);
}

static inline int hess3_position(double t, const double *u, const double *v, double *f,
                                 void *context)
{
    f[0] = 2 * u[0] * u[1] * v[0] * v[1];
    f[1] = -u[0] * u[1] * v[1] * v[1];
    return probed(context, POSITION_RATE, t, f, 2);
}

static inline int hess3_velocity(double t, const double *u, const double *v, const double *l,
                                 double *k, void *context)
{
    const probe *p = context;
    double x = l[0];
    k[0] = (u[0] * u[1] + v[0] * v[1]) * x;
    k[1] = -u[0] * u[1] * u[1] * v[1] * v[1] * (p->nonlinear_multiplier ? v[1] * x * x : x);
    return probed(context, VELOCITY_RATE, t, k, 2);
}

static inline int hess3_constraint(double t, const double *u, double *g, void *context)
{
    g[0] = u[0] * u[1] * u[1] - 1;
    return probed(context, CONSTRAINT, t, g, 1);
}

static inline int hess3_g_u(double t, const double *u, double *G, void *context)
{
    G[0] = u[1] * u[1];
    G[1] = 2 * u[0] * u[1];
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 2);
}

static inline int hess3_jacobian(double t, const double *u, const double *v, const double *l,
                                 keel_matrix *J, void *context)
{
    const probe *p = context;
    double a = u[0], b = u[1], c = v[0], d = v[1], x = l[0];
    double power = p->nonlinear_multiplier ? d * d * d * x * x : d * d * x;
    double by_d = p->nonlinear_multiplier ? 3 * d * d * x * x : 2 * d * x;
    double by_x = p->nonlinear_multiplier ? 2 * d * d * d * x : d * d;
    double rows[5][5] = {
        {2 * b * c * d, 2 * a * c * d, 2 * a * b * d, 2 * a * b * c, 0},
        {-b * d * d, -a * d * d, 0, -2 * a * b * d, 0},
        {b * x, a * x, d * x, c * x, a * b + c * d},
        {-b * b * power, -2 * a * b * power, 0, -a * b * b * by_d, -a * b * b * by_x},
        {b * b, 2 * a * b, 0, 0, 0}};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            if (rows[i][j] != 0) keel_put(J, i, j, rows[i][j]);
    return probed_matrix(context, JACOBIAN, t, J);
}

static inline int make_hess3(keel_problem **problem, derivatives d, probe *context)
{
    int given = d == GIVEN;
    return keel_hessenberg3(problem, &(keel_hessenberg3_spec){.positions = 2, .velocities = 2,
        .multipliers = 1, .position_rate = hess3_position, .velocity_rate = hess3_velocity,
        .constraint = hess3_constraint, .constraint_jacobian = given ? hess3_g_u : NULL,
        .constraint_time = given ? zero_g_t : NULL, .jacobian = given ? hess3_jacobian : NULL,
        .context = context});
}

/* ---- quasilinear -------------------------------------------------------------------------- */

/* [1 2; 1/2 1] y' = f: the second row minus half the first is y1 y2 = e^(t/2)/(1+t). */
static inline int constant_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)y;
    keel_put(M, 0, 0, 1);
    keel_put(M, 0, 1, 2);
    keel_put(M, 1, 0, 0.5);
    keel_put(M, 1, 1, 1);
    return probed_matrix(context, MASS, t, M);
}

static inline int constant_mass_rhs(double t, const double *y, double *f, void *context)
{
    f[0] = -y[0] * y[0] + y[1] * y[1] * y[1] * exp(-t);
    f[1] = 0.5 * f[0] + y[0] * y[1] - exp(t / 2) / (1 + t);
    return probed(context, RHS, t, f, 2);
}

static inline int constant_mass_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    double by_a = -2 * y[0], by_b = 3 * y[1] * y[1] * exp(-t);
    keel_put(J, 0, 0, by_a);
    keel_put(J, 0, 1, by_b);
    keel_put(J, 1, 0, 0.5 * by_a + y[1]);
    keel_put(J, 1, 1, 0.5 * by_b + y[0]);
    return probed_matrix(context, JACOBIAN, t, J);
}

static inline int make_constant_mass(keel_problem **problem, derivatives d, probe *context)
{
    return keel_quasilinear(problem, &(keel_quasilinear_spec){.size = 2, .mass = constant_mass,
        .constant_mass = 1, .rhs = constant_mass_rhs,
        .jacobian = d == GIVEN ? constant_mass_jacobian : NULL, .context = context});
}

/* [1+y1^2, y2/2; 0 0] y' = f */
static inline int state_mass(double t, const double *y, keel_matrix *M, void *context)
{
    keel_put(M, 0, 0, 1 + y[0] * y[0]);
    keel_put(M, 0, 1, 0.5 * y[1]);
    return probed_matrix(context, MASS, t, M);
}

static inline int state_mass_rhs(double t, const double *y, double *f, void *context)
{
    f[0] = -(1 + y[0] * y[0]) * y[0] * y[0] + 0.25 * y[1] * y[1];
    f[1] = 0.5 * (y[0] * y[0] - 1 / ((1 + t) * (1 + t))) + 2 * (y[1] - exp(t / 2));
    return probed(context, RHS, t, f, 2);
}

static inline int state_mass_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    keel_put(J, 0, 0, -2 * y[0] - 4 * y[0] * y[0] * y[0]);
    keel_put(J, 0, 1, 0.5 * y[1]);
    keel_put(J, 1, 0, y[0]);
    keel_put(J, 1, 1, 2);
    return probed_matrix(context, JACOBIAN, t, J);
}

static inline int state_mass_product(double t, const double *y, const double *w, keel_matrix *J,
                                     void *context)
{
    keel_add(J, 0, 0, -2 * y[0] * w[0]);
    keel_add(J, 0, 1, -0.5 * w[1]);
    return probed_matrix(context, MASS_JACOBIAN, t, J);
}

static inline int make_state_mass(keel_problem **problem, derivatives d, probe *context)
{
    int given = d == GIVEN;
    return keel_quasilinear(problem, &(keel_quasilinear_spec){.size = 2, .mass = state_mass,
        .rhs = state_mass_rhs, .jacobian = given ? state_mass_jacobian : NULL,
        .mass_jacobian = given ? state_mass_product : NULL, .context = context});
}

/* ---- implicit ----------------------------------------------------------------------------- */

static inline int implicit_residual_of(double t, const double *y, const double *p, double *F,
                                       void *context)
{
    double a = y[0], a2 = a * a;
    F[0] = p[0] + p[0] * p[0] * p[0] + (a2 + a2 * a2 * a2) * y[1] * y[1] * exp(-t);
    F[1] = y[1] * y[1] * y[1] * exp(-t) - y[1] + a - 1 / (1 + t);
    return probed(context, RESIDUAL, t, F, 2);
}

static inline int implicit_jacobian_of(double t, const double *y, const double *p, double shift,
                                       keel_matrix *J, void *context)
{
    double a = y[0], a2 = a * a, b = y[1], e = exp(-t);
    keel_put(J, 0, 0, (2 * a + 6 * a2 * a2 * a) * b * b * e + shift * (1 + 3 * p[0] * p[0]));
    keel_put(J, 0, 1, 2 * (a2 + a2 * a2 * a2) * b * e);
    keel_put(J, 1, 0, 1);
    keel_put(J, 1, 1, 3 * b * b * e - 1);
    return probed_matrix(context, JACOBIAN, t, J);
}

static inline int make_implicit(keel_problem **problem, derivatives d, probe *context)
{
    return keel_implicit(problem, &(keel_implicit_spec){.size = 2,
        .residual = implicit_residual_of, .jacobian = d == GIVEN ? implicit_jacobian_of : NULL,
        .context = context});
}

/* ---- proper ------------------------------------------------------------------------------- */

static inline void proper_exact(double t, double *y)
{
    ode_exact(t, y);
    y[2] = exp(t / 2) / (1 + t);
}

static inline int proper_matrix(double t, const double *x, double *A, void *context)
{
    A[0] = 1 + x[0] * x[0];
    A[1] = x[1];
    return probed(context, LEADING_MATRIX, t, A, 2);
}

static inline int proper_term(double t, const double *x, double *d, void *context)
{
    d[0] = (1 + t) * x[0] * x[0] * x[1];
    return probed(context, LEADING_TERM, t, d, 1);
}

static inline int proper_term_jacobian(double t, const double *x, double *d_x, void *context)
{
    d_x[0] = 2 * (1 + t) * x[0] * x[1];
    d_x[1] = (1 + t) * x[0] * x[0];
    return probed(context, LEADING_TERM_JACOBIAN, t, d_x, 2);
}

/* b = -A q + (0, g) with q = d' of the solution, so that 0 = g = x2^2 e^-t - 1 + x1 - 1/(1+t). */
static inline int proper_rest(double t, const double *x, double *b, void *context)
{
    double q = (1 + t) * x[0] * x[0] * x[1] * (0.5 - x[0]);
    b[0] = -(1 + x[0] * x[0]) * q;
    b[1] = -x[1] * q + x[1] * x[1] * exp(-t) - 1 + x[0] - 1 / (1 + t);
    return probed(context, REST, t, b, 2);
}

static inline int proper_jacobian(double t, const double *x, const double *w, keel_matrix *J,
                                  void *context)
{
    double a = x[0], b = x[1], q = (1 + t) * a * a * b * (0.5 - a);
    double by_a = (1 + t) * b * (a - 3 * a * a), by_b = (1 + t) * a * a * (0.5 - a);
    keel_put(J, 0, 0, 2 * a * (w[0] - q) - (1 + a * a) * by_a);
    keel_put(J, 0, 1, -(1 + a * a) * by_b);
    keel_put(J, 1, 0, 1 - b * by_a);
    keel_put(J, 1, 1, w[0] - q - b * by_b + 2 * b * exp(-t));
    return probed_matrix(context, JACOBIAN, t, J);
}

static inline int make_proper(keel_problem **problem, derivatives d, probe *context)
{
    int given = d == GIVEN;
    return keel_proper(problem, &(keel_proper_spec){.size = 2, .leading = 1,
        .leading_matrix = proper_matrix, .leading_term = proper_term, .rest = proper_rest,
        .leading_term_jacobian = given ? proper_term_jacobian : NULL,
        .jacobian = given ? proper_jacobian : NULL, .context = context});
}

/* ---- all of them -------------------------------------------------------------------------- */

enum { FORM_ODE, FORM_SEMI, FORM_HESS2, FORM_HESS3, FORM_SEPARATE, FORM_EVALUATE,
       FORM_CONSTANT_MASS, FORM_STATE_MASS, FORM_IMPLICIT, FORM_PROPER, FORMS, LARGEST_FORM = 5 };

static const form forms[FORMS] = {
    {"ODE", 2, make_ode, ode_exact},
    {"semi-explicit", 2, make_semi, semi_exact},
    {"Hessenberg 2", 3, make_hess2, hess2_exact},
    {"Hessenberg 3", 5, make_hess3, hess3_exact},
    {"mechanical, separate callbacks", 5, make_separate, mechanism_exact},
    {"mechanical, evaluate", 5, make_evaluate, mechanism_exact},
    {"quasilinear, constant mass", 2, make_constant_mass, ode_exact},
    {"quasilinear, mass of the state", 2, make_state_mass, ode_exact},
    {"implicit", 2, make_implicit, ode_exact},
    {"proper", 3, make_proper, proper_exact},
};

#endif
