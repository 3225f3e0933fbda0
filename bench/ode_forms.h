/* ode_forms.h -- the bundled problems as y' = F(t,y), for codes that know no constraints.
 *
 *   mechanical      q' = v,  v' = M^-1 (f - G^T l),  S l = G M^-1 f + gamma,  S = G M^-1 G^T
 *   semi-explicit   y' = f(t,y,z(t,y)) where g is linear in a single z, with a constant slope
 *
 * Accelerations are eliminated as by somebody who wants them cheap: M = L L^T, W = L^-1 G^T,
 * S = W^T W, all without a library, because these matrices have two to seven rows.  A projection moves
 * q by M^-1 G^T d and then v, d from S of the point before; so the constraints hold to rounding after
 * a step, as they do in Keel.
 */
#ifndef KEEL_BENCH_ODE_FORMS_H
#define KEEL_BENCH_ODE_FORMS_H

#include <cvode/cvode.h>

#include "bench/ida_forms.h"

/* One problem as an ODE.  One of the specs is set. */
typedef struct ode_form {
    const char *name;
    CVRhsFn rhs;                             /* ARKODE's are the same */
    const keel_mechanical_spec *mechanical;
    const keel_semi_explicit_spec *semi_explicit;
    double slope;                            /* dg/dz of semi_explicit */
    int size, projected;
} ode_form;

/* The values of a point with the factors L of M and of S, and the rows (L^-1 G_k^T)^T of W. */
typedef struct elimination {
    mechanical_values at;
    double W[MAX_M * MAX_N], S[MAX_M * MAX_M];
    int unit_mass;
} elimination;

static inline double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* A = L L^T, L in the place of the lower triangle, with reciprocals on its diagonal. */
static int cholesky(int n, double *A)
{
    for (int i = 0; i < n; i++) {
        double *row = A + i * n;
        for (int j = 0; j < i; j++) row[j] = (row[j] - dot(j, row, A + j * n)) * A[j * n + j];
        const double pivot = row[i] - dot(i, row, row);
        if (!(pivot > 0)) return 1;
        row[i] = 1 / sqrt(pivot);
    }
    return 0;
}

/* x = L^-1 x */
static void lower_solve(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++) x[i] = (x[i] - dot(i, L + i * n, x)) * L[i * n + i];
}

/* x = L^-T x */
static void upper_solve(int n, const double *L, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        x[i] *= L[i * n + i];
        for (int k = 0; k < i; k++) x[k] -= L[i * n + k] * x[i];
    }
}

/* From M and G in e->at. */
static int eliminate(const keel_mechanical_spec *s, elimination *e)
{
    const int n = s->positions, m = s->constraints;
    e->unit_mass = !s->evaluate && !s->mass;
    if (!e->unit_mass && cholesky(n, e->at.M)) return 1;
    memcpy(e->W, e->at.G, (size_t)(m * n) * sizeof *e->W);
    for (int k = 0; k < m; k++) {
        if (!e->unit_mass) lower_solve(n, e->at.M, e->W + k * n);
        for (int j = 0; j <= k; j++) e->S[k * m + j] = dot(n, e->W + k * n, e->W + j * n);
    }
    return cholesky(m, e->S);
}

/* x = L^-T (x - W^T S^-1 r), r being lost. */
static void constrained(const keel_mechanical_spec *s, const elimination *e, double *r, double *x)
{
    const int n = s->positions, m = s->constraints;
    lower_solve(m, e->S, r);
    upper_solve(m, e->S, r);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++) x[i] -= e->W[k * n + i] * r[k];
    if (!e->unit_mass) upper_solve(n, e->at.M, x);
}

static int accelerations(double t, N_Vector y_, N_Vector yp_, void *form_)
{
    const keel_mechanical_spec *s = ((const ode_form *)form_)->mechanical;
    const double *y = N_VGetArrayPointer(y_);
    double *yp = N_VGetArrayPointer(yp_), r[MAX_M];
    const int n = s->positions;
    elimination e;
    if (mechanical_evaluate(s, t, y, y + n, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN
                            | KEEL_CURVATURE, &e.at) || eliminate(s, &e)) return 1;
    if (!e.unit_mass) lower_solve(n, e.at.M, e.at.f);
    constraint_rows(s, e.W, e.at.f, e.at.gamma, r);
    constrained(s, &e, r, e.at.f);
    memcpy(yp, y + n, (size_t)n * sizeof *yp);
    memcpy(yp + n, e.at.f, (size_t)n * sizeof *yp);
    return 0;
}

/* The pendulum's, on paper: |q| = 1 makes S = 4. */
static int pendulum_by_hand(double t, N_Vector y_, N_Vector yp_, void *form_)
{
    const double *gravity = ((const ode_form *)form_)->mechanical->context;
    const double *y = N_VGetArrayPointer(y_);
    double *yp = N_VGetArrayPointer(yp_);
    const double twice_l = y[2] * y[2] + y[3] * y[3] - *gravity * y[1];
    (void)t;
    yp[0] = y[2];
    yp[1] = y[3];
    yp[2] = -twice_l * y[0];
    yp[3] = -twice_l * y[1] - *gravity;
    return 0;
}

/* Newton's method with the S of one point: a correction is as many times smaller than the one before as
 * the first is small, so that after one below CLOSE the next would be rounding. */
enum { MOST_CORRECTIONS = 8 };
static const double CLOSE = 1e-9;

/* x -= M^-1 G^T S^-1 r; how far that was. */
static double move_along_forces(const keel_mechanical_spec *s, const elimination *e, double *r, double *x)
{
    double step[MAX_N] = {0}, far = 0;
    constrained(s, e, r, step);
    for (int i = 0; i < s->positions; i++) {
        x[i] += step[i];
        far = fmax(far, fabs(step[i]));
    }
    return far;
}

/* The point y = (q,v) goes onto 0 = g and 0 = G v + g_t; `e` keeps the factors of the old one. */
static int onto_constraints(const keel_mechanical_spec *s, double t, double *y, elimination *e)
{
    double *q = y, *v = y + s->positions, r[MAX_M], far = INFINITY;
    if (mechanical_evaluate(s, t, q, v, KEEL_MASS | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN, &e->at)
        || eliminate(s, e)) return 1;
    for (int k = 0; far > CLOSE; k++) {
        if (k == MOST_CORRECTIONS) return 1;
        if (k > 0 && mechanical_evaluate(s, t, q, v, KEEL_CONSTRAINT, &e->at)) return 1;
        far = move_along_forces(s, e, e->at.g, q);
    }
    if (mechanical_evaluate(s, t, q, v, KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME, &e->at)) return 1;
    far = INFINITY;
    for (int k = 0; far > CLOSE; k++) {
        if (k == MOST_CORRECTIONS) return 1;
        constraint_rows(s, e->at.G, v, e->at.g_t, r);
        far = move_along_forces(s, e, r, v);
    }
    return 0;
}

/* After a step of ARKODE. */
static int project_step(double t, N_Vector y, void *form)
{
    elimination e;
    return onto_constraints(((const ode_form *)form)->mechanical, t, N_VGetArrayPointer(y), &e);
}

/* In a step of CVODE: the correction, and the estimated error without its part across the constraints. */
static int project_correction(double t, N_Vector y_, N_Vector correction_, double close, N_Vector error_,
                              void *form_)
{
    const keel_mechanical_spec *s = ((const ode_form *)form_)->mechanical;
    const double *y = N_VGetArrayPointer(y_);
    double *correction = N_VGetArrayPointer(correction_), z[2 * MAX_N], r[MAX_M];
    const double zero[MAX_M] = {0};
    const int n = s->positions;
    elimination e;
    (void)close;
    memcpy(z, y, (size_t)(2 * n) * sizeof *z);
    if (onto_constraints(s, t, z, &e)) return 1;
    for (int i = 0; i < 2 * n; i++) correction[i] = z[i] - y[i];
    for (int level = 0; error_ && level < 2; level++) {
        double *error = N_VGetArrayPointer(error_) + level * n;
        constraint_rows(s, e.at.G, error, zero, r);
        move_along_forces(s, &e, r, error);
    }
    return 0;
}

/* z from g = 0, which is linear in it: g(t,y,z) = g(t,y,0) + slope z. */
static int algebraic(const ode_form *form, double t, const double *y, double *z)
{
    const keel_semi_explicit_spec *s = form->semi_explicit;
    double g;
    *z = 0;
    if (s->constraint(t, y, z, &g, s->context)) return 1;
    *z = -g / form->slope;
    return 0;
}

static int rates(double t, N_Vector y_, N_Vector yp, void *form_)
{
    const keel_semi_explicit_spec *s = ((const ode_form *)form_)->semi_explicit;
    const double *y = N_VGetArrayPointer(y_);
    double z;
    return algebraic(form_, t, y, &z) || s->rhs(t, y, &z, N_VGetArrayPointer(yp), s->context);
}

#endif
