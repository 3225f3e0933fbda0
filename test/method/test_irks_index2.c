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

/* One step from exact values: y(t_n+1) - y_n+1 = kappa (Y_s - Y_j) in every component, since both
 * stages obey the constraint; terms of one order more reach half of it at this step. */
static void estimates(void **state)
{
    static const struct { int p, j; double kappa; } claimed[] = {
        {2, 2, -7. / 3}, {3, 2, -3. / 11}, {4, 1, -13. / 45}, {5, 1, 301. / 324}};
    const double h = 1. / 64;
    (void)state;
    for (size_t i = 0; i < sizeof claimed / sizeof *claimed; i++) {
        int p = claimed[i].p, j = claimed[i].j - 1;
        double v[TRIAL][2], stages[TRIAL][3], exact[3];
        trial_values(p, h, v);
        trial_step(methods[p - 1], 0, h, v, stages);
        trial_solution(h, exact);
        for (int c = 0; c < 2; c++) {
            double error = exact[c] - stages[p][c];
            double estimate = claimed[i].kappa * (stages[p][c] - stages[j][c]);
            assert_true(fabs(estimate - error) < 0.5 * fabs(error));
        }
    }
}

/* Order p in y and z on index 2 [Weiss 2007, theorems 3.25, 3.27], here with changing steps: nearer
 * to p than to p - 1, at sizes where neither rounding nor terms of order p + 1 rule. */
static void orders(void **state)
{
    static const int parts[METHODS] = {8, 8, 8, 8, 4};
    double size[TRIAL_STEPS];
    (void)state;
    trial_sizes(2, 3, size);
    for (int p = 1; p <= METHODS; p++) {
        double coarse[2], fine[2];
        trial_errors(methods[p - 1], size, parts[p - 1], coarse);
        trial_errors(methods[p - 1], size, 2 * parts[p - 1], fine);
        for (int i = 0; i < 2; i++) {
            double order = log2(coarse[i] / fine[i]);
            if (!(order > p - 0.5)) fail_msg("irks-%d: order %.2f", p, order);
        }
    }
}

/* Steps that change by factors of up to 2, all twenty of them: nothing grows. */
static void long_steps(void **state)
{
    static const double bound[METHODS] = {1e-1, 2e-2, 1e-3, 1e-3, 1e-3};
    (void)state;
    for (int p = 1; p <= METHODS; p++)
        for (unsigned seed = 1; seed <= 3; seed++) {
            double size[TRIAL_STEPS], error[2];
            trial_sizes(2, seed, size);
            trial_errors(methods[p - 1], size, 1, error);
            assert_true(error[0] < bound[p - 1] && error[1] < bound[p - 1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(estimates), cmocka_unit_test(orders),
                                       cmocka_unit_test(long_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
