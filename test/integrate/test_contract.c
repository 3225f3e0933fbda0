/* test_contract.c -- promises of solver.h at its edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "keel/keel.h"
#include "problems/problems.h"

static int decay(double t, const double *y, double *f, void *context)
{
    (void)t;
    if (context) ++*(long *)context;
    f[0] = -y[0];
    return 0;
}

static keel_solver *ode_solver(keel_problem **p, long *calls, const keel_options *o)
{
    keel_solver *s = NULL;
    double one = 1;
    assert_int_equal(keel_ode(p, &(keel_ode_spec){.size = 1, .rhs = decay, .context = calls}), 0);
    assert_int_equal(keel_solver_create(&s, *p, o), 0);
    assert_int_equal(keel_start(s, 0, &one), 0);
    return s;
}

static void stop_time_on_the_other_side(void **state)
{
    keel_problem *p;
    (void)state;
    keel_solver *s = ode_solver(&p, NULL, NULL);
    assert_int_equal(keel_set_stop_time(s, 1), KEEL_OK);
    assert_int_equal(keel_advance(s, -1), KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(keel_message(s), "stop time"));
    assert_true(keel_time(s) == 0);
    keel_clear_stop_time(s);
    assert_int_equal(keel_advance_to(s, -1), KEEL_OK);
    assert_true(fabs(keel_state(s)[0] - exp(1)) < 1e-5);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* t = k h without accumulated rounding: exactly 10000 steps of 0.001 to 10, and at each of them the
 * product, rounded once. */
static void constant_steps_are_counted(void **state)
{
    keel_problem *p;
    (void)state;
    keel_solver *s = ode_solver(&p, NULL, &(keel_options){.method = "radau-iia-2", .step = 0.001});
    assert_int_equal(keel_advance_to(s, 10), KEEL_OK);
    assert_int_equal(keel_solver_stats(s)->accepted, 10000);
    assert_int_equal(keel_start(s, 0, (double[]){1}), KEEL_OK);
    for (int k = 1; k <= 10000; k++) {
        assert_int_equal(keel_step(s), KEEL_OK);
        assert_true(fabs(keel_time(s) - 0.001 * k) <= DBL_EPSILON * keel_time(s));
    }
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- a particle on a line that moves fast: q = sin(w t), g_t not given ------------------------ */

static double w;                                  /* angular frequency under test */

static int no_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = f[1] = 0;
    return 0;
}

static int driven(double t, const double *q, double *g, void *context)
{
    (void)context;
    g[0] = q[0] - sin(w * t);
    return 0;
}

static void fast_constraints_are_differenced_on_their_scale(void **state)
{
    static const double frequencies[] = {1, 1e4, 1e6, 6.283185307179586e4, 1.2566370614359172e7};
    (void)state;
    for (int k = 0; k < 5; k++) {
        keel_problem *p;
        keel_solver *s;
        double y[5] = {0};
        w = frequencies[k];
        assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
            .positions = 2, .constraints = 1, .force = no_force, .constraint = driven}), 0);
        assert_int_equal(keel_solver_create(&s, p, NULL), 0);
        assert_int_equal(keel_start(s, 0, y), 0);
        assert_true(fabs(keel_state(s)[2] / w - 1) < 1e-6);          /* v1 = w cos 0 */
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- Hessenberg 3: projection before the first step ------------------------------------------ */

static int rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    f[0] = v[0];
    f[1] = v[1];
    return 0;
}

static int swing(double t, const double *u, const double *v, const double *l, double *k, void *context)
{
    (void)t, (void)v, (void)context;
    k[0] = -2 * u[0] * l[0];
    k[1] = -1 - 2 * u[1] * l[0];
    return 0;
}

static int rod(double t, const double *u, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

static void projection_before_the_first_step(void **state)
{
    (void)state;
    keel_problem *p;
    keel_solver *s;
    const double start[5] = {1, 0, 0, 0, 0};
    double y[5] = {1.01, 0.02, 0.03, 0.5, 7};
    assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){
        .positions = 2, .velocities = 2, .multipliers = 1, .position_rate = rate,
        .velocity_rate = swing, .constraint = rod}), 0);
    assert_int_equal(keel_solver_create(&s, p, NULL), 0);
    assert_int_equal(keel_start(s, 0, start), 0);
    assert_int_equal(keel_project(s, 0, y), KEEL_OK);
    assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-14);
    assert_true(fabs(y[0] * y[2] + y[1] * y[3]) < 1e-9);         /* G by differences */
    assert_true(fabs(y[4] - (y[2] * y[2] + y[3] * y[3] - y[1]) / 2) < 1e-6);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- jacobian_differences reaches F_y' as well ------------------------------------------------ */

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[0] = 2 * yp[0] + y[0];
    return 0;
}

static int wrong_jacobian(double t, const double *y, const double *yp, double shift, keel_matrix *J,
                          void *context)
{
    (void)t, (void)y, (void)yp, (void)shift, (void)context;
    keel_put(J, 0, 0, NAN);
    return 0;
}

static void differences_instead_of_every_jacobian(void **state)
{
    (void)state;
    keel_problem *p;
    keel_solver *s;
    double one = 1;
    assert_int_equal(keel_implicit(&p, &(keel_implicit_spec){
        .size = 1, .residual = residual, .jacobian = wrong_jacobian}), 0);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.jacobian_differences = 1}), 0);
    assert_int_equal(keel_start(s, 0, &one), KEEL_OK);
    assert_int_equal(keel_advance_to(s, 1), KEEL_OK);
    assert_true(fabs(keel_state(s)[0] - exp(-0.5)) < 1e-5);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- a constant step too long for the saddle iteration ---------------------------------------- */

static void constant_steps_switch_to_the_full_iteration(void **state)
{
    (void)state;
    const bundled_problem *crank = bundled_problem_find("slider-crank");
    keel_problem *p;
    keel_solver *s;
    double y[32];
    assert_int_equal(crank->create(&p, NULL), 0);
    crank->start(NULL, y);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.step = 1e-3}), 0);
    assert_int_equal(keel_start(s, 0, y), 0);
    assert_int_equal(keel_advance_to(s, 0.02), KEEL_OK);
    assert_int_equal(keel_solver_stats(s)->iteration_switches, 1);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- tolerances per unknown, largest step, reported residuals -------------------------------- */

static keel_solver *pendulum(keel_problem **p, const keel_options *o)
{
    const bundled_problem *b = bundled_problem_find("pendulum");
    static const double gravity = 1;
    keel_solver *s = NULL;
    double y[5];
    assert_int_equal(b->create(p, &gravity), 0);
    b->start(&gravity, y);
    assert_int_equal(keel_solver_create(&s, *p, o), 0);
    assert_int_equal(keel_start(s, 0, y), 0);
    return s;
}

/* Loosening the first tolerance must not change the order, which the tightest one decides. */
static void the_tightest_tolerance_decides(void **state)
{
    keel_problem *p;
    double rtol[5] = {1e-3, 1e-10, 1e-10, 1e-10, 1e-10};
    (void)state;
    keel_solver *s = pendulum(&p, &(keel_options){.rtol_each = rtol, .atol_each = rtol});
    assert_int_equal(keel_advance_to(s, 5), KEEL_OK);
    assert_true(keel_solver_stats(s)->stages_low >= 5);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void largest_step_is_never_exceeded(void **state)
{
    keel_problem *p;
    (void)state;
    keel_solver *s = pendulum(&p, &(keel_options){.max_step = 0.1});
    assert_int_equal(keel_set_stop_time(s, 1.0005), KEEL_OK);
    while (keel_step(s) == KEEL_OK)
        assert_true(keel_time(s) - keel_previous_time(s) <= 0.1 * (1 + 1e-12));
    assert_true(keel_time(s) == 1.0005);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* Multipliers by the recursion have order s - 1: their residual must show it. */
static void residual_of_recursion_multipliers(void **state)
{
    keel_problem *p;
    (void)state;
    keel_solver *s = pendulum(&p, &(keel_options){.method = "radau-iia-3",
                                                  .multipliers = KEEL_MULTIPLIERS_RECURSION});
    assert_int_equal(keel_advance_to(s, 5), KEEL_OK);
    const double *y = keel_state(s);
    double residual[3], d3 = 2 * (y[2] * y[2] + y[3] * y[3]) - 2 * y[1]
                           - 4 * y[4] * (y[0] * y[0] + y[1] * y[1]);
    keel_residuals(s, residual);
    assert_true(fabs(d3) > 1e-6);
    assert_true(fabs(residual[2] - fabs(d3)) < 1e-10);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- a callback that says stop is obeyed wherever it is called -------------------------------- */

static int pull(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -1;
    return 0;
}

/* Counts down; says stop when it reaches zero. */
static int counted_curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    long *left = context;
    (void)t, (void)q;
    gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return --*left == 0 ? -1 : 0;
}

static void stop_is_obeyed_with_recursion_multipliers(void **state)
{
    (void)state;
    for (long at = 1; at <= 40; at++) {
        const double y[5] = {1};
        long left = at;
        keel_problem *p;
        keel_solver *s;
        assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
            .positions = 2, .constraints = 1, .force = pull, .constraint = rod,
            .curvature = counted_curvature, .context = &left}), 0);
        assert_int_equal(keel_solver_create(&s, p, &(keel_options){
            .multipliers = KEEL_MULTIPLIERS_RECURSION, .rtol = 1e-8}), 0);
        int rc = keel_start(s, 0, y);
        if (!rc) rc = keel_advance_to(s, 20);
        assert_int_equal(rc, KEEL_CALLBACK_FAILED);
        assert_non_null(strstr(keel_message(s), "curvature"));
        assert_true(left == 0);                       /* and nothing was called after it */
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* u2 = 0 leaves u1^2 + u2^2 = 1 unchanged to first order; the start must find u2 = +-0.8 all the same. */
static void a_guess_where_the_constraint_is_flat(void **state)
{
    keel_problem *p;
    const double y[5] = {0.6};
    const keel_mark marks[5] = {KEEL_FIXED, KEEL_GUESS, KEEL_GUESS, KEEL_GUESS, KEEL_FREE};
    (void)state;
    keel_solver *s = pendulum(&p, NULL);
    assert_int_equal(keel_start_marked(s, 0, y, NULL, marks), KEEL_OK);
    assert_true(keel_state(s)[0] == 0.6);
    assert_true(fabs(fabs(keel_state(s)[1]) - 0.8) < 1e-14);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stop_time_on_the_other_side),
        cmocka_unit_test(constant_steps_are_counted),
        cmocka_unit_test(fast_constraints_are_differenced_on_their_scale),
        cmocka_unit_test(projection_before_the_first_step),
        cmocka_unit_test(differences_instead_of_every_jacobian),
        cmocka_unit_test(constant_steps_switch_to_the_full_iteration),
        cmocka_unit_test(the_tightest_tolerance_decides),
        cmocka_unit_test(largest_step_is_never_exceeded),
        cmocka_unit_test(residual_of_recursion_multipliers),
        cmocka_unit_test(a_guess_where_the_constraint_is_flat),
        cmocka_unit_test(stop_is_obeyed_with_recursion_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
