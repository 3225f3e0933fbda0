/* test_tolerance.c -- the error follows the tolerance, whatever the index, the group and the method.
 *
 * Ten tolerances are what is asked for; the constants of the error control were tuned on the bundled
 * order problems, so that `reaction` and `circuit` are the judges; `sphere` judges all methods but
 * radau-iia, whose constants for mechanical problems were chosen with it in view.
 */
#include "test/integrate/tolerance.h"

static const double tolerances_most = 10;

/* Half-explicit methods need constraints that are hidden, explicit ones a form that gives rates,
 * Rosenbrock methods index 0 or 1. */
static int applies(const char *method, const tolerance_problem *p)
{
    int low = strcmp(p->name, "order-ode") == 0 || strcmp(p->name, "order-index1") == 0 ||
              strcmp(p->name, "reaction") == 0;
    int hessenberg = strncmp(p->name, "order-index2", 12) == 0 || strcmp(p->name, "circuit") == 0 ||
                     strncmp(p->name, "order-index3", 12) == 0;
    if (strncmp(method, "hem", 3) == 0) return !low;
    if (strncmp(method, "rodas", 5) == 0) return low;
    return strcmp(method, "dopri5") != 0 || !hessenberg;
}

static void follows(void **state)
{
    const char *method = *state;
    for (int k = 0; k < TOLERANCE_PROBLEMS; k++)
        if (applies(method, &tolerance_problems[k]))
            tolerance_expect(&tolerance_problems[k], method, tolerances_most);
}

#define METHOD(name) {"error follows tolerance: " name, follows, NULL, NULL, (void *)name}

int main(void)
{
    const struct CMUnitTest tests[] = {
        METHOD("auto"), METHOD("dopri5"), METHOD("radau-iia"), METHOD("gauss-3"), METHOD("hem-4"), METHOD("esdirk-4"),
        METHOD("rodas-4"), METHOD("rodas-5p"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
