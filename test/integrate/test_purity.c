/* test_purity.c -- questions leave a run as it is, bit for bit.
 *
 * Two solvers advance side by side; one of them is asked after every step for a projection of a
 * point beside its own and for values inside the step.  The bundled problems have the corners in
 * which factors are kept from step to step; Euler's method has no stage that would renew them.
 */
#include "test/support/run.h"

#include "problems/problems.h"

enum { STEPS = 40, SIZE = 64 };

static const char *const methods[] = {"dop853", "dopri5", "verner8", "rk4", "euler", "auto",
                                      "hem-5", "hem-3", "radau-iia", "radau-iia-3", "gauss-2",
                                      "bdf"};
enum { METHODS = sizeof methods / sizeof *methods };

/* A point 1e-3 off, and two inside the last step. */
static void ask(keel_solver *s, int n)
{
    double y[SIZE], t = keel_time(s), h = keel_solver_stats(s)->last_step;
    memcpy(y, keel_state(s), (size_t)n * sizeof *y);
    for (int i = 0; i < n; i++) y[i] += 1e-3 * (1 + fabs(y[i])) * (i % 2 ? 1 : -1);
    (void)keel_project(s, t, y);
    expect_ok(keel_interpolate(s, t - 0.3 * h, y), s, "inside");
    expect_ok(keel_interpolate(s, t - 0.8 * h, y), s, "inside");
}

/* 1 if the method can solve the problem. */
static int compare(const keel_problem *p, double t, const double *y, const keel_options *o)
{
    int n = keel_problem_size(p), rc = KEEL_OK;
    keel_solver *asked = NULL, *other = NULL;
    assert_true(n <= SIZE);
    int able = keel_solver_create(&asked, p, o) == KEEL_OK;
    if (able) {
        expect_ok(keel_solver_create(&other, p, o), other, o->method);
        rc = keel_start(asked, t, y);
        assert_int_equal(keel_start(other, t, y), rc);
    }
    for (int k = 0; k < STEPS && able && rc == KEEL_OK; k++) {
        rc = keel_step(asked);
        assert_int_equal(keel_step(other), rc);
        if (keel_time(asked) != keel_time(other) ||
            memcmp(keel_state(asked), keel_state(other), (size_t)n * sizeof *y) != 0)
            fail_msg("%s: step %d depends on questions", o->method, k + 1);
        if (rc == KEEL_OK) ask(asked, n);
    }
    keel_solver_free(asked);
    keel_solver_free(other);
    return able;
}

static void bundled(void **state)
{
    static const char *const names[] = {"pendulum", "andrews", "car-axis", "slider-crank"};
    int compared = 0;
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bundled_problem *b = bundled_problem_find(names[k]);
        keel_problem *p = NULL;
        double y[SIZE], parameters[16] = {0};
        assert_non_null(b);
        for (int i = 0; i < b->parameter_count; i++) parameters[i] = b->parameters[i].value;
        assert_int_equal(b->create(&p, parameters), KEEL_OK);
        b->start(parameters, y);
        for (int m = 0; m < METHODS; m++) {
            keel_options o = {.method = methods[m], .rtol = 1e-6, .atol = 1e-6};
            compared += compare(p, b->t_start, y, &o);
        }
        keel_problem_free(p);
    }
    assert_true(compared >= 40);
}

/* Differences for what may be left out; z of index 1 from factors that serve several steps. */
static void small(void **state)
{
    static const int kinds[] = {FORM_SEPARATE, FORM_EVALUATE, FORM_SEMI};
    int compared = 0;
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < METHODS; m++) {
            probe context = {0};
            double y[SIZE];
            keel_problem *p = new_problem(&forms[kinds[k]], k == 1 ? GIVEN : BY_DIFFERENCES,
                                          &context);
            keel_options o = {.method = methods[m], .rtol = 1e-6, .atol = 1e-6};
            forms[kinds[k]].exact(0, y);
            compared += compare(p, 0, y, &o);
            keel_problem_free(p);
        }
    assert_true(compared >= 3 * METHODS - 4);    /* half-explicit methods: not for index 1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bundled), cmocka_unit_test(small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
