/* test_list.c -- the list of bundled problems: lookup, agreement with what they create, scd. */
#include "problems/list.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PARAMETERS_MAX = 16 };

static void defaults(const bundled_problem *problem, double *parameters)
{
    assert_true(problem->parameter_count <= PARAMETERS_MAX);
    for (int i = 0; i < problem->parameter_count; i++)
        parameters[i] = problem->parameters[i].value;
}

static void names_find_their_problems(void **state)
{
    int count;
    const bundled_problem *const *list = bundled_problems(&count);
    (void)state;
    assert_int_equal(count, 54);
    for (int i = 0; i < count; i++) assert_ptr_equal(bundled_problem_find(list[i]->name), list[i]);
    assert_null(bundled_problem_find("no such problem"));
}

static void descriptions_agree_with_the_problems(void **state)
{
    int count;
    const bundled_problem *const *list = bundled_problems(&count);
    (void)state;
    for (int i = 0; i < count; i++) {
        const bundled_problem *p = list[i];
        double parameters[PARAMETERS_MAX];
        keel_problem *created = NULL;
        defaults(p, parameters);
        assert_int_equal(p->create(&created, parameters), KEEL_OK);
        assert_int_equal(keel_problem_size(created), p->size);
        assert_int_equal(keel_problem_index(created), p->index);
        keel_problem_free(created);
    }
}

/* Whatever has a reference or an exact solution agrees with itself over some unknowns. */
static void every_problem_scores_its_own_reference(void **state)
{
    int count;
    const bundled_problem *const *list = bundled_problems(&count);
    (void)state;
    for (int i = 0; i < count; i++) {
        const bundled_problem *p = list[i];
        double parameters[PARAMETERS_MAX];
        defaults(p, parameters);
        for (int k = 0; k < p->reference_count && !p->exact; k++) {
            const bundled_reference *r = &p->references[k];
            assert_true(bundled_scd(p, parameters, r->t, r->y, 0) == INFINITY);
            assert_true(bundled_scd(p, parameters, r->t, r->y, 1) == r->digits);
        }
        if (!p->exact) continue;
        double *y = malloc((size_t)p->size * sizeof *y);
        assert_non_null(y);
        p->exact(parameters, p->t_end, y);
        assert_true(bundled_scd(p, parameters, p->t_end, y, 1) == INFINITY);
        free(y);
    }
}

static void scd_is_the_worst_relative_error(void **state)
{
    const bundled_problem *p = &problem_pendulum;
    const bundled_reference *r = &p->references[0];
    double parameters[1] = {1}, y[5];
    (void)state;
    memcpy(y, r->y, sizeof y);
    y[0] *= 1 + 1e-6;
    y[1] *= 1 - 1e-4;
    y[4] = 0;                                                /* does not count */
    assert_true(fabs(bundled_scd(p, parameters, r->t, y, 1) - 4) < 1e-9);
    assert_true(isnan(bundled_scd(p, parameters, r->t + 1, y, 1)));
    y[0] = NAN;
    assert_true(isnan(bundled_scd(p, parameters, r->t, y, 1)));
    parameters[0] = 2;
    assert_true(isnan(bundled_scd(p, parameters, r->t, r->y, 1)));
}

/* Where the reference is 0 the error is absolute; where it is NAN there is none. */
static void scd_of_zero_and_unknown_references(void **state)
{
    const bundled_problem p = {
        .name = "three numbers", .size = 3,
        .counts = (const unsigned char[]){1, 1, 1},
        .reference_count = 1,
        .references = (const bundled_reference[]){{1, (const double[]){0, 2, NAN}, 10, "here"}},
    };
    (void)state;
    assert_true(fabs(bundled_scd(&p, NULL, 1, (const double[]){1e-3, 2, 7}, 1) - 3) < 1e-12);
    assert_true(fabs(bundled_scd(&p, NULL, 1, (const double[]){0, 2.002, 7}, 1) - 3) < 1e-9);
    assert_true(bundled_scd(&p, NULL, 1, (const double[]){0, 2 + 1e-13, 7}, 1) == 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_their_problems),
        cmocka_unit_test(descriptions_agree_with_the_problems),
        cmocka_unit_test(every_problem_scores_its_own_reference),
        cmocka_unit_test(scd_is_the_worst_relative_error),
        cmocka_unit_test(scd_of_zero_and_unknown_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
