/* cases.h -- boundary value problems with known solutions, for the tests of this folder. */
#ifndef KEEL_TEST_BOUNDARY_CASES_H
#define KEEL_TEST_BOUNDARY_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keel/keel.h"

#define PI 3.14159265358979323846

/* A problem, its conditions, and the solution; `number` is L, lambda or eps. */
typedef struct bvp_case {
    const char *name;
    int nx, m, conditions, index;
    double number, from;         /* to 1 */
    int (*rhs)(double t, const double *x, const double *y, double *f, void *context);
    int (*constraint)(double t, const double *x, const double *y, double *g, void *context);
    int (*constraint2)(double t, const double *x, double *g, void *context);
    int (*constraint_jacobian)(double t, const double *x, double *g_x, void *context);
    int (*constraint_time)(double t, const double *x, double *g_t, void *context);
    int (*jacobian)(double t, const double *x, const double *y, keel_matrix *J, void *context);
    int (*condition)(const double *ya, const double *yb, const double *p, double *b, void *context);
    void (*exact)(double t, const struct bvp_case *c, double *y);
} bvp_case;

static double number_of(void *context) { return ((const bvp_case *)context)->number; }

/* ---- [Ascher & Petzold, SIAM J. Numer. Anal. 28 (1991) 1097, section 4] ---------------------- */

static int ap_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    double L = number_of(context);
    f[0] = (L - 1 / (2 - t)) * x[0] + (2 - t) * L * y[0] + (3 - t) / (2 - t) * exp(t);
    f[1] = (1 - L) / (t - 2) * x[0] - x[1] + (L - 1) * y[0] + 2 * exp(t);
    return 0;
}
static int ap_constraint(double t, const double *x, double *g, void *context)
{
    (void)context;
    g[0] = (t + 2) * x[0] + (t * t - 4) * x[1] - (t * t + t - 2) * exp(t);
    return 0;
}
static int ap_constraint_jacobian(double t, const double *x, double *g_x, void *context)
{
    (void)x, (void)context;
    g_x[0] = t + 2;
    g_x[1] = t * t - 4;
    return 0;
}
static int ap_constraint_time(double t, const double *x, double *g_t, void *context)
{
    (void)context;
    g_t[0] = x[0] + 2 * t * x[1] - (2 * t + 1 + t * t + t - 2) * exp(t);
    return 0;
}
static int ap_jacobian(double t, const double *x, const double *y, keel_matrix *J, void *context)
{
    double L = number_of(context);
    (void)x, (void)y;
    keel_put(J, 0, 0, L - 1 / (2 - t));
    keel_put(J, 0, 2, (2 - t) * L);
    keel_put(J, 1, 0, (1 - L) / (t - 2));
    keel_put(J, 1, 1, -1);
    keel_put(J, 1, 2, L - 1);
    keel_put(J, 2, 0, t + 2);
    keel_put(J, 2, 1, t * t - 4);
    return 0;
}
static int ap_left(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 1;
    return 0;
}
static int ap_right(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)ya, (void)p, (void)context;
    b[0] = yb[0] - exp(1);
    return 0;
}
static int ap_both(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] + yb[0] - 1 - exp(1);
    return 0;
}
static void ap_exact(double t, const bvp_case *c, double *y)
{
    (void)c;
    y[0] = y[1] = exp(t);
    y[2] = -exp(t) / (2 - t);
}

/* ---- Bratu: u'' = -lambda y, 0 = y - e^u ----------------------------------------------------- */

static int bratu_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = x[1];
    f[1] = -number_of(context) * y[0];
    return 0;
}
static int bratu_constraint(double t, const double *x, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] - exp(x[0]);
    return 0;
}
static int bratu_jacobian(double t, const double *x, const double *y, keel_matrix *J, void *context)
{
    (void)t, (void)y;
    keel_put(J, 0, 1, 1);
    keel_put(J, 1, 2, -number_of(context));
    keel_put(J, 2, 0, -exp(x[0]));
    keel_put(J, 2, 2, 1);
    return 0;
}
static int zero_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0];
    return 0;
}
static void bratu_exact(double t, const bvp_case *c, double *y)
{
    double th = c->number == 1 ? 1.517164599050754 : 4.551853662838347;
    y[0] = -2 * log(cosh((t - 0.5) * th / 2) / cosh(th / 4));
    y[1] = -th * tanh((t - 0.5) * th / 2);
    y[2] = exp(y[0]);
}

/* ---- layers of width sqrt(eps) at both ends --------------------------------------------------- */

static int layers_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    double c = cos(PI * t);
    f[0] = y[0];
    f[1] = x[0] + c * c + 2 * number_of(context) * PI * PI * cos(2 * PI * t);
    return 0;
}
static int layers_constraint(double t, const double *x, const double *y, double *g, void *context)
{
    (void)t;
    g[0] = number_of(context) * y[0] - x[1];
    return 0;
}
static int layers_jacobian(double t, const double *x, const double *y, keel_matrix *J, void *context)
{
    (void)t, (void)x, (void)y;
    keel_put(J, 0, 2, 1);
    keel_put(J, 1, 0, 1);
    keel_put(J, 2, 1, -1);
    keel_put(J, 2, 2, number_of(context));
    return 0;
}
static void layers_exact(double t, const bvp_case *c, double *y)
{
    double r = sqrt(c->number), left = exp(-t / r), right = exp((t - 1) / r), s = 1 + exp(-1 / r);
    y[0] = (right + left) / s - cos(PI * t) * cos(PI * t);
    y[2] = (right - left) / (r * s) + PI * sin(2 * PI * t);
    y[1] = c->number * y[2];
}

/* ---- singular control: x1' = x2, x2' = u, p1' = -x1, 0 = x2 + p1 ----------------------------- */

static int control_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = x[1];
    f[1] = y[0];
    f[2] = -x[0];
    return 0;
}
static int control_constraint(double t, const double *x, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = x[1] + x[2];
    return 0;
}
static int control_constraint_jacobian(double t, const double *x, double *g_x, void *context)
{
    (void)t, (void)x, (void)context;
    g_x[0] = 0;
    g_x[1] = g_x[2] = 1;
    return 0;
}
static int no_time(double t, const double *x, double *g_t, void *context)
{
    (void)t, (void)x, (void)context;
    g_t[0] = 0;
    return 0;
}
static int control_jacobian(double t, const double *x, const double *y, keel_matrix *J, void *context)
{
    (void)t, (void)x, (void)y, (void)context;
    keel_put(J, 0, 1, 1);
    keel_put(J, 1, 3, 1);
    keel_put(J, 2, 0, -1);
    keel_put(J, 3, 1, 1);
    keel_put(J, 3, 2, 1);
    return 0;
}
static int control_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[2];
    return 0;
}
static void control_exact(double t, const bvp_case *c, double *y)
{
    (void)c;
    y[0] = y[3] = cosh(1 - t) / cosh(1);
    y[2] = sinh(1 - t) / cosh(1);
    y[1] = -y[2];
}

/* ---- a turning point at t = 0: eps x1'' + t x1' = -eps pi^2 cos(pi t) - pi t sin(pi t) --------- */

static int turning_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    (void)x;
    f[0] = y[0];
    f[1] = -t * y[0] - number_of(context) * PI * PI * cos(PI * t) - PI * t * sin(PI * t);
    return 0;
}
static int turning_jacobian(double t, const double *x, const double *y, keel_matrix *J, void *context)
{
    (void)x, (void)y;
    keel_put(J, 0, 2, 1);
    keel_put(J, 1, 2, -t);
    keel_put(J, 2, 1, -1);
    keel_put(J, 2, 2, number_of(context));
    return 0;
}
static int turning_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] + 2;
    b[1] = yb[0];
    return 0;
}
static void turning_exact(double t, const bvp_case *c, double *y)
{
    double r = sqrt(2 * c->number), scale = erf(1 / r);
    y[0] = cos(PI * t) + erf(t / r) / scale;
    y[2] = -PI * sin(PI * t) + 2 / (sqrt(PI) * r * scale) * exp(-t * t / (r * r));
    y[1] = c->number * y[2];
}

#define TURNING(title, eps) \
    {.name = title, .nx = 2, .m = 1, .conditions = 2, .index = 1, .number = eps, .from = -1, \
     .rhs = turning_rhs, .constraint = layers_constraint, .jacobian = turning_jacobian, \
     .condition = turning_ends, .exact = turning_exact}
#define AP(title, L, ends) \
    {.name = title, .nx = 2, .m = 1, .conditions = 1, .index = 2, .number = L, .rhs = ap_rhs, \
     .constraint2 = ap_constraint, .constraint_jacobian = ap_constraint_jacobian, \
     .constraint_time = ap_constraint_time, .jacobian = ap_jacobian, .condition = ends, \
     .exact = ap_exact}
#define BRATU(title, lambda) \
    {.name = title, .nx = 2, .m = 1, .conditions = 2, .index = 1, .number = lambda, \
     .rhs = bratu_rhs, .constraint = bratu_constraint, .jacobian = bratu_jacobian, \
     .condition = zero_ends, .exact = bratu_exact}
#define LAYERS(title, eps) \
    {.name = title, .nx = 2, .m = 1, .conditions = 2, .index = 1, .number = eps, \
     .rhs = layers_rhs, .constraint = layers_constraint, .jacobian = layers_jacobian, \
     .condition = zero_ends, .exact = layers_exact}

enum { AP_LEFT, AP_TWO_POINT, AP_NON_SEPARATED, BRATU_1, BRATU_35, CONTROL, LAYERS_4, LAYERS_6,
       LAYERS_8, TURNING_3, TURNING_5, TURNING_7, CASES };

static const bvp_case bvp_cases[CASES] = {
    AP("ascher-petzold", 50, ap_left),
    AP("two-point", -50, ap_right),
    AP("non-separated", 50, ap_both),
    BRATU("bratu 1", 1),
    BRATU("bratu 3.5", 3.5),
    {.name = "singular-control", .nx = 3, .m = 1, .conditions = 2, .index = 2, .rhs = control_rhs,
     .constraint2 = control_constraint, .constraint_jacobian = control_constraint_jacobian,
     .constraint_time = no_time, .jacobian = control_jacobian, .condition = control_ends,
     .exact = control_exact},
    LAYERS("layers 1e-4", 1e-4),
    LAYERS("layers 1e-6", 1e-6),
    LAYERS("layers 1e-8", 1e-8),
    TURNING("turning point 1e-3", 1e-3),
    TURNING("turning point 1e-5", 1e-5),
    TURNING("turning point 1e-7", 1e-7),
};

static inline keel_problem *case_problem(const bvp_case *c)
{
    keel_problem *p = NULL;
    int rc = c->index == 1
        ? keel_semi_explicit(&p, &(keel_semi_explicit_spec){
              .differential = c->nx, .algebraic = c->m, .rhs = c->rhs, .constraint = c->constraint,
              .jacobian = c->jacobian, .context = (void *)c})
        : keel_hessenberg2(&p, &(keel_hessenberg2_spec){
              .differential = c->nx, .multipliers = c->m, .rhs = c->rhs,
              .constraint = c->constraint2, .constraint_jacobian = c->constraint_jacobian,
              .constraint_time = c->constraint_time, .jacobian = c->jacobian, .context = (void *)c});
    if (rc) fail_msg("%s: %s", c->name, keel_problem_message(p));
    return p;
}

/* Largest |e| / (1 + |exact|) over eleven points of every interval. */
static inline void case_error(const bvp_case *c, keel_solution *r, double *x, double *z)
{
    *x = *z = 0;
    for (int i = 0; i < keel_solution_steps(r); i++)
        for (int j = 0; j <= 10; j++) {
            double t0 = keel_solution_time(r, i), t1 = keel_solution_time(r, i + 1);
            double t = j == 10 ? t1 : t0 + (t1 - t0) * j / 10, y[8], exact[8];
            assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
            c->exact(t, c, exact);
            for (int l = 0; l < c->nx + c->m; l++) {
                double e = fabs(y[l] - exact[l]) / (1 + fabs(exact[l]));
                double *largest = l < c->nx ? x : z;
                if (!(e <= *largest)) *largest = e;
            }
        }
}

/* The same at mesh points, x only. */
static inline double case_mesh_error(const bvp_case *c, keel_solution *r)
{
    double largest = 0, y[8], exact[8];
    for (int i = 0; i <= keel_solution_steps(r); i++) {
        double t = keel_solution_time(r, i);
        assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
        c->exact(t, c, exact);
        for (int l = 0; l < c->nx; l++) {
            double e = fabs(y[l] - exact[l]) / (1 + fabs(exact[l]));
            if (!(e <= largest)) largest = e;
        }
    }
    return largest;
}

/* Solved with these options; the caller frees both. */
static inline keel_boundary *case_solve(const bvp_case *c, keel_problem *p,
                                 const keel_boundary_options *options, int expected)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = p, .from = c->from, .to = 1, .conditions = c->conditions, .condition = c->condition,
        .context = (void *)c}, options);
    if (!rc) rc = keel_boundary_solve(w);
    if (rc != expected)
        fail_msg("%s: %s: %s", c->name, keel_status_name(rc), keel_boundary_message(w));
    return w;
}

#endif
