/* test_levels.c -- constraint levels and mechanical parts against formulas derived by hand.
 *
 * The mechanism of test/support/mechanism.h moves its constraint in time: g_t, g_tt and (in the
 * index-2 and index-3 examples below) g_qt all matter.
 */
#include "test/problem/evaluators.h"

/* ---- mechanical parts ------------------------------------------------------------------------ */

/* G to cbrt(eps)^2, g_t and gamma by five points: 4th order in 1 % and 10 % of the time scale. */
static void mechanical_parts(void **state)
{
    double q[2] = {0.7, -0.4}, v[2] = {1.3, 0.6}, t = 0.8;
    (void)state;
    for (int given = 0; given < 2; given++)
        for (int which = FORM_SEPARATE; which <= FORM_EVALUATE; which++) {
            probe context = {0};
            double M[4], f[2], g, G[2], g_t, gamma, mass[4], force[2];
            keel_problem *p = new_problem(&forms[which], (derivatives)given, &context);
            keel_mechanical_parts parts = {M, f, &g, G, &g_t, &gamma};
            bench b;
            bench_open(&b, p);
            assert_int_equal(eval_mechanical(&b.eval, t, q, v, 63, &parts), 0);
            fill_mass(q, mass);
            fill_force(t, q, v, force);
            assert_true(distance(M, mass, 0, 4) == 0);
            assert_true(distance(f, force, 0, 2) == 0);
            assert_true(g == mechanism_g(t, q));
            assert_true(fabs(G[0] - q[0]) + fabs(G[1] - q[1]) < 1e-9);
            assert_true(fabs(g_t - mechanism_g_t(t)) < 1e-9);
            assert_true(fabs(gamma - mechanism_gamma(t, v)) < 1e-6);
            if (given) assert_true(gamma == mechanism_gamma(t, v) && G[0] == q[0]);
            assert_int_equal(b.stats.rhs, 1);
            bench_free(&b);
            keel_problem_free(p);
        }
}

/* K = d/dq (f - G^T l - M a) and D = f_v, from force_jacobian or by differences alone. */
static void stiffness(void **state)
{
    double q[2] = {0.7, -0.4}, v[2] = {1.3, 0.6}, a[2] = {0.3, -2}, l[1] = {1.7}, t = 0.8;
    double K[4], D[4], f_q[4], f_v[4];
    (void)state;
    for (int variant = 0; variant < 3; variant++) {
        probe context = {0};
        keel_problem *p = new_problem(&forms[FORM_SEPARATE], variant ? GIVEN : BY_DIFFERENCES,
                                      &context);
        bench b;
        bench_open(&b, p);
        b.eval.differences = variant == 2;
        assert_int_equal(eval_stiffness(&b.eval, t, q, v, a, l, K, D), 0);
        mechanism_force_jacobian(t, q, v, f_q, f_v, &(probe){0});
        f_q[0] -= l[0] + 0.5 * cos(q[0]) * a[1];
        f_q[2] -= 0.5 * cos(q[0]) * a[0];
        f_q[3] -= l[0] + 2 * q[1] * a[1];
        assert_true(distance(D, f_v, 0, 4) < 1e-6);
        if (!(distance(K, f_q, 0, 4) < (variant ? 1e-6 : 1e-2)))
            fail_msg("variant %d: K differs by %g", variant, distance(K, f_q, 0, 4));
        assert_int_equal(context.calls[FORCE_JACOBIAN], variant == 1);
        assert_int_equal(b.stats.jacobian, 1);
        assert_int_equal(b.stats.rhs, 0);
        bench_free(&b);
        keel_problem_free(p);
    }
}

/* ---- Hessenberg levels ----------------------------------------------------------------------- */

/* 0 = g = y1^2 y2 - e^t (1 + t y1);  f = (y2 z, y1 - t z) */
static int moving2_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    f[0] = y[1] * z[0];
    f[1] = y[0] - t * z[0];
    return probed(context, RHS, t, f, 2);
}

static int moving2_g(double t, const double *y, double *g, void *context)
{
    g[0] = y[0] * y[0] * y[1] - exp(t) * (1 + t * y[0]);
    return probed(context, CONSTRAINT, t, g, 1);
}

static void index2_levels(void **state)
{
    probe context = {0};
    double y[3] = {0.9, 1.4, 0.6}, t = 0.7, value;
    keel_problem *p = NULL;
    bench b;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2,
        .multipliers = 1, .rhs = moving2_rhs, .constraint = moving2_g, .context = &context}),
        KEEL_OK);
    bench_open(&b, p);
    assert_int_equal(eval_level(&b.eval, 0, t, y, &value), 0);
    assert_true(value == y[0] * y[0] * y[1] - exp(t) * (1 + t * y[0]));
    assert_int_equal(eval_level(&b.eval, 1, t, y, &value), 0);
    double f1 = y[1] * y[2], f2 = y[0] - t * y[2];
    double exact = (2 * y[0] * y[1] - t * exp(t)) * f1 + y[0] * y[0] * f2 -
                   exp(t) * (1 + t * y[0]) - exp(t) * y[0];
    assert_true(fabs(value - exact) < 1e-8);
    bench_free(&b);
    keel_problem_free(p);
}

/* 0 = g = u^2 - e^t (1 + t u);  u' = f = v^3 + t u,  v' = k = u - v + l */
static int moving3_f(double t, const double *u, const double *v, double *f, void *context)
{
    f[0] = v[0] * v[0] * v[0] + t * u[0];
    return probed(context, POSITION_RATE, t, f, 1);
}

static int moving3_k(double t, const double *u, const double *v, const double *l, double *k,
                     void *context)
{
    k[0] = u[0] - v[0] + l[0];
    return probed(context, VELOCITY_RATE, t, k, 1);
}

static int moving3_g(double t, const double *u, double *g, void *context)
{
    g[0] = u[0] * u[0] - exp(t) * (1 + t * u[0]);
    return probed(context, CONSTRAINT, t, g, 1);
}

static int moving3_g_u(double t, const double *u, double *G, void *context)
{
    G[0] = 2 * u[0] - t * exp(t);
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 1);
}

static int moving3_g_t(double t, const double *u, double *g_t, void *context)
{
    g_t[0] = -exp(t) * (1 + t * u[0]) - exp(t) * u[0];
    return probed(context, CONSTRAINT_TIME, t, g_t, 1);
}

static void index3_levels(void **state)
{
    double y[3] = {1.2, 0.8, -0.5}, t = 0.7, value;
    (void)state;
    for (int given = 0; given < 2; given++) {
        probe context = {0};
        keel_problem *p = NULL;
        bench b;
        assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 1,
            .velocities = 1, .multipliers = 1, .position_rate = moving3_f,
            .velocity_rate = moving3_k, .constraint = moving3_g,
            .constraint_jacobian = given ? moving3_g_u : NULL,
            .constraint_time = given ? moving3_g_t : NULL, .context = &context}), KEEL_OK);
        bench_open(&b, p);
        double u = y[0], v = y[1], e = exp(t), f = v * v * v + t * u, k = u - v + y[2];
        double G = 2 * u - t * e, g_t = -e * (1 + t * u) - e * u;
        assert_int_equal(eval_level(&b.eval, 1, t, y, &value), 0);
        assert_true(fabs(value - (G * f + g_t)) < 1e-8);
        /* d/dt (G f + g_t) = G_u f^2 + 2 G_t f + g_tt + G (f_u f + f_v k + f_t) */
        double G_t = -e * (1 + t), g_tt = -e * (1 + t * u) - 2 * e * u;
        double exact = 2 * f * f + 2 * G_t * f + g_tt + G * (t * f + 3 * v * v * k + u);
        assert_int_equal(eval_level(&b.eval, 2, t, y, &value), 0);
        if (!(fabs(value - exact) < 1e-5)) fail_msg("%.12g instead of %.12g", value, exact);
        bench_free(&b);
        keel_problem_free(p);
    }
}

/* ---- what a fault says ----------------------------------------------------------------------- */

static void faults(void **state)
{
    probe context = {.armed = 1, .target = RHS, .kind = RETURNS_POSITIVE, .at = 1};
    double y[2] = {1, 1}, yp[2] = {0}, r[2];
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    char text[200];
    bench b;
    (void)state;
    bench_open(&b, p);
    fault_text(&b.eval, text, sizeof text);
    expect_text(text, "no callback");
    assert_int_equal(eval_residual(&b.eval, 0.25, y, yp, r), 1);
    fault_text(&b.eval, text, sizeof text);
    expect_text(text, "`rhs` returned 1 at t = 0.25");
    context = (probe){.armed = 1, .target = RHS, .kind = GIVES_NAN, .at = 1};
    assert_int_equal(eval_residual(&b.eval, 0.5, y, yp, r), 1);
    fault_text(&b.eval, text, sizeof text);
    expect_text(text, "entry [1]");
    expect_text(text, "not finite");
    bench_free(&b);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanical_parts), cmocka_unit_test(stiffness),
        cmocka_unit_test(index2_levels), cmocka_unit_test(index3_levels),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
