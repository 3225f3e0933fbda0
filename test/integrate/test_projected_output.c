/* test_projected_output.c -- points between the steps and of recordings on all constraint
 * levels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/keel.h"
#include "problems/problems.h"

enum { LARGEST = 400, STEPS = 12, PARAMETERS = 8 };

typedef struct bench {
    const bundled_problem *bundled;
    double parameters[PARAMETERS], start[LARGEST];
    keel_problem *problem;
    keel_solver *solver;
    keel_solver *judge;          /* takes values as given, and tells their residuals */
} bench;

static const keel_options as_given = {.method = "radau-iia", .initial = KEEL_INITIAL_GIVEN};

/* false: the method cannot advance the problem. */
static bool open_bench(bench *b, const char *name, const keel_options *options)
{
    *b = (bench){.bundled = bundled_problem_find(name)};
    assert_non_null(b->bundled);
    for (int i = 0; i < b->bundled->parameter_count; i++)
        b->parameters[i] = b->bundled->parameters[i].value;
    assert_int_equal(b->bundled->create(&b->problem, b->parameters), KEEL_OK);
    b->bundled->start(b->parameters, b->start);
    const int status = keel_solver_create(&b->solver, b->problem, options);
    if (status == KEEL_UNSUPPORTED) return false;
    assert_int_equal(status, KEEL_OK);
    assert_int_equal(keel_solver_create(&b->judge, b->problem, &as_given), KEEL_OK);
    assert_int_equal(keel_start(b->solver, b->bundled->t_start, b->start), KEEL_OK);
    assert_int_equal(keel_set_stop_time(b->solver, b->bundled->t_end), KEEL_OK);
    return true;
}

static void close_bench(bench *b)
{
    keel_solver_free(b->judge);
    keel_solver_free(b->solver);
    keel_problem_free(b->problem);
}

/* The largest residual of all levels at y. */
static double residual(bench *b, double t, const double *y)
{
    double worst = 0;
    assert_int_equal(keel_start(b->judge, t, y), KEEL_OK);
    for (int k = 0; k < keel_problem_levels(b->problem); k++)
        worst = fmax(worst, keel_level_residual(b->judge, k));
    return worst;
}

static double largest(const double *y, int n)
{
    double worst = 1;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(y[i]));
    return worst;
}

static const char *const problems[] = {"pendulum", "pendulum-energy", "pendulum-levelled",
                                       "andrews", "chain", "ascher-petzold",
                                       "order-index3-nonlinear", "order-levelled", "kepler",
                                       "chemical-akzo-nobel", "robertson"};
static const char *const methods[] = {"auto", "dop853", "hem-5", "radau-iia", "radau-iia-3",
                                      "gauss-3", "esdirk-4", "bdf"};
enum { PROBLEMS = sizeof problems / sizeof *problems, METHODS = sizeof methods / sizeof *methods };

/* No worse than steps are, whose own residuals are of the size of rounding in the equations. */
static void on_all_levels(void **state)
{
    int polynomials_off = 0, points = 0;
    (void)state;
    for (int p = 0; p < PROBLEMS; p++)
        for (int m = 0; m < METHODS; m++) {
            bench b;
            const bool able = open_bench(&b, problems[p], &(keel_options){.method = methods[m]});
            const int n = keel_problem_size(b.problem);
            const double end = b.bundled->t_end;
            for (int step = 0; able && step < STEPS && keel_time(b.solver) < end; step++) {
                assert_int_equal(keel_step(b.solver), KEEL_OK);
                const double t = 0.4 * keel_previous_time(b.solver) + 0.6 * keel_time(b.solver);
                double y[LARGEST], polynomial[LARGEST];
                assert_int_equal(keel_interpolate(b.solver, t, polynomial), KEEL_OK);
                assert_int_equal(keel_interpolate_projected(b.solver, t, y), KEEL_OK);
                const double size = largest(y, n) * largest(y, n), left = residual(&b, t, y);
                const double of_step = residual(&b, keel_time(b.solver), keel_state(b.solver));
                if (!(left <= 1e-11 * size + 10 * of_step))
                    fail_msg("%s, %s, t = %g: %g", problems[p], methods[m], t, left);
                polynomials_off += residual(&b, t, polynomial) > 1e-9 * size + 10 * of_step;
                points++;
            }
            close_bench(&b);
        }
    assert_true(points > 500 && polynomials_off > points / 10);     /* it was worth it */
}

/* Ends of the step are as the run has them, and so is everything without constraints. */
static void where_nothing_moves(void **state)
{
    bench b;
    double y[LARGEST], z[LARGEST];
    (void)state;
    assert_true(open_bench(&b, "pendulum", &(keel_options){.method = "radau-iia"}));
    for (int step = 0; step < 5; step++) {
        memcpy(z, keel_state(b.solver), 5 * sizeof *z);
        assert_int_equal(keel_step(b.solver), KEEL_OK);
        assert_int_equal(keel_interpolate_projected(b.solver, keel_previous_time(b.solver), y), 0);
        assert_memory_equal(y, z, 5 * sizeof *y);
        assert_int_equal(keel_interpolate_projected(b.solver, keel_time(b.solver), y), 0);
        assert_memory_equal(y, keel_state(b.solver), 5 * sizeof *y);
        assert_int_equal(keel_interpolate_projected(b.solver, keel_time(b.solver) + 1, y),
                         KEEL_BAD_ARGUMENT);
        assert_int_equal(keel_interpolate_projected(b.solver, keel_time(b.solver), NULL),
                         KEEL_BAD_ARGUMENT);
    }
    assert_int_equal(keel_interpolate_projected(NULL, 0, y), KEEL_BAD_ARGUMENT);
    close_bench(&b);
    assert_true(open_bench(&b, "van-der-pol", &(keel_options){.method = "radau-iia"}));
    for (int step = 0; step < 5; step++) {
        assert_int_equal(keel_step(b.solver), KEEL_OK);
        const double t = 0.5 * (keel_previous_time(b.solver) + keel_time(b.solver));
        assert_int_equal(keel_interpolate(b.solver, t, z), KEEL_OK);
        assert_int_equal(keel_interpolate_projected(b.solver, t, y), KEEL_OK);
        assert_memory_equal(y, z, 2 * sizeof *y);
    }
    close_bench(&b);
}

/* With the solver of the run, and with one that knows the problem only. */
static void recordings(void **state)
{
    bench b;
    double y[5], z[5], polynomial[5], worst = 0;
    keel_solution *record = NULL;
    (void)state;
    assert_true(open_bench(&b, "pendulum", &(keel_options){.method = "radau-iia"}));
    assert_int_equal(keel_solution_create(&record, b.solver), KEEL_OK);
    while (keel_time(b.solver) < 5) {
        assert_int_equal(keel_step(b.solver), KEEL_OK);
        assert_int_equal(keel_solution_append(record, b.solver), KEEL_OK);
    }
    assert_int_equal(keel_start(b.judge, 0, b.start), KEEL_OK);
    for (double t = 0.03; t < 5; t += 0.1) {
        assert_int_equal(keel_solution_at_projected(record, b.solver, t, y), KEEL_OK);
        assert_int_equal(keel_solution_at_projected(record, b.judge, t, z), KEEL_OK);
        assert_int_equal(keel_solution_at(record, t, polynomial), KEEL_OK);
        for (int i = 0; i < 5; i++) assert_true(fabs(y[i] - z[i]) < 1e-12);
        assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-14);
        assert_true(fabs(y[0] * y[2] + y[1] * y[3]) < 1e-14);
        assert_true(fabs(y[4] - (y[2] * y[2] + y[3] * y[3] - y[1]) / 2) < 1e-13);
        worst = fmax(worst, fabs(polynomial[0] * polynomial[2] + polynomial[1] * polynomial[3]));
    }
    assert_true(worst > 1e-10);
    for (int k = 0; k <= keel_solution_steps(record); k++) {
        const double t = keel_solution_time(record, k);
        assert_int_equal(keel_solution_at(record, t, z), KEEL_OK);
        assert_int_equal(keel_solution_at_projected(record, b.solver, t, y), KEEL_OK);
        assert_memory_equal(y, z, sizeof y);
    }
    assert_int_equal(keel_solution_at_projected(record, b.solver, 1e3, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_at_projected(record, NULL, 1, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_at_projected(NULL, b.solver, 1, y), KEEL_BAD_ARGUMENT);
    keel_solution_free(record);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_all_levels), cmocka_unit_test(where_nothing_moves),
        cmocka_unit_test(recordings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
