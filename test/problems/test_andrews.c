/* test_andrews.c -- Andrews' squeezing mechanism with accelerations as unknowns, and with an
 * elastic joint.
 *
 * (4.14) of Weiss 2007: q' = v, v' = w, 0 = M w - f + G^T l, 0 = G v, whose consistent initial
 * values are published.  Elastic joint: the solution differs from the rigid one by O(epsilon^2)
 * [Lubich, ZAMP 44 (1993)], and its spring force by as little from the rigid multipliers.
 */
#include "problems/list.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { N = 7, M = 6, SIZE = 3 * N + M, RIGID = 4 };

static keel_problem *accelerated(keel_problem **original)
{
    keel_problem *p = NULL;
    assert_int_equal(problem_andrews.create(original, NULL), KEEL_OK);
    if (keel_formulate(&p, *original, &(keel_formulation){.name = "index2-augmented"}))
        fail_msg("%s", keel_problem_message(p));
    return p;
}

static keel_solver *solver(const keel_problem *p, keel_options options)
{
    keel_solver *s = NULL;
    int rc = keel_solver_create(&s, p, &options);
    if (rc) fail_msg("%s", keel_message(s));
    return s;
}

static void expect_ok(int rc, const keel_solver *s)
{
    if (rc) fail_msg("%s: %s", keel_status_name(rc), keel_message(s));
}

/* ---- accelerations as unknowns ------------------------------------------------------------- */

static void published_start(void **state)
{
    static const double w[N] = {14222.4439199541138705911625887, -10666.8329399655854029433719415};
    static const double l[M] = {98.5668703962410896057654982170, -6.12268834425566265503114393122};
    keel_problem *original = NULL, *p = accelerated(&original);
    double given[2 * N + M], y[SIZE];
    (void)state;
    assert_int_equal(keel_problem_size(p), SIZE);
    assert_int_equal(keel_problem_index(p), 2);
    assert_string_equal(keel_variable_name(p, 2 * N + M), "beta''");
    problem_andrews.start(NULL, given);
    memset(given + 2 * N, 0, M * sizeof *given);
    keel_formulation_from(p, given, y);
    keel_solver *s = solver(p, (keel_options){0});
    expect_ok(keel_start(s, 0, y), s);
    for (int k = 0; k < M; k++) assert_true(fabs(keel_state(s)[2 * N + k] - l[k]) < 1e-9);
    for (int i = 0; i < N; i++) assert_true(fabs(keel_state(s)[2 * N + M + i] - w[i]) < 1e-6);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(original);
}

/* With constant steps Newton's method iterates to rounding: at the end the equations hold, with M,
 * f and G of the spec. */
static void equations_at_the_end(void **state)
{
    keel_problem *original = NULL, *p = accelerated(&original);
    const keel_mechanical_spec spec = problem_andrews_spec(NULL);
    double given[2 * N + M], y[SIZE], mass[N * N], f[N], G[M * N], back[2 * N + M];
    (void)state;
    problem_andrews.start(NULL, given);
    keel_formulation_from(p, given, y);
    keel_solver *s = solver(p, (keel_options){.method = "radau-iia-3", .step = 1e-4,
                                              .projection = KEEL_PROJECT_NONE});
    expect_ok(keel_start(s, 0, y), s);
    expect_ok(keel_advance_to(s, 0.03), s);
    const double *q = keel_state(s), *v = q + N, *l = v + N, *w = l + M;
    keel_formulation_to(p, q, back);
    assert_true(bundled_scd(&problem_andrews, NULL, 0.03, back, 1) > 5);
    const keel_mechanical_parts parts = {.mass = mass, .force = f, .constraint_jacobian = G};
    spec.evaluate(0.03, q, v, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN, &parts, NULL);
    for (int i = 0; i < N; i++) {
        double sum = -f[i], size = fabs(f[i]);
        for (int j = 0; j < N; j++) {
            sum += mass[i * N + j] * w[j];
            size += fabs(mass[i * N + j] * w[j]);
        }
        for (int k = 0; k < M; k++) sum += G[k * N + i] * l[k];
        assert_true(fabs(sum) < 1e-10 * size);
    }
    for (int k = 0; k < M; k++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += G[k * N + i] * v[i];
        assert_true(fabs(sum) < 1e-12);
    }
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(original);
}

/* ---- an elastic joint ---------------------------------------------------------------------- */

static void stiff(double epsilon, double rtol, double *y)
{
    keel_problem *p = NULL;
    double start[2 * N + RIGID];
    assert_int_equal(problem_andrews_stiff.create(&p, &epsilon), KEEL_OK);
    problem_andrews_stiff.start(&epsilon, start);
    keel_solver *s = solver(p, (keel_options){.method = "radau-iia", .rtol = rtol});
    expect_ok(keel_start(s, 0, start), s);
    expect_ok(keel_advance_to(s, 0.03), s);
    memcpy(y, keel_state(s), sizeof start);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* The smooth solution does not need steps that resolve oscillations. */
static void reference(void **state)
{
    const double epsilon = problem_andrews_stiff.parameters[0].value;
    double y[2 * N + RIGID];
    (void)state;
    stiff(epsilon, 1e-9, y);
    assert_true(bundled_scd(&problem_andrews_stiff, &epsilon, 0.03, y, 1) > 7);
}

static void rigid_limit(void **state)
{
    const double *rigid = problem_andrews.references[0].y;
    double coarse[2 * N + RIGID], fine[2 * N + RIGID];
    (void)state;
    stiff(1e-4, 1e-9, coarse);
    stiff(5e-5, 1e-9, fine);
    for (int i = 0; i < N; i++) {
        double ratio = (coarse[i] - rigid[i]) / (fine[i] - rigid[i]);
        if (!(fabs(ratio - 4) < 0.1)) fail_msg("unknown %d: %g instead of 4", i, ratio);
    }
}

/* g_3 / epsilon^2 = (lambda_5, lambda_6) of the rigid mechanism, to O(epsilon^2). */
static void spring_force(void **state)
{
    const double *rigid = problem_andrews.references[0].y, epsilon = 5e-5;
    const keel_mechanical_spec spec = problem_andrews_spec(NULL);
    double y[2 * N + RIGID], g[M];
    const keel_mechanical_parts parts = {.constraint = g};
    (void)state;
    stiff(epsilon, 1e-9, y);
    spec.evaluate(0.03, y, y + N, KEEL_CONSTRAINT, &parts, NULL);
    for (int k = RIGID; k < M; k++)
        assert_true(fabs(g[k] / (epsilon * epsilon) / rigid[2 * N + k] - 1) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_start), cmocka_unit_test(equations_at_the_end),
        cmocka_unit_test(reference), cmocka_unit_test(rigid_limit), cmocka_unit_test(spring_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
