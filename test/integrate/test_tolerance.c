/* test_tolerance.c -- the error follows the tolerance, whatever the index, the group and the method.
 *
 * Ten tolerances are what is asked for; the constants of the error control were tuned on the bundled
 * order problems, so that `reaction`, `circuit` and `sphere` are the judges.
 */
#include "test/integrate/tolerance.h"

static const double tolerances_most = 10;

/* Up to four stages the mechanical integrator lets Newton's method err by three tolerances in a step
 * (decision 6), which is more than the error of the method. */
static const double radau_sphere_most = 25;

/* Half-explicit methods need constraints that are hidden. */
static int applies(const char *method, const tolerance_problem *p)
{
    int low = strcmp(p->name, "order-ode") == 0 || strcmp(p->name, "order-index1") == 0 ||
              strcmp(p->name, "reaction") == 0;
    return strncmp(method, "hem", 3) != 0 || !low;
}

static double most(const char *method, const tolerance_problem *p)
{
    int loose = strcmp(method, "radau-iia") == 0 && strcmp(p->name, "sphere") == 0;
    return loose ? radau_sphere_most : tolerances_most;
}

static void follows(void **state)
{
    const char *method = *state;
    for (int k = 0; k < TOLERANCE_PROBLEMS; k++)
        if (applies(method, &tolerance_problems[k]))
            tolerance_expect(&tolerance_problems[k], method, most(method, &tolerance_problems[k]));
}

#define METHOD(name) {"error follows tolerance: " name, follows, NULL, NULL, (void *)name}

int main(void)
{
    const struct CMUnitTest tests[] = {
        METHOD("radau-iia"), METHOD("gauss-3"), METHOD("hem-4"), METHOD("esdirk-4"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
