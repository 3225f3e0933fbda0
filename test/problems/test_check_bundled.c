/* test_check_bundled.c -- right derivatives are never accused: all bundled problems, from 20 points
 * each, at their starts and where random values of them have become consistent. */
#include "problems/problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { POINTS = 20, PARAMETERS_MAX = 16 };

/* Between -1 and 1. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static void expect_no_finding(const bundled_problem *b, const keel_problem *p, double t,
                              const double *y, int point)
{
    keel_check_report *r;
    int rc = keel_check(p, t, y, NULL, &r);
    if (rc != KEEL_OK)
        fail_msg("%s, point %d: %s: %s", b->name, point, keel_status_name(rc),
                 keel_check_finding_count(r) ? keel_check_finding(r, 0)->text : "");
    keel_check_free(r);
}

/* From values displaced by up to `part` of their size; starts that fail for another reason than
 * a derivative do not count.  Returns how many did not. */
static int check_points(const bundled_problem *b, const keel_problem *p, const double *parameters)
{
    uint64_t state = 1;
    int checked = 0;
    double *start = calloc((size_t)b->size, sizeof *start), *y = calloc((size_t)b->size, sizeof *y);
    keel_solver *s;
    assert_int_equal(keel_solver_create(&s, p, NULL), KEEL_OK);
    b->start(parameters, start);
    for (int k = 0; k < POINTS; k++) {
        double part = k == 0 ? 0 : k < 10 ? 1e-3 : 0.1;
        double t = b->t_start + part * (b->t_end - b->t_start) * fabs(uniform(&state));
        for (int i = 0; i < b->size; i++)
            y[i] = start[i] + part * uniform(&state) * (0.1 + fabs(start[i]));
        int rc = keel_start(s, t, y);
        if (rc == KEEL_WRONG_DERIVATIVE) fail_msg("%s, point %d: %s", b->name, k, keel_message(s));
        if (rc != KEEL_OK) continue;
        checked++;
        expect_no_finding(b, p, t, keel_state(s), k);
    }
    keel_solver_free(s);
    free(start);
    free(y);
    return checked;
}

static void right_derivatives_are_not_accused(void **state)
{
    int count, checked = 0;
    const bundled_problem *const *list = bundled_problems(&count);
    (void)state;
    for (int i = 0; i < count; i++) {
        const bundled_problem *b = list[i];
        double parameters[PARAMETERS_MAX];
        keel_problem *p;
        for (int k = 0; k < b->parameter_count; k++) parameters[k] = b->parameters[k].value;
        assert_int_equal(b->create(&p, parameters), KEEL_OK);
        int points = check_points(b, p, parameters);
        if (points == 0) fail_msg("%s: no start was consistent", b->name);
        checked += points;
        keel_problem_free(p);
    }
    assert_true(checked > count * POINTS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_derivatives_are_not_accused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
