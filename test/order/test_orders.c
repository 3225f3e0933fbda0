/* test_orders.c -- predicted orders are those that the library shows on problems with chosen
 * solutions.
 *
 * For each method, problem (ODE, index 1, 2, 3, mechanical), way a step ends (projected or not,
 * multipliers by recursion or from the hidden constraint) and group of unknowns the observed order
 * must be what keel_method_orders says: within 0.15 up to order 6, beyond it within 0.35.
 * test_reference.c does the same for implicit Runge-Kutta methods, in 34 digits.  Likewise for
 * projections of all kinds.
 */
#include "study/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void check_cells(const study_cells *c, const char *method, study_problem problem,
                        const char *ending)
{
    for (int g = 0; g < c->groups; g++)
        if (c->compared[g] && !c->agrees[g])
            fail_msg("%s on %s (%s), group %d: order %.2f instead of %d; %s", method,
                     study_problems[problem].name, ending, g, c->observed[g], c->predicted[g],
                     c->message);
}

/* Explicit methods need the accelerations of a mechanical system instead of a Hessenberg form. */
static int suits(const keel_method_info *info, study_problem problem)
{
    return !(info->kind == KEEL_METHOD_EXPLICIT && study_problems[problem].index == 3 &&
             problem != STUDY_MECHANICAL);
}

/* What can be run is predicted, and what is predicted can be run. */
static void check_ending(const char *method, study_problem problem, study_ending ending)
{
    study_cells c = study_compare(method, problem, ending);
    for (int g = 0; g < c.groups; g++)
        if (study_supported(&c) != (c.predicted[g] != OPEN))
            fail_msg("%s on %s (%s), group %d: order %d predicted; %s", method,
                     study_problems[problem].name, study_endings[ending], g, c.predicted[g],
                     c.message);
    if (study_supported(&c)) check_cells(&c, method, problem, study_endings[ending]);
}

static void check_method(const char *method)
{
    keel_method_info info;
    assert_int_equal(keel_method_find(method, &info), KEEL_OK);
    for (study_problem problem = 0; problem < STUDY_PROBLEMS; problem++)
        for (study_ending ending = 0; ending < STUDY_ENDINGS; ending++)
            if (study_differs(problem, ending) && suits(&info, problem) &&
                study_same_ending(&info, problem, ending) == ending)
                check_ending(method, problem, ending);
}

static void check_methods(const char *const *names)
{
    for (; *names; names++) check_method(*names);
}

#define METHODS(name, ...)                                                                       \
    static void name(void **state)                                                               \
    {                                                                                            \
        (void)state;                                                                             \
        check_methods((const char *const[]){__VA_ARGS__, NULL});                                 \
    }

METHODS(explicit, "euler", "midpoint", "heun", "rk4", "dopri5", "dop853", "verner8")
METHODS(half_explicit, "hem-1", "hem-3", "hem-4", "hem-5", "phem56")
METHODS(bdf, "bdf-1", "bdf-2", "bdf-3", "bdf-4", "bdf-5", "bdf-6")
METHODS(difference_corrected, "dcbdf-1", "dcbdf-2", "dcbdf-3", "dcbdf-4", "dcbdf-5", "dcbdf-6")
METHODS(blocked_adams, "beta-trapezoidal", "beta-adams-1", "beta-adams-2", "beta-adams-3")
METHODS(not_blocked, "adams-1", "adams-2", "adams-3", "adams-4", "adams-5", "adams-6",
        "dcbdf-2:constrain-first", "dcbdf-3:constrain-first")
METHODS(constraints_last, "dcbdf-2:constrain-last", "dcbdf-3:constrain-last",
        "beta-adams-3:constrain-last")
METHODS(dimsim, "dimsim-1", "dimsim-2", "dimsim-3")
METHODS(irks, "irks-1", "irks-2", "irks-3", "irks-4", "irks-5")

/* Projections of the other kinds. */
static void variants_of_the_step(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++)
        for (study_problem problem = STUDY_INDEX2; problem < STUDY_PROBLEMS; problem++) {
            study_cells c = study_compare_variant(&variants[i], problem);
            check_cells(&c, variants[i].method, problem, "another projection");
        }
}

/* No method of the list is left out above or in test_reference.c, and those that are listed by
 * `keel methods` are in the list, up to five stages. */
static void all_methods(void **state)
{
    (void)state;
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info info;
        int found = 0;
        assert_int_equal(keel_method_at(i, &info), KEEL_OK);
        for (int k = 0; k < STUDY_METHODS; k++) found |= strcmp(study_methods[k], info.name) == 0;
        if (!found && info.order > 0 && info.stages <= 5 && strcmp(info.name, "dimsim-4") != 0)
            fail_msg("%s is not in study/theory.h", info.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit), cmocka_unit_test(half_explicit), cmocka_unit_test(bdf),
        cmocka_unit_test(difference_corrected), cmocka_unit_test(blocked_adams),
        cmocka_unit_test(not_blocked), cmocka_unit_test(constraints_last), cmocka_unit_test(dimsim),
        cmocka_unit_test(irks), cmocka_unit_test(variants_of_the_step),
        cmocka_unit_test(all_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
