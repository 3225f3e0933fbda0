/* test_derived.c -- constraints without derivatives: as good as with them, and cheap.
 *
 * Pendulums of length 1 whose pivot may move, p(t) in x:  g = F((x - p)^2 + y^2 - 1)  with
 * F(s) = s, quadratic, or F(s) = sin(s + 0.3) - sin(0.3); and single evaluations at other scales.
 */
#include "test/problem/evaluators.h"

enum { RESTING, SWINGING, STARTING };            /* pivots */

typedef struct pendulum {
    int pivot, bent;             /* bent: F is the sine                                    */
    long calls;                  /* of the constraint                                      */
} pendulum;

/* p, p', p'' */
static void pivot_at(const pendulum *c, double t, double p[3])
{
    double s = t - 1;
    p[0] = p[1] = p[2] = 0;
    if (c->pivot == SWINGING) {
        p[0] = 0.3 * sin(2 * t), p[1] = 0.6 * cos(2 * t), p[2] = -1.2 * sin(2 * t);
    } else if (c->pivot == STARTING && s > 0) {
        p[0] = 0.3 * exp(-1 / s), p[1] = p[0] / (s * s);
        p[2] = p[1] * (1 - 2 * s) / (s * s);
    }
}

static int gravity(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0, f[1] = -9.81;
    return 0;
}

/* F, F', F'' at s */
static void outer(const pendulum *c, double s, double F[3])
{
    F[0] = c->bent ? sin(s + 0.3) - sin(0.3) : s;
    F[1] = c->bent ? cos(s + 0.3) : 1;
    F[2] = c->bent ? -sin(s + 0.3) : 0;
}

static double excess(const pendulum *c, double t, const double *q, double F[3])
{
    double p[3];
    pivot_at(c, t, p);
    outer(c, (q[0] - p[0]) * (q[0] - p[0]) + q[1] * q[1] - 1, F);
    return q[0] - p[0];
}

static int rod(double t, const double *q, double *g, void *context)
{
    pendulum *c = context;
    double F[3];
    c->calls++;
    excess(c, t, q, F);
    g[0] = F[0];
    return 0;
}

static int rod_jacobian(double t, const double *q, double *G, void *context)
{
    double F[3], x = excess(context, t, q, F);
    G[0] = 2 * x * F[1], G[1] = 2 * q[1] * F[1];
    return 0;
}

static int rod_time(double t, const double *q, double *g_t, void *context)
{
    double F[3], p[3], x = excess(context, t, q, F);
    pivot_at(context, t, p);
    g_t[0] = -2 * x * p[1] * F[1];
    return 0;
}

static int rod_curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    double F[3], p[3], x = excess(context, t, q, F);
    pivot_at(context, t, p);
    double speed = v[0] - p[1], first = 2 * (x * speed + q[1] * v[1]);
    double second = 2 * (speed * speed + v[1] * v[1] - x * p[2]);
    gamma[0] = F[1] * second + F[2] * first * first;
    return 0;
}

static keel_problem *new_pendulum(pendulum *c, int given)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = gravity, .constraint = rod,
        .constraint_jacobian = given ? rod_jacobian : NULL,
        .constraint_time = given ? rod_time : NULL, .curvature = given ? rod_curvature : NULL,
        .context = c}), KEEL_OK);
    return p;
}

/* To t = 10 from the horizontal; returns the number of attempted steps. */
static long swing(pendulum *c, int given, double tolerance, const char *method, double *y)
{
    keel_problem *p = new_pendulum(c, given);
    keel_solver *s = NULL;
    double start[5] = {1, 0, c->pivot == SWINGING ? 0.6 : 0};
    keel_options o = {.rtol = tolerance, .atol = tolerance, .method = method};
    expect_ok(keel_solver_create(&s, p, &o), s, "create");
    expect_ok(keel_start(s, 0, start), s, "start");
    expect_ok(keel_advance_to(s, 10), s, "advance");
    memcpy(y, keel_state(s), 4 * sizeof *y);
    long steps = keel_solver_stats(s)->steps;
    keel_solver_free(s);
    keel_problem_free(p);
    return steps;
}

/* README's pendulum.  13 stages in each of about 110 steps ask for G and gamma. */
static void few_calls(void **state)
{
    pendulum c = {0};
    double y[4];
    (void)state;
    swing(&c, 0, 1e-8, NULL, y);
    if (c.calls > 3000) fail_msg("%ld calls of the constraint", c.calls);
}

static void as_many_steps(void **state)
{
    static const char *const methods[] = {NULL, "dop853"};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int bent = 0; bent < 2; bent++)
            for (int pivot = RESTING; pivot <= STARTING; pivot++) {
                pendulum c = {.bent = bent, .pivot = pivot};
                double y[4], exact[4];
                long with = swing(&c, 1, 1e-12, methods[k], exact);
                long without = swing(&c, 0, 1e-12, methods[k], y);
                if (without > 2 * with)
                    fail_msg("bent %d, pivot %d: %ld steps instead of %ld", bent, pivot, without,
                             with);
            }
}

/* The same solution to about the tolerance, which errors of 10 time units of a pendulum exceed by a
 * factor of 100 or so with derivatives as well. */
static void as_accurate(void **state)
{
    static const char *const methods[] = {NULL, "radau-iia", "hem-5"};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int bent = 0; bent < 2; bent++)
            for (int pivot = RESTING; pivot <= STARTING; pivot++)
                for (int tight = 0; tight < 2; tight++) {
                    double tolerance = tight ? 1e-9 : 1e-6;
                    pendulum c = {.bent = bent, .pivot = pivot};
                    double y[4], z[4], exact[4];
                    swing(&c, 1, 1e-13, "dop853", exact);
                    swing(&c, 1, tolerance, methods[k], z);
                    swing(&c, 0, tolerance, methods[k], y);
                    double with = distance(z, exact, 0, 4), without = distance(y, exact, 0, 4);
                    if (!(without <= 30 * with + 1000 * tolerance))
                        fail_msg("%s, bent %d, pivot %d, tolerance %g: error %g, with derivatives "
                                 "%g", methods[k] ? methods[k] : "auto", bent, pivot, tolerance,
                                 without, with);
                }
}

/* ---- single evaluations ---------------------------------------------------------------------- */

typedef struct surface {
    int trigonometric;
    double scale;                /* of q, of g and of the times                            */
} surface;

/* g = L f(x / L, y / L, t / L),  f = x^3 y - 2 x y^2 + t x^2 or sin(x + 2 y) + cos(x y) sin(t) */
static int height(double t, const double *q, double *g, void *context)
{
    const surface *c = context;
    double L = c->scale, x = q[0] / L, y = q[1] / L, s = t / L;
    g[0] = L * (c->trigonometric ? sin(x + 2 * y) + cos(x * y) * sin(s)
                                 : x * x * x * y - 2 * x * y * y + s * x * x);
    return 0;
}

/* With L = 1: G, g_t and the second derivatives xx, xy, yy, xt, yt, tt. */
static void height_derivatives(int trigonometric, double x, double y, double t, double G[2],
                               double *g_t, double second[6])
{
    if (!trigonometric) {
        G[0] = 3 * x * x * y - 2 * y * y + 2 * t * x, G[1] = x * x * x - 4 * x * y, *g_t = x * x;
        second[0] = 6 * x * y + 2 * t, second[1] = 3 * x * x - 4 * y, second[2] = -4 * x;
        second[3] = 2 * x, second[4] = second[5] = 0;
        return;
    }
    double c = cos(x + 2 * y), s = sin(x + 2 * y), C = cos(x * y), S = sin(x * y);
    G[0] = c - y * S * sin(t), G[1] = 2 * c - x * S * sin(t), *g_t = C * cos(t);
    second[0] = -s - y * y * C * sin(t);
    second[1] = -2 * s - (S + x * y * C) * sin(t);
    second[2] = -4 * s - x * x * C * sin(t);
    second[3] = -y * S * cos(t), second[4] = -x * S * cos(t), second[5] = -C * sin(t);
}

/* Errors of G, g_t and gamma in units of their terms. */
static void compare_height(surface c, double accuracy, double bound_of_G, double bound_of_gamma)
{
    double L = c.scale, x[2] = {0.7, -0.4}, v[2] = {1.3, 0.6}, t = 0.8, G[2], exact[2], g_t, time;
    double second[6], gamma, q[2] = {L * x[0], L * x[1]}, f[2], g;
    keel_problem *p = NULL;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = gravity, .constraint = height, .context = &c}),
        KEEL_OK);
    bench b;
    bench_open(&b, p);
    b.eval.accuracy = accuracy;
    b.eval.time_scale = 0.5 * L;
    keel_mechanical_parts parts = {NULL, f, &g, G, &time, &gamma};
    assert_int_equal(eval_mechanical(&b.eval, L * t, q, v, KEEL_FORCE | KEEL_CONSTRAINT |
                                     KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME |
                                     KEEL_CURVATURE, &parts), 0);
    height_derivatives(c.trigonometric, x[0], x[1], t, exact, &g_t, second);
    double expected = second[0] * v[0] * v[0] + 2 * second[1] * v[0] * v[1] +
                      second[2] * v[1] * v[1] + 2 * second[3] * v[0] + 2 * second[4] * v[1] +
                      second[5];
    double error_G = distance(G, exact, 0, 2), error_time = fabs(time - g_t);
    double error_gamma = fabs(gamma * L - expected);
    if (!(error_G <= bound_of_G && error_time <= 1e-10 && error_gamma <= bound_of_gamma))
        fail_msg("scale %g, %s, accuracy %g: errors %g of G, %g of g_t, %g of gamma", L,
                 c.trigonometric ? "trigonometric" : "polynomial", accuracy, error_G, error_time,
                 error_gamma);
    bench_free(&b);
    keel_problem_free(p);
}

/* Bounds: ten times what derived.c expects of its orders for a function that changes over 1; here
 * over about 1/3. */
static void accuracy_of_derivatives(void **state)
{
    static const double scales[] = {1e-3, 1, 1e3};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int trigonometric = 0; trigonometric < 2; trigonometric++) {
            surface c = {.trigonometric = trigonometric, .scale = scales[k]};
            compare_height(c, 1e-7, 1e-9, 1e-8);
            compare_height(c, 1e-9, 2e-11, 2e-9);
            compare_height(c, 0, 4e-12, 4e-10);
        }
}

/* ---- quadratic constraints ------------------------------------------------------------------- */

/* A circle with a smooth bump outside of the part where the model was learned. */
static int bumpy(double t, const double *q, double *g, void *context)
{
    double s = q[0] - 3;
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1 + (s > 0 ? s * s * s : 0);
    return 0;
}

/* What is quadratic near the start only is found out, and costs one evaluation elsewhere. */
static void no_longer_quadratic(void **state)
{
    keel_problem *p = NULL;
    double q[2] = {0.6, 0.8}, v[2] = {0.8, -0.6}, G[2], g_t, gamma;
    keel_mechanical_parts parts = {.constraint_jacobian = G, .constraint_time = &g_t,
                                   .curvature = &gamma};
    unsigned wanted = KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME | KEEL_CURVATURE;
    bench b;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = gravity, .constraint = bumpy}), KEEL_OK);
    bench_open(&b, p);
    for (int k = 0; k < 2; k++) {
        q[0] = 0.6 + 0.1 * k;
        long before = b.stats.constraint;
        assert_int_equal(eval_mechanical(&b.eval, 0, q, v, wanted, &parts), 0);
        assert_true(fabs(G[0] - 2 * q[0]) + fabs(G[1] - 2 * q[1]) < 1e-14);
        assert_true(fabs(gamma - 2) < 1e-13 && g_t == 0);
        if (k > 0) assert_int_equal(b.stats.constraint - before, 2);     /* itself and g */
    }
    q[0] = 4;
    assert_int_equal(eval_mechanical(&b.eval, 0, q, v, wanted, &parts), 0);
    assert_true(fabs(G[0] - 11) < 1e-9 && fabs(G[1] - 1.6) < 1e-9 && g_t == 0);
    assert_true(fabs(gamma - (2 + 6 * 0.64)) < 1e-7);
    bench_free(&b);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_calls),
        cmocka_unit_test(as_many_steps),
        cmocka_unit_test(as_accurate),
        cmocka_unit_test(accuracy_of_derivatives),
        cmocka_unit_test(no_longer_quadratic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
