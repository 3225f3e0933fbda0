/* test_heat.c -- heat and its potential: the mode solves the equations on the grid, in 1 to 3 dimensions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "problems/list.h"
#include "test/support/run.h"

static const double grids[][2] = {{40, 1}, {12, 2}, {6, 3}};

/* To the tolerance, times what errors of a step add up to (all of them decay). */
static void mode_is_met(void **state)
{
    (void)state;
    for (int k = 0; k < 3 && has_sparse(); k++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(problem_heat.create(&p, grids[k]), KEEL_OK);
        const int n = keel_problem_size(p);
        double *y = malloc((size_t)n * sizeof *y);
        assert_int_equal(n, 2 * (int)(pow(grids[k][0], grids[k][1]) + 0.5));
        problem_heat.start(grids[k], y);
        expect_ok(keel_solver_create(&s, p, &(keel_options){
            .method = "radau-iia", .rtol = 1e-9, .atol = 1e-9}), s, "create");
        expect_ok(keel_start(s, 0, y), s, "start");
        expect_ok(keel_advance_to(s, 0.1), s, "advance");
        problem_heat.exact(grids[k], 0.1, y);
        assert_true(distance(y, keel_state(s), 0, n) < 1e-9);
        assert_true(bundled_scd_of_size(&problem_heat, n, grids[k], 0.1, keel_state(s), 0) > 6);
        free(y);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* More entries than can be counted are no problem at all. */
static void too_large_grids_are_refused(void **state)
{
    const double large[] = {1000, 3};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(problem_heat.create(&p, large), KEEL_BAD_ARGUMENT);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mode_is_met),
        cmocka_unit_test(too_large_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
