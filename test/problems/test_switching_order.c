/* test_switching_order.c -- events cost no accuracy: over several of them the error follows the
 * tolerance, or the order of the method, as it does without. */
#include "test/support/switching.h"

/* At t, beyond several events.  NAN: the method does not take such problems. */
static double error_at(const char *name, double t, keel_options options, setting one)
{
    run r;
    double error = NAN;
    int rc = run_begin(&r, name, options, one, (setting){0});
    if (rc != KEEL_UNSUPPORTED) {
        run_expect(&r, rc, KEEL_OK);
        run_expect(&r, keel_advance_to(r.solver, t), KEEL_OK);
        error = run_error(&r);
    }
    run_end(&r);
    return error;
}

/* A ball with drag, four bounces; a block, twice loose. */
static const struct { const char *name; double t; setting one; } cases[] = {
    {"bouncing-ball", 2.2, {"drag", 0.3}}, {"stick-slip", 15, {0}},
};
enum { CASES = sizeof cases / sizeof *cases };

/* With a hundred steps at most between events, each of which has an error below the tolerance. */
static void errors_follow_the_tolerance(void **state)
{
    const double allowed = 100;
    (void)state;
    for (int k = 0; k < CASES; k++)
        for (int m = 0; m < CLASSES; m++)
            for (int decade = 4; decade <= 11; decade++) {
                const double tolerance = pow(10, -decade);
                keel_options o = {.method = classes[m], .rtol = tolerance, .atol = tolerance};
                double error = error_at(cases[k].name, cases[k].t, o, cases[k].one);
                if (error > allowed * tolerance)
                    fail_msg("%s, %s, 1e-%d: error %.3g times the tolerance", cases[k].name,
                             classes[m], decade, error / tolerance);
            }
}

/* The slope over several halvings: events fall anywhere in a step, so single ratios scatter. */
static double order_of(int k, const char *method, double h, int halvings)
{
    double sum = 0, weights = 0;
    for (int i = 0; i <= halvings; i++) {
        keel_options o = {.method = method, .step = ldexp(h, -i)};
        double x = i - 0.5 * halvings;
        sum -= x * log2(error_at(cases[k].name, cases[k].t, o, cases[k].one));
        weights += x * x;
    }
    return sum / weights;
}

static void orders_are_those_without_events(void **state)
{
    static const struct { const char *method; int order; double h; } methods[] = {
        {"rk4", 4, 0.1}, {"dopri5", 5, 0.2}, {"esdirk-4", 4, 0.1}, {"radau-iia-3", 5, 0.2},
        {"gauss-2", 4, 0.1}, {"bdf-3", 3, 0.02},
    };
    (void)state;
    for (int k = 0; k < CASES; k++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            double order = order_of(k, methods[m].method, methods[m].h, 4);
            if (!(order > methods[m].order - 0.5))
                fail_msg("%s, %s: order %.2f, not %d", cases[k].name, methods[m].method, order,
                         methods[m].order);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(orders_are_those_without_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
