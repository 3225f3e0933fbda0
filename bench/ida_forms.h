/* ida_forms.h -- the bundled problems as F(t,y,y') = 0, in the forms that IDA can integrate.
 *
 *   index 1   q' = v,            M v' = f - G^T l,  0 = G v' + gamma           y = (q,v,l)
 *     with w  q' = v,  v' = w,   M w = f - G^T l,   0 = G w + gamma            y = (q,v,l,w)
 *   index 2   q' = v,            M v' = f - G^T l,  0 = G v + g_t              y = (q,v,l)
 *   GGL       q' = v - G^T m,    M v' = f - G^T l,  0 = g,  0 = G v + g_t      y = (q,v,l,m)
 *     with M  M q' = M v - G^T m, the rest as before
 *   given     y' = f(t,y,z),     0 = g(t,y,z)                                  y = (y,z)
 *   coupled   M y' = f(t,y) with blocks C [1 -1; -1 1]: see residual_coupled
 *
 * Stabilized after Baumgarte (Comput. Methods Appl. Mech. Eng. 1 (1972) 1-16), index 1 has
 * 0 = G v' + gamma + 2 a (G v + g_t) + a^2 g.  GGL: Gear, Gupta & Leimkuhler, J. Comput. Appl.
 * Math. 12 (1985) 77-90.  Jacobians are IDA's difference quotients, except in the given form.
 */
#ifndef KEEL_BENCH_IDA_FORMS_H
#define KEEL_BENCH_IDA_FORMS_H

#include <math.h>
#include <string.h>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "problems/circuits.h"

enum { MAX_N = 8, MAX_M = 8, MAX_SIZE = 2 * MAX_N + 2 * MAX_M };

/* One problem in one form.  Exactly one of the specs is set. */
typedef struct ida_form {
    const char *name;
    IDAResFn residual;
    IDALsJacFn jacobian;                     /* or NULL */
    int size;
    const keel_mechanical_spec *mechanical;
    const keel_semi_explicit_spec *semi_explicit;
    const keel_quasilinear_spec *quasilinear;
    double capacitance[MAX_SIZE];            /* quasilinear: see coupled_capacitance */
    double baumgarte;                        /* a; 0: not stabilized */
    int test_all;                            /* algebraic unknowns are in the error test too */
    double initial_step;                     /* 0: IDA's choice */
} ida_form;

typedef struct mechanical_values {
    double M[MAX_N * MAX_N], f[MAX_N], g[MAX_M], G[MAX_M * MAX_N], g_t[MAX_M], gamma[MAX_M];
} mechanical_values;

/* The wanted parts by whichever callbacks the spec has; M = I and g_t = 0 without one. */
static int mechanical_evaluate(const keel_mechanical_spec *s, double t, const double *q,
                               const double *v, unsigned wanted, mechanical_values *at)
{
    const int n = s->positions;
    int bad = 0;
    memset(at->g_t, 0, sizeof at->g_t);
    if (s->evaluate) {
        const keel_mechanical_parts parts = {at->M, at->f, at->g, at->G, at->g_t, at->gamma};
        return s->evaluate(t, q, v, wanted, &parts, s->context);
    }
    if ((wanted & KEEL_MASS) && s->mass) bad |= s->mass(t, q, at->M, s->context);
    else if (wanted & KEEL_MASS)
        for (int i = 0; i < n * n; i++) at->M[i] = i % (n + 1) == 0;
    if (wanted & KEEL_FORCE) bad |= s->force(t, q, v, at->f, s->context);
    if (wanted & KEEL_CONSTRAINT) bad |= s->constraint(t, q, at->g, s->context);
    if (wanted & KEEL_CONSTRAINT_JACOBIAN) bad |= s->constraint_jacobian(t, q, at->G, s->context);
    if ((wanted & KEEL_CONSTRAINT_TIME) && s->constraint_time)
        bad |= s->constraint_time(t, q, at->g_t, s->context);
    if (wanted & KEEL_CURVATURE) bad |= s->curvature(t, q, v, at->gamma, s->context);
    return bad;
}

/* F = (q' - v, M v' - f + G^T l); the rows of the constraints differ between the forms. */
static void newton_rows(const keel_mechanical_spec *s, const mechanical_values *at,
                        const double *y, const double *yp, double *F)
{
    const int n = s->positions, m = s->constraints;
    const double *l = y + 2 * n;
    for (int i = 0; i < n; i++) {
        double sum = -at->f[i];
        for (int j = 0; j < n; j++) sum += at->M[i * n + j] * yp[n + j];
        for (int k = 0; k < m; k++) sum += at->G[k * n + i] * l[k];
        F[i] = yp[i] - y[n + i];
        F[n + i] = sum;
    }
}

/* out_k = (G w)_k + b_k */
static void constraint_rows(const keel_mechanical_spec *s, const double *G, const double *w,
                            const double *b, double *out)
{
    const int n = s->positions;
    for (int k = 0; k < s->constraints; k++) {
        out[k] = b[k];
        for (int i = 0; i < n; i++) out[k] += G[k * n + i] * w[i];
    }
}

/* F_k += 2 a (G v + g_t)_k + a^2 g_k */
static void add_baumgarte(const keel_mechanical_spec *s, const mechanical_values *at, double a,
                          const double *v, double *F)
{
    double velocity[MAX_M];
    constraint_rows(s, at->G, v, at->g_t, velocity);
    for (int k = 0; k < s->constraints; k++) F[k] += a * (2 * velocity[k] + a * at->g[k]);
}

static int residual_index1(double t, N_Vector y_, N_Vector yp_, N_Vector F_, void *form_)
{
    const ida_form *form = form_;
    const keel_mechanical_spec *s = form->mechanical;
    const double *y = N_VGetArrayPointer(y_), *yp = N_VGetArrayPointer(yp_);
    double *F = N_VGetArrayPointer(F_);
    const int n = s->positions;
    const unsigned wanted = KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN | KEEL_CURVATURE;
    const unsigned more = form->baumgarte > 0 ? KEEL_CONSTRAINT | KEEL_CONSTRAINT_TIME : 0;
    mechanical_values at;
    if (mechanical_evaluate(s, t, y, y + n, wanted | more, &at)) return 1;
    newton_rows(s, &at, y, yp, F);
    constraint_rows(s, at.G, yp + n, at.gamma, F + 2 * n);
    if (form->baumgarte > 0) add_baumgarte(s, &at, form->baumgarte, y + n, F + 2 * n);
    return 0;
}

static int residual_index1w(double t, N_Vector y_, N_Vector yp_, N_Vector F_, void *form_)
{
    const keel_mechanical_spec *s = ((const ida_form *)form_)->mechanical;
    const double *y = N_VGetArrayPointer(y_), *yp = N_VGetArrayPointer(yp_);
    double *F = N_VGetArrayPointer(F_), with_w[2 * MAX_N];
    const int n = s->positions, m = s->constraints;
    const double *w = y + 2 * n + m;
    mechanical_values at;
    if (mechanical_evaluate(s, t, y, y + n, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN
                            | KEEL_CURVATURE, &at)) return 1;
    memcpy(with_w, yp, (size_t)n * sizeof *yp);
    memcpy(with_w + n, w, (size_t)n * sizeof *w);
    newton_rows(s, &at, y, with_w, F);
    constraint_rows(s, at.G, w, at.gamma, F + 2 * n);
    for (int i = 0; i < n; i++) F[2 * n + m + i] = yp[n + i] - w[i];
    return 0;
}

static int residual_index2(double t, N_Vector y_, N_Vector yp_, N_Vector F_, void *form_)
{
    const keel_mechanical_spec *s = ((const ida_form *)form_)->mechanical;
    const double *y = N_VGetArrayPointer(y_), *yp = N_VGetArrayPointer(yp_);
    double *F = N_VGetArrayPointer(F_);
    const int n = s->positions;
    mechanical_values at;
    if (mechanical_evaluate(s, t, y, y + n, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN
                            | KEEL_CONSTRAINT_TIME, &at)) return 1;
    newton_rows(s, &at, y, yp, F);
    constraint_rows(s, at.G, y + n, at.g_t, F + 2 * n);
    return 0;
}

/* The rows of q' take G^T m, after multiplication by M if `weighted`. */
static int ggl(double t, N_Vector y_, N_Vector yp_, N_Vector F_, const keel_mechanical_spec *s,
               int weighted)
{
    const double *y = N_VGetArrayPointer(y_), *yp = N_VGetArrayPointer(yp_);
    double *F = N_VGetArrayPointer(F_), slip[MAX_N];
    const int n = s->positions, m = s->constraints;
    mechanical_values at;
    if (mechanical_evaluate(s, t, y, y + n, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT
                            | KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME, &at)) return 1;
    newton_rows(s, &at, y, yp, F);
    memcpy(slip, F, (size_t)n * sizeof *F);
    for (int i = 0; i < n; i++) {
        if (weighted) F[i] = 0;
        for (int j = 0; j < n && weighted; j++) F[i] += at.M[i * n + j] * slip[j];
        for (int k = 0; k < m; k++) F[i] += at.G[k * n + i] * y[2 * n + m + k];
    }
    memcpy(F + 2 * n, at.g, (size_t)m * sizeof *F);
    constraint_rows(s, at.G, y + n, at.g_t, F + 2 * n + m);
    return 0;
}

static int residual_ggl(double t, N_Vector y, N_Vector yp, N_Vector F, void *form)
{
    return ggl(t, y, yp, F, ((const ida_form *)form)->mechanical, 0);
}

static int residual_ggl_mass(double t, N_Vector y, N_Vector yp, N_Vector F, void *form)
{
    return ggl(t, y, yp, F, ((const ida_form *)form)->mechanical, 1);
}

/* Forms of mechanical systems under the names of peers.csv. */
typedef struct mechanical_form {
    const char *name;
    IDAResFn residual;
    int more_positions, more_constraints;    /* unknowns beyond (q,v,l) */
    double baumgarte;                        /* these two as in ida_form */
    int test_all;
} mechanical_form;

static const mechanical_form mechanical_forms[] = {
    {"ggl",              residual_ggl,      0, 1, 0,  0},
    {"ggl-mass",         residual_ggl_mass, 0, 1, 0,  0},
    {"index2",           residual_index2,   0, 0, 0,  0},
    {"index1",           residual_index1,   0, 0, 0,  0},
    {"index1-all",       residual_index1,   0, 0, 0,  1},
    {"index1+baumgarte", residual_index1,   0, 0, 10, 0},
    {"index1w",          residual_index1w,  1, 0, 0,  0},
    {"index1w-all",      residual_index1w,  1, 0, 0,  1},
};

static int residual_given(double t, N_Vector y_, N_Vector yp_, N_Vector F_, void *form_)
{
    const keel_semi_explicit_spec *s = ((const ida_form *)form_)->semi_explicit;
    const double *y = N_VGetArrayPointer(y_), *yp = N_VGetArrayPointer(yp_);
    double *F = N_VGetArrayPointer(F_);
    const int n = s->differential;
    if (s->rhs(t, y, y + n, F, s->context) || s->constraint(t, y, y + n, F + n, s->context))
        return 1;
    for (int i = 0; i < n; i++) F[i] -= yp[i];
    return 0;
}

/* [f_y - c I, f_z; g_y, g_z]: SUNDIALS' dense storage is column-major, as ours. */
static int jacobian_given(double t, double c, N_Vector y_, N_Vector yp_, N_Vector F_, SUNMatrix J,
                          void *form_, N_Vector a_, N_Vector b_, N_Vector c_)
{
    const keel_semi_explicit_spec *s = ((const ida_form *)form_)->semi_explicit;
    const double *y = N_VGetArrayPointer(y_);
    const int n = s->differential, size = n + s->algebraic;
    keel_matrix A = {.rows = size, .columns = size, .values = SUNDenseMatrix_Data(J),
                     .stray_row = -1, .stray_column = -1};
    (void)yp_, (void)F_, (void)a_, (void)b_, (void)c_;
    SUNMatZero(J);
    if (s->jacobian(t, y, y + n, &A, s->context)) return 1;
    for (int i = 0; i < n; i++) keel_add(&A, i, i, -c);
    return 0;
}

/* Nodes i, i+1 that a capacitance C [1 -1; -1 1] couples: x_i = U_i - U_{i+1} is differential,
 * C x_i' = f_i, and x_{i+1} = U_{i+1} algebraic, 0 = f_i + f_{i+1}.  Transistor amplifier. */
static const int coupled_nodes[] = {0, 3, 6};
enum { COUPLED_PAIRS = sizeof coupled_nodes / sizeof *coupled_nodes };

static void coupled_to_nodes(int size, const double *x, double *U)
{
    memcpy(U, x, (size_t)size * sizeof *U);
    for (int k = 0; k < COUPLED_PAIRS; k++) U[coupled_nodes[k]] += x[coupled_nodes[k] + 1];
}

/* c_i = M_ii where x_i is differential, 0 where it is algebraic. */
static int coupled_capacitance(const keel_quasilinear_spec *s, double *c)
{
    double M[MAX_SIZE * MAX_SIZE] = {0}, U[MAX_SIZE] = {0};
    keel_matrix matrix = {.rows = s->size, .columns = s->size, .values = M,
                          .stray_row = -1, .stray_column = -1};
    const int status = s->mass(0, U, &matrix, s->context);
    for (int i = 0; i < s->size; i++) c[i] = M[i * s->size + i];
    for (int k = 0; k < COUPLED_PAIRS; k++) c[coupled_nodes[k] + 1] = 0;
    return status;
}

static int residual_coupled(double t, N_Vector x_, N_Vector xp_, N_Vector F_, void *form_)
{
    const keel_quasilinear_spec *s = ((const ida_form *)form_)->quasilinear;
    const double *xp = N_VGetArrayPointer(xp_);
    const double *c = ((const ida_form *)form_)->capacitance;
    double *F = N_VGetArrayPointer(F_), U[MAX_SIZE];
    coupled_to_nodes(s->size, N_VGetArrayPointer(x_), U);
    if (s->rhs(t, U, F, s->context)) return 1;
    for (int k = 0; k < COUPLED_PAIRS; k++) F[coupled_nodes[k] + 1] += F[coupled_nodes[k]];
    for (int i = 0; i < s->size; i++) F[i] -= c[i] * xp[i];
    return 0;
}

#endif
