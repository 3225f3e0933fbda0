/* test_irks_index2.c -- irks-1 .. irks-5 on a problem of index 2 that is nonlinear in z, with steps
 * that change. */
#include "method/tables.h"               /* before cmocka, whose fail() is a macro */
#include "study/irks_trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { METHODS = 5 };

static const keel_general_linear *const methods[METHODS] = {&irks_1, &irks_2, &irks_3, &irks_4,
                                                            &irks_5};

typedef struct estimate { int p, j; double kappa; } estimate;

/* kappa (Y_s - Y_j) over the error y(t_n+1) - y_n+1, minus 1, after one step from exact values; the
 * larger one of x and y. */
static double misjudged(const estimate *of, double h)
{
    double v[TRIAL][2], stages[TRIAL][3], exact[3], worst = 0;
    int p = of->p;
    trial_values(p, h, v);
    trial_step(methods[p - 1], 0, h, v, stages);
    trial_solution(h, exact);
    for (int c = 0; c < 2; c++) {
        double error = exact[c] - stages[p][c];
        worst = fmax(worst, fabs(of->kappa * (stages[p][c] - stages[of->j - 1][c]) / error - 1));
    }
    return worst;
}

/* Both stages obey the constraint, so that the estimate is right in every component, up to O(h):
 * what is missed is halved with the step, at sizes where errors are far above rounding. */
static void estimates(void **state)
{
    static const estimate claimed[] = {
        {2, 2, -7. / 3}, {3, 2, -3. / 11}, {4, 1, -13. / 45}, {5, 1, 301. / 324}};
    (void)state;
    for (size_t i = 0; i < sizeof claimed / sizeof *claimed; i++) {
        double h = ldexp(1, claimed[i].p - 10);
        double coarse = misjudged(&claimed[i], h), fine = misjudged(&claimed[i], h / 2);
        if (!(log2(coarse / fine) > 0.5 && fine < 1))
            fail_msg("irks-%d: %.3g, then %.3g", claimed[i].p, coarse, fine);
    }
}

/* Order p in y and z on index 2 [Weiss 2007, theorems 3.25, 3.27], here with changing steps: nearer
 * to p than to p - 1, at sizes where neither rounding nor terms of order p + 1 rule. */
static void orders(void **state)
{
    static const int parts[METHODS] = {8, 8, 8, 8, 4};
    double size[TRIAL_STEPS];
    (void)state;
    trial_sizes(2, 3, TRIAL_STEPS, size);
    for (int p = 1; p <= METHODS; p++) {
        double coarse[2], fine[2];
        trial_errors(methods[p - 1], TRIAL_STEPS, size, parts[p - 1], coarse);
        trial_errors(methods[p - 1], TRIAL_STEPS, size, 2 * parts[p - 1], fine);
        for (int i = 0; i < 2; i++) {
            double order = log2(coarse[i] / fine[i]);
            if (!(order > p - 0.5)) fail_msg("irks-%d: order %.2f", p, order);
        }
    }
}

/* Every step differs from the one before, by factors of up to 2: what grew in a step would rule 320
 * of them, but errors are smaller than with 80. */
static void nothing_grows(void **state)
{
    enum { FEW = 80, MANY = 4 * FEW };
    double size[MANY], few[2], many[2];
    (void)state;
    for (int p = 1; p <= METHODS; p++)
        for (unsigned sequence = 1; sequence <= 3; sequence++) {
            trial_sizes(2, sequence, FEW, size);
            trial_errors(methods[p - 1], FEW, size, 1, few);
            trial_sizes(2, sequence, MANY, size);
            trial_errors(methods[p - 1], MANY, size, 1, many);
            for (int i = 0; i < 2; i++)
                if (!(many[i] < few[i]))
                    fail_msg("irks-%d: %.3g, then %.3g", p, few[i], many[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(estimates), cmocka_unit_test(orders),
                                       cmocka_unit_test(nothing_grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
