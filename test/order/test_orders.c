/* test_orders.c -- orders of convergence of every method on problems with chosen solutions.
 *
 * For each method, problem (ODE, index 1, 2, 3, mechanical), way a step ends (unprojected, or
 * projected with multipliers by recursion or from the hidden constraint) and group of unknowns the
 * observed order must agree with theory (study/theory.h): within 0.15 up to order 6, beyond it
 * within 0.35 (test_reference.c asserts 0.15 there, too, in 34 digits).  Likewise for projections
 * of all kinds and multipliers from the stage polynomial.
 */
#include "study/theory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void check_group(const observed_orders *r, const order_study *study, study_problem problem,
                        int order, int at_least, int g)
{
    static const char *const endings[] = {"unprojected", "projected, recursion",
                                          "projected, hidden", "", "projected, polynomial"};
    int visible = study_visible(problem, study->ending, g, order);
    if (!visible || study_agrees_in_double(r->order[g], order, at_least)) return;
    fail_msg("%s on %s (%s, projection %d), group %d: order %.2f between %d and %d steps instead "
             "of %d; %s", study->method, study->problem, endings[study->ending],
             (int)study->projection, g, r->order[g], r->steps[r->pair[g]],
             r->steps[r->pair[g] + 1], order, r->message);
}

static void check_study(const order_study *study, study_problem problem, const int *order,
                        int at_least)
{
    observed_orders r = study_observe(study);
    if (r.status == KEEL_UNKNOWN_NAME || r.status == KEEL_UNSUPPORTED)
        fail_msg("%s on %s: %s", study->method, study->problem, r.message);
    for (int g = 0; g < r.groups; g++) check_group(&r, study, problem, order[g], at_least, g);
}

/* Nothing is asserted where nothing is predicted, so nothing need be run. */
static int anything_predicted(const int *order, int groups)
{
    for (int g = 0; g < groups; g++)
        if (order[g] > OPEN && order[g] < IN_QUAD) return 1;
    return 0;
}

static void check_problem(const predicted_orders *p, study_problem problem, study_ending ending)
{
    const int *expected = predicted(p, problem, ending);
    if (!anything_predicted(expected, study_groups(problem))) return;
    order_study study = study_of_method(p, problem, ending);
    check_study(&study, problem, expected, p->at_least);
}

/* Explicit methods need the accelerations of a mechanical system instead of a Hessenberg form. */
static int suits(const predicted_orders *p, study_problem problem)
{
    int explicit = p->ode > 0 && p->index2[0][STUDY_HIDDEN][0] == OPEN;
    return !(explicit && problem == STUDY_INDEX3);
}

static void check_method(const char *name)
{
    const predicted_orders *p = NULL;
    for (int i = 0; i < PREDICTIONS; i++)
        if (strcmp(predictions[i].method, name) == 0) p = &predictions[i];
    assert_non_null(p);
    for (study_problem problem = 0; problem < STUDY_PROBLEMS; problem++)
        for (study_ending ending = 0; ending < STUDY_ENDINGS; ending++)
            if (study_differs(problem, ending) && suits(p, problem))
                check_problem(p, problem, ending);
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

METHODS(radau_iia, "radau-iia-1", "radau-iia-2", "radau-iia-3", "radau-iia-4")
METHODS(gauss, "gauss-1", "gauss-2", "gauss-3", "gauss-4")
METHODS(radau_ia, "radau-ia-1", "radau-ia-2", "radau-ia-3", "radau-ia-4")
METHODS(lobatto_iiia, "lobatto-iiia-2", "lobatto-iiia-3", "lobatto-iiia-4")
METHODS(lobatto_iiic, "lobatto-iiic-2", "lobatto-iiic-3", "lobatto-iiic-4")
METHODS(collocation, "collocation-2:0.5", "collocation-3:0.5")
METHODS(diagonal, "sdirk-2", "sdirk-4", "sdirk-4b", "sdirk-4c", "tr-bdf2", "esdirk-3", "esdirk-4", "esdirk-5")
METHODS(explicit, "euler", "midpoint", "heun", "rk4", "dopri5", "dop853", "verner8")
METHODS(half_explicit, "hem-1", "hem-3", "hem-4", "hem-5", "phem56")
METHODS(bdf, "bdf-1", "bdf-2", "bdf-3", "bdf-4", "bdf-5", "bdf-6")
METHODS(difference_corrected, "dcbdf-1", "dcbdf-2", "dcbdf-3", "dcbdf-4", "dcbdf-5", "dcbdf-6")
METHODS(blocked_adams, "beta-trapezoidal", "beta-adams-1", "beta-adams-2", "beta-adams-3")
METHODS(not_blocked, "adams-1", "adams-2", "adams-3", "dcbdf-2:constrain-first",
        "dcbdf-3:constrain-first")
METHODS(constraints_last, "dcbdf-2:constrain-last", "dcbdf-3:constrain-last",
        "beta-adams-3:constrain-last")
METHODS(dimsim, "dimsim-1", "dimsim-2", "dimsim-3")

/* Projections of the other kinds, and multipliers from the polynomial of the stages. */
static void variants_of_the_step(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++)
        for (study_problem problem = STUDY_INDEX2; problem < STUDY_PROBLEMS; problem++) {
            const int *expected = predicted_by(&variants[i], problem);
            if (!anything_predicted(expected, study_groups(problem))) continue;
            order_study study = study_of_variant(&variants[i], problem);
            check_study(&study, problem, expected, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radau_iia), cmocka_unit_test(gauss), cmocka_unit_test(radau_ia),
        cmocka_unit_test(lobatto_iiia), cmocka_unit_test(lobatto_iiic),
        cmocka_unit_test(collocation), cmocka_unit_test(diagonal), cmocka_unit_test(explicit),
        cmocka_unit_test(half_explicit), cmocka_unit_test(bdf),
        cmocka_unit_test(difference_corrected), cmocka_unit_test(blocked_adams),
        cmocka_unit_test(not_blocked), cmocka_unit_test(constraints_last), cmocka_unit_test(dimsim),
        cmocka_unit_test(variants_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
