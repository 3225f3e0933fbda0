/* test_levelled.c -- the bundled problems of the levelled form, and the pendulum whose energy is kept.
 *
 * At several points, most of them far from the solution: d/dt h_k = h_(k-1) along (1, f), Jacobians
 * against differences.  Runs: every level at rounding, digits of the pendulum, the change of the lag,
 * no drift of an energy that is kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "problems/list.h"
#include "test/support/differences.h"

enum { PLACES = 6, SIZE_MAX_HERE = 8, PARAMETERS_MAX = 2 };

static const struct levelled_case {
    const bundled_problem *problem;
    keel_levelled_spec (*spec)(const double *parameters);
    double parameters[PARAMETERS_MAX];
} cases[] = {
    {&problem_pendulum_levelled, problem_pendulum_levelled_spec, {1, 0}},
    {&problem_pendulum_levelled, problem_pendulum_levelled_spec, {9.81, 3}},
    {&problem_order_levelled, problem_order_levelled_spec, {2}},
    {&problem_order_levelled, problem_order_levelled_spec, {3}},
    {&problem_order_levelled, problem_order_levelled_spec, {4}},
    {&problem_order_levelled, problem_order_levelled_spec, {3, 1}},
    {&problem_order_levelled, problem_order_levelled_spec, {4, 1}},
};

enum { CASES = sizeof cases / sizeof *cases };

/* ---- callbacks --------------------------------------------------------------------------------- */

/* A point that moves in the direction (d_t, d). */
typedef struct place {
    keel_levelled_spec s;
    double t, x[SIZE_MAX_HERE], d_t, d[SIZE_MAX_HERE];
    int level;
} place;

static place place_number(const struct levelled_case *c, int point)
{
    place at = {.s = c->spec(c->parameters), .t = 0.3 * point};
    c->problem->start(c->parameters, at.x);
    for (int i = 0; i < c->problem->size; i++) at.x[i] += 0.3 * scattered(7 * i + 5 * point);
    return at;
}

/* (f, h_k) */
static void equations_along(double s, double *value, const void *context)
{
    const place *at = context;
    const int n = at->s.differential;
    double x[SIZE_MAX_HERE];
    for (int i = 0; i < n + 1; i++) x[i] = at->x[i] + s * at->d[i];
    const double t = at->t + s * at->d_t;
    assert_int_equal(at->s.rate(t, x, x + n, value, at->s.context), 0);
    assert_int_equal(at->s.level(t, x, x + n, at->level, value + n, at->s.context), 0);
}

static void levels_are_derivatives_of_each_other(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++)
        for (int point = 0; point < PLACES; point++) {
            place at = place_number(&cases[c], point);
            const int n = at.s.differential;
            double value[SIZE_MAX_HERE], rate[SIZE_MAX_HERE];
            at.d_t = 1;
            for (at.level = at.s.chain[0]; at.level > 0; at.level--) {
                equations_along(0, value, &at);
                memcpy(at.d, value, (size_t)n * sizeof *value);
                curve_first(equations_along, &at, 1e-3, n + 1, rate);
                at.s.level(at.t, at.x, at.x + n, at.level - 1, value, at.s.context);
                assert_true(fabs(rate[n] - value[0]) <= 1e-9 * (1 + fabs(value[0])));
            }
        }
}

/* Row n of J is that of h_k, of which only y is given. */
static void check_rows(const keel_matrix *J, const place *at, int first, int columns)
{
    const int n = at->s.differential;
    for (int j = 0; j < columns; j++) {
        place beside = *at;
        double by[SIZE_MAX_HERE];
        beside.d[j] = 1;
        curve_first(equations_along, &beside, 1e-3, n + 1, by);
        for (int i = first; i < n + 1; i++) {
            const double given = J->values[j * (n + 1) + i];
            if (!(fabs(given - by[i]) <= 1e-9 * (1 + fabs(by[i]))))
                fail_msg("h_%d, row %d by %d: %g, not %g", at->level, i, j, given, by[i]);
        }
    }
}

static void jacobians_agree_with_differences(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++)
        for (int point = 0; point < PLACES; point++) {
            place at = place_number(&cases[c], point);
            const int n = at.s.differential;
            double entry[SIZE_MAX_HERE * SIZE_MAX_HERE];
            for (at.level = 0; at.level <= at.s.chain[0]; at.level++) {
                keel_matrix J = {.rows = n + 1, .columns = n + 1, .values = entry, .stray_row = -1,
                                 .stray_column = -1};
                memset(entry, 0, sizeof entry);
                if (at.level == 0) at.s.jacobian(at.t, at.x, at.x + n, &J, at.s.context);
                else at.s.level_jacobian(at.t, at.x, at.level, &J, at.s.context);
                check_rows(&J, &at, at.level == 0 ? 0 : n, at.level == 0 ? n + 1 : n);
            }
        }
}

/* ---- runs -------------------------------------------------------------------------------------- */

static keel_solver *run_to(const bundled_problem *b, const double *parameters, const char *method,
                           double tolerance, double t, keel_problem **problem)
{
    double y[SIZE_MAX_HERE];
    keel_solver *s = NULL;
    assert_int_equal(b->create(problem, parameters), KEEL_OK);
    b->start(parameters, y);
    assert_int_equal(keel_solver_create(&s, *problem, &(keel_options){
        .method = method, .rtol = tolerance, .max_steps = 1000000}), KEEL_OK);
    if (keel_start(s, 0, y) || keel_advance_to(s, t))
        fail_msg("%s, %s: %s", b->name, method, keel_message(s));
    return s;
}

static void end(keel_solver *s, keel_problem *p)
{
    keel_solver_free(s);
    keel_problem_free(p);
}

static void every_level_is_kept(void **state)
{
    static const char *const methods[] = {"auto", "radau-iia", "gauss-3", "hem-5", "bdf"};
    (void)state;
    for (int c = 0; c < CASES; c++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            keel_problem *p = NULL;
            keel_solver *s = run_to(cases[c].problem, cases[c].parameters, methods[m], 1e-5, 5, &p);
            assert_int_equal(keel_problem_levels(p), keel_problem_index(p));
            for (int k = 0; k + 1 < keel_problem_levels(p); k++) {
                const double largest = keel_solver_stats(s)->residual[k];
                if (!(largest >= 0 && largest <= 1e-13))
                    fail_msg("%s with %s: level %d is left by %g", cases[c].problem->name,
                             methods[m], k, largest);
            }
            end(s, p);
        }
}

/* The pendulum has the same solution in all its forms. */
static void digits_of_the_pendulum(void **state)
{
    static const bundled_problem *const forms[] = {
        &problem_pendulum, &problem_pendulum_levelled, &problem_pendulum_energy};
    static const double parameters[PARAMETERS_MAX] = {1, 0};
    (void)state;
    for (int k = 0; k < 3; k++) {
        keel_problem *p = NULL;
        keel_solver *s = run_to(forms[k], parameters, "auto", 1e-11, 20, &p);
        assert_true(bundled_scd(forms[k], parameters, 20, keel_state(s), 0) > 8);
        end(s, p);
    }
}

/* With much damping the pendulum creeps: u2 = -tanh(gravity t / damping), to 1 / damping^2. */
static void lag_changes_where_forces_are_stiff(void **state)
{
    static const double parameters[PARAMETERS_MAX] = {1, 1e5};
    keel_problem *p = NULL;
    (void)state;
    keel_solver *s = run_to(&problem_pendulum_levelled, parameters, "radau-iia", 1e-6, 1e5, &p);
    assert_non_null(strstr(keel_choice(s), "h_1 (index 2)"));
    assert_true(fabs(keel_state(s)[1] + tanh(1)) <= 1e-5);
    assert_true(keel_solver_stats(s)->steps < 120);
    end(s, p);
}

static void energy_does_not_drift(void **state)
{
    static const double parameters[PARAMETERS_MAX] = {1, 0};
    double error[2];
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        keel_problem *p = NULL;
        keel_solver *s = run_to(kept ? &problem_pendulum_energy : &problem_pendulum, parameters,
                                "radau-iia", 1e-6, 200, &p);
        const double *y = keel_state(s), *largest = keel_solver_stats(s)->residual;
        error[kept] = fabs((y[2] * y[2] + y[3] * y[3]) / 2 + y[1]);  /* 0 at the start */
        assert_true(largest[0] <= 1e-14 && largest[1] <= 1e-14);
        end(s, p);
    }
    assert_true(error[0] > 1e-6 && error[1] <= 1e-14);
}

/* Without hidden constraints the form is that of index 1: z = y2. */
static int chainless_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -z[0];
    f[1] = y[0];
    return 0;
}

static int chainless_level(double t, const double *y, const double *z, int k, double *h,
                           void *context)
{
    (void)t, (void)k, (void)context;
    h[0] = z[0] - y[1];
    return 0;
}

static int chainless_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                              void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    keel_put(J, 0, 2, -1);
    keel_put(J, 1, 0, 1);
    keel_put(J, 2, 1, -1);
    keel_put(J, 2, 2, 1);
    return 0;
}

static void no_hidden_constraints(void **state)
{
    static const char *const methods[] = {"dopri5", "esdirk-4", "radau-iia", "bdf", "auto"};
    const double start_values[] = {1, 0, 0.5};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_levelled(&p, &(keel_levelled_spec){
        .differential = 2, .algebraic = 1, .rate = chainless_rate, .level = chainless_level,
        .jacobian = chainless_jacobian}), KEEL_OK);
    for (int m = 0; m < 5; m++) {
        keel_solver *s = NULL;
        keel_options options = {.method = methods[m], .rtol = 1e-8, .atol = 1e-8};
        assert_int_equal(keel_solver_create(&s, p, &options), KEEL_OK);
        assert_int_equal(keel_start(s, 0, start_values), KEEL_OK);
        assert_int_equal(keel_advance_to(s, 1), KEEL_OK);
        assert_true(fabs(keel_state(s)[2] - sin(1)) <= 1e-6);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

static void other_indices_are_refused(void **state)
{
    static const double wrong[][2] = {{1}, {5}, {2.5}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        keel_problem *p = NULL;
        assert_int_equal(problem_order_levelled.create(&p, wrong[k]), KEEL_BAD_ARGUMENT);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_derivatives_of_each_other),
        cmocka_unit_test(jacobians_agree_with_differences), cmocka_unit_test(every_level_is_kept),
        cmocka_unit_test(digits_of_the_pendulum),
        cmocka_unit_test(lag_changes_where_forces_are_stiff),
        cmocka_unit_test(energy_does_not_drift), cmocka_unit_test(no_hidden_constraints),
        cmocka_unit_test(other_indices_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
