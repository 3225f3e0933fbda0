/* test_double_pendulum.c -- the double pendulum that other tests use: Cartesian against angles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/support/differences.h"
#include "test/support/double_pendulum.h"

static const double_pendulum *const kinds[] = {&two_rods, &rod_twice, &rods_that_contradict};

/* A point that moves along `direction`. */
typedef struct place { const double_pendulum *kind; double q[4], direction[4]; } place;

static void constraints_along(double s, double *g, const void *context)
{
    const place *at = context;
    double q[4];
    for (int i = 0; i < 4; i++) q[i] = at->q[i] + s * at->direction[i];
    double_pendulum_constraint(0, q, g, (void *)at->kind);
}

/* g is quadratic, so that differences are exact but for rounding. */
static void derivatives_of_the_constraints(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const keel_mechanical_spec spec = double_pendulum_spec(kinds[k]);
        const double v[4] = {0.3, -0.8, 1.1, 0.5};
        double G[12], gamma[3], g_t[3], d[3];
        place at = {kinds[k], {0.7, -0.6, 1.2, -1.4}, {0}};
        spec.constraint_jacobian(0, at.q, G, spec.context);
        spec.curvature(0, at.q, v, gamma, spec.context);
        spec.constraint_time(0, at.q, g_t, spec.context);
        for (int j = 0; j < 4; j++) {
            at.direction[j] = 1;
            curve_first(constraints_along, &at, 0.1, spec.constraints, d);
            for (int i = 0; i < spec.constraints; i++)
                assert_true(fabs(d[i] - G[4 * i + j]) < 1e-13);
            at.direction[j] = 0;
        }
        memcpy(at.direction, v, sizeof v);
        curve_second(constraints_along, &at, 0.1, spec.constraints, d);
        for (int i = 0; i < spec.constraints; i++)
            assert_true(fabs(d[i] - gamma[i]) < 1e-12 && g_t[i] == 0);
    }
}

static void advance(const keel_problem *p, const double *start, double t, double *end)
{
    keel_solver *s = NULL;
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){
        .method = "verner8", .rtol = 1e-12, .atol = 1e-12}), KEEL_OK);
    assert_int_equal(keel_start(s, 0, start), KEEL_OK);
    assert_int_equal(keel_advance_to(s, t), KEEL_OK);
    memcpy(end, keel_state(s), (size_t)keel_problem_size(p) * sizeof *end);
    keel_solver_free(s);
}

static void motion_agrees_with_that_in_angles(void **state)
{
    const keel_mechanical_spec spec = double_pendulum_spec(&two_rods);
    const keel_ode_spec angles = double_pendulum_angles();
    keel_problem *p = NULL, *a = NULL;
    double y[DOUBLE_PENDULUM_MAX], x[4], expected[8];
    (void)state;
    assert_int_equal(keel_mechanical(&p, &spec), KEEL_OK);
    assert_int_equal(keel_ode(&a, &angles), KEEL_OK);
    double_pendulum_start(&two_rods, y);
    advance(p, y, 2, y);
    advance(a, double_pendulum_start_angles, 2, x);
    double_pendulum_from_angles(x, expected);
    for (int i = 0; i < 8; i++) assert_true(fabs(y[i] - expected[i]) < 1e-9);
    assert_true(fabs(x[0] - double_pendulum_start_angles[0]) > 0.1);
    keel_problem_free(p);
    keel_problem_free(a);
}

/* The start satisfies all rows, but for that of another length. */
static void start_is_consistent(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double y[DOUBLE_PENDULUM_MAX], g[3] = {0}, G[12];
        double_pendulum_start(kinds[k], y);
        double_pendulum_constraint(0, y, g, (void *)kinds[k]);
        double_pendulum_jacobian(0, y, G, (void *)kinds[k]);
        for (int i = 0; i < kinds[k]->rows; i++) {
            double rate = 0;
            for (int j = 0; j < 4; j++) rate += G[4 * i + j] * y[4 + j];
            assert_true(fabs(rate) < 1e-15);
            assert_true(fabs(g[i] + (i == 2 && k == 2 ? 0.105 : 0)) < 1e-15);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_the_constraints),
        cmocka_unit_test(motion_agrees_with_that_in_angles),
        cmocka_unit_test(start_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
