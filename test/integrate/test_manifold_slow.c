/* test_manifold_slow.c -- no drift: after every step of long runs the pendulum is where its constraints
 * are, whatever the method, the form in which it is given, and the time that has passed.
 *
 *   test_integrate_manifold_slow            to t = 100, and 32 000 periods with the energy
 *   test_integrate_manifold_slow whole      ten times as far
 *
 * Positions and velocities are at most 1.4 in size: 1e-14 is some fifty units in the last place.
 */
#include "problems/pendulum.h"
#include "test/support/run.h"

static double share = 0.1;

/* ---- the pendulum as F(t,y,y') = 0 of index 1, its constraints attached ---------------------- */

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < 2; i++) F[i] = yp[i] - y[2 + i];
    F[2] = yp[2] + y[0] * y[4];
    F[3] = yp[3] + y[1] * y[4] + 1;
    F[4] = y[2] * y[2] + y[3] * y[3] - (y[0] * y[0] + y[1] * y[1]) * y[4] - y[1];
    return 0;
}

static int levels(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = (y[0] * y[0] + y[1] * y[1] - 1) / 2;
    h[1] = y[0] * y[2] + y[1] * y[3];
    return 0;
}

static int create_implicit(keel_problem **p, const double *parameters)
{
    (void)parameters;
    return keel_implicit(p, &(keel_implicit_spec){.size = 5, .residual = residual,
                                                  .attached = {.rows = 2, .value = levels}});
}

/* ---- every accepted step --------------------------------------------------------------------- */

/* The largest position and velocity residuals of the run. */
static void follow(keel_problem *p, keel_options o, double end, const char *name)
{
    keel_solver *s = NULL;
    double y[5], h[2], worst[2] = {0};
    pendulum_start(NULL, y);
    expect_ok(keel_solver_create(&s, p, &o), s, o.method);
    expect_ok(keel_start(s, 0, y), s, o.method);
    expect_ok(keel_set_stop_time(s, end), s, o.method);
    while (keel_time(s) < end) {
        expect_ok(keel_step(s), s, o.method);
        levels(0, keel_state(s), h, NULL);
        for (int k = 0; k < 2; k++) worst[k] = fmax(worst[k], fabs(h[k]));
    }
    print_message("%-12s %-12s to %6g: %8ld steps, position %.1e, velocity %.1e\n", name, o.method,
                  end, keel_solver_stats(s)->steps, worst[0], worst[1]);
    if (!(worst[0] <= 1e-14 && worst[1] <= 1e-14))
        fail_msg("%s, %s: position %.2e, velocity %.2e", name, o.method, worst[0], worst[1]);
    keel_solver_free(s);
}

static void every_form_and_class_of_methods(void **state)
{
    static const char *const methods[] = {"auto", "radau-iia", "gauss-3", "esdirk-4", "bdf",
                                          "dimsim", "dop853", "hem-5"};
    static const struct {
        const char *name;
        int (*create)(keel_problem **p, const double *parameters);
        int methods;             /* the last two are for forms that tell their multipliers */
    } kind[] = {{"mechanical", NULL, 8}, {"levelled", NULL, 8}, {"implicit", create_implicit, 6}};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < kind[k].methods; i++) {
            const bundled_problem *bundled = k ? &problem_pendulum_levelled : &problem_pendulum;
            const double parameters[] = {1, 0};
            keel_problem *p = NULL;
            assert_int_equal((kind[k].create ? kind[k].create : bundled->create)(&p, parameters),
                             KEEL_OK);
            follow(p, (keel_options){.method = methods[i], .rtol = 1e-8, .atol = 1e-8},
                   1000 * share, kind[k].name);
            keel_problem_free(p);
        }
}

/* ---- the energy, too ------------------------------------------------------------------------- */

/* 320 000 periods of 7.416 at 1e-6. */
static void energy_for_a_long_time(void **state)
{
    const double parameters[] = {1};
    const double end = 3.2e5 * 7.416 * share;
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[5], h[2], worst[3] = {0};
    (void)state;
    pendulum_start(NULL, y);
    assert_int_equal(problem_pendulum_energy.create(&p, parameters), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.rtol = 1e-6, .atol = 1e-6}), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    while (keel_time(s) < end) {
        expect_ok(keel_step(s), s, "step");
        const double *x = keel_state(s);
        levels(0, x, h, NULL);
        worst[0] = fmax(worst[0], fabs(h[0]));
        worst[1] = fmax(worst[1], fabs(h[1]));
        worst[2] = fmax(worst[2], fabs((x[2] * x[2] + x[3] * x[3]) / 2 + x[1]));
    }
    print_message("%.0f periods in %ld steps: position %.1e, velocity %.1e, energy %.1e\n",
                  end / 7.416, keel_solver_stats(s)->steps, worst[0], worst[1], worst[2]);
    for (int k = 0; k < 3; k++) assert_true(worst[k] <= 1e-14);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_and_class_of_methods),
        cmocka_unit_test(energy_for_a_long_time),
    };
    if (count > 1 && strcmp(arguments[1], "whole") == 0) share = 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
