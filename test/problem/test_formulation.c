/* test_formulation.c -- formulations against formulas derived by hand, reference solutions, and the
 * drift that theory predicts for each level.
 *
 * Mechanism: test/support/mechanism.h, with M(q) and a constraint that moves in time.  Pendulum:
 * q'' = (0,-1) - 2 q l, 0 = |q|^2 - 1.
 */
#include "test/problem/evaluators.h"

static keel_problem *formulated(const keel_problem *original, const keel_formulation *how)
{
    keel_problem *p = NULL;
    if (keel_formulate(&p, original, how)) fail_msg("%s: %s", how->name, keel_problem_message(p));
    return p;
}

static keel_problem *named(const keel_problem *original, const char *name)
{
    return formulated(original, &(keel_formulation){.name = name});
}

/* ---- the pendulum ---------------------------------------------------------------------------- */

static int pendulum_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -1;
    return 0;
}

static int circle(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int circle_G(double t, const double *q, double *G, void *context)
{
    (void)t, (void)context;
    G[0] = 2 * q[0];
    G[1] = 2 * q[1];
    return 0;
}

static int circle_curvature(double t, const double *q, const double *v, double *gamma,
                            void *context)
{
    (void)t, (void)q, (void)context;
    gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static keel_problem *pendulum(void)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .force = pendulum_force, .constraint = circle, .constraint_jacobian = circle_G,
        .curvature = circle_curvature}), KEEL_OK);
    return p;
}

/* ---- right-hand sides ------------------------------------------------------------------------ */

/* What the mechanism's levels are at a point off every manifold. */
typedef struct mechanism_point {
    double a[2];                 /* M^-1 (f - G^T l)                                        */
    double D[2];                 /* M^-1 G^T                                                */
    double g, velocity, acceleration;
    double a0[2], l0;            /* with l eliminated                                       */
} mechanism_point;

static mechanism_point mechanism_at(double t, const double *q, const double *v, double l)
{
    mechanism_point x;
    double M[4], f[2], a[2], det, GDG, gamma = mechanism_gamma(t, v);
    fill_mass(q, M);
    fill_force(t, q, v, f);
    det = M[0] * M[3] - M[1] * M[2];
    a[0] = (M[3] * f[0] - M[1] * f[1]) / det;
    a[1] = (M[0] * f[1] - M[2] * f[0]) / det;
    x.D[0] = (M[3] * q[0] - M[1] * q[1]) / det;
    x.D[1] = (M[0] * q[1] - M[2] * q[0]) / det;
    GDG = q[0] * x.D[0] + q[1] * x.D[1];
    x.l0 = (q[0] * a[0] + q[1] * a[1] + gamma) / GDG;
    for (int i = 0; i < 2; i++) {
        x.a[i] = a[i] - x.D[i] * l;
        x.a0[i] = a[i] - x.D[i] * x.l0;
    }
    x.g = mechanism_g(t, q);
    x.velocity = q[0] * v[0] + q[1] * v[1] + mechanism_g_t(t);
    x.acceleration = q[0] * x.a[0] + q[1] * x.a[1] + gamma;
    return x;
}

static void expect_residual(const keel_problem *p, double t, const double *y,
                            const double *expected, double tolerance)
{
    double r[16], zero[16] = {0};
    bench b;
    bench_open(&b, p);
    assert_int_equal(eval_residual(&b.eval, t, y, zero, r), 0);
    if (!(distance(r, expected, 0, p->n) < tolerance))
        fail_msg("%s: off by %g", p->formulation->kind->info.name, distance(r, expected, 0, p->n));
    assert_int_equal(b.stats.rhs, 1);            /* one right-hand side, whatever it needs */
    bench_free(&b);
}

/* Differences: g_t to 1e-9 and gamma to 1e-6 as in test_levels.c. */
static void mechanism_right_hand_sides(void **state)
{
    const double q[2] = {0.7, -0.4}, v[2] = {1.3, 0.6}, l = 1.7, mu = 0.3, t = 0.8;
    const double y[6] = {0.7, -0.4, 1.3, 0.6, 1.7, 0.3};
    mechanism_point x = mechanism_at(t, q, v, l);
    (void)state;
    for (int given = 0; given < 2; given++)
        for (int which = FORM_SEPARATE; which <= FORM_EVALUATE; which++) {
            double tolerance = given ? 1e-12 : 1e-5;
            probe context = {0};
            keel_problem *o = new_problem(&forms[which], (derivatives)given, &context), *p;
            p = named(o, "index2");
            expect_residual(p, t, y, (double[]){v[0], v[1], x.a[0], x.a[1], x.velocity}, tolerance);
            keel_problem_free(p);
            p = named(o, "ggl");
            expect_residual(p, t, y, (double[]){v[0] - x.D[0] * mu, v[1] - x.D[1] * mu, x.a[0],
                                                x.a[1], x.g, x.velocity}, tolerance);
            keel_problem_free(p);
            p = named(o, "index1");
            expect_residual(p, t, y, (double[]){v[0], v[1], x.a[0], x.a[1], x.acceleration},
                            tolerance);
            keel_problem_free(p);
            p = named(o, "index0");
            expect_residual(p, t, y, (double[]){v[0], v[1], x.a0[0], x.a0[1]}, tolerance);
            keel_problem_free(p);
            p = formulated(o, &(keel_formulation){.name = "baumgarte", .alpha = 3, .beta = 2});
            expect_residual(p, t, y, (double[]){v[0], v[1], x.a[0], x.a[1],
                                                x.acceleration + 6 * x.velocity + 4 * x.g},
                            tolerance);
            keel_problem_free(p);
            keel_problem_free(o);
        }
}

/* (u,w), (v,z), l with C = [2 -1; 3 4] */
static void embedded_right_hand_side(void **state)
{
    const double q[2] = {0.7, -0.4}, v[2] = {1.3, 0.6}, l = 1.7, t = 0.8, w = 0.11, z = -0.2;
    const double y[7] = {0.7, -0.4, w, 1.3, 0.6, z, l}, C[4] = {2, -1, 3, 4};
    mechanism_point x = mechanism_at(t, q, v, l);
    probe context = {0};
    keel_problem *o = new_problem(&forms[FORM_SEPARATE], GIVEN, &context);
    keel_problem *p = formulated(o, &(keel_formulation){.name = "embedded", .C = C});
    (void)state;
    expect_residual(p, t, y, (double[]){v[0], v[1], -(2 * w - z), x.a[0], x.a[1],
                                        -(3 * w + 4 * z), x.g - w}, 1e-13);
    keel_problem_free(p);
    keel_problem_free(o);
}

/* (g')_q, (g')_v and (g')_t: polarised curvatures are exact, differences of g' of fourth order */
static void velocity_derivatives(void **state)
{
    const double y[5] = {0.7, -0.4, 1.3, 0.6, 0}, t = 0.8, r = 1 + 0.2 * sin(0.8);
    const double g_tt = -0.04 * cos(t) * cos(t) + r * 0.2 * sin(t);
    const double expected[4] = {y[2], y[3], y[0], y[1]};
    (void)state;
    for (int given = 0; given < 2; given++) {
        probe context = {0};
        double J[4], g_t[1];
        keel_problem *o = new_problem(&forms[FORM_SEPARATE], (derivatives)given, &context);
        keel_problem *p = named(o, "index2");
        bench b;
        bench_open(&b, p);
        assert_int_equal(eval_constraint_jacobian(&b.eval, t, y, J), 0);
        assert_int_equal(eval_constraint_time(&b.eval, t, y, g_t), 0);
        assert_true(distance(J, expected, 0, 4) < (given ? 1e-14 : 1e-7));
        assert_true(fabs(g_t[0] - g_tt) < (given ? 1e-14 : 1e-5));
        bench_free(&b);
        keel_problem_free(p);
        keel_problem_free(o);
    }
}

/* ---- a moving pivot -------------------------------------------------------------------------- */

/* A rod whose pivot c(t) = (sin t, 0) moves: g = (|q - c|^2 - 1) / 2 has g_qt = -c' /= 0, and
 * g' = (q - c).(v - c'), gamma = |v - c'|^2 - (q - c).c''. */
static int rod(double t, const double *q, double *g, void *context)
{
    double x = q[0] - sin(t);
    (void)context;
    g[0] = 0.5 * (x * x + q[1] * q[1] - 1);
    return 0;
}

static int rod_G(double t, const double *q, double *G, void *context)
{
    (void)context;
    G[0] = q[0] - sin(t);
    G[1] = q[1];
    return 0;
}

static int rod_time(double t, const double *q, double *g_t, void *context)
{
    (void)context;
    g_t[0] = -(q[0] - sin(t)) * cos(t);
    return 0;
}

static int rod_curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    double x = v[0] - cos(t);
    (void)context;
    gamma[0] = x * x + v[1] * v[1] + (q[0] - sin(t)) * sin(t);
    return 0;
}

/* (g')_q = v - c', (g')_v = q - c, (g')_t = -c'.(v - c') - (q - c).c'' */
static void moving_pivot(void **state)
{
    const double y[5] = {0.7, -0.4, 1.3, 0.6, 0}, t = 0.8, x = y[0] - sin(t), w = y[2] - cos(t);
    const double expected[4] = {w, y[3], x, y[1]}, g_tt = -cos(t) * w + x * sin(t);
    (void)state;
    for (int given = 0; given < 2; given++) {
        double J[4], g_t[1];
        keel_problem *o = NULL;
        assert_int_equal(keel_mechanical(&o, &(keel_mechanical_spec){.positions = 2,
            .constraints = 1, .force = pendulum_force, .constraint = rod,
            .constraint_jacobian = rod_G, .constraint_time = rod_time,
            .curvature = given ? rod_curvature : NULL}), KEEL_OK);
        keel_problem *p = named(o, "index2");
        bench b;
        bench_open(&b, p);
        assert_int_equal(eval_constraint_jacobian(&b.eval, t, y, J), 0);
        assert_int_equal(eval_constraint_time(&b.eval, t, y, g_t), 0);
        assert_true(distance(J, expected, 0, 4) < (given ? 1e-14 : 1e-7));
        assert_true(fabs(g_t[0] - g_tt) < (given ? 1e-14 : 1e-5));
        bench_free(&b);
        keel_problem_free(p);
        keel_problem_free(o);
    }
}

/* ---- multipliers far from the last ones ------------------------------------------------------ */

static int algebraic_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0];
    return 0;
}

static int arc(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = atan(z[0]) - y[0];
    return 0;
}

/* z = tan y: Newton's method for atan z = y > 0 converges from z = 0, monotonically because atan is
 * concave there; from tan 1.5 = 14.1 towards y = 0.1 it overshoots to z - (1 + z^2)(1.5 - 0.1) =
 * -265 and on to infinity.  The last z must not be the only start. */
static void restarted_multipliers(void **state)
{
    const double points[2] = {1.5, 0.1}, zero[1] = {0};
    keel_problem *o = NULL;
    (void)state;
    assert_int_equal(keel_semi_explicit(&o, &(keel_semi_explicit_spec){.differential = 1,
        .algebraic = 1, .rhs = algebraic_rate, .constraint = arc}), KEEL_OK);
    keel_problem *p = named(o, "index0");
    bench b;
    bench_open(&b, p);
    for (int k = 0; k < 2; k++) {
        double f[1] = {0}, z = tan(points[k]);
        assert_int_equal(eval_residual(&b.eval, 0, &points[k], zero, f), 0);
        assert_true(fabs(f[0] - z) < 1e-12 * (1 + z * z));       /* dz = (1 + z^2) dy */
    }
    bench_free(&b);
    keel_problem_free(p);
    keel_problem_free(o);
}

/* ---- names, maps, errors --------------------------------------------------------------------- */

static void unknowns(void **state)
{
    keel_problem *o = pendulum(), *ggl = named(o, "ggl"), *reduced = named(o, "index0");
    keel_problem *embedded = named(o, "embedded"), *augmented = named(reduced, "augmented");
    double y[6] = {1, 2, 3, 4, 5, 6}, back[5], made[6];
    (void)state;
    assert_string_equal(keel_variable_name(ggl, 4), "lambda[0]");
    assert_string_equal(keel_variable_name(ggl, 5), "mu[0]");
    assert_string_equal(keel_variable_name(embedded, 2), "w[0]");
    assert_string_equal(keel_variable_name(embedded, 5), "z[0]");
    assert_string_equal(keel_variable_name(augmented, 4), "q[0]'");
    assert_ptr_equal(keel_problem_original(ggl), o);
    assert_null(keel_problem_original(o));
    keel_formulation_to(ggl, y, back);
    assert_true(distance(y, back, 0, 5) == 0);
    keel_formulation_from(ggl, back, made);
    assert_true(distance(y, made, 0, 5) == 0 && made[5] == 0);
    keel_formulation_to(reduced, y, back);
    assert_true(distance(y, back, 0, 4) == 0 && isnan(back[4]));
    assert_int_equal(keel_problem_index(reduced), 0);
    assert_int_equal(keel_problem_index(ggl), 2);
    assert_int_equal(keel_problem_levels(reduced), 3);
    assert_int_equal(keel_problem_constraints(reduced), 2);
    keel_problem_free(augmented);
    keel_problem_free(embedded);
    keel_problem_free(reduced);
    keel_problem_free(ggl);
    keel_problem_free(o);
}

static void refused(const keel_problem *o, keel_formulation how, int status, const char *part)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_formulate(&p, o, &how), status);
    expect_text(keel_problem_message(p), part);
    keel_problem_free(p);
}

static void refusals(void **state)
{
    const double singular[4] = {1, 0, 1, 1};
    probe context = {0};
    keel_problem *o = pendulum(), *ode = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_problem *reduced = named(o, "index2");
    keel_formulation_info info;
    (void)state;
    refused(o, (keel_formulation){.name = "gg1"}, KEEL_UNKNOWN_NAME, "ggl");
    refused(o, (keel_formulation){0}, KEEL_UNKNOWN_NAME, "index3");
    refused(o, (keel_formulation){.name = "invariants"}, KEEL_UNSUPPORTED, "baumgarte");
    refused(o, (keel_formulation){.name = "augmented"}, KEEL_UNSUPPORTED, "index 3");
    refused(ode, (keel_formulation){.name = "invariants"}, KEEL_UNSUPPORTED, "without invariants");
    refused(reduced, (keel_formulation){.name = "index2"}, KEEL_UNSUPPORTED, "index1");
    refused(o, (keel_formulation){.name = "baumgarte", .alpha = -1}, KEEL_BAD_ARGUMENT, "alpha");
    refused(o, (keel_formulation){.name = "embedded", .C = singular}, KEEL_BAD_ARGUMENT, "C12");
    refused(NULL, (keel_formulation){.name = "ggl"}, KEEL_BAD_ARGUMENT, "no problem");
    assert_int_equal(keel_formulation_count(), 12);
    assert_int_equal(keel_formulation_at(12, &info), KEEL_BAD_ARGUMENT);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(keel_formulation_at(i, &info), KEEL_OK);
        assert_true(info.summary && info.equations && info.keeps && info.drifts && info.citation);
    }
    keel_problem_free(reduced);
    keel_problem_free(ode);
    keel_problem_free(o);
}

/* ---- reference solutions --------------------------------------------------------------------- */

/* Runs a formulation of a form from its exact solution at 0 to 1; returns the error of x. */
static double error_of(const form *f, const char *name, derivatives d, probe *context)
{
    keel_problem *o = new_problem(f, d, context), *p = named(o, name);
    keel_solver *s = NULL;
    char what[96];
    snprintf(what, sizeof what, "%s as %s, derivatives %s", f->name, name,
             d == GIVEN ? "given" : "by differences");
    double y[16], exact[LARGEST_FORM], back[LARGEST_FORM];
    int x = differential_unknowns(o);
    f->exact(0, exact);
    keel_formulation_from(p, exact, y);
    double tolerance = d == GIVEN ? 1e-9 : 1e-5;
    keel_options options = {.method = "radau-iia", .rtol = tolerance, .atol = tolerance,
                            .projection = KEEL_PROJECT_NONE};
    if (strcmp(name, "augmented") == 0) {        /* derivatives of algebraic unknowns start wrong */
        options.method = "radau-iia-3";
        options.step = 1.0 / 64;
    }
    expect_ok(keel_solver_create(&s, p, &options), s, what);
    expect_ok(keel_start(s, 0, y), s, what);
    expect_ok(keel_advance_to(s, 1), s, what);
    keel_formulation_to(p, keel_state(s), back);
    f->exact(1, exact);
    double error = distance(back, exact, 0, x), scale = 1;
    for (int i = 0; i < x; i++) scale = fmax(scale, fabs(exact[i]));
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(o);
    return error / scale;
}

/* Global errors may exceed the tolerance of the local ones by a moderate factor.  Without
 * derivatives of the user only a loose tolerance can be asked for: g'' then is a difference of differences. */
static void reference_solutions(void **state)
{
    static const struct { int form; const char *names[8]; } rows[] = {
        {FORM_ODE, {"augmented"}},
        {FORM_SEMI, {"index1", "index0", "augmented"}},
        {FORM_HESS2, {"index2", "index1", "baumgarte", "augmented"}},
        {FORM_HESS3, {"index3", "index2", "ggl", "index1", "index0", "baumgarte", "embedded"}},
        {FORM_SEPARATE, {"index3", "index2", "index2-augmented", "ggl", "index1", "index0",
                         "baumgarte", "embedded"}},
        {FORM_EVALUATE, {"index2", "index2-augmented", "ggl", "index1", "index0", "baumgarte",
                         "embedded"}},
        {FORM_CONSTANT_MASS, {"augmented"}}, {FORM_STATE_MASS, {"augmented"}},
        {FORM_IMPLICIT, {"augmented"}}, {FORM_PROPER, {"augmented", "naive"}}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int k = 0; k < 8 && rows[i].names[k]; k++)
            for (int given = 0; given < 2; given++) {
                probe context = {.nonlinear_multiplier = given};
                const form *f = &forms[rows[i].form];
                double error = error_of(f, rows[i].names[k], (derivatives)given, &context);
                if (!(error < (given ? 1e-6 : 1e-2)))
                    fail_msg("%s as %s, derivatives %s: error %g", f->name, rows[i].names[k],
                             given ? "given" : "by differences", error);
            }
}

/* With error control, from the right derivatives: those of algebraic unknowns are not determined by
 * the equations at the start. */
static void augmented_with_error_control(void **state)
{
    static const int rows[] = {FORM_ODE, FORM_SEMI, FORM_HESS2, FORM_CONSTANT_MASS, FORM_STATE_MASS,
                               FORM_IMPLICIT};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const form *f = &forms[rows[i]];
        const double d = 1e-4;
        probe context = {0};
        double y[2 * LARGEST_FORM], before[LARGEST_FORM], after[LARGEST_FORM];
        keel_problem *o = new_problem(f, GIVEN, &context), *p = named(o, "augmented");
        keel_solver *s = NULL;
        keel_options options = {.rtol = 1e-7, .atol = 1e-7};
        f->exact(-d, before);
        f->exact(d, after);
        f->exact(0, y);
        for (int k = 0; k < o->n; k++) y[o->n + k] = (after[k] - before[k]) / (2 * d);
        expect_ok(keel_solver_create(&s, p, &options), s, f->name);
        expect_ok(keel_start(s, 0, y), s, f->name);
        expect_ok(keel_advance_to(s, 1), s, f->name);
        f->exact(1, after);
        double error = distance(keel_state(s), after, 0, differential_unknowns(o));
        if (!(error < 1e-4)) fail_msg("%s: error %g", f->name, error);
        keel_solver_free(s);
        keel_problem_free(p);
        keel_problem_free(o);
    }
}

/* At y = (1,1), 0 = g' = 2 z^2 - 3 z + 1: of the roots 1/2 and 1, Newton's method from 0 finds the
 * first, since g' is convex and falls there. */
static void eliminated_multiplier(void **state)
{
    const double y[2] = {1, 1};
    (void)state;
    for (int given = 0; given < 2; given++) {
        probe context = {0};
        keel_problem *o = new_problem(&forms[FORM_HESS2], (derivatives)given, &context);
        keel_problem *p = named(o, "index0");
        expect_residual(p, 0, y, (double[]){0.25, -0.5}, 1e-8);
        keel_problem_free(p);
        keel_problem_free(o);
    }
}

/* ---- drift ----------------------------------------------------------------------------------- */

/* A particle turns on the unit circle, g = |q|^2 - 1, with angular speed w, w^4 = 1 + c t: the
 * force w' (-q2, q1) makes |q''|^2 = w^4 + w'^2 grow like 1 + c t. */
static int turning_force(double t, const double *q, const double *v, double *f, void *context)
{
    double c = *(const double *)context, rate = 0.25 * c * pow(1 + c * t, -0.75);
    (void)v;
    f[0] = -rate * q[1];
    f[1] = rate * q[0];
    return 0;
}

enum { POSITION, VELOCITY };

/* g and g' after T and 2 T with constant steps h, nothing projected. */
static void drift(const char *name, double c, double h, double T, double level[2][2])
{
    keel_problem *o = NULL, *p;
    keel_solver *s = NULL;
    double start[5] = {1, 0, 0, 1, 0.5}, y[8];
    keel_options options = {.method = "radau-iia-2", .step = h, .projection = KEEL_PROJECT_NONE,
                            .multipliers = KEEL_MULTIPLIERS_RECURSION};
    assert_int_equal(keel_mechanical(&o, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .force = turning_force, .constraint = circle, .constraint_jacobian = circle_G,
        .curvature = circle_curvature, .context = &c}), KEEL_OK);
    p = named(o, name);
    keel_formulation_from(p, start, y);
    expect_ok(keel_solver_create(&s, p, &options), s, name);
    expect_ok(keel_start(s, 0, y), s, name);
    for (int k = 0; k < 2; k++) {
        expect_ok(keel_advance_to(s, (k + 1) * T), s, name);
        keel_formulation_to(p, keel_state(s), y);
        level[k][POSITION] = fabs(y[0] * y[0] + y[1] * y[1] - 1);
        level[k][VELOCITY] = fabs(2 * (y[0] * y[2] + y[1] * y[3]));
    }
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(o);
}

static void near(const char *what, double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * expected))
        fail_msg("%s: %g instead of %g", what, value, expected);
}

/* The stages are polynomials of degree 2 in each step.  Along them G q' (index 2) and (G v)' (index
 * 1, 0) vanish at the nodes, so g and G v change by the error h^4 d^3/dt^3 (.) / 216 of Radau's
 * quadrature with two nodes; for g = |q|^2 - 1 the fourth derivatives are (q.q)^(4) = 6 |q''|^2 and
 * (2 q.v)^(4) = 12 q''.v''.  With |q''|^2 = 1 + c t that is, to leading order in h,
 *   index 2        g  = h^3/36 (t + c t^2/2)
 *   index 1 and 0  g' = h^3/36 c t,   g = h^3/36 (t + c t^2) */
static void drift_by_formulation(void **state)
{
    const double none = 1e-12, h = 0.02, T = 40, unit = h * h * h / 36;
    double x[2][2];
    (void)state;
    drift("index3", 1, h, T, x);
    assert_true(x[1][POSITION] < none);
    drift("ggl", 1, h, T, x);
    assert_true(x[1][POSITION] < none && x[1][VELOCITY] < none);
    drift("embedded", 1, h, T, x);
    assert_true(x[1][POSITION] < none);
    drift("index2", 0, h, T, x);
    assert_true(x[1][VELOCITY] < none);
    for (int k = 0; k < 2; k++) near("index2, g", x[k][POSITION], unit * (k + 1) * T, 0.01);
    for (int reduced = 0; reduced < 2; reduced++) {
        drift(reduced ? "index0" : "index1", 1, h, T, x);
        for (int k = 0; k < 2; k++) {
            double t = (k + 1) * T;
            near("g'", x[k][VELOCITY], unit * t, 0.05);
            near("g", x[k][POSITION], unit * (t + t * t), 0.05);
        }
    }
}

/* What a rate of drift r = h^3/36 leaves of g'' + 2 alpha g' + beta^2 g = 0 is 2 alpha r / beta^2,
 * with alpha = beta = 5 by default; it does not grow. */
static void damped_drift(void **state)
{
    const double h = 0.02, T = 40, limit = 2 * h * h * h / 36 / 5;
    double x[2][2];
    (void)state;
    drift("baumgarte", 0, h, T, x);
    near("g", x[0][POSITION], limit, 0.05);
    near("g later", x[1][POSITION], x[0][POSITION], 1e-3);
}

/* Off the manifold, with w = g: C = [1 -1; 1 1] by default, w' = -w + z, z' = -w - z, so that
 * w(t) = w(0) e^-t cos t if z(0) = 0. */
static void embedding_attracts(void **state)
{
    keel_problem *o = pendulum(), *p = named(o, "embedded");
    keel_solver *s = NULL;
    double w = 0.21, y[7] = {1.1, 0, 0.21, -w / 2.2, 0.3, 0, 0};
    static const keel_mark marks[7] = {KEEL_FIXED, KEEL_FIXED, KEEL_FREE, KEEL_FIXED, KEEL_FIXED,
                                       KEEL_FREE, KEEL_FREE};
    (void)state;
    keel_options options = {.rtol = 1e-9, .atol = 1e-11, .projection = KEEL_PROJECT_NONE,
                            .initial = KEEL_INITIAL_FORMULATION};
    expect_ok(keel_solver_create(&s, p, &options), s, "embedded");
    expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, "embedded");
    for (int t = 1; t <= 4; t++) {
        expect_ok(keel_advance_to(s, t), s, "embedded");
        const double *at = keel_state(s);
        assert_true(fabs(at[0] * at[0] + at[1] * at[1] - 1 - w * exp(-t) * cos(t)) < 1e-7);
    }
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(o);
}

/* ---- ODEs with invariants -------------------------------------------------------------------- */

static int oscillator(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -y[0];
    return 0;
}

static int radius(double t, const double *y, double *phi, void *context)
{
    (void)t, (void)context;
    phi[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

static int radius_jacobian(double t, const double *y, double *phi_y, void *context)
{
    (void)t, (void)context;
    phi_y[0] = 2 * y[0];
    phi_y[1] = 2 * y[1];
    return 0;
}

static keel_problem *circular(int given)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = oscillator, .invariants = 1,
        .invariant = radius, .invariant_jacobian = given ? radius_jacobian : NULL}), KEEL_OK);
    return p;
}

static void invariants_of_an_ode(void **state)
{
    const double y[3] = {0.8, -0.5, 0.3};
    (void)state;
    for (int given = 0; given < 2; given++) {
        double phi, G[2], expected[2] = {1.6, -1}, square = 0.89, pull = 2 * (square - 1) / square;
        keel_problem *o = circular(given), *p;
        bench b;
        assert_int_equal(keel_problem_index(o), 0);
        assert_int_equal(keel_problem_levels(o), 1);
        assert_int_equal(keel_problem_constraints(o), 1);
        bench_open(&b, o);
        assert_int_equal(eval_level(&b.eval, 0, 0, y, &phi), 0);
        assert_int_equal(eval_attached_jacobian(&b.eval, 0, y, G), 0);
        assert_true(fabs(phi - (square - 1)) < 1e-15 && distance(G, expected, 0, 2) < 1e-10);
        bench_free(&b);
        p = named(o, "invariants");
        expect_residual(p, 0, y, (double[]){-0.5 - 1.6 * 0.3, -0.8 + 0.3, square - 1}, 1e-10);
        keel_problem_free(p);
        p = formulated(o, &(keel_formulation){.name = "stabilised", .alpha = 4});
        expect_residual(p, 0, y, (double[]){-0.5 - pull * 0.8, -0.8 + pull * 0.5}, 1e-10);
        keel_problem_free(p);
        keel_problem_free(o);
    }
}

static void invariants_are_checked(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = oscillator, .invariants = 1}),
                     KEEL_BAD_ARGUMENT);
    expect_text(keel_problem_message(p), "invariant");
    keel_problem_free(p);
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = oscillator, .invariants = -1,
                              .invariant = radius}), KEEL_BAD_ARGUMENT);
    keel_problem_free(p);
}

/* phi after `turns` turns in 256 constant steps each, without projection. */
static double radius_error(const keel_problem *p, int turns)
{
    const double turn = 2 * acos(-1);
    double y[3] = {1, 0, 0}, phi;
    keel_solver *s = NULL;
    keel_options options = {.method = "radau-iia-2", .step = turn / 256,
                            .projection = KEEL_PROJECT_NONE};
    expect_ok(keel_solver_create(&s, p, &options), s, "oscillator");
    expect_ok(keel_start(s, 0, y), s, "oscillator");
    expect_ok(keel_advance_to(s, turns * turn), s, "oscillator");
    radius(0, keel_state(s), &phi, NULL);
    keel_solver_free(s);
    return fabs(phi);
}

/* |R(ih)|^2 = (1 + h^2/9) / (1 + h^2/9 + h^4/36) for R of Radau IIA with 2 stages, so that the
 * radius shrinks at the rate r = h^3/36 of phi; the stabilised one stays at r/alpha, where alpha is 2
 * by default, since |f| = |y|. */
static void kept_invariants(void **state)
{
    const double h = 2 * acos(-1) / 256, part = 1 + h * h / 9;
    const double factor = part / (part + pow(h, 4) / 36);
    keel_problem *o = circular(1), *kept = named(o, "invariants"), *automatic = named(o, "stabilised");
    keel_problem *pulled = formulated(o, &(keel_formulation){.name = "stabilised", .alpha = 5});
    (void)state;
    assert_true(fabs(radius_error(o, 10) - (1 - pow(factor, 2560))) < 1e-11);
    assert_true(radius_error(kept, 10) < 1e-12);
    near("phi", radius_error(pulled, 10), -log(factor) / h / 5, 0.2);
    near("phi", radius_error(automatic, 10), -log(factor) / h / 2, 0.2);   /* 2 |f| / |y| */
    keel_problem_free(automatic);
    keel_problem_free(pulled);
    keel_problem_free(kept);
    keel_problem_free(o);
}

/* The pendulum as an ODE with invariants g and g', and that as an index-2 problem. */
static void composition(void **state)
{
    keel_problem *o = pendulum(), *ode = named(o, "index0"), *p = named(ode, "invariants");
    keel_solver *s = NULL, *reference = NULL;
    double start[5] = {1, 0, 0, 0, 0}, middle[4], y[6];
    (void)state;
    keel_formulation_from(ode, start, middle);
    keel_formulation_from(p, middle, y);
    keel_options options = {.rtol = 1e-10, .atol = 1e-10, .projection = KEEL_PROJECT_NONE};
    expect_ok(keel_solver_create(&s, p, &options), s, "invariants of index0");
    expect_ok(keel_start(s, 0, y), s, "invariants of index0");
    expect_ok(keel_advance_to(s, 2), s, "invariants of index0");
    options.projection = KEEL_PROJECT_OBLIQUE;
    expect_ok(keel_solver_create(&reference, o, &options), reference, "pendulum");
    expect_ok(keel_start(reference, 0, start), reference, "pendulum");
    expect_ok(keel_advance_to(reference, 2), reference, "pendulum");
    double error = distance(keel_state(s), keel_state(reference), 0, 4);
    if (!(error < 1e-7)) fail_msg("invariants of index0: error %g", error);
    assert_int_equal(keel_problem_levels(p), 3);
    keel_solver_free(reference);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(ode);
    keel_problem_free(o);
}

/* ---- contract -------------------------------------------------------------------------------- */

static const char *const kinds[] = {"index3", "index2", "ggl", "index1", "index0", "baumgarte",
                                    "embedded"};
enum { KINDS = sizeof kinds / sizeof kinds[0], STEPS = 15 };

static keel_solver *begin(const keel_problem *p, double t)
{
    double exact[5], y[8];
    keel_solver *s = NULL;
    hess3_exact(t, exact);
    keel_formulation_from(p, exact, y);
    keel_options options = {.rtol = 1e-6, .projection = KEEL_PROJECT_NONE};
    expect_ok(keel_solver_create(&s, p, &options), s, "create");
    expect_ok(keel_start(s, t, y), s, "start");
    return s;
}

static void run_alone(const keel_problem *p, double t, double *y)
{
    keel_solver *s = begin(p, t);
    for (int i = 0; i < STEPS; i++) expect_ok(keel_step(s), s, "step");
    memcpy(y, keel_state(s), (size_t)p->n * sizeof *y);
    keel_solver_free(s);
}

/* Two solvers of one formulation do not feel each other: the same bits as alone. */
static void interleaved(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        probe context = {0};
        double a[8], b[8];
        keel_problem *o = new_problem(&forms[FORM_HESS3], GIVEN, &context), *p = named(o, kinds[k]);
        run_alone(p, 0, a);
        run_alone(p, 0.3, b);
        keel_solver *first = begin(p, 0), *second = begin(p, 0.3);
        for (int i = 0; i < STEPS; i++) {
            expect_ok(keel_step(first), first, kinds[k]);
            expect_ok(keel_step(second), second, kinds[k]);
        }
        assert_memory_equal(keel_state(first), a, (size_t)p->n * sizeof *a);
        assert_memory_equal(keel_state(second), b, (size_t)p->n * sizeof *b);
        keel_solver_free(first);
        keel_solver_free(second);
        keel_problem_free(p);
        keel_problem_free(o);
    }
}

/* Messages name the user's callback, not the formulation's. */
static void faults(void **state)
{
    (void)state;
    for (int k = 1; k < KINDS; k++) {
        probe context = {0};
        double exact[5], y[8];
        keel_problem *o = new_problem(&forms[FORM_SEPARATE], GIVEN, &context);
        keel_problem *p = named(o, kinds[k]);
        keel_solver *s = NULL;
        mechanism_exact(0, exact);
        keel_formulation_from(p, exact, y);
        expect_ok(keel_solver_create(&s, p, NULL), s, kinds[k]);
        context = (probe){.armed = 1, .target = FORCE, .kind = RETURNS_NEGATIVE, .at = 1};
        expect_status(keel_start(s, 0, y), KEEL_CALLBACK_FAILED, s, kinds[k]);
        expect_text(keel_message(s), "`force` returned -1");
        keel_solver_free(s);
        keel_problem_free(p);
        keel_problem_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanism_right_hand_sides),
        cmocka_unit_test(embedded_right_hand_side),
        cmocka_unit_test(velocity_derivatives),
        cmocka_unit_test(moving_pivot),
        cmocka_unit_test(restarted_multipliers),
        cmocka_unit_test(unknowns),
        cmocka_unit_test(refusals),
        cmocka_unit_test(reference_solutions),
        cmocka_unit_test(augmented_with_error_control),
        cmocka_unit_test(eliminated_multiplier),
        cmocka_unit_test(drift_by_formulation),
        cmocka_unit_test(damped_drift),
        cmocka_unit_test(embedding_attracts),
        cmocka_unit_test(invariants_of_an_ode),
        cmocka_unit_test(invariants_are_checked),
        cmocka_unit_test(kept_invariants),
        cmocka_unit_test(composition),
        cmocka_unit_test(interleaved),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
