/* test_reference.c -- implicit Runge-Kutta methods against an independent program in 34 digits.
 *
 * study/reference.c computed errors and orders of all of them on the problems order-*, however a
 * step ends.  Its orders must be those that keel_method_orders predicts within 0.15, also the high
 * ones that rounding hides in double precision; and the library must commit the same errors, not
 * only errors of the same order.
 */
#include "study/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void check_method(const char *method)
{
    for (study_problem problem = 0; problem < STUDY_PROBLEMS; problem++)
        for (study_ending ending = 0; ending < STUDY_ENDINGS; ending++) {
            if (!study_differs(problem, ending)) continue;
            study_cells c = study_compare(method, problem, ending);
            assert_true(c.exact);
            for (int g = 0; g < c.groups; g++)
                if (!c.compared[g] || !c.agrees[g])
                    fail_msg("%s on %s (%s), group %d: order %.2f, predicted %d", method,
                             study_problems[problem].name, study_endings[ending], g, c.observed[g],
                             c.predicted[g]);
        }
}

static void orders_are_predicted(void **state)
{
    int checked = 0;
    (void)state;
    for (int i = 0; i < STUDY_METHODS; i++) {
        keel_method_info info;
        assert_int_equal(keel_method_find(study_methods[i], &info), KEEL_OK);
        if (!study_implicit(info.kind)) continue;
        check_method(study_methods[i]);
        checked++;
    }
    assert_int_equal(checked, 33);
}

/* Rounding; projection along directions that come from one-sided differences leaves 1e-8 of the
 * correction, which is 1e-2 at most here. */
static double noise_of(const keel_problem *p, const reference_case *r, int group, double h)
{
    int differences = keel_problem_form(p) == KEEL_FORM_HESSENBERG3 &&
                      r->ending != STUDY_UNPROJECTED && r->ending != STUDY_UNPROJECTED_POLYNOMIAL;
    return fmax(study_floor(p, r->ending, group, h), differences ? 1e-10 : 0);
}

/* Newton's method starts from the multipliers before.  Those of ESDIRK methods without the hidden
 * constraint, and those of the stages of Gauss methods without projection, are so far off that the
 * library finds another root of equations that are nonlinear in them, or none. */
static int another_root(const reference_case *r)
{
    if (r->problem != STUDY_INDEX3_NONLINEAR) return 0;
    return strncmp(r->method, "esdirk", 6) == 0 ? r->ending != STUDY_HIDDEN
         : strncmp(r->method, "gauss", 5) == 0 && !study_projected(r->ending);
}

/* Digits that agree: rounding of stages grows with A^-1, which is large for many of them, and adds
 * up where R(inf) does not damp it. */
static double agreement(const char *method)
{
    keel_method_info info;
    assert_int_equal(keel_method_find(method, &info), KEEL_OK);
    return info.stages > 4 && info.kind == KEEL_METHOD_IMPLICIT ? 1e-3 : 1e-5;
}

/* The errors of the library with N steps. */
static void check_errors(const reference_case *r, const bundled_problem *b, const keel_problem *p,
                         int N, const double *expected)
{
    order_study study = {.problem = b->name, .method = r->method, .ending = r->ending};
    double error[STUDY_GROUPS];
    char message[256] = "";
    if (!study_settled(expected) || another_root(r)) return;
    int rc = study_run(&study, b, p, N, error, message);
    if (rc) fail_msg("%s on %s (%s), %d steps: %s", r->method, b->name, study_endings[r->ending],
                     N, message);
    for (int g = 0; g < study_groups(r->problem); g++) {
        double noise = noise_of(p, r, g, (b->t_end - b->t_start) / N);
        if (fabs(error[g] - expected[g]) <= agreement(r->method) * expected[g] + noise) continue;
        fail_msg("%s on %s (%s), %d steps, group %d: error %.7e instead of %.7e", r->method,
                 b->name, study_endings[r->ending], N, g, error[g], expected[g]);
    }
}

static void errors_are_those_in_34_digits(void **state)
{
    (void)state;
    for (int i = 0; i < REFERENCES; i++) {
        const reference_case *r = &references[i];
        const bundled_problem *b = bundled_problem_find(study_problems[r->problem].name);
        keel_problem *p = NULL;
        assert_non_null(b);
        assert_int_equal(b->create(&p, NULL), KEEL_OK);
        for (int k = 0; k < 2; k++) check_errors(r, b, p, 16 << k, r->error[k]);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_predicted),
        cmocka_unit_test(errors_are_those_in_34_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
